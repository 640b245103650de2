"""What Gradio fails on at its door fails no more."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from starlette.exceptions import HTTPException

from ui.entrance import Entrance

STREAM = "/studio/gradio_api/queue/data"


def _asked(path: str, status: int, cause: bool = True) -> list[dict[str, Any]]:
    """All that is sent by an app that fails in the middle of its answer."""
    sent: list[dict[str, Any]] = []

    async def fails(_: Any, __: Any, send: Any) -> None:
        await send({"type": "http.response.start", "status": 200})
        raise RuntimeError("response already started") from (HTTPException(status) if cause else None)

    async def send(message: dict[str, Any]) -> None:
        sent.append(message)

    asyncio.run(Entrance(fails)({"type": "http", "path": path}, None, send))
    return sent


def test_a_stream_of_a_page_that_was_left_ends() -> None:
    assert _asked(STREAM, 404)[1:] == [{"type": "http.response.body", "body": b"", "more_body": False}]


@pytest.mark.parametrize(("path", "status", "cause"), [(STREAM, 500, True), (STREAM, 404, False), ("/studio/runs", 404, True)])
def test_whatever_else_fails_is_told(path: str, status: int, cause: bool) -> None:
    with pytest.raises(RuntimeError):
        _asked(path, status, cause)
