"""Cuts of a score against yes/no answers: "yes if score > t", the t that agrees best, and how it does on other prompts.

Everything is made from how many yes and no stand at each distinct score: one sort, then cumulative sums. A cut lies midway
between two neighbouring distinct scores, or half a mean gap beyond the lowest or highest, where all or none are yes.
"""

from __future__ import annotations

import zlib
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np

from agreement.inference.significance import ROUNDING
from agreement.numeric import BoolArray, FloatArray, IntArray
from agreement.statistics.correlation import WHY_NO_AUC
from agreement.statistics.two_raters import FORMULAS, PairSums

Objective = Literal["percent_agreement", "cohen_kappa"]
OBJECTIVES: tuple[Objective, ...] = get_args(Objective)
ONE_SCORE = "the scorer's scores are all the same"


@dataclass(frozen=True)
class Answers:
    """Rows of a score and an answer to compare it with, and the cluster (code) of each; columns of equal length."""

    score: FloatArray
    yes: BoolArray
    cluster: IntArray
    clusters: int


@dataclass(frozen=True)
class Tally:
    """Distinct scores, ascending, and the number of yes and no at each."""

    scores: FloatArray
    yes: FloatArray
    no: FloatArray

    @classmethod
    def of(cls, score: FloatArray, yes: BoolArray) -> Tally:
        """Count the answers at each distinct score."""
        scores, code = np.unique(score, return_inverse=True)
        size = scores.size
        return cls(scores, *(np.bincount(code, part, size).astype(float) for part in (yes, ~yes)))

    def present(self) -> Tally:
        """Without the scores at which nothing stands."""
        some = self.yes + self.no > 0
        return Tally(self.scores[some], self.yes[some], self.no[some])

    def edges(self) -> FloatArray:
        """The scores between one more below and one more above; cut k lies between edges k and k + 1."""
        n, most = self.scores.size, np.finfo(float).max
        low, high = self.scores[0], self.scores[-1]
        with np.errstate(over="ignore"):
            gap = high / (n - 1) - low / (n - 1) if n > 1 else 1.0
            edges: FloatArray = np.clip(np.r_[low - gap, self.scores, high + gap], -most, most)
        return edges

    def tables(self) -> FloatArray:
        """Confusion tables (cuts, 2, 2) of every cut: the decision in rows, the answer in columns, no before yes."""
        return tables(np.r_[0.0, self.yes, 0.0], np.r_[0.0, self.no, 0.0])


def tables(yes: FloatArray, no: FloatArray) -> FloatArray:
    """Confusion tables (..., J, 2, 2) of J cuts from counts (..., J + 1) between them; cut j has bins 0 .. j below it."""
    below = [np.cumsum(counts, axis=-1) for counts in (no, yes)]
    said_no = np.stack([part[..., :-1] for part in below], axis=-1)
    said_yes = np.stack([part[..., -1:] - part[..., :-1] for part in below], axis=-1)
    return np.stack([said_no, said_yes], axis=-2)


def middle(low: FloatArray, high: FloatArray) -> FloatArray:
    """A number t with low <= t < high, midway: with "> t" what is `low` stays below and what is `high` above."""
    half = low / 2.0 + high / 2.0
    return np.where((half >= high) | (half < low), low, half)


@dataclass(frozen=True)
class Runs:
    """Neighbouring values that are all the best: each run's first place, and the one after its last."""

    first: IntArray
    after: IntArray


def best_runs(values: FloatArray) -> Runs:
    """The runs of highest values, one of which at least is defined; rounding makes no difference."""
    best = np.r_[False, values >= np.nanmax(values) - ROUNDING, False]
    return Runs(np.flatnonzero(best[1:] & ~best[:-1]), np.flatnonzero(best[:-1] & ~best[1:]))


@dataclass(frozen=True)
class Best:
    """The best cut: threshold, the objective there, and the place of the cut; or the reason why there is none."""

    threshold: float | None
    value: float | None
    cut: int
    reason: str | None = None


def best_cut(tally: Tally, objective: Objective) -> Best:
    """The cut of highest objective; of several, the one at the middle of the widest run of neighbours (the lowest such run).

    With yes or no alone the share of equal answers still has a best cut, kappa has none: it is 0 or undefined everywhere.
    """
    one_answer = not (tally.yes.any() and tally.no.any())
    if tally.scores.size < 2 or (one_answer and objective == "cohen_kappa"):
        return Best(None, None, -1, ONE_SCORE if tally.scores.size == 1 else WHY_NO_AUC)
    values = FORMULAS[objective](PairSums.of(tally.tables()))
    edges = tally.edges()
    runs = best_runs(values)
    low, high = edges[runs.first], edges[runs.after]
    widest = int(np.argmax(high / 2.0 - low / 2.0))
    place = int(np.searchsorted(tally.scores, middle(low[widest], high[widest]), side="right"))
    return Best(float(middle(edges[place], edges[place + 1])), float(values[place]), place)


@dataclass(frozen=True)
class CrossValidated:
    """Decisions for every row by a cut that its own fold had no part in; or the reason why not.

    Attributes:
        said: the decision on each row, yes or no.
        fold: the fold of each row, 0, 1, ...
        thresholds: the cut chosen without each fold.
        reason: why there are no decisions; then the arrays are empty.
    """

    said: BoolArray
    fold: IntArray
    thresholds: tuple[float, ...]
    reason: str | None = None


def fold_generator(seed: int, stream: str) -> np.random.Generator:
    """What deals the clusters of a cell into folds; `stream` names the cell."""
    return np.random.default_rng([seed, zlib.crc32(f"folds {stream}".encode())])


def folds_of(clusters: int, folds: int, generator: np.random.Generator) -> IntArray:
    """A fold for each cluster: shuffled, then dealt out in turn, so that sizes differ by one at most."""
    fold = np.empty(clusters, np.int64)
    fold[generator.permutation(clusters)] = np.arange(clusters) % folds
    return fold


def cross_validate(answers: Answers, objective: Objective, fold_of_cluster: IntArray) -> CrossValidated:
    """Choose a cut on all folds but one and decide on that one, for each fold."""
    fold = fold_of_cluster[answers.cluster]
    folds = int(fold_of_cluster.max(initial=-1)) + 1
    scores, code = np.unique(answers.score, return_inverse=True)
    place, size = fold * scores.size + code, folds * scores.size
    yes, no = (np.bincount(place, part, size).reshape(folds, -1) for part in (answers.yes, ~answers.yes))
    said = np.zeros(answers.score.size, bool)
    thresholds = []
    for left_out in range(folds):
        others = Tally(scores, yes.sum(0) - yes[left_out], no.sum(0) - no[left_out]).present()
        best = best_cut(others, objective)
        if best.threshold is None:
            nothing = np.zeros(0, np.int64)
            return CrossValidated(nothing > 0, nothing, (), f"without fold {left_out + 1} of {folds}, {best.reason}")
        thresholds.append(best.threshold)
        mine = fold == left_out
        said[mine] = answers.score[mine] > best.threshold
    return CrossValidated(said, fold, tuple(thresholds))


def why_no_cut(answers: Answers, folds: int, clusters_are: str) -> str | None:
    """Why no cut of these answers can be chosen and checked, in words; None if it can."""
    if not answers.score.size:
        return "the scorer and people share no unit"
    if answers.yes.all() or not answers.yes.any():
        return WHY_NO_AUC
    if not (answers.score != answers.score[0]).any():
        return ONE_SCORE
    if answers.clusters < folds:
        return f"{answers.clusters} {clusters_are} cannot be dealt into {folds} folds"
    return None


def thinned(cuts: int, keep: int, points: int) -> IntArray:
    """At most `points` of the cuts 0 .. cuts - 1, evenly spaced, both ends and `keep` among them."""
    if cuts <= points:
        return np.arange(cuts)
    even = np.round(np.linspace(0, cuts - 1, points - 1)).astype(np.int64)
    return np.union1d(even, [keep])


def curve_values(answers: Answers, objective: Objective, cuts: IntArray, weights: FloatArray) -> FloatArray:
    """The objective at each of `cuts` (ascending) in every resample: (resamples, cuts), from sums by cluster between them."""
    code = np.unique(answers.score, return_inverse=True)[1]
    bins = cuts.size + 1
    place = answers.cluster * bins + np.searchsorted(cuts, code, side="right")
    size = answers.clusters * bins
    counts = [np.bincount(place, part, size).reshape(-1, bins) for part in (answers.yes, ~answers.yes)]
    return FORMULAS[objective](PairSums.of(tables(*(weights @ part for part in counts))))
