"""Tables as people have them are read as they are meant, or refused; those that could not mean two things are read."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from data.store.core.store import Store
from tests.fuzz import peoples_tables
from tests.fuzz.peoples_tables import draw_table, run_tables

TABLES = 200


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store(tmp_path / "project") as opened:
        yield opened


def test_tables_are_never_read_wrongly_and_clear_ones_are_read(store: Store, tmp_path: Path) -> None:
    tally = run_tables(store, range(TABLES), tmp_path)
    assert tally.wrong == []
    assert tally.unambiguous >= 0.6 * TABLES
    assert tally.read_unambiguous >= 0.85 * tally.unambiguous
    assert sum(tally.refused.values()) == TABLES - tally.read > 0


def test_a_table_that_is_read_wrongly_is_noticed(store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def with_another_truth(seed: int) -> peoples_tables.PeoplesTable:
        table = draw_table(seed)
        key = next(iter(table.truth))
        return replace(table, truth={**table.truth, key: "something else"})

    monkeypatch.setattr(peoples_tables, "draw_table", with_another_truth)
    tally = run_tables(store, range(20), tmp_path)
    assert len(tally.wrong) == tally.read > 5
    assert "something else" in tally.wrong[0]


def test_a_number_is_always_the_same_table() -> None:
    assert [draw_table(seed) for seed in range(20)] == [draw_table(seed) for seed in range(20)]
