"""The images inside a line drawn on a map, as an address names them: ``map=METHOD:MODEL:KEY`` and ``lasso=x,y;x,y;x,y``."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from data.jobs.maps import Map, MapPositions
from data.store.core.selection import Where
from data.store.core.store import Store
from scorers.maps import METHODS
from ui import words
from ui.mapping import making

NAMES: Final = ("map", "lasso")
"""The parts of an address that name one."""
MOST_POINTS: Final = 200
_FURTHEST: Final = 1e4
_POINT: Final = re.compile(r"\s*(-?[0-9]{1,5}(?:\.[0-9]{1,6})?)\s*,\s*(-?[0-9]{1,5}(?:\.[0-9]{1,6})?)\s*")
Read = Callable[[str], Sequence[str]]


class LassoLost(ValueError):
    """The map that it was drawn on is not at hand; the message says what to do."""


@dataclass(frozen=True, slots=True)
class Mapped:
    """A map as an address names it.

    Attributes:
        key: of the very map; empty for that of today's embeddings.
    """

    method: str
    model: str
    key: str = ""

    def __str__(self) -> str:
        return ":".join(part for part in (self.method, self.model, self.key) if part)


@dataclass(frozen=True, slots=True)
class Lasso:
    """A closed line on a map; ``points`` are its corners, in the map's own units."""

    on: Mapped
    points: tuple[tuple[float, float], ...]

    def __str__(self) -> str:
        return ";".join(f"{x:g},{y:g}" for x, y in self.points)


def mapped_of(text: str) -> Mapped | None:
    """The map that a part of an address names; None if it names none.

    Raises:
        ValueError: it is no such name.
    """
    if not text:
        return None
    method, _, rest = text.partition(":")
    model, _, key = rest.partition(":")
    if method not in METHODS or not model or ":" in key:
        raise ValueError(f"map must be METHOD:MODEL, the method one of {', '.join(METHODS)}.")
    return Mapped(method, model, key)


def lasso_in(read: Read) -> Lasso | None:
    """The lasso that an address asks for; None if it asks for none.

    Raises:
        ValueError: it asks for half of it, or for a line that is none.
    """
    line = next((value for value in reversed(read("lasso")) if value), "")
    if not line:
        return None
    on = mapped_of(next((value for value in reversed(read("map")) if value), ""))
    if on is None:
        raise ValueError("a lasso needs the map that it was drawn on: map=METHOD:MODEL.")
    return Lasso(on, points_of(line))


def lost(read: Read) -> set[str]:
    """Which parts of the lasso that an address asks for cannot be followed."""
    try:
        lasso_in(read)
    except ValueError:
        return {*NAMES}
    return set()


def points_of(line: str) -> tuple[tuple[float, float], ...]:
    """The corners.

    Raises:
        ValueError: these are not three or more.
    """
    found = [_POINT.fullmatch(part) for part in line.split(";")[: MOST_POINTS + 1]]
    points = tuple((float(one[1]), float(one[2])) for one in found if one)
    good = len(points) == len(found) and 3 <= len(points) <= MOST_POINTS
    if not good or not all(math.isfinite(value) and abs(value) <= _FURTHEST for point in points for value in point):
        raise ValueError(f"lasso must be 3 to {MOST_POINTS} corners, as x,y;x,y;x,y.")
    return points


def inside(places: MapPositions, points: Sequence[tuple[float, float]]) -> NDArray[np.bool_]:
    """Which of (n, 2) places lie within the closed line, by the even-odd rule; a line may cross itself."""
    x, y = places[:, 0].astype(np.float64), places[:, 1].astype(np.float64)
    within = np.zeros(len(places), bool)
    for (x0, y0), (x1, y1) in zip(points, [*points[1:], points[0]], strict=True):
        if y0 == y1:
            continue
        crosses = (y0 > y) != (y1 > y)
        within ^= crosses & (x < (x1 - x0) * (y - y0) / (y1 - y0) + x0)
    return within


def map_of(store: Store, on: Mapped) -> Map:
    """The map that an address names.

    Raises:
        LassoLost: it is not at hand. One of today's embeddings is begun.
    """
    if on.key and (found := making.kept(store, on.key)):
        return found
    again = "Draw the lasso anew on the page Map."
    try:
        current = making.key_of(store, on.method, on.model)
    except KeyError:
        raise LassoLost(f"This address asks for a map of {on.model}: no image here has an embedding by it. {again}") from None
    if on.key not in ("", current):
        raise LassoLost(f"The map that this lasso was drawn on is gone, as other images have embeddings by now. {again}")
    standing = making.standing(store, on.method, on.model)
    if standing.made is None:
        raise LassoLost(f"{standing.told} Reload this page when it is done.")
    return standing.made


def listed(store: Store, lasso: Lasso) -> Where:
    """The condition on ``items t`` that they lie within the lasso.

    Raises:
        LassoLost: the map is not at hand.
    """
    found = map_of(store, lasso.on)
    here = np.flatnonzero(inside(found.places, lasso.points))
    return "t.item_id in (select unnest(?::varchar[]))", [[found.items[k] for k in here]]


def sentence(store: Store, lasso: Lasso) -> str:
    """What the lasso's images are, in words."""
    try:
        found = map_of(store, lasso.on)
    except LassoLost as error:
        return str(error)
    n = int(inside(found.places, lasso.points).sum())
    images = words.count(n, "image") if n else "No image"
    return f"{images} inside an area of the map ({METHODS[found.method]} of embeddings by {found.model})."
