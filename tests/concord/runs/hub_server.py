"""A small imitation of the Hugging Face hub on this machine: one repository, its files, and how it answers."""

from __future__ import annotations

import hashlib
import json
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Final
from urllib.parse import unquote, urlsplit

COMMIT: Final = "0123456789abcdef0123456789abcdef01234567"


@contextmanager
def hub_of(repository: str, files: Mapping[str, bytes], asked: list[str]) -> Iterator[str]:
    """Serve a repository; yields the hub's address. Paths of files that were fetched are added to ``asked``."""

    class Handler(BaseHTTPRequestHandler):
        def do_HEAD(self) -> None:
            self._answer(body=False)

        def do_GET(self) -> None:
            self._answer(body=True)

        def _answer(self, *, body: bool) -> None:
            path = unquote(urlsplit(self.path).path)
            if path.startswith(f"/api/models/{repository}"):
                names = [{"rfilename": name, "size": len(content)} for name, content in files.items()]
                return self._send(json.dumps({"id": repository, "sha": COMMIT, "siblings": names}).encode(), {})
            name = path.removeprefix(f"/{repository}/resolve/").partition("/")[2]
            if name not in files:
                return self._send(b"", {"X-Error-Code": "EntryNotFound"}, 404)
            if body:
                asked.append(name)
            tag = hashlib.sha256(files[name]).hexdigest()
            return self._send(
                files[name] if body else b"", {"ETag": f'"{tag}"', "X-Repo-Commit": COMMIT}, size=len(files[name])
            )

        def _send(self, content: bytes, headers: Mapping[str, str], status: int = 200, size: int | None = None) -> None:
            self.send_response(status)
            for name, value in headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(content) if size is None else size))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
