"""Tuning of a scorer: what its stored evidence says by other settings, beside people and beside the scorer as it was run.

Nothing is run again. Agreement, means and the verdicts that flip are those of the scope's images; the curve along one setting
says what the best value is worth on prompts that had no part in the choice.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any, Final

import numpy as np

from agreement import Options
from agreement.best_value import Objective
from agreement.estimate import Ceiling, Estimate
from agreement.study.cells import ALL, Outcome
from agreement.tuning import (
    NO,
    STATISTICS,
    YES,
    Bounded,
    ItemCells,
    Tuned,
    YesNoCounts,
    agreement_bounds,
    agreements,
    generator_means,
    shares,
    tune,
)
from concord.agreement import recall
from concord.common.people_kinds import PeopleKind, leading_kind
from concord.error_analysis import rejudging
from concord.error_analysis.rejudging import ASPECT, RaterEvidence
from concord.scope import Scope
from data.store.core.store import Store
from scorers import registry
from scorers.base import Knob
from scorers.running.rejudge import Verdicts

OBJECTIVES: Final[tuple[Objective, ...]] = ("cohen_kappa", "percent_agreement")
"""What a setting can be tuned by; the first is that of GenEval's Figure 8."""
AGREEMENTS: Final = STATISTICS
"""The statistics of agreement that are known before and now, by task."""
AGAINST, WITH, UNKNOWN = "against", "with", "unknown"
"""How a verdict that flips stands to most people: it agreed before, it agrees now, or people do not say."""
_GROUPS: Final = 200
"""So many groups of prompts at most are left out for the band of a curve."""


@dataclass(frozen=True, slots=True)
class TuneRequest:
    """What is asked for.

    Attributes:
        settings: by name, as an address has them; what is no setting, or out of range, stays as it was run.
        along: the setting that the curve runs along; empty for the first that was changed, or the first that there is.
        people: the kind of people to agree with; empty for those whose answers lead.
    """

    rater: str = ""
    settings: Mapping[str, str] = field(default_factory=dict)
    along: str = ""
    objective: Objective = OBJECTIVES[0]
    people: str = ""


@dataclass(frozen=True, slots=True)
class TunedSetting:
    """A setting of a scorer.

    Attributes:
        own: as it was run; `value`: as it is asked for.
        low, high: its range here.
        decides: whether it can change a verdict of the scope's images.
    """

    name: str
    knob: Knob
    own: Any
    value: Any
    low: float
    high: float
    decides: bool

    @property
    def changed(self) -> bool:
        return bool(self.value != self.own)


@dataclass(frozen=True, slots=True)
class SettingCurve:
    """Agreement with people along one setting, the others as they are asked for.

    Attributes:
        at: values of the setting, ascending.
        points: agreement at each.
        tuned: the best value, and what it is worth out of fold.
        decides: on how many images the setting decides something.
    """

    setting: TunedSetting
    at: tuple[float, ...]
    points: tuple[Bounded, ...]
    tuned: Tuned
    decides: int

    @property
    def best(self) -> float | None:
        """The value that agrees best on all images."""
        return None if self.tuned.best is None else self.at[self.tuned.best]

    @property
    def fold_best(self) -> tuple[float, ...]:
        """The values chosen without each fold."""
        return tuple(self.at[index] for index in self.tuned.fold_best)


@dataclass(frozen=True, slots=True)
class Flip:
    """An image whose verdict is another one now.

    Attributes:
        before, now: 1 (correct), 0, or -1 (left open).
        yes, n: people's answers.
        side: `AGAINST`, `WITH` or `UNKNOWN`.
        row: its place among the scorer's images.
    """

    item: str
    task: str
    generator: str
    before: int
    now: int
    yes: int
    n: int
    side: str
    row: int


@dataclass(frozen=True)
class TunedScorer:
    """What follows from other settings of a scorer, beside the scorer as it was run.

    Attributes:
        run: the newest run whose detections are judged.
        total: how many images the scorer saw in all; fewer may be held (`images`).
        kinds: kinds of people who answered, the one whose answers lead first; `people`: the one that is compared with.
        before, now: agreement with them.
        level: what one of these people in the scorer's place reaches, by the same statistic.
        means_before, means: the share of correct images by generator, and of `all`.
        people_mean: people's own share of yes in the scope.
        by_place: the outcomes by task (agreement) and by generator and task (shares), before and now.
    """

    rater: str
    suite: str
    settings: tuple[TunedSetting, ...]
    along: str
    objective: Objective
    images: int
    total: int
    kinds: tuple[PeopleKind, ...]
    people: PeopleKind | None
    before: Bounded | None
    now: Bounded | None
    level: Ceiling | None
    curve: SettingCurve | None
    means_before: Mapping[str, Bounded]
    means: Mapping[str, Bounded]
    people_mean: Estimate | None
    flips: tuple[Flip, ...]
    by_place: ByPlace
    evidence: RaterEvidence

    @property
    def changed(self) -> dict[str, Any]:
        """The settings that are other than in the run."""
        return {setting.name: setting.value for setting in self.settings if setting.changed}

    def flips_of(self, side: str) -> tuple[Flip, ...]:
        """Return the flips of one side; of all for any other word."""
        known = side in (AGAINST, WITH, UNKNOWN)
        return tuple(flip for flip in self.flips if not known or flip.side == side)


@dataclass(frozen=True, slots=True)
class ByPlace:
    """Outcomes by place and statistic, before and now; agreement by kind of people, task and statistic."""

    tasks: tuple[str, ...]
    generators: tuple[str, ...]
    shares_before: Mapping[tuple[str, str], Outcome]
    shares_now: Mapping[tuple[str, str], Outcome]
    agreement_before: Mapping[tuple[str, str, str], Outcome]
    agreement_now: Mapping[tuple[str, str, str], Outcome]


@cache
def setting_names() -> tuple[str, ...]:
    """Return the names of all settings of all scorers; those of one scorer are in its own order."""
    return tuple(dict.fromkeys(name for scorer in registry.known() for name in registry.get(scorer).knobs))


def tunable_raters(store: Store, suite: str) -> list[str]:
    """Return the scorers of a suite whose stored evidence can be judged by other settings, sorted."""
    return sorted(each.rater_id for each in rejudging.sources(store) if each.suite == suite and rejudging.knobs(each.scorer))


def tune_scorer(store: Store, scope: Scope, request: TuneRequest) -> TunedScorer | None:
    """Judge a scorer's evidence of a scope's images by other settings; None without such a scorer.

    Raises:
        ValueError: its evidence cannot be judged.
    """
    names = tunable_raters(store, scope.suite)
    rater = request.rater if request.rater in names else next(iter(names), "")
    evidence = rejudging.evidence(store, scope.suite, rater)
    if evidence is None:
        return None
    rows = _rows_of(evidence, scope)
    places = evidence.places.take(rows)
    settings = tuple(_setting(evidence, name, request.settings.get(name), rows) for name in evidence.scorer.knobs)
    values = {setting.name: setting.value for setting in settings}
    before, now = evidence.again.correct({})[rows], evidence.again.correct(values)[rows]
    heard = {kind: counts.take(rows) for kind, counts in rejudging.people_verdicts(store, evidence).items()}
    kinds = _kinds(heard)
    people = request.people if request.people in kinds else next(iter(kinds), None)
    answers = heard.get(people) if people else None
    bounds: list[Bounded | None] = [None, None]
    if answers is not None:
        bounds = list(agreement_bounds(np.stack([before, now]), answers, places, request.objective))
    offered = [setting for setting in settings if setting.decides and not setting.knob.choices]
    along = _along(offered, request.along)
    curve = None
    if along is not None and answers is not None:
        curve = _curve(evidence, rows, now, values, along, answers, request.objective, scope.task)
    report = _people_numbers(store, scope, rater, people, request.objective) if people else (None, None)
    return TunedScorer(
        rater=rater,
        suite=scope.suite,
        settings=settings,
        along=along.name if along else "",
        objective=request.objective,
        images=rows.size,
        total=evidence.total,
        kinds=kinds,
        people=people,
        before=bounds[0],
        now=bounds[1],
        level=report[0],
        curve=curve,
        means_before=generator_means(before, places),
        means=generator_means(now, places),
        people_mean=report[1],
        flips=_flips(evidence, rows, before, now, answers),
        by_place=_by_place(places, before, now, heard),
        evidence=evidence,
    )


def reason_of(tuned: TunedScorer, flip: Flip) -> str:
    """Return the first line of the scorer's reason for an image's verdict as it is now; empty without one."""
    evidence = tuned.evidence
    case = evidence.again.cases[flip.row]
    settings = {**evidence.again.settings, **{setting.name: setting.value for setting in tuned.settings}}
    reason = evidence.scorer.judge(case.spec, case.seen, settings).reason
    return reason.splitlines()[0] if reason else ""


def _rows_of(evidence: RaterEvidence, scope: Scope) -> Any:
    """Return the positions of the scope's images."""
    places = evidence.places
    inside = np.ones(places.task.size, bool)
    if scope.task:
        inside &= places.task == (places.tasks.index(scope.task) if scope.task in places.tasks else -2)
    if scope.generator:
        codes = [code for code, name in enumerate(places.generators) if name in scope.generator]
        inside &= np.isin(places.generator, codes)
    return np.flatnonzero(inside)


def _setting(evidence: RaterEvidence, name: str, asked: str | None, rows: Any) -> TunedSetting:
    knob, own = evidence.scorer.knobs[name], evidence.again.settings[name]
    decides = any(knob.applies(evidence.again.cases[k].spec) for k in rows)
    if knob.choices:
        return TunedSetting(name, knob, own, asked if asked in knob.choices else own, 0.0, 0.0, decides)
    low, high = rejudging.lowest(evidence, name), rejudging.highest(evidence, name)
    return TunedSetting(name, knob, own, _number(asked, own, low, high), low, high, decides)


def _number(asked: str | None, own: Any, low: float, high: float) -> Any:
    """Return a setting's number as it is asked for; as it was run where that is no number of its range."""
    try:
        value = float(asked) if asked is not None else math.nan
    except ValueError:
        return own
    if not (math.isfinite(value) and low <= value <= high):
        return own
    number = rejudging.rounded(value)
    # as it is written in the run, 1 and not 1.0
    return own if number == own else number


def _kinds(heard: Mapping[str, YesNoCounts]) -> tuple[PeopleKind, ...]:
    counts = {kind: int(answers.asked.sum()) for kind, answers in heard.items()}
    leading = leading_kind(counts.get("real", 0), counts.get("simulated", 0))
    kinds: list[PeopleKind] = [kind for kind in ("real", "simulated") if counts.get(kind)]
    return tuple(sorted(kinds, key=lambda kind: kind != leading))


def _along(offered: Sequence[TunedSetting], asked: str) -> TunedSetting | None:
    chosen = next((setting for setting in offered if setting.name == asked), None)
    return chosen or next((setting for setting in offered if setting.changed), None) or next(iter(offered), None)


def _curve(
    evidence: RaterEvidence,
    rows: Any,
    now: Verdicts,
    values: Mapping[str, Any],
    along: TunedSetting,
    answers: YesNoCounts,
    objective: Objective,
    task: str,
) -> SettingCurve:
    """Agreement on all of the scope's images; those on which the setting decides nothing keep their verdict."""
    swept = evidence.again.sweep(along.name, rejudging.steps(evidence, along.name), values)
    verdicts = np.tile(now, (swept.at.size, 1))
    _, place, column = np.intersect1d(rows, swept.rows, assume_unique=True, return_indices=True)
    verdicts[:, place] = swept.said[:, column]
    places = evidence.places.take(rows)
    points = agreement_bounds(verdicts, answers, places, objective, _GROUPS)
    tuned = tune(swept.at, verdicts, answers, places, objective, task=task or ALL)
    return SettingCurve(along, tuple(swept.at.tolist()), tuple(points), tuned, int(place.size))


def _people_numbers(
    store: Store, scope: Scope, rater: str, people: str, objective: Objective
) -> tuple[Ceiling | None, Estimate | None]:
    """Return what one person in the scorer's place reaches, and people's share of yes, of the scope's images."""
    options = Options(statistics=(objective, "mean"), each_generator=False, matrix=False, ceiling=True)
    about = Scope(scope.suite, ASPECT, scope.generator).selection
    report, task = recall(store, about, options), scope.task or ALL
    wanted = (rater, objective, task, people, None)
    level = next(
        (row.ceiling for row in report.raters if (row.rater, row.statistic, row.task, row.people, row.target) == wanted), None
    )
    mine = ("mean", task, people, None)
    mean = next((row for row in report.among_people if (row.statistic, row.task, row.people, row.target) == mine), None)
    return level, mean


def _flips(
    evidence: RaterEvidence, rows: Any, before: Verdicts, now: Verdicts, answers: YesNoCounts | None
) -> tuple[Flip, ...]:
    """Return the images whose verdict is another one, those that no longer agree with people first."""
    places, flips = evidence.places, []
    for place in np.flatnonzero(before != now).tolist():
        k = int(rows[place])
        yes, no = (0, 0) if answers is None else (int(answers.yes[place]), int(answers.no[place]))
        most = YES if yes > no else NO if no > yes else None
        side = WITH if now[place] == most else AGAINST if before[place] == most else UNKNOWN
        task, generator = int(places.task[k]), int(places.generator[k])
        flips.append(
            Flip(
                evidence.again.cases[k].item_id,
                places.tasks[task] if task >= 0 else "",
                places.generators[generator] if generator >= 0 else "",
                int(before[place]),
                int(now[place]),
                yes,
                yes + no,
                side,
                k,
            )
        )
    order = (AGAINST, WITH, UNKNOWN)
    return tuple(sorted(flips, key=lambda flip: (order.index(flip.side), -flip.n)))


def _by_place(places: ItemCells, before: Verdicts, now: Verdicts, heard: Mapping[str, YesNoCounts]) -> ByPlace:
    both = []
    for verdicts in (before, now):
        agreed = {
            (kind, row.place.task, row.key.statistic): row.outcome
            for kind, answers in heard.items()
            for row in agreements(verdicts, answers, places)
        }
        both.append(({(row.place.generator, row.place.task): row.outcome for row in shares(verdicts, places)}, agreed))
    (shares_before, agreed_before), (shares_now, agreed_now) = both
    tasks = tuple(dict.fromkeys(task for _, task in shares_now))
    generators = tuple(dict.fromkeys(generator for generator, _ in shares_now))
    return ByPlace(tasks, generators, shares_before, shares_now, agreed_before, agreed_now)
