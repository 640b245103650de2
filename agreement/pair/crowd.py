"""A crowd: persons who judged one aspect, as one number of all, and as the mean of each.

Beside `each_person` (`agreement.pair.rater_pair`), which puts everybody beside the others, this has the reference that they
are read against: the same coefficient of all of them together; and how high each rates: of yes and no the share of yes.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import pandas as pd

from agreement.estimate import Estimate
from agreement.pair.rater_pair import PERSON_STATISTICS
from agreement.report.human_human import HumanAgreement
from agreement.report.report import ReportTopic, topics
from agreement.study.cells import EVERYWHERE, CellOutcome, Key, Options, cell_name, cell_of
from agreement.study.frame import Ratings, read

MEAN = "mean"


def crowd_agreement(
    frame: pd.DataFrame,
    scales: Mapping[tuple[str, str], str],
    suite: str,
    aspect: str,
    options: Options | None = None,
    *,
    simulated: bool = False,
) -> Estimate | None:
    """Return the alpha of everybody who judged an aspect, real people or simulated ones; None where nobody did.

    Args and errors: as `each_person`.
    """
    topic = _topic(frame, scales, suite, aspect, options)
    if topic is None:
        return None
    rows = topic.people(simulated=simulated)
    return _estimate(topic, rows, PERSON_STATISTICS[topic.measure.kind], "", simulated=simulated) if rows.size else None


def person_means(
    frame: pd.DataFrame,
    scales: Mapping[tuple[str, str], str],
    suite: str,
    aspect: str,
    options: Options | None = None,
) -> dict[str, Estimate]:
    """Return each identified person's own mean by name, of yes and no the share of yes; {} where answers are no numbers.

    Args and errors: as `each_person`.
    """
    topic = _topic(frame, scales, suite, aspect, options)
    if topic is None or MEAN not in topic.measure.among():
        return {}
    means = {}
    for code, rater in enumerate(topic.suite.raters):
        rows = topic.ratings.take(topic.ratings.rater == code)
        if not rater.scorer and rater.person and rows.size:
            means[rater.name] = _estimate(topic, rows, MEAN, rater.name, simulated=rater.simulated)
    return means


def _topic(
    frame: pd.DataFrame, scales: Mapping[tuple[str, str], str], suite: str, aspect: str, options: Options | None
) -> ReportTopic | None:
    wanted = replace(options or Options(), statistics=None, by_target=False, people_as=None)
    rows = frame[(frame["suite"] == suite) & (frame["aspect"] == aspect)]
    found = (
        topic for read_suite in read(rows, scales) for each in read_suite.aspects for topic in topics(read_suite, each, wanted)
    )
    return next(found, None)


def _estimate(topic: ReportTopic, rows: Ratings, statistic: str, rater: str, *, simulated: bool) -> Estimate:
    cell = cell_of(topic.suite, EVERYWHERE, topic.options)
    outcome = HumanAgreement(cell.of(rows), topic.suite, topic.measure, cell).outcomes((statistic,))[statistic]
    found = CellOutcome(cell_name(cell, topic.suite), Key(statistic, rater=rater or None), outcome)
    (row,) = topic.rows([found], simulated=simulated)
    return row
