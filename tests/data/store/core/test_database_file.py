"""A database that is not where it was opened, or holds less than was acknowledged: said, and nothing more is acknowledged."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from data.store.backup import backups, restoring
from data.store.core.connections import DATABASE, NotWritten, wal_file
from data.store.core.database_file import NUMBER_FILE
from data.store.core.store import DatabaseMissing, Store, StoreError
from tests.data.store.small_project import column, fill, submit

ROOT = Path(__file__).resolve().parents[4]
KILLED = """
import os, signal, sys
from pathlib import Path
sys.path[:0] = [sys.argv[2]]
from data.store.core.store import Store
from tests.data.store.small_project import fill, submit
store = Store(Path(sys.argv[1]))
items = fill(store, 10)
store.change(lambda connection: None)
if sys.argv[3] == "checkpoint":
    with store.read() as cursor:
        cursor.execute("checkpoint")
for item in items:
    submit(store, item)
os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.fixture
def store(project: Path) -> Iterator[Store]:
    with Store(project) as opened:
        yield opened


def answers(store: Store) -> set[str]:
    return set(column(store, "select annotation_id from annotations"))


def after_a_kill(project: Path, folder: Path) -> set[str]:
    """The answers that somebody finds who opens the files that have a name now."""
    folder.mkdir()
    for path in (project / DATABASE, wal_file(project / DATABASE)):
        if path.exists():
            shutil.copyfile(path, folder / path.name)
    with Store(folder) as store:
        return answers(store)


def deleted(project: Path) -> Callable[[], Any]:
    kept = project.parent / "kept"
    os.link(project / DATABASE, kept)
    (project / DATABASE).unlink()
    return lambda: kept.rename(project / DATABASE)


def replaced(project: Path) -> Callable[[], Any]:
    kept = project.parent / "kept"
    (project / DATABASE).rename(kept)
    shutil.copyfile(kept, project / DATABASE)
    return lambda: kept.rename(project / DATABASE)


def moved(project: Path) -> Callable[[], Any]:
    elsewhere = project.parent / "elsewhere"
    project.rename(elsewhere)
    return lambda: elsewhere.rename(project)


@pytest.mark.parametrize(
    ("harm", "why"), [(deleted, "no longer in its place"), (replaced, "another file"), (moved, "no longer in its place")]
)
def test_nothing_is_acknowledged_that_is_not_in_the_projects_file(
    store: Store, tmp_path: Path, harm: Callable[[Path], Callable[[], Any]], why: str
) -> None:
    items = fill(store, 3)
    acknowledged = {submit(store, items[0]).annotation_id}
    put_back = harm(store.project)
    for _ in range(2):
        with pytest.raises(NotWritten, match=why) as refused:
            submit(store, items[1])
    assert "`backup`" in str(refused.value)
    assert str(store.project) not in refused.value.why, "annotators read it"
    with pytest.raises(NotWritten):
        store.change(lambda connection: connection.execute("delete from skips"), shown=False)
    assert answers(store) == acknowledged, "it can still be read, and saved by a backup"
    put_back()
    acknowledged.add(submit(store, items[2]).annotation_id)
    assert after_a_kill(store.project, tmp_path / "copy") == acknowledged


def test_a_file_that_goes_during_a_commit_is_noticed(store: Store) -> None:
    def unlink(connection: Any) -> None:
        connection.execute("insert into meta values ('x', 'y')")
        (store.project / DATABASE).unlink()

    with pytest.raises(NotWritten, match="no longer in its place"):
        store.change(unlink)


def truncated_copy(log: Path) -> None:
    content = log.read_bytes()
    log.unlink()
    log.write_bytes(content[:-10])


@pytest.mark.parametrize("harm", [Path.unlink, truncated_copy])
def test_a_log_that_is_gone_is_written_anew_before_the_next_answer_is_acknowledged(
    store: Store, tmp_path: Path, harm: Callable[[Path], None]
) -> None:
    items = fill(store, 3)
    acknowledged = {submit(store, items[0]).annotation_id}
    with store.read() as reader:
        reader.begin()
        reader.execute("select count(*) from annotations").fetchall()
        harm(wal_file(store.project / DATABASE))
        acknowledged.add(submit(store, items[1]).annotation_id)
        assert after_a_kill(store.project, tmp_path / "copy") == acknowledged
        reader.rollback()
    acknowledged.add(submit(store, items[2]).annotation_id)
    assert after_a_kill(store.project, tmp_path / "later") == acknowledged


def test_a_log_that_duckdb_itself_put_into_the_database_stops_nobody(store: Store, tmp_path: Path) -> None:
    acknowledged = set()
    for item in fill(store, 4):
        acknowledged.add(submit(store, item).annotation_id)
        with store.read() as cursor:
            cursor.execute("checkpoint")
        store.touch()
    assert after_a_kill(store.project, tmp_path / "copy") == acknowledged


def test_a_database_that_is_gone_is_not_written_anew(store: Store) -> None:
    fill(store, 1)
    deleted(store.project)
    with pytest.raises(StoreError, match="no longer in its place"):
        store.rewrite()
    assert not (store.project / DATABASE).exists()


def remains_of_files(project: Path, folder: str) -> None:
    (project / folder).mkdir(parents=True)
    (project / folder / "a").write_bytes(b"x")


@pytest.mark.parametrize("folder", ["runs", "images", "backups"])
def test_a_folder_that_was_a_project_is_not_made_a_new_one_without_a_word(project: Path, folder: str) -> None:
    remains_of_files(project, folder)
    before = sorted(project.rglob("*"))
    with pytest.raises(DatabaseMissing, match=rf"restore.* move {folder}/ away"):
        Store(project)
    assert sorted(project.rglob("*")) == before, "nothing was made"
    (project / folder).rename(project.parent / "away")
    Store(project).close()


def test_a_missing_database_leads_to_the_newest_backup(project: Path) -> None:
    with Store(project) as store:
        submit(store, fill(store, 1)[0])
        for _ in range(2):
            with store.read() as cursor:
                newest = backups.make_backup(cursor, project)
    (project / DATABASE).unlink()
    with pytest.raises(DatabaseMissing, match=f"`restore {newest.name}`"):
        Store(project)
    restoring.restore(project, newest)
    with Store(project) as store:
        assert len(answers(store)) == 1
        assert store.notes == []


def test_a_log_without_its_database_is_kept(project: Path) -> None:
    killed(project, "checkpoint")
    log = wal_file(project / DATABASE).read_bytes()
    (project / DATABASE).rename(project / "kept")
    with pytest.raises(DatabaseMissing, match=r"concord\.duckdb\.wal"):
        Store(project)
    assert wal_file(project / DATABASE).read_bytes() == log, "DuckDB would delete it"
    (project / "kept").rename(project / DATABASE)
    with Store(project) as store:
        assert len(answers(store)) == 10


def test_folders_that_are_empty_or_of_others_are_no_project(project: Path) -> None:
    for name in ("runs", "images", "backups", "papers"):
        (project / name).mkdir(parents=True)
    (project / "papers" / "a").write_bytes(b"x")
    Store(project).close()


def killed(project: Path, how: str = "") -> None:
    line = [sys.executable, "-c", KILLED, str(project), str(ROOT), how]
    ended = subprocess.run(line, cwd=ROOT, capture_output=True, text=True, check=False)
    assert ended.returncode == -signal.SIGKILL, ended.stderr


def notes(project: Path) -> list[str]:
    with Store(project) as store:
        return store.notes


def test_a_log_that_was_lost_in_a_crash_is_said_until_something_is_saved(project: Path) -> None:
    killed(project, "checkpoint")
    wal_file(project / DATABASE).unlink()
    for _ in range(2):
        (line,) = notes(project)
        assert "lacks 10 writes that were acknowledged" in line
        assert "there is no backup" in line
    with Store(project) as store:
        store.touch()
    assert notes(project) == []


def test_an_older_copy_that_was_put_in_place_by_hand_is_said(project: Path) -> None:
    with Store(project) as store:
        items = fill(store, 3)
        with store.read() as cursor:
            backup = backups.make_backup(cursor, project)
        for item in items:
            submit(store, item)
    newer = (project / DATABASE).read_bytes()
    shutil.copyfile(backup.database, project / DATABASE)
    (line,) = notes(project)
    assert "lacks 3 writes" in line
    assert f"`restore {backup.name}`" in line
    (project / DATABASE).write_bytes(newer)
    assert notes(project) == []
    # by the command it is on purpose
    restoring.restore(project, backup)
    assert notes(project) == []
    with Store(project) as store:
        submit(store, items[0])
    assert notes(project) == []


def test_nothing_is_said_where_nothing_is_missing(project: Path, tmp_path: Path) -> None:
    killed(project)
    assert notes(project) == [], "after a kill"
    with Store(project) as store:
        assert store.notes == [], "after a normal end"
        store.rewrite()
        store.touch()
        with store.read() as cursor:
            backup = backups.make_backup(cursor, project)
        store.touch()
    assert notes(project) == [], "after it was written anew"
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    shutil.copyfile(backup.database, elsewhere / DATABASE)
    assert notes(elsewhere) == [], "a copy at another place"
    (project / NUMBER_FILE).unlink()
    shutil.copyfile(backup.database, project / DATABASE)
    assert notes(project) == [], "a project of before there was such a file"


def test_the_number_of_another_project_is_none_of_this_one(project: Path) -> None:
    killed(project)
    content = (project / NUMBER_FILE).read_text()
    (project / NUMBER_FILE).write_text("0" * 12 + content[12:])
    for path in (project / DATABASE, wal_file(project / DATABASE)):
        path.unlink()
    (project / NUMBER_FILE).rename(project.parent / "number")
    Store(project).close()
    for text in ("0" * 12 + content[12:], "", "garbage", "\0" * 34):
        (project / NUMBER_FILE).write_text(text)
        assert notes(project) == []


def test_the_number_is_for_its_owner_alone_and_never_behind_an_answer(store: Store) -> None:
    for n, item in enumerate(fill(store, 4)):
        submit(store, item)
        number = int((store.project / NUMBER_FILE).read_text().split()[1])
        with store.read() as cursor:
            last = cursor.execute("select last_value from duckdb_sequences() where sequence_name = 'write_numbers'").fetchone()
        assert last == (number,)
        assert number == n + 2
    assert (store.project / NUMBER_FILE).stat().st_mode & 0o077 == 0
