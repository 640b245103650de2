"""Composition: which images a campaign is about, and items made of several images of one prompt (pairs and groups)."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import duckdb

from data.store.core import browse_index, rows
from data.store.core.campaign_items import placeholders
from data.store.core.selection import Selection, Where
from data.store.core.store import Store, per_payload
from data.store.imports import public_id

_ITEM = ("item_id", "kind", "suite", "prompt_id", "task", "generator", "public_id")


def images(store: Store, selection: Selection) -> list[str]:
    """The selected images that have a file, by id.

    Raises:
        ValueError: the selection asks for what was said of images, which would not choose by chance.
    """
    condition, parameters = _condition(selection)
    with store.read() as cursor:
        found = cursor.execute(f"{_IMAGES.format(where=condition)} order by t.item_id", parameters).fetchall()
    return [row[0] for row in found]


def groups(store: Store, selection: Selection, only: Collection[str] | None = None) -> list[str]:
    """Items of the selected images of one prompt, two or more, made where they are not there yet; by prompt.

    Of several generators those with the same index stand together, as TIFA shows one of each; of a single one all do. The
    images stand in an order that mixes the generators: the same whenever the same images make a group. ``only``: none but
    these, by id.
    """
    made: list[str] = store.write(_groups, (selection, only, store.secret))
    return made


def pairs(store: Store, selection: Selection, first: str, second: str, only: Collection[str] | None = None) -> list[str]:
    """Items of two generators' images of one prompt with the same index, made where they are not there yet; by prompt.

    ``only``: none but these, by id.
    """
    _check_two(first, second)
    made: list[str] = store.write(_pairs, (selection, first, second, only, store.secret))
    return made


@dataclass(frozen=True, slots=True)
class Composed:
    """An item that can be made: its id, and its images, in its order."""

    item_id: str
    images: tuple[str, ...]


def possible_groups(store: Store, selection: Selection) -> list[Composed]:
    """What ``groups`` would make; nothing is written."""
    with store.read() as cursor:
        return _composed(_grouped(cursor, selection))


def possible_pairs(store: Store, selection: Selection, first: str, second: str) -> list[Composed]:
    """What ``pairs`` would make; nothing is written."""
    _check_two(first, second)
    with store.read() as cursor:
        return _composed(_paired(cursor, selection, first, second))


def _check_two(first: str, second: str) -> None:
    if first == second:
        raise ValueError(f"a pair is of two generators, got {first!r} twice")


def _composed(made: Mapping[str, Sequence[Mapping[str, Any]]]) -> list[Composed]:
    return [Composed(item_id, tuple(row["item_id"] for row in members)) for item_id, members in made.items()]


_IMAGES = (
    "select t.item_id, i.prompt_id, i.generator, i.idx, p.suite, p.task"
    " from items t join images i on i.image_id = t.item_id join prompts p on p.prompt_id = i.prompt_id"
    " where i.sha256 is not null and t.kind = 'image' and {where}"
)


def _condition(selection: Selection) -> Where:
    other = sorted(set(selection.to_dict()) - {"suite", "task", "generator"})
    if other:
        raise ValueError(
            f"a campaign's items are chosen by suite, task and generator, not by --{other[0]}: what was said of them would"
            " choose along; list the items by hand instead, they are then marked as selected"
        )
    return selection.items()


Members = dict[str, list[dict[str, Any]]]
"""The images of items, by the items' ids."""


def _write_groups(connection: duckdb.DuckDBPyConnection, payload: tuple[Selection, Collection[str] | None, str]) -> list[str]:
    selection, only, secret = payload
    return _make(connection, "group", _only(_grouped(connection, selection), only), secret)


def _grouped(connection: duckdb.DuckDBPyConnection, selection: Selection) -> Members:
    images = _images(connection, selection)
    generators: dict[str, set[str]] = {}
    for row in images:
        generators.setdefault(row["prompt_id"], set()).add(row["generator"])
    together: dict[tuple[str, int], list[dict[str, Any]]] = {}
    for row in images:
        several = len(generators[row["prompt_id"]]) > 1
        together.setdefault((row["prompt_id"], row["idx"] if several else -1), []).append(row)
    made: Members = {}
    for (prompt_id, _), members in together.items():
        if len(members) > 1:
            mixed = sorted(members, key=lambda row: _digest(row["item_id"]))
            made[f"{prompt_id}/group/{_digest(*(row['item_id'] for row in mixed))}"] = mixed
    return made


def _write_pairs(
    connection: duckdb.DuckDBPyConnection, payload: tuple[Selection, str, str, Collection[str] | None, str]
) -> list[str]:
    selection, first, second, only, secret = payload
    return _make(connection, "pair", _only(_paired(connection, selection, first, second), only), secret)


def _only(made: Members, only: Collection[str] | None) -> Members:
    return made if only is None else {item_id: members for item_id, members in made.items() if item_id in only}


def _paired(connection: duckdb.DuckDBPyConnection, selection: Selection, first: str, second: str) -> Members:
    places: dict[tuple[str, int], dict[str, dict[str, Any]]] = {}
    for row in _images(connection, selection):
        places.setdefault((row["prompt_id"], row["idx"]), {})[row["generator"]] = row
    return {
        f"{prompt_id}/pair/{_digest(here[first]['item_id'], here[second]['item_id'])}": [here[first], here[second]]
        for (prompt_id, _), here in places.items()
        if first in here and second in here
    }


def _images(connection: duckdb.DuckDBPyConnection, selection: Selection) -> list[dict[str, Any]]:
    condition, parameters = _condition(selection)
    query = f"{_IMAGES.format(where=condition)} order by i.prompt_id, i.idx, i.generator"
    return rows.dicts(connection, query, parameters)


def _digest(*ids: str) -> str:
    return hashlib.blake2b("\n".join(ids).encode(), digest_size=8).hexdigest()


def _make(
    connection: duckdb.DuckDBPyConnection, kind: str, made: Mapping[str, Sequence[Mapping[str, Any]]], secret: str
) -> list[str]:
    """Write items with their members, those that are new; returns the ids of all."""
    if not made:
        return []
    known = rows.existing(connection, "items", "item_id", ["kind"], list(made))
    new = {item_id: members for item_id, members in made.items() if item_id not in known}
    described = [
        (item_id, kind, members[0]["suite"], members[0]["prompt_id"], members[0]["task"], None, public_id(item_id, secret))
        for item_id, members in new.items()
    ]
    rows.insert(connection, "items", _ITEM, described)
    browse_index.mark_stale(connection, new)
    joined = [(item_id, row["item_id"], place) for item_id, members in new.items() for place, row in enumerate(members)]
    rows.insert(connection, "item_members", ("item_id", "image_id", "position"), joined)
    return list(made)


def kinds(connection: duckdb.DuckDBPyConnection, item_ids: Sequence[str]) -> dict[str, str]:
    """The kind of each of these items that can be shown: all its images have a file."""
    found = rows.dicts(
        connection,
        f"select t.item_id, t.kind from items t join item_members m using (item_id) left join images i using (image_id)"
        f" where t.item_id in {placeholders(item_ids)} group by all having bool_and(i.sha256 is not null)",
        item_ids,
    )
    return {row["item_id"]: row["kind"] for row in found}


_groups = per_payload(_write_groups)
_pairs = per_payload(_write_pairs)
