"""JSON routes of downloads: the current selection, as the commands ``export`` write it, and reports in every format."""

from __future__ import annotations

import io
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any, Final, Literal

from fastapi import APIRouter, Depends, HTTPException
from fastapi.responses import FileResponse, Response
from starlette.background import BackgroundTask

from concord import exporting
from concord.common.context import CommandError, Context
from concord.project import OpenProject
from data.export import TableFormat
from data.selection import Selection
from ui.components.addresses import selection_of
from ui.report.export import WRITERS, find_report
from ui.report.formats import FORMATS
from ui.web.api import refusing

ExportedTable = Literal["ratings", "judgements", "annotations"]
_WRITE: Final[dict[ExportedTable, Callable[..., None]]] = {
    "ratings": exporting.export_ratings,
    "judgements": exporting.export_judgements,
    "annotations": exporting.export_annotations,
}


def router(store: OpenProject) -> APIRouter:
    """The routes under ``/api/studio/export``, and ``GET /api/studio/report/KEY/FORMAT``."""
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

    @routes.get("/report/{key}/{form}")
    def report(key: str, form: str) -> Response:
        name = next((each for each in FORMATS if each == form), None)
        if name is None:
            raise HTTPException(404, f"A report comes as {', '.join(FORMATS)}.")
        found_report = find_report(store, key)
        if found_report is None:
            raise HTTPException(404, "This report is no longer available: create it again in Report.")
        with refusing(503, CommandError):
            content = WRITERS[name](*found_report)
        report_format = FORMATS[name]
        named = f"-{form}" if report_format.is_zip else ""
        file_name = f"report-{found_report[1].made:%Y-%m-%d}{named}.{report_format.suffix}"
        # never opened in this place: what strangers wrote stands in it
        headers = {"content-disposition": f'attachment; filename="{file_name}"', "cache-control": "no-store"}
        return Response(content, media_type=report_format.media_type, headers=headers)

    return routes
