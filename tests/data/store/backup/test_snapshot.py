"""The snapshot: one state of the project, described column by column, without what must not leave it."""

from __future__ import annotations

import stat
from pathlib import Path
from typing import Any

import duckdb
import pytest

from data.people import person_pseudonym
from data.store.backup import snapshot
from data.store.core.schema import LEFT_OUT, SCHEMA
from data.store.core.store import Store
from data.store.judgements import recording
from tests.ui import answers_project
from tests.ui.small_project import concord, done


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return answers_project.project(tmp_path_factory.mktemp("whole") / "project")


def ask(path: Path, sql: str) -> list[tuple[Any, ...]]:
    with duckdb.connect(str(path), read_only=True) as connection:
        return connection.execute(sql).fetchall()


def test_every_table_and_column_is_described_or_left_out_for_a_reason(tmp_path: Path) -> None:
    """Whoever adds a table or a column decides whether it may leave the project."""
    with Store(tmp_path) as store, store.read() as cursor:
        # views hold nothing of their own
        requested = (
            "select table_name, column_name from duckdb_columns() where table_name in (select table_name from duckdb_tables())"
        )
        rows = cursor.execute(requested).fetchall()
    tables: dict[str, set[str]] = {}
    for table, column in rows:
        tables.setdefault(table, set()).add(column)
    assert {name: set(table.columns) for name, table in SCHEMA.items()} == {n: c for n, c in tables.items() if n in SCHEMA}
    assert set(tables) == {*SCHEMA, *LEFT_OUT}
    assert not {*SCHEMA} & {*LEFT_OUT}
    assert all(LEFT_OUT.values())
    assert all(column.text and (column.kept or column.why) for table in SCHEMA.values() for column in table.columns.values())


def test_it_holds_what_the_project_holds(world: Path, tmp_path: Path) -> None:
    file = tmp_path / "copy.duckdb"
    said = done(world, "export", "snapshot", "-o", file)
    assert f"tables in {file}; the table about_columns says what they are\n" in said
    assert not stat.S_IMODE(file.stat().st_mode) & 0o222
    with Store(world) as store, store.read() as cursor:
        for table in SCHEMA:
            n = cursor.execute(f"select count(*) from {table}").fetchall()
            assert ask(file, f"select count(*) from {table}") == n, table
        query = "select item_id, rater_id, aspect, target, label, value, seq from judgements order by all"
        assert ask(file, query) == cursor.execute(query).fetchall()
        query = "select annotation_id, rater_id, answers, started, submitted, active_seconds from annotations order by all"
        assert ask(file, query) == cursor.execute(query).fetchall()
    described = {(table, column) for table, column in ask(file, "select table_name, column_name from about_columns")}
    there = ask(file, "select table_name, column_name from duckdb_columns() where schema_name = 'main' and not internal")
    assert {one for one in described if one[1] is not None} == set(there)
    assert {table for table, column in described if column is None} == {table for table, _ in there}
    assert ask(file, "select value from about where name = 'people'") == [("names",)]


def test_what_must_not_leave_is_not_in_its_bytes(world: Path, tmp_path: Path) -> None:
    file = tmp_path / "copy.duckdb"
    done(world, "export", "snapshot", "-o", file, "--people", "pseudonyms")
    with Store(world) as store:
        secret = store.secret
        with store.read() as cursor:
            public = cursor.execute("select public_id from items limit 1").fetchall()[0][0]
    tables = {row[0] for row in ask(file, "select table_name from duckdb_tables()")}
    assert tables == {*SCHEMA, "about", "about_columns"}
    content = file.read_bytes()
    for text in (secret, public, "/nowhere/", "calc", "neill", "A1WORKERID", '"cups":2}'):
        assert text.encode() not in content, text
    names = {row[0] for row in ask(file, "select rater_id from raters where kind = 'human'")}
    people = {person_pseudonym(secret, name) for name in answers_project.NAMES}
    assert names == people | {"simulated =Ben", "slot 1"}
    assert {row[0] for row in ask(file, "select distinct rater_id from judgements")} <= names | {"=clip", "geneval"}
    assert ask(file, "select count(*) from raters r join annotations a using (rater_id)") == ask(
        file, "select count(*) from annotations"
    )


def test_what_is_written_meanwhile_is_not_in_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The tables are of one state, though somebody answers between the first and the last."""
    copy = snapshot._copy_table
    with Store(tmp_path / "project") as store:
        answers_project.fill(store)
        with store.read() as cursor:
            before = cursor.execute("select count(*) from annotations").fetchall()

        def slowly(*values: Any) -> int:
            if values[2] in ("items", "annotations"):
                item = answers_project.images()[3].image_id
                recording.submit(
                    store, answers_project.answer(store, item, f"late {values[2]}", "geneval", answers_project.COUNTED)
                )
            return copy(*values)

        monkeypatch.setattr(snapshot, "_copy_table", slowly)
        snapshot.write(store, tmp_path / "copy.duckdb")
        with store.read() as cursor:
            after = cursor.execute("select count(*) from annotations").fetchall()
    assert after[0][0] == before[0][0] + 2
    assert ask(tmp_path / "copy.duckdb", "select count(*) from annotations") == before
    assert ask(tmp_path / "copy.duckdb", "select count(*) from raters where rater_id like 'late%'") == [(0,)]


def test_a_bad_name_is_refused_and_leaves_nothing(world: Path, tmp_path: Path) -> None:
    ran = concord(world, "export", "snapshot", "-o", tmp_path / "copy.db")
    assert (ran.status, "name it FILE.duckdb" in ran.err) == (2, True)
    ran = concord(world, "export", "snapshot", "-o", world / "concord.duckdb")
    assert (ran.status, "is the project's own database" in ran.err) == (2, True)
    ran = concord(world, "export", "snapshot", "-o", tmp_path / "no" / "copy.duckdb")
    assert (ran.status, "cannot be written: No such file or directory" in ran.err) == (1, True)
    assert list(tmp_path.iterdir()) == []
