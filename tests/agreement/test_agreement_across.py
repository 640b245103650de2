"""A correlation across units against scipy, and its interval against resamples that are made one by one."""

from __future__ import annotations

import numpy as np
import pytest

from agreement.across import RESAMPLES, across
from agreement.bootstrap import Draws
from tests.agreement.oracles import stats

NAMES = ("co-occurrence", "share")


def test_value_and_interval() -> None:
    rng = np.random.default_rng(4)
    x = rng.integers(0, 6, 25).astype(float)  # many ties, and zeros
    y = np.round(0.1 * x + rng.normal(size=25), 1)
    found = across("spearman", x.tolist(), y.tolist(), NAMES, "pair")
    assert found.value == pytest.approx(stats.spearmanr(x, y).statistic, abs=1e-12)
    assert (found.n, found.reason) == (25, None)
    again = []
    for weights in Draws(RESAMPLES, 0).weights(25)[1:]:
        rows = np.repeat(np.arange(25), weights.astype(int))
        again.append(stats.pearsonr(stats.rankdata(x[rows]), stats.rankdata(y[rows])).statistic)
    assert (found.low, found.high) == pytest.approx(tuple(np.quantile(again, [0.025, 0.975])), abs=1e-9)
    assert found.method == "95% percentile bootstrap over 25 pairs, 2000 resamples, seed 0"


@pytest.mark.parametrize(
    ("x", "y", "reason"),
    [
        ([], [], "fewer than two units to compare"),
        ([0.1], [0.5], "fewer than two units to compare"),
        ([0.1, 0.1, 0.1], [0.1, 0.5, 0.7], "co-occurrence is constant"),
        ([0.1, 0.2, 0.3], [1, 1, 1], "share is constant"),
        ([0, 0], [1, 1], "co-occurrence and share are constant"),
    ],
)
def test_undefined_has_a_reason(x: list[float], y: list[float], reason: str) -> None:
    found = across("spearman", x, y, NAMES)
    assert (found.value, found.low, found.high, found.reason, found.n) == (None, None, None, reason, len(x))


def test_two_units_have_a_value_and_the_interval_says_how_often_it_is_none() -> None:
    found = across("spearman", [0, 1], [0, 1], NAMES)
    # half of the resamples of two units are one unit twice
    assert found.value == 1
    assert "undefined" in found.method
