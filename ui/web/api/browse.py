"""JSON routes of Browse and Map: pages of items, facets, rows by prompt, tags and saved views; a point's image, a lasso's
images.

``ImageListing`` is what an address's query lists; the pages Map and Workbench and the downloads read it the same way.
"""

from __future__ import annotations

from dataclasses import asdict, replace
from typing import Annotated, Any

from fastapi import APIRouter, Depends, HTTPException, Query, Request
from pydantic import BaseModel, Field

from concord.common.live_updates import followed
from concord.maps import LassoLost, MapAddress, class_counts, embedding_sources, map_address, map_of
from data.aspects import NO, YES, YES_NO_ASPECTS
from data.jobs import generation
from data.spec import parse_spec
from data.store.browse import facets, filters, grid, map_points
from data.store.browse.contents import rater_names
from data.store.browse.filters import AMONG_SCORERS, sentence
from data.store.core.selection import GROUPS, PEOPLE
from data.store.core.store import Store
from data.store.judgements import remarks, scorer_evidence
from data.store.judgements.remarks import Tagging, TagRefused
from data.validation import did_you_mean
from scorers import registry
from ui.components.addresses import ImageListing, listing_of
from ui.web.api import person_of, refusing

PAGE = 60


def router(store: Store) -> APIRouter:
    """The routes under ``/api/studio`` that Browse and Map use."""
    routes = APIRouter(prefix="/api/studio")

    @routes.get("/version")
    def version(of: Annotated[str, Query(max_length=200)] = "") -> dict[str, str]:
        moves = followed(of)
        if of and moves is None:
            raise HTTPException(404, "There is nothing of this name to follow.")
        return {"version": store.version if moves is None else moves(store)}

    @routes.get("/items")
    def items(listing: _Listing, page: Annotated[int, Query(ge=0, le=1_000_000)] = 0) -> dict[str, Any]:
        item_page = grid.items(store, listing.restriction(store), listing.display, offset=page * PAGE, limit=PAGE)
        says = grid.scorer_verdicts(store, [row["item_id"] for row in item_page.rows], _scorers(listing))
        display = [
            row | {"blanked": generation.why_blank(row["blanked"]), "says": says.get(row["item_id"], {})}
            for row in item_page.rows
        ]
        rows = _with_crossing(store, _with_verdicts(store, display, listing), listing)
        return {"items": rows, "total": item_page.total, "page": page, "size": PAGE, "alike": bool(embedding_sources(store))}

    @routes.get("/facets")
    def counted(listing: _Listing) -> dict[str, Any]:
        version, restriction = store.version, listing.restriction(store)
        known = rater_names(store)
        for name in sorted(listing.filters.raters() - set(known)):
            raise HTTPException(422, f"There is no scorer {name!r} in this project; {did_you_mean(name, known)}")
        counts = facets.facets(store, restriction, certainty=listing.crossed is None)
        return {
            "sentence": sentence(restriction, counts.total),
            "total": counts.total,
            "version": version,
            "behind": counts.behind,
            "facets": [asdict(facet) for facet in counts.facets],
        }

    @routes.get("/strip")
    def distribution(listing: _Listing, of: Annotated[str, Query(max_length=1000)] = "") -> dict[str, Any]:
        restriction = listing.restriction(store)
        with refusing(422, ValueError):
            return asdict(facets.score_histogram(store, restriction, of or None))

    @routes.get("/rows")
    def by_prompt(
        listing: _Listing,
        page: Annotated[int, Query(ge=0, le=1_000_000)] = 0,
        left: Annotated[str, Query(max_length=1000)] = "",
        right: Annotated[str, Query(max_length=1000)] = "",
    ) -> dict[str, Any]:
        columns = [name for name in (left, right) if name] if left and right else []
        prompt_page = grid.prompt_rows(
            store, listing.restriction(store), listing.display, columns=columns, offset=page * ROWS, limit=ROWS
        )

        shown = [item["item_id"] for row in prompt_page.rows for items in row.cells.values() for item in items]
        says = grid.scorer_verdicts(store, shown, _scorers(listing))

        def short(items: list[dict[str, Any]]) -> list[dict[str, Any]]:
            return [
                {name: value for name, value in item.items() if name not in ("spec", "text")}
                | {"blanked": generation.why_blank(item["blanked"]), "says": says.get(item["item_id"], {})}
                for item in items
            ]

        return {
            "rows": [
                asdict(row) | {"cells": {name: short(items) for name, items in row.cells.items()}} for row in prompt_page.rows
            ],
            "generators": prompt_page.generators,
            "total": prompt_page.total,
            "page": page,
            "size": ROWS,
        }

    @routes.get("/tags")
    def listed_tags() -> dict[str, Any]:
        return {"tags": [asdict(tag) for tag in remarks.list_tags(store)]}

    @routes.post("/tags")
    def tag_items(request: Request, body: TagBody) -> dict[str, Any]:
        name = _written(body.tag, "tag")
        by = person_of(request, "tags are stored with a name")
        with refusing(404, TagRefused):
            new = remarks.tag_items(store, Tagging(body.id, tuple(body.items), name, body.on, by))
        return {"new": new, "tags": remarks.tags_of_items(store, body.items)}

    @routes.get("/views")
    def listed_views() -> dict[str, Any]:
        return {"views": [asdict(view) for view in filters.saved_views(store)]}

    @routes.post("/views")
    def save_view(request: Request, body: ViewBody) -> dict[str, Any]:
        by = person_of(request, "views are stored with a name")
        filters.save_view(store, body.id, _written(body.name, "name"), body.query.removeprefix("?"), by)
        return listed_views()

    @routes.post("/views/forget")
    def forget_view(request: Request, body: ForgetBody) -> dict[str, Any]:
        by = person_of(request, "deleting a view is recorded")
        name = _written(body.name, "name")
        if name not in {view.name for view in filters.saved_views(store)}:
            raise HTTPException(404, f"There is no view {name!r}.")
        filters.save_view(store, body.id, name, None, by)
        return listed_views()

    @routes.get("/map/image")
    def image(on: Annotated[MapAddress, Depends(_map_in)], n: Annotated[int, Query(ge=0, le=10_000_000)]) -> dict[str, Any]:
        with refusing(409, LassoLost):
            items = map_of(store, on).items
        point = map_points.map_item(store, items[n]) if n < len(items) else None
        if point is None:
            raise HTTPException(404, "This image is no longer in the project.")
        return point

    @routes.get("/map/inside")
    def inside(listing: _Listing, paint: Annotated[str, Query(max_length=500)] = "") -> dict[str, Any]:
        if listing.lasso is None:
            raise HTTPException(422, "lasso is missing: the corners of a line, as x,y;x,y;x,y.")
        restriction = listing.restriction(store)
        page = grid.items(store, restriction, replace(listing.display, order="prompt"), limit=_FIRST)
        shown = ("item_id", "sha256", "text", "generator", "task", "idx")
        with refusing(409, LassoLost):
            classes = class_counts(store, paint, listing.lasso.on, restriction)
        items = [{name: row[name] for name in shown} for row in page.rows]
        return {"total": page.total, "items": items, "classes": classes}

    return routes


def _scorers(listing: ImageListing) -> set[str] | None:
    """The raters whose verdicts a listing tells beside the shown value; None: of all scorers."""
    if ("", AMONG_SCORERS) in listing.filters.differs:
        return None
    named = {rater for rater, _ in (*listing.filters.says, *listing.filters.differs) if rater}
    return named | ({listing.rater} if listing.aspect == "correct" else set())


def _with_verdicts(store: Store, rows: list[dict[str, Any]], listing: ImageListing) -> list[dict[str, Any]]:
    """Each row with ``verdict`` (yes or no of one rater, where there is one) and ``reason`` (why a scorer does not say yes)."""
    sights = None
    if listing.rater != PEOPLE and listing.aspect == "correct":
        sights = scorer_evidence.evidence_without_masks(store, [row["item_id"] for row in rows], listing.rater)
    judged = []
    for row in rows:
        spec = row.pop("spec")
        decisive = listing.rater not in GROUPS and listing.aspect in YES_NO_ASPECTS
        verdict = {1.0: YES, 0.0: NO}.get(row["mean"]) if decisive else None
        judged.append(row | {"verdict": verdict, "reason": _reason(sights, row["item_id"], spec) if sights else None})
    return judged


def _with_crossing(store: Store, rows: list[dict[str, Any]], listing: ImageListing) -> list[dict[str, Any]]:
    """Each row with what both sides say, where only that is listed: ``crossed``, one entry for each target."""
    crossing = listing.crossing(store)
    if crossing is None:
        return rows
    units = crossing.units(store, [row["item_id"] for row in rows])
    return [row | {"crossed": [asdict(unit) for unit in units.get(row["item_id"], ())]} for row in rows]


def _reason(sights: scorer_evidence.RaterEvidence, item_id: str, spec: dict[str, Any] | None) -> str | None:
    """Why this scorer says that the image is not correct, or why it says nothing."""
    seen = sights.seen.get(item_id)
    if seen is None:
        return None
    if seen.failed is not None:
        return f"could not be looked at: {seen.failed}"
    try:
        return registry.get(sights.scorer).judge(parse_spec(spec or {}), seen, sights.settings).reason or None
    except ValueError:  # a scorer or a setting that this Concord does not know
        return None


ROWS = 20
MAX_TAGGED = 10_000
_Listing = Annotated[ImageListing, Depends(listing_of)]
_Name = Annotated[str, Field(min_length=1, max_length=100)]
_Id = Annotated[str, Field(min_length=1, max_length=100)]


class TagBody(BaseModel):
    """A tag put on items, or taken off; ``id`` is the client's, so that what is sent twice counts once."""

    id: _Id
    items: list[Annotated[str, Field(max_length=1000)]] = Field(min_length=1, max_length=MAX_TAGGED)
    tag: _Name
    on: bool = True


class ViewBody(BaseModel):
    """A view to keep: its name, and the query of Browse's address."""

    id: _Id
    name: _Name
    query: str = Field(max_length=10_000)


class ForgetBody(BaseModel):
    """The name of a view to let go of."""

    id: _Id
    name: _Name


def _written(text: str, noun: str) -> str:
    """A name without space around it.

    Raises:
        HTTPException: 422, nothing is left.
    """
    name = " ".join(text.split())
    if not name or not name.isprintable():
        raise HTTPException(422, f"A {noun} needs at least one letter, and no invisible characters.")
    return name


_FIRST = 12


def _map_in(text: Annotated[str, Query(alias="map", max_length=500)]) -> MapAddress:
    with refusing(422, ValueError):
        address = map_address(text)
    if address is None:
        raise HTTPException(422, "map is missing: METHOD:MODEL.")
    return address
