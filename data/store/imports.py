"""Imports: all or nothing, remembered, and reversible.

A bundle may bring runs that scorers made elsewhere, and what was exported and comes back as it was (whole answers with the
campaigns and questions that they were about). An import that others depend on stays.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, datetime
from typing import Any

from data.campaigns.settings import Campaign
from data.folding import fold_spelling
from data.formats.cooccurrence import Cooccurrence
from data.jobs.runs import Observation, Run
from data.prompts.questions import PromptQuestion
from data.records import Annotation, Evidence, Image, Item, Prompt, Rater
from data.store import library
from data.store.core import browse_index, erased, rows
from data.store.core.campaign_items import DEFAULT, campaigns, insert_campaigns, recount
from data.store.core.connections import Connection
from data.store.core.store import Store, transaction
from data.store.judgements import scorer_evidence
from data.store.judgements.answer_status import Decision
from data.store.judgements.rating_batch import RatingBatch, insert_batch
from data.store.judgements.recording import (
    annotation_row,
    insert_annotations,
    insert_evidence,
    insert_judgements,
    items_of_sources,
)
from data.studies.name_matching import KnownItem


def why_needed(connection: Connection, import_id: int) -> str | None:
    """Why an import cannot be taken back; None if it can."""
    used = rows.first(
        connection,
        "select count(*) as n, count(distinct a.rater_id) as people from annotations a join items t using (item_id)"
        " where (t.import_id = ? or exists (select 1 from item_members m join images i using (image_id)"
        " where m.item_id = t.item_id and i.file_import_id = ?)) and a.import_id is null",
        [import_id, import_id],
    )
    if used and used["n"]:
        return (
            f"{used['people']} people have given {used['n']} answers about what import {import_id} brought; "
            "undoing it would lose them, so nothing was undone"
        )
    shown = rows.first(
        connection,
        "select list_sort(list(distinct c.campaign_id)) as names from campaign_items c join item_members m using (item_id)"
        " join images i using (image_id) where c.campaign_id <> ? and i.file_import_id = ?",
        [DEFAULT, import_id],
    )
    if shown and shown["names"]:
        return (
            f"images of import {import_id} are to be judged in {', '.join(shown['names'])}, so nothing was undone; remove"
            " these campaigns first (page Campaigns)"
        )
    seen = rows.first(
        connection,
        "select count(*) as n, list_sort(list(distinct e.run_id)) as runs from evidence e join items t using (item_id)"
        " left join images i on i.image_id = t.item_id"
        " where (t.import_id = ? or i.file_import_id = ?) and e.run_id is not null and e.import_id is distinct from ?",
        [import_id, import_id, import_id],
    )
    if seen and seen["n"]:
        # another picture could take the place of the one that they saw
        return (
            f"what import {import_id} brought has been scored ({seen['n']} times, in {', '.join(seen['runs'])}), so nothing was"
            " undone; remove these runs first (page Runs), or undo their import"
        )
    return None


@dataclass(frozen=True, slots=True)
class ImportedRun:
    """What a scorer saw elsewhere, as a finished run; its ``folder`` is below the project's, and need not be there.

    Attributes:
        rater_id: who judged by it.
        seen: of the items that the bundle's evidence is about; their masks stay where they are.
    """

    run: Run
    rater_id: str
    folder: str
    seen: Sequence[Observation]


def insert_run(
    connection: Connection,
    run: Run,
    rater_id: str,
    folder: str,
    state: str,
    n_items: int,
    import_id: int | None,
    kind: str = "score",
) -> None:
    """A run that the project does not know yet."""
    rows.add(
        connection, "runs",
        run_id=run.run_id, rater_id=rater_id, scorer=run.scorer, profile=run.profile, version=run.version,
        settings=rows.to_json(run.settings), folder=folder, state=state, n_items=n_items, import_id=import_id, kind=kind,
        device=run.device, engine=run.engine,
    )  # fmt: skip


def insert_import(connection: Connection, import_id: int, kind: str, name: str, sha256: str, counts: Mapping[str, int]) -> None:
    """What was imported; ``counts``: how many rows of each table are new."""
    rows.add(connection, "imports", import_id=import_id, kind=kind, name=name, sha256=sha256, counts=rows.to_json(counts))


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


def insert_members(connection: Connection, images: Mapping[str, Sequence[str]], import_id: int | None = None) -> None:
    """The images that new items show, by item, in their order."""
    rows.insert(
        connection,
        "item_members",
        (
            {"item_id": item_id, "image_id": image_id, "position": position, "import_id": import_id}
            for item_id, shown in images.items()
            for position, image_id in enumerate(shown)
        ),
    )


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


class ImportRefused(ValueError):
    """Nothing was written; the message says why and what to do."""


@dataclass(frozen=True, slots=True)
class ImportBundle:
    """All that one import brings.

    Attributes:
        kind: what was imported (``"study geneval"``). ``name`` tells apart imports of one kind (``"sdv2"``).
        sha256: of the source; the same source twice is the same import.
        questions: by prompt id all its questions from now on, in their order.
        observed: where the evidence comes from, if it is more than ratings.
        ratings: ratings in their order, without a record each.
        returned: what was exported from a project and comes back as it was.
        exclusive: whether another import of the same kind and name, with other content, is refused.
        texts: by prompt id the text of a prompt that may be known only by a name so far: (name, text). Undoing leaves it.
    """

    kind: str
    name: str
    sha256: str
    prompts: Sequence[Prompt] = ()
    images: Sequence[Image] = ()
    items: Sequence[Item] = ()
    raters: Sequence[Rater] = ()
    scales: Sequence[tuple[str, str, str]] = ()
    annotations: Sequence[Annotation] = ()
    evidence: Sequence[Evidence] = ()
    questions: Mapping[str, Sequence[PromptQuestion]] = field(default_factory=dict)
    ratings: RatingBatch | None = None
    observed: ImportedRun | None = None
    cooccurrence: Cooccurrence | None = None
    returned: Reimport | None = None
    exclusive: bool = False
    texts: Mapping[str, tuple[str, str]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Imported:
    """What an import did: rows new to the project by table, and what was left as it stood and why."""

    import_id: int | None
    counts: dict[str, int] = field(default_factory=dict)
    refused: list[str] = field(default_factory=list)


def apply(store: Store, bundles: Sequence[ImportBundle]) -> list[Imported]:
    """Write bundles, all in one transaction; returns what became of each.

    A prompt that is there already keeps its text, and images made from another text are left out; a place that already
    has another file keeps it (``refused`` says so).

    Raises:
        ImportRefused: a scale, a rater's kind, an item or an exclusive source contradicts what is in the project, or
            answers are about a prompt that has another text there.
        ReimportRefused: what comes back contradicts what is there.
    """
    secret = store.secret
    return store.change(lambda connection: [_write_bundle(connection, bundle, secret) for bundle in bundles])


@dataclass(frozen=True, slots=True)
class StoredImport:
    """An import of a project.

    Attributes:
        kind, name: what was imported.
        counts: how many rows it brought, by table.
        created: when, UTC.
        undone: when it was undone; None while it stands.
    """

    import_id: int
    kind: str
    name: str
    counts: Mapping[str, int]
    created: datetime
    undone: datetime | None


def listed(store: Store) -> list[StoredImport]:
    """Return all imports, oldest first, those that were undone too."""
    with store.read() as cursor:
        query = "select import_id, kind, name, counts, created, undone from imports order by import_id"
        return rows.records(cursor, StoredImport, query, (), "counts")


def find_import(store: Store, kind: str, sha256: str) -> int | None:
    """The import of this kind that this source was, None if it was never imported or was undone."""
    record = store.query_first("select import_id from imports where kind = ? and sha256 = ? and undone is null", [kind, sha256])
    return record["import_id"] if record else None


def public_id(item_id: str, secret: str) -> str:
    """A name for an item that tells nothing about it."""
    return hashlib.blake2b(item_id.encode(), key=bytes.fromhex(secret), digest_size=12).hexdigest()


def _write_bundle(connection: Connection, bundle: ImportBundle, secret: str) -> Imported:
    known = rows.first(
        connection,
        "select import_id, sha256 from imports where kind = ? and name = ? and undone is null order by sha256 = ? desc",
        [bundle.kind, bundle.name, bundle.sha256],
    )
    if known and known["sha256"] == bundle.sha256:
        return Imported(known["import_id"])
    if known and bundle.exclusive:
        raise ImportRefused(
            f"{bundle.kind} '{bundle.name}' was already imported from another file (import {known['import_id']}); "
            f"undo that first: import undo {known['import_id']}"
        )
    import_id = rows.sequence(connection, "import_ids", 1)[0]
    refused: list[str] = []
    for prompt_id, (name, text) in bundle.texts.items():
        connection.execute("update prompts set text = ? where prompt_id = ? and text = ?", [text, prompt_id, name])
    new_prompts, other_texts = _insert_prompts(connection, bundle.prompts, import_id, refused)
    if other_texts and (bundle.annotations or bundle.evidence or bundle.ratings or bundle.returned):
        raise ImportRefused(f"answers are about other texts than the project's ({len(refused)} in all): {refused[0]}")
    # a picture made from another text must not be judged by this one
    images = [image for image in bundle.images if image.prompt_id not in other_texts]
    items = [item for item in bundle.items if item.prompt_id not in other_texts]
    counts = {
        "prompts": new_prompts,
        "images": _insert_images(connection, images, import_id, refused),
        "items": _insert_items(connection, items, import_id, secret),
        "raters": insert_raters(connection, bundle.raters, import_id),
        "questions": library.insert_questions(
            connection, {name: questions for name, questions in bundle.questions.items() if name not in other_texts}, import_id
        ),
        "annotations": insert_annotations(connection, bundle.annotations, import_id),
        "evidence": insert_evidence(
            connection, bundle.evidence, import_id, None if bundle.observed is None else bundle.observed.run.run_id
        ),
    }
    if bundle.observed is not None:
        # a run that came whole, as its one part
        observed, run = bundle.observed, bundle.observed.run
        insert_run(connection, run, observed.rater_id, observed.folder, "done", len(observed.seen), import_id)
        rows.add(connection, "run_parts", run_id=run.run_id, part=0)
        scorer_evidence.insert_detections(connection, run.run_id, 0, observed.seen)
    if bundle.ratings is not None:
        counts["evidence" if bundle.ratings.by_scorer else "annotations"] += insert_batch(connection, bundle.ratings, import_id)
    if bundle.cooccurrence is not None:
        counts["cooccurrences"] = library.insert_cooccurrence(connection, bundle.cooccurrence, import_id)
    if bundle.returned is not None:
        returned = insert_reimport(connection, bundle.returned, import_id)
        counts |= {name: counts.get(name, 0) + n for name, n in returned.items()}
    insert_scales(connection, bundle.scales, import_id)
    browse_index.mark_import(connection, import_id, (image.image_id for image in images))
    if not any(counts.values()):
        return Imported(None, counts, refused)
    insert_import(connection, import_id, bundle.kind, bundle.name, bundle.sha256, counts)
    return Imported(import_id, counts, refused)


def _insert_prompts(
    connection: Connection, prompts: Sequence[Prompt], import_id: int, refused: list[str]
) -> tuple[int, set[str]]:
    """How many are new, and which have another text in the project."""
    other_texts: set[str] = set()
    known = rows.existing(connection, "prompts", "prompt_id", ["text"], [prompt.prompt_id for prompt in prompts])
    new: dict[str, Prompt] = {}
    for prompt in prompts:
        stored = known.get(prompt.prompt_id)
        # published files differ in spaces, quotes and the bytes of letters
        if stored and fold_spelling(stored["text"]) != fold_spelling(prompt.text):
            refused.append(f"{prompt.prompt_id}: its text is {stored['text']!r} already, not {prompt.text!r}")
            other_texts.add(prompt.prompt_id)
        elif not stored:
            new[prompt.prompt_id] = prompt
    rows.insert(
        connection,
        "prompts",
        (
            {"prompt_id": p.prompt_id, "suite": p.suite, "task": p.task, "text": p.text, "spec": rows.to_json(p.spec)}
            | {"import_id": import_id}
            for p in new.values()
        ),
    )
    browse_index.insert_parts(connection, ((prompt_id, prompt.spec) for prompt_id, prompt in new.items()))
    return len(new), other_texts


def _insert_images(connection: Connection, images: Sequence[Image], import_id: int, refused: list[str]) -> int:
    known = rows.existing(connection, "images", "image_id", ["sha256", "path"], [image.image_id for image in images])
    new: dict[str, dict[str, Any]] = {}
    filled = 0
    for image in images:
        path = str(image.path) if image.path else None
        stored = known.get(image.image_id)
        if stored is None and image.image_id not in new:
            new[image.image_id] = {
                "image_id": image.image_id, "prompt_id": image.prompt_id, "generator": image.generator, "idx": image.index,
                "path": path, "sha256": image.sha256, "width": image.width, "height": image.height,
                "import_id": import_id, "file_import_id": import_id if path else None, "blanked": image.blanked,
            }  # fmt: skip
        elif stored and image.sha256 and stored["sha256"] in (None, image.sha256):
            # a place that had no file gets one; a file that moved is found again
            if (stored["sha256"], stored["path"]) != (image.sha256, path):
                brought = import_id if stored["sha256"] is None else None
                connection.execute(
                    "update images set path = ?, sha256 = ?, width = ?, height = ?,"
                    " file_import_id = coalesce(?, file_import_id), blanked = coalesce(?, blanked) where image_id = ?",
                    [path, image.sha256, image.width, image.height, brought, image.blanked, image.image_id],
                )
                filled += 1
        elif image.sha256:
            refused.append(f"{image.path}: {image.image_id} has another file already")
    rows.insert(connection, "images", new.values())
    return len(new) + filled


def insert_items(connection: Connection, items: Iterable[Item], secret: str, import_id: int | None = None) -> None:
    """Items that are not there yet."""
    rows.insert(
        connection,
        "items",
        (
            {"item_id": i.item_id, "kind": i.kind, "suite": i.suite, "prompt_id": i.prompt_id, "task": i.task}
            | {"generator": i.generator, "public_id": public_id(i.item_id, secret), "import_id": import_id}
            for i in items
        ),
    )


def _insert_items(connection: Connection, items: Sequence[Item], import_id: int, secret: str) -> int:
    described = ("suite", "prompt_id", "task", "generator")
    known = rows.existing(connection, "items", "item_id", described, [item.item_id for item in items])
    for item in items:
        # the same name for two different things would mix up what was said of them
        stored = known.get(item.item_id, {})
        for name, before in stored.items():
            now = getattr(item, name)
            if now != before and None not in (now, before):
                raise ImportRefused(
                    f"item '{item.item_id}' has {name} '{before}' in this project already, not '{now}'; "
                    "if it is the same item, correct the file; otherwise give it another name"
                )
    new = {item.item_id: item for item in items if item.item_id not in known}
    insert_items(connection, new.values(), secret, import_id)
    item_ids = list(dict.fromkeys(item.item_id for item in items))
    query = (
        "select image_id from images where image_id in (select unnest(?::varchar[]))"
        " and image_id not in (select item_id from item_members) order by image_id"
    )
    shown = {image_id: [image_id] for image_id in rows.column(connection, query, [item_ids])}
    insert_members(connection, shown, import_id)
    return len(new)


def insert_raters(connection: Connection, raters: Sequence[Rater], import_id: int | None) -> int:
    known = rows.existing(connection, "raters", "rater_id", ["kind", "identity", "simulated"], [r.rater_id for r in raters])
    new: dict[str, Rater] = {}
    for rater in raters:
        stored = known.get(rater.rater_id)
        described = (rater.kind, rater.identity, rater.simulated)
        if stored and (stored["kind"], stored["identity"], stored["simulated"]) != described:
            identity = stored["identity"] or stored["kind"]
            raise ImportRefused(
                f"the name '{rater.rater_id}' belongs to a {identity} in this project already; choose another name"
            )
        if not stored:
            new[rater.rater_id] = rater
    erased.refuse(connection, (rater.rater_id for rater in new.values() if rater.kind == "human"))
    rows.insert(
        connection, "raters", (asdict(r) | {"settings": rows.to_json(r.settings), "import_id": import_id} for r in new.values())
    )
    return len(new)


def insert_scales(connection: Connection, scales: Sequence[tuple[str, str, str]], import_id: int | None) -> None:
    """Scales as (suite, aspect, scale), those that are new.

    Raises:
        ImportRefused: the suite judges the aspect on another.
    """
    for suite, aspect, scale in sorted(set(scales)):
        stored = rows.first(connection, "select scale from scales where suite = ? and aspect = ?", [suite, aspect])
        if stored and stored["scale"] != scale:
            raise ImportRefused(
                f"suite '{suite}' judges '{aspect}' on the scale {stored['scale']}, the import on {scale}: "
                "one aspect has one scale; give the import another --suite or --aspect"
            )
        if not stored:
            rows.add(connection, "scales", suite=suite, aspect=aspect, scale=scale, import_id=import_id)


@transaction()
def undo(connection: Connection, import_id: int) -> dict[str, int]:
    """Take an import's rows back; returns how many of each table.

    Raises:
        ImportRefused: there is no such import, it is undone already, or people have answered on what it brought.
    """
    record = rows.first(connection, "select undone from imports where import_id = ?", [import_id])
    if record is None:
        raise ImportRefused(f"there is no import {import_id}; import undo without a number lists them")
    if record["undone"] is not None:
        raise ImportRefused(f"import {import_id} has been undone already")
    if (used := why_needed(connection, import_id)) is not None:
        raise ImportRefused(used)
    if (answered := library.answers_since_import(connection, import_id)) is not None:
        raise ImportRefused(
            f"{answered} what import {import_id} asks; undoing it would remove the questions behind these answers"
        )
    connection.execute("update imports set undone = current_timestamp where import_id = ?", [import_id])
    browse_index.mark_undone(connection, import_id)
    connection.execute(
        "delete from judgements where source_id in (select annotation_id from annotations where import_id = $1"
        " union all select evidence_id from evidence where import_id = $1)",
        [import_id],
    )
    counts: dict[str, int] = {}
    connection.execute(
        "update images set path = null, sha256 = null, width = null, height = null, blanked = null, file_import_id = null"
        " where file_import_id = ?",
        [import_id],
    )
    # groups and pairs that lack a picture now, and that nobody uses
    _delete(connection, "items", _INCOMPLETE, [])
    _delete(connection, "item_members", "import_id is null and item_id not in (select item_id from items)", [])
    for table in ("annotations", "evidence", "questions"):
        counts[table] = _delete(connection, table, "import_id = ?", [import_id])
    if counts["annotations"]:
        recount(connection)
    for table in ("run_parts", "detections"):
        _delete(connection, table, "run_id in (select run_id from runs where import_id = ?)", [import_id])
    counts["runs"] = _delete(connection, "runs", "import_id = ?", [import_id])
    counts["cooccurrences"] = library.delete_cooccurrence(connection, import_id)
    # what an import undone before had to leave for this one's sake goes too
    undone = "import_id in (select import_id from imports where undone is not null)"
    for table, still_needed in _NEEDED_BY_OTHERS.items():
        counts[table] = _delete(connection, table, f"{undone} and not exists ({still_needed})", [])
    browse_index.mark_deleted(connection)
    return counts


_INCOMPLETE = (
    "kind <> 'image' and import_id is null and item_id not in (select item_id from annotations)"
    " and item_id not in (select item_id from campaign_items) and item_id in (select m.item_id from item_members m"
    " left join images i using (image_id) where i.sha256 is null)"
)
# In this order: what a later import or a visitor also uses stays.
_NEEDED_BY_OTHERS = {
    "campaigns": "select 1 from annotations a where a.campaign_id = campaigns.campaign_id"
    " union all select 1 from campaign_items c where c.campaign_id = campaigns.campaign_id",
    "raters": "select 1 from annotations a where a.rater_id = raters.rater_id"
    " union all select 1 from evidence e where e.rater_id = raters.rater_id"
    " union all select 1 from runs where runs.rater_id = raters.rater_id",
    "items": "select 1 from annotations a where a.item_id = items.item_id"
    " union all select 1 from evidence e where e.item_id = items.item_id"
    " union all select 1 from images i where i.image_id = items.item_id and i.sha256 is not null",
    "item_members": "select 1 from items t where t.item_id = item_members.item_id",
    "images": "select 1 from item_members m where m.image_id = images.image_id",
    "prompts": "select 1 from images i where i.prompt_id = prompts.prompt_id"
    " union all select 1 from items t where t.prompt_id = prompts.prompt_id"
    " union all select 1 from questions q where q.prompt_id = prompts.prompt_id",
    "scales": "select 1 from judgements j join items t using (item_id)"
    " where t.suite = scales.suite and j.aspect = scales.aspect",
}


def _delete(connection: Connection, table: str, where: str, parameters: list[Any]) -> int:
    return int(rows.value(connection, f"delete from {table} where {where}", parameters))


def known_items(store: Store, suite: str | None = None) -> list[KnownItem]:
    """All items of a suite (None: of all suites), by id."""
    return store.query_records(
        KnownItem,
        "select t.item_id, t.suite, i.image_id is not null as is_image, i.path, i.sha256, t.prompt_id, p.text,"
        ' coalesce(i.generator, t.generator) as generator, i.idx as "index" from items t'
        " left join images i on i.image_id = t.item_id left join prompts p on p.prompt_id = t.prompt_id"
        " where ?::varchar is null or t.suite = ? order by t.item_id",
        [suite, suite],
    )


def known_labels(store: Store, suite: str, aspect: str) -> list[str]:
    """The labels that an aspect has in a suite."""
    return store.query_column(
        "select distinct j.label from judgements j join items t using (item_id)"
        " where t.suite = ? and j.aspect = ? and j.label is not null order by j.label",
        [suite, aspect],
    )


def known_aspects(store: Store, suite: str) -> list[str]:
    """Return the aspects that a suite has a scale of, in the order in which they came."""
    return store.query_column("select aspect from scales where suite = ? order by rowid", [suite])


def known_raters(store: Store, kind: str) -> list[str]:
    """The raters of a kind, imitations of people aside."""
    return store.query_column("select rater_id from raters where kind = ? and not simulated order by rater_id", [kind])
