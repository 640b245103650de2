"""The scope of a listing of images: unlike at other places it may hold all suites, and images that nobody has judged."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from concord.common import wording
from concord.scope import OpenScope, Scope, ScopeChoice
from data.selection import Selection
from data.store.browse import contents, grid, scopes
from data.store.browse.filters import ListingQuery
from data.store.browse.grid import ListingDisplay
from data.store.core.store import Store

CORRECT: Final = "correct"
"""The question of a listing that asks no other."""


def listing_scope(store: Store, selection: Selection, aspect: str, aspects: Sequence[str]) -> OpenScope:
    """Return the scope of a listing.

    Args:
        store: the open project.
        selection: suites, tasks and generators of the listing.
        aspect: the question that its address asks; empty for the usual one.
        aspects: that may be asked.
    """
    suites = scopes.images_by(store, "suite", replace(selection, suite=()))
    tasks = scopes.images_by(store, "task", replace(selection, task=()))
    generators = scopes.images_by(store, "generator", replace(selection, generator=()))
    known = contents.filter_choices(store).suite
    asked = Scope(_several(selection.suite), aspect, selection.generator, _several(selection.task))
    alone = known[0] if len(known) == 1 else ""
    scope = replace(asked, suite=asked.suite or alone, aspect=asked.aspect or CORRECT)
    every = [ScopeChoice("", "all suites", sum(suites.values()))] if len(known) > 1 else []
    offered = {
        "suite": (*every, *(ScopeChoice(name, name, suites.get(name, 0)) for name in known)),
        "aspect": tuple(ScopeChoice(name, wording.plain_aspect(name)) for name in aspects),
        "generator": tuple(ScopeChoice(name, name, n) for name, n in generators.items()),
        "task": tuple(ScopeChoice(name, wording.task(name), n) for name, n in tasks.items()),
        "statistic": (),
    }
    size = scopes.scope_size(store, replace(selection, aspect=(scope.aspect,)))
    # of pairs and groups the images are listed
    listed = grid.items(store, ListingQuery(selection), ListingDisplay(scope.aspect), limit=1).total
    return OpenScope(scope, asked, offered, replace(size, images=listed), ())


def _several(values: Sequence[str]) -> str:
    """Return what a chip of one choice says of several, which older addresses and kept views may hold."""
    return " or ".join(values)
