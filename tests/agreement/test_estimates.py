"""A correlation across units against scipy, and its interval against a jackknife that is made one by one."""

from __future__ import annotations

import numpy as np
import pytest

from agreement.estimates import correlate_units
from concord.common.reason_sentences import text
from tests.agreement import reference_implementations
from tests.agreement.oracles import stats

NAMES = ("co-occurrence", "share")


def test_value_and_interval() -> None:
    rng = np.random.default_rng(4)
    x = rng.integers(0, 6, 25).astype(float)  # many ties, and zeros
    y = np.round(0.1 * x + rng.normal(size=25), 1)
    correlation = correlate_units("spearman", x.tolist(), y.tolist(), NAMES, "pair")
    assert correlation.value == pytest.approx(stats.spearmanr(x, y).statistic, abs=1e-12)
    assert (correlation.n, correlation.reason) == (25, None)
    assert correlation.value is not None
    without = [stats.spearmanr(np.delete(x, k), np.delete(y, k)).statistic for k in range(25)]
    assert (correlation.low, correlation.high) == pytest.approx(
        reference_implementations.jackknife(correlation.value, without, "z"), abs=1e-9
    )
    freedom = 50 / (stats.kurtosis(without, fisher=False) - 1)
    assert (
        text(correlation.method) == f"95% jackknife over 25 pairs, t with {freedom:.4g} degrees of freedom on Fisher's z scale"
    )


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
    correlation = correlate_units("spearman", x, y, NAMES)
    assert (correlation.value, correlation.low, correlation.high, text(correlation.reason), correlation.n) == (
        None,
        None,
        None,
        reason,
        len(x),
    )


def test_two_units_have_a_value_and_no_interval() -> None:
    correlation = correlate_units("spearman", [0, 1], [0, 1], NAMES)
    assert (correlation.value, correlation.low, correlation.high) == (1, None, None)
    assert text(correlation.method) == "no interval: undefined without one of the 2 units"
