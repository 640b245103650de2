"""What ``plan`` and ``rater-effects`` print: tables or JSON."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from agreement.meta.units import Finding
from concord.agreement import known_statistics, selected
from concord.common.context import Context
from concord.common.text_tables import (
    Column,
    Row,
    aligned,
    column,
    counts,
    interval_column,
    lines,
    number_column,
    without_empty_columns,
)
from concord.meta.findings import effects
from concord.meta.planning import PlanRequest, plan
from data.store.core.selection import Selection

NOTHING: Final = "no ratings by people in this selection: label images (uv run app.py serve), or import ratings"
_CELL: Final = [column("suite"), column("aspect"), column("people")]
_REASON: Final[Column] = ("reason", lambda row: "" if row.get("half_width") is not None else row["reason"] or "")
_PLAN: Final[list[Column]] = [
    *_CELL,
    column("statistic"),
    column("scorer"),
    number_column("value"),
    ("images", lambda row: f"{row['images']:g}"),
    ("ratings", lambda row: f"{row['ratings']:g}"),
    *counts("prompts"),
    number_column("half width", "half_width"),
    number_column("beside other people", "half_width_others"),
    ("power", lambda row: "" if row["power"] is None else f"{row['power']:.2f}"),
    number_column("aim", "aim"),
    ("prompts needed", lambda row: "-" if row["prompts_needed"] is None else f"{row['prompts_needed']:,}"),
    _REASON,
]
_EFFECTS: Final[list[Column]] = [
    *_CELL,
    column("statistic"),
    column("rater"),
    ("ratings", lambda row: "" if row["ratings"] is None else str(row["ratings"])),
    number_column("value"),
    interval_column(),
    *counts("n_items", "n_ratings"),
    _REASON,
]


def print_plan(
    context: Context,
    selection: Mapping[str, Sequence[str]],
    half_width: float | None,
    difference: float | None,
    statistic: Sequence[str],
    images: Sequence[int],
    ratings: Sequence[int],
    persons: int | None,
    seed: int,
    output: str,
) -> None:
    """The command ``plan``."""
    known_statistics(statistic)
    chosen = selected(context, selection)
    request = PlanRequest(tuple(statistic) or ("mean",), half_width, difference, tuple(images), tuple(ratings), persons, seed)
    _say(context, chosen, plan(context.store, chosen, request), _PLAN, output)


def print_rater_effects(context: Context, selection: Mapping[str, Sequence[str]], ratings: Sequence[int], output: str) -> None:
    """The command ``rater-effects``."""
    chosen = selected(context, selection)
    _say(context, chosen, effects(context.store, chosen, tuple(ratings) or (1, 3, 5)), _EFFECTS, output)


def _say(context: Context, selection: Selection, findings: Sequence[Finding], columns: Sequence[Column], output: str) -> None:
    rows: list[Row] = [each.to_dict() for each in findings]
    if output == "json":
        context.say_json({"selection": selection.to_dict(), "rows": rows})
        return
    for line in aligned(without_empty_columns(lines(columns, rows))) if rows else [NOTHING]:
        context.say(line)
