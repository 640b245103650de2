"""A run's models opened on a device, by any engine: refused where this code would see something else than the run was begun
with, and computing with a number of threads that is the same wherever they are.
"""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, version
from typing import Final

from data.jobs.runs import Run
from scorers import registry
from scorers.base import Perceiver, Scorer
from scorers.models import files

_PACKAGES: Final = ("torch", "open-clip-torch", "transformers", "timm", "ultralytics")
_SMALL_BYTES: Final = 1 << 26
_PER_KILOBYTE: Final = 1 if sys.platform == "darwin" else 1024


def check(run: Run) -> Scorer:
    """The scorer of a run that this code can do.

    Raises:
        ValueError: it cannot: unknown scorer, other version, other weights, senseless settings.
    """
    scorer = registry.get(run.scorer)
    if run.version != scorer.version:
        raise ValueError(f"this run was begun by {run.scorer} {run.version}, now it is {scorer.version}; start a new run")
    # where the profile has another name by now, all that any has is wanted
    profiles = [scorer.profiles[run.profile]] if run.profile in scorer.profiles else scorer.profiles.values()
    missing = sorted({key for profile in profiles for key in profile} - set(run.settings))
    if missing:
        raise ValueError(f"the run's settings lack {', '.join(missing)}")
    scorer.check(run.settings)
    if run.settings.get("weights", {}) != registry.fingerprints(scorer, run.settings):
        raise ValueError("the models' weights are not those that this run was begun with; start a new run")
    return scorer


def perceiver(run: Run, device: str) -> Perceiver:
    """The run's models in memory.

    Raises:
        ValueError: as ``check``, or a model cannot be used.
        OSError: a model's files are not at hand.
        ImportError: a package is not installed.
        ModelBroken: a model gives what no working model gives.
    """
    return check(run).open(run.settings, device)


def threads(run: Run) -> int | None:
    """How many threads a model computes with on a CPU, in every process of every engine; None: as many as torch likes.

    The last digits of what a network says depend on it, so it may not depend on how many processes share a machine. Small
    networks have one: more do not make them faster, and beside other processes much slower.
    """
    said = os.environ.get("OMP_NUM_THREADS", "")
    if said.isdecimal() and int(said):
        return int(said)
    scorer = registry.get(run.scorer)
    sizes = [_bytes(str(run.settings.get(key))) for key in scorer.models]
    small = bool(sizes) and sum(size or _SMALL_BYTES for size in sizes) < _SMALL_BYTES
    return 1 if small else None


@contextlib.contextmanager
def computing_with(number: int | None) -> Iterator[None]:
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


def versions() -> dict[str, str]:
    """Of the packages that matter to what is seen."""
    found = {}
    for package in _PACKAGES:
        with contextlib.suppress(PackageNotFoundError):
            found[package] = version(package)
    return found


def called(device: str) -> str:
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


def _bytes(name: str) -> int | None:
    """Of a model's weights; None if it is not a folder on this machine."""
    path = files.folder(name)
    return None if path is None else sum(file.stat().st_size for file in path.rglob("*.safetensors"))
