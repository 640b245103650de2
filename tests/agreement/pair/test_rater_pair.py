"""Each person with the others: by hand, and against the general comparison of two sides."""

from __future__ import annotations

import pytest

from agreement import Options, pair_report
from agreement.pair.rater_pair import ALONE, each_person
from tests.agreement.frames import SCALES, frame, judgement, people, scorer, ugly

QUICK = Options(intervals=False)


def test_accuracy_by_hand() -> None:
    # pairs of r0 with others: i1 yy, yy; i2 nn, ny -> 4 pairs, 1 unequal; values: y 2*2+1 = 5, n 1+1+1 = 3 of 8
    judgements = frame(people({"i1": "y y y", "i2": "n n y"}))
    results = each_person(judgements, SCALES, "s", "correct", QUICK)
    assert set(results) == {"r0", "r1", "r2"}
    alpha = 1 - (8 - 1) * (2 * 1) / (64 - 25 - 9)
    assert results["r0"].value == pytest.approx(alpha)
    assert (results["r0"].n_ratings, results["r0"].n_items) == (4, 2)
    assert results["r0"].statistic == "krippendorff_alpha_nominal"
    # r2 with the others: yy yy, yn yn: 2 of 4 unequal; y 4 + 2 = 6, n 2
    assert results["r2"].value == pytest.approx(1 - 7 * 4 / (64 - 36 - 4))


def test_the_scale_decides_the_coefficient() -> None:
    judgements = frame([judgement(f"i{n}", r, str(n % 5 + 1), aspect="faithfulness") for n in range(6) for r in ("a", "b")])
    results = each_person(judgements, SCALES, "s", "faithfulness", QUICK)
    assert results["a"].statistic == "krippendorff_alpha_ordinal"
    assert results["a"].value == results["b"].value == 1


def test_undefined_has_a_reason() -> None:
    alone = each_person(frame(people({"i1": "y"})), SCALES, "s", "correct", QUICK)["r0"]
    assert (alone.value, alone.reason, alone.n_ratings) == (None, ALONE, 0)
    same = each_person(frame(people({"i1": "y y", "i2": "y y"})), SCALES, "s", "correct", QUICK)["r0"]
    assert (same.value, same.n_ratings) == (None, 2)
    assert same.reason
    apart = each_person(frame(people({"i1": "y .", "i2": ". y"})), SCALES, "s", "correct", QUICK)["r0"]
    assert (apart.value, apart.n_ratings) == (None, 0)
    assert each_person(frame([]), SCALES, "s", "correct", QUICK) == {}


def test_imitations_and_scorers_are_no_others() -> None:
    real, drawn = people({"i1": "y y", "i2": "n n"}), people({"i1": "n n", "i2": "y n"}, simulated=True)
    imitated = [row | {"rater": f"sim {row['rater']}"} for row in drawn]
    results = each_person(frame(real + imitated + scorer("m", {"i1": "no", "i2": "yes"})), SCALES, "s", "correct", QUICK)
    assert set(results) == {"r0", "r1", "sim r0", "sim r1"}
    assert results["r0"].value == 1
    assert results["sim r0"].value != 1


@pytest.mark.parametrize("seed", [1])
def test_as_the_comparison_of_a_pair(seed: int) -> None:
    judgements = frame(ugly(seed))
    judgements = judgements[judgements["aspect"] == "correct"]
    options = Options(statistics=("krippendorff_alpha_nominal",))
    results = each_person(judgements, SCALES, "s", "correct", options)
    assert len(results) > 2
    for name, estimate in results.items():
        (same,) = pair_report(judgements, SCALES, "correct", name, options=options).estimates
        assert estimate == same
