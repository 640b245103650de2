"""The fixed part of campaigns, kept in memory: which items, in what roles and places. What changes is read each time."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from weakref import WeakKeyDictionary

import duckdb
import numpy as np
from numpy.typing import NDArray

from data.campaign import Role
from data.store import rows

_KEPT = 8  # campaigns in memory at once
_listings: WeakKeyDictionary[duckdb.DuckDBPyConnection, dict[str, Listing]] = WeakKeyDictionary()


@dataclass(frozen=True, slots=True)
class Listing:
    """A campaign's items.

    Attributes:
        stamp: what the items were read for: they never change under one stamp.
        item_ids: by position, None where an item is gone; ``positions``: the other way round.
        shuffle: by position, what random orders are made of.
        special: the roles of all but ordinary items; ``expected``: their right answers.
        selected: positions of ordinary items that were picked by hand.
    """

    stamp: str
    item_ids: list[str | None]
    positions: Mapping[str, int]
    shuffle: NDArray[np.int64]
    special: Mapping[int, Role]
    expected: Mapping[int, Mapping[str, Any]]
    selected: frozenset[int]

    def role(self, position: int) -> Role:
        return self.special.get(position, "ordinary")


def listing(connection: duckdb.DuckDBPyConnection, campaign_id: str, stamp: str) -> Listing:
    """A campaign's items under this stamp (``places.Known.stamp``): from memory, or read once."""
    kept = _listings.setdefault(connection, {})
    found = kept.pop(campaign_id, None)
    if found is None or found.stamp != stamp:
        found = _read(connection, campaign_id, stamp)
    kept[campaign_id] = found  # the last one used comes last
    if len(kept) > _KEPT:
        del kept[next(iter(kept))]
    return found


def _read(connection: duckdb.DuckDBPyConnection, campaign_id: str, stamp: str) -> Listing:
    found = connection.execute(
        "select position, item_id, shuffle, role, sampling, expected from campaign_items where campaign_id = ?", [campaign_id]
    ).fetchall()
    size = max((row[0] for row in found), default=-1) + 1
    item_ids: list[str | None] = [None] * size
    shuffle = np.zeros(size, np.int64)
    for position, item_id, number, *_ in found:
        item_ids[position] = item_id
        shuffle[position] = number
    special = {position: role for position, _, _, role, _, _ in found if role != "ordinary"}
    return Listing(
        stamp,
        item_ids,
        {item_id: position for position, item_id, *_ in found},
        shuffle,
        special,
        {row[0]: rows.from_json(row[5]) for row in found if row[5] is not None},
        frozenset(row[0] for row in found if row[3] == "ordinary" and row[4] == "selected"),
    )
