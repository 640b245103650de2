"""What a report says, apart from how it looks: sections of paragraphs, tables and definitions."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Cell:
    """What a cell of a table says.

    Attributes:
        text: large; ``details``: small, beneath.
        note: shown when pointed at.
        exact: the number that ``text`` rounds.
        mark: which of the table's notes belongs to it.
        shade: how dark its ground is, 0 to 1, and whether it is where two raters say the same.
    """

    text: str
    details: tuple[str, ...] = ()
    note: str = ""
    exact: float | None = None
    mark: str = ""
    shade: tuple[float, bool] | None = None


@dataclass(frozen=True, slots=True)
class Heading:
    """A column's name, what it means when pointed at, and whether numbers stand in it."""

    text: str
    note: str = ""
    number: bool = True


@dataclass(frozen=True, slots=True)
class Table:
    """A table whose first ``names`` columns name the row; ``notes`` stand beneath it.

    Attributes:
        folded: whether it opens by a click, where there can be one.
    """

    caption: str
    headings: tuple[Heading, ...]
    rows: tuple[tuple[Cell, ...], ...]
    names: int = 1
    notes: tuple[str, ...] = ()
    folded: bool = False


@dataclass(frozen=True, slots=True)
class Figure:
    """A drawing: ``drawn`` is Plotly's JSON; ``table`` stands for it where nothing can be drawn."""

    caption: str
    drawn: str
    table: Table | None = None


@dataclass(frozen=True, slots=True)
class Box:
    """What a scorer saw: corners as shares of the picture's sides, 0 to 1."""

    x0: float
    y0: float
    x1: float
    y1: float
    label: str


@dataclass(frozen=True, slots=True)
class Sample:
    """One item: what it was to show, what was said of it, and its picture as a data URI if it has one.

    Attributes:
        group: what the samples of one kind have in common.
        ratio: the picture's width over its height.
    """

    group: str
    title: str
    lines: tuple[str, ...]
    item: str
    picture: str = ""
    ratio: float = 1.0
    boxes: tuple[Box, ...] = ()


@dataclass(frozen=True, slots=True)
class Term:
    """A definition; ``range`` is what values there can be."""

    name: str
    meaning: str
    formula: str
    range: str
    source: str


@dataclass(frozen=True, slots=True)
class Section:
    """Paragraphs, points, figures, tables, samples, definitions and a command to copy, in this order."""

    title: str
    paragraphs: tuple[str, ...] = ()
    points: tuple[str, ...] = ()
    figures: tuple[Figure, ...] = ()
    tables: tuple[Table, ...] = ()
    samples: tuple[Sample, ...] = ()
    terms: tuple[Term, ...] = ()
    command: str = ""


@dataclass(frozen=True, slots=True)
class Document:
    """A whole report; ``data`` is everything in it for machines, as JSON."""

    title: str
    lead: str
    sections: tuple[Section, ...]
    data: Mapping[str, Any]


def texts(caption: str, headings: Sequence[str], rows: Sequence[Sequence[str]], names: int = 1) -> Table:
    """A table of plain texts; a column of nothing but counts is one of numbers."""
    cells = tuple(tuple(Cell(text) for text in row) for row in rows)
    counts = [all(_COUNT.fullmatch(row[n]) for row in rows) for n in range(len(headings))]
    return Table(caption, tuple(Heading(text, number=n) for text, n in zip(headings, counts, strict=True)), cells, names)


_COUNT = re.compile(r"\d{1,3}(,\d{3})*")
