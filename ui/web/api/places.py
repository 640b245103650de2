"""JSON routes that all places share: their drawing as HTML, and the version by which they hear that there is something new."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, HTTPException, Query, Request

from concord.open_project import OpenProject
from ui.shell.followed_versions import followed
from ui.shell.live_place import LivePlace
from ui.web.auth.authorization import visitor_of

_MOST_PARAMETERS = 500


def router(store: OpenProject) -> APIRouter:
    """Return ``/api/studio/version``, and the routes under ``/api/studio/places``."""
    from ui.web.studio import PAGES

    routes = APIRouter(prefix="/api/studio")
    places = {page.path.strip("/"): page(store) for page in PAGES if issubclass(page, LivePlace)}

    @routes.get("/version")
    def version(of: Annotated[str, Query(max_length=200)] = "") -> dict[str, str]:
        moves = followed(of)
        if of and moves is None:
            raise HTTPException(404, "There is nothing of this name to follow.")
        return {"version": store.version if moves is None else moves(store)}

    @routes.get("/places/{place:path}")
    def drawn(request: Request, place: str, whole: Annotated[bool, Query()] = False) -> dict[str, Any]:
        """A place as HTML: `scope`, `content`, `title`, the project's `version`, whether it is `complete`, and whether
        the visitor sits at this machine (`local`)."""
        found = places.get(place)
        if found is None:
            raise HTTPException(404, "There is no such place.")
        query = [(name, value) for name, value in request.query_params.multi_items() if name != "whole"]
        if len(query) > _MOST_PARAMETERS:
            raise HTTPException(422, "This address says too much.")
        caller = visitor_of(request)
        return found.drawn(query, whole=whole) | {"local": caller is not None and caller.local}

    return routes
