"""The place Report: its first page says what Results and Agreement say, filters hold, and reports are made and taken."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Iterator
from html import unescape
from pathlib import Path
from typing import Any

import htpy
import pytest
from starlette.testclient import TestClient

from concord.comparison.leaderboard import board_sentence, leaderboard
from concord.comparison.trust import trust
from concord.reporting.first_page import first_page, main_question
from concord.scope import scope_of
from data.selection import Selection
from data.store.core.store import Store
from tests.ui.answered_projects import KINDS, QUALITY, fill
from tests.ui.http_visitor import TOKEN
from tests.ui.report_data import unpacked_data
from ui.pages.report import ReportPage
from ui.pages.report.view import ReportView
from ui.report.made_reports import MOST_REPORTS, begin_report, report_of, reports
from ui.shell.html import rendered
from ui.web.server import create_app


def drawings(store: Store, **asked: Any) -> list[Any]:
    every = {name: value if isinstance(value, list) else [value] for name, value in asked.items()}
    return list(ReportPage(store).draw_place(lambda name: every.get(name, [])))


def whole(store: Store, **asked: Any) -> str:
    *_, last = drawings(store, **asked)
    assert last.complete
    return rendered(htpy.fragment[last.scope, last.content])


def text(drawn: str) -> str:
    return " ".join(unescape(re.sub(r"<style>.*?</style>|<[^>]+>", " ", drawn, flags=re.DOTALL)).split())


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    with Store(tmp_path_factory.mktemp("place") / "project") as opened:
        fill(opened, KINDS[2])
        yield opened


@pytest.fixture
def client(store: Store) -> Iterator[TestClient]:
    app = create_app(store, TOKEN, pages=False)
    with TestClient(app, base_url="http://localhost", client=("127.0.0.1", 1)) as client:
        yield client


def test_the_first_page_says_what_results_and_agreement_say(store: Store) -> None:
    drawn = text(whole(store))
    main, rest = board_sentence(leaderboard(store, scope_of(store, "s")))
    assert f"{main}{rest}." in drawn
    made = trust(store, Selection(suite=("s",), aspect=("correct",)))
    assert made.sentence.main
    assert f"{made.sentence.main}{made.sentence.rest}." in drawn
    page = first_page(store, Selection())
    assert page is not None
    assert page.best_two is not None
    two = page.best_two.difference
    assert f"better on {two.wins}, the same on {two.ties}, worse on {two.losses} of {two.prompts} prompts" in drawn
    assert "A report on" in drawn


def test_points_are_drawn_before_intervals(store: Store) -> None:
    first, last = drawings(store)
    assert (first.complete, last.complete) == (False, True)
    quick = rendered(htpy.fragment[first.content])
    assert "cc-dot-point" in quick
    assert 'class="cc-dot-bar"' not in quick
    assert 'class="cc-dot-bar"' in whole(store)


def test_filters_restrict_the_first_page_and_stay_in_the_address(store: Store) -> None:
    chosen = sorted(QUALITY)[:2]
    drawn = whole(store, generator=chosen, since="2000-01-01", seed="3")
    assert sum(name in text(drawn.partition("<template>")[2]) for name in QUALITY) == 2
    assert "generator=" in drawn
    assert "since=2000-01-01&amp;seed=3" in drawn
    assert "must be a date" in text(whole(store, since="soon"))
    assert "Nothing that is selected counts" in text(whole(store, generator="nobody"))
    view = ReportView.read(lambda name: {"part": ["methods", "nonsense"], "format": ["csv"], "generator": chosen}.get(name, []))
    assert (view.parts, view.formats, view.selection) == (("methods",), ("csv",), Selection(generator=tuple(chosen)))
    again = dict.fromkeys(["part", "format"], "")
    assert again.keys() <= set(re.findall(r"[?&](\w+)=", view.address()))


def test_parts_without_data_are_grey_and_say_why(tmp_path: Path) -> None:
    with Store(tmp_path / "project") as opened:
        assert "Nothing is in this project yet" in text(whole(opened))
        fill(opened, "slots")
        drawn = whole(opened)
    assert "only of yes and no to “correct”" in text(drawn)
    assert re.search(r'value="failures"[^>]*disabled', drawn)
    assert "no published study is here" in text(drawn)


def test_a_report_is_made_taken_in_its_formats_and_the_oldest_goes(client: TestClient, store: Store) -> None:
    begun = client.post("/api/studio/report/make", json={"query": "?seed=2&part=methods&format=html"}).raise_for_status().json()
    key = begun["key"]
    for _ in range(600):
        state = client.get(f"/api/studio/reports/{key}").raise_for_status().json()
        if state["made"] or state["error"]:
            break
        time.sleep(0.1)
    assert state["made"], state
    taken = client.get(f"/api/studio/report/{key}/html").raise_for_status()
    assert taken.headers["content-disposition"].startswith('attachment; filename="report-')
    assert "<h2>How to make this again</h2>" in taken.text
    assert "<h2>Generators</h2>" not in taken.text
    data = json.loads(unpacked_data(taken.text))
    assert data["seed"] == 2
    assert "--seed 2 --part methods" in data["command"]
    assert client.get(f"/api/studio/report/{key}/docx").status_code == 404
    drawn = whole(store)
    assert f"/api/studio/report/{key}/html" in drawn
    assert "export report --seed 2 --part methods" in text(drawn)
    refused = client.post("/api/studio/report/make", json={"query": "generator=nobody"})
    assert (refused.status_code, "Remove one" in refused.json()["detail"]) == (422, True)
    for _ in range(MOST_REPORTS):
        begin_report(store, Selection(generator=("nobody",)), 0, (), ("html",))
    assert report_of(store, key) is None
    assert client.get(f"/api/studio/report/{key}/html").status_code == 404
    deadline = time.monotonic() + 60
    while any(not each.error for each in reports(store)) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert "There is nothing in this selection" in text(whole(store))


def test_the_question_is_what_sums_images_up(tmp_path: Path) -> None:
    with Store(tmp_path / "project") as opened:
        assert main_question(opened, Selection()) is None
        fill(opened, KINDS[2])
        found = main_question(opened, Selection())
        assert found is not None
        assert (found.suite, found.aspect) == ("s", "correct")
