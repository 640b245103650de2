"""Options that several requests have in common. Commands import this before they know their project: nothing heavy."""

from __future__ import annotations

from typing import Annotated

from data.requests import Setting

Intervals = Annotated[bool, Setting("95 % intervals.")]
Scorers = Annotated[tuple[str, ...], Setting("Only this scorer, beside people. Repeatable.")]
