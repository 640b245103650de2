"""Frames to figures. Text is escaped: Plotly reads a little HTML."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

if TYPE_CHECKING:
    import plotly.graph_objects as go

# people and scorers, apart for colour-blind readers too (Okabe and Ito)
COLORS = {"people": "#d55e00", "scorer": "#0072b2"}
_ROW = 27
_NARROWEST = 0.2


def forest(points: pd.DataFrame, axis: str) -> go.Figure:
    """Values with their intervals, a row each, from the top down.

    ``points`` has the columns ``label, kind, value, low, high, n, simulated``; ``kind`` is ``people`` or ``scorer``. What rests
    on simulated people is drawn hollow. A value may be missing: its row stays empty.
    """
    import plotly.graph_objects as go

    figure = go.Figure()
    labels = [escape(str(label)) for label in points["label"]]
    for kind, color in COLORS.items():
        at = np.flatnonzero((points["kind"] == kind) & points["value"].notna())
        known = points.iloc[at]
        figure.add_trace(
            go.Scatter(
                name=kind,
                x=known["value"].tolist(),
                y=at.tolist(),
                mode="markers",
                marker={
                    "size": 10,
                    "color": color,
                    "symbol": ["circle-open" if hollow else "circle" for hollow in known["simulated"]],
                    "line": {"width": 2, "color": color},
                },
                error_x=_bars(known, color),
                text=[labels[n] for n in at],
                customdata=known["n"].tolist(),
                hovertemplate="%{text}<br>%{x:.3f}, n = %{customdata:,}<extra></extra>",
            )
        )
    figure.update_layout(
        template="none",
        height=88 + _ROW * max(len(labels), 1),
        margin={"l": 24, "r": 24, "t": 12, "b": 52},
        paper_bgcolor="rgba(0,0,0,0)",
        plot_bgcolor="rgba(0,0,0,0)",
        font={"family": "system-ui, sans-serif", "size": 13, "color": "#7a8194"},
        showlegend=False,
        hoverlabel={"namelength": -1},
    )
    figure.update_xaxes(
        title=axis,
        range=_span(points),
        gridcolor="rgba(128,136,160,.22)",
        zerolinecolor="rgba(128,136,160,.6)",
    )
    figure.update_yaxes(
        tickvals=list(range(len(labels))),
        ticktext=labels,
        range=[len(labels) - 0.5, -0.5],
        automargin=True,
        gridcolor="rgba(128,136,160,.12)",
        zeroline=False,
    )
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
