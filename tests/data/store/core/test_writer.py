"""The writer: what is acknowledged is on disk, what fails fails alone."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import duckdb
import pytest

from data.store.core.store import Store, transaction
from data.store.core.writer import Items, Writer, WriterClosed


class Desk:
    """A writer on a table of its own, whose thread can be held so that what is submitted meanwhile waits together."""

    def __init__(self) -> None:
        self.connection = duckdb.connect(":memory:")
        self.connection.execute("create table t (n integer primary key)")
        self.commits = 0
        self.forgotten = 0
        self.batches: list[list[int]] = []
        self.writer = Writer(self.connection.cursor(), self._count, on_rollback=self._forget)

    def _count(self, _: Sequence[Items], forget: bool) -> None:  # noqa: ARG002
        self.commits += 1

    def _forget(self) -> None:
        self.forgotten += 1

    def insert(self, cursor: duckdb.DuckDBPyConnection, payloads: Sequence[int]) -> list[int]:
        self.batches.append(list(payloads))
        for n in payloads:
            cursor.execute("insert into t values (?)", [n])
        return [n * 10 for n in payloads]

    def put(self, n: int) -> Future[int]:
        """Insert a number, which changes nothing that is kept in memory."""
        return self.writer.submit(self.insert, n, forget=False)

    def rows(self) -> list[int]:
        return [row[0] for row in self.connection.cursor().execute("select n from t order by n").fetchall()]

    @contextmanager
    def held(self) -> Iterator[None]:
        begun, go_on = threading.Event(), threading.Event()

        def wait(_: Any, payloads: Sequence[None]) -> list[None]:
            begun.set()
            assert go_on.wait(10)
            return list(payloads)

        self.writer.submit(wait, None)
        assert begun.wait(10)
        try:
            yield
        finally:
            go_on.set()


@pytest.fixture
def desk() -> Iterator[Desk]:
    made = Desk()
    yield made
    made.writer.close()
    made.connection.close()


def results(futures: Sequence[Future[int]]) -> list[int]:
    return [future.result(10) for future in futures]


def test_what_waits_together_is_one_commit_with_results_in_order(desk: Desk) -> None:
    with desk.held():
        futures = [desk.put(n) for n in (3, 1, 2)]
    assert results(futures) == [30, 10, 20]
    assert desk.batches == [[3, 1, 2]]
    assert desk.commits == 2  # the one that held, and the group
    assert desk.rows() == [1, 2, 3]


def test_a_failing_job_fails_alone(desk: Desk) -> None:
    with desk.held():
        futures = [desk.put(n) for n in (1, 2, 2, 3)]
    assert results([*futures[:2], futures[3]]) == [10, 20, 30]
    with pytest.raises(duckdb.ConstraintException):
        futures[2].result(10)
    assert desk.rows() == [1, 2, 3]
    assert desk.commits == 4


def test_what_makes_memory_forget_is_written_alone_in_its_place(desk: Desk) -> None:
    with desk.held():
        futures = [desk.put(1), desk.put(2), desk.writer.submit(desk.insert, 3), desk.put(4), desk.put(5)]
    assert results(futures) == [10, 20, 30, 40, 50]
    assert desk.batches == [[1, 2], [3], [4, 5]]


def test_who_keeps_what_was_read_hears_of_what_was_rolled_back(desk: Desk) -> None:
    assert results([desk.put(1)]) == [10]
    assert desk.forgotten == 0
    with pytest.raises(duckdb.ConstraintException):
        desk.put(1).result(10)
    assert desk.forgotten == 1


def test_the_writer_goes_on_after_failures_of_any_kind(desk: Desk) -> None:
    def too_few(_: Any, __: Sequence[int]) -> list[int]:
        return []

    def ends_the_transaction(cursor: duckdb.DuckDBPyConnection, payloads: Sequence[int]) -> list[int]:
        cursor.rollback()
        raise LookupError(payloads)

    with pytest.raises(RuntimeError, match="0 results for 1 payloads"):
        desk.writer.submit(too_few, 1).result(10)
    with pytest.raises(LookupError):
        desk.writer.submit(ends_the_transaction, 1).result(10)
    assert desk.writer.submit(desk.insert, 5).result(10) == 50
    assert desk.commits == 1


def test_closing_writes_what_waits_and_then_refuses(desk: Desk) -> None:
    with desk.held():
        futures = [desk.writer.submit(desk.insert, n) for n in range(20)]
        closing = threading.Thread(target=desk.writer.close)
        closing.start()
    closing.join(10)
    assert results(futures) == [n * 10 for n in range(20)]
    with pytest.raises(WriterClosed):
        desk.writer.submit(desk.insert, 99)
    desk.writer.close()
    assert desk.rows() == list(range(20))


@transaction()
def _add(cursor: duckdb.DuckDBPyConnection, n: int) -> int:
    cursor.execute("insert into meta values (?, 'x')", [f"n{n}"])
    return n


@transaction()
def _fail(_: duckdb.DuckDBPyConnection, n: int) -> None:
    raise KeyError(n)


def test_many_threads_save_all_once(store: Store) -> None:
    def work(thread: int) -> list[int]:
        return [_add(store, thread * 20 + k) for k in range(20)]

    with ThreadPoolExecutor(16) as pool:
        collected = list(pool.map(work, range(16)))
    assert collected == [[thread * 20 + k for k in range(20)] for thread in range(16)]
    with store.read() as cursor:
        keys = cursor.execute("select key from meta where key like 'n%'").fetchall()
    assert sorted(keys) == sorted((f"n{n}",) for n in range(320))


def test_the_version_moves_with_commits_and_not_otherwise(store: Store) -> None:
    before = store.version
    with store.read() as cursor:
        cursor.execute("select * from meta").fetchall()
    with pytest.raises(KeyError):
        _fail(store, 1)
    assert store.version == before
    _add(store, 1)
    assert store.version != before


def test_versions_of_two_openings_differ(tmp_path: Path) -> None:
    with Store(tmp_path) as first:
        version = first.version
    with Store(tmp_path) as second:
        assert second.version != version
    with pytest.raises(WriterClosed):
        _add(second, 1)


def test_what_is_overwritten_is_let_go_of(tmp_path: Path) -> None:
    @transaction()
    def overwrite(cursor: duckdb.DuckDBPyConnection, n: int) -> None:
        cursor.execute("update meta set value = ? where key = 'n0'", [str(n)])

    with Store(tmp_path) as store:
        _add(store, 0)
    with Store(tmp_path) as store:
        for n in range(40):
            overwrite(store, n)
        with store.read() as cursor:
            row = cursor.execute("select memory_usage_bytes from duckdb_memory() where tag = 'TRANSACTION'").fetchone()
    # DuckDB keeps a quarter of a megabyte for each of them as long as any connection is in a transaction from before
    assert row is not None
    assert row[0] < 2**20
