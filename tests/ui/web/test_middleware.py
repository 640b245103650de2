"""Who may come in, and with which headers everybody leaves."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from fastapi import APIRouter
from starlette.websockets import WebSocketDisconnect

from tests.ui.http_visitor import TOKEN, World
from ui.web.auth.authorization import Access, access_of
from ui.web.middleware import CONTENT_SECURITY_POLICY, MAX_JSON_BYTES, is_loopback

COMMAND = {"name": "rebuild", "parameters": {}, "cwd": "/"}
BEARER = {"Authorization": f"Bearer {TOKEN}"}
JSON = {"Content-Type": "application/json"}


@pytest.fixture
def world(standing_world: World) -> World:
    return standing_world


def paths(routes: list[Any]) -> Iterator[str]:
    for route in routes:
        included: APIRouter | None = getattr(route, "original_router", None)
        if included is not None:
            yield from paths(included.routes)
        else:
            yield route.path


def test_every_route_is_covered(world: World) -> None:
    results = set(paths(list(world.app.routes)))
    assert {
        "/",
        "/command",
        "/api/next",
        "/api/submit",
        "/api/studio/item",
        "/img/{sha256}",
        "/annotate/",
        "/studio",
    } <= results
    assert [path for path in results if access_of(path) is None] == []


@pytest.mark.parametrize(
    ("path", "access"),
    [
        ("/", Access.PUBLIC),
        ("/api/next", Access.ANNOTATOR),
        ("/api/studio/items", Access.RESEARCHER),
        ("/studio", Access.RESEARCHER),
        ("/studio/x", Access.RESEARCHER),
        ("/command", Access.COMMAND),
        ("/studiox", None),
        ("/apis", None),
        ("//studio", None),
        ("/docs", None),
        ("/openapi.json", None),
        ("", None),
    ],
)
def test_access(path: str, access: Access | None) -> None:
    assert access_of(path) == access


@pytest.mark.parametrize(
    ("host", "loopback"),
    [
        ("127.0.0.1", True), ("127.9.9.9", True), ("[::1]", True), ("::1", True), ("localhost", True), ("LOCALHOST", True),
        ("0.0.0.0", False), ("10.0.0.1", False), ("localhost.evil.com", False), ("127.0.0.1.evil.com", False), ("", False),
    ],
)  # fmt: skip
def test_loopback(host: str, loopback: bool) -> None:
    assert is_loopback(host) is loopback


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("/", 303), ("/nothing", 404), ("/docs", 404), ("/assets/nothing.css", 404), ("/api/nothing", 404),
        ("/img/xx", 404), ("/command", 401), ("/api/last", 401), ("/api/next", 200), ("/api/studio/version", 200),
        ("/api/studio/items?order=up", 422), ("/api/studio/items?page=x", 422), ("/annotate/", 200), ("/studio/results", 200),
        ("/assets/../app.py", 404), ("/assets/%2e%2e/app.py", 404), ("/assets/..%2fapp.py", 404),
    ],
)  # fmt: skip
def test_statuses_and_headers(world: World, path: str, status: int) -> None:
    answer = world.client().get(path)
    assert answer.status_code == status
    _assert_headers(answer.headers)


def _assert_headers(headers: Any) -> None:
    assert headers["content-security-policy"] == CONTENT_SECURITY_POLICY
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["referrer-policy"] == "no-referrer"


def test_a_failure_inside_has_the_headers_too(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("data.store.browse.contents.item", lambda *_: 1 // 0)
    answer = world.client().get("/api/studio/item?id=x")
    assert (answer.status_code, answer.text) == (500, "Something went wrong in Concord; the terminal shows details.")
    _assert_headers(answer.headers)


@pytest.mark.parametrize("address", ["10.0.0.7", "192.168.1.2", "8.8.8.8", "testclient", "::ffff:10.0.0.7"])
@pytest.mark.parametrize("path", ["/", "/assets/icon.svg", "/api/next", "/studio/results", "/img/x"])
def test_other_machines_stay_outside(world: World, address: str, path: str) -> None:
    answer = world.client(address).get(path)
    assert (answer.status_code, answer.text) == (403, "Concord is open to this machine only; with --users others can sign in.")
    _assert_headers(answer.headers)


@pytest.mark.parametrize(
    "host",
    ["evil.com", "evil.com:7860", "127.0.0.1.evil.com", "[::1].evil.com", "127.0.0.1:80.evil.com", "", "localhost@evil.com"],
)
def test_foreign_names_are_refused(world: World, host: str) -> None:
    answer = world.client().get("/api/next", headers={"Host": host})
    assert answer.status_code == 403
    assert "does not answer to the host name" in answer.text
    _assert_headers(answer.headers)


@pytest.mark.parametrize("host", ["127.0.0.1", "127.0.0.1:7860", "localhost:1", "[::1]", "[::1]:7860"])
def test_own_names(world: World, host: str) -> None:
    assert world.client().get("/api/next", headers={"Host": host}).status_code == 200


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({}, 200),
        ({"Origin": "http://127.0.0.1"}, 200),
        ({"Sec-Fetch-Site": "same-origin"}, 200),
        ({"Origin": "http://evil.com"}, 403),
        ({"Origin": "null"}, 403),
        ({"Origin": "http://127.0.0.1:9999"}, 403),
        ({"Sec-Fetch-Site": "cross-site"}, 403),
        ({"Sec-Fetch-Site": "same-site"}, 403),
    ],
)
def test_other_sites_cannot_post(world: World, headers: dict[str, str], status: int) -> None:
    name = f"from {headers}"
    answer = world.client().post("/api/name", json={"name": name}, headers=headers)
    assert answer.status_code == status
    assert (name in world.column("select rater_id from raters")) == (status == 200)
    _assert_headers(answer.headers)


@pytest.mark.parametrize("path", ["/", "/studio/results", "/studio/gradio_api/queue/join", "/nothing"])
def test_websockets_are_closed(world: World, path: str) -> None:
    with pytest.raises(WebSocketDisconnect) as caught, world.client().websocket_connect(path):
        pass
    assert caught.value.code == 1008


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        (BEARER, 200),
        ({}, 401),
        ({"Authorization": "Bearer wrong"}, 401),
        ({"Authorization": TOKEN}, 401),
        (BEARER | {"Origin": "http://127.0.0.1"}, 403),
        (BEARER | {"Sec-Fetch-Site": "same-origin"}, 403),
        (BEARER | {"Sec-Fetch-Mode": "cors"}, 403),
        (BEARER | {"Host": "evil.com"}, 403),
    ],
)
def test_commands_are_for_the_command_line(world: World, headers: dict[str, str], status: int) -> None:
    answer = world.client().post("/command", json=COMMAND, headers=headers)
    assert answer.status_code == status
    assert ('"exit": 0' in answer.text) == (status == 200)
    _assert_headers(answer.headers)


def test_unknown_commands(world: World) -> None:
    assert world.client().post("/command", json=COMMAND | {"name": "erase all"}, headers=BEARER).status_code == 404
    assert world.client().post("/command", json={}, headers=BEARER).status_code == 422
    answer = world.client().post("/command", json=COMMAND | {"parameters": {"x": 1}}, headers=BEARER)
    assert [line for line in answer.text.splitlines() if "exit" in line] == ['{"exit": 1}']


@pytest.mark.parametrize("chunked", [False, True])
@pytest.mark.parametrize("path", ["/api/submit", "/api/name", "/api/skip"])
def test_too_much(world: World, path: str, chunked: bool) -> None:
    client = world.person()
    body = b'{"name": "' + b" " * MAX_JSON_BYTES + b'bob"}'
    parts = (body[n : n + 10_000] for n in range(0, len(body), 10_000))
    answer = client.post(path, content=parts if chunked else body, headers=JSON)
    assert answer.status_code == 413
    assert "too much for one answer" in answer.text
    _assert_headers(answer.headers)
