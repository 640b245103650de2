"""The logic of the browser's modules, in Node: what is sent, which key does what, which questions and which places show."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
LEAST = (20, 19)
"""The first Node that takes a file with imports for a module by itself."""


def node() -> str | None:
    """Return the path of a Node that is new enough; None if there is none."""
    path = shutil.which("node")
    if path is None:
        return None
    version = subprocess.run([path, "--version"], capture_output=True, text=True, check=True).stdout
    return path if tuple(map(int, re.findall(r"\d+", version)[:2])) >= LEAST else None


def test_the_modules_logic_holds_without_a_browser() -> None:
    program = node()
    if program is None:
        pytest.skip(
            f"Node {'.'.join(map(str, LEAST))} or later is not on this machine: the form's modules are not tested alone"
        )
    files = sorted(map(str, Path(__file__).parent.glob("*.test.mjs")))
    done = subprocess.run(
        [program, "--test", "--test-reporter=tap", *files], cwd=ROOT, capture_output=True, text=True, timeout=120
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert re.search(r"^# pass (\d+)$", done.stdout, re.MULTILINE), done.stdout
