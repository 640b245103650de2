"""The one process: FastAPI with two Gradio mounts, JSON routes, pictures, and one open project."""

from __future__ import annotations

import asyncio
import hashlib
import logging
import os
import secrets
import signal
import socket
import sys
import warnings
import webbrowser
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import uvicorn

from data.store.store import Store, StoreBusy
from ui.commands import forward, working
from ui.commands.context import CommandError
from ui.commands.runner import first_start
from ui.guard import Guard, is_loopback

if TYPE_CHECKING:
    from fastapi import FastAPI, Request, Response

ASSETS = Path(__file__).parent.parent / "assets"
DEFAULT_PORT = 7860
_PORTS_TO_TRY = 20
_YEAR = 365 * 24 * 3600


def create_app(store: Store, token: str) -> FastAPI:
    """The whole web application over an open project; ``token`` opens the command route."""
    # before gradio is imported: nothing phones home, and nothing is written outside the project
    os.environ["GRADIO_ANALYTICS_ENABLED"] = "False"
    os.environ["HF_HUB_OFFLINE"] = "1"
    os.environ["HF_HUB_DISABLE_TELEMETRY"] = "1"
    os.environ["GRADIO_TEMP_DIR"] = str(store.project / "cache" / "gradio")
    from fastapi import FastAPI
    from fastapi.exceptions import RequestValidationError
    from fastapi.responses import FileResponse, RedirectResponse
    from fastapi.staticfiles import StaticFiles
    from starlette.middleware.sessions import SessionMiddleware

    from ui import command_api, form_api, images_api, studio_api, workbench_api

    app = FastAPI(title="Concord", docs_url=None, redoc_url=None, openapi_url=None)
    for module in (command_api, form_api, images_api, studio_api, workbench_api):
        app.include_router(module.router(store))
    app.mount("/assets", StaticFiles(directory=ASSETS), name="assets")

    @app.get("/")
    def first_page() -> RedirectResponse:
        return RedirectResponse("/studio/")

    @app.get("/favicon.ico")
    def icon() -> FileResponse:
        return FileResponse(ASSETS / "icon.svg", media_type="image/svg+xml")

    app.add_exception_handler(RequestValidationError, _misunderstood)
    _mount_pages(app, store)
    # the last one added is the outermost: nothing runs before the guard has agreed
    app.add_middleware(
        SessionMiddleware,
        secret_key=store.secret,
        # projects on other ports share this host's cookies
        session_cookie="concord-" + hashlib.sha256(store.secret.encode()).hexdigest()[:8],
        max_age=_YEAR,
        same_site="lax",
    )
    app.add_middleware(Guard, token=token)
    return app


async def _misunderstood(_: Request, error: Exception) -> Response:
    """FastAPI's own answer repeats what was sent, which may be nothing that can be sent back (NaN, half a character)."""
    from fastapi.exceptions import RequestValidationError
    from fastapi.responses import JSONResponse

    problems = error.errors() if isinstance(error, RequestValidationError) else ()
    where = sorted({str(part) for one in problems for part in one["loc"][1:2] if str(part).isidentifier()})
    return JSONResponse({"detail": f"This request is not understood: {', '.join(where) or 'its body'}."}, 422)


def _mount_pages(app: FastAPI, store: Store) -> None:
    # said of every multi-page app, also of one that asks for no server-side rendering
    warnings.filterwarnings("ignore", message="SSR mode is not supported")
    import gradio as gr

    from ui.annotate import annotate
    from ui.studio import studio
    from ui.theme import HEAD, theme

    for path, blocks in (("/annotate", annotate()), ("/studio", studio(store))):
        gr.mount_gradio_app(
            app,
            blocks,
            path=path,
            theme=theme(),
            head=HEAD,
            footer_links=[],
            run_history=False,
            ssr_mode=False,
            show_error=True,
            enable_monitoring=False,
        )


class _Server(uvicorn.Server):
    """Tells when it is really listening."""

    def __init__(self, config: uvicorn.Config, ready: Callable[[], None]) -> None:
        super().__init__(config)
        self._ready = ready

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        if self.started:
            self._ready()


def serve(project: Path, host: str, port: int | None, browser: bool) -> None:
    """Open a project and serve it until interrupted.

    Raises:
        CommandError: the host is not this machine's loopback, the port is taken, or the project cannot be opened.
    """
    if not is_loopback(host):
        raise CommandError(
            f"--host {host}: Concord has no logins yet and is open to this machine only; use 127.0.0.1 or localhost"
        )
    try:
        store = Store(project)
    except StoreBusy as busy:
        _already_open(project, busy, browser)
        return
    # uvicorn passes the signal on when it has stopped: this way the project is closed first
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    with store, _bind(host, port) as listening:
        first_start(store)
        bound = listening.getsockname()[1]
        url = f"http://{'[::1]' if ':' in host else host}:{bound}/"
        token = secrets.token_urlsafe(32)

        def ready() -> None:
            print(f"Concord is open at {url}\nproject {store.project} (Ctrl-C closes it)", flush=True)
            if browser:
                webbrowser.open(url)

        # the socket listens already: a command that comes now waits until the app can answer
        forward.announce(store.project, forward.Server(host, bound, token, os.getpid()))
        try:
            app = create_app(store, token)
            config = uvicorn.Config(app, log_level="warning", timeout_graceful_shutdown=2, server_header=False)
            logging.getLogger("uvicorn.error").addFilter(_no_farewell)
            with suppress(KeyboardInterrupt):
                _Server(config, ready).run(sockets=[listening])
        finally:
            forward.withdraw(store.project)
            working.stop_all(store)


def _no_farewell(record: logging.LogRecord) -> bool:
    """Open pages hold a connection each, which ends with the server: no news, and no reason for a traceback."""
    cancelled = record.exc_info is not None and isinstance(record.exc_info[1], asyncio.CancelledError)
    return not cancelled and "timeout graceful shutdown exceeded" not in record.getMessage()


def _already_open(project: Path, busy: StoreBusy, browser: bool) -> None:
    server = forward.running(project)
    if server is None:
        raise CommandError(str(busy)) from busy
    url = f"http://{'[::1]' if ':' in server.host else server.host}:{server.port}/"
    print(f"Concord is open already at {url} (process {server.pid})", flush=True)
    if browser:
        webbrowser.open(url)


def _bind(host: str, port: int | None) -> socket.socket:
    """A listening socket: on the port asked for, else on the first free one from the default on."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    candidates = range(DEFAULT_PORT, DEFAULT_PORT + _PORTS_TO_TRY) if port is None else (port,)
    for candidate in candidates:
        listening = socket.socket(family, socket.SOCK_STREAM)
        if sys.platform != "win32":
            listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listening.bind((host, candidate))
            listening.listen(128)
            return listening
        except OSError as error:
            listening.close()
            if port is not None:
                raise CommandError(f"--port {port}: {error.strerror}; choose another, or leave it out") from error
    raise CommandError(f"no port from {DEFAULT_PORT} to {DEFAULT_PORT + _PORTS_TO_TRY - 1} is free; name one with --port")
