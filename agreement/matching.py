"""Image-text matching (SelfEval, section 4): how often a rater picks the right caption of an image.

Answers come as a frame with `COLUMNS`, one row per (rater, item). From it follow accuracy, chance and what lies between,
per rater, generator and task (Figure 4 and Table 5); votes between two raters, on the images on which only one of them is
right (Figure 5); Winoground's scores (Thrush et al., 2022, section 4), of two images and two captions, each right about one
image; and what fewer trials would have given, the first n of N (Table 2 of appendix C).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Final, Literal

import numpy as np
import pandas as pd

from agreement.inference.intervals import AREA, CONTRAST_OF_SHARES, NUMBER, SHARE, Deletions
from agreement.numeric import BoolArray, FloatArray, IntArray, cluster_sums, ratio
from agreement.questions.scores import ALL, GroupStatistic, StatisticKey, deletions_of, figure
from agreement.reasons import Method, MethodCode, Reason, ReasonCode, joined
from agreement.study.cells import Options, Used

COLUMNS: Final = ("rater", "item", "prompt", "group", "task", "generator", "fits", "right", "posterior")
"""``fits``: how well each of the C captions fits, larger is better, None where there is no number. ``right``: the right one's
place. ``posterior``: its share of a softmax over the captions, None where there is none. ``group``: None, or what items belong
to together. ``generator``: whose images."""
NOT_FINITE: Final = "not_finite"


def check_answers(frame: pd.DataFrame) -> pd.DataFrame:
    """Return the frame in one order, with more columns: ``choices`` (C), ``known`` (whether there are all C numbers),
    ``correct``, ``place`` (of the right caption) and ``cluster`` (the group, else the prompt: the jackknife leaves it out).

    Raises:
        ValueError: a column is missing, or a rater has judged an item twice.
    """
    missing = [name for name in COLUMNS if name not in frame.columns]
    if missing:
        raise ValueError(f"the frame lacks the columns {', '.join(missing)}; it needs {', '.join(COLUMNS)}")
    rows = frame.sort_values(["rater", "item"], kind="stable", ignore_index=True)
    if rows.duplicated(["rater", "item"]).any():
        raise ValueError("a rater has judged an item twice")
    pairs = list(zip(rows.fits, rows.right, strict=True))
    known = [is_known(fits) for fits, _ in pairs]
    return rows.assign(
        choices=[len(fits) for fits, _ in pairs],
        known=known,
        correct=[ok and is_right(fits, right) for ok, (fits, right) in zip(known, pairs, strict=True)],
        place=[rank(fits, right) if ok else math.nan for ok, (fits, right) in zip(known, pairs, strict=True)],
        cluster=rows.group.where(rows.group.notna(), rows.prompt),
    )


def is_known(fits: Sequence[float | None]) -> bool:
    """Whether there is a number for every caption."""
    return all(fit is not None and math.isfinite(fit) for fit in fits)


def is_right(fits: Sequence[float], right: int) -> bool:
    """Whether the right caption fits best, alone: a tie is not right, as the order in which captions stand says nothing."""
    return all(fits[right] > fit for index, fit in enumerate(fits) if index != right)


def rank(fits: Sequence[float], right: int) -> float:
    """Place of the right caption, 1 the best, C the worst; those that fit as well count half."""
    others = [fit for index, fit in enumerate(fits) if index != right]
    return 1 + sum(fit > fits[right] for fit in others) + sum(fit == fits[right] for fit in others) / 2


def cluster_codes(rows: pd.DataFrame) -> tuple[IntArray, int]:
    """Codes of the clusters without gaps, and how many there are."""
    codes, names = pd.factorize(rows.cluster, sort=True)
    return np.asarray(codes, np.int64), len(names)


ACCURACY: Final = "accuracy"
CHANCE: Final = "chance"
LIFT: Final = "accuracy_less_chance"
POSTERIOR: Final = "posterior"
RANK: Final = "rank"
STATISTICS: Final = {
    ACCURACY: Method(MethodCode.MATCHED_RIGHT),
    CHANCE: Method(MethodCode.MATCHED_BY_CHANCE),
    LIFT: Method(MethodCode.MATCHED_LESS_CHANCE),
    POSTERIOR: Method(MethodCode.SHARE_OF_SOFTMAX),
    RANK: Method(MethodCode.MEAN_PLACE),
}
"""Each statistic and how it is made."""

KINDS: Final = {ACCURACY: SHARE, POSTERIOR: AREA}
NOTHING: Final = Reason(ReasonCode.NO_IMAGE_WITH_ALL_CAPTIONS)


def matching_statistics(frame: pd.DataFrame, options: Options | None = None) -> list[GroupStatistic]:
    """Each rater's ``STATISTICS`` of each generator's images, by task and of all together.

    Args:
        frame: columns ``COLUMNS``. Items without a number for every caption are left out (``not_finite``).
        options: `intervals` is read; left out one by one are prompts, or groups where there are any.

    Raises:
        ValueError: a column is missing, or a rater has judged an item twice.
    """
    deletions, rows = deletions_of(options), check_answers(frame)
    figures: list[GroupStatistic] = []
    for (rater, generator), mine in rows.groupby(["rater", "generator"], sort=True):
        for task, part in parts(mine):
            figures += _statistics_of(part, StatisticKey("task", task, str(rater), str(generator)), deletions)
    return figures


def parts(rows: pd.DataFrame) -> Iterator[tuple[str, pd.DataFrame]]:
    """All rows, then those of each task."""
    yield ALL, rows
    for task, part in rows.groupby("task", sort=True):
        yield str(task), part


def _statistics_of(rows: pd.DataFrame, key: StatisticKey, deletions: Deletions) -> Iterator[GroupStatistic]:
    used = rows[rows.known]
    codes, clusters = cluster_codes(used)
    columns = {
        ACCURACY: used.correct.astype(float),
        CHANCE: 1 / used.choices.astype(float),
        LIFT: used.correct.astype(float) - 1 / used.choices.astype(float),
        POSTERIOR: used.posterior.astype(float),
        RANK: used.place.astype(float),
    }
    values = np.column_stack([np.asarray(column, float) for column in columns.values()])
    counts = Used(len(used), len(used), clusters, {NOT_FINITE: len(rows) - len(used)} if len(rows) > len(used) else {})
    means = weighted_means(values, codes, clusters, deletions)
    for k, statistic in enumerate(columns):
        how, kind = STATISTICS[statistic], KINDS.get(statistic, NUMBER)
        yield figure(statistic, key, "images", means[:, k], NOTHING, counts, how, kind)


def weighted_means(values: FloatArray, codes: IntArray, clusters: int, deletions: Deletions) -> FloatArray:
    """Means of the columns of ``values`` (n, p), then those without each cluster: (1 + clusters, p); ``codes`` of clusters."""
    if not len(values):
        return np.full((1, values.shape[1]), np.nan)
    sums = cluster_sums(np.column_stack([values, np.ones(len(values))]), codes, clusters)
    totals = deletions.weights(clusters) @ sums
    return ratio(totals[:, :-1], totals[:, -1:])


Aggregate = Literal["jensen", "lse"]
"""How a caption's trials become one number: the mean of log p, or log of the mean of p (SelfEval, equations 9 and 8)."""


def right_by_trials(trials: FloatArray, right: IntArray, aggregate: Aggregate = "jensen") -> BoolArray:
    """Whether the right caption fits best, alone, by the first 1, 2, ... N trials: (items, N).

    Args:
        trials: (items, N, C), log p or another fit, larger is better; of items with fewer captions the places behind are -inf.
        right: (items,), places of the right captions.
        aggregate: how trials become one number.

    Raises:
        ValueError: the shapes do not go together.
    """
    if trials.ndim != 3 or right.shape != trials.shape[:1]:
        raise ValueError(
            f"trials of shape (items, N, C) and right of shape (items,) expected, got {trials.shape}, {right.shape}"
        )
    fits = _aggregated(np.asarray(trials, float), aggregate)
    mine = np.take_along_axis(fits, right[:, None, None], axis=2)
    others = np.where(np.arange(fits.shape[2]) == right[:, None, None], -np.inf, fits)
    return np.asarray(mine[..., 0] > others.max(axis=2), bool)


def by_trials(
    trials: FloatArray,
    right: IntArray,
    clusters: Sequence[str],
    aggregate: Aggregate = "jensen",
    options: Options | None = None,
    generator: str = ALL,
    rater: str | None = None,
) -> list[GroupStatistic]:
    """The accuracy by the first 1, 2, ... N trials, N figures in that order.

    Args:
        trials: as ``right_by_trials``; items of which a caption's number is not finite are the caller's to leave out.
        right: as ``right_by_trials``.
        clusters: (items,), what is left out one by one: the prompt, or the group.
        aggregate: as ``right_by_trials``.
        options: `intervals` is read.
        generator: whose images.
        rater: whose trials.
    """
    deletions = deletions_of(options)
    correct = right_by_trials(trials, right, aggregate).astype(float)
    names, codes = np.unique(np.asarray(clusters, dtype=str), return_inverse=True)
    means = weighted_means(correct, codes.astype(np.int64), len(names), deletions)
    used, total = Used(len(correct), len(correct), len(names)), trials.shape[1]
    return [
        figure(
            ACCURACY, StatisticKey("trials", str(n + 1), rater, generator), "images", means[:, n], NOTHING, used,
            joined(STATISTICS[ACCURACY], Method(MethodCode.FIRST_TRIALS, aggregate=aggregate, n=n + 1, trials=total)), SHARE,
        )
        for n in range(total)
    ]  # fmt: skip


def _aggregated(trials: FloatArray, aggregate: Aggregate) -> FloatArray:
    counts = np.arange(1, trials.shape[1] + 1)[None, :, None]
    if aggregate == "jensen":
        return np.asarray(np.cumsum(trials, axis=1) / counts)
    return np.asarray(np.logaddexp.accumulate(trials, axis=1) - np.log(counts))


DIFFERENCE = "votes_difference"


@dataclass(frozen=True)
class Votes:
    """Two raters on the same images.

    Attributes:
        a, b: the raters. ``only_a``, ``only_b``: images on which only one is right; ``both``, ``neither``.
        difference: (only_a - only_b) / n, -1 to 1.
        suite: the suite of the images; the caller names it.
    """

    a: str
    b: str
    task: str
    generator: str
    only_a: int
    only_b: int
    both: int
    neither: int
    difference: GroupStatistic
    suite: str = ""


def votes(frame: pd.DataFrame, options: Options | None = None) -> list[Votes]:
    """Every two raters that judged the same images of a generator among the same captions, by task and of all.

    Args:
        frame: ``matching.COLUMNS``; items without a number for every caption count for neither.
        options: `intervals` is read.

    Raises:
        ValueError: as ``figures``.
    """
    deletions, rows = deletions_of(options), check_answers(frame)
    ballots: list[Votes] = []
    for generator, part in rows[rows.known].groupby("generator", sort=True):
        for a, b in combinations(sorted(part.rater.unique()), 2):
            first, second = (part[part.rater == name].set_index("item") for name in (a, b))
            both = first.join(second[["correct", "choices", "right"]].add_suffix("_b"), how="inner")
            both = both[(both.choices == both.choices_b) & (both.right == both.right_b)]
            ballots += _votes_of(both, a, b, str(generator), deletions)
    return ballots


def _votes_of(rows: pd.DataFrame, a: str, b: str, generator: str, deletions: Deletions) -> Iterator[Votes]:
    for task, part in parts(rows):
        if part.empty:
            continue
        mine, others = (np.asarray(part[name], bool) for name in ("correct", "correct_b"))
        codes, clusters = cluster_codes(part)
        values = (mine.astype(float) - others)[:, None]
        means = weighted_means(values, codes, clusters, deletions)[:, 0]
        used, key = Used(len(part), len(part), clusters), StatisticKey("task", task, a, generator, b)
        difference = figure(
            DIFFERENCE, key, "images", means, None, used, Method(MethodCode.ONLY_FIRST_RIGHT_LESS_SECOND), CONTRAST_OF_SHARES
        )
        which = (mine & ~others, others & ~mine, mine & others, ~mine & ~others)
        only_a, only_b, both, neither = (int(counted.sum()) for counted in which)
        yield Votes(a, b, task, generator, only_a, only_b, both, neither, difference)


TEXT_SCORE: Final = "text_score"
IMAGE_SCORE: Final = "image_score"
GROUP_SCORE: Final = "group_score"
_HOW_WINOGROUND: Final = {
    TEXT_SCORE: Method(MethodCode.TEXT_SCORE),
    IMAGE_SCORE: Method(MethodCode.IMAGE_SCORE),
    GROUP_SCORE: Method(MethodCode.GROUP_SCORE),
}
"""How each score is made; chance gives 1/4, 1/4 and 1/6."""
_NO_GROUP: Final = Reason(ReasonCode.NO_WINOGROUND_GROUP)


def winoground(frame: pd.DataFrame, options: Options | None = None) -> list[GroupStatistic]:
    """Each rater's text, image and group score, by task and of all groups; nothing of raters without a whole group.

    A group counts where the rater gave numbers for both images. Fits of different images are compared as they are: what they
    mean across images is the rater's affair (ELBO's do not compare, SelfEval, section 4.3).

    Args:
        frame: ``matching.COLUMNS`` and ``captions``.
        options: `intervals` is read.

    Raises:
        ValueError: as ``figures``.
    """
    deletions, rows = deletions_of(options), check_answers(frame)
    figures: list[GroupStatistic] = []
    for (rater, generator), mine in rows[rows.group.notna()].groupby(["rater", "generator"], sort=True):
        for task, part in parts(mine):
            figures += _winoground_of(part, StatisticKey("task", task, str(rater), str(generator)), deletions)
    return figures


def _winoground_of(rows: pd.DataFrame, key: StatisticKey, deletions: Deletions) -> Iterator[GroupStatistic]:
    whole = [pair for _, pair in rows.groupby("group", sort=True) if _is_pair(pair)]
    counted = [pair for pair in whole if pair.known.all()]
    if not whole:
        return
    scored = np.array(
        [
            group_scores(*[(fits[right], fits[1 - right]) for fits, right in zip(pair.fits, pair.right, strict=True)])
            for pair in counted
        ],
        float,
    ).reshape(-1, 3)
    excluded = {"incomplete_group": rows.group.nunique() - len(whole), "not_finite": len(whole) - len(counted)}
    used = Used(2 * len(counted), len(counted), len(counted), {name: n for name, n in excluded.items() if n})
    means = weighted_means(scored, np.arange(len(counted)), len(counted), deletions)
    for k, (name, how) in enumerate(_HOW_WINOGROUND.items()):
        yield figure(name, key, "groups", means[:, k], _NO_GROUP, used, how, SHARE)


def group_scores(first: tuple[float, float], second: tuple[float, float]) -> tuple[bool, bool, bool]:
    """Text, image and group score of one group; each image's fits with its own caption, then with the other's."""
    (mine, others), (own, strange) = first, second
    text = mine > others and own > strange
    image = mine > strange and own > others
    return text, image, text and image


def _is_pair(pair: pd.DataFrame) -> bool:
    if len(pair) != 2 or set(pair.choices) != {2}:
        return False
    (captions, right), (others, other_right) = zip(pair.captions, pair.right, strict=True)
    return set(captions) == set(others) and captions[right] != others[other_right]
