"""Whatever SQL may be made to say: it reaches no file, fetches nothing, and changes no setting."""

from __future__ import annotations

import ast
import stat
from pathlib import Path
from typing import Any

import duckdb
import pytest

from data.store.backup import backups, snapshot
from data.store.core import connections
from data.store.core.connections import DATABASE
from data.store.core.store import Store

ROOT = Path(__file__).resolve().parents[4]
SECRET = "the neighbour's secret"
REACHING = (
    "select * from read_csv('{file}')", "select * from '{file}'", "select * from read_text('{file}')",
    "select * from read_blob('{file}')", "select * from read_json('{file}')", "select * from glob('{folder}/*')",
    "select * from read_parquet('{file}')", "copy (select 1) to '{folder}/out.csv'", "copy meta to '{folder}/out.csv'",
    "copy meta from '{file}'", "attach '{folder}/other.duckdb'", "export database '{folder}/all'", "import database '{folder}'",
    "create view v as select * from read_csv('{file}')", "select * from read_text('https://example.org')",
)  # fmt: skip
LOADING = (
    "install httpfs",
    "load httpfs",
    "load '{folder}/x.duckdb_extension'",
    "install x from '{folder}'",
    "update extensions",
)
SETTING = (
    "set enable_external_access = true", "set lock_configuration = false", "set memory_limit = '99GB'", "set threads = 64",
    "set temp_directory = '{folder}'", "set python_enable_replacements = true", "set autoinstall_known_extensions = true",
    "set autoload_known_extensions = true", "set allow_unsigned_extensions = true", "set allowed_directories = ['/']",
    "pragma memory_limit = '99GB'", "reset memory_limit", "set log_query_path = '{folder}/log'",
    "pragma profiling_output = '{folder}/profile'", "set home_directory = '{folder}'", "create persistent secret s (type s3)",
)  # fmt: skip


@pytest.fixture
def outside(tmp_path: Path) -> Path:
    """A folder that is none of the project's, with a file."""
    folder = tmp_path / "neighbour"
    folder.mkdir()
    (folder / "secret.csv").write_text(f"secret\n{SECRET}\n")
    return folder


def refused(connection: duckdb.DuckDBPyConnection, sql: str, outside: Path) -> None:
    before = {path: path.stat().st_mtime_ns for path in outside.rglob("*")}
    with pytest.raises(duckdb.Error) as caught:
        connection.execute(sql.format(file=outside / "secret.csv", folder=outside)).fetchall()
    assert SECRET not in str(caught.value)
    assert {path: path.stat().st_mtime_ns for path in outside.rglob("*")} == before


@pytest.mark.parametrize("kind", ["the project", "a snapshot", "a copy in memory"])
def test_no_file_no_extension_no_setting(tmp_path: Path, outside: Path, kind: str) -> None:
    with Store(tmp_path / "project") as store:
        if kind == "the project":
            with store.read() as cursor:
                for sql in (*REACHING, *LOADING, *SETTING):
                    refused(cursor, sql, outside)
            store.rewrite()
            with store.read() as cursor:
                for sql in (*REACHING, *LOADING, *SETTING):
                    refused(cursor, sql, outside)
            return
        snapshot.write(store, tmp_path / "snap.duckdb")
    path = tmp_path / "snap.duckdb" if kind == "a snapshot" else None
    with connections.connect(path, read_only=path is not None) as connection:
        for sql in (*REACHING, *LOADING, *SETTING):
            refused(connection, sql, outside)


def test_a_python_variable_is_no_table(tmp_path: Path) -> None:
    hidden = [1, 2, 3]
    with Store(tmp_path / "project") as store, store.read() as cursor, pytest.raises(duckdb.CatalogException):
        cursor.execute("select * from hidden")
    assert hidden


def test_a_database_that_somebody_handed_on_reads_nothing_of_ours(tmp_path: Path, outside: Path) -> None:
    # a table of the schema is a view that reads a file of whoever opens it
    trap = tmp_path / "project" / DATABASE
    trap.parent.mkdir()
    with duckdb.connect(str(trap)) as connection:
        connection.execute("create table real_meta (key varchar primary key, value varchar)")
        connection.execute(f"create view meta as select secret as key, secret as value from read_csv('{outside}/secret.csv')")
    with pytest.raises(Exception, match=r"."), Store(trap.parent):
        pass
    with connections.connect(trap, read_only=True) as connection:
        refused(connection, "select * from meta", outside)


def test_every_database_is_opened_in_one_place() -> None:
    results = []
    for path in [
        ROOT / "app.py",
        *(p for name in ("ui", "data", "scorers", "annotation") for p in (ROOT / name).rglob("*.py")),
    ]:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            called = ast.unparse(node.func) if isinstance(node, ast.Call) else ""
            if called.endswith("duckdb.connect") or called == "sqlite3.connect":
                results.append(path.relative_to(ROOT).as_posix())
    assert results == ["data/store/core/connections.py"]


def test_memory_and_disk_have_limits(tmp_path: Path) -> None:
    def said(cursor: duckdb.DuckDBPyConnection) -> dict[str, Any]:
        names = "'memory_limit', 'max_temp_directory_size', 'temp_directory', 'threads'"
        return dict(cursor.execute(f"select name, value from duckdb_settings() where name in ({names})").fetchall())

    with Store(tmp_path / "project") as store, store.read() as cursor:
        fields = said(cursor)
        assert fields["temp_directory"] == str(store.project / "cache" / "duckdb")
        assert (fields["memory_limit"], fields["max_temp_directory_size"], fields["threads"]) == ("3.7 GiB", "14.9 GiB", "2")


def test_a_new_project_is_for_its_owner_alone(tmp_path: Path) -> None:
    def mode(path: Path) -> int:
        return stat.S_IMODE(path.stat().st_mode)

    with Store(tmp_path / "project") as store:
        assert (mode(store.project), mode(store.project / DATABASE)) == (0o700, 0o600)
        store.rewrite()
        assert mode(store.project / DATABASE) == 0o600
        assert all(mode(path) & 0o077 == 0 for path in backups.backup_folder(store.project).rglob("*"))
    # what somebody shares on purpose stays as it is
    (tmp_path / "project" / DATABASE).chmod(0o660)
    (tmp_path / "project").chmod(0o770)
    with Store(tmp_path / "project") as store:
        store.rewrite()
        assert (mode(store.project), mode(store.project / DATABASE)) == (0o770, 0o660)
