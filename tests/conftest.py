from __future__ import annotations

from collections.abc import Sequence

import pytest


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: Sequence[pytest.Item]) -> None:
    """With several workers (``-n 2``) a file stays with one, and the browser's tests together: they share their servers."""
    for item in items:
        group = "browser" if item.get_closest_marker("e2e") else item.path.as_posix()
        item.add_marker(pytest.mark.xdist_group(group))
