"""The command `export tables`: a paper's tables of a project's own numbers, as LaTeX, Markdown or CSV."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Final, Literal

from agreement import Options
from concord.agreement import selected
from concord.common import wording
from concord.common.context import CommandError, Context, writing
from concord.common.table import Table
from concord.common.text_tables import csv_document, markdown
from concord.exporting import export_target
from concord.paper_tables import TITLES, Paper, paper_tables
from data.files import write_whole
from ui.report.html import plain_markdown
from ui.report.latex import latex
from ui.report.sections import Document, ReportSection

TableFormat = Literal["latex", "md", "csv"]
_ENDINGS: Final[Mapping[str, TableFormat]] = {"tex": "latex", "latex": "latex", "md": "md", "markdown": "md", "csv": "csv"}
_NOTHING: Final[Mapping[Paper, str]] = {
    "geneval": "nobody has judged images of prompts in GenEval's form: score geneval, or import study geneval",
    "tifa": "no suite has questions, ratings of faithfulness or answers: import questions FILE, or import study tifa",
    "selfeval": "nobody has chosen captions or voted: import itm FILE and score selfeval, or import study selfeval",
    "visor": "nobody has judged images of SR2D's prompts, or answered VISOR's questions: import images, then score visor",
}


def export_paper_tables(
    context: Context,
    paper: Paper,
    selection: Mapping[str, Sequence[str]],
    form: TableFormat | None,
    intervals: bool,
    output: str,
) -> None:
    """Write a paper's tables of the selection into one file.

    Raises:
        CommandError: there is nothing to make them of, or the file cannot be written.
    """
    named = _ENDINGS.get(output.rsplit(".", 1)[-1].lower())
    target, path = export_target(context, output, form or named, tuple(_WRITERS))
    tables = paper_tables(context.store, paper, selected(context, selection), Options(intervals=intervals))
    if not any(cell.exact is not None for table in tables for row in table.rows for cell in row.cells):
        raise CommandError(f"there is no number for {TITLES[paper]}’s tables: {_NOTHING[paper]}")
    with writing(path):
        write_whole(path, _WRITERS[target](paper, tables).encode())
    context.say(f"{wording.count(len(tables), 'table')} of {TITLES[paper]} in {output}")
    for table in tables:
        context.say(table.caption, *(f"  {line}" for line in table.notes))


def _latex(paper: Paper, tables: Sequence[Table]) -> str:
    section = ReportSection("Tables", tables=tuple(tables))
    return latex(Document(f"{TITLES[paper]}’s tables", "", (section,), {}))


def _markdown(_: Paper, tables: Sequence[Table]) -> str:
    lines: list[str] = []
    for table in tables:
        notes = (line for note in table.notes for line in (plain_markdown(note), ""))
        lines += [f"**{plain_markdown(table.caption)}**", "", *markdown(table, plain_markdown), "", *notes]
    return "\n".join(lines)


def _csv(_: Paper, tables: Sequence[Table]) -> str:
    return csv_document(tables)


_WRITERS: Final[Mapping[str, Callable[[Paper, Sequence[Table]], str]]] = {"latex": _latex, "md": _markdown, "csv": _csv}
