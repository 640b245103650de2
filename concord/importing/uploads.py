"""Uploads: files from a browser become a folder that ``import images`` reads, or a table for ``import ratings``; and guesses of
what a folder's layout, a table's columns and a column's values are, for people to check.

Nothing of an upload decides where a file is written: names stay within the folder, and only images and tables are taken.
"""

from __future__ import annotations

import csv
import re
import shutil
import stat
import zipfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

from concord.common.context import CommandError
from concord.judging import yes_no
from data.files import printable, quoted
from data.images.folders import EXTENSIONS, Layout, path_within
from data.studies.rating_tables import read_rating_table

MAX_UNPACKED: Final = 2 << 30
MAX_FILES: Final = 50_000
TABLES: Final = frozenset({".csv", ".tsv", ".jsonl", ".json", ".parquet"})
IMAGES_TABLE: Final = "images.csv"

IMAGE_COLUMNS: Final[Mapping[str, tuple[str, ...]]] = {
    "path": ("path", "file", "filename", "file_name", "image", "image_path", "img"),
    "prompt": ("prompt", "text", "caption"),
    "generator": ("generator", "model"),
    "idx": ("idx", "index"),
    "task": ("task", "category"),
}
"""The columns of ``images.csv``, with the names that others give them."""
RATING_COLUMNS: Final[Mapping[str, tuple[str, ...]]] = {
    "item": ("item", "item_id", "image", "image_id", "path", "file", "filename", "file_name", "image_path"),
    "rater": ("rater", "rater_id", "worker", "worker_id", "annotator", "user", "user_id", "who", "metric", "scorer"),
    "value": ("value", "rating", "score", "answer", "label", "stars"),
    "prompt": ("prompt", "prompt_id", "text", "caption"),
    "generator": ("generator", "model"),
    "index": ("index", "idx"),
    "task": ("task", "category"),
}


def guess_columns(header: Iterable[str], meanings: Mapping[str, Sequence[str]]) -> dict[str, str]:
    """By meaning the first column with one of its names, whatever its case; no column means two things."""
    by_name: dict[str, str] = {}
    for column in header:
        by_name.setdefault(column.strip().casefold(), column)
    found: dict[str, str] = {}
    for meaning, names in meanings.items():
        column = next((by_name[name] for name in names if name in by_name and by_name[name] not in found.values()), None)
        if column is not None:
            found[meaning] = column
    return found


def guess_scale(values: Iterable[str]) -> str:
    """The scale of values as ``--scale`` has it: yes and no are nominal, whole numbers of at most ten steps ordinal from 1."""
    texts = {text.strip() for text in values} - {""}
    if not texts or all(yes_no(text) is not None for text in texts):
        return "nominal"
    if all(re.fullmatch(r"-?\d{1,3}", text) for text in texts):
        low, high = min(1, *map(int, texts), 1), max(map(int, texts))
        if high - low < 10:
            return f"ordinal:{low}-{max(high, low + 1)}"
    try:
        return "interval" if all(float(text) == float(text) for text in texts) else "nominal"
    except ValueError:
        return "nominal"


def guess_layout(folder: Path) -> Layout | None:
    """The layout of a folder of images; None: it has none that is known."""
    if (folder / IMAGES_TABLE).is_file():
        return "csv"
    for path in folder.iterdir():
        if re.fullmatch("[0-9]{1,9}", path.name) and (path / "samples").is_dir():
            return "geneval"
        if path.suffix.lower() in EXTENSIONS and re.fullmatch("[0-9]{1,9}_[0-9]{1,9}", path.stem):
            return "visor"
    return None


def unpack(files: Sequence[Path], folder: Path) -> Path:
    """Copy uploaded files into an empty folder, zips unpacked; returns the folder that holds the images, or the table.

    A table beside images becomes ``images.csv`` with the names that the importer knows.

    Raises:
        CommandError: a zip cannot be read or holds too much, or there is neither an image nor a table.
    """
    for file in files:
        if file.suffix.lower() == ".zip":
            _unzip(file, folder)
        elif _is_wanted(file.name):
            shutil.copyfile(file, folder / file.name)
    while len(inside := list(folder.iterdir())) == 1 and inside[0].is_dir() and guess_layout(folder) is None:
        folder = inside[0]
    if not inside:
        raise CommandError("there is no image and no table among these files; bring a zip, or images.csv with its images")
    if _has_images(folder) and (table := _table_of(folder)) is not None:
        _write_images_table(table, folder / IMAGES_TABLE)
    return folder


def images_columns(table: Path) -> dict[str, str]:
    """What each column of a table of images is taken for, by the importer's name."""
    return guess_columns(read_rating_table(table).table.header, IMAGE_COLUMNS)


def single_table(folder: Path) -> Path | None:
    """The only table of a folder without images."""
    tables = list(_tables(folder))
    return tables[0] if len(tables) == 1 and not _has_images(folder) else None


def _unzip(path: Path, folder: Path) -> None:
    try:
        with zipfile.ZipFile(path) as archive:
            members = [member for member in archive.infolist() if _is_file(member) and _is_wanted(member.filename)]
            size = sum(member.file_size for member in members)
            if size > MAX_UNPACKED or len(members) > MAX_FILES:
                raise CommandError(
                    f"{path.name} holds {len(members):,} files of {size / 1e6:,.0f} MB; at most {MAX_FILES:,} files and"
                    f" {MAX_UNPACKED / 1e6:,.0f} MB are unpacked. Import such a folder with the command import images"
                )
            for member in members:
                target = path_within(folder, member.filename, "name", "the zip")
                target.parent.mkdir(parents=True, exist_ok=True)
                # what is read never exceeds the size that the zip states
                with archive.open(member) as source, target.open("wb") as out:
                    shutil.copyfileobj(source, out)
    except (zipfile.BadZipFile, NotImplementedError, RuntimeError, EOFError) as error:
        raise CommandError(f"{printable(path.name)} cannot be unpacked ({printable(str(error))})") from error


def _is_file(member: zipfile.ZipInfo) -> bool:
    return not member.is_dir() and stat.S_IFMT(member.external_attr >> 16) in (0, stat.S_IFREG)


def _is_wanted(name: str) -> bool:
    parts = name.split("/")
    return Path(name).suffix.lower() in EXTENSIONS | TABLES and not any(p.startswith((".", "__MACOSX")) for p in parts)


def _tables(folder: Path) -> Iterator[Path]:
    return (path for path in sorted(folder.iterdir()) if path.is_file() and path.suffix.lower() in TABLES)


def _has_images(folder: Path) -> bool:
    return any(path.suffix.lower() in EXTENSIONS for path in folder.rglob("*"))


def _table_of(folder: Path) -> Path | None:
    """The table that says what the images are; none in a folder that needs none."""
    if (folder / IMAGES_TABLE).is_file():
        return folder / IMAGES_TABLE
    if guess_layout(folder) is not None:
        return None
    tables = list(_tables(folder))
    if len(tables) > 1:
        raise CommandError(f"there are {len(tables)} tables beside the images; bring one, named {IMAGES_TABLE}")
    return tables[0] if tables else None


def _write_images_table(source: Path, target: Path) -> None:
    table = read_rating_table(source).table
    columns = guess_columns(table.header, IMAGE_COLUMNS)
    if missing := [name for name in ("path", "prompt") if name not in columns]:
        known = ", ".join(quoted(name) for name in table.header[:12])
        raise CommandError(f"{source.name}: no column for {' and '.join(missing)}; its columns are {known}")
    if all(name == column for name, column in columns.items()) and source == target:
        return
    rows = [[cells[column] for column in columns.values()] for _, cells in table.rows()]
    with target.open("w", newline="", encoding="utf-8") as file:
        writer = csv.writer(file)
        writer.writerow(columns)
        writer.writerows(rows)
