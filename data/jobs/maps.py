"""A map's folder: the contract between the server, which asks for a map of embeddings, and the worker that makes it.

``job.json`` says what is asked, ``progress.json`` how far the worker is, and ``map.parquet`` is the map, whole or not there at
all. The worker opens no database; the server reads embeddings only to find images like one.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from data.files import write_whole
from data.jobs.folder import LOG, JobFolder
from data.jobs.runs import read_parquet

MapPositions = NDArray[np.float32]
"""(images, 2): where each stands, both from 0 to ``EXTENT``, at one scale."""
EXTENT: Final = 100.0
_SCHEMA: Final = pa.schema([("item_id", pa.string()), ("x", pa.float32()), ("y", pa.float32())])
_METADATA_KEY: Final = b"concord"


@dataclass(frozen=True, slots=True)
class MapJob:
    """What is asked of a worker.

    Attributes:
        model: whose embeddings.
        parts: files of runs, absolute; of an image that is in several the first counts.
        most: so many images at most, drawn by ``seed`` where there are more.
    """

    method: str
    model: str
    parts: Sequence[str]
    most: int
    seed: int = 0


@dataclass(frozen=True, slots=True, eq=False)
class Map:
    """A finished one.

    Attributes:
        items: the images, (n) ids.
        places: (n, 2).
        total: images that have an embedding; more than n where some were drawn.
        shares: of the embeddings' variance that each axis holds; empty where the axes mean nothing.
        note: why it is not what was asked for, or what is odd about it; empty else.
        seconds: what the worker took.
    """

    method: str
    model: str
    items: tuple[str, ...]
    places: MapPositions
    total: int
    shares: tuple[float, ...] = ()
    note: str = ""
    seconds: float = 0.0


class MapFolder(JobFolder[MapJob]):
    """A map's files."""

    KIND = MapJob
    RESULTS = ("progress.json", LOG)

    @property
    def file(self) -> Path:
        return self.path / "map.parquet"

    def write(self, made: Map) -> None:
        """On disk, whole, before it has its name."""
        metadata = {name: getattr(made, name) for name in ("method", "model", "total", "shares", "note", "seconds")}
        columns = [pa.array(made.items, pa.string()), *(pa.array(made.places[:, axis], pa.float32()) for axis in (0, 1))]
        schema = _SCHEMA.with_metadata({_METADATA_KEY: json.dumps(metadata).encode()})
        sink = pa.BufferOutputStream()
        pq.write_table(pa.Table.from_arrays(columns, schema=schema), sink, compression="zstd")
        write_whole(self.file, sink.getvalue().to_pybytes())

    def read(self) -> Map | None:
        """The map; None if there is none, or none that can be read: it can be made anew."""
        try:
            table = read_parquet(self.file)
            about = json.loads(table.schema.metadata[_METADATA_KEY])
            places = np.stack([table.column(name).to_numpy() for name in ("x", "y")], axis=1).astype(np.float32)
            items = tuple(table.column("item_id").to_pylist())
            return Map(items=items, places=places, **{**about, "shares": tuple(about["shares"])})
        except (OSError, pa.ArrowException, ValueError, TypeError, LookupError, RecursionError):
            return None
