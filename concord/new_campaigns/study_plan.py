"""A study planned from what is to be found out: how many prompts and people it takes, and what work and money that is.

The precision of a mean and the power of a difference follow from the variance components of the ratings that a project has;
without any from those of published studies (`agreement.meta.typical`).
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any, Final, Literal, cast, get_args

from agreement.inference.intervals import Deletions
from agreement.inference.sample_size import POWER, prompts_needed
from agreement.meta.components import Components, variance_components
from agreement.meta.planning import Design, MeanVariance, difference_variance, mean_variance, observed_design
from agreement.meta.typical import TYPICAL_GRADES, TYPICAL_YES_NO
from agreement.meta.units import RatedUnits
from concord.common import live_updates, wording
from concord.comparison.leaderboard import leaderboard
from concord.meta.planning import rated_aspects
from concord.new_campaigns.suggested import Workload, latest_pay, time_of_answer, workload
from concord.scope import Scope, scope_of
from data.selection import Selection
from data.store.browse import scopes
from data.store.core.store import Store

Goal = Literal["mean", "difference", "scorer", "label"]
GOALS: Final = get_args(Goal)
RATINGS: Final = (1, 2, 3, 5)
"""People an image in the designs that are compared."""
USUAL_PEOPLE: Final = 2
LABEL_PEOPLE: Final = 3
LEAST_MARGIN, MOST_MARGIN, USUAL_MARGIN = 0.01, 0.3, 0.05
MARGIN_STEP: Final = 0.01
_POINTS: Final = 60
"""Of a curve."""
_FEWEST_PROMPTS: Final = 3


@dataclass(frozen=True, slots=True)
class PlanQuery:
    """What a plan is asked for.

    Attributes:
        goal: what is to be found out.
        suite, aspect: what people rate; empty for what they rated most.
        simulated: whether the ratings of simulated people are planned from.
        typical: whether the variances of published studies are used although people have rated.
        margin: half the interval of a mean, or half the difference to be found, as a share of the scale.
        people: who rate each image.
        scorer: of the goal `scorer`; empty for one that is undecided.
        wage, currency: pay an hour; empty where none is named.
    """

    goal: Goal = "mean"
    suite: str = ""
    aspect: str = ""
    simulated: bool = False
    typical: bool = False
    margin: float = USUAL_MARGIN
    people: int = USUAL_PEOPLE
    scorer: str = ""
    wage: str = ""
    currency: str = ""

    @classmethod
    def read(cls, goal: str, margin: str, people: str) -> PlanQuery:
        """Return a plan by the texts of an address; what cannot be read is as usual."""
        share, ratings = USUAL_MARGIN, USUAL_PEOPLE
        with suppress(ValueError):
            share = float(margin or USUAL_MARGIN)
        share = min(max(share, LEAST_MARGIN), MOST_MARGIN) if math.isfinite(share) else USUAL_MARGIN
        if people.isascii() and people.isdigit() and int(people[:4]) in RATINGS:
            ratings = int(people)
        return cls(cast(Goal, goal) if goal in GOALS else "mean", margin=round(share, 4), people=ratings)


@dataclass(frozen=True, slots=True)
class RatedSubject:
    """What people rate, as a plan can be made for it."""

    suite: str
    aspect: str
    simulated: bool

    @property
    def title(self) -> str:
        """In words."""
        return f"{self.suite}: {wording.plain_aspect(self.aspect)}" + (" by simulated people" if self.simulated else "")


@dataclass(frozen=True, slots=True)
class PlannedDesign:
    """A number of people an image, and what it takes to reach the aim with them.

    Attributes:
        ratings: people an image.
        prompts: that reach the aim; None: more than a million.
        new: how many of them the project has no images of; None like `prompts`.
        half_width: of the mean, or of the difference, with today's prompts; None without any.
        power: of the difference with today's prompts.
        work: None like `prompts`.
    """

    ratings: int
    prompts: int | None
    new: int | None
    half_width: float | None
    power: float | None
    work: Workload | None


@dataclass(frozen=True, slots=True)
class ScorerVerdict:
    """Where a scorer stands beside people, and how many more prompts would decide; None where that is not to be known."""

    name: str
    standing: str
    more: int | None


@dataclass(frozen=True, slots=True)
class StudyPlan:
    """A plan.

    Attributes:
        asked: with what was left open filled in.
        subjects: what people rate here, the most rated first.
        typical: whether it rests on published studies alone.
        span: the length of people's scale.
        images: of a prompt by one generator.
        generators: how many there are; 1 where there is none yet.
        prompts: rated ones today.
        available: prompts with images in the suite.
        designs: the numbers of people that are compared, in order.
        scorers: of the goal `scorer`, the best first.
        seconds: of one answer, and how many answers say so; 0: assumed.
        shared: the share of the uncertainty that prompts make, which more people do not lessen.
        reason: why there is no plan; else empty.
    """

    asked: PlanQuery
    subjects: tuple[RatedSubject, ...]
    typical: bool
    span: float
    images: int
    generators: int
    prompts: int
    available: int
    designs: tuple[PlannedDesign, ...]
    scorers: tuple[ScorerVerdict, ...]
    seconds: tuple[float, int]
    shared: float | None
    variances: tuple[MeanVariance, ...]
    reason: str = ""

    @property
    def aim(self) -> float:
        """On people's scale: half the interval, or the difference to be found."""
        return self.asked.margin * self.span * (2 if self.asked.goal == "difference" else 1)

    @property
    def chosen(self) -> PlannedDesign | None:
        """The design with as many people as asked for."""
        return next((design for design in self.designs if design.ratings == self.asked.people), None)

    @property
    def images_needed(self) -> int | None:
        """How many images the chosen design asks about; None where it is all, or not known."""
        chosen = self.chosen
        if chosen is None or chosen.prompts is None or chosen.prompts >= self.available:
            return None
        return chosen.prompts * self.images * self.generators

    def curve(self, design: int, most: int) -> list[tuple[int, float]]:
        """Return the half width by number of prompts, of the design at this place, up to so many prompts."""
        least = _FEWEST_PROMPTS
        at = sorted({round(least * (most / least) ** (k / _POINTS)) for k in range(_POINTS + 1)})
        return [(n, self.variances[design].half_width(n) * self.span) for n in at]


def plan_study(store: Store, asked: PlanQuery, *, intervals: bool = True) -> StudyPlan:
    """Return how many prompts and people reach an aim; without ``intervals`` no scorer's standing is known."""
    rated = rated_aspects(store)
    units = next((each for each in rated if _is_about(each, asked)), rated[0] if rated else None)
    subjects = tuple(RatedSubject(each.suite, each.aspect, each.simulated) for each in rated)
    if units is not None:
        asked = replace(asked, suite=units.suite, aspect=units.aspect, simulated=units.simulated)
    if asked.goal == "scorer":
        # where a scorer stands is never known without answers
        asked = replace(asked, typical=False)
    components = None if units is None or asked.typical else _components(store, units.suite, units.aspect, units.simulated)
    grades = units is not None and not units.binary
    typical = components is None
    wage, currency = asked.wage, asked.currency
    if not wage:
        wage, currency = latest_pay(store)
        asked = replace(asked, wage=wage, currency=currency)
    plan = StudyPlan(
        asked=asked,
        subjects=subjects,
        typical=typical,
        span=1.0 if units is None else units.high - units.low,
        images=1 if units is None else int(observed_design(units).images),
        generators=max(1, len(units.generators) if units is not None else _count_generators(store, asked.suite)),
        prompts=0 if components is None else components.prompts,
        available=_count_prompts(store, asked.suite),
        designs=(),
        scorers=(),
        seconds=time_of_answer(store),
        shared=None,
        variances=(),
    )
    if asked.goal == "scorer":
        return _with_scorers(store, plan, units, intervals)
    return _with_designs(plan, components or (TYPICAL_GRADES if grades else TYPICAL_YES_NO))


def plan_values(store: Store, asked: PlanQuery) -> dict[str, Any]:
    """Return what a plan says of a campaign's values, by their names in files; None: a value that is not named."""
    pay = {"target_wage": asked.wage, "currency": asked.currency} if asked.wage else {}
    if asked.goal == "label":
        return {"n": None, "overlap": LABEL_PEOPLE, **pay}
    study = plan_study(store, asked, intervals=asked.goal == "scorer")
    suite = {"suite": [study.asked.suite]} if study.asked.suite else {}
    return {"n": study.images_needed, "overlap": study.asked.people, **suite, **pay}


def _is_about(units: RatedUnits, asked: PlanQuery) -> bool:
    return (
        bool(asked.suite)
        and units.suite == asked.suite
        and units.aspect == (asked.aspect or units.aspect)
        and units.simulated == asked.simulated
    )


@live_updates.cached(maxsize=16)
def _components(store: Store, suite: str, aspect: str, simulated: bool) -> Components | None:
    """Return the variance components of what people rated; None where they are too few to tell."""
    about = PlanQuery(suite=suite, aspect=aspect, simulated=simulated)
    units = next((each for each in rated_aspects(store) if _is_about(each, about)), None)
    if units is None:
        return None
    found = variance_components(units, units.raters > 0, Deletions(wanted=False), within_generators=True)
    return found if found.prompts >= _FEWEST_PROMPTS and math.isfinite(found.prompt[0]) else None


def _with_designs(plan: StudyPlan, components: Components) -> StudyPlan:
    asked = plan.asked
    is_difference = asked.goal == "difference"
    variance = difference_variance if is_difference else mean_variance
    if is_difference and not math.isfinite(components.own[0]):
        return replace(plan, reason="Two generators on the same prompts are needed to plan their difference.")
    variances = tuple(variance(components, Design(plan.images, ratings)) for ratings in RATINGS)
    share = 2 * asked.margin

    def needed(each: MeanVariance) -> int | None:
        if is_difference:
            return prompts_needed(lambda n: each.power(share, n) >= POWER)
        return prompts_needed(lambda n: each.half_width(n) <= asked.margin)

    today = plan.prompts if plan.prompts >= _FEWEST_PROMPTS else None
    designs = tuple(
        _design(
            plan,
            ratings,
            needed(each),
            each.half_width(today) * plan.span if today else None,
            each.power(share, today) if today and is_difference else None,
        )
        for ratings, each in zip(RATINGS, variances, strict=True)
    )
    more_people = variance(components, Design(plan.images, 1000)).by_prompt
    chosen = variances[RATINGS.index(asked.people)].by_prompt
    return replace(plan, designs=designs, variances=variances, shared=more_people / chosen if chosen else None)


def _design(
    plan: StudyPlan, ratings: int, prompts: int | None, half_width: float | None = None, power: float | None = None
) -> PlannedDesign:
    if prompts is None:
        return PlannedDesign(ratings, None, None, half_width, power, None)
    answers = prompts * plan.images * plan.generators * ratings
    work = workload(answers, plan.seconds, plan.asked.wage)
    return PlannedDesign(ratings, prompts, max(prompts - plan.available, 0), half_width, power, work)


def _with_scorers(store: Store, plan: StudyPlan, units: RatedUnits | None, intervals: bool) -> StudyPlan:
    """Return the plan of whether a scorer is as good as a person: one design, as people have answered so far."""
    if units is None:
        return replace(plan, reason="Nobody has answered yet: how many prompts decide follows from the first answers.")
    if not intervals:
        return plan
    standings = tuple(_scorer_verdicts(store, units.suite))
    if not standings:
        return replace(plan, reason="No scorer has judged these images: score them first.")
    asked = plan.asked
    undecided = [each for each in standings if each.more is not None]
    chosen = next((each for each in standings if each.name == asked.scorer), (undecided or standings)[0])
    ratings = min(RATINGS, key=lambda k: abs(k - observed_design(units).ratings))
    asked = replace(asked, scorer=chosen.name, people=ratings)
    plan = replace(plan, asked=asked, scorers=standings)
    if chosen.more is None:
        return plan
    return replace(plan, designs=(_design(plan, ratings, plan.prompts + chosen.more),))


def _scorer_verdicts(store: Store, suite: str) -> Iterator[ScorerVerdict]:
    board = leaderboard(store, scope_of(store, suite), intervals=True)
    for rater in board.raters:
        if rater.kind == "scorer" and rater.agreement is not None:
            ceiling = rater.agreement.ceiling
            more = None if ceiling is None or ceiling.verdict.verdict else ceiling.verdict.prompts_needed
            yield ScorerVerdict(rater.name, rater.standing or "no verdict beside people", more)


def _count_prompts(store: Store, suite: str) -> int:
    scope = Scope(suite)
    return scopes.scope_size(store, scope.narrow).prompts


def _count_generators(store: Store, suite: str) -> int:
    return len(scopes.images_by(store, "generator", Selection(suite=(suite,) if suite else ())))
