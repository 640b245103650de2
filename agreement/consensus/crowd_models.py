"""Models of a crowd through crowd-kit: Dawid and Skene (1979), and MACE (Hovy et al. 2013).

crowd-kit is imported when a model is asked for. Only its parameters and posteriors are used: of equally probable labels it
picks one at random (`get_most_probable_labels`), here that is a tie.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import lru_cache
from hashlib import sha256
from typing import TYPE_CHECKING, Literal

import numpy as np

from agreement.numeric import FloatArray, IntArray, ratio

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
class Answers:
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


def fit(name: ModelName, answers: Answers, seed: int) -> Model:
    """Fit a model; the same answers in any order, with the same seed, give the same bits.

    Raises:
        NoCrowdKitError: crowd-kit is not installed.
        NoModelError: the arithmetic breaks down.
    """
    if not installed():
        raise NoCrowdKitError(f"{name} needs crowd-kit, which is not installed: do not leave out the group `consensus`")
    return _fitted(_Asked(name, seed, RESTARTS, answers.digest, answers))


@dataclass(frozen=True)
class _Asked:
    """What is fitted; of the answers a digest is compared."""

    name: ModelName
    seed: int
    restarts: int
    digest: str
    answers: Answers = field(compare=False)


@lru_cache(maxsize=8)
def _fitted(asked: _Asked) -> Model:
    """The model, kept: a page asks again after every change of what it shows."""
    answers = asked.answers
    # what it calls of pandas is to change some day; whoever asks for a consensus can do nothing about it
    warnings.filterwarnings("ignore", module=r"crowdkit\.")
    order = np.lexsort((answers.unit, answers.person))
    ordered = Answers(answers.unit[order], answers.person[order], answers.label[order])
    made = (_dawid_skene if asked.name == "dawid_skene" else _mace)(ordered, asked)
    if not all(np.isfinite(part).all() for part in (made.posterior, made.prior, made.terms, made.columns)):
        raise NoModelError("the model gives no numbers for these answers")
    back = np.argsort(order)
    return Model(made.posterior, made.prior, made.terms[back], made.columns[back], made.quality)


def _frame(answers: Answers, label: IntArray) -> pd.DataFrame:
    """Codes, of which crowd-kit makes groups much faster than of names; it takes labels 0 and 1 for False and True."""
    import pandas as pd

    return pd.DataFrame({"task": answers.unit, "worker": answers.person, "label": label + _FIRST_LABEL})


def _dawid_skene(answers: Answers, _: _Asked) -> Model:
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


def _mace(answers: Answers, asked: _Asked) -> Model:
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
