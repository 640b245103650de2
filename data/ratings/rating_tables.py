"""Anyone's ratings as a table: CSV (``.tsv``: tabs), Parquet, Excel or JSON, with a rating per row, a column per rater or a
column per item.

Cells stay as they are written: what they mean is said by the scale.

JSON is read by ``json_ratings``, what tools export by ``tool_exports``, Excel by ``data.spreadsheets``.

Votes between two generators' images: a pair is called by its item and its two generators in the order of the alphabet, so that
votes of people who saw the images the other way round are about the same pair.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import MappingProxyType
from typing import Final

from data.files import InputError, Problems, beginning_of, fail, located, quoted
from data.folding import fold_spelling
from data.ratings.json_ratings import RatingTable, read_json_ratings, read_lists
from data.ratings.tool_exports import counted_assignments, with_options_gathered, with_task_answers
from data.spreadsheets import is_workbook, read_workbook
from data.tables import AS_IT_LOOKS, TableOptions, TextTable, read_cells, read_table, require_columns

_OTHER_FILES: Final = {
    b"\x1f\x8b": ("a file packed by gzip (or R's .rds)", "unpack it, or write.csv it in R"),
    b"$FL": ("SPSS's .sav", "export it from SPSS as CSV"),
    b"<stata": ("Stata's .dta", "export it from Stata as CSV"),
    b"SQLite format 3": ("an SQLite database", "export its table as CSV"),
    b"%PDF": ("a PDF", "export the table from where it was made as CSV"),
    b"{\\rtf": ("a text document", "save its table as CSV"),
    b"<": ("HTML or XML (some programs call it .xls)", "open it in Excel or LibreOffice and save it as CSV"),
}
"""How files begin that people take for tables: what they are, and what to do."""


def read_rating_table(
    path: Path, options: TableOptions = AS_IT_LOOKS, named: Mapping[str, str | None] = MappingProxyType({})
) -> RatingTable:
    """Read the table in a file, whatever its format: Parquet, JSON and Excel are known by how they begin.

    ``named``: the columns that the user names (``item``, ``rater``, ``value``). They tell a row from an object of names and
    scores, which has no columns of its own and gets these.

    Raises:
        InputError: it is no table.
    """
    start = beginning_of(path)
    for mark, (what, remedy) in _OTHER_FILES.items():
        if start.startswith(mark):
            fail(path, None, f"{what}, and no table that is read; {remedy}")
    if is_workbook(start):
        table = read_workbook(path, options)
    elif start.startswith((b"{", b"[")):
        return read_json_ratings(path, named)
    elif start.startswith(b"PAR1"):
        table = read_cells(path)
        if (export := read_lists(path, table)) is not None:
            return export
    else:
        table = read_table(path, options)
    table, left_out = counted_assignments(with_task_answers(table))
    if value := named.get("value"):
        table = with_options_gathered(table, value)
    return RatingTable(table, left_out=left_out)


@dataclass(frozen=True, slots=True)
class RatingColumns:
    """Which columns say what: those of the item and the rater with ``value``; or one of them, and a column for each other.

    Attributes:
        raters: a column per rater, whose header is the rater's name; empty where a row is one rating.
        items: a column per item, by the item's name; a row is a rater then.
    """

    item: tuple[str, ...]
    rater: str = ""
    value: str = ""
    raters: tuple[str, ...] = ()
    items: Mapping[str, str] = field(default_factory=dict)
    prompt: str | None = None
    generator: str | None = None
    index: str | None = None
    task: str | None = None

    @property
    def described(self) -> tuple[str, ...]:
        """The columns that describe an item."""
        return tuple(name for name in (self.prompt, self.generator, self.index, self.task) if name is not None)

    @property
    def needed(self) -> list[str]:
        """All columns that are read, each once."""
        own = [self.rater, self.value, *self.raters, *self.items.values()]
        return list(dict.fromkeys([*self.item, *(name for name in own if name), *self.described]))


@dataclass(frozen=True, slots=True)
class RatedItem:
    """An item as a file first names it.

    Attributes:
        line: counts from 1 (of Parquet: the row).
        item: the item columns joined by ``|``.
    """

    line: int
    item: str
    prompt: str | None = None
    generator: str | None = None
    index: str | None = None
    task: str | None = None


def other_columns(table: TextTable, columns: RatingColumns) -> tuple[str, ...]:
    """Return the columns that nothing else is said of: those of raters, or of items."""
    named = {*columns.item, *columns.described} | ({columns.rater} if columns.rater else set())
    return tuple(name for name in dict.fromkeys(table.header) if name not in named)


def looks_wide(table: TextTable, columns: RatingColumns, is_value: Callable[[str], bool]) -> list[str]:
    """Return the texts of the rater column, if all are values of the scale and few items have two of them; else none.

    So looks a table with a column per rater of which one was named as the column of raters.
    """
    require_columns(table, [*columns.item, columns.rater])
    where = [table.header.index(name) for name in columns.item]
    rater = table.header.index(columns.rater)
    texts = {text.strip() for text in table.texts(columns.rater)} - {""}
    if not texts or not all(map(is_value, texts)):
        return []
    raters: dict[tuple[str, ...], set[str]] = {}
    for _, cells in table.records:
        raters.setdefault(tuple(cells[index] for index in where), set()).add(cells[rater].strip())
    named = list(dict.fromkeys(name for names in raters.values() for name in sorted(names)))
    several = sum(len(names) > 1 for names in raters.values())
    return named if named and 2 * several < len(raters) else []


_IMAGE: Final = re.compile(
    r"\.(?:png|jpe?g|webp|gif|bmp|tiff?|avif)\b|(?:^|[/\\_ -])(?:img|image|picture|pic)[ _-]?\d+$|^\d{3,}$", re.IGNORECASE
)
_BRACKETS: Final = re.compile(r"^(.*?)\s*\[(.+)\]\s*$", re.DOTALL)


def image_columns(names: Sequence[str]) -> list[str]:
    """Return the columns whose names look like images' files, ids or numbers."""
    return [name for name in names if _IMAGE.search(item_of_column(name))]


def item_of_column(name: str) -> str:
    """Return what a column of a form's grid is about: ``How good is it? [a.png]`` is about a.png, others about their name."""
    match = _BRACKETS.match(name)
    return match[2].strip() if match else name


def item_columns(names: Sequence[str]) -> dict[str, str]:
    """Return the columns of items by the items' names; of a form's grid what stands in brackets, if that tells them apart."""
    by_item = {item_of_column(name): name for name in names}
    return by_item if len(by_item) == len(names) else {name: name for name in names}


PREFERENCE: Final = "preference"
PAIR: Final = "pair"
"""The column that `with_pairs` adds: the pair's generators."""
_SIDES: Final = (
    frozenset(
        {"left", "a", "model_a", "model a", "image_a", "image a", "first", "image 1", "image_1", "image1", "l", "option a"}
    ),
    frozenset(
        {"right", "b", "model_b", "model b", "image_b", "image b", "second", "image 2", "image_2", "image2", "r", "option b"}
    ),
)
_BOTH: Final = frozenset(
    {
        "both",
        "tie",
        "draw",
        "equal",
        "same",
        "both good",
        "tie (both good)",
        "tie (bothgood)",
        "bothgood",
        "tievote",
        "a=b",
        "a = b",
    }
)
_NONE: Final = frozenset({"none", "neither", "both bad", "bothbad", "tie (bothbad)", "tie (both bad)", "bothbad_vote"})
_NUMBERS: Final = ("1", "2")


@dataclass(frozen=True, slots=True)
class PairVote:
    """A vote between two generators.

    Attributes:
        chosen: a generator, ``both`` or ``none``.
        generators: both, in the order of the alphabet.
        written: the vote as it stands in the file.
    """

    chosen: str
    generators: tuple[str, str]
    written: str


def pair_columns(header: Sequence[str]) -> tuple[str, str] | None:
    """Return two columns that look like those of a pair's generators; None if there are none."""
    names = {fold_spelling(name).casefold(): name for name in header}
    for name, column in names.items():
        for first, second in (("_a", "_b"), (" a", " b"), ("_1", "_2"), ("left", "right"), ("first", "second")):
            other = name.replace(first, second)
            if other != name and other in names:
                return column, names[other]
    return None


def names_side(text: str) -> bool:
    """Return True if a vote names a side of a pair, and no generator."""
    return any(fold_spelling(text).casefold() in words for words in _SIDES)


def with_pairs(table: TextTable, first: str, second: str, vote: str) -> TextTable:
    """Return the table with a column of the pair, and the votes as `read_vote` reads them; empty votes stay empty.

    Raises:
        InputError: a vote names neither image, or a pair is one of the same generator twice.
    """
    require_columns(table, [first, second, vote])
    where = [table.header.index(name) for name in (first, second, vote)]
    words = {fold_spelling(cells[where[2]]).casefold() for _, cells in table.records}
    numbered = words & {*_NUMBERS} if not words & {"0", "0.0", "0.5"} else set()
    problems = Problems(table.path)
    records: list[tuple[int, Sequence[str]]] = []
    for line, cells in table.records:
        names, written = (cells[where[0]].strip(), cells[where[1]].strip()), cells[where[2]].strip()
        with problems.at(line):
            new = list(cells)
            if written:
                new[where[2]] = _packed(_vote(names, (first, second), written, bool(numbered)))
            records.append((line, (*new, " vs ".join(sorted(names)))))
    problems.check()
    if PAIR in table.header:
        raise InputError(located(table.path, 1, f"rename the column {quoted(PAIR)}: the pair's generators are called so"))
    return replace(table, header=(*table.header, PAIR), records=records)


def _vote(names: tuple[str, str], columns: tuple[str, str], written: str, numbered: bool) -> PairVote:
    if not all(names):
        raise ValueError("a generator of the pair is not named")
    if names[0] == names[1]:
        raise ValueError(f"both images are of {quoted(names[0])}; a preference is between two generators")
    word = fold_spelling(written).casefold()
    generators = (min(names), max(names))
    for side in (0, 1):
        own = {fold_spelling(names[side]).casefold(), fold_spelling(columns[side]).casefold()}
        if (
            word in own
            or (word in _SIDES[side] and word not in {name.casefold() for name in names})
            or (numbered and word == _NUMBERS[side])
        ):
            return PairVote(names[side], generators, written)
    if word in _BOTH or word in _NONE:
        return PairVote("both" if word in _BOTH else "none", generators, written)
    raise ValueError(
        f"the vote {quoted(written)} names neither {quoted(names[0])} nor {quoted(names[1])}; write the generator, left, right,"
        " both or none"
    )


def _packed(vote: PairVote) -> str:
    return json.dumps([vote.chosen, *vote.generators, vote.written], ensure_ascii=False)


def read_vote(text: str) -> PairVote:
    """Return the vote that `with_pairs` wrote."""
    chosen, first, second, written = json.loads(text)
    return PairVote(chosen, (first, second), written)
