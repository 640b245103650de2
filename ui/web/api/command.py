"""The route that runs a command on behalf of the command line, while the app holds the project."""

from __future__ import annotations

import json
from collections.abc import Iterator
from io import TextIOBase
from pathlib import Path
from queue import SimpleQueue
from threading import Thread
from typing import Any, cast

from fastapi import APIRouter, HTTPException
from fastapi.responses import StreamingResponse
from pydantic import BaseModel

from concord import commands
from concord.common.context import Context
from concord.common.forwarding import COMMANDS, UNKNOWN_COMMAND
from concord.open_project import OpenProject


class CommandBody(BaseModel):
    name: str
    parameters: dict[str, Any]
    cwd: str


class _OutputStream(TextIOBase):
    """A text stream whose writes go to whoever asked for the command."""

    def __init__(self, name: str, queue: SimpleQueue[dict[str, Any] | None]) -> None:
        self._name = name
        self._queue = queue

    def write(self, text: str) -> int:
        if text:
            self._queue.put({"stream": self._name, "text": text})
        return len(text)


def router(store: OpenProject) -> APIRouter:
    routes = APIRouter()

    @routes.post("/command")
    def command(body: CommandBody) -> StreamingResponse:
        if body.name not in COMMANDS:
            raise HTTPException(404, UNKNOWN_COMMAND)
        return StreamingResponse(_run(store, body), media_type="application/x-ndjson")

    return routes


def _run(store: OpenProject, body: CommandBody) -> Iterator[str]:
    queue: SimpleQueue[dict[str, Any] | None] = SimpleQueue()
    out, err = (cast("Any", _OutputStream(name, queue)) for name in ("out", "err"))

    def work() -> None:
        status = 1
        try:
            status = commands.run(Context(store, Path(body.cwd), out, err), body.name, body.parameters)
        finally:
            queue.put({"exit": status})
            queue.put(None)

    # the command goes on if whoever asked goes away: half an import is worse than one unseen
    Thread(target=work, name=f"command {body.name}", daemon=True).start()
    while (message := queue.get()) is not None:
        yield json.dumps(message) + "\n"
