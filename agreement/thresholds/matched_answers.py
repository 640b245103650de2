"""What is cut and whom it meets: a scorer's numbers matched with people's yes or no, cell by cell."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from agreement.catalogue import PeopleAs, people_as
from agreement.report.pairing import join, to_majority
from agreement.report.topic import Topic, topics
from agreement.study.cells import Cell, Options
from agreement.study.frame import Ratings, Suite
from agreement.study.outcome import Used, compact, merged, refused
from agreement.thresholds.cuts import OBJECTIVES, Answers, Objective


@dataclass(frozen=True)
class Cutting:
    """What is cut, and how.

    Attributes:
        aspect: people's yes/no aspect.
        number: the scorers' numeric aspect.
        objective: what the cut is best in.
        folds: k of the cross-validation, at least 2.
    """

    aspect: str = "correct"
    number: str = "score"
    objective: Objective = "percent_agreement"
    folds: int = 5


@dataclass(frozen=True)
class Matched:
    """A scorer's numbers beside people's answers in one cell, and what was used."""

    answers: Answers
    used: Used


@dataclass(frozen=True)
class Meeting:
    """One scorer's numbers and people's answers on one topic."""

    topic: Topic
    rater: str
    scored: Ratings
    people: Ratings
    simulated: bool
    people_as: PeopleAs

    @property
    def clusters_are(self) -> str:
        """What is drawn and dealt into folds."""
        return "prompts" if self.topic.suite.by_prompt else "items"

    def matched(self, cell: Cell) -> Matched:
        """Every rating by people, or their strict majority by unit, beside the scorer's number.

        A number without a target stands beside every answer about its item.
        """
        scored, people = cell.of(self.scored), cell.of(self.people)
        by_item = not (self.scored.target >= 0).any()
        each = join(scored, people, by_item=by_item)
        rows, tied = each, 0
        if self.people_as == "majority":
            rows = to_majority(each, 2)
            tied = int(np.unique(each.unit).size) - rows.size
        mine, theirs = (part.item if by_item else part.unit for part in (scored, people))
        lonely = int((~np.isin(mine[scored.valid], theirs[people.valid])).sum())
        apart = {"no_scorer_value": int(people.valid.sum()) - each.size, "no_people": lonely, "tied_majority": tied}
        excluded = merged([refused(scored, self.topic.suite), refused(people, self.topic.suite), apart])
        cluster = compact(rows.cluster)
        ratings = int(np.isin(each.unit, rows.unit).sum())
        used = Used(int(np.unique(rows.item).size), ratings, cluster.size, excluded)
        return Matched(Answers(rows.number_a, rows.label_b == 1, cluster.codes, cluster.size), used)


def meetings(suite: Suite, cut: Cutting, options: Options, *, simulated: bool) -> Iterator[Meeting]:
    """Every scorer that has the number, with every topic of people's aspect.

    Raises:
        ValueError: for an aspect of people that is not yes/no, a number that is none, an unknown objective, one fold.
    """
    check(suite, cut)
    aspects = {aspect.name: aspect for aspect in suite.aspects}
    way = people_as("percent_agreement", options.people_as)
    if cut.aspect not in aspects or cut.number not in aspects or way is None:
        return
    numbers = aspects[cut.number].ratings
    for topic in topics(suite, aspects[cut.aspect], options):
        people = topic.people(simulated=simulated)
        for code, rater in enumerate(suite.raters):
            scored = _about(topic, numbers.take(numbers.rater == code))
            if rater.scorer and scored.size:
                yield Meeting(topic, rater.name, scored, people, simulated, way)


def _about(topic: Topic, scored: Ratings) -> Ratings:
    """The numbers about the topic's target, where numbers have targets."""
    if topic.target is None or not (scored.target >= 0).any():
        return scored
    return scored.take(scored.target == topic.suite.targets.index(topic.target))


def check(suite: Suite, cut: Cutting) -> None:
    """ValueError for what cannot be cut, in words."""
    if cut.folds < 2:
        raise ValueError(f"cross-validation needs two folds at least, not {cut.folds}")
    if cut.objective not in OBJECTIVES:
        raise ValueError(f"a cut is chosen by {' or '.join(OBJECTIVES)}, not {cut.objective}")
    if reason := unfit(suite, cut):
        raise ValueError(reason)


def unfit(suite: Suite, cut: Cutting) -> str:
    """What of the suite cannot be cut or compared with a cut; nothing if all can."""
    for aspect in suite.aspects:
        wrong = "yes or no" if aspect.name == cut.aspect and not aspect.measure.binary else ""
        wrong = wrong or ("a number" if aspect.name == cut.number and not aspect.measure.numeric else "")
        if wrong:
            return f"the aspect {aspect.name!r} of the suite {suite.name!r} is not {wrong}"
    return ""
