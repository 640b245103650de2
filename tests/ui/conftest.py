from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from data.store.store import Store
from tests.ui import making
from tests.ui.visiting import TOKEN, World
from ui.server import create_app


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return tmp_path / "project"


@contextmanager
def opened(folder: Path) -> Iterator[World]:
    project = folder / "project"
    images = making.geneval_folder(folder / "sdv2")
    making.done(project, "import", "images", images, "--layout", "geneval", "--generator", "sdv2")
    ratings = making.ratings_csv(folder / "r.csv", "geneval/00000/sdv2/0,rita,5")
    making.done(project, "import", "ratings", ratings, *making.RATINGS, "--suite", "geneval")
    with Store(project) as store:
        yield World(store, create_app(store, TOKEN), images)


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    """The app over four images of two prompts, and one study rating; whatever fails inside is an answer with 500."""
    with opened(tmp_path) as made:
        yield made


@pytest.fixture(scope="module")
def standing_world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    """The same for all tests of a file, which never runs out of tasks: for those that leave nothing for others to trip over."""
    with opened(tmp_path_factory.mktemp("world")) as made:
        with made.store.read() as cursor:
            cursor.execute("insert into campaigns (campaign_id, overlap, created) values ('default', 1000, current_timestamp)")
        yield made
