"""The one process: FastAPI with Studio's Gradio mount, the form's page, JSON routes, pictures, and one open project.

``settle`` says how the process uses the machine: whose turn it is, and what becomes of memory that is free again.
"""

from __future__ import annotations

import asyncio
import ctypes
import gc
import logging
import os
import secrets
import signal
import socket
import sys
import time
import warnings
import webbrowser
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager, closing, suppress
from importlib import import_module
from pathlib import Path
from threading import Timer
from typing import Any, Final

import htpy
import uvicorn
from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import FileResponse, HTMLResponse, JSONResponse, PlainTextResponse, RedirectResponse
from htpy import Element
from starlette.types import Receive, Scope, Send

from concord.commands import fill_default_project
from concord.common import forwarding
from concord.common.base_path import at, checked, stand
from concord.common.context import CommandError
from concord.importing.upload_folders import received_folder
from concord.maps import LassoLost, NoImagesAlike
from concord.runs import queue
from concord.scope import holds_anything
from concord.thumbnails import Thumbnails
from data.store.backup import scheduler
from data.store.browse.index_refresh import IndexRefresher
from data.store.core.connections import NotWritten
from data.store.core.store import Store, StoreBusy
from data.store.erased import Erased
from ui.shell.drawing_pace import limit_pace
from ui.web import form_page
from ui.web.addresses_before import NEW_ADDRESSES, new_address
from ui.web.assets import ASSETS, Assets
from ui.web.auth.accounts import Accounts, AccountsError
from ui.web.auth.authorization import Authorization
from ui.web.auth.sessions import Sessions
from ui.web.middleware import Entrance, Guard, is_loopback
from ui.web.serve_request import ServeRequest
from ui.web.upload_guard import UploadGuard, cleaned_uploads

_TURN_SECONDS: Final = 0.0005
"""So long may a thread that computes keep others waiting: an answer is many short statements, each of which waits its turn."""
_GARBAGE: Final = 5_000
"""New objects before garbage is looked for: an answer makes a few thousand, hardly any of which are left to be found."""
_ARENA_MAX: Final = -8  # M_ARENA_MAX of glibc's malloc.h
_ARENAS: Final = 2


def settle_process() -> None:
    """Set the process up to serve; before it begins other threads."""
    sys.setswitchinterval(_TURN_SECONDS)
    gc.set_threshold(_GARBAGE)
    # each thread would have a heap of its own, and what is free in one is of no use to forty others; other systems have no such
    # setting, and no such heaps
    with suppress(AttributeError, OSError, TypeError):
        ctypes.CDLL(None).mallopt(_ARENA_MAX, _ARENAS)


DEFAULT_PORT = 7860
_PORTS_TO_TRY = 20
_LOOK_SECONDS = 0.3
_BROWSER_SECONDS = 0.3
"""So long after the start the browser is opened."""
_ROUTERS = (
    "form", "image_files", "places", "browsing", "command", "downloads", "reports", "inspection", "campaigns", "people",
    "playground", "adding", "runs", "drafts", "tune",
)  # fmt: skip
"""The modules of ``ui.web.api`` that make a project's JSON routes; matched in this order, so first what is asked for most."""
_REFUSALS: dict[int | str, dict[str, Any]] = {
    400: {"description": "What was sent cannot be read; the sentence says why."},
    401: {"description": "Nobody is signed in, or has given a name."},
    403: {"description": "Not for this visitor."},
    404: {"description": "There is no such thing, or not any more."},
    409: {"description": "Not as things stand; the sentence says what must be first."},
    413: {"description": "More than is taken at once."},
    415: {"description": "Routes that change something take JSON alone."},
    429: {"description": "Too often; try again later."},
    503: {"description": "What it takes is not at hand."},
    507: {"description": "There is no room left for it."},
}
"""What any route may answer instead, always with a sentence for people."""
_NEAR = {"0.0.0.0": "127.0.0.1", "::": "::1", "": "127.0.0.1"}
"""How this machine reaches an app that listens everywhere."""


def create_app(store: Store, token: str, accounts: Accounts | None = None, root: str = "", *, pages: bool = True) -> FastAPI:
    """The web application over an open project.

    Args:
        store: the open project.
        token: opens the command route.
        accounts: with them everybody has to sign in.
        root: where a proxy serves the app.
        pages: whether Gradio's pages are mounted beside the JSON routes; without them Gradio is not imported.
    """
    stand(root)
    # before gradio is imported: nothing phones home, and nothing is written outside the project
    os.environ.update(
        GRADIO_ANALYTICS_ENABLED="False",
        HF_HUB_OFFLINE="1",
        HF_HUB_DISABLE_TELEMETRY="1",
        GRADIO_TEMP_DIR=str(received_folder(store.project)),
    )
    from ui.web.auth import routes

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        async with cleaned_uploads(store.project):
            yield

    app = FastAPI(title="Concord", docs_url=None, redoc_url=None, openapi_url=None, lifespan=lifespan)
    for module in _ROUTERS:
        app.include_router(import_module(f"ui.web.api.{module}").router(store), responses=_REFUSALS)
    app.include_router(routes.router(store, accounts), responses=_REFUSALS)
    app.include_router(form_page.router())
    app.mount("/assets", Assets(), name="assets")

    @app.get("/favicon.ico", include_in_schema=False, response_model=None)
    def icon() -> FileResponse:
        return FileResponse(ASSETS / "icon.svg", media_type="image/svg+xml")

    app.add_exception_handler(RequestValidationError, _misunderstood)
    app.add_exception_handler(Erased, _erased)
    for lost in (LassoLost, NoImagesAlike):
        app.add_exception_handler(lost, _lost)
    app.add_exception_handler(NotWritten, _not_written(store))
    app.add_middleware(Entrance, root=root, pages=_mount_pages(app, store) if pages else ())
    app.add_middleware(UploadGuard, project=store.project)
    # the last one added is the outermost: nothing runs before the guard has agreed
    app.add_middleware(Authorization, store=store, accounts=accounts)
    app.add_middleware(Sessions, store=store, path=root or "/")
    app.add_middleware(Guard, token=token, accounts=accounts is not None, root=root)
    return app


async def _erased(_: Request, error: Exception) -> Response:
    """What somebody sends in the name of a person who was erased, such as from a page that was open since before."""
    return JSONResponse({"detail": f"{error}."}, 403)


async def _lost(_: Request, error: Exception) -> Response:
    """An address lists what a map or an embedding says that is not at hand (any more)."""
    return JSONResponse({"detail": str(error)}, 409)


def _not_written(store: Store) -> Callable[[Request, Exception], Coroutine[Any, Any, Response]]:
    """Return the handler of writes that the database did not take (a full disk, say): browsers keep what they sent, and send it
    again. The terminal gets each reason once, until something is saved again."""
    printed: tuple[str, str] | None = None

    async def answer(_: Request, error: Exception) -> Response:
        nonlocal printed
        if printed != (printed := (str(error), store.version)):
            print(f"concord: {error}", file=sys.stderr, flush=True)
        why = error.why if isinstance(error, NotWritten) else "please try again"
        return JSONResponse({"detail": f"The server cannot save just now: {why}."}, 503, headers={"retry-after": "10"})

    return answer


async def _misunderstood(_: Request, error: Exception) -> Response:
    """FastAPI's own answer repeats what was sent, which may be nothing that can be sent back (NaN, half a character)."""
    problems = error.errors() if isinstance(error, RequestValidationError) else ()
    where = sorted({str(part) for problem in problems for part in problem["loc"][1:2] if str(part).isidentifier()})
    return JSONResponse({"detail": f"This request is not understood: {', '.join(where) or 'its body'}."}, 422)


def _mount_pages(app: FastAPI, store: Store) -> list[tuple[str, str]]:
    """Mount Gradio's pages; returns the paths and titles of Studio's."""
    # said of every multi-page app, also of one that asks for no server-side rendering
    warnings.filterwarnings("ignore", message="SSR mode is not supported")
    import gradio as gr

    from ui.web.studio import ADD, PAGES, PLACES, head, scripts, studio, theme

    @app.get("/studio/", include_in_schema=False, response_model=None)
    def first_place() -> RedirectResponse:
        first = PLACES[0] if holds_anything(store) else ADD
        return RedirectResponse(at(f"/studio{first.pages[0].path}"), 303)

    def moved(request: Request) -> RedirectResponse:
        """Lead an address of before to its new home, with its query."""
        path = request.url.path.rpartition("/studio/")[2]
        return RedirectResponse(at(f"/studio/{new_address(path, request.query_params.multi_items())}"), 303)

    for path in NEW_ADDRESSES:
        app.add_api_route(f"/studio/{path}", moved, include_in_schema=False, response_model=None)

    gr.mount_gradio_app(
        app,
        studio(store),
        path="/studio",
        root_path=at("/studio"),
        theme=theme(),
        head=head() + scripts(),
        footer_links=[],
        run_history=False,
        ssr_mode=False,
        show_error=True,
        enable_monitoring=False,
    )
    return [(f"/studio{page.path}", page.title) for page in PAGES]


class Opening:
    """ASGI application that stands in for one that takes seconds to make: a page says what is loading, all else waits.

    Attributes:
        step: what is loading, in words.
        error: why the application could not be made; the server stops then.
    """

    def __init__(self, make: Callable[[], FastAPI], ready: Callable[[], None]) -> None:
        """``make`` runs in a thread of its own; ``ready`` is called once requests reach what it made."""
        self.step = "the project"
        self.error: Exception | None = None
        self._make, self._ready = make, ready
        self._app: FastAPI | None = None
        self._made, self._closing = asyncio.Event(), asyncio.Event()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer, or pass on."""
        if scope["type"] == "lifespan":
            await self._live(receive, send)
            return
        if not self._made.is_set():
            if scope["type"] == "http" and b"text/html" in dict(scope["headers"]).get(b"accept", b""):
                await HTMLResponse(str(_opening_page(self.step)), 503, _OPENING_HEADERS)(scope, receive, send)
                return
            await self._made.wait()
        await (self._app or _COULD_NOT_OPEN)(scope, receive, send)

    async def _live(self, receive: Receive, send: Send) -> None:
        await receive()
        opening = asyncio.create_task(self._open())
        await send({"type": "lifespan.startup.complete"})
        await receive()
        self._closing.set()
        await opening
        await send({"type": "lifespan.shutdown.complete"})

    async def _open(self) -> None:
        try:
            app = await asyncio.to_thread(self._make)
            async with app.router.lifespan_context(app):
                self._app = app
                self._made.set()
                self._ready()
                await self._closing.wait()
        except Exception as error:
            self.error = error
            self._made.set()
            signal.raise_signal(signal.SIGINT)


_OPENING_HEADERS: Final = {
    "cache-control": "no-store",
    "refresh": "1",
    "content-security-policy": "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
}
_COULD_NOT_OPEN: Final = PlainTextResponse("Concord could not open; the terminal shows why.", 500)


def _opening_page(step: str) -> Element:
    """Return the page that says what is loading."""
    return htpy.html(lang="en")[
        htpy.head[
            htpy.title["Concord is opening"],
            htpy.meta(name="viewport", content="width=device-width"),
            htpy.meta(name="color-scheme", content="light dark"),
        ],
        htpy.body(style="margin:20vh 1rem 0;text-align:center;font:1.1rem system-ui,sans-serif")[
            htpy.p["Concord is opening …"],
            htpy.p(style="opacity:.7;font-size:.9rem")[f"Loading {step}. This takes a few seconds."],
        ],
    ]


def serve(project: Path, request: ServeRequest) -> None:
    """Open a project, whose folder is given, and serve it until interrupted.

    Raises:
        CommandError: the host is not this machine's loopback and there are no accounts, the file of accounts is not as it
            must be, or the port is taken.
    """
    host = request.host
    accounts, root = _access_settings(host, request.users, request.root_path)
    settle_process()
    store = opened(project)
    if isinstance(store, forwarding.OpenApp):
        url = _url(store.host, store.port, "")
        print(f"Concord is open already at {url} (process {store.pid})", flush=True)
        if request.browser:
            webbrowser.open(url)
        return
    # uvicorn passes the signal on when it has stopped: this way the project is closed first
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(0))
    with store, _bind(host, request.port) as listening:
        for note in store.notes:
            print(note, file=sys.stderr, flush=True)
        bound = listening.getsockname()[1]
        near = _NEAR.get(host, host)
        url = _url(near, bound, root)
        token = secrets.token_urlsafe(32)

        def make() -> FastAPI:
            opening.step = "the playground"
            fill_default_project(store)
            opening.step = "Studio"
            app = create_app(store, token, accounts, root)
            # what stands from the start is never garbage, and is not looked through again and again
            gc.freeze()
            return app

        def ready() -> None:
            from concord.runs import run_manager

            run_manager.begin_queued(store)
            print(f"Concord is open at {url}\nproject {store.project} (Ctrl-C closes it)", flush=True)

        opening = Opening(make, ready)
        # the socket listens already: a command that comes now waits until the app can answer
        announced = forwarding.OpenApp(near, bound, token, os.getpid())
        forwarding.announce(store.project, announced)
        try:
            # our guard reads what proxies say, once
            config = uvicorn.Config(
                opening,
                http="httptools",
                # uvloop leaves DuckDB's objects behind at the end, and a page of warnings about them in the terminal
                loop="asyncio",
                log_level="warning",
                timeout_graceful_shutdown=2,
                server_header=False,
                proxy_headers=False,
            )

            def no_farewell(record: logging.LogRecord) -> bool:
                """Open pages hold a connection each, which ends with the server: no news, and no reason for a traceback."""
                cancelled = record.exc_info is not None and isinstance(record.exc_info[1], asyncio.CancelledError)
                return not cancelled and "timeout graceful shutdown exceeded" not in record.getMessage()

            logging.getLogger("uvicorn.error").addFilter(no_farewell)
            backing = closing(scheduler.BackupScheduler(store, request.backup_every, request.keep_backups))
            drawing = closing(limit_pace(store))
            with suppress(KeyboardInterrupt), closing(IndexRefresher(store)), closing(Thumbnails(store)), backing, drawing:
                if request.browser:
                    # it finds the page that says what is loading
                    Timer(_BROWSER_SECONDS, webbrowser.open, (url,)).start()
                uvicorn.Server(config).run(sockets=[listening])
            if opening.error is not None:
                raise opening.error
        finally:
            forwarding.withdraw(store.project, announced)
            queue.stop_all(store)
            # else DuckDB's objects are left behind at the end, and a page of warnings about them is in the terminal
            gc.unfreeze()


def _access_settings(host: str, users: Path | None, root_path: str) -> tuple[Accounts | None, str]:
    """The accounts, and the prefix."""
    accounts = None
    if users is not None:
        try:
            accounts = Accounts(users)
        except AccountsError as error:
            raise CommandError(f"--users {error}") from error
    elif not is_loopback(host):
        raise CommandError(
            f"--host {host}: without accounts Concord is open to this machine only; say who may sign in with --users FILE,"
            " or use 127.0.0.1 or localhost"
        )
    try:
        return accounts, checked(root_path)
    except ValueError as error:
        raise CommandError(f"--root-path {error}") from error


def _url(host: str, port: int, root: str) -> str:
    return f"http://{f'[{host}]' if ':' in host else host}:{port}{root}/"


def opened(project: Path) -> Store | forwarding.OpenApp:
    """The project, or the app that has it open. While a command has it, that is said, and waited for."""
    announced = False
    # asked first: where the database was deleted or replaced under it, its lock keeps nobody out
    if (server := forwarding.living(project)) is not None:
        return server
    while True:
        try:
            return Store(project)
        except StoreBusy as busy:
            if (server := forwarding.running(project)) is not None and _listens(server):
                return server
            if not announced:
                print(f"{str(busy).partition(';')[0]}: waiting for it to end (Ctrl-C gives up)", file=sys.stderr, flush=True)
            announced = True
        time.sleep(_LOOK_SECONDS)


def _listens(server: forwarding.OpenApp) -> bool:
    """Whether it is there: an app that was killed leaves its address behind."""
    with suppress(OSError), socket.create_connection((server.host, server.port), timeout=1):
        return True
    return False


def _bind(host: str, port: int | None) -> socket.socket:
    """A listening socket: on the port asked for, else on the first free one from the default on."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    candidates = range(DEFAULT_PORT, DEFAULT_PORT + _PORTS_TO_TRY) if port is None else (port,)
    both = family == socket.AF_INET6 and socket.has_dualstack_ipv6()
    for candidate in candidates:
        try:
            return socket.create_server((host, candidate), family=family, backlog=128, dualstack_ipv6=both)
        except OSError as error:
            if port is not None:
                why = (error.strerror or str(error)).partition(" (while")[0]
                raise CommandError(f"--port {port}: {why}; choose another, or leave it out") from error
    raise CommandError(f"no port from {DEFAULT_PORT} to {DEFAULT_PORT + _PORTS_TO_TRY - 1} is free; name one with --port")
