"""The kinds of object in the playground's small world: COCO names, each drawn so that its shape alone tells what it is.

A kind is drawn in its own units: x right, y down, the centre of its box at (0, 0), the longer half side about 1. Everything
that carries meaning is in the body colour, so that colour can be asked of every kind. GenEval's ten colours are paint here: a
body colour with its lighter, darker and outline tones. The ``Pen`` draws onto the picture and onto the map of who owns which
pixel.
"""

from __future__ import annotations

import colorsys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray
from PIL import ImageDraw

from data.prompts.geneval_suite import COLORS

Rgb = tuple[int, int, int]

RGB: Final[dict[str, Rgb]] = dict(
    zip(
        COLORS,
        (
            (216, 44, 44), (246, 130, 28), (250, 212, 44), (52, 160, 72), (44, 104, 220),
            (132, 62, 184), (246, 140, 190), (122, 76, 44), (40, 40, 44), (245, 245, 243),
        ),
        strict=True,
    )
)  # fmt: skip
"""The paint of each colour, sRGB 0-255, before the jitter."""

INK: Final[Rgb] = (38, 36, 42)
CREAM: Final[Rgb] = (250, 246, 234)
GLASS: Final[Rgb] = (198, 226, 240)
LEAF: Final[Rgb] = (84, 158, 72)
WOOD: Final[Rgb] = (134, 96, 62)
STEEL: Final[Rgb] = (172, 178, 188)


@dataclass(frozen=True, slots=True)
class Palette:
    """Tones of one object: its body, a darker side, a lighter side, the outline, and a colour that stands out on the body."""

    body: Rgb
    shade: Rgb
    light: Rgb
    line: Rgb
    contrast: Rgb


def color_palette(color: str, rng: np.random.Generator) -> Palette:
    """The tones of a colour with a little jitter: hue within 1.5 %, brightness within 6 %, of the full range.

    Raises:
        KeyError: not one of the ten colours.
    """
    hue, saturation, value = colorsys.rgb_to_hsv(*(part / 255 for part in RGB[color]))
    hue = (hue + float(rng.uniform(-0.01, 0.01))) % 1.0
    value = min(1.0, value * float(rng.uniform(0.94, 1.04)))
    red, green, blue = colorsys.hsv_to_rgb(hue, saturation, value)
    body = round(red * 255), round(green * 255), round(blue * 255)
    shade = _mix(body, INK, 0.22 if color != "white" else 0.12)
    # a light red is pink, a light black grey: these two stay closer to themselves
    light = _mix(body, (255, 255, 255), 0.30 if color not in ("red", "black") else 0.14)
    line = _mix(body, INK, 0.62 if color != "white" else 0.55) if color != "black" else (14, 14, 18)
    contrast = CREAM if color in ("black", "blue", "purple", "brown", "red", "green") else INK
    return Palette(body, shade, light, line, contrast)


def _mix(a: Rgb, b: Rgb, share: float) -> Rgb:
    red, green, blue = (round(p * (1 - share) + q * share) for p, q in zip(a, b, strict=True))
    return red, green, blue


Points = Sequence[tuple[float, float]] | NDArray[np.float64]

LINE_WIDTH: Final = 0.05
"""Width of outlines in the object's units (its longer half side is 1)."""

_MITRE: Final = 2.0


class Pen:
    """Maps the object's units (x right, y down) to canvas pixels and paints polygons on both canvases.

    Args:
        canvas: the picture, mode RGB.
        owners: the same size, mode L; every painted pixel gets ``owner``.
        owner: the object's number, 1-255.
        matrix: 2 x 2, units to pixels (scale, tilt, mirror).
        origin: the object's centre, pixels.
        line: colour of the outlines.
    """

    def __init__(
        self,
        canvas: ImageDraw.ImageDraw,
        owners: ImageDraw.ImageDraw,
        owner: int,
        matrix: NDArray[np.float64],
        origin: tuple[float, float],
        line: Rgb,
    ) -> None:
        self._canvas = canvas
        self._owners = owners
        self._owner = owner
        self._matrix = matrix
        self._origin = np.asarray(origin, dtype=np.float64)
        self._line = line

    def area(self, points: Points, fill: Rgb, outline: float = LINE_WIDTH) -> None:
        """A filled polygon; its outline lies outside of it."""
        shape = np.asarray(points, dtype=np.float64)
        if outline:
            self._paint(grow_polygon(shape, outline), self._line)
        self._paint(shape, fill)

    def blob(self, points: Points, fill: Rgb, outline: float = LINE_WIDTH) -> None:
        """A filled shape with a smooth border through the points."""
        self.area(smooth_curve(points), fill, outline)

    def oval(self, x: float, y: float, rx: float, ry: float, fill: Rgb, outline: float = LINE_WIDTH) -> None:
        """An ellipse around (x, y)."""
        self.area(arc_points(x, y, rx, ry), fill, outline)

    def box(
        self, x0: float, y0: float, x1: float, y1: float, fill: Rgb, radius: float = 0.0, outline: float = LINE_WIDTH
    ) -> None:
        """A rectangle, its corners rounded."""
        r = min(radius, (x1 - x0) / 2, (y1 - y0) / 2)
        if r <= 0:
            self.area([(x0, y0), (x1, y0), (x1, y1), (x0, y1)], fill, outline)
            return
        corners = [(x1 - r, y0 + r, -90.0), (x1 - r, y1 - r, 0.0), (x0 + r, y1 - r, 90.0), (x0 + r, y0 + r, 180.0)]
        parts = [arc_points(x, y, r, r, start, start + 90.0, 6) for x, y, start in corners]
        self.area(np.concatenate(parts), fill, outline)

    def stroke(self, points: Points, width: float, fill: Rgb, outline: float = 0.0) -> None:
        """A line of this width along the points."""
        path = np.asarray(points, dtype=np.float64)
        step = np.gradient(path, axis=0)
        normal = np.stack([-step[:, 1], step[:, 0]], axis=1)
        normal /= np.maximum(np.linalg.norm(normal, axis=1, keepdims=True), 1e-9)
        band = np.concatenate([path + normal * width / 2, (path - normal * width / 2)[::-1]])
        self.area(band, fill, outline)

    def _paint(self, shape: NDArray[np.float64], fill: Rgb) -> None:
        flat = (shape @ self._matrix.T + self._origin).ravel().tolist()
        self._canvas.polygon(flat, fill=fill)
        self._owners.polygon(flat, fill=self._owner)


def arc_points(
    x: float, y: float, rx: float, ry: float, start: float = 0.0, stop: float = 360.0, n: int = 36
) -> NDArray[np.float64]:
    """``n`` points on an ellipse, angles in degrees clockwise from the right; a whole turn does not repeat its first point."""
    angles = np.radians(np.linspace(start, stop, n, endpoint=abs(stop - start) < 360.0))
    return np.stack([x + rx * np.cos(angles), y + ry * np.sin(angles)], axis=1)


def smooth_curve(points: Points, steps: int = 6) -> NDArray[np.float64]:
    """A closed Catmull-Rom curve through the points."""
    p1 = np.asarray(points, dtype=np.float64)
    p0, p2, p3 = np.roll(p1, 1, axis=0), np.roll(p1, -1, axis=0), np.roll(p1, -2, axis=0)
    t = (np.arange(steps) / steps)[:, None, None]
    curve = 0.5 * (2 * p1 + (p2 - p0) * t + (2 * p0 - 5 * p1 + 4 * p2 - p3) * t**2 + (3 * (p1 - p2) + p3 - p0) * t**3)
    return np.asarray(curve.transpose(1, 0, 2).reshape(-1, 2))


def grow_polygon(shape: NDArray[np.float64], width: float) -> NDArray[np.float64]:
    """The polygon with its border moved outwards by ``width``, corners mitred (at most twice the width)."""
    edge = np.roll(shape, -1, axis=0) - shape
    length = np.linalg.norm(edge, axis=1, keepdims=True)
    keep = length[:, 0] > 1e-9
    shape, edge, length = shape[keep], edge[keep], length[keep]
    following = np.roll(shape, -1, axis=0)
    area = float(np.sum(shape[:, 0] * following[:, 1] - following[:, 0] * shape[:, 1]))
    outward = np.stack([edge[:, 1], -edge[:, 0]], axis=1) / length * (1.0 if area > 0 else -1.0)
    before = np.roll(outward, 1, axis=0)
    mean = outward + before
    spread = np.maximum(np.sum(mean * outward, axis=1, keepdims=True), 1e-6)
    shift = mean / spread
    size = np.linalg.norm(shift, axis=1, keepdims=True)
    return np.asarray(shape + shift * np.minimum(1.0, _MITRE / np.maximum(size, 1e-9)) * width)


DrawObject = Callable[[Pen, Palette, np.random.Generator], None]


@dataclass(frozen=True, slots=True)
class ObjectKind:
    """``half_width`` and ``half_height``: the drawing's box, outline included, in its own units."""

    name: str
    half_width: float
    half_height: float
    draw: DrawObject


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
    ring = np.concatenate([arc_points(0.52, 0.02, 0.42, 0.40, -80, 80, 16), arc_points(0.52, 0.02, 0.24, 0.22, 80, -80, 16)])
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
    pen.area(
        smooth_curve([(0.08, -0.86), (0.42, -0.42), (0.62, 0.06), (0.70, 0.34), (0.40, 0.36), (0.08, 0.36)], 4), tone.light
    )
    pen.area(
        smooth_curve([(-0.11, -0.70), (-0.36, -0.30), (-0.62, 0.26), (-0.60, 0.34), (-0.34, 0.36), (-0.11, 0.36)], 4), tone.body
    )
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
        pen.area(arc_points(side * 0.50, -0.62, 0.34, 0.30, -200 + side * 38, -20 + side * 38 + 40, 18), tone.body)
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
    hook = [(0.0, -0.80), (0.0, 0.0), (0.0, 0.62), *arc_points(-0.15, 0.66, 0.15, 0.20, 0, 170, 10).tolist()]
    pen.stroke(hook, 0.09, WOOD, 0.04)
    pen.stroke([(0.0, -0.93), (0.0, -0.70)], 0.08, WOOD, 0.03)
    dome = arc_points(0.0, 0.02, 0.94, 0.80, 180, 360, 28)
    edges = [0.94, 0.47, 0.0, -0.47]
    hem = np.concatenate([arc_points(x - 0.235, 0.03, 0.235, 0.13, 0, -180, 8) for x in edges])
    pen.area(np.concatenate([dome, hem]), tone.body)
    rib = arc_points(0.0, 0.02, 0.47, 0.80, 180, 360, 20)
    inner = np.concatenate([arc_points(x - 0.235, 0.03, 0.235, 0.13, 0, -180, 8) for x in edges[1:3]])
    pen.area(np.concatenate([rib, inner]), tone.light, 0.025)
    pen.stroke([(0.0, -0.77), (0.0, -0.30), (0.0, 0.02)], 0.03, tone.line)


def _ball(pen: Pen, tone: Palette, _: np.random.Generator) -> None:
    patch = tone.contrast
    pen.oval(0.0, 0.0, 0.94, 0.94, tone.body)
    inner = arc_points(0.0, 0.0, 0.27, 0.27, -90, 270, 5)
    for k in range(5):
        angle = -90.0 + 72.0 * k
        x, y = np.cos(np.radians(angle)), np.sin(np.radians(angle))
        pen.stroke([(0.25 * x, 0.25 * y), (0.74 * x, 0.74 * y)], 0.055, patch)
        rim = arc_points(0.0, 0.0, 0.93, 0.93, angle - 13, angle + 13, 8)
        foot = [(0.70 * np.cos(a), 0.70 * np.sin(a)) for a in np.radians([angle + 10, angle - 10])]
        pen.area(np.concatenate([rim, foot]), patch, 0.0)
    pen.area(inner, patch, 0.0)


KINDS: Final[dict[str, ObjectKind]] = {
    kind.name: kind
    for kind in (
        ObjectKind("apple", 0.96, 1.02, _apple),
        ObjectKind("banana", 0.97, 0.61, _banana),
        ObjectKind("boat", 1.04, 1.0, _boat),
        ObjectKind("bottle", 0.46, 1.0, _bottle),
        ObjectKind("bus", 1.0, 0.68, _bus),
        ObjectKind("car", 1.06, 0.58, _car),
        ObjectKind("chair", 0.77, 0.98, _chair),
        ObjectKind("clock", 0.90, 1.04, _clock),
        ObjectKind("cup", 1.0, 0.84, _cup),
        ObjectKind("kite", 0.69, 1.0, _kite),
        ObjectKind("sports ball", 1.0, 1.0, _ball),
        ObjectKind("umbrella", 1.0, 0.97, _umbrella),
    )
}
"""By COCO name, in alphabetical order."""
