"""The route that hands out a report that the page Reports has made, in the format that is asked for."""

from __future__ import annotations

from typing import Final

from fastapi import APIRouter, HTTPException
from fastapi.responses import Response

from concord.common.context import CommandError
from data.store.core.store import Store
from ui.report.export import FORMATS, SUFFIX, render_report

_TYPES: Final = {
    "html": "text/html; charset=utf-8",
    "md": "text/markdown; charset=utf-8",
    "pdf": "application/pdf",
    "latex": "application/x-tex; charset=utf-8",
    "csv": "application/zip",
    "parquet": "application/zip",
}


def router(store: Store) -> APIRouter:
    """``GET /api/studio/report/KEY/FORMAT``."""
    routes = APIRouter(prefix="/api/studio/report")

    @routes.get("/{key}/{form}")
    def report(key: str, form: str) -> Response:
        from ui.report import kept

        if form not in FORMATS:
            raise HTTPException(404, f"A report comes as {', '.join(FORMATS)}.")
        found = kept.find(store, key)
        if found is None:
            raise HTTPException(404, "This report is not kept any more: make it again on the page Reports.")
        try:
            content = render_report(*found, form)
        except CommandError as error:
            text = str(error)
            raise HTTPException(503, f"{text[:1].upper()}{text[1:]}.") from error
        name = (
            f"report-{found[1].made:%Y-%m-%d}-{form}.{SUFFIX[form]}"
            if SUFFIX.get(form) == "zip"
            else (f"report-{found[1].made:%Y-%m-%d}.{SUFFIX.get(form, form)}")
        )
        # never opened in this place: what strangers wrote stands in it
        headers = {"content-disposition": f'attachment; filename="{name}"', "cache-control": "no-store"}
        return Response(content, media_type=_TYPES[form], headers=headers)

    return routes
