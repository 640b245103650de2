"""Frames to figures. Text is escaped: Plotly reads a little HTML."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

if TYPE_CHECKING:
    import plotly.graph_objects as go

# tells apart for colour-blind readers too (Okabe and Ito)
COLORS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#8c6d31", "#666666")
_NARROWEST = 0.2
_SYMBOLS = ("circle", "diamond", "square", "triangle-up")


def forest(points: pd.DataFrame, axis: str) -> go.Figure:
    """Values with their intervals: a band per task, a colour and a line within the band per series.

    ``points`` has the columns ``series, task, value, low, high, n`` (``value`` may be missing: no mark then).
    """
    import plotly.graph_objects as go

    figure = go.Figure()
    tasks = list(dict.fromkeys(points["task"]))
    names = list(dict.fromkeys(points["series"]))
    for number, series in enumerate(names):
        known = points[(points["series"] == series) & points["value"].notna()]
        color = COLORS[number % len(COLORS)]
        # within its band, so that intervals do not hide each other
        offset = 0.7 * ((number + 0.5) / len(names) - 0.5)
        figure.add_trace(
            go.Scatter(
                name=escape(str(series)),
                x=known["value"].tolist(),
                y=[tasks.index(task) + offset for task in known["task"]],
                mode="markers",
                marker={"size": 9, "color": color, "symbol": _SYMBOLS[number // len(COLORS) % len(_SYMBOLS)]},
                error_x=_bars(known, color),
                text=[escape(str(task)) for task in known["task"]],
                customdata=known["n"].tolist(),
                hovertemplate="%{text}<br>%{x:.3f}, n = %{customdata:,}<extra>%{fullData.name}</extra>",
            )
        )
    figure.update_layout(
        template="none",
        height=120 + len(tasks) * max(44, 11 * len(names)),
        margin={"l": 130, "r": 24, "t": 16, "b": 48},
        paper_bgcolor="rgba(0,0,0,0)",
        plot_bgcolor="rgba(0,0,0,0)",
        font={"family": "system-ui, sans-serif", "size": 13, "color": "#7a8194"},
        legend={"orientation": "h", "y": 1.02, "yanchor": "bottom", "x": 0},
        showlegend=True,
        hoverlabel={"namelength": -1},
    )
    figure.update_xaxes(
        title=axis, range=_span(points), gridcolor="rgba(128,136,160,.22)", zerolinecolor="rgba(128,136,160,.6)"
    )
    figure.update_yaxes(
        tickvals=list(range(len(tasks))),
        ticktext=[escape(str(task)) for task in tasks],
        range=[len(tasks) - 0.5, -0.5],
        showgrid=False,
        zeroline=False,
    )
    for edge in range(1, len(tasks)):
        figure.add_hline(y=edge - 0.5, line={"color": "rgba(128,136,160,.22)", "width": 1})
    return figure


def _span(points: pd.DataFrame) -> list[float] | None:
    """The axis: everything with its interval, and never so narrow that small differences look large."""
    known = points[["value", "low", "high"]].to_numpy(dtype=float)
    known = known[np.isfinite(known)]
    if not known.size:
        return None
    low, high = float(known.min()), float(known.max())
    spare = max(0.05 * (high - low), (_NARROWEST - (high - low)) / 2, 0.01)
    return [low - spare, high + spare]


def _bars(rows: pd.DataFrame, color: str) -> dict[str, Any]:
    return {
        "type": "data",
        "symmetric": False,
        "array": (rows["high"] - rows["value"]).fillna(0).tolist(),
        "arrayminus": (rows["value"] - rows["low"]).fillna(0).tolist(),
        "color": color,
        "thickness": 1.5,
        "width": 4,
    }
