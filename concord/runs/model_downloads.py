"""Downloads of models that a scorer needs and this machine does not have, begun where somebody asks for the scorer; it begins
once they are here.

They belong to the machine: a model is fetched once, for all projects. One is at work at a time, in a process of its own.
"""

from __future__ import annotations

import atexit
import json
import subprocess
import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, Literal

from concord.common import machine, wording
from concord.common.readiness import missing_models
from scorers import registry
from scorers.models import downloads, fetching

State = Literal["waiting", "running", "failed", "stopped", "done"]
_ROOT: Final = Path(__file__).resolve().parents[2]


@dataclass(eq=False, slots=True)
class ModelDownload:
    """The models of a scorer's profile on their way to this machine.

    Attributes:
        name: scorer and profile, ``clipscore paper``.
        models: those that were missing.
        then: what begins once they are there; returns what went wrong, else "".
        sizes: bytes of each model, as far as the hub has said them.
        error: why it failed and what to do, a line each; commands in backticks.
        process: the one that fetches.
    """

    name: str
    models: Sequence[str]
    then: Callable[[], str]
    state: State = "waiting"
    sizes: dict[str, int] = field(default_factory=dict)
    error: Sequence[str] = ()
    process: subprocess.Popen[str] | None = None

    @property
    def is_active(self) -> bool:
        """True until it has ended."""
        return self.state in ("waiting", "running")

    @property
    def total(self) -> int:
        """Bytes in all: as the hub says, else about."""
        return sum(self.sizes.get(model) or (downloads.megabytes(model) or 0) * 1_000_000 for model in self.models)

    @property
    def done(self) -> int:
        """Bytes that are here."""
        return min(self.total, sum(map(fetching.stored_bytes, self.models)))

    @property
    def text(self) -> str:
        """How far it is, in words."""
        if self.state == "waiting":
            return "waits for another download"
        if not self.total:
            return "asks how large the model is"
        return f"{self.done // 1_000_000:,} of {self.total // 1_000_000:,} MB"


@dataclass(frozen=True, slots=True)
class _Report:
    """A line of the process that fetches: bytes of each model, or why it ended."""

    bytes: Mapping[str, int] = field(default_factory=dict)
    error: Sequence[str] = ()


_downloads: dict[str, ModelDownload] = {}
_lock: Final = threading.Lock()
_turn: Final = threading.Lock()


def all_downloads() -> list[ModelDownload]:
    """Return the downloads that are under way, or ended badly and were not closed, in the order of coming."""
    with _lock:
        return list(_downloads.values())


def version() -> str:
    """Return a text that moves with the downloads."""
    return " ".join(f"{each.name}:{each.state}:{each.text}" for each in all_downloads())


def begin(scorer: str, profile: str, then: Callable[[], str]) -> bool:
    """Fetch what a profile lacks, then go on; returns False if nothing is to be fetched."""
    models = missing_models(registry.get(scorer), profile)
    if not models or not all(map(machine.is_fetchable, models)):
        return False
    name = f"{scorer} {profile}"
    with _lock:
        known = _downloads.get(name)
        if known is not None and known.is_active:
            return True
        download = _downloads[name] = ModelDownload(name, models, then)
    threading.Thread(target=_work, args=(download,), name="download", daemon=True).start()
    return True


def again(name: str) -> None:
    """Try once more what failed or was stopped. What is here already is not fetched again.

    Raises:
        ValueError: there is no such download.
    """
    download = _named(name)
    if not download.is_active:
        scorer, _, profile = name.partition(" ")
        if not begin(scorer, profile, download.then):
            close(name)
            download.then()


def stop(name: str) -> None:
    """End a download; what is here stays, so that it can go on.

    Raises:
        ValueError: there is no such download.
    """
    download = _named(name)
    if download.is_active:
        download.state = "stopped"
        if download.process is not None:
            download.process.terminate()


def close(name: str) -> None:
    """Forget a download that has ended.

    Raises:
        ValueError: there is no such download.
    """
    download = _named(name)
    with _lock:
        if not download.is_active:
            _downloads.pop(name, None)


def _named(name: str) -> ModelDownload:
    with _lock:
        if name not in _downloads:
            raise ValueError("this download is over")
        return _downloads[name]


def _work(download: ModelDownload) -> None:
    with _turn:
        if download.state != "waiting":
            return None
        download.state = "running"
        _fetch(download)
    if download.state == "running":
        download.state = "done"
        try:
            error = download.then()
        except Exception as problem:
            download.state, download.error = "failed", [f"The models are here, but scoring did not begin: {problem}."]
            raise
        if not error:
            return close(download.name)
        download.state = "failed"
        download.error = [f"The models are here, but scoring did not begin: {wording.sentence(error)}"]
    return None


def _fetch(download: ModelDownload) -> None:
    """Run the process and hear what it says."""
    command = [sys.executable, "-m", fetching.__name__, *download.models]
    process = download.process = subprocess.Popen(
        command, cwd=_ROOT, env=fetching.environment(), stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    )
    error: Sequence[str] = ()
    assert process.stdout is not None
    for line in process.stdout:
        try:
            report = _Report(**json.loads(line))
        except (ValueError, TypeError):  # a library's own line
            continue
        download.sizes.update(report.bytes)
        error = report.error or error
    status = process.wait()
    if download.state == "running" and status:
        download.state = "failed"
        download.error = error or [f"The download ended before its time (status {status}). Try again."]


@atexit.register
def _end_all() -> None:
    for each in all_downloads():
        if each.process is not None:
            each.process.terminate()
