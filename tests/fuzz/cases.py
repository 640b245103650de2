"""One case: files in a folder, and what a reader makes of them."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from random import Random

from tests.fuzz.mutation import Files, mutate
from tests.fuzz.oracle import error_location, in_folder, time_limit, wrong_with
from tests.fuzz.targets import Target


@dataclass(frozen=True, slots=True)
class FuzzFinding:
    """A reader that did what it must not: on which files, what, and where in our code."""

    target: str
    files: Files
    why: str
    where: str

    def __str__(self) -> str:
        return f"{self.target}: {self.why} (at {self.where})"


def draw_case(target: Target, seed: int) -> Files:
    """The files of a number: always the same."""
    draw = Random(f"{target.name}/{seed}")
    return mutate(draw, draw.choice(target.files))


def try_case(target: Target, files: Files, folder: Path) -> FuzzFinding | None:
    """What is wrong with how a reader takes these files; None if nothing is. The folder is made and goes again."""
    try:
        with _written_files(files, folder), in_folder(folder), time_limit():
            target.read(folder)
    except BaseException as error:
        if isinstance(error, KeyboardInterrupt):
            raise
        why = wrong_with(error, target.promised)
        return None if why is None else FuzzFinding(target.name, files, why, error_location(error))
    return None


def write_files(files: Files, folder: Path) -> None:
    """Write a case's files into a folder; None is a folder."""
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if content is None:
            path.mkdir(exist_ok=True)
        else:
            path.write_bytes(content)


@contextmanager
def _written_files(files: Files, folder: Path) -> Iterator[None]:
    folder.mkdir(parents=True)
    try:
        write_files(files, folder)
        yield
    finally:
        shutil.rmtree(folder, ignore_errors=True)
