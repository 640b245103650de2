"""``score`` and ``import scores`` with a scorer without models: begun, stopped, killed, gone on with, forwarded, rebuilt."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import duckdb
import pytest

from concord.runs import queue, run_session, score, worker_process
from concord.runs.image_limit import draw
from data.jobs.runs import Observation, Run, RunFolder
from data.selection import Selection
from data.store import runs
from data.store.core.connections import DATABASE
from data.store.core.store import Store
from data.store.runs import RunRow
from tests.ui import cow_scorer, small_project
from tests.ui.http_visitor import TOKEN, World
from tests.ui.server_process import free_port
from tests.ui.small_project import concord, done, query, tables

SCORE = ("score", cow_scorer.NAME)


@pytest.fixture(autouse=True)
def with_the_seer(monkeypatch: pytest.MonkeyPatch) -> None:
    """The scorer `seer` beside those that there are."""
    cow_scorer.known(monkeypatch)
    cow_scorer.within(monkeypatch, run_session)


@pytest.fixture(scope="module")
def _template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Folders ``project`` and ``sdv2`` (its images), made by the commands once."""
    folder = tmp_path_factory.mktemp("scoring")
    images = small_project.geneval_folder(folder / "sdv2")
    done(folder / "project", "import", "images", images, "--layout", "geneval", "--generator", "sdv2")
    return folder


@pytest.fixture
def pictured(_template: Path, project: Path, tmp_path: Path) -> Path:
    """A project with four images: the two of the first prompt show a cow, for the seer."""
    shutil.copytree(_template, tmp_path, dirs_exist_ok=True)
    with closing(duckdb.connect(str(project / DATABASE))) as connection:
        connection.execute("update images set path = replace(path, ?, ?)", [str(_template), str(tmp_path)])
    return project


def test_an_option_names_the_rater_where_it_is_set(tmp_path: Path) -> None:
    with Store(tmp_path / "project") as store:

        def rater(**overrides: str) -> str:
            return score.plan_scoring(store, "clipscore", "playground", overrides).rater.rater_id

        assert rater() == rater(variant="cos") == "clipscore-playground"
        assert rater(variant="100*cos") == "clipscore-playground[variant=100*cos]"


def listed(project: Path) -> list[RunRow]:
    with Store(project) as store:
        return runs.listed(store)


def made(project: Path, run_id: str = "0001-seer-playground") -> list[str]:
    """Numbers of the parts that workers made, in order."""
    return (project / "runs" / run_id / "made.txt").read_text().split()


def judgements(project: Path) -> list[Any]:
    return [row for row in tables(project)["judgements"] if row[1].startswith("seer")]


def until(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 60
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.02)


def test_every_image_is_judged_once(pictured: Path) -> None:
    ran = concord(pictured, *SCORE, "--batch-size", 3)
    assert (ran.status, ran.out) == (0, "4 images judged by seer-playground\n"), ran.err
    (run,) = listed(pictured)
    assert (run.state, run.n_items, run.n_done, run.parts, run.rater_id) == ("done", 4, 4, (0, 1), "seer-playground")
    assert run.settings == {"threshold": 0.5, "weights": {}}
    request = RunFolder(pictured / run.folder).job()
    assert request == Run(run.run_id, "seer", "1", "playground", run.settings, "cpu", 3)
    answers = query(pictured, "select item_id || ' ' || label from judgements where aspect = 'correct' order by item_id")
    assert answers == [f"geneval/{p:05d}/sdv2/{k} {'yes' if p == 0 else 'no'}" for p in range(2) for k in range(2)]
    before = tables(pictured)
    again = concord(pictured, *SCORE)
    assert (again.status, again.err) == (0, "")
    assert again.out == "nothing to do: seer-playground has judged all 4 images of this selection\n"
    assert tables(pictured) == before


def test_progress_is_told(pictured: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run_session, "_TELL_SECONDS", 0.0)
    monkeypatch.setenv("SEER_SECONDS", "0.5")
    ran = concord(pictured, *SCORE, "--batch-size", 2)
    assert ran.err.splitlines() == [
        "run 0001-seer-playground: 4 images to score on cpu",
        "0 of 4 images, loading the models",
        "2 of 4 images, 2.0 a second, about 1 s left",
        "4 of 4 images, 4.0 a second",
    ]


def test_what_looked_odd_is_told_once(pictured: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SEER_WARNING", "on a known photograph the detector finds no bus")
    ran = concord(pictured, *SCORE, "--batch-size", 1)
    assert ran.status == 0
    assert ran.err.count("warning: on a known photograph the detector finds no bus\n") == 1


def test_a_selection_and_a_limit(pictured: Path, tmp_path: Path) -> None:
    images = small_project.geneval_folder(tmp_path / "other", 1)
    done(pictured, "import", "images", images, "--layout", "geneval", "--generator", "other")
    assert done(pictured, *SCORE, "--generator", "other") == "2 images judged by seer-playground\n"
    assert done(pictured, *SCORE, "--task", "colors", "--limit", 1) == "1 image judged by seer-playground\n"
    assert done(pictured, *SCORE) == "3 images judged by seer-playground\n"
    assert [run.n_items for run in listed(pictured)] == [2, 1, 3]
    nothing = concord(pictured, *SCORE, "--generator", "nobody")
    assert (nothing.status, nothing.err) == (1, "score: no image with a file fits --generator nobody\n")


def test_other_settings_are_another_rater(pictured: Path) -> None:
    done(pictured, *SCORE)
    assert done(pictured, *SCORE, "--set", "threshold=0.95") == "4 images judged by seer-playground[threshold=0.95]\n"
    assert "nothing to do" in done(pictured, *SCORE, "--set", "threshold=0.5")
    sums = "select rater_id || ' ' || sum(value)::int from judgements where aspect = 'correct' group by rater_id order by 1"
    assert query(pictured, sums) == ["seer-playground 2", "seer-playground[threshold=0.95] 0"]
    assert [path.name for path in sorted((pictured / "runs").iterdir())] == [
        "0001-seer-playground",
        "0002-seer-playground-threshold=0.95",
    ]


@pytest.mark.parametrize(
    ("words", "status", "says"),
    [
        (("seeer",), 2, "there is no scorer 'seeer'"),
        (("seer", "--profile", "paper"), 2, "has no profile 'paper'"),
        (("seer", "--set", "treshold=1"), 2, "did you mean threshold?"),
        (("seer", "--set", "threshold=high"), 2, "must be a number"),
        (("seer", "--set", "threshold"), 2, "expected key=value"),
        (("seer",), 1, "this project has no images yet"),
    ],
)
def test_what_cannot_be_asked(project: Path, words: tuple[str, ...], status: int, says: str) -> None:
    ran = concord(project, "score", *words)
    assert (ran.status, ran.out, ran.err.count("\n")) == (status, "", 1)
    assert says in ran.err
    assert not (project / "runs").exists()
    assert listed(project) == []


def test_an_image_that_fails_is_named_and_tried_again(pictured: Path, tmp_path: Path) -> None:
    broken = tmp_path / "sdv2" / "00001" / "samples" / "0001.png"
    whole = broken.read_bytes()
    broken.write_bytes(b"x")
    ran = concord(pictured, *SCORE)
    assert ran.status == 1
    assert ran.out == "3 images judged by seer-playground, 1 failed: the file has changed since it was imported\n"
    assert "failed: geneval/00001/sdv2/1: the file has changed" in ran.err
    assert ran.err.endswith("score: 1 image could not be scored; the next score tries them again\n")
    assert listed(pictured)[0].state == "done"
    assert len(judgements(pictured)) == 2 * 3
    broken.write_bytes(whole)
    assert done(pictured, *SCORE) == "1 image judged by seer-playground\n"
    assert len(judgements(pictured)) == 2 * 4


def test_a_worker_that_is_killed_is_gone_on_with(pictured: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    done(pictured, *SCORE, "--set", "threshold=0.6", "--batch-size", 1)
    whole = [(row[0], row[2:7]) for row in judgements(pictured)]
    monkeypatch.setattr(worker_process, "subprocess", subprocess)  # real processes, to be really killed
    monkeypatch.setenv("SEER_DIES_AFTER", "2")
    ran = concord(pictured, *SCORE, "--batch-size", 1)
    assert (ran.status, ran.out) == (1, "")
    assert ran.err.splitlines()[-1] == (
        "score: run 0002-seer-playground failed after 2 of 4 images: the worker was killed (SIGKILL); "
        "perhaps the memory did not suffice"
    )
    assert len(tables(pictured)["run_parts"]) == 4 + 2
    monkeypatch.delenv("SEER_DIES_AFTER")
    again = concord(pictured, *SCORE)
    assert (again.status, again.out) == (0, "4 images judged by seer-playground\n")
    assert "going on with run 0002-seer-playground: 2 of 4 images are done" in again.err
    assert made(pictured, "0002-seer-playground") == ["0", "1", "2", "3"]
    here = [(row[0], row[2:7]) for row in judgements(pictured) if row[1] == "seer-playground"]
    assert here == whole
    assert [run.state for run in listed(pictured)] == ["done", "done"]


def test_a_worker_that_cannot_load_says_why(pictured: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SEER_ERROR", "the detector's weights are not there")
    ran = concord(pictured, *SCORE)
    assert ran.status == 1
    said = "score: run 0001-seer-playground failed after 0 of 4 images: the detector's weights are not there"
    assert ran.err.splitlines()[-1] == said
    assert (listed(pictured)[0].state, listed(pictured)[0].error) == ("failed", "the detector's weights are not there")
    # what a worker dies of before it can tell is on its last line
    monkeypatch.setattr(run_session, "WORKER", (sys.executable, "-c", "raise SystemExit('no such module')"))
    (pictured / "runs" / "0001-seer-playground" / "progress.json").unlink()
    assert concord(pictured, *SCORE).err.endswith("failed after 0 of 4 images: no such module\n")
    monkeypatch.setattr(run_session, "WORKER", cow_scorer.WORKER)
    monkeypatch.delenv("SEER_ERROR")
    assert done(pictured, *SCORE) == "4 images judged by seer-playground\n"
    assert listed(pictured)[0].error is None


# a shell that starts the tests in the background has them ignore Ctrl-C, and all their children
_CLI = """
import signal
import sys
signal.signal(signal.SIGINT, signal.default_int_handler)
import app
from scorers import registry
from tests.ui import cow_scorer
from concord.runs import run_session
registry.get = lambda name: cow_scorer.SCORER
run_session.WORKER = cow_scorer.WORKER
app.app()
"""


@pytest.fixture
def process(pictured: Path) -> Iterator[Callable[..., subprocess.Popen[str]]]:
    """The command line as a process of its own, half a second a part if nothing else is said."""
    begun: list[subprocess.Popen[str]] = []

    def start(*words: str, seconds: float = 0.5) -> subprocess.Popen[str]:
        line = [sys.executable, "-c", _CLI, *words, "--project", str(pictured)]
        environment = os.environ | {"SEER_SECONDS": str(seconds)}
        pipes: dict[str, Any] = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
        begun.append(subprocess.Popen(line, cwd=worker_process.ROOT, env=environment, text=True, **pipes))
        return begun[-1]

    yield start
    for popen in begun:
        if popen.poll() is None:
            popen.kill()
        popen.communicate()


@pytest.mark.slow
@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM])
def test_stopped_it_ends_its_part_and_goes_on_later(
    pictured: Path, process: Callable[..., subprocess.Popen[str]], how: signal.Signals
) -> None:
    running = process(*SCORE, "--batch-size", "1", seconds=1.0)
    folder = RunFolder(pictured / "runs" / "0001-seer-playground")
    until(lambda: bool(folder.parts()))
    running.send_signal(how)
    out, err = running.communicate(timeout=60)
    assert (running.returncode, out) == (1, ""), err
    assert "stopping after the images at hand" in err
    assert err.splitlines()[-1].endswith("run the same command again to continue")
    (run,) = listed(pictured)
    # the part that was being made when it was stopped is in
    assert run.state == "paused"
    assert list(run.parts) == folder.parts()
    assert 0 < len(run.parts) < 4
    assert not folder.at_work()
    assert "4 images judged" in done(pictured, *SCORE)
    assert made(pictured) == ["0", "1", "2", "3"]


@pytest.mark.slow
def test_killed_it_leaves_a_worker_whose_images_are_taken_in(
    pictured: Path, process: Callable[..., subprocess.Popen[str]]
) -> None:
    running = process(*SCORE, "--batch-size", "1")
    folder = RunFolder(pictured / "runs" / "0001-seer-playground")
    until(lambda: bool(folder.parts()))
    running.kill()
    running.communicate()
    assert folder.at_work()
    (run,) = listed(pictured)
    assert (run.state, run.n_done < 4) == ("running", True)
    ran = concord(pictured, *SCORE)
    assert (ran.status, ran.out) == (0, "4 images judged by seer-playground\n")
    assert "a worker from before is still at it" in ran.err
    assert made(pictured) == ["0", "1", "2", "3"]
    assert listed(pictured)[0].state == "done"


@pytest.mark.slow
def test_an_app_that_is_closed_takes_its_workers_along(pictured: Path, process: Callable[..., subprocess.Popen[str]]) -> None:
    # longer than the server waits for its clients
    server = process("serve", "--no-browser", "--port", str(free_port()), seconds=3)
    assert server.stdout
    assert server.stdout.readline().startswith("Concord is open at")
    client = process(*SCORE, "--batch-size", "1")
    folder = RunFolder(pictured / "runs" / "0001-seer-playground")
    until(lambda: bool(folder.parts()))
    server.send_signal(signal.SIGTERM)
    assert server.wait(60) == 0
    assert client.wait(60) == 1
    until(lambda: not folder.at_work())
    assert 0 < len(folder.parts()) < 4
    assert listed(pictured)[0].state == "paused"
    assert done(pictured, *SCORE) == "4 images judged by seer-playground\n"
    assert made(pictured) == ["0", "1", "2", "3"]


@pytest.mark.slow
def test_a_client_that_goes_away_leaves_the_run_at_work(pictured: Path, process: Callable[..., subprocess.Popen[str]]) -> None:
    server = process("serve", "--no-browser", "--port", str(free_port()))
    assert server.stdout
    server.stdout.readline()
    client = process(*SCORE, "--batch-size", "1")
    folder = RunFolder(pictured / "runs" / "0001-seer-playground")
    until(lambda: bool(folder.parts()))
    client.send_signal(signal.SIGINT)
    client.wait(60)
    until(lambda: len(folder.parts()) == 4 and not folder.at_work())
    until(lambda: "nothing to do" in concord(pictured, *SCORE).out)
    server.send_signal(signal.SIGTERM)
    server.wait(60)
    assert listed(pictured)[0].state == "done"


def test_a_run_whose_folder_is_gone_is_given_up(pictured: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SEER_DIES_AFTER", "1")
    concord(pictured, *SCORE, "--batch-size", 1)
    monkeypatch.delenv("SEER_DIES_AFTER")
    shutil.rmtree(pictured / "runs")
    ran = concord(pictured, *SCORE)
    assert (ran.status, ran.out) == (0, "3 images judged by seer-playground\n")
    assert "the folder of run 0001-seer-playground is gone" in ran.err
    assert [(run.run_id, run.state, run.n_done) for run in listed(pictured)] == [
        ("0001-seer-playground", "lost", 1),
        ("0002-seer-playground", "done", 3),
    ]


def test_a_part_that_does_not_fit_fails_the_run(pictured: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SEER_DIES_AFTER", "1")
    concord(pictured, *SCORE, "--batch-size", 1)
    monkeypatch.delenv("SEER_DIES_AFTER")
    folder = RunFolder(pictured / "runs" / "0001-seer-playground")
    folder.write_part(1, [Observation("geneval/99999/sdv2/0")])
    ran = concord(pictured, *SCORE)
    assert ran.status == 1
    assert "images that this project does not have" in ran.err.splitlines()[-1]
    assert "images that this project does not have" in (listed(pictured)[0].error or "")
    assert not folder.at_work()


def test_rebuild_judges_again(pictured: Path) -> None:
    done(pictured, *SCORE)
    before = tables(pictured)
    assert done(pictured, "rebuild") == "8 judgements remade from their sources\n"
    assert tables(pictured) == before


@pytest.fixture
def elsewhere(pictured: Path, tmp_path: Path) -> RunFolder:
    """The folder of a run over all images, finished on another machine."""
    folder = RunFolder(tmp_path / "elsewhere")
    with Store(pictured) as store:
        work = runs.pending(store, Selection(), "x")
    folder.create(Run("mine", "seer", "1", "playground", {"threshold": 0.5, "weights": {}}, part_size=3), work)
    cow_scorer.finish(folder)
    return folder


def test_scores_made_elsewhere_are_the_same_as_those_made_here(pictured: Path, elsewhere: RunFolder) -> None:
    before = tables(pictured)
    said = done(pictured, "import", "scores", elsewhere.path)
    assert said == "4 images judged by seer-playground (import 2; to take it back: import undo 2)\n"
    there = tables(pictured)
    assert done(pictured, "import", "scores", elsewhere.path) == "nothing to do: this was imported before, as import 2\n"
    assert "nothing to do" in done(pictured, *SCORE)
    assert tables(pictured) == there
    assert concord(pictured, "import", "undo", 1).status == 1
    done(pictured, "import", "undo", 2)
    assert tables(pictured) == before
    done(pictured, *SCORE)
    without_numbers = [[row[:7] for row in rows["judgements"]] for rows in (there, tables(pictured))]
    assert without_numbers[0] == without_numbers[1]


def test_scores_that_do_not_fit_are_refused(pictured: Path, elsewhere: RunFolder, tmp_path: Path) -> None:
    before = tables(pictured)

    def refused(folder: Path) -> str:
        ran = concord(pictured, "import", "scores", folder)
        assert (ran.status, ran.out, ran.err.count("\n")) == (1, "", 1)
        assert tables(pictured) == before
        assert not (pictured / "runs").exists()
        return ran.err

    assert "no run.json" in refused(tmp_path / "nowhere")
    manifest = elsewhere.path / "manifest.jsonl"
    text = manifest.read_text()
    manifest.write_text(text.replace("geneval/00001", "geneval/00007"))
    assert "not finished" in refused(elsewhere.path)
    shutil.rmtree(elsewhere.path / "parts")
    (elsewhere.path / "parts").mkdir()
    cow_scorer.finish(elsewhere)
    assert "2 images of the run are not in this project, e.g. geneval/00007" in refused(elsewhere.path)
    first = elsewhere.work()[0].sha256
    manifest.write_text(text.replace(first, "0" * 64))
    cow_scorer.finish(elsewhere)
    assert "1 image of the run have another file in this project" in refused(elsewhere.path)
    manifest.write_text(text)
    elsewhere.part(1).unlink()
    assert "the run is not finished, 3 of 4 images are there" in refused(elsewhere.path)
    (elsewhere.path / "run.json").write_text("{}")
    assert "cannot be read" in refused(elsewhere.path)


def test_forwarded_into_the_open_app(world: World) -> None:
    client = world.client()
    body = {
        "name": "score",
        "parameters": {
            "request": {"scorer": "seer", "profile": "playground", "device": "cpu", "batch_size": 2},
            "selection": {"generator": ["sdv2"]},
        },
        "cwd": "/",
    }  # fmt: skip
    answer = client.post("/command", json=body, headers={"Authorization": f"Bearer {TOKEN}"})
    assert answer.status_code == 200
    assert '"text": "4 images judged by seer-playground"' in answer.text
    assert answer.text.splitlines()[-1] == '{"exit": 0}'
    assert runs.listed(world.store)[0].state == "done"
    assert run_session.runs_at_work(world.store) == {}


def test_two_at_once_do_not_meet(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    from concord import commands
    from concord.common.context import Context

    monkeypatch.setenv("SEER_SECONDS", "0.5")
    parameters: dict[str, Any] = {
        "request": {"scorer": "seer", "profile": "playground", "device": "cpu", "batch_size": 1},
        "selection": {},
    }

    def score(sink: Path) -> int:
        with sink.open("w") as out:
            return commands.run(Context(world.store, world.folder, out, out), "score", parameters)

    first = threading.Thread(target=score, args=(world.folder / "first.txt",))
    first.start()
    until(lambda: bool(run_session.runs_at_work(world.store)))
    assert score(world.folder / "second.txt") == 1
    assert "is being worked on already" in (world.folder / "second.txt").read_text()
    assert queue.stop_run(world.store, "0001-seer-playground")
    first.join(20)
    assert "was stopped after" in (world.folder / "first.txt").read_text()
    assert [run.state for run in runs.listed(world.store)] == ["paused"]
    assert not queue.stop_run(world.store, "0001-seer-playground")


def test_score_draws_by_a_seed_that_is_stored_and_said(pictured: Path) -> None:
    images = query(pictured, "select image_id from images where path is not null order by 1")
    ran = concord(pictured, *SCORE, "--limit", 2, "--seed", 3)
    assert ran.status == 0
    assert f"of {len(images)} images: drawn at random over tasks (seed 3)" in ran.err
    drawn = query(pictured, "select item_id from evidence order by 1")
    (job,) = pictured.glob("runs/*/run.json")
    assert json.loads(job.read_text())["drawn_by"] == 3
    tasks = query(
        pictured,
        "select t.task from images i join items t on t.item_id = i.image_id where i.path is not null order by image_id",
    )
    with_tasks = dict(zip(images, tasks, strict=True))
    assert drawn == sorted(draw(with_tasks, 2, 3))


def test_first_takes_the_first_images(pictured: Path) -> None:
    images = query(pictured, "select image_id from images where path is not null order by 1")
    done(pictured, *SCORE, "--first", 2)
    assert query(pictured, "select item_id from evidence order by 1") == images[:2]
    (job,) = pictured.glob("runs/*/run.json")
    assert json.loads(job.read_text())["drawn_by"] is None
    assert concord(pictured, *SCORE, "--first", 1, "--limit", 1).status == 2
