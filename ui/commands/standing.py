"""The point estimates of one suite's aspect, at once after an answer: standing sums that follow what the store touched.

What they give is what ``recall`` gives without intervals, for the statistics in ``agreement.engine.live``; the rest (the
matrix, pairs of persons, statistics of order) only ``recall`` has.
"""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass, field
from threading import Lock
from weakref import WeakKeyDictionary

from agreement.engine.live import AspectScale, LiveEstimates, NotServedError, StaleError
from data.store.analysis import aggregates
from data.store.core.selection import Selection
from data.store.core.store import Store
from ui.commands.agreement import SECTIONS, Rows, scales_of

_MOST_KEPT = 8
_MOST_ITEMS = 500  # touched at once, beyond which it is quicker to count everything anew


@dataclass
class _Kept:
    """The sums of one selection, as they were at a version of the project; ``refused``: there are none to be had."""

    lock: Lock = field(default_factory=Lock)
    version: str = ""
    standing: LiveEstimates | None = None
    refused: bool = False


_KEPT: WeakKeyDictionary[Store, OrderedDict[Selection, _Kept]] = WeakKeyDictionary()
_KEPT_LOCK = Lock()


def quick(
    store: Store, selection: Selection, statistics: tuple[str, ...] | None = None, *, each_generator: bool = False
) -> Rows | None:
    """The rows of ``recall`` without intervals that can be had at once, by section; None if none of them can.

    The selection must have one suite and one aspect, no raters and no certainty. The first call counts everything in the
    database; after a submission a call counts the touched items alone and computes the cells that hold them. Thread-safe.

    Args:
        store: the project.
        selection: which judgements.
        statistics: those wanted; None for all.
        each_generator: rows for each generator besides those for all of them.
    """
    if len(selection.suite) != 1 or len(selection.aspect) != 1 or selection.rater or selection.certainty:
        return None
    kept = _kept(store, selection)
    with kept.lock:
        _follow(store, selection, kept)
        if kept.standing is None:
            return None
        found = kept.standing.report(statistics, each_generator=each_generator).to_dict()
    return {name: found[name] for name in SECTIONS}


def _kept(store: Store, selection: Selection) -> _Kept:
    """The place for this selection; the one that was not asked for longest makes room."""
    with _KEPT_LOCK:
        places = _KEPT.setdefault(store, OrderedDict())
        kept = places.setdefault(selection, _Kept())
        places.move_to_end(selection)
        if len(places) > _MOST_KEPT:
            places.popitem(last=False)
    return kept


def _follow(store: Store, selection: Selection, kept: _Kept) -> None:
    """Bring the sums to the project's present state."""
    changes = store.changes_since(kept.version)
    asked = aggregates.AggregateQuery(selection.suite[0], selection.aspect[0], selection)
    if changes.items is None or len(changes.items) > _MOST_ITEMS or (kept.standing is None and not kept.refused):
        _make(store, asked, kept)
    elif changes.items and kept.standing is not None:
        # whatever goes wrong on the way, sums that followed by half are not used again
        standing, kept.standing = kept.standing, None
        try:
            standing.update(aggregates.aggregate_items(store, asked, sorted(changes.items)))
            kept.standing = standing
        except StaleError:
            _make(store, asked, kept)
    kept.version = changes.version


def _make(store: Store, asked: aggregates.AggregateQuery, kept: _Kept) -> None:
    """Count everything anew."""
    kept.standing, kept.refused = None, False
    scales = scales_of(store)
    scale = scales.get((asked.suite, asked.aspect))
    if scale is None:
        return
    try:
        if scales.get((asked.suite, aggregates.SCORE), "interval") != "interval":
            raise NotServedError("scores are no numbers")
        kept.standing = LiveEstimates(AspectScale(asked.suite, asked.aspect, scale), aggregates.aggregate(store, asked))
    except NotServedError:
        kept.refused = True
