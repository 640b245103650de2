"""The long frame of ratings as a file: what ``export ratings`` writes, ``import ratings`` reads without being told more.

One row is one rating that counts. ``value`` is a text on every scale: the label, or for ``interval`` the number. ``kind`` is
``human``, ``scorer`` or, for imitations of people, ``simulated``: whoever takes the rows of kind ``human`` has real people
alone. ``identity`` (``person`` or ``slot``) is empty for scorers. ``seq`` is the order in which the ratings were made.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from data.export.formats import Kind
from data.files import InputError, Problems, located, quoted
from data.tables import read_cells

RATING_COLUMNS: Final[Mapping[str, Kind]] = {
    "suite": "text",
    "prompt": "text",
    "task": "text",
    "generator": "text",
    "item": "text",
    "rater": "text",
    "kind": "text",
    "identity": "text",
    "aspect": "text",
    "target": "text",
    "scale": "text",
    "value": "text",
    "seq": "whole",
}
SIMULATED: Final = "simulated"

_KINDS: Final = ("human", "scorer", SIMULATED)
_NEEDED: Final = ("suite", "item", "rater", "kind", "aspect", "scale", "seq")

Convert = Callable[[str, str, str], tuple[str, str | None, float | None]]
"""(scale, aspect, value) to (the scale as it is stored, label, number); raises ``ValueError`` for what is not on the scale."""


@dataclass(frozen=True, slots=True)
class ExportedRating:
    """One row; empty cells are None. ``label`` and ``number`` are its value as the scale has it, ``line`` counts from 1."""

    line: int
    suite: str
    prompt: str | None
    task: str | None
    generator: str | None
    item: str
    rater: str
    kind: str
    identity: str | None
    aspect: str
    target: str | None
    scale: str
    label: str | None
    number: float | None
    seq: int


@dataclass(frozen=True, slots=True)
class ExportedRatings:
    """The rows in the order in which they were made; ``empty`` counts those without a value, which were skipped."""

    rows: tuple[ExportedRating, ...]
    empty: int


def read_exported_ratings(path: Path, convert: Convert) -> ExportedRatings:
    """Read such a file, CSV (``.tsv``: tabs), Parquet or JSON lines, its columns in any order.

    Raises:
        InputError: the header is another one, a cell is not what its column holds, or two rows contradict each other;
            nothing is read then.
    """
    problems = Problems(path)
    same = _Consistency()
    rows: list[ExportedRating] = []
    empty = 0
    table = read_cells(path)
    _check_header(path, table.header)
    for line, cells in table.rows():
        if not cells["value"]:
            empty += 1
            continue
        try:
            rating = _rating(line, cells, convert)
            same.check(rating)
            rows.append(rating)
        except ValueError as error:
            problems.add(line, str(error))
    problems.check()
    # equal numbers fall as in the statistics: by the rater's name
    return ExportedRatings(tuple(sorted(rows, key=lambda rating: (rating.seq, rating.rater))), empty)


def _check_header(path: Path, header: tuple[str, ...]) -> None:
    if sorted(header) == sorted(RATING_COLUMNS):
        return
    missing = [quoted(name) for name in RATING_COLUMNS if name not in header]
    what = f"has no column {', '.join(missing)}" if missing else "has other columns too, or one twice"
    raise InputError(
        located(
            path,
            1,
            f"this is not a file of 'export ratings' ({what}); "
            "for another table say what its columns are: --item --rater --value --aspect --scale",
        )
    )


def _rating(line: int, cells: Mapping[str, str], convert: Convert) -> ExportedRating:
    for name in _NEEDED:
        if not cells[name].strip():
            raise ValueError(f"column {quoted(name)} is empty; every rating has one")
    if "/" in cells["suite"]:
        raise ValueError(f"suite is {quoted(cells['suite'])}; a suite's name has no '/'")
    try:
        scale, label, number = convert(cells["scale"], cells["aspect"], cells["value"])
    except ValueError as error:
        raise ValueError(f"value is {quoted(cells['value'])}: {error}") from None
    try:
        seq = int(cells["seq"])
    except ValueError:
        raise ValueError(f"seq is {quoted(cells['seq'])}; it is a whole number, the order of the ratings") from None
    return ExportedRating(
        line=line,
        suite=cells["suite"],
        prompt=cells["prompt"] or None,
        task=cells["task"] or None,
        generator=cells["generator"] or None,
        item=cells["item"],
        rater=cells["rater"],
        kind=_choice(cells, "kind", _KINDS),
        identity=None if cells["kind"] == "scorer" else _choice(cells, "identity", ("person", "slot")),
        aspect=cells["aspect"],
        target=cells["target"] or None,
        scale=scale,
        label=label,
        number=number,
        seq=seq,
    )


def _choice(cells: Mapping[str, str], name: str, known: tuple[str, ...]) -> str:
    if cells[name] not in known:
        raise ValueError(f"{name} is {quoted(cells[name])}; it is one of {', '.join(known)}")
    return cells[name]


class _Consistency:
    """One item, rater or scale must be the same thing in all rows."""

    def __init__(self) -> None:
        self._first: dict[tuple[str, ...], tuple[int, tuple[str | None, ...]]] = {}

    def check(self, rating: ExportedRating) -> None:
        item = (rating.suite, rating.prompt, rating.task, rating.generator)
        self._same(rating, ("item", rating.item), "suite, prompt, task and generator", item)
        self._same(rating, ("rater", rating.rater), "kind and identity", (rating.kind, rating.identity))
        self._same(rating, ("aspect", rating.aspect, rating.suite), "scale in a suite", (rating.scale,))

    def _same(self, rating: ExportedRating, key: tuple[str, ...], what: str, now: tuple[str | None, ...]) -> None:
        line, before = self._first.setdefault(key, (rating.line, now))
        if now != before:
            here, there = (", ".join(part or "-" for part in parts) for parts in (now, before))
            raise ValueError(
                f"{key[0]} {quoted(key[1])} is {quoted(here)} here, but {quoted(there)} on line {line};"
                f" one {key[0]} has one {what}"
            )
