"""Figures: scores by generator, agreement beside the human ceiling, and agreement along a scorer's threshold."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from agreement import ThresholdCurve
from agreement.estimate import Estimate
from concord.common import wording
from concord.common.table import Table, TableRow, cell, numbers
from concord.reporting.material import ScorerCurve
from ui.components import chart_colors, charts
from ui.report.sections import ALL, TASKS_MEAN, ReportFigure, by_topic

WIDTH = 960
TALLEST = 600
"""Pixels: what a printed page in landscape holds, with a caption."""
_MOST_ROWS = 14
_POINTS = 11
"""Of a curve, where it is a table."""
_BESIDE = ("cohen_kappa", "cohen_kappa_quadratic", "spearman")


def figure_json(figure: Any, width: int = WIDTH) -> str:
    """Plotly's JSON at a width of its own, as what is printed is never asked how wide it is."""
    figure.update_layout(width=width, height=min(figure.layout.height or TALLEST, TALLEST))
    figure.update_layout(autosize=False, paper_bgcolor=chart_colors.PAPER, plot_bgcolor=chart_colors.PAPER)
    figure.update_layout(font={"color": chart_colors.REPORT_INK, "size": 12})
    for axes in (figure.update_xaxes, figure.update_yaxes):
        axes(title_font_size=12)
    return str(figure.to_json())


def scores(rows: Sequence[Estimate], people: Sequence[Estimate]) -> list[ReportFigure]:
    """Means by generator over all tasks, a figure for each suite, aspect and kind of people."""
    means = [row for row in (*people, *rows) if row.statistic == "mean" and row.target is None and row.task == ALL]
    figures = []
    for caption, part in by_topic(means):
        several = len({row.generator for row in part}) > 1
        lines = [
            charts.ForestLine.of(
                (f"{'all generators' if row.generator == ALL else row.generator}: " if several else "") + _label(row), row
            )
            for row in part
            if row.value is not None
        ]
        if 1 < len(lines) <= _MOST_ROWS:
            drawn = figure_json(charts.forest(lines, "mean, 95 % interval"))
            figures.append(ReportFigure(f"{caption}: mean by generator", drawn))
    return figures


def beside_people(rows: Iterable[Estimate]) -> list[ReportFigure]:
    """Draw scorers by task, over all generators."""
    figures = []
    for caption, part in by_topic(row for row in rows if row.generator == ALL and row.target is None):
        name = next((s for s in _BESIDE if any(r.statistic == s and r.value is not None for r in part)), None)
        shown = [r for r in part if r.statistic == name and r.value is not None and r.task != TASKS_MEAN]
        if name and len(shown) > 1:
            lines = [charts.ForestLine.of(f"{wording.task(row.task)}: {_label(row)}", row) for row in shown[:_MOST_ROWS]]
            more = f" (the first {_MOST_ROWS} of {len(shown)} rows)" if len(shown) > _MOST_ROWS else ""
            title = wording.title(name)
            drawn = figure_json(charts.forest(lines, f"{title}, 95 % interval"))
            figures.append(ReportFigure(f"{caption}: {title} of each scorer with people, by task{more}", drawn))
    return figures


def _label(row: Estimate) -> str:
    return row.rater or wording.people(row.people)


def along(drawn: Sequence[ScorerCurve]) -> list[ReportFigure]:
    """A figure for each."""
    return [_curve(each.suite, wording.people(each.people), each.curve) for each in drawn]


def _curve(suite: str, who: str, made: ThresholdCurve) -> ReportFigure:
    axes = (f"{made.rater}: yes above this", "agreement")
    caption = f"{suite}: {made.rater} cut to agree with {who}, over all generators and tasks, in sample; the best cut dotted"
    last = len(made.cuts) - 1
    places = sorted({round(last * step / (_POINTS - 1)) for step in range(_POINTS)})
    best = min(range(last + 1), key=lambda index: abs(made.cuts[index] - (made.threshold or 0.0)))
    points = [(made.cuts[index], made.values[index], made.low[index], made.high[index]) for index in sorted({*places, best})]
    rows = tuple(TableRow((cell(cut, ".4g"), *(cell(value, "z.3f", "–") for value in values))) for cut, *values in points)
    table = Table(caption, numbers("Yes above", "Agreement", "Low", "High"), rows)
    return ReportFigure(caption, figure_json(charts.decisions(made, axes)), table)
