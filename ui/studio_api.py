"""JSON routes of the studio's grid: its pages, and the version that moves with the project."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field, replace
from typing import Annotated, Any, cast

from fastapi import APIRouter, Depends, HTTPException, Query, Request

from concord import confusion as crossings
from concord import failures
from concord import maps as lassos
from concord.common.live_updates import followed
from concord.failures import FailureMark
from concord.maps import Lasso, LassoLost, lasso_in
from data.aspects import NO, YES, YES_NO_ASPECTS
from data.jobs import generation
from data.prompts.spec import parse_spec
from data.store import runs
from data.store.analysis.confusion import ConfusionCell, ConfusionQuery
from data.store.browse import contents
from data.store.browse.filters import Filters, ListingQuery
from data.store.browse.grid import ListingDisplay
from data.store.core.selection import Selection, Where
from data.store.core.store import Store
from scorers import registry
from ui.addresses import crossed_among, crossed_in, filters_in, marked_in

PAGE = 60


@dataclass(frozen=True, slots=True)
class Listing:
    """What a grid lists, in which order, and whose values of which aspect it shows.

    Attributes:
        crossed: only what two sides say so of, among the judgements of ``judged``.
        marked: only the images behind a mark of a failure picture.
        filters: what else restricts it, such as what scorers and people say.
        lasso: only the images inside a line on a map.
    """

    selection: Selection
    aspect: str
    rater: str
    order: contents.Order
    crossed: ConfusionCell | None
    judged: Selection
    marked: FailureMark | None = None
    filters: Filters = field(default_factory=Filters)
    lasso: Lasso | None = None

    @property
    def shown(self) -> ListingDisplay:
        """Whose values of what it shows, and in which order."""
        return ListingDisplay(self.aspect, self.rater, self.order)

    def asked(self, store: Store) -> ListingQuery:
        """All that restricts it."""
        return ListingQuery(self.selection, self.filters, self.also(store))

    def crossing(self, store: Store) -> ConfusionQuery | None:
        """Where answers cross, if only that is listed."""
        return crossings.crossing_of(store, self.crossed, self.judged) if self.crossed else None

    def also(self, store: Store) -> Where | None:
        """What else than the selection restricts the items.

        Raises:
            HTTPException: 409, the map of the lasso is not at hand.
        """
        crossing, found = self.crossing(store), []
        if crossing:
            found.append(crossings.condition_of(store, crossing))
        if self.marked:
            found.append(failures.condition_of(store, self.marked, self.selection))
        if self.lasso:
            try:
                found.append(lassos.condition_of(store, self.lasso))
            except LassoLost as error:
                raise HTTPException(409, str(error)) from error
        if not found:
            return None
        return " and ".join(text for text, _ in found), [value for _, values in found for value in values]


def router(store: Store) -> APIRouter:
    """The routes under ``/api/studio`` that the grid uses."""
    routes = APIRouter(prefix="/api/studio")

    @routes.get("/version")
    def version(of: Annotated[str, Query(max_length=200)] = "") -> dict[str, str]:
        moves = followed(of)
        if of and moves is None:
            raise HTTPException(404, "There is nothing of this name to follow.")
        return {"version": store.version if moves is None else moves(store)}

    @routes.get("/items")
    def items(
        listing: Annotated[Listing, Depends(listing_of)], page: Annotated[int, Query(ge=0, le=1_000_000)] = 0
    ) -> dict[str, Any]:
        found = contents.items(
            store,
            listing.selection,
            aspect=listing.aspect,
            rater=listing.rater,
            order=listing.order,
            offset=page * PAGE,
            limit=PAGE,
            also=listing.also(store),
            filters=listing.filters,
        )
        shown = [row | {"blanked": generation.why_blank(row["blanked"])} for row in found.rows]
        rows = _with_crossing(store, _with_verdicts(store, shown, listing), listing)
        return {"items": rows, "total": found.total, "page": page, "size": PAGE}

    return routes


def listing_of(
    request: Request,
    by: Annotated[str, Query(max_length=100)] = "correct",
    rater: Annotated[str, Query(max_length=1000)] = contents.PEOPLE,
    order: Annotated[str, Query()] = "prompt",
) -> Listing:
    """The listing in an address's query.

    Raises:
        HTTPException: 422, with the reason.
    """
    if order not in contents.ORDERS:
        raise HTTPException(422, f"order must be one of {', '.join(contents.ORDERS)}.")
    read = request.query_params.getlist
    try:
        crossed, judged, marked = crossed_in(read), crossed_among(read), marked_in(read)
        filters = filters_in(read)
        lasso = lasso_in(read)
    except ValueError as error:
        raise HTTPException(422, str(error)) from error
    # here `rater` says whose values to show, and restricts no images
    selection = replace(selection_of(request), rater=())
    return Listing(selection, by, rater, cast("contents.Order", order), crossed, judged, marked, filters, lasso)


def selection_of(request: Request) -> Selection:
    """The selection in an address's query.

    Raises:
        HTTPException: 422, with the reason.
    """
    try:
        return Selection.of(request.query_params.getlist)
    except ValueError as error:
        raise HTTPException(422, str(error)) from error


def _with_verdicts(store: Store, rows: list[dict[str, Any]], listing: Listing) -> list[dict[str, Any]]:
    """Each row with ``verdict`` (yes or no of one rater, where there is one) and ``reason`` (why a scorer does not say yes)."""
    sights = None
    if listing.rater != contents.PEOPLE and listing.aspect == "correct":
        sights = runs.evidence_without_masks(store, [row["item_id"] for row in rows], listing.rater)
    told = []
    for row in rows:
        spec = row.pop("spec")
        one = listing.rater not in contents.GROUPS and listing.aspect in YES_NO_ASPECTS
        verdict = {1.0: YES, 0.0: NO}.get(row["mean"]) if one else None
        told.append(row | {"verdict": verdict, "reason": _reason(sights, row["item_id"], spec) if sights else None})
    return told


def _with_crossing(store: Store, rows: list[dict[str, Any]], listing: Listing) -> list[dict[str, Any]]:
    """Each row with what both sides say, where only that is listed: ``crossed``, one entry for each target."""
    crossing = listing.crossing(store)
    if crossing is None:
        return rows
    units = crossing.units(store, [row["item_id"] for row in rows])
    return [row | {"crossed": [asdict(unit) for unit in units.get(row["item_id"], ())]} for row in rows]


def _reason(sights: runs.RaterEvidence, item_id: str, spec: dict[str, Any] | None) -> str | None:
    """Why this scorer says that the image is not correct, or why it says nothing."""
    seen = sights.seen.get(item_id)
    if seen is None:
        return None
    if seen.failed is not None:
        return f"could not be looked at: {seen.failed}"
    try:
        return registry.get(sights.scorer).judge(parse_spec(spec or {}), seen, sights.settings).reason or None
    except ValueError:  # a scorer or a setting that this Concord does not know
        return None
