"""The app before a browser: served by a thread of this process, or, once, as the process that a user starts."""

from __future__ import annotations

import asyncio
import json
import logging
import os
import secrets
import signal
import socket
import subprocess
import sys
import threading
import time
import traceback
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import pytest
import uvicorn
from fastapi import FastAPI

from concord import commands
from concord.common import forwarding
from concord.runs import queue, run_manager
from concord.thumbnails import Thumbnails
from data.store.browse.index_refresh import IndexRefresher
from data.store.core.store import Store, StoreBusy
from tests.ui.small_project import done
from ui.shell.drawing_pace import DrawingPace, limit_pace
from ui.web.server import create_app

ROOT = Path(__file__).resolve().parents[2]
_START_SECONDS = 60
_STOP_SECONDS = 20
_PATIENCE_SECONDS = 2
_OPEN: dict[Path, Store] = {}
"""The projects that this process serves."""


@dataclass(frozen=True, slots=True)
class Server:
    """An open app: where it is, and the project that it serves."""

    url: str
    project: Path

    @property
    def store(self) -> Store:
        """The open project."""
        return _OPEN[self.project]

    def run(self, *arguments: str | Path) -> str:
        return command(self.project, *arguments)

    def json(self, path: str, **parameters: str | int) -> Any:
        """What a route says."""
        answer = httpx.get(self.url + path, params=parameters, trust_env=False, timeout=_STOP_SECONDS)
        answer.raise_for_status()
        return answer.json()

    def agreement(self, *selection: str) -> dict[str, list[dict[str, Any]]]:
        report: dict[str, list[dict[str, Any]]] = json.loads(self.run("agreement", *selection, "--format", "json"))
        return report

    def items(self, **filters: str) -> list[dict[str, Any]]:
        """The items of the grid's first page."""
        items: list[dict[str, Any]] = self.json("/api/studio/items", **filters)["items"]
        return items

    def annotations(self, person: str) -> list[dict[str, Any]]:
        """Every annotation row of this person, by item, and what it judges."""
        with httpx.Client(base_url=self.url, trust_env=False, timeout=_STOP_SECONDS) as client:
            # asked for in their name, as others' answers are covered
            client.post("/api/name", json={"name": person}).raise_for_status()
            rows = []
            for item_id in self._answered(person):
                whole = client.get("/api/studio/item", params={"id": item_id}).raise_for_status().json()
                judged = [row for row in whole["judgements"] if row["rater_id"] == person]
                mine = [row for row in whole["annotations"] if row["rater_id"] == person]
                rows += [{**row, "item_id": item_id, "judged": judged} for row in mine]
            return rows

    def _answered(self, person: str) -> list[str]:
        with self.store.read() as cursor:
            rows = cursor.execute("select distinct item_id from annotations where rater_id = $1", [person]).fetchall()
        return [item_id for (item_id,) in rows]


class Problems(logging.Handler):
    """Whatever the app complains about while it serves: logged errors, and tracebacks that Gradio prints."""

    def __init__(self) -> None:
        super().__init__(logging.ERROR)
        self.texts: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        if _is_news(record):
            self.texts.append(self.format(record))

    @contextmanager
    def watching(self) -> Iterator[None]:
        """Collect from now on, in all threads."""
        print_exc = traceback.print_exc

        def noting(*arguments: Any, **options: Any) -> None:
            self.texts.append(traceback.format_exc())
            print_exc(*arguments, **options)

        logging.getLogger().addHandler(self)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(traceback, "print_exc", noting)
            try:
                yield
            finally:
                logging.getLogger().removeHandler(self)

    def taken(self) -> list[str]:
        """The problems since this was asked last."""
        texts, self.texts = self.texts, []
        return texts


PROBLEMS = Problems()


def _is_news(record: logging.LogRecord) -> bool:
    """Pages that are open while their app ends lose a connection each, as in ``ui.web.server``."""
    cancelled = record.exc_info is not None and isinstance(record.exc_info[1], asyncio.CancelledError)
    return not cancelled and "timeout graceful shutdown exceeded" not in record.getMessage()


def command(project: Path, *arguments: str | Path) -> str:
    """Run a command on a project, in the app that has it open if one has; its standard output."""
    return done(project, *arguments)


@contextmanager
def commands_reach_apps() -> Iterator[None]:
    """Commands of this process find a project that a thread of it serves as they would find another process's.

    DuckDB's lock, by which they know it, is between processes.
    """

    def opened(project: Path) -> Store:
        if project.resolve() in _OPEN:
            raise StoreBusy(f"{project} is open in this process")
        return Store(project)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(commands, "Store", opened)
        yield


@contextmanager
def serving(project: Path) -> Iterator[Server]:
    """Serve a project by a thread of this process, as ``ui.web.server.serve`` does."""
    token = secrets.token_urlsafe(32)
    with Store(project) as store, listening(create_app(store, token)) as url:
        # a test waits for what is drawn: that stands back behind nobody, and is not put off
        pace = limit_pace(store, DrawingPace(store, worked=lambda: 0.0, nice=0))
        server = forwarding.OpenApp("127.0.0.1", int(url.rpartition(":")[2]), token, os.getpid())
        forwarding.announce(store.project, server)
        _OPEN[store.project] = store
        try:
            with closing(IndexRefresher(store)), closing(Thumbnails(store)), closing(pace):
                run_manager.begin_queued(store)
                yield Server(url, store.project)
        finally:
            del _OPEN[store.project]
            forwarding.withdraw(store.project, server)
            queue.stop_all(store)


@contextmanager
def listening(app: FastAPI) -> Iterator[str]:
    """Serve an application by a thread; its address."""
    # whatever it logs reaches ``Problems``
    server = uvicorn.Server(
        uvicorn.Config(
            app,
            port=0,
            log_config=None,
            log_level="warning",
            # open pages hold a connection each, which would never end by themselves
            timeout_graceful_shutdown=0,
            server_header=False,
            proxy_headers=False,
        )
    )
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    try:
        until = time.monotonic() + _START_SECONDS
        while not server.started:
            assert thread.is_alive(), "the server ended before it listened"
            assert time.monotonic() < until, f"the server does not listen after {_START_SECONDS} s"
            time.sleep(0.01)
        yield f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"
    finally:
        server.should_exit = True
        # it is a daemon: one that waits for a page's stream at the very end need not hold the run up
        thread.join(_PATIENCE_SECONDS)


@contextmanager
def served_by_a_process(project: Path, *options: str | Path) -> Iterator[Server]:
    """README's command with these options; in the end the process is asked to stop, which it must do in good order."""
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
    text = log.read_text(encoding="utf-8")
    assert status == 0, f"after SIGTERM the server ended with status {status}:\n{text}"
    assert not (project / forwarding.FILE).exists(), "the stopped server left its address behind"
    assert "Traceback" not in text, text


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
