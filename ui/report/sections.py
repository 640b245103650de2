"""What a report says, apart from how it looks: sections of paragraphs, tables and definitions; and estimates as its tables.

A table of estimates has a row per rater and topic, a column per statistic, n and interval with each number.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Final, Literal, TypeVar

from agreement.estimate import Estimate
from concord.common import wording
from concord.common.estimate_table import (
    Counts,
    MarkedReasons,
    Names,
    estimate_cell,
    estimates_table,
    remark_on_labels,
    undefined_statistics,
)
from concord.common.table import Cell, Table
from concord.comparison.leaderboard import SCORE
from concord.reporting.material import Material, is_whole
from concord.reporting.samples import SampleImage
from concord.scope import MAIN_ASPECTS


@dataclass(frozen=True, slots=True)
class ReportFigure:
    """A drawing with its numbers.

    Attributes:
        caption: its title.
        drawn: HTML or SVG that needs no script; empty for a figure that is a table everywhere.
        table: the same numbers, where nothing can be drawn.
        note: what its marks mean.
    """

    caption: str
    drawn: str
    table: Table
    note: str = ""


@dataclass(frozen=True, slots=True)
class Term:
    """A definition; ``range`` is what values there can be. ``folded``: of a statistic that stands in folded tables alone."""

    name: str
    meaning: str
    formula: str
    range: str
    source: str
    folded: bool = False


@dataclass(frozen=True, slots=True)
class ReportSection:
    """Paragraphs, points, figures, tables, samples, definitions and a command to copy, in this order.

    Attributes:
        kind: ``summary`` stands on the first page, ``appendix`` comes behind all results.
    """

    title: str
    paragraphs: tuple[str, ...] = ()
    points: tuple[str, ...] = ()
    figures: tuple[ReportFigure, ...] = ()
    tables: tuple[Table, ...] = ()
    samples: tuple[SampleImage, ...] = ()
    terms: tuple[Term, ...] = ()
    command: str = ""
    kind: Literal["summary", "result", "appendix"] = "result"


@dataclass(frozen=True, slots=True)
class Document:
    """A whole report; ``data`` is everything in it for machines, as JSON."""

    title: str
    lead: str
    sections: tuple[ReportSection, ...]
    data: Mapping[str, Any]


_PRINTED_SAMPLES = 8


def printed_document(report: Document) -> Document:
    """What a PDF and LaTeX hold: a report of some pages, without folded tables, and with what was left out said at its end."""
    sections, left = [], 0
    for section in report.sections:
        shown = tuple(table for table in section.tables if not table.folded)
        left += len(section.tables) - len(shown)
        terms = tuple(term for term in section.terms if not term.folded)
        samples = section.samples if section.kind == "summary" else _spread(section.samples)
        made = replace(section, tables=shown, terms=terms, samples=samples)
        # nothing is left of a section of folded tables but what is said about them
        if shown or not section.tables or section.figures:
            sections.append(made)
    more = f" {wording.count(left, 'more table')} (each generator and task, further statistics, any two raters)" if left else ""
    closing = f"{more.strip()[:1].upper()}{more.strip()[1:]} stand in the report’s HTML form." if left else ""
    last = replace(sections[-1], paragraphs=(*sections[-1].paragraphs, *([closing] if closing else [])))
    return replace(report, sections=(*sections[:-1], last))


def _spread(samples: Sequence[SampleImage]) -> tuple[SampleImage, ...]:
    """A few samples of as many groups as there can be, in the order of the groups."""
    turns: dict[str, int] = {}
    ranked = []
    for sample in samples:
        turns[sample.group] = turns.get(sample.group, -1) + 1
        ranked.append((turns[sample.group], sample))
    first = [sample for _, sample in sorted(ranked, key=lambda pair: pair[0])[:_PRINTED_SAMPLES]]
    return tuple(sample for sample in samples if sample in first)


AddDetails = Callable[[Estimate], tuple[str, ...]]

_WIDEST, _WIDEST_WITH_MORE = 6, 3
"""Columns of numbers that fit on a page; and with more than an interval beneath each."""
ALL, TASKS_MEAN = "all", "tasks_mean"
_COUNTS: Final[Counts] = {"Items": lambda row: row.n_items, "Ratings": lambda row: row.n_ratings}
COMPARED = ("among_people", "raters", "thresholds")
"""The rows whose main statistics are printed; of others the HTML report has the tables."""


def generator(row: Estimate) -> str:
    return "all generators" if row.generator == ALL else str(row.generator)


def task(row: Estimate) -> str:
    return wording.task(row.task)


def column_names(rows: Sequence[Estimate]) -> dict[str, Callable[[Estimate], str]]:
    """The columns that say where a number is from, as far as it is not the same everywhere."""
    columns: dict[str, Callable[[Estimate], str]] = {"Generator": generator, "Task": task}
    if any(row.target is not None for row in rows):
        columns["Target"] = lambda row: row.target or "none"
    return columns


AnyEstimate = TypeVar("AnyEstimate", bound=Estimate)
Topic = tuple[str, str, str]
"""Suite, aspect, and whether people are real or simulated."""


def topic_of(row: Estimate) -> Topic:
    return row.suite, row.aspect, row.people


def whole_rows(material: Material, section: str, topic: Topic) -> list[Estimate]:
    """A section's rows about a topic as a whole."""
    return [row for row in material.rows.section(section) if topic_of(row) == topic and is_whole(row)]


def by_topic(rows: Iterable[AnyEstimate]) -> Iterator[tuple[str, list[AnyEstimate]]]:
    """The rows of each suite, aspect and kind of people, with a caption; real people first."""
    rows_of: dict[Topic, list[AnyEstimate]] = {}
    for row in rows:
        rows_of.setdefault(topic_of(row), []).append(row)
    for suite, aspect, people in sorted(rows_of, key=lambda key: (key[2] == "simulated", key[0], *_rank_of_aspect(key[1]))):
        who = ", with simulated people" if people == "simulated" else ""
        yield f"{suite}: {wording.aspect(aspect)}{who}", _in_order(rows_of[suite, aspect, people])


def _rank_of_aspect(aspect: str) -> tuple[int, str]:
    """Return a key that puts the questions that sum an image up first, then their parts, then scores."""
    main = {name: n for n, name in enumerate(MAIN_ASPECTS)}
    return main.get(aspect, len(main) + (aspect == SCORE)), aspect


def _in_order(rows: Sequence[AnyEstimate]) -> list[AnyEstimate]:
    """The whole first, then its parts; and no part that is the whole."""
    by_generator = _without_twins(rows, lambda row: (row.generator, row.task), (ALL,))
    distinct = _without_twins(by_generator, lambda row: (row.task, row.generator), (ALL, TASKS_MEAN))
    order = {ALL: 0, TASKS_MEAN: 1}
    return sorted(distinct, key=lambda row: (row.target or "", row.generator != ALL, row.generator, order.get(row.task, 2)))


def _without_twins(
    rows: Sequence[AnyEstimate], place_of: Callable[[Estimate], tuple[str, str]], wholes: tuple[str, ...]
) -> list[AnyEstimate]:
    """Return the rows without those of all tasks, where there is one task, whose own name says more; so for generators.

    ``place_of``: a row's task and generator, or its generator and task; twins are looked for by the first of the two.
    """
    parts = {place_of(row)[0] for row in rows} - set(wholes)
    if len(parts) != 1:
        return list(rows)
    numbers: dict[tuple[Any, ...], dict[str, tuple[Any, ...]]] = {}
    for row in rows:
        name, elsewhere = place_of(row)
        key = (elsewhere, row.target, row.statistic, row.rater, row.people_as, row.a, row.b, row.certainty)
        numbers.setdefault(key, {})[name] = (row.value, row.n_items, row.n_ratings)
    (part,) = parts
    same = all(ALL in by_name and by_name.get(part) == by_name[ALL] for by_name in numbers.values())
    return [row for row in rows if place_of(row)[0] == part] if same else list(rows)


def estimates_tables(caption: str, names: Names, rows: Sequence[Estimate], more: AddDetails | None = None) -> list[Table]:
    """Tables of a few statistics each, in the order of ``rows``; ``more`` adds lines beneath a number."""
    widest = _WIDEST_WITH_MORE if more else _WIDEST
    shown = list(dict.fromkeys(row.statistic for row in rows))
    defined = [name for name in shown if any(row.statistic == name and row.value is not None for row in rows)]
    parts = evenly(defined, widest) or [[]]
    never = undefined_statistics(row for row in rows if row.statistic not in defined)
    tables = []
    for n, part in enumerate(parts):
        notes = MarkedReasons()
        table = estimates_table(
            caption if n == 0 else f"{caption}, continued", names, rows, partial(marked_cell, notes, more), _COUNTS, part
        )
        tables.append(replace(table, notes=notes.lines()))
    undefined = (f"Undefined here: {', '.join(titles)}: {reason}." for reason, titles in never.items())
    return [*tables[:-1], replace(tables[-1], notes=(*tables[-1].notes, *undefined))]


def evenly(names: Sequence[str], widest: int) -> list[list[str]]:
    """Parts of at most ``widest``, as few as it takes, and none much shorter than the others."""
    size = -(-len(names) // max(-(-len(names) // widest), 1))
    return [list(names[start : start + size]) for start in range(0, len(names), max(size, 1))]


def marked_cell(notes: MarkedReasons, more: AddDetails | None, row: Estimate | None, n_items: int = -1) -> Cell:
    """Return an estimate as a cell on paper.

    Args:
        notes: collects the reason where the estimate is undefined.
        more: adds lines beneath the number.
        row: the estimate; None for an empty cell.
        n_items: on how many units its line rests; the cell says how many it rests on itself where that is another number.
    """
    if row is None:
        return Cell("")
    further = more(row) if more else ()
    if row.value is None:
        cell = estimate_cell(row, *further)
        return replace(cell, note="", mark=notes.mark(cell.note))
    own_n = f"n = {row.n_items:,}" if row.n_items != n_items else ""
    return estimate_cell(row, remark_on_labels(row), own_n, *further)
