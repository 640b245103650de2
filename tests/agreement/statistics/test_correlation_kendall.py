"""Kendall's sums for many units are those of every pair, in any resample."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agreement.statistics.correlation import Concordance, Units, kendall_tau_b, kendall_tau_c
from tests.agreement.oracles import stats

LEVELS = st.lists(st.tuples(st.integers(0, 12), st.integers(0, 3), st.integers(0, 4)), min_size=1, max_size=40)


def pairs(x: np.ndarray, y: np.ndarray, times: np.ndarray) -> tuple[float, float]:
    """Concordant less discordant ordered pairs, and those that differ on x, of the replicated units: one by one."""
    a, b = np.repeat(x, times), np.repeat(y, times)
    return (
        float(sum(np.sign(p - q) * np.sign(r - s) for p, r in zip(a, b, strict=True) for q, s in zip(a, b, strict=True))),
        float(sum(p != q for p in a for q in a)),
    )


@settings(max_examples=15, deadline=None)
@given(LEVELS, st.integers(0, 2**16))
def test_both_ways_count_every_pair(rows: list[tuple[int, int, int]], seed: int) -> None:
    x, y, cluster = (np.array(column) for column in zip(*rows, strict=True))
    weights = np.random.default_rng(seed).integers(0, 3, (3, 5)).astype(float)
    made = Concordance(np.stack([x, y]).astype(float), Units(cluster, 5), weights)
    expected = [pairs(x, y, row[cluster].astype(int)) for row in weights]
    for way in (made.sums, made.of_signs, made.of_table):
        assert way(0, 1).tolist() == way(1, 0).tolist() == [sums for sums, _ in expected]
    assert made.untied(0).tolist() == [untied for _, untied in expected]


def test_many_units_with_few_levels() -> None:
    rng = np.random.default_rng(7)
    y = rng.integers(0, 6, 6_000).astype(float)
    x = np.round(y + rng.normal(size=y.size), 2)
    weights = np.stack([np.ones(300), rng.multinomial(300, np.full(300, 1 / 300))]).astype(float)
    units = Units(rng.integers(0, 300, y.size), 300)
    result = kendall_tau_b(x, y, units, weights), kendall_tau_c(x, y, units, weights)
    times = weights[1][units.cluster].astype(int)
    for tau, variant in zip(result, "bc", strict=True):
        assert tau[0] == pytest.approx(stats.kendalltau(x, y, variant=variant).statistic, abs=1e-12)
        drawn = stats.kendalltau(np.repeat(x, times), np.repeat(y, times), variant=variant).statistic
        assert tau[1] == pytest.approx(drawn, abs=1e-12)


def test_many_units_with_many_levels_have_a_value_and_no_resamples() -> None:
    rng = np.random.default_rng(8)
    x, y = rng.normal(size=(2, 6_000))
    weights = np.stack([np.ones(x.size), rng.multinomial(x.size, np.full(x.size, 1 / x.size))]).astype(float)
    result = kendall_tau_b(x, y, Units.single(x.size), weights)
    assert result[0] == pytest.approx(stats.kendalltau(x, y).statistic, abs=1e-12)
    assert np.isnan(result[1])
