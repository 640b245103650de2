"""Image-text matching: accuracy, Winoground's scores, votes and trials by hand, and restated another way."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from agreement import Options
from agreement.matching import COLUMNS, by_trials, is_right, matching_statistics, rank, right_by_trials, votes, winoground
from agreement.questions import GroupStatistic
from concord.common.reason_sentences import text

PLAIN = Options(intervals=False)


def row(item: str, fits: Sequence[float | None], right: int = 0, **more: Any) -> dict[str, Any]:
    usual = {
        "rater": "a",
        "item": item,
        "prompt": f"p{item}",
        "group": None,
        "task": "color",
        "generator": "real",
        "posterior": 0.5,
    }
    return {**usual, "fits": list(fits), "right": right, "captions": [f"c{k}" for k in range(len(fits))], **more}


def frame(*rows: dict[str, Any]) -> pd.DataFrame:
    return pd.DataFrame(list(rows)).astype({"group": object, "posterior": object})


def value(
    figures: Sequence[GroupStatistic], statistic: str, task: str = "all", rater: str = "a", generator: str = "real"
) -> GroupStatistic:
    (figure,) = [
        figure
        for figure in figures
        if (figure.statistic, figure.group, figure.rater, figure.generator) == (statistic, task, rater, generator)
    ]
    return figure


def test_accuracy_by_hand() -> None:
    figures = matching_statistics(
        frame(
            row("1", [3, 1, 2, 0]),  # right
            row("2", [3, 3, 2, 0]),  # a tie is not right: rank 1.5
            row("3", [1, 2], right=1, task="attribute", posterior=0.9),  # right
            row("4", [1, 2], right=0, task="attribute", posterior=0.1),  # wrong: rank 2
            row("5", [1, None], right=0, task="attribute", posterior=None),  # left out
        ),
        PLAIN,
    )
    whole = value(figures, "accuracy")
    assert (whole.outcome.value, whole.n, whole.outcome.used.excluded) == (0.5, 4, {"not_finite": 1})
    assert value(figures, "chance").outcome.value == pytest.approx((0.25 + 0.25 + 0.5 + 0.5) / 4)
    assert value(figures, "accuracy_less_chance").outcome.value == pytest.approx(0.5 - 0.375)
    assert value(figures, "posterior").outcome.value == pytest.approx(0.5)
    assert value(figures, "rank").outcome.value == pytest.approx((1 + 1.5 + 1 + 2) / 4)
    assert value(figures, "accuracy_less_chance", "color").outcome.value == pytest.approx(0.25)
    assert value(figures, "chance", "attribute").outcome.value == 0.5


def test_nothing_known_is_undefined_with_a_reason() -> None:
    (figure,) = [
        figure
        for figure in matching_statistics(frame(row("1", [1, math.nan])), PLAIN)
        if figure.statistic == "accuracy" and figure.group == "all"
    ]
    assert figure.outcome.value is None
    assert text(figure.outcome.reason) == "no image with a number for every caption"


def test_the_interval_leaves_groups_out() -> None:
    """Ten groups of two equal images have as wide an interval as ten images: twice the images tell nothing more."""
    outcomes = [k % 2 for k in range(10)]
    alone = frame(*(row(f"{k}", [outcome, 0.5]) for k, outcome in enumerate(outcomes)))
    paired = frame(*(row(f"{k}{side}", [outcome, 0.5], group=f"p{k}") for k, outcome in enumerate(outcomes) for side in "xy"))
    one, two = (value(matching_statistics(made), "accuracy") for made in (alone, paired))
    assert (one.outcome.value, two.outcome.value) == (0.5, 0.5)
    assert two.bounds == one.bounds
    # of ten yes and no the standard error is 1/6, and t(9) is 2.262
    lift = value(matching_statistics(alone), "accuracy_less_chance")
    assert [lift.bounds.low, lift.bounds.high] == pytest.approx([-0.377, 0.377], abs=1e-3)


def test_what_the_frame_must_hold() -> None:
    with pytest.raises(ValueError, match="lacks the columns fits"):
        matching_statistics(frame(row("1", [1, 0])).drop(columns="fits"))
    with pytest.raises(ValueError, match="judged an item twice"):
        matching_statistics(frame(row("1", [1, 0]), row("1", [0, 1])))
    assert matching_statistics(frame(row("1", [1, 0])).iloc[:0][list(COLUMNS)]) == []


@given(st.lists(st.integers(0, 3), min_size=2, max_size=6), st.data())
def test_right_and_rank_restated(fits: list[int], data: st.DataObject) -> None:
    index = data.draw(st.integers(0, len(fits) - 1))
    assert is_right(fits, index) == (fits.count(max(fits)) == 1 and fits.index(max(fits)) == index)
    ordered = sorted(fits, reverse=True)
    places = [k + 1 for k, fit in enumerate(ordered) if fit == fits[index]]
    assert rank(fits, index) == sum(places) / len(places)


def pair(group: str, first: Sequence[float], second: Sequence[float], **more: Any) -> list[dict[str, Any]]:
    """Both images' fits with caption 0 and caption 1; image k shows caption k."""
    return [row(f"{group}-{k}", fits, k, group=group, **more) for k, fits in enumerate((first, second))]


def test_winoground_by_hand() -> None:
    rows = [
        *pair("both", (5, 1), (2, 6)),
        *pair("text", (5, 4), (9, 10)),  # caption 0 fits the wrong image better
        *pair("image", (5, 6), (4, 7)),  # text: image 0 takes caption 1; image: 5 > 4, 7 > 6
        *pair("none", (1, 2), (2, 1)),
        *pair("tie", (1, 1), (0, 2)),
        *pair("lost", (1, math.nan), (0, 2)),
        row("alone", [1, 0], group="half"),
    ]
    results = {figure.statistic: figure for figure in winoground(frame(*rows), PLAIN) if figure.group == "all"}
    # "tie": image score holds, 1 > 0 and 2 > 1
    assert {name: figure.outcome.value for name, figure in results.items()} == {
        "text_score": 2 / 5, "image_score": 3 / 5, "group_score": 1 / 5,
    }  # fmt: skip
    assert results["text_score"].n == 5
    assert results["text_score"].outcome.used.excluded == {"incomplete_group": 1, "not_finite": 1}


def test_what_is_no_group_of_winoground() -> None:
    three = [row(f"g{k}", [1, 0, 0], k, group="g") for k in range(2)]
    same = [row(f"h{k}", [1, 0], 0, group="h") for k in range(2)]
    other = [row("i0", [1, 0], 0, group="i"), row("i1", [1, 0], 1, group="i", captions=["x", "y"])]
    assert winoground(frame(*three, *same, *other, row("1", [1, 0])), PLAIN) == []


def test_votes_by_hand() -> None:
    a = [row(str(k), [ok, 0.5], task="count" if k < 2 else "color") for k, ok in enumerate([1, 1, 0, 1, 0])]
    b = [
        {**row(str(k), [ok, 0.5]), "rater": "b", "task": "count" if k < 2 else "color"} for k, ok in enumerate([1, 0, 1, 0, 0])
    ]
    # other captions are no comparison, and what b did not judge is none
    more = [row("x", [1, 0]), {**row("x", [1, 0, 0]), "rater": "b"}, row("y", [1, 0])]
    results = {vote.task: vote for vote in votes(frame(*a, *b, *more), PLAIN)}
    whole = results["all"]
    assert (whole.a, whole.b) == ("a", "b")
    assert (whole.only_a, whole.only_b, whole.both, whole.neither) == (2, 1, 1, 1)
    assert whole.difference.outcome.value == pytest.approx(1 / 5)
    assert (results["count"].only_a, results["count"].only_b) == (1, 0)
    assert results["count"].difference.outcome.value == 0.5


def test_trials_by_hand() -> None:
    trials = np.array([[[1.0, 2.0], [5.0, 2.0]], [[4.0, 1.0], [0.0, 9.0]], [[2.0, 2.0], [2.0, 2.0]]])
    right = np.array([0, 0, 1])
    assert right_by_trials(trials, right).tolist() == [[False, True], [True, False], [False, False]]
    figures = by_trials(trials, right, ["x", "y", "z"], options=PLAIN)
    assert [figure.group for figure in figures] == ["1", "2"]
    assert [figure.outcome.value for figure in figures] == pytest.approx([1 / 3, 1 / 3])
    assert "first 2 of 2 trials" in text(figures[1].method)


def test_the_two_ways_to_put_trials_together() -> None:
    # one trial far better: its likelihood alone decides the mean of p, not the mean of log p
    trials = np.array([[[0.0, -1.0], [-10.0, -1.0]]])
    right = np.array([0])
    assert right_by_trials(trials, right, "jensen").tolist() == [[True, False]]
    assert right_by_trials(trials, right, "lse").tolist() == [[True, True]]


def test_items_with_fewer_captions_are_padded() -> None:
    trials = np.array([[[1.0, 0.0, -np.inf]], [[0.0, 1.0, 2.0]]])
    for aggregate in ("jensen", "lse"):
        assert right_by_trials(trials, np.array([0, 2]), aggregate).tolist() == [[True], [True]]
    with pytest.raises(ValueError, match="expected"):
        right_by_trials(trials, np.array([0]))
