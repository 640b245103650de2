"""Which maps a project can have, and those that it has: made by a worker of their own, kept in the project's cache."""

from __future__ import annotations

import atexit
import hashlib
import json
import re
import subprocess
import sys
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Final

from data.jobs.maps import Map, MapFolder, MapJob
from data.jobs.runs import RunFolder
from data.store import runs
from data.store.core.store import Store
from scorers.clipscore import SCORER, model_of
from scorers.maps import METHODS, MOST, UMAP_PACKAGE, has_embeddings, umap_version

SEED: Final = 0
WORKER: tuple[str, ...] = (sys.executable, "-m", "scorers.maps")
_ROOT: Final = Path(__file__).resolve().parents[2]
_KEY: Final = re.compile(r"[0-9a-f]{12}")
_LOG: Final = "log.txt"
_LOOKED_AT: Final = 16
"""Parts of a run, from its end on, before it is said to hold no embedding."""

_workers: dict[Path, subprocess.Popen[bytes]] = {}
_lock = threading.Lock()


@dataclass(frozen=True, slots=True)
class Source:
    """The runs that kept embeddings by one model.

    Attributes:
        parts: their files.
        stamp: differs when there are others.
    """

    parts: tuple[Path, ...]
    stamp: str


@dataclass(frozen=True, slots=True)
class Standing:
    """How it stands with a map.

    Attributes:
        key: of the map that was asked for: the same embeddings, method and seed have the same.
        made: the map, once it is there; else ``told`` says how far it is, or (not ``busy``) why there is none.
    """

    key: str
    made: Map | None
    told: str = ""
    busy: bool = False


def sources(store: Store) -> Mapping[str, Source]:
    """By model, sorted by name, the embeddings that the project's runs kept."""
    return _sources(store, store.version)[0]


def without(store: Store) -> bool:
    """Whether images were scored by CLIPScore before embeddings were kept."""
    return _sources(store, store.version)[1]


def standing(store: Store, method: str, model: str, *, again: bool = False) -> Standing:
    """A map, which is begun if there is none; one that failed is begun anew only if ``again``.

    Raises:
        KeyError: no run of this project kept embeddings by this model, or there is no such method.
    """
    source = sources(store)[model]
    key = key_of(store, method, model)
    folder = _folder(store, key)
    if found := kept(store, key):
        return Standing(key, found)
    if method == "umap" and umap_version() is None:
        need = f"UMAP needs the package {UMAP_PACKAGE}, which is not installed: uv sync --group umap"
        return Standing(key, None, f"{need}. PCA needs nothing.")
    with _lock:
        worker = _workers.get(folder.path)
        ended = worker is not None and worker.poll() is not None
        if worker is None or (ended and again):
            folder.ask(MapJob(method, model, [str(part) for part in source.parts], MOST[method], SEED))
            _workers[folder.path] = _begun(folder)
            ended = False
    if not ended:
        return Standing(key, None, _progress(folder, method), busy=True)
    if found := kept(store, key):  # it came between the two looks
        return Standing(key, found)
    return Standing(key, None, f"The map could not be made: {_why(folder)}. Reload this page to try again.")


def key_of(store: Store, method: str, model: str) -> str:
    """The key of the map of what embeddings there are now.

    Raises:
        KeyError: there are none by this model, or no such method.
    """
    version = umap_version() if method == "umap" else ""
    told = [method, model, MOST[method], SEED, version, sources(store)[model].stamp]
    return hashlib.sha256(json.dumps(told).encode()).hexdigest()[:12]


def kept(store: Store, key: str) -> Map | None:
    """A finished map by its key, of today's embeddings or of earlier ones; None if the cache has none."""
    if not _KEY.fullmatch(key):
        return None
    path = _folder(store, key).file
    try:
        return _read(path, path.stat().st_mtime_ns)
    except OSError:
        return None


def moves(store: Store) -> str:
    """A text that differs when the project has moved, or a worker of it has come further."""
    with _lock:
        here = [path for path in _workers if store.project in path.parents]
    told = [(MapFolder(path).stage(), (path / "map.parquet").is_file(), _workers[path].poll()) for path in here]
    return f"{store.version} {hash(tuple(told))}"


def _begun(folder: MapFolder) -> subprocess.Popen[bytes]:
    with (folder.path / _LOG).open("wb") as log:
        return subprocess.Popen([*WORKER, str(folder.path)], cwd=_ROOT, stdin=subprocess.DEVNULL, stdout=log, stderr=log)


def _progress(folder: MapFolder, method: str) -> str:
    stage, what = folder.stage(), f"The map by {METHODS[method]} is being made"
    if stage is None or not stage.what:
        return f"{what} …"
    if not stage.total:
        return f"{what}: {stage.what} …"
    return f"{what}: {stage.what}, {stage.done:,} of {stage.total:,} …"


def _why(folder: MapFolder) -> str:
    """Why a worker ended without a map."""
    stage = folder.stage()
    if stage is not None and stage.error:
        return stage.error
    try:
        said = (folder.path / _LOG).read_text(encoding="utf-8", errors="replace").split("\n")
    except OSError:
        said = []
    last = next((line.strip() for line in reversed(said) if line.strip()), "")
    return last[:200] if last else "its worker was killed; perhaps the memory did not suffice"


def _folder(store: Store, key: str) -> MapFolder:
    return MapFolder(store.project / "cache" / "maps" / key)


@lru_cache(maxsize=4)
def _read(path: Path, changed: int) -> Map | None:  # noqa: ARG001 - part of the key
    return MapFolder(path.parent).read()


@lru_cache(maxsize=4)
def _sources(store: Store, version: str) -> tuple[Mapping[str, Source], bool]:  # noqa: ARG001 - part of the key
    found: dict[str, list[tuple[str, tuple[int, ...], int, tuple[Path, ...]]]] = {}
    without = False
    for row in runs.listed(store):
        model = model_of(row.settings)
        if row.scorer != SCORER.name or not row.parts or not model:
            continue
        folder = RunFolder(store.project / row.folder)
        # a run that was begun before embeddings were kept may have them at its end only
        if not any(_has(folder.part(number)) for number in row.parts[:: -max(1, len(row.parts) // _LOOKED_AT)]):
            without = True
            continue
        parts = tuple(folder.part(number) for number in row.parts)
        found.setdefault(model, []).append((row.run_id, row.parts, row.n_done, parts))
    made = {}
    for model in sorted(found):
        stamp = json.dumps([(run_id, numbers, n) for run_id, numbers, n, _ in found[model]])
        made[model] = Source(tuple(part for *_, parts in found[model] for part in parts), stamp)
    return made, without


@lru_cache(maxsize=4096)
def _has_at(part: Path, changed: int) -> bool:  # noqa: ARG001 - part of the key
    return has_embeddings(part)


def _has(part: Path) -> bool:
    try:
        return _has_at(part, part.stat().st_mtime_ns)
    except OSError:
        return False


def _end_all() -> None:
    """Nobody waits for their maps any more."""
    for worker in list(_workers.values()):
        if worker.poll() is None:
            worker.terminate()


atexit.register(_end_all)
