"""Image-text matching in a project: accuracy against chance, Winoground's scores, votes, fewer trials.

The command ``itm`` and the page Matching show the same rows, made from evidence as the frames that ``agreement.matching``
takes.
Ablation is accuracy by trials, steps and seed (SelfEval, appendix C): each setting of steps and seed is a rater of its own;
fewer trials are its first ones.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any, Final

import numpy as np
import pandas as pd

from agreement import Options
from agreement.matching import COLUMNS, Votes, by_trials, is_known, matching_statistics, votes, winoground
from agreement.numeric import FloatArray, IntArray
from agreement.questions import GroupStatistic
from agreement.study.cells import ALL
from concord.common import live_updates
from data.store.analysis import study_frames
from data.store.core.selection import Selection
from data.store.core.store import Store
from data.store.judgements.scorer_evidence import CaptionChoice, caption_choices
from scorers.likelihood import rules
from scorers.matching import posterior


@dataclass(frozen=True, slots=True)
class RaterTrials:
    """One rater's trials on some images: (items, N, C), -inf where there is no caption; right places; clusters."""

    fits: FloatArray
    right: IntArray
    clusters: tuple[str, ...]


def answers(found: Iterable[CaptionChoice]) -> pd.DataFrame:
    """A row per image and rater: ``COLUMNS`` and ``captions``."""
    made = [_row(one) for one in found]
    return pd.DataFrame(made, columns=[*COLUMNS, "captions"]).astype({"group": object, "posterior": object})


def _row(one: CaptionChoice) -> dict[str, Any]:
    fits, captions = fits_of(one), one.payload["captions"]
    shares = posterior_of(one, fits)
    right = int(one.payload["right"])
    return {
        "rater": one.rater_id,
        "item": one.item_id,
        "prompt": one.prompt_id,
        "group": one.group,
        "task": one.task,
        "generator": one.generator,
        "fits": fits,
        "right": right,
        "posterior": None if shares is None else shares[right],
        "captions": captions,
    }


def fits_of(one: CaptionChoice) -> list[float | None]:
    """How well each caption fits. Of terms they are made anew, as the rater's settings may be other than the run's."""
    if "terms" not in one.payload:
        return list(one.payload["fits"])
    try:
        return rules.as_json(rules.fits(one.payload, one.settings))
    except (ValueError, LookupError, TypeError):
        return list(one.payload["fits"])


def posterior_of(one: CaptionChoice, fits: Sequence[float | None]) -> tuple[float, ...] | None:
    """The captions' shares by a softmax; None where the fits are no logarithms of likelihoods: an average loss, or one missing.

    Cosines are multiplied by what their model was trained with (``scale``).
    """
    scale = one.payload.get("scale")
    in_nats = one.payload.get("method") == "reverse" or one.settings.get("weighting") == "bound"
    factor = scale if isinstance(scale, int | float) else 1.0 if in_nats else None
    if factor is None or not is_known(fits):
        return None
    return posterior([factor * fit for fit in fits if fit is not None])


def trials_of(found: Iterable[CaptionChoice]) -> RaterTrials | None:
    """The trials of one rater; None where there are none. Images without all numbers, or with fewer trials, are left out."""
    made: list[tuple[CaptionChoice, FloatArray]] = []
    for one in found:
        if "terms" in one.payload:
            try:
                trials = rules.by_trial(one.payload, one.settings)
            except (ValueError, LookupError, TypeError):
                continue
            if np.isfinite(trials).all():
                made.append((one, trials))
    if not made:
        return None
    n = max(trials.shape[0] for _, trials in made)
    made = [(one, trials) for one, trials in made if trials.shape[0] == n]
    size = max(trials.shape[1] for _, trials in made)
    fits = np.full((len(made), n, size), -np.inf)
    for place, (_, trials) in enumerate(made):
        fits[place, :, : trials.shape[1]] = trials
    right = np.array([int(one.payload["right"]) for one, _ in made], np.int64)
    return RaterTrials(fits, right, tuple(one.group or one.prompt_id for one, _ in made))


Row = dict[str, Any]
EVALUATIONS: Final = "evaluations"
"""The share of all evaluations that were made; of likelihood raters alone."""


@dataclass(frozen=True, slots=True)
class MatchingRows:
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


def rows(store: Store, selection: Selection, options: Options | None = None) -> MatchingRows:
    """All figures of a selection, by suite. Of the selection, suite, task, generator and rater restrict."""
    return rows_of_evidence(caption_choices(store, selection), options)


def rows_of_evidence(found: Sequence[CaptionChoice], options: Options | None = None) -> MatchingRows:
    """All figures of evidence that is sorted by suite."""
    made: dict[str, list[Row]] = {"matching": [], "winoground": [], "votes": [], "trials": []}
    for suite, listed in groupby(found, key=lambda one: one.suite):
        mine = list(listed)
        frame = answers(mine)
        made["matching"] += [figure_row(one, suite) for one in matching_statistics(frame, options)]
        made["matching"] += _evaluations(mine, suite)
        made["winoground"] += [figure_row(one, suite) for one in winoground(frame, options)]
        made["votes"] += [_vote(one, suite) for one in votes(frame, options)]
        made["trials"] += _trials(mine, suite, options)
    return MatchingRows(**made)


def _evaluations(mine: Sequence[CaptionChoice], suite: str) -> list[Row]:
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


def by_cell(listed: Iterable[Row]) -> dict[tuple[str, str, str, str], dict[str, Row]]:
    """Rows of ``MatchingRows.matching`` by (suite, generator, task, rater), then by statistic."""
    made: dict[tuple[str, str, str, str], dict[str, Row]] = {}
    for row in listed:
        made.setdefault((row["suite"], row["generator"], row["task"], row["rater"]), {})[row["statistic"]] = row
    return made


@live_updates.cached(maxsize=2, key=study_frames.stamp)
def evidence(store: Store) -> tuple[CaptionChoice, ...]:
    """All that scorers made of images and captions, by suite, rater and image."""
    return tuple(caption_choices(store, Selection()))


@live_updates.cached(maxsize=8, key=study_frames.stamp)
def recall(store: Store, suite: str, options: Options) -> MatchingRows:
    """All figures of a suite."""
    return rows_of_evidence([one for one in evidence(store) if one.suite == suite], options)


@dataclass(frozen=True, slots=True)
class AblationSetting:
    """One point of the grid, and the rater that it is."""

    rater: str
    steps: int
    seed: int


def ablation_rows(
    found: Sequence[CaptionChoice], grid: Iterable[AblationSetting], trials: Sequence[int], options: Options | None = None
) -> list[Row]:
    """A row for each suite, generator, task (and all together), setting and number of trials that the rater has."""
    made: list[Row] = []
    for setting in grid:
        mine = [one for one in found if one.rater_id == setting.rater]
        # suite, generator and task, all tasks first
        cells_of_found = {
            (cells_of_one.suite, cells_of_one.generator, cells_of_task)
            for cells_of_one in mine
            for cells_of_task in (ALL, cells_of_one.task)
        }
        for suite, generator, task in sorted(cells_of_found, key=lambda place: (place[0], place[1], place[2] != ALL, place[2])):
            some = [one for one in mine if (one.suite, one.generator) == (suite, generator) and task in (ALL, one.task)]
            known = trials_of(some)
            if known is None:
                continue
            aggregate = some[0].settings.get("aggregate", "jensen")
            figures = by_trials(known.fits, known.right, known.clusters, aggregate, options, generator, setting.rater)
            named = {"task": task, "steps": setting.steps, "seed": setting.seed}
            made += [
                figure_row(one, suite) | named | {"trials": int(one.group), "left_out": len(some) - one.n}
                for one in figures
                if int(one.group) in trials
            ]
    return made


def ablation_grids(found: Iterable[CaptionChoice]) -> dict[tuple[str, str], list[AblationSetting]]:
    """Raters that differ in steps or seed alone, two or more, by what they have in common: as text, and a title."""
    named: dict[str, CaptionChoice] = {}
    for one in found:
        if isinstance(one.settings.get("steps"), int) and isinstance(one.settings.get("seed"), int) and "terms" in one.payload:
            named.setdefault(one.rater_id, one)
    alike: dict[tuple[str, str], list[AblationSetting]] = {}
    for rater, one in named.items():
        rest = {name: value for name, value in sorted(one.settings.items()) if name not in ("steps", "seed")}
        title = f"{one.scorer or 'scorer'} with {one.settings.get('model', 'its model')}"
        key = (repr((one.scorer, rest)), title)
        alike.setdefault(key, []).append(AblationSetting(rater, one.settings["steps"], one.settings["seed"]))
    return {key: sorted(of, key=lambda one: (one.steps, one.seed)) for key, of in alike.items() if len(of) > 1}
