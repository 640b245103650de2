"""Scenes to pixels: objects drawn large and shrunk, shaded by a light from the upper left, with soft shadows, on a background.

Backgrounds are plain, two-part and textured grounds, all pale, so that every colour stands out.
"""

from __future__ import annotations

import colorsys
from collections.abc import Callable
from typing import Final

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFilter

from data.playground.objects import KINDS, Pen, color_palette
from data.playground.scene import Background, Placed, Scene, ScenePicture

PixelField = NDArray[np.float32]
_Grid = tuple[PixelField, PixelField]


def paint_background(background: Background, size: int) -> PixelField:
    """The ground, ``size`` x ``size`` x 3, sRGB 0-255."""
    rng = np.random.default_rng(background.seed)
    base = np.array(colorsys.hsv_to_rgb(background.hue, background.saturation, background.value), np.float32) * 255
    axis = (np.arange(size, dtype=np.float32) + 0.5) / size
    down, across = (np.asarray(part, np.float32) for part in np.meshgrid(axis, axis, indexing="ij"))
    level = TEXTURES[background.texture]((across, down), rng)
    level = level * (1.03 - 0.07 * down)  # a little darker towards the floor
    return np.asarray(np.clip(base * level[..., None], 0, 255), np.float32)


def _stripes(grid: _Grid, rng: np.random.Generator) -> PixelField:
    angle, turns = rng.uniform(0, np.pi), rng.uniform(4, 9)
    wave = np.sin(2 * np.pi * turns * (grid[0] * np.cos(angle) + grid[1] * np.sin(angle)))
    return np.asarray(1.0 + 0.035 * np.clip(wave * 4, -1, 1), np.float32)


def _dots(grid: _Grid, rng: np.random.Generator) -> PixelField:
    turns, shift = rng.uniform(5, 8), rng.uniform(0, 1, 2)
    x, y = grid[0] * turns + shift[0], grid[1] * turns + shift[1]
    x = x + 0.5 * (np.floor(y) % 2)
    distance = np.hypot(x % 1 - 0.5, y % 1 - 0.5)
    return np.asarray(1.0 + 0.07 * np.clip((0.24 - distance) * 12, 0, 1), np.float32)


def _wood(grid: _Grid, rng: np.random.Generator) -> PixelField:
    size = grid[0].shape[0]
    bend = 0.05 * _noise(size, 4, rng)
    rings = np.sin(2 * np.pi * (rng.uniform(5, 8) * (grid[1] + bend) + 0.4 * grid[0]))
    boards = np.where((grid[1] * 4 + 0.02) % 1 < 0.04, -0.08, 0.0)
    return np.asarray(1.0 + 0.035 * rings + boards, np.float32)


def _checks(grid: _Grid, rng: np.random.Generator) -> PixelField:
    turns, shift = rng.uniform(4, 7), rng.uniform(0, 1, 2)
    cell = np.floor(grid[0] * turns + shift[0]) + np.floor(grid[1] * turns + shift[1])
    return np.where(cell % 2 > 0, 0.96, 1.03).astype(np.float32)


def _waves(grid: _Grid, rng: np.random.Generator) -> PixelField:
    turns = rng.uniform(6, 9)
    wave = np.sin(2 * np.pi * (turns * grid[1] + 0.35 * np.sin(2 * np.pi * (3 * grid[0] + rng.uniform(0, 1)))))
    return np.asarray(1.0 + 0.05 * wave, np.float32)


def _noise(size: int, cells: int, rng: np.random.Generator) -> PixelField:
    """Smooth noise, size x size, about -1 to 1: ``cells`` x ``cells`` random values, interpolated."""
    small = Image.fromarray(rng.uniform(-1, 1, (cells, cells)).astype(np.float32))
    return np.asarray(small.resize((size, size), Image.Resampling.BICUBIC), np.float32)


TEXTURES: Final[dict[str, Callable[[_Grid, np.random.Generator], PixelField]]] = {
    "plain": lambda grid, _: np.ones_like(grid[0]),
    "floor": lambda grid, rng: np.where(grid[1] > rng.uniform(0.58, 0.8), 0.87, 1.0).astype(np.float32),
    "clouds": lambda grid, rng: 1.0 + 0.09 * _noise(grid[0].shape[0], 5, rng) + 0.04 * _noise(grid[0].shape[0], 11, rng),
    "paper": lambda grid, rng: 1.0 + 0.05 * _noise(grid[0].shape[0], 48, rng),
    "stripes": _stripes,
    "dots": _dots,
    "wood": _wood,
    "checks": _checks,
    "waves": _waves,
}
"""How bright the ground is at each place, 1 being its own colour."""


SIZE: Final = 128
"""Side of the playground's pictures, pixels."""

_SHADOW: Final = 0.30
_LIGHT: Final = 0.13


def render(scene: Scene, size: int = SIZE) -> ScenePicture:
    """Draw a scene as ``size`` x ``size`` pixels. The same scene gives the same bytes.

    Raises:
        ValueError: size below 16, or more than 255 objects.
    """
    if size < 16 or len(scene.objects) > 255:
        raise ValueError(f"size must be at least 16 and objects at most 255, got {size} and {len(scene.objects)}")
    factor = 4 if size <= 160 else 2
    ink, owners = _draw_objects(scene.objects, size, factor)
    shares = _shares(owners, len(scene.objects), factor)
    covered = shares.sum(axis=0)
    # The canvas was black where nothing was painted, so shrinking gives colours already weighted by coverage.
    front = np.asarray(ink.reduce(factor), np.float32)
    front = front * _shading(scene.objects, shares, size)[..., None]
    ground = paint_background(scene.background, size) * _shadow(covered, size)[..., None]
    mixed = ground * (1 - covered[..., None]) + front
    masks = shares > 0.5
    return ScenePicture(np.clip(np.rint(mixed), 0, 255).astype(np.uint8), masks, _boxes(masks))


def _draw_objects(objects: tuple[Placed, ...], size: int, factor: int) -> tuple[Image.Image, NDArray[np.uint8]]:
    side = size * factor
    ink, owners = Image.new("RGB", (side, side)), Image.new("L", (side, side))
    canvas, map_ = ImageDraw.Draw(ink), ImageDraw.Draw(owners)
    for number, placed in enumerate(objects, 1):
        rng = np.random.default_rng(placed.variant)
        tone = color_palette(placed.color, rng)
        cos, sin = np.cos(placed.tilt), np.sin(placed.tilt)
        flip = -placed.stretch if placed.mirrored else placed.stretch
        matrix = np.array([[cos, -sin], [sin, cos]]) @ np.diag([flip, 1.0]) * (placed.size * side)
        pen = Pen(canvas, map_, number, matrix, (placed.x * side, placed.y * side), tone.line)
        KINDS[placed.kind].draw(pen, tone, rng)
    return ink, np.asarray(owners)


def _shares(owners: NDArray[np.uint8], count: int, factor: int) -> PixelField:
    """objects x size x size: which share of each pixel an object covers."""
    size = owners.shape[0] // factor
    shares = np.zeros((count, size, size), np.float32)
    for number in range(count):
        owned = Image.fromarray((owners == number + 1) * np.uint8(255))
        shares[number] = np.asarray(owned.reduce(factor), np.float32) / 255
    return shares


def _shading(objects: tuple[Placed, ...], shares: PixelField, size: int) -> PixelField:
    """Brightness per pixel: each object lighter at its upper left, darker at its lower right."""
    level = np.ones((size, size), np.float32)
    axis = (np.arange(size, dtype=np.float32) + 0.5) / size
    for placed, share in zip(objects, shares, strict=True):
        half = max(placed.half_extent)
        slope = ((axis[None, :] - placed.x) + 1.4 * (axis[:, None] - placed.y)) / (2.4 * half)
        level = np.where(share > 0, 1.0 - _LIGHT * np.clip(slope, -1, 1), level)
    return np.asarray(level, np.float32)


def _shadow(covered: PixelField, size: int) -> PixelField:
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
