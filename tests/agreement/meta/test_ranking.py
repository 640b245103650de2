"""Rows of a ranking: people's own level by loops over persons, and what is said where nothing can be."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations, permutations
from typing import Any

import numpy as np
import pytest

from agreement import Options
from agreement.generators import compare_generators, rank_sets
from agreement.meta.ranking import (
    FEWEST_DRAWN,
    GENERATORS,
    KENDALL,
    NO_ORDER,
    ORDERED,
    PAIRWISE,
    RANK,
    SOFT,
    TIES_DO,
    Ranking,
    ranking,
)
from agreement.meta.units import RatedUnits, read_units
from agreement.study.cells import ALL
from benchmarks.meta.ranking import RankingWorld
from benchmarks.meta.ranking import study as simulated_study
from concord.common.reason_sentences import text
from tests.agreement.frames import SCALES, Judgement, frame, judgement, scorer


def study(seed: int, prompts: int = 12, generators: int = 4) -> list[Judgement]:
    """Up to four people with holes on five levels, one or two images of a generator; a scorer of levels, and one of numbers."""
    rng = np.random.default_rng(seed)
    rows: list[Judgement] = []
    for p in range(prompts):
        for g in range(generators):
            for k in range(int(rng.integers(1, 3))):
                item, truth = f"p{p:02}/g{g}/{k}", 1 + (g + p + k) % 5
                index = {"prompt": f"p{p:02}", "generator": f"g{g}", "task": f"t{p % 2}"}
                for r in range(4):
                    if rng.random() < 0.7:
                        level = int(np.clip(truth + rng.integers(-1, 2), 1, 5))
                        rows.append(judgement(item, f"r{r}", str(level), aspect="faithfulness", **index))
                rows += scorer("level", {item: str(truth)}, aspect="faithfulness", **index)
                if rng.random() < 0.8:
                    rows += scorer("number", {item: float(truth + rng.integers(-8, 9) / 4)}, aspect="score", **index)
                rows += scorer("constant", {item: 2.5}, aspect="score", **index)
    return rows


def read(rows: list[Judgement]) -> RatedUnits:
    (units,) = read_units(frame(rows), SCALES)
    return units


def at(rows: list[Ranking], **wanted: Any) -> Ranking:
    wanted = {"task": ALL, "generator": ALL, "scorer": None} | wanted
    (found,) = (row for row in rows if all(getattr(row, name) == value for name, value in wanted.items()))
    return found


def people_in_turn(rows: list[Judgement], occupant: str | None, epsilon: float) -> float:
    """Pairwise accuracy of each person beside each other one, or of a scorer in their seats, mean over prompts."""
    answers: dict[str, dict[str, float]] = {}
    for row in rows:
        if row["kind"] == "human":
            answers.setdefault(row["item"], {})[row["rater"]] = float(row["label"])
    values = {row["item"]: row["number"] for row in rows if row["rater"] == occupant}
    right: dict[str, list[bool]] = {}
    for first, second in combinations(sorted(answers), 2):
        prompt = first.split("/")[0]
        if second.split("/")[0] != prompt or (occupant and not {first, second} <= values.keys()):
            continue
        for person, other in permutations(sorted(answers[first].keys() & answers[second].keys()), 2):
            theirs = answers[first][other] - answers[second][other]
            own = values[first] - values[second] if occupant else answers[first][person] - answers[second][person]
            right.setdefault(prompt, []).append(theirs == 0 if abs(own) <= epsilon else theirs * own > 0)
    return float(np.mean([np.mean(each) for each in right.values()]))


@pytest.mark.parametrize("seed", range(3))
def test_peoples_own_level_is_that_of_loops(seed: int) -> None:
    rows = study(seed)
    made = list(ranking(read(rows), epsilon=1.0))
    assert at(made, statistic=PAIRWISE).value == pytest.approx(people_in_turn(rows, None, 1.0), abs=1e-9)
    beside = at(made, statistic=PAIRWISE, scorer="number").ceiling
    assert beside is not None
    assert beside.verdict.scorer == pytest.approx(people_in_turn(rows, "number", 1.0), abs=1e-9)
    expected = people_in_turn(rows, "number", 1.0) - float(beside.value or 0.0)
    assert beside.verdict.difference == pytest.approx(expected, abs=1e-9)


def _thinned(units: RatedUnits, keep: np.ndarray[Any, Any]) -> RatedUnits:
    """The ratings of two persons for each prompt, from (prompts, 2)."""
    people = units.people
    mine = (keep[units.prompt[people.unit]] == people.person[:, None]).any(1)
    few = replace(
        people, unit=people.unit[mine], person=people.person[mine], label=people.label[mine], value=people.value[mine]
    )
    counts = np.bincount(few.unit, minlength=units.size)
    mean = np.bincount(few.unit, few.value, units.size) / np.maximum(counts, 1)
    return replace(units, people=few, raters=counts, mean=np.where(counts > 0, mean, np.nan))


_LEVELS = ("the people", "the scorer in their place")


def _own_levels(units: RatedUnits) -> list[float]:
    """Pairwise accuracy of people, and of the scorer in their places."""
    made = list(ranking(units, Options(intervals=False, each_generator=False)))
    beside = at(made, statistic=PAIRWISE, scorer="f").ceiling
    assert beside is not None
    assert beside.value is not None
    assert beside.verdict.scorer is not None
    return [beside.value, beside.verdict.scorer]


@pytest.mark.parametrize("draws", [60, pytest.param(500, marks=pytest.mark.slow)])
def test_peoples_level_does_not_depend_on_how_many_rated(draws: int) -> None:
    """Five raters thinned to two, drawn for each prompt: people's number and the scorer's beside it stay."""
    units = simulated_study(RankingWorld(prompts=100, images=1, persons=(0.7,) * 5), (1,))
    rng = np.random.default_rng(0)
    thinned = [_own_levels(_thinned(units, rng.permuted(np.tile(np.arange(5), (100, 1)), axis=1)[:, :2])) for _ in range(draws)]
    assert dict(zip(_LEVELS, np.mean(thinned, axis=0), strict=True)) == pytest.approx(
        dict(zip(_LEVELS, _own_levels(units), strict=True)), abs=0.005
    )


@pytest.mark.parametrize("seed", range(3))
def test_rank_sets_are_those_of_paired_differences(seed: int) -> None:
    rows = study(seed, 30)
    made, table = list(ranking(read(rows))), frame(rows)
    table = table[table["rater"] == "number"].rename(columns={"number": "value"})
    rated = {row["item"] for row in rows if row["kind"] == "human"}
    expected = rank_sets(compare_generators(table[table["item"].isin(rated)][["prompt", "generator", "item", "value"]]))
    for name, ranks in expected.items():
        row = at(made, statistic=RANK, scorer="number", generator=name)
        assert (row.rank_low, row.rank_high) == (ranks.best, ranks.worst)
        assert row.value is not None
        assert (row.low, row.high) == (None, None)


def test_every_row_has_the_keys_of_the_command_and_none_has_width_zero() -> None:
    made = list(ranking(read(study(5))))
    keys = {PAIRWISE, "epsilon", SOFT, "rank_low", "rank_high", "n_items", "n_ratings", "method", "ceiling", "scorer"}
    for row in made:
        plain = row.to_dict()
        assert keys <= plain.keys()
        assert (row.value is None) == (row.reason is not None)
        assert plain[row.statistic] == row.value if row.statistic in (PAIRWISE, SOFT) else plain[PAIRWISE] is None
        assert row.low is None or row.low < row.high  # type: ignore[operator]
    places = {(row.task, row.generator) for row in made if row.statistic == PAIRWISE and row.scorer is None}
    assert places == {(task, name) for task in ("t0", "t1", ALL) for name in ("g0", "g1", "g2", "g3", ALL)}
    assert text(at(made, statistic=KENDALL, scorer="constant").reason) == "one side gives all generators the same mean"


@pytest.mark.parametrize("generators", [3, 4])
def test_too_few_generators_decide_nothing(generators: int) -> None:
    rows: list[Judgement] = []
    for p in range(10):
        for g in range(generators):
            item, index = f"p{p}/g{g}", {"prompt": f"p{p}", "generator": f"g{g}", "aspect": "faithfulness"}
            rows += [judgement(item, f"r{r}", str(1 + g), **index) for r in range(2)]
            rows += scorer("level", {item: str(2 + g)}, **index)
    row = at(list(ranking(read(rows))), statistic=GENERATORS, scorer="level")
    assert (row.value, row.low) == (1.0, None)
    assert row.pairs_apart == row.pairs == generators * (generators - 1) // 2
    if generators == 4:
        assert (row.verdict, row.verdict_reason) == (ORDERED, None)
        assert row.p == pytest.approx(1 / 24)
    else:
        assert row.p == pytest.approx(1 / 6)
        assert row.verdict is None
        assert (
            text(row.verdict_reason)
            == "3 generators decide nothing: even the right order is a random one with probability 0.17"
        )


def test_a_scorer_that_knows_nothing_is_not_equivalent_to_people_where_most_pairs_are_tied() -> None:
    """People say the highest level but for a few images: whoever calls every two equally good is right about nearly all."""
    rng, rows = np.random.default_rng(0), list[Judgement]()
    for p in range(220):
        for g in range(2):
            item, index = f"p{p}/g{g}", {"prompt": f"p{p}", "generator": f"g{g}", "aspect": "faithfulness"}
            rows += [judgement(item, f"r{r}", "1" if rng.random() < 0.02 else "5", **index) for r in range(3)]
            rows += scorer("noise", {item: float(rng.normal())}, **(index | {"aspect": "score"}))
    row = at(list(ranking(read(rows), Options(each_generator=False))), statistic=PAIRWISE, scorer="noise")
    assert row.ceiling is not None
    assert abs(row.ceiling.verdict.difference or 0.0) < 0.05
    assert (row.ceiling.verdict.verdict, row.ceiling.verdict.verdict_reason) == (None, TIES_DO)


def test_one_prompt_or_one_image_says_so() -> None:
    made = list(ranking(read(study(0, prompts=1))))
    row = at(made, statistic=PAIRWISE, scorer="number")
    assert (row.epsilon, row.low) == (0.0, None)
    assert "epsilon 0; no interval: one prompt" in text(row.method)
    alone = [judgement(f"p{p}", f"r{r}", "yes") for p in range(3) for r in range(2)]
    (row,) = (each for each in ranking(read(alone)) if each.task == ALL and each.generator == ALL)
    assert (row.statistic, text(row.reason)) == (PAIRWISE, "no prompt has two images that both sides rated")


def test_labels_without_order_are_refused() -> None:
    rows = [judgement(f"p/{k}", "r1", color, prompt="p", aspect="answer") for k, color in enumerate(("red", "blue"))]
    (units,) = read_units(frame(rows), {("s", "answer"): "nominal:red|blue|green"})
    assert {row.reason for row in ranking(units)} == {NO_ORDER}


def test_targets_of_an_image_are_averaged() -> None:
    rows = [
        judgement(f"p{p}/{k}", f"r{r}", "yes" if (p + k + len(target)) % 2 else "no", prompt=f"p{p}", target=target)
        for p in range(4)
        for k in range(2)
        for r in range(2)
        for target in ("cat", "lion")
    ]
    # each image has one yes and one no: all are tied, and people agree that they are
    made = at(list(ranking(read(rows))), statistic=PAIRWISE)
    assert made.value == 1.0
    assert made.n_items == 8


def test_generators_that_all_tell_apart_have_no_soft_interval() -> None:
    for apart, settled in ((3.0, True), (0.0, False)):
        world = RankingWorld(prompts=40, generators=(0.0, apart, 2 * apart))
        rows = [row for row in ranking(simulated_study(world, [1]), Options(each_generator=False)) if row.statistic == SOFT]
        assert len(rows) == 2
        for row in rows:
            assert (row.low is None) == settled == ("tell every two generators apart" in text(row.method))
            assert settled or row.low < row.value < row.high  # type: ignore[operator]


def test_soft_accuracy_of_few_prompts_has_no_interval() -> None:
    for prompts in (FEWEST_DRAWN - 1, FEWEST_DRAWN):
        world = RankingWorld(prompts=prompts, generators=(0.0, 0.0, 0.0))
        rows = [row for row in ranking(simulated_study(world, [1]), Options(each_generator=False)) if row.statistic == SOFT]
        assert [row.low is None for row in rows] == [prompts < FEWEST_DRAWN] * 2
        assert all((f"fewer than {FEWEST_DRAWN} prompts" in text(row.method)) == (row.low is None) for row in rows)
        assert all(row.value is not None for row in rows)
