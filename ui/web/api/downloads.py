"""JSON routes of downloads: the current selection, as the commands ``export`` write it."""

from __future__ import annotations

import io
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any, Final, Literal

from fastapi import APIRouter, Depends
from fastapi.responses import FileResponse
from starlette.background import BackgroundTask

from concord import exporting
from concord.common.context import CommandError, Context
from concord.open_project import OpenProject
from data.export import TableFormat
from data.selection import Selection
from ui.components.addresses import selection_of
from ui.web.api import refusing

ExportedTable = Literal["ratings", "judgements", "annotations"]
_WRITE: Final[dict[ExportedTable, Callable[..., None]]] = {
    "ratings": exporting.export_ratings,
    "judgements": exporting.export_judgements,
    "annotations": exporting.export_annotations,
}


def router(store: OpenProject) -> APIRouter:
    """The routes under ``/api/studio/export``."""
    routes = APIRouter(prefix="/api/studio")

    @routes.get("/export/{what}.{form}")
    def download(
        what: ExportedTable, form: TableFormat, selection: Annotated[Selection, Depends(selection_of)]
    ) -> FileResponse:
        folder = Path(tempfile.mkdtemp(prefix="concord-export-"))
        gone = BackgroundTask(shutil.rmtree, folder, ignore_errors=True)
        # written whole before it is sent: no reader holds the database for as long as a slow network takes
        context = Context(store, folder, io.StringIO(), io.StringIO())
        more: dict[str, Any] = {"named": "names"} if what == "annotations" else {}
        try:
            with refusing(404, CommandError):
                _WRITE[what](context, selection.to_dict(), form, f"{what}.{form}", **more)
        except BaseException:
            shutil.rmtree(folder, ignore_errors=True)
            raise
        path = folder / f"{what}.{form}"
        return FileResponse(path, filename=path.name, headers={"Cache-Control": "no-store"}, background=gone)

    return routes
