"""A real server process over a project."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

from concord.common import forwarding

ROOT = Path(__file__).resolve().parents[2]


def free_port() -> int:
    with socket.socket() as result:
        result.bind(("127.0.0.1", 0))
        port: int = result.getsockname()[1]
        return port


class Serving:
    """`app.py serve` until the end of the block, however it ends."""

    def __init__(self, project: Path) -> None:
        self.project = project
        self.port = free_port()
        words = ["serve", "--project", str(project), "--no-browser", "--port", str(self.port), "--backup-every", "0"]
        self.process = subprocess.Popen(
            [sys.executable, str(ROOT / "app.py"), *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        )

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def __enter__(self) -> Serving:
        assert self.process.stdout
        readline = self.process.stdout.readline()
        assert readline == f"Concord is open at {self.url}/\n", readline + self.process.communicate(timeout=10)[1]
        return self

    def __exit__(self, *_: object) -> None:
        self.stop(signal.SIGKILL)

    def stop(self, how: signal.Signals) -> tuple[int, float]:
        """Send a signal; the exit status and the seconds that it took."""
        begun = time.monotonic()
        if self.process.poll() is None:
            os.kill(self.process.pid, how)
        self.process.communicate(timeout=60)
        return self.process.returncode, time.monotonic() - begun


def announced(project: Path) -> Path:
    return project / forwarding.FILE
