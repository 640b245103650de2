"""What Gradio fails on at its door fails no more."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest
from starlette.exceptions import HTTPException
from starlette.responses import HTMLResponse, StreamingResponse
from starlette.testclient import TestClient

from ui.web.middleware import Entrance

STREAM = "/studio/gradio_api/queue/data"
END = {"type": "http.response.body", "body": b"", "more_body": False}


def _asked(path: str, error: Exception, cause: BaseException | None) -> list[dict[str, Any]]:
    """All that is sent by an app that fails in the middle of its answer."""
    sent: list[dict[str, Any]] = []

    async def fails(_: Any, __: Any, send: Any) -> None:
        await send({"type": "http.response.start", "status": 200})
        raise error from cause

    async def send(message: dict[str, Any]) -> None:
        sent.append(message)

    asyncio.run(Entrance(fails)({"type": "http", "method": "GET", "path": path, "headers": []}, None, send))
    return sent


@pytest.mark.parametrize(
    ("error", "cause"), [(RuntimeError("started"), HTTPException(404)), (KeyError("a page"), asyncio.CancelledError())]
)
def test_a_stream_of_a_page_that_was_left_ends(error: Exception, cause: BaseException) -> None:
    assert _asked(STREAM, error, cause)[1:] == [END]


@pytest.mark.parametrize(
    ("path", "error", "cause"),
    [
        (STREAM, RuntimeError("started"), HTTPException(500)),
        (STREAM, RuntimeError("started"), None),
        ("/studio/add/runs", RuntimeError("started"), HTTPException(404)),
        (STREAM, KeyError("a page"), None),
        ("/studio/add/runs", KeyError("a page"), asyncio.CancelledError()),
    ],
)
def test_whatever_else_fails_is_told(path: str, error: Exception, cause: BaseException | None) -> None:
    with pytest.raises(type(error)):
        _asked(path, error, cause)


def test_a_page_says_that_it_opens_before_its_scripts_have_come() -> None:
    page = TestClient(Entrance(HTMLResponse("<head><title>A</title></head>")))
    response = page.get("/studio/images")
    assert "Concord is opening" in response.text
    assert int(response.headers["content-length"]) == len(response.content)
    assert page.get("/join").text == "<head><title>A</title></head>"


def test_a_page_that_gradio_has_forgotten_when_it_is_left() -> None:
    """As Gradio's stream does it, in Starlette's answer whose client goes away."""
    sent: list[dict[str, Any]] = []
    begun = asyncio.Event()

    async def stream() -> AsyncIterator[str]:
        try:
            begun.set()
            await asyncio.sleep(60)
            yield "never"
        except BaseException:
            pending: dict[str, str] = {}
            del pending["a page"]
            raise

    async def receive() -> dict[str, Any]:
        await begun.wait()
        return {"type": "http.disconnect"}

    async def send(message: dict[str, Any]) -> None:
        sent.append(message)

    answer = StreamingResponse(stream(), media_type="text/event-stream")
    asyncio.run(
        Entrance(answer)(
            {"type": "http", "method": "GET", "path": STREAM, "headers": [], "asgi": {"spec_version": "2.3"}}, receive, send
        )
    )
    assert (sent[0]["status"], sent[1:]) == (200, [END])
