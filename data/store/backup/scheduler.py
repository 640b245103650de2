"""Backups by themselves: one every so often while the app is open, if anything has changed since the last."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Final
from weakref import WeakKeyDictionary

import duckdb

from data.backup_schedule import EVERY_HOURS, KEEP
from data.store.backup import backups, restoring
from data.store.backup.backups import SCHEDULED, Backup, BadBackup
from data.store.core.database_copy import Pause, Stopped, database_contents, no_pause
from data.store.core.store import Store
from data.store.core.writer import CLOSED
from data.store.erased import marks

_FIRST_LOOK: Final = 60.0  # seconds; whoever opens the app is not to wait for this
_LOOK: Final = 60.0
_AGAIN: Final = 900.0
"""After a failure."""
SHARE: Final = 1.0
"""So long a rest for each second of work."""
LONGEST_REST: Final = 0.5


@dataclass(frozen=True, slots=True)
class BackupState:
    """How backups of an open project stand.

    Attributes:
        failed: why the last one failed, one line; empty if it did not.
        since: when they began to fail.
    """

    last: datetime | None = None
    failed: str = ""
    since: datetime | None = None


_states: WeakKeyDictionary[Store, BackupState] = WeakKeyDictionary()


def backup_state(store: Store) -> BackupState | None:
    """How it stands; None where nobody makes backups."""
    return _states.get(store)


class BackupScheduler:
    """Makes backups of a store in the background until it is closed."""

    def __init__(
        self,
        store: Store,
        every_hours: float = EVERY_HOURS,
        keep: int = KEEP,
        say: Callable[[str], None] | None = None,
        *,
        first: float = _FIRST_LOOK,
        look: float = _LOOK,
        again: float = _AGAIN,
    ) -> None:
        self._store = store
        self._every = timedelta(hours=every_hours)
        self._keep = keep
        self._say = say or (lambda text: print(text, file=sys.stderr, flush=True))
        self._waits = (first, look, again)
        self._stop = threading.Event()
        self._seen = ""
        self._thread = threading.Thread(target=self._run, name="backups", daemon=True)
        if every_hours > 0:
            _states[store] = BackupState()
            self._thread.start()

    def close(self) -> None:
        """Stop: what is being made is given up. Safe to call twice."""
        self._stop.set()
        if self._thread.is_alive():
            self._thread.join()
        _states.pop(self._store, None)

    def _run(self) -> None:
        lower_priority()
        first, look, again = self._waits
        wait = first
        while not self._stop.wait(wait):
            try:
                if not self._seen and backups_with_erased(self._store):
                    # an erasure was broken off
                    restoring.erase_from_copies(self._store)
                self._look()
                wait = look
            except (Stopped, *CLOSED):
                return
            except Exception as error:
                # whatever it is: the app goes on, and the next try may do
                self._tell(error)
                wait = again

    def _look(self) -> None:
        version = self._store.version
        with backups.backup_lock:
            # the newest, whatever it was made for, but for those that lack files
            known = backups.list_backups(backups.backup_folder(self._store.project))
            last = next((backup for backup in reversed(known) if not backup.manifest.reason.startswith("before-")), None)
            if version != self._seen and is_due(last, self._every, datetime.now(UTC)):

                def rest(seconds: float) -> None:
                    if self._stop.wait(min(seconds * SHARE, LONGEST_REST)):
                        raise Stopped

                made = make_scheduled(self._store, last, rest)
                self._seen = version
                if made is not None:
                    last = made
                    backups.retire_backups(self._store.project, self._keep, _good)
        before = _states.get(self._store, BackupState())
        _states[self._store] = BackupState(last.manifest.made if last else None)
        if before.failed:
            self._say("Backups are made again.")
            self._show()

    def _tell(self, error: Exception) -> None:
        why = getattr(error, "strerror", None) or " ".join(str(error).split())
        before = _states.get(self._store, BackupState())
        _states[self._store] = BackupState(before.last, why, before.since or datetime.now(UTC))
        if not before.failed:
            self._say(f"No backup could be made: {why}. It is tried again every {self._waits[2] / 60:.0f} minutes.")
            self._show()

    def _show(self) -> None:
        """Let open pages look again; no statistic has changed."""
        with suppress(*CLOSED, duckdb.Error):
            self._store.touch(frozenset())


def is_due(last: Backup | None, every: timedelta, now: datetime) -> bool:
    """Whether it is time for another. A backup from the future says that the clock went back, and nothing of when it was."""
    return last is None or last.manifest.made > now or now - last.manifest.made >= every


def make_scheduled(store: Store, last: Backup | None, rest: Pause = no_pause) -> Backup | None:
    """Make a scheduled backup, unless nothing was said or done since the last or ever; ``backups.making`` is held."""
    with store.read() as cursor:
        cursor.begin()
        try:
            lasting = database_contents(cursor, rest).lasting()
        finally:
            cursor.rollback()
        if last is None:
            if not any(held.rows for name, held in lasting.items() if name not in ("meta", "campaigns", "imports")):
                return None
        elif last.manifest.duckdb == duckdb.__version__ and lasting == last.manifest.contents.lasting() and _good(last):
            return None
        return backups.make_backup(cursor, store.project, SCHEDULED, rest=rest)


def _good(backup: Backup) -> bool:
    """Whether a backup's database is what was written."""
    with suppress(BadBackup):
        backups.check_backup(backup, files=False)
        return True
    return False


def lower_priority() -> None:
    """Let everybody else's threads go first, where the system knows such a thing for threads (Linux)."""
    if sys.platform == "linux":
        with suppress(OSError):
            os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), 10)


def backups_with_erased(store: Store) -> list[Backup]:
    """Backups in the project that may still hold somebody who was erased: erasing them was broken off."""
    with store.read() as cursor:
        known = len(marks(cursor))
    return [backup for backup in backups.list_backups(backups.backup_folder(store.project)) if backup.manifest.erased < known]
