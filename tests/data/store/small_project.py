"""Small projects made by hand, and whole tables to compare."""

from __future__ import annotations

import uuid
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from data.records import Annotation, Image, Item, Judgement, Prompt
from data.store import imports
from data.store.core.store import Store
from data.store.imports import ImportBundle
from data.store.judgements import recording
from data.store.judgements.recording import SavedAnswer

SPEC = {"tag": "counting", "include": [{"class": "cat", "count": 2}], "prompt": "two cats"}
PROMPT = Prompt("geneval/00000", "geneval", "two cats", "counting", SPEC)
CONTENT = (
    "prompts", "questions", "images", "items", "item_members", "raters", "scales", "campaigns", "skips", "annotations",
    "evidence", "judgements", "cooccurrence", "cooccurrence_files",
)  # fmt: skip


def picture(n: int, generator: str = "g1", file: bool = True) -> Image:
    """The n-th image of the prompt."""
    at = (Path(f"/nowhere/{generator}-{n}.png"), f"{n:032x}{hash(generator) & 0xFFFF:032x}", 8, 8) if file else ()
    return Image(PROMPT.prompt_id, generator, n, *at)


def items_of(images: Iterable[Image]) -> list[Item]:
    return [Item(i.image_id, "geneval", PROMPT.prompt_id, "counting", i.generator) for i in images]


def pictures(n: int, generator: str = "g1") -> ImportBundle:
    """An import of n images with files."""
    images = [picture(k, generator) for k in range(n)]
    return ImportBundle("images", generator, f"{generator}-{n}", [PROMPT], images, items_of(images))


def fill(store: Store, n: int = 3) -> list[str]:
    """Import n images; returns the ids of their items."""
    bundle = pictures(n)
    imports.apply(store, [bundle])
    return [item.item_id for item in bundle.items]


def answer(item_id: str, who: str = "ann", label: str | None = "yes", **other: Any) -> Annotation:
    """An answer that judges `correct`; label None: cannot tell."""
    answers = {"aspect": "correct", "target": None, "label": label or "cannot_tell", "value": None}
    value = None if label is None else float(label == "yes")
    if label is not None:
        answers["value"] = value  # type: ignore[assignment]
    judgement = Judgement("correct", label, value, None, None if label else "cannot_tell")
    values: dict[str, Any] = {
        "annotation_id": str(uuid.uuid4()), "item_id": item_id, "rater_id": who, "questionnaire": "direct", "answers": answers,
        "judgements": (judgement,), "rule_version": "direct-1", "campaign_id": "default",
    }  # fmt: skip
    return Annotation(**(values | other))


def submit(store: Store, *args: Any, **other: Any) -> SavedAnswer:
    return recording.submit(store, answer(*args, **other))


def table(store: Store, name: str) -> list[tuple[Any, ...]]:
    """All rows, in an order of their own."""
    with store.read() as cursor:
        return sorted(cursor.execute(f"select * from {name}").fetchall(), key=repr)


def content(store: Store) -> dict[str, list[tuple[Any, ...]]]:
    """All that a project holds, but for the memory of its imports."""
    return {name: table(store, name) for name in CONTENT}


def column(store: Store, sql: str) -> list[Any]:
    """The first column of a query."""
    with store.read() as cursor:
        return [row[0] for row in cursor.execute(sql).fetchall()]
