"""The table of ``import ratings``, as its request describes it, and what speaks against that."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from agreement import Scale, ScaleError
from concord.common.context import CommandError, Context, UsageError
from concord.importing.rating_items import first_few
from concord.importing.rating_request import RatingRequest
from concord.importing.rating_values import is_value
from data.files import located, quoted
from data.ratings.json_ratings import RatingTable
from data.ratings.name_matching import match_rows
from data.ratings.rating_tables import (
    PAIR,
    PREFERENCE,
    RatedItem,
    RatingColumns,
    image_columns,
    item_columns,
    looks_wide,
    names_side,
    other_columns,
    pair_columns,
    read_rating_table,
    with_pairs,
)
from data.store import imports
from data.tables import TableOptions, TextTable


@dataclass(frozen=True, slots=True)
class RatingReading:
    """The way in which a table is read.

    Attributes:
        left_out: by reason how many answers of the file are not in the table.
        notes: what the reader took as meant, in words.
    """

    path: Path
    left_out: Mapping[str, int]
    columns: RatingColumns
    aspect: str
    scale: Scale
    notes: list[str]


def read_table_of_ratings(context: Context, path: Path, request: RatingRequest) -> tuple[TextTable, RatingReading]:
    """Read the table, and which of its columns say what."""
    wanted = [name for name, value in request.columns.items() if value and not (name == "item" and request.transpose)]
    columns = tuple(name for key in wanted for name in _names(request.columns[key]))
    options = TableOptions(request.encoding, request.header_lines, request.sheet, columns)
    table = read_rating_table(path, options, request.columns)
    aspect, scale_text = request.aspect, request.scale
    if request.pair:
        aspect, scale_text = aspect or PREFERENCE, scale_text or "nominal"
    elif request.multiple:
        scale_text = scale_text or "nominal"
    read_columns = _columns(table, request, aspect, scale_text)
    try:
        scale = Scale.parse(str(scale_text))
    except ScaleError as error:
        raise UsageError(f"--scale: {error}") from error
    if (request.pair or request.multiple) and str(scale) != "nominal":
        raise UsageError(f"{'--pair' if request.pair else '--multiple'} is for the scale nominal, not {scale}")
    _refuse_second_header(table.table, read_columns, request)
    if table.rater is None and request.wide is None and read_columns.value:
        _refuse_wide(table.table, read_columns, str(aspect), scale)
    notes = list(table.table.notes)
    if read_columns.raters and request.rater_columns is None:
        _refuse_transposed(context, read_columns.raters, request.suite)
    if aspect == PREFERENCE and read_columns.value and not request.pair:
        _refuse_sides(table.table, read_columns.value)
    if read_columns.items:
        notes.append(f"a row per person, a column per item: {first_few(map(quoted, read_columns.items))}")
    if request.pair:
        pair, vote = _names(request.pair), read_columns.value
        table = replace(table, table=with_pairs(table.table, pair[0], pair[1], vote))
        read_columns = replace(read_columns, item=(*read_columns.item, PAIR))
    return table.table, RatingReading(path, table.left_out, read_columns, str(aspect), scale, notes)


def _columns(table: RatingTable, request: RatingRequest, aspect: str | None, scale: str | None) -> RatingColumns:
    if request.is_wide and (request.rater or request.value or table.rater):
        raise UsageError(
            "with --wide every rater has a column, whose header is the rater's name; leave "
            + ("--wide out: this export says who answered" if table.rater else "--rater and --value out")
        )
    rater = request.rater or table.rater
    needed = (
        ("item", request.transpose or request.item),
        ("rater", request.is_wide or rater),
        ("value", request.is_wide or request.transpose or request.value),
        ("aspect", aspect),
        ("scale", scale),
    )
    missing = [f"--{name}" for name, column in needed if not column]
    if missing:
        raise UsageError(f"{', '.join(missing)} missing; only a file of 'export ratings' is read without any option")
    item = tuple(_names(request.item))
    if not item and not request.transpose:
        raise UsageError("--item needs a column's name")
    if request.pair and len(_names(request.pair)) != 2:
        raise UsageError("--pair needs the two columns of the generators, separated by a comma: --pair model_a,model_b")
    read = RatingColumns(item, "", "", (), {}, request.prompt, request.generator, request.index, request.task)
    if request.transpose:
        read = replace(read, item=(), rater=str(rater))
        return replace(read, items=item_columns(item or _columns_of_items(table.table, read)))
    if not request.is_wide:
        return replace(read, rater=str(rater), value=str(request.value))
    raters = tuple(_names(request.rater_columns)) or other_columns(table.table, read)
    if not raters:
        raise UsageError("--wide needs columns of raters beside those of the items")
    # a table that pandas saved with its row numbers: on a scale of numbers they would be one more rater
    if any(not name.strip() or name.startswith("Unnamed: ") for name in raters):
        raise CommandError("the table has a column without a name, and no rater is called so; name the raters: --rater-columns")
    return replace(read, raters=raters)


def _columns_of_items(table: TextTable, columns: RatingColumns) -> tuple[str, ...]:
    """Return the columns of items of a table with a row per person: those that look like images, if any, else all others."""
    others = other_columns(table, columns)
    images = image_columns(others)
    if not others:
        raise UsageError("--transpose needs columns of items beside the one of the raters; name them: --item")
    if images and len(images) < len(others):
        rest = [name for name in others if name not in images]
        raise CommandError(
            f"{len(images):,} columns look like images ({first_few(map(quoted, images))}), and these do not:"
            f" {first_few(map(quoted, rest))}; name the items' columns: --item {quoted(','.join(images[:2]))} and so on"
        )
    return others


def _names(text: str | None) -> list[str]:
    return [name.strip() for name in (text or "").split(",") if name.strip()]


def _refuse_second_header(table: TextTable, columns: RatingColumns, request: RatingRequest) -> None:
    """Refuse a first row that repeats the names of columns, as a second line of the header does."""
    if request.header_lines is not None or not table.records:
        return
    line, cells = table.records[0]
    where = {name: n for n, name in enumerate(table.header)}
    own = (*columns.item, columns.rater, columns.value)
    alike = [name for name in own if name in where and _letters(name) == _letters(cells[where[name]])]
    if alike:
        raise CommandError(
            f"{located(table.path, line, '')}{quoted(alike[0])} holds {quoted(cells[where[alike[0]]])}: if this line belongs to"
            " the header, add --header-lines 2 (or how many lines the header has); if it is a rating, add --header-lines 1"
        )


def _letters(text: str) -> str:
    return "".join(char for char in text.casefold() if char.isalnum()) or text


def _refuse_wide(table: TextTable, columns: RatingColumns, aspect: str, scale: Scale) -> None:
    """A table with a column per rater would become raters that are called as ratings are."""
    values = {text.strip() for text in table.texts(columns.value)} if columns.value in table.header else set()
    raters = looks_wide(table, columns, lambda text: is_value(text, scale, aspect, values))
    if raters:
        raise CommandError(
            f"the column of raters, {quoted(columns.rater)}, holds only values of the scale {quoted(str(scale))}"
            f" ({first_few(map(quoted, raters))}): if there is a column per rater, say --wide instead of --rater and --value;"
            " if these are names of raters, add --long"
        )


def _refuse_sides(table: TextTable, value: str) -> None:
    """Refuse preferences that say left or right: who made which image is not known then."""
    if value not in table.header:
        return
    sides = [text for text in {text.strip() for text in table.texts(value)} if names_side(text)]
    if sides:
        pair = pair_columns([name for name in table.header if name != value]) or ("COLUMN", "COLUMN")
        raise CommandError(
            f"{quoted(value)} says {quoted(min(sides))}, and a preference is a generator; name the columns of the two"
            f" generators: --pair {quoted(','.join(pair))}"
        )


def _refuse_transposed(context: Context, raters: Sequence[str], suite: str | None) -> None:
    """Refuse columns of raters that are called as images are, or as the suite's images."""
    images = image_columns(raters)
    if suite is not None and (known := imports.known_items(context.store, suite)):
        images = images or list(match_rows([RatedItem(1, name) for name in raters], known).items)
    if 2 * len(images) > len(raters):
        raise CommandError(
            f"the columns look like images and not like raters ({first_few(map(quoted, images))}): if a row is a person, say"
            " --transpose --rater COLUMN instead of --wide --item; if these are raters, name them: --rater-columns"
        )
