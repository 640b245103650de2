"""Frames to figures. Text is escaped: Plotly reads a little HTML."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pandas as pd

from concord.common import wording
from concord.matching import Row

if TYPE_CHECKING:
    import plotly.graph_objects as go

# people and scorers, apart for colour-blind readers too (Okabe and Ito)
COLORS = {"people": "#d55e00", "scorer": "#0072b2"}
_ROW = 40
_NARROWEST = 0.2
_MOST_POINTS = 3000


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


def forest(points: pd.DataFrame, axis: str, band: Band | None = None) -> go.Figure:
    """Forest plot: values with their intervals, a row each, from the top down, beside people's own level.

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
                mode="markers+text",
                text=[f"  {_with_interval(row)}" for row in known.itertuples()],
                textposition="top center",
                textfont={"size": 12},
                showlegend=False,
                marker={
                    "size": 11,
                    "color": color,
                    "symbol": ["circle-open" if hollow else "circle" for hollow in known["simulated"]],
                    "line": {"width": 2, "color": color},
                },
                error_x=_bars(known, color) | {"thickness": 4, "width": 0},
                hovertext=[labels[n] for n in at],
                customdata=known["n"].tolist(),
                hovertemplate="%{hovertext}<br>%{x:.3f}, n = %{customdata:,}<extra></extra>",
            )
        )
    plain(figure, height=(96 if band else 64) + _ROW * max(len(labels), 1))
    if band is not None:
        _add_band(figure, band)
    figure.update_xaxes(
        title=axis,
        range=_span(points, band),
        gridcolor="rgba(128,136,160,.22)",
        zerolinecolor="rgba(128,136,160,.6)",
    )
    figure.update_yaxes(
        tickvals=list(range(len(labels))),
        ticktext=[f"<b>{label}</b>" for label in labels],
        range=[len(labels) - 0.5, -0.65],
        automargin=True,
        showgrid=False,
        zeroline=False,
    )
    return figure


def _with_interval(row: Any) -> str:
    bounds = "" if pd.isna(row.low) else f" [{wording.two(row.low)}, {wording.two(row.high)}]"
    return wording.two(row.value) + bounds


def _add_band(figure: go.Figure, band: Band) -> None:
    color = COLORS["people"]
    bounds = ""
    if band.low is not None and band.high is not None:
        figure.add_vrect(band.low, band.high, fillcolor=color, opacity=0.14, line_width=0, layer="below")
        bounds = f" [{wording.two(band.low)}, {wording.two(band.high)}]"
    text = f"{escape(band.label)} {wording.two(band.value)}{bounds}"
    figure.add_vline(band.value, line={"color": color, "width": 2}, layer="below")
    figure.add_annotation(
        x=band.value, y=1, yref="paper", yanchor="bottom", text=text, showarrow=False, font={"color": color, "size": 12}
    )
    figure.update_layout(margin={"t": 30})


def plain(figure: go.Figure, height: int) -> None:
    """What all figures have in common."""
    figure.update_layout(
        template="none",
        height=height,
        margin={"l": 24, "r": 24, "t": 12, "b": 52},
        paper_bgcolor="rgba(0,0,0,0)",
        plot_bgcolor="rgba(0,0,0,0)",
        font={"family": "system-ui, sans-serif", "size": 13, "color": "#7a8194"},
        showlegend=False,
        hoverlabel={"namelength": -1},
    )
    figure.update_xaxes(gridcolor="rgba(128,136,160,.22)", zerolinecolor="rgba(128,136,160,.6)", automargin=True)
    figure.update_yaxes(gridcolor="rgba(128,136,160,.22)", automargin=True)


def _span(points: pd.DataFrame, band: Band | None) -> list[float] | None:
    """The axis: everything with its interval, and never so narrow that small differences look large."""
    known = points[["value", "low", "high"]].to_numpy(dtype=float).ravel()
    if band is not None:
        known = np.r_[known, [np.nan if end is None else end for end in (band.value, band.low, band.high)]]
    known = known[np.isfinite(known)]
    if not known.size:
        return None
    low, high = float(known.min()), float(known.max())
    spare = max(0.12 * (high - low), (_NARROWEST - (high - low)) / 2, 0.01)
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


def against(x: Sequence[float], y: Sequence[float], names: tuple[str, str]) -> go.Figure:
    """Two raters' numbers by item, with the line on which every point would lie if both put the items in the same order.

    ``names`` are those of the axes.
    """
    import plotly.graph_objects as go

    every = max(1, -(-len(x) // _MOST_POINTS))
    points, times = np.unique(np.stack([x, y], axis=1)[::every], axis=0, return_counts=True)
    figure = go.Figure()
    figure.add_trace(
        go.Scatter(
            name="images (the larger, the more)",
            x=points[:, 0].tolist(),
            y=points[:, 1].tolist(),
            mode="markers",
            marker={"size": (5 * np.sqrt(times)).clip(6, 40).tolist(), "color": COLORS["scorer"], "opacity": 0.45},
            customdata=(times * every).tolist(),
            hovertemplate="%{x:.3g}, %{y:.3g}: %{customdata:,}<extra></extra>",
        )
    )
    line = {"color": COLORS["people"], "width": 2, "shape": "hv"}
    rank = {"x": np.sort(x)[::every].tolist(), "y": np.sort(y)[::every].tolist()}
    figure.add_trace(go.Scatter(**rank, mode="lines", line=line, name="were both in the same order", hoverinfo="skip"))
    plain(figure, height=360)
    figure.update_layout(showlegend=True, legend={"orientation": "h", "y": 1.12})
    figure.update_xaxes(title=escape(names[0]))
    figure.update_yaxes(title=escape(names[1]))
    return figure


def over_time(last: Sequence[int], each: Sequence[float], so_far: Sequence[float]) -> go.Figure:
    """Percent agreement step by step, and of all up to there; ``last`` is how many answers there were by then."""
    import plotly.graph_objects as go

    figure = go.Figure()
    steps = {"size": 8, "color": COLORS["scorer"]}
    figure.add_trace(go.Scatter(x=[*last], y=[*each], mode="markers", marker=steps, name="in each step"))
    line = {"color": COLORS["people"], "width": 2}
    figure.add_trace(go.Scatter(x=[*last], y=[*so_far], mode="lines", line=line, name="all so far"))
    plain(figure, height=300)
    figure.update_layout(showlegend=True, legend={"orientation": "h", "y": 1.15})
    figure.update_xaxes(title="answers so far")
    figure.update_yaxes(title="agreement", tickformat=".0%", range=[-0.03, 1.03])
    return figure


def decisions(cuts: Sequence[float], band: pd.DataFrame, threshold: float | None, names: tuple[str, str]) -> go.Figure:
    """Agreement of a score, cut at each of ``cuts``, with people; ``band`` has ``value, low, high``."""
    import plotly.graph_objects as go

    figure = go.Figure()
    edges = {"mode": "lines", "line": {"width": 0}, "hoverinfo": "skip", "showlegend": False}
    figure.add_trace(go.Scatter(x=[*cuts], y=band["low"].tolist(), **edges))
    filled = {"fill": "tonexty", "fillcolor": "rgba(0,114,178,.18)"}
    figure.add_trace(go.Scatter(x=[*cuts], y=band["high"].tolist(), **edges, **filled))
    line = {"color": COLORS["scorer"], "width": 2}
    figure.add_trace(go.Scatter(x=[*cuts], y=band["value"].tolist(), mode="lines", line=line, showlegend=False))
    if threshold is not None:
        figure.add_vline(threshold, line={"color": COLORS["people"], "dash": "dot"})
    plain(figure, height=300)
    figure.update_xaxes(title=escape(names[0]))
    figure.update_yaxes(title=escape(names[1]))
    return figure


_DASHES: Final = ("solid", "dash", "dot", "dashdot")


def by_trials(rows: Sequence[Row], chance: float | None) -> go.Figure:
    """Accuracy by the number of trials: a line for each setting of steps and seed, dotted lines for chance."""
    import plotly.graph_objects as go

    figure = go.Figure()
    settings = sorted({(row["steps"], row["seed"]) for row in rows})
    several = sorted({steps for steps, _ in settings})
    for k, (steps, seed) in enumerate(settings):
        mine = sorted(
            (row for row in rows if (row["steps"], row["seed"]) == (steps, seed) and row["value"] is not None),
            key=lambda row: row["trials"],
        )
        color = PALETTE[several.index(steps) % len(PALETTE)]
        figure.add_trace(
            go.Scatter(
                name=f"{steps} steps, seed {seed}",
                x=[row["trials"] for row in mine],
                y=[row["value"] for row in mine],
                mode="lines+markers",
                line={"color": color, "dash": _DASHES[k % len(_DASHES)]},
                error_y=_interval_bars(mine),
                hovertemplate=f"{steps} steps, seed {seed}<br>%{{x}} trials: %{{y:.3f}}<extra></extra>",
            )
        )
    plain(figure, height=360)
    if chance is not None:
        figure.add_hline(chance, line={"color": "#7a8194", "dash": "dot"})
    figure.update_xaxes(title="trials", dtick=1 if rows and max(row["trials"] for row in rows) <= 12 else None)
    figure.update_yaxes(title="accuracy", tickformat=".0%")
    return _legend(figure, several=True)


def _interval_bars(rows: Sequence[Row]) -> dict[str, Any]:
    return {
        "type": "data",
        "symmetric": False,
        "array": [0 if row["high"] is None else row["high"] - row["value"] for row in rows],
        "arrayminus": [0 if row["low"] is None else row["value"] - row["low"] for row in rows],
        "color": "#7a8194",
        "thickness": 1.5,
        "width": 3,
    }


def _legend(figure: go.Figure, *, several: bool) -> go.Figure:
    if several:
        figure.update_layout(
            showlegend=True, legend={"orientation": "h", "y": 1.02, "yanchor": "bottom", "x": 0}, margin={"t": 48}
        )
    return figure


_BAR_HEIGHT: Final = 20


_LONGEST: Final = 46


def above_chance(tasks: Sequence[str], raters: Sequence[str], rows: Mapping[tuple[str, str], Row]) -> go.Figure:
    """Accuracy less chance with intervals: a group of bars for each task, in it one for each rater (SelfEval, Figure 4).

    ``rows``: by task and rater the row of ``accuracy_less_chance``.
    """
    import plotly.graph_objects as go

    figure = go.Figure()
    for k, rater in enumerate(raters):
        known = [(task, row) for task in tasks if (row := rows.get((task, rater))) is not None and row["value"] is not None]
        figure.add_trace(
            go.Bar(
                name=escape(short(rater)),
                orientation="h",
                y=[escape(wording.task(task)) for task, _ in known],
                x=[row["value"] for _, row in known],
                marker={"color": PALETTE[k % len(PALETTE)]},
                error_x=_interval_bars([row for _, row in known]),
                hovertemplate=f"{escape(rater)}<br>%{{y}}: %{{x:+.1%}}<extra></extra>",
            )
        )
    plain(figure, height=130 + len(tasks) * (18 + _BAR_HEIGHT * len(raters)))
    figure.update_layout(barmode="group", bargap=0.28)
    figure.update_xaxes(title="accuracy less chance", tickformat="+.0%", zerolinewidth=2)
    figure.update_yaxes(
        categoryorder="array",
        categoryarray=[escape(wording.task(task)) for task in tasks],
        autorange="reversed",
        showgrid=False,
    )
    return _legend(figure, several=len(raters) > 1)


def short(name: str) -> str:
    """A name that fits into a legend."""
    return name if len(name) <= _LONGEST else f"{name[: _LONGEST - 1]}…"


PALETTE: Final = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#6b6b6b")
