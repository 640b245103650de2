"""How the app's process uses the machine: whose turn it is, and what becomes of memory that is free again."""

from __future__ import annotations

import ctypes
import sys
from contextlib import suppress
from typing import Final

_TURN_SECONDS: Final = 0.0005
"""So long may a thread that computes keep others waiting: an answer is many short statements, each of which waits its turn."""
_ARENA_MAX: Final = -8  # M_ARENA_MAX of glibc's malloc.h
_ARENAS: Final = 2


def settle() -> None:
    """Set the process up to serve; before it begins other threads."""
    sys.setswitchinterval(_TURN_SECONDS)
    # each thread would have a heap of its own, and what is free in one is of no use to forty others; other systems have no such
    # setting, and no such heaps
    with suppress(AttributeError, OSError, TypeError):
        ctypes.CDLL(None).mallopt(_ARENA_MAX, _ARENAS)
