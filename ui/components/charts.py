"""Rows to figures. Text is escaped: Plotly reads a little HTML."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, Final, Literal

from agreement.estimate import Estimate, WithInterval
from concord.common import wording
from concord.headlines import number_text
from ui.components import chart_colors
from ui.components.plotly_text import ALONE, BREAK, bold, escaped

if TYPE_CHECKING:
    import plotly.graph_objects as go

    from agreement import ThresholdCurve
    from concord.comparison.matching import AblationPoint

_ROW = 40
_LABEL_WIDTH = 16
_NARROWEST = 0.2
_MOST_POINTS = 3000
_LONGEST: Final = 60


@dataclass(frozen=True, slots=True)
class Band:
    """What a forest plot compares with: people's own level, as one vertical band.

    Attributes:
        label: whose it is.
        value: with its 95 % interval from ``low`` to ``high``, which may be missing.
    """

    label: str
    value: float
    low: float | None
    high: float | None


@dataclass(frozen=True, slots=True)
class Ends:
    """A number and the ends of its interval, each of which may be missing."""

    value: float | None
    low: float | None
    high: float | None


@dataclass(frozen=True, slots=True)
class ForestLine:
    """A row of a forest plot.

    Attributes:
        label: its name.
        value: with its 95 % interval from ``low`` to ``high``; a row without a value stays empty.
        n_items: how many images it rests on.
        rater: whose number it is, for the colour.
        simulated: whether it rests on simulated people, and is drawn hollow.
    """

    label: str
    value: float | None
    low: float | None
    high: float | None
    n_items: int
    rater: Literal["people", "scorer"]
    simulated: bool = False

    @classmethod
    def of(cls, label: str, row: Estimate) -> ForestLine:
        """Return an estimate's line: a scorer's where it has a rater, else people's."""
        rater: Literal["people", "scorer"] = "scorer" if row.rater else "people"
        return cls(label, row.value, row.low, row.high, row.n_items, rater, row.people == "simulated")


def forest(lines: Sequence[ForestLine], axis: str, band: Band | None = None, around_zero: float | None = None) -> go.Figure:
    """Return a forest plot: values with their intervals, a row each, from the top down, beside people's own level.

    The axis reaches ``around_zero`` on both sides of 0.
    """
    import plotly.graph_objects as go

    figure = go.Figure()
    labels = [escaped(line.label) for line in lines]
    for kind, color in chart_colors.RATERS.items():
        at = [n for n, line in enumerate(lines) if line.rater == kind and line.value is not None]
        known = [lines[n] for n in at]
        figure.add_trace(
            go.Scatter(
                name=kind,
                x=[line.value for line in known],
                y=at,
                mode="markers+text",
                text=[f"  {number_text(line)}" for line in known],
                textposition="top center",
                textfont={"size": 12},
                cliponaxis=False,
                showlegend=False,
                marker={
                    "size": 11,
                    "color": color,
                    "symbol": ["circle-open" if line.simulated else "circle" for line in known],
                    "line": {"width": 2, "color": color},
                },
                error_x=error_bars(known, color, 0) | {"thickness": 4},
                hovertext=[labels[n] for n in at],
                customdata=[line.n_items for line in known],
                hovertemplate=f"%{{hovertext}}{BREAK}%{{x:.3f}}, n = %{{customdata:,}}{ALONE}",
            )
        )
    plain(figure, height=(96 if band else 64) + _ROW * max(len(labels), 1))
    if band is not None:
        _add_band(figure, band)
    numbers = [end for line in lines for end in (line.value, line.low, line.high) if end is not None]
    numbers += [end for end in (band.value, band.low, band.high) if end is not None] if band is not None else []
    figure.update_xaxes(title=axis, range=_span(numbers, around_zero))
    name_rows(figure, [bold(_in_two_lines(line.label)) for line in lines], above=0.65)
    return figure


def name_rows(figure: go.Figure, labels: Sequence[str], above: float = 0.5) -> None:
    """Rows from the top down by their labels, which are escaped; ``above``: so much is free above the first."""
    rows = list(range(len(labels)))
    figure.update_yaxes(tickvals=rows, ticktext=labels, range=[len(labels) - 0.5, -above], showgrid=False, zeroline=False)


def _in_two_lines(label: str) -> str:
    """A row's label, escaped; a long one broken, so that it leaves the figure its width on a phone."""
    return BREAK.join(map(escaped, textwrap.wrap(label, max(_LABEL_WIDTH, len(label) // 2 + 4)))) or escaped(label)


def _add_band(figure: go.Figure, band: Band) -> None:
    color = chart_colors.PEOPLE
    bounds = ""
    if band.low is not None and band.high is not None:
        figure.add_vrect(band.low, band.high, fillcolor=color, opacity=0.14, line_width=0, layer="below")
        bounds = f" [{wording.two(band.low)}, {wording.two(band.high)}]"
    text = f"{escaped(band.label)} {wording.two(band.value)}{bounds}"
    figure.add_vline(band.value, line={"color": color, "width": 2}, layer="below")
    corner = {"x": 1, "y": 1, "xref": "paper", "yref": "paper", "xanchor": "right", "yanchor": "bottom"}
    figure.add_annotation(text=text, showarrow=False, font={"color": color, "size": 12}, **corner)
    figure.update_layout(margin={"t": 30})


def _span(numbers: Sequence[float], around_zero: float | None) -> list[float] | None:
    """The axis: everything with its interval, and never so narrow that small differences look large."""
    if not numbers:
        return None
    low, high = min(numbers), max(numbers)
    spare = max(0.12 * (high - low), (_NARROWEST - (high - low)) / 2, 0.01)
    low, high = low - spare, high + spare
    return [low, high] if around_zero is None else [min(low, -around_zero), max(high, around_zero)]


def error_bars(rows: Iterable[WithInterval], color: str, width: float = 4) -> dict[str, Any]:
    """Return the intervals as Plotly's error bars; none where an end is missing."""
    ends = list(rows)
    return {
        "type": "data",
        "symmetric": False,
        "array": [0 if row.value is None or row.high is None else row.high - row.value for row in ends],
        "arrayminus": [0 if row.value is None or row.low is None else row.value - row.low for row in ends],
        "color": color,
        "thickness": 1.5,
        "width": width,
    }


@cache
def _template() -> go.layout.Template:
    """Return the look that all figures share: colours, font, grid, titles of axes.

    Made once, as plotly checks each setting of a figure anew: a template costs one copy, its settings each a lookup by path.
    """
    import plotly.graph_objects as go

    # larger titles are cut off on a phone
    axis = {"title": {"font": {"size": 13}}, "gridcolor": chart_colors.GRID, "automargin": True}
    return go.layout.Template(
        layout={
            "paper_bgcolor": chart_colors.CLEAR,
            "plot_bgcolor": chart_colors.CLEAR,
            "font": {"family": "system-ui, sans-serif", "size": 13, "color": chart_colors.REFERENCE},
            "hoverlabel": {"namelength": -1},
            "xaxis": axis | {"zerolinecolor": chart_colors.ZERO_LINE},
            "yaxis": axis,
        }
    )


def plain(figure: go.Figure, height: int | None) -> None:
    """Give a figure the look of all figures, a height in px (None: that of its place), margins, and no legend."""
    figure.update_layout(template=_template(), height=height, margin={"l": 24, "r": 24, "t": 12, "b": 52}, showlegend=False)


def decisions(made: ThresholdCurve, names: tuple[str, str]) -> go.Figure:
    """Agreement of a score, cut at each of a curve's cuts, with people; ``names`` of the axes."""
    import plotly.graph_objects as go

    figure = go.Figure()
    x = [*made.cuts]
    edges = {"mode": "lines", "line": {"width": 0}, "hoverinfo": "skip", "showlegend": False}
    figure.add_trace(go.Scatter(x=x, y=[*made.low], **edges))
    filled = {"fill": "tonexty", "fillcolor": chart_colors.SCORER_BAND}
    figure.add_trace(go.Scatter(x=x, y=[*made.high], **edges, **filled))
    line = {"color": chart_colors.SCORER, "width": 2}
    figure.add_trace(go.Scatter(x=x, y=[*made.values], mode="lines", line=line, showlegend=False))
    if made.threshold is not None:
        figure.add_vline(made.threshold, line={"color": chart_colors.PEOPLE, "dash": "dot"})
    plain(figure, height=300)
    figure.update_xaxes(title=escaped(names[0]))
    figure.update_yaxes(title=escaped(names[1]))
    return figure


_DASHES: Final = ("solid", "dash", "dot", "dashdot")


def by_trials(points: Sequence[AblationPoint], chance: float | None) -> go.Figure:
    """Accuracy by the number of trials: a line for each setting of steps and seed, dotted lines for chance."""
    import plotly.graph_objects as go

    figure = go.Figure()
    settings = sorted({(point.steps, point.seed) for point in points})
    several = sorted({steps for steps, _ in settings})
    for k, (steps, seed) in enumerate(settings):
        known = (point for point in points if (point.steps, point.seed) == (steps, seed) and point.accuracy.value is not None)
        mine = sorted(known, key=lambda point: point.trials)
        color = chart_colors.SERIES[several.index(steps) % len(chart_colors.SERIES)]
        figure.add_trace(
            go.Scatter(
                name=f"{steps} steps, seed {seed}",
                x=[point.trials for point in mine],
                y=[point.accuracy.value for point in mine],
                mode="lines+markers",
                line={"color": color, "dash": _DASHES[k % len(_DASHES)]},
                error_y=error_bars([point.accuracy for point in mine], chart_colors.REFERENCE, 3),
                hovertemplate=f"{steps} steps, seed {seed}{BREAK}%{{x}} trials: %{{y:.3f}}{ALONE}",
            )
        )
    plain(figure, height=360)
    if chance is not None:
        figure.add_hline(chance, line={"color": chart_colors.REFERENCE, "dash": "dot"})
    figure.update_xaxes(title="trials", dtick=1 if points and max(point.trials for point in points) <= 12 else None)
    figure.update_yaxes(title="accuracy", tickformat=".0%")
    return legend(figure, several=True)


def legend(figure: go.Figure, *, several: bool) -> go.Figure:
    """The figure, with a legend above it where there are several series."""
    if several:
        above = {"orientation": "h", "y": 1.02, "yanchor": "bottom", "x": 0, "traceorder": "normal"}
        figure.update_layout(showlegend=True, legend=above, margin={"t": 48})
    return figure


def short(name: str) -> str:
    """A name that fits into a legend."""
    return name if len(name) <= _LONGEST else f"{name[: _LONGEST - 1]}…"
