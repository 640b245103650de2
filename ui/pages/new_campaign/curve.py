"""The figure of a plan: half the interval by number of prompts, a line for each number of people an image."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Final

import htpy
from htpy import Element

from concord.common import wording
from concord.new_campaigns.study_plan import StudyPlan

_WIDTH, _HEIGHT = 960, 288
_LEFT, _RIGHT, _TOP, _BOTTOM = 64, 936, 16, 232
_TICKS: Final = (1, 2, 5)
Place = Callable[[float], float]
"""Returns where a number stands along an axis."""


def curve_figure(plan: StudyPlan) -> Element | None:
    """Return the figure; None where there is nothing to draw."""
    known = [design.prompts for design in plan.designs if design.prompts is not None]
    if not known or not plan.variances:
        return None
    chosen = plan.chosen
    needed = chosen.prompts if chosen and chosen.prompts is not None else known[-1]
    most = max(round(2.2 * needed), round(1.3 * plan.prompts), round(1.1 * max(known)), 24)
    least = max(3, min(plan.prompts or most, needed, most) // 3)
    lines = [[(n, y) for n, y in plan.curve(k, most) if n >= least] for k in range(len(plan.designs))]
    top = max(y for line in lines for _, y in line[:1])
    high = min(top, 3.2 * max(plan.aim / (2 if plan.asked.goal == "difference" else 1), lines[-1][-1][1]))

    def x(prompts: float) -> float:
        return _LEFT + (_RIGHT - _LEFT) * (prompts - least) / (most - least)

    def y(half: float) -> float:
        return _BOTTOM - (_BOTTOM - _TOP) * min(half, high) / high

    marks = [_axes(plan, least, most, high, x, y)]
    for design, line in zip(plan.designs, lines, strict=True):
        drawn = [(n, half) for n, half in line if half <= high]
        if len(drawn) < 2:
            continue
        is_chosen = design.ratings == plan.asked.people
        points = " ".join(f"{x(n):z.1f},{y(half):z.1f}" for n, half in drawn)
        marks.append(
            htpy.polyline(points=points, class_=["cc-curve", is_chosen and "is-chosen", plan.typical and "is-typical"])
        )
        if design is plan.designs[0]:
            n, half = drawn[len(drawn) // 8]
            marks.append(_text(x(n) + 6, y(half) - 6, "1 person", "is-people"))
    marks += _points(plan, x, y, high, least)
    label = (
        f"Half the interval by number of prompts: {needed:,} prompts with {wording.count(plan.asked.people, 'person')} an image"
    )
    return htpy.svg(viewbox=f"0 0 {_WIDTH} {_HEIGHT}", width="100%", role="img", aria_label=label)[marks]


def _points(plan: StudyPlan, x: Place, y: Place, high: float, least: int) -> Sequence[Element]:
    """Return the marks of today and of what is needed."""
    marks: list[Element] = []
    chosen = plan.chosen
    if chosen is None:
        return marks
    index = plan.designs.index(chosen)
    if chosen.half_width is not None and chosen.half_width <= high and plan.prompts >= least:
        at = x(plan.prompts), y(chosen.half_width)
        marks.append(htpy.circle(cx=f"{at[0]:z.1f}", cy=f"{at[1]:z.1f}", r="5", class_="cc-curve-today"))
        marks.append(_text(at[0] + 10, at[1] - 8, f"today: {plan.prompts:,} prompts, ± {chosen.half_width:.2g}"))
    if chosen.prompts is not None:
        half = plan.variances[index].half_width(chosen.prompts) * plan.span
        at = x(chosen.prompts), y(half)
        hollow = "is-typical" if plan.typical else ""
        marks.append(htpy.circle(cx=f"{at[0]:z.1f}", cy=f"{at[1]:z.1f}", r="7", class_=f"cc-curve-needed {hollow}"))
        words = f"{chosen.prompts:,} prompts, {wording.count(chosen.ratings, 'person')}"
        marks.append(_text(at[0] + 6, at[1] - 14, words, "is-people is-strong"))
    return marks


def _axes(plan: StudyPlan, least: int, most: int, high: float, x: Place, y: Place) -> Element:
    parts: list[Element] = []
    for half in _ticks(high, 4):
        parts.append(
            htpy.line(x1=str(_LEFT), x2=str(_RIGHT), y1=f"{y(half):z.1f}", y2=f"{y(half):z.1f}", class_="cc-curve-grid")
        )
        parts.append(_text(_LEFT - 8, y(half) + 4, f"± {half:.2g}", "is-end"))
    parts += [_text(x(n), _BOTTOM + 24, f"{n:z,.0f}", "is-middle") for n in _ticks(most, 6) if n >= least]
    each = "image" if plan.images == 1 else "images"
    by = f" by {wording.count(plan.generators, 'generator')}" if plan.generators > 1 else ""
    parts.append(_text((_LEFT + _RIGHT) / 2, _BOTTOM + 48, f"prompts, {plan.images} {each} of each{by}", "is-middle"))
    if plan.asked.goal != "difference" and plan.aim <= high:
        at = y(plan.aim)
        parts.append(htpy.line(x1=str(_LEFT), x2=str(_RIGHT), y1=f"{at:z.1f}", y2=f"{at:z.1f}", class_="cc-curve-aim"))
        parts.append(_text(_RIGHT - 4, at - 6, f"wanted ± {plan.aim:.2g}", "is-end is-strong is-aim"))
    return htpy.g[parts]


def _ticks(most: float, about: int) -> list[float]:
    """Return about so many round numbers from above 0 to the highest."""
    size = 10 ** math.floor(math.log10(most / about))
    step = next(size * k for k in (*_TICKS, 10) if most / (size * k) <= about + 0.5)
    return [step * n for n in range(1, int(most / step + 1e-9) + 1)]


def _text(x: float, y: float, words: str, kind: str = "") -> Element:
    return htpy.text(x=f"{x:z.1f}", y=f"{y:z.1f}", class_=kind or None)[words]
