"""What is computed of a project is kept for as long as its version stays, as pages see it."""

from __future__ import annotations

from typing import cast

import pytest

from concord.common import live_updates
from data.store.core.store import Store


class Project:
    version = "1"


@pytest.fixture
def project() -> Project:
    return Project()


def test_without_an_app_pages_see_the_project_as_it_is(project: Project) -> None:
    store = cast("Store", project)
    assert live_updates.version(store) == "1"
    project.version = "2"
    assert live_updates.version(store) == "2"


def test_a_result_is_computed_once_until_the_project_changes(project: Project) -> None:
    calls: list[tuple[int, int]] = []

    @live_updates.cached(maxsize=4)
    def total(_: Store, a: int, b: int = 2) -> int:
        calls.append((a, b))
        return a + b

    store = cast("Store", project)
    assert [total(store, 1), total(store, 1, 2), total(store, a=1, b=2), total(store, 5)] == [3, 3, 3, 7]
    assert calls == [(1, 2), (5, 2)]
    project.version = "2"
    assert (total(store, 1), calls[2:]) == (3, [(1, 2)])
