"""A database that takes a project's place holds what was there and goes on counting; one that fails changes nothing."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import duckdb
import pytest

from data.store.core import rows, store
from data.store.core.connections import DATABASE
from data.store.core.database_copy import copy_database, database_contents, read_contents
from data.store.core.store import Store, StoreError
from tests.data.store.small_project import fill, submit


@pytest.fixture
def project(tmp_path: Path) -> Path:
    with Store(tmp_path / "project") as opened:
        for image in fill(opened, 3):
            submit(opened, image)
    return tmp_path / "project"


def test_a_rewritten_project_holds_the_same_and_gives_no_number_twice(project: Path) -> None:
    with Store(project) as opened:
        with opened.read() as cursor:
            before = database_contents(cursor)
        given = opened.change(lambda connection: rows.value(connection, "select nextval('statement_seq')"))
        opened.rewrite()
        with opened.read() as cursor:
            assert database_contents(cursor) == before
        assert opened.change(lambda connection: rows.value(connection, "select nextval('statement_seq')")) > given


def test_a_copy_that_fails_leaves_the_project_as_it_was(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(_: Any, path: Path) -> None:
        path.write_bytes(b"half")
        raise OSError(28, "No space left on device")

    with Store(project) as opened:
        with opened.read() as cursor:
            before = database_contents(cursor)
        monkeypatch.setattr(store, "copy_database", full)
        with pytest.raises(StoreError, match=r"cannot be rewritten.*No space left on device"):
            opened.rewrite()
        assert not (project / DATABASE).with_suffix(".new").exists()
        with opened.read() as cursor:
            assert database_contents(cursor) == before
        submit(opened, opened.query_column("select item_id from items order by 1")[0], "afterwards")


def test_what_was_deleted_is_not_copied(tmp_path: Path) -> None:
    secret = "a sentence that nobody may find again"
    with duckdb.connect(str(tmp_path / "old")) as connection:
        connection.execute("create table notes (text varchar)")
        connection.execute("insert into notes select ? || n from range(1000) r(n)", [secret])
        connection.execute("checkpoint")
        connection.execute("delete from notes")
        connection.execute("insert into notes values ('kept')")
        assert secret.encode() in (tmp_path / "old").read_bytes()
        held = copy_database(connection, tmp_path / "new")
    assert held == read_contents(tmp_path / "new")
    assert held.tables["notes"].rows == 1
    assert secret.encode() not in (tmp_path / "new").read_bytes()
