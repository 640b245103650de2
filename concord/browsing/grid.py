"""What a grid tells of the images that are listed: pages of them, rows by prompt, an image's neighbours, a lasso's images."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from typing import Any, Final

from concord.browsing.listing import ImageListing
from concord.error_analysis.confusion import crossed_units
from concord.maps import MapAddress, class_counts, embedding_sources, map_of
from data.aspects import NO, YES, YES_NO_ASPECTS
from data.browsing import AMONG_SCORERS, ItemPreview
from data.jobs import generation
from data.selection import GROUPS, PEOPLE
from data.spec import parse_spec
from data.store.browse import contents, grid, map_points
from data.store.browse.grid import GridItem
from data.store.core.store import Store
from data.store.judgements import scorer_evidence
from scorers import registry

PAGE: Final = 60
ROWS: Final = 20
_FIRST: Final = 12
_NOTHING_SAID: Final[dict[str, Any]] = {"people": {"yes": 0, "no": 0}, "mean": None, "n": 0, "says": {}}
"""In Blind mode takes the place of what people and scorers say of an image."""


def previews(store: Store, items: Sequence[str]) -> dict[str, ItemPreview]:
    """Return the picture and the text that stand for images in a list, by item."""
    return contents.item_previews(store, items)


def items_json(store: Store, listing: ImageListing, page: int, *, blind: bool = False) -> dict[str, Any]:
    """Return a page of a listing's images (from 0), and how many there are; ``blind``: nothing of what is said of them."""
    item_page = grid.items(store, listing.restriction(store), listing.display(store), offset=page * PAGE, limit=PAGE)
    return {
        "items": _items_json(store, item_page.rows, listing, blind=blind),
        "total": item_page.total,
        "page": page,
        "size": PAGE,
        "alike": bool(embedding_sources(store)),
    }


def rows_json(store: Store, listing: ImageListing, page: int, columns: Sequence[str], *, blind: bool = False) -> dict[str, Any]:
    """Return a page of a listing's prompts (from 0), each with its images by generator: of ``columns``, or of all.

    ``blind``: with nothing of what is said of them.
    """
    prompt_page = grid.prompt_rows(
        store, listing.restriction(store), listing.display(store), columns=list(columns), offset=page * ROWS, limit=ROWS
    )
    item_ids = [item.item_id for row in prompt_page.rows for items in row.cells.values() for item in items]
    says = grid.scorer_verdicts(store, item_ids, _scorers(listing))

    def cell(items: list[GridItem]) -> list[dict[str, Any]]:
        rows = [_item_json(item, says.get(item.item_id, {})) | {"fits": item.fits} for item in items]
        return [row | _NOTHING_SAID for row in rows] if blind else rows

    return {
        "rows": [
            {"prompt_id": row.prompt_id, "text": row.text, "task": row.task}
            | {"cells": {name: cell(items) for name, items in row.cells.items()}}
            for row in prompt_page.rows
        ],
        "generators": prompt_page.generators,
        "total": prompt_page.total,
        "page": page,
        "size": ROWS,
    }


def neighbours_json(store: Store, listing: ImageListing, item_id: str) -> dict[str, Any]:
    """Return an image's place in a listing, and the images before and after it."""
    around = grid.neighbours(store, item_id, listing.restriction(store), listing.display(store))
    if around is None:
        return {"place": None, "total": 0, "previous": None, "next": None}
    sides = {"previous": around.previous, "next": around.following}
    named = {side: {"id": neighbour[0], "shown": neighbour[1]} if neighbour else None for side, neighbour in sides.items()}
    return {"place": around.place or None, "total": around.total} | named


def lasso_json(store: Store, listing: ImageListing, address: MapAddress, paint: str) -> dict[str, Any]:
    """Return how many images lie inside a listing's lasso, the first of them, and how many of each class of ``paint``.

    Raises:
        LassoLost: the map is not at hand (any more).
    """
    restriction = listing.restriction(store)
    page = grid.items(store, restriction, replace(listing.display(store), order="prompt"), limit=_FIRST)
    classes = class_counts(store, paint, address, restriction)
    pictures: list[dict[str, Any]] = [
        {
            "item_id": row.item_id,
            "sha256": row.sha256,
            "text": row.text,
            "generator": row.generator,
            "task": row.task,
            "idx": row.idx,
        }
        for row in page.rows
    ]
    return {"total": page.total, "items": pictures, "classes": classes}


def map_image(store: Store, address: MapAddress, n: int) -> dict[str, Any] | None:
    """Return the image of a map's point; None if it is no longer in the project.

    Raises:
        LassoLost: the map is not at hand (any more).
    """
    items = map_of(store, address).items
    return map_points.map_item(store, items[n]) if n < len(items) else None


def _scorers(listing: ImageListing) -> set[str] | None:
    """The raters whose verdicts a listing tells beside the shown value; None: of all scorers."""
    if ("", AMONG_SCORERS) in listing.filters.differs:
        return None
    named = {rater for rater, _ in (*listing.filters.says, *listing.filters.differs) if rater}
    return named | ({listing.rater} if listing.aspect == "correct" else set())


def _item_json(item: GridItem, says: Mapping[str, str]) -> dict[str, Any]:
    """Return an item of a grid as JSON; ``says``: scorers' verdicts of it."""
    return {
        "item_id": item.item_id,
        "suite": item.suite,
        "task": item.task,
        "generator": item.generator,
        "idx": item.idx,
        "sha256": item.sha256,
        "blanked": generation.why_blank(item.blanked),
        "tags": item.tags,
        "people": asdict(item.people),
        "mean": item.mean,
        "n": item.n,
        "says": says,
    }


def _items_json(store: Store, items: Sequence[GridItem], listing: ImageListing, *, blind: bool) -> list[dict[str, Any]]:
    """Return a page of items as JSON.

    Beside an item stand ``verdict`` (yes or no of one rater, where there is one), ``reason`` (why a scorer does not say yes),
    and where only what two raters say is listed ``crossed``, an entry for each target.
    """
    if blind:
        bare = _NOTHING_SAID | {"verdict": None, "reason": None}
        return [_item_json(item, {}) | {"text": item.text} | bare for item in items]
    item_ids = [item.item_id for item in items]
    says = grid.scorer_verdicts(store, item_ids, _scorers(listing))
    sights = None
    if listing.rater != PEOPLE and listing.aspect == "correct":
        sights = scorer_evidence.evidence_without_masks(store, item_ids, listing.rater)
    decisive = listing.rater not in GROUPS and listing.display(store).aspect in YES_NO_ASPECTS
    crossing = listing.crossing(store)
    units = crossed_units(store, crossing, item_ids) if crossing is not None else {}
    rows = []
    for item in items:
        verdict = {1.0: YES, 0.0: NO}.get(item.mean) if decisive and item.mean is not None else None
        row = _item_json(item, says.get(item.item_id, {})) | {"text": item.text, "verdict": verdict}
        row |= {"reason": _reason(sights, item.item_id, item.spec) if sights else None}
        if crossing is not None:
            row |= {"crossed": [asdict(unit) for unit in units.get(item.item_id, ())]}
        rows.append(row)
    return rows


def _reason(sights: scorer_evidence.RaterEvidence, item_id: str, spec: Mapping[str, Any] | None) -> str | None:
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
