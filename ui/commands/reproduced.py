"""How ``reproduce`` prints: as a table, as Markdown, or as JSON."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from data.studies.published import ALL, PrintedNumber, PublishedStudy

if TYPE_CHECKING:
    from ui.commands.reproduce import Line

HEADER = ("in the paper", "called there", "what it is", "of", "printed", "ours", "in full", "items", "ratings", "verdict")


def table(study: PublishedStudy, lines: Sequence[Line]) -> str:
    """Aligned columns for a terminal, then what else there is to say."""
    cells = _cells(study, lines)
    widths = [max(len(row[n]) for row in cells) for n in range(len(cells[0]))]
    rows = ["  ".join(text.ljust(width) for text, width in zip(row, widths, strict=True)).rstrip() for row in cells]
    return "\n".join([study.paper, "", *rows, "", *_remarks(study, lines)])


def markdown(study: PublishedStudy, lines: Sequence[Line]) -> str:
    """The same as a Markdown table and a list."""
    head, *rows = _cells(study, lines)
    told = ["| " + " | ".join(text.replace("|", "\\|") for text in row) + " |" for row in (head, ["---"] * len(head), *rows)]
    return "\n".join([f"## {study.paper}", "", *told, "", *(f"- {line}" for line in _remarks(study, lines))])


def as_json(study: PublishedStudy, lines: Sequence[Line]) -> str:
    """One document: ``paper``, ``numbers`` (a row each), ``notes``, ``not_determined`` (beyond those of ``numbers``)."""
    document = {
        "paper": study.paper,
        "numbers": [_row(study, line) for line in lines],
        "notes": list(study.notes),
        "not_determined": [{"what": item.what, "where": item.where, "reason": item.why} for item in study.open],
    }
    return json.dumps(document, ensure_ascii=False, allow_nan=False, indent=1)


FORMATS: Mapping[str, Callable[[PublishedStudy, Sequence[Line]], str]] = {"table": table, "md": markdown, "json": as_json}


def _row(study: PublishedStudy, line: Line) -> dict[str, Any]:
    number = line.number
    return {
        "called": number.called, "where": number.where, "printed": number.printed, "percent": number.percent,
        "suite": study.suite, "aspect": study.aspect, "generator": number.generator, "task": number.task,
        "rater": number.rater, "statistic": number.statistic, "quantity": number.quantity,
        "value": line.value, "rounded": line.rounded, "n_items": line.n_items, "n_ratings": line.n_ratings,
        "over": list(line.over), "beside": dict(line.beside), "verdict": line.verdict, "reason": line.reason or None,
    }  # fmt: skip


def _cells(study: PublishedStudy, lines: Sequence[Line]) -> list[list[str]]:
    """The header and a row for each line; what stands beside a number has a column where there is any."""
    rows = [[*HEADER, "beside it"], *([*_numbers(study, line), "; ".join(_beside(line))] for line in lines)]
    return rows if any(line.beside for line in lines) else [row[:-1] for row in rows]


def _numbers(study: PublishedStudy, line: Line) -> list[str]:
    number, found = line.number, line.value is not None
    full = repr(line.value).removesuffix(".0") if found else "-"
    counts = [str(line.n_items), str(line.n_ratings)] if found else ["", ""]
    verdict = line.verdict.replace("_", " ")
    told = [number.where, number.called, _what(number), _of(study, line), number.printed, line.rounded or "-"]
    return [*told, full, *counts, verdict]


def _beside(line: Line) -> list[str]:
    return [
        f"{name} -" if value is None else f"{name} {rounding(line.number, value)} ({value:.6f})"
        for name, value in line.beside.items()
    ]


def _what(number: PrintedNumber) -> str:
    if number.quantity == "value":
        return number.statistic
    return f"{number.statistic} x items" if number.quantity == "items_with" else number.quantity.replace("_", " ")


def _of(study: PublishedStudy, line: Line) -> str:
    number = line.number
    pooled = ALL if len(line.over) == len(study.sources) else "+".join(line.over) or "-"
    who = number.rater or (number.generator if number.generator != ALL else pooled)
    return f"{who}, {number.task}" if number.task != ALL else who


def rounding(number: PrintedNumber, value: float) -> str:
    """A value in the unit and digits of the printed number. Half a unit may be rounded either way: as printed, if so."""
    printed = number.printed.replace(",", "")
    digits = len(printed.partition(".")[2])
    shown = 100 * value if number.percent else value
    either_way = abs(shown - float(printed)) <= 0.5 * 10**-digits + 1e-9
    return printed if either_way else f"{shown:.{digits}f}"


def _remarks(study: PublishedStudy, lines: Sequence[Line]) -> list[str]:
    """How to read the numbers, what differs and why, and what the data do not determine."""
    different = [_difference(line) for line in lines if line.verdict == "different"]
    open_lines = [line for line in lines if line.verdict == "not_determined"]
    reasons = Counter(line.reason for line in open_lines)
    undetermined = [f"Not determined: {count} of the above: {reason}." for reason, count in reasons.items()]
    if any(line.value is not None for line in open_lines):
        undetermined.append("What stands in full beside these is ours over what there is.")
    beyond = [f"Not determined: {item.what} ({item.where}): {item.why}." for item in study.open]
    verdicts = Counter(line.verdict for line in lines)
    count = f"Same {verdicts['same']}, different {verdicts['different']}, not determined {verdicts['not_determined']}."
    return [*study.notes, *different, *undetermined, *beyond, count]


def _difference(line: Line) -> str:
    number = line.number
    ours = "undefined" if line.rounded is None else line.rounded
    return f"Different: {number.called} ({number.where}): printed {number.printed}, ours {ours}: {line.reason}."
