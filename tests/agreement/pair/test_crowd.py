"""A crowd as one number of all and the mean of each, beside what can be counted by hand."""

from __future__ import annotations

import pytest

from agreement import Options
from agreement.pair.crowd import crowd_numbers
from tests.agreement.frames import SCALES, frame, people, scorer

ANSWERS = {"i1": "y y n", "i2": "n n n", "i3": "y y y", "i4": "y n y", "i5": "y n ."}


def rows() -> list[dict[str, object]]:
    """Yes and no as stores have them: a label and its number."""
    said = people(ANSWERS)
    return [row | {"number": float(row["label"] == "yes")} for row in said]


def test_the_mean_of_yes_and_no_is_each_persons_share_of_yes() -> None:
    judged = frame([*rows(), *scorer("machine", {"i1": "no", "i2": "no"})])
    numbers = crowd_numbers(judged, SCALES, "s", "correct")
    shares = {name: (row.value, row.n_items) for name, row in numbers.means.items()}
    assert shares == {"r0": (0.8, 5), "r1": (0.4, 5), "r2": (0.5, 4)}
    assert all(row.low is not None and row.high is not None for row in numbers.means.values())


def test_everybody_together_has_alpha_and_no_scorer_counts() -> None:
    judged = frame([*rows(), *scorer("machine", {"i1": "no", "i2": "yes", "i3": "no"})])
    together = crowd_numbers(judged, SCALES, "s", "correct").together
    assert together is not None
    # by hand: pairs of a unit that differ, each weighed by 1 / (values of it - 1)
    differ = 2 * 2 / 2 + 0 + 0 + 2 * 2 / 2 + 2 * 1 / 1
    n, yes = 14, sum(text.count("y") for text in ANSWERS.values())
    expected = 2 * yes * (n - yes) / (n - 1)
    assert together.value == pytest.approx(1 - differ / expected)
    assert together.statistic == "krippendorff_alpha_nominal"


def test_simulated_people_are_taken_together_only_when_asked_for() -> None:
    judged = frame([row | {"simulated": True} for row in rows()])
    assert crowd_numbers(judged, SCALES, "s", "correct").together is None
    numbers = crowd_numbers(judged, SCALES, "s", "correct", Options(intervals=False), simulated=True)
    assert numbers.together is not None
    assert (numbers.together.people, numbers.together.low) == ("simulated", None)


def test_where_nothing_was_judged_there_are_no_numbers() -> None:
    nothing = crowd_numbers(frame(rows()), SCALES, "s", "faithfulness")
    assert (nothing.together, dict(nothing.means)) == (None, {})
