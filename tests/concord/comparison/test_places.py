"""A generator's place: Agreement and Results, sorted by the same rater, say the same."""

from __future__ import annotations

from pathlib import Path

import pytest

from concord.comparison.leaderboard import leaderboard
from concord.comparison.places import generator_places
from concord.comparison.trust import trust
from concord.scope import scope_of
from data.selection import PEOPLE, SIMULATED, Selection
from data.store.core.store import Store
from tests.ui.answered_projects import KINDS, fill


@pytest.mark.parametrize("task", ["all", "t1"])
@pytest.mark.parametrize("kind", KINDS)
def test_places_of_every_rater_are_those_of_the_leaderboard_that_is_sorted_by_it(tmp_path: Path, kind: str, task: str) -> None:
    # one is clearly ahead of each other one, and no pair of the others is told apart after correction
    quality = {"best": 1.1, "b": 0.1, "c": 0.0, "d": -0.1}
    selection = Selection(suite=("s",), aspect=("faithfulness" if kind == "slots" else "correct",))
    with Store(tmp_path / "project") as store:
        fill(store, kind, prompts=40, quality=quality)
        scope = scope_of(store, "s")
        scope = scope if task == "all" else type(scope)(scope.suite, scope.aspect, scope.generator, task)
        people = SIMULATED if kind == "simulated people" else PEOPLE
        for rater in (people, "metric", "verdicts", "noise"):
            board = leaderboard(store, scope, rater)
            places = generator_places(store, selection, task, rater)
            assert [*places] == [name for name in board.generators if name in board.ranks]
            assert {name: (each.best, each.worst) for name, each in places.items()} == {
                name: (each.best, each.worst) for name, each in board.ranks.items()
            }
            assert [each.place for each in places.values()] == sorted(each.place for each in places.values())
        if task == "all":
            made = trust(store, selection)
            assert made.raters[0].places == generator_places(store, selection, task, people)
            assert made.generators == tuple(made.raters[0].places)


def test_too_few_prompts_have_no_places(tmp_path: Path) -> None:
    with Store(tmp_path / "project") as store:
        fill(store, KINDS[2], prompts=4)
        assert generator_places(store, Selection(suite=("s",), aspect=("correct",)), "all", PEOPLE) == {}
