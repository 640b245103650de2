"""The routes of Add and of runs: from an upload to stored images and back, by HTTP; and what they refuse."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from concord.importing.upload_folders import received_folder
from data.store import imports
from data.store.core.store import Store
from tests.data.store.small_project import submit
from tests.ui.accounts_app import PASSWORD, users_file
from tests.ui.http_visitor import TOKEN
from tests.ui.small_project import png
from ui.web.auth.accounts import Accounts
from ui.web.server import create_app

HOSTILE = "<img src=x onerror=alert(1)>"


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store(tmp_path / "project") as opened:
        yield opened


@pytest.fixture
def client(store: Store) -> TestClient:
    app = create_app(store, TOKEN, pages=False)
    return TestClient(app, "http://127.0.0.1", client=("127.0.0.1", 1), raise_server_exceptions=False)


def received(store: Store, content: bytes, name: str) -> str:
    """Leave a file where Gradio's upload route does; returns its name."""
    path = received_folder(store.project) / hashlib.sha256(content).hexdigest() / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    return f"{path.parent.name}/{name}"


def post(client: TestClient, route: str, **body: Any) -> dict[str, Any]:
    answer = client.post(f"/api/studio/{route}", json=body)
    assert answer.status_code == 200, answer.text
    data: dict[str, Any] = answer.json()
    return data


def refusal(client: TestClient, route: str, **body: Any) -> tuple[int, str]:
    answer = client.post(f"/api/studio/{route}", json=body)
    return answer.status_code, answer.json()["detail"]


def until(client: TestClient, address: str, found: Callable[[str], bool]) -> str:
    """Return the place once it shows something; ``address`` is one of Studio's."""
    deadline = time.monotonic() + 30
    while True:
        drawn: str = client.get(address.replace("/studio/", "/api/studio/places/")).json()["content"]
        if found(drawn):
            return drawn
        assert time.monotonic() < deadline, drawn
        time.sleep(0.02)


def begin(client: TestClient, store: Store, files: dict[str, bytes]) -> str:
    """Upload files in two requests and have them read; returns the address that shows them."""
    upload = ""
    for path, content in files.items():
        file = {"name": received(store, content, Path(path).name), "path": path}
        upload = post(client, "add/files", upload=upload, files=[file])["upload"]
    address: str = post(client, "add/read", upload=upload)["go"]
    return address


def two_generators(folder: Path) -> dict[str, bytes]:
    names = ("sd/a red apple.png", "sd/two cups.png", "xl/a red apple.png", "xl/two cups.png")
    return {f"mine/{name}": png(folder / name, f"rgb(9, {n}, 9)", (16, 16)).read_bytes() for n, name in enumerate(names)}


def test_uploaded_folders_are_shown_stored_and_undone(client: TestClient, store: Store, tmp_path: Path) -> None:
    empty = client.get("/api/studio/places/add").json()
    assert "Nothing is in this project yet" in empty["content"]
    assert empty["local"] is True
    address = begin(client, store, two_generators(tmp_path))
    shown = until(client, address, lambda drawn: "Store 4 images" in drawn)
    assert "4 images of 2 prompts by 2 generators" in shown
    assert shown.count('src="data:image/webp;base64,') == 4
    assert imports.listed(store) == []
    assert not list(received_folder(store.project).rglob("*.png"))

    read = address.partition("read=")[2]
    post(client, "add/store", read=read, suite="mine", generator=["stable", "xl"])
    done = until(client, address, lambda drawn: 'aria-label="Receipt"' in drawn)
    assert "4 images of 2 prompts." in done
    assert store.query_column("select distinct generator from images order by 1") == ["stable", "xl"]
    # twice does no harm
    post(client, "add/store", read=read, suite="other")
    assert len(imports.listed(store)) == 1
    assert "Import 1 is undone" in post(client, "add/undo", number=[1])["said"]
    undone = client.get(address.replace("/studio/", "/api/studio/places/")).json()["content"]
    assert "Undone: mine" in undone
    assert "Stored:" not in undone
    assert refusal(client, "add/undo", number=[1]) == (409, "Import 1 has been undone already.")


def test_an_import_with_answers_says_at_once_that_it_stays(client: TestClient, store: Store, tmp_path: Path) -> None:
    address = begin(client, store, two_generators(tmp_path))
    until(client, address, lambda drawn: "Store 4 images" in drawn)
    post(client, "add/store", read=address.partition("read=")[2], suite="mine")
    until(client, address, lambda drawn: "Stored:" in drawn)
    assert "Undo import 1" in client.get("/api/studio/places/add").json()["content"]
    submit(store, store.query_column("select min(item_id) from items")[0], "ann")
    why = (
        "1 person has given 1 answer about what import 1 brought, and undoing it would lose these; first erase whoever gave"
        " them (People), or begin another project"
    )
    for shown in ("/studio/add", address):
        drawn = client.get(shown.replace("/studio/", "/api/studio/places/")).json()["content"]
        assert "Cannot be undone" in drawn, shown
        assert f"{why}." in drawn, shown
        assert "Undo import 1" not in drawn, shown
    assert refusal(client, "add/undo", number=[1]) == (409, f"{why}; nothing was undone.")


def test_a_scorer_without_its_model_is_downloaded_from_add(
    client: TestClient, store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    address = begin(client, store, two_generators(tmp_path))
    until(client, address, lambda drawn: "Store 4 images" in drawn)
    post(client, "add/store", read=address.partition("read=")[2], suite="mine")
    until(client, address, lambda drawn: "Stored:" in drawn)
    monkeypatch.setenv("HF_HUB_CACHE", str(tmp_path / "hub"))
    monkeypatch.setenv("HF_ENDPOINT", "http://127.0.0.1:9")
    chosen = {"scorers": ["clipscore paper"]}
    offer = post(client, "runs/plan", **chosen)
    assert offer["label"] == "Download 605 MB, then score 4 images"
    assert "timm/vit_base_patch32_clip_224.openai" in offer["text"]
    assert post(client, "runs/start", **chosen) == {"go": "/studio/add/runs"}
    failed = until(client, "/studio/add/runs", lambda drawn: "The download for clipscore (paper) failed." in drawn)
    assert "cannot be reached from this machine" in failed
    assert "hf download timm/vit_base_patch32_clip_224.openai" in failed
    assert "The download for clipscore (paper) failed." in client.get("/api/studio/places/add").json()["content"]
    post(client, "runs/download", name="clipscore paper", action="close")
    assert "failed" not in client.get("/api/studio/places/add/runs").json()["content"]
    assert refusal(client, "runs/download", name="clipscore paper", action="again") == (409, "This download is over.")


def test_no_file_but_an_upload_is_taken_and_none_leaves_its_folder(client: TestClient, store: Store, tmp_path: Path) -> None:
    (tmp_path / "secret.csv").write_text("a")
    name = received(store, b"path,prompt\n", "a.csv")
    (received_folder(store.project) / name).with_name("link.csv").symlink_to(tmp_path / "secret.csv")
    digest = name.partition("/")[0]
    forged = (
        "/etc/passwd",
        "../../secret.csv",
        f"{digest}/..",
        f"{digest}/link.csv",
        f"{digest}/\0",
        f"{'0' * 64}/a.csv",
        "\ud800",
    )
    for wrong in forged:
        code, _ = refusal(client, "add/files", files=[{"name": wrong.encode("utf-8", "replace").decode(), "path": "a.csv"}])
        assert code == 400, wrong
    for path in ("../a.csv", "/tmp/a.csv", "a/../../a.csv", "..\\a.csv", "C:\\a.csv", "a\0.csv"):
        code, why = refusal(client, "add/files", files=[{"name": name, "path": path}])
        assert code == 400, path
        assert str(tmp_path) not in why
    assert refusal(client, "add/files", upload="../uploads", files=[{"name": name, "path": "a.csv"}])[0] == 400
    assert (tmp_path / "secret.csv").read_text() == "a"
    assert {path.name for path in tmp_path.iterdir()} == {"secret.csv", "project"}


def test_a_path_is_named_by_somebody_at_this_machine_alone(client: TestClient, store: Store, tmp_path: Path) -> None:
    two_generators(tmp_path / "mine")
    address = post(client, "add/read", path=str(tmp_path / "mine"))["go"]
    assert "by 2 generators" in until(client, address, lambda drawn: "Store 4 images" in drawn)
    app = create_app(store, TOKEN, Accounts(users_file(tmp_path / "users.toml")), pages=False)
    other = TestClient(
        app, "http://concord.example", client=("10.0.0.7", 1234), raise_server_exceptions=False, follow_redirects=False
    )
    other.headers["origin"] = "http://concord.example"
    assert other.post("/api/studio/add/read", json={"path": "/etc"}).status_code == 401
    assert other.post("/login", data={"name": "rosa", "password": PASSWORD}).status_code < 400
    assert other.get("/api/studio/places/add").json()["local"] is False
    assert refusal(other, "add/read", path=str(tmp_path))[0] == 403


def test_prompts_are_written_stored_and_hostile_texts_stay_texts(client: TestClient, store: Store) -> None:
    address = post(client, "add/read", text=f"a red apple\n{HOSTILE}\n")["go"]
    shown = until(client, address, lambda drawn: "Store 2 prompts" in drawn)
    assert HOSTILE not in shown
    post(client, "add/store", read=address.partition("read=")[2], suite="mine")
    assert "Generate images here" in until(client, address, lambda drawn: "Receipt" in drawn)
    assert store.query_column("select text from prompts order by 1") == [HOSTILE, "a red apple"]
    assert refusal(client, "add/read", text=" \n")[0] == 400
    assert refusal(client, "add/questions")[0] == 409
    assert refusal(client, "add/generate", suite="mine", generator="playground-early", n="many")[0] == 422
    assert refusal(client, "add/generate", suite="none", generator="playground-early")[0] == 409


def test_what_cannot_be_read_is_said_and_left(client: TestClient, store: Store) -> None:
    for name, content in (("a.zip", b"PK"), ("a.csv", b"\xff\xfe\x00"), ("a.json", b"["), ("a.txt", b""), ("a.png", b"none")):
        address = begin(client, store, {name: content})
        shown = until(client, address, lambda drawn: "data-again" not in drawn)
        assert "cc-why" in shown or "1 prompt missing" in shown, name
        assert str(store.project) not in shown.partition('aria-label="Then"')[0]
        assert "Store " not in shown or "disabled" in shown
        post(client, "add/leave", read=address.partition("read=")[2])
    assert refusal(client, "add/store", read="gone")[0] == 404
    assert "stored or left meanwhile" in client.get("/api/studio/places/add?read=gone").json()["content"]


def test_runs_that_there_are_not_are_refused_in_a_sentence(client: TestClient) -> None:
    assert "No scorer has scored" in client.get("/api/studio/places/add/runs").json()["content"]
    assert client.get("/api/studio/runs/work").json() == {"text": "", "share": 0.0, "waiting": 0}
    assert refusal(client, "runs/start") == (422, "Tick a scorer first.")
    assert refusal(client, "runs/start", scorers=["none playground"])[0] == 422
    assert refusal(client, "runs/plan", scorers=["clipscore playground"], limit="-1")[0] == 422
    assert refusal(client, "runs/0001-x/resume") == (409, "There is no run 0001-x in this project.")
    assert refusal(client, "runs/0001-x/explode")[0] == 404
    assert post(client, "runs/plan", scorers=["clipscore playground"])["possible"] is False
