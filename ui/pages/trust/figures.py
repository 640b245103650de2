"""Small figures of All numbers, as SVG: two raters' numbers by image, and agreement along answers or cuts of a score."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import htpy
from htpy import Element, Node

from ui.components.dots import Axis, axis_of

_WIDTH, _HEIGHT, _LEFT, _RIGHT, _TOP, _BOTTOM = 640, 300, 52, 628, 12, 252
_MOST: Final = 3000
"""So many points are drawn, spread over all of them."""

Point = tuple[float, float]


def scatter(points: Sequence[Point], names: tuple[str, str]) -> Node:
    """Return a dot for each image; `names` are those of the axes."""
    if len(points) < 2:
        return ""
    shown = points[:: -(-len(points) // _MOST)]
    axes = axis_of([x for x, _ in shown], 6), axis_of([y for _, y in shown], 5)
    dots = [htpy.circle(cx=_x(axes[0], x), cy=_y(axes[1], y), r=3) for x, y in shown]
    return _figure(axes, names, htpy.g(class_="cc-figure-dots")[dots])


def line(
    points: Sequence[Point],
    names: tuple[str, str],
    band: Sequence[tuple[float, float, float]] = (),
    dots: Sequence[Point] = (),
    mark: float | None = None,
) -> Node:
    """Return a line.

    Args:
        points: from left to right.
        names: of the axes.
        band: the ends of an interval at each place.
        dots: beside the line.
        mark: where an upright line stands.
    """
    if len(points) < 2:
        return ""
    heights = [y for _, y in (*points, *dots)] + [end for _, low, high in band for end in (low, high)]
    axes = axis_of([x for x, _ in points], 6), axis_of(heights, 5)
    area = [(x, low) for x, low, _ in band] + [(x, high) for x, _, high in reversed(band)]
    return _figure(
        axes,
        names,
        [
            htpy.polygon(class_="cc-figure-band", points=_points(area, axes)) if area else "",
            htpy.polyline(class_="cc-figure-line", points=_points(points, axes)),
            htpy.g(class_="cc-figure-dots")[[htpy.circle(cx=_x(axes[0], x), cy=_y(axes[1], y), r=3) for x, y in dots]],
            mark is not None
            and htpy.line(class_="cc-figure-mark", x1=_x(axes[0], mark), x2=_x(axes[0], mark), y1=_TOP, y2=_BOTTOM),
        ],
    )


def _figure(axes: tuple[Axis, Axis], names: tuple[str, str], content: Node) -> Element:
    across, upwards = axes
    return htpy.svg(class_="cc-figure", viewbox=f"0 0 {_WIDTH} {_HEIGHT}", role="img", aria_label=f"{names[1]} by {names[0]}")[
        [htpy.line(class_="cc-figure-grid", x1=_LEFT, x2=_RIGHT, y1=_y(upwards, t), y2=_y(upwards, t)) for t in upwards.ticks],
        [htpy.text(x=_LEFT - 6, y=_y(upwards, t, 4), text_anchor="end")[upwards.text(t)] for t in upwards.ticks],
        [htpy.text(x=_x(across, t), y=_BOTTOM + 18, text_anchor="middle")[across.text(t)] for t in across.ticks],
        htpy.text(x=(_LEFT + _RIGHT) // 2, y=_BOTTOM + 38, text_anchor="middle")[names[0]],
        content,
    ]


def _points(points: Sequence[Point], axes: tuple[Axis, Axis]) -> str:
    return " ".join(f"{_x(axes[0], x)},{_y(axes[1], y)}" for x, y in points)


def _x(axis: Axis, value: float) -> str:
    return f"{_LEFT + (_RIGHT - _LEFT) * axis.percent(value) / 100:z.1f}"


def _y(axis: Axis, value: float, lower: int = 0) -> str:
    return f"{_BOTTOM - (_BOTTOM - _TOP) * axis.percent(value) / 100 + lower:z.1f}"
