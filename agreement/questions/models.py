"""How much TIFA's scores depend on the VQA model (section 5.4): correlations of two models' scores per image."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

import numpy as np
import pandas as pd

from agreement.inference.jackknife import CORRECTED
from agreement.numeric import FloatArray, IntArray
from agreement.questions.figures import ASKED, Figure, Making, Place, checked, codes, images
from agreement.statistics import correlation
from agreement.statistics.units import Units
from agreement.study.cells import Options
from agreement.study.outcome import Used, compact, merged

SPEARMAN = "spearman"
NO_PAIR = "no image was asked the same by both"
_HOW = "scores per image of two models, asked the same"


def between_models(asked: pd.DataFrame, options: Options | None = None) -> list[Figure]:
    """Spearman's rho of every two raters' scores per image; images that were asked otherwise are counted apart.

    Args:
        asked: columns ``ASKED``.
        options: `intervals` is read.

    Raises:
        ValueError: a column is missing, or an answer is there twice.
    """
    making, rows = Making.of(options), checked(asked, ASKED)
    made = {str(rater): images(mine).set_index("item") for rater, mine in rows.groupby("rater", sort=True)}
    return [*_pairs(made, making)]


def _pairs(made: dict[str, pd.DataFrame], making: Making) -> Iterator[Figure]:
    for a, b in combinations(made, 2):
        pair = made[a].join(made[b][["score", "asked"]].add_suffix("_b"), how="inner")
        same = pair[pair["asked"] == pair["asked_b"]]
        only = len(made[a]) + len(made[b]) - 2 * len(pair)
        excluded = merged([{"other_version": len(pair) - len(same), "not_shared": only}])
        x, y = same["score"].to_numpy(float), same["score_b"].to_numpy(float)
        used = Used(len(same), int(same["questions"].sum()), same["prompt"].nunique(), excluded)
        yield correlated(
            making, Place(rater=a, other=b), x, y, codes(same["prompt"]), used, _HOW, (f"{a}'s score", f"{b}'s score")
        )


def correlated(
    making: Making,
    place: Place,
    x: FloatArray,
    y: FloatArray,
    prompt: IntArray,
    used: Used,
    how: str,
    names: tuple[str, str],
) -> Figure:
    """Spearman's rho of two scores per image, with its interval by prompt."""
    cluster = compact(prompt)
    weights = making.deletions.weights(cluster.size)
    if x.size < 2:
        values, reason = np.full(len(weights), np.nan), NO_PAIR if not x.size else correlation.why_undefined(x, y, names)
    else:
        values = correlation.spearman(x, y, Units(cluster.codes, cluster.size), weights)
        reason = correlation.why_undefined(x, y, names)
    return making.figure(SPEARMAN, place, "images", values, reason, used, how, CORRECTED)
