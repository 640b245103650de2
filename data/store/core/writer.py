"""The one thread that writes. Statements that wait together are committed together, and acknowledged only then."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass
from queue import Empty, SimpleQueue
from typing import Any, TypeVar

import duckdb

from data.store.core.connections import Connection, is_durable
from data.store.core.database_file import DatabaseFile

P = TypeVar("P")
R = TypeVar("R")

Operation = Callable[[Connection, Sequence[P]], Sequence[R]]
"""Writes a batch of payloads in one go and returns one result for each, in order. It runs inside a transaction that it
must neither begin nor end, and may be called again with fewer payloads if the batch fails."""

Items = frozenset[str] | None
"""The items that a write says something of, which is all that it changes for any statistic; None: it may change anything."""

MAX_GROUP = 512
_STOP = None


class WriterClosed(RuntimeError):
    """A write after the store was closed."""


CLOSED = (WriterClosed, duckdb.ConnectionException)
"""What a store raises that was closed meanwhile."""


@dataclass(frozen=True, slots=True)
class _Write:
    operation: Operation[Any, Any]
    payload: Any
    future: Future[Any]
    shown: bool
    touched: Items
    forget: bool


class Writer:
    """Owns the writing connection, and closes it at its end.

    A failing job fails alone: the rest of its group is written without it.
    """

    def __init__(
        self,
        connection: Connection,
        on_commit: Callable[[Sequence[Items], bool], None],
        on_error: Callable[[Exception], Exception] = lambda error: error,
        on_rollback: Callable[[], None] = lambda: None,
        file: DatabaseFile | None = None,
    ) -> None:
        """Begin to write.

        Args:
            connection: the writer's own.
            on_commit: called after each commit that pages show.
            on_error: called with what failed; returns the error that whoever waits is given.
            on_rollback: called when what was read meanwhile may never have been.
            file: the database's file; nothing is acknowledged that is not in it. None: a database in memory.
        """
        self._connection = connection
        self._on_commit = on_commit
        self._on_error = on_error
        self._on_rollback = on_rollback
        self._file = file
        self._queue: SimpleQueue[_Write | None] = SimpleQueue()
        self._lock = threading.Lock()
        self._closed = False
        self._thread = threading.Thread(target=self._run, name="store-writer", daemon=True)
        self._thread.start()

    def submit(
        self, operation: Operation[P, R], payload: P, *, shown: bool = True, touched: Items = None, forget: bool = True
    ) -> Future[R]:
        """Queue a write; the future resolves once it is on disk.

        ``shown``: whether ``on_commit`` is to hear of it; it is told which items each write touched, and whether any of them
        changed more than what is said of items and asked to ``forget``.

        Raises:
            WriterClosed: the store has been closed.
        """
        future: Future[R] = Future()
        with self._lock:
            if self._closed:
                raise WriterClosed("the project is closed; nothing was written")
            self._queue.put(_Write(operation, payload, future, shown, touched, forget and not touched))
        return future

    def close(self) -> None:
        """Write what is queued, then stop. Safe to call twice."""
        with self._lock:
            if not self._closed:
                self._closed = True
                self._queue.put(_STOP)
        self._thread.join()

    def _run(self) -> None:
        stopping = False
        while not stopping:
            group: list[_Write] = []
            job = self._queue.get()
            while job is not None:
                group.append(job)
                if len(group) >= MAX_GROUP:
                    break
                try:
                    job = self._queue.get_nowait()
                except Empty:
                    break
            stopping = job is None
            for together in _together(group):
                self._write(together)
        self._connection.close()

    def _write(self, group: list[_Write]) -> None:
        try:
            results, number = self._transaction(group)
        except Exception as error:
            self._on_rollback()
            if len(group) == 1:
                group[0].future.set_exception(self._on_error(error))
            else:
                for job in group:
                    self._write([job])
            return
        shown = [job for job in group if job.shown]
        if shown:
            self._on_commit([job.touched for job in shown], any(job.forget for job in shown))
        absence = self._file.confirm(self._connection, number) if self._file is not None else None
        for job, result in zip(group, results, strict=True):
            if absence is None:
                job.future.set_result(result)
            else:
                job.future.set_exception(absence)

    def _transaction(self, group: list[_Write]) -> tuple[list[Any], int]:
        """Commit the group; returns its results and the number of its last write."""
        if self._file is not None and (absence := self._file.absence()) is not None:
            raise absence
        self._connection.begin()
        try:
            results: list[Any] = [None] * len(group)
            # whoever waits has seen none of the others' results, so each kind of write can be done at once
            places: dict[Operation[Any, Any], list[int]] = {}
            for index, job in enumerate(group):
                places.setdefault(job.operation, []).append(index)
            for operation, among in places.items():
                returned = operation(self._connection, [group[index].payload for index in among])
                if len(returned) != len(among):
                    raise RuntimeError(f"{operation} gave {len(returned)} results for {len(among)} payloads")
                for position, result in zip(among, returned, strict=True):
                    results[position] = result
            number = self._file.take_numbers(self._connection, len(group)) if self._file is not None else 0
            try:
                self._connection.commit()
            except duckdb.FatalException as error:
                # it is on disk, and whoever waits is not to send it again; what comes next is not
                if not is_durable(error):
                    raise
                self._on_error(error)
        except BaseException:
            # a commit that failed has ended the transaction already, and its own error is the one to tell
            with suppress(duckdb.Error):
                self._connection.rollback()
            raise
        return results, number


def _together(group: Sequence[_Write]) -> Iterator[list[_Write]]:
    """What is written in one transaction each, in its order: a write that makes ``memory`` forget stands alone, so that others
    may take what they need from there."""
    together: list[_Write] = []
    for job in group:
        if job.shown and job.forget:
            if together:
                yield together
            yield [job]
            together = []
        else:
            together.append(job)
    if together:
        yield together
