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
from agreement.flips import SCORE, SHARED, FlipStatistic, flip_statistics, flip_test, shared_pairs
from agreement.study.cells import ALL, Outcome
from data.prompts.flips import FLIP_REASONS, FlipKind
from data.store.analysis import flips
from data.store.core.selection import Selection
from data.store.core.store import Store
from ui import following, words
from ui.flipping.board import Board, Tested
from ui.flipping.people import people
from ui.flipping.scorers import scorers

__all__ = ["FLIP_REASONS", "Row", "Rows", "recall", "rows", "wide"]

Row = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Rows:
    """A row for each rater, generator (then ``all``, and what all raters share) and statistic of ``agreement.flips``.

    Attributes:
        unflippable: suites none of whose prompts can be flipped so.
        images: how many were looked at, of the ``total`` of suites with prompts that can be flipped.
    """

    rows: Sequence[Row]
    unflippable: Sequence[str]
    images: int
    total: int


def rows(store: Store, selection: Selection, kind: FlipKind, options: Options | None = None, most: int | None = None) -> Rows:
    """The flip test of everybody who has judged images of the selection, by suite: people first, then scorers by name.

    Of the selection, suite, task and generator restrict the images, rater the raters, campaign, since and until people's
    answers. ``most``: so many images of a suite at most; of more, always the same ones by chance.
    """
    made: list[Row] = []
    unflippable, images, total = [], 0, 0
    for suite in flips.suites(store, selection):
        only = replace(selection, suite=(suite,), aspect=(), target=(), certainty=())
        board = Board.of(store, only, kind, most)
        if not board.is_flippable:
            unflippable.append(suite)
            continue
        images, total = images + len(board.places), total + board.total
        found = [*people(store, only, suite, board), *scorers(store, only, suite, board, kind)]
        for one, common in zip(found, shared_pairs([one.pairs for one in found]), strict=True):
            of_all = flip_statistics(common, SHARED, options) if common is not None else []
            made += [_row(one, kind, each) for each in [*flip_test(one.pairs, options), *of_all]]
    return Rows(made, unflippable, images, total)


@lru_cache(maxsize=16)
def _recall(store: Store, version: str, selection: Selection, kind: FlipKind, most: int | None) -> Rows:  # noqa: ARG001 - the key
    return rows(store, selection, kind, None, most)


def recall(store: Store, selection: Selection, kind: FlipKind, most: int | None = None) -> Rows:
    """As ``rows``, but computed once for all who look while the project stays as it is. Do not change them."""
    return _recall(store, following.version(store), selection, kind, most)


def wide(made: Iterable[Row]) -> list[dict[str, Row]]:
    """The statistics of one suite, rater and generator together, in order; of a rater with one generator its name says more
    than ``all``, of one without any number ``all`` says enough."""
    found: dict[tuple[str, str], dict[str, dict[str, Row]]] = {}
    for row in made:
        found.setdefault((row["suite"], row["rater"]), {}).setdefault(row["generator"], {})[row["statistic"]] = row
    shown: list[dict[str, Row]] = []
    for of in found.values():
        if not of[ALL][SCORE]["n_items"]:
            shown.append(of[ALL])
        else:
            one = len(of.keys() - {ALL, SHARED}) == 1
            shown += [row for place, row in of.items() if not (one and place == ALL)]
    return shown


def _why(outcome: Outcome) -> str:
    """Why nothing counts, if that is not the prompts' doing."""
    others = [f"{words.reason(name)}: {n:,}" for name, n in outcome.used.excluded.items() if name not in FLIP_REASONS]
    return f"{outcome.reason} ({', '.join(others)})" if others else str(outcome.reason)


def _row(one: Tested, kind: FlipKind, made: FlipStatistic) -> Row:
    """Plain types; ``n_items`` counts images, ``n_ratings`` people's ratings of them, ``excluded`` what was left out of these;
    a ``command`` makes what is missing."""
    outcome = made.outcome
    people = ("simulated" if one.simulated else "real") if one.kind == "people" else None
    missing = "" if outcome.value is not None or outcome.used.ratings else one.missing or _why(outcome)
    return {
        "suite": one.suite,
        "generator": made.generator,
        "rater": one.rater,
        "kind": one.kind,
        "people": people,
        "aspect": one.aspect,
        "flip": kind,
        "statistic": made.statistic,
        "value": outcome.value,
        "low": made.bounds.low,
        "high": made.bounds.high,
        "n_items": outcome.used.items,
        "n_ratings": outcome.used.ratings,
        "excluded": dict(outcome.used.excluded),
        "reason": missing or outcome.reason,
        "command": one.command or None,
        "method": made.method,
    }
