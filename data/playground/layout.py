"""Where objects go: a free place for each, now and then a light overlap, and the asked relations with a clear margin."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from data.playground.kinds import KINDS
from data.playground.scene import Placed
from data.prompts.spec import Relation

MAX_OBJECTS: Final = 6

_SPANS: Final = {1: (0.44, 0.74), 2: (0.32, 0.44), 3: (0.26, 0.36), 4: (0.24, 0.32), 5: (0.21, 0.27), 6: (0.20, 0.25)}
"""Side of a square as large as the object's box, by the number of objects; shares of the picture's side."""
_MARGIN: Final = 0.02
_GAP: Final = 0.015
_LIGHT_OVERLAP: Final = 0.10
_SHARE_WITH_OVERLAP: Final = 0.15
_TRIES: Final = 80
_MAX_TILT: Final = 0.20
_SLANT: Final = 0.45
_WIDE: Final = 1.7


class NoRoom(RuntimeError):
    """The objects could not be placed; the relations asked contradict one another."""


@dataclass(frozen=True, slots=True)
class Thing:
    """One object to place. ``entry``: which of the spec's objects it is (-1: none); ``wide``: stretched over two places."""

    kind: str
    color: str
    entry: int = -1
    wide: bool = False


@dataclass(frozen=True, slots=True)
class Link:
    """``subject`` (an index of the objects) stands in ``relation`` to ``reference``."""

    subject: int
    reference: int
    relation: Relation


@dataclass(frozen=True, slots=True)
class Plan:
    """What to place, from back to front. ``links`` refer to ``things`` by number."""

    things: tuple[Thing, ...]
    links: tuple[Link, ...] = ()


def arrange(plan: Plan, rng: np.random.Generator) -> tuple[Placed, ...]:
    """Give every thing a place.

    Linked objects lie beside one another along the relation's axis, boxes apart, and stray from it by less than half as much:
    so the asked relation holds by the paper's rule and by GenEval's code, and no other does.

    Raises:
        ValueError: more than six objects.
        NoRoom: the links contradict one another.
    """
    things, links = plan.things, plan.links
    if len(things) > MAX_OBJECTS:
        raise ValueError(f"at most {MAX_OBJECTS} objects can be placed, got {len(things)}")
    overlap = _LIGHT_OVERLAP if not links and rng.random() < _SHARE_WITH_OVERLAP else 0.0
    for attempt in range(40):
        placed = _attempt(plan, overlap, 0.96**attempt, rng)
        if placed is not None:
            return placed
    raise NoRoom(f"no room for {len(things)} objects with {len(links)} relations")


def related(subject: Placed, reference: Placed, relation: Relation) -> bool:
    """Whether two placed objects stand clearly in a relation (see ``arrange``)."""
    along, across = subject.x - reference.x, subject.y - reference.y
    a, b = subject.half_extent, reference.half_extent
    apart = a[0] + b[0]
    if relation in ("above", "below"):
        along, across, apart = across, along, a[1] + b[1]
    if relation in ("left of", "above"):
        along = -along
    return along >= apart and abs(across) <= _SLANT * along


def sized(thing: Thing, span: float, rng: np.random.Generator) -> Placed:
    """An object at the middle whose box has the area of a square of side ``span``, of random tilt and shade."""
    shape = KINDS[thing.kind]
    size = span / (2 * float(np.sqrt(shape.half_width * shape.half_height)))
    return Placed(
        thing.kind,
        thing.color,
        0.5,
        0.5,
        size,
        tilt=float(rng.uniform(-_MAX_TILT, _MAX_TILT)),
        mirrored=bool(rng.random() < 0.5),
        stretch=float(rng.uniform(0.93, 1.07)) * (_WIDE if thing.wide else 1.0),
        variant=int(rng.integers(2**31)),
    )


def fitted(placed: Placed) -> Placed:
    """The object, shrunk if it is too large for the picture, and moved so that it lies within."""
    room = 0.5 - _MARGIN
    scale = min(1.0, room / max(placed.half_extent))
    smaller = replace(placed, size=placed.size * scale)
    w, h = smaller.half_extent
    x = float(np.clip(smaller.x, _MARGIN + w, 1 - _MARGIN - w))
    return replace(smaller, x=x, y=float(np.clip(smaller.y, _MARGIN + h, 1 - _MARGIN - h)))


def _attempt(plan: Plan, overlap: float, scale: float, rng: np.random.Generator) -> tuple[Placed, ...] | None:
    low, high = _SPANS[max(1, len(plan.things))]
    common = float(rng.uniform(low, high)) * scale
    placed: list[Placed] = []
    for thing in plan.things:
        one = fitted(sized(thing, common * float(rng.uniform(0.9, 1.1)), rng))
        bound = [link for link in plan.links if max(link.subject, link.reference) == len(placed)]
        free = _free_place(one, placed, bound, overlap, rng)
        if free is None:
            return None
        placed.append(free)
    return tuple(placed)


def _free_place(
    one: Placed, others: Sequence[Placed], bound: Sequence[Link], overlap: float, rng: np.random.Generator
) -> Placed | None:
    w, h = (max(0.0, 0.5 - _MARGIN - half) for half in one.half_extent)
    for _ in range(_TRIES):
        here = replace(one, x=0.5 + float(rng.uniform(-w, w)), y=0.5 + float(rng.uniform(-h, h)))
        everyone = [*others, here]
        if all(_covered(here, other) <= overlap for other in others) and all(
            related(everyone[link.subject], everyone[link.reference], link.relation) for link in bound
        ):
            return here
    return None


def _covered(a: Placed, b: Placed) -> float:
    """Intersection of two boxes as a share of the smaller; a gap too narrow counts as a touch."""
    (aw, ah), (bw, bh) = a.half_extent, b.half_extent
    across = min(aw + bw + _GAP - abs(a.x - b.x), 2 * aw, 2 * bw)
    down = min(ah + bh + _GAP - abs(a.y - b.y), 2 * ah, 2 * bh)
    if across <= 0 or down <= 0:
        return 0.0
    return across * down / (4 * min(aw * ah, bw * bh))
