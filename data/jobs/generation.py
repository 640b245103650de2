"""A generation's folder: what is asked of the worker that paints, and how far it is.

``job.json`` says which pictures are wanted of which generator; the worker writes each to its ``file``, whole or not at all, and
what is there already it leaves alone. ``opened.json`` is what the worker
says of the model that it has opened.
"""

from __future__ import annotations

import hashlib
import io
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from PIL import Image, PngImagePlugin

from data.files import quoted, read_text, write_whole
from data.jobs import json_records
from data.jobs.folder import JobFolder

FILTERED: Final = "filter"
BLACK: Final = "black"
BLANKED: Final[Mapping[str, str]] = {
    FILTERED: "blanked by the generator's safety filter",
    BLACK: "all black, though no safety filter said so",
}
"""Why a file that a generator made is no picture, in words."""

_MARK: Final = "blanked"


@dataclass(frozen=True, slots=True)
class WantedPicture:
    """One picture: the ``index``-th of a prompt. ``file`` is absolute; ``seed`` is below 2**63."""

    prompt_id: str
    index: int
    text: str
    seed: int
    file: str


@dataclass(frozen=True, slots=True)
class GenerationJob:
    """Pictures wanted of one generator.

    Attributes:
        generator: what to open: a name known to ``scorers.generation.generators``, a hub id, or a folder.
        settings: how to ask it (``scorers.generation.generators.GenerationSettings``).
        weights: those that it must have, as ``opened.json`` has them; empty: any.
    """

    generator: str
    wanted: tuple[WantedPicture, ...]
    batch_size: int
    settings: Mapping[str, Any] = field(default_factory=dict)
    device: str = "cpu"
    weights: str = ""


def picture_seed(text: str, index: int, seed: int) -> int:
    """A seed for a prompt's picture that depends on nothing else, so that a suite can grow and keep its pictures."""
    digest = hashlib.blake2b(f"{seed}\n{index}\n{text}".encode(), digest_size=8).digest()
    return int.from_bytes(digest) >> 1


def write_picture(file: Path, picture: Image.Image, blanked: str | None) -> None:
    """As PNG, whole or not at all. Why it is blank, if it is, goes with the file, so that a stop does not lose it."""
    buffer, info = io.BytesIO(), PngImagePlugin.PngInfo()
    if blanked is not None:
        info.add_text(_MARK, blanked)
    picture.save(buffer, "PNG", pnginfo=info)
    file.parent.mkdir(parents=True, exist_ok=True)
    write_whole(file, buffer.getvalue())


def blanked(file: Path) -> str | None:
    """Why a picture that ``write_picture`` wrote is blank; None if it is not.

    Raises:
        OSError: it is no picture.
    """
    with Image.open(file) as picture:
        why = picture.info.get(_MARK)
    return why if why in BLANKED else None


def why_blank(why: str | None) -> str | None:
    """In words why an image is blank; None if it is not."""
    return None if why is None else BLANKED.get(why, why)


class GenerationFolder(JobFolder[GenerationJob]):
    """A generation's files."""

    KIND = GenerationJob
    RESULTS = ("progress.json", "opened.json", "failed.json")

    def describe(self, opened: Mapping[str, Any]) -> None:
        """Say what the model is that was opened."""
        write_whole(self.path / "opened.json", json.dumps(opened, ensure_ascii=False, allow_nan=False).encode())

    def opened(self) -> dict[str, Any]:
        """What the worker said of its model; empty before it has opened one.

        Raises:
            ValueError: the file cannot be read.
        """
        return self._object("opened.json")

    def tell_failed(self, reasons: Mapping[str, str]) -> None:
        """Say why there are no pictures: a line each, by file."""
        write_whole(self.path / "failed.json", json.dumps(dict(reasons), ensure_ascii=False).encode())

    def failed(self) -> dict[str, str]:
        """Why the worker could not paint some pictures, by file; what it has not tried is not in it.

        Raises:
            ValueError: the file cannot be read.
        """
        reasons = self._object("failed.json")
        if not all(isinstance(why, str) for why in reasons.values()):
            raise ValueError(f"{self.path / 'failed.json'}: found {quoted(reasons)}, an object of texts expected")
        return reasons

    def _object(self, name: str) -> dict[str, Any]:
        """What a file holds; nothing where it is not there."""
        path = self.path / name
        if not path.is_file():
            return {}
        payload = json_records.parse_finite_json(path, 1, read_text(path))
        if not isinstance(payload, dict):
            raise ValueError(f"{path}: found {quoted(payload)}, an object expected")
        return payload


def missing_pictures(wanted: Sequence[WantedPicture]) -> list[WantedPicture]:
    """Those whose file is not there yet."""
    return [picture for picture in wanted if not Path(picture.file).is_file()]
