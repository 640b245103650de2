"""What stands beneath the bars: sides, strengths of several generators, and ranks over generators and tasks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import pandas as pd

from agreement.study.cells import ALL
from concord.common import wording
from concord.preferences import Row
from ui import charts
from ui.components.table import Cell, heading, html_table, note
from ui.pages.preferences.bars import interval_of, who_of

_STRENGTHS: Final = (
    "Bradley-Terry: a generator that stands d higher than another wins against it with probability 1 / (1 + exp(−d)). A tie"
    " (both, neither, equal scores) counts as half a win for each."
)
_RANKS: Final = (
    "SelfEval’s Figure 6: over generators and tasks, Spearman’s ρ of how many votes people gave a generator and the metric’s"
    " mean there; and in how many tasks the metric puts two generators in people’s order."
)


def sides(rows: Sequence[Row]) -> str:
    """Whether the left image is chosen more often, which it should not be: sides are by chance."""
    return "".join(note(_side(row)) for row in rows)


def _side(row: Row) -> str:
    who, known = row["rater"], row["left"] + row["right"]
    more = f" Of {row['unknown']:,} more it is not known where the chosen image stood." if row["unknown"] and known else ""
    if not known:
        return f"Side bias of {who}: not known, as {row['reason']}."
    bounds = "" if row["low"] is None else f" ({row['low']:.2f} to {row['high']:.2f})"
    return (
        f"Side bias of {who}: the left image was chosen in {row['left']:,} of {known:,} votes for one of the two:"
        f" {row['value']:.2f}{bounds}, sign test p = {row['sign_test_p']:.3f}. Without a bias it is 0.50.{more}"
    )


def strengths(rows: Sequence[Row], task: str) -> str:
    """The table of one task (or all), people first."""
    mine = [row for row in rows if row["task"] == task]
    if not mine:
        return ""
    headers: list[str | Cell] = ["who", "generator", *map(Cell, ("strength", "rank", "wins", "losses", "ties"))]
    body: list[list[str | Cell]] = []
    before = ""
    for row in mine:
        who = who_of(row)
        counts = [Cell(f"{row[name]:,}") for name in ("wins", "losses", "ties")]
        rank = Cell("" if row["rank"] is None else str(row["rank"]))
        body.append(["" if who == before else who, row["generator"], _number(row), rank, *counts])
        before = who
    named = "all tasks" if task == ALL else wording.task(task)
    return heading("How strong each generator is", _STRENGTHS) + html_table(f"Strengths, {named}", headers, body)


def strengths_figure(rows: Sequence[Row], task: str) -> Any:
    """A row for each generator and voter; None for two generators, of whom the bars say all."""
    mine = [row for row in rows if row["task"] == task and row["value"] is not None]
    if len({row["generator"] for row in mine}) < 3:
        return None
    order = sorted(mine, key=lambda row: (row["generator"], row["kind"] != "people"))
    return _forest([(f"{row['generator']} · {who_of(row)}", row) for row in order], "Bradley-Terry log strength")


def ranks(rows: Sequence[Row]) -> str:
    """The list of metrics."""
    if not rows:
        return ""
    headers: list[str | Cell] = ["metric", *map(Cell, ("Spearman’s ρ", "points", "people’s order")), "votes of"]
    body: list[list[str | Cell]] = []
    for row in rows:
        tasks = len(row["agreeing"]) + len(row["opposed"])
        order = Cell(f"{len(row['agreeing'])} of {wording.count(tasks, 'task')}" if tasks else "")
        people = "people" if row["people"] == "real" else "simulated people"
        body.append([who_of(row), _number(row), Cell(str(row["n_items"])), order, people])
    return heading("Do votes go with a metric?", _RANKS) + html_table("Metrics beside people’s votes", headers, body)


def ranks_figure(rows: Sequence[Row]) -> Any:
    """A row for each metric that has a number; None where none has."""
    known = [row for row in rows if row["value"] is not None]
    return _forest([(who_of(row), row) for row in known], "Spearman’s ρ with people’s votes") if known else None


def _number(row: Row) -> Cell:
    if row["value"] is None:
        return Cell("–", "undefined", row["reason"] or "")
    bounds = interval_of(row)
    return Cell(f"{row['value']:+.3f}", bounds, row["method"])


def _forest(lines: Sequence[tuple[str, Row]], axis: str) -> Any:
    none = {"people_value": None, "people_low": None, "people_high": None}
    points = [
        {"label": label, "n": row["n_items"], "simulated": row["people"] == "simulated", "kind": row["kind"]}
        | {name: row[name] for name in ("value", "low", "high")}
        | none
        for label, row in lines
    ]
    frame = pd.DataFrame(points).astype(dict.fromkeys(("value", "low", "high", *none), float))
    figure = charts.forest(frame, axis)
    low, high = figure.layout.xaxis.range
    return figure.update_xaxes(range=[min(low, -0.05), max(high, 0.05)])
