"""Browser contexts that notice whatever goes wrong in their pages."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urljoin, urlsplit

from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Dialog, Page, Request, Response, ViewportSize

VIEWPORT: ViewportSize = {"width": 1280, "height": 800}
PATIENCE_MS = 120_000
"""How long a test waits for what must come: where drawing is dear a page moves once a minute, and other tests run beside."""
_PERSONAL = "cookies,local_storage,indexeddb,service_workers,cache_storage"
"""What makes a browser somebody's; the cache of files is nobody's."""


_GRADIOS_OWN = (
    # what its client says to the console about the event stream of a studio page that it has just left
    "AbortError: signal is aborted",
    "AbortError: BodyStreamBuffer was aborted",
    "Unexpected error Connection errored out",
    # its pages name a manifest that no mounted app has; a browser with a profile looks for it
    "/manifest.json",
)
"""Parts of what the browser reports of Gradio, and cannot be helped here."""


@dataclass
class Watch:
    """Problems of all pages of one context.

    Attributes:
        expected: sees each problem; one for which it is true does not count.
        posts: paths of the POST requests, in order.
    """

    origin: str
    problems: list[str] = field(default_factory=list)
    posts: list[str] = field(default_factory=list)
    expected: Callable[[str], bool] = lambda _problem: False

    def report_problem(self, problem: str) -> None:
        if not self.expected(problem) and not any(part in problem for part in _GRADIOS_OWN):
            self.problems.append(problem)

    def page(self, page: Page) -> None:
        page.on("console", self._console)
        page.on("pageerror", lambda error: self.report_problem(f"page error: {error}"))
        page.on("dialog", self._dialog)
        page.on("request", self._request)
        page.on("requestfailed", self._failed)
        page.on("response", self._response)

    def _console(self, message: ConsoleMessage) -> None:
        if message.type == "error":
            self.report_problem(f"console: {message.text} ({message.location.get('url', '')})")

    def _dialog(self, dialog: Dialog) -> None:
        self.report_problem(f"a dialog opened: {dialog.type} {dialog.message}")
        dialog.dismiss()

    def _request(self, request: Request) -> None:
        parts = urlsplit(request.url)
        if parts.scheme not in ("data", "blob") and f"{parts.scheme}://{parts.netloc}" != self.origin:
            self.report_problem(f"a request to another host: {request.url}")
        if request.method == "POST":
            self.posts.append(parts.path)

    def _failed(self, request: Request) -> None:
        # the page was left, or left it: what it asked for, and Gradio's own poll; an answer of a person never is
        left = ("/gradio_api/queue/join", "/gradio_api/run/predict", "/api/draft")
        harmless = request.method == "GET" or request.url.split("?")[0].endswith(left)
        if not (harmless and request.failure == "net::ERR_ABORTED"):
            self.report_problem(f"request failed: {request.method} {request.url} {request.failure}")

    def _response(self, response: Response) -> None:
        if response.status >= 400:
            self.report_problem(f"HTTP {response.status}: {response.request.method} {response.url}")


@dataclass(slots=True)
class Visitor:
    """Somebody with a browser of their own: cookies and storage are not shared with other visitors.

    Attributes:
        kept: whether the context is the profile, which outlives the visit.
    """

    context: BrowserContext
    watch: Watch
    advance: str | None
    kept: bool
    page: Page = field(init=False)

    def __post_init__(self) -> None:
        self.context.on("page", self.watch.page)
        self.context.set_default_timeout(PATIENCE_MS)
        self.page = self.tab()

    def tab(self) -> Page:
        """Another page of the same browser."""
        page = self.context.new_page()
        if self.kept:
            # the profile was made before there was a server
            _stand_at(page, self.watch.origin)
        if self.advance is not None:
            chosen = {"advance": f'"{self.advance}"', "quick": "false"}
            lines = [f"localStorage.setItem('concord.{name}', '{value}');" for name, value in chosen.items()]
            page.add_init_script(f"if (location.protocol.startsWith('http')) {{ {' '.join(lines)} }}")
        return page

    def leave(self) -> None:
        """Nothing of the visit stays, but for what the profile has cached."""
        if not self.kept:
            self.context.close()
            return
        self.context.remove_listener("page", self.watch.page)
        blank, *pages = self.context.pages
        for page in pages:
            page.close()
        self.context.set_offline(False)
        self.context.unroute_all()
        self.context.clear_cookies()
        self.context.clear_permissions()
        session = self.context.new_cdp_session(blank)
        session.send("Storage.clearDataForOrigin", {"origin": self.watch.origin, "storageTypes": _PERSONAL})
        session.detach()


def _stand_at(page: Page, origin: str) -> None:
    """Addresses without a host are this server's, as by ``base_url`` in a context of its own."""
    goto = page.goto
    vars(page)["goto"] = lambda url, **options: goto(urljoin(origin, url), **options)


def visit(
    browser: Browser, origin: str, *, profile: BrowserContext | None = None, advance: str | None = "question", **options: Any
) -> Visitor:
    """Open a page, in ``profile`` if there is one and no option asks for another kind of browser.

    ``advance`` is what an answer does in the form (assets/js/form/settings.js), which asks all questions then; None: as for
    whoever has chosen nothing.
    """
    if profile is not None and not options:
        return Visitor(profile, Watch(origin), advance, kept=True)
    context = browser.new_context(base_url=origin, **{"viewport": VIEWPORT, **options})
    return Visitor(context, Watch(origin), advance, kept=False)
