"""What benchmarks share: time, memory, percentiles, the machine in a line, options of a plan."""

from __future__ import annotations

import argparse
import os
import platform
import resource
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Timing:
    """Seconds by the clock, and of all processors, child processes included."""

    wall: float
    cpu: float


def _spent() -> float:
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(one.ru_utime + one.ru_stime for one in used)


class Stopwatch:
    """Began when made."""

    def __init__(self) -> None:
        self._wall, self._cpu = time.perf_counter(), _spent()

    def took(self) -> Timing:
        return Timing(time.perf_counter() - self._wall, _spent() - self._cpu)


def timed(make: Callable[[], T]) -> tuple[T, Timing]:
    """A result, and what it took."""
    clock = Stopwatch()
    result = make()
    return result, clock.took()


def resident(process: int | str = "self") -> float:
    """MB of memory that a process holds (Linux)."""
    return int(Path(f"/proc/{process}/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 2**20


def processor_seconds(pid: int) -> float:
    """What a process has used of processors so far; 0 where the system does not tell."""
    stat = Path(f"/proc/{pid}/stat")
    if not stat.exists():
        return 0.0
    user, system = stat.read_text().rpartition(")")[2].split()[11:13]
    return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")


def percentile(values: Sequence[float], share: float) -> float:
    """What this share of the values stay under, linear between neighbours."""
    return float(np.quantile(values, share))


def machine(*packages: str) -> str:
    """Where this runs, with the versions of these packages."""
    load = f"load {os.getloadavg()[0]:.1f}, Python {platform.python_version()}"
    return ", ".join([f"{os.cpu_count()} cores", load, *(f"{name} {version(name)}" for name in packages)])


def command_line(about: str | None) -> argparse.ArgumentParser:
    """Of a benchmark with this docstring."""
    return argparse.ArgumentParser(description=about.splitlines()[0] if about else None)


def add_options(parser: argparse.ArgumentParser, defaults: Any, helps: Mapping[str, str]) -> None:
    """An option for each field of a plan that ``helps`` names, of its default's type."""
    for name, what in helps.items():
        default = getattr(defaults, name)
        parser.add_argument(f"--{name}", type=type(default), default=default, help=f"{what} (default {default})")


def tell(lines: list[str]) -> list[str]:
    """Print the lines, and return them."""
    print("\n".join(lines))
    return lines
