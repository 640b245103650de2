"""A run's folder: the one contract between whoever owns the project and the worker that scores.

``run.json`` says what is asked, ``manifest.jsonl`` of which images; the worker adds ``parts/00000.parquet``, each whole or not
there at all, and reports how far it is in ``progress.json``. The worker never opens the project's database.

In a part masks are one-bit PNGs of the whole image (``pack_mask``), embeddings unit vectors in half precision
(``pack_embeddings``).
"""

from __future__ import annotations

import hashlib
import io
import json
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Annotated, Any, Final

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray
from PIL import Image
from pydantic import Field

from data.files import read_text, write_whole
from data.jobs import json_records
from data.jobs.folder import JobFolder
from data.prompts.questions import PromptQuestion
from data.spec import HasSpec


def pack_mask(mask: NDArray[np.bool_]) -> bytes:
    """H x W booleans to PNG."""
    buffer = io.BytesIO()
    # the smallest file takes six times as long and saves a tenth
    Image.fromarray(mask).save(buffer, "PNG", compress_level=6)
    return buffer.getvalue()


Embeddings = NDArray[np.float16]
"""(images, dimensions), each row of length 1."""
_HALF: Final = np.dtype("<f2")


def pack_embeddings(vectors: NDArray[np.floating[Any]]) -> list[bytes | None]:
    """Each of (n, d) vectors, scaled to length 1, as little-endian halves: 2 d bytes, of which the cosine of two is off by less
    than 0.001. None where a vector has no direction: a zero, or numbers that are not finite."""
    wide = vectors.astype(np.float64)
    with np.errstate(invalid="ignore", divide="ignore"):
        unit = wide / np.linalg.norm(wide, axis=1, keepdims=True)
    return [row.astype(_HALF).tobytes() if np.isfinite(row).all() else None for row in unit]


def unpack_embeddings(stored: Sequence[bytes]) -> Embeddings:
    """What ``pack`` made, (n, d).

    Raises:
        ValueError: these are no embeddings of one model: empty, of several lengths, or not finite.
    """
    sizes = {len(packed) for packed in stored}
    if len(sizes) != 1 or (size := sizes.pop()) == 0 or size % _HALF.itemsize:
        raise ValueError("the embeddings are not all of one length")
    vectors = np.frombuffer(b"".join(stored), _HALF).reshape(len(stored), -1).astype(np.float16)
    if not np.isfinite(vectors).all():
        raise ValueError("an embedding holds numbers that are not finite")
    return vectors


PART_SIZE: Final = 32
"""Images a part: what a crash can cost."""

_PART: Final = re.compile(r"[0-9]{5,}\.parquet")

_DETECTION: Final = pa.struct(
    [
        ("label", pa.string()),
        ("score", pa.float64()),
        ("box", pa.list_(pa.float64())),
        ("mask", pa.binary()),
        ("colors", pa.list_(pa.float64())),
    ]
)
_SCHEMA: Final = pa.schema(
    [
        ("item_id", pa.string()),
        ("failed", pa.string()),
        ("payload", pa.string()),
        ("detections", pa.list_(_DETECTION)),
        # parts of runs that were made before there were any lack this column
        ("embedding", pa.binary()),
    ]
)


@dataclass(frozen=True, slots=True)
class Detection:
    """One object that a detector found.

    Attributes:
        score: confidence, 0 to 1.
        box: x0, y0, x1, y1 in pixels of the upright image.
        mask: as ``data.jobs.runs.pack_embeddings`` makes it; None if the detector gives none.
        colors: probability of each of GenEval's ten, in the order of ``data.prompts.geneval_suite.COLORS``; None if not asked.
    """

    label: str
    score: float
    box: tuple[float, float, float, float]
    mask: bytes | None = None
    colors: tuple[float, ...] | None = None


@dataclass(frozen=True, slots=True)
class Observation:
    """What a scorer saw of one image, or why it saw nothing (``failed``, one line).

    Attributes:
        embedding: the image's, as ``data.jobs.runs.pack_embeddings`` makes it, by the model that the run's settings name;
        None where the
            scorer keeps none. It stays in the run's file.
    """

    item_id: str
    payload: Mapping[str, Any] = field(default_factory=dict)
    detections: tuple[Detection, ...] = ()
    failed: str | None = None
    embedding: bytes | None = None


@dataclass(frozen=True, slots=True)
class WorkItem(HasSpec):
    """One image to score, or a pair of images.

    Attributes:
        path: absolute, or relative to the manifest's folder.
        second, second_sha256: the file of a pair's second image; ``generators``: whose the two are.
        questions: the prompt's own, in their ``version``; only where the scorer is asked them.
        captions: what a scorer chooses among that matches image and text, the right one at ``right``.
    """

    item_id: str
    path: str
    sha256: str
    text: str
    spec: Mapping[str, Any]
    questions: tuple[PromptQuestion, ...] = ()
    version: int = 0
    captions: tuple[str, ...] = ()
    right: int = 0
    second: str = ""
    second_sha256: str = ""
    generators: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Run:
    """What is asked of a worker: ``scorer`` with ``settings`` over the manifest, in parts of ``part_size``.

    Attributes:
        device: of torch; several with commas have a process each.
        engine: of ``scorers.running.engines``; runs made before there were several lack it. Like device and part size it is
        no setting.
        shard: ``2/4`` where the manifest is the second of four shares of another one; empty: it is all that was asked for.
        of: of a shard, the hash of all that was asked for (``manifest_hash``).
        force: whether it goes on with a detector that does not find what is on known photographs.
        drawn_by: the seed by which the images were drawn, if not all were asked for; None for all, or the first ones.
    """

    run_id: str
    scorer: str
    version: str
    profile: str
    settings: Mapping[str, Any]
    device: str = "cpu"
    part_size: Annotated[int, Field(ge=1)] = PART_SIZE
    engine: str = "local"
    shard: str = ""
    of: str = ""
    force: bool = False
    drawn_by: int | None = None


def write_manifest(path: Path, work: Sequence[WorkItem]) -> None:
    """A line of JSON for each image; on disk, whole, before it has its name."""
    write_whole(path, "".join(json.dumps(asdict(item), ensure_ascii=False) + "\n" for item in work).encode())


def read_manifest(path: Path) -> list[WorkItem]:
    """What ``write_manifest`` wrote.

    Raises:
        ValueError: it is no manifest.
    """
    # not splitlines(): a prompt may hold what else breaks lines there
    lines = read_text(path).removesuffix("\n").split("\n")
    return [json_records.parse_record(WorkItem, path, n, line) for n, line in enumerate(lines, 1) if line or len(lines) > 1]


def read_parquet(path: Path, columns: Sequence[str] | None = None) -> pa.Table:
    """A Parquet file's columns, or those of these names.

    ``pyarrow.parquet.read_table`` goes through data sets, which load pandas: a second of each process that reads a part.

    Raises:
        OSError, pa.ArrowException: it is none, cannot be read, or lacks one of them.
    """
    with pq.ParquetFile(path) as file:
        table = file.read(columns=columns)
    if columns is not None and set(columns) - set(table.column_names):
        raise pa.ArrowInvalid(f"{path.name} has not all of the columns {', '.join(columns)}")
    return table


def manifest_hash(work: Sequence[WorkItem]) -> str:
    """SHA-256 (hex) of what is to be scored, wherever the files are: shards of one manifest are known by it."""
    digest = hashlib.sha256()
    for item in work:
        digest.update(json.dumps({**asdict(item), "path": ""}, sort_keys=True).encode())
    return digest.hexdigest()


class RunFolder(JobFolder[Run]):
    """A run's files."""

    KIND = Run
    JOB = "run.json"

    def create(self, run: Run, work: Sequence[WorkItem]) -> None:
        """Write what is asked.

        Raises:
            FileExistsError: there is a run here already.
        """
        (self.path / "parts").mkdir(parents=True)
        write_manifest(self.path / "manifest.jsonl", work)
        # last: a folder with this file is complete
        self.replace(run)

    def work(self) -> list[WorkItem]:
        """Which images, in order.

        Raises:
            ValueError: this is no run's folder.
        """
        return read_manifest(self.path / "manifest.jsonl")

    def part(self, number: int) -> Path:
        return self.path / "parts" / f"{number:05d}.parquet"

    def parts(self) -> list[int]:
        """Numbers of the parts that are there, ascending. Files with other names are none of ours."""
        return sorted(int(path.stem) for path in (self.path / "parts").glob("*.parquet") if _PART.fullmatch(path.name))

    def write_part(self, number: int, seen: Sequence[Observation]) -> None:
        """On disk, whole, before it has its name."""
        rows = [
            {
                "item_id": observation.item_id,
                "failed": observation.failed,
                "payload": json.dumps(observation.payload, ensure_ascii=False, allow_nan=False),
                "detections": [asdict(detection) for detection in observation.detections],
                "embedding": observation.embedding,
            }
            for observation in seen
        ]
        sink = pa.BufferOutputStream()
        pq.write_table(pa.Table.from_pylist(rows, schema=_SCHEMA), sink, compression="zstd")
        write_whole(self.part(number), sink.getvalue().to_pybytes())

    def is_of(self, number: int, work: Sequence[WorkItem]) -> bool:
        """Whether that part is there, can be read, and is about these images in this order."""
        try:
            items = read_parquet(self.part(number), ["item_id", "failed"]).column(0).to_pylist()
        except (OSError, pa.ArrowException, IndexError):
            return False
        return bool(items == [item.item_id for item in work])

    def failures(self, number: int) -> int:
        """How many of a part's images could not be seen; the part ``is_of`` what it should be."""
        failed = read_parquet(self.part(number), ["failed"]).column(0)
        return len(failed) - int(failed.null_count)

    def read_part(self, number: int) -> list[Observation]:
        """What ``write_part`` wrote.

        Raises:
            ValueError: this is no part of a run.
        """
        try:
            table = read_parquet(self.part(number))
            columns = [
                table.column(field.name).cast(field.type)
                if field.name in table.column_names
                else pa.nulls(table.num_rows, field.type)
                for field in _SCHEMA
            ]
            return [_observation(row) for row in pa.Table.from_arrays(columns, schema=_SCHEMA).to_pylist()]
        # rows of some other table are of whatever kind
        except (OSError, pa.ArrowException, ValueError, TypeError, LookupError) as error:
            ours = isinstance(error, (OSError, pa.ArrowException, _BadPart))
            why = " ".join(str(error).split())[:200] if ours else "its rows are of another kind"
            raise ValueError(f"{self.part(number)} cannot be read as a part of a run: {why}") from error

    def observations(self) -> Iterator[Observation]:
        """All parts' contents, in order."""
        for number in self.parts():
            yield from self.read_part(number)


class _BadPart(ValueError):
    """What no worker writes; the message says what."""


def _not_finite(name: str) -> Any:
    raise _BadPart(f"a number is {name}")


def _observation(row: Mapping[str, Any]) -> Observation:
    for entry in row["detections"]:
        if not all(map(math.isfinite, (entry["score"], *entry["box"], *(entry["colors"] or ())))):
            raise _BadPart(f"a detection of {row['item_id']} has a number that is not finite")
        if len(entry["box"]) != 4 or entry["label"] is None:
            raise _BadPart(f"a detection of {row['item_id']} has no box or no label")
    payload = json.loads(row["payload"], parse_constant=_not_finite)
    if not isinstance(payload, dict):
        raise _BadPart(f"the payload of {row['item_id']} is not a JSON object")
    detections = tuple(
        Detection(
            entry["label"],
            entry["score"],
            (entry["box"][0], entry["box"][1], entry["box"][2], entry["box"][3]),
            entry["mask"],
            None if entry["colors"] is None else tuple(entry["colors"]),
        )
        for entry in row["detections"]
    )
    return Observation(row["item_id"], payload, detections, row["failed"], row["embedding"])
