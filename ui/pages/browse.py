"""All images, filtered; the filters are the page's address, and its JavaScript (``assets/js/browse/browse.js``) writes it.

``follow`` says what of an address a project can follow, ``choices`` what the controls offer.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qsl, urlencode

import gradio as gr
from starlette.datastructures import QueryParams

from concord import maps
from concord.browsing.listing import CROSSED, FILTERED, MARKED, RESTRICTING, crossed_among, crossed_in, filters_in, marked_in
from concord.common import live_updates
from concord.error_analysis import failures
from concord.error_analysis.confusion import crossing_of, describe_cell
from data import selection
from data.selection import Selection
from data.store.analysis.confusion import rater_groups
from data.store.browse import contents, filters, grid
from data.store.core.store import Store
from ui.components.addresses import browse_address
from ui.components.tables import linked_note
from ui.shell.events import QUIET
from ui.shell.following import keep_current, version_signal
from ui.shell.html import event_data, js_module, rendered
from ui.shell.page import Page
from ui.shell.view import ignored

DEFAULTS: Mapping[str, str] = {"rater": selection.PEOPLE, "by": "correct", "order": "prompt", "show": "grid"}
"""What an address that does not say so asks for."""
_ORDERS = {
    "prompt": "by prompt",
    "lowest": "lowest first",
    "highest": "highest first",
    "split": "people differ most first",
    "differs": "most disagreement first",
    "confidence": "least confident first",
    "likert": "largest gap to people's rating first",
    "recent": "most recently judged first",
}
_SHOWS = ("grid", "prompts")
_SINGLE = ("rater", "by", "order", "show", "left", "right", "of", "like")


@dataclass(frozen=True, slots=True)
class FollowedAddress:
    """Attributes:
    query: what of an address can be followed, complete: whose values of which aspect are shown is said.
    lost: what cannot, by name.
    """

    query: str
    lost: dict[str, str]


@dataclass(frozen=True, slots=True)
class _KnownValues:
    """What a project has, by the name in an address."""

    places: dict[str, list[str]]
    raters: list[str]
    shown: list[str]
    aspects: list[str]


def choices(store: Store) -> dict[str, list[tuple[str, str]] | list[str]]:
    """What Browse's controls offer: (value, words) by name, and the names of the generators."""
    known = _known(store)
    return {
        "rater": [(name, name) for name in known.shown],
        "by": [(name, name) for name in known.aspects],
        "order": [(name, words) for name, words in _ORDERS.items() if name in grid.ORDERS],
        "generators": known.places["generator"],
    }


def follow(store: Store, parameters: QueryParams) -> FollowedAddress:
    """What of this address the project can follow. Parts that belong together are followed together or not at all.

    A kept view (``view=NAME``) stands for its query, beside what else the address says.
    """
    kept_views = {view.name: view.query for view in filters.saved_views(store)} if parameters.get("view") else {}
    missing = [name for name in parameters.getlist("view") if name and name not in kept_views]
    inside = [pair for name in parameters.getlist("view") for pair in parse_qsl(kept_views.get(name, ""))]
    rest = [(name, value) for name, value in parameters.multi_items() if name != "view"]
    followed = _follow(store, QueryParams([*inside, *rest]))
    return FollowedAddress(followed.query, followed.lost | ({"view": ",".join(missing)} if missing else {}))


def _follow(store: Store, parameters: QueryParams) -> FollowedAddress:
    known = _known(store)
    groups = ((*CROSSED, *RESTRICTING), tuple(MARKED), tuple(maps.NAMES))
    ways = (_lost(store, parameters), _unmarked(store, parameters), maps.lost_parts(parameters.getlist))
    in_the_way = set[str]().union(*ways)
    names = [name for group, way in zip(groups, ways, strict=True) if not way for name in group]
    silent = {name for group in groups for name in group}
    followed: list[tuple[str, str]] = []
    lost: dict[str, list[str]] = {}
    last = {name: parameters.getlist(name)[-1] for name in _SINGLE if parameters.get(name)}
    for name, value in parameters.multi_items():
        if not value or name.startswith("__") or (name in last and last[name] != value):
            continue
        if name in names or _is_valid_parameter(known, name, value, crosses="about" in parameters):
            followed.append((name, value))
        elif name not in silent or name in in_the_way:
            # of what belongs together, that is named which is to blame
            lost.setdefault(name, []).append(value)
    return FollowedAddress(urlencode(_complete(known, followed)), {name: ",".join(values) for name, values in lost.items()})


def _complete(known: _KnownValues, followed: Iterable[tuple[str, str]]) -> list[tuple[str, str]]:
    """With whose values are shown, and of which aspect: what is crossed or marked, unless something else is asked for."""
    last = dict(followed)
    aspect = next((name for name in (last.get("about"), *known.aspects) if name in known.aspects), "correct")
    implied = {"by": aspect} | ({"rater": last["seen_by"]} if "seen_by" in last else {})
    implied = {name: value for name, value in implied.items() if name not in last and value != DEFAULTS[name]}
    return [*followed, *implied.items()]


@live_updates.cached(maxsize=8, key=live_updates.stored_version)
def _known(store: Store) -> _KnownValues:
    offered = contents.filter_choices(store)
    aspects = sorted(offered.aspect, key=lambda name: (name == "score", name != "correct", name)) or ["correct"]
    places = {"suite": offered.suite, "task": offered.task, "generator": offered.generator}
    return _KnownValues(places, contents.rater_names(store), [*offered.people, *offered.rater], aspects)


def _is_valid_parameter(known: _KnownValues, name: str, value: str, *, crosses: bool) -> bool:
    """Return True if an address parameter has a value that this project knows."""
    values: Mapping[str, Collection[str]] = {
        "rater": known.shown,
        "by": known.aspects,
        "order": grid.ORDERS,
        "show": _SHOWS,
        "left": known.places["generator"],
        "right": known.places["generator"],
        "of": known.raters,
        **known.places,
    }
    if name in FILTERED:
        if crosses and name == "certainty":
            return False
        # whether this is a filter as the JSON routes read it, of raters that the project has
        try:
            filters = filters_in(lambda parameter: (value,) if parameter == name else ())
        except ValueError:
            return False
        return filters.raters() <= {*known.raters}
    return name in ("tag", "like") or value in values.get(name, ())


def _unmarked(store: Store, parameters: QueryParams) -> set[str]:
    """Return the parameters of a highlight that cannot be honoured."""
    try:
        marked = marked_in(parameters.getlist)
    except ValueError:
        return {"picture"} if parameters.get("seen_by") and parameters.get("picture") else {*MARKED}
    if marked is None or marked.rater in {source.rater_id for source in failures.sources(store)}:
        return set()
    return {"seen_by"}


def _lost(store: Store, parameters: QueryParams) -> set[str]:
    """Return the parameters of a confusion cell that cannot be honoured; without a cell, those that only restrict one."""
    try:
        crossed = crossed_in(parameters.getlist)
    except ValueError:
        return {"way"} if {"about", "a", "b"} <= parameters.keys() else {*CROSSED}
    if crossed is None:
        return {*RESTRICTING}
    raters = rater_groups(store)
    known = {
        "about": crossed.aspect in contents.filter_choices(store).aspect,
        "a": crossed.a in raters,
        "b": crossed.b in raters or crossed.b in selection.GROUPS,
    }
    lost = {name for name, is_known in known.items() if not is_known}
    try:
        crossed_among(parameters.getlist)
    except ValueError:
        lost |= {"certainty", "since", "until"}
    return lost


class BrowsePage(Page[None]):
    """The page; its JavaScript writes the address and tells what it lists."""

    title, path = "Images", "/images"

    def build(self) -> None:
        store = self.store
        notice, crossing = gr.HTML(elem_id="ignored"), gr.HTML(elem_id="crossing")
        page = js_module("browse", "")
        # what the page lists now, as its JavaScript tells
        listing = gr.State("")

        def opened(request: gr.Request) -> list[Any]:
            # of before: what comes meanwhile is drawn then
            version = live_updates.version(store)
            return [*_opened(store, request.query_params), version]

        def changed(event: gr.EventData) -> list[Any]:
            return _opened(store, QueryParams(event_data(event).get("query", "")))[:3]

        def draw(query: str) -> Iterator[list[Any]]:
            yield [_value(store, query), _in_words(store, QueryParams(query))]

        signal = version_signal()
        gr.on(None, opened, None, [notice, crossing, listing, page, signal], queue=False, **QUIET)
        page.select(changed, None, [notice, crossing, listing], trigger_mode="always_last", queue=False, **QUIET)
        keep_current(store, draw, [listing], [page, crossing], signal=signal)


def _opened(store: Store, parameters: QueryParams) -> list[str]:
    """What an address asks for in vain, what it lists besides what its filters say, its query, and what the module gets."""
    followed = follow(store, parameters)
    words = _in_words(store, QueryParams(followed.query))
    return [ignored(followed.lost, {}), words, followed.query, _value(store, followed.query)]


def _value(store: Store, query: str) -> str:
    """What the page's JavaScript is given: a version that has moved makes it look again."""
    return json.dumps({"query": query, "version": store.version, "choices": choices(store)})


def _in_words(store: Store, query: QueryParams) -> str:
    """A sentence about what restricts the images besides the filters, and a way back to all; nothing if nothing does."""
    crossed, marked = crossed_in(query.getlist), marked_in(query.getlist)
    places = Selection.of(lambda name: query.getlist(name) if name in ("suite", "task", "generator") else ())
    told_of = []
    if crossed:
        told_of.append(describe_cell(store, crossing_of(store, crossed, crossed_among(query.getlist))))
    if marked:
        told_of.append(failures.describe_images(store, marked, places))
    if lasso := maps.lasso_in(query.getlist):
        told_of.append(maps.describe_lasso(store, lasso))
    if not told_of:
        return ""
    rater, by, order = (query.get(name, "") for name in ("rater", "by", "order"))
    every = browse_address(places, rater=rater, by=by, order=order)
    return rendered(linked_note(" ".join(told_of), every, "Show all images"))
