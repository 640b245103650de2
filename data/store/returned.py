"""What was exported and comes back: whole answers as they stood, and the campaigns and questions that they were about."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime

import duckdb

from data.campaign import Campaign
from data.prompts.questions import PromptQuestion
from data.records import Annotation, Evidence
from data.store import questions, rows, wide
from data.store.places import DEFAULT, campaigns, insert_campaigns, recount
from data.store.statements import (
    ANNOTATION_COLUMNS,
    JUDGEMENT_COLUMNS,
    annotation_row,
    insert_evidence,
    items_of,
    judgement_rows,
)
from data.store.statuses import Decision

_FEW = 500


class ReturnRefused(ValueError):
    """What comes back contradicts what is in the project; nothing was written, and the message says what to do."""


@dataclass(frozen=True, slots=True)
class Stated:
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
class Returned:
    """All that comes back.

    Attributes:
        answers: in the order in which they were given; a revision follows what it revises.
        evidence: scorers' judgements, with the ids that they had.
        campaigns: those that the answers were given in.
        asked: the prompts' own questions, by prompt and version.
        members: the images of pairs and groups, in their order.
        pictures: SHA-256 of the pictures that the answers are about, by image.
    """

    answers: Sequence[Stated] = ()
    evidence: Sequence[Evidence] = ()
    campaigns: Sequence[Campaign] = ()
    asked: Mapping[tuple[str, int], tuple[PromptQuestion, ...]] = field(default_factory=dict)
    members: Mapping[str, Sequence[str]] = field(default_factory=dict)
    pictures: Mapping[str, str] = field(default_factory=dict)


def insert(connection: duckdb.DuckDBPyConnection, returned: Returned, import_id: int) -> dict[str, int]:
    """Write what comes back, once prompts, images, items and raters are there; returns how many rows of each table are new.

    Raises:
        ReturnRefused: an answer, a campaign, a picture or a pair contradicts what is there.
    """
    _check_pictures(connection, returned.pictures)
    _insert_members(connection, returned.members, import_id)
    versions, n_questions = questions.insert_versions(connection, returned.asked, import_id)
    counts = {"campaigns": _insert_campaigns(connection, returned.campaigns, import_id), "questions": n_questions}
    fresh = _asked_as(connection, _new(connection, returned.answers), versions)
    seen = rows.existing(connection, "evidence", "evidence_id", [], [one.evidence_id for one in returned.evidence])
    evidence = [one for one in returned.evidence if one.evidence_id not in seen]
    _insert_answers(connection, fresh, import_id)
    about = sorted({one.annotation.item_id for one in fresh})
    if about:
        recount(connection, about if len(about) <= _FEW else None)
    counts |= {"annotations": len(fresh), "evidence": insert_evidence(connection, evidence, import_id)}
    return counts


def _check_pictures(connection: duckdb.DuckDBPyConnection, pictures: Mapping[str, str]) -> None:
    known = rows.existing(connection, "images", "image_id", ["sha256"], list(pictures))
    for image_id, row in known.items():
        if row["sha256"] not in (None, pictures[image_id]):
            raise ReturnRefused(
                f"the answers are about another picture than this project's {image_id!r}; import them into a project with the"
                " same pictures, or with none"
            )


def _insert_members(connection: duckdb.DuckDBPyConnection, members: Mapping[str, Sequence[str]], import_id: int) -> None:
    found = connection.execute(
        "select item_id, image_id from item_members where item_id in (select unnest(?::varchar[])) order by position",
        [list(members)],
    ).fetchall()
    known: dict[str, list[str]] = {}
    for item_id, image_id in found:
        known.setdefault(item_id, []).append(image_id)
    for item_id, images in known.items():
        if images != list(members[item_id]):
            raise ReturnRefused(f"item {item_id!r} shows other images in this project; its answers cannot be told apart")
    new = [
        (item_id, image_id, place, import_id)
        for item_id, images in members.items()
        if item_id not in known
        for place, image_id in enumerate(images)
    ]
    rows.insert(connection, "item_members", ("item_id", "image_id", "position", "import_id"), new)


def _insert_campaigns(connection: duckdb.DuckDBPyConnection, found: Sequence[Campaign], import_id: int) -> int:
    """Campaigns that are not there yet, stopped and without items: nobody is asked anything by an import."""
    there = {one.campaign_id: one for one in campaigns(connection, [one.campaign_id for one in found])}
    new: list[Campaign] = []
    for one in found:
        known = there.get(one.campaign_id)
        if known and (known.questionnaire, known.definition) != (one.questionnaire, one.definition):
            raise ReturnRefused(
                f"campaign {one.campaign_id!r} asks other questions in this project; delete it first, or import into another"
                " project"
            )
        if known is None and one.campaign_id != DEFAULT:
            new.append(replace(one, state="stopped"))
    insert_campaigns(connection, new, datetime.now(UTC), import_id)
    return len(new)


def _new(connection: duckdb.DuckDBPyConnection, answers: Sequence[Stated]) -> list[Stated]:
    """The answers that are not in the project yet."""
    ids = [one.annotation.annotation_id for one in answers]
    known = rows.existing(connection, "annotations", "annotation_id", ["item_id", "rater_id"], ids)
    new: list[Stated] = []
    for one in answers:
        stored = known.get(one.annotation.annotation_id)
        if stored and (stored["item_id"], stored["rater_id"]) != (one.annotation.item_id, one.annotation.rater_id):
            raise ReturnRefused(
                f"answer {one.annotation.annotation_id} is by {stored['rater_id']!r} about {stored['item_id']!r} in this"
                " project; one of the two was changed, or names were exchanged for pseudonyms"
            )
        if stored is None:
            new.append(one)
    return new


def _asked_as(
    connection: duckdb.DuckDBPyConnection, answers: Sequence[Stated], versions: Mapping[tuple[str, int], int]
) -> list[Stated]:
    """The answers with the versions that their prompts' questions have here."""
    other = {key: new for key, new in versions.items() if key[1] != new}
    if not other:
        return list(answers)
    items = rows.existing(connection, "items", "item_id", ["prompt_id"], [one.annotation.item_id for one in answers])
    changed: list[Stated] = []
    for one in answers:
        raw = one.annotation.raw or {}
        new = other.get((items[one.annotation.item_id]["prompt_id"], raw.get("questions", 0)))
        told = one if new is None else replace(one, annotation=replace(one.annotation, raw={**raw, "questions": new}))
        changed.append(told)
    return changed


def _insert_answers(connection: duckdb.DuckDBPyConnection, answers: Sequence[Stated], import_id: int) -> None:
    """Answers with new numbers in their order; a chain of revisions has one number, and its last says what is judged."""
    firsts = list(dict.fromkeys(one.first for one in answers))
    seqs = {
        name: row["seq"] for name, row in rows.existing(connection, "annotations", "annotation_id", ["seq"], firsts).items()
    }
    fresh = [name for name in firsts if name not in seqs]
    seqs |= dict(zip(fresh, rows.sequence(connection, "statement_seq", len(fresh)), strict=True))
    superseded = [one.annotation.revises for one in answers if one.annotation.revises is not None]
    here = rows.existing(connection, "annotations", "revises", ["annotation_id"], superseded)
    if here:
        raise ReturnRefused(f"answer {next(iter(here))} was revised in this project, too; which revision is the later one?")
    now = datetime.now(UTC)
    written = [
        annotation_row(
            one.annotation, one.decision, one.annotation.revises, one.first, seqs[one.first], one.submitted or now, import_id
        )
        for one in answers
    ]
    rows.insert(connection, "annotations", ANNOTATION_COLUMNS, written)
    wide.mark(connection, items_of(one.annotation for one in answers))
    connection.execute("delete from judgements where source_id in (select unnest(?::varchar[]))", [superseded])
    old = set(superseded)
    judged = [
        row
        for one in answers
        if one.annotation.annotation_id not in old
        for row in judgement_rows(one.annotation, one.annotation.annotation_id, seqs[one.first])
    ]
    rows.insert(connection, "judgements", JUDGEMENT_COLUMNS, judged)
