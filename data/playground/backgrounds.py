"""What lies behind the objects: plain, two-part and textured grounds, all pale, so that every colour stands out."""

from __future__ import annotations

import colorsys
from collections.abc import Callable
from typing import Final

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from data.playground.scene import Background

Field = NDArray[np.float32]
_Grid = tuple[Field, Field]


def paint(background: Background, size: int) -> Field:
    """The ground, ``size`` x ``size`` x 3, sRGB 0-255."""
    rng = np.random.default_rng(background.seed)
    base = np.array(colorsys.hsv_to_rgb(background.hue, background.saturation, background.value), np.float32) * 255
    axis = (np.arange(size, dtype=np.float32) + 0.5) / size
    down, across = (np.asarray(part, np.float32) for part in np.meshgrid(axis, axis, indexing="ij"))
    level = TEXTURES[background.texture]((across, down), rng)
    level = level * (1.03 - 0.07 * down)  # a little darker towards the floor
    return np.asarray(np.clip(base * level[..., None], 0, 255), np.float32)


def _plain(grid: _Grid, _: np.random.Generator) -> Field:
    return np.ones_like(grid[0])


def _floor(grid: _Grid, rng: np.random.Generator) -> Field:
    edge = rng.uniform(0.58, 0.8)
    return np.where(grid[1] > edge, 0.87, 1.0).astype(np.float32)


def _clouds(grid: _Grid, rng: np.random.Generator) -> Field:
    return 1.0 + 0.09 * _noise(grid[0].shape[0], 5, rng) + 0.04 * _noise(grid[0].shape[0], 11, rng)


def _paper(grid: _Grid, rng: np.random.Generator) -> Field:
    return 1.0 + 0.05 * _noise(grid[0].shape[0], 48, rng)


def _stripes(grid: _Grid, rng: np.random.Generator) -> Field:
    angle, turns = rng.uniform(0, np.pi), rng.uniform(4, 9)
    wave = np.sin(2 * np.pi * turns * (grid[0] * np.cos(angle) + grid[1] * np.sin(angle)))
    return np.asarray(1.0 + 0.035 * np.clip(wave * 4, -1, 1), np.float32)


def _dots(grid: _Grid, rng: np.random.Generator) -> Field:
    turns, shift = rng.uniform(5, 8), rng.uniform(0, 1, 2)
    x, y = grid[0] * turns + shift[0], grid[1] * turns + shift[1]
    x = x + 0.5 * (np.floor(y) % 2)
    distance = np.hypot(x % 1 - 0.5, y % 1 - 0.5)
    return np.asarray(1.0 + 0.07 * np.clip((0.24 - distance) * 12, 0, 1), np.float32)


def _wood(grid: _Grid, rng: np.random.Generator) -> Field:
    size = grid[0].shape[0]
    bend = 0.05 * _noise(size, 4, rng)
    rings = np.sin(2 * np.pi * (rng.uniform(5, 8) * (grid[1] + bend) + 0.4 * grid[0]))
    boards = np.where((grid[1] * 4 + 0.02) % 1 < 0.04, -0.08, 0.0)
    return np.asarray(1.0 + 0.035 * rings + boards, np.float32)


def _checks(grid: _Grid, rng: np.random.Generator) -> Field:
    turns, shift = rng.uniform(4, 7), rng.uniform(0, 1, 2)
    cell = np.floor(grid[0] * turns + shift[0]) + np.floor(grid[1] * turns + shift[1])
    return np.where(cell % 2 > 0, 0.96, 1.03).astype(np.float32)


def _waves(grid: _Grid, rng: np.random.Generator) -> Field:
    turns = rng.uniform(6, 9)
    wave = np.sin(2 * np.pi * (turns * grid[1] + 0.35 * np.sin(2 * np.pi * (3 * grid[0] + rng.uniform(0, 1)))))
    return np.asarray(1.0 + 0.05 * wave, np.float32)


def _noise(size: int, cells: int, rng: np.random.Generator) -> Field:
    """Smooth noise, size x size, about -1 to 1: ``cells`` x ``cells`` random values, interpolated."""
    small = Image.fromarray(rng.uniform(-1, 1, (cells, cells)).astype(np.float32))
    return np.asarray(small.resize((size, size), Image.Resampling.BICUBIC), np.float32)


TEXTURES: Final[dict[str, Callable[[_Grid, np.random.Generator], Field]]] = {
    "plain": _plain,
    "floor": _floor,
    "clouds": _clouds,
    "paper": _paper,
    "stripes": _stripes,
    "dots": _dots,
    "wood": _wood,
    "checks": _checks,
    "waves": _waves,
}
"""How bright the ground is at each place, 1 being its own colour."""
