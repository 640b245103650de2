"""Rated units: who rated what, on people's scale brought to 0..1."""

import numpy as np
import pytest

from agreement.meta.units import RatedUnits, read_units
from tests.agreement.frames import SCALES, frame, judgement, people, scorer, ugly


def read(rows: list[dict[str, object]]) -> list[RatedUnits]:
    return list(read_units(frame(rows), SCALES))


def test_yes_no_units_meet_verdicts_and_scores() -> None:
    rows = people({"i1": "y y n", "i2": "n . n"})
    rows += scorer("alpha", {"i1": "yes", "i3": "no"}) + scorer("alpha", {"i1": 7.5}, aspect="score")
    rows += scorer("beta", {"i2": -2.5, "i4": 1}, aspect="score")
    (units,) = read(rows)
    assert units.items == ("i1", "i2", "i3", "i4")
    assert units.binary
    assert units.numeric
    assert (units.low, units.high) == (0.0, 1.0)
    assert units.mean.tolist() == pytest.approx([2 / 3, 0, np.nan, np.nan], nan_ok=True)
    assert units.raters.tolist() == [3, 2, 0, 0]
    alpha, beta = units.scorers["alpha"], units.scorers["beta"]
    assert alpha.on_scale
    assert alpha.value.tolist() == pytest.approx([1, np.nan, 0, np.nan], nan_ok=True)
    assert not beta.on_scale
    assert beta.value.tolist() == pytest.approx([np.nan, -2.5, np.nan, 1], nan_ok=True)
    assert beta.label.tolist() == [-1] * 4


def test_an_ordinal_scale_goes_from_0_to_1_and_back() -> None:
    rows = [judgement("i1", "r1", "2", aspect="faithfulness"), judgement("i1", "r2", "5", aspect="faithfulness")]
    (units,) = read(rows)
    assert units.people.value.tolist() == pytest.approx([0.25, 1.0])
    assert units.printed(float(units.mean[0])) == pytest.approx(3.5)


def test_real_and_simulated_people_are_apart_and_what_does_not_count_is_gone() -> None:
    rows = [*people({"i1": "y y"}), judgement("i2", "r1", "no", excluded="gold"), judgement("i1", "r1", "no", seq=9)]
    rows += [judgement("i1", "robot", "no", simulated=True)]
    real, simulated = read(rows)
    assert (real.mean.tolist(), real.raters.tolist()) == ([1.0], [2])
    assert simulated.simulated
    assert simulated.people.persons == ("robot",)
    assert simulated.mean.tolist() == [0.0]


@pytest.mark.parametrize("seed", range(5))
def test_units_of_an_ugly_study_equal_pandas(seed: int) -> None:
    rows = ugly(seed)
    (units,) = read(rows)
    table = frame(rows)
    valid = table[table["excluded"].isna() & (table["kind"] == "human")]
    valid = valid.assign(value=(valid["label"] == "yes").astype(float))
    mean = valid.groupby("item")["value"].mean()
    known = dict(zip(units.items, units.mean, strict=True))
    assert {item: value for item, value in known.items() if np.isfinite(value)} == pytest.approx(mean.to_dict())
    beta = table[(table["rater"] == "beta") & (table["aspect"] == "correct")].set_index("item")["label"] == "yes"
    values = {item: v for item, v in zip(units.items, units.scorers["beta"].value, strict=True) if np.isfinite(v)}
    assert values == beta.astype(float).to_dict()
    for code in range(int(units.prompt.max()) + 1):
        names = {item.split("/")[0] for item, prompt in zip(units.items, units.prompt, strict=True) if prompt == code}
        assert len(names) == 1
