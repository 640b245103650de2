"""The interactive figure that a command saves: accuracy of captions by trials, as a Plotly figure."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, Final

from agreement.estimate import WithInterval
from ui.components import chart_colors

if TYPE_CHECKING:
    import plotly.graph_objects as go

    from concord.comparison.matching import AblationPoint

_DASHES: Final = ("solid", "dash", "dot", "dashdot")
_HEIGHT: Final = 360
_BREAK, _NO_BOX = "<br>", "<extra></extra>"
"""Plotly's own tags in a hover text: a new line, and no box with the series' name beside it."""
_FEW_TRIALS: Final = 12


def by_trials(points: Sequence[AblationPoint], chance: float | None) -> go.Figure:
    """Return accuracy by the number of trials: a line for each setting of steps and seed, a dotted line for chance.

    Error bars are 95 % intervals; there is none where an end is missing.
    """
    import plotly.graph_objects as go

    figure = go.Figure(layout=_layout())
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
                error_y=_error_bars([point.accuracy for point in mine]),
                hovertemplate=f"{steps} steps, seed {seed}{_BREAK}%{{x}} trials: %{{y:.3f}}{_NO_BOX}",
            )
        )
    if chance is not None:
        figure.add_hline(chance, line={"color": chart_colors.REFERENCE, "dash": "dot"})
    each = 1 if points and max(point.trials for point in points) <= _FEW_TRIALS else None
    figure.update_xaxes(title="trials", dtick=each)
    figure.update_yaxes(title="accuracy", tickformat=".0%")
    return figure


def _error_bars(rows: Iterable[WithInterval]) -> dict[str, Any]:
    """Return intervals as Plotly's error bars; of length 0 where an end is missing."""
    ends = list(rows)
    return {
        "type": "data",
        "symmetric": False,
        "array": [0 if row.value is None or row.high is None else row.high - row.value for row in ends],
        "arrayminus": [0 if row.value is None or row.low is None else row.value - row.low for row in ends],
        "color": chart_colors.REFERENCE,
        "thickness": 1.5,
        "width": 3,
    }


def _layout() -> dict[str, Any]:
    """Return colours, font, margins, and a legend above the figure."""
    # larger titles are cut off on a phone
    axis = {"title": {"font": {"size": 13}}, "gridcolor": chart_colors.GRID, "automargin": True}
    return {
        "height": _HEIGHT,
        "margin": {"l": 24, "r": 24, "t": 48, "b": 52},
        "showlegend": True,
        "legend": {"orientation": "h", "y": 1.02, "yanchor": "bottom", "x": 0, "traceorder": "normal"},
        "paper_bgcolor": chart_colors.CLEAR,
        "plot_bgcolor": chart_colors.CLEAR,
        "font": {"family": "system-ui, sans-serif", "size": 13, "color": chart_colors.REFERENCE},
        "hoverlabel": {"namelength": -1},
        "xaxis": axis | {"zerolinecolor": chart_colors.ZERO_LINE},
        "yaxis": axis,
    }
