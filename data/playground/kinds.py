"""The kinds of object in the small world: COCO names, each drawn so that its shape alone tells what it is.

A kind is drawn in its own units: x right, y down, the centre of its box at (0, 0), the longer half side about 1.
Everything that carries meaning is in the body colour, so that colour can be asked of every kind.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import numpy as np

from data.playground.colors import CREAM, GLASS, INK, LEAF, STEEL, WOOD, Palette
from data.playground.pen import Pen, arc, smooth

Draw = Callable[[Pen, Palette, np.random.Generator], None]


@dataclass(frozen=True, slots=True)
class Kind:
    """``half_width`` and ``half_height``: the drawing's box, outline included, in its own units."""

    name: str
    half_width: float
    half_height: float
    draw: Draw


def _apple(pen: Pen, tone: Palette, _: np.random.Generator) -> None:
    half = [(0.30, -0.62), (0.62, -0.62), (0.88, -0.30), (0.86, 0.18), (0.62, 0.70), (0.30, 0.90)]
    body = [(0.0, -0.46), *half, (0.0, 0.80), *((-x, y) for x, y in reversed(half))]
    pen.stroke([(0.0, -0.42), (0.02, -0.66), (0.10, -0.93)], 0.11, WOOD, 0.03)
    pen.blob(body, tone.body)
    pen.blob([(0.10, -0.62), (0.28, -0.92), (0.66, -0.94), (0.46, -0.68)], LEAF)
    pen.stroke([(0.0, -0.44), (0.02, -0.58), (0.04, -0.70)], 0.11, WOOD, 0.0)
    pen.blob([(-0.60, -0.10), (-0.52, -0.38), (-0.34, -0.46), (-0.40, -0.20)], tone.light, 0.0)


def _banana(pen: Pen, tone: Palette, _: np.random.Generator) -> None:
    lower = [(-0.90, -0.40), (-0.74, 0.10), (-0.40, 0.44), (0.0, 0.54), (0.40, 0.44), (0.74, 0.10), (0.90, -0.40)]
    upper = [(0.78, -0.42), (0.52, -0.14), (0.27, 0.0), (0.0, 0.05), (-0.27, 0.0), (-0.52, -0.14), (-0.78, -0.42)]
    pen.blob(lower + upper, tone.body)
    ridge = [(-0.80, -0.24), (-0.60, 0.08), (-0.32, 0.27), (0.0, 0.33), (0.32, 0.27), (0.60, 0.08), (0.80, -0.24)]
    pen.blob([*lower[1:-1], *ridge[::-1]], tone.shade, 0.0)
    for side in (-1.0, 1.0):
        pen.area([(side * x, y) for x, y in ((0.78, -0.40), (0.91, -0.38), (0.93, -0.55), (0.82, -0.57))], WOOD, 0.03)


def _bottle(pen: Pen, tone: Palette, _: np.random.Generator) -> None:
    right = [(0.15, -0.80), (0.15, -0.46), (0.22, -0.30), (0.36, -0.14), (0.40, 0.06), (0.40, 0.84), (0.30, 0.95)]
    pen.area([*right, *((-x, y) for x, y in reversed(right))], tone.body)
    pen.box(-0.19, -0.95, 0.19, -0.76, INK if tone.contrast == INK else STEEL, 0.04, 0.04)
    pen.box(-0.40, 0.18, 0.40, 0.62, CREAM, 0.0, 0.0)
    pen.box(-0.40, 0.34, 0.40, 0.46, tone.shade, 0.0, 0.0)
    pen.blob([(-0.28, 0.12), (-0.30, -0.02), (-0.20, -0.18), (-0.18, 0.10)], tone.light, 0.0)


def _cup(pen: Pen, tone: Palette, _: np.random.Generator) -> None:
    ring = np.concatenate([arc(0.52, 0.02, 0.42, 0.40, -80, 80, 16), arc(0.52, 0.02, 0.24, 0.22, 80, -80, 16)])
    pen.area(ring, tone.body)
    pen.area([(-0.92, -0.58), (0.54, -0.58), (0.46, 0.62), (0.34, 0.78), (-0.72, 0.78), (-0.84, 0.62)], tone.body)
    pen.oval(-0.19, -0.60, 0.73, 0.17, tone.light)
    pen.oval(-0.19, -0.57, 0.58, 0.10, tone.shade, 0.0)
    pen.blob([(-0.74, -0.24), (-0.60, -0.26), (-0.54, 0.40), (-0.66, 0.42)], tone.light, 0.0)


def _wheel(pen: Pen, x: float, y: float, radius: float) -> None:
    pen.oval(x, y, radius, radius, INK, 0.03)
    pen.oval(x, y, radius * 0.48, radius * 0.48, STEEL, 0.0)


def _car(pen: Pen, tone: Palette, _: np.random.Generator) -> None:
    roof = [(-0.66, -0.04), (-0.44, -0.44), (-0.28, -0.52), (0.16, -0.52), (0.32, -0.44), (0.60, -0.04)]
    pen.area(roof, tone.body)
    lower = [(-0.94, 0.0), (-0.5, -0.10), (0.5, -0.10), (0.9, 0.02), (0.95, 0.28), (0.5, 0.36), (-0.5, 0.36), (-0.95, 0.28)]
    pen.blob(lower, tone.body)
    pen.box(-0.90, 0.20, 0.90, 0.33, tone.shade, 0.06, 0.0)
    pen.area([(-0.50, -0.07), (-0.34, -0.37), (-0.10, -0.39), (-0.10, -0.07)], GLASS, 0.03)
    pen.area([(0.02, -0.07), (0.02, -0.39), (0.22, -0.37), (0.42, -0.07)], GLASS, 0.03)
    pen.box(0.74, 0.03, 0.92, 0.13, CREAM, 0.04, 0.02)
    for x in (-0.52, 0.52):
        _wheel(pen, x, 0.32, 0.21)


def _bus(pen: Pen, tone: Palette, _: np.random.Generator) -> None:
    pen.box(-0.95, -0.62, 0.95, 0.44, tone.body, 0.14)
    pen.box(-0.95, 0.20, 0.95, 0.40, tone.shade, 0.06, 0.0)
    for x in (-0.84, -0.44, -0.04):
        pen.box(x, -0.46, x + 0.32, -0.06, GLASS, 0.04, 0.03)
    pen.box(0.40, -0.46, 0.64, 0.36, GLASS, 0.03, 0.03)
    pen.box(0.74, -0.46, 0.95, -0.02, GLASS, 0.04, 0.03)
    for x in (-0.54, 0.18):
        _wheel(pen, x, 0.44, 0.20)
    pen.box(0.80, 0.10, 0.94, 0.20, CREAM, 0.03, 0.0)


def _boat(pen: Pen, tone: Palette, _: np.random.Generator) -> None:
    pen.box(-0.06, -0.96, 0.04, 0.52, WOOD, 0.0, 0.03)
    pen.area(smooth([(0.08, -0.86), (0.42, -0.42), (0.62, 0.06), (0.70, 0.34), (0.40, 0.36), (0.08, 0.36)], 4), tone.light)
    pen.area(smooth([(-0.11, -0.70), (-0.36, -0.30), (-0.62, 0.26), (-0.60, 0.34), (-0.34, 0.36), (-0.11, 0.36)], 4), tone.body)
    pen.area([(-0.95, 0.48), (0.95, 0.48), (0.82, 0.74), (0.60, 0.93), (-0.56, 0.93), (-0.80, 0.74)], tone.body)
    pen.area([(-0.90, 0.56), (0.90, 0.56), (0.85, 0.66), (-0.85, 0.66)], tone.shade, 0.0)


def _chair(pen: Pen, tone: Palette, _: np.random.Generator) -> None:
    for x, top, bottom in ((-0.42, 0.2, 0.72), (0.42, 0.2, 0.72)):
        pen.box(x - 0.06, top, x + 0.06, bottom, tone.shade, 0.02, 0.04)
    pen.area([(-0.46, -0.90), (0.46, -0.90), (0.44, 0.10), (-0.44, 0.10)], tone.body)
    pen.area([(-0.30, -0.70), (0.30, -0.70), (0.29, -0.16), (-0.29, -0.16)], tone.shade, 0.0)
    for x in (-0.10, 0.10):
        pen.box(x - 0.05, -0.72, x + 0.05, -0.14, tone.body, 0.0, 0.0)
    for x in (-0.56, 0.56):
        pen.box(x - 0.07, 0.30, x + 0.07, 0.94, tone.body, 0.02, 0.04)
    pen.area([(-0.48, 0.02), (0.48, 0.02), (0.68, 0.34), (-0.68, 0.34)], tone.light)
    pen.box(-0.69, 0.33, 0.69, 0.48, tone.body, 0.02)


def _clock(pen: Pen, tone: Palette, rng: np.random.Generator) -> None:
    for side in (-1.0, 1.0):
        pen.stroke([(side * 0.42, 0.60), (side * 0.58, 0.78), (side * 0.70, 0.94)], 0.15, tone.shade, 0.04)
        pen.area(arc(side * 0.50, -0.62, 0.34, 0.30, -200 + side * 38, -20 + side * 38 + 40, 18), tone.body)
    pen.box(-0.07, -0.90, 0.07, -0.60, tone.shade, 0.0, 0.04)
    pen.oval(0.0, 0.10, 0.76, 0.76, tone.body)
    pen.oval(0.0, 0.10, 0.60, 0.60, tone.light, 0.025)
    for angle in np.arange(0.0, 360.0, 30.0):
        x, y = np.cos(np.radians(angle)), np.sin(np.radians(angle))
        pen.stroke([(0.46 * x, 0.10 + 0.46 * y), (0.54 * x, 0.10 + 0.54 * y)], 0.05, tone.contrast)
    for angle, length in ((rng.uniform(0, 2 * np.pi), 0.40), (rng.uniform(0, 2 * np.pi), 0.28)):
        pen.stroke([(0.0, 0.10), (length * np.cos(angle), 0.10 + length * np.sin(angle))], 0.09, tone.contrast)
    pen.oval(0.0, 0.10, 0.07, 0.07, tone.contrast, 0.0)


def _kite(pen: Pen, tone: Palette, rng: np.random.Generator) -> None:
    sway = float(rng.uniform(-0.14, 0.14))
    tail = [(0.0, 0.36), (0.10 + sway, 0.52), (-0.08 + sway, 0.68), (0.08 + sway, 0.82), (0.0 + sway, 0.95)]
    pen.stroke(tail, 0.06, tone.line)
    for x, y in (tail[1], tail[3]):
        pen.area([(x, y), (x - 0.20, y - 0.10), (x - 0.20, y + 0.10)], tone.body, 0.035)
        pen.area([(x, y), (x + 0.20, y - 0.10), (x + 0.20, y + 0.10)], tone.body, 0.035)
    top, right, bottom, left, middle = (0.0, -0.93), (0.62, -0.34), (0.0, 0.44), (-0.62, -0.34), (0.0, -0.34)
    pen.area([top, right, bottom, left], tone.body)
    pen.area([top, right, middle], tone.light, 0.0)
    pen.area([left, middle, bottom], tone.shade, 0.0)
    pen.stroke([top, bottom], 0.04, tone.line)
    pen.stroke([left, right], 0.04, tone.line)


def _umbrella(pen: Pen, tone: Palette, _: np.random.Generator) -> None:
    hook = [(0.0, -0.80), (0.0, 0.0), (0.0, 0.62), *arc(-0.15, 0.66, 0.15, 0.20, 0, 170, 10).tolist()]
    pen.stroke(hook, 0.09, WOOD, 0.04)
    pen.stroke([(0.0, -0.93), (0.0, -0.70)], 0.08, WOOD, 0.03)
    dome = arc(0.0, 0.02, 0.94, 0.80, 180, 360, 28)
    edges = [0.94, 0.47, 0.0, -0.47]
    hem = np.concatenate([arc(x - 0.235, 0.03, 0.235, 0.13, 0, -180, 8) for x in edges])
    pen.area(np.concatenate([dome, hem]), tone.body)
    rib = arc(0.0, 0.02, 0.47, 0.80, 180, 360, 20)
    inner = np.concatenate([arc(x - 0.235, 0.03, 0.235, 0.13, 0, -180, 8) for x in edges[1:3]])
    pen.area(np.concatenate([rib, inner]), tone.light, 0.025)
    pen.stroke([(0.0, -0.77), (0.0, -0.30), (0.0, 0.02)], 0.03, tone.line)


def _ball(pen: Pen, tone: Palette, _: np.random.Generator) -> None:
    patch = tone.contrast
    pen.oval(0.0, 0.0, 0.94, 0.94, tone.body)
    inner = arc(0.0, 0.0, 0.27, 0.27, -90, 270, 5)
    for k in range(5):
        angle = -90.0 + 72.0 * k
        x, y = np.cos(np.radians(angle)), np.sin(np.radians(angle))
        pen.stroke([(0.25 * x, 0.25 * y), (0.74 * x, 0.74 * y)], 0.055, patch)
        rim = arc(0.0, 0.0, 0.93, 0.93, angle - 13, angle + 13, 8)
        foot = [(0.70 * np.cos(a), 0.70 * np.sin(a)) for a in np.radians([angle + 10, angle - 10])]
        pen.area(np.concatenate([rim, foot]), patch, 0.0)
    pen.area(inner, patch, 0.0)


KINDS: Final[dict[str, Kind]] = {
    kind.name: kind
    for kind in (
        Kind("apple", 0.96, 1.02, _apple),
        Kind("banana", 0.97, 0.61, _banana),
        Kind("boat", 1.04, 1.0, _boat),
        Kind("bottle", 0.46, 1.0, _bottle),
        Kind("bus", 1.0, 0.68, _bus),
        Kind("car", 1.06, 0.58, _car),
        Kind("chair", 0.77, 0.98, _chair),
        Kind("clock", 0.90, 1.04, _clock),
        Kind("cup", 1.0, 0.84, _cup),
        Kind("kite", 0.69, 1.0, _kite),
        Kind("sports ball", 1.0, 1.0, _ball),
        Kind("umbrella", 1.0, 0.97, _umbrella),
    )
}
"""By COCO name, in alphabetical order."""
