"""All images, filtered; the filters are the page's address, and its JavaScript (``assets/browse.js``) writes it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import gradio as gr
from starlette.datastructures import QueryParams

from concord import failures
from concord import maps as lassos
from concord.confusion import crossing_of, describe_cell
from data.store.core.selection import Selection
from data.store.core.store import Store
from ui import browsing
from ui.addresses import browse_address, crossed_among, crossed_in, marked_in
from ui.components.acting import told
from ui.components.module import module
from ui.components.table import linked_note
from ui.pages.live import ignored, keep_current

NAME = "Browse"
PATH = "/browse"


def build(store: Store) -> None:
    notice = gr.HTML(elem_id="ignored")
    crossing = gr.HTML(elem_id="crossing")
    page = module("browse", "")
    # what the page lists now, as its JavaScript tells
    listing = gr.State("")

    def opened(request: gr.Request) -> list[Any]:
        return _opened(store, request.query_params)

    def changed(event: gr.EventData) -> list[Any]:
        return _opened(store, QueryParams(told(event).get("query", "")))[:3]

    def draw(query: str) -> Iterator[list[Any]]:
        yield [_value(store, query), _in_words(store, QueryParams(query))]

    quiet: dict[str, Any] = {"queue": False, "show_progress": "hidden", "api_visibility": "private"}
    first = gr.on(None, opened, None, [notice, crossing, listing, page], **quiet)
    page.select(changed, None, [notice, crossing, listing], trigger_mode="always_last", **quiet)
    keep_current(store, draw, [listing], [page, crossing], opened=first)


def _opened(store: Store, asked: QueryParams) -> list[str]:
    """What an address asks for in vain, what it lists besides what its filters say, its query, and what the module gets."""
    followed = browsing.follow(store, asked)
    words = _in_words(store, QueryParams(followed.query))
    return [ignored(followed.lost, {}), words, followed.query, _value(store, followed.query)]


def _value(store: Store, query: str) -> str:
    """What the page's JavaScript is given: a version that has moved makes it look again."""
    return json.dumps({"query": query, "version": store.version, "choices": browsing.choices(store)})


def _in_words(store: Store, query: QueryParams) -> str:
    """A sentence about what restricts the images besides the filters, and a way back to all; nothing if nothing does."""
    crossed, marked = crossed_in(query.getlist), marked_in(query.getlist)
    places = Selection.of(lambda name: query.getlist(name) if name in ("suite", "task", "generator") else ())
    told_of = []
    if crossed:
        told_of.append(describe_cell(store, crossing_of(store, crossed, crossed_among(query.getlist))))
    if marked:
        told_of.append(failures.describe_images(store, marked, places))
    if lasso := lassos.lasso_in(query.getlist):
        told_of.append(lassos.describe_lasso(store, lasso))
    if not told_of:
        return ""
    rater, by, order = (query.get(name, "") for name in ("rater", "by", "order"))
    return linked_note(" ".join(told_of), browse_address(places, rater=rater, by=by, order=order), "Show all images")
