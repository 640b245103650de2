"""Every earlier schema, with data in every table and column, becomes the newest one without losing any of it.

Beside each migration stands a file of rows (``migrating/NNNN.sql``): what its tables and columns are to hold when they are new.
``-- anew: TABLE`` says that a migration made a table anew, whose earlier rows are not of its shape. Whoever adds a migration
adds such a file: a table or a column without any row fails here.
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import duckdb
import pytest

from concord.judging import derive_source
from data.store.backup import backups
from data.store.backup.backups import backup_folder
from data.store.core import schema
from data.store.core.connections import DATABASE
from data.store.core.database_copy import PROJECTIONS
from data.store.core.schema import migration_files
from data.store.core.store import Store
from data.store.judgements import recording
from tests.ui.small_project import agreement

ROWS = Path(__file__).parent / "migrating"
VERSIONS = sorted(migration_files())
NEWEST = VERSIONS[-1]
EARLIER = VERSIONS[:-1]
MADE_OF_OTHERS = PROJECTIONS
CHANGED = {("runs", "state"): {"stopped": "paused"}}
"""What a migration says otherwise: table, column, and the word that takes another's place."""

Table = tuple[list[str], list[tuple[Any, ...]]]


@dataclass
class Statement:
    """One statement of a file of rows, and the table that it is about."""

    table: str
    sql: str


@dataclass
class Fixture:
    """What is put into a database of one schema."""

    statements: list[Statement] = field(default_factory=list)

    def add(self, text: str) -> None:
        for table in re.findall(r"^-- anew: (\w+)", text, re.MULTILINE):
            self.statements = [statement for statement in self.statements if statement.table != table]
        for sql in filter(str.strip, re.split(r";\n", re.sub(r"^--.*\n", "", text, flags=re.MULTILINE))):
            match = re.match(r"\s*(?:insert into|update) (\w+)", sql)
            self.statements.append(Statement(match[1] if match else "", sql))


def fixture(version: int) -> Fixture:
    made = Fixture()
    for step in (one for one in VERSIONS if one <= version):
        made.add((ROWS / f"{step:04d}.sql").read_text(encoding="utf-8"))
    return made


def build(path: Path, version: int) -> None:
    """A database as a Concord of that schema left it."""
    with duckdb.connect(str(path), config={"threads": 1}) as connection:
        fill(connection, version)


def fill(connection: duckdb.DuckDBPyConnection, version: int) -> None:
    """An empty database filled with what that schema has, in one transaction: there are many of these."""
    connection.execute("set TimeZone = 'UTC'")
    connection.begin()
    for step in (one for one in VERSIONS if one <= version):
        connection.execute(migration_files()[step].read_text(encoding="utf-8"))
    connection.execute("insert or replace into meta values ('schema_version', ?)", [str(version)])
    for statement in fixture(version).statements:
        connection.execute(statement.sql)
    connection.commit()


def content(cursor: duckdb.DuckDBPyConnection, without: Collection[str] = MADE_OF_OTHERS) -> dict[str, Table]:
    """All rows of all tables that hold something of their own."""
    results: dict[str, Table] = {}
    for name in schema.table_names(cursor):
        if name not in without and name != "meta":
            cursor.execute(f'select * from "{name}"')
            results[name] = [column[0] for column in cursor.description or ()], cursor.fetchall()
    return results


def as_before(after: Table, columns: list[str]) -> list[tuple[Any, ...]]:
    """Later rows, in earlier columns."""
    places = [after[0].index(column) for column in columns]
    return sorted((tuple(row[index] for index in places) for row in after[1]), key=repr)


def as_after(name: str, before: Table) -> list[tuple[Any, ...]]:
    """Earlier rows, in later words."""
    words = [CHANGED.get((name, column), {}) for column in before[0]]
    return sorted(
        (tuple(w.get(value, value) if w else value for w, value in zip(words, row, strict=True)) for row in before[1]), key=repr
    )


def look(path: Path) -> dict[str, Table]:
    with duckdb.connect(str(path), read_only=True, config={"threads": 1}) as connection:
        connection.execute("set TimeZone = 'UTC'")
        return content(connection)


Told = dict[str, Any]


def numbers(project: Path) -> Told:
    return agreement(project, "--suite", "geneval", "--aspect", "correct", "--people-as", "each")


@pytest.fixture(scope="module")
def newest(tmp_path_factory: pytest.TempPathFactory) -> Told:
    """The numbers of a project that was of the newest schema from the first."""
    project = tmp_path_factory.mktemp("newest")
    build(project / DATABASE, NEWEST)
    with duckdb.connect(str(project / DATABASE)) as connection:
        # what was wrong on purpose is as a migration would mark it
        connection.execute("insert into stale values (null)")
    return numbers(project)


def whole(store: Store) -> Iterator[str]:
    """What is wrong with a project that was opened; nothing, if all is well."""
    with store.read() as cursor:
        if cursor.execute("select count(*) from stale").fetchone() != (0,):
            yield "wide rows are stale"
        for sql in (
            "select item_id from browse except select item_id from items",
            "select item_id from items except select item_id from browse",
        ):
            if rows := cursor.execute(sql).fetchall():
                yield f"wide rows of other items: {rows}"


def kept(before: dict[str, Table], project: Path) -> None:
    """Every row of before is there, in every column."""
    with Store(project) as store:
        assert list(whole(store)) == []
        with store.read() as cursor:
            after = content(cursor)
            secret = cursor.execute("select value from meta where key = 'secret'").fetchall()
    assert secret == [("00112233445566778899aabbccddeeff" * 2,)]
    for name, was in before.items():
        assert as_before(after[name], was[0]) == as_after(name, was), name


def test_every_migration_has_its_rows() -> None:
    assert sorted(path.name for path in ROWS.glob("*.sql")) == [f"{version:04d}.sql" for version in VERSIONS]


def unfilled(tables: dict[str, Table]) -> list[str]:
    """Columns in which no row has anything: a migration was added without rows."""
    return [
        f"{name}.{column}"
        for name, (columns, results) in tables.items()
        for index, column in enumerate(columns)
        # whose one row's null means everything
        if name != "stale" and all(row[index] is None for row in results)
    ]


def test_every_table_and_column_of_the_newest_schema_is_filled() -> None:
    with duckdb.connect() as connection:
        fill(connection, NEWEST)
        assert unfilled(content(connection, ())) == []
        # the test can fail
        connection.execute("create table another (a integer)")
        connection.execute("alter table notes add column more varchar")
        assert unfilled(content(connection, ())) == ["another.a", "notes.more"]


@pytest.mark.parametrize(
    "version", [EARLIER[0], EARLIER[-1], *(pytest.param(version, marks=pytest.mark.slow) for version in EARLIER[1:-1])]
)
def test_all_is_kept_and_counts_the_same(tmp_path: Path, newest: Told, version: int) -> None:
    build(tmp_path / DATABASE, version)
    before = look(tmp_path / DATABASE)
    assert unfilled(before) == []
    kept(before, tmp_path)
    (made,) = backups.list_backups(backup_folder(tmp_path))
    assert made.name.endswith(f"-before-schema-{NEWEST:02d}")
    backups.check_backup(made)
    assert look(made.database) == before
    # the same judgements give the same numbers, and follow from the same sources
    fields = numbers(tmp_path)
    # a scorer that only later schemas have runs of is unknown to the first
    known = set(as_before(before["raters"], ["rater_id"]))
    assert fields == newest | {"raters": [row for row in newest["raters"] if (row["rater"],) in known]}
    (share,) = [
        row["value"] for row in fields["among_people"]
        if (row["task"], row["generator"], row["statistic"]) == ("all", "all", "percent_agreement")
    ]  # fmt: skip
    assert share == pytest.approx(2 / 3)
    with Store(tmp_path) as store:
        requested = (
            "select item_id, rater_id, aspect, target, label, value, source_id, rule_version, seq from judgements order by all"
        )
        with store.read() as cursor:
            was = cursor.execute(requested).fetchall()
        assert recording.rebuild(store, derive_source) == len(was) >= 8
        with store.read() as cursor:
            assert cursor.execute(requested).fetchall() == was
            # numbers go on after the last one
            n = cursor.execute("select nextval('statement_seq'), (select max(seq) from annotations)").fetchone()
    assert n is not None
    assert n[0] > n[1]


KILLED = """
import os, sys
from pathlib import Path
import data.store.core.store as store

class Killing:
    def __init__(self, connection): self.connection = connection
    def __getattr__(self, name): return getattr(self.connection, name)
    def execute(self, sql, parameters=None):
        # all of a step is done, and not yet committed
        if parameters == [sys.argv[2]] and sql.startswith("insert or replace into meta"):
            os.kill(os.getpid(), 9)
        return self.connection.execute(sql, parameters or [])

migrate = store.migrate
store.migrate = lambda connection: migrate(Killing(connection))
store.Store(Path(sys.argv[1]))
"""


@pytest.mark.parametrize(
    ("version", "at"),
    [(EARLIER[-1], NEWEST), *(pytest.param(*steps_, marks=pytest.mark.slow) for steps_ in ((1, 2), (1, 11), (10, 15)))],
)
def test_killed_in_the_middle(tmp_path: Path, version: int, at: int) -> None:
    build(tmp_path / DATABASE, version)
    before = look(tmp_path / DATABASE)
    done = subprocess.run([sys.executable, "-c", KILLED, str(tmp_path), str(at)], timeout=60)
    assert done.returncode == -9
    with duckdb.connect(str(tmp_path / DATABASE)) as connection:
        assert schema.schema_version(connection) == max(one for one in VERSIONS if one < at)
    kept(before, tmp_path)
    first = backups.list_backups(backup_folder(tmp_path))[0]
    assert look(first.database) == before


def test_what_somebody_held_or_had_begun_counts_as_given(tmp_path: Path) -> None:
    project = tmp_path / "project"
    project.mkdir()
    build(project / DATABASE, 21)
    with duckdb.connect(str(project / DATABASE)) as connection:
        connection.execute("insert into claims values ('pilot', 'a', 'ann', '2026-01-05 10:00:00+00', 0)")
        connection.execute("insert into drafts values ('pilot', 'bob', 'b', '{}', '2026-01-05 10:00:00+00')")
    with Store(project) as store:
        given = store.query("select rater_id, item_id from offers where campaign_id <> 'default' order by 1")
    assert [tuple(row.values()) for row in given] == [("ann", "a"), ("bob", "b")]
