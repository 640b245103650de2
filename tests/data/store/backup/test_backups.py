"""Backups: one state, whole, checked, the same when restored; what is kept and what goes; and who was erased stays out."""

from __future__ import annotations

import json
import os
import shutil
import stat
import subprocess
import sys
import threading
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import duckdb
import pytest

from data.files import sha256_of
from data.people import person_pseudonym
from data.store.backup import backups, restoring, snapshot
from data.store.backup.backups import Backup, BadBackup
from data.store.backup.restoring import BEFORE
from data.store.core import connections, database_copy
from data.store.core.connections import DATABASE
from data.store.core.schema import migration_files
from data.store.core.store import Store, StoreBusy, StoreError
from data.store.judgements import recording
from data.store.people import erasing
from tests.data.store.core.test_store import HOLD
from tests.data.store.people.test_erasing import NAME, everything, whole
from tests.data.store.small_project import answer, column, fill, submit

NOW = datetime(2026, 11, 22, 12, tzinfo=UTC)


def backup(store: Store, **how: Any) -> Backup:
    with backups.backup_lock, store.read() as cursor:
        return backups.make_backup(cursor, store.project, **how)


def run_files(project: Path) -> dict[str, bytes]:
    """A run's files, and an image that was made here."""
    content = {
        "runs/0001-x/run.json": b"{}",
        "runs/0001-x/parts/00000.parquet": b"part" * 100,
        "runs/0001-x/log.txt": b"one line\n",
        "images/g1/a_0.png": b"png",
    }
    for name, text in content.items():
        path = project / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text)
    (project / "runs/0001-x/worker.lock").write_bytes(b"")
    (project / "runs/0001-x/.part.123").write_bytes(b"half")
    return content


def test_what_is_restored_is_what_was_there(store: Store, tmp_path: Path) -> None:
    everything(store)
    files = run_files(store.project)
    before = whole(store)
    made = backup(store)
    assert made.manifest.tables["annotations"].rows == len(before["annotations"]) > 0
    assert (made.manifest.schema, made.manifest.files) == (max(migration_files()), len(files))
    for path in (made.path, made.database, made.path / backups.MANIFEST):
        assert not stat.S_IMODE(path.stat().st_mode) & 0o077
    backups.check_backup(made)
    done = restoring.restore(tmp_path / "new", made)
    assert (done.aside, done.files, done.erased) == (None, len(files), 0)
    with Store(tmp_path / "new") as again:
        assert whole(again) == before
        assert again.secret == store.secret
        # numbers go on where they were, and keys and checks hold
        first, second = (submit(store, sorted(before["items"])[0][0], "zoe") for store in (store, again))
        assert (first.status, first.new) == (second.status, second.new)
        requested = "select max(seq) from annotations"
        assert column(again, requested) == column(store, requested)
        with again.read() as cursor, pytest.raises(duckdb.ConstraintException):
            cursor.execute("insert into raters values ('zoe', 'human', 'person', null, '{}', false, null)")
        for kind in ("indexes", "sequences", "views"):
            names = f"select {kind.replace('sequences', 'sequence').replace('indexes', 'index').replace('views', 'view')}_name"
            results = [column(store, f"{names} from duckdb_{kind}() order by 1") for store in (store, again)]
            assert results[0] == results[1] != []
    assert {name: (tmp_path / "new" / name).read_bytes() for name in files} == files
    assert not (tmp_path / "new/runs/0001-x/worker.lock").exists()


def test_what_is_written_meanwhile_is_not_in_it_and_nobody_waits(store: Store) -> None:
    items = fill(store, 5)
    submit(store, items[0])
    lasting: list[str] = []

    def rest(_: float) -> None:
        # in the middle of a backup
        if len(lasting) < 4:
            lasting.append(submit(store, items[len(lasting) + 1], f"late {len(lasting)}").status)

    with store.read() as cursor:
        made = backups.make_backup(cursor, store.project, rest=rest)
    assert lasting == ["valid"] * 4
    assert made.manifest.tables["annotations"].rows == 1
    backups.check_backup(made)
    assert column(store, "select count(*) from annotations") == [5]


def test_files_are_shared_and_what_goes_on_growing_is_copied(store: Store, tmp_path: Path) -> None:
    run_files(store.project)
    first, second = backup(store, now=NOW), backup(store, now=NOW)
    assert (first.name, second.name) == ("20261122T120000Z-asked", "20261122T120000Z-asked-2")
    part, log = "runs/0001-x/parts/00000.parquet", "runs/0001-x/log.txt"
    assert (store.project / part).samefile(second.path / part)
    (store.project / log).open("a").write("another\n")
    assert (second.path / log).read_text() == "one line\n"
    # elsewhere, what the last one there holds is not copied again
    elsewhere = [backup(store, into=tmp_path / "disk") for _ in range(2)]
    assert (elsewhere[0].path / log).samefile(elsewhere[1].path / log)
    for one in (first, second, *elsewhere):
        backups.check_backup(one)
    shutil.rmtree(store.project / "runs")
    backups.check_backup(second)


def test_damaged_backups_are_detected(store: Store, tmp_path: Path) -> None:
    run_files(store.project)
    fill(store)
    good = backup(store)

    def damaged(name: str, change: Any) -> Backup:
        path = tmp_path / f"{name.replace('/', '-')}-{len(list(tmp_path.iterdir()))}"
        shutil.copytree(good.path, path)
        change(path / name)
        return backups.read_backup(path)

    def flip(path: Path) -> None:
        content = bytearray(path.read_bytes())
        content[len(content) // 2] ^= 1
        path.write_bytes(content)

    for name in (DATABASE, backups.FILES, "runs/0001-x/parts/00000.parquet"):
        for change in (flip, Path.unlink, lambda path: os.truncate(path, 10)):
            with pytest.raises(BadBackup):
                backups.check_backup(damaged(name, change))
    with pytest.raises(BadBackup):
        damaged(backups.MANIFEST, lambda path: path.write_text("{"))
    # a list that is right and leads out of the folder
    one = backups.read_backup(shutil.copytree(good.path, tmp_path / "out"))
    line = json.dumps({"path": "../../x", "bytes": 1, "sha256": "", "modified": 0})
    (one.path / backups.FILES).write_text(line + "\n")
    sha = sha256_of(one.path / backups.FILES)
    with pytest.raises(BadBackup, match="not in the backup"):
        Backup(one.path, replace(one.manifest, files_sha256=sha)).files()
    with pytest.raises(BadBackup, match="schema"):
        backups.check_contents(good.manifest.contents, database_copy.DatabaseContents(1, {}), good.path)
    backups.check_backup(good)


def test_a_full_disk_leaves_nothing(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    fill(store)
    last = backup(store)

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    for name in ("write_manifest", "on_disk", "_finish"):
        with monkeypatch.context() as patched:
            patched.setattr(backups, name, full)
            with pytest.raises(OSError, match="No space left"):
                backup(store)
        assert [path.name for path in backups.backup_folder(store.project).iterdir()] == [last.name]
    backups.check_backup(last)


@pytest.mark.slow
def test_a_killed_backup_is_swept_and_never_listed(store: Store) -> None:
    fill(store)
    code = (
        "import os, sys; from pathlib import Path; from data.store.backup import backups; import duckdb\n"
        "def die(_):\n"
        "    if list(Path(sys.argv[1]).glob('backups/.making*/*')):\n"
        "        os.kill(os.getpid(), 9)\n"
        "from data.store.core.store import Store\n"
        "with Store(Path(sys.argv[1])) as store, store.read() as cursor:\n"
        "    backups.make_backup(cursor, store.project, rest=die)\n"
    )
    project = store.project
    store.close()
    done = subprocess.run([sys.executable, "-c", code, str(project)], timeout=60)
    assert done.returncode == -9
    assert len(list(backups.backup_folder(project).iterdir())) == 1
    assert backups.list_backups(backups.backup_folder(project)) == []
    with Store(project) as again:
        assert [backup(again)] == backups.list_backups(backups.backup_folder(project))
    assert len(list(backups.backup_folder(project).iterdir())) == 1


def scheduled(number: int, made: datetime, reason: str = backups.SCHEDULED) -> Backup:
    manifest = backups.Manifest("p", number, reason, made, "", "", 1, "", 0, {}, 0, 0, "")
    return Backup(Path(f"/b/{number}"), manifest)


def test_newest_and_weekly_backups_stay() -> None:
    daily = [scheduled(n, NOW + timedelta(days=n)) for n in range(60)]
    others = [scheduled(100 + n, NOW - timedelta(days=n), "asked") for n in range(9)]
    gone = {superfluous_backup.manifest.number for superfluous_backup in backups.superfluous_backups([*daily, *others], 7)}
    remaining = sorted({*range(60)} - gone)
    assert remaining[-7:] == [53, 54, 55, 56, 57, 58, 59]
    # the last ones of four weeks: day 0 is a Sunday, and the week of the newest began before them
    assert remaining[:-7] == [35, 42, 49, 52]
    assert not gone & {one.manifest.number for one in others}
    assert backups.superfluous_backups(daily[:7], 7) == []
    assert len(backups.superfluous_backups(daily, 0)) == 60 - 5


def test_a_clock_that_went_back_deletes_no_new_backup() -> None:
    ahead = [scheduled(n, NOW + timedelta(days=3650 + n)) for n in range(20)]
    now = [scheduled(20 + n, NOW + timedelta(hours=n)) for n in range(7)]
    gone = {superfluous_backup.manifest.number for superfluous_backup in backups.superfluous_backups([*ahead, *now], 7)}
    assert not gone & set(range(20, 27))
    # all of the same moment
    assert len(backups.superfluous_backups([scheduled(n, NOW) for n in range(50)], 7)) == 50 - 7 - 1


def test_retiring_touches_nothing_else(store: Store) -> None:
    fill(store)
    run_files(store.project)
    made = [backup(store, reason=backups.SCHEDULED, now=NOW + timedelta(hours=n)) for n in range(4)]
    asked = backup(store)
    home = backups.backup_folder(store.project)
    (home / "mine.txt").write_text("x")
    (home / "folder").mkdir()
    (made[0].path / "note.txt").write_text("x")
    # another project's, of the same names
    theirs = shutil.copytree(made[1].path, home / "theirs")
    backups.write_manifest(theirs, replace(made[1].manifest, project="another"))
    assert backups.retire_backups(store.project, 2, lambda _: False) == []
    gone = backups.retire_backups(store.project, 2, lambda _: True)
    # a week's last stays, too
    assert gone == [made[0].path]
    assert {path.name for path in home.iterdir()} == {
        *(one.name for one in made), asked.name, "mine.txt", "folder", "theirs",
    }  # fmt: skip
    assert [path.name for path in made[0].path.rglob("*")] == ["note.txt"]
    assert {one.name for one in backups.list_backups(home)} == {*(one.name for one in made[1:]), asked.name, "theirs"}
    assert (store.project / "runs/0001-x/parts/00000.parquet").exists()


def test_restoring_puts_aside_what_is_there(store: Store) -> None:
    items = fill(store)
    run_files(store.project)
    made, before = backup(store), whole(store)
    submit(store, items[0])
    project, after = store.project, whole(store)
    store.close()
    part = project / "runs/0001-x/parts/00000.parquet"
    part.unlink()
    part.write_bytes(b"something else")
    done = restoring.restore(project, made, NOW)
    assert done.aside == project / f"{BEFORE}20261122T120000Z"
    assert part.read_bytes() == b"part" * 100
    assert part.with_name(f"{part.name}.before-restore-20261122T120000Z").read_bytes() == b"something else"
    with Store(project) as again:
        assert whole(again) == before
    done.aside.replace(project / DATABASE)
    with Store(project) as again:
        assert whole(again) == after


def test_a_broken_database_is_named_with_its_backup_and_restored(store: Store) -> None:
    fill(store)
    made, before = backup(store), whole(store)
    project = store.project
    store.close()
    for content in (b"", b"no database " * 1000, (project / DATABASE).read_bytes()[:5000]):
        (project / DATABASE).write_bytes(content)
        (project / f"{DATABASE}.wal").write_bytes(b"left over")
        with pytest.raises(StoreError, match=f"; `restore {made.name}` puts its last backup in its place"):
            Store(project)
        done = restoring.restore(project, made)
        assert done.aside
        assert done.aside.read_bytes() == content
        assert connections.wal_file(done.aside).read_bytes() == b"left over"
        with Store(project) as again:
            assert whole(again) == before
        done.aside.unlink()
        connections.wal_file(done.aside).unlink()


def test_restoring_is_refused(store: Store, tmp_path: Path) -> None:
    fill(store)
    made = backup(store)
    project = store.project
    store.close()
    content = (project / DATABASE).read_bytes()
    command = [sys.executable, "-c", HOLD, str(project / DATABASE)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as holder:
        assert holder.stdout
        holder.stdout.readline()
        with pytest.raises(StoreBusy, match="close the app"):
            restoring.restore(project, made)
        holder.communicate("")
    with Store(project), pytest.raises(StoreBusy):
        restoring.restore(project, made)
    newer = Backup(made.path, replace(made.manifest, schema=999))
    with pytest.raises(BadBackup, match=r"has schema 999, this version supports \d+: update Concord"):
        restoring.restore(project, newer)
    bad = backups.read_backup(shutil.copytree(made.path, tmp_path / "bad"))
    bad.database.write_bytes(b"x")
    with pytest.raises(BadBackup, match="changed or is damaged"):
        restoring.restore(project, bad)
    assert (project / DATABASE).read_bytes() == content
    assert [path.name for path in project.iterdir() if "restor" in path.name] == []


def bytes_with(folder: Path, name: str) -> list[Path]:
    return [path for path in folder.rglob("*") if path.is_file() and name.encode() in path.read_bytes()]


@pytest.mark.slow
def test_the_erased_are_taken_out_of_every_copy(store: Store, tmp_path: Path) -> None:
    """No byte of them stays: in backups of ours, in an aside file and its log, in backups and snapshots that went elsewhere."""
    everything(store)
    backup(store)
    far = backup(store, into=tmp_path / "disk", reason="far")
    restoring.remember_copy(store, far.path, "backup")
    for name, rename in (("named", None), ("others", lambda who: person_pseudonym(store.secret, who))):
        snapshot.write(store, tmp_path / f"{name}.duckdb", rename)
        restoring.remember_copy(store, tmp_path / f"{name}.duckdb", "snapshot", names=rename is None)
    restoring.remember_copy(store, tmp_path / "moved.duckdb", "snapshot")
    (tmp_path / "not ours.duckdb").write_bytes(b"a poem")
    restoring.remember_copy(store, tmp_path / "not ours.duckdb", "snapshot")
    left = backups.backup_folder(store.project) / ".making-1-left"
    left.mkdir()
    (left / DATABASE).write_text(NAME)
    aside = store.project / f"{BEFORE}20260101T000000Z"
    with store.read() as cursor:
        database_copy.copy_database(cursor, aside)
    # a log beside it that nobody has read yet
    code = "import duckdb, os, sys; c = duckdb.connect(sys.argv[1]); c.execute('insert into notes select a.* replace (?'"
    code = (
        "import duckdb, os, sys; c = duckdb.connect(sys.argv[1]);"
        "c.execute(\"insert into drafts select 'default', ?, 'item', '{}', now()\", [sys.argv[2]]); os._exit(0)"
    )
    subprocess.run([sys.executable, "-c", code, str(aside), NAME], check=True)
    assert connections.wal_file(aside).exists()
    alias = person_pseudonym(store.secret, NAME)
    with duckdb.connect(str(tmp_path / "others.duckdb"), read_only=True) as connection:
        assert connection.execute("select count(*) from annotations where rater_id = ?", [alias]).fetchone() != (0,)
    assert len(bytes_with(tmp_path, NAME)) >= 5
    counts = {
        backup.path: backup.manifest.tables["annotations"].rows
        for backup in (*backups.list_backups(backups.backup_folder(store.project)), far)
    }

    erasing.erase(store, NAME)
    results = {erasure.path.name: erasure for erasure in restoring.erase_from_copies(store, [NAME])}
    assert {name: erasure.outcome for name, erasure in results.items()} == {
        next(iter(counts)).name: "erased", far.name: "erased", "named.duckdb": "erased", "others.duckdb": "erased",
        aside.name: "erased", left.name: "erased", "moved.duckdb": "gone", "not ours.duckdb": "failed",
    }  # fmt: skip
    assert bytes_with(tmp_path, NAME) == []
    assert bytes_with(tmp_path, alias) == []
    # all else is there, and each is whole
    for path, n in counts.items():
        one = backups.read_backup(path)
        backups.check_backup(one)
        assert one.manifest.tables["annotations"].rows == n - 3
        assert one.manifest.before == ""
    assert not stat.S_IMODE((tmp_path / "named.duckdb").stat().st_mode) & 0o222
    with duckdb.connect(str(tmp_path / "named.duckdb"), read_only=True) as connection:
        assert connection.execute("select count(distinct rater_id) from annotations").fetchone() == (1,)
    # again, there is nothing to do
    again = restoring.erase_from_copies(store, [NAME])
    assert {erasure.outcome for erasure in again} == {"clean", "gone", "failed"}


@pytest.mark.slow
def test_killed_between_a_backups_new_database_and_its_word_on_it(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    everything(store)
    made = backup(store)
    erasing.erase(store, NAME)
    manifest = backups.write_manifest
    for moment in (1, 2):
        calls: list[Any] = []

        def die(*values: Any, calls: list[Any] = calls, moment: int = moment) -> None:
            calls.append(values)
            if len(calls) == moment:
                raise KeyboardInterrupt
            manifest(*values)

        with monkeypatch.context() as patched:
            patched.setattr(backups, "write_manifest", die)
            with pytest.raises(KeyboardInterrupt):
                restoring.erase_from_copies(store)
        backups.check_backup(backups.read_backup(made.path))
    restoring.erase_from_copies(store)
    assert bytes_with(backups.backup_folder(store.project), NAME) == []
    backups.check_backup(backups.read_backup(made.path))
    assert backups.read_backup(made.path).manifest.before == ""


def test_a_backup_from_before_brings_nobody_back(store: Store, tmp_path: Path) -> None:
    everything(store)
    far = backup(store, into=tmp_path / "disk")
    erasing.erase(store, NAME)
    project = store.project
    store.close()
    assert bytes_with(far.path, NAME)
    done = restoring.restore(project, far)
    assert done.erased == 1
    assert bytes_with(project, NAME) == []
    with Store(project) as again:
        assert erasing.is_erased(again, NAME)
        assert NAME not in repr(whole(again))
        with pytest.raises(ValueError, match="was erased"):
            recording.submit(again, answer(column(again, "select item_id from items")[0], NAME))


@pytest.mark.slow
def test_an_unreadable_backup_is_reported(store: Store) -> None:
    everything(store)
    one, two, three = (backup(store, now=NOW + timedelta(hours=n)) for n in range(3))
    content = bytearray(one.database.read_bytes())
    content[9000] ^= 1
    one.database.write_bytes(content)
    (two.path / backups.MANIFEST).write_text("{")
    erasing.erase(store, NAME)
    results = {each.path.name: each.outcome for each in restoring.erase_from_copies(store, [NAME])}
    assert results == {one.name: "failed", two.name: "failed", three.name: "erased"}


def test_erasing_waits_for_a_backup_and_others_do_not(store: Store) -> None:
    items = everything(store)
    begun, go = threading.Event(), threading.Event()

    def rest(_: float) -> None:
        begun.set()
        assert go.wait(30)

    made: list[Backup] = []
    worker = threading.Thread(target=lambda: made.append(backup(store, rest=rest)))
    worker.start()
    assert begun.wait(30)
    eraser = threading.Thread(target=lambda: erasing.erase(store, NAME))
    eraser.start()
    for n in range(3):
        assert submit(store, items[2], f"other {n}").annotation_id
    go.set()
    worker.join()
    eraser.join()
    assert bytes_with(made[0].path, NAME)
    assert [erasure.outcome for erasure in restoring.erase_from_copies(store, [NAME])] == ["erased"]
    assert bytes_with(store.project, NAME) == []


def test_contents_are_equal_when_nothing_was_written(store: Store) -> None:
    items = fill(store)
    with store.read() as cursor:
        first = database_copy.database_contents(cursor).lasting()
    restoring.remember_copy(store, store.project / "x", "backup")
    with store.read() as cursor:
        assert database_copy.database_contents(cursor).lasting() == first
    submit(store, items[0])
    with store.read() as cursor:
        assert database_copy.database_contents(cursor).lasting() != first
