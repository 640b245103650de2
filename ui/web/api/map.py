"""JSON routes of the page Map: the picture at a point, and the images inside a lasso."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Depends, HTTPException, Query

from concord.maps import LassoLost, MapAddress, map_address, map_of
from data.store.browse import contents, map_points
from data.store.core.store import Store
from ui.web.api.browse import ImageListing, listing_of

_FIRST = 12


def router(store: Store) -> APIRouter:
    """The routes under ``/api/studio/map``."""
    routes = APIRouter(prefix="/api/studio/map")

    @routes.get("/image")
    def image(on: Annotated[MapAddress, Depends(_map_in)], n: Annotated[int, Query(ge=0, le=10_000_000)]) -> dict[str, Any]:
        try:
            items = map_of(store, on).items
        except LassoLost as error:
            raise HTTPException(409, str(error)) from error
        found = map_points.map_item(store, items[n]) if n < len(items) else None
        if found is None:
            raise HTTPException(404, "This image is not in the project any more.")
        return found

    @routes.get("/inside")
    def inside(listing: Annotated[ImageListing, Depends(listing_of)]) -> dict[str, Any]:
        if listing.lasso is None:
            raise HTTPException(422, "lasso is missing: the corners of a line, as x,y;x,y;x,y.")
        found = contents.items(
            store,
            listing.selection,
            aspect=listing.aspect,
            rater=listing.rater,
            limit=_FIRST,
            also=listing.also(store),
            filters=listing.filters,
        )
        shown = ("item_id", "sha256", "text", "generator", "task", "idx")
        return {"total": found.total, "items": [{name: row[name] for name in shown} for row in found.rows]}

    return routes


def _map_in(text: Annotated[str, Query(alias="map", max_length=500)]) -> MapAddress:
    try:
        found = map_address(text)
    except ValueError as error:
        raise HTTPException(422, str(error)) from error
    if found is None:
        raise HTTPException(422, "map is missing: METHOD:MODEL.")
    return found
