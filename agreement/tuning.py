"""Tuning a setting to people: agreement by each of its values, the best one, and what that is worth on other prompts.

People's answers are counted once (`count_answers`); then each new set of verdicts costs a few sums. The numbers are those
of the report (`build`) for the same judgements, without intervals. `tune` chooses as GenEval does for its counting
confidence and its minimum distance (Ghosh et al. 2023, appendix A.2 and Figure 8): k = 5 folds of prompts; the value is
chosen on four fifths and judged on the fifth, for each fifth. `thresholds` does the same for cuts of a score; here the
verdicts by each value are given, and need not rise or fall with it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from agreement.best_value import FOLDS, Objective, best_run, fold_generator, folds_of
from agreement.catalogue import value_range_of
from agreement.engine.counts import PEOPLE, SIMULATED, CountedTopic
from agreement.inference.intervals import MOST, Deletions, Interval
from agreement.numeric import BoolArray, FloatArray, IntArray, ratio
from agreement.reasons import Method, MethodCode, Reason, ReasonCode
from agreement.report.scorer_human import NOTHING_SHARED, SCORER_AND_PEOPLE
from agreement.statistics.scale import Scale
from agreement.statistics.two_raters import FORMULAS, PairSums, why_undefined
from agreement.study.cells import ALL, CellOutcome, Key, Outcome, Used, compact, interval, outcome, with_tasks_mean

NONE, NO, YES = -1, 0, 1
"""Codes of verdicts; NONE is no verdict, or one that was left open."""
STATISTICS = ("percent_agreement", "cohen_kappa", "gwet_ac1")
_KINDS = {"real": PEOPLE, "simulated": SIMULATED}


@dataclass(frozen=True)
class ItemCells:
    """Where the judged items stand, in the order of their verdicts; -1 is none.

    Attributes:
        tasks, generators: names; `task`, `generator`: of each item its position in them.
        cluster: of each item (its prompt), any codes.
    """

    tasks: tuple[str, ...]
    generators: tuple[str, ...]
    task: IntArray
    generator: IntArray
    cluster: IntArray

    def take(self, rows: BoolArray | IntArray) -> ItemCells:
        """Some of the items."""
        return replace(self, task=self.task[rows], generator=self.generator[rows], cluster=self.cluster[rows])


@dataclass(frozen=True)
class YesNoCounts:
    """What one kind of people say of the items, in the order of the verdicts.

    Attributes:
        no, yes: how many ratings that count.
        asked: whether anybody has rated the item, in a way that counts or not.
    """

    no: FloatArray
    yes: FloatArray
    asked: BoolArray

    def take(self, rows: BoolArray | IntArray) -> YesNoCounts:
        """Some of the items."""
        return YesNoCounts(self.no[rows], self.yes[rows], self.asked[rows])


def count_answers(
    scale: str, counted: pd.DataFrame, judgements: pd.DataFrame, scores: pd.DataFrame, items: Sequence[str]
) -> dict[str, YesNoCounts]:
    """Count people's yes and no answers about whole images, per kind of people (`real`, `simulated`).

    Omits kinds without answers.

    Args:
        scale: the aspect's, as it is written.
        counted: the items that are counted, as `engine.counts` describes them.
        judgements: judgements of the aspect; those about a target of an item play no part.
        scores: what scorers gave them.
        items: in the order of the verdicts; others may be counted as well.

    Raises:
        ValueError: people's values are not yes and no.
    """
    if not (judgements.reason.isna() & judgements.label.notna()).any():
        return {}
    topic = CountedTopic(Scale.parse(scale), counted, judgements, scores)
    if not topic.measure.binary:
        raise ValueError("people's answers here are not yes or no")
    whole = topic.target < 0
    unit_of = dict(zip(counted.item.iloc[topic.item[whole]], np.flatnonzero(whole).tolist(), strict=True))
    # the place after the last is for items of which nobody says anything
    at = np.array([unit_of.get(item, topic.item.size) for item in items], np.int64)
    by_kind: dict[str, YesNoCounts] = {}
    for kind, code in _KINDS.items():
        profile = np.r_[topic.profile[code], 0][at]
        if profile.any():
            counts = topic.profiles.counts[profile].astype(float)
            by_kind[kind] = YesNoCounts(counts[:, NO], counts[:, YES], profile > 0)
    return by_kind


def confusion_tables(verdicts: IntArray, heard: YesNoCounts, group: IntArray, groups: int) -> FloatArray:
    """Confusion tables (..., groups, 2, 2) of verdicts (..., items) with each rating by people: the verdict in rows, no first.

    `group` is a code of each item below `groups`; -1: it is in none.
    """
    weights = np.zeros((group.size, groups, 2))
    rows = np.flatnonzero(group >= 0)
    weights[rows, group[rows], NO], weights[rows, group[rows], YES] = heard.no[rows], heard.yes[rows]
    flat = weights.reshape(group.size, groups * 2)
    met = [(verdicts == verdict).astype(float) @ flat for verdict in (NO, YES)]
    return np.stack([part.reshape(*verdicts.shape[:-1], groups, 2) for part in met], axis=-2)


def agreements(verdicts: IntArray, heard: YesNoCounts, places: ItemCells) -> list[CellOutcome]:
    """STATISTICS of verdicts (items,) with people, for each task, all items, and the mean over tasks."""
    by_task = confusion_tables(verdicts, heard, places.task, len(places.tasks))
    every = confusion_tables(verdicts, heard, np.zeros(verdicts.size, np.int64), 1)[0]
    present = [code for code in range(len(places.tasks)) if heard.asked[places.task == code].any()]
    outcomes = {places.tasks[code]: _agreed(by_task[code], verdicts, heard, places.task == code) for code in present}
    return [*with_tasks_mean(ALL, outcomes, _agreed(every, verdicts, heard, np.ones(verdicts.size, bool)))]


def _agreed(table: FloatArray, verdicts: IntArray, heard: YesNoCounts, inside: BoolArray) -> dict[Key, Outcome]:
    met = inside & (verdicts >= 0) & (heard.no + heard.yes > 0)
    used, sums = Used(int(met.sum()), int(table.sum()), 0), PairSums.of(table)
    made: dict[Key, Outcome] = {}
    for name in STATISTICS:
        reason = why_undefined(name, sums) if used.ratings else NOTHING_SHARED
        made[Key(name)] = outcome(np.atleast_1d(FORMULAS[name](sums)), reason, used, SCORER_AND_PEOPLE.method("each"))
    return made


def shares(verdicts: IntArray, places: ItemCells) -> list[CellOutcome]:
    """`mean`, the share of yes: for each generator and all, of each task, all items, and the mean over tasks."""
    outcomes: list[CellOutcome] = []
    for code, generator in [*enumerate(places.generators), (-1, ALL)]:
        inside = np.ones(verdicts.size, bool) if generator == ALL else places.generator == code
        by_task = {name: inside & (places.task == task) for task, name in enumerate(places.tasks)}
        tasks = {name: {Key("mean"): _share(verdicts[rows])} for name, rows in by_task.items() if rows.any()}
        outcomes += with_tasks_mean(generator, tasks, {Key("mean"): _share(verdicts[inside])})
    return outcomes


def _share(verdicts: IntArray) -> Outcome:
    n = int((verdicts >= 0).sum())
    value = share_of_yes(verdicts, np.zeros(verdicts.size, np.int64), 1)
    return outcome(value, Reason(ReasonCode.NO_VERDICT_OF_SCORER), Used(n, n, 0), Method(MethodCode.SHARE_OF_YES_OF_SCORER))


@dataclass(frozen=True)
class Bounded:
    """A number with its 95 % interval, what it rests on, and why there is none."""

    value: float | None
    low: float | None
    high: float | None
    used: Used
    reason: Reason | None = None


def agreement_bounds(
    verdicts: IntArray, heard: YesNoCounts, places: ItemCells, objective: Objective, most: int = MOST
) -> list[Bounded]:
    """Return the agreement of each row of verdicts (values, items) with people, with the interval of the report.

    At most `most` groups of prompts are left out in turn.
    """
    met = (heard.no + heard.yes > 0) & (verdicts >= 0).any(0)
    some, answers, clusters = verdicts[:, met], heard.take(met), compact(places.cluster[met])
    if not met.any():
        return [Bounded(None, None, None, Used(0, 0, 0), NOTHING_SHARED) for _ in verdicts]
    by_prompt = confusion_tables(some, answers, clusters.codes, clusters.size)
    weights = Deletions(True).weights(clusters.size, most)
    sums = PairSums.of(np.einsum("rc,vcij->vrij", weights, by_prompt, optimize=True))
    values = FORMULAS[objective](sums)
    whole = confusion_tables(some, answers, np.zeros(some.shape[1], np.int64), 1)[:, 0]
    kind, bounded = value_range_of(objective, binary=True), []
    for row, table, said in zip(values, whole, some, strict=True):
        used = Used(int((said >= 0).sum()), int(table.sum()), int(np.unique(clusters.codes[said >= 0]).size))
        reason = why_undefined(objective, PairSums.of(table[None])) if used.ratings else NOTHING_SHARED
        made = outcome(row, reason, used, None)
        bounds = interval(made, kind, images=used.items)[0] if made.value is not None else Interval()
        bounded.append(Bounded(made.value, bounds.low, bounds.high, used, made.reason))
    return bounded


def generator_means(verdicts: IntArray, places: ItemCells) -> dict[str, Bounded]:
    """Return the share of yes of each generator, and of all, with the interval of the report; without a verdict it is None."""
    means: dict[str, Bounded] = {}
    kind = value_range_of("mean", binary=True)
    for code, name in [*enumerate(places.generators), (-1, ALL)]:
        rows = (verdicts >= 0) & ((places.generator == code) | (name == ALL))
        clusters = compact(places.cluster[rows])
        said, n = (np.bincount(clusters.codes, part, clusters.size) for part in (verdicts[rows] == YES, rows[rows]))
        weights = Deletions(True).weights(clusters.size)
        used = Used(int(rows.sum()), int(rows.sum()), clusters.size)
        made = outcome(ratio(weights @ said, weights @ n), Reason(ReasonCode.NO_VERDICT_OF_SCORER), used, None)
        bounds = interval(made, kind, images=used.items)[0] if made.value is not None else Interval()
        means[name] = Bounded(made.value, bounds.low, bounds.high, used, made.reason)
    return means


def share_of_yes(verdicts: IntArray, group: IntArray, groups: int) -> FloatArray:
    """(..., groups): of verdicts (..., items) the share of yes by group, NaN without a verdict; `group` as for `tables`."""
    member = (group[:, None] == np.arange(groups)).astype(float)
    return ratio((verdicts == YES).astype(float) @ member, (verdicts >= 0).astype(float) @ member)


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
    reason: Reason | None = None


def tune(
    at: FloatArray,
    verdicts: IntArray,
    heard: YesNoCounts,
    places: ItemCells,
    objective: Objective,
    *,
    folds: int = FOLDS,
    seed: int = 0,
    task: str = ALL,
) -> Tuned:
    """Choose a setting's value by its agreement with people, and judge the choice out of fold.

    Args:
        at: (values,) of the setting, ascending.
        verdicts: (values, items) verdicts as in `verdicts`.
        heard: what people say of the items.
        places: their prompts.
        objective: what the value is best in.
        folds: k of the cross-validation, at least 2.
        seed: of the folds.
        task: whose items they are; the folds of a task are those of `thresholds`.
    """
    met = (heard.no + heard.yes > 0) & (verdicts >= 0).any(0)
    verdicts, heard, places = verdicts[:, met], heard.take(met), places.take(met)
    clusters = compact(places.cluster)
    n_items, n_ratings = int(met.sum()), int((heard.no + heard.yes).sum())
    whole = confusion_tables(verdicts, heard, np.zeros(verdicts.shape[1], np.int64), 1)[:, 0]
    values = FORMULAS[objective](PairSums.of(whole))
    tuned = Tuned(tuple(_number(value) for value in values), n_items=n_items, n_ratings=n_ratings)
    reason = _why_not(verdicts, values, clusters.size, folds)
    if reason is not None:
        return replace(tuned, reason=reason)
    best, run = _best(at, values)
    tuned = replace(tuned, best=best, run=run)
    stream = ALL if task == ALL else f"task {task}"
    fold = folds_of(clusters.size, folds, fold_generator(seed, stream))[clusters.codes]
    by_fold = confusion_tables(verdicts, heard, fold, folds)
    chosen: list[int] = []
    for left_out in range(folds):
        others = FORMULAS[objective](PairSums.of(whole - by_fold[:, left_out]))
        if np.isnan(others).all():
            reason = Reason(ReasonCode.UNDEFINED_WITHOUT_FOLD, fold=left_out + 1, folds=folds)
            return replace(tuned, reason=reason)
        chosen.append(_best(at, others)[0])
    judged = by_fold[chosen, np.arange(folds)]
    fold_values = tuple(_number(value) for value in FORMULAS[objective](PairSums.of(judged)))
    out_of_fold = _number(FORMULAS[objective](PairSums.of(judged.sum(0))))
    return replace(tuned, fold_best=tuple(chosen), fold_values=fold_values, out_of_fold=out_of_fold)


def _why_not(verdicts: IntArray, values: FloatArray, clusters: int, folds: int) -> Reason | None:
    """Why no value can be chosen and checked."""
    if not verdicts.size:
        return NOTHING_SHARED
    if (verdicts == verdicts[:1]).all():
        return Reason(ReasonCode.SETTING_CHANGES_NOTHING)
    if np.isnan(values).all():
        return Reason(ReasonCode.UNDEFINED_AT_EVERY_VALUE)
    return Reason(ReasonCode.FEWER_THAN_FOLDS, n=clusters, clusters="prompts", folds=folds) if clusters < folds else None


def _best(at: FloatArray, values: FloatArray) -> tuple[int, tuple[int, int]]:
    """The place of the best value, and the run that it stands for."""
    run = best_run(values, at, at)
    # the value of the setting that is nearest to the middle of the run
    place = run.first + int(np.argmin(np.abs(at[run.first : run.last + 1] - run.middle)))
    return place, (run.first, run.last)


def _number(value: float | np.float64 | FloatArray) -> float | None:
    number = float(value)
    return None if np.isnan(number) else number
