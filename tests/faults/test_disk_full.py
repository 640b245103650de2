"""A full disk: one clear sentence, nothing half done, and when there is room again everything goes on without a restart."""

from __future__ import annotations

import importlib
import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from data.jobs.runs import Observation, Run
from data.records import Rater
from data.store import imports, runs
from data.store.core import connections
from data.store.core.connections import NotWritten
from data.store.core.store import Store
from data.store.judgements import recording
from tests.data.store.small_project import answer, column, content, fill, pictures, submit
from tests.faults.limits import full, limited
from tests.ui import small_project
from tests.ui.http_visitor import World, first, make_project, open_world, saying
from ui.report import sections_methods


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store(tmp_path / "project") as made:
        yield made


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    with open_world(make_project(tmp_path / "template"), tmp_path / "world") as made:
        yield made


def stored_answers(store: Store) -> list[Any]:
    return column(store, "select annotation_id from annotations order by seq")


def test_an_answer_is_answered_with_a_sentence_and_saved_once_when_there_is_room(world: World) -> None:
    client = world.person()
    body = saying(first(client)["ticket"])
    with full(world.store.project):
        refused = client.post("/api/submit", json=body)
    assert refused.status_code == 503
    detail = refused.json()["detail"]
    assert detail.startswith("The server cannot save just now: the disk is full")
    assert str(world.store.project) not in detail, "no path of the machine is an annotator's business"
    assert world.column("select annotation_id from annotations where campaign_id is not null") == []
    # the browser sends it again, under the same id
    assert client.post("/api/submit", json=body).json()["new"] is True
    assert client.post("/api/submit", json=body).json()["new"] is False
    assert world.column("select annotation_id from annotations where campaign_id is not null") == [body["id"]]


def test_what_can_be_read_goes_on_meanwhile(world: World) -> None:
    with full(world.store.project):
        assert world.client().get("/api/studio/items").status_code == 200


def test_answers_that_waited_together_fail_together_and_each_can_be_sent_again(store: Store) -> None:
    items = fill(store)
    with full(store.project):
        for item in items:
            with pytest.raises(NotWritten, match="the disk is full"):
                submit(store, item)
    assert stored_answers(store) == []
    sent = [submit(store, item).annotation_id for item in items]
    assert stored_answers(store) == sent


def test_a_database_that_duckdb_gave_up_is_opened_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # a log that is moved into the database soon: where that fails DuckDB refuses everything from then on
    monkeypatch.setitem(connections._CONFIG, "checkpoint_threshold", "150KB")
    with Store(tmp_path) as store:
        (item, *_) = fill(store)
        acknowledged, refused = [], 0
        with limited(280_000):
            for n in range(300):
                annotation = answer(item, f"person {n}", annotation_id=_id(n))
                try:
                    acknowledged.append(recording.submit(store, annotation).annotation_id)
                except NotWritten:
                    refused += 1
                    if refused > 3:
                        break
        assert refused > 3
        last = _patiently(store, item)
        assert stored_answers(store) == [*acknowledged, last]
    with Store(tmp_path) as store:
        assert stored_answers(store) == [*acknowledged, last]


def _patiently(store: Store, item: str) -> str:
    """As the browser does: the same answer until it is taken."""
    annotation = answer(item, "patient", annotation_id=_id(999))
    for _ in range(100):
        try:
            return recording.submit(store, annotation).annotation_id
        except NotWritten:
            time.sleep(0.1)
    raise AssertionError("the database did not come back")


def _id(n: int) -> str:
    return f"00000000-0000-4000-8000-{n:012}"


def test_an_import_is_whole_or_not_there(store: Store) -> None:
    fill(store)
    before = content(store)
    with full(store.project), pytest.raises(NotWritten, match="make room"):
        imports.apply(store, [pictures(500, "g2")])
    assert content(store) == before
    imports.apply(store, [pictures(500, "g2")])
    assert column(store, "select count(*) from images where generator = 'g2'") == [500]


def test_a_module_first_imported_meanwhile_can_be_imported_later(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # else these tests would break the working copy's own modules for every process that comes after
    (tmp_path / "meanwhile.py").write_text("N = 1\n" * 200)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    with limited(40):
        importlib.import_module("meanwhile")
    monkeypatch.delitem(sys.modules, "meanwhile")
    assert importlib.import_module("meanwhile").N == 1
    monkeypatch.delitem(sys.modules, "meanwhile")
    assert sys.dont_write_bytecode is False


@pytest.mark.skipif(shutil.which("git") is None, reason="there is no git")
def test_asking_git_for_the_revision_leaves_no_lock_in_the_working_copy(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def git(*words: str) -> None:
        who = ("-c", "user.name=x", "-c", "user.email=x@example.org", "-c", "commit.gpgsign=false")
        subprocess.run(["git", "-C", str(tmp_path), *who, *words], check=True, capture_output=True)

    (tmp_path / "code.py").write_text("N = 1\n")
    git("init")
    git("add", "code.py")
    git("commit", "-m", "one")
    # git knows it by another time, so that its index is to be written anew
    os.utime(tmp_path / "code.py", (1, 1))
    monkeypatch.setattr(sections_methods, "_HERE", tmp_path)
    with limited(40):
        assert re.fullmatch(r"[0-9a-f]{12}", sections_methods.revision.__wrapped__())
    assert not (tmp_path / ".git" / "index.lock").exists()


def test_a_part_of_a_run_is_in_or_not(store: Store) -> None:
    items = fill(store)
    runs.add_run(store, Run("0001-x", "geneval", "1", "p", {}), Rater("x", "scorer", None, "1", {}), "runs/0001-x", len(items))
    part = [(Observation(item, {}, (), "unreadable"), ()) for item in items]
    with full(store.project), pytest.raises(NotWritten):
        runs.ingest(store, "0001-x", 0, part, "geneval-1")
    assert column(store, "select count(*) from evidence") == [0]
    assert column(store, "select count(*) from run_parts") == [0]
    assert runs.ingest(store, "0001-x", 0, part, "geneval-1")
    assert not runs.ingest(store, "0001-x", 0, part, "geneval-1"), "a part is taken in once"


_FILES: Mapping[str, tuple[str, ...]] = {
    "ratings.csv": ("export", "ratings", "-o"),
    "judgements.parquet": ("export", "judgements", "-o"),
    "report.html": ("export", "report", "--format", "html", "-o"),
    "copy.duckdb": ("export", "snapshot", "-o"),
}


@pytest.mark.parametrize("name", sorted(_FILES))
def test_a_file_is_whole_or_not_there(tmp_path: Path, name: str) -> None:
    project, target = tmp_path / "project", tmp_path / "out" / name
    target.parent.mkdir()
    images = small_project.geneval_folder(tmp_path / "sdv2")
    small_project.done(project, "import", "images", images, "--layout", "geneval", "--generator", "sdv2")
    ratings = small_project.ratings_csv(tmp_path / "r.csv", *(f"geneval/00000/sdv2/0,{who},5" for who in ("rita", "ruth")))
    small_project.done(project, "import", "ratings", ratings, *small_project.RATINGS, "--suite", "geneval")
    with limited(40):
        ran = small_project.concord(project, *_FILES[name], target)
    assert ran.status == 1
    assert len(ran.err.strip().splitlines()) == 1
    assert "File too large" in ran.err
    assert list(target.parent.iterdir()) == [], "something half done was left"
    small_project.done(project, *_FILES[name], target)
    assert target.stat().st_size > 40
