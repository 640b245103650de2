"""Guesses: the layout of a folder of images, the meaning of a table's columns, the scale of a column's values, for people to
check before anything is stored.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, cast

from concord.importing.rating_request import RatingRequest
from concord.judging import yes_no
from data.aspects import SCALES
from data.export.rows import RATING_COLUMNS
from data.images.folders import EXTENSIONS, IMAGES_TABLE, Layout
from data.ratings.rating_tables import read_rating_table
from data.store.browse import contents
from data.store.core.store import Store

MAX_STEPS: Final = 10
"""A column of whole numbers with so many values or fewer is a scale with steps."""
TABLES: Final = frozenset({".csv", ".tsv", ".jsonl", ".json", ".parquet", ".xlsx", ".xls", ".ods"})
"""The ends of names of tables."""
IMAGE_COLUMNS: Final[Mapping[str, tuple[str, ...]]] = {
    "path": ("path", "file", "filename", "file_name", "image", "image_path", "img"),
    "prompt": ("prompt", "text", "caption"),
    "generator": ("generator", "model"),
    "idx": ("idx", "index"),
    "task": ("task", "category"),
}
"""The columns of ``images.csv``, with the names that others give them."""
RATING_NAMES: Final[Mapping[str, tuple[str, ...]]] = {
    "item": ("item", "item_id", "image", "image_id", "path", "file", "filename", "file_name", "image_path"),
    "rater": ("rater", "rater_id", "worker", "worker_id", "annotator", "user", "user_id", "who", "metric", "scorer"),
    "value": ("value", "rating", "score", "answer", "label", "stars"),
    "prompt": ("prompt", "prompt_id", "text", "caption"),
    "generator": ("generator", "model"),
    "index": ("index", "idx"),
    "task": ("task", "category"),
}


@dataclass(frozen=True, slots=True)
class RatingGuess:
    """What a table of ratings probably says.

    Attributes:
        header: its columns.
        suites: of the project, with images.
        exported: whether it is a file of `export ratings`, which needs no request.
        request: how it is imported.
    """

    header: Sequence[str]
    suites: Sequence[str]
    exported: bool
    request: RatingRequest


def guess_ratings(store: Store, path: Path) -> RatingGuess:
    """Return what the columns of a table of ratings probably are.

    Raises:
        InputError: it is no table.
    """
    read = read_rating_table(path)
    header = list(read.table.header)
    columns = guess_columns(header, RATING_NAMES)
    if read.rater is not None:
        columns["rater"] = read.rater
    value = columns.get("value")
    scale = guess_scale(cells[value] for _, cells in read.table.rows()) if value else "nominal"
    named = next((name for name in SCALES if value and name == value.casefold() and SCALES[name] == scale), None)
    suites = list(dict.fromkeys(picture.suite for picture in contents.generator_pictures(store)))
    request = RatingRequest(
        **cast(dict[str, Any], columns),
        aspect=named or {"nominal": "correct", "interval": "score"}.get(scale, "quality"),
        scale=scale,
        suite=suites[0] if suites else None,
        kind="scorer" if scale == "interval" else "human",
    )
    return RatingGuess(header, suites, sorted(header) == sorted(RATING_COLUMNS), request)


def guess_columns(header: Iterable[str], meanings: Mapping[str, Sequence[str]]) -> dict[str, str]:
    """By meaning the first column with one of its names, whatever its case; no column means two things."""
    by_name: dict[str, str] = {}
    for column in header:
        by_name.setdefault(column.strip().casefold(), column)
    guessed: dict[str, str] = {}
    for meaning, names in meanings.items():
        free = [by_name[name] for name in names if name in by_name and by_name[name] not in guessed.values()]
        if free:
            guessed[meaning] = free[0]
    return guessed


def guess_scale(values: Iterable[str]) -> str:
    """The scale of most values as ``--scale`` has it: yes and no are nominal, whole numbers of few steps ordinal from 1."""
    texts = [text.strip() for text in values if text.strip()]
    if 2 * sum(yes_no(text) is not None for text in texts) >= len(texts):
        return "nominal"
    whole = [int(text) for text in texts if re.fullmatch(r"-?[0-9]{1,3}", text)]
    if 2 * len(whole) > len(texts) and max(whole) - (low := min(1, *whole)) < MAX_STEPS:
        return f"ordinal:{low}-{max(whole)}"
    numbers = [text for text in texts if re.fullmatch(r"[-+]?[0-9]*[.]?[0-9]+([eE][-+]?[0-9]+)?", text)]
    return "interval" if 2 * len(numbers) > len(texts) else "nominal"


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
