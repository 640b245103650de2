"""Requests from other sites, of other forms, too long, too slow, too many; what answers carry; Gradio's own routes."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from starlette.exceptions import HTTPException
from starlette.testclient import TestClient

from tests.ui.accounts_app import PAGE, PASSWORD, House, house
from tests.ui.http_visitor import first
from tests.ui.web.auth.test_authorization import TABLE, routes_of
from ui.web import middleware
from ui.web.auth import rate_limit
from ui.web.auth.rate_limit import COSTLY, EVENTS, READS, WRITES, RequestLimiter, rate_of
from ui.web.studio import PAGES

JSON = {"Content-Type": "application/json"}
EVIL = "http://evil.example"
FILE = {"files": ("known.json", b"[]", "application/json")}


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    with house(tmp_path_factory.mktemp("house"), pages=True) as made:
        yield made


def silent(place: House, client: TestClient) -> TestClient:
    """The same session without what browsers say of themselves."""
    plain = TestClient(place.app, "http://concord.example", raise_server_exceptions=False, follow_redirects=False)
    plain.cookies = dict(client.cookies)
    return plain


UNSAFE = sorted({path.split(" ")[1] for path in TABLE if path.startswith("POST") and path != "POST /command"})
"""Every path of ours that takes a POST."""
FORMS = (
    "text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "", "text/json",
    "x; application/json",
)  # fmt: skip


@pytest.mark.parametrize("headers", [{"Origin": EVIL}, {"Origin": "null"}, {"Sec-Fetch-Site": "cross-site"}])
def test_nothing_that_changes_anything_can_be_sent_from_another_site(place: House, headers: dict[str, str]) -> None:
    client = place.account("rosa")
    paths = {path for method, path in routes_of(place.app.routes) if method in ("POST", "PUT", "PATCH", "DELETE")} - {
        "/command"
    }
    assert len(paths) > 40
    for path in sorted(paths):
        answer = client.post(path.replace("{token}", "x"), json={}, headers=headers)
        assert answer.status_code in (403, 404), path
    assert client.get("/api/next").json()["name"] == "rosa"


@pytest.mark.parametrize("kind", FORMS)
def test_json_routes_take_json_alone(place: House, kind: str) -> None:
    # what a page elsewhere can send without asking: were the origin lost on the way, this still keeps it out
    client = silent(place, place.account("rosa"))
    headers = {"Content-Type": kind} if kind else {}
    for path in [path for path in UNSAFE if path.startswith("/api/")]:
        assert client.post(path, content=b'{"name": "x"}', headers=headers).status_code == 415, path
    for path in ("queue/join", "cancel", "reset"):
        assert client.post(f"/studio/gradio_api/{path}", content=b"{}", headers=headers).status_code == 415
    assert (
        client.post("/api/pause", content=b"{}", headers={"Content-Type": "Application/JSON; charset=utf-8"}).status_code == 200
    )


def test_the_server_never_lets_another_site_ask_first(place: House) -> None:
    # the question that browsers ask before they send JSON elsewhere
    asking = {"Origin": EVIL, "Access-Control-Request-Method": "POST", "Access-Control-Request-Headers": "content-type"}
    for path in ("/api/submit", "/api/studio/notes", "/studio/gradio_api/queue/join", "/login"):
        for client in (place.client(), place.account("rosa")):
            answer = client.options(path, headers=asking)
            assert not [name for name in answer.headers if name.startswith("access-control")], path
    for path in ("/studio/config", "/studio/results", "/api/studio/items", "/annotate/"):
        answer = place.account("rosa").get(path, headers={"Origin": EVIL})
        assert not [name for name in answer.headers if name.startswith("access-control")], path
        for site in ("cross-site", "same-site"):
            headers = {"Sec-Fetch-Site": site, "Sec-Fetch-Mode": "no-cors"}
            assert place.account("rosa").get(path, headers=headers).status_code == 403
            assert place.account("rosa").get(path, headers=headers | {"Sec-Fetch-Mode": "navigate"}).status_code == 200
    answer = place.account("rosa").get("/api/next", headers={"Origin": EVIL})
    assert not [name for name in answer.headers if name.startswith("access-control")]
    assert answer.headers["cross-origin-resource-policy"] == "same-origin"


def test_forms_with_a_session_say_where_they_come_from(place: House) -> None:
    client = silent(place, place.account("rosa"))
    answer = client.post("/logout")
    assert (answer.status_code, "send `Origin`" in answer.text) == (403, True)
    assert client.post("/studio/gradio_api/upload", files=FILE).status_code == 403
    assert client.get("/api/next").status_code == 200
    # a script signs in without: it has no session that could be misused
    script = TestClient(place.app, "http://concord.example", follow_redirects=False)
    assert script.post("/login", data={"name": "rosa", "password": PASSWORD}).status_code == 303
    assert script.post("/api/pause", json={}).status_code == 200
    assert script.post("/logout", headers={"Origin": "http://concord.example"}).status_code == 303


def test_what_every_answer_carries(place: House) -> None:
    client = place.account("rosa")
    picture = first(place.invited("sees pictures"))["images"][0]["image"]
    paths = (
        "/",
        "/login",
        "/api/next",
        "/api/studio/items",
        "/studio/results",
        "/annotate/",
        "/nothing",
        "/img/x",
        picture,
        "/assets/x",
    )
    for path in (*paths, "/studio/config", f"{picture}?w=320", "/studio/gradio_api/file=x"):
        headers = client.get(path, headers=PAGE).headers
        assert headers["x-frame-options"] == "DENY"
        assert "frame-ancestors 'none'" in headers["content-security-policy"]
        assert headers["x-content-type-options"] == "nosniff"
        assert "camera=()" in headers["permissions-policy"]
        assert headers["cross-origin-opener-policy"] == "same-origin"
        assert headers["referrer-policy"] in ("no-referrer", "same-origin")
        # over http it would lock people out
        assert "strict-transport-security" not in headers
        assert "server" not in headers
    secure = place.client("127.0.0.1", **{"X-Forwarded-Proto": "https"}).get("/login").headers
    assert secure["strict-transport-security"] == "max-age=31536000"


def test_nothing_personal_is_kept_by_anybody(place: House) -> None:
    client, annotator = place.account("rosa"), place.invited("keeps nothing")
    picture = first(annotator)["images"][0]["image"]
    for path in (
        "/",
        "/login",
        "/api/next",
        "/api/studio/items",
        "/studio/results",
        "/studio/config",
        "/img/x",
        "/join/x",
        "/nothing",
    ):
        assert client.get(path, headers=PAGE).headers["cache-control"] == "no-store", path
    for path in ("/annotate/", "/api/next", "/api/last"):
        assert annotator.get(path, headers=PAGE).headers["cache-control"] == "no-store", path
    for path in (picture, f"{picture}?w=320"):
        remaining = annotator.get(path).headers["cache-control"]
        assert "private" in remaining
        assert "immutable" in remaining
    assert client.get("/assets/css/concord.css").headers.get("cache-control") != "no-store"


@pytest.mark.parametrize(
    "path",
    [
        "gradio_api/file=/etc/passwd", "gradio_api/file=x/%2e%2e/%2e%2e/etc/passwd", "gradio_api/file=http://169.254.169.254/",
        "gradio_api/file/x", "gradio_api/proxy=http://127.0.0.1:1/", "gradio_api/stream/a/b/c/playlist.m3u8", "gradio_api/runs",
        "gradio_api/custom_component/a/b/c/d", "gradio_api/token", "gradio_api/user", "gradio_api/deep_link", "gradio_api",
        "gradio_api/dev/reload", "gradio_api/vibe-code", "gradio_api/call/x/y", "monitoring", "monitoring/summary", "logout",
        "gradio_api/",
    ],
)  # fmt: skip
def test_gradios_other_routes_are_closed_to_everybody(place: House, path: str) -> None:
    for client in (place.account("adam"), place.account("anna"), place.client()):
        answer = client.get(f"/studio/{path}")
        assert (answer.status_code, answer.text) == (404, "There is nothing here.")


@pytest.mark.parametrize(
    "path", ["/studio/xyz", "/studio/browse/xyz", "/annotate/xyz", "/login/xyz", "/overview", "/studio/gradio_api/xyz"]
)
def test_a_browser_at_a_path_without_a_page_is_told_so_and_led_on(place: House, path: str) -> None:
    adam, anna, nobody = place.account("adam"), place.account("anna"), place.client()
    answer = adam.get(path, headers=PAGE)
    assert (answer.status_code, answer.headers["content-type"]) == (404, "text/html; charset=utf-8")
    assert f"There is no page at {path}." in answer.text
    links = re.findall(r'<li><a href="([^"]+)">', answer.text)
    # what no rule covers is refused before anybody knows who comes
    known = [f"/studio{page.path}" for page in PAGES] + ["/annotate/"]
    assert links == (["/"] if path in ("/overview", "/studio/gradio_api/xyz") else known)
    assert all(adam.get(link, headers=PAGE).status_code in (200, 303) for link in links)
    # an annotator learns no more, and scripts get no page
    told = anna.get(path, headers=PAGE)
    assert told.status_code == (403 if path.startswith("/studio/") and "gradio" not in path else 404)
    assert "/studio" not in told.text.replace(path, "")
    assert nobody.get(path, headers=PAGE).status_code in (303, 404)
    assert "<html" not in adam.get(path).text
    assert "<html" not in adam.get("/api/xyz", headers=PAGE).text


def test_the_first_page_has_its_title_as_a_second_address(place: House) -> None:
    answer = place.account("rosa").get("/studio/overview?suite=geneval", headers=PAGE)
    assert (answer.status_code, answer.headers["location"]) == (303, "/studio/results?suite=geneval")
    assert place.account("anna").get("/studio/overview", headers=PAGE).status_code == 403


RUNS = ("component_server", "run/x", "api/x", "call/x", "stream/x", "process_recording", "vibe-edit", "vibe-code")


@pytest.mark.parametrize("path", RUNS)
def test_nobody_runs_a_component_by_its_number(place: House, path: str) -> None:
    body = {"data": [], "session_hash": "x", "fn_index": 0, "component_id": 1, "fn_name": "x"}
    for client in (place.account("adam"), place.account("anna")):
        assert client.post(f"/studio/gradio_api/{path}", json=body).status_code == 404


def test_files_come_from_researchers_alone_and_are_small(place: House, monkeypatch: pytest.MonkeyPatch) -> None:
    def kept() -> set[Path]:
        return {
            path for path in (place.store.project / "cache").rglob("*") if path.is_file() and path.suffix in (".json", ".bin")
        }

    before = kept()
    for client, status in ((place.client(), 401), (place.account("anna"), 403), (place.invited("uploads"), 403)):
        assert client.post("/studio/gradio_api/upload", files=FILE).status_code == status
    assert kept() == before
    rosa = place.account("rosa")
    assert rosa.post("/studio/gradio_api/upload", files=FILE).status_code == 200
    monkeypatch.setattr("ui.web.middleware.MAX_UPLOAD_BYTES", 0)
    big = {"files": ("big.bin", b"x" * (middleware.MAX_JSON_BYTES + 10), "application/octet-stream")}
    assert rosa.post("/studio/gradio_api/upload", files=big).status_code == 413
    assert not [path for path in kept() if path.name == "big.bin"]


@pytest.mark.parametrize("name", ["../../../evil.json", "/tmp/evil.json", "..\\..\\evil.json", "a/../../evil.json"])
def test_the_name_of_an_upload_leads_nowhere(place: House, name: str) -> None:
    answer = place.account("rosa").post("/studio/gradio_api/upload", files={"files": (name, b"[]", "application/json")})
    if answer.status_code == 200:
        cache = place.store.project / "cache" / "gradio"
        assert all(cache.resolve() in (cache / path).resolve(strict=True).parents for path in answer.json())
    outside = [path for path in place.store.project.parent.rglob("*evil*") if place.store.project / "cache" not in path.parents]
    assert outside == []
    assert not Path("/tmp/evil.json").exists()


@pytest.mark.parametrize("length", ["-1", "1e3", "x", "9" * 40, str(10**15)])
def test_odd_lengths(place: House, length: str) -> None:
    assert place.account("rosa").post("/api/pause", content=b"{}", headers=JSON | {"Content-Length": length}).status_code == 413


@pytest.mark.parametrize(("path", "most"), [("/api/submit", 256), ("/login", 256), ("/studio/gradio_api/queue/join", 4096)])
def test_bodies_without_a_length_are_counted(path: str, most: int) -> None:
    async def sends() -> dict[str, Any]:
        return {"type": "http.request", "body": b"x" * 1024, "more_body": True}

    async def read() -> int:
        receive, parts = middleware.limited(sends, path), 0
        try:
            while parts <= most:
                await receive()
                parts += 1
        except HTTPException as error:
            assert error.status_code == 413  # noqa: PT017
        return parts

    assert asyncio.run(read()) == most


def test_slow_bodies_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(middleware, "_PATIENCE", {True: 0.05, False: 0.05})

    async def never() -> dict[str, Any]:
        await asyncio.sleep(60)
        return {}

    async def ends() -> None:
        with pytest.raises(HTTPException) as caught:
            await middleware.limited(never, "/api/submit")()
        assert caught.value.status_code == 408

    asyncio.run(ends())


def test_a_stream_may_last_once_its_request_is_here(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(middleware, "_PATIENCE", {True: 0.05, False: 0.05})
    parts: list[dict[str, Any]] = [{"type": "http.request", "body": b"", "more_body": False}, {"type": "http.disconnect"}]

    async def sends() -> dict[str, Any]:
        if len(parts) == 1:
            await asyncio.sleep(0.1)
        return parts.pop(0)

    async def both() -> list[str]:
        receive = middleware.limited(sends, "/studio/gradio_api/queue/data")
        return [(await receive())["type"], (await receive())["type"]]

    assert asyncio.run(both()) == ["http.request", "http.disconnect"]


def test_how_fast_somebody_may_be(place: House, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ui.web.auth.authorization.rate_of", lambda *_: rate_limit.Rate(3, 0.01))
    monkeypatch.setattr("ui.web.auth.authorization.UNKNOWN", rate_limit.Rate(3, 0.5))
    client, other = place.invited("in haste"), place.invited("at ease")
    answers = [client.get("/api/next") for _ in range(4)]
    assert [answer.status_code for answer in answers] == [200, 200, 200, 429]
    assert answers[-1].headers["retry-after"] == "100"
    assert "Nothing is lost" in answers[-1].json()["detail"]
    # two hundred annotators share one address
    assert other.get("/api/next").status_code == 200
    stranger = place.client("203.0.113.9")
    assert [stranger.get("/login").status_code for _ in range(4)] == [200, 200, 200, 429]
    assert stranger.get("/assets/css/concord.css").status_code == 200
    assert place.client("203.0.113.10").get("/login").status_code == 200
    assert client.get("/api/next").status_code == 429


def test_the_fastest_annotator_never_waits() -> None:
    now = [0.0]
    counted = RequestLimiter(lambda: now[0])
    waits = []
    for _ in range(3600 * 10):
        # 200 answers a minute, each with two drafts, for an hour
        now[0] += 60 / 600
        waits.append(counted.wait("ann", WRITES))
    assert max(waits) == 0
    # and a burst is not lost on somebody who has waited
    now[0] += 60
    burst = [counted.wait("ann", WRITES) for _ in range(WRITES.at_once + 1)]
    assert burst == [0] * WRITES.at_once + [1]
    now[0] += burst[-1]
    assert counted.wait("ann", WRITES) == 0


def test_what_counts_as_what_and_memory_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    requested = {("GET", "/api/studio/export/ratings.csv"): COSTLY, ("GET", "/img/x"): READS, ("POST", "/api/submit"): WRITES}
    requested |= {("POST", "/studio/gradio_api/queue/join"): EVENTS, ("GET", "/api/studio/report/k/pdf"): COSTLY}
    assert {rate_of(*one) for one in requested} == set(requested.values())
    assert all(rate_of(*one) is rate for one, rate in requested.items())
    monkeypatch.setattr(rate_limit, "_MAX_COUNTED", 10)
    counted = RequestLimiter(lambda: 0.0)
    for n in range(100):
        counted.wait(f"address {n}", READS)
    assert len(counted._left) == 10


@pytest.mark.parametrize(
    "host", ["evil.example\r\nX-Injected: 1", "a b", "evil.example/path", "user@evil.example", "evil.example?x", "<script>"]
)
def test_hosts_that_are_none(place: House, host: str) -> None:
    answer = place.client().get("/login", headers={"Host": host.encode("latin-1").decode("latin-1")})
    assert answer.status_code == 400
    assert "x-injected" not in answer.headers


def test_addresses_that_lead_away_hold_no_host(place: House) -> None:
    # a Host is anybody's to choose: what it says is never where a page leads
    client = place.client(host="evil.example")
    for path in ("/", "/studio/results", "/annotate/"):
        assert client.get(path, headers=PAGE).headers["location"].startswith("/login")
    for path in ("//evil.example", "/\\evil.example", "https://evil.example"):
        text = place.client().get("/login", params={"next": path}).text
        assert "evil" not in text


@pytest.mark.parametrize("text", ["a\r\nSet-Cookie: x=1", "a\nX: 1", "a\0b", "/studio/\r\nX-Injected: 1"])
def test_no_text_becomes_a_header(place: House, text: str) -> None:
    client = place.client()
    answer = client.post("/login", data={"name": "rosa", "password": PASSWORD, "next": f"/{text}"})
    assert answer.headers["location"] == "/studio/"
    assert "x-injected" not in answer.headers
    response = place.account("rosa").get("/api/studio/export/ratings.csv", params={"suite": text})
    assert "x-injected" not in response.headers
    assert "x" not in response.headers
