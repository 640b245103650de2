"""Where the files of an image folder belong: which prompt, which generator, which number. Nothing is opened here."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath, PureWindowsPath
from typing import Final, Literal

from data.cache import cached_by_stamp
from data.files import InputError, check_name, located, printable, quoted, sha256_of
from data.folding import fold_spelling
from data.prompts import sr2d_suite
from data.prompts.prompt_files import read_prompts
from data.records import Prompt
from data.tables import read_table, require_columns

Layout = Literal["geneval", "visor", "csv"]
LAYOUTS: Final[dict[Layout, str]] = {
    "geneval": "DIR/00042/samples/0000.png with DIR/00042/metadata.jsonl beside",
    "visor": "DIR/<prompt id>_<number>.png",
    "csv": "DIR/images.csv with the columns path,prompt[,generator,idx,task]",
}
"""What each layout looks like, for messages and help."""

IMAGES_TABLE: Final = "images.csv"
"""The table of a folder of layout ``csv``, where no other is named."""
EXTENSIONS: Final = frozenset({".png", ".jpg", ".jpeg", ".webp", ".bmp", ".gif", ".tif", ".tiff", ".avif"})

_MAX_INDEX: Final = 2**31 - 1
_ADDRESS: Final = re.compile("[A-Za-z][A-Za-z0-9+.-]+://")


@dataclass(frozen=True, slots=True)
class Skipped:
    """A file or folder that was left out, and why."""

    path: Path
    reason: str


@dataclass(slots=True)
class ImageLocation:
    """Where an image file belongs, before it is opened. ``index`` None: the next free number of its group."""

    path: Path
    group: tuple[str, str]
    generator: str
    index: int | None
    prompt_id: str | None = None
    prompt: Prompt | None = None
    prompt_text: str | None = None
    task: str | None = None
    origin: str = ""


@dataclass(frozen=True, slots=True)
class StoredFile:
    """An image file that the project has, with its number."""

    index: int
    path: Path
    sha256: str


StoredFiles = Mapping[tuple[str, str], Sequence[StoredFile]]
"""By generator and prompt (its id, or its text as ``fold_spelling`` has it) the files that the project has."""


def find_locations(
    directory: Path,
    layout: Layout,
    generator: str | None,
    suite: str | None,
    skipped: list[Skipped],
    stored: StoredFiles | None = None,
    table: Path | None = None,
) -> list[ImageLocation]:
    """The places of a folder's image files in natural order; what has none is appended to ``skipped``.

    For the arguments and errors see ``data.images.files.find_images``.
    """
    if generator is not None:
        check_name(generator, "the generator's name")
    elif layout != "csv":
        raise ValueError("the generator's name is missing; say who made the images")
    places: Iterable[ImageLocation]
    if layout == "csv":
        places = _csv_locations(directory, table or directory / IMAGES_TABLE, generator, skipped)
    elif layout == "geneval":
        places = _geneval_locations(directory, generator or "", check_name(suite or "geneval", "the suite's name"), skipped)
    elif layout == "visor":
        places = _visor_locations(
            directory, generator or "", check_name(suite or sr2d_suite.SUITE, "the suite's name"), skipped
        )
    else:
        raise ValueError(f"unknown layout {quoted(layout)}; known: {', '.join(LAYOUTS)}")
    try:
        return _numbered(list(places), skipped, stored or {})
    except OSError as error:  # a folder that may be listed, but not entered
        raise InputError(located(directory, None, f"cannot be read ({printable(error)})")) from None


def _geneval_locations(directory: Path, generator: str, suite: str, skipped: list[Skipped]) -> Iterator[ImageLocation]:
    numbers: dict[int, str] = {}
    for folder in _folder_entries(directory):
        if not folder.is_dir():
            skipped.append(Skipped(folder, "a file, a folder named by the prompt's number expected"))
        elif not re.fullmatch("[0-9]{1,9}", folder.name):
            skipped.append(Skipped(folder, "the folder's name is not a prompt's number"))
        elif (number := int(folder.name)) in numbers:
            skipped.append(Skipped(folder, f"the same prompt number as folder {numbers[number]}"))
        elif not (folder / "samples").is_dir():
            skipped.append(Skipped(folder, "holds no folder 'samples'"))
        else:
            numbers[number] = folder.name
            yield from _samples(folder, number, generator, suite, skipped)


def _samples(folder: Path, number: int, generator: str, suite: str, skipped: list[Skipped]) -> Iterator[ImageLocation]:
    prompt_id = f"{suite}/{number:05d}"
    try:
        prompt = _metadata(folder / "metadata.jsonl", prompt_id, suite)
    except InputError as error:
        skipped.append(Skipped(folder, str(error)))
        return
    text, task = (prompt.text, prompt.task) if prompt is not None else (None, None)
    for path in _images_in(folder / "samples", skipped):
        index = _as_index(path.stem)
        yield ImageLocation(path, (generator, prompt_id), generator, index, prompt_id, prompt, text, task)


def _metadata(path: Path, prompt_id: str, suite: str) -> Prompt | None:
    if not path.exists():
        return None
    prompts = read_prompts(path, suite)
    if len(prompts) != 1:
        raise InputError(located(path, None, f"{len(prompts)} prompts, one JSON object expected"))
    return Prompt(prompt_id, suite, prompts[0].text, prompts[0].task, prompts[0].spec)


def _visor_locations(directory: Path, generator: str, suite: str, skipped: list[Skipped]) -> Iterator[ImageLocation]:
    for path in _images_in(directory, skipped):
        match = re.fullmatch("([0-9]{1,9})_([0-9]{1,9})", path.stem)
        if match is None:
            skipped.append(Skipped(path, "the name is not <prompt id>_<number>"))
            continue
        number, index = int(match[1]), int(match[2])
        prompt = None
        if suite == sr2d_suite.SUITE:
            if number >= sr2d_suite.SIZE:
                skipped.append(
                    Skipped(path, f"SR2D has no prompt {number}; its prompts are numbered 0 to {sr2d_suite.SIZE - 1}")
                )
                continue
            prompt = sr2d_suite.numbered_prompt(number)
        prompt_id = f"{suite}/{number:05d}"
        text, task = (prompt.text, prompt.task) if prompt is not None else (None, None)
        yield ImageLocation(path, (generator, prompt_id), generator, index, prompt_id, prompt, text, task)


def _csv_locations(directory: Path, table_file: Path, generator: str | None, skipped: list[Skipped]) -> Iterator[ImageLocation]:
    _folder_entries(directory)  # says clearly if there is no such folder
    table = read_table(table_file)
    require_columns(table, ("path", "prompt", *(name for name in ("generator", "idx", "task") if name in table.header)))
    if generator is None and "generator" not in table.header:
        raise InputError(located(table.path, 1, "no column 'generator'; add it, or name the generator for the whole file"))
    for line, cells in table.rows():
        try:
            yield _csv_location(directory, cells, generator, f"{table.path.name}:{line}: ")
        except ValueError as error:
            shown = directory / printable(cells["path"]) if cells["path"].strip() else table.path
            skipped.append(Skipped(shown, f"{table.path.name}:{line}: {error}"))


def _csv_location(directory: Path, cells: dict[str, str], generator: str | None, origin: str) -> ImageLocation:
    text = cells["prompt"]
    if not text.strip():
        raise ValueError("'prompt' is empty")
    path = existing_within(directory, cells["path"], "path", "the folder of images.csv")
    name = check_name(cells.get("generator", "").strip() or generator or "", "the generator's name")
    idx = cells.get("idx", "").strip()
    index = _as_index(idx)
    if idx and index is None:
        raise ValueError(f"'idx' is {quoted(idx)}, a whole number of at least 0 expected")
    return ImageLocation(
        path,
        (name, fold_spelling(text)),
        name,
        index,
        prompt_text=text,
        task=cells.get("task", "").strip() or None,
        origin=origin,
    )


def path_within(directory: Path, cell: str, key: str, whose: str) -> Path:
    """The file that a table's ``key`` names, refused by its look if it leads out of ``directory`` (``whose``: for people).

    Raises:
        ValueError: it does, or it is no name.
    """
    name = cell.strip()
    if not name or "\0" in name:
        raise ValueError(f"'{key}' is empty" if not name else f"'{key}' holds a NUL character")
    if PurePosixPath(name).is_absolute() or PureWindowsPath(name).drive or name.startswith("\\"):
        raise ValueError(f"'{key}' {quoted(name)} is absolute; paths are relative to {whose}")
    if ".." in PureWindowsPath(name).parts:  # splits at both kinds of slash
        raise ValueError(f"'{key}' {quoted(name)} holds '..'; paths must stay within {whose}")
    return directory / name


def existing_within(directory: Path, cell: str, key: str, whose: str) -> Path:
    """Return the file that a table's ``key`` names, as `path_within`, but found with other slashes, letter case and bytes, too.

    Return the path as it is written if there is no such file in any spelling.

    Raises:
        ValueError: it leads out of ``directory``, is an address or no name; or only files of similar names are there.
    """
    name = cell.strip()
    if _ADDRESS.match(name):
        raise ValueError(f"'{key}' {quoted(name)} is an address, not a path: fetch it first, and give the path of the file")
    if PurePosixPath(name).is_absolute() or PureWindowsPath(name).drive or name.startswith("\\"):
        # the part of the path that lies in the folder
        parts = PureWindowsPath(name).parts[1:]
        inside = (_in_any_spelling(directory, parts[n:]) for n in range(len(parts)))
        hint = next((f"; did you mean {quoted(path.relative_to(directory).as_posix())}?" for path in inside if path), "")
        raise ValueError(f"'{key}' {quoted(name)} is absolute; paths are relative to {whose}{hint}")
    path = path_within(directory, cell, key, whose)
    if path.is_file():
        return path
    parts = PureWindowsPath(name).parts
    if (found := _in_any_spelling(directory, parts)) is not None:
        return found
    folder = _in_any_spelling(directory, parts[:-1], folder=True) if len(parts) > 1 else directory
    if folder is not None and (near := _near_name(folder, parts[-1])):
        raise ValueError(
            f"'{key}' {quoted(name)}: no such file; did you mean {quoted((folder / near).relative_to(directory).as_posix())}?"
        )
    return path


def _in_any_spelling(directory: Path, parts: tuple[str, ...], *, folder: bool = False) -> Path | None:
    """Return the file (or folder) whose path has these parts up to letter case and bytes; None if there is not exactly one."""
    path = directory
    for part in parts:
        if not (path / part).exists():
            names = _names(path).get(_folded(part), ()) if path.is_dir() else ()
            if len(names) != 1:
                return None
            part = names[0]
        path /= part
    return path if parts and (path.is_dir() if folder else path.is_file()) else None


def _near_name(folder: Path, name: str) -> str | None:
    """Return the file name in a folder that differs from this one by a typo, or None."""
    names = _names(folder)
    near = difflib.get_close_matches(_folded(name), names, 1, 0.9) if len(names) <= _MOST_COMPARED else []
    return names[near[0]][0] if near else None


_MOST_COMPARED: Final = 1000


def _folded(name: str) -> str:
    return fold_spelling(name).casefold()


@cached_by_stamp(maxsize=64)
def _names(folder: Path) -> dict[str, tuple[str, ...]]:
    """Return the names in a folder by their folded form."""
    names: dict[str, tuple[str, ...]] = {}
    for path in folder.iterdir():
        names[_folded(path.name)] = (*names.get(_folded(path.name), ()), path.name)
    return names


def _images_in(folder: Path, skipped: list[Skipped]) -> Iterator[Path]:
    for path in _folder_entries(folder):
        if path.is_dir():
            skipped.append(Skipped(path, "a folder, image files expected here"))
        elif path.suffix.lower() not in EXTENSIONS:
            skipped.append(Skipped(path, "not an image by its extension"))
        else:
            yield path


def _folder_entries(folder: Path) -> list[Path]:
    """What a folder holds in natural order, hidden files left out."""
    try:
        return sorted((path for path in folder.iterdir() if not path.name.startswith(".")), key=natural_order)
    except FileNotFoundError:
        raise InputError(located(folder, None, "no such folder; check the path")) from None
    except NotADirectoryError:
        raise InputError(located(folder, None, "this is a file, a folder of images is expected")) from None
    except OSError as error:
        raise InputError(located(folder, None, f"cannot be read ({error.strerror or error})")) from None


def natural_order(path: Path | PurePosixPath) -> tuple[list[tuple[int, str]], str]:
    """Return a key that sorts paths by name, numbers in names by their value: 2 before 10."""
    parts = re.split("([0-9]+)", path.name.casefold())
    # Odd parts are digits: shorter without leading zeros is smaller, which spares numbers of any length from int().
    key = [(len(p.lstrip("0")), p.lstrip("0")) if k % 2 else (0, p) for k, p in enumerate(parts)]
    return key, path.name


def _as_index(text: str) -> int | None:
    return int(text) if re.fullmatch("[0-9]{1,10}", text) and int(text) <= _MAX_INDEX else None


def _numbered(places: list[ImageLocation], skipped: list[Skipped], stored: StoredFiles) -> list[ImageLocation]:
    """Give numbers to places without one. A file that the project has keeps its number; of two places with the same number, or
    of the same file, the first stays."""
    taken: dict[tuple[str, str], dict[int, Path]] = {}
    numbered: list[ImageLocation] = []
    first_of: dict[tuple[tuple[str, str], Path], ImageLocation] = {}
    for location in places:
        same = first_of.setdefault((location.group, location.path), location)
        if same is not location:
            skipped.append(Skipped(location.path, f"{location.origin}the same file as before; it counts once"))
            continue
        known = next((file for file in stored.get(location.group, ()) if file.path == location.path), None)
        if known is not None and location.index not in (None, known.index):
            why = f"the project has this file as number {known.index}; it is not stored again as {location.index}"
            skipped.append(Skipped(location.path, location.origin + why))
            continue
        if known is not None:
            location.index = known.index
        elif location.index is None:
            numbered.append(location)
            continue
        first = taken.setdefault(location.group, {}).setdefault(location.index, location.path)
        if first is location.path:
            numbered.append(location)
        else:
            skipped.append(
                Skipped(location.path, f"{location.origin}the same number ({location.index}) as {printable(first.name)}")
            )
    _number_the_rest([location for location in numbered if location.index is None], taken, stored)
    return numbered


def _number_the_rest(
    places: Sequence[ImageLocation], taken: dict[tuple[str, str], dict[int, Path]], stored: StoredFiles
) -> None:
    """Give places the number of the file of the project that moved there, or else the next free number of their group."""
    new: list[ImageLocation] = []
    for location in places:
        numbers = taken.setdefault(location.group, {})
        moved = [file for file in stored.get(location.group, ()) if file.index not in numbers]
        sha256 = sha256_of(location.path) if moved and location.path.is_file() else None
        known = next((file for file in moved if file.sha256 == sha256), None)
        if known is None:
            new.append(location)
        else:
            location.index = known.index
            numbers[known.index] = location.path
    free: dict[tuple[str, str], int] = {}
    for location in new:
        numbers = taken[location.group] | {file.index: file.path for file in stored.get(location.group, ())}
        number = free.get(location.group, 0)
        while number in numbers:
            number += 1
        taken[location.group][number] = location.path
        location.index = number
        free[location.group] = number + 1
