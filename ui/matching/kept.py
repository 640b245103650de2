"""What the page Matching computes, kept while the evidence stays as it is. Nobody is to change what these give."""

from __future__ import annotations

from functools import lru_cache

from agreement import Options
from data.store import asked
from data.store.matched import Matched, matched
from data.store.selection import Selection
from data.store.store import Store
from ui.matching.rows import Rows, of


def evidence(store: Store) -> tuple[Matched, ...]:
    """All that scorers made of images and captions, by suite, rater and image."""
    return _evidence(store, asked.stamp(store))


def recall(store: Store, suite: str, options: Options) -> Rows:
    """All figures of a suite."""
    return _recall(store, asked.stamp(store), suite, options)


@lru_cache(maxsize=2)
def _evidence(store: Store, stamp: str) -> tuple[Matched, ...]:  # noqa: ARG001 - a part of the key
    return tuple(matched(store, Selection()))


@lru_cache(maxsize=8)
def _recall(store: Store, stamp: str, suite: str, options: Options) -> Rows:
    return of([one for one in _evidence(store, stamp) if one.suite == suite], options)
