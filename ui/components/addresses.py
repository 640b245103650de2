"""Addresses inside the app, made in one place: what a page reads from its address is what others write into it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated
from urllib.parse import urlencode

from fastapi import HTTPException, Query, Request

from concord.browsing.listing import CROSSED, MARKED, RESTRICTING, ImageListing, listing_in
from concord.common.base_path import at
from concord.error_analysis.failures import FailureMark
from data.browsing import ConfusionCell
from data.selection import PEOPLE, Selection

BROWSE = "/studio/images"
ALL = ("all", "tasks_mean", "any", "")
"""What stands in a filter that restricts nothing."""
_PLACES = {name: name for name in ("suite", "task", "generator", "tag")}


def page_address(page: str, *more: tuple[str, str], **query: str) -> str:
    """Address of a page of Studio, such as ``compare``, without values that restrict nothing; ``more`` may repeat names."""
    values = [(name, value) for name, value in (*query.items(), *more) if value not in ALL]
    return at(f"/studio/{page}") + (f"?{urlencode(values)}" if values else "")


def browse_address(
    selection: Selection, crossed: ConfusionCell | None = None, marked: FailureMark | None = None, **listing: str
) -> str:
    """The address of a selection's images, of those of its images where two sides' answers cross, or for a failure's.

    Of the selection its places count, and with ``crossed`` also what restricts the judgements that are looked at (targets,
    campaigns, certainty, raters and times; ``crossed`` itself names the aspect). ``marked``: a mark of a failure picture.
    ``listing``: ``rater``, ``by`` and ``order``, as Images has them.
    """
    names = _PLACES | (RESTRICTING if crossed else {})
    query = [(name, value) for name, field in names.items() for value in getattr(selection, field) if value not in ALL]
    if crossed:
        query += [(name, value) for name, field in CROSSED.items() if (value := getattr(crossed, field)) not in ("", "each")]
    if marked:
        query += [(name, value) for name, field in MARKED.items() if (value := getattr(marked, field))]
    query += [(name, value) for name, value in listing.items() if value]
    return at(f"{BROWSE}?{urlencode(query)}" if query else BROWSE)


def listing_address(items: Iterable[str], suite: str = "", **listing: str) -> str:
    """Return the address of these images alone, such as those of which a page shows thumbnails; ``listing``: as above."""
    query = [("suite", suite), *listing.items(), *(("item", item) for item in items)]
    return at(f"{BROWSE}?{urlencode([(name, value) for name, value in query if value])}")


def selection_of(request: Request) -> Selection:
    """The selection in an address's query.

    Raises:
        HTTPException: 422, with the reason.
    """
    try:
        return Selection.of(request.query_params.getlist)
    except ValueError as error:
        raise HTTPException(422, str(error)) from error


def listing_of(
    request: Request,
    by: Annotated[str, Query(max_length=100)] = "correct",
    rater: Annotated[str, Query(max_length=1000)] = PEOPLE,
    order: Annotated[str, Query()] = "prompt",
    like: Annotated[str, Query(max_length=1000)] = "",
) -> ImageListing:
    """Return the listing in an address's query.

    Raises:
        HTTPException: 422, with the reason.
    """
    try:
        return listing_in(request.query_params.getlist, by=by, rater=rater, order=order, like=like)
    except ValueError as error:
        raise HTTPException(422, str(error)) from error
