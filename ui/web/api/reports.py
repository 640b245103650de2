"""JSON routes of reports: begin one, how far it is, and take it in a format."""

from __future__ import annotations

from typing import Annotated, Any
from urllib.parse import parse_qs

from fastapi import APIRouter, HTTPException
from fastapi.responses import Response
from pydantic import BaseModel, Field

from concord.common.context import CommandError
from concord.open_project import OpenProject
from concord.reporting.contents import selection_size
from ui.pages.report.view import ReportView
from ui.report.export import WRITERS
from ui.report.formats import FORMATS
from ui.report.made_reports import MadeReport, begin_report, report_of
from ui.web.api import refusing


class ReportChoicesBody(BaseModel):
    """What goes into the report: the query of an address of the place Report."""

    query: Annotated[str, Field(max_length=100_000)] = ""


def router(store: OpenProject) -> APIRouter:
    """Return ``POST /api/studio/report/make``, ``GET /api/studio/reports/KEY`` and ``GET /api/studio/report/KEY/FORMAT``."""
    routes = APIRouter(prefix="/api/studio")

    @routes.post("/report/make")
    def make(body: ReportChoicesBody) -> dict[str, Any]:
        """Begin to make a report; returns its state."""
        asked = parse_qs(body.query.removeprefix("?"))
        view = ReportView.read(lambda name: asked.get(name, []))
        with refusing(422, ValueError):
            selection = view.selection
        if selection_size(store, selection).is_empty:
            raise HTTPException(422, "No answer and no score fits these filters. Remove one.")
        return _state(begin_report(store, selection, view.seed, view.parts, view.formats))

    @routes.get("/reports/{key}")
    def state(key: str) -> dict[str, Any]:
        """How far a report is: `step` in words, `share` of the whole, whether it is `made`, and the `error`."""
        report = report_of(store, key)
        if report is None:
            raise HTTPException(404, "This report is no longer here: make it again.")
        return _state(report)

    @routes.get("/report/{key}/{form}")
    def download(key: str, form: str) -> Response:
        name = next((each for each in FORMATS if each == form), None)
        if name is None:
            raise HTTPException(404, f"A report comes as {', '.join(FORMATS)}.")
        report = report_of(store, key)
        if report is None or report.document is None or report.material is None:
            raise HTTPException(404, "This report is no longer here: make it again in the place Report.")
        with refusing(503, CommandError):
            content = WRITERS[name](report.document, report.material)
        report_format = FORMATS[name]
        named = f"-{form}" if report_format.is_zip else ""
        file_name = f"report-{report.material.made:%Y-%m-%d}{named}.{report_format.suffix}"
        # never opened in this place: what strangers wrote stands in it
        headers = {"content-disposition": f'attachment; filename="{file_name}"', "cache-control": "no-store"}
        return Response(content, media_type=report_format.media_type, headers=headers)

    return routes


def _state(report: MadeReport) -> dict[str, Any]:
    return {"key": report.key, "step": report.step, "share": report.share, "made": report.is_made, "error": report.error}
