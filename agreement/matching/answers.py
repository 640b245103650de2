"""What raters made of images and their captions: one row per (rater, item), and what follows from each."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

import numpy as np
import pandas as pd

from agreement.numeric import IntArray

COLUMNS: Final = ("rater", "item", "prompt", "group", "task", "generator", "fits", "right", "posterior")
"""``fits``: how well each of the C captions fits, larger is better, None where there is no number. ``right``: the right one's
place. ``posterior``: its share of a softmax over the captions, None where there is none. ``group``: None, or what items belong
to together. ``generator``: whose images."""
NOT_FINITE: Final = "not_finite"


def checked(frame: pd.DataFrame) -> pd.DataFrame:
    """The frame in one order, with the columns ``size`` (C), ``known`` (whether there are all C numbers), ``correct``, ``rank``
    and ``cluster`` (the group, else the prompt: what the jackknife leaves out).

    Raises:
        ValueError: a column is missing, or a rater has judged an item twice.
    """
    missing = [name for name in COLUMNS if name not in frame.columns]
    if missing:
        raise ValueError(f"the frame lacks the columns {', '.join(missing)}; it needs {', '.join(COLUMNS)}")
    rows = frame.sort_values(["rater", "item"], kind="stable", ignore_index=True)
    if rows.duplicated(["rater", "item"]).any():
        raise ValueError("a rater has judged an item twice")
    pairs = list(zip(rows["fits"], rows["right"], strict=True))
    known = [is_known(fits) for fits, _ in pairs]
    return rows.assign(
        size=[len(fits) for fits, _ in pairs],
        known=known,
        correct=[ok and is_right(fits, right) for ok, (fits, right) in zip(known, pairs, strict=True)],
        rank=[rank(fits, right) if ok else math.nan for ok, (fits, right) in zip(known, pairs, strict=True)],
        cluster=rows["group"].where(rows["group"].notna(), rows["prompt"]),
    )


def is_known(fits: Sequence[float | None]) -> bool:
    """Whether there is a number for every caption."""
    return all(fit is not None and math.isfinite(fit) for fit in fits)


def is_right(fits: Sequence[float], right: int) -> bool:
    """Whether the right caption fits best, alone: a tie is not right, as the order in which captions stand says nothing."""
    return all(fits[right] > fit for place, fit in enumerate(fits) if place != right)


def rank(fits: Sequence[float], right: int) -> float:
    """Place of the right caption, 1 the best, C the worst; those that fit as well count half."""
    others = [fit for place, fit in enumerate(fits) if place != right]
    return 1 + sum(fit > fits[right] for fit in others) + sum(fit == fits[right] for fit in others) / 2


def cluster_codes(rows: pd.DataFrame) -> tuple[IntArray, int]:
    """Codes of the clusters without gaps, and how many there are."""
    codes, names = pd.factorize(rows["cluster"], sort=True)
    return np.asarray(codes, np.int64), len(names)
