"""What a worker process was at when it died, how often it is started again, and that it lets others go first.

A small file is there only while a model is at work. Whatever ends a process in order takes the file away; a crash in native
code, the kernel when memory runs out, or ``kill -9`` leave it. Whoever holds the run counts what is left (``count_crashes``)
before it begins, and so comes to the one image that kills its worker.
"""

from __future__ import annotations

import json
import os
import socket
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

from data.jobs.runs import RunFolder


def lower_priority() -> None:
    """Let others on this machine go first, whoever labels images above all; what is begun from here does the same."""
    with suppress(AttributeError, OSError):
        os.nice(10)


_TWICE: Final = 2
_THRICE: Final = 3
"""A process may be killed by somebody who has nothing against the image that was at hand: once, and even twice, is no proof."""

_MOST_TIMES: Final = 4
"""Deaths at the same part that lead to one image."""
_MOST_BLAMED: Final = 8
"""Where a worker dies of more images than these, it is hardly the images."""


class CrashLog:
    """Names of things that a process was at when it died, in this run.

    Args:
        folder: the run's; None: nothing is kept, nobody is to blame.
    """

    def __init__(self, folder: Path | None) -> None:
        self._file = None if folder is None else folder / "attempts" / f"{socket.gethostname()}-{os.getpid()}.json"
        deaths = {} if folder is None else _counted_deaths(folder)
        self.suspects = frozenset(name for name, (times, _) in deaths.items() if times >= _TWICE)
        """A process died at each of these, alone or with others, twice: from now on alone."""
        self.blamed = frozenset(name for name, (times, alone) in deaths.items() if times >= _THRICE and alone >= _TWICE)
        """A process died at each of these, three times, of these twice at it alone: no more."""

    @contextmanager
    def at(self, names: Sequence[str]) -> Iterator[None]:
        """While something is done to these."""
        if self._file is None:
            yield
            return
        # where it cannot be written, nothing is known after a death: no reason to do nothing now
        with suppress(OSError):
            self._file.parent.mkdir(exist_ok=True)
            self._file.write_text(json.dumps(list(names)), encoding="utf-8")
        try:
            yield
        finally:
            with suppress(OSError):
                self._file.unlink(missing_ok=True)


def has_uncounted_crashes(folder: Path) -> bool:
    """Whether a process died while it was at something, and nobody has counted that yet. Asked when nobody is at work."""
    return next((folder / "attempts").glob("*.json"), None) is not None


def count_crashes(folder: Path) -> None:
    """Count what processes left that died. Only whoever holds the run may, before anybody is at work.

    Raises:
        OSError: the folder cannot be written.
    """
    deaths = dict(_counted_deaths(folder))
    for path in sorted((folder / "attempts").glob("*.json")):
        names = _names_in(path)
        for name in names:
            times, alone = deaths.get(name, (0, 0))
            deaths[name] = (times + 1, alone + (len(names) == 1))
        # first: counted twice would blame the innocent, not counted costs another death
        path.unlink(missing_ok=True)
    if deaths:
        (folder / "deaths.json").write_text(json.dumps(deaths, ensure_ascii=False), encoding="utf-8")


def _names_in(path: Path) -> list[str]:
    """Those in a file; none if it was cut off."""
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return []
    return [name for name in found if isinstance(name, str)] if isinstance(found, list) else []


def _counted_deaths(folder: Path) -> Mapping[str, tuple[int, int]]:
    """How often a process died at each, and at it alone. What cannot be read is no death."""
    try:
        found = json.loads((folder / "deaths.json").read_text(encoding="utf-8"))
        return {str(name): (int(times), int(alone)) for name, (times, alone) in found.items()}
    except (OSError, ValueError, TypeError, AttributeError):
        return {}


class RestartPolicy:
    """How often a worker that died is started again: as long as that leads anywhere.

    A worker that died at something goes on with the next one, which comes nearer to what killed it (see ``Attempts``). One that
    died without being at anything, or of many things one after the other, is not helped by that.

    Args:
        folder: the run's.
    """

    def __init__(self, folder: RunFolder) -> None:
        self._folder = folder
        self._far = (-1, 0)
        self._times = 0

    def again(self) -> bool:
        """Whether to start another worker, as one has ended before its time and nobody is at work."""
        if not has_uncounted_crashes(self._folder.path):
            return False
        far = (len(self._folder.parts()), len(CrashLog(self._folder.path).blamed))
        self._times = 1 if far != self._far else self._times + 1
        self._far = far
        return self._times <= _MOST_TIMES and far[1] <= _MOST_BLAMED
