"""JSON routes of Browse besides its pages of items: facets, the strip above the grid, rows by prompt, tags and kept views."""

from __future__ import annotations

import difflib
from collections.abc import Callable
from dataclasses import asdict
from typing import Annotated, Any, TypeVar

from fastapi import APIRouter, Depends, HTTPException, Query, Request
from pydantic import BaseModel, Field

from data.jobs import generation
from data.store.browse import facets, filters, grid
from data.store.browse.contents import rater_names
from data.store.browse.filters import sentence
from data.store.core.store import Store
from data.store.judgements import remarks
from data.store.judgements.remarks import Tagging, TagRefused
from ui.studio_api import Listing, listing_of

T = TypeVar("T")
ROWS = 20
MAX_TAGGED = 10_000
_Asked = Annotated[Listing, Depends(listing_of)]
_Name = Annotated[str, Field(min_length=1, max_length=100)]
_Id = Annotated[str, Field(min_length=1, max_length=100)]


class Tag(BaseModel):
    """A tag put on items, or taken off; ``id`` is the client's, so that what is sent twice counts once."""

    id: _Id
    items: list[Annotated[str, Field(max_length=1000)]] = Field(min_length=1, max_length=MAX_TAGGED)
    tag: _Name
    on: bool = True


class View(BaseModel):
    """A view to keep: its name, and the query of Browse's address."""

    id: _Id
    name: _Name
    query: str = Field(max_length=10_000)


class Forgotten(BaseModel):
    """The name of a view to let go of."""

    id: _Id
    name: _Name


def router(store: Store) -> APIRouter:
    """The routes under ``/api/studio`` that Browse uses besides ``/items``."""
    routes = APIRouter(prefix="/api/studio")
    _add_listings(routes, store)
    _add_tags(routes, store)
    _add_views(routes, store)
    return routes


def _add_listings(routes: APIRouter, store: Store) -> None:
    @routes.get("/facets")
    def counted(listing: _Asked) -> dict[str, Any]:
        version, asked = store.version, listing.asked(store)
        _known_raters(store, listing)
        found = facets.facets(store, asked, certainty=listing.crossed is None)
        return {
            "sentence": sentence(asked, found.total),
            "total": found.total,
            "version": version,
            "behind": found.behind,
            "facets": [asdict(facet) for facet in found.facets],
        }

    @routes.get("/strip")
    def distribution(listing: _Asked, of: Annotated[str, Query(max_length=1000)] = "") -> dict[str, Any]:
        asked = listing.asked(store)
        return asdict(_understood(lambda: facets.score_histogram(store, asked, of or None)))

    @routes.get("/rows")
    def by_prompt(
        listing: _Asked,
        page: Annotated[int, Query(ge=0, le=1_000_000)] = 0,
        left: Annotated[str, Query(max_length=1000)] = "",
        right: Annotated[str, Query(max_length=1000)] = "",
    ) -> dict[str, Any]:
        columns = [name for name in (left, right) if name] if left and right else []
        found = grid.prompt_rows(store, listing.asked(store), listing.shown, columns=columns, offset=page * ROWS, limit=ROWS)
        return {
            "rows": [asdict(row) | {"cells": _cells(row.cells)} for row in found.rows],
            "generators": found.generators,
            "total": found.total,
            "page": page,
            "size": ROWS,
        }


def _cells(cells: dict[str, list[dict[str, Any]]]) -> dict[str, list[dict[str, Any]]]:
    return {
        generator: [
            {name: value for name, value in item.items() if name not in ("spec", "text")}
            | {"blanked": generation.why_blank(item["blanked"])}
            for item in items
        ]
        for generator, items in cells.items()
    }


def _add_tags(routes: APIRouter, store: Store) -> None:
    @routes.get("/tags")
    def listed() -> dict[str, Any]:
        return {"tags": [asdict(tag) for tag in remarks.list_tags(store)]}

    @routes.post("/tags")
    def tagged(request: Request, body: Tag) -> dict[str, Any]:
        name = _written(body.tag, "tag")
        by = _name(request, "who tags an image is recorded")
        try:
            new = remarks.tag_items(store, Tagging(body.id, tuple(body.items), name, body.on, by))
        except TagRefused as error:
            raise HTTPException(404, f"{str(error)[0].upper()}{str(error)[1:]}.") from error
        return {"new": new, "tags": remarks.tags_of_items(store, body.items)}


def _add_views(routes: APIRouter, store: Store) -> None:
    @routes.get("/views")
    def listed() -> dict[str, Any]:
        return {"views": [asdict(view) for view in filters.saved_views(store)]}

    @routes.post("/views")
    def kept(request: Request, body: View) -> dict[str, Any]:
        by = _name(request, "who keeps a view is recorded")
        filters.save_view(store, body.id, _written(body.name, "name"), body.query.removeprefix("?"), by)
        return listed()

    @routes.post("/views/forget")
    def forgotten(request: Request, body: Forgotten) -> dict[str, Any]:
        by = _name(request, "who lets go of a view is recorded")
        name = _written(body.name, "name")
        if name not in {view.name for view in filters.saved_views(store)}:
            raise HTTPException(404, f"There is no view {name!r}.")
        filters.save_view(store, body.id, name, None, by)
        return listed()


def _name(request: Request, why: str) -> str:
    person: str | None = request.session.get("name")
    if person is None:
        raise HTTPException(401, f"Please give your name first: {why}.")
    return person


def _written(text: str, what: str) -> str:
    """A name without space around it.

    Raises:
        HTTPException: 422, nothing is left.
    """
    name = " ".join(text.split())
    if not name or not name.isprintable():
        raise HTTPException(422, f"A {what} needs at least one letter, and no signs that cannot be seen.")
    return name


def _known_raters(store: Store, listing: Listing) -> None:
    """Refuse a scorer's name that nobody has.

    Raises:
        HTTPException: 422, with the nearest name.
    """
    known = rater_names(store)
    for name in sorted(listing.filters.raters() - set(known)):
        near = difflib.get_close_matches(name, known, n=1)
        hint = f"did you mean {near[0]}?" if near else "facets without it name those that there are."
        raise HTTPException(422, f"There is no scorer {name!r} in this project; {hint}")


def _understood(read: Callable[[], T]) -> T:
    """What is read.

    Raises:
        HTTPException: 422, with the reason why it is not.
    """
    try:
        return read()
    except ValueError as error:
        raise HTTPException(422, str(error)) from error
