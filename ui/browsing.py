"""What of Browse's address a project can follow, and what its controls offer."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from urllib.parse import parse_qsl, urlencode

from starlette.datastructures import QueryParams

from concord import failures
from concord import maps as lassos
from data.store.analysis.confusion import rater_groups
from data.store.browse import contents, filters
from data.store.core.store import Store
from ui.addresses import CROSSED, FILTERED, MARKED, RESTRICTING, crossed_among, crossed_in, filters_in, marked_in

DEFAULTS: Mapping[str, str] = {"rater": contents.PEOPLE, "by": "correct", "order": "prompt", "show": "grid"}
"""What an address that does not say so asks for."""
_ORDERS = {
    "prompt": "by prompt",
    "lowest": "lowest first",
    "highest": "highest first",
    "split": "people differ most first",
    "differs": "most disagreement first",
    "confidence": "least sure first",
    "likert": "largest gap to people's rating first",
    "recent": "latest judged first",
}
_SHOWS = ("grid", "prompts")
_SINGLE = ("rater", "by", "order", "show", "left", "right", "of")


@dataclass(frozen=True, slots=True)
class Followed:
    """Attributes:
    query: what of an address can be followed, complete: whose values of which aspect are shown is said.
    lost: what cannot, by name.
    """

    query: str
    lost: dict[str, str]


@dataclass(frozen=True, slots=True)
class _Known:
    """What a project has, by the name in an address."""

    places: dict[str, list[str]]
    raters: list[str]
    shown: list[str]
    aspects: list[str]


def choices(store: Store) -> dict[str, list[tuple[str, str]] | list[str]]:
    """What Browse's controls offer: (value, words) by name, and the names of the generators."""
    known = _known(store, store.version)
    return {
        "rater": [(name, name) for name in known.shown],
        "by": [(name, name) for name in known.aspects],
        "order": [(name, words) for name, words in _ORDERS.items() if name in contents.ORDERS],
        "generators": known.places["generator"],
    }


def follow(store: Store, asked: QueryParams) -> Followed:
    """What of this address the project can follow. Parts that belong together are followed together or not at all.

    A kept view (``view=NAME``) stands for its query, beside what else the address says.
    """
    kept_views = {view.name: view.query for view in filters.saved_views(store)} if asked.get("view") else {}
    missing = [name for name in asked.getlist("view") if name and name not in kept_views]
    inside = [one for name in asked.getlist("view") for one in parse_qsl(kept_views.get(name, ""))]
    rest = [(name, value) for name, value in asked.multi_items() if name != "view"]
    found = _follow(store, QueryParams([*inside, *rest]))
    return Followed(found.query, found.lost | ({"view": ",".join(missing)} if missing else {}))


def _follow(store: Store, asked: QueryParams) -> Followed:
    known = _known(store, store.version)
    in_the_way = _lost(store, asked) | _unmarked(store, asked) | lassos.lost_parts(asked.getlist)
    names = [] if _lost(store, asked) else [*CROSSED, *RESTRICTING]
    names += [] if _unmarked(store, asked) else [*MARKED]
    names += [] if lassos.lost_parts(asked.getlist) else [*lassos.NAMES]
    silent = {*CROSSED, *RESTRICTING, *MARKED, *lassos.NAMES}
    kept: list[tuple[str, str]] = []
    lost: dict[str, list[str]] = {}
    last = {name: asked.getlist(name)[-1] for name in _SINGLE if asked.get(name)}
    for name, value in asked.multi_items():
        if not value or name.startswith("__") or (name in last and last[name] != value):
            continue
        if name in names or _fits(known, name, value, crosses="about" in asked):
            kept.append((name, value))
        elif name not in silent or name in in_the_way:
            # of what belongs together, that is named which is to blame
            lost.setdefault(name, []).append(value)
    return Followed(urlencode(_complete(known, kept)), {name: ",".join(values) for name, values in lost.items()})


def _complete(known: _Known, kept: Iterable[tuple[str, str]]) -> list[tuple[str, str]]:
    """With whose values are shown, and of which aspect: what is crossed or marked, unless something else is asked for."""
    given = dict(kept)
    aspect = next((name for name in (given.get("about"), *known.aspects) if name in known.aspects), "correct")
    implied = {"by": aspect} | ({"rater": given["seen_by"]} if "seen_by" in given else {})
    implied = {name: value for name, value in implied.items() if name not in given and value != DEFAULTS[name]}
    return [*kept, *implied.items()]


@lru_cache(maxsize=8)
def _known(store: Store, version: str) -> _Known:  # noqa: ARG001 - part of the key
    found = contents.filter_choices(store)
    aspects = sorted(found["aspect"], key=lambda name: (name == "score", name != "correct", name)) or ["correct"]
    places = {name: found[name] for name in ("suite", "task", "generator")}
    return _Known(places, contents.rater_names(store), [*found["people"], *found["rater"]], aspects)


def _fits(known: _Known, name: str, value: str, *, crosses: bool) -> bool:
    """Whether a part that stands for itself can be followed."""
    fits: dict[str, Callable[[], bool]] = {
        "rater": lambda: value in known.shown,
        "by": lambda: value in known.aspects,
        "order": lambda: value in contents.ORDERS,
        "show": lambda: value in _SHOWS,
        "left": lambda: value in known.places["generator"],
        "right": lambda: value in known.places["generator"],
        "of": lambda: value in known.raters,
        "tag": lambda: True,
    }
    if name in known.places:
        return value in known.places[name]
    if name in FILTERED:
        return not (crosses and name == "certainty") and _restricts(known, name, value)
    return name in fits and fits[name]()


def _restricts(known: _Known, name: str, value: str) -> bool:
    """Whether this is a filter as the JSON routes read it, of raters that the project has."""
    try:
        found = filters_in(lambda asked: (value,) if asked == name else ())
    except ValueError:
        return False
    return found.raters() <= {*known.raters}


def _unmarked(store: Store, asked: QueryParams) -> set[str]:
    """Which parts of the mark that an address asks for are in the way of it."""
    try:
        marked = marked_in(asked.getlist)
    except ValueError:
        return {"picture"} if asked.get("seen_by") and asked.get("picture") else {*MARKED}
    if marked is None or marked.rater in {source.rater_id for source in failures.sources(store)}:
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
    raters = rater_groups(store)
    known = {
        "about": crossed.aspect in contents.filter_choices(store)["aspect"],
        "a": crossed.a in raters,
        "b": crossed.b in raters or crossed.b in contents.GROUPS,
    }
    lost = {name for name, is_known in known.items() if not is_known}
    try:
        crossed_among(asked.getlist)
    except ValueError:
        lost |= {"certainty", "since", "until"}
    return lost
