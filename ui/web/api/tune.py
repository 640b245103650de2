"""JSON route that saves other settings of a scorer as a scorer of its own."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter
from pydantic import BaseModel, Field

from concord.common import next_steps, wording
from concord.common.context import CommandError
from concord.error_analysis.rejudging import save_as_rater
from concord.open_project import OpenProject
from ui.web.api import refusing

_Value = Annotated[float, Field(allow_inf_nan=False)] | Annotated[str, Field(max_length=100)]


class SettingsBody(BaseModel):
    """``settings``: those that are other than the scorer's; ``name``: of the new one, empty for one made of its settings."""

    rater: str = Field(max_length=1000)
    settings: dict[Annotated[str, Field(max_length=100)], _Value] = Field(max_length=50)
    name: str = Field("", max_length=200)


def router(store: OpenProject) -> APIRouter:
    """Return the routes under ``/api/studio/tune``."""
    routes = APIRouter(prefix="/api/studio/tune")

    @routes.post("/save")
    def save(body: SettingsBody) -> dict[str, Any]:
        """Judge all that a scorer has seen by these settings as a new scorer; the old one stays. `said` is for the reader."""
        with refusing(409, CommandError, ValueError):
            saved = save_as_rater(store, body.rater, body.settings, body.name)
        if saved.import_id is None:
            return {"rater": saved.rater_id, "images": 0, "said": f"{saved.rater_id} judges by these settings already."}
        (undo,) = next_steps.command_lines(store, (f"import undo {saved.import_id}",))
        said = f"Saved as {saved.rater_id}: {wording.count(saved.images, 'image')} judged. To take it back: {undo}"
        return {"rater": saved.rater_id, "images": saved.images, "said": said}

    return routes
