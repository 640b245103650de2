"""One question, one number: on Results, Trust, Compare, Estimates and Reports, by commands and the library.

By the functions that they call: equal names, equal numbers, equal intervals; no level of another statistic, and no "best"
without evidence.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from html import unescape
from itertools import permutations
from pathlib import Path
from typing import Any

import htpy
import pandas as pd
import pytest

import concord
from agreement import Options
from agreement.estimate import Ceiling
from agreement.generators import GeneratorDifference
from agreement.meta.estimates import EstimateOptions
from agreement.reasons import NO_METHOD, Reason, ReasonCode
from concord import headlines
from concord.agreement import AgreementRows, recall
from concord.comparison.leaderboard import BOARD, Leaderboard, board_sentence, leaderboard
from concord.comparison.model_comparison import RatedAspect, compare_models
from concord.comparison.trust import Trust, trust
from concord.meta.estimates import estimate
from concord.reporting.material import gather
from concord.scope import Scope, open_scope, scope_of
from data.selection import PEOPLE, SIMULATED, Selection
from data.store.core.store import Store
from tests.ui.answered_projects import KINDS, QUALITY, fill
from ui.pages.results import ResultsPage
from ui.pages.results.compare import ComparePage
from ui.pages.trust import TrustPage
from ui.pages.trust.table import trust_table
from ui.pages.trust.view import TrustView
from ui.report.document import document
from ui.report.sections import Document
from ui.shell.html import rendered

Ends = tuple[float | None, float | None, float | None]


@dataclass(frozen=True)
class Shown:
    """A project, and what is shown of it everywhere."""

    folder: Path
    store: Store
    aspect: str
    people: str
    board: Leaderboard
    rows: AgreementRows
    report: Document

    @property
    def selection(self) -> Selection:
        return Selection(suite=("s",), aspect=(self.aspect,))

    @property
    def who(self) -> str:
        return PEOPLE if self.people == "real" else SIMULATED

    @property
    def trust(self) -> Trust:
        return trust(self.store, self.selection)


@pytest.fixture(scope="module", params=KINDS)
def shown(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Shown]:
    folder = tmp_path_factory.mktemp("one") / "project"
    with Store(folder) as store:
        fill(store, request.param)
        yield _shown(folder, store, request.param)


def _shown(folder: Path, store: Store, kind: str) -> Shown:
    aspect, people = ("faithfulness" if kind == "slots" else "correct"), "simulated" if kind == KINDS[0] else "real"
    report = document(gather(store, Selection(), 0, "export report"))
    rows = recall(store, Selection(suite=("s",), aspect=(aspect,)), BOARD)
    return Shown(folder, store, aspect, people, leaderboard(store, scope_of(store, "s")), rows, report)


def _ends(row: Mapping[str, Any]) -> Ends:
    return row["value"], row["low"], row["high"]


def _by_generator(rows: list[dict[str, Any]], shown: Shown) -> dict[str, Ends]:
    about = {"suite": "s", "aspect": shown.aspect, "people": shown.people, "statistic": "mean", "task": "all", "target": None}
    return {row["generator"]: _ends(row) for row in rows if about.items() <= row.items() and row["generator"] != "all"}


def _results(store: Store) -> str:
    """Return all that Results shows, as HTML."""
    *_, whole = ResultsPage(store).draw_place(lambda _: [])
    assert whole.complete
    return rendered(htpy.fragment[whole.scope, whole.content])


def _trust(store: Store, **asked: str) -> str:
    """Return all that Trust shows, as HTML."""
    *_, whole = TrustPage(store).draw_place(lambda name: [asked[name]] if name in asked else [])
    return rendered(htpy.fragment[whole.content])


def _compare(store: Store, **asked: str) -> str:
    """Return all that Compare shows of two generators, as HTML."""
    *_, whole = ComparePage(store).draw_place(lambda name: [asked[name]] if name in asked else [])
    return rendered(htpy.fragment[whole.content])


def _texts(shown: Shown) -> list[str]:
    """Every headline of the pages and the report."""
    summary_section = shown.report.sections[0]
    texts = [
        _results(shown.store),
        _trust(shown.store),
        *summary_section.points,
    ]
    for first, second in permutations(QUALITY, 2):
        texts.append(_compare(shown.store, suite="s", a=first, b=second, by=shown.who, aspect=shown.aspect))
    return [unescape(re.sub("<[^>]+>", "", re.sub("</(p|h1|a|div)>", "\n", text))) for text in texts]


def test_peoples_mean_of_a_generator_is_one_number(shown: Shown) -> None:
    expected = _by_generator(
        recall(shown.store, shown.selection, Options(statistics=("mean",))).to_json()["among_people"], shown
    )
    assert set(expected) == set(QUALITY)
    assert all(None not in ends for ends in expected.values())
    # images weigh equally
    judgements = concord_judgements(shown)
    by_image = judgements.groupby(["generator", "item"])["number"].mean().groupby("generator").mean()
    assert {name: ends[0] for name, ends in expected.items()} == pytest.approx(by_image.to_dict())
    # Results
    cells = {name: shown.board.cells[name, shown.who, "all"] for name in QUALITY}
    assert {name: (cell.value, cell.low, cell.high) for name, cell in cells.items()} == expected
    # the report, and what it exports
    assert _by_generator(shown.report.data["among_people"], shown) == expected
    # Estimates and `estimate`, where every image has its answers: nothing is left to estimate
    estimated = {
        (row.scorer, row.generator): row
        for row in estimate(shown.store, shown.selection, EstimateOptions(at_random=True))
        if row.task == "all" and row.generator != "all"
    }
    for (_, generator), row in estimated.items():
        assert row.n_unlabelled == 0
        assert (row.value, row.low, row.high) == pytest.approx(expected[generator], abs=1e-12)
        assert (row.labels_mean, row.labels_low, row.labels_high) == (row.value, row.low, row.high)


def concord_judgements(shown: Shown) -> pd.DataFrame:
    """People's answers."""
    from data.store.core import frame

    table = frame.frame(shown.store, shown.selection)
    return table[(table["kind"] == "human") & (table["aspect"] == shown.aspect) & table["excluded"].isna()]


def test_the_difference_of_two_generators_is_one_number(shown: Shown) -> None:
    leads = {each.second: each for each in shown.board.leads}
    best = shown.board.generators[0]
    assert set(leads) == set(QUALITY) - {best}
    against = {
        (other, row.generator): row
        for other in leads
        for row in estimate(shown.store, shown.selection, EstimateOptions(at_random=True, against=other, scorers=("verdicts",)))
        if row.statistic == "difference" and row.task == "all"
    }
    for other, difference in leads.items():
        by = shown.board.raters[0]
        assert by.name == shown.who
        compared = compare_models(shown.store, "s", other, best, RatedAspect(by.name, by.aspect)).overall
        assert compared is not None
        assert replace(compared, p_holm=None) == replace(difference, p_holm=None)
        difference = _difference(shown, best, other)
        row = against[other, best]
        assert (row.value, row.low, row.high) == pytest.approx((difference.value, difference.low, difference.high), abs=1e-12)
        # all were asked the same prompts, so that it is the difference of the two numbers that are printed
        cells = [shown.board.cells[name, shown.who, "all"].value or 0.0 for name in (best, other)]
        assert difference.value == pytest.approx(cells[0] - cells[1])


def test_the_order_of_generators_is_one_order(shown: Shown) -> None:
    assert shown.trust.generators == shown.board.generators


def test_scorers_have_no_level_of_another_statistic_beside_them(shown: Shown) -> None:
    table = _trust(shown.store).partition("cc-trust-table")[2].partition("</table>")[0]
    assert "cc-dot-level" in table
    assert not re.search("Fleiss|Krippendorff|AC1|AC2", table)
    section = next(each for each in shown.report.sections if each.title == "What scorers are good for")
    for part in section.tables:
        people = next(row.cells for row in part.rows if row.cells[0].text == "people")
        assert people[-1].text == ""


def test_every_headline_says_the_same(shown: Shown) -> None:
    said, texts = shown.board.headline, _texts(shown)
    assert said is not None
    assert said.by == shown.who
    # Results and the report
    assert sum(board_sentence(shown.board)[0] in text for text in texts) == 2
    # what Compare says of two generators is what the headline says of them
    for text in texts:
        for found in re.finditer(r"(\w+) (beats|is below) (\w+):", text):
            first, second = (found[1], found[3]) if found[2] == "beats" else (found[3], found[1])
            assert headlines.direction(_difference(shown, first, second)) == "better"


def _difference(shown: Shown, first: str, second: str) -> GeneratorDifference:
    made = compare_models(shown.store, "s", second, first, RatedAspect(shown.who, shown.aspect)).overall
    assert made is not None
    return made


def test_nothing_is_best_without_an_interval_above_0(shown: Shown) -> None:
    for text in _texts(shown):
        assert " leads " not in text
        assert "best scorer" not in text
        for found in re.finditer(r"(\w+) is best by", text):
            assert all(_difference(shown, found[1], other).low > 0 for other in QUALITY if other != found[1])  # type: ignore[operator]
        for found in re.finditer(r"(\w+)(?: agrees with|, closest to)", text):
            if found[1] in ("metric", "verdicts", "noise"):
                lows = [row.low for row in shown.rows.raters if row.rater == found[1] and row.task == "all"]
                assert any(low is not None and low > 0 for low in lows)


@pytest.mark.parametrize("statistic", ["spearman", "pearson", "cohen_kappa", "percent_agreement"])
def test_peoples_level_is_that_of_one_person_by_the_same_statistic(shown: Shown, statistic: str) -> None:
    rows = {(row.rater, row.statistic): row for row in shown.rows.raters if (row.task, row.people) == ("all", shown.people)}
    made = trust(shown.store, shown.selection, statistic=statistic)
    for rater in made.scorers:
        cell = rater.cells["judge"]
        row = rows[rater.name, cell.statistic]
        assert cell.level == row.ceiling
        wanted = rows.get((rater.name, statistic))
        assert cell.statistic == statistic or wanted is None or wanted.value is None
    drawn = _trust(shown.store, statistic=statistic).partition("cc-trust-table")[2].partition("</table>")[0]
    bands = sum(
        cell.level is not None and cell.level.value is not None for each in made.scorers for cell in each.cells.values()
    )
    opened = open_scope(shown.store, Scope("s"))
    assert opened is not None
    if any(choice.value == statistic and not choice.reason for choice in opened.choices["statistic"]):
        assert drawn.count('class="cc-dot-level"') == bands
    assert "among themselves" not in unescape(drawn)


def test_without_a_level_the_number_says_why_and_no_band_is_drawn(shown: Shown) -> None:
    none = Ceiling(None, None, None, 0, 0, Reason(ReasonCode.NOBODY_RATED), NO_METHOD)
    made = shown.trust
    raters = tuple(
        replace(each, cells={use: replace(cell, level=none) for use, cell in each.cells.items()}) for each in made.scorers
    )
    table = rendered(trust_table(replace(made, raters=raters), TrustView(), ""))
    assert "cc-dot-level" not in table
    assert "no level of people: nobody rated its images here" in unescape(table)


def test_the_reports_band_is_that_of_the_page(shown: Shown) -> None:
    (figure,) = next(each for each in shown.report.sections if each.title == "Whom may one trust?").figures
    cells = [each.cells["judge"] for each in shown.trust.scorers if each.cells["judge"].statistic == shown.trust.statistic]
    levels = [each.level.value for each in cells if each.level is not None and each.level.value is not None]
    assert figure.drawn.count("cc-dot-level") == len(levels)
    column = [column.title for column in figure.table.columns].index("One person in its place")
    assert [row.cells[column].text[:4] for row in figure.table.rows] == [f"{level:z.2f}" for level in levels]


def test_tiles_say_how_one_person_does_by_the_same_statistic(shown: Shown) -> None:
    for rater in shown.board.raters:
        if rater.kind != "scorer":
            assert rater.agreement is None  # people's own agreement is no level for a scorer
        elif rater.level is not None and rater.level.value is not None:
            (row,) = (
                row for row in shown.rows.raters if (row.rater, row.statistic, row.task) == (rater.name, rater.statistic, "all")
            )
            assert row.ceiling is not None
            assert (rater.level.value, rater.level.beside) == (row.ceiling.value, row.ceiling.verdict.scorer)


@pytest.mark.parametrize("kind", KINDS)
def test_few_answers_have_no_winner(tmp_path: Path, kind: str) -> None:
    """Four prompts: whatever they say, it is too few to compare generators, on every page."""
    with Store(tmp_path / "project") as store:
        fill(store, kind, prompts=4, quality={"good": 4.0, "poor": -4.0})
        made = _shown(tmp_path, store, kind)
        assert made.board.headline is not None
        assert made.board.headline.state == "few"
        results = _results(store)
        for text in [results, *made.report.sections[0].points]:
            assert " is best " not in text
            assert "beats" not in text
        assert re.search("Too few (answers|scores) yet", results)
        compared = _compare(store, suite="s", a="poor", b="good", by=made.who, aspect=made.aspect)
        assert "Too few answers yet" in compared
        # a cell of so few prompts is muted, and says whose it is and on how many prompts it rests; nothing is ranked
        assert "cc-heat is-" in results
        assert "is-few" in results
        assert re.search(f'title="{made.board.raters[0].name}, [^"]*: [^"]* prompts?,', results)
        assert (dict(made.board.ranks), bool(made.board.unranked)) == ({}, True)
        assert made.board.unranked in results
    library = concord.open(tmp_path / "project")
    means = library.agreement(statistics=["mean"], suite="s").among_people
    mine = means[(means["task"] == "all") & (means["aspect"] == made.aspect) & (means["people"] == made.people)]
    cells = {name: made.board.cells[name, made.who, "all"] for name in ("good", "poor")}
    library_means = {row.generator: row.value for row in mine.itertuples() if row.generator != "all"}
    assert library_means == {name: cell.value for name, cell in cells.items()}
    estimates = library.estimate(labelled_at_random=True, scorer="metric", suite="s")
    estimated = estimates[(estimates["task"] == "all") & (estimates["statistic"] == "estimate")]
    assert {row.generator: row.value for row in estimated.itertuples() if row.generator != "all"} == pytest.approx(
        library_means
    )
