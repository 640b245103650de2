"""A visitor's browser, as far as HTTP goes."""

from __future__ import annotations

import shutil
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fastapi import FastAPI
from starlette.testclient import TestClient

from data.store.core.store import Store
from tests.ui import small_project
from ui.web.server import create_app

TOKEN = "a token"
COW = {"objects": "a cow", "count_0": 1, "color_0": ["black"], "realism_0": 3, "caption_fit": 4}


@dataclass(frozen=True)
class World:
    """An open app, and the folder of its images."""

    store: Store
    app: FastAPI
    folder: Path

    def client(self, address: str = "127.0.0.1", base_url: str = "http://127.0.0.1") -> TestClient:
        return TestClient(self.app, base_url, client=(address, 1234), raise_server_exceptions=False, follow_redirects=False)

    def person(self, name: str = "ann") -> TestClient:
        """A visitor who has given this name."""
        client = self.client()
        assert client.post("/api/name", json={"name": name}).json() == {"name": name}
        return client

    def column(self, sql: str) -> list[Any]:
        with self.store.read() as cursor:
            return [row[0] for row in cursor.execute(sql).fetchall()]


def make_project(folder: Path) -> Path:
    """Fill a folder with ``project`` and ``sdv2`` (its four images of two prompts) by the commands: a template to copy."""
    images = small_project.geneval_folder(folder / "sdv2")
    small_project.done(folder / "project", "import", "images", images, "--layout", "geneval", "--generator", "sdv2")
    ratings = small_project.ratings_csv(folder / "r.csv", "geneval/00000/sdv2/0,rita,5")
    small_project.done(folder / "project", "import", "ratings", ratings, *small_project.RATINGS, "--suite", "geneval")
    return folder


@contextmanager
def open_world(template: Path, folder: Path, *, pages: bool = False) -> Iterator[World]:
    """The app over a copy of a template in this folder; with ``pages`` Gradio's are mounted, which takes a second."""
    shutil.copytree(template, folder, dirs_exist_ok=True)
    with Store(folder / "project") as store:
        with store.read() as cursor:
            cursor.execute("update images set path = replace(path, ?, ?)", [str(template), str(folder)])
        yield World(store, create_app(store, TOKEN, pages=pages), folder / "sdv2")


def first(client: TestClient) -> dict[str, Any]:
    """The task before this person."""
    task: dict[str, Any] = client.get("/api/next").json()["tasks"][0]
    return task


def saying(ticket: str, **other: Any) -> dict[str, Any]:
    return {"id": str(uuid.uuid4()), "ticket": ticket, "answers": COW} | other
