"""Image-text matching in a project: accuracy against chance, Winoground's scores, votes, fewer trials.

The command ``itm`` and the page Matching show the same numbers, made from evidence as the frames that ``agreement.matching``
takes.
Ablation is accuracy by trials, steps and seed (SelfEval, appendix C): each setting of steps and seed is a rater of its own;
fewer trials are its first ones.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Any, Final

import numpy as np
import pandas as pd

from agreement import Options
from agreement.inference.intervals import Interval
from agreement.matching import (
    ACCURACY,
    CHANCE,
    COLUMNS,
    GROUP_SCORE,
    IMAGE_SCORE,
    LIFT,
    POSTERIOR,
    RANK,
    TEXT_SCORE,
    Votes,
    by_trials,
    is_known,
    is_right,
    matching_statistics,
    votes,
    winoground,
)
from agreement.numeric import FloatArray
from agreement.questions.scores import GroupStatistic, StatisticKey
from agreement.reasons import Method, MethodCode
from agreement.study.cells import ALL, Outcome, Used
from concord.common import live_updates, reason_sentences
from data.selection import Selection
from data.store.analysis import study_frames
from data.store.core.store import Store
from data.store.judgements.scorer_evidence import CaptionChoice, caption_choices
from scorers.likelihood import rules
from scorers.matching import posterior

Json = dict[str, Any]


def answers(choices: Iterable[CaptionChoice]) -> pd.DataFrame:
    """Return a row per image and rater: ``COLUMNS`` and ``captions``."""
    rows = []
    for choice in choices:
        fits = fits_of(choice)
        shares = posterior_of(choice, fits)
        about = (choice.rater_id, choice.item_id, choice.prompt_id, choice.group, choice.task, choice.generator)
        rows.append((*about, fits, choice.right, None if shares is None else shares[choice.right], choice.captions))
    return pd.DataFrame(rows, columns=[*COLUMNS, "captions"]).astype({"group": object, "posterior": object})


def fits_of(choice: CaptionChoice) -> list[float | None]:
    """How well each caption fits. Of terms they are made anew, as the rater's settings may be other than the run's."""
    if "terms" not in choice.payload:
        return choice.fits
    try:
        return rules.as_json(rules.fits(choice.payload, choice.settings))
    except (ValueError, LookupError, TypeError):
        return choice.fits


def posterior_of(choice: CaptionChoice, fits: Sequence[float | None]) -> tuple[float, ...] | None:
    """The captions' shares by a softmax; None where the fits are no logarithms of likelihoods: an average loss, or one missing.

    Cosines are multiplied by what their model was trained with (``scale``).
    """
    factor = choice.scale
    if factor is None and rules.is_in_nats(choice.payload, choice.settings):
        factor = 1.0
    if factor is None or not is_known(fits):
        return None
    return posterior([factor * fit for fit in fits if fit is not None])


EVALUATIONS: Final = "evaluations"
"""The share of all evaluations that were made; of likelihood raters alone."""


def right_caption(choice: CaptionChoice) -> bool | None:
    """Return True if a scorer picked the right caption alone, so a tie is not right; None where a caption has no number."""
    fits = fits_of(choice)
    return is_right([fit for fit in fits if fit is not None], choice.right) if is_known(fits) else None


@dataclass(frozen=True, slots=True)
class MatchingStatistics:
    """The numbers of all figures, by suite.

    Attributes:
        matching: each rater's accuracy, chance and what lies between, by generator and task (its group).
        winoground: text, image and group score; ``votes``: images on which only one of two raters is right.
        trials: accuracy by the first 1, 2, ... trials (its group) of a rater that has more than one.
    """

    matching: tuple[GroupStatistic, ...]
    winoground: tuple[GroupStatistic, ...]
    votes: tuple[Votes, ...]
    trials: tuple[GroupStatistic, ...]

    def where(self, *, suite: str | None = None, generator: str | None = None) -> MatchingStatistics:
        """Return the numbers of one suite, of one generator, or of both."""

        def fits(row: GroupStatistic | Votes) -> bool:
            return suite in (None, row.suite) and generator in (None, row.generator)

        return MatchingStatistics(
            tuple(filter(fits, self.matching)),
            tuple(filter(fits, self.winoground)),
            tuple(filter(fits, self.votes)),
            tuple(filter(fits, self.trials)),
        )

    def to_json(self) -> dict[str, list[Json]]:
        """Return the numbers as plain types, by figure."""
        return {
            "matching": [_statistic_json(row) for row in self.matching],
            "winoground": [_statistic_json(row) for row in self.winoground],
            "votes": [_votes_json(row) for row in self.votes],
            "trials": [_statistic_json(row) | {"task": ALL, "trials": int(row.group)} for row in self.trials],
        }


def _statistic_json(row: GroupStatistic) -> Json:
    where = {"suite": row.suite, "generator": row.generator, "task": row.group, "rater": row.rater}
    return {**where, "statistic": row.statistic, **_number_json(row)}


def _votes_json(row: Votes) -> Json:
    where = {"suite": row.suite, "generator": row.generator, "task": row.task, "a": row.a, "b": row.b}
    counts = {"only_a": row.only_a, "only_b": row.only_b, "both": row.both, "neither": row.neither}
    return {**where, **counts, "statistic": row.difference.statistic, **_number_json(row.difference)}


def _number_json(row: GroupStatistic) -> Json:
    return {
        "value": row.value,
        "low": row.low,
        "high": row.high,
        "n": row.n,
        "unit": row.unit,
        # evaluations are counted, not estimated from prompts
        "n_prompts": None if row.statistic == EVALUATIONS else row.n_prompts,
        "excluded": dict(row.excluded),
        "reason": reason_sentences.text_or_none(row.reason),
        "method": reason_sentences.text(row.method),
    }


@dataclass(frozen=True, slots=True)
class MatchingCell:
    """A rater's numbers on a generator's images of a task, or of all.

    Attributes:
        above_chance: accuracy less chance.
        posterior, rank: of the right caption.
        evaluations: the share of all evaluations that were made; None for a rater without likelihoods.
    """

    generator: str
    task: str
    rater: str
    accuracy: GroupStatistic
    chance: GroupStatistic
    above_chance: GroupStatistic
    posterior: GroupStatistic
    rank: GroupStatistic
    evaluations: GroupStatistic | None


def matching_cells(matching: Iterable[GroupStatistic]) -> list[MatchingCell]:
    """Return the cells of one suite's ``MatchingStatistics.matching``."""
    return [
        MatchingCell(
            generator, task, rater, row[ACCURACY], row[CHANCE], row[LIFT], row[POSTERIOR], row[RANK], row.get(EVALUATIONS)
        )
        for (generator, task, rater), row in _by_statistic(matching).items()
    ]


@dataclass(frozen=True, slots=True)
class WinogroundScores:
    """A rater's three scores on a generator's groups of a task, or of all."""

    generator: str
    task: str
    rater: str
    text: GroupStatistic
    image: GroupStatistic
    group: GroupStatistic


def winoground_scores(scores: Iterable[GroupStatistic]) -> list[WinogroundScores]:
    """Return the cells of one suite's ``MatchingStatistics.winoground``."""
    return [
        WinogroundScores(generator, task, rater, row[TEXT_SCORE], row[IMAGE_SCORE], row[GROUP_SCORE])
        for (generator, task, rater), row in _by_statistic(scores).items()
    ]


def _by_statistic(statistics: Iterable[GroupStatistic]) -> dict[tuple[str, str, str], dict[str, GroupStatistic]]:
    """Numbers by generator, task and rater, then by statistic."""
    cells: dict[tuple[str, str, str], dict[str, GroupStatistic]] = {}
    for row in statistics:
        cells.setdefault((row.generator, row.group, str(row.rater)), {})[row.statistic] = row
    return cells


def statistics(store: Store, selection: Selection, options: Options | None = None) -> MatchingStatistics:
    """All figures of a selection, by suite. Of the selection, suite, task, generator and rater restrict."""
    return statistics_of_evidence(caption_choices(store, selection), options)


def statistics_of_evidence(choices: Sequence[CaptionChoice], options: Options | None = None) -> MatchingStatistics:
    """All figures of evidence that is sorted by suite."""
    matching: list[GroupStatistic] = []
    groups: list[GroupStatistic] = []
    compared: list[Votes] = []
    trials: list[GroupStatistic] = []
    for suite, listed in groupby(choices, key=lambda choice: choice.suite):
        mine = list(listed)
        frame = answers(mine)
        matching += [replace(row, suite=suite) for row in (*matching_statistics(frame, options), *_evaluations(mine))]
        groups += [replace(row, suite=suite) for row in winoground(frame, options)]
        compared += [replace(row, suite=suite) for row in votes(frame, options)]
        trials += [replace(row, suite=suite) for row in _trials(mine, options)]
    return MatchingStatistics(tuple(matching), tuple(groups), tuple(compared), tuple(trials))


def _evaluations(mine: Sequence[CaptionChoice]) -> Iterator[GroupStatistic]:
    """How many of all evaluations (trials x captions x steps) likelihood raters made: fewer where captions were given up."""
    cells: dict[tuple[str, str, str], list[tuple[int, int]]] = {}
    for choice in mine:
        if choice.evaluations is not None:
            for task in (ALL, choice.task):
                cells.setdefault((choice.generator, task, choice.rater_id), []).append(choice.evaluations)
    for (generator, task, rater), counted in cells.items():
        done, full = map(sum, zip(*counted, strict=True))
        method = Method(MethodCode.EVALUATIONS, done=done, full=full)
        outcome = Outcome(done / full, None, None, Used(len(counted), len(counted), 0), method)
        key = StatisticKey("task", task, rater, generator)
        yield GroupStatistic(
            **vars(key), statistic=EVALUATIONS, unit="images", outcome=outcome, bounds=Interval(), method=method
        )


def _trials(mine: Sequence[CaptionChoice], options: Options | None) -> list[GroupStatistic]:
    def who(choice: CaptionChoice) -> tuple[str, str]:
        return choice.rater_id, choice.generator

    return [
        statistic
        for (rater, generator), listed in groupby(sorted(mine, key=who), key=who)
        for statistic in _by_trials(list(listed), generator, rater, options, fewest=2)
    ]


def _by_trials(
    choices: Sequence[CaptionChoice], generator: str, rater: str, options: Options | None, fewest: int = 1
) -> list[GroupStatistic]:
    """Accuracy by the first trials of one rater; nothing where it has fewer trials than ``fewest``.

    Images without all numbers, or with fewer trials, are left out.
    """
    made: list[tuple[CaptionChoice, FloatArray]] = []
    for choice in choices:
        if "terms" in choice.payload:
            try:
                trials = rules.by_trial(choice.payload, choice.settings)
            except (ValueError, LookupError, TypeError):
                continue
            if np.isfinite(trials).all():
                made.append((choice, trials))
    n = max((trials.shape[0] for _, trials in made), default=0)
    if n < fewest:
        return []
    made = [(choice, trials) for choice, trials in made if trials.shape[0] == n]
    # images, trials and captions; -inf where there is no caption
    fits = np.full((len(made), n, max(trials.shape[1] for _, trials in made)), -np.inf)
    for position, (_, trials) in enumerate(made):
        fits[position, :, : trials.shape[1]] = trials
    right = np.array([choice.right for choice, _ in made], np.int64)
    clusters = tuple(choice.group or choice.prompt_id for choice, _ in made)
    aggregate = choices[0].settings.get("aggregate", "jensen")
    return list(by_trials(fits, right, clusters, aggregate, options, generator, rater))


@live_updates.cached(maxsize=2, key=study_frames.stamp)
def evidence(store: Store) -> tuple[CaptionChoice, ...]:
    """All that scorers made of images and captions, by suite, rater and image."""
    return tuple(caption_choices(store, Selection()))


def has_captions(store: Store, suite: str) -> bool:
    """Return True if any scorer chose among captions for images of a suite."""
    return any(choice.suite == suite for choice in evidence(store))


@live_updates.cached(maxsize=8, key=study_frames.stamp)
def recall(store: Store, suite: str, options: Options) -> MatchingStatistics:
    """All figures of a suite."""
    return statistics_of_evidence([choice for choice in evidence(store) if choice.suite == suite], options)


@dataclass(frozen=True, slots=True)
class AblationSetting:
    """One point of the grid, and the rater that it is."""

    rater: str
    steps: int
    seed: int


@dataclass(frozen=True, slots=True)
class AblationPoint:
    """The accuracy of one setting by so many trials, on a generator's images of a task, or of all.

    Attributes:
        left_out: how many images it has fewer trials, or no number, for.
    """

    suite: str
    generator: str
    task: str
    steps: int
    seed: int
    trials: int
    accuracy: GroupStatistic
    left_out: int

    def to_json(self) -> Json:
        """Return the point as plain types."""
        setting = {"task": self.task, "steps": self.steps, "seed": self.seed, "trials": self.trials}
        return _statistic_json(self.accuracy) | setting | {"left_out": self.left_out}


def ablation(
    store: Store, selection: Selection, grid: Iterable[AblationSetting], trials: Sequence[int], options: Options
) -> list[AblationPoint]:
    """Return the points of ``ablation_points`` for the selected images, as these raters chose among their captions."""
    return ablation_points(caption_choices(store, selection), grid, trials, options)


def ablation_points(
    choices: Sequence[CaptionChoice], grid: Iterable[AblationSetting], trials: Sequence[int], options: Options | None = None
) -> list[AblationPoint]:
    """Return a point for each suite, generator, task (and all together), setting and number of trials that the rater has."""
    points: list[AblationPoint] = []
    for setting in grid:
        mine = [choice for choice in choices if choice.rater_id == setting.rater]
        # suite, generator and task, all tasks first
        cells = {(choice.suite, choice.generator, task) for choice in mine for task in (ALL, choice.task)}
        for suite, generator, task in sorted(cells, key=lambda cell: (cell[0], cell[1], cell[2] != ALL, cell[2])):
            there = (choice for choice in mine if (choice.suite, choice.generator) == (suite, generator))
            some = [choice for choice in there if task in (ALL, choice.task)]
            for accuracy in _by_trials(some, generator, setting.rater, options):
                n, named = int(accuracy.group), replace(accuracy, suite=suite)
                if n in trials:
                    left = len(some) - accuracy.n
                    points.append(AblationPoint(suite, generator, task, setting.steps, setting.seed, n, named, left))
    return points


def ablation_grids(choices: Iterable[CaptionChoice]) -> dict[tuple[str, str], list[AblationSetting]]:
    """Raters that differ in steps or seed alone, two or more, by what they have in common: as text, and a title."""
    named: dict[str, tuple[CaptionChoice, AblationSetting]] = {}
    for choice in choices:
        steps, seed = (choice.settings.get(name) for name in ("steps", "seed"))
        if isinstance(steps, int) and isinstance(seed, int) and "terms" in choice.payload:
            named.setdefault(choice.rater_id, (choice, AblationSetting(choice.rater_id, steps, seed)))
    alike: dict[tuple[str, str], list[AblationSetting]] = {}
    for choice, setting in named.values():
        rest = {name: value for name, value in sorted(choice.settings.items()) if name not in ("steps", "seed")}
        title = f"{choice.scorer or 'scorer'} with {choice.settings.get('model', 'its model')}"
        alike.setdefault((repr((choice.scorer, rest)), title), []).append(setting)
    return {key: sorted(of, key=lambda setting: (setting.steps, setting.seed)) for key, of in alike.items() if len(of) > 1}
