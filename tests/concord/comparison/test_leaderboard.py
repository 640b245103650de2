"""The leaderboard: order, numbers beside the report's, and the images on which the best scorer and people differ."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from agreement import Options
from concord.agreement import recall
from concord.comparison.leaderboard import Leaderboard, leaderboard
from concord.scope import Scope, main_suite, open_scope, scope_of
from data.records import Annotation, Evidence, Item, Judgement, Rater
from data.remarks import Adjudication
from data.selection import Selection
from data.store import imports
from data.store.core.store import Store
from data.store.imports import ImportBundle
from data.store.judgements import remarks
from tests.concord import generators_project
from tests.concord.generators_project import judgement


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store(tmp_path / "project") as opened:
        generators_project.fill(opened)
        yield opened


def board(store: Store) -> Leaderboard:
    suite = main_suite(store)
    assert suite == "s"
    return leaderboard(store, scope_of(store, suite))


def test_generators_stand_in_people_s_order_with_the_report_s_numbers(store: Store) -> None:
    made = board(store)
    assert made.generators == ("good", "bad")
    assert [each.name for each in made.raters] == ["people", "verdicts", "scores"]
    rows = recall(store, Selection(suite=("s",), aspect=("correct",)), Options(statistics=("mean",))).among_people
    reported = {(row.generator, row.task): (row.value, row.low, row.high) for row in rows}
    for generator in made.generators:
        for task in ("all", "t1", "t2"):
            cell = made.cells[generator, "people", task]
            assert (cell.value, cell.low, cell.high) == reported[generator, task]
    (lead,) = made.leads
    assert (lead.first, lead.second) == ("good", "bad")
    assert lead.value == pytest.approx(10 / 12 - 4 / 12)
    assert (made.prompts, made.images, made.persons) == (12, 24, 2)


def test_the_contested_image_is_the_scorer_s_error_until_it_has_a_verdict(store: Store) -> None:
    made = board(store)
    assert made.contested_by == "verdicts"
    assert made.disagreements == 1
    assert [(each.item, each.verdict, each.yes, each.n) for each in made.contested] == [("s/3/bad/0", "no", 2, 2)]
    verdict = Adjudication("a", "s/3/bad/0", "correct", "scorer", "yes", "ann", rater_id="verdicts")
    assert remarks.adjudicate(store, verdict)
    # a verdict moves no judgement: a page sees it with the next one, or when it is drawn anew
    assert leaderboard(store, scope_of(store, "s"), intervals=False).disagreements == 0


def test_without_people_a_scorer_of_verdicts_orders_and_nothing_is_contested(tmp_path: Path) -> None:
    with Store(tmp_path / "project") as store:
        generators_project.fill(store, people=False)
        made = board(store)
    assert made.raters[0].name == "verdicts"
    assert made.generators == ("good", "bad")
    assert (made.people, made.contested, made.disagreements) == (None, (), 0)


def test_an_empty_project_has_no_main_suite(tmp_path: Path) -> None:
    with Store(tmp_path / "project") as store:
        assert main_suite(store) is None


def test_a_score_contests_only_what_no_order_of_equal_answers_allows(tmp_path: Path) -> None:
    answers = {"a": 1, "b": 0, "c": 0, "d": 0}
    scores = {"a": 0.2, "b": 0.1, "c": 0.3, "d": 0.9}
    items = [Item(name, "s", None, None, "g") for name in answers]
    raters = [Rater("ann", "human", "person"), Rater("scores", "scorer")]
    said = [Annotation(name, name, "ann", "quick", {}, (judgement(name, bool(yes)),), "1") for name, yes in answers.items()]
    given = [Evidence(name, name, "scores", {}, (Judgement("score", None, scores[name]),), "1") for name in scores]
    scales = [("s", "correct", "nominal"), ("s", "score", "interval")]
    bundle = ImportBundle("ratings", "all", "0", items=items, raters=raters, scales=scales, annotations=said, evidence=given)
    with Store(tmp_path / "project") as store:
        imports.apply(store, [bundle])
        made = leaderboard(store, scope_of(store, "s"), intervals=False)
    # people's "no" spans the ranks 1 to 3: the score puts b and c within it, d above, and a below the only "yes"
    shown = [(each.item, each.verdict, each.higher) for each in made.contested]
    assert shown == [("a", "lower 50\u00a0%", False), ("d", "upper 1\u00a0%", True)]


def test_ranks_agree_with_the_headline_and_a_task_orders_anew(store: Store) -> None:
    made = board(store)
    assert made.headline is not None
    ranks = {name: (each.best, each.worst) for name, each in made.ranks.items()}
    assert ranks == ({"good": (1, 1), "bad": (2, 2)} if made.headline.state == "best" else {"good": (1, 2), "bad": (1, 2)})
    scope = scope_of(store, "s")
    by_scorer = leaderboard(store, scope, "verdicts")
    assert by_scorer.order == ("verdicts", "all")
    assert by_scorer.cells["good", "people", "all"] == made.cells["good", "people", "all"]
    by_task = leaderboard(store, scope, "task:t2")
    assert by_task.order == ("people", "t2")
    assert leaderboard(store, scope, "task:nowhere").order == made.order


def test_few_prompts_have_no_rank_and_say_why(store: Store) -> None:
    opened = open_scope(store, Scope("s", task="t1"))
    assert opened is not None
    made = leaderboard(store, opened.scope)
    assert made.task == "t1"
    assert made.ranks or "too few" in made.unranked
    alone = open_scope(store, Scope("s", generator=("good",)))
    assert alone is not None
    one = leaderboard(store, alone.scope)
    assert one.generators == ("good",)
    assert (dict(one.ranks), one.unranked) == ({}, "")
    assert one.raters[0].name == "people"
