"""What the page Matching computes, kept while the evidence stays as it is. Nobody is to change what these give."""

from __future__ import annotations

from functools import lru_cache

from agreement import Options
from data.store.analysis import vqa_answers
from data.store.core.selection import Selection
from data.store.core.store import Store
from data.store.judgements.scorer_evidence import CaptionChoice, caption_choices
from ui.matching.rows import Rows, of


def evidence(store: Store) -> tuple[CaptionChoice, ...]:
    """All that scorers made of images and captions, by suite, rater and image."""
    return _evidence(store, vqa_answers.stamp(store))


def recall(store: Store, suite: str, options: Options) -> Rows:
    """All figures of a suite."""
    return _recall(store, vqa_answers.stamp(store), suite, options)


@lru_cache(maxsize=2)
def _evidence(store: Store, stamp: str) -> tuple[CaptionChoice, ...]:  # noqa: ARG001 - a part of the key
    return tuple(caption_choices(store, Selection()))


@lru_cache(maxsize=8)
def _recall(store: Store, stamp: str, suite: str, options: Options) -> Rows:
    return of([one for one in _evidence(store, stamp) if one.suite == suite], options)
