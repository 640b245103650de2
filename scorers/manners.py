"""How a process that computes for hours behaves beside one that people wait for."""

from __future__ import annotations

import os
from contextlib import suppress


def stand_back() -> None:
    """Let others on this machine go first, whoever labels images above all; what is begun from here does the same."""
    with suppress(AttributeError, OSError):
        os.nice(10)
