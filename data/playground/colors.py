"""GenEval's ten colours as paint: a body colour with its lighter, darker and outline tones."""

from __future__ import annotations

import colorsys
from dataclasses import dataclass
from typing import Final

import numpy as np

from data.prompts.geneval import COLORS

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


def palette(color: str, rng: np.random.Generator) -> Palette:
    """The tones of a colour with a little jitter: hue within 1.5 %, brightness within 6 %, of the full range.

    Raises:
        KeyError: not one of the ten colours.
    """
    hue, saturation, value = colorsys.rgb_to_hsv(*(part / 255 for part in RGB[color]))
    hue = (hue + float(rng.uniform(-0.01, 0.01))) % 1.0
    value = min(1.0, value * float(rng.uniform(0.94, 1.04)))
    body = _rgb(hue, saturation, value)
    shade = _mix(body, INK, 0.22 if color != "white" else 0.12)
    # a light red is pink, a light black grey: these two stay closer to themselves
    light = _mix(body, (255, 255, 255), 0.30 if color not in ("red", "black") else 0.14)
    line = _mix(body, INK, 0.62 if color != "white" else 0.55) if color != "black" else (14, 14, 18)
    contrast = CREAM if color in ("black", "blue", "purple", "brown", "red", "green") else INK
    return Palette(body, shade, light, line, contrast)


def _rgb(hue: float, saturation: float, value: float) -> Rgb:
    red, green, blue = colorsys.hsv_to_rgb(hue, saturation, value)
    return round(red * 255), round(green * 255), round(blue * 255)


def _mix(a: Rgb, b: Rgb, share: float) -> Rgb:
    red, green, blue = (round(p * (1 - share) + q * share) for p, q in zip(a, b, strict=True))
    return red, green, blue
