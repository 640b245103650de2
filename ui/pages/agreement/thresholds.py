"""Scores to decisions: where to cut a score so that it agrees best with people's yes or no, reported out of fold."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import Any

import pandas as pd

from agreement import CellName, CutOptions, Options, ThresholdCurve, curve
from concord.agreement import recall_further
from concord.common import live_updates, wording
from data.store.core import frame
from data.store.core.selection import Selection
from data.store.core.store import Store
from ui import charts
from ui.components.estimates import explained, number
from ui.components.table import Cell, html_table, note
from ui.pages.agreement.view import View

Row = dict[str, Any]
_WHAT = (
    "For each task the cut that agrees best with people, chosen on four fifths of the prompts and judged on the fifth, for each"
    " fifth: the numbers are out of fold, so they are what a cut is worth on prompts that it has not seen. “In sample” is the"
    " same on the prompts that it was chosen on, which flatters."
)
_NO_YES = "Scores are cut where people say yes or no of the whole image: choose the aspect “correct”."
_NO_SCORES = "No scorer gives a score for images that people have judged here, such as CLIPScore does."


def scores_to_decisions(store: Store, view: View, *, intervals: bool) -> tuple[Any, str]:
    """The curve of one scorer (None: nothing to draw) and the tables as HTML."""
    if view.aspect != CutOptions().aspect:
        return None, note(_NO_YES)
    options = Options(intervals=intervals, each_generator=False, certainty=view.selection.certainty)
    rows = recall_further(store, view.selection, options, "thresholds")
    if not rows:
        return None, note(_NO_SCORES)
    scorers = sorted({(row["people"], row["rater"]) for row in rows})
    tables = [_table([row for row in rows if (row["people"], row["rater"]) == scorer], *scorer) for scorer in scorers]
    figure = _figure(store, view, scorers, options)
    return figure, note(_WHAT) + "".join(tables) + explained(rows, open_=False)


@lru_cache(maxsize=16)
def _curve(store: Store, version: str, selection: Selection, asked: tuple[str, str, str], options: Options) -> ThresholdCurve:  # noqa: ARG001
    rater, task, people = asked
    said, scales = frame.frame(store, selection), frame.scales(store)
    return curve(said, scales, rater, CutOptions(), options, place=CellName("all", task), simulated=people == "simulated")


def _figure(store: Store, view: View, scorers: Sequence[tuple[str, str]], options: Options) -> Any:
    """The curve of the chosen rater if it has one, else of the first."""
    people, rater = next((each for each in scorers if each[1] == view.a), scorers[0])
    made = _curve(store, live_updates.version(store), view.selection, (rater, view.task, people), options)
    if not made.cuts:
        return None
    band = pd.DataFrame({"value": made.values, "low": made.low, "high": made.high}, dtype=float)
    who = "people" if people == "real" else "simulated people"
    axes = (f"{rater}: yes above this, {wording.task(view.task)}", f"agreement with {who}")
    return charts.decisions(made.cuts, band, made.threshold, axes)


def _table(rows: Sequence[Row], people: str, rater: str) -> str:
    who = "people" if people == "real" else "simulated people"
    tasks = list(dict.fromkeys(row["task"] for row in rows))
    found = {(row["task"], row["statistic"]): row for row in rows}
    body = [_line(task, found) for task in tasks]
    headers = ("images", "answers", "cut", "agreement", "in sample", "Cohen’s κ")
    return html_table(f"{rater} cut to agree with {who}, out of fold", ["task", *map(Cell, headers)], body)


def _line(task: str, found: dict[tuple[str, str], Row]) -> list[str | Cell]:
    agreed, kappa = found[task, "percent_agreement"], found.get((task, "cohen_kappa"))
    cut = "" if agreed["threshold"] is None else f"{agreed['threshold']:.3g}"
    folds = agreed["fold_thresholds"]
    spread = f"{min(folds):.3g} to {max(folds):.3g} by fold" if folds else ""
    sample = "" if agreed["in_sample"] is None else f"{agreed['in_sample']:.3f}"
    counts = [Cell(f"{agreed['n_items']:,}"), Cell(f"{agreed['n_ratings']:,}")]
    return [wording.task(task), *counts, Cell(cut, spread), number(agreed), Cell(sample), number(kappa)]
