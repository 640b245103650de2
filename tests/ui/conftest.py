from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.ui.visiting import World, make_project, open_world


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return tmp_path / "project"


@pytest.fixture(scope="session")
def _world_template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_project(tmp_path_factory.mktemp("world_template"))


@pytest.fixture
def world(_world_template: Path, tmp_path: Path) -> Iterator[World]:
    """The routes, without Gradio's pages, over four images of two prompts and one study rating.

    Whatever fails inside is an answer with 500.
    """
    with open_world(_world_template, tmp_path) as made:
        yield made


@pytest.fixture(scope="module")
def standing_world(_world_template: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    """The same with pages, for all tests of a file, which never runs out of tasks: for those that leave nothing for others to
    trip over."""
    with open_world(_world_template, tmp_path_factory.mktemp("world"), pages=True) as made:
        with made.store.read() as cursor:
            cursor.execute("insert into campaigns (campaign_id, overlap, created) values ('default', 1000, current_timestamp)")
        yield made
