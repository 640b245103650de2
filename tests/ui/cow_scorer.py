"""A scorer without models: it sees a cow in each image whose red is below 40. Its worker is this file, run as a script, or a
thread (``work``). Asked questions, it answers each with the last choice.

What the worker does besides is said by environment variables: ``SEER_SECONDS`` a part, ``SEER_DIES_AFTER`` parts (with
SIGKILL), ``SEER_ERROR`` instead of loading, ``SEER_WARNING`` when loaded. Each part that it makes is a line in ``made.txt``.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any, TextIO

if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from data.images.files import ImageError, open_image
from data.jobs.folder import RunBusy, WorkerProgress
from data.jobs.runs import Detection, Observation, Run, RunFolder, WorkItem
from data.records import Judgement
from data.spec import Spec
from scorers import registry
from scorers.base import Scorer, Settings, Verdict
from scorers.questions.rules import AnsweredQuestion, payload_of
from tests.ui.worker_threads import Control, put

if TYPE_CHECKING:
    import pytest

NAME = "seer"
WORKER = (sys.executable, str(Path(__file__).resolve()))


def _judge(spec: Spec, seen: Observation, settings: Settings) -> Verdict:
    there = sum(detection.score > settings["threshold"] for detection in seen.detections)
    yes = there >= 1
    target = spec.objects[0].target
    return Verdict(
        (Judgement("correct", "yes" if yes else "no", float(yes)), Judgement("count", str(there), float(there), target))
    )


def _open(settings: Settings, device: str) -> Any:
    raise NotImplementedError


SCORER = Scorer(
    name=NAME,
    version="1",
    summary="Sees cows.",
    profiles={"playground": {"threshold": 0.5}},
    judging=frozenset({"threshold"}),
    open=_open,
    judge=_judge,
    scales={"correct": "nominal", "count": "ordinal:0-5"},
)


def perceive(work: WorkItem, base: Path = Path()) -> Observation:
    try:
        image = open_image(base / work.path, work.sha256)
    except ImageError as error:
        return Observation(work.item_id, failed=error.reason)
    if work.questions:
        questions = work.questions
        return Observation(
            work.item_id, payload_of(work.version, [AnsweredQuestion(question, question.choices[-1]) for question in questions])
        )
    red = image.getpixel((0, 0))[0]  # type: ignore[index]
    result = (Detection("cow", 0.9, (1.0, 2.0, 30.0, 40.0), b"mask", None),) if red < 40 else ()
    return Observation(work.item_id, {"red": red}, result)


def parts_of(run: Run, work: Sequence[WorkItem]) -> dict[int, Sequence[WorkItem]]:
    return {n: work[at : at + run.part_size] for n, at in enumerate(range(0, len(work), run.part_size))}


def finish(folder: RunFolder) -> None:
    """All parts at once, in this process."""
    for number, part in parts_of(folder.job(), folder.work()).items():
        folder.write_part(number, [perceive(item, folder.path) for item in part])


def work(path: Path, control: Control, log: TextIO) -> int:
    """The worker, until it is done or asked to stop; returns an exit status."""
    folder = RunFolder(path)
    try:
        with folder.claim():
            return _work(folder, control, log)
    except RunBusy as error:
        print(error, file=log)
        return 1


def _work(folder: RunFolder, control: Control, log: TextIO) -> int:
    get = control.environment.get
    run, work = folder.job(), folder.work()
    total = len(work)
    print("loading cows", file=log, flush=True)
    folder.tell(WorkerProgress("loading", 0, total))
    if error := get("SEER_ERROR"):
        folder.tell(WorkerProgress("failed", 0, total, error=error))
        print(error, file=log)
        return 1
    done = 0
    warnings = [text] if (text := get("SEER_WARNING")) else []
    for number, part in parts_of(run, work).items():
        if number not in folder.parts():
            if control.is_asked_to_stop.is_set():
                folder.tell(WorkerProgress("stopped", done, total, seconds=1.0))
                print("stopped after a part", file=log)
                return 1
            control.sleep(float(get("SEER_SECONDS", "0")))
            folder.write_part(number, [perceive(item, folder.path) for item in part])
            with (folder.path / "made.txt").open("a") as made:
                made.write(f"{number}\n")
            if str(number + 1) == get("SEER_DIES_AFTER"):
                control.die()
        done += len(part)
        folder.tell(WorkerProgress("running", done, total, seconds=1.0, warnings=warnings))
    folder.tell(WorkerProgress("done", total, total, seconds=1.0, warnings=warnings))
    return 0


def within(monkeypatch: pytest.MonkeyPatch, *modules: ModuleType) -> None:
    """Its worker in threads wherever these modules would start a process."""
    put(monkeypatch, WORKER, work)
    for module in modules:
        monkeypatch.setattr(module, "WORKER", WORKER)


def known(monkeypatch: pytest.MonkeyPatch) -> None:
    """The scorer beside those that there are."""
    real = registry.get
    monkeypatch.setattr(registry, "get", lambda name: SCORER if name == NAME else real(name))


class _Process(Control):
    """A process that may really be killed."""

    def die(self) -> None:
        os.kill(os.getpid(), signal.SIGKILL)


if __name__ == "__main__":
    process = _Process()
    signal.signal(signal.SIGTERM, lambda *_: process.is_asked_to_stop.set())
    sys.exit(work(Path(sys.argv[1]), process, sys.stderr))
