"""`rank` and `alt-test`: the same rows by command, library and page; and what is said about replacing people."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import concord
from agreement.estimate import Ceiling, CeilingVerdict, Estimate, Position
from agreement.meta.alternative_annotator import AlternativeAnnotator, PersonTest
from agreement.meta.ranking import GENERATORS, PAIRWISE, RANK, SOFT
from agreement.reasons import NO_METHOD, Reason, ReasonCode
from concord.comparison.trust import trust
from concord.meta.replacement import replacements
from data.selection import Selection
from data.store.core.store import Store
from tests.concord import generators_project
from tests.ui.small_project import concord as run
from tests.ui.small_project import done
from ui.pages.trust.all_numbers import replacement_numbers
from ui.pages.trust.matrix import places_allowed
from ui.pages.trust.table import trust_table
from ui.pages.trust.view import TrustView
from ui.shell.html import rendered


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """Two generators, two people who are always right, a scorer of verdicts and one of scores; 12 prompts."""
    with Store(tmp_path / "project") as store:
        generators_project.fill(store)
    return tmp_path / "project"


def printed(project: Path, *words: str) -> list[dict[str, Any]]:
    made = json.loads(done(project, *words, "--format", "json"))
    assert made.keys() == {"selection", "rows"}
    rows: list[dict[str, Any]] = made["rows"]
    return rows


def test_command_and_library_have_the_same_rows(project: Path) -> None:
    opened = concord.open(project)
    for words, table in (
        (["rank", "--scorer", "verdicts"], opened.rank(scorer="verdicts")),
        (["alt-test", "--epsilon", "0.2"], opened.alt_test(epsilon=0.2)),
    ):
        rows = printed(project, *words)
        assert json.loads(table.to_json(orient="records")) == json.loads(pd.DataFrame(rows).to_json(orient="records"))


def test_numbers_of_a_small_project_are_those_that_follow_by_hand(project: Path) -> None:
    rows = printed(project, "rank")
    whole = {(row["scorer"], row["statistic"]): row for row in rows if row["task"] == row["generator"] == "all"}
    # both people are always right
    assert whole[None, PAIRWISE]["value"] == 1.0
    # the scorer is wrong about one image of prompt 3, whose two images people tell from each other
    differ = [n for n in range(12) if generators_project.is_right("good", n) != generators_project.is_right("bad", n)]
    assert 3 not in differ
    assert whole["verdicts", PAIRWISE]["value"] == pytest.approx(11 / 12)
    assert whole["verdicts", PAIRWISE]["pairwise_accuracy"] == whole["verdicts", PAIRWISE]["value"]
    assert whole["verdicts", GENERATORS]["verdict_reason"].startswith("2 generators decide nothing")
    ranks = {
        (row["scorer"], row["generator"]): row["value"] for row in rows if row["statistic"] == RANK and row["task"] == "all"
    }
    assert {name: ranks[name, "good"] for name in (None, "verdicts", "scores")} == {None: 1, "verdicts": 1, "scores": 1}
    assert whole["scores", SOFT]["soft_pairwise_accuracy"] is not None
    refused = {row["scorer"]: row["reason"] for row in printed(project, "alt-test")}
    assert refused["scores"] == "its score is not on people's scale, so the two cannot be compared"
    assert refused["verdicts"].startswith("0 of 2 persons have 30 or more prompts")


def test_tables_say_what_matters(project: Path) -> None:
    told = done(project, "rank")
    for words in (
        "the better image of a prompt",
        "(people)",
        "the order of generators",
        "rank sets, 1 is best",
        "decide nothing",
    ):
        assert words in told
    assert "not on people's scale" in done(project, "alt-test")
    assert "people have rated nothing here" in run(project, "rank", "--aspect", "none").out


def test_every_number_of_the_page_opens_what_is_behind_it(project: Path) -> None:
    with Store(project) as store:
        made = trust(store, Selection(suite=("s",), aspect=("correct",)))
    assert {each.name for each in made.scorers} == {"verdicts", "scores"}
    table = rendered(trust_table(made, TrustView(), ""))
    numbers = re.findall(r'<a class="cc-trust-number" href="([^"]*)"', table)
    assert len(numbers) == 9
    for href in numbers:
        assert re.match(r"/studio/(images|results/compare)\?", href), href
    every = rendered(replacement_numbers(made))
    assert "2 generators decide nothing" in every.replace("2 Generators", "2 generators")
    places = rendered(places_allowed(made, TrustView()))
    assert places.count('href="/studio/results/compare?') == 6
    assert places.count("cc-dot-bar") == 6


def test_one_sentence_says_whether_it_may_replace_people() -> None:
    persons = tuple(
        PersonTest(name, 30, 30, advantage=0.5, disadvantage=0.5, t=None, p=p, p_corrected=p)
        for name, p in (("a", 0.01), ("b", 0.9))
    )
    test = AlternativeAnnotator(
        suite="s", aspect="correct", statistic="winning_rate", task="all", generator="all", people="real", scorer="f",
        value=0.5, passes=True, epsilon=0.1, persons=persons,
    )  # fmt: skip
    ceiling = Ceiling(0.7, None, None, 10, 20, None, NO_METHOD, CeilingVerdict("equivalent", scorer=0.69))
    row = Estimate(statistic="cohen_kappa", people="real", rater="f", value=0.69, ceiling=ceiling)

    def answer(passes: bool | None, verdict: Position | None) -> str:
        refused = passes is None
        slots = Reason(ReasonCode.SLOTS_CANNOT_BE_LEFT_OUT) if refused else None
        tests = [replace(test, passes=passes, value=None if refused else 0.5, reason=slots)]
        reason = None if verdict else Reason(ReasonCode.TOO_FEW_TO_DECIDE, clusters="prompts", more=None)
        rows = [replace(row, ceiling=replace(ceiling, verdict=CeilingVerdict(verdict, reason, 0.69)))]
        (made,) = replacements(tests, rows, "all", "real")
        return made.answer

    assert {verdict: answer(True, verdict) for verdict in ("equivalent", "above", "below", None)} == {
        "equivalent": "yes", "above": "yes", "below": "perhaps", None: "perhaps",
    }  # fmt: skip
    for passes in (False, None):
        assert {verdict: answer(passes, verdict) for verdict in ("equivalent", "above", "below", None)} == {
            "equivalent": "perhaps", "above": "perhaps", "below": "no", None: "unknown",
        }  # fmt: skip
    (made,) = replacements([test], [row], "all", "real")
    assert made.sentence == (
        "f: yes. It passes the alternative annotator test: it does as well as 1 of 2 people (ε = 0.1; half are needed)."
        " Its agreement with people is equivalent to theirs: in one person's place it reaches Cohen’s κ 0.69, people 0.70."
    )
