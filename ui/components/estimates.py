"""Estimates as tables: a row per rater or task, a column per statistic, n and interval beside every number."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from concord.common import wording
from ui.components.table import Cell, html_table, note

Row = dict[str, Any]


def number(row: Row | None) -> Cell:
    """An estimate as a table's cell."""
    if row is None:
        return Cell("")
    if row["value"] is None:
        return Cell("–", "undefined", row["reason"] or "")
    method = row["method"] or ""
    interval = "no interval" if "no interval" in method else ""
    if row["low"] is not None:
        interval = f"{row['low']:.2f} to {row['high']:.2f}"
    ceiling = row.get("ceiling")
    lines = [interval, *(_beside(ceiling) if ceiling else ()), "saw these labels" if row.get("saw_labels") else ""]
    note = f"{method}; n = {row['n_items']:,} images, {row['n_ratings']:,} answers"
    if ceiling and ceiling["words"]:
        note += f". Beside people among themselves: {ceiling['words']}"
    return Cell(f"{row['value']:.3f}", "\n".join(line for line in lines if line), note)


def _beside(ceiling: Row) -> Iterator[str]:
    """People's own number on the same images, and where the scorer stands beside it."""
    if ceiling["value"] is not None:
        yield f"people {ceiling['value']:.2f}"
    if ceiling["verdict"]:
        yield wording.verdict(ceiling["verdict"])


def statistics_table(caption: str, name: str, rows: Sequence[Row], label: Callable[[Row], str]) -> str:
    """A row per label and a column per statistic, both in the order of ``rows``; nothing for no rows."""
    if not rows:
        return ""
    shown = list(dict.fromkeys(row["statistic"] for row in rows))
    lines: dict[str, dict[str, Row]] = {}
    for row in rows:
        lines.setdefault(label(row), {})[row["statistic"]] = row
    headers: list[str | Cell] = [
        name,
        Cell("images"),
        Cell("answers"),
        *(Cell(wording.title(s), note=wording.DEFINITIONS[s].meaning) for s in shown),
    ]
    body: list[list[str | Cell]] = []
    for text, line in lines.items():
        widest = max(line.values(), key=lambda row: int(row["n_items"]))
        counts = [Cell(f"{widest['n_items']:,}"), Cell(f"{max(row['n_ratings'] for row in line.values()):,}")]
        body.append([text, *counts, *(_of_its_own(line.get(s), widest["n_items"]) for s in shown)])
    return html_table(caption, headers, body)


def explained(rows: Iterable[Row], *, open_: bool) -> str:
    """Why numbers are missing, each reason once. The mean of the tasks only repeats its tasks' reasons."""
    reasons: dict[str, dict[str, None]] = {}
    for row in rows:
        if row["value"] is None and row["reason"] and row.get("task") != "tasks_mean":
            reasons.setdefault(row["reason"], {})[wording.title(row["statistic"])] = None
    if not reasons:
        return ""
    lines = "".join(note(f"{', '.join(names)}: {reason}.") for reason, names in reasons.items())
    alone = " open" if open_ else ""
    return f'<details class="cc-why"{alone}><summary>Why some numbers are undefined (–)</summary>{lines}</details>'


def _of_its_own(row: Row | None, n: int) -> Cell:
    """The number, and how many images it rests on where that is not what its line says."""
    cell = number(row)
    if row is None or row["value"] is None or row["n_items"] == n:
        return cell
    return replace(cell, detail="\n".join(part for part in (cell.detail, f"{row['n_items']:,} images") if part))
