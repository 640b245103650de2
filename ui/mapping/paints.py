"""By what the images on a map are told apart: what they are, what was asked for, and what is said of them."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final

from data.prompts.spec import SpecError, parse_spec
from data.store.browse import map_points
from data.store.browse.contents import PEOPLE, SIMULATED
from data.store.browse.filters import ListingQuery
from data.store.core.store import Store
from ui import following

OBJECT: Final = "object"
_PLACES: Final = {"generator": "Generator", "task": "Task", "suite": "Suite"}
SAYS, SCORE = "says", "score"
YES, NO, TIE, NONE, FAILED = "yes", "no", "tie", "none", "failed"
_WORDS: Final = {YES: "right", NO: "not right", TIE: "evenly split", FAILED: "could not look"}
_NOBODY: Final = {"people": "nobody asked", "simulated": "nobody asked", SAYS: "says nothing"}
_UNKNOWN: Final = "(none)"


@dataclass(frozen=True, slots=True)
class Paint:
    """One way to tell images apart.

    Attributes:
        name: in an address; ``title``: on the page.
        filter: the name of Browse's filter by it; empty where Browse has none.
        rater: whose word it is; empty where it is nobody's.
        continuous: values are numbers.
    """

    name: str
    title: str
    filter: str = ""
    rater: str = ""
    continuous: bool = False


def paints(store: Store) -> dict[str, Paint]:
    """All that this project has, by name, the first the usual one."""
    return _paints(store, following.version(store))


@lru_cache(maxsize=4)
def _paints(store: Store, version: str) -> dict[str, Paint]:  # noqa: ARG001 - part of the key
    said = map_points.aspects_by_speaker(store)
    found = [Paint(name, title, name) for name, title in _PLACES.items()]
    found.append(Paint(OBJECT, "Object asked for first", OBJECT))
    found.append(Paint("people", "What people say", "people", PEOPLE))
    if SIMULATED in said:
        found.append(Paint("simulated", "What simulated people say", "", SIMULATED))
    for rater in sorted(set(said) - {PEOPLE, SIMULATED}):
        if "correct" in said[rater]:
            found.append(Paint(f"{SAYS}:{rater}", f"What {rater} says", SAYS, rater))
        if "score" in said[rater]:
            found.append(Paint(f"{SCORE}:{rater}", f"Score by {rater}", "", rater, continuous=True))
    return {one.name: one for one in found}


def values(store: Store, paint: Paint, items: Sequence[str], asked: ListingQuery) -> Mapping[str, Any]:
    """Of those of these items that are asked for what they are told apart by: a text, or a number (None: there is none)."""
    if paint.continuous:
        return map_points.by_score(store, items, asked, paint.rater)
    if paint.name == OBJECT:
        return {item: _first_object(spec) for item, spec in map_points.by_spec(store, items, asked).items()}
    if paint.name == "simulated":
        return {item: _most(mean) for item, mean in map_points.by_simulated(store, items, asked).items()}
    if paint.filter == SAYS:
        return {item: said or NONE for item, said in map_points.by_verdict(store, items, asked, paint.rater).items()}
    return {item: value or _UNKNOWN for item, value in map_points.by_column(store, items, asked, paint.name).items()}


def title(paint: Paint, value: str) -> str:
    """A class in words."""
    if paint.rater:
        nobody = _NOBODY[SAYS if paint.name.startswith(f"{SAYS}:") else paint.name]
        return {**_WORDS, NONE: nobody}.get(value, value)
    return value


def browsed(paint: Paint, value: str) -> dict[str, str]:
    """The filter of Browse that lists a class; empty where there is none."""
    if not paint.filter or value == _UNKNOWN or (paint.filter == SAYS and value == NONE):
        return {}
    return {paint.filter: f"{paint.rater}:{value}" if paint.filter == SAYS else value}


def classes(found: Sequence[str], most: int) -> list[str]:
    """The classes that are told apart, most frequent first, at most so many; what people or scorers say in its own order."""
    counted = Counter(found)
    said = (YES, NO, TIE, FAILED, NONE)
    if counted.keys() <= {*said}:
        return [value for value in said if value in counted]
    return [value for value, _ in sorted(counted.items(), key=lambda each: (-each[1], each[0]))[:most]]


def _most(mean: float | None) -> str:
    if mean is None:
        return NONE
    return TIE if mean == 0.5 else YES if mean > 0.5 else NO


@lru_cache(maxsize=8192)
def _first_object(spec: str | None) -> str:
    try:
        objects = parse_spec(json.loads(spec or "{}")).objects
    except (SpecError, ValueError):
        return _UNKNOWN
    return objects[0].name if objects else _UNKNOWN
