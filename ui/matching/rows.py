"""Rows of image-text matching, of a selection of a project."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any, Final

from agreement import Options
from agreement.matching import Votes, by_trials, matching_statistics, votes, winoground
from agreement.questions import GroupStatistic
from agreement.study.cells import ALL
from data.store.core.selection import Selection
from data.store.core.store import Store
from data.store.judgements.scorer_evidence import CaptionChoice, caption_choices
from ui.matching.frames import answers, trials_of

Row = dict[str, Any]
EVALUATIONS: Final = "evaluations"
"""The share of all evaluations that were made; of likelihood raters alone."""


@dataclass(frozen=True, slots=True)
class Rows:
    """A row for each figure.

    Attributes:
        matching: each rater's accuracy, chance and what lies between, by generator and task.
        winoground: text, image and group score; ``votes``: images on which only one of two raters is right.
        trials: accuracy by the first 1, 2, ... trials of a rater that has more than one.
    """

    matching: Sequence[Row]
    winoground: Sequence[Row]
    votes: Sequence[Row]
    trials: Sequence[Row]

    @property
    def sections(self) -> dict[str, Sequence[Row]]:
        return {name: getattr(self, name) for name in ("matching", "winoground", "votes", "trials")}


def rows(store: Store, selection: Selection, options: Options | None = None) -> Rows:
    """All figures of a selection, by suite. Of the selection, suite, task, generator and rater restrict."""
    return of(caption_choices(store, selection), options)


def of(found: Sequence[CaptionChoice], options: Options | None = None) -> Rows:
    """All figures of evidence that is sorted by suite."""
    made: dict[str, list[Row]] = {"matching": [], "winoground": [], "votes": [], "trials": []}
    for suite, listed in groupby(found, key=lambda one: one.suite):
        mine = list(listed)
        frame = answers(mine)
        made["matching"] += [figure_row(one, suite) for one in matching_statistics(frame, options)]
        made["matching"] += _spent(mine, suite)
        made["winoground"] += [figure_row(one, suite) for one in winoground(frame, options)]
        made["votes"] += [_vote(one, suite) for one in votes(frame, options)]
        made["trials"] += _trials(mine, suite, options)
    return Rows(**made)


def _spent(mine: Sequence[CaptionChoice], suite: str) -> list[Row]:
    """How many of all evaluations (trials x captions x steps) likelihood raters made: fewer where captions were given up."""
    made: dict[tuple[str, str, str], list[tuple[int, int]]] = {}
    for one in mine:
        counts = (one.payload.get("evaluations"), one.payload.get("full"))
        if all(isinstance(n, int) and n > 0 for n in counts):
            for task in (ALL, one.task):
                made.setdefault((one.generator, task, one.rater_id), []).append(counts)  # type: ignore[arg-type]
    return [
        {
            "suite": suite,
            "generator": generator,
            "task": task,
            "rater": rater,
            "statistic": EVALUATIONS,
            "value": sum(n for n, _ in counts) / sum(of for _, of in counts),
            "low": None,
            "high": None,
            "n": len(counts),
            "unit": "images",
            "n_prompts": None,
            "excluded": {},
            "reason": None,
            "method": f"{sum(n for n, _ in counts):,} of {sum(of for _, of in counts):,} trials x captions x steps",
        }
        for (generator, task, rater), counts in made.items()
    ]


def _trials(mine: Sequence[CaptionChoice], suite: str, options: Options | None) -> list[Row]:
    def who(one: CaptionChoice) -> tuple[str, str]:
        return one.rater_id, one.generator

    made: list[Row] = []
    for (rater, generator), listed in groupby(sorted(mine, key=who), key=who):
        some = list(listed)
        found = trials_of(some)
        if found is None or found.fits.shape[1] < 2:
            continue
        aggregate = some[0].settings.get("aggregate", "jensen")
        made += [
            figure_row(one, suite) | {"generator": generator, "task": "all", "trials": int(one.group)}
            for one in by_trials(found.fits, found.right, found.clusters, aggregate, options, generator, rater)
        ]
    return made


def figure_row(one: GroupStatistic, suite: str) -> Row:
    """Plain types; ``n`` counts ``unit``, ``excluded`` what was left out and why."""
    return {
        "suite": suite,
        "generator": one.generator,
        "task": one.group,
        "rater": one.rater,
        "statistic": one.statistic,
        **_number(one),
    }


def _vote(one: Votes, suite: str) -> Row:
    counts = {name: getattr(one, name) for name in ("only_a", "only_b", "both", "neither")}
    where = {"suite": suite, "generator": one.generator, "task": one.task, "a": one.a, "b": one.b}
    return {**where, **counts, "statistic": one.difference.statistic, **_number(one.difference)}


def _number(one: GroupStatistic) -> Row:
    return {
        "value": one.outcome.value,
        "low": one.bounds.low,
        "high": one.bounds.high,
        "n": one.n,
        "unit": one.unit,
        "n_prompts": one.outcome.used.clusters,
        "excluded": dict(one.outcome.used.excluded),
        "reason": one.outcome.reason,
        "method": one.method,
    }


def by_place(listed: Iterable[Row]) -> dict[tuple[str, str, str, str], dict[str, Row]]:
    """Rows of ``Rows.matching`` by (suite, generator, task, rater), then by statistic."""
    made: dict[tuple[str, str, str, str], dict[str, Row]] = {}
    for row in listed:
        made.setdefault((row["suite"], row["generator"], row["task"], row["rater"]), {})[row["statistic"]] = row
    return made
