"""Images by what a model sees in them: alike ones lie near each other; a line around some leads to them in Browse."""

from __future__ import annotations

import json
import math
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from html import escape
from typing import Any, Final

import gradio as gr
from starlette.datastructures import QueryParams

from concord import maps
from concord.common import next_steps, wording
from concord.maps import MapAddress, MapProgress, map_address, points_of
from data.store.core.store import Store
from scorers.maps import METHODS
from ui import browsing
from ui.addresses import BROWSE
from ui.components.filters import Choice, dropdown
from ui.components.module import module
from ui.components.table import note
from ui.mapping import figure
from ui.mapping.selecting import selected
from ui.pages.live import ignored, keep_current, listen, moved
from ui.root import at

NAME = "Map"
PATH = "/map"
_OWN: Final = ("map", "lasso", "paint")
_WAIT_SECONDS: Final = 3.0
_LOOK_SECONDS: Final = 0.2
_SIDES: Final = ("x from", "x to", "y from", "y to")


@dataclass(frozen=True, slots=True)
class Shown:
    """What a page shows besides its controls.

    Attributes:
        query: the selection, as in Browse's address; ``lasso``: the corners that were last set from here.
        turn: how often they were; the browser holds lines that it was not sent.
        drawn: of which figure; an equal one is not sent again.
        key: of the map that the line was drawn on; empty before there was one.
    """

    query: str = ""
    lasso: str = ""
    turn: int = 0
    drawn: str = ""
    key: str = ""


def build(store: Store) -> None:
    notice = gr.HTML(elem_id="ignored")
    empty = gr.Markdown(visible=False)
    with gr.Column() as content:
        with gr.Row(elem_classes="cc-filters"):
            method = gr.Radio([(title, name) for name, title in METHODS.items()], value="pca", label="Map by", elem_id="map-by")
            paint, model = dropdown("Colour by"), dropdown("Embeddings by")
        lead = gr.HTML(elem_id="map-lead")
        with gr.Row(elem_classes="cc-map-row"):
            with gr.Column(scale=3, min_width=420):
                plot = gr.Plot(show_label=False, elem_id="map-plot", visible=False)
            with gr.Column(scale=1, min_width=260):
                panel = module("map", "")
                sides, select, clear, message = _by_numbers()
    shown = gr.State(asdict(Shown()))
    inputs = [shown, method, model, paint]
    drawn = [model, paint, empty, content, lead, plot, panel, shown]

    def opened(request: gr.Request) -> Iterator[list[Any]]:
        yield from _opened(store, request.query_params)

    def draw(known: dict[str, Any], *chosen: str | None) -> Iterator[list[Any]]:
        for places in _draw(store, Shown(**known), *chosen):
            yield moved(inputs, (known, *chosen), drawn, places)

    def cut(known: dict[str, Any], method: str, model: str, paint: str, *numbers: float | None) -> Iterator[list[Any]]:
        line, why = rectangle(numbers)
        shows = Shown(**known)
        shows = shows if why else replace(shows, lasso=line, turn=shows.turn + 1)
        for places in _draw(store, shows, method, model, paint):
            yield [*places, note(why, "cc-bad") if why else ""]

    def uncut(known: dict[str, Any], *chosen: str | None) -> Iterator[list[Any]]:
        shows = Shown(**known)
        for places in _draw(store, replace(shows, lasso="", turn=shows.turn + 1), *chosen):
            yield [*places, ""]

    quiet: dict[str, Any] = {"show_progress": "hidden", "api_visibility": "private"}
    first = gr.on(None, opened, None, [notice, method, *drawn], **quiet)
    listen([method.input, model.input, paint.input], draw, inputs, drawn, **quiet)
    select.click(cut, [*inputs, *sides], [*drawn, message], **quiet)
    clear.click(uncut, inputs, [*drawn, message], **quiet)
    keep_current(store, draw, inputs, drawn, opened=first, moves=maps.map_version)


def _by_numbers() -> tuple[list[gr.Number], gr.Button, gr.Button, gr.HTML]:
    """Controls for those who draw no line."""
    with gr.Accordion("Select by numbers", open=False, elem_id="map-numbers"):
        sides = []
        for pair in (_SIDES[:2], _SIDES[2:]):
            with gr.Row():
                sides += [gr.Number(label=side, value=None, min_width=80) for side in pair]
        select = gr.Button("Select this rectangle", size="sm", elem_id="map-select")
        message = gr.HTML(elem_id="map-message")
    clear = gr.Button("Select nothing", size="sm", elem_id="map-clear")
    return sides, select, clear, message


def rectangle(numbers: tuple[float | None, ...]) -> tuple[str, str]:
    """The corners of x from, x to, y from, y to; or, second, why there are none."""
    if any(value is None or not math.isfinite(value) for value in numbers):
        return "", "A rectangle needs four numbers; the axes say which there are."
    x0, x1, y0, y1 = (max(-1000.0, min(1000.0, round(value or 0.0, 2))) for value in numbers)
    if x0 == x1 or y0 == y1:
        return "", "This rectangle has no inside: “from” and “to” are the same."
    return f"{x0:g},{y0:g};{x1:g},{y0:g};{x1:g},{y1:g};{x0:g},{y1:g}", ""


def _opened(store: Store, asked: QueryParams) -> Iterator[list[Any]]:
    """What an address asks for in vain, then the controls, then what is drawn."""
    lost: dict[str, str] = {}
    on = _followed(asked.get("map", ""), lost)
    listed = QueryParams([(name, value) for name, value in asked.multi_items() if name not in _OWN])
    followed = browsing.follow(store, listed)
    lost |= followed.lost
    sources = maps.embedding_sources(store)
    if on.model and on.model not in sources:
        lost["map"], on = str(on), replace(on, model="")
    model = on.model or next(iter(sources), "")
    line = _line(store, asked.get("lasso", ""), replace(on, model=model), lost)
    paint = asked.get("paint", "")
    if paint and paint not in maps.colorings(store):
        lost["paint"] = paint
    shown = Shown(followed.query, line, 1)
    for places in _draw(store, shown, on.method, model, paint, again=True):
        yield [ignored(lost, {}), on.method, *places]


def _followed(text: str, lost: dict[str, str]) -> MapAddress:
    try:
        return map_address(text) or MapAddress("pca", "")
    except ValueError:
        lost["map"] = text
        return MapAddress("pca", "")


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


def _draw(
    store: Store, shown: Shown, method: str | None, model: str | None, paint: str | None, *, again: bool = False
) -> Iterator[list[Any]]:
    """The page, in the order of ``drawn``; a map that is soon made is waited for."""
    sources, offered = maps.embedding_sources(store), maps.colorings(store)
    if not sources:
        yield [gr.skip(), gr.skip(), gr.Markdown(_nothing(store), visible=True), gr.Column(visible=False), *[gr.skip()] * 4]
        return
    method = method if method and method in METHODS else "pca"
    model = model if model and model in sources else next(iter(sources))
    chosen = offered.get(paint or "", next(iter(offered.values())))
    controls = [
        gr.Dropdown(list(sources), value=model, visible=len(sources) > 1),
        Choice([(one.title, one.name) for one in offered.values()], chosen.name).control(),
        gr.Markdown(visible=False),
        gr.Column(visible=True),
    ]
    until = time.monotonic() + _WAIT_SECONDS
    standing = maps.request_map(store, method, model, again=again)
    if standing.made is None:
        yield [*controls, *_waiting(standing, shown)]
    while standing.made is None and standing.busy and time.monotonic() < until:
        time.sleep(_LOOK_SECONDS)
        standing = maps.request_map(store, method, model)
    if standing.made is not None:
        yield [*controls, *_drawn(store, shown, standing, chosen)]


def _waiting(standing: MapProgress, shown: Shown) -> list[Any]:
    """Lead, figure, panel and state while there is no map."""
    said = note(standing.told, "" if standing.busy else "cc-bad")
    return [said, gr.Plot(visible=False), "", asdict(replace(shown, drawn=""))]


def _drawn(store: Store, shown: Shown, standing: MapProgress, paint: maps.MapColoring) -> list[Any]:
    """The same of a map."""
    made = standing.made
    assert made is not None
    if shown.key not in ("", standing.key):
        # on another map the line would hold other images
        shown = replace(shown, lasso="", turn=shown.turn + 1)
    shown = replace(shown, key=standing.key)
    found = maps.color_values(store, paint, made.items, selected(shown.query).asked(store))
    line = points_of(shown.lasso) if shown.lasso else ()
    drawing = figure.draw(made, standing.key, found, paint, line, shown.turn)
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
    content = drawing.figure.to_json()
    same = figure.digest(content) == shown.drawn
    plot = gr.skip() if same else gr.Plot(drawing.figure, visible=True)
    told = _lead(shown, standing, drawing)
    return [told, plot, json.dumps(panel), asdict(replace(shown, drawn=figure.digest(content)))]


def _lead(shown: Shown, standing: MapProgress, drawing: figure.Drawing) -> str:
    """What is shown, and what of it is not."""
    made = standing.made
    assert made is not None
    n = len(made.items)
    here = wording.count(drawing.shown, "image")
    parts = [f"{here} of {n:,} on the map" if drawing.shown < n else f"{here} on the map"]
    parts[0] += f": {METHODS[made.method]} of embeddings by {made.model}. Images that the model sees alike lie near each other."
    if n < made.total:
        parts.append(f"The map holds {n:,} images, drawn at random, of {made.total:,} that have an embedding.")
    if drawing.drawn < drawing.shown:
        parts.append(f"{drawing.drawn:,} of them are drawn, chosen at random; a lasso holds the others, too.")
    if made.note:
        parts.append(f"Note: {made.note}.")
    if drawing.shown == 0:
        parts.append("None of the selected images is on it.")
    parts.append("Draw a line around some to see them.")
    if not shown.query:
        return note(" ".join(parts))
    links = [(at(f"{BROWSE}?{shown.query}"), "This selection in Browse"), (at(f"/studio{PATH}"), "Show all images")]
    linked = " · ".join(f'<a href="{escape(href)}">{escape(text)}</a>' for href, text in links)
    return f'<p class="cc-note">{escape(" ".join(parts))} {linked}</p>'


def _nothing(store: Store) -> str:
    """What to do where no image has an embedding."""
    if maps.has_runs_without_embeddings(store):
        told = (
            "The images here were scored by CLIPScore before it kept what it sees. Remove that run on the page Runs and score"
            " again."
        )
        return f"{told} {next_steps.how_to_score(store, 'clipscore')}"
    told = "No image has an embedding yet, so there is no map. CLIPScore keeps one of each image that it looks at."
    return f"{told} {next_steps.how_to_score(store, 'clipscore')}"
