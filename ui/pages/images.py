"""Images: all images, filtered, and one of them in a drawer beside them.

The address says all of what is shown; its JavaScript (``assets/js/images/images.js``) writes it and asks a route what of it the
project can follow (`open_images`). ``follow`` says that, ``choices`` what the controls offer.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import parse_qsl, urlencode

import htpy
from starlette.datastructures import QueryParams

from concord import maps
from concord.browsing.listing import CROSSED, FILTERED, MARKED, RESTRICTING, crossed_among, crossed_in, filters_in, marked_in
from concord.browsing.orders import unusable_orders
from concord.browsing.scope import CORRECT, listing_scope
from concord.common import live_updates, next_steps, wording
from concord.common.base_path import at
from concord.error_analysis import failures
from concord.error_analysis.confusion import crossing_of, describe_cell
from concord.scope import Scope, current_aspect
from data import selection
from data.selection import Selection
from data.store.analysis.confusion import rater_groups
from data.store.browse import contents, filters, grid
from data.store.browse.grid import Order
from data.store.core.store import Store
from ui.components.addresses import BROWSE, browse_address
from ui.components.tables import linked_note
from ui.shell.followed_versions import POLL_SECONDS, poll
from ui.shell.html import js_module, rendered
from ui.shell.page import Page
from ui.shell.scope_bar import scope_bar
from ui.shell.view import ignored

_PLACES = ("suite", "task", "generator")
DEFAULTS: Mapping[str, str] = {"rater": selection.PEOPLE, "by": CORRECT, "order": "prompt", "show": "grid"}
"""What an address that does not say so asks for."""
_ORDERS: Mapping[Order, str] = {
    "prompt": "by prompt",
    "lowest": "lowest first",
    "highest": "highest first",
    "split": "people differ most first",
    "differs": "most disagreement first",
    "confidence": "least confident first",
    "likert": "largest gap to people's rating first",
    "recent": "most recently judged first",
}
_SHOWS = ("grid", "prompts", "map")
_BESIDE = frozenset({"image", "shown", "aspect", "statistic"})
"""What an address may hold beside the listing: the image in the drawer, and what the scope of other places says."""
_ASPECTS = ("by", "about")
_SINGLE = ("rater", "by", "order", "show", "left", "right", "of", "paint", "like")


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

    suites: list[str]
    tasks: list[str]
    generators: list[str]
    raters: list[str]
    shown: list[str]
    aspects: list[str]
    shows: Collection[str]
    paints: Collection[str]


def choices(store: Store, query: QueryParams) -> dict[str, Any]:
    """Return what the controls of Images offer: (value, words) by name, and the names of the generators.

    An order that would sort nothing for whose values `query` shows has a third part: what is missing.
    """
    known = _known(store)
    rater, by = (_last(query, name) or DEFAULTS[name] for name in ("rater", "by"))
    missing = unusable_orders(store, rater, by, by_rank=_last(query, "way") in ("halves", "apart"))
    return {
        "rater": [(name, name) for name in known.shown],
        "by": [(name, name) for name in known.aspects],
        "order": [(name, words, *([missing[name]] if name in missing else [])) for name, words in _ORDERS.items()],
        "generators": known.generators,
        "show": [*known.shows],
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
    pairs = parameters.multi_items()
    parameters = QueryParams(
        [(name, current_aspect(value, known.aspects) if name in _ASPECTS else value) for name, value in pairs]
    )
    groups = ((*CROSSED, *RESTRICTING), tuple(MARKED), tuple(maps.NAMES))
    ways = (_lost(store, parameters), _unmarked(store, parameters), maps.lost_parts(parameters.getlist))
    in_the_way = set[str]().union(*ways)
    names = [name for group, way in zip(groups, ways, strict=True) if not way for name in group]
    silent = {name for group in groups for name in group}
    followed: list[tuple[str, str]] = []
    lost: dict[str, list[str]] = {}
    last = {name: parameters.getlist(name)[-1] for name in _SINGLE if parameters.get(name)}
    for name, value in parameters.multi_items():
        if not value or name.startswith("__") or name in _BESIDE or (name in last and last[name] != value):
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
    places = (offered.suite, offered.task, offered.generator)
    # without embeddings there is no map
    shows, paints = (_SHOWS, maps.colorings(store)) if maps.embedding_sources(store) else (_SHOWS[:-1], ())
    return _KnownValues(*places, contents.rater_names(store), [*offered.people, *offered.rater], aspects, shows, paints)


def _is_valid_parameter(known: _KnownValues, name: str, value: str, *, crosses: bool) -> bool:
    """Return True if an address parameter has a value that this project knows."""
    values: Mapping[str, Collection[str]] = {
        "rater": known.shown,
        "by": known.aspects,
        "order": grid.ORDERS,
        "show": known.shows,
        "paint": known.paints,
        "blind": ("1",),
        "left": known.generators,
        "right": known.generators,
        "of": known.raters,
        "suite": known.suites,
        "task": known.tasks,
        "generator": known.generators,
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


class ImagesPage(Page):
    """The place; its JavaScript writes the address."""

    title, path = "Images", "/images"

    def build(self) -> None:
        js_module("images", poll=poll(live_updates.version, POLL_SECONDS))


def open_images(store: Store, parameters: QueryParams) -> dict[str, Any]:
    """Return what the place shows beside its images for an address, as JSON.

    ``query``: what of the address the project follows; ``lost``: what not, as HTML; ``restriction``: what restricts the images
    besides the filters, as HTML; ``scope``: the scope bar, as HTML; ``all``: how many images the scope leaves;
    ``choices``: what the controls offer; ``missing``: how to get what is not here, as HTML; ``version``: of all that.
    """
    version = live_updates.version(store)
    given = parameters.multi_items()
    question = _last(parameters, "aspect")
    if not _last(parameters, "by") and question in _known(store).aspects:
        # as other places name it
        given = [*given, ("by", question)]
    followed = follow(store, QueryParams(given))
    query = QueryParams(followed.query)
    selected = Selection.of(lambda name: query.getlist(name) if name in _PLACES else ())
    opened = listing_scope(store, selected, _last(query, "by"), _known(store).aspects)
    return {
        "query": followed.query,
        "lost": ignored(followed.lost, {}),
        "restriction": _in_words(store, query),
        "scope": rendered(scope_bar(opened, lambda scope: scope_address(query, opened.asked, scope))),
        "all": opened.size.images,
        # in Blind mode nobody's values can be asked for, and no order by them
        "choices": choices(store, query) | ({"rater": [], "order": []} if _last(query, "blind") else {}),
        "missing": _could_be_here(store),
        "version": version,
    }


def _could_be_here(store: Store) -> str:
    """Return one line about the map where there is none, and how to get it, as HTML; nothing where there is one."""
    if maps.embedding_sources(store) or not contents.totals(store).images:
        return ""
    text = "a map of the images by what a model sees in them. It needs embeddings, which CLIPScore keeps:"
    if maps.has_runs_without_embeddings(store):
        text = "a map of the images. CLIPScore kept no embeddings of them: remove its run at + Add, Runs, and score again:"
    (command,) = next_steps.command_lines(store, next_steps.score_command(store, "clipscore"))[-1:]
    return rendered(htpy.p(class_="cc-quietline")["Could be here: ", text, " ", htpy.code[command]])


def _last(query: QueryParams, name: str) -> str:
    """Return the value of a name in an address that counts; empty for none."""
    return next((value for value in reversed(query.getlist(name)) if value), "")


def scope_address(query: QueryParams, asked: Scope, scope: Scope) -> str:
    """Return the address of a listing in another scope; a part that the scope leaves as it is keeps all its values."""
    pairs = [(name, value) for name, value in query.multi_items() if name not in (*_PLACES, "by")]
    for name, value, before in (("suite", scope.suite, asked.suite), ("task", scope.task, asked.task)):
        kept = query.getlist(name) if value == before else [value]
        pairs += [(name, each) for each in kept if each]
    pairs += [("generator", name) for name in scope.generator]
    aspect = scope.aspect or (asked.aspect if scope == Scope(suite=scope.suite) else "")
    pairs += [("by", aspect)] if aspect else []
    return at(f"{BROWSE}?{urlencode(pairs)}" if pairs else BROWSE)


def _in_words(store: Store, query: QueryParams) -> str:
    """A sentence about what restricts the images besides the filters, and a way back to all; nothing if nothing does."""
    crossed, marked = crossed_in(query.getlist), marked_in(query.getlist)
    places = Selection.of(lambda name: query.getlist(name) if name in _PLACES else ())
    told_of = []
    if crossed:
        told_of.append(describe_cell(store, crossing_of(store, crossed, crossed_among(query.getlist))))
    if marked:
        told_of.append(failures.describe_images(store, marked, places))
    if listed := len(set(query.getlist("item"))):
        told_of.append(f"Only the {wording.count(listed, 'image')} that the link lists.")
    # on the map itself the line says so
    if (lasso := maps.lasso_in(query.getlist)) and _last(query, "show") != "map":
        told_of.append(maps.describe_lasso(store, lasso))
    if not told_of:
        return ""
    rater, by, order = (_last(query, name) for name in ("rater", "by", "order"))
    every = browse_address(places, rater=rater, by=by, order=order)
    return rendered(linked_note(" ".join(told_of), every, "Show all images"))
