"""Rated units of one aspect: people's ratings and the scorers' values beside them, on people's scale brought to 0..1.

A unit is one (item, target). Yes is 1 and no is 0; the lowest level of an ordinal scale is 0 and its highest is 1; labels
without order have no numbers; an interval scale stays as it is. A scorer that gives the aspect stands on people's scale; one
that gives only a `score` stands on its own.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, fields, replace
from itertools import product
from typing import Any, Final

import numpy as np
import pandas as pd

from agreement.estimate import Estimate
from agreement.numeric import BoolArray, FloatArray, IntArray, ratio, sums_by
from agreement.reasons import Method
from agreement.report.report import MET_BY_SCORES, SCORE
from agreement.statistics.scale import Scale
from agreement.study.cells import ALL, Outcome, compact
from agreement.study.frame import Aspect, Ratings, Suite, read

TOP_GRADE: Final = 10
"""The best grade of a rubric's; the worst is 0."""


@dataclass(frozen=True)
class PeopleRatings:
    """People's ratings that count, one entry each.

    Attributes:
        unit: index into the units.
        person: index into `persons`.
        label: code of the label; -1 on an interval scale.
        value: 0..1, or as it is on an interval scale; NaN for labels without order.
        persons: names of the raters.
        identified: which of them are persons; the others are slots of a file that has no names.
    """

    unit: IntArray
    person: IntArray
    label: IntArray
    value: FloatArray
    persons: tuple[str, ...]
    identified: BoolArray


@dataclass(frozen=True)
class ScorerValues:
    """One scorer's values by unit.

    Attributes:
        value: (units,), NaN where it gave none; 0..1 if `on_scale`.
        label: (units,), codes of the aspect's labels; -1 where there is none, as of every score.
        on_scale: whether it gives people's aspect itself, not a score of its own.
        saw_labels: whether it was made, or its settings were chosen, with people's labels in view.
    """

    name: str
    value: FloatArray
    label: IntArray
    on_scale: bool
    saw_labels: bool


@dataclass(frozen=True)
class RatedUnits:
    """The units of one aspect, with all that rated them.

    Attributes:
        suite, aspect: their names.
        simulated: whether the people are simulated ones.
        items: (units,) names.
        prompt, task, generator: (units,) codes; a unit without prompt is a prompt of its own, other codes are -1 for none.
        tasks, generators: names behind the codes.
        by_prompt: whether any unit has a prompt.
        scale: people's.
        low, high: the ends of people's scale that 0 and 1 stand for; 0 and 1 on an interval scale.
        people: their ratings.
        mean: (units,) people's mean value; NaN where there is none.
        raters: (units,) how many people rated it.
        scorers: by name, those that rated any unit.
    """

    suite: str
    aspect: str
    simulated: bool
    items: tuple[str, ...]
    prompt: IntArray
    task: IntArray
    generator: IntArray
    tasks: tuple[str, ...]
    generators: tuple[str, ...]
    by_prompt: bool
    scale: Scale
    low: float
    high: float
    people: PeopleRatings
    mean: FloatArray
    raters: IntArray
    scorers: Mapping[str, ScorerValues]

    @property
    def about(self) -> dict[str, Any]:
        """Whose ratings of what, as a row says it."""
        return {"suite": self.suite, "aspect": self.aspect, "people": "simulated" if self.simulated else "real"}

    @property
    def size(self) -> int:
        """How many units."""
        return len(self.items)

    @property
    def numeric(self) -> bool:
        """Whether people's ratings are numbers; labels without order are not."""
        return self.scale.kind != "nominal" or self.binary

    @property
    def binary(self) -> bool:
        """Whether people say yes or no."""
        return self.scale.kind == "nominal" and bool(np.isfinite(self.people.value).any())

    def graded(self, scorers: Collection[str]) -> RatedUnits:
        """With the scores of these scorers, grades from 0 to 10, as tenths of people's scale; an interval scale has no ends,
        and labels without order no numbers, so there nothing changes."""
        if self.scale.kind == "interval" or not self.numeric:
            return self
        made = {
            name: replace(each, value=np.asarray(each.value / TOP_GRADE), on_scale=True)
            for name, each in self.scorers.items()
            if name in scorers and not each.on_scale
        }
        return replace(self, scorers={**self.scorers, **made})

    def printed(self, value: float | None) -> float | None:
        """A mean on people's own scale."""
        return None if value is None else self.low + (self.high - self.low) * value


_KEYS = (
    "suite", "task", "generator", "aspect", "people", "statistic", "scorer", "target",
    "value", "low", "high", "n_items", "n_ratings", "excluded", "reason", "method",
)  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class Finding(Estimate):
    """An estimate about a scorer, or about people where `scorer` is None."""

    scorer: str | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return plain types: the keys of every finding, then its own."""
        plain = {each.name: getattr(self, each.name) for each in fields(self)} | {"excluded": dict(self.excluded)}
        return {name: plain[name] for name in (*_KEYS, *(own for own in type(self).__annotations__ if own not in _KEYS))}


def numbers(outcome: Outcome, low: float | None, high: float | None, method: Method) -> dict[str, Any]:
    """An outcome and its interval, as a `Finding` has them."""
    used = outcome.used
    return {
        "value": outcome.value,
        "low": low,
        "high": high,
        "n_items": used.items,
        "n_ratings": used.ratings,
        "n_prompts": used.clusters,
        "excluded": used.excluded,
        "reason": outcome.reason,
        "method": method,
    }


@dataclass(frozen=True)
class UnitCell:
    """One generator or `all`, one task or `all`, and the mask of its units."""

    generator: str
    task: str
    inside: BoolArray


def cells(units: RatedUnits, *, each_generator: bool = True) -> Iterator[UnitCell]:
    """Those with any unit that people rated: each generator, if wanted, and all of them by each task and all."""
    rated, every = units.raters > 0, np.ones(units.size, bool)
    names = units.generators if each_generator else ()
    generators = {name: units.generator == code for code, name in enumerate(names)} | {ALL: every}
    tasks = {name: units.task == code for code, name in enumerate(units.tasks)} | {ALL: every}
    for (generator, mine), (task, same) in product(generators.items(), tasks.items()):
        if (mine & same & rated).any():
            yield UnitCell(generator, task, mine & same)


def read_units(frame: pd.DataFrame, scales: Mapping[tuple[str, str], str]) -> Iterator[RatedUnits]:
    """The units of each suite's aspects that people, real or simulated, have rated; simulated ones after real ones."""
    for suite in read(frame, scales):
        scores = next((each for each in suite.aspects if each.name == SCORE), None)
        for aspect in suite.aspects:
            for simulated in (False, True):
                made = _units(suite, aspect, scales[suite.name, aspect.name], scores, simulated=simulated)
                if made is not None:
                    yield made


def _units(suite: Suite, aspect: Aspect, scale_text: str, scores: Aspect | None, *, simulated: bool) -> RatedUnits | None:
    valid = aspect.ratings.take(aspect.ratings.valid)
    mine = suite.raters_where(scorer=False, simulated=simulated)
    people = valid.take(mine[valid.rater])
    if not people.size:
        return None
    of_scorers = suite.raters_where(scorer=True)
    verdicts = valid.take(of_scorers[valid.rater])
    judged = people.unit if not verdicts.size else np.concatenate([people.unit, verdicts.unit])
    scored = _scores(aspect, scores, of_scorers, verdicts)
    if scored is not None:
        judged = np.concatenate([judged, scored.unit])
    keys, first = np.unique(judged, return_index=True)
    sources = [each for each in (people, verdicts, scored) if each is not None]
    item, prompt, task, generator = (
        np.concatenate([getattr(each, name) for each in sources])[first] for name in ("item", "cluster", "task", "generator")
    )
    scale = Scale.parse(scale_text)
    low, high = _ends(scale)
    unit = np.searchsorted(keys, people.unit)
    persons = np.unique(people.rater)
    value = (people.number - low) / (high - low)
    counts = np.bincount(unit, minlength=keys.size)
    scorers = {
        suite.raters[code].name: _scorer(suite, code, rows, keys, low, high, on_scale=rows is verdicts)
        for rows in (scored, verdicts)
        if rows is not None
        for code in np.unique(rows.rater)
    }
    return RatedUnits(
        suite=suite.name,
        aspect=aspect.name,
        simulated=simulated,
        items=tuple(suite.items[code] for code in item),
        prompt=compact(prompt).codes,
        task=task,
        generator=generator,
        tasks=suite.tasks,
        generators=suite.generators,
        by_prompt=suite.by_prompt,
        scale=scale,
        low=low,
        high=high,
        people=PeopleRatings(
            unit,
            np.searchsorted(persons, people.rater),
            people.label,
            value,
            tuple(suite.raters[code].name for code in persons),
            np.array([suite.raters[code].person for code in persons], bool),
        ),
        mean=ratio(sums_by(unit, keys.size, value), counts.astype(float)),
        raters=counts,
        scorers=dict(sorted(scorers.items())),
    )


def _scores(aspect: Aspect, scores: Aspect | None, of_scorers: BoolArray, verdicts: Ratings) -> Ratings | None:
    """The scores of scorers that do not give the aspect itself, where scores meet it and it is about whole items."""
    if scores is None or aspect.name not in MET_BY_SCORES:
        return None
    valid = scores.ratings.take(scores.ratings.valid)
    ratings = valid.take(of_scorers[valid.rater] & ~np.isin(valid.rater, verdicts.rater) & (valid.target < 0))
    return ratings if ratings.size else None


def _scorer(suite: Suite, code: int, rows: Ratings, keys: IntArray, low: float, high: float, *, on_scale: bool) -> ScorerValues:
    own = rows.take(rows.rater == code)
    at = np.searchsorted(keys, own.unit)
    value, label = np.full(keys.size, np.nan), np.full(keys.size, -1, np.int64)
    value[at] = (own.number - low) / (high - low) if on_scale else own.number
    if on_scale:
        label[at] = own.label
    return ScorerValues(suite.raters[code].name, value, label, on_scale, suite.raters[code].saw_labels)


def _ends(scale: Scale) -> tuple[float, float]:
    """The numbers of the lowest and the highest level."""
    if scale.kind != "ordinal" or not scale.levels or len(scale.levels) < 2:
        return 0.0, 1.0
    numbers = [scale.read(level).number or 0.0 for level in scale.levels]
    return min(numbers), max(numbers)
