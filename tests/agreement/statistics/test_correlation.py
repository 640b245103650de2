"""Correlations: against scipy on ties and constants, and weights against physically replicated samples."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agreement.numeric import FloatArray, IntArray, cluster_sums
from agreement.statistics import correlation, many_raters, two_raters
from agreement.statistics.alpha import MomentSums, moment_columns
from agreement.statistics.correlation import Correlation, Units
from tests.agreement import reference_implementations
from tests.agreement.oracles import krippendorff, metrics, stats
from tests.agreement.single_tables import auc_of, of_vectors

SCIPY: dict[Correlation, Callable[[FloatArray, FloatArray], float]] = {
    "pearson": lambda x, y: stats.pearsonr(x, y).statistic,
    "spearman": lambda x, y: stats.spearmanr(x, y).statistic,
    "kendall_tau_b": lambda x, y: stats.kendalltau(x, y).statistic,
    "kendall_tau_c": lambda x, y: stats.kendalltau(x, y, variant="c").statistic,
}


def _vectors(seed: int, size: int = 30, levels: int = 5) -> tuple[FloatArray, FloatArray]:
    """One vector with many ties, one with a few."""
    rng = np.random.default_rng(seed)
    x = rng.integers(0, levels, size).astype(float)
    return x, np.where(rng.random(size) < 0.3, 0.5, x + rng.normal(0, 2, size))


@pytest.mark.parametrize("name", list(SCIPY))
@pytest.mark.parametrize("seed", [0, 1, 2, 5, 9])
def test_equals_scipy_with_ties(name: Correlation, seed: int) -> None:
    x, y = _vectors(seed, size=2 + seed * 3)
    result = of_vectors(name, x, y)
    if result.value is None:
        assert np.ptp(x) == 0 or np.ptp(y) == 0
    else:
        assert result.value == pytest.approx(SCIPY[name](x, y), abs=1e-12)


def test_accuracy_by_hand() -> None:
    # x 1 2 2 3, y 1 3 2 2. Ordered sides: pairs (01)+ (02)+ (03)+ (12)0 (13)- (23)0 -> C 3, D 1; untied 5 on x, 5 on y.
    x, y = np.array([1.0, 2, 2, 3]), np.array([1.0, 3, 2, 2])
    assert of_vectors("kendall_tau_b", x, y).value == pytest.approx(2 / 5)
    # m = 3 distinct values each: 2 * 2 * 3 / (16 * 2).
    assert of_vectors("kendall_tau_c", x, y).value == pytest.approx(3 / 8)
    # Midranks 1 2.5 2.5 4 and 1 4 2.5 2.5; deviations -1.5 0 0 1.5 and -1.5 1.5 0 0: 2.25 / 4.5.
    assert of_vectors("spearman", x, y).value == pytest.approx(1 / 2)
    # Deviations -1 0 0 1 and -1 1 0 0: 1 / 2.
    assert of_vectors("pearson", x, y).value == pytest.approx(1 / 2)


@pytest.mark.parametrize("name", list(SCIPY))
@pytest.mark.parametrize("constant", [0.1, 1e12 + 0.3])
def test_a_constant_is_undefined_and_says_which(name: Correlation, constant: float) -> None:
    x, y = np.full(7, constant), np.arange(7.0)
    assert of_vectors(name, x, y).reason == "the first variable is constant"
    assert of_vectors(name, y, x).reason == "the second variable is constant"
    assert of_vectors(name, x, x).value is None


@pytest.mark.parametrize("name", list(SCIPY))
@pytest.mark.parametrize("size", [0, 1])
def test_fewer_than_two_units_is_undefined(name: Correlation, size: int) -> None:
    result = of_vectors(name, np.ones(size), np.ones(size))
    assert (result.value, result.reason) == (None, "fewer than two units to compare")


@pytest.mark.parametrize("name", list(SCIPY))
def test_equal_values_give_one(name: Correlation) -> None:
    x = np.array([3.0, 1.0, 2.0, 7.0])
    assert of_vectors(name, x, 5 * x - 2).value == pytest.approx(1.0, abs=1e-15)


def test_nearly_equal_values_are_not_ties() -> None:
    """Rounding a score first would change tau: 0.1 + 0.2 is above 0.3."""
    assert of_vectors("kendall_tau_b", np.array([0.3, 0.1 + 0.2]), np.array([1.0, 2.0])).value == 1.0


@pytest.mark.parametrize("seed", range(2))
def test_auc_equals_sklearn(seed: int) -> None:
    rng = np.random.default_rng(seed)
    yes = rng.random(40) < 0.4
    score = np.round(rng.normal(yes, 1.0), 1)
    assert auc_of(score, yes) == pytest.approx(metrics.roc_auc_score(yes, score))
    assert np.isnan(auc_of(score, np.ones(40, bool)))


# --- weights are physically replicated samples --------------------------------------------------------------
def _resample() -> tuple[IntArray, FloatArray, list[IntArray]]:
    """Clusters of 60 units in 9 clusters, weights of 40 resamples, and the rows each resample would have."""
    cluster = np.random.default_rng(5).integers(0, 9, 60)
    cluster[:9] = np.arange(9)
    drawn = np.random.default_rng(0).multinomial(9, np.full(9, 1 / 9), 40)
    weights = np.concatenate([np.ones((1, 9)), drawn])
    rows = [np.repeat(np.arange(60), w[cluster].astype(int)) for w in weights]
    return cluster, weights, rows


@pytest.mark.parametrize("name", list(SCIPY))
@pytest.mark.parametrize("block", [2_000_000, 100])
def test_correlation_weights_equal_replication(name: Correlation, block: int, monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (correlation, correlation):
        monkeypatch.setattr(module, "_BLOCK", block)
    cluster, weights, rows = _resample()
    x, y = _vectors(3, 60)
    result = correlation.FORMULAS[name](x, y, Units(cluster, 9), weights)
    assert result == pytest.approx([SCIPY[name](x[r], y[r]) for r in rows], abs=1e-12)


def test_auc_weights_equal_replication() -> None:
    cluster, weights, rows = _resample()
    x, y = _vectors(4, 60)
    yes = (x > 2).astype(float)
    result = correlation.auc(y, yes, 1 - yes, Units(cluster, 9), weights)
    assert result == pytest.approx([metrics.roc_auc_score(yes[r], y[r]) for r in rows], abs=1e-12)


def test_table_weights_equal_replication() -> None:
    cluster, weights, rows = _resample()
    rng = np.random.default_rng(2)
    a = rng.integers(0, 4, 60)
    b = np.where(rng.random(60) < 0.5, a, rng.integers(0, 4, 60))
    sums = two_raters.PairSums.unpack(weights @ two_raters.pair_columns(a, b, cluster, 9, 4, ordinal=True), 4)
    assert two_raters.cohen_kappa(sums) == pytest.approx([metrics.cohen_kappa_score(a[r], b[r]) for r in rows], abs=1e-12)
    expected = [metrics.cohen_kappa_score(a[r], b[r], weights="quadratic", labels=range(4)) for r in rows]
    assert two_raters.cohen_kappa_quadratic(sums) == pytest.approx(expected, abs=1e-12)


def test_many_rater_weights_equal_replication() -> None:
    cluster, weights, rows = _resample()
    ratings = reference_implementations.ugly(1, units=60)
    unit = np.repeat(np.arange(60), [len(r) for r in ratings])
    label = np.array([v for r in ratings for v in r])
    sums = many_raters.CountSums.unpack(weights @ many_raters.count_columns(unit, label, cluster, 9, 4, ordinal=True), 4)
    copies = [[ratings[i] for i in r] for r in rows]
    assert many_raters.fleiss_kappa(sums) == pytest.approx([reference_implementations.fleiss(c, 4) for c in copies], abs=1e-12)
    assert many_raters.gwet_ac1(sums) == pytest.approx([reference_implementations.gwet(c, 4) for c in copies], abs=1e-12)
    columns = cluster_sums(moment_columns(unit, label.astype(float)), cluster[: unit.max() + 1], 9)
    results = {"interval": MomentSums.unpack(weights @ columns).alpha_interval()}
    results |= {
        "nominal": many_raters.krippendorff_alpha_nominal(sums),
        "ordinal": many_raters.krippendorff_alpha_ordinal(sums),
    }
    for level, values in results.items():
        expected = [
            krippendorff.alpha(reliability_data=reference_implementations.reliability(c), level_of_measurement=level)
            for c in copies
        ]
        assert values == pytest.approx(expected, abs=1e-12), level


# --- properties -------------------------------------------------------------------------------------------------------
VECTORS = st.lists(st.tuples(st.integers(-3, 3), st.integers(-3, 3)), min_size=2, max_size=12)


@settings(max_examples=20, deadline=None)
@given(VECTORS)
def test_bounds_symmetry_and_order(both: list[tuple[int, int]]) -> None:
    x, y = np.array(both, float).T
    for name in SCIPY:
        result = of_vectors(name, x, y).value
        assert result is None or -1 <= result <= 1
        assert result == pytest.approx(of_vectors(name, y[::-1], x[::-1]).value)
        if result is not None:
            assert -result == pytest.approx(of_vectors(name, x, -y).value)
