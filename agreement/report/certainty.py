"""Units by how sure people are: one number over all of them hides that scorers may agree only where people do.

(A. Elangovan et al., "Beyond correlation", ICLR 2025, arXiv 2410.03775; GenEval's paper reports agreement on all images and
on unanimous ones.) A unit with two ratings or more is `unanimous` if all are equal, else `majority` if more than half are,
else `split`. A unit with one rating is `single` and belongs to no class. Real and simulated people each have classes of their
own.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from agreement.catalogue import Measure
from agreement.numeric import BoolArray, IntArray
from agreement.report.scorer_human import NOTHING_SHARED
from agreement.report.topic import SCORE, ReportRow, ReportTopic
from agreement.study.cells import compact, first_of
from agreement.study.frame import Aspect, Ratings, Suite, read

CLASSES = ("unanimous", "majority", "split")
OTHER = "other_certainty"
CERTAINTY_STATISTICS = ("percent_agreement", "cohen_kappa", "gwet_ac1", "spearman", "auc")
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


def select(frame: pd.DataFrame, scales: Mapping[tuple[str, str], str], classes: Sequence[str]) -> pd.DataFrame:
    """The rows of a long frame that are about units of these classes; all of them for no classes.

    A person's rating stays on the units of the real people's classes, a simulated one's on those of the simulated people's. A
    scorer's judgement stays on either. Its `score`, and an aspect that no person judged, is about the item: it stays
    where any rating of the item does. A statistic of what stays is the same with or without `classes`.

    Args:
        frame: as for `build`.
        scales: as for `build`.
        classes: names of CLASSES.

    Raises:
        ValueError: for a frame without a column, an aspect without a scale, an unknown class.
    """
    unknown = sorted(set(classes) - set(CLASSES))
    if unknown:
        raise ValueError(f"unknown certainty {', '.join(unknown)}; known are {', '.join(CLASSES)}")
    if not classes or frame.empty:
        return frame
    found = [table for suite in read(frame, scales) for table in _units(suite, tuple(classes))]
    units = pd.concat(found) if found else pd.DataFrame(columns=_UNIT)
    rows = pd.DataFrame({name: frame[name].astype(object) for name in (*_UNIT[:-1], "kind")})
    rows["target"] = rows["target"].where(rows["target"].notna(), "")
    rows["simulated"] = frame["simulated"].fillna(False).astype(bool)
    people = ~rows["kind"].isin(["scorer", "consensus"])
    about_item = (rows["aspect"] == SCORE) | ~_among(rows, rows[people], ("suite", "aspect"))
    by_others = _among(rows, units, _UNIT[:-1]) | (about_item & _among(rows, units, ("suite", "item")))
    return frame[_among(rows, units, _UNIT).where(people, by_others)]


_UNIT = ("suite", "aspect", "item", "target", "simulated")


def _units(suite: Suite, classes: tuple[str, ...]) -> Iterator[pd.DataFrame]:
    """The units of these classes by name; no target is an empty text."""
    names = np.array([*suite.targets, ""], object)
    for aspect in suite.aspects:
        for simulated in (False, True):
            found = classify(_people(suite, aspect, simulated=simulated), aspect.measure)
            kept = found.of(classes)
            target = names[found.unit[kept] % names.size - 1]
            item = np.array(suite.items, object)[found.item[kept]]
            columns = (suite.name, aspect.name, item, target, simulated)
            yield pd.DataFrame(dict(zip(_UNIT, columns, strict=True)), index=range(item.size))


def _people(suite: Suite, aspect: Aspect, *, simulated: bool) -> Ratings:
    people = suite.raters_where(scorer=False, simulated=simulated)
    return aspect.ratings.take(people[aspect.ratings.rater])


def _among(rows: pd.DataFrame, others: pd.DataFrame, names: Sequence[str]) -> pd.Series:
    """Whether each row has these cells in common with one of the others."""
    mine, theirs = (pd.MultiIndex.from_frame(table[list(names)]) for table in (rows, others))
    return pd.Series(mine.isin(theirs), rows.index)


def restrict(topic: ReportTopic, classes: tuple[str, ...], *, simulated: bool) -> ReportTopic:
    """The topic with every judgement on a unit outside these classes left out (`other_certainty`).

    A scorer's score is about an item: it stays where one of the item's units does.
    """
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


def by_certainty(topic: ReportTopic, *, simulated: bool) -> list[ReportRow]:
    """Each scorer against people on the units of each class (of those the report is restricted to, if it is).

    Cells are all generators by each task, all tasks and their mean; statistics are those asked for, or else DEFAULT.
    """
    options = replace(
        topic.options, each_generator=False, ceiling=False, statistics=topic.options.statistics or CERTAINTY_STATISTICS
    )
    made: list[ReportRow] = []
    for name in topic.options.certainty or CLASSES:
        part = restrict(replace(topic, options=options), (name,), simulated=simulated)
        made += [_named(row, name) for row in part.raters(simulated=simulated)]
    return made


def _named(row: ReportRow, certainty: str) -> ReportRow:
    found = row.found.outcome
    reason = found.reason and found.reason.replace(NOTHING_SHARED, f"the scorer judged no unit of the class {certainty}")
    return replace(row, certainty=certainty, found=replace(row.found, outcome=replace(found, reason=reason)))
