"""Maps of embeddings: made by a worker of their own and kept in the project's cache, cut by a lasso, and coloured.

An address names a map as ``map=METHOD:MODEL:KEY`` and a lasso as ``lasso=x,y;x,y;x,y``. Colours tell images apart by what they
are, what was asked for, and what is said of them.
"""

from __future__ import annotations

import atexit
import hashlib
import json
import math
import re
import sys
import threading
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from concord.common import live_updates, next_steps, wording
from concord.runs.worker_process import WorkerProcess
from data.cache import cached_by_stamp
from data.jobs.maps import Map, MapFolder, MapJob, MapPositions
from data.jobs.runs import RunFolder
from data.selection import PEOPLE, SIMULATED
from data.spec import SpecError, parse_spec
from data.store import runs
from data.store.browse import map_points
from data.store.browse.filters import ListingQuery
from data.store.core.conditions import Where
from data.store.core.store import Store
from data.store.runs import RunRow
from scorers.clipscore import SCORER, model_of
from scorers.maps import METHODS, MOST, UMAP_PACKAGE, NoEmbeddings, has_embeddings, most_alike, umap_version

SEED: Final = 0
WORKER: tuple[str, ...] = (sys.executable, "-m", "scorers.maps")
_KEY: Final = re.compile(r"[0-9a-f]{12}")
_LOOKED_AT: Final = 16
"""Parts of a run, from its end on, before it is said to hold no embedding."""

_workers: dict[Path, WorkerProcess] = {}
_lock = threading.Lock()


@dataclass(frozen=True, slots=True)
class EmbeddingSource:
    """The runs that kept embeddings by one model.

    Attributes:
        parts: their files.
        stamp: differs when there are others.
    """

    parts: tuple[Path, ...]
    stamp: str


@dataclass(frozen=True, slots=True)
class MapProgress:
    """How it stands with a map.

    Attributes:
        key: of the map that was asked for: the same embeddings, method and seed have the same.
        made: the map, once it is there; else ``message`` says how far it is, or (not ``busy``) why there is none.
    """

    key: str
    made: Map | None
    message: str = ""
    busy: bool = False


def embedding_sources(store: Store) -> Mapping[str, EmbeddingSource]:
    """By model, sorted by name, the embeddings that the project's runs kept."""
    return _embedding_sources(store)[0]


def has_runs_without_embeddings(store: Store) -> bool:
    """Whether images were scored by CLIPScore before embeddings were kept."""
    return _embedding_sources(store)[1]


def request_map(store: Store, method: str, model: str, *, again: bool = False) -> MapProgress:
    """A map, which is begun if there is none; one that failed is begun anew only if ``again``.

    Raises:
        KeyError: no run of this project kept embeddings by this model, or there is no such method.
    """
    source = embedding_sources(store)[model]
    key = map_key(store, method, model)
    folder = _folder(store, key)
    if ready := finished_map(store, key):
        return MapProgress(key, ready)
    if method == "umap" and umap_version() is None:
        need = f"UMAP needs the package {UMAP_PACKAGE}, which is not installed: uv sync --group umap"
        return MapProgress(key, None, f"{need}. PCA needs nothing.")
    with _lock:
        worker = _workers.get(folder.path)
        ended = worker is not None and worker.ended
        if worker is None or (ended and again):
            folder.ask(MapJob(method, model, [str(part) for part in source.parts], MOST[method], SEED))
            worker = _workers[folder.path] = WorkerProcess()
            worker.start(WORKER, folder)
            ended = False
    if not ended:
        return MapProgress(key, None, _progress(folder, method), busy=True)
    if ready := finished_map(store, key):  # it came between the two looks
        return MapProgress(key, ready)
    return MapProgress(
        key, None, f"The map could not be made: {worker.why_ended(folder)[:200]}. Reload this page to try again."
    )


def map_key(store: Store, method: str, model: str) -> str:
    """The key of the map of what embeddings there are now.

    Raises:
        KeyError: there are none by this model, or no such method.
    """
    version = umap_version() if method == "umap" else ""
    parts = [method, model, MOST[method], SEED, version, embedding_sources(store)[model].stamp]
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:12]


def finished_map(store: Store, key: str) -> Map | None:
    """A finished map by its key, of today's embeddings or of earlier ones; None if the cache has none."""
    if not _KEY.fullmatch(key):
        return None
    path = _folder(store, key).file
    try:
        return _read(path)
    except OSError:
        return None


MOST_ALIKE: Final = 60


class NoImagesAlike(ValueError):
    """This image has no embedding; the message says what to do."""


@live_updates.cached(maxsize=64, key=live_updates.stored_version)
def images_alike(store: Store, item_id: str) -> tuple[str, ...]:
    """The images that a model sees most like this one, by the cosine of their embeddings: itself first.

    Raises:
        NoImagesAlike: no run kept an embedding of it.
    """
    for source in embedding_sources(store).values():
        with suppress(NoEmbeddings):
            return tuple(most_alike(source.parts, item_id, MOST_ALIKE))
    command = next_steps.command_lines(store, next_steps.score_command(store, "clipscore"))[-1]
    raise NoImagesAlike(
        "This image has no embedding yet, so none can be found that look like it. CLIPScore keeps one of each image that it"
        f" looks at: {command}"
    )


def _progress(folder: MapFolder, method: str) -> str:
    stage, message = folder.last_progress(), f"The map by {METHODS[method]} is being made"
    if stage is None or not stage.stage:
        return f"{message} …"
    if not stage.total:
        return f"{message}: {stage.stage} …"
    return f"{message}: {stage.stage}, {stage.done:,} of {stage.total:,} …"


def _folder(store: Store, key: str) -> MapFolder:
    return MapFolder(store.project / "cache" / "maps" / key)


@cached_by_stamp(maxsize=4)
def _read(path: Path) -> Map | None:
    return MapFolder(path.parent).read()


@live_updates.cached(maxsize=4, key=live_updates.stored_version)
def _embedding_sources(store: Store) -> tuple[Mapping[str, EmbeddingSource], bool]:
    runs_by_model: dict[str, list[RunRow]] = {}
    without = False
    for row in runs.listed(store):
        model = model_of(row.settings)
        if row.scorer != SCORER.name or not row.parts or not model:
            continue
        folder = RunFolder(store.project / row.folder)
        # a run that was begun before embeddings were kept may have them at its end only
        if any(_part_has_embeddings(folder.part(number)) for number in row.parts[:: -max(1, len(row.parts) // _LOOKED_AT)]):
            runs_by_model.setdefault(model, []).append(row)
        else:
            without = True
    made = {}
    for model, rows in sorted(runs_by_model.items()):
        stamp = json.dumps([(row.run_id, row.parts, row.n_done) for row in rows])
        parts = (RunFolder(store.project / row.folder).part(number) for row in rows for number in row.parts)
        made[model] = EmbeddingSource(tuple(parts), stamp)
    return made, without


@cached_by_stamp(maxsize=4096)
def _embeddings_in(part: Path) -> bool:
    return has_embeddings(part)


def _part_has_embeddings(part: Path) -> bool:
    try:
        return _embeddings_in(part)
    except OSError:
        return False


def _end_all() -> None:
    """Nobody waits for their maps any more."""
    for worker in list(_workers.values()):
        worker.stop()


atexit.register(_end_all)


NAMES: Final = ("map", "lasso")
"""The parts of an address that name one."""
MOST_POINTS: Final = 200
_FURTHEST: Final = 1e4
_POINT: Final = re.compile(r"\s*(-?[0-9]{1,5}(?:\.[0-9]{1,6})?)\s*,\s*(-?[0-9]{1,5}(?:\.[0-9]{1,6})?)\s*")
AddressParts = Callable[[str], Sequence[str]]


class LassoLost(ValueError):
    """The map that it was drawn on is not at hand; the message says what to do."""


@dataclass(frozen=True, slots=True)
class MapAddress:
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

    on: MapAddress
    points: tuple[tuple[float, float], ...]

    def __str__(self) -> str:
        return ";".join(f"{x:g},{y:g}" for x, y in self.points)


def map_address(text: str) -> MapAddress | None:
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
    return MapAddress(method, model, key)


def lasso_in(read: AddressParts) -> Lasso | None:
    """The lasso that an address asks for; None if it asks for none.

    Raises:
        ValueError: it asks for half of it, or for a line that is none.
    """
    line = next((value for value in reversed(read("lasso")) if value), "")
    if not line:
        return None
    on = map_address(next((value for value in reversed(read("map")) if value), ""))
    if on is None:
        raise ValueError("a lasso needs the map that it was drawn on: map=METHOD:MODEL.")
    return Lasso(on, points_of(line))


def lost_parts(read: AddressParts) -> set[str]:
    """Return which parts of the map and lasso that an address asks for cannot be followed."""
    try:
        if lasso_in(read) is None:
            map_address(next((value for value in reversed(read("map")) if value), ""))
    except ValueError:
        return {*NAMES}
    return set()


def points_of(line: str) -> tuple[tuple[float, float], ...]:
    """The corners.

    Raises:
        ValueError: these are not three or more.
    """
    matches = [_POINT.fullmatch(part) for part in line.split(";")[: MOST_POINTS + 1]]
    points = tuple((float(match[1]), float(match[2])) for match in matches if match)
    good = len(points) == len(matches) and 3 <= len(points) <= MOST_POINTS
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


def map_of(store: Store, on: MapAddress) -> Map:
    """The map that an address names.

    Raises:
        LassoLost: it is not at hand. One of today's embeddings is begun.
    """
    if on.key and (chosen := finished_map(store, on.key)):
        return chosen
    again = "Draw the lasso anew on the map."
    try:
        current = map_key(store, on.method, on.model)
    except KeyError:
        raise LassoLost(f"This address asks for a map of {on.model}: no image here has an embedding by it. {again}") from None
    if on.key not in ("", current):
        raise LassoLost(f"The map that this lasso was drawn on has changed, as more images have embeddings now. {again}")
    standing = request_map(store, on.method, on.model)
    if standing.made is None:
        raise LassoLost(f"{standing.message} Reload this page when it is done.")
    return standing.made


def condition_of(store: Store, lasso: Lasso) -> Where:
    """The condition on ``items t`` that they lie within the lasso.

    Raises:
        LassoLost: the map is not at hand.
    """
    chosen = map_of(store, lasso.on)
    here = np.flatnonzero(inside(chosen.places, lasso.points))
    return "t.item_id in (select unnest(?::varchar[]))", [[chosen.items[k] for k in here]]


def describe_lasso(store: Store, lasso: Lasso) -> str:
    """What the lasso's images are, in words."""
    try:
        chosen = map_of(store, lasso.on)
    except LassoLost as error:
        return str(error)
    n = int(inside(chosen.places, lasso.points).sum())
    images = wording.count(n, "image") if n else "No image"
    return f"{images} inside an area of the map ({METHODS[chosen.method]} of embeddings by {chosen.model})."


OBJECT: Final = "object"
_PLACES: Final = {"generator": "Generator", "task": "Task", "suite": "Suite"}
SAYS, SCORE = "says", "score"
YES, NO, TIE, NONE, FAILED = "yes", "no", "tie", "none", "failed"
_CLASS_TITLES: Final = {YES: "right", NO: "not right", TIE: "evenly split", FAILED: "could not look"}
_NOBODY: Final = {"people": "nobody asked", "simulated": "nobody asked", SAYS: "says nothing"}
_UNKNOWN: Final = "(none)"


@dataclass(frozen=True, slots=True)
class MapColoring:
    """One way to tell images apart.

    Attributes:
        name: in an address; ``title``: on the page.
        filter: the name of the filter of Images by it; empty where Images has none.
        rater: whose word it is; empty where it is nobody's.
        continuous: values are numbers.
    """

    name: str
    title: str
    filter: str = ""
    rater: str = ""
    continuous: bool = False


@live_updates.cached(maxsize=4)
def colorings(store: Store) -> dict[str, MapColoring]:
    """All that this project has, by name, the first the usual one."""
    by_speaker = map_points.aspects_by_speaker(store)
    map_colorings = [MapColoring(name, title, name) for name, title in _PLACES.items()]
    map_colorings.append(MapColoring(OBJECT, "Object asked for first", OBJECT))
    map_colorings.append(MapColoring("people", "What people say", "people", PEOPLE))
    if SIMULATED in by_speaker:
        map_colorings.append(MapColoring("simulated", "What simulated people say", "", SIMULATED))
    for rater in sorted(set(by_speaker) - {PEOPLE, SIMULATED}):
        if "correct" in by_speaker[rater]:
            map_colorings.append(MapColoring(f"{SAYS}:{rater}", f"What {rater} says", SAYS, rater))
        if "score" in by_speaker[rater]:
            map_colorings.append(MapColoring(f"{SCORE}:{rater}", f"Score by {rater}", "", rater, continuous=True))
    return {coloring.name: coloring for coloring in map_colorings}


def color_values(store: Store, paint: MapColoring, items: Sequence[str], query: ListingQuery) -> Mapping[str, Any]:
    """Of those of these items that are asked for what they are told apart by: a text, or a number (None: there is none)."""
    if paint.continuous:
        return map_points.by_score(store, items, query, paint.rater)
    if paint.name == OBJECT:
        return {item: _first_object(spec) for item, spec in map_points.by_spec(store, items, query).items()}
    if paint.name == "simulated":
        return {
            item: NONE if mean is None else TIE if mean == 0.5 else YES if mean > 0.5 else NO
            for item, mean in map_points.by_simulated(store, items, query).items()
        }
    if paint.filter == SAYS:
        return {item: verdict or NONE for item, verdict in map_points.by_verdict(store, items, query, paint.rater).items()}
    return {item: value or _UNKNOWN for item, value in map_points.by_column(store, items, query, paint.name).items()}


def class_counts(store: Store, paint: str, on: MapAddress, listed: ListingQuery) -> dict[str, int]:
    """How many of the listed images of a map are of each class, by its title; none where images are told apart by a number.

    Raises:
        LassoLost: the map is not at hand.
    """
    coloring = colorings(store).get(paint)
    if coloring is None or coloring.continuous:
        return {}
    values = color_values(store, coloring, map_of(store, on).items, listed)
    return dict(Counter(class_title(coloring, value) for value in values.values()))


def class_title(paint: MapColoring, value: str) -> str:
    """A class in words."""
    if paint.rater:
        nobody = _NOBODY[SAYS if paint.name.startswith(f"{SAYS}:") else paint.name]
        return {**_CLASS_TITLES, NONE: nobody}.get(value, value)
    return value


def browse_filter(paint: MapColoring, value: str) -> dict[str, str]:
    """The filter of Images that lists a class; empty where there is none."""
    if not paint.filter or value == _UNKNOWN or (paint.filter == SAYS and value == NONE):
        return {}
    return {paint.filter: f"{paint.rater}:{value}" if paint.filter == SAYS else value}


def color_classes(values: Sequence[str], most: int) -> list[str]:
    """The classes that are told apart, most frequent first, at most so many; what people or scorers say in its own order."""
    counted = Counter(values)
    verdicts = (YES, NO, TIE, FAILED, NONE)
    if counted.keys() <= {*verdicts}:
        return [value for value in verdicts if value in counted]
    return [value for value, _ in sorted(counted.items(), key=lambda each: (-each[1], each[0]))[:most]]


@lru_cache(maxsize=8192)
def _first_object(spec: str | None) -> str:
    try:
        objects = parse_spec(json.loads(spec or "{}")).objects
    except (SpecError, ValueError):
        return _UNKNOWN
    return objects[0].name if objects else _UNKNOWN
