"""While the app is made: a page says what is loading, and everything else waits."""

from __future__ import annotations

import asyncio
import signal
import threading
from collections.abc import Callable

import httpx
import pytest
from fastapi import FastAPI

from ui.web.server import Opening


def made() -> FastAPI:
    app = FastAPI()

    @app.get("/api/next")
    def following() -> dict[str, bool]:
        return {"here": True}

    return app


def while_it_opens(make: Callable[[], FastAPI], ask: Callable[[Opening, httpx.AsyncClient], object]) -> Opening:
    """Run a server's life around ``ask``, a coroutine function."""

    async def live() -> Opening:
        opening = Opening(make, lambda: None)
        messages: asyncio.Queue[dict[str, str]] = asyncio.Queue()
        sent: list[str] = []

        async def send(message: object) -> None:
            sent.append(message["type"])  # type: ignore[index]

        life = asyncio.create_task(opening({"type": "lifespan"}, messages.get, send))
        await messages.put({"type": "lifespan.startup"})
        async with httpx.AsyncClient(transport=httpx.ASGITransport(opening), base_url="http://localhost") as client:
            await ask(opening, client)  # type: ignore[misc]
        await messages.put({"type": "lifespan.shutdown"})
        await life
        assert sent == ["lifespan.startup.complete", "lifespan.shutdown.complete"]
        return opening

    return asyncio.run(live())


def test_a_page_says_what_is_loading_and_an_answer_waits_until_it_is_there() -> None:
    go_on = threading.Event()

    def make() -> FastAPI:
        go_on.wait(10)
        return made()

    async def ask(opening: Opening, client: httpx.AsyncClient) -> None:
        opening.step = "<Studio>"
        page = await client.get("/studio/", headers={"accept": "text/html,*/*"})
        assert (page.status_code, page.headers["refresh"]) == (503, "1")
        assert "Loading &lt;Studio&gt;." in page.text
        waiting = asyncio.create_task(client.get("/api/next", headers={"accept": "*/*"}))
        await asyncio.sleep(0)
        assert not waiting.done()
        go_on.set()
        assert (await waiting).json() == {"here": True}
        assert (await client.get("/nowhere", headers={"accept": "text/html"})).status_code == 404

    assert while_it_opens(make, ask).error is None


def test_what_cannot_be_made_stops_the_server(monkeypatch: pytest.MonkeyPatch) -> None:
    signals: list[int] = []
    monkeypatch.setattr(signal, "raise_signal", signals.append)

    def make() -> FastAPI:
        raise ValueError("no pages today")

    async def ask(_: Opening, client: httpx.AsyncClient) -> None:
        answer = await client.get("/api/next")
        assert (answer.status_code, answer.text) == (500, "Concord could not open; the terminal shows why.")

    assert str(while_it_opens(make, ask).error) == "no pages today"
    assert signals == [signal.SIGINT]
