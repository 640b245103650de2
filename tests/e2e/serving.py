"""The real command line and the real server, as processes of their own."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx

ROOT = Path(__file__).resolve().parents[2]
_START_SECONDS = 60
_STOP_SECONDS = 20


@dataclass(frozen=True, slots=True)
class Server:
    """An open app: where it is, and the project that it serves."""

    url: str
    project: Path

    def run(self, *arguments: str | Path) -> str:
        return command(self.project, *arguments)

    def json(self, path: str, **parameters: str | int) -> Any:
        """What a route says."""
        answer = httpx.get(self.url + path, params=parameters, trust_env=False)
        answer.raise_for_status()
        return answer.json()

    def agreement(self, *selection: str) -> dict[str, list[dict[str, Any]]]:
        found: dict[str, list[dict[str, Any]]] = json.loads(self.run("agreement", *selection, "--format", "json"))
        return found

    def items(self, **filters: str) -> list[dict[str, Any]]:
        """The items of the grid's first page."""
        found: list[dict[str, Any]] = self.json("/api/studio/items", **filters)["items"]
        return found

    def annotations(self, person: str) -> list[dict[str, Any]]:
        """Every annotation row of this person, by item: asked for in their name, as others' are covered."""
        said = []
        client = httpx.Client(base_url=self.url, trust_env=False)
        client.post("/api/name", json={"name": person}).raise_for_status()
        for item in self.items():
            whole = client.get("/api/studio/item", params={"id": item["item_id"]}).raise_for_status().json()
            mine = [a for a in whole["annotations"] if a["rater_id"] == person]
            judged = [j for j in whole["judgements"] if j["rater_id"] == person]
            said += [{**a, "item_id": item["item_id"], "judged": judged} for a in mine]
        return said


def command(project: Path, *arguments: str | Path) -> str:
    """Run a command on a project, in the app that has it open if one has; its standard output."""
    line = [sys.executable, str(ROOT / "app.py"), *map(str, arguments), "--project", str(project)]
    done = subprocess.run(line, cwd=ROOT, capture_output=True, text=True, check=False, timeout=120)
    assert done.returncode == 0, f"{arguments}: exit status {done.returncode}\n{done.stdout}\n{done.stderr}"
    return done.stdout


@contextmanager
def serving(project: Path, *options: str | Path) -> Iterator[Server]:
    """Serve a project with these options; in the end ask the server to stop, which it must do in good order."""
    log = project.parent / f"{project.name}.log"
    port = _free_port()
    line = [sys.executable, str(ROOT / "app.py"), "serve", "--project", str(project), "--no-browser", "--port", str(port)]
    line += map(str, options)
    environment = {**os.environ, "CONCORD_DEBUG": "1"}
    with log.open("w", encoding="utf-8") as out:
        process = subprocess.Popen(line, cwd=ROOT, stdout=out, stderr=subprocess.STDOUT, env=environment)
    try:
        url = f"http://127.0.0.1:{port}"
        _wait(process, url, log)
        yield Server(url, project)
        process.send_signal(signal.SIGTERM)
        status = process.wait(_STOP_SECONDS)
    finally:
        if process.poll() is None:
            process.kill()
            process.wait()
    said = log.read_text(encoding="utf-8")
    assert status == 0, f"after SIGTERM the server ended with status {status}:\n{said}"
    assert not (project / ".server.json").exists(), "the stopped server left its address behind"
    assert "Traceback" not in said, said


def _wait(process: subprocess.Popen[bytes], url: str, log: Path) -> None:
    deadline = time.monotonic() + _START_SECONDS
    while time.monotonic() < deadline:
        assert process.poll() is None, f"the server ended:\n{log.read_text(encoding='utf-8')}"
        try:
            httpx.get(f"{url}/favicon.ico", trust_env=False, timeout=2).raise_for_status()
        except httpx.TransportError:
            time.sleep(0.1)  # there is nothing to be told by before it listens
        else:
            return
    raise AssertionError(f"the server was not up after {_START_SECONDS} s:\n{log.read_text(encoding='utf-8')}")


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
