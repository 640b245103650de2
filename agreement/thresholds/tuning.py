"""Tuning a setting to people: agreement by each of its values, the best one, and what that is worth on other prompts.

As GenEval does for its counting confidence and its minimum distance (Ghosh et al. 2023, appendix A.2 and Figure 8): k = 5
folds of prompts; the value is chosen on four fifths and judged on the fifth, for each fifth. `decisions` does the same for
cuts of a score; here the verdicts by each value are given, and need not rise or fall with it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from agreement.engine.verdicts import Heard, Places, tables
from agreement.numeric import FloatArray, IntArray
from agreement.report.scorer_human import NOTHING_SHARED
from agreement.statistics.two_raters import FORMULAS, PairSums
from agreement.study.cells import ALL
from agreement.study.outcome import compact
from agreement.thresholds.cuts import Objective, best_runs, fold_generator, folds_of

FOLDS = 5


@dataclass(frozen=True)
class Tuned:
    """Agreement of one statistic by value of a setting.

    Attributes:
        values: at each value of the setting, on all items; None where it is undefined.
        best: the place of the best value: of equally good ones, that nearest to the middle of their widest run, which goes
            from place `run[0]` to `run[1]`. None with a `reason`.
        fold_best: the place of the value chosen without each fold; empty where none can be.
        fold_values: the statistic in each fold by that value; None where it is undefined there.
        out_of_fold: the statistic over all folds together, each judged by the value chosen without it.
        reason: why nothing is chosen.
    """

    values: tuple[float | None, ...]
    best: int | None = None
    run: tuple[int, int] | None = None
    fold_best: tuple[int, ...] = ()
    fold_values: tuple[float | None, ...] = ()
    out_of_fold: float | None = None
    n_items: int = 0
    n_ratings: int = 0
    reason: str | None = None


def tune(
    at: FloatArray,
    said: IntArray,
    heard: Heard,
    places: Places,
    objective: Objective,
    *,
    folds: int = FOLDS,
    seed: int = 0,
    task: str = ALL,
) -> Tuned:
    """Choose a setting's value by its agreement with people, and judge the choice out of fold.

    Args:
        at: (values,) of the setting, ascending.
        said: (values, items) verdicts as in `verdicts`.
        heard: what people say of the items.
        places: their prompts.
        objective: what the value is best in.
        folds: k of the cross-validation, at least 2.
        seed: of the folds.
        task: whose items they are; the folds of a task are those of `thresholds`.
    """
    met = (heard.no + heard.yes > 0) & (said >= 0).any(0)
    said, heard, places = said[:, met], heard.take(met), places.take(met)
    clusters = compact(places.cluster)
    n_items, n_ratings = int(met.sum()), int((heard.no + heard.yes).sum())
    whole = tables(said, heard, np.zeros(said.shape[1], np.int64), 1)[:, 0]
    values = FORMULAS[objective](PairSums.of(whole))
    shown = tuple(_number(value) for value in values)
    reason = _why_not(said, values, clusters.size, folds)
    if reason is not None:
        return Tuned(shown, n_items=n_items, n_ratings=n_ratings, reason=reason)
    stream = ALL if task == ALL else f"task {task}"
    fold = folds_of(clusters.size, folds, fold_generator(seed, stream))[clusters.codes]
    by_fold = tables(said, heard, fold, folds)
    chosen: list[int] = []
    for left_out in range(folds):
        others = FORMULAS[objective](PairSums.of(whole - by_fold[:, left_out]))
        if np.isnan(others).all():
            why = f"without fold {left_out + 1} of {folds} it is undefined at every value"
            return Tuned(shown, *_best(at, values), n_items=n_items, n_ratings=n_ratings, reason=why)
        chosen.append(_best(at, others)[0])
    judged = by_fold[chosen, np.arange(folds)]
    return Tuned(
        shown,
        *_best(at, values),
        tuple(chosen),
        tuple(_number(value) for value in FORMULAS[objective](PairSums.of(judged))),
        _number(FORMULAS[objective](PairSums.of(judged.sum(0)))),
        n_items,
        n_ratings,
    )


def _why_not(said: IntArray, values: FloatArray, clusters: int, folds: int) -> str | None:
    """Why no value can be chosen and checked, in words."""
    if not said.size:
        return NOTHING_SHARED
    if (said == said[:1]).all():
        return "no value of this setting changes a verdict that people can be compared with"
    if np.isnan(values).all():
        return "it is undefined at every value"
    return f"{clusters} prompts cannot be dealt into {folds} folds" if clusters < folds else None


def _best(at: FloatArray, values: FloatArray) -> tuple[int, tuple[int, int]]:
    """The place of the best value, and the run that it stands for."""
    runs = best_runs(values)
    first, last = runs.first, runs.after - 1
    widest = int(np.argmax(at[last] - at[first]))
    run = int(first[widest]), int(last[widest])
    middle = (at[run[0]] + at[run[1]]) / 2
    return run[0] + int(np.argmin(np.abs(at[run[0] : run[1] + 1] - middle))), run


def _number(value: float | np.float64 | FloatArray) -> float | None:
    number = float(value)
    return None if np.isnan(number) else number
