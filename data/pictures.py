"""A generation's folder: what is asked of the worker that paints, and how far it is.

``job.json`` says which pictures are wanted of which generator; the worker writes each to its ``file``, whole or not at all, and
what is there already it leaves alone. ``progress.json`` is a run's (``data.runs``).
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from data.files import write_whole
from data.runs import Progress


@dataclass(frozen=True, slots=True)
class Wanted:
    """One picture: the ``index``-th of a prompt. ``file`` is absolute; ``seed`` is below 2**63."""

    prompt_id: str
    index: int
    text: str
    seed: int
    file: str


@dataclass(frozen=True, slots=True)
class Job:
    """Pictures wanted of one generator."""

    generator: str
    wanted: tuple[Wanted, ...]
    batch_size: int


def seed_of(text: str, index: int, seed: int) -> int:
    """A seed for a prompt's picture that depends on nothing else, so that a suite can grow and keep its pictures."""
    digest = hashlib.blake2b(f"{seed}\n{index}\n{text}".encode(), digest_size=8).digest()
    return int.from_bytes(digest) >> 1


class JobFolder:
    """A generation's files."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def create(self, job: Job) -> None:
        """Write what is asked; an older job here is replaced."""
        self.path.mkdir(parents=True, exist_ok=True)
        write_whole(self.path / "job.json", json.dumps(asdict(job), ensure_ascii=False).encode())

    def job(self) -> Job:
        """What is asked."""
        found = json.loads((self.path / "job.json").read_text(encoding="utf-8"))
        return Job(found["generator"], tuple(Wanted(**one) for one in found["wanted"]), found["batch_size"])

    def tell(self, progress: Progress) -> None:
        """Say how far it is."""
        write_whole(self.path / "progress.json", json.dumps(asdict(progress)).encode())

    def progress(self) -> Progress | None:
        """How far the worker said it was; None before it first said so."""
        path = self.path / "progress.json"
        return Progress(**json.loads(path.read_text(encoding="utf-8"))) if path.is_file() else None


def missing(wanted: Sequence[Wanted]) -> list[Wanted]:
    """Those whose file is not there yet."""
    return [one for one in wanted if not Path(one.file).is_file()]
