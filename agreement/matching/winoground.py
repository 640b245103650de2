"""Winoground's scores (Thrush et al., 2022, section 4): two images and two captions, each caption right about one image."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import numpy as np
import pandas as pd

from agreement.inference.jackknife import SHARE
from agreement.matching.answers import checked
from agreement.matching.figures import parts
from agreement.numeric import ratio
from agreement.questions.figures import Figure, Making, Place
from agreement.study.cells import Options
from agreement.study.outcome import Used

SCORES: Final = {"text_score": 1 / 4, "image_score": 1 / 4, "group_score": 1 / 6}
"""Each score and what chance gives."""

_HOW: Final = {
    "text_score": "share of groups in which each image's right caption fits it better than the other; a tie is not right",
    "image_score": "share of groups in which each caption fits its image better than the other image; a tie is not right",
    "group_score": "share of groups with both",
}
_NO_GROUP: Final = "no group of two images with the same two captions, each right once"


def winoground(frame: pd.DataFrame, options: Options | None = None) -> list[Figure]:
    """Each rater's text, image and group score, by task and of all groups; nothing of raters without a whole group.

    A group counts where the rater gave numbers for both images. Fits of different images are compared as they are: what they
    mean across images is the rater's affair (ELBO's do not compare, SelfEval, section 4.3).

    Args:
        frame: ``matching.COLUMNS`` and ``captions``.
        options: `intervals` is read.

    Raises:
        ValueError: as ``figures``.
    """
    making, rows = Making.of(options), checked(frame)
    found: list[Figure] = []
    for (rater, generator), mine in rows[rows["group"].notna()].groupby(["rater", "generator"], sort=True):
        for task, part in parts(mine):
            found += _of(part, Place("task", task, str(rater), str(generator)), making)
    return found


def _of(rows: pd.DataFrame, place: Place, making: Making) -> Iterator[Figure]:
    whole = [pair for _, pair in rows.groupby("group", sort=True) if _is_pair(pair)]
    counted = [pair for pair in whole if pair["known"].all()]
    if not whole:
        return
    scored = np.array([group_scores(*_matrix(pair)) for pair in counted], float).reshape(-1, 3)
    excluded = {"incomplete_group": rows["group"].nunique() - len(whole), "not_finite": len(whole) - len(counted)}
    used = Used(2 * len(counted), len(counted), len(counted), {name: n for name, n in excluded.items() if n})
    weights = making.deletions.weights(len(counted))
    means = ratio(weights @ scored, weights.sum(1, keepdims=True)) if len(counted) else np.full((1, 3), np.nan)
    for k, (name, how) in enumerate(_HOW.items()):
        yield making.figure(name, place, "groups", means[:, k], _NO_GROUP, used, how, SHARE)


def group_scores(first: tuple[float, float], second: tuple[float, float]) -> tuple[bool, bool, bool]:
    """Text, image and group score of one group; each image's fits with its own caption, then with the other's."""
    (mine, others), (own, strange) = first, second
    text = mine > others and own > strange
    image = mine > strange and own > others
    return text, image, text and image


def _is_pair(pair: pd.DataFrame) -> bool:
    if len(pair) != 2 or set(pair["size"]) != {2}:
        return False
    (captions, right), (others, other_right) = zip(pair["captions"], pair["right"], strict=True)
    return set(captions) == set(others) and captions[right] != others[other_right]


def _matrix(pair: pd.DataFrame) -> list[tuple[float, float]]:
    return [(fits[right], fits[1 - right]) for fits, right in zip(pair["fits"], pair["right"], strict=True)]
