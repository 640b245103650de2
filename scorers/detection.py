"""What scorers that look with a detector have in common: the geometry of boxes, how many images go at once, and which settings
make sense.

Boxes are in pixels, y downwards; how one stands to another goes by GenEval's rules (its code's, or its paper's).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import sqrt
from typing import Any, Final, Literal, get_args

from PIL import Image

from data.spec import Relation
from scorers.base import Shown

Box = tuple[float, float, float, float]
Rule = Literal["official", "paper"]
RULES: Final[tuple[Rule, ...]] = get_args(Rule)
"""Which of GenEval's two rules decides a relation: that of its published code, or the formula of its paper."""

_AXES: Final[tuple[tuple[int, Relation, Relation], ...]] = ((0, "left of", "right of"), (1, "above", "below"))
_NOTHING: Final = 1e-3


@dataclass(frozen=True, slots=True)
class BoxRelation:
    """The relations in which one box stands to another, left and right before above and below, and its offset."""

    relations: tuple[Relation, ...]
    offset: tuple[float, float]


def required_offset(rule: Rule) -> float:
    """What an offset must exceed on an axis to stand in a relation."""
    return 0.5 if rule == "official" else 0.0


def box_relations(a: Box, b: Box, threshold: float, rule: Rule = "official") -> BoxRelation:
    """How ``a`` stands to ``b``.

    The offset of the centres is shortened on each axis by ``threshold`` times both boxes' sizes, and divided by the length
    that it had before: (dx, dy), each -1 to 1, right and down positive.

    - ``official`` (``relative_position`` in GenEval's ``evaluate_images.py``): a relation needs more than 0.5 on its axis, and
      what was shortened to under a thousandth of a pixel on both stands in none. So along one axis boxes must be twice
      ``threshold`` times their sizes apart.
    - ``paper`` (GenEval, appendix C.3, "Relative position"; its fourth line has ">" for "<"): a relation needs more than 0,
      each axis for itself. Whatever holds officially holds here too.
    """
    offset = [center(a, k) - center(b, k) for k in (0, 1)]
    room = [threshold * (_side(a, k) + _side(b, k)) for k in (0, 1)]
    shortened = [max(abs(o) - r, 0.0) * ((o > 0) - (o < 0)) for o, r in zip(offset, room, strict=True)]
    if abs(shortened[0]) < _NOTHING and abs(shortened[1]) < _NOTHING and (rule == "official" or shortened == [0, 0]):
        return BoxRelation((), (0.0, 0.0))
    length = sqrt(offset[0] * offset[0] + offset[1] * offset[1])
    # no negative zeros
    d = (shortened[0] / length + 0.0, shortened[1] / length + 0.0)
    needed = required_offset(rule)
    return BoxRelation(tuple(positive if d[k] > 0 else negative for k, negative, positive in _AXES if abs(d[k]) > needed), d)


def center(box: Box, axis: int) -> float:
    """Of a box, on the axis 0 (x) or 1 (y)."""
    return (box[axis] + box[axis + 2]) / 2


def overlap(a: Box, b: Box) -> float:
    """Share of the union that two boxes have in common, sides counted in whole pixels (one more than their difference)."""
    shared = _area((max(a[0], b[0]), max(a[1], b[1]), min(a[2], b[2]), min(a[3], b[3])))
    union = _area(a) + _area(b) - shared
    return shared / union if union else 0.0


def _side(box: Box, axis: int) -> float:
    return abs(box[axis + 2] - box[axis])


def _area(box: Box) -> float:
    return max(box[2] - box[0] + 1, 0.0) * max(box[3] - box[1] + 1, 0.0)


MAX_PIXELS: Final = 1 << 24
"""Of an image that a detector is given: 4096 x 4096. Each object has a mask of that size."""
_PIXELS_AT_ONCE: Final = 1 << 25


def portions(batch: Sequence[Shown]) -> Iterator[list[int]]:
    """Places of the images, as many together as memory allows; those that are too large are in none."""
    some: list[int] = []
    pixels = 0
    for number, shown in enumerate(batch):
        size = shown.image.width * shown.image.height
        if size > MAX_PIXELS:
            continue
        if some and pixels + size > _PIXELS_AT_ONCE:
            yield some
            some, pixels = [], 0
        some.append(number)
        pixels += size
    if some:
        yield some


def too_large(image: Image.Image) -> str:
    """Why an image that is in no portion was not looked at."""
    size = f"{image.width} x {image.height} pixels"
    return f"{size}: a detector is given at most {MAX_PIXELS / 1e6:.0f} megapixels; shrink it"


def check_detector_settings(settings: Mapping[str, Any], lowest: float) -> None:
    """Whether what is kept, and how images are brought to the detector, makes sense.

    Args:
        settings: with ``keep``, ``detector_side`` and ``detector_overlap``.
        lowest: the lowest threshold of judging.

    Raises:
        ValueError: one does not.
    """
    if not 0 <= settings["keep"] <= lowest:
        raise ValueError(f"keep must be from 0 to the lowest threshold ({lowest:g}), got {settings['keep']:g}")
    if settings["detector_side"] < 32 or settings["detector_side"] % 32:
        raise ValueError(f"detector_side must be a multiple of 32, got {settings['detector_side']}")
    if not 0 < settings["detector_overlap"] <= 1:
        raise ValueError(f"detector_overlap must be above 0 and at most 1, got {settings['detector_overlap']:g}")
