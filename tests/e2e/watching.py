"""Browser contexts that notice whatever goes wrong in their pages."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Dialog, Page, Request, Response

_TIMEOUT_MS = 20_000


# What Gradio's own client says to the console about the event stream of a studio page that it has just left.
_LEFT_BEHIND = ("AbortError: signal is aborted", "Unexpected error Connection errored out")


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

    def found(self, problem: str) -> None:
        if not self.expected(problem) and not any(said in problem for said in _LEFT_BEHIND):
            self.problems.append(problem)

    def page(self, page: Page) -> None:
        page.on("console", self._console)
        page.on("pageerror", lambda error: self.found(f"page error: {error}"))
        page.on("dialog", self._dialog)
        page.on("request", self._request)
        page.on("requestfailed", self._failed)
        page.on("response", self._response)

    def _console(self, message: ConsoleMessage) -> None:
        if message.type == "error":
            self.found(f"console: {message.text} ({message.location.get('url', '')})")

    def _dialog(self, dialog: Dialog) -> None:
        self.found(f"a dialog opened: {dialog.type} {dialog.message}")
        dialog.dismiss()

    def _request(self, request: Request) -> None:
        parts = urlsplit(request.url)
        if parts.scheme not in ("data", "blob") and f"{parts.scheme}://{parts.netloc}" != self.origin:
            self.found(f"a request to another host: {request.url}")
        if request.method == "POST":
            self.posts.append(parts.path)

    def _failed(self, request: Request) -> None:
        # the page was left, or left it: what it asked for, and Gradio's own poll; an answer of a person never is
        harmless = request.method == "GET" or request.url.split("?")[0].endswith(("/gradio_api/queue/join", "/api/draft"))
        if not (harmless and request.failure == "net::ERR_ABORTED"):
            self.found(f"request failed: {request.method} {request.url} {request.failure}")

    def _response(self, response: Response) -> None:
        if response.status >= 400:
            self.found(f"HTTP {response.status}: {response.request.method} {response.url}")


@dataclass(slots=True)
class Visitor:
    """Somebody with a browser of their own: cookies and storage are not shared with other visitors."""

    context: BrowserContext
    watch: Watch
    page: Page

    def tab(self) -> Page:
        """Another page of the same browser."""
        return self.context.new_page()


def visit(browser: Browser, origin: str, *, advance: str | None = "question", **options: Any) -> Visitor:
    """``advance`` is what an answer does in the form (assets/js/settings.js), None: as for whoever has chosen nothing."""
    options.setdefault("viewport", {"width": 1280, "height": 800})
    context = browser.new_context(base_url=origin, **options)
    context.set_default_timeout(_TIMEOUT_MS)
    if advance is not None:
        chosen = f"localStorage.setItem('concord.advance', '\"{advance}\"')"
        context.add_init_script(f"if (location.protocol.startsWith('http')) {chosen}")
    watch = Watch(origin)
    context.on("page", watch.page)
    return Visitor(context, watch, context.new_page())
