"""The worker: what it leaves undone when it is killed, what fails alone, and what it refuses. First with a scorer that needs no
model, then as a process with small random models and every socket blocked.
"""

from __future__ import annotations

import hashlib
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from data.jobs.folder import WorkerProgress
from data.jobs.runs import Observation, Run, RunFolder, WorkItem
from data.spec import parse_spec
from scorers import registry
from scorers.base import Scorer, Shown, Verdict
from scorers.running import worker, worker_main
from tests.scorers.tiny_models import ROOT, new_run, random_clip, random_yolo, works

Make = Callable[[RunFolder], subprocess.Popen[str]]


class Namer:
    """Sees the size of each image; breaks on those as wide as told."""

    def __init__(self) -> None:
        self.batches: list[list[str]] = []
        self.breaks_on: set[int] = set()

    def perceive(self, batch: Sequence[Shown]) -> list[Observation]:
        self.batches.append([one.item_id for one in batch])
        if any(one.image.width in self.breaks_on for one in batch):
            raise RuntimeError("tensor\nof the wrong shape")
        return [Observation(one.item_id, {"width": one.image.width, "text": one.text}) for one in batch]


@pytest.fixture
def namer(monkeypatch: pytest.MonkeyPatch) -> Namer:
    made = Namer()

    def check(settings: Any) -> None:
        if settings["size"] < 0:
            raise ValueError("size must not be negative")

    scorer = Scorer(
        "namer", "3", "", {"playground": {"size": 1}}, frozenset(), lambda *_: made, lambda *_: Verdict(()), check=check
    )
    monkeypatch.setattr(registry, "get", lambda _: scorer)
    return made


def work(folder: Path, n: int) -> list[WorkItem]:
    """Images 1, 2, ... pixels wide."""
    made = []
    for k in range(1, n + 1):
        path = folder / f"{k}.png"
        Image.new("RGB", (k, 2)).save(path)
        made.append(WorkItem(f"i{k}", str(path), hashlib.sha256(path.read_bytes()).hexdigest(), f"a photo of {k}", {}))
    return made


def started(folder: Path, items: Sequence[WorkItem], **changes: Any) -> RunFolder:
    run = RunFolder(folder / "run")
    run.create(replace(Run("r", "namer", "3", "playground", {"size": 1}, part_size=2), **changes), items)
    return run


def stamps(run: RunFolder) -> dict[int, tuple[int, int]]:
    return {number: (run.part(number).stat().st_ino, run.part(number).stat().st_mtime_ns) for number in run.parts()}


def test_all_images_in_parts_in_order(tmp_path: Path, namer: Namer) -> None:
    run = started(tmp_path, work(tmp_path, 5))
    assert worker.work_through(run)
    assert [[observation.item_id for observation in run.read_part(number)] for number in run.parts()] == [
        ["i1", "i2"],
        ["i3", "i4"],
        ["i5"],
    ]
    assert namer.batches == [["i1", "i2"], ["i3", "i4"], ["i5"]]
    assert [observation.payload["text"] for observation in run.observations()] == [f"a photo of {k}" for k in range(1, 6)]
    progress = run.progress()
    assert progress is not None
    assert (progress.state, progress.done, progress.total, progress.failed, progress.error) == ("done", 5, 5, 0, None)
    assert progress.seconds > 0


def test_an_empty_run_is_done_without_models(tmp_path: Path, namer: Namer) -> None:
    run = started(tmp_path, [])
    assert worker.work_through(run)
    assert (run.parts(), namer.batches) == ([], [])


def test_whole_parts_are_left_and_damaged_or_foreign_ones_made_again(tmp_path: Path, namer: Namer) -> None:
    run = started(tmp_path, work(tmp_path, 8))
    worker.work_through(run)
    before = stamps(run)
    whole = list(run.observations())
    run.part(1).write_bytes(run.part(1).read_bytes()[:50])
    run.write_part(2, [Observation("somebody"), Observation("else's")])
    run.part(3).unlink()
    namer.batches.clear()
    assert worker.work_through(run)
    assert namer.batches == [["i3", "i4"], ["i5", "i6"], ["i7", "i8"]]
    assert stamps(run)[0] == before[0]
    assert list(run.observations()) == whole


def test_progress_goes_on_where_it_was(tmp_path: Path, namer: Namer) -> None:
    progresses: list[WorkerProgress] = []

    class Listening(RunFolder):
        def tell(self, progress: WorkerProgress) -> None:
            progresses.append(progress)
            super().tell(progress)

    items = work(tmp_path, 6)
    Path(items[0].path).write_bytes(b"no image")
    run = Listening(started(tmp_path, items).path)
    asked_to_stop = iter([False, False, True])
    assert not worker.work_through(run, lambda: next(asked_to_stop))
    assert [(progress.state, progress.done, progress.failed) for progress in progresses] == [
        ("loading", 0, 0), ("running", 0, 0), ("running", 2, 1), ("running", 4, 1), ("stopped", 4, 1)
    ]  # fmt: skip
    run.tell(replace(progresses[-1], seconds=100.0))
    progresses.clear()
    assert worker.work_through(run)
    assert [(progress.state, progress.done, progress.failed) for progress in progresses] == [
        ("loading", 4, 1), ("running", 4, 1), ("running", 6, 1), ("done", 6, 1)
    ]  # fmt: skip
    assert all(100 <= progress.seconds < 110 for progress in progresses)
    assert progresses[1].seconds_left == pytest.approx(50, abs=1)
    namer.batches.clear()
    assert worker.work_through(run)
    assert namer.batches == []


def test_a_progress_file_of_somebody_else_is_no_trouble(tmp_path: Path, namer: Namer) -> None:  # noqa: ARG001
    run = started(tmp_path, work(tmp_path, 2))
    (run.path / "progress.json").write_text('{"percent": 50}')
    assert worker.work_through(run)


def test_each_bad_image_fails_alone_and_in_one_line(tmp_path: Path, namer: Namer) -> None:
    items = work(tmp_path, 8)
    cut = Path(items[1].path).read_bytes()[:-20]
    Path(items[1].path).write_bytes(cut)
    items[1] = replace(items[1], sha256=hashlib.sha256(cut).hexdigest())
    Path(items[2].path).unlink()
    Image.new("RGB", (4, 9)).save(items[3].path)
    items[4] = replace(items[4], spec={"include": [{"class": "cup", "count": "many"}]})
    namer.breaks_on = {6}
    run = started(tmp_path, items, part_size=8)
    assert worker.work_through(run)
    failed = {observation.item_id: observation.failed for observation in run.observations() if observation.failed is not None}
    assert set(failed) == {"i2", "i3", "i4", "i5", "i6"}
    assert failed["i2"].startswith("damaged or cut off")
    assert failed["i3"] == "no such file"
    assert failed["i4"] == "the file has changed since it was imported"
    assert failed["i5"].startswith("the prompt's spec cannot be read: 'include[0].count'")
    assert failed["i6"] == "the model failed: tensor of the wrong shape"
    assert [observation.payload.get("width") for observation in run.observations()] == [1, None, None, None, None, None, 7, 8]
    progress = run.progress()
    assert progress is not None
    assert (progress.done, progress.failed) == (8, 5)


def test_a_model_that_fails_on_everything_stops_the_run(tmp_path: Path, namer: Namer) -> None:
    # the third and fourth image, and a plain one
    namer.breaks_on = {3, 4, 256}
    run = started(tmp_path, work(tmp_path, 6)[2:])
    with pytest.raises(RuntimeError, match="the model fails on every image"):
        worker.work_through(run)
    assert run.parts() == []
    namer.breaks_on.remove(256)
    assert worker.work_through(run)
    assert [observation.failed is None for observation in run.observations()] == [False, False, True, True]


def test_paths_may_be_relative_to_the_run(tmp_path: Path, namer: Namer) -> None:  # noqa: ARG001
    items = [replace(item, path=f"../{Path(item.path).name}") for item in work(tmp_path, 2)]
    run = started(tmp_path, items)
    assert worker.work_through(run)
    assert all(observation.failed is None for observation in run.observations())


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"version": "2"}, "started by namer 2, now it is 3; start a new run"),
        ({"settings": {"size": 1, "weights": {"clip": "0" * 12}}}, "weights are not those that this run was begun with"),
        ({"settings": {}}, "the run's settings lack size"),
        ({"settings": {"size": -1}}, "size must not be negative"),
    ],
)
def test_what_this_code_cannot_go_on_with_is_refused(
    tmp_path: Path, namer: Namer, changes: dict[str, Any], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    run = started(tmp_path, work(tmp_path, 2), **changes)
    handlers = signal.getsignal(signal.SIGTERM), signal.getsignal(signal.SIGINT)
    try:
        assert worker_main.main(RunFolder, worker.work_through, arguments=[str(run.path)]) == 1
    finally:
        signal.signal(signal.SIGTERM, handlers[0])
        signal.signal(signal.SIGINT, handlers[1])
    err = capsys.readouterr().err
    assert message in err
    assert err.count("\n") == 1
    progress = run.progress()
    assert progress is not None
    assert progress.state == "failed"
    assert message in (progress.error or "")
    assert (run.parts(), namer.batches) == ([], [])


# ---- as a process


BLOCKED = """
import os, sys

def refuse(event, arguments):
    if event.startswith("socket.") and event not in ("socket.gethostname", "socket.__new__"):
        with open(os.environ["SOCKETS_USED"], "a") as file:
            file.write(event + "\\n")
        raise PermissionError(event)

sys.addaudithook(refuse)
open(os.environ["SOCKETS_USED"], "a").close()
"""


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    for package in ("torch", "open_clip", "ultralytics"):
        pytest.importorskip(package)
    folder = tmp_path_factory.mktemp("models")
    return {
        "detector": str(random_yolo(folder / "yolo")),
        "clip": str(random_clip(folder / "clip")),
        "counting_threshold": "0.5",
    }


@pytest.fixture
def start(tmp_path: Path) -> Make:
    """Starts a worker that cannot reach any network, with a home of its own."""
    (tmp_path / "site").mkdir()
    (tmp_path / "site" / "sitecustomize.py").write_text(BLOCKED)
    (tmp_path / "home").mkdir()
    remaining = {key: value for key, value in os.environ.items() if not key.startswith(("YOLO", "HF_", "TRANSFORMERS", "XDG"))}
    env = remaining | {
        "PYTHONPATH": str(tmp_path / "site"), "SOCKETS_USED": str(tmp_path / "sockets"), "HOME": str(tmp_path / "home")
    }  # fmt: skip

    def popen(run: RunFolder) -> subprocess.Popen[str]:
        command = [sys.executable, "-m", "scorers.running.worker", str(run.path)]
        return subprocess.Popen(command, cwd=ROOT, env=env, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    return popen


def ended(process: subprocess.Popen[str]) -> tuple[int, str]:
    _, told = process.communicate(timeout=240)
    return process.returncode, told


def until_parts(run: RunFolder, process: subprocess.Popen[str], n: int) -> None:
    until = time.monotonic() + 200
    while len(run.parts()) < n:
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < until
        time.sleep(0.005)


def verdicts(run: RunFolder) -> list[Verdict]:
    scorer = registry.get(run.job().scorer)
    return [
        scorer.judge(parse_spec(item.spec), seen, run.job().settings)
        for item, seen in zip(run.work(), run.observations(), strict=True)
    ]


@pytest.mark.slow
def test_a_killed_run_goes_on_and_comes_to_the_same(tmp_path: Path, models: dict[str, str], start: Make) -> None:
    items = works(tmp_path / "images", range(13))
    bad = works(tmp_path / "bad", [90, 91, 92])
    Path(bad[0].path).write_bytes(b"\x89PNG but not really")
    Path(bad[1].path).unlink()
    Image.new("RGB", (128, 128), "red").save(bad[2].path)
    items[4:4] = bad
    one_go = new_run(tmp_path / "0001-geneval[threshold=0.3]", "geneval", models, items)
    assert ended(start(one_go))[0] == 0
    killed = new_run(tmp_path / "0002-geneval", "geneval", models, items)
    process = start(killed)
    until_parts(killed, process, 2)
    process.kill()
    process.communicate()
    assert not killed.at_work()
    before = stamps(killed)
    assert 2 <= len(before) < 8
    assert ended(start(killed))[0] == 0
    assert {number: stamp for number, stamp in stamps(killed).items() if number in before} == before
    assert len(killed.parts()) == 8
    # not one detection, but what they come to
    assert verdicts(killed) == verdicts(one_go)
    assert list(killed.observations()) == list(one_go.observations())
    seen = list(one_go.observations())
    assert [k for k, observation in enumerate(seen) if observation.failed] == [4, 5, 6]
    assert sum(len(observation.detections) for observation in seen) > 50
    assert any(detection.colors for observation in seen for detection in observation.detections)
    assert (tmp_path / "sockets").read_text() == ""
    assert list((tmp_path / "home").iterdir()) == []
    progress = killed.progress()
    assert progress is not None
    assert (progress.state, progress.done, progress.failed) == ("done", 16, 3)
    assert set(progress.versions) == {"torch", "open-clip-torch", "transformers", "timm", "ultralytics"}


@pytest.mark.slow
def test_asked_to_stop_it_ends_its_part(tmp_path: Path, models: dict[str, str], start: Make) -> None:
    run = new_run(tmp_path / "run", "clipscore", {"clip": models["clip"]}, works(tmp_path / "images", range(6)) * 200)
    process = start(run)
    until_parts(run, process, 1)
    second = start(run)
    assert ended(second) == (1, f"another worker is running in {run.path}\n")
    process.send_signal(signal.SIGTERM)
    status, told = ended(process)
    assert (status, told.splitlines()[-1]) == (worker_main.STOPPED, "stopped after a part; start it again to go on")
    assert 1 <= len(run.parts()) < 600
    progress = run.progress()
    assert progress is not None
    assert (progress.state, progress.done) == ("stopped", 2 * len(run.parts()))
    assert {path.suffix for path in (run.path / "parts").iterdir()} == {".parquet"}
    assert (tmp_path / "sockets").read_text() == ""


def test_asked_to_stop_while_loading_it_stops_at_once(tmp_path: Path, models: dict[str, str], start: Make) -> None:
    run = new_run(tmp_path / "run", "geneval", models, works(tmp_path / "images", range(2)))
    process = start(run)
    until = time.monotonic() + 100
    while run.progress() is None and time.monotonic() < until:
        time.sleep(0.01)
    process.terminate()
    status, told = ended(process)
    assert (status, told.splitlines()[-1]) == (worker_main.STOPPED, "stopped before the first part; start it again to go on")
    progress = run.progress()
    assert progress is not None
    assert progress.state == "stopped"
    assert run.parts() == []


@pytest.mark.slow
def test_models_that_cannot_be_loaded_are_told(tmp_path: Path, models: dict[str, str], start: Make) -> None:
    broken = random_clip(tmp_path / "clip")
    weights = broken / "open_clip_model.safetensors"
    weights.write_bytes(weights.read_bytes()[:500])
    run = new_run(tmp_path / "run", "geneval", {**models, "clip": str(broken)}, works(tmp_path / "images", range(2)))
    status, told = ended(start(run))
    progress = run.progress()
    assert progress is not None
    assert (status, progress.state, run.parts()) == (1, "failed", [])
    assert progress.error
    assert told.splitlines()[-1] == progress.error
    assert "\n" not in progress.error


def test_where_there_is_no_run_it_says_so(tmp_path: Path) -> None:
    def call(*arguments: str) -> tuple[int, str]:
        done = subprocess.run(
            [sys.executable, "-m", "scorers.running.worker", *arguments], cwd=ROOT, capture_output=True, text=True, check=False
        )
        return done.returncode, done.stderr

    assert call(str(tmp_path / "none")) == (1, f"there is no run.json in {tmp_path / 'none'}\n")
    assert call() == (2, "usage: python -m scorers.running.worker FOLDER\n")
    run = RunFolder(tmp_path / "run")
    run.create(Run("r", "genval", "1", "playground", {}), works(tmp_path / "images", [1]))
    assert call(str(run.path)) == (1, "there is no scorer 'genval'; did you mean geneval?\n")
    (run.path / "run.json").write_text(json.dumps({"scorer": "geneval"}))
    status, told = call(str(run.path))
    assert status == 1
    assert told.splitlines()[-1].startswith("the run cannot be read")
