"""The map of Images as JSON: its points with what they are coloured by, the classes with their counts, and how far it is.

Each point carries its position in the map's list of images, so that an image is asked for only when somebody points at it.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from concord import maps
from concord.browsing.listing import ImageListing
from concord.common import wording
from concord.maps import MapAddress, MapColoring, map_address
from data.jobs.maps import EXTENT, Map
from data.store.core.store import Store
from scorers.maps import METHODS

MOST_DRAWN: Final = 20_000
"""Points at most; of more a draw is shown, and a line around some holds those too that are not drawn."""
MOST_CLASSES: Final = 12


@dataclass(frozen=True, slots=True)
class MapGroup:
    """A class of points.

    Attributes:
        title: what it is called; ``value``: as it is stored, empty for the rest.
        n: how many of the listed images are in it.
        filter: the filter of Images that lists it; empty where there is none.
        rest: whether it stands for all that have no class of their own.
    """

    title: str
    value: str
    n: int
    filter: Mapping[str, str]
    rest: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class MapPoints:
    """The points that are drawn.

    Attributes:
        images: positions in the map's list of images.
        values: of each point the number of its class, or its score (None: there is none).
        groups: the classes; none where images are told apart by a score.
        listed: how many of the listed images the map holds.
    """

    images: NDArray[np.int32]
    values: Sequence[float | None]
    groups: Sequence[MapGroup]
    listed: int


def map_json(
    store: Store, listing: ImageListing, asked: str, paint: str, *, blind: bool = False, again: bool = False
) -> dict[str, Any] | None:
    """Return the map that an address asks for, with the listed images on it, inside its lasso or not.

    None if no image has an embedding.
    ``message`` says how far a map is that is not there yet (``busy``: it is being made), or why there is none; it has no
    points then. ``blind``: images are not told apart by what people and scorers say of them; ``again``: a map that failed is
    begun anew.
    """
    sources = maps.embedding_sources(store)
    if not sources:
        return None
    colorings = {name: coloring for name, coloring in maps.colorings(store).items() if not (blind and coloring.rater)}
    coloring = colorings.get(paint) or next(iter(colorings.values()))
    on = _followed(asked, [*sources])
    progress = maps.request_map(store, on.method, on.model, again=again)
    controls = {
        "method": on.method,
        "methods": [{"value": name, "words": title} for name, title in METHODS.items()],
        "model": on.model,
        # the digest of its weights tells nobody anything
        "models": [{"value": name, "words": name.partition("@")[0]} for name in sources],
        "paint": coloring.name,
        "paints": [{"value": each.name, "words": each.title} for each in colorings.values()],
        "rater": coloring.rater,
        "message": progress.message,
        "busy": progress.busy,
    }
    if progress.made is None:
        return controls
    listed = replace(listing, lasso=None).restriction(store)
    values = maps.color_values(store, coloring, progress.made.items, listed)
    points = points_of_map(progress.made, progress.key, values, coloring)
    places = progress.made.places[points.images].astype(np.float64).round(2)
    return controls | {
        "map": str(MapAddress(on.method, on.model, progress.key)),
        "extent": EXTENT,
        "images": points.images.tolist(),
        "x": places[:, 0].tolist(),
        "y": places[:, 1].tolist(),
        "values": list(points.values),
        "groups": [asdict(group) for group in points.groups],
        "continuous": coloring.continuous,
        "listed": points.listed,
        "axes": [f"axis {k}, {share:.0%} of the variance" for k, share in enumerate(progress.made.shares, 1)],
        "about": _about(progress.made, points),
    }


def _followed(asked: str, models: Sequence[str]) -> MapAddress:
    """Return the method and model of an address, where the project has them, without its key: the map of today's embeddings."""
    try:
        on = map_address(asked)
    except ValueError:
        on = None
    return MapAddress(on.method if on else "pca", on.model if on and on.model in models else models[0])


def points_of_map(made: Map, key: str, values: Mapping[str, Any], coloring: MapColoring) -> MapPoints:
    """Return the images of ``values`` (by item, what they are told apart by) where the map has them; of many a fixed draw."""
    images = np.array([k for k, item in enumerate(made.items) if item in values], np.int32)
    told = [values[made.items[k]] for k in images]
    drawn = _points_to_draw(images.size, key)
    if coloring.continuous:
        return MapPoints(images[drawn], [None if told[k] is None else float(told[k]) for k in drawn], (), int(images.size))
    named = maps.color_classes(told, MOST_CLASSES)
    number = {value: k for k, value in enumerate(named)}
    classes = np.array([number.get(value, len(named)) for value in told], np.int64)
    counts = np.bincount(classes, minlength=len(named) + 1)
    groups = [
        MapGroup(maps.class_title(coloring, value), value, int(counts[k]), maps.browse_filter(coloring, value))
        for k, value in enumerate(named)
    ]
    if others := len(set(told)) - len(named):
        groups.append(MapGroup(f"{others} others", "", int(counts[-1]), {}, rest=True))
    return MapPoints(images[drawn], classes[drawn].tolist(), groups, int(images.size))


def _points_to_draw(n: int, key: str) -> NDArray[np.int64]:
    """Return the positions of at most `MOST_DRAWN` of n points, of one map always the same."""
    if n <= MOST_DRAWN:
        return np.arange(n)
    seed = int.from_bytes(hashlib.sha256(key.encode()).digest()[:4], "big")
    return np.sort(np.random.default_rng(seed).choice(n, MOST_DRAWN, replace=False))


def _about(made: Map, points: MapPoints) -> str:
    """Return what the map shows, and what of the listed images it does not."""
    n = len(made.items)
    listed = wording.count(points.listed, "image") if points.listed else "No image of this selection"
    parts = [f"{listed} of {n:,} on the map" if points.listed < n else f"{listed} on the map"]
    parts[0] += f": {METHODS[made.method]} of embeddings by {made.model.partition('@')[0]}."
    parts.append("Images that the model sees alike lie near each other.")
    if n < made.total:
        parts.append(f"The map holds {n:,} images, drawn at random, of {made.total:,} that have an embedding.")
    if points.images.size < points.listed:
        parts.append(f"{points.images.size:,} of them are drawn, chosen at random; a line around some holds the others, too.")
    if made.note:
        parts.append(f"Note: {made.note}.")
    return " ".join(parts)
