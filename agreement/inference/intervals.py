"""95 % intervals: the delete-one-prompt jackknife with Student's t for smooth statistics, those of trials for shares.

Jackknife (Tukey 1958; Efron and Tibshirani 1993, ch. 11): each prompt in turn is left out with all its images and ratings,
and the statistic is made again: with replicates r_1 .. r_G,

    variance = (G - 1) / G * sum (r_i - mean r)^2

and the interval is value +- t(G - 1) * standard error, made where the statistic is unbounded (`ValueRange`) and carried
back. It is the same every time, covers with few prompts (`benchmarks/coverage.py`), and a difference of two statistics on
the same prompts has the differences of their replicates. A replicate is a row of weights, 0 for the prompt that is left
out: sufficient statistics are weighted, ratings are never copied.

A coefficient, a correlation or an AUC may rest on few prompts (those with the rare label, or where raters differ), and its
variance then on as few. Degrees of freedom are at most 2 G / (kurtosis of the replicates - 1), those of a variance of so
uneven parts; and a standard error is at least an eighth of what one prompt more that says the opposite may change. Where
fewer than 30 images are one of each prompt, and some prompts move it alike, half of that is added to it, by squares.

Of other people: an intraclass correlation falls with persons' variance, which of a few persons is far from normal, so no
jackknife over them covers. Prompts are left out one by one, persons' variance has an interval by chi-square, and the distances
to both ends are added by squares, on Fisher's z scale of such a correlation, which begins at -1 / (ratings of a unit - 1).

Shares: images of one prompt are alike, so n images in m prompts tell less than n independent ones. The number that would
tell as much is n over the design effect (Kish 1965, Survey Sampling), less what estimating that effect from m prompts costs
(Korn and Graubard 1998, Survey Methodology 24). With it for n, Wilson's interval (1927, JASA 22) stays sensible near 0 and
1, where an interval by the spread of a handful of prompts collapses (compared by Franco, Little, Louis and Slud 2019,
Journal of Survey Statistics and Methodology 7). Closed form: the same every time, and quick enough for every cell of a
table.
"""

from __future__ import annotations

import math
import zlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from math import fsum
from statistics import NormalDist

import numpy as np

from agreement.numeric import FloatArray, IntArray
from agreement.reasons import Method, MethodCode, Reason, ReasonCode, Value

LEVEL = 95
MOST = 1000
"""With more clusters, so many groups of them are left out instead of each."""
_ROUNDING = 1e-9
_FEW = 8
"""Fewer prompts (and fewer than a third) that are not all right, or all wrong, do not show how much others would differ."""
_FEW_IMAGES = 30
_OPPOSITE = 8.0
"""A standard error is at least one part in so many of what a prompt more that says the opposite may change."""
_AT_END = 0.75
"""So far from the value to the end of the range the others must be on average; of unequal size they are not quite at it."""


@dataclass(frozen=True)
class ValueRange:
    """What a statistic's value can be, and so on which scale its interval is symmetric: log((v - low) / (high - v)).

    Attributes:
        low, high: the ends of its range; infinite: the scale is that of the value itself.
        counted: whether it is a share of cases, which has an exact interval where no prompt changes it.
        informative: so many prompts must change it otherwise than the commonest way does, or there is no interval: a
            chance-corrected coefficient of nearly constant ratings rests on the few that are not.
        unit: the size of its values; what is smaller by nine digits is rounding.
        uneven: whether few of the prompts may carry most of it.
        straight: whether its interval is symmetric on its own scale within these ends, where it is cut.
    """

    low: float = -math.inf
    high: float = math.inf
    counted: bool = False
    informative: int = 0
    unit: float = 1.0
    uneven: bool = False
    straight: bool = False

    @property
    def scale(self) -> str:
        """The scale on which its interval is symmetric: "" its own, "fisher_z" or "logit"."""
        if math.isinf(self.high) or self.straight:
            return ""
        return "fisher_z" if self.low < 0 else "logit"


NUMBER = ValueRange(unit=0.0)
"""A mean of numbers of any size: no bounds that matter."""
CONTRAST = ValueRange()
"""A difference of two statistics."""
CONTRAST_OF_SHARES = ValueRange(-1.0, 1.0, straight=True)
"""A difference of two shares."""
SHARE = ValueRange(0.0, 1.0, counted=True)
AREA = ValueRange(0.0, 1.0)
"""From 0 to 1, but no share of cases."""
AUC = ValueRange(0.0, 1.0, uneven=True)
"""The area under a ROC curve: a share of pairs."""
COEFFICIENT = ValueRange(-1.0, 1.0, uneven=True)
"""1 is perfect; what chance gives does not hang on how common the labels are, or hardly."""
CORRECTED = ValueRange(-1.0, 1.0, informative=5, uneven=True)
"""A correlation, or a coefficient less what chance gives by the margins."""


@dataclass(frozen=True)
class Interval:
    """A 95 % interval with the `method` by which it was made, or two Nones with the `reason` why there is none."""

    low: float | None = None
    high: float | None = None
    method: Method | None = None
    reason: Reason | None = None

    @classmethod
    def none(cls, code: ReasonCode, **values: Value) -> Interval:
        """Return no interval, for this reason."""
        return cls(reason=Reason.no_interval(Reason(code, **values)))


PERSON_GROUPS = 20
"""More persons than that are left out in so many groups."""


def variance_interval(variance: float, noise: float, persons: int) -> tuple[float, float]:
    """95 % interval of the variance of persons' effects, each of which is known up to a variance of `noise`.

    The variance of persons' means, `variance` + `noise`, has the interval of a variance of so many normal values (Tukey 1951,
    Williams 1962); the noise is taken off again.
    """
    from scipy.special import chdtri

    freedom = persons - 1
    total = max(variance + noise, 0.0) * freedom
    low, high = (total / float(chdtri(freedom, tail)) - noise for tail in (0.5 - LEVEL / 200, 0.5 + LEVEL / 200))
    return max(low, 0.0), max(high, 0.0)


@dataclass(frozen=True)
class PersonLimits:
    """An intraclass correlation, unit / (unit + person + residual), at the ends of the persons' variance's own interval.

    Attributes:
        low, high: the correlation there, and no nearer than its estimate.
        least: below which it cannot be: -1 / (ratings of a unit - 1).
    """

    low: float
    high: float
    least: float

    @classmethod
    def of(
        cls, value: float, variances: tuple[float, float, float], persons: int, units: float, ratings: float
    ) -> PersonLimits:
        """From the estimate and the variances that it is made of.

        Args:
            value: the correlation.
            variances: of units, persons and the residual.
            persons: how many there are.
            units: how many each of them rated.
            ratings: how many each unit has, more than one.
        """
        unit, person, residual = variances[0], variances[1], max(variances[2], 0.0)
        least = -1.0 / (ratings - 1.0)
        if unit <= 0.0:
            return cls(value, value, least)
        few, many = variance_interval(person, residual / units, persons)
        return cls(min(unit / (unit + many + residual), value), max(unit / (unit + few + residual), value), least)


@dataclass(frozen=True)
class PersonDeletions:
    """The changes of a statistic without each of the persons, who are the same in every task.

    Attributes:
        groups: codes of persons, or of groups of them.
        changes: the statistic without each, less the statistic; NaN where it is undefined.
        residual: variance that leaving out prompts and leaving out persons both hold.
        count: how many persons there are.
        limits: of an intraclass correlation, where persons' variance has an interval of its own; else None.
    """

    groups: IntArray
    changes: FloatArray
    residual: float
    count: int
    limits: PersonLimits | None = None

    @property
    def variance(self) -> float:
        """Return the changes of a statistic without each person."""
        return (self.changes.size - 1) / self.changes.size * float(np.sum((self.changes - self.changes.mean()) ** 2))

    @classmethod
    def mean(cls, parts: Sequence[PersonDeletions], tasks: int) -> PersonDeletions:
        """Return the changes of the mean over tasks; a person who rated nothing in a task changes nothing there.

        A person who is severe in one task may be so in all: limits are the mean of theirs.
        """
        groups = np.unique(np.concatenate([part.groups for part in parts]))
        changes = np.zeros(groups.size)
        for part in parts:
            changes[np.searchsorted(groups, part.groups)] += part.changes / tasks
        residual = fsum(part.residual for part in parts) / tasks**2
        each, limits = [part.limits for part in parts if part.limits is not None], None
        if len(each) == len(parts):
            low, high = (fsum(ends) / tasks for ends in zip(*((one.low, one.high) for one in each), strict=True))
            limits = PersonLimits(low, high, min(one.least for one in each))
        return cls(groups, changes, residual, max(*(part.count for part in parts), groups.size), limits)


@dataclass(frozen=True)
class Deviations:
    """Replicates less their mean, for each stratum of independent prompts (a task); NaN where a replicate is undefined.

    Strata are weighted already: the variance of the whole is the sum of theirs. Persons that are left out one by one are a
    stratum, too.

    Attributes:
        strata: of each stratum, as many as it has replicates.
        values: what each stratum adds to the statistic.
        prompts: how many there are in all.
        most_freedom: no more degrees of freedom than that.
        persons: how the statistic changes without each person, where persons are random as well; else None.
    """

    strata: tuple[FloatArray, ...]
    values: tuple[float, ...]
    prompts: int
    most_freedom: float = math.inf
    persons: PersonDeletions | None = None

    @classmethod
    def of(cls, values: FloatArray, prompts: int) -> Deviations:
        """From a statistic's value followed by its replicates (1 + G,).

        Where it rests on fewer `prompts` than were left out, the others move nothing and are no replicates.
        """
        replicates = values[1:][_moving(np.abs(values[1:] - values[0]), prompts)]
        defined = replicates[~np.isnan(replicates)]
        deviations = replicates - defined.mean() if defined.size else replicates
        return cls((deviations,), (float(values[0]),), prompts)

    @classmethod
    def crossed(
        cls, values: FloatArray, prompts: int, groups: IntArray, persons: int, limits: PersonLimits | None = None
    ) -> Deviations:
        """From a statistic's values with all persons, then without each group of them (1 + groups, 1 + G), as of `of`.

        The variance is that of prompts, plus that of persons, less the residual, which both hold: of the mean of a balanced
        table (MS prompts + MS persons - MS residual) / (prompts persons), as analysis of variance has it. The residual is
        that of double-centred pseudo-values of a prompt and a person.
        """
        both = values[1:, 1:]
        both = both[:, _moving(np.abs(both - values[1:, :1]).sum(0), prompts)]
        apart = both - both.mean(0) - both.mean(1, keepdims=True) + both.mean()
        m, n = both.shape
        # pseudo-values are (n - 1) (m - 1) times as far apart
        residual = float((apart**2).sum()) * (n - 1) * (m - 1) / (n * m) if m and n else math.nan
        if math.isnan(residual):
            # undefined without some person and some prompt: nothing is taken off
            residual = 0.0
        by_person = PersonDeletions(groups, values[1:, 0] - values[0, 0], residual, persons, limits)
        return replace(cls.of(values[0], prompts), persons=by_person)

    def __sub__(self, other: Deviations) -> Deviations:
        """Of a difference of two statistics over the same prompts."""
        strata = tuple(a - b for a, b in zip(self.strata, other.strata, strict=True))
        return Deviations(strata, tuple(a - b for a, b in zip(self.values, other.values, strict=True)), self.prompts)

    @property
    def contributions(self) -> FloatArray:
        """What each prompt adds to the statistic, or nearly so: Tukey's pseudo-values, divided by how many there are."""
        parts = [(value - (d.size - 1) * d) / d.size for value, d in zip(self.values, self.strata, strict=True)]
        return np.concatenate(parts)

    @property
    def of_prompts(self) -> FloatArray:
        """The statistic of each prompt alone, where it is a mean over prompts; of tasks their mean."""
        sizes = np.repeat([d.size * len(self.strata) for d in self.strata], [d.size for d in self.strata])
        shares: FloatArray = self.contributions * sizes
        return shares

    @property
    def alike(self) -> float:
        """How many prompts of one stratum have the variance of all, where prompts vary alike: Kish's effective number."""
        groups = sum(d.size for d in self.strata)
        return self.prompts / groups * len(self.strata) ** 2 / sum(1 / d.size for d in self.strata)

    @property
    def variances(self) -> list[float]:
        """Variance contributed by each stratum."""
        return [(d.size - 1) / d.size * float(d @ d) for d in self.strata]

    @property
    def variance(self) -> float:
        """Variance of the statistic; with persons as random as prompts never less than either alone gives."""
        by_prompt = sum(self.variances)
        if self.persons is None:
            return by_prompt
        by_person = self.persons.variance
        return max(by_prompt + by_person - self.persons.residual, by_prompt, by_person)

    @property
    def freedom(self) -> float:
        """Degrees of freedom: G - 1, and of several strata, or of prompts and persons, Welch and Satterthwaite's."""
        return self._freedom([float(d.size - 1) for d in self.strata])

    @property
    def uneven_freedom(self) -> float:
        """Degrees of freedom where few prompts may carry most of the variance."""
        return self._freedom([_uneven_freedom(d) for d in self.strata])

    def _freedom(self, each: Sequence[float]) -> float:
        parts = list(zip(self.variances, each, strict=True))
        if self.persons is not None:
            parts.append((self.persons.variance, self.persons.changes.size - 1.0))
        if len(parts) == 1 or not self.variance:
            return min(sum(each), self.most_freedom)
        return min(satterthwaite(self.variance, parts), self.most_freedom)

    @property
    def informative(self) -> int:
        """Replicates that are not the commonest one of their stratum; all where no two are the same."""
        common = [_commonest(d) for d in self.strata]
        return sum(d.size - (most if most > 1 else 0) for d, most in zip(self.strata, common, strict=True))


@dataclass(frozen=True)
class Spread:
    """How a statistic varies: its value, standard error and degrees of freedom."""

    value: float
    error: float
    freedom: float

    def reach(self, level: int) -> float:
        """Half the width of its interval, in per cent, on its own scale."""
        return quantile(0.5 + level / 200, self.freedom) * self.error

    def within(self, level: int) -> tuple[float, float]:
        """Its interval, in per cent, on its own scale."""
        return self.value - self.reach(level), self.value + self.reach(level)

    @property
    def p(self) -> float:
        """Two-sided, of the value 0, by Student's t."""
        from scipy.special import stdtr

        return float(2 * stdtr(self.freedom, -abs(self.value) / self.error))


def satterthwaite(variance: float, parts: Sequence[tuple[float, float]]) -> float:
    """Degrees of freedom of a variance made of parts, each with its own (Satterthwaite 1946, Biometrics Bulletin 2)."""
    return variance**2 / fsum(part * part / freedom for part, freedom in parts)


def spread(value: float, deviations: Deviations) -> Spread:
    """For a statistic that has an interval."""
    return Spread(value, math.sqrt(deviations.variance), deviations.freedom)


def _moving(changes: FloatArray, prompts: int) -> IntArray:
    """Places of the `prompts` largest changes, or of all where there are no more; in their order."""
    unmoved = max(changes.size - prompts, 0)
    return np.sort(np.argsort(changes, kind="stable")[unmoved:])


def _uneven_freedom(deviations: FloatArray) -> float:
    """G - 1, or less where few of the G are larger than all others: 2 / variance of the mean of their squares."""
    squares = deviations**2
    total = float(squares.sum())
    if not total:
        return float(deviations.size - 1)
    kurtosis = deviations.size * float(squares @ squares) / total**2
    return max(min(deviations.size - 1.0, 2 * deviations.size / max(kurtosis - 1.0, _ROUNDING)), 1.0)


def _commonest(deviations: FloatArray) -> int:
    """How often the commonest value is there, up to rounding."""
    ordered = np.sort(deviations)
    ends = np.flatnonzero(np.diff(ordered) > _ROUNDING * float(np.abs(ordered).max(initial=0.0)))
    return int(np.diff(np.r_[-1, ends, ordered.size - 1]).max())


@dataclass(frozen=True)
class Deletions:
    """Which clusters each replicate leaves out.

    Attributes:
        wanted: whether there are replicates at all.
        seed: the user's, for what a cell draws (folds of a cross-validation).
        stream: names the cell, so that cells draw apart.
    """

    wanted: bool
    seed: int = 0
    stream: str = "all"

    def weights(self, clusters: int, most: int = MOST) -> FloatArray:
        """(1 + replicates, clusters): a row of ones, the sample itself, then for each replicate 0 for what is left out."""
        replicates = min(clusters, most) if self.wanted else 0
        weights = np.ones((1 + replicates, clusters))
        if replicates:
            weights[1 + np.arange(clusters) % replicates, np.arange(clusters)] = 0.0
        return weights

    def generator(self) -> np.random.Generator:
        """Random numbers of this cell."""
        return np.random.default_rng([self.seed, zlib.crc32(self.stream.encode())])


def resamples(clusters: int, times: int, generator: np.random.Generator) -> FloatArray:
    """How often each cluster stands in the sample itself (a row of ones) and in each of `times` draws with replacement."""
    drawn = generator.multinomial(clusters, np.full(clusters, 1 / clusters), times)
    return np.concatenate([np.ones((1, clusters)), drawn.astype(float)])


def interval(
    value: float, deviations: Deviations, kind: ValueRange, many: str = "prompts", images: float = math.inf
) -> Interval:
    """The interval of a statistic.

    Args:
        value: the statistic.
        deviations: how it varies.
        kind: what its value can be; ends are within its range. None of it has width zero.
        many: what was left out one by one.
        images: so many images it rests on.
    """
    singular, groups = many.removesuffix("s"), sum(d.size for d in deviations.strata)
    if any(d.size < 2 for d in deviations.strata):
        code = ReasonCode.ONE_CLUSTER if len(deviations.strata) == 1 else ReasonCode.ONE_CLUSTER_IN_A_TASK
        return Interval.none(code, cluster=singular)
    if any(d.size > 2 and np.isnan(d).all() for d in deviations.strata):
        # no two prompts are each indispensable to a third; these were not made
        return Interval.none(ReasonCode.TOO_MANY_UNITS)
    if any(np.isnan(d).any() for d in deviations.strata):
        return Interval.none(ReasonCode.UNDEFINED_WITHOUT_ONE, n=deviations.prompts, clusters=many)
    persons = deviations.persons
    if persons is not None and np.isnan(persons.changes).any():
        return Interval(reason=Reason(ReasonCode.NO_INTERVAL_FOR_OTHER_PEOPLE, persons=persons.count))
    error = math.sqrt(deviations.variance)
    same = error <= _ROUNDING * max(kind.unit, abs(value))
    single = images < min(_FEW_IMAGES, 2 * deviations.prompts)
    if kind.counted and (same or nearly_all_alike(value, deviations) or (single and _partly_right(deviations))):
        low, high = clopper_pearson(value, deviations.alike)
        because = "same" if same else "nearly_same" if nearly_all_alike(value, deviations) else "few_values"
        exact = Method(MethodCode.CLOPPER_PEARSON, n=deviations.prompts, clusters=many, because=because)
        return Interval(low, high, exact)
    if same:
        return Interval.none(ReasonCode.SAME_WITHOUT_ANY, n=deviations.prompts, clusters=many)
    if (few := deviations.informative) < kind.informative:
        return Interval.none(ReasonCode.FEW_INFORMATIVE, few=few, n=deviations.prompts, clusters=many, needed=kind.informative)
    prompts = deviations.prompts
    limits = None
    if persons is not None:
        limits = persons.limits
        if limits is not None and limits.least < value < kind.high:
            # persons have an interval of their own, so the jackknife is that of prompts
            kind, deviations = replace(kind, low=limits.least), replace(deviations, persons=None)
            error = math.sqrt(deviations.variance)
        else:
            limits = None
    freedom = deviations.freedom
    if kind.uneven:
        freedom = deviations.uneven_freedom
        opposite = max(kind.high - value, value - kind.low) / deviations.alike
        tied = single and deviations.informative < groups
        error = max(math.hypot(error, opposite / 2.0 if tied else 0.0), opposite / _OPPOSITE)
    low, high = _carried_back(value, quantile(0.5 + LEVEL / 200, freedom) * error, kind, limits)
    scale = "" if kind.low >= value or value >= kind.high else kind.scale
    by_chi_square = persons is not None and limits is not None
    method = Method(
        MethodCode.JACKKNIFE,
        groups=groups,
        n=prompts,
        clusters=many,
        persons=persons.count if persons is not None else 0,
        freedom=freedom,
        by_chi_square=by_chi_square,
        scale=kind.scale if by_chi_square else scale,
    )
    return Interval(float(low), float(high), method)


def _partly_right(deviations: Deviations) -> bool:
    """Return True if any prompt's share is neither 0 nor 1."""
    shares = deviations.of_prompts
    return bool(np.any((shares > _ROUNDING) & (shares < 1.0 - _ROUNDING)))


def nearly_all_alike(value: float, deviations: Deviations) -> bool:
    """Whether a share is near 0 or 1 because most prompts are all wrong or all right, and too few are not to show how much
    others would differ."""
    of_prompt, to_end = deviations.of_prompts, max(value, 1.0 - value)
    if value < 0.5:
        of_prompt = 1.0 - of_prompt
    others = of_prompt < to_end - _ROUNDING
    at_end = float(np.mean(of_prompt[~others] - to_end)) > _AT_END * (1.0 - to_end)
    return at_end and int(others.sum()) < min(_FEW, of_prompt.size / 3)


def _carried_back(value: float, reach: float, kind: ValueRange, limits: PersonLimits | None = None) -> tuple[float, float]:
    """value +- reach, taken on the kind's scale by its slope at the value.

    There the distances to the ends of two intervals are added by squares (Zou and Donner 2008, Statistics in Medicine 27).
    """
    below, above = value - kind.low, kind.high - value
    if math.isinf(kind.high) or kind.straight or below <= 0 or above <= 0:
        return max(value - reach, kind.low), min(value + reach, kind.high)
    wide = kind.high - kind.low
    # log(below / above) moves by these steps; written so that nothing overflows
    down = up = reach * wide / (below * above)
    if limits is not None:
        down = math.hypot(down, _log_odds(value, kind) - _log_odds(limits.low, kind))
        up = math.hypot(up, _log_odds(limits.high, kind) - _log_odds(value, kind))
    shrunk, grown = math.exp(-min(down, 700.0)), math.exp(-min(up, 700.0))
    return kind.low + wide * below * shrunk / (below * shrunk + above), kind.low + wide * below / (below + above * grown)


def _log_odds(value: float, kind: ValueRange) -> float:
    """Logarithm of a value's distance from its lowest divided by that from its highest."""
    return math.log((value - kind.low) / (kind.high - value)) if value < kind.high else math.inf


def wilson(value: float, n: float) -> tuple[float, float]:
    """Wilson's 95 % interval (1927) of a share `value` of `n` independent trials (n > 0, whole or not)."""
    z = NormalDist().inv_cdf(0.5 + LEVEL / 200)
    square = z * z / n
    center = (value + square / 2) / (1 + square)
    half = math.sqrt(square * (value * (1 - value) + square / 4)) / (1 + square)
    # at 0 and 1 rounding must not leave the value outside
    return min(max(center - half, 0.0), value), max(min(center + half, 1.0), value)


def clopper_pearson(value: float, n: float) -> tuple[float, float]:
    """The exact 95 % interval (1934) of a share `value` of `n` independent trials (n > 0, whole or not)."""
    from scipy.special import betaincinv

    tail, hits = 0.5 - LEVEL / 200, value * n
    low = 0.0 if hits <= _ROUNDING else float(betaincinv(hits, n - hits + 1.0, tail))
    high = 1.0 if hits >= n - _ROUNDING else float(betaincinv(hits + 1.0, n - hits, 1.0 - tail))
    return min(low, value), max(high, value)


@lru_cache(maxsize=4096)
def quantile(share: float, freedom: float) -> float:
    """Of Student's t."""
    from scipy.special import stdtrit  # scipy.stats takes a second to load

    return float(stdtrit(freedom, share))


_Z = NormalDist().inv_cdf(0.5 + LEVEL / 200)


@dataclass(frozen=True)
class PromptTrials:
    """Of one prompt: ``hits`` of ``n`` trials."""

    hits: int
    n: int

    def __post_init__(self) -> None:
        if not 0 <= self.hits <= self.n:
            raise ValueError(f"hits must be from 0 to n, got {self.hits} of {self.n}")


@dataclass(frozen=True)
class Share:
    """A share with its 95 % interval.

    Attributes:
        value: 0 to 1; None where there is no trial.
        low, high: None where there is only one prompt (or one in a task), as nothing tells then how prompts differ.
        hits: of ``n`` trials in ``prompts`` prompts.
        effective: as many independent trials would tell as much.
    """

    value: float | None
    low: float | None
    high: float | None
    hits: int
    n: int
    prompts: int
    effective: float


def share(prompts: Sequence[PromptTrials]) -> Share:
    """All hits by all trials."""
    return mean_share([prompts])


def mean_share(tasks: Sequence[Sequence[PromptTrials]]) -> Share:
    """The unweighted mean of the tasks' shares; a task without trials is left out. With one task: ``share``."""
    parts = [_TaskTrials.of(prompts) for prompts in tasks]
    parts = [part for part in parts if part.n]
    hits, n, count = (sum(getattr(part, name) for part in parts) for name in ("hits", "n", "prompts"))
    if not parts:
        return Share(None, None, None, 0, 0, 0, 0.0)
    value = fsum(part.value for part in parts) / len(parts)
    effective = (
        fsum(part.effective for part in parts)
        if len(parts) == 1 or not 0 < value < 1
        else value * (1 - value) * len(parts) ** 2 / fsum(part.variance for part in parts)
    )
    if any(part.prompts < 2 for part in parts):
        return Share(value, None, None, hits, n, count, effective)
    return Share(value, *wilson(value, effective), hits, n, count, effective)


@dataclass(frozen=True)
class _TaskTrials:
    """One task's trials, summed, and how many independent ones would tell as much."""

    hits: int
    n: int
    prompts: int
    effective: float

    @property
    def value(self) -> float:
        return self.hits / self.n

    @classmethod
    def of(cls, prompts: Sequence[PromptTrials]) -> _TaskTrials:
        shown = [trials for trials in prompts if trials.n]
        hits, n, m = sum(trials.hits for trials in shown), sum(trials.n for trials in shown), len(shown)
        if not n:
            return cls(0, 0, 0, 0.0)
        # were a prompt's images all the same; as many images of each prompt: as many as prompts
        least = n * n / sum(trials.n**2 for trials in shown)
        if m < 2 or hits in (0, n):
            # nothing tells how alike they are
            return cls(hits, n, m, least)
        value = hits / n
        # the linearised variance of a ratio over clusters
        spread = fsum((trials.hits - value * trials.n) ** 2 for trials in shown) * m / (m - 1) / n**2
        effective = value * (1 - value) / spread * (_Z / quantile(0.5 + LEVEL / 200, m - 1)) ** 2 if spread else n
        return cls(hits, n, m, min(max(effective, least), n))

    @property
    def variance(self) -> float:
        """Of the share; where all trials ended alike, of one half of a hit more and one half of a miss more (Jeffreys)."""
        p = self.value if 0 < self.hits < self.n else (self.value * self.effective + 0.5) / (self.effective + 1)
        return p * (1 - p) / self.effective
