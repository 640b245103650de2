"""Files that a request to Gradio names: only what was uploaded to this server is opened, whichever event it is sent to."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from starlette.testclient import TestClient

from data.store.core.store import Store
from tests.ui.http_visitor import TOKEN
from ui.web.server import create_app
from ui.web.studio import PAGES

TABLE = b"file,worker,score\na.png,ann,4\na.png,bob,2\n"
RUNNING_ROUTES = ("queue/join", "run/predict")
CLOSED_ROUTES = ("call/x", "call/v2/x", "api/x", "run/x", "component_server", "stream/x", "process_recording")


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    with Store(tmp_path_factory.mktemp("server") / "project") as opened:
        yield opened


@pytest.fixture(scope="module")
def client(store: Store) -> TestClient:
    app = create_app(store, TOKEN)
    return TestClient(app, "http://localhost", client=("127.0.0.1", 1), raise_server_exceptions=False)


def upload(client: TestClient, name: str = "ratings.csv", content: bytes = TABLE) -> str:
    (path,) = client.post("/studio/gradio_api/upload", files={"files": (name, content)}).raise_for_status().json()
    return str(path)


def file_data(path: Any, **other: Any) -> dict[str, Any]:
    return {"path": path, "orig_name": "a", "meta": {"_type": "gradio.FileData"}} | other


def events(client: TestClient) -> int:
    """Return how many events of Gradio's Studio has, by what the running app tells browsers."""
    configs = [client.get("/studio/config", params={"page": page.path.strip("/")}).json() for page in PAGES]
    return sum(len(config["dependencies"]) for config in configs)


def send(client: TestClient, route: str, event: int, data: list[Any], **other: Any) -> Any:
    body = {"data": data, "fn_index": event, "session_hash": "x", "event_data": None, "trigger_id": None} | other
    # half a character has no UTF-8
    content = json.dumps(body)
    return client.post(f"/studio/gradio_api/{route}", content=content, headers={"Content-Type": "application/json"})


def forged(store: Store, uploaded: str, folder: Path) -> list[dict[str, Any]]:
    """File data that names no upload of this server."""
    secret = folder / "secret.csv"
    secret.write_bytes(TABLE)
    received = store.project / "cache" / "gradio"
    digest, _, name = uploaded.partition("/")
    links = {"link.csv": secret, "device.csv": Path("/dev/zero"), "inside.csv": received / uploaded}
    for link, target in links.items():
        (received / digest / link).unlink(missing_ok=True)
        (received / digest / link).symlink_to(target)
    (received / digest / "pipe.csv").unlink(missing_ok=True)
    os.mkfifo(received / digest / "pipe.csv")
    outside = os.path.relpath(secret, received / digest)
    paths = (
        str(secret), str(store.project / "concord.duckdb"), "/dev/zero", "/proc/self/environ", f"file://{secret}",
        "http://127.0.0.1:1/a.csv", "https://example.org/a.csv", "data:text/csv;base64,YQ==", "pyproject.toml",
        "../../concord.duckdb", f"{digest}/../../../concord.duckdb", f"{digest}/{outside}", f"{digest}/..", f"{digest}/.",
        digest, f"{digest}/", f"/{uploaded}", f"./{uploaded}", f"{uploaded}\0", f"\0{uploaded}", quote(str(secret), safe=""),
        f"{digest}/..%2f..%2fconcord.duckdb", f"{digest}%2f{name}", f"{digest}/gone.csv", f"{digest}/{'x' * 5000}",
        f"{'0' * 64}/{name}", f"{digest}/\ud800.csv", "", "~", "~root",
        *(f"{digest}/{link}" for link in (*links, "pipe.csv")), f"{digest}\\..\\..\\concord.duckdb",
        str(received / digest / "link.csv"), None, 1, [uploaded], {"path": str(secret)},
    )  # fmt: skip
    values = [file_data(path) for path in paths]
    values += [{"path": str(secret)}, {"path": str(secret), "meta": None}, {"path": str(secret), "meta": "gradio.FileData"}]
    values += [{"meta": {"_type": "gradio.FileData"}, "url": f"file://{secret}"}, file_data(str(secret), is_stream=True)]
    return values + [file_data(uploaded, url=url) for url in (f"file://{secret}", "http://127.0.0.1:1/a.csv", str(secret), 1)]


def refused(answer: Any, store: Store) -> bool:
    """Return True if a request was refused in one sentence that tells no path of the server."""
    detail = answer.json().get("detail") if answer.status_code in (400, 404, 413) and answer.text[:1] == "{" else answer.text
    one_line = isinstance(detail, str) and 0 < len(detail) < 200 and "\n" not in detail
    return 400 <= answer.status_code < 500 and one_line and str(store.project.parent) not in answer.text


def test_studio_runs_no_event_and_no_request_for_one_takes_a_file(client: TestClient, store: Store, tmp_path: Path) -> None:
    assert events(client) == 0
    values = forged(store, upload(client), tmp_path)
    for value in values:
        for nested in (value, [value], {"value": [{"files": [value]}]}):
            assert refused(send(client, "queue/join", 0, [nested]), store), nested
    assert refused(send(client, "run/predict", 0, values), store)
    value = file_data(str(tmp_path / "secret.csv"))
    for route in RUNNING_ROUTES:
        for part in ("event_data", "trigger_id", "oauth_token", "other"):
            assert refused(send(client, route, 0, [None], **{part: [value]}), store), (route, part)
        assert refused(client.post(f"/studio/gradio_api/{route}", json=value), store)
        assert refused(client.post(f"/studio/gradio_api/{route}", json=[[value]]), store)


def test_no_other_route_takes_one(client: TestClient, store: Store, tmp_path: Path) -> None:
    body = {
        "data": [[file_data(str(tmp_path / "secret.csv"))]],
        "fn_index": 0,
        "session_hash": "x",
        "component_id": 1,
        "fn_name": "x",
    }
    for route in CLOSED_ROUTES:
        assert refused(client.post(f"/studio/gradio_api/{route}", json=body), store), route
    for path in ("", "/import", "/config", "/login", "/gradio_api//queue/join", "//gradio_api/queue/join"):
        assert client.post(f"/studio{path}", json=body).status_code in (400, 404), path
    # nothing of Gradio is below the form's page
    for route in (*CLOSED_ROUTES, *RUNNING_ROUTES, "upload"):
        assert client.post(f"/annotate/gradio_api/{route}", json=body).status_code == 404, route
    for route in ("cancel", "reset"):
        assert refused(client.post(f"/studio/gradio_api/{route}", json=body | {"event_id": "x"}), store)


def test_bodies_made_to_harm_are_refused_in_a_line(client: TestClient, store: Store) -> None:
    deep: Any = []
    for _ in range(200):
        deep = [{"a": deep}]
    assert refused(send(client, "queue/join", 0, deep), store)
    headers = {"Content-Type": "application/json"}

    def parts() -> Iterator[bytes]:
        yield from [b"[" * 1024] * 5000

    bodies: tuple[Any, ...] = (
        b"[" * 100_000,
        b'{"a":' * 100_000,
        b"{",
        b"\xff\xfe",
        b'{"data": [\x00]}',
        b"x" * (5 << 20),
        parts(),
    )
    for route in RUNNING_ROUTES:
        for body in bodies[: -1 if route == "run/predict" else None]:
            assert refused(client.post(f"/studio/gradio_api/{route}", content=body, headers=headers), store)


@pytest.mark.parametrize("name", ["ratings.csv", "a b%2f é#?.csv", "x..csv", "ratings.csv " * 40 + ".csv"])
def test_what_was_uploaded_is_read_and_no_answer_tells_where_it_lies(client: TestClient, store: Store, name: str) -> None:
    path = upload(client, name)
    assert not path.startswith("/")
    answer = client.post("/api/studio/add/files", json={"files": [{"name": path, "path": name}]})
    assert answer.status_code == 200, answer.text
    begun = client.post("/api/studio/add/read", json=answer.json())
    address = begun.json()["go"].replace("/studio/", "/api/studio/places/")
    deadline = time.monotonic() + 20
    while "data-again" in (shown := client.get(address).json()["content"]):
        assert time.monotonic() < deadline
        time.sleep(0.02)
    assert "2 ratings in" in shown
    assert "worker" in shown
    for text in (answer.text, begun.text, shown.partition('aria-label="Then"')[0]):
        assert str(store.project.parent) not in text


def test_names_of_files_are_no_paths(client: TestClient, store: Store) -> None:
    for files in ({"files": ("..", b"x")}, {"files": ("a" * 5000, b"x")}, {"other": ("a", b"x")}):
        assert str(store.project.parent) not in client.post("/studio/gradio_api/upload", files=files).text


def test_uploads_fill_what_they_may_and_no_more(client: TestClient, store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    # both folders count
    unpacked = store.project / "cache" / "uploads" / "x" / "picture.png"
    unpacked.parent.mkdir(parents=True)
    unpacked.write_bytes(b"x" * 500_000)
    monkeypatch.setattr("concord.importing.upload_folders.MAX_UPLOADED", 600_000, raising=False)
    upload(client)
    full = client.post("/studio/gradio_api/upload", files={"files": ("big.csv", b"x" * 100_000)})
    assert (full.status_code, full.text.count("\n"), "Try again later" in full.text) == (507, 0, True)
    assert not list((store.project / "cache" / "gradio").rglob("big.csv"))
    unpacked.unlink()
    upload(client, "big.csv", b"x" * 100_000)
