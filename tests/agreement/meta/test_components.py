"""Variance components, rater effects and plans, beside the analysis of variance, least squares, and simulated studies."""

from __future__ import annotations

import numpy as np
import pytest

from agreement.inference.intervals import COEFFICIENT, Deletions, interval, quantile
from agreement.inference.sample_size import prompts_needed
from agreement.meta.components import Components, variance_components
from agreement.meta.planning import (
    Aim,
    Design,
    PlannedRow,
    difference_variance,
    mean_variance,
    observed_design,
    plan_means,
    plan_statistics,
)
from agreement.meta.rater_effects import rater_effects, severities
from agreement.meta.units import RatedUnits, read_units
from agreement.numeric import BoolArray, FloatArray
from agreement.reasons import Reason, ReasonCode
from agreement.statistics.icc import icc_2
from concord.common.reason_sentences import text
from tests.agreement.frames import SCALES, Judgement, frame, judgement, ugly
from tests.agreement.oracles import stats

PARTS = {"shared": 0.5, "own": 0.3, "image": 0.2, "person": 0.1, "residual": 0.4}
SCALE = {("s", "realism"): "interval", **SCALES}


def drawn(seed: int, *, prompts: int = 40, images: int = 2, generators: int = 2, ratings: int = 3, persons: int = 12,
          balanced: bool = False) -> list[Judgement]:  # fmt: skip
    """Ratings with the variances PARTS; each image by up to so many persons, or all images by the same ones."""
    rng = np.random.default_rng(seed)
    severity = rng.normal(0, PARTS["person"] ** 0.5, persons)
    rows = []
    for p in range(prompts):
        shared = rng.normal(0, PARTS["shared"] ** 0.5)
        for g in range(generators):
            own = shared + rng.normal(0, PARTS["own"] ** 0.5) + g
            for i in range(images):
                image = own + rng.normal(0, PARTS["image"] ** 0.5)
                who = range(persons) if balanced else rng.choice(persons, rng.integers(1, ratings + 1), replace=False)
                for r in who:
                    value = float(image + severity[r] + rng.normal(0, PARTS["residual"] ** 0.5))
                    index = {"prompt": f"p{p}", "generator": f"g{g}", "aspect": "realism"}
                    rows.append(judgement(f"p{p}/g{g}/{i}", f"r{r}", value, **index))
    return rows


def units_of(rows: list[Judgement]) -> RatedUnits:
    return next(iter(read_units(frame(rows), SCALE)))


def components(units: RatedUnits, *, intervals: bool = False, within: bool = True) -> Components:
    return variance_components(units, units.raters > 0, Deletions(intervals), within_generators=within)


def test_components_of_a_complete_table_are_those_of_the_analysis_of_variance() -> None:
    units = units_of(drawn(1, prompts=15, images=1, generators=1, persons=4, balanced=True))
    order = np.lexsort((units.people.person, units.people.unit))
    y = units.people.value[order].reshape(15, 4)
    row, column, mean = y.mean(1), y.mean(0), y.mean()
    residual = ((y - row[:, None] - column + mean) ** 2).sum() / (14 * 3)
    person = (15 * ((column - mean) ** 2).sum() / 3 - residual) / 15
    unit = (4 * ((row - mean) ** 2).sum() / 14 - residual) / 4
    result = components(units)
    assert (result.residual[0], result.person[0], result.prompt[0]) == pytest.approx((residual, person, unit), rel=1e-9)
    assert np.isnan(result.image[0])
    assert np.isnan(result.own[0])
    rows = [row for row in rater_effects(units, (1,), intervals=False) if row.statistic == "dependability"]
    assert [row.value for row in rows] == pytest.approx([icc_2(y, np.arange(15), np.ones((1, 15)))[0]], rel=1e-9)


def by_pairs(units: RatedUnits, left_out: int | None) -> dict[str, float]:
    """The components from the definition, pair by pair, without one prompt."""
    people = units.people
    rows = [k for k in range(people.unit.size) if units.prompt[people.unit[k]] != left_out]
    centre = {
        g: np.mean([people.value[k] for k in range(people.unit.size) if units.generator[people.unit[k]] == g]) for g in (0, 1)
    }
    value = {k: people.value[k] - centre[int(units.generator[people.unit[k]])] for k in rows}
    halves: dict[tuple[str, bool], list[float]] = {}
    for index, i in enumerate(rows):
        for j in rows[index + 1 :]:
            u, v = people.unit[i], people.unit[j]
            level = (
                "image" if u == v
                else "all" if units.prompt[u] != units.prompt[v]
                else "cell" if units.generator[u] == units.generator[v]
                else "prompt"
            )  # fmt: skip
            halves.setdefault((level, bool(people.person[i] == people.person[j])), []).append((value[i] - value[j]) ** 2 / 2)
    person = float(np.mean(halves["all", False]) - np.mean(halves["all", True]))

    def without(level: str) -> float:
        two, own = halves.get((level, False), []), halves.get((level, True), [])
        return float(np.mean(two + own) - person * len(two) / len(two + own))

    residual = float(np.mean(halves["image", False])) - person
    return {
        "person": person,
        "residual": residual,
        "image": without("cell") - residual,
        "own": without("prompt") - without("cell"),
        "prompt": without("all") - without("cell"),
    }


def test_components_and_replicates_equal_pairs_one_by_one() -> None:
    units = units_of(drawn(3, prompts=6, persons=4))
    result = components(units, intervals=True)
    for left_out in (None, 0, 5):
        index = 0 if left_out is None else 1 + left_out
        made = {name: getattr(result, name)[index] for name in ("person", "residual", "image", "own", "prompt")}
        assert made == pytest.approx(by_pairs(units, left_out), rel=1e-9)


def test_components_are_right_on_average() -> None:
    fitted = [components(units_of(drawn(seed))) for seed in range(60)]
    made = {
        name: np.array([getattr(each, name)[0] for each in fitted]) for name in ("prompt", "own", "image", "person", "residual")
    }
    true = PARTS | {"prompt": PARTS["shared"] + PARTS["own"]}
    for name, values in made.items():
        assert abs(values.mean() - true[name]) < 4 * values.std() / len(values) ** 0.5, name


def test_a_plan_at_the_observed_design_gives_the_error_that_studies_have() -> None:
    units = [units_of(drawn(seed, generators=1, ratings=1)) for seed in range(150)]
    seen = np.std([np.nanmean(each.mean) for each in units])
    people = PARTS["person"] / 12
    planned = np.mean([mean_variance(components(each), Design(2, 1)).by_prompt / 40 for each in units])
    # persons are drawn anew in each study
    assert seen == pytest.approx((planned + people) ** 0.5, rel=0.15)


def test_prompts_needed_reach_the_aim_and_one_less_does_not() -> None:
    result = components(units_of(drawn(4)))
    mean, apart = mean_variance(result, Design(2, 3)), difference_variance(result, Design(2, 3))
    needed = prompts_needed(lambda n: mean.half_width(n) <= 0.2)
    assert needed is not None
    assert mean.half_width(needed) <= 0.2 < mean.half_width(needed - 1)
    enough = prompts_needed(lambda n: apart.power(0.3, n) >= 0.8)
    assert enough is not None
    assert apart.power(0.3, enough) >= 0.8 > apart.power(0.3, enough - 1)
    assert prompts_needed(lambda _: False) is None


def test_power_is_how_often_a_paired_test_finds_the_difference() -> None:
    rng = np.random.default_rng(5)
    apart = difference_variance(components(units_of(drawn(4))), Design(2, 3))
    d = rng.normal(0.4, apart.by_prompt**0.5, (4000, 30))
    t = d.mean(1) / (d.std(1, ddof=1) / 30**0.5)
    assert apart.power(0.4, 30) == pytest.approx(np.mean(np.abs(t) > quantile(0.975, 29)), abs=0.025)


def rows_by(units: RatedUnits, *designs: Design) -> dict[tuple[str, float, float], PlannedRow]:
    return {(row.statistic, row.design.images, row.design.ratings): row for row in plan_means(units, designs, Aim())}


def test_more_images_and_people_make_a_plan_surer() -> None:
    rows = rows_by(units_of(drawn(6)), Design(1, 1), Design(2, 1), Design(2, 3))
    for name in ("mean", "difference"):
        widths = [rows[name, *design].half_width or 0 for design in ((1, 1), (2, 1), (2, 3))]
        assert widths == sorted(widths, reverse=True)
    mean = rows["mean", 2, 3]
    assert (mean.half_width_others or 0) > (mean.half_width or 0)


def test_one_prompt_and_slots_have_reasons() -> None:
    units = units_of([judgement("i", f"r{k}", word, prompt="p") for k, word in enumerate(("yes", "no"))])
    (row,) = plan_means(units, [Design(1, 1)], Aim())
    assert (row.value, row.prompts_needed) == (None, None)
    assert "fewer than two prompts" in text(row.reason)
    slots = units_of([judgement(f"i{k}", "slot1", "yes" if k % 2 else "no", identity="slot") for k in range(6)])
    results = {row.statistic: row for row in rater_effects(slots)}
    assert results["severity"].reason == Reason(ReasonCode.NO_NAMED_PERSONS)
    assert results["variance_person"].value is None
    assert rows_by(slots, Design(1, 1))["mean", 1, 1].half_width_others is None


def test_statistics_are_planned_from_fewer_images_and_ratings() -> None:
    table = frame(ugly(2, prompts=40))
    designs = [Design(1, 2), Design(2, 4)]
    rows = list(plan_statistics(table, SCALES, ("percent_agreement", "fleiss_kappa"), designs, Aim()))
    among = [row for row in rows if row.scorer is None and row.statistic == "percent_agreement"]
    thin, full = sorted(among, key=lambda row: row.design.ratings)
    assert thin.n_ratings < full.n_ratings
    assert thin.n_items < full.n_items
    assert (thin.prompts_needed or 0) > (full.prompts_needed or 0) > 0
    for row in (thin, full):
        # the jackknife's variance falls as 1 / G, and t has G - 1 degrees of freedom
        assert row.low is not None and row.high is not None and row.prompts_needed is not None  # noqa: PT018
        per_prompt = (row.high - row.low) / 2 / stats.t.ppf(0.975, row.prompts - 1) * np.sqrt(row.prompts)
        halves = [stats.t.ppf(0.975, n - 1) * per_prompt / np.sqrt(n) for n in (row.prompts_needed, row.prompts_needed - 1)]
        assert halves[0] <= Aim().half_width < halves[1]
    assert {row.scorer for row in rows} == {None, "alpha", "beta"}


def test_severities_are_those_of_least_squares_with_dummies() -> None:
    units = units_of(drawn(7, prompts=12, persons=5))
    people = units.people
    prompt = units.prompt[people.unit]
    found = severities(people.unit, people.person, people.value, prompt)

    def dummies(rows: BoolArray) -> FloatArray:
        x = np.concatenate([np.eye(units.size)[people.unit[rows]], np.eye(5)[people.person[rows]]], axis=1)
        effects = np.asarray(np.linalg.lstsq(x, people.value[rows], rcond=None)[0][units.size :])
        return np.asarray(effects - effects.mean())

    assert found.value == pytest.approx(dummies(np.ones(prompt.size, bool)), abs=1e-9)
    exact = np.array([dummies(prompt != left_out) for left_out in range(12)])
    # one step of the jackknife, so the errors are near those of all steps
    assert found.without.std(0) == pytest.approx(exact.std(0), rel=0.25)


def test_severity_covers_and_a_person_alone_has_none() -> None:
    inside = []
    for seed in range(60):
        rng = np.random.default_rng(seed)
        true = rng.normal(0, 0.4, 4)
        rated = true + rng.normal(0, 0.5, (25, 4))
        rows = [judgement(f"i{p}", f"r{r}", float(rated[p, r]), aspect="realism") for p in range(25) for r in range(4)]
        rows.append(judgement("alone", "hermit", 1.0, aspect="realism"))
        made = [row for row in rater_effects(units_of(rows)) if row.statistic == "severity"]
        hermit = next(row for row in made if row.rater == "hermit")
        assert "shares no rated image" in text(hermit.reason)
        for row, severity in zip((row for row in made if row.rater != "hermit"), true - true.mean(), strict=True):
            assert row.low is not None and row.high is not None  # noqa: PT018
            inside.append(row.low <= severity <= row.high)
    assert len(inside) == 240
    assert 0.9 <= np.mean(inside) <= 0.99


def test_the_observed_design() -> None:
    assert observed_design(units_of(drawn(8, balanced=True))) == Design(2, 12)


# --- persons as random as prompts ---------------------------------------------------------------------------------------
def biased(persons: int, prompts: int = 30, seed: int = 4) -> RatedUnits:
    """One image of each prompt, rated by the same persons, who differ in severity."""
    rng = np.random.default_rng(seed)
    severity = rng.normal(0, 0.7, persons)
    image = rng.normal(size=prompts)
    rows = [
        judgement(f"i{i}", f"r{r}", float(image[i] + severity[r] + rng.normal(0, 0.5)), aspect="realism")
        for i in range(prompts)
        for r in range(persons)
    ]
    return units_of(rows)


def test_dependability_speaks_of_other_people_and_says_what_these_give() -> None:
    """Its interval leaves persons out as well, so it is wider than that of these people, which stands beside it."""
    units = biased(5)
    (row,) = (row for row in rater_effects(units, (1,)) if row.statistic == "dependability")
    fixed = components(units, intervals=True, within=False)
    unit, noise = fixed.prompt, fixed.residual + fixed.person
    these = interval(float(unit[0] / (unit[0] + noise[0])), fixed.deviations(unit / (unit + noise)), COEFFICIENT)
    assert row.low is not None
    assert row.high is not None
    assert these.low is not None
    assert these.high is not None
    assert row.high - row.low > 1.3 * (these.high - these.low)
    assert "30 prompts and 5 persons, both as random" in text(row.method)
    assert text(row.method).endswith(f"of these 5 people, on other prompts: {these.low:.3f} to {these.high:.3f}")


def test_dependability_of_more_ratings_has_the_ends_of_one_stepped_up() -> None:
    """Spearman and Brown's formula."""
    rows = {row.ratings: row for row in rater_effects(biased(5), (1, 3)) if row.statistic == "dependability"}
    for name in ("value", "low", "high"):
        single = getattr(rows[1], name)
        assert getattr(rows[3], name) == pytest.approx(3 * single / (1 + 2 * single)), name


def test_two_persons_give_dependability_no_interval_but_that_of_these_people() -> None:
    (row,) = (row for row in rater_effects(biased(2), (1,)) if row.statistic == "dependability")
    assert row.value is not None
    assert (row.low, row.high) == (None, None)
    assert "no interval for other people: undefined without one of these 2; of these 2 people, on other prompts: 0." in text(
        row.method
    )


def test_the_variance_of_few_persons_has_the_interval_of_a_normal_variance() -> None:
    """Three persons show hardly anything of how much others differ: the upper end is over a hundred times the lower."""
    (row,) = (row for row in rater_effects(biased(3)) if row.statistic == "variance_person")
    (rest,) = (row for row in rater_effects(biased(3)) if row.statistic == "variance_residual")
    assert row.value is not None
    assert rest.value is not None
    noise = rest.value / 30
    low, high = ((row.value + noise) * 2 / stats.chi2.ppf(q, 2) - noise for q in (0.975, 0.025))
    assert (row.low, row.high) == pytest.approx((low, high))
    assert "chi-square with 2 degrees of freedom" in text(row.method)


def test_a_plan_beside_other_people_has_the_degrees_of_freedom_of_both() -> None:
    """The part of persons rests on five of them, however many prompts there are."""
    units = biased(5)
    found = components(units)
    (row,) = (row for row in plan_means(units, [Design(1, 5)], Aim()) if row.statistic == "mean")
    prompt = (max(float(found.prompt[0]), 0) + max(float(found.residual[0]), 0) / 5) / 30
    person = float(found.person[0]) / 5
    freedom = (prompt + person) ** 2 / (prompt**2 / 29 + person**2 / 4)
    assert row.half_width_others == pytest.approx(stats.t.ppf(0.975, freedom) * (prompt + person) ** 0.5)
    assert freedom < 10


def test_equal_ratings_have_their_own_reason() -> None:
    """Four images of four prompts that three persons all gave the same grade."""
    rows = [judgement(f"i{i}", f"r{r}", 3.0, aspect="realism") for i in range(4) for r in range(3)]
    made = [row for row in rater_effects(units_of(rows), (1,)) if row.statistic in ("generalizability", "dependability")]
    assert [row.reason and text(row.reason) for row in made] == ["all ratings are equal, so nothing varies"] * 2
