"""What benchmarks share: time, memory, percentiles, the machine in a line, options of a plan."""

from __future__ import annotations

import argparse
import json
import os
import platform
import resource
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from importlib.metadata import version
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

T = TypeVar("T")
P = TypeVar("P", bound=Any)


@dataclass(frozen=True, slots=True)
class Timing:
    """Seconds by the clock, and of all processors, child processes included."""

    wall: float
    cpu: float


def _spent() -> float:
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(usage.ru_utime + usage.ru_stime for usage in used)


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


class Parts:
    """Where time goes: seconds by the clock inside some methods, while it is entered. A method that calls another of them, or
    is called by several threads at once, counts for each.

    Args:
        methods: by what to call the part, a class and the name of its method.
        wait: called around each; of a GPU, what waits until it has done all that it was asked.
    """

    def __init__(self, methods: Mapping[str, tuple[type, str]], wait: Callable[[], object] = lambda: None) -> None:
        self._methods, self._wait = methods, wait
        self.seconds = dict.fromkeys(methods, 0.0)

    def __enter__(self) -> Parts:
        self._plain = {part: getattr(owner, name) for part, (owner, name) in self._methods.items()}
        for part, (owner, name) in self._methods.items():
            setattr(owner, name, self._watched(part, self._plain[part]))
        return self

    def __exit__(self, *_: object) -> None:
        for part, (owner, name) in self._methods.items():
            setattr(owner, name, self._plain[part])

    def _watched(self, part: str, plain: Callable[..., T]) -> Callable[..., T]:
        def method(*values: Any, **named: Any) -> T:
            self._wait()
            began = time.perf_counter()
            result = plain(*values, **named)
            self._wait()
            self.seconds[part] += time.perf_counter() - began
            return result

        return method

    def shares(self, whole: float) -> str:
        """Each part's share of the seconds ``whole``, and what is left."""
        shares = {part: seconds / whole for part, seconds in self.seconds.items()}
        shares["the rest"] = 1 - sum(shares.values())
        return ", ".join(f"{part} {share:.0%}" for part, share in shares.items())


def wait_for(device: str) -> Callable[[], object]:
    """What waits until this device of torch's has done all that it was asked; the CPU always has."""
    if not device.startswith("cuda"):
        return lambda: None
    import torch

    return torch.cuda.synchronize  # type: ignore[no-any-return]  # torch is not read by mypy


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
    for name, help_text in helps.items():
        default = getattr(defaults, name)
        parser.add_argument(f"--{name}", type=type(default), default=default, help=f"{help_text} (default {default})")


def planned(
    parser: argparse.ArgumentParser, plan: P, small: P, helps: Mapping[str, str], arguments: Sequence[str] | None
) -> tuple[P, dict[str, Any]]:
    """The plan of a command line and the other options: beside those for the fields that ``helps`` names, ``--quick``, which
    takes the plan ``small``, and ``--json``, a file."""
    add_options(parser, plan, helps)
    parser.add_argument("--quick", action="store_true", help="a small size, to see that it runs")
    parser.add_argument("--json", type=Path, help="write the figures to this file too")
    options = vars(parser.parse_args(arguments))
    chosen = {name: options.pop(name) for name in helps}
    return small if options["quick"] else replace(plan, **chosen), options


def written(options: Mapping[str, Any], figures: Any, lines: list[str]) -> list[str]:
    """Write the figures to the file of ``--json``, if any, print the lines, and return them."""
    if options["json"] is not None:
        options["json"].write_text(json.dumps(figures) + "\n", encoding="utf-8")
    return tell(lines)


def study_options(about: str, few: str) -> argparse.ArgumentParser:
    """Options of a benchmark of simulated studies; ``few``: what a quick look makes."""
    parser = argparse.ArgumentParser(description=about)
    parser.add_argument("--quick", action="store_true", help=few)
    parser.add_argument("--studies", type=int, default=500, help="a cell")
    return parser


def print_tables(tables: Iterable[tuple[str, Sequence[str], Iterable[str]]], *, quick: bool) -> int:
    """Print tables, each a title, the names of its columns and its lines; the exit status, 1 where a line says FAILS.

    Of a `quick` look it is 0.
    """
    failed = 0
    for title, names, lines in tables:
        print(f"\n{title}:\n\n| {' | '.join(names)} |\n{'|---' * len(names)}|", flush=True)
        for line in lines:
            failed += "FAILS" in line
            print(line, flush=True)
    print(f"\n{failed} lines fail" if failed else "\nnone fails")
    return 1 if failed and not quick else 0


def tell(lines: list[str]) -> list[str]:
    """Print the lines, and return them."""
    print("\n".join(lines))
    return lines
