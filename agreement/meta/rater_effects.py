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

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from agreement.inference.intervals import COEFFICIENT, CONTRAST, NUMBER, Deletions, Deviations, ValueRange, interval
from agreement.meta.components import Components, variance_components
from agreement.meta.units import Finding, RatedUnits
from agreement.numeric import BoolArray, FloatArray, IntArray, ratio
from agreement.study.cells import ALL, compact

SEVERITY = "severity"
COMPONENTS = ("variance_unit", "variance_person", "variance_residual")
RELATIVE, ABSOLUTE = "generalizability", "dependability"
NO_PERSONS = "the file names no persons"
_APART = "shares no rated image with the other persons, not even through others"


@dataclass(frozen=True, kw_only=True)
class RaterEffectRow(Finding):
    """One person's severity, or a component or coefficient of all.

    Attributes:
        rater: the person; None in rows about all.
        ratings: of each unit, that a coefficient is for; None in other rows.
    """

    rater: str | None = None
    ratings: int | None = None


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
    components = variance_components(units, units.raters > 0, Deletions(intervals), within_generators=False)
    span = units.high - units.low
    unit = components.prompt + np.nan_to_num(components.image)
    for name, values in zip(COMPONENTS, (unit, components.person, components.residual), strict=True):
        yield _with_interval(replace(row, statistic=name), components, values * span**2, NUMBER, _why(name))
    for k in ratings:
        for name, noise in ((RELATIVE, components.residual), (ABSOLUTE, components.residual + components.person)):
            # below 0 by chance is no variance
            between, within = np.maximum(unit, 0.0), np.maximum(noise, 0.0) / k
            coefficient = ratio(np.where(np.isnan(noise), np.nan, between), between + within)
            made = _with_interval(replace(row, statistic=name), components, coefficient, COEFFICIENT, _why(name))
            yield replace(made, ratings=k)


def _why(name: str) -> str:
    if name == "variance_person":
        return f"{NO_PERSONS}, or no person rated images of two prompts"
    return "no image has two ratings" if name == "variance_residual" else "no image has two ratings, or persons are not known"


def _with_interval(
    row: RaterEffectRow, components: Components, values: FloatArray, kind: ValueRange, reason: str
) -> RaterEffectRow:
    if np.isnan(values[0]):
        return replace(row, reason=reason)
    value = float(values[0])
    how = "by moments, of ratings that differ in prompt, person or both"
    if values.size == 1:
        return replace(row, value=value, method=how)
    bounds = interval(value, components.deviations(values), kind)
    return replace(row, value=value, low=bounds.low, high=bounds.high, method=f"{how}; {bounds.note}")


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
        yield replace(row, reason=NO_PERSONS)
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
            yield replace(own, reason=f"{name} {_APART}")
            continue
        value, method = (
            float(estimated.value[k]) * span,
            "rating = unit + person, least squares; persons' effects are 0 on average",
        )
        if not intervals:
            yield replace(own, value=value, method=method)
            continue
        replicates = np.r_[value, estimated.without[:, k] * span]
        freedom = max(int(estimated.prompts[k]) - 1, 0)
        deviations = replace(Deviations.of(replicates, prompt.size), most_freedom=freedom)
        bounds = interval(value, deviations, CONTRAST) if freedom else None
        note = bounds.note if bounds else "no interval: shares images of one prompt only"
        low, high = (bounds.low, bounds.high) if bounds else (None, None)
        yield replace(own, value=value, low=low, high=high, method=f"{method}; {note}")
