"""Imports: all or nothing, remembered, and reversible."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import duckdb

from data.formats.cooccurrence import Cooccurrence
from data.prompts.questions import PromptQuestion
from data.records import Annotation, Evidence, Image, Item, Prompt, Rater
from data.store import cooccurrence, erased, parts, questions, rows, using, wide
from data.store.observed import Observed, insert_observed
from data.store.places import recount
from data.store.returned import Returned, insert
from data.store.statements import insert_annotations, insert_evidence
from data.store.store import Store, run


class ImportRefused(ValueError):
    """Nothing was written; the message says why and what to do."""


@dataclass(frozen=True, slots=True)
class Bundle:
    """All that one import brings.

    Attributes:
        kind: what was imported (``"study geneval"``). ``name`` tells apart imports of one kind (``"sdv2"``).
        sha256: of the source; the same source twice is the same import.
        questions: by prompt id all its questions from now on, in their order.
        observed: where the evidence comes from, if it is more than ratings.
        returned: what was exported from a project and comes back as it was.
        exclusive: whether another import of the same kind and name, with other content, is refused.
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
    observed: Observed | None = None
    cooccurrence: Cooccurrence | None = None
    returned: Returned | None = None
    exclusive: bool = False


@dataclass(frozen=True, slots=True)
class Imported:
    """What an import did: rows new to the project by table, and what was left as it stood and why."""

    import_id: int | None
    counts: dict[str, int] = field(default_factory=dict)
    refused: list[str] = field(default_factory=list)


def apply(store: Store, bundles: Sequence[Bundle]) -> list[Imported]:
    """Write bundles, all in one transaction; returns what became of each.

    A prompt that is there already keeps its text, and images made from another text are left out; a place that already
    has another file keeps it (``refused`` says so).

    Raises:
        ImportRefused: a scale, a rater's kind, an item or an exclusive source contradicts what is in the project, or
            answers are about a prompt that has another text there.
        ReturnRefused: what comes back contradicts what is there.
    """
    imported: list[Imported] = store.write(_apply, (bundles, store.secret))
    return imported


def undo(store: Store, import_id: int) -> dict[str, int]:
    """Take an import's rows back; returns how many of each table.

    Raises:
        ImportRefused: there is no such import, it is undone already, or people have answered on what it brought.
    """
    counts: dict[str, int] = store.write(_undo, import_id)
    return counts


def listed(store: Store) -> list[dict[str, Any]]:
    """All imports, oldest first."""
    with store.read() as cursor:
        found = rows.dicts(cursor, "select import_id, kind, name, counts, created, undone from imports order by import_id")
    return [rows.decoded(row, "counts") for row in found]


def known(store: Store, kind: str, sha256: str) -> int | None:
    """The import of this kind that this source was, None if it was never imported or was undone."""
    with store.read() as cursor:
        found = rows.one(
            cursor, "select import_id from imports where kind = ? and sha256 = ? and undone is null", [kind, sha256]
        )
    return found["import_id"] if found else None


def public_id(item_id: str, secret: str) -> str:
    """A name for an item that tells nothing about it."""
    return hashlib.blake2b(item_id.encode(), key=bytes.fromhex(secret), digest_size=12).hexdigest()


def _apply_all(connection: duckdb.DuckDBPyConnection, payload: tuple[Sequence[Bundle], str]) -> list[Imported]:
    bundles, secret = payload
    return [_apply_one(connection, bundle, secret) for bundle in bundles]


def _apply_one(connection: duckdb.DuckDBPyConnection, bundle: Bundle, secret: str) -> Imported:
    known = rows.one(
        connection,
        "select import_id, sha256 from imports where kind = ? and name = ? and undone is null order by sha256 = ? desc",
        [bundle.kind, bundle.name, bundle.sha256],
    )
    if known and known["sha256"] == bundle.sha256:
        return Imported(known["import_id"])
    if known and bundle.exclusive:
        raise ImportRefused(
            f"{bundle.kind} '{bundle.name}' is in the project already, from another file (import {known['import_id']}); "
            f"take it back first: import undo {known['import_id']}"
        )
    import_id = rows.sequence(connection, "import_ids", 1)[0]
    refused: list[str] = []
    new_prompts, other_texts = _insert_prompts(connection, bundle.prompts, import_id, refused)
    if other_texts and (bundle.annotations or bundle.evidence or bundle.returned):
        raise ImportRefused(f"answers are about other texts than the project's ({len(refused)} in all): {refused[0]}")
    # a picture made from another text must not be judged by this one
    images = [image for image in bundle.images if image.prompt_id not in other_texts]
    items = [item for item in bundle.items if item.prompt_id not in other_texts]
    counts = {
        "prompts": new_prompts,
        "images": _insert_images(connection, images, import_id, refused),
        "items": _insert_items(connection, items, import_id, secret),
        "raters": insert_raters(connection, bundle.raters, import_id),
        "questions": questions.insert(
            connection, {name: asked for name, asked in bundle.questions.items() if name not in other_texts}, import_id
        ),
        "annotations": insert_annotations(connection, bundle.annotations, import_id),
        "evidence": insert_evidence(
            connection, bundle.evidence, import_id, None if bundle.observed is None else bundle.observed.run.run_id
        ),
    }
    if bundle.observed is not None:
        insert_observed(connection, bundle.observed, import_id)
    if bundle.cooccurrence is not None:
        counts["cooccurrences"] = cooccurrence.insert(connection, bundle.cooccurrence, import_id)
    if bundle.returned is not None:
        returned = insert(connection, bundle.returned, import_id)
        counts |= {name: counts.get(name, 0) + n for name, n in returned.items()}
    insert_scales(connection, bundle.scales, import_id)
    wide.mark_import(connection, import_id, (image.image_id for image in images))
    if not any(counts.values()):
        return Imported(None, counts, refused)
    rows.insert(
        connection,
        "imports",
        ("import_id", "kind", "name", "sha256", "counts"),
        [(import_id, bundle.kind, bundle.name, bundle.sha256, rows.to_json(counts))],
    )
    return Imported(import_id, counts, refused)


def _insert_prompts(
    connection: duckdb.DuckDBPyConnection, prompts: Sequence[Prompt], import_id: int, refused: list[str]
) -> tuple[int, set[str]]:
    """How many are new, and which have another text in the project."""
    other_texts: set[str] = set()
    known = rows.existing(connection, "prompts", "prompt_id", ["text"], [prompt.prompt_id for prompt in prompts])
    new: dict[str, tuple[Any, ...]] = {}
    for prompt in prompts:
        stored = known.get(prompt.prompt_id)
        # published files differ in the white space at a text's end
        if stored and stored["text"].strip() != prompt.text.strip():
            refused.append(f"{prompt.prompt_id}: its text is {stored['text']!r} already, not {prompt.text!r}")
            other_texts.add(prompt.prompt_id)
        elif not stored:
            named = (prompt.prompt_id, prompt.suite, prompt.task, prompt.text)
            new[prompt.prompt_id] = (*named, rows.to_json(prompt.spec), import_id)
    rows.insert(connection, "prompts", ("prompt_id", "suite", "task", "text", "spec", "import_id"), new.values())
    parts.insert(connection, {prompt.prompt_id: prompt.spec for prompt in prompts if prompt.prompt_id in new}.items())
    return len(new), other_texts


def _insert_images(connection: duckdb.DuckDBPyConnection, images: Sequence[Image], import_id: int, refused: list[str]) -> int:
    known = rows.existing(connection, "images", "image_id", ["sha256", "path"], [image.image_id for image in images])
    new: dict[str, tuple[Any, ...]] = {}
    filled = 0
    for image in images:
        path = str(image.path) if image.path else None
        stored = known.get(image.image_id)
        if stored is None and image.image_id not in new:
            where = (image.prompt_id, image.generator, image.index)
            file = (path, image.sha256, image.width, image.height)
            new[image.image_id] = (image.image_id, *where, *file, import_id, import_id if path else None, image.blanked)
        elif stored and image.sha256 and stored["sha256"] in (None, image.sha256):
            # a place that had no file gets one; a file that moved is found again
            if (stored["sha256"], stored["path"]) != (image.sha256, path):
                _fill(connection, image, import_id if stored["sha256"] is None else None)
                filled += 1
        elif image.sha256:
            refused.append(f"{image.path}: {image.image_id} has another file already")
    place = ("image_id", "prompt_id", "generator", "idx")
    columns = (*place, "path", "sha256", "width", "height", "import_id", "file_import_id", "blanked")
    rows.insert(connection, "images", columns, new.values())
    return len(new) + filled


def _fill(connection: duckdb.DuckDBPyConnection, image: Image, import_id: int | None) -> None:
    connection.execute(
        "update images set path = ?, sha256 = ?, width = ?, height = ?, file_import_id = coalesce(?, file_import_id),"
        " blanked = coalesce(?, blanked) where image_id = ?",
        [str(image.path), image.sha256, image.width, image.height, import_id, image.blanked, image.image_id],
    )


def _insert_items(connection: duckdb.DuckDBPyConnection, items: Sequence[Item], import_id: int, secret: str) -> int:
    described = ("suite", "prompt_id", "task", "generator")
    known = rows.existing(connection, "items", "item_id", described, [item.item_id for item in items])
    for item in items:
        _refuse_another(item, known.get(item.item_id, {}))
    new = {item.item_id: item for item in items if item.item_id not in known}
    rows.insert(
        connection,
        "items",
        ("item_id", "kind", "suite", "prompt_id", "task", "generator", "public_id", "import_id"),
        [
            (i.item_id, i.kind, i.suite, i.prompt_id, i.task, i.generator, public_id(i.item_id, secret), import_id)
            for i in new.values()
        ],
    )
    item_ids = list(dict.fromkeys(item.item_id for item in items))
    pictured = rows.existing(connection, "images", "image_id", [], item_ids)
    joined = rows.existing(connection, "item_members", "item_id", [], item_ids)
    members = [(item_id, item_id, 0, import_id) for item_id in item_ids if item_id in pictured and item_id not in joined]
    rows.insert(connection, "item_members", ("item_id", "image_id", "position", "import_id"), members)
    return len(new)


def _refuse_another(item: Item, stored: Mapping[str, Any]) -> None:
    """The same name for two different things would mix up what was said of them."""
    for name, before in stored.items():
        now = getattr(item, name)
        if now != before and None not in (now, before):
            raise ImportRefused(
                f"item '{item.item_id}' has {name} '{before}' in this project already, not '{now}'; "
                "if it is the same item, say so, else give it another name"
            )


def insert_raters(connection: duckdb.DuckDBPyConnection, raters: Sequence[Rater], import_id: int | None) -> int:
    known = rows.existing(connection, "raters", "rater_id", ["kind", "identity", "simulated"], [r.rater_id for r in raters])
    new: dict[str, Rater] = {}
    for rater in raters:
        stored = known.get(rater.rater_id)
        if stored and (stored["kind"], stored["identity"], stored["simulated"]) != (
            rater.kind,
            rater.identity,
            rater.simulated,
        ):
            what = stored["identity"] or stored["kind"]
            raise ImportRefused(f"the name '{rater.rater_id}' belongs to a {what} in this project already; choose another name")
        if not stored:
            new[rater.rater_id] = rater
    erased.refuse(connection, (rater.rater_id for rater in new.values() if rater.kind == "human"))
    rows.insert(
        connection,
        "raters",
        ("rater_id", "kind", "identity", "version", "settings", "simulated", "import_id"),
        [(r.rater_id, r.kind, r.identity, r.version, rows.to_json(r.settings), r.simulated, import_id) for r in new.values()],
    )
    return len(new)


def insert_scales(connection: duckdb.DuckDBPyConnection, scales: Sequence[tuple[str, str, str]], import_id: int | None) -> None:
    """Scales as (suite, aspect, scale), those that are new.

    Raises:
        ImportRefused: the suite judges the aspect on another.
    """
    for suite, aspect, scale in sorted(set(scales)):
        stored = rows.one(connection, "select scale from scales where suite = ? and aspect = ?", [suite, aspect])
        if stored and stored["scale"] != scale:
            raise ImportRefused(
                f"suite '{suite}' judges '{aspect}' on the scale {stored['scale']}, the import on {scale}: "
                "one aspect has one scale; give the import another --suite or --aspect"
            )
        if not stored:
            rows.insert(connection, "scales", ("suite", "aspect", "scale", "import_id"), [(suite, aspect, scale, import_id)])


def _undo_one(connection: duckdb.DuckDBPyConnection, import_id: int) -> dict[str, int]:
    found = rows.one(connection, "select undone from imports where import_id = ?", [import_id])
    if found is None:
        raise ImportRefused(f"there is no import {import_id}; import undo without a number lists them")
    if found["undone"] is not None:
        raise ImportRefused(f"import {import_id} has been undone already")
    if (used := using.reason(connection, import_id)) is not None:
        raise ImportRefused(used)
    if (answered := questions.answered(connection, import_id)) is not None:
        raise ImportRefused(f"{answered} what import {import_id} asks; undoing it would lose what was asked")
    connection.execute("update imports set undone = current_timestamp where import_id = ?", [import_id])
    wide.mark_undone(connection, import_id)
    connection.execute(
        "delete from judgements where source_id in (select annotation_id from annotations where import_id = ?"
        " union all select evidence_id from evidence where import_id = ?)",
        [import_id, import_id],
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
    counts["cooccurrences"] = cooccurrence.delete(connection, import_id)
    # what an import undone before had to leave for this one's sake goes too
    undone = "import_id in (select import_id from imports where undone is not null)"
    for table, still_needed in _NEEDED_BY_OTHERS.items():
        counts[table] = _delete(connection, table, f"{undone} and not exists ({still_needed})", [])
    wide.mark_gone(connection)
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


def _delete(connection: duckdb.DuckDBPyConnection, table: str, where: str, parameters: list[Any]) -> int:
    return int(rows.value(connection, f"delete from {table} where {where}", parameters))


_apply = run(_apply_all)
_undo = run(_undo_one)
