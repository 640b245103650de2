"""What single images do to a model: it raises, its memory does not suffice, its process dies. The others are seen even so."""

from __future__ import annotations

import json
import signal
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest

from data.jobs.runs import RunFolder
from scorers import registry
from scorers.base import ModelBroken
from scorers.running import fault_isolation, worker
from scorers.running.engines.device_worker import DIED
from scorers.running.fault_isolation import TOO_LARGE, CrashLog, Failed, FaultIsolator, count_crashes, out_of_memory
from tests.scorers import failing_scorer
from tests.scorers.tiny_models import ROOT


class OutOfMemoryError(RuntimeError):
    """As torch's is called."""


class Model:
    """Squares numbers, at most ``room`` at once; raises on ``odd`` ones, and on all once it is ``broken``."""

    def __init__(self, odd: Sequence[int] = (), room: int = 100, error: Exception | None = None) -> None:
        self.odd, self.room, self.broken = set(odd), room, False
        self.error = error or OutOfMemoryError("CUDA out of memory. Tried to allocate 2.00 GiB")
        self.asked: list[list[int]] = []

    def __call__(self, numbers: Sequence[int]) -> list[int]:
        self.asked.append(list(numbers))
        if self.broken or self.odd & set(numbers):
            raise RuntimeError("tensor\nof the wrong shape")
        if len(numbers) > self.room:
            raise self.error
        return [number * number for number in numbers]


def careful(model: Model, folder: Path | None = None) -> FaultIsolator[int, int]:
    return FaultIsolator(model, str, lambda _: 0, "image", DIED, folder)


ODD = Failed("the model failed: tensor of the wrong shape")


def test_what_breaks_a_batch_fails_alone() -> None:
    model = Model(odd=[3])
    assert careful(model)([1, 2, 3, 4]) == [1, 4, ODD, 16]
    assert model.asked == [[1, 2, 3, 4], [1], [2], [3], [4]]


def test_two_odd_ones_together_are_no_reason_to_stop_as_long_as_another_goes_well() -> None:
    model = Model(odd=[3, 4])
    see = careful(model)
    assert see([1, 2]) == [1, 4]
    assert see([3, 4]) == [ODD, ODD]
    assert model.asked[-1] == [2], "one that went well before"
    model = Model(odd=[3, 4])
    assert careful(model)([3, 4]) == [ODD, ODD]
    assert model.asked[-1] == [0], "a plain one"


@pytest.mark.parametrize("size", [1, 3])
def test_a_model_that_fails_on_everything_is_told_from_odd_images(size: int) -> None:
    model = Model()
    see = careful(model)
    assert see([1, 2]) == [1, 4]
    model.broken = True
    if size == 1:
        assert see([10]) == [ODD], "one alone may be odd"
    with pytest.raises(RuntimeError, match="the model fails on every image: tensor of the wrong shape"):
        see(list(range(20, 20 + size)))
    assert model.asked[-1] == [2]


def test_a_model_that_is_broken_says_so_at_once() -> None:
    def broken(_: Sequence[int]) -> list[int]:
        raise ModelBroken("gives no numbers")

    see: FaultIsolator[int, int] = FaultIsolator(broken, str, abs, "image", DIED)
    with pytest.raises(ModelBroken):
        see([1, 2])


def test_where_memory_does_not_suffice_half_go_at_once_from_then_on() -> None:
    model = Model(room=3)
    see = careful(model)
    assert see(list(range(10))) == [k * k for k in range(10)]
    assert [len(batch) for batch in model.asked] == [10, 5, 2, 2, 2, 2, 2]
    assert (see.halved, see.warnings) == (
        2,
        ["not enough memory for 10 images at once: half as many from now on, or fewer"],
    )
    model.asked.clear()
    model.room = 1
    assert see([1, 2, 3]) == [1, 4, 9]
    assert [len(batch) for batch in model.asked] == [2, 1, 1, 1]
    assert (see.halved, len(see.warnings)) == (3, 1)


def test_an_image_that_is_too_large_alone_fails_and_the_others_do_not() -> None:
    class Large(Model):
        def __call__(self, numbers: Sequence[int]) -> list[int]:
            if 7 in numbers:
                self.asked.append(list(numbers))
                raise self.error
            return super().__call__(numbers)

    model = Large()
    see = careful(model)
    assert see([1, 7, 2, 3]) == [1, Failed(TOO_LARGE), 4, 9]
    assert see([7]) == [Failed(TOO_LARGE)]
    assert see([7]) == [Failed(TOO_LARGE)]
    assert model.asked[-1] == [3]
    nothing = careful(Model(room=0))
    with pytest.raises(RuntimeError, match="there is not enough memory even for one image at a time: CUDA out of memory"):
        nothing([1, 2])


def _wrapped() -> Exception:
    error = ValueError("the batch failed")
    error.__cause__ = MemoryError()
    return error


@pytest.mark.parametrize(
    ("error", "full"),
    [
        (MemoryError(), True),
        (OutOfMemoryError("anything"), True),
        (RuntimeError("MPS backend out of memory (MPS allocated: 9.0 GB)"), True),
        (RuntimeError("[enforce fail] DefaultCPUAllocator: can't allocate memory: you tried to allocate 9 bytes"), True),
        (RuntimeError("CUDA error: CUBLAS_STATUS_ALLOC_FAILED when calling `cublasCreate(handle)`"), True),
        (OSError(12, "Cannot allocate memory"), True),
        (_wrapped(), True),
        (RuntimeError("tensor of the wrong shape"), False),
        (ValueError("an image out of memory lane"), False),
    ],
)
def test_which_errors_say_that_memory_does_not_suffice(error: Exception, full: bool) -> None:
    assert out_of_memory(error) is full


def died(folder: Path, *names: str) -> None:
    """As after a process that died while it was at these."""
    (folder / "attempts").mkdir(exist_ok=True)
    (folder / "attempts" / "elsewhere-1.json").write_text(json.dumps(names))
    assert fault_isolation.has_uncounted_crashes(folder)
    count_crashes(folder)
    assert not fault_isolation.has_uncounted_crashes(folder)


def test_what_a_process_died_at_twice_goes_alone_and_what_it_dies_at_alone_twice_goes_no_more(tmp_path: Path) -> None:
    def asked() -> list[list[int]]:
        model = Model()
        careful(model, tmp_path)([1, 2, 3, 4])
        return model.asked

    assert asked() == [[1, 2, 3, 4]]
    died(tmp_path, "2", "3")
    assert asked() == [[1, 2, 3, 4]], "somebody may have killed it"
    died(tmp_path, "2", "3")
    assert asked() == [[1], [2], [3], [4]]
    died(tmp_path, "3")
    assert asked() == [[1], [2], [3], [4]]
    died(tmp_path, "3")
    model = Model()
    assert careful(model, tmp_path)([1, 2, 3, 4]) == [1, 4, Failed(DIED), 16]
    assert model.asked == [[1], [2], [4]]
    assert not fault_isolation.has_uncounted_crashes(tmp_path), "an end in order leaves nothing"


@pytest.mark.parametrize("found", ["", "[1, 2", "[]", '{"a": 1}', "[1, null]", "\x00"])
def test_files_that_were_cut_off_blame_nobody(tmp_path: Path, found: str) -> None:
    for _ in range(3):
        (tmp_path / "attempts").mkdir(exist_ok=True)
        (tmp_path / "attempts" / "x-1.json").write_text(found)
        count_crashes(tmp_path)
    assert CrashLog(tmp_path).suspects == frozenset()
    (tmp_path / "deaths.json").write_text(found)
    count_crashes(tmp_path)
    assert CrashLog(tmp_path).blamed == frozenset()


def test_a_folder_that_cannot_be_written_is_no_reason_to_see_nothing(tmp_path: Path) -> None:
    (tmp_path / "attempts").write_text("a file in its place")
    assert careful(Model(), tmp_path)([1, 2]) == [1, 4]


# ---- the worker


def worked(run: RunFolder) -> int:
    """The exit status of the worker."""
    return subprocess.run([*failing_scorer.WORKER, str(run.path)], cwd=ROOT, check=False, capture_output=True).returncode


@pytest.mark.slow
def test_an_image_that_kills_its_worker_fails_and_the_rest_goes_on(tmp_path: Path) -> None:
    how = signal.SIGSEGV
    run = failing_scorer.run(tmp_path, 7, {4: f"die {how.value}"}, part_size=3)
    statuses = [worked(run)]
    while statuses[-1] and len(statuses) < 9:
        statuses.append(worked(run))
    assert statuses == [-how, -how, -how, -how, 0]
    seen = list(run.observations())
    assert [observation.item_id for observation in seen] == [f"i{k}" for k in range(7)]
    assert {observation.item_id: observation.failed for observation in seen if observation.failed} == {"i4": DIED}
    assert [observation.payload["width"] for observation in seen if not observation.failed] == [1, 2, 3, 4, 6, 7]


def within(monkeypatch: pytest.MonkeyPatch, run: RunFolder, room: int = 1000) -> bool:
    """The worker in this process; whether it came to its end."""
    monkeypatch.setattr(registry, "get", lambda _: failing_scorer.scorer(room))
    return worker.work_through(run)


def test_a_worker_whose_memory_is_short_says_so_once_and_sees_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = failing_scorer.run(tmp_path / "whole", 8, {}, part_size=8)
    short = failing_scorer.run(tmp_path / "short", 8, {}, part_size=8)
    assert within(monkeypatch, whole)
    assert within(monkeypatch, short, room=3)
    assert list(short.observations()) == list(whole.observations())
    progress = short.progress()
    assert progress is not None
    assert progress.batch_halved == 2
    assert progress.warnings == ["not enough memory for 8 images at once: half as many from now on, or fewer"]


def test_what_cannot_be_kept_fails_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run = failing_scorer.run(tmp_path, 4, {1: "nan", 2: "other", 3: "raise"}, part_size=4)
    assert within(monkeypatch, run)
    failed = [observation.failed for observation in run.observations()]
    assert failed == [
        None,
        "the model failed: Out of range float values are not JSON compliant",
        "the model failed: it returned results for other images than it was given",
        "the model failed: tensor of the wrong shape",
    ]
