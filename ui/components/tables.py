"""Tables, sentences and lists as elements, which escape their texts by themselves.

`table_element` is the one renderer of a `Table`. Elements are joined in a list or by `htpy.fragment`, never by ``+``; in lists,
not in generators, as what is drawn may be rendered twice.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from functools import lru_cache
from typing import Final, TypeVar, cast

import htpy
from htpy import Element, Fragment, Node
from markupsafe import Markup

from agreement.estimate import Estimate
from concord.common import reason_sentences
from concord.common.estimate_table import estimate_cell, estimates_table, remark_on_labels, undefined_statistics
from concord.common.table import Cell, Column, Table, TableRow
from concord.headlines import verdict_beside_people

T = TypeVar("T")
Cells = Sequence[str | Cell]
"""A row of a table; plain strings are texts."""
CHOSEN: Final = "cc-chosen"
"""The class of the row that is open."""
_DETAIL: Final = htpy.small(class_="cc-detail")


def columns(*titles: str | Column) -> tuple[Column, ...]:
    """Return columns, of which plain strings are titles of texts."""
    return tuple(title if isinstance(title, Column) else Column(title) for title in titles)


def table_row(*cells: str | Cell, kind: str = "") -> TableRow:
    """Return a row of a table with a class of its own."""
    return TableRow(tuple(cell if isinstance(cell, Cell) else Cell(cell) for cell in cells), kind)


def plain_table(caption: str, heads: Sequence[str | Column], rows: Iterable[Cells | TableRow]) -> Table:
    """Return a table whose first column names the row; plain strings are columns and cells of texts."""
    return Table(
        caption,
        columns(*heads),
        tuple(row if isinstance(row, TableRow) else table_row(*row) for row in rows),
    )


def table_element(table: Table, kind: str = "") -> Element:
    """Return a table as it is seen in Studio; `kind` is a class of its own."""
    titles = [
        htpy.th(scope="col", class_="cc-number" if column.number else None, title=column.note or None)[
            column.title, small(column.detail)
        ]
        for column in table.columns
    ]
    heads = [htpy.tr[titles]]
    if table.over:
        covered = len(table.columns) - table.names
        heads.insert(0, htpy.tr[[htpy.td] * table.names, htpy.th(scope="colgroup", colspan=covered)[table.over]])
    # each row rendered at once: what is nested less deeply is rendered in half the time
    body = [
        str(htpy.tr(class_=row.kind or None, aria_current="true" if row.kind == CHOSEN else None)[_cells(table, row)])
        for row in table.rows
    ]
    return scrolled(htpy.table(class_=["cc-table", kind])[htpy.caption[table.caption], htpy.thead[heads], htpy.tbody[body]])


def scrolled(table: Element, kind: str = "") -> Element:
    """Return a table that may be wider than its place, which is scrolled by keys, too."""
    return htpy.div(class_=["cc-table-wrap", kind], tabindex=0, role="group", aria_label="A table; arrows scroll it")[table]


def small(text: str) -> Node:
    """Return a detail that stands beneath; nothing for none."""
    return _DETAIL[text] if text else ""


def span(low: float | None, high: float | None, form: str = "z.2f") -> str:
    """Return an interval in words, such as ``0.31 to 0.46``; nothing where an end is missing."""
    if low is None or high is None:
        return ""
    return f"{low:{form}} to {high:{form}}"


def when(moment: datetime | None) -> Node:
    """Return a moment, which the browser shows in the reader's own time; nothing for none."""
    if moment is None:
        return ""
    there = moment.astimezone(UTC)
    return htpy.time(class_="cc-when", datetime=there.isoformat(timespec="seconds"))[f"{there:%Y-%m-%d %H:%M} UTC"]


def bullets(lines: Iterable[Node]) -> Node:
    """Return a list; nothing for none."""
    items = [htpy.li[line] for line in lines]
    return htpy.ul(class_="cc-list")[items] if items else ""


def code(line: str) -> Element:
    """Return a command as it is typed."""
    return htpy.code(class_="cc-code")[line]


def commands(lines: Iterable[str]) -> Element:
    """Return a list of commands."""
    return htpy.ul(class_="cc-list")[[htpy.li[code(line)] for line in lines]]


def folded(title: str, content: Node, kind: str = "", *, open_: bool = False) -> Element:
    """Return what opens by a click on its title; `kind` is a class of its own."""
    return htpy.details(class_=kind or None, open=open_)[htpy.summary[title], content]


def progress_bar(done: int, total: int, label: str) -> Element:
    """Return how much is done of a total as a bar; `label` says of what."""
    return htpy.progress(max=max(total, 1), value=done, aria_label=label)


def paged(listed: Sequence[T], page: int, size: int, address: Callable[..., str]) -> tuple[Sequence[T], Node]:
    """Return what is on a page of a list, from 1, or on its last, and where the other pages are, as `pager` has it."""
    pages = max(1, -(-len(listed) // size))
    page = min(page, pages)
    return listed[(page - 1) * size : page * size], pager(page, pages, address)


def pager(page: int, pages: int, address: Callable[..., str]) -> Node:
    """Return where the other pages of a list are; `address` takes the number as ``page``."""
    if pages == 1:
        return ""
    return htpy.p(class_="cc-note cc-pages")[
        page > 1 and htpy.a(href=address(page=page - 1), rel="prev")["Previous"],
        htpy.span[f"page {page:,} of {pages:,}"],
        page < pages and htpy.a(href=address(page=page + 1), rel="next")["Next"],
    ]


def note(text: Node, kind: str = "") -> Element:
    """Return a paragraph; `kind` is a class of its own."""
    return htpy.p(class_=["cc-note", kind])[text]


def linked_note(text: str, href: str, link: str, rest: str = "") -> Element:
    """Return a paragraph with a link in it, inside the app."""
    return note([text, " ", htpy.a(href=href)[link], " ", rest])


def heading(text: Node, below: str = "") -> Fragment:
    """Return a section's heading, and a paragraph beneath it."""
    return htpy.fragment[htpy.h2(class_="cc-section")[text], below and note(below)]


def joined(parts: Sequence[Node], between: Node = " · ") -> list[Node]:
    """Return parts with something between them."""
    return [piece for n, part in enumerate(parts) for piece in ((between, part) if n else (part,))]


def _cells(table: Table, row: TableRow) -> list[Markup]:
    """Return a row's cells as HTML, of which the first name it."""
    pairs = enumerate(zip(table.columns, row.cells, strict=True))
    # cells with an element of their own are seldom alike, and their elements cannot always be compared
    return [
        (_cell if cell.content is None else _cell.__wrapped__)(cell, n < table.names, column.number)
        for n, (column, cell) in pairs
    ]


@lru_cache(maxsize=4096)
def _cell(cell: Cell, names_row: bool, number: bool) -> Markup:
    """Return a cell as HTML. As a slider moves most cells stay as they are; making their elements anew took twice as long."""
    attributes = {"scope": "row"} if names_row else {}
    if kind := cell.kind or ("cc-number" if number else ""):
        attributes["class"] = kind
    if cell.note:
        attributes["title"] = cell.note
    if cell.shade is not None:
        attributes["style"] = f"--shade: {cell.shade:z.2f}"
        attributes["data-side"] = "cc-beyond" if cell.agrees else "cc-below"
    content = cell.text if cell.content is None else cast(Node, cell.content)
    inner = htpy.a(href=cell.href)[content] if cell.href else content
    return Markup((htpy.th if names_row else htpy.td)(attributes)[inner, small("\n".join(cell.details))])


def number(row: Estimate | None, n_items: int | None = None) -> Cell:
    """Return an estimate as a table's cell.

    Args:
        row: the estimate; None for an empty cell.
        n_items: how many images its line says; the cell says how many it rests on itself where that is another number.
    """
    if row is None or row.value is None:
        return estimate_cell(row, "undefined")
    ceiling = row.ceiling
    # what one person in its place reaches on the same images, and where that leaves the scorer
    person = f"one person {ceiling.value:z.2f}" if ceiling and ceiling.value is not None else ""
    verdict = verdict_beside_people(row) if ceiling else ""
    own_n = "" if n_items in (None, row.n_items) else f"{row.n_items:,} images"
    cell = estimate_cell(row, person, verdict, remark_on_labels(row), own_n)
    if ceiling and ceiling.verdict.words:
        return replace(
            cell, note=f"{cell.note}. Beside one person in its place: {reason_sentences.text(ceiling.verdict.words)}"
        )
    return cell


def with_details(cell: Cell, *lines: str) -> Cell:
    """Return a cell with further lines of small print; empty ones are left out."""
    return replace(cell, details=tuple(filter(None, (*cell.details, *lines))))


def statistics_element(caption: str, name: str, rows: Sequence[Estimate], label: Callable[[Estimate], str]) -> Node:
    """Return a row per label and a column per statistic, both in the order of `rows`; nothing for no rows."""
    return table_element(estimates_table(caption, {name: label}, rows, number)) if rows else ""


def explained(rows: Iterable[Estimate], *, open_: bool) -> Node:
    """Return why numbers are missing, each reason once."""
    reasons = undefined_statistics(rows)
    lines = [note(f"{', '.join(names)}: {reason}.") for reason, names in reasons.items()]
    return folded("Why some numbers are undefined (–)", lines, "cc-why", open_=open_) if lines else ""
