"""Every route for every role: what is not in the table here fails, and so does what opens to more than it says."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import pytest
from fastapi import APIRouter
from starlette.testclient import TestClient

from data.store.people import invitations
from tests.ui.accounts_app import PAGE, House, house
from tests.ui.http_visitor import TOKEN, first, saying
from ui.web.auth.authorization import Access, access_of

EVERYBODY, ANNOTATORS, RESEARCHERS, ADMINS, NOBODY = range(5)
# Every route of the app by method and path, and who may open it; Gradio's of both mounts stand below.
TABLE: dict[str, int] = {
    "GET /": EVERYBODY,
    "GET /favicon.ico": EVERYBODY,
    "GET /login": EVERYBODY,
    "POST /login": EVERYBODY,
    "GET /logout": EVERYBODY,
    "POST /logout": EVERYBODY,
    "GET /join/{token}": EVERYBODY,
    "POST /join/{token}": EVERYBODY,
    "* /assets": EVERYBODY,
    "POST /api/name": NOBODY,
    "POST /api/leave": ANNOTATORS,
    "GET /api/next": ANNOTATORS,
    "POST /api/campaign": ANNOTATORS,
    "POST /api/consent": ANNOTATORS,
    "POST /api/skip": ANNOTATORS,
    "POST /api/unskip": ANNOTATORS,
    "POST /api/pause": ANNOTATORS,
    "POST /api/report": ANNOTATORS,
    "POST /api/withdraw": ANNOTATORS,
    "POST /api/draft": ANNOTATORS,
    "GET /api/mine": ANNOTATORS,
    "GET /api/mine/{annotation_id}": ANNOTATORS,
    "GET /api/last": ANNOTATORS,
    "POST /api/submit": ANNOTATORS,
    "GET /img/{sha256}": ANNOTATORS,
    "GET /annotate/": ANNOTATORS,
    "GET /api/studio/original/{sha256}": RESEARCHERS,
    "GET /api/studio/images": RESEARCHERS,
    "GET /api/studio/items": RESEARCHERS,
    "GET /api/studio/version": RESEARCHERS,
    "GET /api/studio/map/image": RESEARCHERS,
    "GET /api/studio/map/inside": RESEARCHERS,
    "GET /api/studio/export/{what}.{form}": RESEARCHERS,
    "GET /api/studio/item": RESEARCHERS,
    "GET /api/studio/task": RESEARCHERS,
    "GET /api/studio/neighbours": RESEARCHERS,
    "GET /api/studio/evidence": RESEARCHERS,
    "POST /api/studio/open": RESEARCHERS,
    "POST /api/studio/uncover": RESEARCHERS,
    "GET /api/studio/remarks": RESEARCHERS,
    "POST /api/studio/notes": RESEARCHERS,
    "POST /api/studio/verdict": RESEARCHERS,
    "GET /api/studio/facets": RESEARCHERS,
    "GET /api/studio/strip": RESEARCHERS,
    "GET /api/studio/rows": RESEARCHERS,
    "GET /api/studio/tags": RESEARCHERS,
    "POST /api/studio/tags": RESEARCHERS,
    "GET /api/studio/views": RESEARCHERS,
    "POST /api/studio/views": RESEARCHERS,
    "POST /api/studio/views/forget": RESEARCHERS,
    "GET /api/studio/report/{key}/{form}": RESEARCHERS,
    "GET /api/studio/people/owed": ADMINS,
    "POST /api/studio/people/erase": ADMINS,
    "POST /api/studio/people/code": ADMINS,
    "POST /api/studio/people/link": ADMINS,
    "GET /api/studio/people/links": ADMINS,
    "POST /api/studio/people/links": ADMINS,
    "POST /api/studio/people/links/revoke": ADMINS,
    "POST /api/studio/people/withdraw": ADMINS,
    "POST /command": NOBODY,
}
# Of Gradio's routes the studio's pages use these. All others that hand out files, fetch addresses or run components are closed
# to everybody.
OF_THE_STUDIO = (
    "/", "/config", "/config/", "/theme.css", "/robots.txt", "/manifest.json", "/favicon.ico", "/openapi.json", "/pwa_icon",
    "/pwa_icon/{size}", "/static/{path}", "/assets/{path}", "/svelte/{path}", "/gradio_api/app_id", "/gradio_api/app_id/",
    "/gradio_api/heartbeat/{session_hash}", "/gradio_api/info", "/gradio_api/info/", "/gradio_api/startup-events",
    "/gradio_api/queue/join", "/gradio_api/queue/data", "/gradio_api/queue/status", "/gradio_api/cancel",
    "/gradio_api/run/{api_name}", "/gradio_api/run/{api_name}/",
    "/gradio_api/reset", "/gradio_api/reset/", "/gradio_api/upload", "/gradio_api/upload_progress", "/gradio_api/theme.css",
)  # fmt: skip
CLOSED = ("/login", "/logout", "/monitoring")
ROLES = {
    "nobody": EVERYBODY, "annotator by link": ANNOTATORS, "annotator": ANNOTATORS, "researcher by link": RESEARCHERS,
    "researcher": RESEARCHERS, "admin": ADMINS, "revoked link": EVERYBODY, "expired link": EVERYBODY,
    "removed account": EVERYBODY, "forged cookie": EVERYBODY,
}  # fmt: skip


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    with house(tmp_path_factory.mktemp("house"), pages=True) as made:
        yield made


def _forged(place: House) -> TestClient:
    client = place.account("rosa")
    name, value = next(iter(client.cookies.items()))
    client.cookies.clear()
    signed, _, signature = value.rpartition(".")
    # The first character: the last one of a base64 text has bits that nobody reads, so changing it may change nothing.
    other = ("A" if signature[0] != "A" else "B") + signature[1:]
    client.cookies.set(name, f"{signed}.{other}", domain="concord.example")
    return client


def _over(place: House, end: Callable[[Any], None]) -> TestClient:
    invitation = place.invitation(role="researcher")
    client = place.invited(f"late {invitation.invitation_id}", invitation)
    end(invitation)
    return client


def _removed(place: House) -> TestClient:
    text = place.users.read_text()
    place.users.write_text(text + text.replace("rosa", "gone").split("\n\n")[1])
    client = place.account("gone")
    place.users.write_text(text)
    return client


MAKE: Mapping[str, Callable[[House], TestClient]] = {
    "nobody": lambda place: place.client(),
    "annotator by link": lambda place: place.invited(f"lin {len(place.column('select 1 from raters'))}"),
    "annotator": lambda place: place.account("anna"),
    "researcher by link": lambda place: place.invited(
        f"res {len(place.column('select 1 from raters'))}", place.invitation(role="researcher")
    ),
    "researcher": lambda place: place.account("rosa"),
    "admin": lambda place: place.account("adam"),
    "revoked link": lambda place: _over(place, lambda entry: invitations.revoke(place.store, entry.invitation_id)),
    "expired link": lambda place: _over(place, place.expire),
    "removed account": _removed,
    "forged cookie": _forged,
}


def routes_of(routes: Any, before: str = "") -> Iterator[tuple[str, str]]:
    """Method and path of every route, also of what is mounted or included."""
    for route in routes:
        included: APIRouter | None = getattr(route, "original_router", None)
        if included is not None:
            yield from routes_of(included.routes, before)
        elif getattr(route, "methods", None):
            yield from ((method, before + route.path) for method in sorted(route.methods))
        elif hasattr(getattr(route, "app", None), "routes"):
            yield from routes_of(route.app.routes, before + route.path)
        else:
            yield "*", before + route.path


def allowed(method: str, path: str) -> int | None:
    """Who may open a route; None: nobody has thought of it."""
    path = path.replace(":path}", "}")
    method = "GET" if method == "HEAD" and f"HEAD {path}" not in TABLE else method
    if path.startswith("/studio/"):
        below = path.removeprefix("/studio")
        closed = below.startswith(CLOSED) or (below.startswith("/gradio_api") and below not in OF_THE_STUDIO)
        return NOBODY if closed else RESEARCHERS
    if path.startswith("/api/studio/") and f"{method} {path}" not in TABLE:
        # other parts add routes to the studio: none of them may be open to less
        return RESEARCHERS
    return TABLE.get(f"{method} {path}")


def test_every_route_is_in_the_table(place: House) -> None:
    results = set(routes_of(place.app.routes))
    assert [route for route in results if allowed(*route) is None] == []
    # the collector sees all: ours, what is included, and what Gradio mounts
    assert {tuple(route.split(" ")) for route in TABLE if not route.endswith("/logout")} <= results
    assert {("GET", "/studio/config"), ("POST", "/studio/gradio_api/queue/join")} <= results
    mounted = {path.removeprefix("/studio").replace(":path}", "}") for _, path in results if path.startswith("/studio/")}
    assert set(OF_THE_STUDIO) <= mounted


def address(path: str) -> str:
    """A path that the route answers to, with something in its gaps."""
    for name in ("path", "path_or_url", "url_path"):
        path = path.replace(f"{{{name}:path}}", "x")
    # what is sent without a queue has this name, whatever it is
    path = path.replace("/studio/gradio_api/run/{api_name}", "/studio/gradio_api/run/predict")
    return path.replace("{", "").replace("}", "")


@pytest.mark.parametrize("role", ROLES)
def test_every_route_for_every_role(place: House, monkeypatch: pytest.MonkeyPatch, role: str) -> None:
    # what lies behind the door is not asked here: whoever comes through finds a wall, and it says so
    through: list[str] = []

    async def wall(scope: Any, receive: Any, send: Any) -> None:  # noqa: ARG001
        through.append(scope["path"])
        await send({"type": "http.response.start", "status": 299, "headers": []})
        await send({"type": "http.response.body", "body": b""})

    client = MAKE[role](place)
    cookies = dict(client.cookies)
    # middleware is put together at the first request
    assert place.client().get("/favicon.ico").status_code == 200
    layer = place.app.middleware_stack
    while type(layer).__name__ != "Authorization":
        layer = getattr(layer, "app", None) or layer._app  # type: ignore[union-attr]
    monkeypatch.setattr(layer, "_app", wall)
    wrong = []
    for method, path in sorted(set(routes_of(place.app.routes))):
        if method == "*":
            method = "GET"
        who = allowed(method, path) if path != "/assets" else EVERYBODY
        assert who is not None
        client.cookies = cookies
        requested = address(path)
        before = len(through)
        answer = client.request(method, requested, headers={"Content-Type": "application/json"})
        came = (answer.status_code, len(through) - before) == (299, 1)
        if came != (ROLES[role] >= who):
            wrong.append((method, requested, answer.status_code))
        if not came:
            refused = (404,) if access_of(requested) is None else (401, 403)
            assert answer.status_code in refused, (requested, answer.status_code)
            assert len(answer.text) < 300
    assert wrong == []
    assert len(through) >= 9


@pytest.mark.parametrize("role", [role for role in ROLES if ROLES[role] < RESEARCHERS])
def test_an_annotator_reads_nothing_of_the_studio(place: House, role: str) -> None:
    item = "geneval/00000/sdv2/0"
    requested = (
        "/studio", "/studio/", "/studio/config", "/studio/agreement", "/studio/gradio_api/info",
        "/studio/gradio_api/queue/data", f"/api/studio/item?id={item}", f"/api/studio/evidence?id={item}", "/api/studio/items",
        "/api/studio/version", "/studio/gradio_api/file=x", "/annotate/gradio_api/file=x", "/annotate/../studio/config",
        "/annotate/%2e%2e/studio/config", "http://concord.example//studio/config", "/annotate//../studio/",
        "/API/studio/items", "/studio%2Fconfig", "/api/../studio/config",
    )  # fmt: skip
    rosa = place.account("rosa")
    assert "secretscorer" in rosa.post("/api/studio/uncover", json={"id": item}).text
    client = MAKE[role](place)
    cookies = dict(client.cookies)
    for path in requested:
        for headers in ({}, PAGE):
            client.cookies = cookies
            answer = client.get(path, headers=headers)
            assert answer.status_code in (303, 401, 403, 404), (path, answer.status_code)
            assert "secretscorer" not in answer.text
            assert "sdv2" not in answer.text


def test_what_an_annotator_reads_is_blind(place: House) -> None:
    client = place.invited("blind one")
    other = place.account("anna")
    task = first(client)
    other.post("/api/campaign", json={"campaign": "default"})
    answers = saying(first(other)["ticket"])
    assert other.post("/api/submit", json=answers).status_code == 200
    requested = ("/api/next", "/annotate/", "/api/last", "/api/mine", f"/api/mine/{answers['id']}")
    told = "".join(client.get(path).text for path in requested)
    for secret in ("sdv2", "secretscorer", "geneval/", "anna", "samples"):
        assert secret not in told
    assert client.get(task["images"][0]["image"]).status_code == 200
    assert client.get(task["images"][0]["image"] + "?w=320").status_code == 200


@pytest.mark.parametrize("path", ["/api/next", "/api/studio/items", "/img/x", "/annotate/"])
def test_without_a_session_there_is_a_sentence(place: House, path: str) -> None:
    answer = place.client().get(path)
    assert (answer.status_code, answer.json()) == (401, {"detail": "Please sign in first."})


@pytest.mark.parametrize("path", ["/annotate/", "/studio/images?suite=a%26b&x=1"])
def test_pages_lead_to_the_sign_in_and_back(place: House, path: str) -> None:
    client = place.client()
    answer = client.get(path, headers=PAGE)
    assert answer.status_code == 303
    page = client.get(answer.headers["location"])
    assert "Sign in" in page.text
    following = page.text.split('name="next" value="')[1].split('"')[0].replace("&amp;", "&")
    assert following == path
    answer = client.post("/login", data={"name": "rosa", "password": "correct horse", "next": following})
    assert (answer.status_code, answer.headers["location"]) == (303, path)


def test_commands_need_their_token_whoever_asks(place: House) -> None:
    body = {"name": "people list", "parameters": {"campaign": None, "form": "json"}, "cwd": "/"}
    # a browser, whoever sits before it
    assert place.account("adam").post("/command", json=body).status_code == 403
    shell = place.client("127.0.0.1", "127.0.0.1")
    shell.event_hooks["request"].clear()
    assert shell.post("/command", json=body).status_code == 401
    bearer = {"Authorization": f"Bearer {TOKEN}"}
    assert shell.post("/command", json=body, headers=bearer).status_code == 200
    through = bearer | {"X-Forwarded-For": "127.0.0.1"}
    assert shell.post("/command", json=body, headers=through).status_code == 403


@pytest.mark.parametrize("path", ["/nothing", "/docs", "/openapi.json", "/studiox", "/apis", "http://concord.example//studio"])
def test_what_is_in_no_rule_is_nowhere(place: House, path: str) -> None:
    assert access_of(path.removeprefix("http://concord.example")) is None
    assert place.account("adam").get(path).status_code == 404


def test_prefixes_cover_what_lies_below_only() -> None:
    assert access_of("/studio/gradio_api/heartbeat/x") is Access.RESEARCHER
    assert access_of("/studio/gradio_api/file=/etc/passwd") is None
    assert access_of("/studio/gradio_api/infox") is None
    assert access_of("/studio/gradio_api/upload") is Access.RESEARCHER
    assert access_of("/studio/gradio_api/uploads") is None
