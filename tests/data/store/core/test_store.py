"""Opening a project: fresh, again, of another age, in other hands, or none at all."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import duckdb
import pytest

from data.store.core.connections import DATABASE
from data.store.core.schema import MIGRATIONS, SchemaTooNew, migrate
from data.store.core.store import Store, StoreBusy, StoreError
from tests.data.store.small_project import column, content, fill, submit

NEWEST = max(int(file.name.split("_")[0]) for file in MIGRATIONS.glob("*.sql"))
HOLD = """
import duckdb, sys
connection = duckdb.connect(sys.argv[1])
print("held", flush=True)
sys.stdin.read()
"""


def test_fresh_and_again(tmp_path: Path) -> None:
    with Store(tmp_path / "a" / "b") as store:
        assert column(store, "select value from meta where key = 'schema_version'") == [str(NEWEST)]
        (item, *_) = fill(store)
        submit(store, item)
        secret, before = store.secret, content(store)
    with Store(tmp_path / "a" / "b") as store:
        assert (store.secret, content(store)) == (secret, before)
        assert before["annotations"]


def test_migrating_twice_changes_nothing() -> None:
    connection = duckdb.connect(":memory:")
    assert migrate(connection) == migrate(connection) == NEWEST


def test_a_newer_schema_is_refused(tmp_path: Path) -> None:
    Store(tmp_path).close()
    with duckdb.connect(str(tmp_path / DATABASE)) as connection:
        connection.execute("update meta set value = '999' where key = 'schema_version'")
        with pytest.raises(SchemaTooNew):
            migrate(connection)
    with pytest.raises(StoreError) as caught:
        Store(tmp_path)
    assert str(caught.value) == f"the project has schema 999, this version supports {NEWEST}: update Concord to open it"


@pytest.mark.parametrize("folder", ["plain", "blocks and locks"])
def test_not_a_database(tmp_path: Path, folder: str) -> None:
    path = tmp_path / folder / DATABASE
    path.parent.mkdir()
    path.write_bytes(b"no database at all " * 1000)
    with pytest.raises(StoreError) as caught:
        Store(path.parent)
    assert str(path) in str(caught.value)
    assert "\n" not in str(caught.value)


def test_somebody_elses_database(tmp_path: Path) -> None:
    with duckdb.connect(str(tmp_path / DATABASE)) as connection:
        connection.execute("create table meta (something_else integer)")
    with pytest.raises(StoreError, match="is not a Concord project"):
        Store(tmp_path)


def test_the_folder_is_a_file(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(StoreError, match="cannot be created"):
        Store(tmp_path / "file")


def test_another_process_is_named(tmp_path: Path) -> None:
    Store(tmp_path).close()
    command = [sys.executable, "-c", HOLD, str(tmp_path / DATABASE)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as holder:
        assert holder.stdout
        assert holder.stdout.readline() == "held\n"
        with pytest.raises(StoreBusy, match=rf"is open in process {holder.pid};"):
            Store(tmp_path)
        holder.communicate("")
    Store(tmp_path).close()


def test_data_cannot_reach_files(store: Store, tmp_path: Path) -> None:
    (tmp_path / "secret.csv").write_text("a\n1\n")
    with store.read() as cursor:
        with pytest.raises(duckdb.PermissionException):
            cursor.execute(f"select * from read_csv('{tmp_path / 'secret.csv'}')")
        with pytest.raises(duckdb.Error, match="locked"):
            cursor.execute("set enable_external_access = true")


def test_a_file_of_which_a_part_is_missing_names_the_way_back(store: Store) -> None:
    unreadable = store.why_unreadable(duckdb.IOException("IO Error: Could not read enough bytes from file"))
    assert unreadable is not None
    assert f"{store.project / DATABASE} is not a Concord project, or is damaged: " in unreadable
    assert "`restore`" in unreadable
    assert store.why_unreadable(ValueError("Could not read the options")) is None
    # a folder's name is no reason
    assert store.why_unreadable(duckdb.IOException('IO Error: Could not write file "/threads/concord.duckdb"')) is None
