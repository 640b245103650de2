"""Bundles: all that an import brings, written all or nothing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from data.folding import fold_spelling
from data.formats.cooccurrence import Cooccurrence
from data.jobs.runs import Observation, Run
from data.prompts.questions import PromptQuestion
from data.records import Annotation, Evidence, Image, Item, Prompt, Rater
from data.store import browse_index, library
from data.store.core import rows
from data.store.core.connections import Connection
from data.store.core.store import Store
from data.store.imports.inserts import (
    ImportRefused,
    insert_import,
    insert_items,
    insert_members,
    insert_raters,
    insert_run,
    insert_scales,
)
from data.store.imports.reimport import Reimport, insert_reimport
from data.store.judgements import scorer_evidence
from data.store.judgements.rating_batch import RatingBatch, insert_batch
from data.store.judgements.recording import insert_annotations, insert_evidence


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
