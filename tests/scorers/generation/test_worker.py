"""The worker that paints: what cannot be painted fails alone, and what ends it costs the batch at hand at most."""

from __future__ import annotations

import signal
import subprocess
import time
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import pytest
from PIL import Image

from data.jobs.generation import GenerationFolder
from scorers.generation import generators, worker
from scorers.running.fault_isolation import TOO_LARGE
from scorers.running.worker_main import attempt
from tests.scorers import failing_generator
from tests.scorers.tiny_models import ROOT


@pytest.fixture
def room(monkeypatch: pytest.MonkeyPatch) -> dict[str, int]:
    """How many pictures fit into memory at once."""
    results = {"room": 100}
    failing_generator.batches.clear()
    monkeypatch.setattr(generators, "load", lambda *_, **__: failing_generator.load(**results))
    return results


def painted(folder: GenerationFolder) -> list[int]:
    """Numbers of the pictures that are there, each of which is whole."""
    results = []
    for path in (folder.path.parent / "images").glob("*.png"):
        with Image.open(path) as picture:
            picture.load()
            assert picture.getpixel((0, 0)) == (7 + int(path.stem), 1, 2)
        results.append(int(path.stem))
    return sorted(results)


def reasons(folder: GenerationFolder) -> dict[str, str]:
    return {Path(file).stem: why for file, why in folder.failed().items()}


@pytest.mark.usefixtures("room")
def test_a_prompt_that_cannot_be_painted_fails_alone(tmp_path: Path) -> None:
    folder = failing_generator.job(tmp_path, ["red", "raise", "blue", "red", "red"], batch=3)
    assert attempt(folder, worker.work, worker.explain) == 0
    assert painted(folder) == [0, 2, 3, 4]
    assert reasons(folder) == {"1": "the model failed: the prompt has 900 tokens"}
    progress = folder.progress()
    assert progress is not None
    assert (progress.state, progress.done, progress.failed, progress.error) == ("done", 5, 1, None)
    failing_generator.batches.clear()
    assert attempt(folder, worker.work, worker.explain) == 0
    assert failing_generator.batches == [1], "what failed is tried again, what is there is not"


def test_where_memory_does_not_suffice_fewer_are_painted_at_once(tmp_path: Path, room: dict[str, int]) -> None:
    room["room"] = 3
    folder = failing_generator.job(tmp_path, ["red"] * 6 + ["large"] + ["red"] * 5, batch=6)
    assert attempt(folder, worker.work, worker.explain) == 0
    assert painted(folder) == [0, 1, 2, 3, 4, 5, 7, 8, 9, 10, 11]
    assert reasons(folder) == {"6": TOO_LARGE}
    progress = folder.progress()
    assert progress is not None
    assert progress.batch_halved == 2
    assert list(progress.warnings) == ["not enough memory for 6 pictures at once: half as many from now on, or fewer"]


def test_where_it_suffices_for_none_that_is_said(
    tmp_path: Path, room: dict[str, int], capsys: pytest.CaptureFixture[str]
) -> None:
    room["room"] = 0
    folder = failing_generator.job(tmp_path, ["red"] * 3, batch=2)
    assert attempt(folder, worker.work, worker.explain) == 1
    assert capsys.readouterr().err.splitlines()[-1] == (
        "not enough memory; generate fewer images at once (--batch-size), or use --precision float16"
    )


@pytest.mark.usefixtures("room")
def test_gone_on_with_its_seconds_are_those_of_all_its_pictures(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    clock = 0.0

    def now() -> float:
        nonlocal clock
        clock += 1.0
        return clock

    folder = failing_generator.job(tmp_path, ["red"] * 8, batch=2)
    requested = iter([False, False, True])
    monkeypatch.setattr(worker, "time", SimpleNamespace(monotonic=now))
    assert not worker.work(folder, stop=lambda: next(requested))
    first = folder.progress()
    assert first is not None
    assert (first.done, first.seconds, first.seconds_left) == (4, 2.0, 2.0)
    # killed before it told of a picture that is there
    folder.tell(replace(first, done=3, seconds=1.5))
    clock, requested = 100.0, iter([False, True])
    assert not worker.work(folder, stop=lambda: next(requested))
    then = folder.progress()
    assert then is not None
    assert (then.done, then.seconds, then.seconds_left) == (6, 3.0, 1.0)


@pytest.mark.usefixtures("room")
def test_a_prompt_that_killed_its_worker_is_painted_no_more(tmp_path: Path) -> None:
    folder = failing_generator.job(tmp_path, ["red", "die 11", "blue"], batch=3)
    (folder.path / "deaths.json").write_text('{"s/0 0": [2, 0], "s/1 0": [4, 2], "s/2 0": [2, 0]}')
    assert attempt(folder, worker.work, worker.explain) == 0
    assert painted(folder) == [0, 2]
    assert reasons(folder) == {"1": worker.DIED}
    assert failing_generator.batches == [1, 1]


# ---- as a process


def started(folder: GenerationFolder, seconds: float) -> subprocess.Popen[bytes]:
    return subprocess.Popen([*failing_generator.WORKER, str(folder.path), str(seconds)], cwd=ROOT, stderr=subprocess.DEVNULL)


def until_painted(folder: GenerationFolder, n: int, process: subprocess.Popen[bytes]) -> None:
    until = time.monotonic() + 60
    while len(list((folder.path.parent / "images").glob("*.png"))) < n:
        assert process.poll() is None
        assert time.monotonic() < until
        time.sleep(0.01)


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGKILL])
def test_stopped_it_ends_its_batch_and_killed_it_loses_that_at_most(tmp_path: Path, how: signal.Signals) -> None:
    folder = failing_generator.job(tmp_path, ["red"] * 8, batch=2)
    process = started(folder, 0.4)
    until_painted(folder, 2, process)
    time.sleep(0.1)
    process.send_signal(how)
    status = process.wait(30)
    there = painted(folder)
    if how is signal.SIGTERM:
        assert (status, there) == (128 + signal.SIGTERM, [0, 1, 2, 3]), "the batch at hand is ended"
        progress = folder.progress()
        assert progress is not None
        assert (progress.state, progress.done, progress.error) == ("stopped", 4, None)
    else:
        assert (status, there) == (-signal.SIGKILL, [0, 1])
    before = {path: path.stat().st_mtime_ns for path in (tmp_path / "images").glob("*.png")}
    assert started(folder, 0.0).wait(30) == 0
    assert painted(folder) == list(range(8))
    assert {path: path.stat().st_mtime_ns for path in before} == before
