"""The curve of Tune: agreement with people along one setting, its band, people's own level, and where the setting stands."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import htpy
from htpy import Element, Node

from agreement.estimate import Ceiling
from concord.common import wording
from concord.error_analysis.tuning import SettingCurve
from ui.components.dots import Axis, axis_of

_WIDTH, _HEIGHT = 620, 340
_LEFT, _RIGHT, _TOP, _BOTTOM = 40, 600, 24, 300
_SIDE: Final = 120
"""A text nearer to the right end than this stands left of its point."""


@dataclass(frozen=True, slots=True)
class _Plane:
    """Where numbers stand in the drawing."""

    across: Axis
    upwards: Axis

    def x(self, value: float) -> float:
        """Return the place of a setting's value."""
        share = (value - self.across.low) / (self.across.high - self.across.low)
        return round(_LEFT + (_RIGHT - _LEFT) * share, 1)

    def y(self, value: float) -> float:
        """Return the place of an agreement."""
        return round(_BOTTOM - (_BOTTOM - _TOP) * self.upwards.percent(value) / 100, 1)


def curve_figure(curve: SettingCurve, level: Ceiling | None, statistic: str, who: str) -> Node:
    """Return the curve as an SVG; nothing where no value of the setting has any agreement."""
    known = [(at, point) for at, point in zip(curve.at, curve.points, strict=True) if point.value is not None]
    if len(known) < 2:
        return ""
    heights = [end for _, point in known for end in (point.value, point.low, point.high) if end is not None]
    if level is not None:
        heights += [end for end in (level.value, level.low, level.high) if end is not None]
    ends = axis_of([curve.at[0], curve.at[-1]], 6)
    across = Axis(curve.at[0], curve.at[-1], tuple(t for t in ends.ticks if curve.at[0] <= t <= curve.at[-1]), ends.digits)
    plane = _Plane(across, axis_of(heights, 5))
    own, now = float(curve.setting.own), float(curve.setting.value)
    title, by_value = curve.setting.knob.title, {round(at, 6): point.value for at, point in known}
    was, value = by_value.get(round(own, 6)), by_value.get(round(now, 6))
    return htpy.svg(
        class_="cc-tuned-curve",
        viewbox=f"0 0 {_WIDTH} {_HEIGHT}",
        role="img",
        aria_label=f"{wording.title(statistic)} with {who} along {title}",
    )[
        level is not None and _level(level, plane, who, left=plane.x(now) > _RIGHT - 2 * _SIDE),
        [_line("cc-tuned-curve-grid", _LEFT, plane.y(tick), _RIGHT, plane.y(tick)) for tick in plane.upwards.ticks],
        [_text(_LEFT - 8, plane.y(tick) + 4, plane.upwards.text(tick), "end") for tick in plane.upwards.ticks],
        [_text(plane.x(tick), _BOTTOM + 18, f"{tick:g}", "middle") for tick in across.ticks],
        _band(curve, plane),
        htpy.polyline(class_="cc-tuned-curve-line", points=_points([(at, point.value or 0.0) for at, point in known], plane)),
        _line("cc-tuned-curve-now", plane.x(now), _TOP, plane.x(now), _BOTTOM),
        _beside(plane.x(now), _BOTTOM - 8, f"now {now:g}", "is-now"),
        was is not None
        and own != now
        and [
            htpy.circle(class_="cc-tuned-curve-published", cx=f"{plane.x(own)}", cy=f"{plane.y(was)}", r="5"),
            _beside(plane.x(own), plane.y(was) + 20, f"published {wording.two(was)}"),
        ],
        value is not None and htpy.circle(class_="cc-tuned-curve-point", cx=f"{plane.x(now)}", cy=f"{plane.y(value)}", r="6"),
        _text((_LEFT + _RIGHT) / 2, _HEIGHT - 4, title.lower(), "middle"),
    ]


def _level(level: Ceiling, plane: _Plane, who: str, *, left: bool) -> Node:
    """Return the band of one person in the scorer's place, named at the left or at the right end."""
    if level.value is None:
        return ""
    y, name = plane.y(level.value), f"{who} {wording.two(level.value)}"
    band: Node = ""
    if level.low is not None and level.high is not None:
        top, bottom = plane.y(level.high), plane.y(level.low)
        band = htpy.rect(
            class_="cc-tuned-curve-people", x=f"{_LEFT}", y=f"{top}", width=f"{_RIGHT - _LEFT}", height=f"{bottom - top:z.1f}"
        )
    text = _text(_LEFT + 6 if left else _RIGHT - 4, y + 16 if left else y - 6, name, "start" if left else "end", "is-people")
    return [band, _line("cc-tuned-curve-level", _LEFT, y, _RIGHT, y), text]


def _band(curve: SettingCurve, plane: _Plane) -> Node:
    ends = [
        (at, p.low, p.high) for at, p in zip(curve.at, curve.points, strict=True) if p.low is not None and p.high is not None
    ]
    if len(ends) < 2:
        return ""
    upper, lower = [(at, high) for at, _, high in ends], [(at, low) for at, low, _ in reversed(ends)]
    return htpy.polygon(class_="cc-tuned-curve-band", points=_points([*upper, *lower], plane))


def _points(places: list[tuple[float, float]], plane: _Plane) -> str:
    return " ".join(f"{plane.x(x)},{plane.y(y)}" for x, y in places)


def _line(kind: str, x1: float, y1: float, x2: float, y2: float) -> Element:
    return htpy.line(class_=kind, x1=f"{x1}", y1=f"{y1}", x2=f"{x2}", y2=f"{y2}")


def _text(x: float, y: float, words: str, anchor: str, kind: str = "") -> Element:
    return htpy.text(class_=kind or None, x=f"{x}", y=f"{y}", text_anchor=anchor)[words]


def _beside(x: float, y: float, words: str, kind: str = "") -> Element:
    """Return words beside a place, on the side where there is room."""
    left = x > _RIGHT - _SIDE
    return _text(x - 8 if left else x + 8, y, words, "end" if left else "start", kind)
