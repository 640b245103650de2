"""A map as a Plotly figure. Each point carries its place in the map's list of images; text is escaped."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray

from concord import maps
from concord.maps import MapColoring
from data.jobs.maps import EXTENT, Map
from ui.charts import plain

if TYPE_CHECKING:
    import plotly.graph_objects as go

DRAWN: Final = 20_000
"""Points at most; of more a draw is shown, and a lasso holds those too that are not drawn."""
MOST_CLASSES: Final = 12
_SVG: Final = 4_000
"""Up to here the points need no WebGL, which not every browser has."""
_HEIGHT: Final = 640
# Okabe and Ito's, then darker and lighter ones; told apart by their shape, too
_PALETTE: Final = (
    "#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#8f6bd6", "#b5651d", "#3f7f3f", "#c2385a", "#7a8a00",
    "#5b6f8f",
)  # fmt: skip
_SYMBOLS: Final = ("circle", "diamond", "square", "triangle-up", "cross", "triangle-down", "pentagon", "star", "x", "hexagon")
_SAID: Final = {maps.YES: 0, maps.NO: 1, maps.TIE: 4, maps.FAILED: 8}
_GREY: Final = "#9aa1ae"
_OTHER: Final = "\0"


@dataclass(frozen=True, slots=True)
class Group:
    """A class of points: what it is called, how many of the selection are in it, and Browse's filter for it."""

    title: str
    n: int
    filter: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Drawing:
    """A figure, and what is in it: ``shown`` images of the selection, ``drawn`` of them as points."""

    figure: go.Figure
    groups: Sequence[Group]
    shown: int
    drawn: int


def draw(
    made: Map, key: str, found: Mapping[str, Any], paint: MapColoring, lasso: Sequence[tuple[float, float]] = (), turn: int = 0
) -> Drawing:
    """The images of ``found`` (with what they are told apart by) where the map has them.

    ``lasso``: a line drawn on it, the ``turn``-th; while that stays, a line that was drawn in the browser stays, too.
    """
    import plotly.graph_objects as go

    at = np.array([k for k, item in enumerate(made.items) if item in found], np.int32)
    values = [found[made.items[k]] for k in at]
    some = _drawn(at.size, key)
    figure = go.Figure()
    groups: list[Group] = []
    if paint.continuous:
        _add_numbers(figure, made, at[some], [values[k] for k in some], paint)
    else:
        groups = _add_classes(figure, made, at, values, some, paint)
    _lay_out(figure, made, key, lasso, turn)
    return Drawing(figure, groups, int(at.size), int(some.size))


def digest(content: str) -> str:
    """Of a figure as JSON: equal ones need not be sent twice."""
    return hashlib.sha256(content.encode()).hexdigest()[:16]


def _drawn(n: int, key: str) -> NDArray[np.int64]:
    """Which of n points are drawn: always the same ones."""
    if n <= DRAWN:
        return np.arange(n)
    seed = int.from_bytes(hashlib.sha256(key.encode()).digest()[:4], "big")
    return np.sort(np.random.default_rng(seed).choice(n, DRAWN, replace=False))


def _add_classes(
    figure: go.Figure, made: Map, at: NDArray[np.int32], values: list[str], some: NDArray[np.int64], paint: MapColoring
) -> list[Group]:
    named = maps.color_classes(values, MOST_CLASSES)
    code = {value: k for k, value in enumerate(named)}
    codes = np.array([code.get(value, len(named)) for value in values], np.int64)
    counts = np.bincount(codes, minlength=len(named) + 1)
    rest = len(set(values)) - len(named)
    groups = [
        Group(maps.class_title(paint, value), int(counts[k]), maps.browse_filter(paint, value)) for k, value in enumerate(named)
    ]
    if rest > 0:
        groups.append(Group(f"{rest} others", int(counts[-1]), {}))
    for k, group in enumerate(groups):
        value = named[k] if k < len(named) else _OTHER
        _add(figure, made, at[some[codes[some] == k]], _short(group.title), _marker(value, k), some.size)
    return groups


def _add_numbers(figure: go.Figure, made: Map, at: NDArray[np.int32], values: list[float | None], paint: MapColoring) -> None:
    has = np.array([value is not None for value in values], bool)
    numbers = np.array([value for value in values if value is not None], np.float32)
    if not has.all():
        _add(figure, made, at[~has], "no score", {"color": _GREY, "symbol": "circle-open"}, at.size)
    scale = {"title": {"text": _short(paint.title), "side": "right"}, "thickness": 14}
    _add(figure, made, at[has], "score", {"color": numbers, "colorscale": "Viridis", "colorbar": scale}, at.size)
    figure.update_traces(showlegend=False)


def _add(figure: go.Figure, made: Map, at: NDArray[np.int32], name: str, marker: Mapping[str, Any], n: int) -> None:
    import plotly.graph_objects as go

    kind = go.Scatter if n <= _SVG else go.Scattergl
    size = 8 if n <= 1500 else 6 if n <= _SVG else 4
    figure.add_trace(
        kind(
            name=name,
            x=made.places[at, 0],
            y=made.places[at, 1],
            customdata=at,
            mode="markers",
            # our own card shows the picture
            hoverinfo="none",
            marker={"size": size, "opacity": 0.8, **marker},
            unselected={"marker": {"opacity": 0.12}},
        )
    )


def _marker(value: str, k: int) -> dict[str, Any]:
    if value in (maps.NONE, _OTHER):
        return {"color": _GREY, "symbol": "circle-open"}
    place = _SAID.get(value, k)
    return {"color": _PALETTE[place % len(_PALETTE)], "symbol": _SYMBOLS[place % len(_SYMBOLS)]}


def _lay_out(figure: go.Figure, made: Map, key: str, lasso: Sequence[tuple[float, float]], turn: int) -> None:
    plain(figure, _HEIGHT)
    span = [-0.03 * EXTENT, 1.03 * EXTENT]
    shares = [f" ({share:.0%} of the variance)" for share in made.shares] or ["", ""]
    names = ["principal axis 1", "principal axis 2"] if made.shares else ["", ""]
    figure.update_xaxes(title=f"{names[0]}{shares[0]}", range=span, zeroline=False)
    figure.update_yaxes(title=f"{names[1]}{shares[1]}", range=span, zeroline=False, scaleanchor="x")
    line = "M" + "L".join(f"{x:g},{y:g}" for x, y in lasso) + "Z"
    figure.update_layout(
        dragmode="lasso",
        # room for Plotly's buttons
        margin={"t": 40},
        hovermode="closest",
        showlegend=True,
        legend={"itemsizing": "constant", "orientation": "v", "y": 1, "x": 1.01},
        # whoever has zoomed or chosen stays there while the project moves
        uirevision=key,
        selectionrevision=f"{key} {turn}",
        selections=[{"type": "path", "path": line, "xref": "x", "yref": "y"}] if lasso else [],
    )


def _short(text: str) -> str:
    return escape(text if len(text) <= 40 else f"{text[:39]}…")
