"""``export snapshot``: a copy of the database for others to read."""

from __future__ import annotations

from data.people import NamesAs, person_pseudonym
from data.store.backup import copies, snapshot
from data.store.core.store import DATABASE
from ui.commands.context import CommandError, Context, UsageError


def run(context: Context, output: str, named: NamesAs) -> None:
    """Write it, whole or not at all; the project's own database is never overwritten."""
    path = context.path(output)
    if path.suffix != ".duckdb":
        raise UsageError(f"a snapshot is a DuckDB file: name it FILE.duckdb, not {path.name}")
    if path.resolve() == (context.store.project / DATABASE).resolve():
        raise UsageError(f"{output} is the project's own database; give the snapshot another name")
    secret = context.store.secret
    try:
        copied = snapshot.write(context.store, path, None if named == "names" else lambda name: person_pseudonym(secret, name))
    except OSError as error:
        raise CommandError(f"{path} cannot be written: {error.strerror or error}") from error
    copies.remember_copy(context.store, path, "snapshot", names=named == "names")
    context.say(f"{copied.rows:,} rows of {len(copied.tables)} tables in {output}; the table about_columns says what they are")
