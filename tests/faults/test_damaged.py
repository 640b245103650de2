"""A database that cannot be used: one clear sentence that says how to go on, exit status 1, and not a byte of it touched."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import duckdb
import pytest

from data.store.core import rows
from data.store.core.connections import DATABASE
from data.store.core.store import Store, StoreError
from tests.data.store.small_project import answer, fill, submit
from tests.ui import small_project

ROOT = Path(__file__).resolve().parents[2]
WAL = DATABASE + ".wal"

KILLED = """
import os, signal, sys
from pathlib import Path
sys.path[:0] = [sys.argv[2]]
from data.store.core.store import Store
from tests.data.store.small_project import fill, submit
store = Store(Path(sys.argv[1]))
for item in fill(store, 40):
    submit(store, item)
print("said", flush=True)
os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """One that was closed, with answers in it."""
    with Store(tmp_path / "project") as store:
        for item in fill(store, 40):
            submit(store, item)
    return tmp_path / "project"


@pytest.fixture
def killed(tmp_path: Path) -> Path:
    """One whose app was killed: the last answers are in the log."""
    folder = tmp_path / "project"
    line = [sys.executable, "-c", KILLED, str(folder), str(ROOT)]
    done = subprocess.run(line, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == -signal.SIGKILL, done.stderr
    assert (folder / WAL).stat().st_size > 1000
    return folder


def cut(path: Path) -> None:
    content = path.read_bytes()
    path.write_bytes(content[: len(content) // 2])


def garbage(path: Path) -> None:
    path.write_bytes(b"no database at all " * 1000)


def blotted(path: Path) -> None:
    """The header is as it was, what follows is not."""
    content = path.read_bytes()
    path.write_bytes(content[:8192] + b"\xa5" * (len(content) - 8192))


def headless(path: Path) -> None:
    content = path.read_bytes()
    path.write_bytes(b"\0" * 4096 + content[4096:])


def newer(path: Path) -> None:
    """As a later DuckDB would write it: the number of its storage stands behind the magic bytes."""
    content = bytearray(path.read_bytes())
    assert bytes(content[8:12]) == b"DUCK"
    content[12:20] = (9999).to_bytes(8, "little")
    path.write_bytes(bytes(content))


@pytest.mark.parametrize("harm", [cut, garbage, blotted, headless, newer], ids=lambda entry: str(entry.__name__))
def test_a_database_that_cannot_be_read_is_left_as_it_is(project: Path, harm: Callable[[Path], None]) -> None:
    path = project / DATABASE
    harm(path)
    before = {path.name: path.read_bytes() for path in project.iterdir() if path.is_file()}
    ran = small_project.concord(project, "agreement")
    assert ran.status == 1
    (line,) = ran.err.strip().splitlines()
    assert str(path) in line
    assert "restore" in line, "the way back is not named"
    assert ran.out == ""
    assert {path.name: path.read_bytes() for path in project.iterdir() if path.is_file()} == before


def test_an_empty_file_is_not_taken_for_a_new_project(project: Path) -> None:
    (project / DATABASE).write_bytes(b"")
    ran = small_project.concord(project, "agreement")
    assert ran.status == 1
    assert "is empty" in ran.err
    assert "restore" in ran.err
    assert (project / DATABASE).stat().st_size == 0


def test_a_project_of_a_newer_concord_is_left_as_it_is(project: Path) -> None:
    path = project / DATABASE
    with duckdb.connect(str(path)) as connection:
        connection.execute("update meta set value = '999' where key = 'schema_version'")
    before = path.read_bytes()
    ran = small_project.concord(project, "agreement")
    assert ran.status == 1
    assert "update Concord" in ran.err
    assert path.read_bytes() == before
    assert not (project / WAL).exists()


def test_a_log_that_breaks_off_gives_what_was_whole(killed: Path) -> None:
    """As after a loss of power: the last answer may be half written."""
    log = killed / WAL
    log.write_bytes(log.read_bytes()[:-20])
    with Store(killed) as store, store.read() as cursor:
        (n,) = cursor.execute("select count(*) from annotations").fetchone() or (0,)
    assert n in (38, 39)


def log_entries(content: bytes) -> list[int]:
    """Return where each entry of a log begins: 8 bytes with its length, 8 with its checksum, then what was written."""
    for first in range(200):
        starts, at = [], first
        while at + 16 <= len(content):
            starts.append(at)
            at += 16 + int.from_bytes(content[at : at + 8], "little")
        if at == len(content):
            return starts
    raise AssertionError("DuckDB writes its log in another way")


def test_a_log_that_is_garbage_is_left_as_it_is(killed: Path) -> None:
    log = killed / WAL
    content = bytearray(log.read_bytes())
    entries = log_entries(bytes(content))
    start, end = next(pair for pair in pairwise(entries[len(entries) // 2 :]) if pair[1] - pair[0] > 40)
    content[start + 20 : end] = b"\xa5" * (end - start - 20)
    log.write_bytes(bytes(content))
    before = {name: (killed / name).read_bytes() for name in (DATABASE, WAL)}
    with pytest.raises(StoreError, match="restore"):
        Store(killed)
    assert {path.name: path.read_bytes() for path in killed.iterdir() if path.name in before or "wal" in path.name} == before


def test_a_log_whose_lengths_are_garbage_is_kept(killed: Path) -> None:
    """DuckDB takes what follows for an entry that broke off: it opens, and drops it."""
    log = killed / WAL
    content = bytearray(log.read_bytes())
    entries = log_entries(bytes(content))
    start = entries[len(entries) * 3 // 4]
    content[start : start + 8] = b"\xa5" * 8
    log.write_bytes(bytes(content))
    with Store(killed) as store, store.read() as cursor:
        assert rows.value(cursor, "select count(*) from annotations") < 40
        (line,) = store.notes
    (kept,) = killed.glob(f"{WAL}.damaged-*")
    assert ("acknowledged" in line, kept.name in line, kept.read_bytes()) == (True, True, bytes(content))


def test_a_killed_app_lost_nothing_that_was_acknowledged(killed: Path) -> None:
    with Store(killed) as store, store.read() as cursor:
        assert cursor.execute("select count(*) from annotations").fetchone() == (40,)


def test_an_answer_sent_before_and_after_a_kill_is_stored_once(killed: Path) -> None:
    with Store(killed) as store, store.read() as cursor:
        rows = cursor.execute("select annotation_id, item_id, rater_id from annotations order by seq").fetchall()
    with Store(killed) as store:
        id_, item, person = rows[-1]
        saved = submit(store, item, person, annotation_id=str(id_))
        assert not saved.new
        assert answer(item, person).item_id == item
        with store.read() as cursor:
            assert cursor.execute("select count(*) from annotations").fetchone() == (40,)
