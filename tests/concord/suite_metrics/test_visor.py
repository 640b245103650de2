"""VISOR's metrics of a project: command, library and report beside `judge visor --summary`, of a scorer and of people."""

from __future__ import annotations

import csv
import io
import json
import zipfile
from html import unescape
from pathlib import Path
from typing import Any
from urllib.parse import quote

import htpy
import pytest

import concord
from agreement import Options
from concord.common import wording
from concord.comparison.leaderboard import leaderboard
from concord.scope import Scope, open_scope
from concord.suite_metrics import recall
from concord.suite_metrics.board_metrics import board_metrics, sorted_by_metric
from concord.suite_metrics.overview_tables import metric_tables
from data.selection import Selection
from data.store.core.store import Store
from tests.concord.suite_metrics.visor_project import SCORER, VisorProject, make
from tests.ui.small_project import done
from ui.components.dots import number_title
from ui.pages.results import ResultsPage
from ui.shell.html import rendered

NAMES = {
    "OA": "visor_oa", "VISOR_uncond": "visor_uncond", "VISOR_cond": "visor_cond", "VISOR_1": "visor_1", "VISOR_2": "visor_2",
    "VISOR_3": "visor_3", "VISOR_4": "visor_4",
}  # fmt: skip
Rows = list[dict[str, Any]]


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> VisorProject:
    """Prompts in pairs of equivalent ones, with four images of each by two generators."""
    return make(tmp_path_factory.mktemp("visor"), prompts=100)


def of_summary(summary: dict[str, Any]) -> dict[tuple[str, str, str], float | None]:
    """Return the summary's numbers by generator, task and statistic, as shares."""
    numbers: dict[tuple[str, str, str], float | None] = {}
    for generator in summary["generators"]:
        parts = {"all": summary["generators"][generator], **summary["relations"][generator]}
        numbers |= {(generator, task, NAMES[key]): part[key] for task, part in parts.items() for key in NAMES}
        alike = summary["consistency"][generator]
        numbers |= {(generator, task, "visor_consistency"): alike[task] for task in ("left", "right", "above", "below")}
        numbers[generator, "all", "visor_consistency"] = alike["average"]
    return {key: None if value is None else value / 100 for key, value in numbers.items()}


def compare(rows: Rows, summary: dict[str, Any], rater: str | None) -> None:
    mine = {
        (row["generator"], row["task"], row["statistic"]): row["value"]
        for row in rows
        if row["rater"] == rater and row["generator"] != "all" and row["task"] != "tasks_mean"
    }
    expected = of_summary(summary)
    known = {key for key, value in expected.items() if value is not None}
    assert len(known) > 60
    # a relation of no pair of equivalent prompts has no row; or one with a reason
    assert {key: mine[key] for key in known} == pytest.approx({key: expected[key] for key in known}, abs=1e-12)
    assert {key for key, value in mine.items() if value is not None} == known


def test_command_library_and_report_say_what_the_summary_says(project: VisorProject, tmp_path: Path) -> None:
    printed: Rows = json.loads(done(project.folder, "agreement", "--format", "json"))["suite_metrics"]
    table = concord.open(project.folder).agreement().suite_metrics
    done(project.folder, "export", "report", "-o", tmp_path / "report.zip", "--format", "csv")
    with zipfile.ZipFile(tmp_path / "report.zip") as archive:
        reported = [*csv.DictReader(io.StringIO(archive.read("suite_metrics.csv").decode()))]
    by_library: Rows = json.loads(table.to_json(orient="records", double_precision=15))
    by_report: Rows = [
        {**row, "rater": row["rater"] or None, "value": float(row["value"]) if row["value"] else None} for row in reported
    ]
    for rows in (printed, by_library, by_report):
        compare(rows, project.summary(project.scorer), SCORER)
        compare(rows, project.summary(project.people), None)


def test_results_and_the_report_show_one_table(project: VisorProject) -> None:
    rows: Rows = json.loads(done(project.folder, "agreement", "--format", "json", "--no-intervals"))["suite_metrics"]
    with Store(project.folder) as store:
        whole, by_task = metric_tables(recall(store, Selection(), Options(intervals=False)))
        results = drawn(store, numbers="1")
    assert (whole.folded, by_task.folded) == (False, True)
    titles = {column.title: n for n, column in enumerate(whole.columns)}
    shown = {(row.cells[0].text, row.cells[1].text): row.cells for row in whole.rows}
    for row in rows:
        if row["task"] == "all" and row["generator"] != "all":
            cell = shown[row["generator"], row["rater"] or "people"][titles[wording.title(row["statistic"])]]
            assert cell.exact == row["value"]
    assert whole.caption in results


def drawn(store: Store, **asked: str) -> str:
    *_, last = ResultsPage(store).draw_place(lambda name: [asked[name]] if name in asked else [])
    return rendered(htpy.fragment[last.content])


def test_the_leaderboard_has_a_switch_to_the_metrics_people_over_the_scorer(project: VisorProject) -> None:
    with Store(project.folder) as store:
        opened = open_scope(store, Scope())
        assert opened is not None
        (metrics,) = board_metrics(store, opened.scope, leaderboard(store, opened.scope))
        before, after = drawn(store), drawn(store, metrics="visor")
    assert [each.name for each in metrics.raters] == ["people", SCORER]
    assert [each.heading for each in metrics.columns] == ["OA", "cond", "≥ 1", "≥ 2", "≥ 3", "≥ 4", "consist."]
    for rater, evidence in (("people", project.people), (SCORER, project.scorer)):
        expected = of_summary(project.summary(evidence))
        for generator in ("alpha", "beta"):
            for column in metrics.columns:
                row = metrics.cells[generator, rater, column]
                assert row.value == pytest.approx(expected[generator, "all", column.statistic], abs=1e-4)
                assert row.low is not None
    assert "VISOR 1–4" in before
    best = metrics.cells["alpha", "people", metrics.columns[0]]
    assert number_title(best) not in before
    assert f"people: {number_title(best)}" in after


def test_a_heading_of_a_metric_sorts_the_rows_by_it(project: VisorProject) -> None:
    with Store(project.folder) as store:
        opened = open_scope(store, Scope())
        assert opened is not None
        board = leaderboard(store, opened.scope)
        (metrics,) = board_metrics(store, opened.scope, board)
        for column in metrics.columns:
            made = sorted_by_metric(board, (metrics,), column.sort)
            values = [metrics.cells[name, "people", column].value or 0.0 for name in made.generators]
            assert values == sorted(values, reverse=True)
            # nothing tests a metric's differences, so it ranks nobody
            assert (made.ranks, column.heading in made.unranked) == ({}, True)
            assert f"sort={quote(column.sort)}" in unescape(drawn(store, metrics="visor", all="1"))
        assert sorted_by_metric(board, (metrics,), "people") is board


def test_every_number_has_an_interval_and_counts(project: VisorProject) -> None:
    rows: Rows = json.loads(done(project.folder, "agreement", "--format", "json", "--statistic", "visor_cond"))["suite_metrics"]
    assert {row["statistic"] for row in rows} == {"visor_cond"}
    assert {(row["rater"], row["people"], row["kind"]) for row in rows} == {
        (None, "real", "human"), (SCORER, None, "scorer")
    }  # fmt: skip
    for row in rows:
        assert row["low"] < row["value"] < row["high"]
        assert row["n_ratings"] >= row["n_items"] > 0
        assert "images with both objects in the relation / images with both objects" in row["method"]
    other = json.loads(done(project.folder, "agreement", "--format", "json", "--statistic", "cohen_kappa", "--no-intervals"))
    assert other["suite_metrics"] == []
    assert other["raters"]
