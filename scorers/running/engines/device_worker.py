"""A process that has a run's models on a device: how they are opened, the messages to and from it, and how it sees one task
while the next one's images open.

Opening is refused where this code would see something else than the run was begun with, and computes with a number of
threads that is the same wherever the models are.
"""

from __future__ import annotations

import contextlib
import os
import sys
import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from importlib.metadata import PackageNotFoundError, version
from typing import Any, Final

from data.jobs.runs import Observation, Run
from scorers import registry
from scorers.base import ModelBroken, Perceiver, Scorer, Shown
from scorers.models import files
from scorers.running.perceive import Prefetcher, guard, perceive_images, pixel_count, single_line

_PACKAGES: Final = ("torch", "open-clip-torch", "transformers", "timm", "ultralytics")
_SMALL_BYTES: Final = 1 << 26
_PER_KILOBYTE: Final = 1 if sys.platform == "darwin" else 1024


def check_run(run: Run) -> Scorer:
    """The scorer of a run that this code can do.

    Raises:
        ValueError: it cannot: unknown scorer, other version, other weights, senseless settings.
    """
    scorer = registry.get(run.scorer)
    if run.version != scorer.version:
        raise ValueError(f"this run was started by {run.scorer} {run.version}, now it is {scorer.version}; start a new run")
    # where the profile has another name by now, all that any has is wanted
    profiles = [scorer.profiles[run.profile]] if run.profile in scorer.profiles else scorer.profiles.values()
    missing = sorted({key for profile in profiles for key in profile} - set(run.settings))
    if missing:
        raise ValueError(f"the run's settings lack {', '.join(missing)}")
    scorer.check(run.settings)
    if run.settings.get("weights", {}) != registry.fingerprints(scorer, run.settings):
        raise ValueError("the models' weights are not those that this run was begun with; start a new run")
    return scorer


def open_perceiver(run: Run, device: str) -> Perceiver:
    """The run's models in memory.

    Raises:
        ValueError: as ``check``, or a model cannot be used.
        OSError: a model's files are not at hand.
        ImportError: a package is not installed.
        ModelBroken: a model gives what no working model gives.
    """
    return check_run(run).open(run.settings, device)


def compute_threads(run: Run) -> int | None:
    """How many threads a model computes with on a CPU, in every process of every engine; None: as many as torch likes.

    The last digits of what a network says depend on it, so it may not depend on how many processes share a machine. Small
    networks have one: more do not make them faster, and beside other processes much slower.
    """
    said = os.environ.get("OMP_NUM_THREADS", "")
    if said.isdecimal() and int(said):
        return int(said)
    scorer = registry.get(run.scorer)
    folders = [files.folder(str(run.settings.get(key))) for key in scorer.models]
    sizes = [sum(file.stat().st_size for file in where.rglob("*.safetensors")) if where else 0 for where in folders]
    # what has no weights in a folder on this machine is not known to be small
    small = bool(sizes) and sum(size or _SMALL_BYTES for size in sizes) < _SMALL_BYTES
    return 1 if small else None


@contextlib.contextmanager
def torch_threads(number: int | None) -> Iterator[None]:
    """Torch uses so many threads meanwhile; None: it is left alone, and not even imported."""
    if number is None:
        yield
        return
    try:
        import torch
    except ImportError:  # whoever opens the models says so
        yield
        return
    before = torch.get_num_threads()
    torch.set_num_threads(number)
    try:
        yield
    finally:
        torch.set_num_threads(before)


def package_versions() -> dict[str, str]:
    """Of the packages that matter to what is seen."""
    found = {}
    for package in _PACKAGES:
        with contextlib.suppress(PackageNotFoundError):
            found[package] = version(package)
    return found


def device_name(device: str) -> str:
    """A device as people know it: a GPU with its name. Asked when the models are there."""
    torch = sys.modules.get("torch")
    if torch is None or not device.startswith("cuda"):
        return device
    try:
        return f"{device} ({torch.cuda.get_device_name(device)})"
    except (RuntimeError, AssertionError, ValueError):
        return device


def peak_memory() -> int | None:
    """Bytes, the most that this process held so far; None where the system does not say."""
    try:
        import resource  # not on Windows
    except ImportError:
        return None
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * _PER_KILOBYTE


PIXELS_AHEAD: Final = 1 << 26
"""Of images that are opened before their part is begun: 64 of 1024 x 1024, 200 MB."""


@dataclass(frozen=True, slots=True)
class PerceiveTask:
    """Images that one process looks at: a part, or one image of it alone (``place`` in the part)."""

    number: int
    work: Sequence[Any]
    place: int | None = None


@dataclass(frozen=True, slots=True)
class WorkerReady:
    """The models are in memory."""

    device: str
    versions: Mapping[str, str] = field(default_factory=dict)
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class TaskResult:
    """What was seen of a task, and how the process stands since."""

    task: tuple[int, int | None]
    seen: list[Observation]
    memory: int | None = None
    halved: int = 0
    warnings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class WorkerError:
    """The process cannot go on, and says why; ``kind`` is that of the error, one of ``KINDS``."""

    kind: str
    why: str
    trace: str = ""

    def error(self, device: str) -> Exception:
        """To be raised where the run is owned."""
        return ERROR_KINDS[self.kind](f"{device}: {self.why}")


@dataclass(frozen=True, slots=True)
class WorkerDied:
    """The process is gone and said nothing."""

    why: str


WorkerMessage = WorkerReady | TaskResult | WorkerError | WorkerDied

ERROR_KINDS: Final[Mapping[str, type[Exception]]] = {
    kind.__name__: kind for kind in (ModelBroken, ValueError, ImportError, OSError, RuntimeError)
}
_EXPECTED: Final = (ModelBroken, ValueError, ImportError, OSError)


def error_message(error: BaseException) -> WorkerError:
    """What to say of an error. Errors themselves cannot always be sent, and those that nobody foresaw have a trace."""
    kind = next((name for name, kind in ERROR_KINDS.items() if isinstance(error, kind)), RuntimeError.__name__)
    trace = "" if isinstance(error, _EXPECTED) else "".join(traceback.format_exception(error))
    return WorkerError(kind, single_line(error) or type(error).__name__, trace)


class DeviceWorker:
    """Models in memory, and the images of two tasks at most.

    Args:
        run: what is asked.
        device: of torch, in this process.
        open_one: makes what is shown of a task's work, in a thread.
        decoders: how many threads open images.
        computing: how many threads torch computes with; None: as it likes.

    Raises:
        Exception: as ``open_perceiver``.
    """

    def __init__(
        self, run: Run, device: str, open_one: Callable[[Any], Shown | Observation], decoders: int, computing: int | None
    ) -> None:
        self._open_one, self._decoders = open_one, decoders
        self._ahead: dict[tuple[int, int | None], Prefetcher[Any, Shown | Observation]] = {}
        self._leaving = ExitStack()
        self._leaving.enter_context(torch_threads(computing))
        # without a folder: whoever hands out the tasks sees who dies of what
        self._perceiver = guard(open_perceiver(run, device))
        self.ready = WorkerReady(device_name(device), package_versions(), tuple(self._perceiver.warnings))

    def has(self, number: int, place: int | None) -> bool:
        """Whether a task's images are being opened, so that it need not be brought again."""
        return (number, place) in self._ahead

    def see(self, task: PerceiveTask, following: PerceiveTask | None) -> TaskResult:
        """What is seen of a task; meanwhile images of the ``following`` one are opened, which may never be asked for.

        Raises:
            ModelBroken, RuntimeError: the model cannot go on.
        """
        images = self._begun(task)
        if following is not None:
            self._begun(following)
        for key in set(self._ahead) - {_task_key(task), following and _task_key(following)}:
            self._end(key)
        try:
            seen = perceive_images(self._perceiver, images.take(images.total))
        finally:
            self._end(_task_key(task))
        return TaskResult(_task_key(task), seen, peak_memory(), self._perceiver.halved, tuple(self._perceiver.warnings))

    def close(self) -> None:
        """End its threads."""
        for key in list(self._ahead):
            self._end(key)
        self._leaving.close()

    def _begun(self, task: PerceiveTask) -> Prefetcher[Any, Shown | Observation]:
        key = _task_key(task)
        if key not in self._ahead:
            ahead = Prefetcher(
                task.work, self._open_one, pixel_count, PIXELS_AHEAD, min(self._decoders, max(1, len(task.work)))
            )
            self._ahead[key] = ahead.__enter__()
        return self._ahead[key]

    def _end(self, key: tuple[int, int | None]) -> None:
        if (ahead := self._ahead.pop(key, None)) is not None:
            ahead.__exit__(None, None, None)


def _task_key(task: PerceiveTask) -> tuple[int, int | None]:
    return task.number, task.place
