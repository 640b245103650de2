"""JSON route that takes the playground's simulated people out of a project."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter
from pydantic import BaseModel

from concord.importing import playground
from concord.open_project import OpenProject
from ui.web.api import refusing


class RemovalBody(BaseModel):
    """An empty object: the address says what is removed."""


def router(store: OpenProject) -> APIRouter:
    """Return the routes under ``/api/studio/playground``."""
    routes = APIRouter(prefix="/api/studio/playground")

    @routes.post("/remove")
    def remove(_: RemovalBody) -> dict[str, Any]:
        """Remove the simulated people and all their answers; again does no harm."""
        with refusing(409, ValueError):
            playground.remove_simulated(store)
        return {"removed": True}

    return routes
