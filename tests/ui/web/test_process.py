"""The app's process is set up before it serves."""

from __future__ import annotations

import signal
import subprocess
import sys
from pathlib import Path

from tests.ui.server_process import Serving

ROOT = Path(__file__).resolve().parents[3]


def test_threads_take_short_turns() -> None:
    code = "import sys; from ui.web import server; server.settle_process(); print(sys.getswitchinterval())"
    process = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert float(process.stdout) == 0.0005


def test_a_system_without_such_heaps_is_served_all_the_same() -> None:
    code = (
        "import ctypes; from ui.web import server\n"
        "class Nothing: pass\n"
        "ctypes.CDLL = lambda _: Nothing()\n"
        "server.settle_process(); print('served')"
    )
    process = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert process.stdout == "served\n"


def test_the_app_ends_without_a_word_in_the_terminal(tmp_path: Path) -> None:
    with Serving(tmp_path / "project") as serving:
        serving.process.send_signal(signal.SIGINT)
        assert serving.process.communicate(timeout=60)[1] == ""
