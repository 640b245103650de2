"""A report as LaTeX: one file of plain LaTeX with booktabs, for pdflatex as well as for engines that know all of Unicode."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Sequence
from typing import Any, Final

from markupsafe import Markup

from concord.common.table import Table, TableRow, texts
from ui.report.html import environment
from ui.report.sections import Document, ReportSection

_PAGE: Final = 18.2
"""Centimetres between the margins."""
_GAP: Final = 0.22
_DIGIT, _SMALL = 0.152, 0.135
"""Centimetres of a sign in a table, and of one in the lines beneath a number."""
_NARROWEST, _LONGEST_TEXT = 1.1, 60

_ASCII: Final = {
    "\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "$": r"\$", "&": r"\&", "#": r"\#", "%": r"\%", "_": r"\_",
    "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "<": r"\textless{}", ">": r"\textgreater{}",
    # scales are long words that may be broken
    "|": r"\textbar\allowbreak{}",
    '"': r"\textquotedbl{}", "`": r"\textasciigrave{}", "'": r"\textquotesingle{}",
    # at the start of a row LaTeX would take these for options of the row before; and two hyphens for a dash
    "[": "{[}", "]": "{]}", "*": "{*}", "-": "{-}", ",": "{,}", "?": "{?}", "!": "{!}",
}  # fmt: skip
_MATHS: Final = {
    "α": r"\alpha", "κ": r"\kappa", "π": r"\pi", "ρ": r"\rho", "τ": r"\tau", "Σ": r"\Sigma", "√": r"\surd", "≥": r"\ge",
    "≤": r"\le", "≠": r"\ne", "×": r"\times", "·": r"\cdot", "−": "-", "±": r"\pm", "≈": r"\approx", "→": r"\to", "²": "^2",
    "³": "^3", "ᵢ": "_i", "ₖ": "_k", "ₗ": "_l", "₀": "_0", "ₑ": "_e", "↑": r"\uparrow", "↓": r"\downarrow",
}  # fmt: skip
_TEXT: Final = {
    "–": "--", "—": "---", "’": "'", "‘": "`", "“": "``", "”": "''", "…": r"\ldots{}", "\xa0": "~", "\u2009": r"\,",
    "\u202f": r"\,", "ß": r"\ss{}", "æ": r"\ae{}", "Æ": r"\AE{}", "ø": r"\o{}", "Ø": r"\O{}", "œ": r"\oe{}", "Œ": r"\OE{}",
    "ł": r"\l{}", "Ł": r"\L{}", "ı": r"\i{}", "§": r"\S{}", "€": r"\texteuro{}", "°": r"\textdegree{}", "µ": r"\textmu{}",
}  # fmt: skip
_ACCENTS: Final = {
    "\u0300": "`", "\u0301": "'", "\u0302": "^", "\u0303": "~", "\u0308": '"', "\u030c": "v", "\u030a": "r", "\u0327": "c",
    "\u0306": "u", "\u0304": "=", "\u0328": "k", "\u0307": ".", "\u030b": "H",
}  # fmt: skip


def escaped(text: str) -> str:
    """A text on one line in which nothing is a command; what pdflatex has no sign for is named by its number there."""
    return "".join(_sign(sign) for sign in " ".join(text.split()))


def _sign(sign: str) -> str:
    if sign in _ASCII:
        return _ASCII[sign]
    if " " <= sign <= "~":
        return sign
    if sign in _MATHS:
        return rf"\ensuremath{{{_MATHS[sign]}}}"
    if sign in _TEXT:
        return _TEXT[sign]
    parts = unicodedata.normalize("NFD", sign)
    if len(parts) == 2 and parts[0].isascii() and parts[0].isalpha() and parts[1] in _ACCENTS:
        return rf"\{_ACCENTS[parts[1]]}{{{parts[0]}}}"
    number = f"{ord(sign):04X}"
    kind = unicodedata.category(sign)
    # what is no sign at all, and what joins or turns round its neighbours, would be lost or do harm
    shown = sign if kind[0] in "LNPS" else ""
    return rf"\uni{{{number}}}{{{shown or f'U+{number}'}}}"


def latex(report: Document) -> str:
    """The whole file."""
    # braces and per cent signs are LaTeX's own
    blocks = {"block_start_string": "((*", "block_end_string": "*))"}
    values = {"variable_start_string": "(((", "variable_end_string": ")))"}
    comments = {"comment_start_string": "((=", "comment_end_string": "=))"}
    made = environment(autoescape=False, finalize=_text, keep_trailing_newline=True, **blocks, **values, **comments)
    return made.get_template("report.tex").render(
        report=report, tables=_tables, widths_of=_widths, columns=_columns, span=_span, lines=_lines
    )


def _text(value: Any) -> Any:
    return value if isinstance(value, Markup) else escaped(str(value))


def _tables(section: ReportSection) -> Iterator[Table]:
    """A section's tables, and what is drawn or listed in other formats as tables."""
    yield from (figure.table for figure in section.figures)
    yield from section.tables
    if section.samples:
        shown = [(sample.group, sample.title, "; ".join(sample.lines), sample.item) for sample in section.samples]
        title = "Samples; their pictures are in the report’s HTML and PDF forms"
        yield texts(title, ("Kind", "Prompt", "Said", "Item"), shown)
    if section.terms:
        rows = [(term.name, term.meaning, term.formula, term.range, term.source) for term in section.terms]
        yield texts("Statistics", ("Name", "Meaning", "Formula", "Range", "Source"), rows)


def _columns(table: Table, widths: Sequence[float]) -> Markup:
    each = zip(table.columns, widths, strict=True)
    return Markup("".join(f"{'R' if column.number else 'L'}{{{width:z.2f}cm}}" for column, width in each))


def _span(widths: Sequence[float]) -> Markup:
    return Markup(f"{max(sum(widths) + _GAP * (len(widths) - 1), 10):z.2f}")


def _lines(row: TableRow) -> Markup:
    """A row, and the lines beneath its numbers."""
    marks = (rf"\textsuperscript{{{escaped(cell.mark)}}}" if cell.mark else "" for cell in row.cells)
    lines = [" & ".join(escaped(cell.text) + mark for cell, mark in zip(row.cells, marks, strict=True))]
    for n in range(max(len(cell.details) for cell in row.cells)):
        below = (rf"\scriptsize {escaped(cell.details[n])}" if n < len(cell.details) else "" for cell in row.cells)
        lines.append(" & ".join(below))
    return Markup(" \\\\*\n".join(lines) + r" \\")


def _widths(table: Table) -> list[float]:
    """Columns of numbers as wide as they are; what is left of the page is the texts', by how long they are."""
    numbers = {n: _number_width(table, n) for n, column in enumerate(table.columns) if column.number}
    wanted: dict[int, float] = {}
    for n, column in enumerate(table.columns):
        if not column.number:
            longest = max(len(column.title), *(len(row.cells[n].text) for row in table.rows))
            wanted[n] = min(max(longest, 4), _LONGEST_TEXT if len(table.columns) > 2 else 120) * 0.16
    left = _PAGE - sum(numbers.values()) - _GAP * (len(table.columns) - 1)
    scale = min(1.0, max(left, 2.0) / (sum(wanted.values()) or 1.0))
    widths = [numbers[n] if n in numbers else max(wanted[n] * scale, _NARROWEST) for n in range(len(table.columns))]
    whole = sum(widths) + _GAP * (len(widths) - 1)
    return widths if whole <= _PAGE else [width * (_PAGE - _GAP * (len(widths) - 1)) / sum(widths) for width in widths]


def _number_width(table: Table, n: int) -> float:
    words = max((len(word) for word in table.columns[n].title.split()), default=1)
    own = max(len(row.cells[n].text) + len(row.cells[n].mark) for row in table.rows)
    below = max((len(line) for row in table.rows for line in row.cells[n].details), default=0)
    return max(_NARROWEST, words * _DIGIT, own * _DIGIT, below * _SMALL)
