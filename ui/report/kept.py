"""Reports that were made for a page and can be fetched in every format: the last few, in memory."""

from __future__ import annotations

import secrets
import threading
from collections import OrderedDict
from dataclasses import dataclass, field
from typing import Final
from weakref import WeakKeyDictionary

from data.store.core.store import Store
from ui.report.content import Document
from ui.report.material import Material

MOST: Final = 3


@dataclass(slots=True)
class _Shelf:
    """One project's reports by key, the oldest first."""

    made: OrderedDict[str, tuple[Document, Material]] = field(default_factory=OrderedDict)
    lock: threading.Lock = field(default_factory=threading.Lock)


_shelves: WeakKeyDictionary[Store, _Shelf] = WeakKeyDictionary()
_first = threading.Lock()


def _shelf(store: Store) -> _Shelf:
    with _first:
        return _shelves.setdefault(store, _Shelf())


def keep(store: Store, document: Document, material: Material) -> str:
    """Keep a report; returns its key. The oldest of more than MOST goes."""
    shelf, key = _shelf(store), secrets.token_hex(8)
    with shelf.lock:
        shelf.made[key] = (document, material)
        while len(shelf.made) > MOST:
            shelf.made.popitem(last=False)
    return key


def find(store: Store, key: str) -> tuple[Document, Material] | None:
    """A report by its key, None if it is gone."""
    shelf = _shelf(store)
    with shelf.lock:
        return shelf.made.get(key)
