from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from data.store.core.store import Store


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store(tmp_path / "project") as opened:
        yield opened
