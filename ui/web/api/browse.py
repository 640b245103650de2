"""JSON routes of Images and Map: pages of items, facets, rows by prompt, tags and saved views; a point's image, a lasso's
images.

``ImageListing`` is what an address's query lists; the page Map, the drawer's routes and the downloads read it the same way.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from typing import Annotated, Any, Final

from fastapi import APIRouter, Depends, HTTPException, Query, Request
from pydantic import BaseModel, Field

from concord.maps import LassoLost, MapAddress, class_counts, embedding_sources, map_address, map_of
from data.aspects import NO, YES, YES_NO_ASPECTS
from data.jobs import generation
from data.spec import parse_spec
from data.store.browse import facets, filters, grid, map_points
from data.store.browse.contents import rater_names
from data.store.browse.filters import AMONG_SCORERS, sentence
from data.store.browse.grid import GridItem
from data.store.core.selection import GROUPS, PEOPLE
from data.store.core.store import Store
from data.store.judgements import remarks, scorer_evidence
from data.store.judgements.remarks import Tagging, TagRefused
from data.validation import did_you_mean
from scorers import registry
from ui.components.addresses import ImageListing, listing_of
from ui.shell.followed_versions import followed
from ui.web.api import person_of, refusing

PAGE = 60
_MOST_PARAMETERS = 500


def router(store: Store) -> APIRouter:
    """The routes under ``/api/studio`` that Images and Map use."""
    routes = APIRouter(prefix="/api/studio")

    @routes.get("/version")
    def version(of: Annotated[str, Query(max_length=200)] = "") -> dict[str, str]:
        moves = followed(of)
        if of and moves is None:
            raise HTTPException(404, "There is nothing of this name to follow.")
        return {"version": store.version if moves is None else moves(store)}

    @routes.get("/images")
    def opened(request: Request) -> dict[str, Any]:
        """What stands around the images of an address: the scope bar, and what of the address the project follows."""
        from ui.pages.images import open_images

        if len(request.query_params.multi_items()) > _MOST_PARAMETERS:
            raise HTTPException(422, "This address says too much.")
        return open_images(store, request.query_params)

    @routes.get("/items")
    def items(listing: _Listing, blind: _Blind = "", page: Annotated[int, Query(ge=0, le=1_000_000)] = 0) -> dict[str, Any]:
        item_page = grid.items(store, listing.restriction(store), listing.display, offset=page * PAGE, limit=PAGE)
        return {
            "items": _items_json(store, item_page.rows, listing, blind=bool(blind)),
            "total": item_page.total,
            "page": page,
            "size": PAGE,
            "alike": bool(embedding_sources(store)),
        }

    @routes.get("/facets")
    def counted(listing: _Listing, blind: _Blind = "") -> dict[str, Any]:
        version, restriction = store.version, listing.restriction(store)
        known = rater_names(store)
        for name in sorted(listing.filters.raters() - set(known)):
            raise HTTPException(422, f"There is no scorer {name!r} in this project; {did_you_mean(name, known)}")
        counts = facets.facets(store, restriction, certainty=listing.crossed is None)
        return {
            # the suite stands in the scope bar
            "sentence": sentence(replace(restriction, selection=replace(restriction.selection, suite=())), counts.total),
            "total": counts.total,
            "version": version,
            "behind": counts.behind,
            "facets": [asdict(facet) for facet in counts.facets if not (blind and facet.name in _TELLING)],
        }

    @routes.get("/strip")
    def distribution(listing: _Listing, of: Annotated[str, Query(max_length=1000)] = "") -> dict[str, Any]:
        restriction = listing.restriction(store)
        with refusing(422, ValueError):
            return asdict(facets.score_histogram(store, restriction, of or None))

    @routes.get("/rows")
    def by_prompt(
        listing: _Listing,
        blind: _Blind = "",
        page: Annotated[int, Query(ge=0, le=1_000_000)] = 0,
        left: Annotated[str, Query(max_length=1000)] = "",
        right: Annotated[str, Query(max_length=1000)] = "",
    ) -> dict[str, Any]:
        columns = [name for name in (left, right) if name] if left and right else []
        prompt_page = grid.prompt_rows(
            store, listing.restriction(store), listing.display, columns=columns, offset=page * ROWS, limit=ROWS
        )

        item_ids = [item.item_id for row in prompt_page.rows for items in row.cells.values() for item in items]
        says = grid.scorer_verdicts(store, item_ids, _scorers(listing))

        def cell(items: list[GridItem]) -> list[dict[str, Any]]:
            rows = [_item_json(item, says.get(item.item_id, {})) | {"fits": item.fits} for item in items]
            return [row | _NOTHING_SAID for row in rows] if blind else rows

        return {
            "rows": [
                {"prompt_id": row.prompt_id, "text": row.text, "task": row.task}
                | {"cells": {name: cell(items) for name, items in row.cells.items()}}
                for row in prompt_page.rows
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
        with refusing(409, LassoLost):
            classes = class_counts(store, paint, listing.lasso.on, restriction)
        pictures: list[dict[str, Any]] = [
            {
                "item_id": row.item_id,
                "sha256": row.sha256,
                "text": row.text,
                "generator": row.generator,
                "task": row.task,
                "idx": row.idx,
            }
            for row in page.rows
        ]
        return {"total": page.total, "items": pictures, "classes": classes}

    return routes


def _scorers(listing: ImageListing) -> set[str] | None:
    """The raters whose verdicts a listing tells beside the shown value; None: of all scorers."""
    if ("", AMONG_SCORERS) in listing.filters.differs:
        return None
    named = {rater for rater, _ in (*listing.filters.says, *listing.filters.differs) if rater}
    return named | ({listing.rater} if listing.aspect == "correct" else set())


def _item_json(item: GridItem, says: Mapping[str, str]) -> dict[str, Any]:
    """Return an item of a grid as JSON; ``says``: scorers' verdicts of it."""
    return {
        "item_id": item.item_id,
        "suite": item.suite,
        "task": item.task,
        "generator": item.generator,
        "idx": item.idx,
        "sha256": item.sha256,
        "blanked": generation.why_blank(item.blanked),
        "tags": item.tags,
        "people": asdict(item.people),
        "mean": item.mean,
        "n": item.n,
        "says": says,
    }


_TELLING: Final = frozenset({"differs", "people", "verdict", "says", "certainty"})
"""Facets that tell what somebody says of the images that they list: Blind mode has none of them."""
_NOTHING_SAID: Final[dict[str, Any]] = {"people": {"yes": 0, "no": 0}, "mean": None, "n": 0, "says": {}}
"""In Blind mode takes the place of what people and scorers say of an image."""


def _items_json(store: Store, items: Sequence[GridItem], listing: ImageListing, *, blind: bool) -> list[dict[str, Any]]:
    """Return a page of items as JSON.

    Beside an item stand ``verdict`` (yes or no of one rater, where there is one), ``reason`` (why a scorer does not say yes),
    and where only what two raters say is listed ``crossed``, an entry for each target.
    """
    if blind:
        bare = _NOTHING_SAID | {"verdict": None, "reason": None}
        return [_item_json(item, {}) | {"text": item.text} | bare for item in items]
    item_ids = [item.item_id for item in items]
    says = grid.scorer_verdicts(store, item_ids, _scorers(listing))
    sights = None
    if listing.rater != PEOPLE and listing.aspect == "correct":
        sights = scorer_evidence.evidence_without_masks(store, item_ids, listing.rater)
    decisive = listing.rater not in GROUPS and listing.aspect in YES_NO_ASPECTS
    crossing = listing.crossing(store)
    units = crossing.units(store, item_ids) if crossing is not None else {}
    rows = []
    for item in items:
        verdict = {1.0: YES, 0.0: NO}.get(item.mean) if decisive and item.mean is not None else None
        row = _item_json(item, says.get(item.item_id, {})) | {"text": item.text, "verdict": verdict}
        row |= {"reason": _reason(sights, item.item_id, item.spec) if sights else None}
        if crossing is not None:
            row |= {"crossed": [asdict(unit) for unit in units.get(item.item_id, ())]}
        rows.append(row)
    return rows


def _reason(sights: scorer_evidence.RaterEvidence, item_id: str, spec: Mapping[str, Any] | None) -> str | None:
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
_Blind = Annotated[str, Query(max_length=10)]
"""Not empty: nothing is told of what people and scorers say of the images."""
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
