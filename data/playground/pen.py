"""Draws one object's shapes, given in the object's own units, onto the picture and onto the map of who owns which pixel."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray
from PIL import ImageDraw

from data.playground.colors import Rgb

Points = Sequence[tuple[float, float]] | NDArray[np.float64]

LINE: Final = 0.05
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

    def area(self, points: Points, fill: Rgb, outline: float = LINE) -> None:
        """A filled polygon; its outline lies outside of it."""
        shape = np.asarray(points, dtype=np.float64)
        if outline:
            self._paint(grown(shape, outline), self._line)
        self._paint(shape, fill)

    def blob(self, points: Points, fill: Rgb, outline: float = LINE) -> None:
        """A filled shape with a smooth border through the points."""
        self.area(smooth(points), fill, outline)

    def oval(self, x: float, y: float, rx: float, ry: float, fill: Rgb, outline: float = LINE) -> None:
        """An ellipse around (x, y)."""
        self.area(arc(x, y, rx, ry), fill, outline)

    def box(self, x0: float, y0: float, x1: float, y1: float, fill: Rgb, radius: float = 0.0, outline: float = LINE) -> None:
        """A rectangle, its corners rounded."""
        r = min(radius, (x1 - x0) / 2, (y1 - y0) / 2)
        if r <= 0:
            self.area([(x0, y0), (x1, y0), (x1, y1), (x0, y1)], fill, outline)
            return
        corners = [(x1 - r, y0 + r, -90.0), (x1 - r, y1 - r, 0.0), (x0 + r, y1 - r, 90.0), (x0 + r, y0 + r, 180.0)]
        parts = [arc(x, y, r, r, start, start + 90.0, 6) for x, y, start in corners]
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


def arc(x: float, y: float, rx: float, ry: float, start: float = 0.0, stop: float = 360.0, n: int = 36) -> NDArray[np.float64]:
    """``n`` points on an ellipse, angles in degrees clockwise from the right; a whole turn does not repeat its first point."""
    angles = np.radians(np.linspace(start, stop, n, endpoint=abs(stop - start) < 360.0))
    return np.stack([x + rx * np.cos(angles), y + ry * np.sin(angles)], axis=1)


def smooth(points: Points, steps: int = 6) -> NDArray[np.float64]:
    """A closed Catmull-Rom curve through the points."""
    p1 = np.asarray(points, dtype=np.float64)
    p0, p2, p3 = np.roll(p1, 1, axis=0), np.roll(p1, -1, axis=0), np.roll(p1, -2, axis=0)
    t = (np.arange(steps) / steps)[:, None, None]
    curve = 0.5 * (2 * p1 + (p2 - p0) * t + (2 * p0 - 5 * p1 + 4 * p2 - p3) * t**2 + (3 * (p1 - p2) + p3 - p0) * t**3)
    return np.asarray(curve.transpose(1, 0, 2).reshape(-1, 2))


def grown(shape: NDArray[np.float64], width: float) -> NDArray[np.float64]:
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
