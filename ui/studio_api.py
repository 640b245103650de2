"""JSON routes of the studio: pages of the grid, one item whole."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Any, cast

from fastapi import APIRouter, HTTPException, Query, Request

from data.store import browse
from data.store.selection import Selection
from data.store.store import Store

PAGE = 60


def router(store: Store) -> APIRouter:
    """The routes under ``/api/studio``."""
    routes = APIRouter(prefix="/api/studio")

    @routes.get("/version")
    def version() -> dict[str, str]:
        return {"version": store.version}

    @routes.get("/items")
    def items(
        request: Request,
        by: Annotated[str, Query(max_length=100)] = "correct",
        rater: Annotated[str, Query(max_length=1000)] = browse.PEOPLE,
        order: Annotated[str, Query()] = "prompt",
        page: Annotated[int, Query(ge=0, le=1_000_000)] = 0,
    ) -> dict[str, Any]:
        if order not in browse.ORDERS:
            raise HTTPException(422, f"order must be one of {', '.join(browse.ORDERS)}.")
        # here `rater` says whose values to show, and restricts no images
        selection = replace(selection_of(request), rater=())
        shown = cast("browse.Order", order)
        found = browse.items(store, selection, aspect=by, rater=rater, order=shown, offset=page * PAGE, limit=PAGE)
        return {"items": found.rows, "total": found.total, "page": page, "size": PAGE}

    @routes.get("/item")
    def item(id: Annotated[str, Query(max_length=1000)]) -> dict[str, Any]:
        found = browse.item(store, id)
        if found is None:
            raise HTTPException(404, f"There is no item {id!r} in this project.")
        found.pop("public_id")
        return found

    return routes


def selection_of(request: Request) -> Selection:
    """The selection in an address's query.

    Raises:
        HTTPException: 422, with the reason.
    """
    try:
        return Selection.of(request.query_params.getlist)
    except ValueError as error:
        raise HTTPException(422, str(error)) from error
