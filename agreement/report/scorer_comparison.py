"""Scorer against scorer: which of two agrees better with the same people on the same units, and is it more than chance.

Both scorers' agreement is made on the units that both judged and over the same prompts, so that the interval
is that of the paired difference; p is that of the sign-flip test (`sign_flips`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import pandas as pd

from agreement.catalogue import STATISTICS
from agreement.inference.jackknife import CONTRAST
from agreement.inference.significance import holm
from agreement.report.certainty import select
from agreement.report.scorer_vs_scorer import Duels, Field, McNemar, Sides, ways_of
from agreement.report.topic import Topic, topics
from agreement.statistics.two_raters import FORMULAS as OF_LABELS
from agreement.study.cells import Cell, Found, Key, Options, Place, place_of, walk
from agreement.study.frame import read
from agreement.study.outcome import Outcome, interval

DEFAULT = ("percent_agreement", "cohen_kappa", "gwet_ac1", "pearson", "spearman", "kendall_tau_b", "auc")


@dataclass(frozen=True)
class Comparison:
    """Agreement of scorer `a` with people less that of `b`, by one statistic in one cell.

    Attributes:
        suite: the suite.
        aspect: people's aspect.
        target: its target, None for all of them.
        people: `real` or `simulated`.
        place: generator and task.
        key: statistic, both scorers, and how people enter.
        outcome: the difference.
        low: lower end of its interval.
        high: upper end.
        p: two-sided p of no difference, by the sign-flip test over prompts (`sign_flips`); None where it is not made, as of
            scorers that were tuned on these people's labels.
        p_holm: p corrected over all comparisons of the table: one statistic of one
            generator (or all), every task and pair of scorers.
        value_a: a's own agreement with people on the shared units.
        value_b: b's.
        mcnemar: for yes/no labels, in one cell; None elsewhere.
        method: in words.
    """

    suite: str
    aspect: str
    target: str | None
    people: str
    place: Place
    key: Key
    outcome: Outcome
    low: float | None
    high: float | None
    p: float | None
    p_holm: float | None
    value_a: float | None
    value_b: float | None
    mcnemar: McNemar | None
    method: str

    def to_dict(self) -> dict[str, Any]:
        """Plain types; `n_items` and `n_ratings` count people's ratings, `excluded` people's and the scorers' judgements."""
        used = self.outcome.used
        return {
            "suite": self.suite,
            "task": self.place.task,
            "generator": self.place.generator,
            "aspect": self.aspect,
            "target": self.target,
            "people": self.people,
            "statistic": self.key.statistic,
            "a": self.key.a,
            "b": self.key.b,
            "people_as": self.key.people_as,
            "value": self.outcome.value,
            "low": self.low,
            "high": self.high,
            "value_a": self.value_a,
            "value_b": self.value_b,
            "p": self.p,
            "p_holm": self.p_holm,
            "n_items": used.items,
            "n_ratings": used.ratings,
            "excluded": dict(used.excluded),
            "reason": self.outcome.reason,
            "method": self.method,
            "mcnemar": self.mcnemar.to_dict() if self.mcnemar else None,
        }


def comparisons(frame: pd.DataFrame, scales: Mapping[tuple[str, str], str], options: Options | None = None) -> list[Comparison]:
    """Compare every two scorers of a (suite, aspect) by their agreement with the same people.

    A scorer's `score` stands in for what its own label or number does not give, as in the report. Cells are those of the
    report; the mean over tasks has no McNemar.

    Args:
        frame: as for `build`.
        scales: as for `build`.
        options: `statistics` None is DEFAULT, those of it that apply.

    Raises:
        ValueError: as `build`.
    """
    wanted = options or Options()
    wanted = replace(wanted, statistics=wanted.statistics or DEFAULT)
    unknown = sorted(set(wanted.statistics or ()) - set(STATISTICS))
    if unknown:
        raise ValueError(f"unknown statistic {', '.join(unknown)}; known are {', '.join(STATISTICS)}")
    found: list[Comparison] = []
    for suite in read(select(frame, scales, wanted.certainty), scales):
        for aspect in suite.aspects:
            for topic in topics(suite, aspect, wanted):
                for simulated in (False, True):
                    found += _Contest(topic, simulated=simulated).comparisons()
    return found


class _Contest:
    """All pairs of scorers of one topic, against real or against simulated people."""

    def __init__(self, topic: Topic, *, simulated: bool) -> None:
        self.topic = topic
        self._field = Field(topic, topic.people(simulated=simulated), ways_of(topic))
        self._words = "simulated" if simulated else "real"
        self._mcnemars: dict[tuple[Place, Sides], McNemar] = {}

    def comparisons(self) -> list[Comparison]:
        """Every pair in every cell, corrected within each family."""
        topic = self.topic
        found = list(walk(self._field.people, topic.suite, topic.options, self._cell)) if len(self._field.ways) > 1 else []
        own = {(f.place, f.key): f.outcome.value for f in found if f.key.rater is not None}
        made = [self._comparison(f, own) for f in found if f.key.rater is None]
        families: dict[tuple[str, str], list[Comparison]] = {}
        for each in made:
            families.setdefault((each.place.generator, each.key.statistic), []).append(each)
        return [each for family in families.values() for each in _corrected(family)]

    def _cell(self, cell: Cell) -> dict[Key, Outcome]:
        duels, place = Duels(self._field, cell), place_of(cell, self.topic.suite)
        self._mcnemars |= {(place, sides): made for sides, made in duels.mcnemars().items()}
        found = duels.outcomes()
        return {key: found[key] for key in sorted(found, key=_in_order)}

    def _comparison(self, found: Found, own: Mapping[tuple[Place, Key], float | None]) -> Comparison:
        topic, key, outcome = self.topic, found.key, found.outcome
        bounds, method = interval(outcome, CONTRAST, by_prompt=topic.suite.by_prompt)
        a, b = (own.get((found.place, replace(key, rater=name))) for name in (key.a, key.b))
        tuned = [rater.name for rater in topic.suite.raters if rater.saw_labels and rater.name in (key.a, key.b)]
        method += "".join(f"; no p, as the settings of {name} were chosen with these people's labels in view" for name in tuned)
        test = key.statistic in OF_LABELS and not tuned
        return Comparison(
            suite=topic.suite.name,
            aspect=topic.aspect.name,
            target=topic.target,
            people=self._words,
            place=found.place,
            key=key,
            outcome=replace(outcome, deviations=None),
            low=bounds.low,
            high=bounds.high,
            p=outcome.swaps.p if outcome.swaps and not tuned else None,
            p_holm=None,
            value_a=a,
            value_b=b,
            mcnemar=self._mcnemars.get((found.place, Sides(str(key.a), str(key.b)))) if test else None,
            method=method,
        )


def _in_order(key: Key) -> tuple[int, str, str, str]:
    return STATISTICS.index(key.statistic), key.a or "", key.b or "", key.rater or ""


def _corrected(table: Sequence[Comparison]) -> list[Comparison]:
    """Holm over one table, of the sign-flip test's p and of McNemar's."""
    tests = sum(each.p is not None for each in table)
    out = []
    mcnemars = holm([each.mcnemar.p if each.mcnemar else None for each in table])
    for each, p_holm, p_mcnemar in zip(table, holm([each.p for each in table]), mcnemars, strict=True):
        mcnemar = replace(each.mcnemar, p_holm=p_mcnemar) if each.mcnemar else None
        method, swaps = each.method, each.outcome.swaps
        if each.p is not None and swaps:
            method += f"; p by sign flips: the scorers' judgements of prompts swapped, {swaps.method}"
            method += f"; Holm over {tests} comparison{'s' if tests > 1 else ''}"
        out.append(replace(each, p_holm=p_holm, mcnemar=mcnemar, method=method, outcome=replace(each.outcome, swaps=None)))
    return out
