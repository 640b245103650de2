"""A process that has a run's models on a device: how they are opened, the messages to and from it, and how it sees one task
while the next one's images open.

Opening is refused where this code would see something else than the run was begun with, and computes with a number of
threads that is the same wherever the models are.

Images are opened in threads while a model looks at earlier ones: Pillow lets go of the interpreter while it decodes and
resizes, and two threads decode as fast as two processes (measured on PNGs of 1024 x 1024), without a copy of every picture
from one process to the other.
"""

from __future__ import annotations

import contextlib
import json
import os
import sys
import traceback
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass, replace
from functools import cache, partial
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, Final

from PIL import Image

from data.images.files import ImageError, open_image
from data.jobs.runs import Observation, Run, WorkItem
from data.spec import SpecError
from scorers import registry
from scorers.base import ModelBroken, Perceiver, Scorer, Shown
from scorers.models import files
from scorers.models.devices import cores
from scorers.running.fault_isolation import Failed, FaultIsolator, single_line

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
        ValueError: as ``check_run``, or a model cannot be used.
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
    text = os.environ.get("OMP_NUM_THREADS", "")
    if text.isdecimal() and int(text):
        return int(text)
    scorer = registry.get(run.scorer)
    folders = [files.folder(str(run.settings[key])) for key in scorer.models if run.settings.get(key)]
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


@cache
def package_versions() -> Mapping[str, str]:
    """Of the packages that matter to what is seen."""
    versions = {}
    for package in _PACKAGES:
        with contextlib.suppress(PackageNotFoundError):
            versions[package] = version(package)
    return versions


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


MOST_DECODERS: Final = 12
DIED: Final = "the worker died while it looked at this image"
PIXELS_AHEAD: Final = 1 << 26
"""Of a task's images, so that the next task's are opened meanwhile: 64 of 1024 x 1024, 200 MB."""


def decoders() -> int:
    """How many threads open images: one core is left to the model, and beyond a dozen no model keeps up."""
    return max(1, min(MOST_DECODERS, cores() - 1))


def open_image_of(work: WorkItem, base: Path, content: bytes | None = None) -> Shown | Observation:
    """What a scorer is shown of this work, whose path may be below ``base``; or why it cannot be. ``content`` is the file's,
    where it was read elsewhere."""
    try:
        image = open_image(base / work.path, work.sha256 or None, content)
        second = open_image(base / work.second, work.second_sha256 or None) if work.second else None
        extras = (work.questions, work.version, work.captions, work.right)
        return Shown(work.item_id, image, work.text, work.demands, *extras, second, work.generators)
    except ImageError as error:
        why = error.reason
    except SpecError as error:
        why = f"the prompt's spec cannot be read: {error}"
    except Exception as error:  # an image that takes more memory than there is, or breaks a decoder as nobody foresaw
        why = f"it cannot be opened: {error or type(error).__name__}"
    return Observation(work.item_id, failed=single_line(why))


@dataclass(frozen=True, slots=True)
class PerceiveTask:
    """Images that are perceived and written together: a part of a run, or one image of it alone (``place`` in the part)."""

    number: int
    work: Sequence[Any]
    place: int | None = None

    @property
    def key(self) -> tuple[int, int | None]:
        return self.number, self.place


@dataclass(frozen=True, slots=True)
class WorkerState:
    """The models are in memory, and this is how their process stands.

    Attributes:
        device: as people know it.
        versions: of the packages that matter.
        warnings: what looked odd when the models were opened, or since, a line each.
        memory: the most bytes that the process held so far; None: not known.
        halved: how often a batch was halved because memory ran out.
    """

    device: str
    versions: Mapping[str, str]
    warnings: tuple[str, ...] = ()
    memory: int | None = None
    halved: int = 0


@dataclass(frozen=True, slots=True)
class TaskResult:
    """What was seen of a task, and how the process stands since."""

    task: tuple[int, int | None]
    seen: list[Observation]
    state: WorkerState


@dataclass(frozen=True, slots=True)
class WorkerError:
    """The process cannot go on, and says why; ``kind`` is that of the error, one of ``ERROR_KINDS``."""

    kind: str
    why: str
    trace: str = ""

    @classmethod
    def of(cls, error: BaseException) -> WorkerError:
        """What to say of an error. Errors themselves cannot always be sent, and those that nobody foresaw have a trace."""
        kind = next((name for name, kind in ERROR_KINDS.items() if isinstance(error, kind)), RuntimeError.__name__)
        foreseen = isinstance(error, (ModelBroken, ValueError, ImportError, OSError))
        return cls(kind, single_line(error), "" if foreseen else "".join(traceback.format_exception(error)))

    def error(self, device: str) -> Exception:
        """To be raised where the run is owned."""
        return ERROR_KINDS[self.kind](f"{device}: {self.why}")


@dataclass(frozen=True, slots=True)
class WorkerDied:
    """The process is gone and said nothing."""

    why: str


WorkerMessage = WorkerState | TaskResult | WorkerError | WorkerDied

ERROR_KINDS: Final[Mapping[str, type[Exception]]] = {
    kind.__name__: kind for kind in (ModelBroken, ValueError, ImportError, OSError, RuntimeError)
}


class DeviceWorker:
    """Models in memory, and the images of two tasks at most.

    Args:
        run: what is asked.
        device: of torch, in this process.
        open_one: makes what is shown of a task's work, in a thread; it raises nothing.
        decoders: how many threads open images.
        computing: how many threads torch computes with; None: as it likes.
        folder: where a process that dies leaves what it was at; None: whoever hands out the tasks sees who dies of what.

    Raises:
        Exception: as ``open_perceiver``.
    """

    def __init__(
        self,
        run: Run,
        device: str,
        open_one: Callable[[Any], Shown | Observation],
        decoders: int,
        computing: int | None,
        folder: Path | None = None,
    ) -> None:
        self._device, self._open_one = device, open_one
        self._opening: dict[tuple[int, int | None], list[Future[Shown | Observation]]] = {}
        with ExitStack() as so_far:
            so_far.enter_context(torch_threads(computing))
            perceiver = open_perceiver(run, device)
            failures = tuple(map(single_line, getattr(perceiver, "failures", ())))
            if failures and not run.force:
                raise ModelBroken(f"{'; '.join(failures)}; to score with it all the same: --force")
            if (remember := getattr(perceiver, "remember", None)) is not None:
                remember(folder)
            self._odd = failures + tuple(map(single_line, getattr(perceiver, "warnings", ())))
            self._perceive: FaultIsolator[Shown, Observation] = FaultIsolator(
                partial(_checked_perceive, perceiver),
                lambda shown: shown.item_id,
                # the same question of a picture in which nothing can be odd: 256 x 256, black to white
                lambda shown: replace(shown, image=Image.linear_gradient("L").convert("RGB")),
                "image",
                DIED,
                folder,
            )
            self._threads = ThreadPoolExecutor(decoders, thread_name_prefix="decoder")
            so_far.callback(self._threads.shutdown, cancel_futures=True)
            self._leaving = so_far.pop_all()

    @property
    def state(self) -> WorkerState:
        """How this process stands."""
        warnings = (*self._odd, *self._perceive.warnings)
        return WorkerState(device_name(self._device), package_versions(), warnings, peak_memory(), self._perceive.halved)

    def see(self, task: PerceiveTask, following: PerceiveTask | None) -> TaskResult:
        """What is seen of a task, in its order; an image that could not be opened, or breaks the model, fails alone. Meanwhile
        images of the ``following`` task are opened, which may never be asked for.

        Raises:
            ModelBroken: the model gives what no working model gives.
            RuntimeError: it fails on every image, on one that it saw before too.
        """
        opened = [future.result() for future in self._opening.pop(task.key, None) or self._open(task)]
        for futures in self._opening.values():
            for future in futures:
                future.cancel()
        self._opening.clear()
        pixels = sum(shown.image.width * shown.image.height for shown in opened if isinstance(shown, Shown))
        if following is not None and pixels <= PIXELS_AHEAD:
            self._opening[following.key] = self._open(following)
        made = iter(self._perceive([shown for shown in opened if isinstance(shown, Shown)]))
        seen = []
        for shown in opened:
            observation = shown if isinstance(shown, Observation) else next(made)
            seen.append(
                Observation(shown.item_id, failed=single_line(observation.reason))
                if isinstance(observation, Failed)
                else observation
            )
        return TaskResult(task.key, seen, self.state)

    def close(self) -> None:
        """End its threads."""
        self._leaving.close()

    def _open(self, task: PerceiveTask) -> list[Future[Shown | Observation]]:
        return [self._threads.submit(self._open_one, work) for work in task.work]


def _checked_perceive(perceiver: Perceiver, batch: Sequence[Shown]) -> list[Observation]:
    """What can be kept of what is seen.

    Raises:
        ValueError: it is about other images, or it cannot be written.
    """
    seen = perceiver.perceive(batch)
    if [observation.item_id for observation in seen] != [shown.item_id for shown in batch]:
        raise ValueError("it returned results for other images than it was given")
    for observation in seen:
        json.dumps(observation.payload, allow_nan=False)
    return seen
