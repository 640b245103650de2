"""Consensuses two by two with scorers, with each other, and with each person of whom they are made, without that person."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace

import numpy as np

from agreement.catalogue import chosen
from agreement.consensus.ratings import Heard, how_of
from agreement.numeric import IntArray
from agreement.report.matrix import Matrix
from agreement.report.topic import Row, Topic
from agreement.study.cells import Cell, Key, walk
from agreement.study.frame import Rater, Ratings, Suite
from agreement.study.outcome import Outcome

_WITHOUT = "the person beside the consensus of the others' answers ({})"
_RATES = "; the model's rates were estimated with the person's answers, too"
_SCORER = "the scorer beside the consensus of people ({})"
_BOTH = "two consensuses of the same people"


@dataclass(frozen=True)
class _Cast:
    """Everybody who meets in the matrix: the suite with the consensuses as raters, their ratings, and who meets whom.

    `meets` has pairs of codes of raters (the lower one first), with what is said of them; `group`, by code of a rater, keeps
    those together who may meet: scorers and whole consensuses, and each person with the consensuses without them.
    """

    suite: Suite
    rows: Ratings
    group: IntArray
    meets: dict[tuple[int, int], str]


def matrix(topic: Topic, heard: Sequence[Heard], *, simulated: bool) -> list[Row]:
    """All rows of the consensuses of one kind of people."""
    names = tuple(name for name in chosen(topic.measure.two_raters(), topic.options.statistics) if name != "mean")
    cast = _cast(topic, heard, simulated=simulated)
    if not names or not cast.meets:
        return []
    rows = cast.rows

    def compute(cell: Cell) -> dict[Key, Outcome]:
        inside, found = cell.of(rows), dict[Key, Outcome]()
        group = cast.group[inside.rater]
        order = np.argsort(group, kind="stable")
        for at in np.split(order, np.flatnonzero(np.diff(group[order])) + 1):
            made = Matrix(inside.take(at), cast.suite, topic.measure, cell)
            found |= made.outcomes(names, simulated=simulated, meets=cast.meets)
        return found

    return topic.rows(walk(rows, cast.suite, topic.options, compute), simulated=simulated)


def _cast(topic: Topic, heard: Sequence[Heard], *, simulated: bool) -> _Cast:
    suite = topic.suite
    scorer, person = suite.raters_where(scorer=True), suite.raters_where(person=True, simulated=simulated)
    parts = [topic.ratings.take((scorer | person)[topic.ratings.rater])]
    raters: list[Rater] = list(suite.raters)
    meets: dict[tuple[int, int], str] = {}
    group = [0 if each.scorer else code + 1 for code, each in enumerate(raters)]
    consensuses: list[int] = []
    for each in heard:
        how = how_of(each.method)
        code = len(raters)
        raters.append(Rater(each.name, scorer=False, person=False, simulated=simulated))
        group.append(0)
        parts.append(_as(each.whole, np.full(each.whole.size, code)))
        meets |= {(int(other), code): _SCORER.format(how) for other in np.flatnonzero(scorer)}
        meets |= {(other, code): _BOTH for other in consensuses}
        consensuses.append(code)
        apart = each.held_out.take((each.held_out.label >= 0) & person[each.held_out.rater])
        # the consensus without a person is a rater that only this person meets
        persons, place = np.unique(apart.rater, return_inverse=True)
        parts.append(_as(apart, len(raters) + place))
        words = _WITHOUT.format(how) + ("" if each.method == "majority" else _RATES)
        meets |= {(int(one), len(raters) + n): words for n, one in enumerate(persons)}
        raters += [Rater(each.name, scorer=False, person=False, simulated=simulated)] * persons.size
        group += (persons + 1).tolist()
    return _Cast(replace(suite, raters=tuple(raters)), _stacked(parts), np.array(group, np.int64), meets)


def _as(rows: Ratings, rater: IntArray) -> Ratings:
    return replace(rows, rater=rater.astype(np.int64))


def _stacked(parts: Sequence[Ratings]) -> Ratings:
    return Ratings(**{
        column.name: np.concatenate([getattr(part, column.name) for part in parts]) for column in fields(Ratings)
    })  # fmt: skip
