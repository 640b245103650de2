"""A server on this machine that answers as an OpenAI-compatible one does, or as it is told to misbehave."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

Answer = tuple[int, dict[str, str], Any]


@dataclass
class Scripted:
    """A server that gives these answers in turn, (status, headers, body) each, and the last one for ever; status 0: none. Or
    what ``reply`` makes of a request."""

    answers: list[Answer]
    reply: Callable[[Any], Answer] | None = None
    seen: list[tuple[str | None, Any]] = field(default_factory=list)
    url: str = ""


@contextmanager
def serving(monkeypatch: pytest.MonkeyPatch) -> Iterator[Scripted]:
    """Such a server, and no proxy before it."""
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.lower(), raising=False)
    scripted = Scripted([])
    ended = threading.Event()

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            read = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            scripted.seen.append((self.headers.get("Authorization"), read))
            if scripted.reply is not None:
                status, headers, body = scripted.reply(read)
            else:
                status, headers, body = scripted.answers[min(len(scripted.seen), len(scripted.answers)) - 1]
            if status == 0:
                ended.wait(10)
                return
            content = body if isinstance(body, bytes) else json.dumps(body).encode()
            self.send_response(status)
            for name, value in {"Content-Length": str(len(content)), **headers}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as http:
        scripted.url = f"http://127.0.0.1:{http.server_address[1]}/v1"
        thread = threading.Thread(target=http.serve_forever, daemon=True)
        thread.start()
        yield scripted
        ended.set()
        http.shutdown()
        thread.join()


def wrote(text: Any = "About cat (animal):", **more: Any) -> tuple[int, dict[str, str], Any]:
    choice = {"message": {"role": "assistant", "content": text}, "finish_reason": "stop"} | more
    return 200, {}, {"choices": [choice], "usage": {"prompt_tokens": 90, "completion_tokens": 10}}
