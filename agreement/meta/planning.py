"""Planning a study: how many prompts, images and people's ratings until a number is as sure as one wants.

A mean is planned from the variance components of the ratings there are: with G prompts, m images of each, k of R people on an
image, its variance is

    prompt / G + image / (G m) + (residual + person (1 - k / R)) / (G m k)      [+ person / R beside other people]

and half of its 95 % interval is t(G - 1) times the root; beside other people person / R rests on the R persons there are, and
the degrees of freedom are Satterthwaite's of G - 1 and R - 1. The difference of two generators on the same prompts has twice
that, without the part of the prompts' effect that both share; its power is that of the paired t test (noncentral F). Every
other statistic is made again from fewer images and fewer ratings of each, as far as they were observed, and its jackknife
variance falls as 1 / G.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from agreement.estimate import Estimate
from agreement.inference.intervals import LEVEL, Deletions, quantile, satterthwaite
from agreement.inference.sample_size import POWER, prompts_needed
from agreement.meta.components import Components, variance_components
from agreement.meta.units import Finding, RatedUnits
from agreement.reasons import Method, MethodCode, Reason, ReasonCode
from agreement.report.report import build
from agreement.study.cells import ALL, Options

MEAN, DIFFERENCE = "mean", "difference"
_TOO_FEW = Reason(ReasonCode.FEWER_THAN_TWO_PROMPTS)


@dataclass(frozen=True)
class Design:
    """How much is rated.

    Attributes:
        images: of each prompt, by each generator.
        ratings: of each image, each by another person.
        persons: who share the work; None: as many as there are.
    """

    images: float
    ratings: float
    persons: int | None = None


@dataclass(frozen=True)
class Aim:
    """What is wanted, both as shares of people's scale: half the width of an interval, and the difference of two generators."""

    half_width: float = 0.05
    difference: float = 0.1


@dataclass(frozen=True, kw_only=True)
class PlannedRow(Finding):
    """One number and one design.

    Attributes:
        design: images and ratings; printed as `images` and `ratings`.
        prompts: how many prompts the number rests on today.
        half_width: half of its 95 % interval with this design and today's prompts.
        half_width_others: the same where other people could have rated; None where persons are not identified.
        aim: the half width wanted; of a difference: the difference to be found with power .8.
        power: of a difference: how likely it is found with today's prompts.
        prompts_needed: so many prompts reach the aim; None: more than a million, or not known.
    """

    design: Design
    prompts: int
    half_width: float | None = None
    half_width_others: float | None = None
    aim: float
    power: float | None = None
    prompts_needed: int | None = None

    def half_width_with(self, prompts: int) -> float | None:
        """The half width with so many prompts (2 or more) instead of today's."""
        if self.half_width is None or self.prompts < 2:
            return None
        wider = quantile(0.5 + LEVEL / 200, prompts - 1) / quantile(0.5 + LEVEL / 200, self.prompts - 1)
        return self.half_width * wider * math.sqrt(self.prompts / prompts)

    def to_dict(self) -> dict[str, Any]:
        """Plain types."""
        named = {name: value for name, value in super().to_dict().items() if name != "design"}
        return named | {"images": self.design.images, "ratings": self.design.ratings}


@dataclass(frozen=True)
class MeanVariance:
    """The variance of a mean under a design: `by_prompt` / prompts + `other_people`, which rests on so many `persons`."""

    by_prompt: float
    other_people: float | None
    persons: int = 0

    def half_width(self, prompts: int) -> float:
        """Half of the 95 % interval."""
        return quantile(0.5 + LEVEL / 200, prompts - 1) * math.sqrt(self.by_prompt / prompts)

    def half_width_others(self, prompts: int) -> float | None:
        """Half of the 95 % interval beside other people; None where they are not known, or there is one person."""
        if self.other_people is None or self.persons < 2:
            return None
        parts = [(self.by_prompt / prompts, prompts - 1.0), (self.other_people, self.persons - 1.0)]
        variance = sum(part for part, _ in parts)
        freedom = satterthwaite(variance, parts) if variance else prompts - 1.0
        return quantile(0.5 + LEVEL / 200, freedom) * math.sqrt(variance)

    def power(self, difference: float, prompts: int) -> float:
        """Of the two-sided paired t test at 5 %."""
        from scipy import stats

        at = difference / math.sqrt(self.by_prompt / prompts) if self.by_prompt else math.inf
        cut = quantile(0.975, prompts - 1)
        # far off, the noncentral distribution is not computed well, and is decided anyway
        return 1.0 if at > cut + 15 else float(stats.ncf.sf(cut**2, 1, prompts - 1, at**2))


def mean_variance(components: Components, design: Design) -> MeanVariance:
    """The variance of one generator's mean; components below 0 count as 0."""
    persons, person = design.persons or components.persons, _used(components, "person")
    identified = persons > 0 and not np.isnan(components.person[0])
    within = _within(components, design, persons)
    return MeanVariance(_used(components, "prompt") + within, person / persons if identified else None, persons)


def difference_variance(components: Components, design: Design) -> MeanVariance:
    """The variance of the difference of two generators' means on the same prompts."""
    within = _within(components, design, design.persons or components.persons)
    return MeanVariance(2.0 * (_used(components, "own") + within), 0.0)


def _used(components: Components, name: str) -> float:
    """A component as it is used: not below 0, and 0 for what stands in another one."""
    return max(float(np.nan_to_num(getattr(components, name)[0])), 0.0)


def _within(components: Components, design: Design, persons: int) -> float:
    """What images, and people's ratings of them, add to the variance of one prompt."""
    image, person, residual = (_used(components, name) for name in ("image", "person", "residual"))
    others = 1.0 - min(design.ratings / persons, 1.0) if persons else 1.0
    return image / design.images + (residual + person * others) / (design.images * design.ratings)


def plan_means(units: RatedUnits, designs: Sequence[Design], aim: Aim) -> Iterator[PlannedRow]:
    """For each design the mean of one generator, and the difference of two where there are two on the same prompts."""
    if not units.numeric:
        return
    rated = units.raters > 0
    components = variance_components(units, rated, Deletions(wanted=False), within_generators=True)
    span = units.high - units.low
    row = PlannedRow(
        **units.about,
        task=ALL,
        generator=ALL,
        statistic=MEAN,
        value=units.printed(float(np.nanmean(units.mean))),
        n_items=int(rated.sum()),
        n_ratings=int(units.people.unit.size),
        method=_method(components),
        design=designs[0],
        prompts=components.prompts,
        aim=aim.half_width * span,
    )
    if components.prompts < 2 or np.isnan(components.prompt[0]):
        yield replace(row, value=None, reason=_TOO_FEW)
        return
    for design in designs:
        mean = mean_variance(components, design)
        others = mean.half_width_others(components.prompts)
        needed = prompts_needed(lambda n, mean=mean: mean.half_width(n) <= aim.half_width)  # type: ignore[misc]
        half = mean.half_width(components.prompts) * span
        yield replace(
            row,
            design=design,
            half_width=half,
            half_width_others=None if others is None else others * span,
            prompts_needed=needed,
        )
    if np.isnan(components.own[0]):
        return
    for design in designs:
        apart = difference_variance(components, design)
        needed = prompts_needed(lambda n, apart=apart: apart.power(aim.difference, n) >= POWER)  # type: ignore[misc]
        yield replace(
            row,
            statistic=DIFFERENCE,
            value=None,
            reason=Reason(ReasonCode.PLANNED_FOR_ANY_TWO),
            design=design,
            half_width=apart.half_width(components.prompts) * span,
            power=apart.power(aim.difference, components.prompts),
            aim=aim.difference * span,
            prompts_needed=needed,
        )


def _method(components: Components) -> Method:
    """The components, as they are used."""
    names = ("prompt", "image", "person", "residual")
    missing = tuple(name for name in names if np.isnan(getattr(components, name)[0]))
    known = tuple((name, _used(components, name)) for name in names if name not in missing)
    return Method(MethodCode.VARIANCE_COMPONENTS, prompts=components.prompts, known=known, missing=missing)


def observed_design(units: RatedUnits) -> Design:
    """What was rated: images of a prompt and generator, and ratings of an image, both rounded means."""
    rated = np.flatnonzero(units.raters > 0)
    cells = np.unique(units.prompt[rated] * (len(units.generators) + 2) + units.generator[rated] + 1).size
    return Design(max(round(rated.size / max(cells, 1)), 1), max(round(float(units.raters[rated].mean())), 1))


def plan_statistics(
    frame: pd.DataFrame,
    scales: Mapping[tuple[str, str], str],
    statistics: tuple[str, ...],
    designs: Sequence[Design],
    aim: Aim,
    seed: int = 0,
) -> Iterator[PlannedRow]:
    """Statistics among people, and of each scorer beside people, for designs with no more images and ratings than there are.

    Args:
        frame: as for `build`.
        scales: as for `build`.
        statistics: names of `catalogue.STATISTICS`; means are planned better by `plan_means`.
        designs: which; a draw by chance leaves so many images of each prompt and generator, and ratings of each image.
        aim: half the width of the interval.
        seed: of the draw.
    """
    options = Options(statistics, matrix=False, each_generator=False)
    for design in designs:
        report = build(_thinned(frame, design, seed), scales, options)
        for row in (*report.among_people, *report.raters):
            if (row.task, row.generator) == (ALL, ALL):
                yield _planned(row, design, aim)


def _planned(row: Estimate, design: Design, aim: Aim) -> PlannedRow:
    half = None if row.low is None or row.high is None else (row.high - row.low) / 2.0
    prompts = row.n_prompts
    needed = None
    if half is not None:
        error = half / quantile(0.5 + LEVEL / 200, prompts - 1) * math.sqrt(prompts)
        needed = prompts_needed(lambda n: quantile(0.5 + LEVEL / 200, n - 1) * error / math.sqrt(n) <= aim.half_width)
    return PlannedRow(
        value=row.value,
        low=row.low,
        high=row.high,
        n_items=row.n_items,
        n_ratings=row.n_ratings,
        excluded=row.excluded,
        reason=row.reason or (None if half is not None else Reason(ReasonCode.SAID_BY_METHOD, method=row.method)),
        method=row.method,
        suite=row.suite,
        task=ALL,
        generator=ALL,
        aspect=row.aspect,
        target=row.target,
        people=row.people,
        statistic=row.statistic,
        scorer=row.rater or None,
        design=design,
        prompts=prompts,
        half_width=half,
        aim=aim.half_width,
        prompts_needed=needed,
    )


def _thinned(frame: pd.DataFrame, design: Design, seed: int) -> pd.DataFrame:
    """The judgements on so many images of each prompt and generator, and so many ratings by people of each image."""
    order = frame.reset_index(drop=True).sample(frac=1.0, random_state=seed)
    items = order.drop_duplicates(["suite", "item"])
    own = items.prompt.where(items.prompt.notna(), items.item)
    drawn = items[items.groupby([items.suite, own, items.generator], dropna=False).cumcount() < design.images]
    thinned = order[order.item.isin(drawn.item)]
    people = thinned[(thinned.kind == "human") & thinned.excluded.isna()]
    unit = ["suite", "aspect", "item", "target", "simulated"]
    over = people.index[people.groupby(unit, dropna=False).cumcount() >= design.ratings]
    return thinned.drop(index=over).sort_index()
