"""A crowd: persons who judged one aspect, as one number of all, and as the mean of each.

Beside `each_person` (`agreement.pair.rater_pair`), which puts everybody beside the others, this has the reference that they
are read against: the same coefficient of all of them together; and how high each rates: of yes and no the share of yes.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

import pandas as pd

from agreement.estimate import Estimate
from agreement.pair.rater_pair import PERSON_STATISTICS
from agreement.report.human_human import HumanAgreement
from agreement.report.report import ReportTopic, topics
from agreement.study.cells import EVERYWHERE, CellOutcome, Key, Options, cell_name, cell_of
from agreement.study.frame import Ratings, read

MEAN = "mean"


@dataclass(frozen=True)
class CrowdNumbers:
    """Numbers of a crowd.

    Attributes:
        together: the alpha of everybody; None where nobody has judged.
        means: each identified person's own mean by name; none where answers are no numbers.
    """

    together: Estimate | None
    means: Mapping[str, Estimate]


def crowd_numbers(
    frame: pd.DataFrame,
    scales: Mapping[tuple[str, str], str],
    suite: str,
    aspect: str,
    options: Options | None = None,
    *,
    simulated: bool = False,
) -> CrowdNumbers:
    """Return how far everybody who judged an aspect agrees, and each one's mean; of yes and no that is the share of yes.

    Args:
        frame: as for `build`.
        scales: as for `build`.
        suite: of which suite's items.
        aspect: what they judged.
        options: `intervals` alone counts.
        simulated: whether simulated people are taken together, and not the real ones.

    Raises:
        ValueError: as `build`.
    """
    topic = _topic(frame, scales, suite, aspect, options)
    if topic is None:
        return CrowdNumbers(None, {})
    people = topic.people(simulated=simulated)
    statistic = PERSON_STATISTICS[topic.measure.kind]
    together = _estimate(topic, people, statistic, "", simulated=simulated) if people.size else None
    means = {}
    for code, rater in enumerate(topic.suite.raters):
        rows = topic.ratings.take(topic.ratings.rater == code)
        if not rater.scorer and rater.person and rows.size and MEAN in topic.measure.among():
            means[rater.name] = _estimate(topic, rows, MEAN, rater.name, simulated=rater.simulated)
    return CrowdNumbers(together, means)


def _topic(
    frame: pd.DataFrame, scales: Mapping[tuple[str, str], str], suite: str, aspect: str, options: Options | None
) -> ReportTopic | None:
    wanted = replace(options or Options(), statistics=None, by_target=False, people_as=None)
    rows = frame[(frame["suite"] == suite) & (frame["aspect"] == aspect)]
    found = (
        topic for suite_read in read(rows, scales) for each in suite_read.aspects for topic in topics(suite_read, each, wanted)
    )
    return next(found, None)


def _estimate(topic: ReportTopic, rows: Ratings, statistic: str, rater: str, *, simulated: bool) -> Estimate:
    cell = cell_of(topic.suite, EVERYWHERE, topic.options)
    outcome = HumanAgreement(cell.of(rows), topic.suite, topic.measure, cell).outcomes((statistic,))[statistic]
    found = CellOutcome(cell_name(cell, topic.suite), Key(statistic, rater=rater or None), outcome)
    (row,) = topic.rows([found], simulated=simulated)
    return row
