"""The playground with few real answers: its numbers stay simulated people's, marked as such, until real ones suffice."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from agreement.preferences.votes import Vote
from concord.common.people_kinds import ENOUGH, PeopleKind, leading_kind, why_simulated
from concord.comparison.leaderboard import leaderboard
from concord.comparison.preferences import Poll, Voter
from concord.error_analysis.tuning import TuneRequest, tune_scorer
from concord.scope import Scope, scope_of
from data.selection import PEOPLE, SIMULATED
from data.store.core.store import Store
from tests.ui.small_project import done

SUITE = "playground"


@pytest.fixture(scope="module")
def playground(tmp_path_factory: pytest.TempPathFactory) -> Path:
    project = tmp_path_factory.mktemp("playground") / "project"
    done(project, "import", "playground")
    return project


@pytest.fixture
def answered(playground: Path, tmp_path: Path) -> Callable[[int], Store]:
    """The playground in which real people have judged so many images, of all generators in turn."""

    def make(n: int) -> Store:
        project = tmp_path / "project"
        shutil.copytree(playground, project)
        if n:
            with Store(project) as store:
                items = store.query_column(
                    "select item_id from items where kind = 'image' and suite = ? order by prompt_id, generator, item_id",
                    [SUITE],
                )
            rows = [f"{item},ann,{'yes' if k % 3 else 'no'}" for k, item in enumerate(items[:n])]
            file = tmp_path / "real.csv"
            file.write_text("\n".join(("item,who,right", *rows)) + "\n")
            columns = ("--item", "item", "--rater", "who", "--value", "right", "--aspect", "correct", "--scale", "nominal")
            done(project, "import", "ratings", file, *columns, "--suite", SUITE)
        return Store(project)

    return make


@pytest.mark.parametrize(
    ("real", "simulated", "kind"),
    [
        (0, 0, None),
        (0, 50, "simulated"),
        (3, 50, "simulated"),
        (ENOUGH - 1, 50, "simulated"),
        (ENOUGH, 50, "real"),
        (100, 50, "real"),
        (1, 0, "real"),
    ],
)
def test_real_people_lead_from_ten_images_on_or_where_nobody_is_simulated(real: int, simulated: int, kind: str | None) -> None:
    assert leading_kind(real, simulated) == kind


def test_the_sentence_says_how_many_are_missing() -> None:
    assert why_simulated(0).startswith("No person has judged this yet.")
    assert why_simulated(3) == "People have judged 3 images so far. Until it is 10, these numbers are from simulated people."


@pytest.mark.parametrize(
    ("n", "kind", "name"), [(0, "simulated", SIMULATED), (3, "simulated", SIMULATED), (100, "real", PEOPLE)]
)
def test_numbers_stay_simulated_until_real_answers_suffice(
    answered: Callable[[int], Store], n: int, kind: str, name: str
) -> None:
    with answered(n) as store:
        board = leaderboard(store, scope_of(store, SUITE), intervals=False)
        assert board.people == kind
        columns = [rater.name for rater in board.raters]
        # both stand on the board, each under its name
        assert (PEOPLE in columns) == (n > 0)
        assert {SIMULATED, name} <= set(columns)
        closest = board.closest_scorer
        assert closest is not None
        assert closest.agreement is not None
        assert (closest.agreement.people, closest.agreement.n_items >= ENOUGH) == (kind, True)
        # the generators' order is people's only when they have judged enough
        assert (columns[0] == PEOPLE) == (n == 100)
        assert board.headline is not None
        assert board.headline.by == columns[0]


def test_tuning_leads_with_simulated_people_until_real_ones_suffice(answered: Callable[[int], Store]) -> None:
    with answered(3) as store:
        for asked, expected in (("", "simulated"), ("simulated", "simulated"), ("real", "real")):
            tuned = tune_scorer(store, Scope(SUITE), TuneRequest("geneval-playground", people=asked))
            assert tuned is not None
            assert tuned.people == expected


@pytest.mark.parametrize(("n", "first"), [(0, "simulated"), (3, "simulated"), (100, "real")])
def test_votes_of_simulated_people_lead_until_real_ones_suffice(n: int, first: str) -> None:
    def voter(rater: str, people: PeopleKind, pairs: int) -> Voter:
        votes = tuple(Vote(f"pair {k}", "all", None, "a", "b", "a") for k in range(pairs))
        return Voter(votes, suite=SUITE, rater=rater, people=people)

    crowds = [voter(PEOPLE, "real", n)] if n else []
    poll = Poll(SUITE, (*crowds, voter(SIMULATED, "simulated", 126)), ())
    assert poll.people()[0].people == first
    assert len(poll.people()) == 1 + bool(n)


def test_the_playground_has_visors_verdicts_on_its_position_images(answered: Callable[[int], Store]) -> None:
    with answered(0) as store:
        sql = (
            "select distinct t.task || ' ' || count(*) over () from judgements j join items t using (item_id)"
            " where j.rater_id = 'visor-playground' and aspect = 'correct'"
        )
        assert store.query_column(sql, []) == ["position 84"]
