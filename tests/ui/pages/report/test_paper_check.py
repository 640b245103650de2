"""Check against a paper: a study's printed numbers beside ours, different first, and where the images behind a number are."""

from __future__ import annotations

from pathlib import Path

import pytest
from starlette.testclient import TestClient

from concord.studies.benchmarks import compared_numbers, imported_studies
from data.store.core.store import Store
from data.studies.arena import ARENA
from data.studies.imagenhub import IMAGENHUB
from data.studies.tia2 import TIA2
from tests.concord.studies import small_studies
from tests.ui.http_visitor import TOKEN
from tests.ui.pages.report.test_place import text, whole
from tests.ui.small_project import done
from ui.pages.report.paper_check import address, difference
from ui.web.server import create_app


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("studies")
    small_studies.imagenhub(folder / "imagenhub")
    small_studies.viescore(folder / "viescore")
    small_studies.tia2(folder / "tia2")
    small_studies.arena(folder / "arena")
    done(folder / "p", "import", "study", "viescore", folder / "viescore", folder / "imagenhub")
    done(folder / "p", "import", "study", "tia2", folder / "tia2")
    done(folder / "p", "import", "study", "arena", folder / "arena")
    return folder / "p"


def test_a_study_says_how_many_numbers_are_as_printed_what_it_claims_and_how_its_judges_stand(project: Path) -> None:
    with Store(project) as store:
        assert imported_studies(store) == ["imagenhub", "viescore", "tia2", "arena"]
        drawn = text(whole(store, study="tia2"))
        assert "2 of 2 numbers are as printed." in drawn
        assert "2 of 2 shares are as released" in drawn
        assert "0.5000" in drawn
        assert "no judge or metric to compare. People agree among themselves" in drawn
        assert "/studio/agreement?suite=tia2&amp;aspect=correct" in whole(store, study="tia2")
        assert "No number of this study is different" in text(whole(store, study="tia2", show="different"))
        arena = text(whole(store, study="arena"))
        assert "gpt agrees best (Cohen’s κ" in arena
        assert "whether one may replace a person is not known" in arena
        # a study that is not here: the first one
        assert "ImagenHub" in text(whole(store, study="nothing", show="nothing"))


def test_what_differs_stands_first_and_is_a_sentence(project: Path) -> None:
    with Store(project) as store:
        lines = compared_numbers(store, "imagenhub")
        different = next(line for line in lines if line.verdict == "different")
        drawn = whole(store, study="imagenhub")
        assert difference(different).startswith(
            f"{different.number.called}: the paper prints {different.number.printed}, its files"
        )
        assert difference(different) in text(drawn)
        table = text(drawn.partition("cc-paper-numbers")[2].partition("</table>")[0])
        assert table.index("different") < (table.index(" same") if " same" in table else len(table))


def test_a_number_leads_to_its_images_or_votes(project: Path) -> None:
    with Store(project) as store:
        (share, _) = compared_numbers(store, "tia2")
        assert address(TIA2, share).endswith("suite=tia2&generator=sd2.1&q=tia2%2Fcomposition-000")
        (vote, *_) = compared_numbers(store, "arena")
        assert address(ARENA, vote).endswith("/studio/results/votes?suite=arena")
        kappa = compared_numbers(store, "imagenhub")[0]
        assert address(IMAGENHUB, kappa).endswith("/studio/images?suite=imagenhub&generator=DALLE")


def test_the_drawer_shows_what_a_judge_wrote(project: Path) -> None:
    with (
        Store(project) as store,
        TestClient(create_app(store, TOKEN, pages=False), base_url="http://localhost", client=("127.0.0.1", 1)) as client,
    ):
        shown = client.get("/api/studio/evidence", params={"id": "imagenhub/00000/DALLE/0"}).raise_for_status().json()
        judge = next(sight for sight in shown["scorers"] if sight["rater"] == "judge_0shot PQ")
        assert (judge["imported"], judge["score"]["value"], judge["reason"]) == (True, 3.0, "odd shape")
