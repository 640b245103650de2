"""Cells of a suite's own metrics at the right of the leaderboard, in place of those by task: people's over a scorer's."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import htpy
from htpy import Element, Node

from concord.common import wording
from concord.comparison.leaderboard import ALL, Leaderboard
from concord.headlines import is_muted
from concord.suite_metrics.board_metrics import BoardMetrics, MetricColumn
from data.selection import Selection
from ui.components.addresses import browse_address
from ui.components.dots import number_title
from ui.pages.results.view import ResultsView

_MOST_COLUMNS: Final = 6


def metrics_switch(metrics: Sequence[BoardMetrics], view: ResultsView) -> Node:
    """Return the switch between cells by task and the suite's metrics; nothing where the suite defines none."""
    if not metrics:
        return ""
    chosen = chosen_metrics(metrics, view)
    choices = [("", "By task"), *((each.kind, each.title) for each in metrics)]
    links = [
        htpy.a(
            href=view.address(metrics=kind, every=False),
            aria_current="true" if kind == (chosen.kind if chosen else "") else None,
            data_scope="",
        )[title]
        for kind, title in choices
    ]
    return htpy.nav(class_="cc-segments cc-metrics-switch", aria_label="Cells")[links]


def chosen_metrics(metrics: Sequence[BoardMetrics], view: ResultsView) -> BoardMetrics | None:
    """Return the metrics that an address asks for; None for cells by task."""
    return next((each for each in metrics if each.kind == view.metrics), None)


def visible_columns(metrics: BoardMetrics, view: ResultsView) -> tuple[MetricColumn, ...]:
    """Return the metrics that have a column: the first ones, or all if somebody has asked for them."""
    return metrics.columns if view.every else metrics.columns[:_MOST_COLUMNS]


def metric_group(metrics: BoardMetrics, view: ResultsView) -> Element:
    """Return the heading over the columns: whose numbers they hold."""
    columns = visible_columns(metrics, view)
    left = len(metrics.columns) - len(columns)
    points = {each: htpy.i(class_=["cc-point", f"cc-point--{each.kind}"], aria_hidden="true") for each in metrics.raters}
    names = [htpy.span(class_="cc-metric-rater")[point, rater.name] for rater, point in points.items()]
    every = left > 0 and htpy.a(href=view.address(every=True), data_scope="")[f"+{left}"]
    return htpy.th(colspan=str(len(columns)), scope="colgroup")[names, every]


def metric_heads(metrics: BoardMetrics, view: ResultsView, sorted_by: str) -> list[Element]:
    """Return a heading for each column, which sorts the rows by it; `sorted_by`: what sorts them now."""
    return [
        htpy.th(
            scope="col",
            class_="cc-heat",
            title=column.meaning,
            aria_sort="descending" if sorted_by == column.sort else None,
        )[htpy.a(href=view.address(sort="" if sorted_by == column.sort else column.sort), data_scope="")[column.heading]]
        for column in visible_columns(metrics, view)
    ]


def metric_cells(metrics: BoardMetrics, board: Leaderboard, view: ResultsView, generator: str) -> list[Element]:
    """Return a generator's cells, shaded by the first rater's numbers from 0 to 1."""
    return [_cell(metrics, board, generator, column) for column in visible_columns(metrics, view)]


def _cell(metrics: BoardMetrics, board: Leaderboard, generator: str, column: MetricColumn) -> Element:
    lines: list[Node] = []
    shade: float | None = None
    for n, rater in enumerate(metrics.raters):
        row = metrics.cells.get((generator, rater.name, column))
        if row is None or row.value is None:
            lines.append(htpy.span(class_=f"is-{rater.kind}", title="not defined")["–"])
            continue
        few = is_muted(row.n_prompts)
        if n == 0 and not few:
            shade = min(max(row.value, 0.0), 1.0)
        where = Selection(suite=(board.suite,), generator=(generator,), task=() if board.task == ALL else (board.task,))
        href = browse_address(where, rater=rater.name, by=row.aspect, order="lowest")
        title = f"{rater.name}: {number_title(row)}"
        lines.append(htpy.a(href=href, class_=[f"is-{rater.kind}", few and "is-few"], title=title)[wording.two(row.value)])
    return htpy.td(
        class_=["cc-heat", "cc-metric", f"is-{metrics.raters[0].kind}", shade is None and "is-few"],
        style=None if shade is None else f"--shade:{shade:z.3f}",
    )[lines]
