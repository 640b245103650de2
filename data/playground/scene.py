"""A scene: what is where, in which colour, before what. It is the truth about a picture, whatever size it is drawn at."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from data.playground.kinds import KINDS


@dataclass(frozen=True, slots=True)
class Placed:
    """One object. Lengths are shares of the picture's side, x to the right and y down.

    Attributes:
        kind: a name in ``KINDS``.
        color: one of GenEval's ten.
        x: centre of the drawing.
        y: centre of the drawing.
        size: length of one unit of the kind's drawing.
        tilt: radians, clockwise.
        mirrored: left and right exchanged.
        stretch: width over natural width.
        variant: seed of what differs between two of a kind (shade, hands of a clock).
    """

    kind: str
    color: str
    x: float
    y: float
    size: float
    tilt: float = 0.0
    mirrored: bool = False
    stretch: float = 1.0
    variant: int = 0

    @property
    def half_extent(self) -> tuple[float, float]:
        """Half width and half height of the upright box around the tilted drawing."""
        kind = KINDS[self.kind]
        w, h = kind.half_width * self.size * self.stretch, kind.half_height * self.size
        cos, sin = abs(np.cos(self.tilt)), abs(np.sin(self.tilt))
        return float(w * cos + h * sin), float(w * sin + h * cos)


@dataclass(frozen=True, slots=True)
class Background:
    """``texture``: a name in ``backgrounds.TEXTURES``; ``hue``, ``saturation`` and ``value`` 0-1; ``seed`` of its pattern."""

    texture: str
    hue: float
    saturation: float
    value: float
    seed: int


@dataclass(frozen=True, slots=True)
class Scene:
    """Objects from back to front on a background."""

    objects: tuple[Placed, ...]
    background: Background


@dataclass(frozen=True, slots=True, eq=False)
class Picture:
    """A scene as pixels.

    Attributes:
        image: height x width x 3, sRGB, uint8.
        masks: objects x height x width, bool: the pixels in which most of what one sees is that object.
        boxes: objects x 4, float: x0, y0, x1, y1 around each mask in pixels, x1 and y1 exclusive; zeros if nothing shows.
    """

    image: NDArray[np.uint8]
    masks: NDArray[np.bool_]
    boxes: NDArray[np.float64]
