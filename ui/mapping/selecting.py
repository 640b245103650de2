"""The selection of a page's address, as Browse understands it."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from starlette.datastructures import QueryParams

from ui.studio_api import Listing, listing_of


def selected(query: str) -> Listing:
    """What Browse would list by this query.

    Raises:
        HTTPException: 422, with the reason.
    """
    request: Any = SimpleNamespace(query_params=QueryParams(query))
    return listing_of(request)
