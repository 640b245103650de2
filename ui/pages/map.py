"""Images by what a model sees in them: alike ones lie near each other; a line around some leads to them among Images.

The map is a Plotly figure. Each point carries its position in the map's list of images; text is escaped.
"""

from __future__ import annotations

import hashlib
import json
import math
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, Final

import gradio as gr
import htpy
import numpy as np
from htpy import Element
from numpy.typing import NDArray
from starlette.datastructures import QueryParams

from concord import maps
from concord.browsing.listing import ImageListing
from concord.common import next_steps, wording
from concord.common.base_path import at
from concord.maps import MapAddress, MapColoring, MapProgress, map_address, points_of
from data.jobs.maps import EXTENT, Map
from data.store.core.store import Store
from scorers.maps import METHODS
from ui.components import chart_colors
from ui.components.addresses import BROWSE, listing_of
from ui.components.charts import plain
from ui.components.plotly_text import escaped
from ui.components.tables import note
from ui.pages import images
from ui.shell.changes import Drawn, unless_current
from ui.shell.controls import Choice
from ui.shell.events import QUIET, listen
from ui.shell.following import keep_current, version_signal
from ui.shell.html import js_module, rendered
from ui.shell.page import Page
from ui.shell.scope_bar import with_query
from ui.shell.view import ignored

if TYPE_CHECKING:
    import plotly.graph_objects as go


DRAWN: Final = 20_000
"""Points at most; of more a draw is shown, and a lasso holds those too that are not drawn."""
MOST_CLASSES: Final = 12
_SVG: Final = 4_000
"""Up to here the points need no WebGL, which not every browser has."""
# classes are told apart by their shape, too
_SYMBOLS: Final = ("circle", "diamond", "square", "triangle-up", "cross", "triangle-down", "pentagon", "star", "x", "hexagon")
_VERDICT_COLORS: Final = {maps.YES: 0, maps.NO: 1, maps.TIE: 4, maps.FAILED: 8}
_OTHER: Final = "\0"


@dataclass(frozen=True, slots=True)
class MapGroup:
    """A class of points: what it is called, how many of the selection are in it, and the filter of Images for it; ``rest``: it
    stands for all that have no class of their own."""

    title: str
    n: int
    filter: Mapping[str, str]
    rest: bool = False


@dataclass(frozen=True, slots=True)
class MapDrawing:
    """A figure, and what is in it: ``shown`` images of the selection, ``drawn`` of them as points."""

    figure: go.Figure
    groups: Sequence[MapGroup]
    shown: int
    drawn: int


def draw_map(
    made: Map,
    key: str,
    color_values: Mapping[str, Any],
    paint: MapColoring,
    lasso: Sequence[tuple[float, float]] = (),
    turn: int = 0,
) -> MapDrawing:
    """The images of ``color_values`` (by item, what they are told apart by) where the map has them.

    ``lasso``: a line drawn on it, the ``turn``-th; while that stays, a line that was drawn in the browser stays, too.
    """
    import plotly.graph_objects as go

    at = np.array([k for k, item in enumerate(made.items) if item in color_values], np.int32)
    values = [color_values[made.items[k]] for k in at]
    some = _points_to_draw(at.size, key)
    figure = go.Figure()
    groups: list[MapGroup] = []
    if paint.continuous:
        _add_numbers(figure, made, at[some], [values[k] for k in some], paint)
    else:
        groups = _add_classes(figure, made, at, values, some, paint)
    _lay_out(figure, made, key, lasso, turn)
    return MapDrawing(figure, groups, int(at.size), int(some.size))


def digest(content: str) -> str:
    """Of a figure as JSON: equal ones need not be sent twice."""
    return hashlib.sha256(content.encode()).hexdigest()[:16]


def _points_to_draw(n: int, key: str) -> NDArray[np.int64]:
    """Which of n points are drawn: always the same ones."""
    if n <= DRAWN:
        return np.arange(n)
    seed = int.from_bytes(hashlib.sha256(key.encode()).digest()[:4], "big")
    return np.sort(np.random.default_rng(seed).choice(n, DRAWN, replace=False))


def _add_classes(
    figure: go.Figure, made: Map, at: NDArray[np.int32], values: list[str], some: NDArray[np.int64], paint: MapColoring
) -> list[MapGroup]:
    named = maps.color_classes(values, MOST_CLASSES)
    code = {value: k for k, value in enumerate(named)}
    codes = np.array([code.get(value, len(named)) for value in values], np.int64)
    counts = np.bincount(codes, minlength=len(named) + 1)
    rest = len(set(values)) - len(named)
    groups = [
        MapGroup(maps.class_title(paint, value), int(counts[k]), maps.browse_filter(paint, value))
        for k, value in enumerate(named)
    ]
    if rest > 0:
        groups.append(MapGroup(f"{rest} others", int(counts[-1]), {}, rest=True))
    for k, group in enumerate(groups):
        value = named[k] if k < len(named) else _OTHER
        _add(figure, made, at[some[codes[some] == k]], _shortened(group.title), _marker(value, k), some.size)
    return groups


def _add_numbers(figure: go.Figure, made: Map, at: NDArray[np.int32], values: list[float | None], paint: MapColoring) -> None:
    has = np.array([value is not None for value in values], bool)
    numbers = np.array([value for value in values if value is not None], np.float32)
    if not has.all():
        _add(figure, made, at[~has], "no score", {"color": chart_colors.OTHER_POINTS, "symbol": "circle-open"}, at.size)
    scale = {"title": {"text": _shortened(paint.title), "side": "right"}, "thickness": 14}
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
        return {"color": chart_colors.OTHER_POINTS, "symbol": "circle-open"}
    index = _VERDICT_COLORS.get(value, k)
    return {"color": chart_colors.CLASSES[index % len(chart_colors.CLASSES)], "symbol": _SYMBOLS[index % len(_SYMBOLS)]}


def _lay_out(figure: go.Figure, made: Map, key: str, lasso: Sequence[tuple[float, float]], turn: int) -> None:
    # the style sheet says how high it is
    plain(figure, None)
    span = [-0.03 * EXTENT, 1.03 * EXTENT]
    shares = [f", {share:.0%} of the variance" for share in made.shares] or ["", ""]
    names = ["axis 1", "axis 2"] if made.shares else ["", ""]
    # equal scales by a narrower field: a wider range would show numbers where no image can be
    square = {"range": span, "zeroline": False, "constrain": "domain"}
    figure.update_xaxes(title=f"{names[0]}{shares[0]}", constraintoward="left", **square)
    figure.update_yaxes(title=f"{names[1]}{shares[1]}", scaleanchor="x", constraintoward="top", **square)
    line = "M" + "L".join(f"{x:g},{y:g}" for x, y in lasso) + "Z"
    figure.update_layout(
        dragmode="lasso",
        # room for Plotly's buttons
        margin={"t": 64, "r": 10},
        modebar={"bgcolor": chart_colors.CLEAR},
        hovermode="closest",
        showlegend=True,
        legend={"itemsizing": "constant", "orientation": "h", "y": 1, "yanchor": "bottom", "x": 0},
        # whoever has zoomed or chosen stays there while the project moves
        uirevision=key,
        selectionrevision=f"{key} {turn}",
        selections=[{"type": "path", "path": line, "xref": "x", "yref": "y"}] if lasso else [],
    )


def _shortened(text: str) -> str:
    return escaped(text if len(text) <= 40 else f"{text[:39]}…")


def listing_of_query(query: str) -> ImageListing:
    """What Images would list by this query.

    Raises:
        HTTPException: 422, with the reason.
    """
    request: Any = SimpleNamespace(query_params=QueryParams(query))
    return listing_of(request)


PATH: Final = "/images/map"
_OWN: Final = ("map", "lasso", "paint")
_WAIT_SECONDS: Final = 3.0
_LOOK_SECONDS: Final = 0.2
_SIDES: Final = ("x from", "x to", "y from", "y to")


@dataclass(frozen=True, slots=True)
class MapView:
    """What a page shows besides its controls.

    Attributes:
        query: the selection, as in the address of Images; ``lasso``: the corners that were last set from here.
        turn: when they were set, in milliseconds since 1970; a drawing that began before that leaves the browser's line alone.
        key: of the map that the line was drawn on; empty before there was one.
    """

    query: str = ""
    lasso: str = ""
    turn: int = 0
    key: str = ""

    def with_line(self, lasso: str) -> MapView:
        """The same with another line, set now."""
        return replace(self, lasso=lasso, turn=max(self.turn + 1, int(time.time() * 1000)))


_CHOSEN: Final = ("method", "model", "paint")
_DRAWN: Final = ("model", "paint", "map-lead", "map-plot", "cc-map", "shown", "figure")


class MapPage(Page[MapView]):
    """The page. What it shows besides its controls is kept with them, as a line is drawn in the browser."""

    title, path, ADDRESS = "Map", PATH, _OWN

    def lay_out(self) -> None:
        with self.bar():
            method = gr.Radio([(title, name) for name, title in METHODS.items()], value="pca", label="Map by", elem_id="map-by")
            self.control("method", method)
            self.dropdown("paint", "Colour by")
            self.dropdown("model", "Embeddings by")
        self.html("map-lead")
        with gr.Row(elem_classes="cc-map-row"):
            with gr.Column(scale=3, min_width=320):
                self.plot("map-plot", visible=False)
            with gr.Column(scale=2, min_width=260):
                self.output("cc-map", js_module("map_panel", ""))
                # for those who draw no line
                with gr.Accordion("Select by numbers", open=False, elem_id="map-numbers"):
                    for pair in (_SIDES[:2], _SIDES[2:]):
                        with gr.Row():
                            for side in pair:
                                self.output(side, gr.Number(label=side, value=None, min_width=80))
                    self.output("select", gr.Button("Select this rectangle", size="sm", elem_id="map-select"))
                    self.html("map-message")
                self.output("clear", gr.Button("Select nothing", size="sm", elem_id="map-clear"))
        self.output("shown", gr.State(asdict(MapView())))
        # the digest of the figure that stands; an equal one is not sent again
        self.output("figure", gr.State(""))

    def teaching(self) -> str:
        return _nothing(self.store)

    def connect(self) -> None:
        chosen = ("shown", "figure", *_CHOSEN)
        inputs, drawn = [self[name] for name in chosen], [self.teaching_text, self.content, *(self[name] for name in _DRAWN)]

        def answer(steps: Iterator[Drawn | None]) -> Iterator[list[Any]]:
            for made in steps:
                yield [*self.teach(made is None), *self.named(_DRAWN, made or {})]

        def opened(request: gr.Request) -> Iterator[list[Any]]:
            # of before: what comes meanwhile is drawn then
            version = maps.map_version(self.store)
            lost, method, steps = open_map(self.store, request.query_params)
            for places in answer(steps):
                yield [ignored(lost, {}), method, version, *places]

        def draw(known: dict[str, Any], figure: str, *values: str | None) -> Iterator[list[Any]]:
            for places in answer(draw_page(self.store, MapView(**known), figure, *values)):
                # a line that somebody sets meanwhile stays
                yield unless_current(
                    inputs, (known, figure, *values), drawn, [gr.skip() if part == known else part for part in places]
                )

        def cut(
            known: dict[str, Any], figure: str, method: str, model: str, paint: str, *numbers: float | None
        ) -> Iterator[list[Any]]:
            line, why = rectangle(numbers)
            shows = MapView(**known) if why else MapView(**known).with_line(line)
            for places in answer(draw_page(self.store, shows, figure, method, model, paint)):
                yield [*places, rendered(note(why, "cc-bad") if why else "")]

        def uncut(known: dict[str, Any], *values: Any) -> Iterator[list[Any]]:
            for places in answer(draw_page(self.store, MapView(**known).with_line(""), *values)):
                yield [*places, ""]

        message, signal = self["map-message"], version_signal(maps.map_version)
        gr.on(None, opened, None, [self.notice, self["method"], signal, *drawn], **QUIET)
        listen([self[name].input for name in _CHOSEN], draw, inputs, drawn, **QUIET)
        self["select"].click(cut, [*inputs, *(self[side] for side in _SIDES)], [*drawn, message], **QUIET)
        self["clear"].click(uncut, inputs, [*drawn, message], **QUIET)
        keep_current(self.store, draw, inputs, drawn, signal=signal, moves=maps.map_version)


def rectangle(numbers: tuple[float | None, ...]) -> tuple[str, str]:
    """The corners of x from, x to, y from, y to; or, second, why there are none."""
    if any(value is None or not math.isfinite(value) for value in numbers):
        return "", "A rectangle needs four numbers; the axes say which there are."
    x0, x1, y0, y1 = (max(-1000.0, min(1000.0, round(value or 0.0, 2))) for value in numbers)
    if x0 == x1 or y0 == y1:
        return "", "Empty selection: “from” and “to” are the same."
    return f"{x0:g},{y0:g};{x1:g},{y0:g};{x1:g},{y1:g};{x0:g},{y1:g}", ""


def open_map(store: Store, parameters: QueryParams) -> tuple[dict[str, str], str, Iterator[Drawn | None]]:
    """What an address asks for in vain, by which method it is laid out, and what is drawn."""
    lost: dict[str, str] = {}
    on = MapAddress("pca", "")
    try:
        on = map_address(parameters.get("map", "")) or on
    except ValueError:
        lost["map"] = parameters.get("map", "")
    listed = QueryParams([(name, value) for name, value in parameters.multi_items() if name not in _OWN])
    followed = images.follow(store, listed)
    lost |= followed.lost
    sources = maps.embedding_sources(store)
    if on.model and on.model not in sources:
        lost["map"], on = str(on), replace(on, model="")
    model = on.model or next(iter(sources), "")
    line = _line(store, parameters.get("lasso", ""), replace(on, model=model), lost)
    paint = parameters.get("paint", "")
    if paint and paint not in maps.colorings(store):
        lost["paint"] = paint
    shown = MapView(followed.query).with_line(line)
    return lost, on.method, draw_page(store, shown, "", on.method, model, paint, again=True)


def _line(store: Store, line: str, on: MapAddress, lost: dict[str, str]) -> str:
    """The lasso of an address, if it was drawn on the map that is shown."""
    try:
        if line and on.model:
            points_of(line)
        if not line or (on.model and on.key in ("", maps.map_key(store, on.method, on.model))):
            return line
    except ValueError:
        pass
    lost["lasso"] = line
    return ""


def draw_page(
    store: Store, shown: MapView, figure: str, method: str | None, model: str | None, paint: str | None, *, again: bool = False
) -> Iterator[Drawn | None]:
    """The page; a map that is soon made is waited for. ``figure``: the digest of the one that stands, empty if there is none.

    None: no image has an embedding.
    """
    sources, offered = maps.embedding_sources(store), maps.colorings(store)
    if not sources:
        yield None
        return
    method = method if method and method in METHODS else "pca"
    model = model if model and model in sources else next(iter(sources))
    chosen = offered.get(paint or "", next(iter(offered.values())))
    controls = {
        "model": gr.Dropdown(list(sources), value=model, visible=len(sources) > 1),
        "paint": Choice([(coloring.title, coloring.name) for coloring in offered.values()], chosen.name),
    }
    until = time.monotonic() + _WAIT_SECONDS
    standing = maps.request_map(store, method, model, again=again)
    if standing.made is None:
        # no map yet: the one before stays, with its own lines
        before = " Until then you see the map before." if standing.busy else " You see the map before."
        lead = note(standing.message + (before if figure else ""), "" if standing.busy else "cc-bad")
        gone = {} if figure else {"map-plot": None, "cc-map": ""}
        yield controls | {"map-lead": lead, "shown": asdict(shown)} | gone
    while standing.made is None and standing.busy and time.monotonic() < until:
        time.sleep(_LOOK_SECONDS)
        standing = maps.request_map(store, method, model)
    if standing.made is not None:
        yield controls | _drawn(store, shown, figure, standing, chosen)


def _drawn(store: Store, shown: MapView, figure: str, standing: MapProgress, paint: MapColoring) -> dict[str, Any]:
    """What is drawn of a map."""
    made = standing.made
    assert made is not None
    if shown.key not in ("", standing.key):
        # on another map the line would hold other images
        shown = shown.with_line("")
    shown = replace(shown, key=standing.key)
    color_values = maps.color_values(store, paint, made.items, listing_of_query(shown.query).restriction(store))
    line = points_of(shown.lasso) if shown.lasso else ()
    drawing = draw_map(made, standing.key, color_values, paint, line, shown.turn)
    on = MapAddress(made.method, made.model, standing.key)
    panel = {
        "map": str(on),
        "query": shown.query,
        "paint": paint.name,
        "rater": paint.rater,
        "lasso": shown.lasso,
        "turn": shown.turn,
        "groups": [asdict(group) for group in drawing.groups],
    }
    drawn = {"map-lead": _lead(shown, standing, drawing), "cc-map": json.dumps(panel), "shown": asdict(shown)}
    made_figure = digest(drawing.figure.to_json())
    return drawn if made_figure == figure else drawn | {"map-plot": drawing.figure, "figure": made_figure}


def _lead(shown: MapView, standing: MapProgress, drawing: MapDrawing) -> Element:
    """Return what is shown, and what of it is not."""
    made = standing.made
    assert made is not None
    n = len(made.items)
    here = wording.count(drawing.shown, "image")
    parts = [f"{here} of {n:,} on the map" if drawing.shown < n else f"{here} on the map"]
    # the digest of its weights tells nobody anything
    model = made.model.partition("@")[0]
    parts[0] += f": {METHODS[made.method]} of embeddings by {model}. Images that the model sees alike lie near each other."
    if n < made.total:
        parts.append(f"The map holds {n:,} images, drawn at random, of {made.total:,} that have an embedding.")
    if drawing.drawn < drawing.shown:
        parts.append(f"{drawing.drawn:,} of them are drawn, chosen at random; a lasso holds the others, too.")
    if made.note:
        parts.append(f"Note: {made.note}.")
    if drawing.shown == 0:
        parts.append("None of the selected images is on it.")
    parts.append("Draw a line around some to see them.")
    every = [" ", htpy.a(href=at(f"/studio{PATH}"))["Show all images"]] if shown.query else ""
    return htpy.div[_shows(shown.query), note([" ".join(parts), every])]


def _shows(query: str) -> Element:
    """Return the ways to show these images, as the toolbar of Images has them."""
    listed = QueryParams(query).multi_items()
    ways = {"Grid": [], "By prompt": [("show", "prompts")]}
    kept = [(name, value) for name, value in listed if name != "show"]
    links = [htpy.a(class_="cc-tools__show", href=with_query(at(BROWSE), [*kept, *more]))[name] for name, more in ways.items()]
    current = htpy.a(class_="cc-tools__show", href=with_query(at(f"/studio{PATH}"), listed), aria_current="page")["Map"]
    return htpy.nav(class_="cc-tools__shows", aria_label="Show as")[links, current]


def _nothing(store: Store) -> str:
    """What to do where no image has an embedding."""
    text = "No image has an embedding yet, so there is no map. CLIPScore stores one for each image."
    if maps.has_runs_without_embeddings(store):
        text = "CLIPScore stored no embeddings when it scored these images. Remove that run at + Add, Runs, and score again."
    return f"{text} {next_steps.how_to_score(store, 'clipscore')}"
