"""What backups leave behind when their process is killed, and who takes that away."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from data.store.backup import backups
from data.store.core.store import Store
from tests.data.store.backup.test_backups import backup
from tests.data.store.small_project import fill

STUCK = """
import sys
from pathlib import Path
from data.store.backup import backups
from data.store.core.store import Store

def rest(_):
    print("making", flush=True)
    sys.stdin.read()

with Store(Path(sys.argv[1])) as store, store.read() as cursor:
    backups.make_backup(cursor, store.project, into=Path(sys.argv[2]), rest=rest)
"""


def making(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir() if path.name.startswith(".making-"))


@pytest.mark.slow
def test_what_a_killed_backup_left_elsewhere_goes_with_the_next_one_and_a_living_ones_stays(
    store: Store, tmp_path: Path
) -> None:
    fill(store)
    disk = tmp_path / "disk"
    command = [sys.executable, "-c", STUCK, str(tmp_path / "other"), str(disk)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout
        assert process.stdout.readline() == "making\n"
        (at_work,) = making(disk)
        # nobody else's, whatever it is called
        (disk / ".making-up").mkdir()
        (disk / ".making-1-20260101T000000Z-file").write_text("mine")
        (disk / ".making-1-20260101T000000Z-link").symlink_to(tmp_path)
        first = backup(store, into=disk)
        assert at_work in making(disk)
        process.kill()
    assert at_work in making(disk)
    second = backup(store, into=disk)
    assert making(disk) == [".making-1-20260101T000000Z-file", ".making-1-20260101T000000Z-link", ".making-up"]
    assert (disk / ".making-1-20260101T000000Z-file").read_text() == "mine"
    assert [one.path for one in backups.list_backups(disk)] == [first.path, second.path]
    backups.check_backup(second)


def test_two_at_once_do_not_take_each_others(store: Store, tmp_path: Path) -> None:
    """One that begins while another is at work in the same folder: both come through whole."""
    fill(store)
    disk = tmp_path / "disk"
    inner: list[None] = []

    with Store(tmp_path / "other") as other:
        fill(other)

        def meanwhile(_: float) -> None:
            if not inner:
                inner.append(None)
                with other.read() as cursor:
                    backups.check_backup(backups.make_backup(cursor, other.project, into=disk, reason="other"))

        backups.check_backup(backup(store, into=disk, rest=meanwhile))
    assert making(disk) == []
    assert len(backups.list_backups(disk)) == 2
