"""Scenes to pixels: objects drawn large and shrunk, shaded by a light from the upper left, with soft shadows."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFilter

from data.playground.backgrounds import Field, paint
from data.playground.colors import palette
from data.playground.kinds import KINDS
from data.playground.pen import Pen
from data.playground.scene import Picture, Placed, Scene

SIZE: Final = 128
"""Side of the playground's pictures, pixels."""

_SHADOW: Final = 0.30
_LIGHT: Final = 0.13


def render(scene: Scene, size: int = SIZE) -> Picture:
    """Draw a scene as ``size`` x ``size`` pixels. The same scene gives the same bytes.

    Raises:
        ValueError: size below 16, or more than 255 objects.
    """
    if size < 16 or len(scene.objects) > 255:
        raise ValueError(f"size must be at least 16 and objects at most 255, got {size} and {len(scene.objects)}")
    factor = 4 if size <= 160 else 2
    ink, owners = _drawn(scene.objects, size, factor)
    shares = _shares(owners, len(scene.objects), factor)
    covered = shares.sum(axis=0)
    # The canvas was black where nothing was painted, so shrinking gives colours already weighted by coverage.
    front = np.asarray(ink.reduce(factor), np.float32)
    front = front * _shading(scene.objects, shares, size)[..., None]
    ground = paint(scene.background, size) * _shadow(covered, size)[..., None]
    mixed = ground * (1 - covered[..., None]) + front
    masks = shares > 0.5
    return Picture(np.clip(np.rint(mixed), 0, 255).astype(np.uint8), masks, _boxes(masks))


def _drawn(objects: tuple[Placed, ...], size: int, factor: int) -> tuple[Image.Image, NDArray[np.uint8]]:
    side = size * factor
    ink, owners = Image.new("RGB", (side, side)), Image.new("L", (side, side))
    canvas, map_ = ImageDraw.Draw(ink), ImageDraw.Draw(owners)
    for number, placed in enumerate(objects, 1):
        rng = np.random.default_rng(placed.variant)
        tone = palette(placed.color, rng)
        cos, sin = np.cos(placed.tilt), np.sin(placed.tilt)
        flip = -placed.stretch if placed.mirrored else placed.stretch
        matrix = np.array([[cos, -sin], [sin, cos]]) @ np.diag([flip, 1.0]) * (placed.size * side)
        pen = Pen(canvas, map_, number, matrix, (placed.x * side, placed.y * side), tone.line)
        KINDS[placed.kind].draw(pen, tone, rng)
    return ink, np.asarray(owners)


def _shares(owners: NDArray[np.uint8], count: int, factor: int) -> Field:
    """objects x size x size: which share of each pixel an object covers."""
    size = owners.shape[0] // factor
    shares = np.zeros((count, size, size), np.float32)
    for number in range(count):
        owned = Image.fromarray((owners == number + 1) * np.uint8(255))
        shares[number] = np.asarray(owned.reduce(factor), np.float32) / 255
    return shares


def _shading(objects: tuple[Placed, ...], shares: Field, size: int) -> Field:
    """Brightness per pixel: each object lighter at its upper left, darker at its lower right."""
    level = np.ones((size, size), np.float32)
    axis = (np.arange(size, dtype=np.float32) + 0.5) / size
    for placed, share in zip(objects, shares, strict=True):
        half = max(placed.half_extent)
        slope = ((axis[None, :] - placed.x) + 1.4 * (axis[:, None] - placed.y)) / (2.4 * half)
        level = np.where(share > 0, 1.0 - _LIGHT * np.clip(slope, -1, 1), level)
    return np.asarray(level, np.float32)


def _shadow(covered: Field, size: int) -> Field:
    """Brightness of the ground, 1 where no shadow falls: the objects' outline, moved down and right, blurred."""
    cast = Image.fromarray(np.clip(covered * 255, 0, 255).astype(np.uint8))
    moved = Image.new("L", cast.size)
    moved.paste(cast, (round(size * 0.012), round(size * 0.025)))
    soft = moved.filter(ImageFilter.GaussianBlur(size * 0.018))
    return 1.0 - _SHADOW / 255 * np.asarray(soft, np.float32)


def _boxes(masks: NDArray[np.bool_]) -> NDArray[np.float64]:
    boxes = np.zeros((len(masks), 4))
    for number, mask in enumerate(masks):
        rows, columns = np.flatnonzero(mask.any(axis=1)), np.flatnonzero(mask.any(axis=0))
        if len(rows):
            boxes[number] = columns[0], rows[0], columns[-1] + 1, rows[-1] + 1
    return boxes
