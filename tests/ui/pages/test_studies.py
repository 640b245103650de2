"""The page Studies: what a project's studies print beside what its ratings give, and where the images behind a number are."""

from __future__ import annotations

from pathlib import Path

import pytest
from starlette.testclient import TestClient

from concord.studies.benchmarks import compared_numbers, imported_studies
from concord.studies.judges import judges_of
from data.store.core.store import Store
from data.studies.arena import ARENA
from data.studies.imagenhub import IMAGENHUB
from data.studies.tia2 import TIA2
from data.studies.viescore import VIESCORE
from tests.concord.studies import small_studies
from tests.ui.drawn_pages import as_text
from tests.ui.http_visitor import TOKEN
from tests.ui.small_project import done
from ui.pages.studies import StudiesPage, StudiesView, address, judges_html, numbers_table
from ui.shell.html import rendered
from ui.web.server import create_app


@pytest.fixture
def project(tmp_path: Path) -> Path:
    small_studies.imagenhub(tmp_path / "imagenhub")
    small_studies.viescore(tmp_path / "viescore")
    small_studies.tia2(tmp_path / "tia2")
    small_studies.arena(tmp_path / "arena")
    done(tmp_path / "p", "import", "study", "viescore", tmp_path / "viescore", tmp_path / "imagenhub")
    done(tmp_path / "p", "import", "study", "tia2", tmp_path / "tia2")
    done(tmp_path / "p", "import", "study", "arena", tmp_path / "arena")
    return tmp_path / "p"


def test_an_empty_project_says_what_to_do(tmp_path: Path) -> None:
    with Store(tmp_path / "p") as store:
        page = StudiesPage(store)
        assert list(page.draw(page.view({}))) == [None]
        assert "import study viescore" in page.teaching()


def test_the_studies_of_a_project_and_their_numbers(project: Path) -> None:
    with Store(project) as store:
        assert imported_studies(store) == ["imagenhub", "viescore", "tia2", "arena"]
        page = StudiesPage(store)
        view = page.view({"study": "tia2", "show": "same", "page": "9"})
        first, last, judges = (as_text(drawn or {}) for drawn in page.draw(view))
        assert first is not None
        assert last is not None
        assert judges is not None
        assert "2 of 2 shares are as released" in str(first["chapter"])
        assert "0.5000" in str(first["numbers"])
        # ours of the other studies, from a few files, are not what their papers print
        assert "2 of 20 numbers are as printed" in str(last["overview"])
        assert "No number of this study is different" in rendered(
            numbers_table(StudiesView("tia2", "different"), compared_numbers(store, "tia2"))
        )
        assert "no judge or metric to compare. People agree among themselves" in str(judges["judges"])
        assert "/studio/agreement?suite=tia2&amp;aspect=correct" in str(judges["judges"])
        assert page.view({"study": "nothing", "show": "nothing"}) == StudiesView("imagenhub", "all")


def test_judges_stand_beside_people(project: Path) -> None:
    with Store(project) as store:
        shown = rendered(judges_html(judges_of(store, "viescore", VIESCORE)))
        assert shown.count("<p>") == 2
        assert "/studio/agreement?suite=imagenhub&amp;aspect=perceptual_quality" in shown
        arena = rendered(judges_html(judges_of(store, "arena", ARENA)))
        assert "gpt agrees best (Cohen’s κ" in arena
        assert "whether one may replace a person is not known" in arena


def test_a_number_leads_to_its_images_or_votes(project: Path) -> None:
    with Store(project) as store:
        (share, _) = compared_numbers(store, "tia2")
        assert address(TIA2, share).endswith("suite=tia2&generator=sd2.1&q=tia2%2Fcomposition-000")
        (vote, *_) = compared_numbers(store, "arena")
        assert address(ARENA, vote).endswith("/studio/results/votes?suite=arena")
        kappa = compared_numbers(store, "imagenhub")[0]
        assert address(IMAGENHUB, kappa).endswith("/studio/images?suite=imagenhub&generator=DALLE")


def test_the_workbench_shows_what_a_judge_wrote(project: Path) -> None:
    with (
        Store(project) as store,
        TestClient(create_app(store, TOKEN, pages=False), base_url="http://localhost", client=("127.0.0.1", 1)) as client,
    ):
        shown = client.get("/api/studio/evidence", params={"id": "imagenhub/00000/DALLE/0"}).raise_for_status().json()
        judge = next(sight for sight in shown["scorers"] if sight["rater"] == "judge_0shot PQ")
        assert (judge["imported"], judge["score"]["value"], judge["reason"]) == (True, 3.0, "odd shape")
