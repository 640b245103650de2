"""Backups by themselves: when, when not, what is said when they fail, and that nothing waits for them."""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from data.store.backup import backups, restoring, scheduler
from data.store.backup.backups import Backup
from data.store.backup.scheduler import BackupScheduler
from data.store.core.database_copy import copy_database
from data.store.core.store import Store
from data.store.people import erasing
from tests.data.store.backup.test_backups import bytes_with
from tests.data.store.people.test_erasing import NAME, everything
from tests.data.store.small_project import fill, submit

NOW = datetime(2026, 11, 22, tzinfo=UTC)
DAY = timedelta(days=1)


def until(true: Callable[[], object], seconds: float = 30) -> None:
    end = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < end, "it did not happen"
        time.sleep(0.02)


def names(store: Store) -> list[str]:
    return [backup.name for backup in backups.list_backups(backups.backup_folder(store.project))]


def keeper(store: Store, answers: list[str], every_hours: float = 1e-9, **how: Any) -> BackupScheduler:
    return BackupScheduler(store, every_hours, 2, answers.append, **{"first": 0.01, "look": 0.01, "again": 0.01, **how})


def dated(made: datetime) -> Backup:
    return Backup(Path("x"), backups.Manifest("p", 1, "", made, "", "", 1, "", 0, {}, 0, 0, ""))


def test_when_a_backup_is_due() -> None:
    assert scheduler.is_due(None, DAY, NOW)
    assert not scheduler.is_due(dated(NOW - timedelta(hours=23)), DAY, NOW)
    assert scheduler.is_due(dated(NOW - DAY), DAY, NOW)
    # the clock went back: waiting until it is where it was might take years
    assert scheduler.is_due(dated(NOW + timedelta(days=3650)), DAY, NOW)


def test_a_backup_is_made_only_after_changes(store: Store) -> None:
    assert scheduler.make_scheduled(store, None) is None, "there is nothing in it"
    items = fill(store)
    first = scheduler.make_scheduled(store, None)
    assert first is not None
    assert first.manifest.reason == backups.SCHEDULED
    assert scheduler.make_scheduled(store, first) is None
    restoring.remember_copy(store, store.project / "x", "backup")
    assert scheduler.make_scheduled(store, first) is None, "nobody has said or done anything"
    submit(store, items[0])
    second = scheduler.make_scheduled(store, first)
    assert second is not None
    # a damaged one is no backup
    second.database.write_bytes(b"x")
    assert scheduler.make_scheduled(store, second) is not None


def test_it_goes_on_by_itself_and_keeps_so_many(store: Store) -> None:
    items = fill(store, 8)
    answers: list[str] = []
    running = keeper(store, answers)
    try:
        last = ""
        for item in items[:4]:
            submit(store, item)
            until(lambda last=last: names(store)[-1:] not in ([], [last]))  # type: ignore[misc]
            last = names(store)[-1]
        # two, and the last of the week before them, which is this one
        until(lambda: len(names(store)) <= 3)
        assert scheduler.backup_state(store) is not None
    finally:
        running.close()
    assert answers == []
    assert scheduler.backup_state(store) is None


def test_not_before_its_time_and_never_if_it_is_off(store: Store) -> None:
    items = fill(store)
    for hours in (24.0, 0.0):
        running = keeper(store, [], hours)
        if hours:
            until(lambda: names(store))
        count = len(names(store))
        submit(store, items[0], f"after {hours}")
        time.sleep(0.2)
        running.close()
        running.close()
        assert len(names(store)) == count == 1


def test_a_failure_is_reported_once_and_tried_again(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    fill(store)
    tries: list[int] = []
    copy = copy_database

    def full(*values: Any) -> Any:
        tries.append(1)
        if len(tries) < 4:
            raise OSError(28, "No space left on device")
        return copy(*values)

    monkeypatch.setattr(backups, "copy_database", full)
    answers: list[str] = []
    version = store.version
    running = keeper(store, answers, again=0.05)
    until(lambda: answers)
    state = scheduler.backup_state(store)
    assert state is not None
    assert (state.failed, state.since is not None) == ("No space left on device", True)
    until(lambda: store.version != version)
    until(lambda: names(store))
    until(lambda: len(answers) > 1)
    assert answers == [
        "No backup could be made: No space left on device. It is tried again every 0 minutes.",
        "Backups are made again.",
    ]
    until(lambda: (now := scheduler.backup_state(store)) is not None and not now.failed)
    running.close()


def test_closing_gives_up_what_is_being_made(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    fill(store)
    # a rest that only the end cuts short
    monkeypatch.setattr(scheduler, "LONGEST_REST", 20.0)
    monkeypatch.setattr(scheduler, "SHARE", 1e9)
    running = keeper(store, [])
    time.sleep(0.3)
    begun = time.monotonic()
    running.close()
    assert time.monotonic() - begun < 5
    assert names(store) == []
    assert not backups.backup_folder(store.project).exists() or list(backups.backup_folder(store.project).iterdir()) == []


def test_an_erasure_that_was_broken_off_is_finished(store: Store) -> None:
    everything(store)
    with store.read() as cursor:
        backups.make_backup(cursor, store.project)
    erasing.erase(store, NAME)
    assert [backup.name for backup in scheduler.backups_with_erased(store)] == names(store) != []
    running = keeper(store, [], 24)
    until(lambda: not scheduler.backups_with_erased(store))
    running.close()
    assert bytes_with(store.project, NAME) == []
