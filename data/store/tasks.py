"""What a person has before them: an item's pictures, its prompt, and a name that tells nothing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import duckdb

from data.store import rows
from data.store.memory import Memory
from data.store.places import marks
from data.store.store import Store


@dataclass(frozen=True, slots=True)
class Picture:
    """An image of an item: whose it is, the hash of its file, and its size in pixels."""

    image_id: str
    generator: str
    sha256: str
    width: int
    height: int


@dataclass(frozen=True, slots=True)
class Task:
    """What one person is to judge next; ``public_id`` is all that their browser learns of it.

    Attributes:
        kind: ``image``, ``group`` or ``pair``.
        prompt_id: of all its images.
        pictures: the images, in the stored order.
    """

    item_id: str
    public_id: str
    suite: str
    text: str
    spec: dict[str, Any]
    kind: str
    prompt_id: str
    pictures: tuple[Picture, ...]


def task(store: Store, public_id: str) -> Task | None:
    """The task behind a public id, None if there is none, or if a picture of it has no file."""
    return store.memory.keep(("ticket", public_id), lambda: _read(store, public_id))


def _read(store: Store, public_id: str) -> Task | None:
    with store.read() as cursor:
        found = rows.one(cursor, "select item_id from items where public_id = ?", [public_id])
        return tasks(cursor, [found["item_id"]]).get(found["item_id"]) if found else None


def known_tasks(cursor: duckdb.DuckDBPyConnection, item_ids: Sequence[str], memory: Memory) -> dict[str, Task]:
    """As ``tasks``, read only where they are not in memory; whoever answers about one finds it there, too."""
    since = memory.state
    known: dict[str, Task] = {one: task for one in item_ids if (task := memory.get(("task", one))) is not None}
    read = tasks(cursor, [one for one in item_ids if one not in known])
    for item_id, task in read.items():
        memory.put(("task", item_id), task, since)
        memory.put(("ticket", task.public_id), task, since)
    return known | read


def tasks(cursor: duckdb.DuckDBPyConnection, item_ids: Sequence[str]) -> dict[str, Task]:
    """The tasks of those of these items that can be shown."""
    if not item_ids:
        return {}
    # one table after the other, each by its index: a join would read all of every table
    items = rows.dicts(
        cursor, f"select item_id, public_id, suite, kind from items where item_id in {marks(item_ids)}", item_ids
    )
    images = _images(cursor, items)
    # ratings may have named an item before its image came
    prompt_ids = sorted({row["prompt_id"] for item in images.values() for row in item})
    prompts = {row["prompt_id"]: rows.decoded(row, "spec") for row in _among(cursor, _PROMPTS, prompt_ids)}
    return {
        row["item_id"]: _task(row, images[row["item_id"]], prompts[images[row["item_id"]][0]["prompt_id"]])
        for row in items
        if images[row["item_id"]]
    }


_PROMPTS = "select prompt_id, text, spec from prompts where prompt_id in"
_MEMBERS = "select item_id, image_id, position from item_members where item_id in"
_FILES = "select image_id, generator, sha256, width, height, prompt_id from images where sha256 is not null and image_id in"


def _among(cursor: duckdb.DuckDBPyConnection, query: str, ids: Sequence[str]) -> list[dict[str, Any]]:
    return rows.dicts(cursor, f"{query} {marks(ids)}", ids) if ids else []


def _images(cursor: duckdb.DuckDBPyConnection, items: Sequence[dict[str, Any]]) -> dict[str, list[dict[str, Any]]]:
    """The images of items, in their order; none where one of them has no file."""
    members: dict[str, list[str]] = {row["item_id"]: [row["item_id"]] if row["kind"] == "image" else [] for row in items}
    several = [row["item_id"] for row in items if row["kind"] != "image"]
    for row in sorted(_among(cursor, _MEMBERS, several), key=lambda row: int(row["position"])):
        members[row["item_id"]].append(row["image_id"])
    files = {row["image_id"]: row for row in _among(cursor, _FILES, [one for ids in members.values() for one in ids])}
    return {
        item_id: [files[one] for one in ids] if all(one in files for one in ids) else [] for item_id, ids in members.items()
    }


def _task(row: dict[str, Any], images: Sequence[dict[str, Any]], prompt: dict[str, Any]) -> Task:
    pictures = tuple(Picture(one["image_id"], one["generator"], one["sha256"], one["width"], one["height"]) for one in images)
    return Task(
        item_id=row["item_id"],
        public_id=row["public_id"],
        suite=row["suite"],
        text=prompt["text"],
        spec=prompt["spec"],
        kind=row["kind"],
        prompt_id=images[0]["prompt_id"],
        pictures=pictures,
    )
