"""Backups: the project's whole state in a folder, checked; the list of those that there are; a backup restored; a snapshot
for others.

No project is opened to restore one: it may be one that cannot be.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from concord.common import forwarding, wording
from concord.common.context import CommandError, Context, UsageError, writing
from data.people import NamesAs, person_pseudonym
from data.store.backup import backups, restoring, scheduler, snapshot
from data.store.backup.backups import Backup, BadBackup
from data.store.core.connections import DATABASE
from data.store.core.store import Store, StoreBusy, StoreError


def backup(context: Context, output: str | None = None, listing: bool = False, form: str = "table") -> None:
    """``backup``, and ``backup --list``."""
    into = None if output is None else context.path(output)
    project = context.store.project
    if listing:
        print_backups(context, backups.list_backups(into or backups.backup_folder(project)), form)
        return
    try:
        with writing(into or backups.backup_folder(project)), backups.backup_lock, context.store.read() as cursor:
            made = backups.make_backup(cursor, project, into=into)
    except BadBackup as error:
        raise CommandError(f"the copy differs from the original and was deleted: {error}; check that disk") from error
    if into is not None:
        restoring.remember_copy(context.store, made.path, "backup")
    where = made.path.relative_to(project) if into is None else made.path
    files = wording.count(made.manifest.files, "file")
    context.say(f"{_rows(made):,} rows and {files} in {where}; to go back to it: restore {made.name}")
    if into is None:
        context.warn("it lies on the disk of the project: -o FOLDER puts one elsewhere")


def backup_failure(store: Store) -> str:
    """Return since when and why no backup can be made, as a sentence; "" as long as the last one was made."""
    state = scheduler.backup_state(store)
    if state is None or not state.failed or state.since is None:
        return ""
    return f"No backup could be made since {state.since:%Y-%m-%d %H:%M} UTC: {state.failed}. It is tried again by itself."


def print_backups(context: Context | None, listed: list[Backup], form: str) -> None:
    """A line for each, oldest first."""
    say = print if context is None else context.say
    if form == "json":
        say(json.dumps([backup_json(entry) for entry in listed], indent=1))
        return
    if not listed:
        say("there are no backups here yet; `backup` makes one, and the app one a day")
    for entry in listed:
        about = entry.manifest
        lasting = f"{_rows(entry):>11,} rows  {about.files:>7,} files  schema {about.schema:>2}  {about.reason}"
        say(f"{entry.name}  {about.made:%Y-%m-%d %H:%M} UTC  {lasting}")


def backup_json(entry: Backup) -> dict[str, Any]:
    about = entry.manifest
    return {
        "name": entry.name,
        "path": str(entry.path),
        "made": about.made.isoformat(timespec="seconds"),
        "reason": about.reason,
        "schema": about.schema,
        "concord": about.concord,
        "rows": {name: held.rows for name, held in about.tables.items()},
        "files": about.files,
        "bytes": entry.bytes,
    }


def _rows(backup: Backup) -> int:
    """How many rows of a backup are not made from the rest."""
    return sum(held.rows for held in backup.manifest.contents.lasting().values())


def restore(project: Path, name: str | None, form: str = "table") -> None:
    """Restore, or without a name list what could be.

    Raises:
        CommandError: it cannot be done; the project is as it was.
    """
    if name is None:
        print_backups(None, backups.list_backups(backups.backup_folder(project.resolve())), form)
        return
    if (server := forwarding.living(project)) is not None:
        raise CommandError(f"the app has the project open (process {server.pid}): close it, then restore")
    try:
        _restore_backup(project.resolve(), _find_backup(project, name))
    except StoreBusy as error:
        server = forwarding.running(project)
        who = f"the app has the project open (process {server.pid}): close it, then restore" if server else str(error)
        raise CommandError(who) from error
    except (BadBackup, StoreError) as error:
        raise CommandError(str(error)) from error
    except OSError as error:
        where = f"{error.filename}: " if error.filename else ""
        raise CommandError(f"{where}{error.strerror or error}; the project is as it was") from error


def _find_backup(project: Path, name: str) -> Backup:
    """A backup by its name in the project, or by its folder (or the manifest or database in it).

    Raises:
        BadBackup: there is none.
    """
    named = Path(name).expanduser()
    home = backups.backup_folder(project)
    for path in (home / name, named, named.parent):
        if (path / backups.MANIFEST).is_file() and (path != named.parent or named.is_file()):
            return backups.read_backup(path.resolve())
    raise BadBackup(
        f"there is no backup {name!r}, neither in {home} nor as a folder; run `restore` without a name to list them"
    )


def _restore_backup(project: Path, backup: Backup) -> None:
    done = restoring.restore(project, backup)
    # opening it brings everything that is made from the rest up to date
    with Store(project):
        pass
    files = wording.count(done.files, "file")
    print(f"{project} is as it was on {backup.manifest.made:%Y-%m-%d %H:%M} UTC: {_rows(backup):,} rows; {files} put back")
    if done.aside is not None:
        print(f"what was there is in {done.aside.name}: delete it when it is needed no more")
    if done.erased:
        print(f"{wording.count(done.erased, 'person')} erased since then: taken out again")


def export_snapshot(context: Context, output: str, named: NamesAs) -> None:
    """Write it, whole or not at all; the project's own database is never overwritten."""
    path = context.path(output)
    if path.suffix != ".duckdb":
        raise UsageError(f"a snapshot is a DuckDB file: name it FILE.duckdb, not {path.name}")
    if path.resolve() == (context.store.project / DATABASE).resolve():
        raise UsageError(f"{output} is the project's own database; give the snapshot another name")
    secret = context.store.secret
    with writing(path):
        copied = snapshot.write(context.store, path, None if named == "names" else lambda name: person_pseudonym(secret, name))
    restoring.remember_copy(context.store, path, "snapshot", names=named == "names")
    context.say(f"{copied.rows:,} rows of {len(copied.tables)} tables in {output}; the table about_columns says what they are")
