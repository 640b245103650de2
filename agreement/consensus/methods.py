"""A consensus of people: one label for each unit, computed from what they said of it.

`majority` is what more than half say. `dawid_skene` and `mace` weigh people by how they answer (`crowd_models`), so they need
persons: slots are not individuals. Where labels lead equally there is no label, whatever their names.

A person is never compared with a consensus that their own answer is in: `held_out` is, for each answer, the label without
it. For the models that is the posterior of the others' answers, with rates that were estimated once from everybody's.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
import pandas as pd

from agreement.consensus import crowd_models
from agreement.consensus.crowd_models import Answers, Model, ModelName, NoCrowdKitError
from agreement.numeric import BoolArray, FloatArray, IntArray, cluster_sums, ratio
from agreement.report.leave_one_out import others
from agreement.report.scorer_human import strict_majority
from agreement.study.outcome import compact

__all__ = ["METHODS", "Agreed", "Answers", "Consensus", "Method", "NoCrowdKitError", "Quality", "consensus", "reach"]

Method = Literal["majority", "dawid_skene", "mace"]
METHODS: tuple[Method, ...] = get_args(Method)
MOST_LABELS = 100
"""So many different labels a model takes."""
NO_ANSWERS = "nobody has answered"
SLOTS = "slots are not individuals, and {} weighs persons; majority serves instead"
UNPAIRED = "no two persons have answered about the same, so nothing tells whom to trust"
ONE_LABEL = "all answers are one label, which tells nobody who knows from who guesses"
TIED, NO_MAJORITY, ALONE = "labels lead equally", "no label has more than half", "nobody else has answered"
_TIE = 0.01
"""Labels this close in probability are equal: where two persons always differ, only MACE's restarts tell one from the other."""


@dataclass(frozen=True)
class Consensus:
    """The consensus on some answers.

    Attributes:
        label: (units,), -1 where there is none.
        confidence: (units,), 0 to 1: the share of the answers (majority) or the posterior probability that the leading label
            has; NaN where nothing is computed.
        tied: (units,), whether two labels or more lead equally.
        held_out: (answers,), the label of the answer's unit without that answer; -1 where there is none.
        reason: why there is no consensus at all, None if there is.
        model: what people's quality is read from; None for majority, and where nothing tells it.
        no_quality: why there is none; None if there is.
    """

    method: Method
    label: IntArray
    confidence: FloatArray
    tied: BoolArray
    held_out: IntArray
    reason: str | None = None
    model: Model | None = None
    no_quality: str | None = None

    def quality(self, rows: BoolArray) -> float:
        """Of the person whose answers `rows` are; NaN where undefined. No interval: that takes a fit without each prompt."""
        return float("nan") if self.model is None else float(self.model.quality(self.model.columns[rows].sum(0)))


def reach(answers: Answers, method: Method, *, persons: bool = True, seed: int = 0) -> Consensus:
    """The consensus of people.

    Args:
        answers: at most one for each unit and person.
        method: of METHODS.
        persons: whether the persons are individuals, not slots.
        seed: of mace's restarts.

    Raises:
        NoCrowdKitError: a model is asked for, and crowd-kit is not installed.
    """
    if not answers.unit.size:
        return _nothing(method, answers, NO_ANSWERS)
    if method == "majority":
        return _majority(answers)
    if not persons:
        return _nothing(method, answers, SLOTS.format(method))
    if np.bincount(answers.unit).max() < 2:
        return _nothing(method, answers, UNPAIRED)
    if answers.labels > MOST_LABELS:
        return _nothing(method, answers, f"{answers.labels:,} different labels; {method} takes {MOST_LABELS}")
    if answers.labels == 1:
        return _one_label(method, answers)
    try:
        model = crowd_models.fit(method, answers, seed)
    except crowd_models.NoModelError as error:
        return _nothing(method, answers, str(error))
    leading = _leading(model.posterior)
    return Consensus(method, leading.label, leading.share, leading.tied, _without(model, answers), model=model)


def _nothing(method: Method, answers: Answers, reason: str) -> Consensus:
    units = answers.units
    none, unknown = np.full(units, -1, np.int64), np.full(units, np.nan)
    return Consensus(method, none, unknown, np.zeros(units, bool), np.full(answers.unit.size, -1), reason, None, reason)


def _one_label(method: ModelName, answers: Answers) -> Consensus:
    units = answers.units
    held_out = np.where(np.bincount(answers.unit)[answers.unit] > 1, 0, -1)
    label, sure, tied = np.zeros(units, np.int64), np.ones(units), np.zeros(units, bool)
    return Consensus(method, label, sure, tied, held_out, no_quality=ONE_LABEL)


def _majority(answers: Answers) -> Consensus:
    units, labels = answers.units, answers.labels
    label = strict_majority(answers.unit, units, answers.label, labels).label
    key, count = np.unique(answers.unit * labels + answers.label, return_counts=True)
    most = np.zeros(units, np.int64)
    np.maximum.at(most, key // labels, count)
    leaders = np.bincount(key[count == most[key // labels]] // labels, minlength=units)
    n = np.bincount(answers.unit, minlength=units)
    left = others(answers.unit, answers.label)
    ahead = left.take(2 * left.times > n[answers.unit[left.place]] - 1)
    held_out = np.full(answers.unit.size, -1, np.int64)
    held_out[ahead.place] = answers.label[ahead.of]
    no_quality = "majority counts everybody alike"
    return Consensus(
        "majority", label, ratio(most.astype(float), n.astype(float)), leaders > 1, held_out, no_quality=no_quality
    )


@dataclass(frozen=True)
class _Leading:
    label: IntArray
    share: FloatArray
    tied: BoolArray


def _leading(posterior: FloatArray) -> _Leading:
    """The most probable label of each row, -1 where several are."""
    top = posterior.max(1)
    tied = (posterior >= top[:, None] - _TIE).sum(1) > 1
    return _Leading(np.where(tied, -1, posterior.argmax(1)).astype(np.int64), top, tied)


def _without(model: Model, answers: Answers) -> IntArray:
    """For each answer the most probable label by the others' answers about its unit."""
    total = cluster_sums(model.terms, answers.unit, answers.units) + model.prior
    rest = total[answers.unit] - model.terms
    weight = np.exp(rest - rest.max(1, keepdims=True))
    label = _leading(weight / weight.sum(1, keepdims=True)).label
    alone = np.bincount(answers.unit)[answers.unit] < 2
    return np.where(alone, -1, label).astype(np.int64)


@dataclass(frozen=True)
class Agreed:
    """A unit's consensus: its label, None with a reason; `n` answers; `confidence` as in `Consensus`."""

    item: str
    label: str | None
    confidence: float | None
    n: int
    reason: str | None


@dataclass(frozen=True)
class Quality:
    """A person's: `n` answers, and the expected accuracy (dawid_skene) or competence (mace), None with a reason."""

    rater: str
    n: int
    value: float | None
    reason: str | None


@dataclass(frozen=True)
class Reached:
    """The consensus of a long frame: units in order of their items, persons in order of their names."""

    method: Method
    items: tuple[Agreed, ...]
    raters: tuple[Quality, ...]
    n: int
    reason: str | None


def consensus(
    said: pd.DataFrame, method: Method, *, levels: Sequence[str] | None = None, persons: bool = True, seed: int = 0
) -> Reached:
    """The consensus of a long frame, whatever the order of its rows.

    Args:
        said: columns `item`, `rater` and `label`, all text; an answer a row, one for each item and rater.
        method: of METHODS.
        levels: the labels in the order of their scale; None for those that occur, by name. Only the arithmetic's order
            depends on it.
        persons: whether the raters are individuals, not slots.
        seed: of mace's restarts.

    Raises:
        ValueError: an unknown method, a rater's second answer, a label that is missing or not among `levels`.
        NoCrowdKitError: a model is asked for, and crowd-kit is not installed.
    """
    if method not in METHODS:
        raise ValueError(f"unknown method {method}; known are {', '.join(METHODS)}")
    if said.duplicated(["item", "rater"]).any():
        raise ValueError("a rater has two answers about an item")
    names = sorted({str(name) for name in said["label"].dropna()}) if levels is None else list(levels)
    if missing := sorted({str(name) for name in said["label"]} - set(names)):
        raise ValueError(f"{', '.join(missing)}: not on the scale {', '.join(names)}")
    rows = said.sort_values(["item", "rater"], kind="stable")
    unit, items = pd.factorize(rows["item"])
    person, raters = pd.factorize(rows["rater"], sort=True)
    label = compact(np.array([names.index(name) for name in rows["label"]], np.int64))
    used = [names[code] for code in np.unique([names.index(name) for name in rows["label"]])] if len(rows) else []
    answers = Answers(unit.astype(np.int64), person.astype(np.int64), label.codes)
    found = reach(answers, method, persons=persons, seed=seed)
    n = np.bincount(answers.unit, minlength=len(items))
    agreed = tuple(_agreed(found, code, str(name), int(n[code]), used) for code, name in enumerate(items))
    people = tuple(_quality(found, answers.person == code, str(name)) for code, name in enumerate(raters))
    return Reached(method, agreed, people, len(rows), found.reason)


def _agreed(found: Consensus, code: int, item: str, n: int, names: Sequence[str]) -> Agreed:
    label, confidence = int(found.label[code]), float(found.confidence[code])
    reason = None if label >= 0 else found.reason or (TIED if found.tied[code] else NO_MAJORITY)
    return Agreed(item, names[label] if label >= 0 else None, None if np.isnan(confidence) else confidence, n, reason)


def _quality(found: Consensus, rows: BoolArray, rater: str) -> Quality:
    n = int(rows.sum())
    value = found.quality(rows)
    return Quality(rater, n, None if np.isnan(value) else value, found.no_quality if np.isnan(value) else None)
