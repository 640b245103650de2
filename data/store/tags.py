"""Tags of items: an append-only log of who put which tag on what, and took it off again, and what follows from it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

import duckdb

from data.store import rows
from data.store.erased import refuse
from data.store.store import Store, run


class TagRefused(ValueError):
    """Nothing was tagged; the message says why."""


@dataclass(frozen=True, slots=True)
class Tagging:
    """One act: a tag put on items (or taken off). ``tagging_id`` is the client's: sent twice it is one act."""

    tagging_id: str
    items: tuple[str, ...]
    tag: str
    on: bool
    made_by: str


@dataclass(frozen=True, slots=True)
class Tag:
    """A tag and how many items have it."""

    name: str
    n: int


def tag(store: Store, tagging: Tagging, *, now: datetime | None = None) -> bool:
    """Remember who tags what; False if it had been sent before.

    Raises:
        TagRefused: the project does not have one of the items.
        Erased: the person has been erased from the project.
    """
    new: bool = store.write(_tag, (tagging, now or datetime.now(UTC)))
    return new


def listed(store: Store) -> list[Tag]:
    """All tags that some item has, the most frequent first."""
    with store.read() as cursor:
        found = cursor.execute("select tag, count(*) as n from tagged group by tag order by n desc, tag").fetchall()
    return [Tag(name, n) for name, n in found]


def names(store: Store) -> list[str]:
    """The names of all tags."""
    return sorted(one.name for one in listed(store))


def of(store: Store, item_ids: Sequence[str]) -> dict[str, list[str]]:
    """By item its tags, in the alphabet's order; items without any are left out."""
    found: dict[str, list[str]] = {}
    with store.read() as cursor:
        for item_id, name in cursor.execute(
            "select item_id, tag from tagged where item_id in (select unnest(?::varchar[])) order by item_id, tag",
            [list(item_ids)],
        ).fetchall():
            found.setdefault(item_id, []).append(name)
    return found


def _tag_one(connection: duckdb.DuckDBPyConnection, payload: tuple[Tagging, datetime]) -> bool:
    tagging, now = payload
    if rows.one(connection, "select 1 from taggings where tagging_id = ? limit 1", [tagging.tagging_id]):
        return False
    refuse(connection, [tagging.made_by])
    items = list(dict.fromkeys(tagging.items))
    known = rows.existing(connection, "items", "item_id", [], items)
    unknown = [item_id for item_id in items if item_id not in known]
    if unknown:
        raise TagRefused(f"there is no item {unknown[0]!r} in this project, so nothing was tagged")
    rows.insert(
        connection,
        "taggings",
        ("tagging_id", "item_id", "tag", "tagged", "made_by", "moment"),
        [(tagging.tagging_id, item_id, tagging.tag, tagging.on, tagging.made_by, now) for item_id in items],
    )
    return True


_tag = run(_tag_one)
