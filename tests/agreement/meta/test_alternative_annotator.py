"""The alternative annotator test, beside its authors' procedure restated, and prompts by loops."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from agreement.meta.alternative_annotator import (
    ADVANTAGE,
    OWN_SCALE,
    SLOTS,
    WINNING_RATE,
    AlternativeAnnotator,
    alternative_annotator,
    below,
)
from agreement.meta.units import read_units
from agreement.study.cells import ALL
from concord.common.reason_sentences import text
from tests.agreement.frames import SCALES, frame, judgement, scorer
from tests.agreement.oracles import stats

Answers = dict[str, dict[str, float]]
"""By person and item."""


def study(seed: int, *, levels: bool, images: int = 1, prompts: int = 45) -> tuple[Answers, dict[str, float]]:
    """Four people of unequal skill with holes, and a scorer."""
    rng = np.random.default_rng(seed)
    items = [f"p{p:02}/{k}" for p in range(prompts) for k in range(int(rng.integers(1, images + 1)))]
    truth = {item: float(rng.integers(1, 6)) if levels else float(rng.random() < 0.6) for item in items}

    def says(item: str, skill: float) -> float:
        wrong = float(rng.integers(1, 6)) if levels else 1 - truth[item]
        return truth[item] if rng.random() < skill else wrong

    people = {
        f"r{n}": {item: says(item, skill) for item in items if rng.random() < 0.9}
        for n, skill in enumerate((0.9, 0.8, 0.7, 0.6))
    }
    return people, {item: says(item, 0.8) for item in items if rng.random() < 0.9}


def rows_of(people: Answers, values: dict[str, float], *, levels: bool, **other: Any) -> list[AlternativeAnnotator]:
    def text(value: float) -> str:
        return f"{value:.0f}" if levels else ("no", "yes")[int(value)]

    aspect = "faithfulness" if levels else "correct"
    rows = [
        judgement(item, person, text(value), prompt=item.split("/")[0], aspect=aspect, **other)
        for person, answers in people.items()
        for item, value in answers.items()
    ]
    for item, value in values.items():
        rows += scorer("f", {item: text(value)}, prompt=item.split("/")[0], aspect=aspect)
    (units,) = read_units(frame(rows), SCALES)
    return list(alternative_annotator(units, epsilon=0.15))


def whole(rows: list[AlternativeAnnotator], statistic: str) -> AlternativeAnnotator:
    (annotator,) = (row for row in rows if (row.task, row.generator, row.statistic) == (ALL, ALL, statistic))
    return annotator


def wins(people: Answers, values: dict[str, float], person: str, *, levels: bool) -> dict[str, tuple[int, int]]:
    """By item of a person: whether the scorer, and the person, is at least as near to the others."""
    results = {}
    for item, own in people[person].items():
        others = [answers[item] for name, answers in people.items() if name != person and item in answers]
        if not others or item not in values:
            continue

        def near(value: float, others: list[float] = others) -> float:
            if levels:
                return round(-float(np.sqrt(np.mean([(value - other) ** 2 for other in others]))), 12)
            return float(np.mean([value == other for other in others]))

        results[item] = int(near(values[item]) >= near(own)), int(near(own) >= near(values[item]))
    return results


def by_procedure(p_values: list[float], q: float) -> set[int]:
    """Benjamini and Yekutieli, as the test's authors have it."""
    m = len(p_values)
    order = np.argsort(p_values)
    thresholds = np.arange(1, m + 1) / m * q / np.sum(1 / np.arange(1, m + 1))
    last = max((i for i in range(m) if p_values[order[i]] <= thresholds[i]), default=-1)
    return {int(i) for i in order[: last + 1]}


@pytest.mark.parametrize("levels", [False, True])
@pytest.mark.parametrize("seed", range(6))
def test_the_test_is_that_of_its_authors(seed: int, levels: bool) -> None:
    people, values = study(seed, levels=levels)
    rows = rows_of(people, values, levels=levels)
    rate, advantage = whole(rows, WINNING_RATE), whole(rows, ADVANTAGE)
    expected, p, rho = [], [], []
    for person in sorted(people):
        each = list(wins(people, values, person, levels=levels).values())
        d = [human - model for model, human in each]
        test = stats.ttest_1samp(d, 0.15, alternative="less")
        rho.append(np.mean([model for model, _ in each]))
        expected.append((person, len(d), float(rho[-1]), float(test.statistic)))
        p.append(float(test.pvalue))
    results = [(each.person, each.n_units, each.advantage, each.t) for each in rate.persons]
    assert [each[:2] for each in results] == [each[:2] for each in expected]
    assert [each[2:] for each in results] == [pytest.approx(each[2:], abs=1e-9) for each in expected]
    assert [each.p for each in rate.persons] == pytest.approx(p, abs=1e-9)
    won = by_procedure(p, 0.05)
    assert [each.won for each in rate.persons] == [n in won for n in range(len(p))]
    assert (rate.value, rate.passes) == (len(won) / len(p), len(won) / len(p) >= 0.5)
    assert advantage.value == pytest.approx(np.mean(rho), abs=1e-9)
    assert rate.p is not None
    assert (rate.p <= 0.05) == rate.passes
    assert rate.low is None
    assert advantage.low is not None
    assert advantage.high is not None
    assert advantage.low < (advantage.value or 0) < advantage.high


@pytest.mark.parametrize("seed", range(3))
def test_images_of_a_prompt_are_left_out_together(seed: int) -> None:
    people, values = study(seed, levels=True, images=4)
    rows = rows_of(people, values, levels=True)
    for each in whole(rows, WINNING_RATE).persons:
        results = wins(people, values, each.person, levels=True)
        d = {item: human - model for item, (model, human) in results.items()}
        prompts = sorted({item.split("/")[0] for item in d})
        without = [np.mean([x for item, x in d.items() if item.split("/")[0] != prompt]) for prompt in prompts]
        n = len(prompts)
        error = np.sqrt((n - 1) / n * np.sum((np.array(without) - np.mean(without)) ** 2))
        t = (np.mean(list(d.values())) - 0.15) / error
        assert (each.n_prompts, each.n_units) == (n, len(d))
        assert each.t == pytest.approx(t, abs=1e-9)
        assert each.p == pytest.approx(stats.t.cdf(t, n - 1), abs=1e-9)


def test_without_variance_signs_are_tested() -> None:
    prompts = np.arange(30)
    for d, p in ((0.0, 2.0**-30), (1.0, 1.0), (0.1, 1.0)):
        result = below(np.full(30, d), prompts, 0.1)
        assert result[0] is None
        assert result[1] == pytest.approx(p)


def test_a_copy_of_the_truth_that_all_share_passes() -> None:
    answers = {f"p{p}/0": float(p % 2) for p in range(30)}
    annotator = whole(rows_of(dict.fromkeys(("r1", "r2", "r3"), answers), answers, levels=False), WINNING_RATE)
    assert (annotator.value, annotator.advantage, annotator.passes) == (1.0, 1.0, True)
    assert annotator.p == pytest.approx(2.0**-30 * 11 / 6)


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"identity": "slot"}, text(SLOTS)),
        ({"prompts": 29}, "0 of 3 persons have 30 or more prompts in common with the scorer and another person; 3 must"),
        ({"persons": 2}, "2 of 2 persons have 30 or more prompts in common with the scorer and another person; 3 must"),
        ({"aspect": "score"}, text(OWN_SCALE)),
        ({"saw_labels": True}, "no verdict, as its settings were chosen with these people's labels in view"),
    ],
)
def test_where_nothing_can_be_tested_it_says_why(change: dict[str, Any], reason: str) -> None:
    items = [f"p{p}" for p in range(change.get("prompts", 35))]
    rows = [
        judgement(item, f"r{r}", "yes", identity=change.get("identity", "person"))
        for item in items
        for r in range(change.get("persons", 3))
    ]
    of_score = "aspect" in change
    rows += scorer("f", dict.fromkeys(items, 0.7 if of_score else "yes"), aspect="score" if of_score else "correct")
    table = frame(rows)
    if "saw_labels" in change:
        table["saw_labels"] = table["kind"] == "scorer"
    (units,) = read_units(table, SCALES)
    for row in alternative_annotator(units):
        assert (row.value, row.reason and text(row.reason), row.passes, row.p, row.persons) == (None, reason, None, None, ())
        assert row.to_dict()["persons"] == []
