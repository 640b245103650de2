"""The flip test of a project: everybody's scores by the true prompts and by flipped ones, and the numbers that follow.

What was seen without reading the text is judged again by the flipped spec, and people's answers are derived again, both in
memory; a scorer that reads the text needs a run over flipped texts (``score clipscore --set flip=relation``).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

from agreement import Options
from agreement.cells import ALL
from agreement.flips import Measured, flip_test
from agreement.outcome import Outcome
from data.prompts.flips import REASONS, Kind
from data.store import flipped
from data.store.selection import Selection
from data.store.store import Store
from ui import words
from ui.flipping.board import Board, Tested
from ui.flipping.people import people
from ui.flipping.scorers import scorers

__all__ = ["REASONS", "Row", "Rows", "recall", "rows", "wide"]

Row = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Rows:
    """A row for each rater, generator (and ``all``) and statistic of ``agreement.flips``.

    Attributes:
        unflippable: suites none of whose prompts can be flipped so.
        images: how many were looked at, of the ``total`` of suites with prompts that can be flipped.
    """

    rows: Sequence[Row]
    unflippable: Sequence[str]
    images: int
    total: int


def rows(store: Store, selection: Selection, kind: Kind, options: Options | None = None, most: int | None = None) -> Rows:
    """The flip test of everybody who has judged images of the selection, by suite: people first, then scorers by name.

    Of the selection, suite, task and generator restrict the images, rater the raters, campaign, since and until people's
    answers. ``most``: so many images of a suite at most; of more, always the same ones by chance.
    """
    made: list[Row] = []
    unflippable, images, total = [], 0, 0
    for suite in flipped.suites(store, selection):
        only = replace(selection, suite=(suite,), aspect=(), target=(), certainty=())
        board = Board.of(store, only, kind, most)
        if not board.is_flippable:
            unflippable.append(suite)
            continue
        images, total = images + len(board.places), total + board.total
        for one in [*people(store, only, suite, board), *scorers(store, only, suite, board, kind)]:
            made += [_row(one, kind, measured) for measured in flip_test(one.pairs, options)]
    return Rows(made, unflippable, images, total)


@lru_cache(maxsize=16)
def _recall(store: Store, version: str, selection: Selection, kind: Kind, most: int | None) -> Rows:  # noqa: ARG001 - the key
    return rows(store, selection, kind, None, most)


def recall(store: Store, selection: Selection, kind: Kind, most: int | None = None) -> Rows:
    """As ``rows``, but computed once for all who look while the project stays as it is. Do not change them."""
    return _recall(store, store.version, selection, kind, most)


def wide(made: Iterable[Row]) -> list[dict[str, Row]]:
    """The statistics of one suite, rater and generator together, in order; where there is one generator, its name says more
    than ``all``."""
    found: dict[tuple[str, str], dict[str, dict[str, Row]]] = {}
    for row in made:
        found.setdefault((row["suite"], row["rater"]), {}).setdefault(row["generator"], {})[row["statistic"]] = row
    return [row for of in found.values() for place, row in of.items() if place != ALL or len(of) != 2]


def _why(outcome: Outcome) -> str:
    """Why nothing counts, if that is not the prompts' doing."""
    others = [f"{words.reason(name)}: {n:,}" for name, n in outcome.used.excluded.items() if name not in REASONS]
    return f"{outcome.reason} ({', '.join(others)})" if others else str(outcome.reason)


def _row(one: Tested, kind: Kind, measured: Measured) -> Row:
    """Plain types; ``n_items`` counts images, ``n_ratings`` people's ratings of them, ``excluded`` what was left out of these;
    a ``command`` makes what is missing."""
    outcome = measured.outcome
    people = ("simulated" if one.simulated else "real") if one.kind == "people" else None
    missing = "" if outcome.value is not None or outcome.used.ratings else one.missing or _why(outcome)
    return {
        "suite": one.suite,
        "generator": measured.generator,
        "rater": one.rater,
        "kind": one.kind,
        "people": people,
        "aspect": one.aspect,
        "flip": kind,
        "statistic": measured.statistic,
        "value": outcome.value,
        "low": measured.bounds.low,
        "high": measured.bounds.high,
        "n_items": outcome.used.items,
        "n_ratings": outcome.used.ratings,
        "excluded": dict(outcome.used.excluded),
        "reason": missing or outcome.reason,
        "command": one.command or None,
        "method": measured.method,
    }
