"""Votes between two raters: the images on which only one of them picks the right caption (SelfEval, Figure 5)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import pandas as pd

from agreement.inference.jackknife import CONTRAST
from agreement.matching.answers import checked, cluster_codes
from agreement.matching.figures import parts, weighted_means
from agreement.numeric import cluster_sums
from agreement.questions.figures import Figure, Making, Place
from agreement.study.cells import Options
from agreement.study.outcome import Used

DIFFERENCE = "votes_difference"
_HOW = "images on which only the first is right less those on which only the second is, as a share of all that both judged"


@dataclass(frozen=True)
class Votes:
    """Two raters on the same images.

    Attributes:
        a, b: the raters. ``only_a``, ``only_b``: images on which only one is right; ``both``, ``neither``.
        difference: (only_a - only_b) / n, -1 to 1.
    """

    a: str
    b: str
    task: str
    generator: str
    only_a: int
    only_b: int
    both: int
    neither: int
    difference: Figure


def votes(frame: pd.DataFrame, options: Options | None = None) -> list[Votes]:
    """Every two raters that judged the same images of a generator among the same captions, by task and of all.

    Args:
        frame: ``matching.COLUMNS``; items without a number for every caption count for neither.
        options: `intervals` is read.

    Raises:
        ValueError: as ``figures``.
    """
    making, rows = Making.of(options), checked(frame)
    found: list[Votes] = []
    for generator, part in rows[rows["known"]].groupby("generator", sort=True):
        for a, b in combinations(sorted(part["rater"].unique()), 2):
            first, second = (part[part["rater"] == name].set_index("item") for name in (a, b))
            both = first.join(second[["correct", "size", "right"]].add_suffix("_b"), how="inner")
            both = both[(both["size"] == both["size_b"]) & (both["right"] == both["right_b"])]
            found += _of(both, a, b, str(generator), making)
    return found


def _of(rows: pd.DataFrame, a: str, b: str, generator: str, making: Making) -> Iterator[Votes]:
    for task, part in parts(rows):
        if part.empty:
            continue
        mine, others = (np.asarray(part[name], bool) for name in ("correct", "correct_b"))
        codes, clusters = cluster_codes(part)
        values = (mine.astype(float) - others)[:, None]
        sums = cluster_sums(np.column_stack([values, np.ones(len(part))]), codes, clusters)
        means = weighted_means(values, sums, making)[:, 0]
        used = Used(len(part), len(part), clusters)
        figure = making.figure(DIFFERENCE, Place("task", task, a, generator, b), "images", means, "", used, _HOW, CONTRAST)
        counts = (
            int((mine & ~others).sum()),
            int((others & ~mine).sum()),
            int((mine & others).sum()),
            int((~mine & ~others).sum()),
        )
        yield Votes(a, b, task, generator, *counts, figure)
