"""Plans and rater effects of a project: rows by the library and the command, the page's words, a campaign's forecast."""

from __future__ import annotations

import json
from pathlib import Path

import pandas as pd
import pytest

import concord
from concord.campaigns import progress
from concord.campaigns.planning import plan_campaign
from concord.campaigns.spec import CampaignSpec
from concord.meta.planning import expected_precision, plan, rated_aspects
from concord.meta.requests import MEAN, PlanRequest
from data.selection import Selection
from data.store.core.store import Store
from tests.concord import generators_project
from tests.ui.small_project import concord as run_concord
from tests.ui.small_project import done

WHOLE = Selection()


def test_library_and_command_give_the_same_rows(tmp_path: Path) -> None:
    with Store(tmp_path / "project") as store:
        generators_project.fill(store)
    project = concord.open(tmp_path / "project")
    frame = project.plan(statistics=["mean", "fleiss_kappa"], ratings=[1, 2])
    words = ("--statistic", "mean", "--statistic", "fleiss_kappa", "--ratings", "1", "--ratings", "2", "--format", "json")
    printed = json.loads(done(project.folder, "plan", *words))["rows"]
    assert json.loads(frame.to_json(orient="records")) == json.loads(pd.DataFrame(printed).to_json(orient="records"))
    assert set(frame["statistic"]) == {"mean", "difference", "fleiss_kappa"}
    persons = project.rater_effects()
    # both people say the same
    assert persons[persons["statistic"] == "severity"][["rater", "value"]].to_numpy().tolist() == [["ann", 0.0], ["bob", 0.0]]
    assert "did you mean fleiss_kappa" in run_concord(project.folder, "plan", "--statistic", "fleis_kappa").err


def test_aims_are_in_the_units_of_the_scale(tmp_path: Path) -> None:
    with Store(tmp_path / "project") as store:
        generators_project.fill(store)
        rows = plan(store, WHOLE, PlanRequest(half_width=0.1, ratings=(2,)))
        (mean,) = [row for row in rows if row.statistic == MEAN]
        (units,) = rated_aspects(store)
        again = plan(store, WHOLE, PlanRequest(half_width=mean.half_width, ratings=(2,)))[0]
    assert (units.suite, units.aspect) == ("s", "correct")
    assert mean.aim == pytest.approx(0.1)
    # what today's prompts give needs today's prompts
    assert again.prompts_needed == again.prompts == generators_project.PROMPTS
    assert mean.half_width_with(generators_project.PROMPTS) == pytest.approx(mean.half_width)


def test_a_campaign_says_how_sure_its_numbers_will_be(tmp_path: Path) -> None:
    with Store(tmp_path / "project") as store:
        generators_project.fill(store)
        items = tuple(f"s/{n}/{name}/0" for n in range(generators_project.PROMPTS) for name in ("good", "bad"))
        made = plan_campaign(store, CampaignSpec("c", questionnaire="yes_no", items=items, overlap=2))
        lines = progress.describe_plan(store, made)
        row = expected_precision(store, "s", 2, generators_project.PROMPTS)
    assert row is not None
    assert row.half_width is not None
    assert f"12 prompts of s: a generator's mean (correct) to about ± {row.half_width:.2g}, by the answers there are" in lines


def test_a_project_without_answers_plans_nothing(tmp_path: Path) -> None:
    with Store(tmp_path / "project") as store:
        generators_project.fill(store, people=False)
        assert plan(store, WHOLE, PlanRequest()) == []
        assert expected_precision(store, "s", 3, 12) is None
    assert "no ratings by people" in done(tmp_path / "project", "rater-effects")
