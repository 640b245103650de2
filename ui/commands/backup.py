"""``backup``: the project's whole state in a folder, checked; and the list of those that there are."""

from __future__ import annotations

import json
from typing import Any

from data.store.backup import backups, copies
from data.store.backup.backups import Backup, BadBackup
from ui import words
from ui.commands.context import CommandError, Context


def run(context: Context, output: str | None = None, listing: bool = False, form: str = "table") -> None:
    """``backup``, and ``backup --list``."""
    into = None if output is None else context.path(output)
    project = context.store.project
    if listing:
        show(context, backups.list_backups(into or backups.backup_folder(project)), form)
        return
    try:
        with backups.backup_lock, context.store.read() as cursor:
            made = backups.make_backup(cursor, project, into=into)
    except BadBackup as error:
        raise CommandError(
            f"what was written is not what was there, and was thrown away: {error}; look after that disk"
        ) from error
    except OSError as error:
        raise CommandError(f"{into or backups.backup_folder(project)} cannot be written: {error.strerror or error}") from error
    if into is not None:
        copies.remember_copy(context.store, made.path, "backup")
    where = made.path.relative_to(project) if into is None else made.path
    rows = sum(held.rows for held in made.manifest.contents.lasting().values())
    context.say(
        f"{rows:,} rows and {words.count(made.manifest.files, 'file')} in {where}; to go back to it: restore {made.name}"
    )
    if into is None:
        context.warn("it lies on the disk of the project: -o FOLDER puts one elsewhere")


def show(context: Context | None, found: list[Backup], form: str) -> None:
    """A line for each, oldest first."""
    say = print if context is None else context.say
    if form == "json":
        say(json.dumps([told(one) for one in found], indent=1))
        return
    if not found:
        say("there are no backups here yet; `backup` makes one, and the app one a day")
    for one in found:
        about = one.manifest
        rows = sum(held.rows for held in about.contents.lasting().values())
        lasting = f"{rows:>11,} rows  {about.files:>7,} files  schema {about.schema:>2}  {about.reason}"
        say(f"{one.name}  {about.made:%Y-%m-%d %H:%M} UTC  {lasting}")


def told(one: Backup) -> dict[str, Any]:
    about = one.manifest
    return {
        "name": one.name,
        "path": str(one.path),
        "made": about.made.isoformat(timespec="seconds"),
        "reason": about.reason,
        "schema": about.schema,
        "concord": about.concord,
        "rows": {name: held.rows for name, held in about.tables.items()},
        "files": about.files,
        "bytes": one.bytes,
    }
