"""Work that takes hours stands back behind what people wait for."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]


@pytest.mark.skipif(not hasattr(os, "nice"), reason="processes have no such priority here")
def test_what_a_worker_begins_stands_back_too() -> None:
    child = "import os, sys; print(os.nice(0))"
    code = (
        "import subprocess, sys; from scorers.running.fault_isolation import lower_priority; lower_priority();"
        f" subprocess.run([sys.executable, '-c', {child!r}])"
    )
    process = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert int(process.stdout) == min(os.nice(0) + 10, 19)


@pytest.mark.parametrize("module", ["scorers.running.worker", "scorers.generation.worker", "scorers.maps"])
def test_every_worker_stands_back(module: str) -> None:
    """Run as the app runs it, about a folder that is not there."""
    code = (
        "import os, runpy, sys\n"
        "import scorers.running.fault_isolation as crash_log\n"
        "crash_log.lower_priority = lambda: print('stood back')\n"
        "sys.argv = ['worker', '/nowhere/at/all']\n"
        f"runpy.run_module({module!r}, run_name='__main__')\n"
    )
    process = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False)
    assert process.stdout.startswith("stood back")
