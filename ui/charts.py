"""Frames to figures. Text is escaped: Plotly reads a little HTML."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Any

import pandas as pd

if TYPE_CHECKING:
    import plotly.graph_objects as go

# tells apart for colour-blind readers too (Okabe and Ito)
COLORS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#8c6d31", "#666666")


def forest(points: pd.DataFrame, axis: str) -> go.Figure:
    """Values with their intervals, a row per task and a colour per series.

    ``points`` has the columns ``series, task, value, low, high, n`` (``value`` may be missing: no mark then).
    """
    import plotly.graph_objects as go

    figure = go.Figure()
    for number, (series, rows) in enumerate(points.groupby("series", sort=False)):
        known = rows[rows["value"].notna()]
        figure.add_trace(
            go.Scatter(
                name=escape(str(series)),
                x=known["value"].tolist(),
                y=[escape(str(task)) for task in known["task"]],
                mode="markers",
                marker={"size": 10, "color": COLORS[number % len(COLORS)]},
                error_x=_bars(known, COLORS[number % len(COLORS)]),
                customdata=known["n"].tolist(),
                hovertemplate="%{y}<br>%{x:.3f}, n = %{customdata:,}<extra>%{fullData.name}</extra>",
            )
        )
    tasks = [escape(str(task)) for task in dict.fromkeys(points["task"])]
    figure.update_layout(
        template="none",
        height=130 + 44 * max(len(tasks), 1),
        margin={"l": 130, "r": 24, "t": 16, "b": 48},
        paper_bgcolor="rgba(0,0,0,0)",
        plot_bgcolor="rgba(0,0,0,0)",
        font={"family": "system-ui, sans-serif", "size": 13, "color": "#7a8194"},
        legend={"orientation": "h", "y": 1.02, "yanchor": "bottom", "x": 0},
        showlegend=True,
        scattermode="group",
        hoverlabel={"namelength": -1},
    )
    figure.update_xaxes(title=axis, gridcolor="rgba(128,136,160,.22)", zerolinecolor="rgba(128,136,160,.6)")
    figure.update_yaxes(categoryorder="array", categoryarray=tasks[::-1], gridcolor="rgba(128,136,160,.12)")
    return figure


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
