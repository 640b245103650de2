"""Trust: what a scorer may be used for, what not yet, and where its number stands beside people's own level."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from concord.agreement import recall
from concord.comparison.leaderboard import BOARD
from concord.comparison.rater_pairs import GROUPS, pair, quarters, rater_matrix
from concord.comparison.trust import Trust, trust
from concord.comparison.trust_cells import USES
from concord.meta.findings import rank
from data.selection import PEOPLE, Selection
from data.store.core.store import Store
from tests.concord import generators_project
from tests.ui.answered_projects import KINDS, fill

SELECTION = Selection(suite=("s",), aspect=("correct",))


@pytest.fixture(scope="module", params=KINDS)
def filled(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Store, Trust]]:
    aspect = "faithfulness" if request.param == "slots" else "correct"
    with Store(tmp_path_factory.mktemp("trust") / "project") as store:
        fill(store, request.param)
        yield store, trust(store, replace(SELECTION, aspect=(aspect,)))


def test_every_number_is_that_of_the_commands_with_peoples_level_of_the_same_statistic(filled: tuple[Store, Trust]) -> None:
    store, made = filled
    rows = {
        (each.rater, each.statistic): each
        for each in recall(store, made.selection, BOARD).raters
        if each.task == "all" and each.people == made.people
    }
    ranked = {
        (each.scorer, each.statistic): each for each in rank(store, made.selection, replace(BOARD, matrix=True, ceiling=False))
    }
    assert {each.name for each in made.scorers} == {"metric", "verdicts", "noise"}
    assert made.raters[0].kind == ("simulated" if made.people == "simulated" else "people")
    for each in made.scorers:
        assert set(each.cells) == set(USES)
        for use, cell in each.cells.items():
            found = rows if use == "judge" else ranked
            expected = found[each.name, cell.statistic]
            assert (cell.number.value, cell.number.low, cell.number.high) == (expected.value, expected.low, expected.high)
            assert cell.level is expected.ceiling
            assert cell.number.n_prompts > 0
    own = made.raters[0].cells
    level_of_best = made.scorers[0].cells["judge"].level
    assert level_of_best is not None
    assert (own["judge"].number.value, own["judge"].level) == (level_of_best.value, None)
    values = [each.cells["judge"].number.value or 0 for each in made.scorers if each.cells["judge"].statistic == made.statistic]
    assert values == sorted(values, reverse=True)


def test_the_matrix_and_the_pair_have_the_digits_of_the_report(filled: tuple[Store, Trust]) -> None:
    store, made = filled
    matrix = rater_matrix(store, made.selection, "all", made.statistic, made.rows, intervals=True)
    group = GROUPS[made.people or "real"]
    for each in made.scorers:
        cell = each.cells["judge"]
        if cell.statistic == made.statistic:
            found = matrix.cells[each.name, group]
            assert found is not None
            assert found.value == cell.number.value
            assert matrix.cells[group, each.name] is found
    both = pair(store, made.selection, "all", "verdicts", group, intervals=False)
    parts, left = quarters(store, both)
    if made.aspect == "correct":
        by_says = {part.says: part for part in parts}
        assert set(by_says) == {(a, b) for a in ("yes", "no") for b in ("yes", "no")}
        assert all(part.count == len(part.items) for part in parts)
        judged = {item for part in parts for item in part.items}
        # an image once, by people's majority; where they are evenly split it stands apart
        assert sum(part.count for part in parts) == len(judged)
        assert left > 0
    else:
        assert parts == ()


def test_scores_are_halved_by_rank(tmp_path: Path) -> None:
    with Store(tmp_path / "project") as store:
        generators_project.fill(store)
        both = pair(store, SELECTION, "all", "scores", PEOPLE, intervals=False)
        parts, _ = quarters(store, both)
    counts = {part.says: part.count for part in parts}
    assert set(counts) == {(a, b) for a in ("high", "low") for b in ("high", "low")}
    assert sum(counts.values()) == 24
    # right images have all the higher scores
    assert (counts["high", "low"], counts["low", "high"]) == (0, counts["low", "high"])
    assert counts["high", "high"] >= 12


def test_without_people_there_is_no_agreement_and_scorers_stay_comparable(tmp_path: Path) -> None:
    with Store(tmp_path / "project") as store:
        generators_project.fill(store, people=False)
        made = trust(store, SELECTION)
        assert (made.people, made.raters, made.sentence.main) == (None, (), "")
        matrix = rater_matrix(store, SELECTION, "all", "spearman", made.rows, intervals=False)
    assert PEOPLE not in matrix.raters
