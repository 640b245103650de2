"""The figure of a curve: agreement with people above, the generators' scores below, over one setting."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Any

from concord.common import wording
from ui import charts
from ui.pages.explore.curve import Curve
from ui.pages.explore.view import View

if TYPE_CHECKING:
    import plotly.graph_objects as go

# Okabe and Ito, without those that stand for people and scorers
_LINES = ("#009e73", "#cc79a7", "#56b4e9", "#e69f00", "#7f7f7f", "#8c6bb1", "#a6761d", "#1b7837", "#c51b7d", "#4575b4")
_GAP = 0.1


def figure(found: Curve, view: View, title: str, own: float) -> go.Figure:
    """``title`` is the setting's, ``own`` where it stood in the run."""
    import plotly.graph_objects as go

    made = go.Figure()
    people = found.tuned is not None and any(value is not None for value in found.tuned.values)
    if people and found.tuned is not None:
        name = f"{wording.title(view.statistic)} with {view.people}"
        line = {"color": charts.COLORS["people"], "width": 2.5}
        made.add_trace(_line(found.at, found.tuned.values, name, line, "y"))
    for color, (generator, values) in zip(_LINES, found.scores.items(), strict=False):
        made.add_trace(_line(found.at, values, escape(generator), {"color": color, "width": 1.75}, "y2"))
    for name, value, line in _marks(found, view, own):
        # over both
        where = {"xref": "x", "yref": "paper", "x0": value, "x1": value, "y0": 0, "y1": 1}
        made.add_shape(type="line", name=name, line=line, showlegend=True, **where)
    charts.plain(made, height=560 if people else 360)
    made.update_layout(showlegend=True, legend={"orientation": "h", "y": 1.02, "yanchor": "bottom", "x": 0}, margin={"t": 60})
    split = 0.5 if people else 1.0
    made.update_layout(
        xaxis={"title": escape(title), "anchor": "y2", "range": [found.at[0], found.at[-1]]},
        yaxis={"title": escape(wording.title(view.statistic)), "domain": [min(split + _GAP / 2, 1), 1], "visible": people},
        yaxis2={"title": "score", "domain": [0, split - _GAP / 2 if people else 1], "range": [-0.03, 1.03]},
    )
    return made


def _line(at: list[float], values: Any, name: str, line: dict[str, Any], axis: str) -> Any:
    import plotly.graph_objects as go

    hover = "%{y:.3f} at %{x}"
    return go.Scatter(x=at, y=list(values), mode="lines", name=name, line=line, yaxis=axis, hovertemplate=hover)


def _marks(found: Curve, view: View, own: float) -> list[tuple[str, float, dict[str, Any]]]:
    """Where the setting stands, where it stood, and where it is best."""
    marks: list[tuple[str, float, dict[str, Any]]] = []
    now = float(view.turned[view.along])
    if own != now:
        marks.append((f"as it was run: {own:g}", own, {"color": "#8a8f9c", "width": 1.5, "dash": "dash"}))
    if found.best is not None:
        marks.append((f"best: {found.best:g}", found.best, {"color": charts.COLORS["people"], "width": 2, "dash": "dot"}))
    return [*marks, (f"now: {now:g}", now, {"color": charts.COLORS["scorer"], "width": 2})]
