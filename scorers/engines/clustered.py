"""The engine ``ray``: an actor for each device, on one machine or several. This process stays the only one that writes the run.

Images travel with their parts through Ray's object store, so that an actor need not see this machine's disk.
"""

from __future__ import annotations

import contextlib
import os
import re
import secrets
import signal
import sys
import threading
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Final

from data.images.files import ImageError, image_bytes
from data.jobs.runs import Run, WorkItem
from scorers import engines, own
from scorers.engines import opening
from scorers.engines.base import Engine
from scorers.engines.dispatch import Crew, Manned
from scorers.engines.hand import Broken, Died, Said, Task, Told
from scorers.engines.sent import Actor, Sent
from scorers.seeing import line

_GPU: Final = re.compile(r"cuda(:\d+)?")
_QUIET: Final = {"RAY_USAGE_STATS_ENABLED": "0", "RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO": "0"}


def make(run: Run, base: Path, threads: int | None) -> Engine:
    """See ``scorers.engines.engine``."""
    for device in engines.devices(run.device):
        if device.startswith("cuda:"):
            raise ValueError(f"Ray chooses the GPUs itself: instead of {device} say cuda for all, or cuda,cuda for two")
    return Manned(run, lambda: _crew(run, base, threads))


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
    with _own_signals():
        import ray

        how = {"address": address} if address else _alone(least_cpus)
        try:
            ray.init(log_to_driver=False, logging_level="ERROR", **how)
        except (ConnectionError, RuntimeError, ValueError, OSError) as error:
            raise RuntimeError(f"Ray cannot be {'reached at ' + address if address else 'started'}: {line(error)}") from error
    try:
        yield ray
    finally:
        with _own_signals():
            ray.shutdown()


def _alone(least_cpus: int) -> dict[str, Any]:
    cpus = max(least_cpus, os.cpu_count() or 1)
    return {"address": "local", "num_cpus": cpus, "include_dashboard": False, "_node_ip_address": "127.0.0.1"}


@contextlib.contextmanager
def _own_signals() -> Iterator[None]:
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


@contextlib.contextmanager
def _crew(run: Run, base: Path, threads: int | None) -> Iterator[Crew]:
    asked = engines.devices(run.device)
    with connected(len(asked)) as ray, contextlib.closing(_Actors(ray, run, _devices(ray, asked), base, threads)) as crew:
        yield crew


def _devices(ray: Any, asked: Sequence[str]) -> tuple[str, ...]:
    """``cuda`` alone means every GPU that Ray has."""
    if tuple(asked) != ("cuda",):
        return tuple(asked)
    gpus = int(ray.cluster_resources().get("GPU", 0))
    if not gpus:
        raise ValueError("Ray knows of no GPU; say how many are to be waited for, e.g. --device cuda,cuda, or --device cpu,cpu")
    return ("cuda",) * gpus


class _Actors:
    """See ``Crew``. One call at a time is open to each actor."""

    def __init__(self, ray: Any, run: Run, devices: Sequence[str], base: Path, threads: int | None) -> None:
        self._ray, self._run, self.devices, self._base, self._threads = ray, run, devices, base, threads
        self._kind = ray.remote(Actor)
        self._actors: dict[int, Any] = {}
        self._asked: dict[Any, int] = {}
        self._sent: dict[tuple[int, int | None], Any] = {}
        kept = {name: os.environ[name] for name in (own.ELSEWHERE,) if name in os.environ}
        self._environment = kept

    def start(self, place: int) -> None:
        device = self.devices[place]
        needs = {"num_cpus": 0, "num_gpus": 1} if _GPU.fullmatch(device) else {"num_cpus": 1}
        actor = self._kind.options(**needs, max_restarts=0, max_task_retries=0).remote(
            self._run, device, self._threads, opening.threads(self._run), self._environment
        )
        self._actors[place] = actor
        self._asked[actor.ready.remote()] = place

    def give(self, place: int, task: Task, following: Task | None) -> None:
        told = [(one.number, one.place, self._put(one)) for one in (task, following) if one is not None]
        self._asked[self._actors[place].see.remote(told)] = place

    def hear(self, seconds: float) -> list[tuple[int, Said]]:
        if not self._asked:
            return []
        ready, _ = self._ray.wait(list(self._asked), num_returns=1, timeout=seconds)
        heard = [(self._asked.pop(ref), self._got(ref)) for ref in ready]
        for _, said in heard:
            if isinstance(said, Told):
                self._sent.pop(said.task, None)
        return heard

    def close(self) -> None:
        for actor in self._actors.values():
            with contextlib.suppress(Exception):
                self._ray.kill(actor, no_restart=True)
        self._actors.clear()
        self._asked.clear()

    def _put(self, task: Task) -> Any:
        key = task.number, task.place
        if key not in self._sent:
            self._sent[key] = self._ray.put(Task(task.number, [_sent(one, self._base) for one in task.work], task.place))
        return self._sent[key]

    def _got(self, ref: Any) -> Said:
        from ray.exceptions import RayError, RayTaskError

        try:
            said: Said = self._ray.get(ref)
        except RayTaskError as error:
            return Broken(RuntimeError.__name__, line(error.cause or error), str(error))
        except RayError as error:
            return Died(line(str(error).strip().splitlines()[0] if str(error).strip() else type(error).__name__))
        return said


def _sent(work: WorkItem, base: Path) -> Sent:
    try:
        return Sent(work, image_bytes(base / work.path))
    except ImageError as error:
        return Sent(work, None, line(error.reason))
