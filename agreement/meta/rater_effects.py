"""Rater effects: how severe each person is, and how reliably people's ratings tell images apart.

Severity: the person's effect in rating = unit + person + residual, with units and persons fixed and persons' effects 0 on
average (weighted by nobody): how much higher the person rates than the average person would have rated the same units. Only
persons who are linked through shared units can be compared. Intervals: each prompt left out, in one step of the normal
equations (the cluster-robust variance of least squares, Liang and Zeger 1986).

Generalisability theory (Cronbach et al. 1972; Brennan 2001), units as objects, k ratings each, from the variance components:
relative coefficient unit / (unit + residual / k), where all units are rated by the same persons; dependability
unit / (unit + (person + residual) / k), where each unit may have others. With k = 1 dependability is ICC(2,1).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from agreement.inference.intervals import (
    COEFFICIENT,
    CONTRAST,
    NUMBER,
    PERSON_GROUPS,
    Deletions,
    Deviations,
    Interval,
    PersonLimits,
    ValueRange,
    interval,
    variance_interval,
)
from agreement.meta.components import Components, variance_components
from agreement.meta.units import Finding, RatedUnits
from agreement.numeric import BoolArray, FloatArray, IntArray, ratio
from agreement.reasons import Method, MethodCode, Reason, ReasonCode, joined
from agreement.study.cells import ALL, compact, of_these_people

SEVERITY = "severity"
RELATIVE, ABSOLUTE = "generalizability", "dependability"


@dataclass(frozen=True, kw_only=True)
class RaterEffectRow(Finding):
    """One person's severity, or a component or coefficient of all.

    Attributes:
        rater: the person; None in rows about all.
        ratings: of each unit, that a coefficient is for; None in other rows.
    """

    ratings: int | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return plain types."""
        plain = super().to_dict()
        plain.pop("ratings")
        return plain | {"rater": self.rater or None, "ratings": self.ratings}


def rater_effects(units: RatedUnits, ratings: Sequence[int] = (1, 3, 5), *, intervals: bool = True) -> Iterator[RaterEffectRow]:
    """Severities by name, then variance components, then both coefficients for so many ratings of each unit.

    Args:
        units: of one aspect; there is nothing to say of labels without order.
        ratings: numbers of ratings of a unit, for the coefficients.
        intervals: whether to make intervals.
    """
    if not units.numeric:
        return
    row = RaterEffectRow(
        **units.about,
        task=ALL,
        generator=ALL,
        statistic=SEVERITY,
        n_items=int((units.raters > 0).sum()),
        n_ratings=int(units.people.unit.size),
    )
    yield from _severities(units, row, intervals=intervals)
    people = _Panel.of(units, intervals=intervals)
    components = people.every
    span = units.high - units.low
    for name, of in _COMPONENTS.items():
        values = of(components) * span**2
        if name == "variance_person":
            yield _person_variance(replace(row, statistic=name), people, values, span)
        else:
            yield _with_interval(replace(row, statistic=name), people, values, NUMBER)
    for k in ratings:
        for name in (RELATIVE, ABSOLUTE):
            values = _coefficient(components, k=k, absolute=name == ABSOLUTE)
            made = _with_interval(replace(row, statistic=name), people, values, COEFFICIENT, k if name == ABSOLUTE else None)
            yield replace(made, ratings=k)


def _unit(components: Components) -> FloatArray:
    return components.prompt + np.nan_to_num(components.image)


_COMPONENTS: dict[str, Callable[[Components], FloatArray]] = {
    "variance_unit": _unit,
    "variance_person": lambda components: components.person,
    "variance_residual": lambda components: components.residual,
}


def _coefficient(components: Components, *, k: int, absolute: bool) -> FloatArray:
    """Reliability of the mean of k ratings in telling units apart; a component below 0 by chance counts as no variance."""
    noise = components.residual + components.person if absolute else components.residual
    between, within = np.maximum(_unit(components), 0.0), np.maximum(noise, 0.0) / k
    return ratio(np.where(np.isnan(noise), np.nan, between), between + within)


@dataclass(frozen=True)
class _Panel:
    """The variance components with all persons, and without each of them (or each group of them) where all are identified.

    Attributes:
        every: of all ratings.
        without: without each group of persons; none where persons are not known, or no intervals are wanted.
        groups: codes of these groups.
        persons: how many persons there are.
        ratings: how many ratings there are.
        constant: whether all ratings are the same.
    """

    every: Components
    without: tuple[Components, ...]
    groups: IntArray
    persons: int
    ratings: int
    constant: bool

    @classmethod
    def of(cls, units: RatedUnits, *, intervals: bool) -> _Panel:
        people, rated = units.people, units.raters > 0
        every = variance_components(units, rated, Deletions(intervals), within_generators=False)
        persons = np.unique(people.person)
        known = intervals and bool(people.identified[persons].all()) and persons.size > 1
        groups = np.arange(min(persons.size, PERSON_GROUPS) if known else 0)
        without = tuple(
            variance_components(
                units, rated, Deletions(intervals), within_generators=False, without=persons[group :: groups.size].tolist()
            )
            for group in groups
        )
        constant = bool(np.ptp(people.value) == 0) if people.value.size else True
        return cls(every, without, groups, int(persons.size), int(people.value.size), constant)

    def dependability(self, k: int) -> Interval:
        """The interval of dependability for k ratings of a unit, by other persons: that for one, by Spearman and Brown."""
        single = partial(_coefficient, k=1, absolute=True)
        values = np.stack([single(each) for each in (self.every, *self.without)])
        every, value = self.every, float(values[0, 0])
        variances = (float(_unit(every)[0]), float(every.person[0]), float(every.residual[0]))
        limits = PersonLimits.of(value, variances, self.persons, self.ratings / self.persons, every.ratings)
        made = interval(value, Deviations.crossed(values, every.prompts, self.groups, self.persons, limits), COEFFICIENT)
        if made.low is None or made.high is None:
            return made
        low, high = (k * max(end, 0.0) / (1.0 + (k - 1) * max(end, 0.0)) for end in (made.low, made.high))
        return replace(made, low=low, high=high)


def _why(name: str, people: _Panel) -> Reason:
    known = people.every.residual if name == RELATIVE else people.every.residual + people.every.person
    if name in (RELATIVE, ABSOLUTE) and not np.isnan(known[0]):
        return Reason(ReasonCode.ALL_RATINGS_EQUAL if people.constant else ReasonCode.RATINGS_DO_NOT_VARY)
    if name == "variance_person":
        return Reason(ReasonCode.NO_PERSON_OF_TWO_PROMPTS)
    alone = ReasonCode.NO_IMAGE_WITH_TWO_RATINGS
    return Reason(alone if name == "variance_residual" else ReasonCode.NO_IMAGE_WITH_TWO_KNOWN_RATINGS)


_HOW = Method(MethodCode.BY_MOMENTS)


def _with_interval(
    row: RaterEffectRow,
    people: _Panel,
    values: FloatArray,
    kind: ValueRange,
    dependability: int | None = None,
) -> RaterEffectRow:
    """`dependability`: for so many ratings, if it is one, so that persons are random; else these persons are fixed."""
    if np.isnan(values[0]):
        return replace(row, reason=_why(row.statistic, people))
    value = float(values[0])
    if values.size == 1:
        return replace(row, value=value, method=_HOW)
    fixed = interval(value, people.every.deviations(values), kind)
    if dependability is None or not people.without:
        return replace(row, value=value, low=fixed.low, high=fixed.high, method=joined(_HOW, fixed.method, fixed.reason))
    bounds = people.dependability(dependability)
    these = of_these_people(fixed, people.persons)
    method = joined(_HOW, bounds.method, bounds.reason, these)
    return replace(row, value=value, low=bounds.low, high=bounds.high, method=method)


def _person_variance(row: RaterEffectRow, people: _Panel, values: FloatArray, span: float) -> RaterEffectRow:
    """With few persons the interval of a variance of so many normal values, which no jackknife knows."""
    made = _with_interval(row, people, values, NUMBER)
    if made.value is None or values.size == 1:
        return made
    noise = max(float(np.nan_to_num(people.every.residual[0])), 0.0) * span**2 / (people.ratings / people.persons)
    low, high = variance_interval(made.value, noise, people.persons)
    method = joined(_HOW, Method(MethodCode.CHI_SQUARE, freedom=people.persons - 1))
    return replace(made, low=low, high=high, method=method)


@dataclass(frozen=True)
class Severities:
    """Persons' effects, and how each moves without each prompt.

    Attributes:
        value: (persons,), mean 0; NaN for who cannot be compared.
        without: (prompts, persons), the effects without each prompt, in one step.
        prompts: (persons,), with how many prompts each person is compared.
    """

    value: FloatArray
    without: FloatArray
    prompts: IntArray


def severities(unit: IntArray, person: IntArray, value: FloatArray, prompt: IntArray) -> Severities:
    """Least squares of ratings on units and persons.

    Args:
        unit: of each rating, codes 0, 1, ... without gaps.
        person: of each rating, codes without gaps.
        value: the ratings.
        prompt: of each rating, codes without gaps.
    """
    from scipy.sparse import csr_array

    persons, prompts = int(person.max(initial=-1)) + 1, int(prompt.max(initial=-1)) + 1
    n = np.bincount(unit).astype(float)
    rated = csr_array((1.0 / np.sqrt(n[unit]), (unit, person)), shape=(n.size, persons))
    normal = np.diag(np.bincount(person).astype(float)) - (rated.T @ rated).toarray()
    within = value - (np.bincount(unit, value) / n)[unit]
    inverse = np.linalg.pinv(normal, hermitian=True)
    effects = inverse @ np.bincount(person, within, persons)
    own = effects[person]
    residual = within - (own - (np.bincount(unit, own) / n)[unit])
    # residuals of a unit add up to 0, so the other persons' shares of it drop out
    scores = np.bincount(prompt * persons + person, residual, prompts * persons).reshape(prompts, persons)
    step = scores @ inverse * (prompts / max(prompts - 1, 1))
    linked = _largest_group(normal)
    # where nobody can be compared there is no average person, and no effect
    if linked.any():
        effects, step = effects - effects[linked].mean(), step - step[:, linked].mean(axis=1, keepdims=True)
    known = np.where(linked, effects, np.nan)
    shared = n[unit] > 1
    pairs = np.unique(person[shared] * prompts + prompt[shared])
    return Severities(known, known - step, np.bincount(pairs // prompts, minlength=persons))


def _largest_group(normal: FloatArray) -> BoolArray:
    """The largest set of persons who are linked through shared units; nobody where no two are."""
    from scipy.sparse.csgraph import connected_components

    _, group = connected_components(np.abs(normal) > 1e-9, directed=False)
    sizes = np.bincount(group)
    return np.asarray((group == sizes.argmax()) & (sizes.max() > 1), bool)


def _severities(units: RatedUnits, row: RaterEffectRow, *, intervals: bool) -> Iterator[RaterEffectRow]:
    people = units.people
    rows = np.flatnonzero(people.identified[people.person])
    if not rows.size:
        yield replace(row, reason=Reason(ReasonCode.NO_NAMED_PERSONS))
        return
    person, unit = compact(people.person[rows]), compact(people.unit[rows])
    prompt = compact(units.prompt[people.unit[rows]])
    estimated = severities(unit.codes, person.codes, people.value[rows], prompt.codes)
    names = [people.persons[code] for code in np.unique(people.person[rows])]
    counts, span = np.bincount(person.codes), units.high - units.low
    for k, name in enumerate(names):
        items = int(np.unique(unit.codes[person.codes == k]).size)
        own = replace(row, rater=name, n_items=items, n_ratings=int(counts[k]))
        if np.isnan(estimated.value[k]):
            yield replace(own, reason=Reason(ReasonCode.PERSON_APART, person=name))
            continue
        value, method = float(estimated.value[k]) * span, Method(MethodCode.LEAST_SQUARES)
        if not intervals:
            yield replace(own, value=value, method=method)
            continue
        replicates = np.r_[value, estimated.without[:, k] * span]
        freedom = max(int(estimated.prompts[k]) - 1, 0)
        deviations = replace(Deviations.of(replicates, prompt.size), most_freedom=freedom)
        bounds = interval(value, deviations, CONTRAST) if freedom else Interval.none(ReasonCode.SHARES_ONE_PROMPT)
        method = joined(method, bounds.method, bounds.reason)
        yield replace(own, value=value, low=bounds.low, high=bounds.high, method=method)
