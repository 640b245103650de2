"""JSON routes of Images: pages of items, facets, rows by prompt, tags and saved views; the map, a point's image, a lasso's
images.

``ImageListing`` is what an address's query lists; the drawer and the downloads read it the same way.
"""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Depends, HTTPException, Query, Request
from pydantic import BaseModel, Field

from concord.browsing import facets, grid, map_drawing, marks
from concord.browsing.facets import ScorerNotInProject
from concord.browsing.listing import ImageListing
from concord.browsing.marks import NoSuchView
from concord.maps import LassoLost, MapAddress, map_address
from concord.open_project import OpenProject
from data.refusals import TagRefused
from data.remarks import Tagging
from ui.components.addresses import listing_of
from ui.web.api import person_of, refusing

_MOST_PARAMETERS = 500


def router(store: OpenProject) -> APIRouter:
    """Return the routes under ``/api/studio`` that Images uses."""
    routes = APIRouter(prefix="/api/studio")

    @routes.get("/images")
    def opened(request: Request) -> dict[str, Any]:
        """What stands around the images of an address: the scope bar, and what of the address the project follows."""
        from ui.pages.images import open_images

        if len(request.query_params.multi_items()) > _MOST_PARAMETERS:
            raise HTTPException(422, "This address says too much.")
        return open_images(store, request.query_params)

    @routes.get("/items")
    def items(listing: _Listing, blind: _Blind = "", page: Annotated[int, Query(ge=0, le=1_000_000)] = 0) -> dict[str, Any]:
        return grid.items_json(store, listing, page, blind=bool(blind))

    @routes.get("/facets")
    def counted(listing: _Listing, blind: _Blind = "") -> dict[str, Any]:
        try:
            return facets.facets_json(store, listing, blind=bool(blind))
        except ScorerNotInProject as error:
            raise HTTPException(422, str(error)) from error

    @routes.get("/strip")
    def distribution(listing: _Listing, of: Annotated[str, Query(max_length=1000)] = "") -> dict[str, Any]:
        with refusing(422, ValueError):
            return facets.histogram_json(store, listing, of)

    @routes.get("/rows")
    def by_prompt(
        listing: _Listing,
        blind: _Blind = "",
        page: Annotated[int, Query(ge=0, le=1_000_000)] = 0,
        left: Annotated[str, Query(max_length=1000)] = "",
        right: Annotated[str, Query(max_length=1000)] = "",
    ) -> dict[str, Any]:
        return grid.rows_json(store, listing, page, [left, right] if left and right else [], blind=bool(blind))

    @routes.get("/tags")
    def listed_tags() -> dict[str, Any]:
        return {"tags": marks.tags_json(store)}

    @routes.post("/tags")
    def tag_items(request: Request, body: TagBody) -> dict[str, Any]:
        name = _written(body.tag, "tag")
        by = person_of(request, "tags are stored with a name")
        with refusing(404, TagRefused):
            return marks.tag_items(store, Tagging(body.id, tuple(body.items), name, body.on, by))

    @routes.get("/views")
    def listed_views() -> dict[str, Any]:
        return {"views": marks.views_json(store)}

    @routes.post("/views")
    def save_view(request: Request, body: ViewBody) -> dict[str, Any]:
        by = person_of(request, "views are stored with a name")
        return {"views": marks.save_view(store, body.id, _written(body.name, "name"), body.query, by)}

    @routes.post("/views/forget")
    def forget_view(request: Request, body: ForgetBody) -> dict[str, Any]:
        by = person_of(request, "deleting a view is recorded")
        with refusing(404, NoSuchView):
            return {"views": marks.forget_view(store, body.id, _written(body.name, "name"), by)}

    @routes.get("/map")
    def points(
        listing: _Listing,
        paint: Annotated[str, Query(max_length=500)] = "",
        on: Annotated[str, Query(alias="map", max_length=500)] = "",
        blind: _Blind = "",
        again: Annotated[bool, Query()] = False,
    ) -> dict[str, Any]:
        """The map of what is listed, a line on it left out: the points outside of it stay."""
        answer = map_drawing.map_json(store, listing, on, paint, blind=bool(blind), again=again)
        if answer is None:
            raise HTTPException(409, "No image has an embedding yet, so there is no map. CLIPScore stores one for each image.")
        return answer

    @routes.get("/map/image")
    def image(on: Annotated[MapAddress, Depends(_map_in)], n: Annotated[int, Query(ge=0, le=10_000_000)]) -> dict[str, Any]:
        with refusing(409, LassoLost):
            point = grid.map_image(store, on, n)
        if point is None:
            raise HTTPException(404, "This image is no longer in the project.")
        return point

    @routes.get("/map/inside")
    def inside(listing: _Listing, paint: Annotated[str, Query(max_length=500)] = "") -> dict[str, Any]:
        if listing.lasso is None:
            raise HTTPException(422, "lasso is missing: the corners of a line, as x,y;x,y;x,y.")
        with refusing(409, LassoLost):
            return grid.lasso_json(store, listing, listing.lasso.on, paint)

    return routes


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
    """A view to keep: its name, and the query of the address of Images."""

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


def _map_in(text: Annotated[str, Query(alias="map", max_length=500)]) -> MapAddress:
    with refusing(422, ValueError):
        address = map_address(text)
    if address is None:
        raise HTTPException(422, "map is missing: METHOD:MODEL.")
    return address
