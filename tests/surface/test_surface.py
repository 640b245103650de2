"""The public surface stays as it is recorded: what people and scripts outside rely on changes on purpose only."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.surface import record


@pytest.mark.slow
def test_the_surface_is_as_recorded(tmp_path: Path) -> None:
    if changes := record.differences(record.read(), record.surface(tmp_path)):
        pytest.fail(f"the public surface has changed:\n{changes}\nif that is meant: {record.COMMAND}", pytrace=False)


def test_every_command_that_prints_json_is_looked_at() -> None:
    assert record.printing_json() == set(record.PRINTED) | record.NOT_RUN
