"""Consensus of people: one label for each unit, by majority, by Dawid and Skene (1979), or by MACE (Hovy et al. 2013).

`majority` is what more than half say. `dawid_skene` and `mace` weigh people by how they answer, so they need persons: slots
are not individuals. Where labels lead equally there is no label, whatever their names.

A person is never compared with a consensus that their own answer is in: `held_out` is, for each answer, the label without
it. For the models that is the posterior of the others' answers, with rates that were estimated once from everybody's.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from hashlib import sha256
from typing import Literal, get_args

import numpy as np

from agreement.numeric import BoolArray, FloatArray, IntArray, cluster_sums, ratio
from agreement.reasons import Reason, ReasonCode
from agreement.report.leave_one_out import remaining_ratings
from agreement.report.scorer_human import strict_majority

ModelName = Literal["dawid_skene", "mace"]
# the constants are the defaults of crowd-kit 1.4, so that its numbers and ours are one
_EPS = 1e-10  # the least probability of an answer
_ITERATIONS, _GROWTH = 100, 1e-5  # of Dawid and Skene's model
RESTARTS, STEPS = 10, 50  # of MACE
SEEDS = 5  # of its starts where those of one seed differ
_SAME = 1e-6  # likelihoods of two ends that differ by less, relatively, are equal
_NOISE = 0.5  # how far its random starts are from equal probabilities
_PRIOR, _HABIT_PRIOR = 0.5, 10.0  # of a person's knowing (Beta), and of what they guess (Dirichlet)
_MET = 0.5  # expected units of a label, from which a person's way with it counts


class NoModelError(ValueError):
    """The answers do not determine a model."""


@dataclass(frozen=True, eq=False)
class CrowdAnswers:
    """An answer a row: codes 0, 1, ... of its unit, of the person and of the label; every person, unit and label occurs.

    Those of one digest are equal.
    """

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

    @cached_property
    def digest(self) -> str:
        """Of all three, in their order."""
        return sha256(b"".join(column.tobytes() for column in (self.unit, self.person, self.label))).hexdigest()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, CrowdAnswers) and self.digest == other.digest

    def __hash__(self) -> int:
        return hash(self.digest)


@dataclass(frozen=True)
class Model:
    """A fitted model.

    Attributes:
        posterior: (units, labels), how probable each label is.
        prior: (labels,), its logarithm before any answer.
        terms: (answers, labels), the logarithm of how probable the answer is if the unit's label were that.
        columns: (answers, p), what a person's quality is made of: sums over their answers.
        quality: from such sums (..., p) the quality (...), 0 to 1.
        undecided: (units,), whether chance decides the label: starts as good as another seed's best end at different ones.
    """

    posterior: FloatArray
    prior: FloatArray
    terms: FloatArray
    columns: FloatArray
    quality: Callable[[FloatArray], FloatArray]
    undecided: BoolArray


def fit(name: ModelName, answers: CrowdAnswers, seed: int) -> Model:
    """Fit a model; the same answers in any order, with the same seed, give the same bits.

    Raises:
        NoModelError: the arithmetic breaks down.
    """
    return _fitted(name, answers, seed, RESTARTS)


@lru_cache(maxsize=8)
def _fitted(name: ModelName, answers: CrowdAnswers, seed: int, restarts: int) -> Model:
    """The model, kept: a page asks again after every change of what it shows."""
    order = np.lexsort((answers.unit, answers.person))
    ordered = CrowdAnswers(answers.unit[order], answers.person[order], answers.label[order])
    with np.errstate(all="ignore"):
        made = _dawid_skene(ordered) if name == "dawid_skene" else _mace(ordered, seed, restarts)
    if not all(np.isfinite(part).all() for part in (made.posterior, made.prior, made.terms, made.columns)):
        raise NoModelError("the model gives no numbers for these answers")
    back = np.argsort(order)
    return replace(made, terms=made.terms[back], columns=made.columns[back])


def _dawid_skene(answers: CrowdAnswers) -> Model:
    """Dawid and Skene's model by EM, from the shares of labels by unit, until the bound grows by less than _GROWTH an answer.

    A person's quality is their expected accuracy: sum over labels of the label's prior times how often they recognise it.
    """
    posterior = np.zeros((answers.units, answers.labels))
    np.add.at(posterior, (answers.unit, answers.label), 1.0)
    posterior /= posterior.sum(1, keepdims=True)
    prior, errors = posterior.mean(0), _error_rates(answers, posterior)
    bound = -np.inf
    for _step in range(_ITERATIONS):
        terms = np.log(errors[answers.person, answers.label])
        log_joint = cluster_sums(terms, answers.unit, answers.units) + np.log(prior)
        posterior = _softmax(log_joint)
        prior, errors = np.maximum(posterior.mean(0), _EPS), _error_rates(answers, posterior)
        expected = (posterior[answers.unit] * (np.log(errors[answers.person, answers.label]) + np.log(prior))).sum()
        posterior = np.maximum(posterior, _EPS)
        before, bound = bound, (expected - (posterior * np.log(posterior)).sum()) / answers.unit.size
        if bound - before < _GROWTH:
            break
    mine = posterior[answers.unit]
    hit = np.where(np.arange(answers.labels) == answers.label[:, None], mine, 0.0)
    columns = np.concatenate([hit, mine], axis=1)

    def quality(sums: FloatArray) -> FloatArray:
        right, all_ = sums[..., : prior.size], sums[..., prior.size :]
        # a label that a person has hardly met says nothing of them, and the others share its weight
        met = all_ >= _MET
        return ratio((prior * np.where(met, right / np.where(met, all_, 1.0), 0.0)).sum(-1), (prior * met).sum(-1))

    decided = np.zeros(answers.units, bool)
    return Model(posterior, np.log(prior), np.log(errors[answers.person, answers.label]), columns, quality, decided)


def _error_rates(answers: CrowdAnswers, posterior: FloatArray) -> FloatArray:
    """(persons, labels given, true labels), how probable it is that the person gives a label; _EPS for labels never given."""
    counts = np.zeros((answers.persons, answers.labels, answers.labels))
    np.add.at(counts, (answers.person, answers.label), posterior[answers.unit])
    answered = np.zeros((answers.persons, answers.labels, 1), bool)
    answered[answers.person, answers.label] = True
    counts = np.where(answered, np.maximum(counts, _EPS), 0.0)
    return np.where(answered, counts / counts.sum(1, keepdims=True), _EPS)


def _softmax(logs: FloatArray) -> FloatArray:
    shares = np.exp(logs - logs.max(1, keepdims=True))
    normed: FloatArray = shares / shares.sum(1, keepdims=True)
    return normed


def _mace(answers: CrowdAnswers, seed: int, restarts: int) -> Model:
    """MACE by variational Bayes: of several random starts the likeliest.

    A person's quality is their competence: how probable it is that they knew, rather than guessed. Where two halves of a crowd
    always differ, the likelihood has an optimum for each half, and chance decides which one a seed's starts reach first. So
    where starts end at different labels, those of further seeds are made, and a label counts only if all ends that are as
    good as the worst seed's best have it.
    """
    # starting points go to labels in the order in which they appear
    back = np.argsort(np.unique(answers.label, return_index=True)[1])
    in_order = CrowdAnswers(answers.unit, answers.person, np.argsort(back)[answers.label])
    ends = _mace_ends(in_order, seed, restarts)
    best = max(ends, key=lambda end: end.likelihood)
    floor = best.likelihood
    if any((end.posterior.argmax(1) != best.posterior.argmax(1)).any() for end in ends):
        for further in range(1, SEEDS):
            others = _mace_ends(in_order, seed + further, restarts)
            floor = min(floor, max(end.likelihood for end in others))
            ends += others
    good = np.stack([end.posterior for end in ends if end.likelihood >= floor - _SAME * abs(floor)])
    good = good[np.unique(good.argmax(2), axis=0, return_index=True)[1]]
    undecided = (good.argmax(2) != best.posterior.argmax(1)).any(0)
    posterior = np.empty_like(best.posterior)
    posterior[:, back] = np.where(undecided[:, None], good.mean(0), best.posterior)
    chance, know = best.chance, best.know
    right = np.arange(answers.labels) == answers.label[:, None]
    prior = np.full(answers.labels, -np.log(answers.labels))
    knew = posterior[answers.unit, answers.label] * know / (chance + know)
    columns = np.stack([knew, 1.0 - knew], axis=1)
    return Model(posterior, prior, np.log(chance[:, None] + know[:, None] * right), columns, _competence, undecided)


def _mace_ends(answers: CrowdAnswers, seed: int, restarts: int) -> list[_MaceStep]:
    """Return where each of a seed's random starts ends."""
    state = np.random.RandomState(seed % 2**32)
    ends = []
    for _ in range(restarts):
        guess, habit = (1 + (1 + _NOISE) * state.random_sample((answers.persons, n)) for n in (2, answers.labels))
        step = _MaceStep.of(answers, guess / guess.sum(1, keepdims=True), habit / habit.sum(1, keepdims=True))
        for _step in range(STEPS):
            step = _MaceStep.of(answers, _variational(step.states, _PRIOR), _variational(step.habits, _HABIT_PRIOR))
        ends.append(step)
    return ends


@dataclass(frozen=True)
class _MaceStep:
    """MACE's expectations for given parameters.

    Attributes:
        posterior: (units, labels); likelihood: its logarithm, of all answers.
        chance: (answers,), how probable the answer is as a guess; know: (answers,), how probable it is that the person knows.
        states: (persons, 2), expected guesses and known answers; habits: (persons, labels), expected guesses of each label.
    """

    posterior: FloatArray
    likelihood: float
    chance: FloatArray
    know: FloatArray
    states: FloatArray
    habits: FloatArray

    @classmethod
    def of(cls, answers: CrowdAnswers, state: FloatArray, habit: FloatArray) -> _MaceStep:
        """From (persons, 2), how probable it is to guess and to know, and (persons, labels), what is guessed."""
        chance, know = state[answers.person, 0] * habit[answers.person, answers.label], state[answers.person, 1]
        answer = chance[:, None] + know[:, None] * (np.arange(answers.labels) == answers.label[:, None])
        log_joint = cluster_sums(np.log(answer), answers.unit, answers.units) - np.log(answers.labels)
        posterior = _softmax(log_joint)
        top = log_joint.max(1)
        likelihood = float((top + np.log(np.exp(log_joint - top[:, None]).sum(1))).sum())
        guessed = (posterior[answers.unit] / answer).sum(1) * chance
        knew = posterior[answers.unit, answers.label] * know / (chance + know)
        states, habits = np.zeros_like(state), np.zeros_like(habit)
        np.add.at(states, answers.person, np.stack([guessed, knew], axis=1))
        np.add.at(habits, (answers.person, answers.label), guessed)
        return cls(posterior, likelihood, chance, know, states, habits)


def _variational(counts: FloatArray, prior: float) -> FloatArray:
    """Expected counts as probabilities under a symmetric Dirichlet prior (MACE's variational step)."""
    from scipy.special import digamma  # takes half a second to load, and few fit a model

    shares: FloatArray = np.exp(digamma(counts + prior) - digamma((counts + prior).sum(1, keepdims=True)))
    return shares


def _competence(sums: FloatArray) -> FloatArray:
    """1 - spamming, as the last step of MACE's variational Bayes has it, its two states made to add up to 1."""
    from scipy.special import digamma  # takes half a second to load, and few fit a model

    states = np.exp(digamma(sums + _PRIOR))
    return ratio(states[..., 0], states.sum(-1))


Method = Literal["majority", "dawid_skene", "mace"]
METHODS: tuple[Method, ...] = get_args(Method)
MOST_LABELS = 100
"""So many different labels a model takes."""
NO_ANSWERS = Reason(ReasonCode.NO_ANSWERS)
UNPAIRED = Reason(ReasonCode.NO_TWO_ABOUT_THE_SAME)
ONE_LABEL = Reason(ReasonCode.ONE_LABEL_TELLS_NOBODY)
CHANCE = Reason(ReasonCode.CHANCE_DECIDES)
_TIE = 0.01
"""Labels this close in probability are equal."""


@dataclass(frozen=True)
class Consensus:
    """The consensus on some answers.

    Attributes:
        label: (units,), -1 where there is none.
        confidence: (units,), 0 to 1: the share of the answers (majority) or the posterior probability that the leading label
            has; NaN where nothing is computed.
        tied: (units,), whether two labels or more lead equally, or chance decides which one does.
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
    reason: Reason | None = None
    model: Model | None = None
    no_quality: Reason | None = None

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
    """
    if not answers.unit.size:
        return _no_consensus(method, answers, NO_ANSWERS)
    if method == "majority":
        return _majority(answers)
    if not persons:
        return _no_consensus(method, answers, Reason(ReasonCode.SLOTS_HAVE_NO_MODEL, model=method))
    if np.bincount(answers.unit).max() < 2:
        return _no_consensus(method, answers, UNPAIRED)
    if answers.labels > MOST_LABELS:
        reason = Reason(ReasonCode.TOO_MANY_LABELS, labels=answers.labels, model=method, most=MOST_LABELS)
        return _no_consensus(method, answers, reason)
    if answers.labels == 1:
        return _single_label(method, answers)
    try:
        model = fit(method, answers, seed)
    except NoModelError:
        return _no_consensus(method, answers, Reason(ReasonCode.MODEL_WITHOUT_NUMBERS))
    label, confidence, tied = _leading(model.posterior)
    label = np.where(model.undecided, -1, label)
    held_out = np.where(model.undecided[answers.unit], -1, _without(model, answers))
    if model.undecided.all():
        return Consensus(method, label, confidence, tied | model.undecided, held_out, CHANCE, None, CHANCE)
    return Consensus(method, label, confidence, tied | model.undecided, held_out, model=model)


def _no_consensus(method: Method, answers: CrowdAnswers, reason: Reason) -> Consensus:
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
    no_quality = Reason(ReasonCode.EVERYBODY_ALIKE)
    return Consensus(
        "majority", label, ratio(most.astype(float), n.astype(float)), leaders > 1, held_out, no_quality=no_quality
    )


def _leading(posterior: FloatArray) -> tuple[IntArray, FloatArray, BoolArray]:
    """The most probable label of each row, -1 where several are; how probable it is; whether several are."""
    top = posterior.max(1)
    tied = (posterior >= top[:, None] - _TIE).sum(1) > 1
    return np.where(tied, -1, posterior.argmax(1)).astype(np.int64), top, tied


def _without(model: Model, answers: CrowdAnswers) -> IntArray:
    """For each answer the most probable label by the others' answers about its unit."""
    total = cluster_sums(model.terms, answers.unit, answers.units) + model.prior
    rest = total[answers.unit] - model.terms
    weight = np.exp(rest - rest.max(1, keepdims=True))
    label = _leading(weight / weight.sum(1, keepdims=True))[0]
    alone = np.bincount(answers.unit)[answers.unit] < 2
    return np.where(alone, -1, label).astype(np.int64)
