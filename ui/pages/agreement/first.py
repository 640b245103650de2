"""Point estimates as soon as they can be had, before there are intervals."""

from __future__ import annotations

from agreement import Options
from data.store.judges import size
from data.store.selection import Selection
from data.store.store import Store
from ui.commands.agreement import Rows, recall
from ui.commands.standing import quick

_LARGE = 50_000


def large(store: Store) -> bool:
    """Whether the project has so many judgements that only the sums that stand are quick enough."""
    return size(store) > _LARGE


def at_once(store: Store, selection: Selection) -> Rows:
    """People among themselves and scorers against people, without intervals; of a large project what stands already."""
    found = quick(store, selection) if large(store) else None
    return found or recall(store, selection, Options(intervals=False, each_generator=False, matrix=False))
