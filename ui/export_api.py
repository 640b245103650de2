"""Downloads of the studio's current selection: what the commands ``export`` write, by the same functions."""

from __future__ import annotations

import io
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any, Final, Literal

from fastapi import APIRouter, Depends, HTTPException
from fastapi.responses import FileResponse
from starlette.background import BackgroundTask

from concord import exporting
from concord.common.context import CommandError, Context
from data.store.core.selection import Selection
from data.store.core.store import Store
from ui.studio_api import selection_of

What = Literal["ratings", "judgements", "annotations"]
Form = Literal["csv", "parquet", "jsonl"]
_WRITE: Final[dict[What, Callable[..., None]]] = {
    "ratings": exporting.export_ratings,
    "judgements": exporting.export_judgements,
    "annotations": exporting.export_annotations,
}


def router(store: Store) -> APIRouter:
    """The routes under ``/api/studio/export``."""
    routes = APIRouter(prefix="/api/studio/export")

    @routes.get("/{what}.{form}")
    def download(what: What, form: Form, selection: Annotated[Selection, Depends(selection_of)]) -> FileResponse:
        folder = Path(tempfile.mkdtemp(prefix="concord-export-"))
        # written whole before it is sent: no reader holds the database for as long as a slow network takes
        context = Context(store, folder, io.StringIO(), io.StringIO())
        more: dict[str, Any] = {"named": "names"} if what == "annotations" else {}
        try:
            _WRITE[what](context, selection.to_dict(), form, f"{what}.{form}", **more)
        except CommandError as error:
            shutil.rmtree(folder, ignore_errors=True)
            raise HTTPException(404, f"{error}.") from error
        except BaseException:
            shutil.rmtree(folder, ignore_errors=True)
            raise
        path = folder / f"{what}.{form}"
        gone = BackgroundTask(shutil.rmtree, folder, ignore_errors=True)
        return FileResponse(path, filename=path.name, headers={"Cache-Control": "no-store"}, background=gone)

    return routes
