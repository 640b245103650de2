"""A number as a dot with its interval as a bar, placed by percent on an axis, so that it shrinks and never goes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import htpy
import numpy as np
from htpy import Element

from agreement.estimate import Estimate, WithInterval
from concord.common import wording


@dataclass(frozen=True, slots=True)
class Axis:
    """A span of numbers with round ticks.

    Attributes:
        digits: behind the point, of its numbers.
    """

    low: float
    high: float
    ticks: tuple[float, ...]
    digits: int

    def percent(self, value: float) -> float:
        """Return where a number stands, 0 to 100; what lies outside stands at the end."""
        return round(100 * min(max((value - self.low) / (self.high - self.low), 0.0), 1.0), 2)

    def text(self, value: float) -> str:
        """Return a number as it is written on this axis."""
        return f"{value:z.{self.digits}f}"


_STEPS = (1.0, 2.0, 2.5, 5.0, 10.0)


def axis_of(numbers: Sequence[float], ticks: int = 5, zero: bool = False) -> Axis:
    """Return an axis with round ends around some numbers, with about so many ticks; from 0 on, if `zero`."""
    low, high = (min(numbers), max(numbers)) if numbers else (0.0, 1.0)
    low = min(low, 0.0) if zero else low
    span = high - low or abs(high) or 1.0
    size = 10 ** np.floor(np.log10(span / max(ticks - 1, 1)))
    step = float(next(size * step for step in _STEPS if span / (size * step) <= ticks - 1 + 1e-9))
    start, end = np.floor(low / step + 1e-9) * step, np.ceil(high / step - 1e-9) * step
    if end <= start:
        end = start + step
    places = [float(round(value, 12)) for value in np.arange(start, end + step / 2, step)]
    digits = max(0, int(-np.floor(np.log10(step) + 1e-9)))
    if step / 10**-digits % 1 > 1e-9:
        digits += 1
    return Axis(float(start), float(end), tuple(places), digits)


def axis_scale(axis: Axis, every: int = 1) -> Element:
    """Return the numbers of an axis, such as every second one; where it is too narrow for them, fewer are visible."""
    shown = axis.ticks[::every]
    texts = [f"{tick:z.{axis.digits}f}".rstrip(".") for tick in shown]
    longest = max(map(len, texts), default=0)
    room = min(_ROOMS, key=lambda each: abs(each - len(texts) * (_CHARACTER * longest + _GAP)))
    last = len(shown) - 1

    def kind(n: int) -> str:
        if n in (0, last):
            return ""
        # of an even number of ticks the last but one stands beside the last
        return "is-second" if n % 2 or (last % 2 and n == last - 1) else "is-inner"

    return htpy.span(class_=["cc-axis", f"needs-{room}"], aria_hidden="true")[
        [
            htpy.i(class_=kind(n), style=f"left:{axis.percent(tick)}%")[text]
            for n, (tick, text) in enumerate(zip(shown, texts, strict=True))
        ]
    ]


_ROOMS = (60, 90, 120, 150, 180, 210)
"""Widths in px below which an axis shows every second number, and below half of which its ends (`assets/css/places.css`)."""
_CHARACTER, _GAP = 6.5, 8


def dot(
    row: WithInterval,
    axis: Axis,
    kind: str,
    *,
    every: int = 1,
    chance: float | None = None,
    beside: float | None = None,
    level: WithInterval | None = None,
) -> Element:
    """Return a dot, its interval and the axis's ticks.

    Args:
        row: with a value.
        axis: where it stands.
        kind: `people`, `scorer` or `simulated`: the colour, and whether it is hollow.
        every: one tick in so many.
        chance: where a dashed line stands, such as 0 for differences.
        beside: another value of the same, as a hollow tick.
        level: people's own number by the same statistic, as a band with a line.
    """
    assert row.value is not None
    has = row.low is not None and row.high is not None
    low, high = (axis.percent(end) for end in (row.low, row.high)) if has else (0.0, 0.0)  # type: ignore[arg-type]
    return htpy.span(class_=["cc-dot", f"cc-dot--{kind}", not has and "is-open"])[
        [htpy.i(class_="cc-dot-tick", style=f"left:{axis.percent(tick)}%") for tick in axis.ticks[::every]],
        level is not None and level.value is not None and _band(level, axis),
        chance is not None and htpy.i(class_="cc-dot-chance", style=f"left:{axis.percent(chance)}%"),
        has and htpy.i(class_="cc-dot-bar", style=f"left:{low}%;width:{max(round(high - low, 2), 0.5)}%"),
        beside is not None and htpy.i(class_="cc-dot-beside", style=f"left:{axis.percent(beside)}%"),
        htpy.i(class_="cc-dot-point", style=f"left:{axis.percent(row.value)}%"),
    ]


def _band(level: WithInterval, axis: Axis) -> list[Element]:
    """Return an interval as a band over the whole height, and its value as a line."""
    low, high = (axis.percent(end if end is not None else level.value or 0.0) for end in (level.low, level.high))
    return [
        htpy.i(class_="cc-dot-level", style=f"left:{low}%;width:{round(high - low, 2)}%"),
        htpy.i(class_="cc-dot-middle", style=f"left:{axis.percent(level.value or 0.0)}%"),
    ]


def interval_text(row: WithInterval) -> str:
    """Return an interval in brackets, to two digits; empty where there is none."""
    if row.low is None or row.high is None:
        return ""
    return f"[{wording.two(row.low)}, {wording.two(row.high)}]"


def number_title(row: Estimate) -> str:
    """Return a number with its interval and what it rests on, in words."""
    assert row.value is not None
    bounds = "no interval" if row.low is None else f"95 % interval {row.low:z.3f} to {row.high:z.3f}"
    n = [wording.count(row.n_prompts, "prompt"), wording.count(row.n_items, "image"), wording.count(row.n_ratings, "answer")]
    return f"{row.value:z.3f}, {bounds}; {', '.join(n)}"
