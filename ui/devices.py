"""What this machine can have runs on, without a model's framework: the graphics cards' own tool is asked."""

from __future__ import annotations

import re
import shutil
import subprocess
from functools import cache
from typing import Final

CPU: Final = "cpu"
_SECONDS: Final = 5.0
_DEVICES: Final = re.compile(r"[a-z]+(:[0-9]{1,3})?(,[a-z]+(:[0-9]{1,3})?)*")


def named(text: str | None) -> str:
    """A device, or several with commas, as somebody typed it; without blanks, and ``cpu`` where nothing is said.

    Raises:
        ValueError: it names none.
    """
    name = re.sub(r"\s+", "", text or "").lower() or CPU
    if not _DEVICES.fullmatch(name):
        raise ValueError(f"a device is cpu, cuda, cuda:1, mps, or several as cuda:0,cuda:1; got {str(text)[:60]!r}")
    return name


@cache
def known() -> tuple[tuple[str, str], ...]:
    """The devices of this machine: (what they are called here, that with what they are)."""
    return ((CPU, CPU), *((f"cuda:{number}", f"cuda:{number} ({name})") for number, name in _cards()))


def _cards() -> list[tuple[int, str]]:
    tool = shutil.which("nvidia-smi")
    if tool is None:
        return []
    asked = [tool, "--query-gpu=index,name", "--format=csv,noheader"]
    try:
        said = subprocess.run(asked, capture_output=True, text=True, timeout=_SECONDS, check=True).stdout
    except (OSError, subprocess.SubprocessError):
        return []
    lines = (line.partition(",") for line in said.splitlines())
    return [(int(number), name.strip()) for number, _, name in lines if number.strip().isdigit()]
