"""Pairs of scorers in one cell: both against the same ratings by people, over the same prompts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import combinations
from typing import Any

import numpy as np

from agreement.catalogue import OF_SCORES, chosen, people_as
from agreement.inference.jackknife import Deletions
from agreement.inference.sign_flips import swapped
from agreement.inference.significance import difference, mcnemar_exact
from agreement.numeric import BoolArray, sums_by
from agreement.report.pairing import Joined, join, to_majority
from agreement.report.scorer_human import Against, Meeting
from agreement.report.topic import Topic
from agreement.study.cells import Cell, Key
from agreement.study.frame import Ratings
from agreement.study.outcome import Outcome, compact, merged, refused, undefined

NOTHING_SHARED = "people judged no unit that both scorers judged"


@dataclass(frozen=True)
class McNemar:
    """Right and wrong against people's strict majority, by unit, on the units that have one.

    `p` is that of the exact test, None where there is no such unit; where prompts have several units, which are alike, it is
    that of swapping both scorers' judgements of whole prompts. `p_holm` is corrected over the comparisons of the table.
    """

    both_right: int
    only_a_right: int
    only_b_right: int
    both_wrong: int
    p: float | None
    p_holm: float | None = None

    def to_dict(self) -> dict[str, Any]:
        """Plain types."""
        counts = {name: getattr(self, name) for name in ("both_right", "only_a_right", "only_b_right", "both_wrong")}
        return counts | {"p_mcnemar": self.p, "p_mcnemar_holm": self.p_holm}


@dataclass(frozen=True)
class Way:
    """One scorer's judgements that meet people, and the statistics they are good for: its own, or its `score`."""

    rows: Ratings
    by_item: bool
    statistics: frozenset[str]


@dataclass(frozen=True)
class Field:
    """Who meets whom in one topic: people's ratings, and the ways of each scorer by its code, in order of names."""

    topic: Topic
    people: Ratings
    ways: Mapping[int, tuple[Way, ...]]

    def name(self, code: int) -> str:
        """A scorer's name."""
        return self.topic.suite.raters[code].name


def ways_of(topic: Topic) -> dict[int, tuple[Way, ...]]:
    """The ways of each scorer, by its code, in order of names."""
    measure, suite, wanted = topic.measure, topic.suite, topic.options.statistics
    scorers = [code for code, rater in enumerate(suite.raters) if rater.scorer]
    own_names = frozenset(chosen(measure.two_raters() - {"mean"}, wanted))
    score_names = frozenset(chosen(OF_SCORES if measure.binary else OF_SCORES - {"auc"}, wanted))
    found: dict[int, tuple[Way, ...]] = {}
    for code in sorted(scorers, key=lambda code: suite.raters[code].name):
        own = topic.ratings.take(topic.ratings.rater == code)
        ways = [Way(own, False, own_names)] if own.size else []
        if topic.scores is not None and (score := topic.scores.take(topic.scores.rater == code)).size:
            ways.append(Way(score, True, score_names - (own_names if own.size else frozenset())))
        if ways:
            found[code] = tuple(ways)
    return found


class Duels:
    """All pairs of scorers of one cell: `outcomes()` and `mcnemars()`."""

    def __init__(self, field: Field, cell: Cell) -> None:
        self._field = field
        everyone = cell.of(field.people)
        self._people = everyone.take(everyone.valid)
        self._refused = refused(everyone, field.topic.suite)
        self._corners: list[_Corner] = []
        for code, ways in field.ways.items():
            if any(cell.of_generator(way.rows).size for way in ways):
                self._corners += [_corner(field.name(code), way, cell, self._people) for way in ways]
        self._groups = [_Group(field.topic, self._people.take(shared), duels, cell) for shared, duels in self._pairs()]

    def _pairs(self) -> Iterator[tuple[BoolArray, list[_Duel]]]:
        """Pairs of scorers by the ratings of people that both can be compared with."""
        members: dict[bytes, tuple[BoolArray, list[_Duel]]] = {}
        for a, b in combinations(self._corners, 2):
            names = a.way.statistics & b.way.statistics
            if a.name == b.name or not names:
                continue
            shared = a.meets & b.meets
            apart = {"no_scorer_value": int((~shared).sum()), "no_people": a.lonely + b.lonely}
            parts = [refused(side.rows, self._field.topic.suite) for side in (a, b)]
            duel = _Duel(a, b, names, merged([self._refused, *parts, apart]))
            members.setdefault(shared.tobytes(), (shared, []))[1].append(duel)
        yield from members.values()

    def outcomes(self) -> dict[Key, Outcome]:
        """The difference of each pair, and under the scorer's name in `rater` the agreement of each."""
        return {key: made for group in self._groups for key, made in group.outcomes().items()}

    def mcnemars(self) -> dict[Sides, McNemar]:
        """McNemar's test of each pair that has yes/no labels of its own."""
        binary = self._field.topic.measure.binary
        return {sides: made for group in self._groups for sides, made in group.mcnemars().items()} if binary else {}


@dataclass(frozen=True)
class Sides:
    """Two scorers by name."""

    a: str
    b: str


@dataclass(frozen=True, eq=False)
class _Corner:
    """One way of one scorer in one cell: its judgements there, which of people's ratings they meet, and how many meet none."""

    name: str
    way: Way
    rows: Ratings
    meets: BoolArray
    lonely: int


def _corner(name: str, way: Way, cell: Cell, people: Ratings) -> _Corner:
    rows = cell.of(way.rows)
    mine, theirs = (part.item if way.by_item else part.unit for part in (rows.take(rows.valid), people))
    return _Corner(name, way, rows, np.isin(theirs, mine), int((~np.isin(mine, theirs)).sum()))


@dataclass(frozen=True, eq=False)
class _Duel:
    """Two scorers, the statistics that both are good for, and what the comparison leaves out."""

    a: _Corner
    b: _Corner
    statistics: frozenset[str]
    excluded: Mapping[str, int]


class _Group:
    """Pairs of scorers that share the same ratings of people, and so their prompts."""

    def __init__(self, topic: Topic, people: Ratings, duels: list[_Duel], cell: Cell) -> None:
        self._topic, self._people, self._duels, self._cell = topic, people, duels, cell

    def outcomes(self) -> dict[Key, Outcome]:
        """As `Duels.outcomes`, of these pairs."""
        cell = self._cell
        sides = {id(side): side for duel in self._duels for side in (duel.a, duel.b)}
        against = {place: self._against(side, cell) for place, side in sides.items()}
        made: dict[tuple[int, str], Outcome] = {}
        found: dict[Key, Outcome] = {}
        for duel in self._duels:
            for name in sorted(duel.statistics):
                way = people_as(name, self._topic.options.people_as)
                if way is None:
                    continue
                for side in (duel.a, duel.b):
                    if (id(side), name) not in made:
                        made[id(side), name] = against[id(side)].outcome(name, way)
                one, two = made[id(duel.a), name], made[id(duel.b), name]
                key = Key(name, a=duel.a.name, b=duel.b.name, people_as=way)
                less = _less(key, one, two, duel)
                if less.value is not None and cell.deletions.wanted:
                    swap = against[id(duel.a)].swaps(against[id(duel.b)], name, way)
                    less = replace(less, swaps=swapped(swap, less.used.clusters, cell.deletions) if swap else None)
                found |= {replace(key, rater=key.a): one, replace(key, rater=key.b): two, key: less}
        return found

    def _against(self, side: _Corner, cell: Cell) -> Against:
        meeting = Meeting(self._topic.measure, side.way.by_item)
        return Against(side.rows, self._people, self._topic.suite, meeting, cell)

    def mcnemars(self) -> dict[Sides, McNemar]:
        """As `Duels.mcnemars`, of these pairs."""
        labelled = [duel for duel in self._duels if not (duel.a.way.by_item or duel.b.way.by_item)]
        sides = {id(side): side for duel in labelled for side in (duel.a, duel.b)}
        majority = {place: self._majority(side) for place, side in sides.items()}
        deletions = self._cell.deletions
        return {
            Sides(duel.a.name, duel.b.name): _mcnemar(majority[id(duel.a)], majority[id(duel.b)], deletions)
            for duel in labelled
        }

    def _majority(self, side: _Corner) -> Joined:
        """The scorer's label beside most people's, by unit that has a majority."""
        return to_majority(join(side.rows, self._people), self._topic.measure.labels)


def _mcnemar(a: Joined, b: Joined, deletions: Deletions) -> McNemar:
    right_a, right_b = (np.equal(each.label_a, each.label_b) for each in (a, b))
    only_a, only_b = int((right_a & ~right_b).sum()), int((right_b & ~right_a).sum())
    both, neither = int((right_a & right_b).sum()), int((~right_a & ~right_b).sum())
    cluster = compact(a.cluster)
    p = None
    if cluster.size == right_a.size:
        p = mcnemar_exact(only_a, only_b) if right_a.size else None
    elif deletions.wanted:
        ahead = sums_by(cluster.codes, cluster.size, right_a) - sums_by(cluster.codes, cluster.size, right_b)
        p = swapped(lambda flips: (1.0 - 2.0 * flips) @ ahead, cluster.size, deletions).p
    return McNemar(both, only_a, only_b, neither, p)


def _less(key: Key, one: Outcome, two: Outcome, duel: _Duel) -> Outcome:
    """One outcome less the other, replicate by replicate."""
    tied = {name: n for name, n in one.used.excluded.items() if name == "tied_majority"}
    used = replace(one.used, excluded=merged([duel.excluded, tied]))
    how = f"{key.a} less {key.b}, each: {one.how}; on the units that both scorers judged"
    if one.value is None or two.value is None:
        reasons = {key.a: one.reason, key.b: two.reason}
        words = "; ".join(f"{name}: {reason}" for name, reason in reasons.items() if reason)
        return undefined(words if used.ratings else NOTHING_SHARED, used, how)
    value = float(difference(np.array([one.value]), np.array([two.value]))[0])
    deviations = one.deviations - two.deviations if one.deviations and two.deviations else None
    return Outcome(value, None, deviations, used, how)
