"""What was exported from a project and comes back as it was: whole answers with the campaigns and questions they were about."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime

from data.campaigns.settings import DEFAULT, Campaign
from data.prompts.questions import PromptQuestion
from data.records import Annotation, Evidence
from data.store import browse_index, library
from data.store.campaign_items import campaigns, insert_campaigns, recount
from data.store.core import rows
from data.store.core.connections import Connection
from data.store.imports.inserts import insert_members
from data.store.judgements.answer_status import Decision
from data.store.judgements.recording import annotation_row, insert_evidence, insert_judgements, items_of_sources

_FEW = 500


class ReimportRefused(ValueError):
    """What comes back contradicts what is in the project; nothing was written, and the message says what to do."""


@dataclass(frozen=True, slots=True)
class ReimportedAnswer:
    """An answer as it stood where it was exported.

    Attributes:
        annotation: ``revises`` names what it replaces.
        first: the id of the first answer of its chain of revisions (its own, if it revises nothing).
        submitted: None if the file does not say.
    """

    annotation: Annotation
    first: str
    decision: Decision
    submitted: datetime | None


@dataclass(frozen=True, slots=True)
class Reimport:
    """All that comes back.

    Attributes:
        answers: in the order in which they were given; a revision follows what it revises.
        evidence: scorers' judgements, with the ids that they had.
        campaigns: those that the answers were given in.
        asked: the prompts' own questions, by prompt and version.
        members: the images of pairs and groups, in their order.
        pictures: SHA-256 of the pictures that the answers are about, by image.
    """

    answers: Sequence[ReimportedAnswer] = ()
    evidence: Sequence[Evidence] = ()
    campaigns: Sequence[Campaign] = ()
    asked: Mapping[tuple[str, int], tuple[PromptQuestion, ...]] = field(default_factory=dict)
    members: Mapping[str, Sequence[str]] = field(default_factory=dict)
    pictures: Mapping[str, str] = field(default_factory=dict)


def insert_reimport(connection: Connection, returned: Reimport, import_id: int) -> dict[str, int]:
    """Write what comes back, once prompts, images, items and raters are there; returns how many rows of each table are new.

    Raises:
        ReimportRefused: an answer, a campaign, a picture or a pair contradicts what is there.
    """
    known = rows.existing(connection, "images", "image_id", ["sha256"], list(returned.pictures))
    for image_id, row in known.items():
        if row["sha256"] not in (None, returned.pictures[image_id]):
            raise ReimportRefused(
                f"the answers are about another image than this project's {image_id!r}; import them into a project with the"
                " same images, or without images"
            )
    _insert_members(connection, returned.members, import_id)
    versions, n_questions = library.insert_question_versions(connection, returned.asked, import_id)
    counts = {"campaigns": _insert_campaigns(connection, returned.campaigns, import_id), "questions": n_questions}
    fresh = _with_local_versions(connection, _new_answers(connection, returned.answers), versions)
    seen = rows.existing(connection, "evidence", "evidence_id", [], [new.evidence_id for new in returned.evidence])
    evidence = [new for new in returned.evidence if new.evidence_id not in seen]
    _insert_answers(connection, fresh, import_id)
    about = sorted({answer.annotation.item_id for answer in fresh})
    if about:
        recount(connection, about if len(about) <= _FEW else None)
    counts |= {"annotations": len(fresh), "evidence": insert_evidence(connection, evidence, import_id)}
    return counts


def _insert_members(connection: Connection, members: Mapping[str, Sequence[str]], import_id: int) -> None:
    query = (
        "select item_id, list(image_id order by position) from item_members"
        " where item_id in (select unnest(?::varchar[])) group by item_id"
    )
    known: dict[str, list[str]] = rows.mapping(connection, query, [list(members)])
    for item_id, images in known.items():
        if images != list(members[item_id]):
            raise ReimportRefused(f"item {item_id!r} shows other images in this project; its answers cannot be told apart")
    insert_members(connection, {item_id: members[item_id] for item_id in members if item_id not in known}, import_id)


def _insert_campaigns(connection: Connection, returned: Sequence[Campaign], import_id: int) -> int:
    """Campaigns that are not there yet, stopped and without items: nobody is asked anything by an import."""
    there = {
        campaign.campaign_id: campaign for campaign in campaigns(connection, [campaign.campaign_id for campaign in returned])
    }
    new: list[Campaign] = []
    for campaign in returned:
        known = there.get(campaign.campaign_id)
        if known and (known.questionnaire, known.definition) != (campaign.questionnaire, campaign.definition):
            raise ReimportRefused(
                f"campaign {campaign.campaign_id!r} has other questions in this project; delete it first, or import into"
                " another project"
            )
        if known is None and campaign.campaign_id != DEFAULT:
            new.append(replace(campaign, state="stopped"))
    insert_campaigns(connection, new, datetime.now(UTC), import_id)
    return len(new)


def _new_answers(connection: Connection, answers: Sequence[ReimportedAnswer]) -> list[ReimportedAnswer]:
    """The answers that are not in the project yet."""
    ids = [answer.annotation.annotation_id for answer in answers]
    known = rows.existing(connection, "annotations", "annotation_id", ["item_id", "rater_id"], ids)
    new: list[ReimportedAnswer] = []
    for answer in answers:
        stored = known.get(answer.annotation.annotation_id)
        if stored and (stored["item_id"], stored["rater_id"]) != (answer.annotation.item_id, answer.annotation.rater_id):
            raise ReimportRefused(
                f"answer {answer.annotation.annotation_id} is by {stored['rater_id']!r} about {stored['item_id']!r} in this"
                " project; one of the two was changed, or names were exchanged for pseudonyms"
            )
        if stored is None:
            new.append(answer)
    return new


def _with_local_versions(
    connection: Connection, answers: Sequence[ReimportedAnswer], versions: Mapping[tuple[str, int], int]
) -> list[ReimportedAnswer]:
    """The answers with the versions that their prompts' questions have here."""
    other = {key: new for key, new in versions.items() if key[1] != new}
    if not other:
        return list(answers)
    items = rows.existing(connection, "items", "item_id", ["prompt_id"], [answer.annotation.item_id for answer in answers])
    changed: list[ReimportedAnswer] = []
    for answer in answers:
        raw = answer.annotation.raw or {}
        version = other.get((items[answer.annotation.item_id]["prompt_id"], raw.get("questions", 0)))
        if version is not None:
            answer = replace(answer, annotation=replace(answer.annotation, raw={**raw, "questions": version}))
        changed.append(answer)
    return changed


def _insert_answers(connection: Connection, answers: Sequence[ReimportedAnswer], import_id: int) -> None:
    """Answers with new numbers in their order; a chain of revisions has one number, and its last says what is judged."""
    firsts = list(dict.fromkeys(answer.first for answer in answers))
    stored = rows.existing(connection, "annotations", "annotation_id", ["seq"], firsts)
    seqs = {name: row["seq"] for name, row in stored.items()}
    fresh = [name for name in firsts if name not in seqs]
    seqs |= dict(zip(fresh, rows.sequence(connection, "statement_seq", len(fresh)), strict=True))
    superseded = [answer.annotation.revises for answer in answers if answer.annotation.revises is not None]
    here = rows.existing(connection, "annotations", "revises", ["annotation_id"], superseded)
    if here:
        raise ReimportRefused(f"answer {next(iter(here))} was also revised in this project, so the later revision is unknown")
    now = datetime.now(UTC)
    rows.insert(
        connection,
        "annotations",
        (
            annotation_row(
                a.annotation, a.decision, a.annotation.revises, a.first, seqs[a.first], a.submitted or now, import_id
            )
            for a in answers
        ),
    )
    browse_index.mark_stale(connection, items_of_sources(answer.annotation for answer in answers))
    connection.execute("delete from judgements where source_id in (select unnest(?::varchar[]))", [superseded])
    old = set(superseded)
    standing = [answer for answer in answers if answer.annotation.annotation_id not in old]
    insert_judgements(
        connection, ((answer.annotation, answer.annotation.annotation_id, seqs[answer.first]) for answer in standing)
    )
