"""Statistics on tables of labels: by hand, and against other implementations, on ugly data."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agreement.numeric import FloatArray, IntArray
from agreement.statistics import many_raters, two_raters
from agreement.statistics.alpha import MomentSums, RatioSums, moment_columns, ratio_columns
from tests.agreement import reference_implementations
from tests.agreement.oracles import inter_rater, krippendorff, metrics
from tests.agreement.single_tables import Result, of_counts, of_pairs

# Units: yes yes no | yes yes | no no no | yes (alone). Columns: yes, no.
UNEQUAL = np.array([[2, 1], [2, 0], [0, 3], [1, 0]], np.int64)
SEEDS = range(4)


# --- by hand ---------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    ("statistic", "expected"),
    [
        # Shares of agreeing pairs 2/6, 1, 1; mean 7/9. The unit alone has no pair.
        ("percent_agreement", Fraction(7, 9)),
        ("unanimous_share", Fraction(2, 3)),
        ("majority_share", Fraction(1)),
        # pi_yes = (2/3 + 1 + 0 + 1) / 4 = 2/3, so p_e = 4/9 + 1/9 = 5/9 and (7/9 - 5/9) / (4/9) = 1/2.
        ("fleiss_kappa", Fraction(1, 2)),
        # p_e = 2/3 * 1/3 * 2 = 4/9, so (7/9 - 4/9) / (5/9) = 3/5. With two labels AC2 is AC1.
        ("gwet_ac1", Fraction(3, 5)),
        ("gwet_ac2", Fraction(3, 5)),
        # 8 pairable values, 4 of each. Coincidences off the diagonal: 4 ordered pairs / (3 - 1) = 2. Expected 64 - 32 = 32.
        # 1 - 7 * 2 / 32 = 9/16. With two labels ordinal is nominal.
        ("krippendorff_alpha_nominal", Fraction(9, 16)),
        ("krippendorff_alpha_ordinal", Fraction(9, 16)),
    ],
)
def test_many_raters_by_hand(statistic: str, expected: Fraction) -> None:
    assert of_counts(statistic, UNEQUAL).value == pytest.approx(float(expected), abs=1e-15)


@pytest.mark.parametrize(
    ("statistic", "expected"),
    [
        # n 5, rows 2 2 1, columns 1 2 2, diagonal 3, both disagreements one step.
        ("percent_agreement", Fraction(3, 5)),
        # p_e = (2 + 4 + 2) / 25 = 8/25; (15/25 - 8/25) / (17/25).
        ("cohen_kappa", Fraction(7, 17)),
        # Expected distance (2 (2 + 4) + 2 (1 + 2) + (2 + 2)) / 25 = 22/25; 1 - (2/5) / (22/25).
        ("cohen_kappa_linear", Fraction(6, 11)),
        # Expected (2 (2 + 8) + 2 (1 + 2) + (4 + 2)) / 25 = 32/25; 1 - (2/5) / (32/25).
        ("cohen_kappa_quadratic", Fraction(11, 16)),
        # (3 * 3/5 - 1) / 2.
        ("pabak", Fraction(2, 5)),
        # pi .3 .4 .3, sum pi (1 - pi) = .66, p_e = .33; (.6 - .33) / .67.
        ("gwet_ac1", Fraction(27, 67)),
        # Quadratic weights 1, 3/4, 0: sum 6, p_e = 6/6 * .66; p_a = (3 + 2 * 3/4) / 5 = .9; .24 / .34.
        ("gwet_ac2", Fraction(12, 17)),
        # 10 values 3 4 3, off the diagonal 4, expected 100 - 34 = 66; 1 - 9 * 4 / 66.
        ("krippendorff_alpha_nominal", Fraction(5, 11)),
    ],
)
def test_two_raters_by_hand(statistic: str, expected: Fraction) -> None:
    table = np.array([[1.0, 1, 0], [0, 1, 1], [0, 0, 1]])
    assert of_pairs(statistic, table).value == pytest.approx(float(expected), abs=1e-15)


def test_two_by_two_by_hand() -> None:
    table = np.array([[20.0, 5], [10, 15]])  # p_o 7/10, p_e (25 * 30 + 25 * 20) / 2500 = 1/2
    assert of_pairs("cohen_kappa", table).value == pytest.approx(0.4)
    assert of_pairs("pabak", table).value == pytest.approx(0.4)
    assert of_pairs("gwet_ac1", table).value == pytest.approx(41 / 101)  # pi .55, p_e .495; .205 / .505


def test_first_against_rest_by_hand() -> None:
    # Unit 0: y, then n, y. Unit 1: n alone. Unit 2: n, then n. Rows stand in any order; seq decides.
    unit, label, seq = np.array([0, 2, 0, 1, 0, 2]), np.array([0, 0, 1, 0, 1, 0]), np.array([7, 1, 9, 1, 3, 2])
    made = two_raters.first_against_rest(unit, label, seq)
    assert (made.first.tolist(), made.other.tolist(), made.unit.tolist()) == ([1, 1, 0], [0, 1, 0], [0, 0, 2])


# --- shapes on which shipped libraries fail ---------------------------------------------------------------------------
@pytest.mark.parametrize("statistic", list(many_raters.FORMULAS))
def test_perfect_agreement_of_unequal_raters_is_one(statistic: str) -> None:
    """3, 2, 3, 2 raters who always agree: a formula for equal raters says 0.348."""
    perfect = np.array([[3, 0], [0, 2], [3, 0], [0, 2]], np.int64)
    assert of_counts(statistic, perfect) == Result(1.0)


@pytest.mark.parametrize("statistic", list(two_raters.FORMULAS))
def test_perfect_agreement_of_two_raters_is_one(statistic: str) -> None:
    assert of_pairs(statistic, np.diag([1.0, 2.0, 0.0])) == Result(1.0)


@pytest.mark.parametrize("statistic", ["fleiss_kappa", "krippendorff_alpha_nominal", "krippendorff_alpha_ordinal"])
def test_a_constant_label_leaves_agreement_beyond_chance_undefined(statistic: str) -> None:
    result = of_counts(statistic, np.array([[3, 0], [2, 0]], np.int64))
    assert result.value is None
    assert result.reason


@pytest.mark.parametrize(
    "statistic", ["cohen_kappa", "cohen_kappa_linear", "cohen_kappa_quadratic", "krippendorff_alpha_nominal"]
)
def test_two_raters_with_one_label_are_undefined(statistic: str) -> None:
    result = of_pairs(statistic, np.array([[0.0, 0], [0, 9]]))
    assert result.value is None
    assert result.reason
    assert of_pairs("cohen_kappa", np.array([[0.0, 0], [0, 9]])).reason == "both raters used a single label"


def test_one_constant_rater_has_kappa_zero_not_none() -> None:
    assert of_pairs("cohen_kappa", np.array([[4.0, 5], [0, 0]])).value == 0.0


def test_ac1_is_defined_for_one_used_label_but_not_for_a_scale_of_one() -> None:
    assert of_counts("gwet_ac1", np.array([[3, 0], [2, 0]], np.int64)).value == 1.0
    assert of_counts("gwet_ac1", np.array([[3], [2]], np.int64)).reason == "the scale has a single label"
    assert of_pairs("pabak", np.array([[3.0]])).value is None


@pytest.mark.parametrize("statistic", list(many_raters.FORMULAS))
@pytest.mark.parametrize("table", [np.zeros((0, 2), np.int64), np.array([[1, 0], [0, 1]], np.int64)])
def test_without_a_pair_of_ratings_nothing_is_defined(statistic: str, table: IntArray) -> None:
    assert of_counts(statistic, table) == Result(None, "no unit has two or more ratings")


@pytest.mark.parametrize("statistic", list(two_raters.FORMULAS))
def test_without_a_shared_unit_nothing_is_defined(statistic: str) -> None:
    assert of_pairs(statistic, np.zeros((2, 2))) == Result(None, "the raters share no unit")


def test_one_item_with_two_labels() -> None:
    """yes no on one item: p_a 0, pi 1/2, so Fleiss (0 - 1/2) / (1/2) = -1; alpha 1 - 1 * 2 / 2 = 0."""
    array = np.array([[1, 1]], np.int64)
    assert of_counts("fleiss_kappa", array).value == -1.0
    assert of_counts("krippendorff_alpha_nominal", array).value == 0.0


# --- against independent implementations ------------------------------------------------------------------------------
@pytest.mark.parametrize("seed", SEEDS)
def test_fleiss_and_gwet_equal_the_definitions(seed: int) -> None:
    ratings = reference_implementations.ugly(seed)
    table = reference_implementations.counts(ratings, 4)
    assert of_counts("percent_agreement", table).value == pytest.approx(reference_implementations.observed(ratings))
    assert of_counts("fleiss_kappa", table).value == pytest.approx(reference_implementations.fleiss(ratings, 4))
    assert of_counts("gwet_ac1", table).value == pytest.approx(reference_implementations.gwet(ratings, 4))
    assert of_counts("gwet_ac2", table).value == pytest.approx(
        reference_implementations.gwet(ratings, 4, reference_implementations.quadratic(4))
    )


@pytest.mark.parametrize("seed", SEEDS)
def test_fleiss_of_equal_raters_equals_statsmodels(seed: int) -> None:
    table = np.random.default_rng(seed).multinomial(4, [0.5, 0.3, 0.2], 10)
    assert of_counts("fleiss_kappa", table).value == pytest.approx(inter_rater.fleiss_kappa(table))


@pytest.mark.parametrize("seed", SEEDS)
def test_alpha_equals_the_krippendorff_package(seed: int) -> None:
    ratings = reference_implementations.ugly(seed)
    table, data = reference_implementations.counts(ratings, 4), reference_implementations.reliability(ratings)
    for level in ("nominal", "ordinal"):
        expected = krippendorff.alpha(reliability_data=data, level_of_measurement=level, value_domain=[0, 1, 2, 3])
        assert of_counts(f"krippendorff_alpha_{level}", table).value == pytest.approx(expected)


def _number_alphas(values: list[list[float]]) -> tuple[float, float]:
    unit = np.repeat(np.arange(len(values)), [len(v) for v in values])
    flat: FloatArray = np.array([v for row in values for v in row], float)
    ratios, distinct = ratio_columns(unit, flat)
    interval = MomentSums.unpack(moment_columns(unit, flat).sum(0)).alpha_interval()
    return float(interval), float(RatioSums.unpack(ratios.sum(0), distinct).alpha_ratio())


@pytest.mark.parametrize("seed", SEEDS)
def test_interval_and_ratio_alpha_of_many_distinct_values(seed: int) -> None:
    rng = np.random.default_rng(seed)
    values = [list(1e6 + 3 * rng.random() + rng.random(n)) for n in rng.integers(1, 5, 40)]
    interval, ratio = _number_alphas(values)
    data = reference_implementations.reliability(values)
    assert interval == pytest.approx(krippendorff.alpha(reliability_data=data, level_of_measurement="interval"), abs=1e-6)
    assert interval == pytest.approx(reference_implementations.alpha(values, lambda a, b: (a - b) ** 2), abs=1e-9)
    assert ratio == pytest.approx(reference_implementations.alpha(values, lambda a, b: ((a - b) / (a + b)) ** 2), abs=1e-6)


def test_ratio_alpha_with_zeros_equals_the_krippendorff_package() -> None:
    values = [[0.0, 0.0], [0.0, 2.0, 3.0], [3.0, 3.0], [7.0, 5.0], [1.0]]
    expected = krippendorff.alpha(reliability_data=reference_implementations.reliability(values), level_of_measurement="ratio")
    assert _number_alphas(values)[1] == pytest.approx(expected)


@pytest.mark.parametrize("constant", [0.0, 0.1, 1e9 + 0.1])
def test_alpha_of_one_value_is_undefined(constant: float) -> None:
    assert all(np.isnan(_number_alphas([[constant] * 3, [constant] * 2])))


@pytest.mark.parametrize("seed", SEEDS)
def test_kappas_equal_sklearn(seed: int) -> None:
    rng = np.random.default_rng(seed)
    a = rng.integers(0, 4, 30)
    b = np.where(rng.random(30) < 0.5, a, rng.integers(0, 4, 30))
    table = np.bincount(a * 5 + b, minlength=25).reshape(5, 5).astype(float)  # level 4 is never used
    for name, weights in (("cohen_kappa", None), ("cohen_kappa_linear", "linear"), ("cohen_kappa_quadratic", "quadratic")):
        assert of_pairs(name, table).value == pytest.approx(metrics.cohen_kappa_score(a, b, weights=weights, labels=range(5)))
    both = np.stack([a, b], axis=1).tolist()
    assert of_pairs("gwet_ac1", table).value == pytest.approx(reference_implementations.gwet(both, 5))
    assert of_pairs("gwet_ac2", table).value == pytest.approx(
        reference_implementations.gwet(both, 5, reference_implementations.quadratic(5))
    )
    for level in ("nominal", "ordinal"):
        expected = krippendorff.alpha(reliability_data=np.stack([a, b]), level_of_measurement=level)
        assert of_pairs(f"krippendorff_alpha_{level}", table).value == pytest.approx(expected)


@pytest.mark.parametrize("ordinal", [False, True])
def test_long_form_gives_the_sums_of_the_table(ordinal: bool) -> None:
    rng = np.random.default_rng(0)
    a, b, cluster = rng.integers(0, 3, 50), rng.integers(0, 3, 50), rng.integers(0, 4, 50)
    columns = two_raters.pair_columns(a, b, cluster, 4, 3, ordinal=ordinal)
    long = two_raters.PairSums.unpack(columns.sum(0), 3)
    whole = two_raters.PairSums.of(np.bincount(a * 3 + b, minlength=9).reshape(3, 3).astype(float))
    for name, formula in two_raters.FORMULAS.items():
        if ordinal or name != "krippendorff_alpha_ordinal":
            assert formula(long) == pytest.approx(formula(whole))


# --- properties -------------------------------------------------------------------------------------------------------
TABLES = st.lists(st.lists(st.integers(0, 3), min_size=3, max_size=3), min_size=1, max_size=8)


@settings(max_examples=20, deadline=None)
@given(TABLES, st.permutations(range(3)))
def test_units_and_labels_may_be_reordered_and_nothing_exceeds_one(table: list[list[int]], order: list[int]) -> None:
    given_table = np.array(table, np.int64)
    moved = given_table[::-1][:, order]
    for name in many_raters.FORMULAS:
        result = of_counts(name, given_table)
        assert result.value is None or result.value <= 1 + 1e-12
        if name not in ("gwet_ac2", "krippendorff_alpha_ordinal"):
            assert result.value == pytest.approx(of_counts(name, moved).value)


@settings(max_examples=20, deadline=None)
@given(st.lists(st.lists(st.integers(0, 5), min_size=3, max_size=3), min_size=3, max_size=3))
def test_two_raters_are_interchangeable(table: list[list[int]]) -> None:
    array = np.array(table, float)
    for name in two_raters.FORMULAS:
        result = of_pairs(name, array).value
        assert result == pytest.approx(of_pairs(name, array.T).value)
        assert result is None or -5 <= result <= 1


def test_functions_take_any_leading_shape() -> None:
    tables = np.random.default_rng(0).integers(0, 9, (2, 5, 3, 3)).astype(float)
    for name, formula in two_raters.FORMULAS.items():
        batch = formula(two_raters.PairSums.of(tables))
        assert batch.shape == (2, 5)
        assert batch[1, 3] == pytest.approx(of_pairs(name, tables[1, 3]).value)
