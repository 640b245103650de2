"""The schedule of backups: how often they are made by themselves, and how many stay. Commands import this: nothing heavy."""

from __future__ import annotations

from typing import Final

EVERY_HOURS: Final = 24.0
KEEP: Final = 7
"""So many of the newest scheduled backups stay."""
WEEKS: Final = 4
"""The number of weeks whose last scheduled backup stays, besides the newest ones."""
