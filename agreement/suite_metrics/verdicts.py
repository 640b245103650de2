"""VISOR's and GenEval's metrics from verdicts about images: of each scorer by its own, of people by their strict majority."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Final

import numpy as np
import pandas as pd

from agreement.estimate import Estimate, Kind
from agreement.inference.intervals import SHARE, Deletions, Deviations
from agreement.numeric import FloatArray, IntArray, share_of, sums_by
from agreement.reasons import Method, MethodCode, Reason, joined
from agreement.report.report import estimate_of
from agreement.report.scorer_human import strict_majority
from agreement.study.cells import (
    ALL,
    TASKS_MEAN,
    Cell,
    CellName,
    CellOutcome,
    Key,
    Options,
    Outcome,
    Used,
    cell_name,
    compact,
    first_of,
    interval,
    mean_over_tasks,
    merged,
    outcome,
    refused,
    undefined,
    walk,
)
from agreement.study.frame import Ratings, Suite, read
from agreement.suite_metrics.both_objects import OA, Roles, both_objects
from agreement.suite_metrics.catalogue import METRICS, METRICS_OF_KIND, VISOR_CONSISTENCY, Metric
from agreement.suite_metrics.formulas import TRIALS, EquivalentPrompts, PromptCounts, Trials, equivalent_trials

CORRECT: Final = "correct"
_ASPECT_OF_NEED: Final = {"present": OA, "correct": CORRECT}
"""The aspect of derived judgements that stands for each that a metric needs."""


@dataclass(frozen=True, slots=True)
class RelationPrompt:
    """A prompt that asks for two objects in a relation: its objects, and its place among equivalent prompts."""

    roles: Roles
    place: EquivalentPrompts


def visor_metrics(
    frame: pd.DataFrame, scales: Mapping[tuple[str, str], str], prompts: Mapping[str, RelationPrompt], options: Options
) -> list[Estimate]:
    """Return VISOR's metrics of each scorer and of people, by generator and task; consistency by relation.

    Equivalent prompts are left out together: they may be equally hard, and stand in different tasks.

    Args:
        frame: a long frame of judgements, as for `report.build`.
        scales: the scale of each (suite, aspect) of the frame.
        prompts: the prompts that ask for a relation, by id; of others nothing counts.
        options: `intervals` and `each_generator` are read.
    """
    rows = frame[frame.prompt.isin(prompts.keys())]
    if rows.empty:
        return []
    roles = {prompt: each.roles for prompt, each in prompts.items()}
    derived = pd.concat([rows[_is_whole(rows, CORRECT)], both_objects(rows, roles)])
    known = {key: scale for key, scale in scales.items() if key[1] == CORRECT}
    known |= {(str(suite), OA): "nominal:yes|no" for suite in rows.suite.unique()}
    prompt_of = dict(zip(rows.item, rows.prompt, strict=True))
    estimates: list[Estimate] = []
    for suite in read(derived, known):
        places = [prompts[prompt_of[item]].place for item in suite.items]
        pairs = _pair_codes(places)
        for rater in _raters(suite):
            estimates += _estimates(suite, rater, METRICS_OF_KIND["visor"], options, pairs)
            estimates += _consistency(suite, rater, places, options)
    return estimates


def geneval_metrics(frame: pd.DataFrame, scales: Mapping[tuple[str, str], str], options: Options) -> list[Estimate]:
    """Return GenEval's any of N and all of N beside the mean, of each scorer and of people; args as of `visor_metrics`."""
    rows = frame[_is_whole(frame, CORRECT)]
    return [
        estimate
        for suite in read(rows, scales)
        for rater in _raters(suite)
        for estimate in _estimates(suite, rater, METRICS_OF_KIND["geneval"], options)
    ]


def _is_whole(rows: pd.DataFrame, aspect: str) -> pd.Series:
    """Return for each row whether it judges the aspect of a whole image."""
    return (rows.aspect == aspect) & rows.target.isna()


@dataclass(frozen=True, slots=True)
class _Rater:
    """A scorer, or people of one kind together, with their judgements by aspect."""

    name: str
    people: str
    kind: Kind
    judged: Mapping[str, Ratings]

    def needed(self, metric: Metric) -> bool:
        """Return True if they have judged all that the metric needs."""
        return all(_ASPECT_OF_NEED[need] in self.judged for need in metric.needs)


def _raters(suite: Suite) -> Iterator[_Rater]:
    binary = [aspect for aspect in suite.aspects if aspect.measure.binary]

    def judged(codes: np.ndarray[tuple[int], np.dtype[np.bool_]]) -> dict[str, Ratings]:
        parts = {aspect.name: aspect.ratings.take(codes[aspect.ratings.rater]) for aspect in binary}
        return {name: part for name, part in parts.items() if part.size}

    for simulated in (False, True):
        people = judged(suite.raters_where(scorer=False, simulated=simulated))
        if people:
            yield _Rater("", "simulated" if simulated else "real", "human", people)
    for code, rater in enumerate(suite.raters):
        own = judged(np.arange(len(suite.raters)) == code) if rater.scorer else {}
        if own:
            yield _Rater(rater.name, "", "scorer", own)


@dataclass(frozen=True, slots=True)
class _Verdicts:
    """A decided yes or no of each image, one entry for each: 1 or 0; with what it rests on."""

    item: IntArray
    cluster: IntArray
    generator: IntArray
    yes: IntArray
    ratings: IntArray
    excluded: Mapping[str, int]

    @classmethod
    def of(cls, rows: Ratings, suite: Suite) -> _Verdicts:
        """Return the strict majority of each image's ratings; images without one are left out."""
        counted = rows.take(rows.valid)
        item = compact(counted.item)
        majority = strict_majority(item.codes, item.size, counted.label, 2)
        decided = majority.label >= 0
        return cls(
            item=first_of(item, counted.item)[decided],
            cluster=first_of(item, counted.cluster)[decided],
            generator=first_of(item, counted.generator)[decided],
            yes=majority.label[decided],
            ratings=np.bincount(item.codes, minlength=item.size)[decided].astype(np.int64),
            excluded=merged([refused(rows, suite), {"tied_majority": majority.tied}]),
        )


@dataclass(frozen=True, slots=True)
class _Counted:
    """Images counted by prompt and generator, with the verdicts that they were counted from."""

    counts: PromptCounts
    cluster: IntArray
    generator: IntArray
    item: IntArray
    verdicts: Mapping[str, _Verdicts]

    @classmethod
    def of(cls, judged: Mapping[str, Ratings], suite: Suite) -> _Counted:
        """Count the images of a cell; `judged` holds its judgements by aspect."""
        none = np.zeros(0, np.int64)
        verdicts = {aspect: _Verdicts.of(rows, suite) for aspect, rows in judged.items()}
        empty = _Verdicts(none, none, none, none, none, {})
        correct, both = verdicts.get(CORRECT, empty), verdicts.get(OA, empty)
        item, first = np.unique(np.concatenate([correct.item, both.item]), return_index=True)
        cluster, generator = (
            np.concatenate([getattr(correct, name), getattr(both, name)])[first] for name in ("cluster", "generator")
        )
        width = int(generator.max(initial=0)) + 2
        unit = compact(cluster * width + generator + 1)
        is_correct, has_both = _at(item, correct), _at(item, both)
        shown = has_both == 1

        def counted(mask: np.ndarray[tuple[int], np.dtype[np.bool_]]) -> IntArray:
            return sums_by(unit.codes, unit.size, mask).astype(np.int64)

        counts = PromptCounts(
            images=counted(is_correct >= 0),
            correct=counted(is_correct == 1),
            seen=counted(has_both >= 0),
            both=counted(shown),
            judged=counted(shown & (is_correct >= 0)),
            right=counted(shown & (is_correct == 1)),
        )
        return cls(counts, first_of(unit, cluster), first_of(unit, generator), first_of(unit, item), verdicts)

    def used(self, metric: Metric, clusters: int) -> Used:
        """Return what a metric rests on: the images and ratings of the last aspect that it needs."""
        mine = [self.verdicts[name] for need in metric.needs if (name := _ASPECT_OF_NEED[need]) in self.verdicts]
        if not mine:
            return Used(0, 0, clusters)
        last, items = mine[-1], mine[-1].item
        if len(mine) > 1:
            # of the images in which both objects are there
            shown = mine[0].item[mine[0].yes == 1]
            items = np.intersect1d(items, shown)
        inside = np.isin(last.item, items)
        return Used(int(inside.sum()), int(last.ratings[inside].sum()), clusters, last.excluded)


def _at(item: IntArray, verdicts: _Verdicts) -> IntArray:
    """Return the verdict of each item, -1 where there is none."""
    out = np.full(item.size, -1, np.int64)
    out[np.searchsorted(item, verdicts.item)] = verdicts.yes
    return out


def _how(metric: Metric, rater: _Rater) -> Method:
    people = Method(MethodCode.PEOPLE_BY_MAJORITY) if rater.kind == "human" else None
    return joined(Method(MethodCode.SUITE_METRIC, metric=metric.name), people)


@dataclass(frozen=True, slots=True)
class _Share:
    """A share of trials, one entry for each prompt (and generator) with a trial, and the block that each is left out with."""

    trials: Trials
    prompt: IntArray
    block: IntArray

    @classmethod
    def of(cls, trials: Trials, prompt: IntArray, block: IntArray) -> _Share:
        """Return the share of the entries that have a trial."""
        there = trials.n > 0
        return cls(Trials(trials.hits[there], trials.n[there]), prompt[there], block[there])

    @property
    def prompts(self) -> int:
        """Return how many prompts have a trial."""
        return int(np.unique(self.prompt).size)


def _replicates(shares: Sequence[_Share], deletions: Deletions) -> tuple[FloatArray, int]:
    """Return the mean of shares and its replicates without each block, and how many blocks there are; NaN without a trial."""
    blocks = compact(np.concatenate([share.block for share in shares]))
    if not all(share.block.size for share in shares):
        return np.full(1, np.nan), 0
    weights = deletions.weights(blocks.size)
    ends = np.cumsum([share.block.size for share in shares])[:-1]
    codes = np.split(blocks.codes, ends)
    each = [share_of(part.trials.hits, part.trials.n, code, weights) for part, code in zip(shares, codes, strict=True)]
    return np.asarray(np.mean(each, axis=0), float), blocks.size


def _outcome(share: _Share, metric: Metric, rater: _Rater, used: Used, deletions: Deletions) -> Outcome:
    """Return a metric of one cell, whose interval goes by blocks."""
    values, blocks = _replicates([share], deletions)
    found = outcome(values, Reason(metric.undefined), used, _how(metric, rater))
    return found if found.deviations is None else replace(found, deviations=Deviations.of(values, blocks))


def _pair_codes(places: Sequence[EquivalentPrompts]) -> IntArray:
    """Return the code of each item's pair of equivalent prompts."""
    codes: dict[str, int] = {}
    return np.array([codes.setdefault(place.pair, len(codes)) for place in places], np.int64)


def _estimates(
    suite: Suite, rater: _Rater, metrics: Sequence[Metric], options: Options, pairs: IntArray | None = None
) -> Iterator[Estimate]:
    """Yield the metrics of a rater in each cell; `pairs`: the code of each item's pair of prompts, if prompts come in pairs."""
    wanted = [metric for metric in metrics if metric.name in TRIALS and rater.needed(metric)]
    of_tasks: dict[tuple[str, Key], list[_Share]] = {}

    def compute(cell: Cell) -> dict[Key, Outcome]:
        counted = _Counted.of({name: cell.of(rows) for name, rows in rater.judged.items()}, suite)
        block = counted.cluster if pairs is None else pairs[counted.item]
        outcomes = {}
        for metric in wanted:
            key = Key(metric.name, rater=rater.name)
            share = _Share.of(TRIALS[metric.name](counted.counts), counted.cluster, block)
            if cell.task is not None:
                of_tasks.setdefault((cell_name(cell, suite).generator, key), []).append(share)
            outcomes[key] = _outcome(share, metric, rater, counted.used(metric, share.prompts), cell.deletions)
        return outcomes

    if wanted:
        for found in walk(_together(rater.judged), suite, options, compute):
            if pairs is not None and found.place.task == TASKS_MEAN and found.outcome.deviations is not None:
                # a pair has a prompt in each of two tasks
                deletions = Deletions(options.intervals, options.seed)
                deviations = Deviations.of(*_replicates(of_tasks[found.place.generator, found.key], deletions))
                found = replace(found, outcome=replace(found.outcome, deviations=deviations))
            yield _estimate(found, suite, rater)


def _together(judged: Mapping[str, Ratings]) -> Ratings:
    """Return all judgements, whatever their aspect; they name the generators and tasks that there are."""
    columns = {
        column.name: np.concatenate([getattr(rows, column.name) for rows in judged.values()]) for column in fields(Ratings)
    }
    return Ratings(**columns)


def _estimate(found: CellOutcome, suite: Suite, rater: _Rater) -> Estimate:
    bounds, method = interval(found.outcome, SHARE, by_prompt=suite.by_prompt, images=found.outcome.used.items)
    metric = METRICS[found.key.statistic]
    made = estimate_of(found, bounds, method, suite=suite.name, aspect=metric.aspect, target=None, people=rater.people)
    saw = any(each.saw_labels for each in suite.raters if each.scorer and each.name == rater.name)
    return replace(made, kind=rater.kind, saw_labels=saw)


def _consistency(suite: Suite, rater: _Rater, places: Sequence[EquivalentPrompts], options: Options) -> Iterator[Estimate]:
    """Yield VISOR's consistency, by relation, and the mean of the relations that have pairs as that of all."""
    metric = METRICS[VISOR_CONSISTENCY]
    if not rater.needed(metric):
        return
    codes = dict(zip((place.pair for place in places), _pair_codes(places).tolist(), strict=True))
    for generator in [*_generators(rater, options), None]:
        cell = Cell(generator, None, Deletions(options.intervals, options.seed))
        by_relation = _alike(cell, suite, rater, places, codes)
        known = {relation: made for relation, made in by_relation.items() if made.value is not None}
        whole = mean_over_tasks(known) if known else undefined(Reason(metric.undefined), Used(0, 0, 0), _how(metric, rater))
        name = ALL if generator is None else suite.generators[generator]
        for task, made in [*by_relation.items(), (ALL, whole)]:
            yield _estimate(CellOutcome(CellName(name, task), Key(metric.name, rater=rater.name), made), suite, rater)


def _generators(rater: _Rater, options: Options) -> list[int | None]:
    every = np.unique(np.concatenate([rows.generator for rows in rater.judged.values()]))
    return [int(code) for code in every if code >= 0] if options.each_generator else []


def _alike(
    cell: Cell, suite: Suite, rater: _Rater, places: Sequence[EquivalentPrompts], codes: Mapping[str, int]
) -> dict[str, Outcome]:
    """Return the consistency of each relation, leaving out one pair of equivalent prompts after the other."""
    metric = METRICS[VISOR_CONSISTENCY]
    counted = _Counted.of({name: cell.of(rows) for name, rows in rater.judged.items()}, suite)
    asked = [places[code] for code in counted.item]
    made = {}
    for part in equivalent_trials(counted.counts, asked, counted.generator.tolist()):
        pair = np.array([codes[name] for name in part.pair], np.int64)
        share = _Share.of(part.trials, pair, pair)
        counting = {name for name, n in zip(part.pair, part.trials.n, strict=True) if n}
        images = sum(int(n) for place, n in zip(asked, counted.counts.judged, strict=True) if place.pair in counting)
        used = Used(images, int(part.trials.n.sum()), share.prompts)
        made[part.relation] = _outcome(share, metric, rater, used, cell.deletions)
    return made
