"""The context of a command: project, working folder, output and errors, whoever runs it (the command line, or the open app
on its behalf).

Commands without a project take errors and settings (``--set``) from here, where DuckDB need not be: nothing heavy is imported.
"""

from __future__ import annotations

import hashlib
import json
import os
import sys
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, fields
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

if TYPE_CHECKING:
    # commands without a project take errors from here, where DuckDB need not be
    from data.store.core.store import Store
    from data.store.imports import ImportBundle, Imported


class CommandError(Exception):
    """The command cannot be done; the message is the one line that the user reads, ``status`` what the shell gets."""

    status = 1


class UsageError(CommandError):
    """The command was not understood: an option has a value that it cannot have."""

    status = 2


@dataclass(frozen=True, slots=True)
class Context:
    """Where a command runs.

    Attributes:
        cwd: the working folder of whoever asked: relative paths start there.
        out, err: their terminal. Commands never touch ``sys.stdout``: inside the app it belongs to somebody else.
        follow: called with the share of the work that is done, 0 to 1.
        skipped: a line for each thing that was left out, as ``skip`` printed them.
    """

    store: Store
    cwd: Path
    out: TextIO
    err: TextIO
    follow: Callable[[float], None] = lambda _: None
    skipped: list[str] = field(default_factory=list)

    def path(self, text: str) -> Path:
        """A path as the user meant it."""
        return self.cwd / Path(text).expanduser()

    def file(self, text: str) -> Path:
        """A path to a file that must be there.

        Raises:
            CommandError: it is not.
        """
        path = self.path(text)
        if not path.is_file():
            raise CommandError(f"{text}: {'this is a folder, not a file' if path.is_dir() else 'there is no such file'}")
        return path

    def folder(self, text: str) -> Path:
        """A path to a folder that must be there.

        Raises:
            CommandError: it is not.
        """
        path = self.path(text)
        if not path.is_dir():
            raise CommandError(f"{text}: there is no such folder")
        return path

    def say(self, *lines: str) -> None:
        for line in lines:
            print(line, file=self.out, flush=True)

    def say_json(self, document: Any) -> None:
        """Records as objects, moments as ISO texts."""
        self.say(json.dumps(document, ensure_ascii=False, allow_nan=False, indent=1, default=_json_value))

    def warn(self, *lines: str) -> None:
        for line in lines:
            print(line, file=self.err, flush=True)

    def skip(self, *lines: str) -> None:
        """Name what is left out."""
        self.skipped.extend(lines)
        self.warn(*(f"skipped: {line}" for line in lines))

    def progress(self, done: int, total: int, label: str) -> None:
        """Say how much is done, as in ``1,000 of 5,000 images read``."""
        self.warn(f"{done:,} of {total:,} {label}")
        self.follow(done / total)


def _json_value(value: Any) -> Any:
    return (
        value.isoformat()
        if isinstance(value, datetime)
        else {field.name: getattr(value, field.name) for field in fields(value)}
    )


def digest(*parts: Path | str) -> str:
    """SHA-256 over files' contents and texts, in order."""
    total = hashlib.sha256()
    for part in parts:
        total.update(hashlib.sha256(part.read_bytes() if isinstance(part, Path) else part.encode()).digest())
    return total.hexdigest()


@contextmanager
def writing(output: object) -> Iterator[None]:
    """What is done here writes a file or a folder of this name.

    Raises:
        CommandError: it cannot be written.
    """
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        raise CommandError(f"{output} cannot be written: {error.strerror or error}") from error


def was_imported(context: Context, kind: str, sha256: str) -> bool:
    """Whether the project has an import of this kind and content, which is said then."""
    from data.store import imports

    known = imports.find_import(context.store, kind, sha256)
    if known is not None:
        context.say(f"nothing to do: this was imported before, as import {known}")
    return known is not None


def import_bundle(context: Context, bundle: ImportBundle, summary: str, dry_run: bool = False) -> None:
    """Store what an import brings and say what it did; a dry run only says what it would be.

    Raises:
        CommandError: something was left out: the job is not wholly done.
    """
    if dry_run:
        context.say(f"{summary}\na dry run: nothing is stored")
        return
    from data.store import imports

    (imported,) = imports.apply(context.store, [bundle])
    report_import(context, summary, imported)


def report_import(context: Context, summary: str, imported: Imported) -> None:
    """Say what an import did, line by line what it left out.

    Raises:
        CommandError: something was left out: the job is not wholly done.
    """
    if imported.import_id is not None and not imported.counts:
        context.say(f"nothing to do: this was imported before, as import {imported.import_id}")
        return
    number = f" (import {imported.import_id}; to take it back: import undo {imported.import_id})" if imported.import_id else ""
    context.say(summary + number)
    context.warn(*(f"left out: {line}" for line in imported.refused))
    if imported.refused:
        raise CommandError(f"{len(imported.refused)} skipped, as the project has different data for them; the rest is imported")


def warn(text: str) -> None:
    """A message of a command without a project."""
    print(text, file=sys.stderr, flush=True)


def parse_overrides(overrides: Sequence[str]) -> dict[str, str]:
    """Settings as ``--set`` has them, by name.

    Raises:
        UsageError: one is no ``key=value``.
    """
    settings = {}
    for text in overrides:
        key, equals, value = text.partition("=")
        if not equals or not key.strip():
            raise UsageError(f"--set {text}: expected key=value, e.g. threshold=0.4")
        settings[key.strip()] = value.strip()
    return settings


def run_guarded(context: Context, name: str, command: Callable[[], None]) -> int:
    """As `report_errors`, to whoever asked for the command; a damaged file of the project is named."""

    def guarded() -> None:
        try:
            command()
        except Exception as error:
            if why := context.store.why_unreadable(error):
                raise CommandError(why) from error
            raise

    return report_errors(context.warn, name, guarded)


def report_errors(warn: Callable[[str], None], name: str, command: Callable[[], None]) -> int:
    """Do what a command does. Whatever goes wrong is one line for ``warn`` (``CONCORD_DEBUG=1``: a traceback too)."""
    try:
        command()
    except BrokenPipeError:
        # whoever read the output has had enough; click ends quietly
        raise
    except Exception as error:
        expected = isinstance(error, (CommandError, ValueError, OSError))
        message = " ".join(str(error).splitlines())
        warn(f"{name}: {message}" if expected else f"{name}: unexpected {type(error).__name__}: {message}")
        if os.environ.get("CONCORD_DEBUG"):
            warn(traceback.format_exc())
        return error.status if isinstance(error, CommandError) else 1
    return 0
