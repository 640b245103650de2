"""Upload guard: which files a body may name, compared with what Gradio's own search finds in it."""

from __future__ import annotations

import asyncio
import json
import random
from pathlib import Path
from typing import Any

import pytest
from gradio_client import utils as client_utils  # type: ignore[import-untyped]
from starlette.responses import JSONResponse
from starlette.testclient import TestClient
from starlette.types import Message, Receive, Scope, Send

from concord.importing.upload_folders import NOT_UPLOADED, received_folder
from ui.web.upload_guard import MAX_DEPTH, BodyRefused, UploadGuard, resolve_files

DIGEST = "0" * 64
META = {"_type": "gradio.FileData"}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The upload folder with two uploads, beside a file that is none."""
    received = received_folder(tmp_path)
    (received / DIGEST).mkdir(parents=True)
    for path in (received / DIGEST / "a.csv", received / DIGEST / "b.csv", tmp_path / "secret.csv"):
        path.write_text("x")
    (received / DIGEST / "link.csv").symlink_to(tmp_path / "secret.csv")
    return received


def random_value(source: random.Random, names: list[Any], depth: int = 0) -> Any:
    """Return random JSON with file-like dicts in it, one in three of them an upload's."""
    kind = source.random()
    if depth < 3 or (depth < 12 and kind < 0.4):
        parts = [random_value(source, names, depth + 1) for _ in range(source.randint(1, 3))]
        return (
            parts
            if source.random() < 0.5
            else {source.choice(["a", "value", "files", "url", "", "meta", "0"]) + str(n): part for n, part in enumerate(parts)}
        )
    if kind < 0.5:
        made: dict[str, Any] = {
            "path": source.choice(names) if source.random() < 0.3 else f"{DIGEST}/{source.choice('ab')}.csv"
        }
        more: dict[str, Any] = {
            "meta": source.choice([META, {}, None, "x"]),
            "url": source.choice([None, f"/gradio_api/file={made['path']}", "file:///x"]),
        }
        more |= {"orig_name": "/etc/passwd", "is_stream": True, "extra": {"path": "/etc/passwd"}}
        return made | {name: value for name, value in more.items() if source.random() < 0.2}
    return source.choice(
        [None, 1, -0.5, True, "/etc/passwd", "", "path", [], {}, {"meta": META}, {"meta": "x"}, {"url": "file:///x"}]
    )


def is_allowed(value: Any, folder: Path) -> bool:
    """Return True if all files below a value are uploads: the rule once more, by recursion and by listing the folder."""
    uploads = {f"{DIGEST}/{path.name}" for path in (folder / DIGEST).iterdir() if path.is_file() and not path.is_symlink()}
    if isinstance(value, list):
        return all(is_allowed(part, folder) for part in value)
    if not isinstance(value, dict):
        return True
    if "path" in value:
        url = value.get("url")
        return value["path"] in uploads and (url is None or str(url).endswith(value["path"]))
    if value.get("meta") == META:
        return False
    return all(is_allowed(part, folder) for part in value.values())


def test_whatever_gradio_would_open_in_a_random_body_is_an_upload(folder: Path) -> None:
    source = random.Random(40)
    outside = str(folder.parents[1] / "secret.csv")
    names = [
        outside,
        f"{DIGEST}/link.csv",
        f"{DIGEST}/../a",
        "/dev/zero",
        f"{DIGEST}/c.csv",
        "a.csv",
        "",
        f"{folder}/{DIGEST}/a.csv",
    ]
    passed = files = 0
    for _ in range(2000):
        body = random_value(source, names)
        text = json.dumps(body)
        try:
            result = resolve_files(json.loads(text), folder.parents[1])
        except BodyRefused:
            assert not is_allowed(body, folder), text
            continue
        assert is_allowed(body, folder), text
        found: list[dict[str, Any]] = []
        client_utils.traverse(result, found.append, client_utils.is_file_obj)
        for data in found:
            path = Path(data["path"])
            assert (path.parent, path.is_symlink(), path.is_file()) == (folder.resolve() / DIGEST, False, True)
            assert set(data) == {"path", "orig_name", "size", "meta"}
        assert "/etc/passwd" not in [data["orig_name"] for data in found]
        passed, files = passed + 1, files + len(found)
    # neither answer was given to nearly all
    assert 300 < passed < 1700
    assert files > 300


def test_bodies_are_nested_as_deep_as_is_allowed_and_no_deeper(folder: Path) -> None:
    def nested(levels: int) -> Any:
        value: Any = {"path": f"{DIGEST}/a.csv"}
        for _ in range(levels):
            value = [value]
        return value

    resolve_files(nested(MAX_DEPTH), folder.parents[1])
    with pytest.raises(BodyRefused, match="nested"):
        resolve_files(nested(MAX_DEPTH + 1), folder.parents[1])


def test_gradio_never_gets_what_is_refused_and_gets_all_else_as_it_was_checked(folder: Path) -> None:
    received: list[Any] = []

    async def gradio(scope: Scope, receive: Receive, send: Send) -> None:
        message = await receive()
        headers = dict(scope["headers"])
        assert int(headers[b"content-length"]) == len(message["body"])
        received.append(json.loads(message["body"]))
        await JSONResponse("ok")(scope, receive, send)

    client = TestClient(UploadGuard(gradio, folder.parents[1]), "http://localhost")
    for path in ("/studio/gradio_api/queue/join", "/studio/gradio_api/run/predict"):
        assert client.post(path, json={"data": [{"path": "/dev/zero"}]}).json() == {"detail": NOT_UPLOADED}
        assert received == []
        # of two keys the last one counts, for us and for Gradio
        twice = f'{{"data": [{{"path": "{DIGEST}/a.csv", "path": "/dev/zero"}}]}}'
        assert client.post(path, content=twice).status_code == 400
        assert client.post(path, content=twice.encode("utf-16")).status_code == 400
        assert client.post(path, json={"data": ["é", float("1e300")]}).json() == "ok"
        assert received.pop() == {"data": ["é", 1e300]}
        client.post(path, json={"data": [{"path": f"{DIGEST}/a.csv", "is_stream": True}]})
        (data,) = received.pop()["data"]
        assert data == {"path": f"{folder.resolve()}/{DIGEST}/a.csv", "orig_name": "a.csv", "size": 1, "meta": META}
    below = TestClient(client.app, "http://localhost", root_path="/concord")
    refused = below.post("/concord/studio/gradio_api/queue/join", json={"data": [{"path": "/dev/zero"}]})
    assert (refused.status_code, received) == (400, [])


def test_a_sender_who_leaves_is_not_waited_for(folder: Path) -> None:
    parts: list[Message] = [{"type": "http.request", "body": b"{", "more_body": True}, {"type": "http.disconnect"}]

    async def receive() -> Message:
        return parts.pop(0)

    async def never(*_: Any) -> None:
        raise AssertionError

    scope = {"type": "http", "method": "POST", "path": "/studio/gradio_api/queue/join", "headers": []}
    asyncio.run(UploadGuard(never, folder)(scope, receive, never))
