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
from agreement.numeric import FloatArray
from agreement.questions import GroupStatistic
from agreement.study.cells import ALL
from concord.common import live_updates, sentences
from data.store.analysis import study_frames
from data.store.core.selection import Selection
from data.store.core.store import Store
from data.store.judgements.scorer_evidence import CaptionChoice, caption_choices
from scorers.likelihood import rules
from scorers.matching import posterior


def answers(choices: Iterable[CaptionChoice]) -> pd.DataFrame:
    """A row per image and rater: ``COLUMNS`` and ``captions``."""
    made = []
    for choice in choices:
        fits, right = fits_of(choice), int(choice.payload["right"])
        shares = posterior_of(choice, fits)
        about = {"rater": choice.rater_id, "item": choice.item_id, "prompt": choice.prompt_id, "group": choice.group}
        about |= {"task": choice.task, "generator": choice.generator, "captions": choice.payload["captions"]}
        made.append({**about, "fits": fits, "right": right, "posterior": None if shares is None else shares[right]})
    return pd.DataFrame(made, columns=[*COLUMNS, "captions"]).astype({"group": object, "posterior": object})


def fits_of(choice: CaptionChoice) -> list[float | None]:
    """How well each caption fits. Of terms they are made anew, as the rater's settings may be other than the run's."""
    if "terms" not in choice.payload:
        return list(choice.payload["fits"])
    try:
        return rules.as_json(rules.fits(choice.payload, choice.settings))
    except (ValueError, LookupError, TypeError):
        return list(choice.payload["fits"])


def posterior_of(choice: CaptionChoice, fits: Sequence[float | None]) -> tuple[float, ...] | None:
    """The captions' shares by a softmax; None where the fits are no logarithms of likelihoods: an average loss, or one missing.

    Cosines are multiplied by what their model was trained with (``scale``).
    """
    scale = choice.payload.get("scale")
    in_nats = choice.payload.get("method") == "reverse" or choice.settings.get("weighting") == "bound"
    factor = scale if isinstance(scale, int | float) else 1.0 if in_nats else None
    if factor is None or not is_known(fits):
        return None
    return posterior([factor * fit for fit in fits if fit is not None])


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


def rows_of_evidence(choices: Sequence[CaptionChoice], options: Options | None = None) -> MatchingRows:
    """All figures of evidence that is sorted by suite."""
    made: dict[str, list[Row]] = {"matching": [], "winoground": [], "votes": [], "trials": []}
    for suite, listed in groupby(choices, key=lambda choice: choice.suite):
        mine = list(listed)
        frame = answers(mine)
        made["matching"] += [figure_row(figure, suite) for figure in matching_statistics(frame, options)]
        made["matching"] += _evaluations(mine, suite)
        made["winoground"] += [figure_row(figure, suite) for figure in winoground(frame, options)]
        made["votes"] += [_vote(vote, suite) for vote in votes(frame, options)]
        made["trials"] += _trials(mine, suite, options)
    return MatchingRows(**made)


def _evaluations(mine: Sequence[CaptionChoice], suite: str) -> list[Row]:
    """How many of all evaluations (trials x captions x steps) likelihood raters made: fewer where captions were given up."""
    made: dict[tuple[str, str, str], list[tuple[int, int]]] = {}
    for choice in mine:
        counts = (choice.payload.get("evaluations"), choice.payload.get("full"))
        if all(isinstance(n, int) and n > 0 for n in counts):
            for task in (ALL, choice.task):
                made.setdefault((choice.generator, task, choice.rater_id), []).append(counts)  # type: ignore[arg-type]
    return [
        {"suite": suite, "generator": generator, "task": task, "rater": rater, "statistic": EVALUATIONS}
        | {"value": done / full, "low": None, "high": None, "n": len(counts), "unit": "images", "n_prompts": None}
        | {"excluded": {}, "reason": None, "method": f"{done:,} of {full:,} trials x captions x steps"}
        for (generator, task, rater), counts in made.items()
        for done, full in (map(sum, zip(*counts, strict=True)),)
    ]


def _trials(mine: Sequence[CaptionChoice], suite: str, options: Options | None) -> list[Row]:
    def who(choice: CaptionChoice) -> tuple[str, str]:
        return choice.rater_id, choice.generator

    return [
        figure_row(figure, suite) | {"generator": generator, "task": ALL, "trials": int(figure.group)}
        for (rater, generator), listed in groupby(sorted(mine, key=who), key=who)
        for figure in _by_trials(list(listed), generator, rater, options, fewest=2)
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
    right = np.array([int(choice.payload["right"]) for choice, _ in made], np.int64)
    clusters = tuple(choice.group or choice.prompt_id for choice, _ in made)
    aggregate = choices[0].settings.get("aggregate", "jensen")
    return list(by_trials(fits, right, clusters, aggregate, options, generator, rater))


def figure_row(figure: GroupStatistic, suite: str) -> Row:
    """Plain types; ``n`` counts ``unit``, ``excluded`` what was left out and why."""
    where = {"suite": suite, "generator": figure.generator, "task": figure.group, "rater": figure.rater}
    return {**where, "statistic": figure.statistic, **number_row(figure)}


def _vote(compared: Votes, suite: str) -> Row:
    counts = {name: getattr(compared, name) for name in ("only_a", "only_b", "both", "neither")}
    where = {"suite": suite, "generator": compared.generator, "task": compared.task, "a": compared.a, "b": compared.b}
    return {**where, **counts, "statistic": compared.difference.statistic, **number_row(compared.difference)}


def number_row(figure: GroupStatistic) -> Row:
    """A figure's number with all that it comes with."""
    return {
        "value": figure.outcome.value,
        "low": figure.bounds.low,
        "high": figure.bounds.high,
        "n": figure.n,
        "unit": figure.unit,
        "n_prompts": figure.outcome.used.clusters,
        "excluded": dict(figure.outcome.used.excluded),
        "reason": sentences.text_or_none(figure.outcome.reason),
        "method": sentences.text(figure.method),
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
    return rows_of_evidence([choice for choice in evidence(store) if choice.suite == suite], options)


@dataclass(frozen=True, slots=True)
class AblationSetting:
    """One point of the grid, and the rater that it is."""

    rater: str
    steps: int
    seed: int


def ablation_rows(
    choices: Sequence[CaptionChoice], grid: Iterable[AblationSetting], trials: Sequence[int], options: Options | None = None
) -> list[Row]:
    """A row for each suite, generator, task (and all together), setting and number of trials that the rater has."""
    made: list[Row] = []
    for setting in grid:
        mine = [choice for choice in choices if choice.rater_id == setting.rater]
        # suite, generator and task, all tasks first
        cells = {(choice.suite, choice.generator, task) for choice in mine for task in (ALL, choice.task)}
        for suite, generator, task in sorted(cells, key=lambda cell: (cell[0], cell[1], cell[2] != ALL, cell[2])):
            there = (choice for choice in mine if (choice.suite, choice.generator) == (suite, generator))
            some = [choice for choice in there if task in (ALL, choice.task)]
            named = {"task": task, "steps": setting.steps, "seed": setting.seed}
            made += [
                figure_row(figure, suite) | named | {"trials": int(figure.group), "left_out": len(some) - figure.n}
                for figure in _by_trials(some, generator, setting.rater, options)
                if int(figure.group) in trials
            ]
    return made


def ablation_grids(choices: Iterable[CaptionChoice]) -> dict[tuple[str, str], list[AblationSetting]]:
    """Raters that differ in steps or seed alone, two or more, by what they have in common: as text, and a title."""
    named: dict[str, CaptionChoice] = {}
    for choice in choices:
        whole = all(isinstance(choice.settings.get(name), int) for name in ("steps", "seed"))
        if whole and "terms" in choice.payload:
            named.setdefault(choice.rater_id, choice)
    alike: dict[tuple[str, str], list[AblationSetting]] = {}
    for rater, caption_choice in named.items():
        rest = {name: value for name, value in sorted(caption_choice.settings.items()) if name not in ("steps", "seed")}
        title = f"{caption_choice.scorer or 'scorer'} with {caption_choice.settings.get('model', 'its model')}"
        key = (repr((caption_choice.scorer, rest)), title)
        setting = AblationSetting(rater, caption_choice.settings["steps"], caption_choice.settings["seed"])
        alike.setdefault(key, []).append(setting)
    return {key: sorted(of, key=lambda setting: (setting.steps, setting.seed)) for key, of in alike.items() if len(of) > 1}
