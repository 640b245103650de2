"""``restore``: a backup in the place of the project's database. No project is opened for it: it may be one that cannot be."""

from __future__ import annotations

import sys
from pathlib import Path

from data.store.backup import backups, restoring
from data.store.backup.backups import Backup, BadBackup
from data.store.core.store import Store, StoreBusy, StoreError
from ui import words
from ui.commands import backup as backing
from ui.commands import forward


def execute(project: Path, name: str | None, form: str = "table") -> int:
    """Restore, or without a name list what could be; returns the exit status."""
    if name is None:
        backing.show(None, backups.list_backups(backups.backup_folder(project.resolve())), form)
        return 0
    try:
        _restore(project.resolve(), _found(project, name))
    except StoreBusy as error:
        server = forward.running(project)
        who = f"the app has the project open (process {server.pid}): close it, then restore" if server else str(error)
        return _fails(who)
    except (BadBackup, StoreError) as error:
        return _fails(str(error))
    except OSError as error:
        where = f"{error.filename}: " if error.filename else ""
        return _fails(f"{where}{error.strerror or error}; the project is as it was")
    return 0


def _fails(text: str) -> int:
    print(f"restore: {text}", file=sys.stderr)
    return 1


def _found(project: Path, name: str) -> Backup:
    """A backup by its name in the project, or by its folder (or the manifest or database in it).

    Raises:
        BadBackup: there is none.
    """
    given = Path(name).expanduser()
    home = backups.backup_folder(project)
    for path in (home / name, given, given.parent):
        if (path / backups.MANIFEST).is_file() and (path != given.parent or given.is_file()):
            return backups.read_backup(path.resolve())
    raise BadBackup(f"there is no backup {name!r}, neither in {home} nor as a folder; `restore` alone lists them")


def _restore(project: Path, backup: Backup) -> None:
    done = restoring.restore(project, backup)
    # opening it brings everything that is made from the rest up to date
    with Store(project):
        pass
    about = backup.manifest
    rows = sum(held.rows for held in about.contents.lasting().values())
    print(
        f"{project} is as it was on {about.made:%Y-%m-%d %H:%M} UTC: {rows:,} rows; {words.count(done.files, 'file')} put back"
    )
    if done.aside is not None:
        print(f"what was there is in {done.aside.name}: delete it when it is needed no more")
    if done.erased:
        print(f"{words.count(done.erased, 'person')} erased since then: taken out again")


__all__ = ["execute"]
