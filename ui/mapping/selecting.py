"""The selection of a page's address, as Browse understands it."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from starlette.datastructures import QueryParams

from data.store.selection import Where
from data.store.store import Store
from ui.studio_api import Listing, listing_of


def selected(query: str) -> Listing:
    """What Browse would list by this query.

    Raises:
        HTTPException: 422, with the reason.
    """
    request: Any = SimpleNamespace(query_params=QueryParams(query))
    return listing_of(request)


def where(store: Store, listing: Listing) -> Where:
    """The condition on ``items t`` that a listing lists them."""
    condition, values = listing.selection.items()
    also = listing.also(store)
    return (f"{condition} and {also[0]}", [*values, *also[1]]) if also else (condition, values)
