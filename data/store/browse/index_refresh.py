"""Refreshing the browse index: by whoever reads it where little is stale, and in the background where much is."""

from __future__ import annotations

import threading
from contextlib import suppress
from typing import Final
from weakref import WeakKeyDictionary, WeakSet

from data.store import browse_index
from data.store.core.connections import NotWritten
from data.store.core.store import Store
from data.store.core.writer import CLOSED

_CHUNK: Final = 20_000
"""So many rows are made at once, while answers that come in wait."""
_AT_ONCE: Final = 2_000
"""A reader waits for so many stale rows; more are left to the background, where there is one."""
_EVERY: Final = 1.0  # seconds

_STALE: Final = (
    # a new project has nothing to make, and is still to be looked through once
    "select case when bool_or(item_id is null) then greatest(1, (select count(*) from items))"
    " else count(distinct item_id) end from stale"
)

_in_background: WeakSet[Store] = WeakSet()
_refreshing: WeakKeyDictionary[Store, threading.Lock] = WeakKeyDictionary()
"""Held by whoever refreshes a project's rows."""
_outdated_readers: WeakSet[Store] = WeakSet()
"""Whose readers were given rows of before."""


def count_stale(store: Store) -> int:
    """How many items have been written about since their rows were made: all of them, where everything is to be remade."""
    return int(store.query_value(_STALE))


def catch_up(store: Store) -> int:
    """Bring wide rows up to date before they are read; returns how many items are left that are not.

    Little is done at once. Much is left to the background where an ``IndexRefresher`` runs, and the project's version moves
    when that is done. Do not call it inside ``Store.read``.
    """
    behind = count_stale(store)
    if not behind:
        return 0
    if behind > _AT_ONCE and store in _in_background:
        _outdated_readers.add(store)
        return behind
    try:
        return refresh(store)
    except NotWritten:
        # the disk is full: rows of before can still be read
        return behind


def refresh(store: Store) -> int:
    """Make all stale rows anew, chunk by chunk; returns how many were left (0, unless somebody goes on writing)."""
    with _refreshing.setdefault(store, threading.Lock()):
        left = count_stale(store)
        while left:
            before, left = left, store.change(lambda writing: browse_index.refresh(writing, _CHUNK), shown=False)
            if left >= before and before <= _CHUNK:
                break
        if store in _outdated_readers:
            _outdated_readers.discard(store)
            # whoever was shown rows of before is to look again; no statistic has changed
            store.touch(frozenset())
    return left


class IndexRefresher:
    """Refreshes wide rows in the background until it is closed."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._stop = threading.Event()
        _in_background.add(store)
        self._thread = threading.Thread(target=self._run, name="wide-rows", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Stop after the chunk at hand. Safe to call twice."""
        self._stop.set()
        _in_background.discard(self._store)
        self._thread.join()

    def _run(self) -> None:
        seen = ""
        while not self._stop.wait(_EVERY):
            with suppress(*CLOSED, NotWritten):
                version = self._store.version
                if version != seen:
                    refresh(self._store)
                    seen = version
