"""A grid of all images, filtered; the filters are the page's address."""

from __future__ import annotations

from typing import Any
from urllib.parse import parse_qsl, urlencode

import gradio as gr
from starlette.datastructures import QueryParams

from data.store import browse
from data.store.crossed import groups
from data.store.selection import Selection
from data.store.store import Store
from ui import failing
from ui.addresses import CROSSED, MARKED, RESTRICTING, browse_address, crossed_among, crossed_in, marked_in
from ui.components.filters import Choice, dropdown
from ui.components.module import module
from ui.components.table import linked_note
from ui.crossing import crossing_of, sentence
from ui.mapping import lasso as lassos
from ui.pages.live import ignored, keep_current, set_address

NAME = "Browse"
PATH = "/browse"
ALL = "all"
_ORDERS = {"by prompt": "prompt", "lowest first": "lowest", "highest first": "highest", "people differ most first": "split"}
_FILTERS = ("suite", "task", "generator", "rater", "by", "order")


def build(store: Store) -> None:
    with gr.Row(elem_classes="cc-filters"):
        suite, task, generator = (dropdown(label, [ALL], ALL) for label in ("Suite", "Task", "Generator"))
        rater = dropdown("Judged by", [browse.PEOPLE], browse.PEOPLE)
        aspect = dropdown("Aspect")
        order = dropdown("Order", list(_ORDERS.items()), "prompt")
    notice = gr.HTML(elem_id="ignored")
    crossing = gr.HTML(elem_id="crossing")
    grid = module("browse", "")
    # what of the address has no control: whose answers cross, which mark of a failure picture
    fixed = gr.State("")
    filters = [suite, task, generator, rater, aspect, order]

    def choose(known: str, *asked: str | None) -> list[Any]:
        return _drawn(store, _choices(store, dict(zip(_FILTERS, asked, strict=True))), known)

    def opened(request: gr.Request) -> list[Any]:
        return _opened(store, request.query_params)

    quiet: dict[str, Any] = {"queue": False, "show_progress": "hidden", "api_visibility": "private"}
    drawn = [*filters, grid, crossing]
    first = gr.on(None, opened, None, [notice, fixed, *drawn], **quiet)
    gr.on([f.input for f in filters], choose, [fixed, *filters], drawn, **quiet)
    for control in filters:
        control.change(None, filters, None, js=set_address(_FILTERS))
    keep_current(store, lambda *asked: iter([choose(*asked)]), [fixed, *filters], drawn, opened=first)


def _opened(store: Store, asked: QueryParams) -> list[Any]:
    """What an address asks for in vain, what it fixes, and what is drawn of it."""
    fixed, lost = _followed(store, asked), _lost(store, asked) | _unmarked(store, asked) | lassos.lost(asked.getlist)
    given = dict(parse_qsl(fixed))
    # what is crossed or marked is shown, unless something else is asked for
    shown = {"by": given.get("about"), "rater": given.get("seen_by")}
    chosen = _choices(store, shown | {name: asked.get(name) for name in _FILTERS if name in asked})
    values = {name: choice.value for name, choice in chosen.items()}
    # of what cannot be followed, that is named which is to blame
    silent = {*CROSSED, *RESTRICTING, *MARKED, *lassos.NAMES} - lost
    wanted = {name: ",".join(asked.getlist(name)) for name in asked if name not in silent}
    return [ignored(wanted, values), fixed, *_drawn(store, chosen, fixed)]


def _drawn(store: Store, chosen: dict[str, Choice], fixed: str) -> list[Any]:
    """The filters, what the grid is to list, and what that is in words."""
    values = {name: choice.value for name, choice in chosen.items() if choice.value not in (None, ALL)}
    query = [(name, str(value)) for name, value in values.items()] + parse_qsl(fixed)
    # the version makes the grid look again when the project has moved
    listing = urlencode([*query, ("version", store.version)])
    return [*(choice.control() for choice in chosen.values()), listing, _in_words(store, QueryParams(query))]


def _in_words(store: Store, query: QueryParams) -> str:
    """A sentence about what restricts the images besides the filters, and a way back to all; nothing if nothing does."""
    crossed, marked = crossed_in(query.getlist), marked_in(query.getlist)
    places = Selection.of(lambda name: query.getlist(name) if name in ("suite", "task", "generator") else ())
    told = []
    if crossed:
        told.append(sentence(store, crossing_of(store, crossed, crossed_among(query.getlist))))
    if marked:
        told.append(failing.sentence(store, marked, places))
    if lasso := lassos.lasso_in(query.getlist):
        told.append(lassos.sentence(store, lasso))
    if not told:
        return ""
    rater, by, order = (query.get(name, "") for name in ("rater", "by", "order"))
    return linked_note(" ".join(told), browse_address(places, rater=rater, by=by, order=order), "Show all images")


def _followed(store: Store, asked: QueryParams) -> str:
    """What an address asks for besides the filters, as a query: of crossing and marks what the project has all of."""
    names = [] if _lost(store, asked) else [*CROSSED, *RESTRICTING]
    names += [] if _unmarked(store, asked) else [*MARKED]
    names += [] if lassos.lost(asked.getlist) else [*lassos.NAMES]
    return urlencode([(name, value) for name, value in asked.multi_items() if name in names and value])


def _unmarked(store: Store, asked: QueryParams) -> set[str]:
    """Which parts of the mark that an address asks for are in the way of it."""
    try:
        marked = marked_in(asked.getlist)
    except ValueError:
        return {"picture"} if asked.get("seen_by") and asked.get("picture") else {*MARKED}
    if marked is None or marked.rater in {source.rater_id for source in failing.sources(store)}:
        return set()
    return {"seen_by"}


def _lost(store: Store, asked: QueryParams) -> set[str]:
    """Which parts of what an address asks to cross are in the way of it; without any, nothing crosses."""
    try:
        crossed = crossed_in(asked.getlist)
    except ValueError:
        return {"way"} if {"about", "a", "b"} <= asked.keys() else {*CROSSED}
    if crossed is None:
        return {*RESTRICTING}
    raters = groups(store)
    known = {
        "about": crossed.aspect in browse.choices(store)["aspect"],
        "a": crossed.a in raters,
        "b": crossed.b in raters or crossed.b in browse.GROUPS,
    }
    lost = {name for name, is_known in known.items() if not is_known}
    try:
        crossed_among(asked.getlist)
    except ValueError:
        lost |= {"certainty", "since", "until"}
    return lost


def _choices(store: Store, asked: dict[str, str | None]) -> dict[str, Choice]:
    """The filters, each with what this project has to choose from."""
    known = browse.choices(store)
    options: dict[str, list[str]] = {name: [ALL, *known[name]] for name in ("suite", "task", "generator")}
    options["rater"] = [*known["people"], *known["rater"]]
    options["by"] = sorted(known["aspect"], key=lambda name: (name == "score", name != "correct", name)) or ["correct"]
    options["order"] = list(_ORDERS.values())
    chosen = {name: value if (value := asked.get(name) or "") in options[name] else options[name][0] for name in _FILTERS}
    titles = {"order": list(_ORDERS.items())}
    return {name: Choice(titles.get(name, options[name]), chosen[name]) for name in _FILTERS}
