"""What this machine computes with: the devices that models can run on, and the CPU's threads beside them. Torch is not opened:
the graphics cards' own tool is asked.

Resizing, normalising, packing masks and cutting crops take longer than a GPU's forward pass; Pillow, numpy and zlib let go of
Python's lock meanwhile, so ``in_threads`` does these.
"""

from __future__ import annotations

import os
import platform
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from typing import Final, TypeVar

T = TypeVar("T")
R = TypeVar("R")
_MOST_THREADS: Final = 16
CPU: Final = "cpu"
_SECONDS: Final = 5.0
_DEVICES: Final = re.compile(r"[a-z]+(:[0-9]{1,3})?(,[a-z]+(:[0-9]{1,3})?)*")


def parse_devices(text: str | None) -> str:
    """A device, or several with commas, as somebody typed it; without blanks, and ``cpu`` where nothing is said.

    Raises:
        ValueError: it names none.
    """
    name = re.sub(r"\s+", "", text or "").lower() or CPU
    if not _DEVICES.fullmatch(name):
        raise ValueError(f"a device is cpu, cuda, cuda:1, mps, or several as cuda:0,cuda:1; got {str(text)[:60]!r}")
    return name


@cache
def default_device() -> str:
    """Where models run unless somebody says otherwise: the first GPU of NVIDIA or Apple, else the CPU."""
    if sys.platform == "darwin" and platform.machine() == "arm64":
        return "mps"
    return "cuda" if _cards() else CPU


@cache
def known_devices() -> tuple[tuple[str, str], ...]:
    """The devices of this machine: (what they are called here, that with what they are)."""
    return ((CPU, CPU), *((f"cuda:{number}", f"cuda:{number} ({name})") for number, name in _cards()))


def _cards() -> list[tuple[int, str]]:
    tool = shutil.which("nvidia-smi")
    if tool is None:
        return []
    command = [tool, "--query-gpu=index,name", "--format=csv,noheader"]
    try:
        stdout = subprocess.run(command, capture_output=True, text=True, timeout=_SECONDS, check=True).stdout
    except (OSError, subprocess.SubprocessError):
        return []
    lines = (line.partition(",") for line in stdout.splitlines())
    return [(int(number), name.strip()) for number, _, name in lines if number.strip().isdigit()]


def cores() -> int:
    """How many cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def in_threads(function: Callable[[T], R], things: Iterable[T]) -> list[R]:
    """``function`` of each thing, in order; raises what the first of them raises. It must not call this function again."""
    listed = list(things)
    if len(listed) < 2:
        return [function(thing) for thing in listed]
    return list(_threads().map(function, listed))


@cache
def _threads() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(min(_MOST_THREADS, cores()), thread_name_prefix="host")
