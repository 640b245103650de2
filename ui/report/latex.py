"""A report as LaTeX: one file of plain LaTeX with booktabs, for pdflatex as well as for engines that know all of Unicode."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Sequence
from typing import Final

from ui.report.sections import Document, ReportCell, ReportSection, ReportTable, texts

_PREAMBLE: Final = r"""\documentclass[10pt,a4paper]{article}
\usepackage{iftex}
\ifPDFTeX
  \usepackage[utf8]{inputenc}
  \usepackage[T1]{fontenc}
  \usepackage{textcomp}
  \IfFileExists{lmodern.sty}{\usepackage{lmodern}}{}
\fi
\usepackage[a4paper,landscape,margin=12mm,bottom=16mm]{geometry}
\usepackage{booktabs,longtable,array}
\setlength{\parindent}{0pt}\setlength{\parskip}{4pt}\setlength{\tabcolsep}{3pt}
\setlength{\LTleft}{0pt}\setlength{\LTright}{0pt plus 1fill}\setlength{\LTpre}{6pt}\setlength{\LTpost}{6pt}
\newcolumntype{L}[1]{>{\raggedright\arraybackslash}p{#1}}
\newcolumntype{R}[1]{>{\raggedleft\arraybackslash}p{#1}}
% a sign that an engine without Unicode cannot set is named by its number
\ifPDFTeX\newcommand{\uni}[2]{\texttt{U+#1}}\else\newcommand{\uni}[2]{#2}\fi
\sloppy
"""
_PAGE: Final = 27.0
"""Centimetres between the margins."""
_GAP: Final = 0.22
_DIGIT, _SMALL = 0.152, 0.135
"""Centimetres of a sign in a table, and of one in the lines beneath a number."""
_NARROWEST, _LONGEST_TEXT = 1.1, 60

_ASCII: Final = {
    "\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "$": r"\$", "&": r"\&", "#": r"\#", "%": r"\%", "_": r"\_",
    "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "<": r"\textless{}", ">": r"\textgreater{}", "|": r"\textbar{}",
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
    parts = [
        _PREAMBLE,
        rf"\title{{{escaped(report.title)}}}\author{{}}\date{{{escaped(report.lead)}}}",
        r"\begin{document}\maketitle",
        *(line for section in report.sections for line in _section(section)),
        r"\end{document}",
    ]
    return "\n".join(parts) + "\n"


def _section(section: ReportSection) -> Iterator[str]:
    yield rf"\section*{{{escaped(section.title)}}}"
    for paragraph in section.paragraphs:
        yield escaped(paragraph) + r"\par"
    if section.points:
        yield r"\begin{itemize}"
        yield from (rf"\item {escaped(point)}" for point in section.points)
        yield r"\end{itemize}"
    for figure in section.figures:
        if figure.table:
            yield from _table(figure.table)
    for table in section.tables:
        yield from _table(table)
    if section.samples:
        shown = [(one.group, one.title, "; ".join(one.lines), one.item) for one in section.samples]
        title = "Samples; their pictures are in the report’s HTML and PDF forms"
        yield from _table(texts(title, ("Kind", "Prompt", "Said", "Item"), shown))
    if section.terms:
        rows = [(term.name, term.meaning, term.formula, term.range, term.source) for term in section.terms]
        yield from _table(texts("Statistics", ("Name", "Meaning", "Formula", "Range", "Source"), rows))
    if section.command:
        yield rf"{{\ttfamily\raggedright {escaped(section.command)}\par}}"


def _table(table: ReportTable) -> Iterator[str]:
    if not table.rows:
        yield rf"\textbf{{{escaped(table.caption)}}}\par"
    else:
        widths = _widths(table)
        kinds = (
            f"{'R' if heading.number else 'L'}{{{width:.2f}cm}}" for heading, width in zip(table.headings, widths, strict=True)
        )
        yield rf"{{\footnotesize\begin{{longtable}}{{@{{}}{''.join(kinds)}@{{}}}}"
        whole = sum(widths) + _GAP * (len(widths) - 1)
        caption = rf"\multicolumn{{{len(widths)}}}{{@{{}}L{{{max(whole, 10):.2f}cm}}@{{}}}}"
        yield rf"{caption}{{\textbf{{{escaped(table.caption)}}}}}\\*"
        yield r"\toprule"
        yield " & ".join(escaped(heading.text) for heading in table.headings) + r" \\"
        yield r"\midrule\endhead\bottomrule\endlastfoot"
        for row in table.rows:
            yield from _row(row)
        yield r"\end{longtable}}"
    for note in table.notes:
        yield rf"{{\footnotesize {escaped(note)}\par}}"


def _row(row: Sequence[ReportCell]) -> Iterator[str]:
    """A row, and the lines beneath its numbers."""
    marks = (rf"\textsuperscript{{{escaped(cell.mark)}}}" if cell.mark else "" for cell in row)
    lines = [" & ".join(escaped(cell.text) + mark for cell, mark in zip(row, marks, strict=True))]
    for n in range(max(len(cell.details) for cell in row)):
        below = (rf"\scriptsize {escaped(cell.details[n])}" if n < len(cell.details) else "" for cell in row)
        lines.append(" & ".join(below))
    yield from (line + r" \\*" for line in lines[:-1])
    yield lines[-1] + r" \\"


def _widths(table: ReportTable) -> list[float]:
    """Columns of numbers as wide as they are; what is left of the page is the texts', by how long they are."""
    numbers = {n: _number_width(table, n) for n, heading in enumerate(table.headings) if heading.number}
    wanted: dict[int, float] = {}
    for n, heading in enumerate(table.headings):
        if not heading.number:
            longest = max(len(heading.text), *(len(row[n].text) for row in table.rows))
            wanted[n] = min(max(longest, 4), _LONGEST_TEXT if len(table.headings) > 2 else 120) * 0.16
    left = _PAGE - sum(numbers.values()) - _GAP * (len(table.headings) - 1)
    scale = min(1.0, max(left, 2.0) / (sum(wanted.values()) or 1.0))
    widths = [numbers[n] if n in numbers else max(wanted[n] * scale, _NARROWEST) for n in range(len(table.headings))]
    whole = sum(widths) + _GAP * (len(widths) - 1)
    return widths if whole <= _PAGE else [width * (_PAGE - _GAP * (len(widths) - 1)) / sum(widths) for width in widths]


def _number_width(table: ReportTable, n: int) -> float:
    words = max((len(word) for word in table.headings[n].text.split()), default=1)
    own = max(len(row[n].text) + len(row[n].mark) for row in table.rows)
    below = max((len(line) for row in table.rows for line in row[n].details), default=0)
    return max(_NARROWEST, words * _DIGIT, own * _DIGIT, below * _SMALL)
