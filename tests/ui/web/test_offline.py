"""The server and its pages with every way to the world closed: nothing is asked for, and nothing is missed."""

from __future__ import annotations

import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from tests.ui import small_project
from tests.ui.server_process import free_port
from tests.ui.small_project import done

ROOT = Path(__file__).resolve().parents[3]
# the loopback alone is let through; whatever else is tried is written down and refused
CLOSED = """
import socket, sys
log = sys.argv.pop(1)
connect, resolve = socket.socket.connect, socket.getaddrinfo

def tried(what):
    with open(log, "a") as file:
        file.write(f"{what}\\n")
    raise OSError("the world is closed")

def guarded(self, address):
    local = self.family == socket.AF_UNIX or str(address[0]).startswith(("127.", "::1", "localhost"))
    return connect(self, address) if local else tried(address)

def resolved(host, *rest, **more):
    local = host is None or str(host).startswith(("127.", "::1", "localhost", "0.0.0.0"))
    return resolve(host, *rest, **more) if local else tried(host)

socket.socket.connect = socket.socket.connect_ex = guarded
socket.getaddrinfo = resolved
try:
    socket.create_connection(("192.0.2.1", 80))
except OSError as error:
    assert "closed" in str(error)
open(log, "w").close()
import app
app.app()
"""
PAGES = ("/studio/", "/studio/images", "/studio/agreement", "/studio/add/runs", "/studio/images?show=map", "/annotate/")


@pytest.fixture
def closed(project: Path, tmp_path: Path) -> Iterator[tuple[str, Path]]:
    """A server whose sockets are guarded, and the file in which it says what it tried."""
    done(
        project,
        "import",
        "images",
        small_project.geneval_folder(tmp_path / "sdv2"),
        "--layout",
        "geneval",
        "--generator",
        "sdv2",
    )
    log, port = tmp_path / "tried.txt", free_port()
    line = [sys.executable, "-c", CLOSED, str(log), "serve", "--project", str(project), "--port", str(port), "--no-browser"]
    server = subprocess.Popen(line, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    url = f"http://127.0.0.1:{port}"
    deadline = time.monotonic() + 90
    while True:
        try:
            httpx.get(url, trust_env=False)
            break
        except httpx.HTTPError:
            assert server.poll() is None, server.communicate()
            assert time.monotonic() < deadline
            time.sleep(0.2)
    yield url, log
    server.send_signal(signal.SIGTERM)
    server.communicate(timeout=30)


@pytest.mark.slow
def test_the_server_asks_nobody_and_its_pages_name_nobody(closed: tuple[str, Path]) -> None:
    url, log = closed
    elsewhere = re.compile(r"""(?:src|href)=["'](?:https?:)?//(?!127\.0\.0\.1)[^"']+""")
    for path in PAGES:
        answer = httpx.get(url + path, trust_env=False, follow_redirects=True)
        assert answer.status_code == 200, path
        assert elsewhere.findall(answer.text) == [], path
    time.sleep(1)  # what a thread may try after the start
    assert log.read_text() == ""
