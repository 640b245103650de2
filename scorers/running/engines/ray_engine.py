"""The engine ``ray``: an actor for each device, on one machine or several. This process stays the only one that writes the run.

Images travel with their parts through Ray's object store, so that an actor need not see this machine's disk. Ray is imported
where it is started; whoever starts actors makes one of ``RayActor``.
"""

from __future__ import annotations

import contextlib
import os
import re
import secrets
import signal
import socket
import sys
import threading
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, Final

from data.images.files import ImageError, image_bytes
from data.jobs.runs import Observation, Run, WorkItem
from scorers import registry
from scorers.base import Shown
from scorers.running import engines
from scorers.running.engines.device_worker import (
    DeviceWorker,
    PerceiveTask,
    TaskResult,
    WorkerDied,
    WorkerError,
    WorkerMessage,
    WorkerState,
    compute_threads,
    decoders,
    open_image_of,
)
from scorers.running.engines.engine import Engine, WorkerPool
from scorers.running.fault_isolation import single_line
from scorers.running.worker_main import OFFLINE

_MOST_DECODERS: Final = 4
"""Of one actor: nobody knows how many share its machine."""
_ROOT: Final = Path(__file__).resolve().parents[3]


@dataclass(frozen=True, slots=True)
class ImageContent:
    """One image on its way: its file's content, or why that cannot be read."""

    work: WorkItem
    content: bytes | None
    failed: str | None = None


class RayActor:
    """Models in a process of Ray's, anywhere.

    Args:
        run: what is asked.
        device: of torch; of several GPUs Ray shows each actor one.
        threads: how many open images; None: as many as suits that machine.
        computing: how many threads torch computes with; None: as it likes.
        environment: variables that matter to what is seen.
    """

    def __init__(
        self, run: Run, device: str, threads: int | None, computing: int | None, environment: Mapping[str, str]
    ) -> None:
        # Ray says 1 to whatever reads this; before torch is imported
        os.environ.pop("OMP_NUM_THREADS", None)
        os.environ.update({**OFFLINE, "TOKENIZERS_PARALLELISM": "false", **environment})
        os.chdir(_ROOT)  # settings name models below it
        self._open = partial(DeviceWorker, run, device, open_content, threads or min(_MOST_DECODERS, decoders()), computing)
        self._worker: DeviceWorker

    def ready(self) -> WorkerMessage:
        """Open the models."""
        try:
            self._worker = self._open()
            return self._there(self._worker.state)
        except Exception as error:
            return WorkerError.of(error)

    def see(self, tasks: Sequence[Any]) -> WorkerMessage:
        """Look at the first task; the second one may come next. Both are in the store."""
        import ray

        try:
            task, *following = ray.get(list(tasks))
            result = self._worker.see(task, following[0] if following else None)
            return replace(result, state=self._there(result.state))
        except Exception as error:
            return WorkerError.of(error)

    def _there(self, state: WorkerState) -> WorkerState:
        return replace(state, device=f"{state.device} on {socket.gethostname()}")


def open_content(sent: ImageContent) -> Shown | Observation:
    """What a scorer is shown of an image that was sent, or why it cannot be."""
    if sent.content is None:
        return Observation(sent.work.item_id, failed=sent.failed)
    return open_image_of(sent.work, Path(), sent.content)


_GPU: Final = re.compile(r"cuda(:\d+)?")
_QUIET: Final = {"RAY_USAGE_STATS_ENABLED": "0", "RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO": "0"}


def make(run: Run, base: Path, threads: int | None) -> Engine:
    """See ``scorers.running.engines.open_engine``."""
    for device in engines.devices(run.device):
        if device.startswith("cuda:"):
            raise ValueError(f"Ray chooses the GPUs itself: instead of {device} say cuda for all, or cuda,cuda for two")

    def open_pool(leaving: contextlib.ExitStack) -> WorkerPool:
        requested = engines.devices(run.device)
        ray = leaving.enter_context(connected(len(requested)))
        return _ActorPool(ray, run, _devices(ray, requested), base, threads)

    return Engine(open_pool)


@contextlib.contextmanager
def connected(least_cpus: int) -> Iterator[Any]:
    """Ray, imported and started: the cluster that ``RAY_ADDRESS`` names, else one of this process alone, which ends with it.

    Nobody else can use that one: whoever would speak with its ports needs a token that only its own processes have. It sends
    no usage statistics, has no dashboard, and writes its logs to files.

    Raises:
        RuntimeError: Ray cannot be started or reached.
    """
    if (there := sys.modules.get("ray")) is not None and there.is_initialized():
        yield there
        return
    address = os.environ.get("RAY_ADDRESS", "")
    environment = dict(_QUIET)
    if not address:
        environment |= {"RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN": secrets.token_hex(32)}
    os.environ.update(environment)  # before anything of Ray is imported
    with _keep_signal_handlers():
        import ray

        how: dict[str, Any] = {"address": address}
        if not address:
            cpus = max(least_cpus, os.cpu_count() or 1)
            how = {"address": "local", "num_cpus": cpus, "include_dashboard": False, "_node_ip_address": "127.0.0.1"}
        try:
            ray.init(log_to_driver=False, logging_level="ERROR", **how)
        except (ConnectionError, RuntimeError, ValueError, OSError) as error:
            raise RuntimeError(
                f"Ray cannot be {'reached at ' + address if address else 'started'}: {single_line(error)}"
            ) from error
    try:
        yield ray
    finally:
        with _keep_signal_handlers():
            ray.shutdown()


@contextlib.contextmanager
def _keep_signal_handlers() -> Iterator[None]:
    """Ray takes SIGTERM for itself, once when it is imported and once when it starts: it is given back."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = {number: signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGINT)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _devices(ray: Any, requested: Sequence[str]) -> tuple[str, ...]:
    """``cuda`` alone means every GPU that Ray has."""
    if tuple(requested) != ("cuda",):
        return tuple(requested)
    gpus = int(ray.cluster_resources().get("GPU", 0))
    if not gpus:
        raise ValueError("Ray knows of no GPU; say how many are to be waited for, e.g. --device cuda,cuda, or --device cpu,cpu")
    return ("cuda",) * gpus


class _ActorPool:
    """A ``WorkerPool`` of actors. One call at a time is open to each."""

    def __init__(self, ray: Any, run: Run, devices: Sequence[str], base: Path, threads: int | None) -> None:
        self._ray, self._run, self.devices, self._base, self._threads = ray, run, devices, base, threads
        self._kind = ray.remote(RayActor)
        self._actors: dict[int, Any] = {}
        self._asked: dict[Any, int] = {}
        self._sent: dict[tuple[int, int | None], Any] = {}

    def start(self, place: int) -> None:
        device = self.devices[place]
        needs = {"num_cpus": 0, "num_gpus": 1} if _GPU.fullmatch(device) else {"num_cpus": 1}
        matters = {name: os.environ[name] for name in (registry.PLUGIN_FOLDER_VARIABLE,) if name in os.environ}
        actor = self._kind.options(**needs, max_restarts=0, max_task_retries=0).remote(
            self._run, device, self._threads, compute_threads(self._run), matters
        )
        self._actors[place] = actor
        self._asked[actor.ready.remote()] = place

    def give(self, place: int, task: PerceiveTask, following: PerceiveTask | None) -> None:
        tasks = [self._put(each) for each in (task, following) if each is not None]
        self._asked[self._actors[place].see.remote(tasks)] = place

    def hear(self, seconds: float) -> list[tuple[int, WorkerMessage]]:
        if not self._asked:
            return []
        ready, _ = self._ray.wait(list(self._asked), num_returns=1, timeout=seconds)
        heard = [(self._asked.pop(ref), self._got(ref)) for ref in ready]
        for _, message in heard:
            if isinstance(message, TaskResult):
                self._sent.pop(message.task, None)
        return heard

    def close(self) -> None:
        for actor in self._actors.values():
            with contextlib.suppress(Exception):
                self._ray.kill(actor, no_restart=True)
        self._actors.clear()
        self._asked.clear()

    def _put(self, task: PerceiveTask) -> Any:
        if task.key not in self._sent:
            read = []
            for work in task.work:
                try:
                    read.append(ImageContent(work, image_bytes(self._base / work.path)))
                except ImageError as error:
                    read.append(ImageContent(work, None, single_line(error.reason)))
            self._sent[task.key] = self._ray.put(replace(task, work=read))
        return self._sent[task.key]

    def _got(self, ref: Any) -> WorkerMessage:
        from ray.exceptions import RayError, RayTaskError

        try:
            message: WorkerMessage = self._ray.get(ref)
        except RayTaskError as error:
            return WorkerError(RuntimeError.__name__, single_line(error.cause or error), str(error))
        except RayError as error:
            return WorkerDied(single_line(str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__))
        return message
