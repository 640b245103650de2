"""Scorer against scorer: which of two agrees better with the same people, and whether that is more than chance."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from agreement import Options
from concord.agreement import recall_further
from concord.common import wording
from data.store.core.store import Store
from ui.components.estimates import number
from ui.components.table import Cell, html_table, note
from ui.pages.agreement.view import View

Row = dict[str, Any]
_WHAT = (
    "Both scorers’ agreement with the same people on the same images, and the difference. p is two-sided, by swapping the"
    " scorers’ judgements of prompts, and corrected by Holm’s method over all comparisons by this statistic: below 0.05 the"
    " difference is more than chance."
)
_TOO_FEW = (
    "Fewer than two scorers have this statistic with people here. One that gives scores and no yes or no has correlations and"
    " AUC: choose another statistic."
)


def scorer_against_scorer(store: Store, view: View, *, intervals: bool) -> str:
    """The tables as HTML."""
    options = Options(statistics=(view.statistic,), intervals=intervals, each_generator=False)
    found = recall_further(store, view.selection, options, "comparisons")
    rows = [row for row in found if row["task"] == view.task]
    if not rows:
        return note(_TOO_FEW)
    tables = [_table([row for row in rows if row["people"] == kind], kind, view) for kind in ("real", "simulated")]
    return note(_WHAT) + "".join(tables)


def _table(rows: Sequence[Row], kind: str, view: View) -> str:
    if not rows:
        return ""
    who = "people" if kind == "real" else "simulated people"
    caption = f"Closer to {who} by {wording.title(view.statistic)}, {wording.task(view.task)}"
    tested = any(row["mcnemar"] for row in rows)
    headers: list[str | Cell] = ["scorers", *map(Cell, ("images", "the first", "the second", "difference")), Cell("p, Holm")]
    headers += [Cell("right: only the first"), Cell("only the second"), Cell("p, McNemar")] if tested else []
    ordered = sorted(rows, key=lambda row: (row["value"] is None, -abs(row["value"] or 0.0)))
    return html_table(caption, headers, [_line(row, tested=tested) for row in ordered])


def _line(row: Row, *, tested: bool) -> list[str | Cell]:
    """The scorer that is closer to people stands first."""
    turned = row["value"] is not None and row["value"] < 0
    a, b = ("b", "a") if turned else ("a", "b")
    shown = row
    if turned:
        low, high = (None if row[end] is None else -row[end] for end in ("high", "low"))
        shown = row | {"value": -row["value"], "low": low, "high": high}
    own = [Cell("–" if row[f"value_{side}"] is None else f"{row[f'value_{side}']:.3f}") for side in (a, b)]
    line: list[str | Cell] = [f"{row[a]} over {row[b]}", Cell(f"{row['n_items']:,}"), *own, number(shown), _p(row["p_holm"])]
    if tested and (test := row["mcnemar"]):
        line += [Cell(f"{test[f'only_{side}_right']:,}") for side in (a, b)] + [_p(test["p_mcnemar_holm"])]
    elif tested:
        line += [Cell("")] * 3
    return line


def _p(p: float | None) -> Cell:
    if p is None:
        return Cell("")
    return Cell(f"{p:.3f}" if p >= 0.001 else "< 0.001", "more than chance" if p < 0.05 else "not told apart")
