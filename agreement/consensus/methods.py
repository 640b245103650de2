"""Consensus of people: one label for each unit, by majority, by Dawid and Skene (1979), or by MACE (Hovy et al. 2013).

`majority` is what more than half say. `dawid_skene` and `mace` weigh people by how they answer, so they need persons: slots
are not individuals. Where labels lead equally there is no label, whatever their names. crowd-kit is imported when a model
is asked for. Only its parameters and posteriors are used: of equally probable labels it picks one at random
(`get_most_probable_labels`), here that is a tie.

A person is never compared with a consensus that their own answer is in: `held_out` is, for each answer, the label without
it. For the models that is the posterior of the others' answers, with rates that were estimated once from everybody's.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from hashlib import sha256
from typing import TYPE_CHECKING, Literal, get_args

import numpy as np
import pandas as pd

from agreement.numeric import BoolArray, FloatArray, IntArray, cluster_sums, ratio
from agreement.report.leave_one_out import remaining_ratings
from agreement.report.scorer_human import strict_majority
from agreement.study.cells import compact

if TYPE_CHECKING:
    import pandas as pd


ModelName = Literal["dawid_skene", "mace"]
MODELS: tuple[ModelName, ...] = ("dawid_skene", "mace")
_EPS = 1e-10  # crowd-kit's: the least probability of an answer
_PRIOR = 0.5  # crowd-kit's default: of the beta distribution of a person's knowing
_ITERATIONS = 100
_FIRST_LABEL = 2
RESTARTS, STEPS = 10, 50  # of MACE, crowd-kit's defaults
_MET = 0.5  # expected units of a label, from which a person's way with it counts


class NoCrowdKitError(RuntimeError):
    """crowd-kit is not installed."""


class NoModelError(ValueError):
    """The answers do not determine a model."""


@dataclass(frozen=True)
class CrowdAnswers:
    """An answer a row: codes 0, 1, ... of its unit, of the person and of the label; every person, unit and label occurs."""

    unit: IntArray
    person: IntArray
    label: IntArray

    @property
    def units(self) -> int:
        return int(self.unit.max(initial=-1)) + 1

    @property
    def persons(self) -> int:
        return int(self.person.max(initial=-1)) + 1

    @property
    def labels(self) -> int:
        return int(self.label.max(initial=-1)) + 1

    @property
    def digest(self) -> str:
        """Of all three, in their order."""
        return sha256(b"".join(column.tobytes() for column in (self.unit, self.person, self.label))).hexdigest()


@dataclass(frozen=True)
class Model:
    """A fitted model.

    Attributes:
        posterior: (units, labels), how probable each label is.
        prior: (labels,), its logarithm before any answer.
        terms: (answers, labels), the logarithm of how probable the answer is if the unit's label were that.
        columns: (answers, p), what a person's quality is made of: sums over their answers.
        quality: from such sums (..., p) the quality (...), 0 to 1.
    """

    posterior: FloatArray
    prior: FloatArray
    terms: FloatArray
    columns: FloatArray
    quality: Callable[[FloatArray], FloatArray]


def installed() -> bool:
    """Whether crowd-kit is there."""
    from importlib.util import find_spec

    return find_spec("crowdkit") is not None


def fit(name: ModelName, answers: CrowdAnswers, seed: int) -> Model:
    """Fit a model; the same answers in any order, with the same seed, give the same bits.

    Raises:
        NoCrowdKitError: crowd-kit is not installed.
        NoModelError: the arithmetic breaks down.
    """
    if not installed():
        raise NoCrowdKitError(f"{name} needs crowd-kit, which is not installed: do not leave out the group `consensus`")
    return _fitted(_FitRequest(name, seed, RESTARTS, answers.digest, answers))


@dataclass(frozen=True)
class _FitRequest:
    """What is fitted; of the answers a digest is compared."""

    name: ModelName
    seed: int
    restarts: int
    digest: str
    answers: CrowdAnswers = field(compare=False)


@lru_cache(maxsize=8)
def _fitted(asked: _FitRequest) -> Model:
    """The model, kept: a page asks again after every change of what it shows."""
    answers = asked.answers
    # what it calls of pandas is to change some day; whoever asks for a consensus can do nothing about it
    warnings.filterwarnings("ignore", module=r"crowdkit\.")
    order = np.lexsort((answers.unit, answers.person))
    ordered = CrowdAnswers(answers.unit[order], answers.person[order], answers.label[order])
    made = (_dawid_skene if asked.name == "dawid_skene" else _mace)(ordered, asked)
    if not all(np.isfinite(part).all() for part in (made.posterior, made.prior, made.terms, made.columns)):
        raise NoModelError("the model gives no numbers for these answers")
    back = np.argsort(order)
    return Model(made.posterior, made.prior, made.terms[back], made.columns[back], made.quality)


def _frame(answers: CrowdAnswers, label: IntArray) -> pd.DataFrame:
    """Codes, of which crowd-kit makes groups much faster than of names; it takes labels 0 and 1 for False and True."""
    import pandas as pd

    return pd.DataFrame({"task": answers.unit, "worker": answers.person, "label": label + _FIRST_LABEL})


def _dawid_skene(answers: CrowdAnswers, _: _FitRequest) -> Model:
    """The expected accuracy of a person: sum over labels of the label's prior times how often they recognise it."""
    from crowdkit.aggregation.classification.dawid_skene import DawidSkene

    fitted = DawidSkene(n_iter=_ITERATIONS).fit(_frame(answers, answers.label))
    if fitted.probas_ is None or fitted.priors_ is None or fitted.errors_ is None:
        raise NoModelError("the model gives no numbers for these answers")
    posterior = fitted.probas_.sort_index().sort_index(axis=1).to_numpy(float)
    prior = fitted.priors_.sort_index().to_numpy(float)
    errors = np.full((answers.persons, answers.labels, answers.labels), _EPS)
    found = fitted.errors_.sort_index(axis=1)
    person, said = (found.index.get_level_values(name).to_numpy(int) for name in ("worker", "label"))
    errors[person, said - _FIRST_LABEL] = found.to_numpy(float)
    mine = posterior[answers.unit]
    hit = np.where(np.arange(answers.labels) == answers.label[:, None], mine, 0.0)
    columns = np.concatenate([hit, mine], axis=1)

    def quality(sums: FloatArray) -> FloatArray:
        right, all_ = sums[..., : prior.size], sums[..., prior.size :]
        # a label that a person has hardly met says nothing of them, and the others share its weight
        met = all_ >= _MET
        return ratio((prior * np.where(met, right / np.where(met, all_, 1.0), 0.0)).sum(-1), (prior * met).sum(-1))

    return Model(posterior, np.log(prior), np.log(errors[answers.person, answers.label]), columns, quality)


def _mace(answers: CrowdAnswers, asked: _FitRequest) -> Model:
    """A person's competence: how probable it is that they knew, rather than guessed."""
    from crowdkit.aggregation.classification.mace import MACE

    # Of its tables some stand in order of names and some in order of appearance: only if the two are one do they fit.
    # Persons are in order; labels get codes by their first appearance.
    first = np.unique(answers.label, return_index=True)[1]
    renamed = np.argsort(np.argsort(first))[answers.label]
    # crowd-kit starts every restart alike from a seed, but not from a state
    state = np.random.RandomState(asked.seed % 2**32)
    model = MACE(n_restarts=asked.restarts, n_iter=STEPS, random_state=state)
    try:
        fitted = model.fit(_frame(answers, renamed))
    except (UnboundLocalError, ValueError) as error:  # no restart had a likelihood, or an item no probabilities
        raise NoModelError("the model gives no numbers for these answers") from error
    if fitted.probas_ is None:
        raise NoModelError("the model gives no numbers for these answers")
    back = np.argsort(first)  # the label behind each of their codes
    posterior = np.empty((answers.units, answers.labels))
    posterior[:, back] = fitted.probas_.sort_index().sort_index(axis=1).to_numpy(float)
    guess, know = fitted.spamming_[answers.person].T
    chance = guess * fitted.thetas_[answers.person, renamed]
    right = np.arange(answers.labels) == answers.label[:, None]
    prior = np.full(answers.labels, -np.log(answers.labels))
    knew = posterior[answers.unit, answers.label] * know / (chance + know)
    columns = np.stack([knew, 1.0 - knew], axis=1)
    return Model(posterior, prior, np.log(chance[:, None] + know[:, None] * right), columns, _competence)


def _competence(sums: FloatArray) -> FloatArray:
    """1 - spamming, as the last step of MACE's variational Bayes has it, its two states made to add up to 1."""
    from scipy.special import digamma  # takes half a second to load, and few fit a model

    states = np.exp(digamma(sums + _PRIOR))
    return ratio(states[..., 0], states.sum(-1))


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


def fit_consensus(answers: CrowdAnswers, method: Method, *, persons: bool = True, seed: int = 0) -> Consensus:
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
        return _no_consensus(method, answers, NO_ANSWERS)
    if method == "majority":
        return _majority(answers)
    if not persons:
        return _no_consensus(method, answers, SLOTS.format(method))
    if np.bincount(answers.unit).max() < 2:
        return _no_consensus(method, answers, UNPAIRED)
    if answers.labels > MOST_LABELS:
        return _no_consensus(method, answers, f"{answers.labels:,} different labels; {method} takes {MOST_LABELS}")
    if answers.labels == 1:
        return _single_label(method, answers)
    try:
        model = fit(method, answers, seed)
    except NoModelError as error:
        return _no_consensus(method, answers, str(error))
    leading = _leading(model.posterior)
    return Consensus(method, leading.label, leading.share, leading.tied, _without(model, answers), model=model)


def _no_consensus(method: Method, answers: CrowdAnswers, reason: str) -> Consensus:
    units = answers.units
    none, unknown = np.full(units, -1, np.int64), np.full(units, np.nan)
    return Consensus(method, none, unknown, np.zeros(units, bool), np.full(answers.unit.size, -1), reason, None, reason)


def _single_label(method: ModelName, answers: CrowdAnswers) -> Consensus:
    units = answers.units
    held_out = np.where(np.bincount(answers.unit)[answers.unit] > 1, 0, -1)
    label, sure, tied = np.zeros(units, np.int64), np.ones(units), np.zeros(units, bool)
    return Consensus(method, label, sure, tied, held_out, no_quality=ONE_LABEL)


def _majority(answers: CrowdAnswers) -> Consensus:
    units, labels = answers.units, answers.labels
    label = strict_majority(answers.unit, units, answers.label, labels).label
    key, count = np.unique(answers.unit * labels + answers.label, return_counts=True)
    most = np.zeros(units, np.int64)
    np.maximum.at(most, key // labels, count)
    leaders = np.bincount(key[count == most[key // labels]] // labels, minlength=units)
    n = np.bincount(answers.unit, minlength=units)
    left = remaining_ratings(answers.unit, answers.label)
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


def _without(model: Model, answers: CrowdAnswers) -> IntArray:
    """For each answer the most probable label by the others' answers about its unit."""
    total = cluster_sums(model.terms, answers.unit, answers.units) + model.prior
    rest = total[answers.unit] - model.terms
    weight = np.exp(rest - rest.max(1, keepdims=True))
    label = _leading(weight / weight.sum(1, keepdims=True)).label
    alone = np.bincount(answers.unit)[answers.unit] < 2
    return np.where(alone, -1, label).astype(np.int64)


@dataclass(frozen=True)
class UnitConsensus:
    """A unit's consensus: its label, None with a reason; `n` answers; `confidence` as in `Consensus`."""

    item: str
    label: str | None
    confidence: float | None
    n: int
    reason: str | None


@dataclass(frozen=True)
class PersonQuality:
    """A person's: `n` answers, and the expected accuracy (dawid_skene) or competence (mace), None with a reason."""

    rater: str
    n: int
    value: float | None
    reason: str | None


@dataclass(frozen=True)
class ConsensusResult:
    """The consensus of a long frame: units in order of their items, persons in order of their names."""

    method: Method
    items: tuple[UnitConsensus, ...]
    raters: tuple[PersonQuality, ...]
    n: int
    reason: str | None


def consensus(
    said: pd.DataFrame, method: Method, *, levels: Sequence[str] | None = None, persons: bool = True, seed: int = 0
) -> ConsensusResult:
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
    answers = CrowdAnswers(unit.astype(np.int64), person.astype(np.int64), label.codes)
    found = fit_consensus(answers, method, persons=persons, seed=seed)
    n = np.bincount(answers.unit, minlength=len(items))
    agreed = tuple(_unit_consensus(found, code, str(name), int(n[code]), used) for code, name in enumerate(items))
    people = tuple(_quality(found, answers.person == code, str(name)) for code, name in enumerate(raters))
    return ConsensusResult(method, agreed, people, len(rows), found.reason)


def _unit_consensus(found: Consensus, code: int, item: str, n: int, names: Sequence[str]) -> UnitConsensus:
    label, confidence = int(found.label[code]), float(found.confidence[code])
    reason = None if label >= 0 else found.reason or (TIED if found.tied[code] else NO_MAJORITY)
    return UnitConsensus(item, names[label] if label >= 0 else None, None if np.isnan(confidence) else confidence, n, reason)


def _quality(found: Consensus, rows: BoolArray, rater: str) -> PersonQuality:
    n = int(rows.sum())
    value = found.quality(rows)
    return PersonQuality(rater, n, None if np.isnan(value) else value, found.no_quality if np.isnan(value) else None)
