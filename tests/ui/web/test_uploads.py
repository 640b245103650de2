"""Files that came by an upload do not stay for ever."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from fastapi.testclient import TestClient

from concord.importing.upload_folders import UPLOAD_AGE
from data.store.core.store import Store
from tests.ui.http_visitor import TOKEN
from ui.web import upload_guard
from ui.web.server import create_app

FILE = {"files": ("known.json", b"[]", "application/json")}


def uploads(store: Store) -> list[Path]:
    return [path for name in ("gradio", "uploads") for path in (store.project / "cache" / name).rglob("*") if path.is_file()]


def unpack(store: Store) -> None:
    """Leave in the project what an import does that was not confirmed."""
    folder = store.project / "cache" / "uploads" / "a"
    folder.mkdir(parents=True)
    (folder / "images.csv").write_text("path,prompt")


def opened(store: Store) -> TestClient:
    return TestClient(create_app(store, TOKEN), base_url="http://localhost", client=("127.0.0.1", 1))


def test_they_go_when_the_app_is_closed_and_what_a_killed_one_left_when_it_is_opened(tmp_path: Path) -> None:
    with Store(tmp_path / "project") as store:
        with opened(store) as client:
            client.post("/studio/gradio_api/upload", files=FILE).raise_for_status()
            (path,) = uploads(store)
            assert path.read_bytes() == b"[]"
        assert uploads(store) == []
        killed = opened(store)
        killed.post("/studio/gradio_api/upload", files=FILE).raise_for_status()
        unpack(store)
        assert len(uploads(store)) == 2
        with opened(store) as client:
            assert uploads(store) == []
            client.post("/studio/gradio_api/upload", files=FILE).raise_for_status()


def test_they_go_while_it_is_open_when_they_are_old(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert 0 < upload_guard.CLEANING_SECONDS <= UPLOAD_AGE
    monkeypatch.setattr(upload_guard, "CLEANING_SECONDS", 0.2)
    monkeypatch.setattr(upload_guard, "UPLOAD_AGE", 1)
    with Store(tmp_path / "project") as store, opened(store) as client:
        client.post("/studio/gradio_api/upload", files=FILE).raise_for_status()
        unpack(store)
        assert len(uploads(store)) == 2
        deadline = time.monotonic() + 20
        while uploads(store):
            assert time.monotonic() < deadline
            time.sleep(0.05)
