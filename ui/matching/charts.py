"""Figures of image-text matching. Text is escaped: Plotly reads a little HTML."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from html import escape
from typing import TYPE_CHECKING, Any, Final

from concord.common import wording
from concord.matching import Row
from ui.charts import plain
from ui.failure_charts import PALETTE

if TYPE_CHECKING:
    import plotly.graph_objects as go

_ROW: Final = 20
_LONGEST: Final = 46
_DASHES: Final = ("solid", "dash", "dot", "dashdot")


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
                error_x=_bars([row for _, row in known]),
                hovertemplate=f"{escape(rater)}<br>%{{y}}: %{{x:+.1%}}<extra></extra>",
            )
        )
    plain(figure, height=130 + len(tasks) * (18 + _ROW * len(raters)))
    figure.update_layout(barmode="group", bargap=0.28)
    figure.update_xaxes(title="accuracy less chance", tickformat="+.0%", zerolinewidth=2)
    figure.update_yaxes(
        categoryorder="array",
        categoryarray=[escape(wording.task(task)) for task in tasks],
        autorange="reversed",
        showgrid=False,
    )
    return _legend(figure, several=len(raters) > 1)


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
                error_y=_bars(mine),
                hovertemplate=f"{steps} steps, seed {seed}<br>%{{x}} trials: %{{y:.3f}}<extra></extra>",
            )
        )
    plain(figure, height=360)
    if chance is not None:
        figure.add_hline(chance, line={"color": "#7a8194", "dash": "dot"})
    figure.update_xaxes(title="trials", dtick=1 if rows and max(row["trials"] for row in rows) <= 12 else None)
    figure.update_yaxes(title="accuracy", tickformat=".0%")
    return _legend(figure, several=True)


def short(name: str) -> str:
    """A name that fits into a legend."""
    return name if len(name) <= _LONGEST else f"{name[: _LONGEST - 1]}…"


def _bars(rows: Sequence[Row]) -> dict[str, Any]:
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
