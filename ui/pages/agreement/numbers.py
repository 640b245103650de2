"""The Agreement page's chart and tables: each scorer beside people, people among themselves."""

from __future__ import annotations

from typing import Any

import pandas as pd

from concord.agreement import Rows
from concord.common import wording
from ui import charts
from ui.components.estimates import explained, statistics_table
from ui.pages.agreement.view import View


def forest(real: Rows, simulated: Rows, view: View) -> Any:
    """The chosen statistic as a figure; None where there is nothing to draw."""
    points = pd.concat([_points(real, view, ""), _points(simulated, view, " (simulated people)")])
    axis = f"{wording.title(view.statistic)}, {wording.task(view.task)}" if real["raters"] or simulated["raters"] else ""
    return charts.forest(points, axis or wording.title(view.statistic)) if points["value"].notna().any() else None


def tables(rows: Rows, view: View, who: str) -> str:
    """Scorers against people, people among themselves, and why numbers are missing, as HTML."""
    task = wording.task(view.task)
    against = view.listed(_closest_first([row for row in rows["raters"] if row["task"] == view.task], view))
    among = view.listed(rows["among_people"])
    known = any(row["value"] is not None for row in rows["among_people"] + rows["raters"])
    return (
        statistics_table(f"Scorers against {who}, {task}", "scorer", against, lambda row: str(row["rater"]))
        + statistics_table(f"{who.capitalize()} among themselves", "task", among, lambda row: wording.task(row["task"]))
        + explained([*among, *view.listed(rows["raters"])], open_=not known)
    )


def _closest_first(rows: list[dict[str, Any]], view: View) -> list[dict[str, Any]]:
    """Scorers by the chosen statistic; those without it last."""
    closeness = {row["rater"]: row["value"] for row in rows if row["statistic"] == view.statistic}
    least = float("-inf")
    return sorted(rows, key=lambda row: -least if (value := closeness.get(row["rater"])) is None else -value)


def _points(rows: Rows, view: View, mark: str) -> pd.DataFrame:
    """The chart's rows: each scorer at the chosen task, best first; without scorers, people by task."""
    charted = {name: [row for row in section if row["statistic"] == view.statistic] for name, section in rows.items()}
    scorers = sorted(
        (row for row in charted["raters"] if row["task"] == view.task),
        key=lambda row: (row["value"] is None, -(row["value"] or 0.0)),
    )
    among = charted["among_people"]
    people = [row for row in among if row["task"] == view.task and row["value"] is not None] if scorers else among
    name = "simulated people among themselves" if mark else "people among themselves"
    points = [(name if scorers else wording.task(row["task"]) + mark, "people", row) for row in people]
    points += [(row["rater"] + mark, "scorer", row) for row in scorers]
    columns = ["label", "kind", "value", "low", "high", "n", "simulated", *(f"people_{end}" for end in _BAND)]
    return pd.DataFrame([_point(label, kind, row, bool(mark)) for label, kind, row in points], columns=columns)


_BAND = ("value", "low", "high")


def _point(label: str, kind: str, row: dict[str, Any], simulated: bool) -> tuple[Any, ...]:
    ceiling = row.get("ceiling") or {}
    band = tuple(ceiling.get(end) for end in _BAND)
    return label, kind, row["value"], row["low"], row["high"], row["n_items"], simulated, *band
