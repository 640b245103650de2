"""Units by how sure people are: one number over all of them hides that scorers may agree only where people do.

(A. Elangovan et al., "Beyond correlation", ICLR 2025, arXiv 2410.03775; GenEval's paper reports agreement on all images and
on unanimous ones.) A unit with two ratings or more is `unanimous` if all are equal, else `majority` if more than half are,
else `split`. A unit with one rating is `single` and belongs to no class.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from .against import NOTHING_SHARED
from .catalogue import Measure
from .frame import Ratings
from .numeric import BoolArray, IntArray
from .outcome import compact, first_of

if TYPE_CHECKING:
    from .topic import Row, Topic

CLASSES = ("unanimous", "majority", "split")
OTHER = "other_certainty"
DEFAULT = ("percent_agreement", "cohen_kappa", "gwet_ac1", "spearman", "auc")
_SINGLE = -1


@dataclass(frozen=True)
class Certainty:
    """Every unit that people rated, in order: its code, its item, and its place in CLASSES (-1: single)."""

    unit: IntArray
    item: IntArray
    place: IntArray

    def of(self, classes: tuple[str, ...]) -> BoolArray:
        """Mask over `unit`: those of these classes."""
        return np.isin(self.place, [CLASSES.index(name) for name in classes])


def classify(people: Ratings, measure: Measure) -> Certainty:
    """The class of each unit, from the ratings that count."""
    rows = people.take(people.valid)
    unit = compact(rows.unit)
    value = np.unique(rows.label if measure.labels else rows.number, return_inverse=True)[1]
    width = int(value.max(initial=0)) + 1
    key, count = np.unique(unit.codes * width + value, return_counts=True)
    n, most = np.bincount(unit.codes, minlength=unit.size), np.zeros(unit.size, np.int64)
    np.maximum.at(most, key // width, count)
    place = np.where(most == n, 0, np.where(2 * most > n, 1, 2))
    return Certainty(np.unique(rows.unit), first_of(unit, rows.item), np.where(n < 2, _SINGLE, place))


def restrict(topic: Topic, classes: tuple[str, ...], *, simulated: bool) -> Topic:
    """The topic with every judgement on a unit outside these classes left out (`other_certainty`); all of it for no classes.

    A scorer's score is about an item: it stays where one of the item's units does.
    """
    if not classes:
        return topic
    found = classify(topic.people(simulated=simulated), topic.measure)
    kept = found.of(classes)
    reasons = topic.suite.reasons if OTHER in topic.suite.reasons else (*topic.suite.reasons, OTHER)
    reason = reasons.index(OTHER)
    ratings = _leave_out(topic.ratings, ~np.isin(topic.ratings.unit, found.unit[kept]), reason)
    scores = topic.scores
    if scores is not None:
        scores = _leave_out(scores, ~np.isin(scores.item, found.item[kept]), reason)
    return replace(topic, suite=replace(topic.suite, reasons=reasons), ratings=ratings, scores=scores)


def _leave_out(rows: Ratings, mask: BoolArray, reason: int) -> Ratings:
    return replace(rows, why=np.where(rows.valid & mask, reason, rows.why))


def by_certainty(topic: Topic, *, simulated: bool) -> list[Row]:
    """Each scorer against people on the units of each class (of those the report is restricted to, if it is).

    Cells are all generators by each task, all tasks and their mean; statistics are those asked for, or else DEFAULT.
    """
    options = replace(topic.options, each_generator=False, ceiling=False, statistics=topic.options.statistics or DEFAULT)
    made: list[Row] = []
    for name in topic.options.certainty or CLASSES:
        part = restrict(replace(topic, options=options), (name,), simulated=simulated)
        made += [_named(row, name) for row in part.raters(simulated=simulated)]
    return made


def _named(row: Row, certainty: str) -> Row:
    found = row.found.outcome
    reason = found.reason and found.reason.replace(NOTHING_SHARED, f"the scorer judged no unit of the class {certainty}")
    return replace(row, certainty=certainty, found=replace(row.found, outcome=replace(found, reason=reason)))
