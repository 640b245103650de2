"""A small reverse proxy that serves an app under a prefix, as nginx would."""

from __future__ import annotations

import http.client
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

_HOP = {"connection", "keep-alive", "transfer-encoding", "te", "upgrade", "proxy-connection"}


@contextmanager
def proxy(port: int, prefix: str, *, stripped: bool, scheme: str = "http") -> Iterator[str]:
    """Pass on what comes below ``prefix`` to the app on ``port``, with the prefix taken off or not; gives its address."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *_: object) -> None:
            pass

        def do_GET(self) -> None:
            if not self.path.startswith(prefix + "/"):
                # another site is here; browsers ask it for an icon before they know of ours
                self.send_response(204 if self.path == "/favicon.ico" else 404)
                self.send_header("Content-Length", "0")
                self.end_headers()
                return
            path = self.path.removeprefix(prefix) if stripped else self.path
            headers = {name: value for name, value in self.headers.items() if name.lower() not in _HOP}
            host = headers.pop("Host", "")
            headers |= {"Host": f"127.0.0.1:{port}", "X-Forwarded-Host": host, "X-Forwarded-Proto": scheme}
            headers |= {"X-Forwarded-For": "203.0.113.9", "Connection": "close"}
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            connection = http.client.HTTPConnection("127.0.0.1", port, timeout=300)
            connection.request(self.command, path, body, headers)
            answer = connection.getresponse()
            self.send_response(answer.status)
            for name, value in answer.getheaders():
                if name.lower() not in _HOP:
                    self.send_header(name, value)
            self.send_header("Connection", "close")
            self.end_headers()
            self.close_connection = True
            # bit by bit: event streams never end
            with suppress(OSError):
                while chunk := answer.read1(65536):
                    self.wfile.write(chunk)
                    self.wfile.flush()
            connection.close()

        do_POST = do_HEAD = do_GET  # noqa: N815

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}{prefix}"
    finally:
        server.shutdown()
        server.server_close()
