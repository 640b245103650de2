"""A study's plan: the numbers of the command `plan`, typical variances without any answers, and what work it is."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from decimal import Decimal
from itertools import pairwise
from pathlib import Path

import pytest

from agreement.meta.planning import DIFFERENCE
from concord.meta.planning import plan
from concord.meta.requests import MEAN, PlanRequest
from concord.new_campaigns.study_plan import PlanQuery, plan_study, plan_values
from data.selection import Selection
from data.store.core.store import Store
from tests.concord import generators_project


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store(tmp_path / "project") as opened:
        generators_project.fill(opened)
        yield opened


def test_a_plan_has_the_numbers_of_the_command(store: Store) -> None:
    rows = plan(store, Selection(), PlanRequest(half_width=0.1, difference=0.2, ratings=(1, 2, 3, 5)))
    for goal, statistic in (("mean", MEAN), ("difference", DIFFERENCE)):
        study = plan_study(store, PlanQuery.read(goal, "0.1", "2"))
        expected = {
            int(row.design.ratings): (row.prompts_needed, row.half_width, row.power)
            for row in rows
            if row.statistic == statistic
        }
        found = {each.ratings: (each.prompts, each.half_width, each.power) for each in study.designs}
        assert found.keys() == expected.keys()
        for ratings, numbers in expected.items():
            assert found[ratings] == pytest.approx(numbers), (goal, ratings)
    assert (study.prompts, study.available, study.generators, study.images, study.typical) == (12, 12, 2, 1, False)


def test_answers_hours_and_money_follow(store: Store) -> None:
    study = plan_study(store, replace(PlanQuery.read("mean", "0.1", "3"), wage="12", currency="EUR"))
    chosen = study.chosen
    assert chosen
    assert chosen.work
    assert chosen.prompts
    assert (chosen.ratings, chosen.new) == (3, chosen.prompts - 12)
    assert chosen.work.answers == chosen.prompts * 2 * 3
    # nobody has answered in the form yet
    assert (chosen.work.seconds, chosen.work.n) == (10.0, 0)
    assert chosen.work.hours == pytest.approx(chosen.work.answers * 10 / 3600)
    assert chosen.work.cost == pytest.approx(Decimal(chosen.work.hours) * 12, abs=Decimal("0.01"))
    assert plan_values(store, study.asked) == {
        "n": None, "overlap": 3, "suite": ["s"], "target_wage": "12", "currency": "EUR",
    }  # fmt: skip
    # where fewer prompts are enough, so many images are drawn
    rough = plan_values(store, PlanQuery.read("mean", "0.3", "2"))
    needed = plan_study(store, PlanQuery.read("mean", "0.3", "2")).chosen
    assert needed
    assert needed.prompts
    assert rough["n"] == needed.prompts * 2
    assert plan_values(store, PlanQuery(goal="label")) == {"n": None, "overlap": 3}


def test_the_curve_goes_through_today_and_through_what_is_needed(store: Store) -> None:
    study = plan_study(store, PlanQuery.read("mean", "0.1", "2"))
    chosen = study.chosen
    assert chosen
    assert chosen.prompts
    curve = study.curve(study.designs.index(chosen), 500)
    assert all(before[1] > after[1] for before, after in pairwise(curve))
    reached = [n for n, half in curve if half <= study.aim]
    assert chosen.prompts <= reached[0]


def test_without_answers_typical_variances_plan(tmp_path: Path) -> None:
    with Store(tmp_path / "project") as empty:
        study = plan_study(empty, PlanQuery())
        assert (study.typical, study.subjects, study.available, study.reason) == (True, (), 0, "")
        prompts = [each.prompts for each in study.designs]
        assert prompts == sorted((n for n in prompts if n is not None), reverse=True)
        # more people help little: what is between prompts stays
        assert study.shared is not None
        assert 0.5 < study.shared < 1
        scorer = plan_study(empty, PlanQuery(goal="scorer"))
        assert scorer.reason.startswith("Nobody has answered yet")
        generators_project.fill(empty, people=False)
        assert plan_study(empty, PlanQuery(goal="difference", suite="s")).designs[0].prompts


def test_a_scorer_that_is_undecided_says_how_many_prompts_decide(store: Store) -> None:
    quick = plan_study(store, PlanQuery(goal="scorer"), intervals=False)
    assert (quick.scorers, quick.designs) == ((), ())
    study = plan_study(store, PlanQuery(goal="scorer"))
    assert {each.name for each in study.scorers} == {"verdicts", "scores"}
    chosen = next(each for each in study.scorers if each.name == study.asked.scorer)
    assert [each.prompts for each in study.designs] == ([] if chosen.more is None else [study.prompts + chosen.more])


@pytest.mark.parametrize("text", ["", "x", "nan", "inf", "-1", "1e9", "0"])
def test_an_address_asks_for_no_impossible_margin(text: str) -> None:
    assert 0.01 <= PlanQuery.read("mean", text, "2").margin <= 0.3
    assert PlanQuery.read(text, "0.07", text) == PlanQuery(margin=0.07)
