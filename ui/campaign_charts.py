"""Figures of one campaign: how many items have how many answers, and how answers come in."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import TYPE_CHECKING, Final

from data.store.campaigns.monitoring import Hour
from ui.charts import COLORS, plain

if TYPE_CHECKING:
    import plotly.graph_objects as go

_LONG: Final = timedelta(hours=72)
_OTHER: Final = "rgba(128,136,160,.55)"
_HEIGHT: Final = 260
_FEWEST: Final = 12


def by_answers(spread: Mapping[int, int], overlap: int) -> go.Figure:
    """Items by how many valid answers they have; those that have enough in another colour."""
    import plotly.graph_objects as go

    most = max([overlap, *spread])
    x = list(range(most + 1))
    colors = [COLORS["scorer"] if n >= overlap else _OTHER for n in x]
    y = [spread.get(n, 0) for n in x]
    text = [f"{n:,}" if n else "" for n in y]
    figure = go.Figure(
        go.Bar(x=x, y=y, marker_color=colors, text=text, textposition="outside", cliponaxis=False,
               hovertemplate="%{y:,} items with %{x} answers<extra></extra>")
    )  # fmt: skip
    plain(figure, height=_HEIGHT)
    figure.update_layout(bargap=0.35, margin={"t": 28})
    figure.update_xaxes(title=f"valid answers so far ({overlap} wanted)", dtick=1)
    figure.update_yaxes(title="items", rangemode="tozero")
    return figure


def by_time(hours: Sequence[Hour]) -> go.Figure:
    """Answers an hour, or a day where there are more than three days: valid ones, and the others on top of them."""
    import plotly.graph_objects as go

    daily = hours[-1].start - hours[0].start > _LONG
    valid: dict[str, int] = {}
    others: dict[str, int] = {}
    for hour in hours:
        moment = hour.start.strftime("%Y-%m-%d") if daily else hour.start.strftime("%Y-%m-%d %H:00")
        valid[moment] = valid.get(moment, 0) + hour.valid
        others[moment] = others.get(moment, 0) + hour.answers - hour.valid
    figure = go.Figure()
    width = (24 if daily else 1) * 3_600_000 * 0.8
    for name, said, color in (("valid", valid, COLORS["scorer"]), ("not counted", others, _OTHER)):
        figure.add_trace(
            go.Bar(x=[*said], y=[*said.values()], name=name, marker_color=color, width=width, offset=0.1 * width,
                   hovertemplate="%{x}: %{y:,} " + name + "<extra></extra>")
        )  # fmt: skip
    plain(figure, height=_HEIGHT)
    step = timedelta(days=1) if daily else timedelta(hours=1)
    first, last = hours[0].start, hours[-1].start + step
    # a few bars stay bars
    first = min(first, last - _FEWEST * step)
    figure.update_xaxes(range=[f"{moment:%Y-%m-%d %H:%M}" for moment in (first, last)])
    figure.update_layout(barmode="stack", margin={"t": 28}, showlegend=True, legend={"orientation": "h", "y": 1.18})
    figure.update_xaxes(title=f"{'day' if daily else 'hour'} (UTC)", type="date")
    figure.update_yaxes(title=f"answers {'a day' if daily else 'an hour'}", rangemode="tozero")
    return figure
