"""Thumbnails made ahead: what grids will ask for is there before anybody looks, made by a thread that gives way to all else."""

from __future__ import annotations

import os
import shutil
import sys
import threading
import time
from contextlib import suppress
from typing import Any, Final

from data.store.browse import contents
from data.store.core.connections import NotWritten
from data.store.core.store import Store
from data.store.core.writer import CLOSED

_EVERY: Final = 2.0  # seconds between looks for new images
_REST: Final = 0.5
"""For each second of work so many seconds of rest."""
_AT_ONCE, _BREATH = 500, 0.02
"""After so many files so many seconds of rest, though all of them be there."""
_FREE: Final = 1 << 30  # bytes that are left on the disk


class Thumbnails:
    """Makes the thumbnails of an open project in the background until it is closed. Nothing to make costs nothing.

    Attributes:
        made, skipped: how many so far; a picture that cannot be read is skipped, with one line on stderr.
    """

    def __init__(self, store: Store) -> None:
        self.made, self.skipped = 0, 0
        self._store = store
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="thumbnails", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """Stop after the picture at hand. Safe to call twice."""
        self._stop.set()
        self._thread.join()

    def _run(self) -> None:
        # on Linux a thread has a priority of its own; elsewhere the rests must do
        with suppress(OSError, AttributeError):
            os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), 19)
        seen: tuple[str, Any] = ("", None)
        while not self._stop.wait(_EVERY if seen[0] else 0.1):
            with suppress(*CLOSED, NotWritten):
                version = self._store.version
                if version == seen[0]:
                    continue
                state = contents.image_files_state(self._store)
                if state != seen[1] and not self._make_all():
                    return
                seen = (version, state)

    def _make_all(self) -> bool:
        """Make what is missing; False if it is time to stop."""
        from ui.web.api import images  # it needs the web server's libraries, which no command should load

        for place, sha256 in enumerate(contents.image_hashes(self._store), 1):
            if self._stop.wait(0 if place % _AT_ONCE else _BREATH):
                return False
            if shutil.disk_usage(self._store.project).free < _FREE:
                print("thumbnails: less than 1 GB is left on the disk, so no more are made ahead", file=sys.stderr, flush=True)
                return False
            start = time.perf_counter()
            try:
                if not images.make_ahead(self._store, sha256, images.IN_GRIDS):
                    continue
                self.made += 1
            except (ValueError, OSError) as error:
                self.skipped += 1
                where = next(iter(contents.pictures(self._store, sha256)), sha256)
                print(f"thumbnails: {where} is skipped: {error}", file=sys.stderr, flush=True)
            self._stop.wait(_REST * (time.perf_counter() - start))
        return True
