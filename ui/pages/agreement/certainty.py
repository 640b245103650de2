"""Scorers beside people by how sure people are: images on which all agree, most agree, and the others."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pandas as pd

from agreement import Options
from agreement.report.certainty import CLASSES
from concord.agreement import recall
from concord.common import wording
from data.store.core.store import Store
from ui import charts
from ui.components.estimates import explained, statistics_table
from ui.components.table import note
from ui.pages.agreement.view import View

Row = dict[str, Any]
_WHAT = (
    "Images by people’s answers: unanimous where all are equal, majority where more than half are, split where neither. Images"
    " with a single answer are in no class. Where people differ among themselves, no scorer can agree with all of them."
)
_NOBODY = "This takes images with two answers or more by people, and a scorer that has judged them. Here there are none."


def by_certainty(store: Store, view: View, *, intervals: bool) -> tuple[Any, str]:
    """A figure (None: nothing to draw) and the tables as HTML."""
    options = Options(intervals=intervals, each_generator=False, matrix=False, by_certainty=True)
    found = [row for row in recall(store, view.selection, options)["by_certainty"] if row["task"] == view.task]
    if not found:
        return None, note(_NOBODY)
    kinds = {kind: [row for row in found if row["people"] == kind] for kind in ("real", "simulated")}
    body = note(_WHAT)
    for kind, rows in kinds.items():
        who = "people" if kind == "real" else "simulated people"
        for name in CLASSES:
            mine = view.listed([row for row in rows if row["certainty"] == name])
            caption = f"Where {who} are {_READ[name]}, {wording.task(view.task)}"
            body += statistics_table(caption, "scorer", mine, lambda row: str(row["rater"]))
    points = _points(found, view)
    figure = charts.forest(points, f"{wording.title(view.statistic)}, {wording.task(view.task)}") if len(points) else None
    return figure, body + explained(view.listed(found), open_=False)


_READ = {"unanimous": "unanimous", "majority": "divided, with a majority", "split": "split"}


def _points(rows: Sequence[Row], view: View) -> pd.DataFrame:
    """The chosen statistic of each scorer and class."""
    chosen = [row for row in rows if row["statistic"] == view.statistic and row["value"] is not None]
    chosen.sort(key=lambda row: (str(row["rater"]), CLASSES.index(row["certainty"])))
    points = [_point(row) for row in chosen]
    columns = ["label", "kind", "value", "low", "high", "n", "simulated", "people_value", "people_low", "people_high"]
    return pd.DataFrame(points, columns=columns)


def _point(row: Row) -> tuple[Any, ...]:
    simulated = row["people"] == "simulated"
    label = f"{row['rater']}, {row['certainty']}" + (" (simulated people)" if simulated else "")
    return label, "scorer", row["value"], row["low"], row["high"], row["n_items"], simulated, None, None, None
