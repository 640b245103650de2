"""Accuracy, chance and what lies between, per rater, generator and task (SelfEval, Figure 4 and Table 5)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import numpy as np
import pandas as pd

from agreement.inference.jackknife import AREA, NUMBER, SHARE
from agreement.matching.answers import COLUMNS, NOT_FINITE, checked, cluster_codes
from agreement.numeric import FloatArray, cluster_sums, ratio
from agreement.questions.figures import ALL, Figure, Making, Place
from agreement.study.cells import Options
from agreement.study.outcome import Used

__all__ = ["ACCURACY", "COLUMNS", "LIFT", "STATISTICS", "figures"]

ACCURACY: Final = "accuracy"
CHANCE: Final = "chance"
LIFT: Final = "accuracy_less_chance"
POSTERIOR: Final = "posterior"
RANK: Final = "rank"
STATISTICS: Final = {
    ACCURACY: "share of images whose right caption fits best, alone; a tie is not right",
    CHANCE: "mean of 1/C over the same images",
    LIFT: "accuracy less the mean of 1/C over the same images",
    POSTERIOR: "mean share of the right caption in a softmax over the captions",
    RANK: "mean place of the right caption, 1 the best; captions that fit as well count half",
}
"""Each statistic and how it is made."""

KINDS: Final = {ACCURACY: SHARE, POSTERIOR: AREA}
NOTHING: Final = "no image with a number for every caption"


def figures(frame: pd.DataFrame, options: Options | None = None) -> list[Figure]:
    """Each rater's ``STATISTICS`` of each generator's images, by task and of all together.

    Args:
        frame: columns ``COLUMNS``. Items without a number for every caption are left out (``not_finite``).
        options: `intervals` is read; left out one by one are prompts, or groups where there are any.

    Raises:
        ValueError: a column is missing, or a rater has judged an item twice.
    """
    making, rows = Making.of(options), checked(frame)
    found: list[Figure] = []
    for (rater, generator), mine in rows.groupby(["rater", "generator"], sort=True):
        for task, part in parts(mine):
            place = Place("task", task, str(rater), str(generator))
            found += _of(part, place, making)
    return found


def parts(rows: pd.DataFrame) -> Iterator[tuple[str, pd.DataFrame]]:
    """All rows, then those of each task."""
    yield ALL, rows
    for task, part in rows.groupby("task", sort=True):
        yield str(task), part


def _of(rows: pd.DataFrame, place: Place, making: Making) -> Iterator[Figure]:
    used = rows[rows["known"]]
    codes, clusters = cluster_codes(used)
    columns = {
        ACCURACY: used["correct"].astype(float),
        CHANCE: 1 / used["size"].astype(float),
        LIFT: used["correct"].astype(float) - 1 / used["size"].astype(float),
        POSTERIOR: used["posterior"].astype(float),
        RANK: used["rank"].astype(float),
    }
    values = np.column_stack([np.asarray(column, float) for column in columns.values()])
    counts = Used(len(used), len(used), clusters, {NOT_FINITE: len(rows) - len(used)} if len(rows) > len(used) else {})
    means = weighted_means(values, cluster_sums(np.column_stack([values, np.ones(len(used))]), codes, clusters), making)
    for k, statistic in enumerate(columns):
        yield making.figure(
            statistic, place, "images", means[:, k], NOTHING, counts, STATISTICS[statistic], KINDS.get(statistic, NUMBER)
        )


def weighted_means(values: FloatArray, sums: FloatArray, making: Making) -> FloatArray:
    """Means of the columns of ``values`` (n, p), then those without each cluster: (1 + clusters, p).

    ``sums``: of each cluster those of the p columns, then how many rows it has.
    """
    if not len(values):
        return np.full((1, values.shape[1]), np.nan)
    totals = making.deletions.weights(len(sums)) @ sums
    return ratio(totals[:, :-1], totals[:, -1:])
