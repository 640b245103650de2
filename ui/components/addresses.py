"""Addresses inside the app, made in one place: what a page reads from its address is what others write into it."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Annotated, cast, get_args
from urllib.parse import urlencode

from fastapi import HTTPException, Query, Request

from concord import maps
from concord.common.base_path import at
from concord.error_analysis import confusion, failures
from concord.error_analysis.failures import FailureMark
from concord.maps import Lasso, LassoLost, NoImagesAlike, lasso_in
from data.store.analysis.confusion import CellWay, ConfusionCell, ConfusionQuery
from data.store.browse import grid
from data.store.browse.filters import (
    ADJUDICATED,
    AMONG_PEOPLE,
    AMONG_SCORERS,
    MAJORITY_VALUES,
    MISSED,
    PASSED,
    VERDICTS,
    Between,
    Filters,
    ListingQuery,
)
from data.store.browse.grid import ListingDisplay
from data.store.core.selection import CERTAINTIES, PEOPLE, Selection, Where
from data.store.core.store import Store
from data.validation import did_you_mean
from scorers.failures import PICTURES

BROWSE = "/studio/images"
ALL = ("all", "tasks_mean", "any", "")
"""What stands in a filter that restricts nothing."""
CROSSED = {"about": "aspect", "a": "a", "a_says": "a_says", "b": "b", "b_says": "b_says", "way": "way"}
"""The fields of ``ConfusionCell`` by their names in the address of Images."""
RESTRICTING = {name: name for name in ("target", "campaign", "certainty", "since", "until")} | {"among": "rater"}
"""What else restricts the judgements that are crossed: fields of ``Selection`` (whose rater means another thing in Images)."""
MARKED = {"picture": "picture", "seen_by": "rater", "asked": "asked", "found": "found"}
"""The fields of ``FailureMark`` by their names in the address of Images."""

FILTERED = ("object", "color", "count", "relation", "says", "people", "certainty", "differs", "verdict", "q", "range")
"""What else restricts the images: fields of ``Filters``, each repeatable. With ``about``, certainty is the crossing's."""

_PLACES = {name: name for name in ("suite", "task", "generator", "tag")}
_NEEDED = ("about", "a", "b")
Read = Callable[[str], Sequence[str]]
"""All values of a name in an address."""


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


def crossed_in(read: Read) -> ConfusionCell | None:
    """What an address asks to cross; None if it asks for nothing of the kind.

    Raises:
        ValueError: it asks for half of it, or for a way that there is not.
    """
    values = {name: next((value for value in reversed(read(name)) if value), "") for name in CROSSED}
    if not any(values.values()):
        return None
    missing = [name for name in _NEEDED if not values[name]]
    if missing:
        raise ValueError(f"answers cross where about, a and b are given; there is no {' and no '.join(missing)}.")
    ways = get_args(CellWay)
    way = values["way"] or "each"
    if way not in ways:
        raise ValueError(f"way must be one of {', '.join(ways)}.")
    return ConfusionCell(values["about"], values["a"], values["a_says"], values["b"], values["b_says"], way)  # type: ignore[arg-type]


def crossed_among(read: Read) -> Selection:
    """The judgements among which an address's answers cross.

    Raises:
        ValueError: a value that cannot be followed, such as a date that is none.
    """
    selection = Selection.of(lambda name: () if name in ("aspect", "rater") else read(name))
    return replace(selection, rater=tuple(name for name in read("among") if name))


def marked_in(read: Read) -> FailureMark | None:
    """The mark of a failure picture that an address asks for; None if it asks for none.

    Raises:
        ValueError: it asks for half of it, or for a picture that there is not.
    """
    values = {field: next((value for value in reversed(read(name)) if value), "") for name, field in MARKED.items()}
    if not any(values.values()):
        return None
    if not values["picture"] or not values["rater"]:
        raise ValueError("a failure picture's mark needs picture and seen_by.")
    if values["picture"] not in PICTURES:
        raise ValueError(f"picture must be one of {', '.join(PICTURES)}.")
    return FailureMark(**values)


def filters_in(read: Read) -> Filters:
    """What an address filters by, besides its places.

    Raises:
        ValueError: a value that cannot be followed; the message says what there is instead.
    """
    values = {name: tuple(dict.fromkeys(value for value in read(name) if value.strip())) for name in FILTERED}
    says = [_of_rater("says", value, f"RATER:{'|'.join(VERDICTS)}") for value in values["says"]]
    return Filters(
        values["object"],
        values["color"],
        values["count"],
        values["relation"],
        tuple((rater, _known(f"says={rater}", verdict, VERDICTS)) for rater, verdict in says),
        tuple(_known("people", value, MAJORITY_VALUES) for value in values["people"]),
        () if any(read("about")) else tuple(_known("certainty", value, CERTAINTIES) for value in values["certainty"]),
        tuple(_differing(value) for value in values["differs"]),
        tuple(_known("verdict", value, ADJUDICATED) for value in values["verdict"]),
        tuple(dict.fromkeys(word for value in values["q"] for word in value.split())),
        tuple(_between(value) for value in values["range"]),
    )


def _known(name: str, value: str, known: Iterable[str]) -> str:
    """The value, if it is one.

    Raises:
        ValueError: it is not.
    """
    among = [*known]
    if value in among:
        return value
    raise ValueError(f"{name}={value}: {did_you_mean(value, among)}")


def _of_rater(name: str, value: str, form: str) -> tuple[str, str]:
    """A rater's name, which may have colons, and what stands behind the last one."""
    rater, colon, rest = value.rpartition(":")
    if not colon or not rater:
        raise ValueError(f"{name}={value}: it is written {form}.")
    return rater, rest


def _differing(value: str) -> tuple[str, str]:
    if value in (AMONG_PEOPLE, AMONG_SCORERS):
        return "", value
    if ":" not in value:
        _known("differs", value, (AMONG_PEOPLE, AMONG_SCORERS, f"RATER:{MISSED}", f"RATER:{PASSED}"))
    rater, kind = _of_rater("differs", value, f"{AMONG_PEOPLE}, {AMONG_SCORERS}, RATER:{MISSED} or RATER:{PASSED}")
    return rater, _known(f"differs={rater}", kind, (MISSED, PASSED))


def _between(value: str) -> Between:
    rater, bounds = _of_rater("range", value, "RATER:LOW..HIGH")
    low, dots, high = bounds.partition("..")
    try:
        if not dots:
            raise ValueError
        ends = [float(end) if end.strip() else None for end in (low, high)]
    except ValueError:
        ends = [math.nan]
    if any(end is not None and not math.isfinite(end) for end in ends):
        raise ValueError(f"range={value}: it is written RATER:LOW..HIGH, with numbers or nothing beside the dots.")
    return Between(rater, *ends)


@dataclass(frozen=True, slots=True)
class ImageListing:
    """What a grid lists, in which order, and whose values of which aspect it shows.

    Attributes:
        crossed: only what two sides say so of, among the judgements of ``judged``.
        marked: only the images behind a mark of a failure picture.
        filters: what else restricts it, such as what scorers and people say.
        lasso: only the images inside a line on a map.
        like: only the images that a model sees most like this one; empty: any.
    """

    selection: Selection
    aspect: str
    rater: str
    order: grid.Order
    crossed: ConfusionCell | None
    judged: Selection
    marked: FailureMark | None = None
    filters: Filters = field(default_factory=Filters)
    lasso: Lasso | None = None
    like: str = ""

    @property
    def display(self) -> ListingDisplay:
        """Whose values of what it shows, and in which order."""
        return ListingDisplay(self.aspect, self.rater, self.order)

    def restriction(self, store: Store) -> ListingQuery:
        """All that restricts it."""
        return ListingQuery(self.selection, self.filters, self.also(store), self.alike(store))

    def alike(self, store: Store) -> tuple[str, ...]:
        """The images like the one that is named, the most alike first.

        Raises:
            HTTPException: 409, it has no embedding.
        """
        try:
            return maps.images_alike(store, self.like) if self.like else ()
        except NoImagesAlike as error:
            raise HTTPException(409, str(error)) from error

    def crossing(self, store: Store) -> ConfusionQuery | None:
        """Where answers cross, if only that is listed."""
        return confusion.crossing_of(store, self.crossed, self.judged) if self.crossed else None

    def also(self, store: Store) -> Where | None:
        """What else than the selection restricts the items.

        Raises:
            HTTPException: 409, the map of the lasso is not at hand.
        """
        crossing, conditions = self.crossing(store), []
        if crossing:
            conditions.append(confusion.condition_of(store, crossing))
        if self.marked:
            conditions.append(failures.condition_of(store, self.marked, self.selection))
        if self.lasso:
            try:
                conditions.append(maps.condition_of(store, self.lasso))
            except LassoLost as error:
                raise HTTPException(409, str(error)) from error
        if not conditions:
            return None
        return " and ".join(text for text, _ in conditions), [value for _, values in conditions for value in values]


def listing_of(
    request: Request,
    by: Annotated[str, Query(max_length=100)] = "correct",
    rater: Annotated[str, Query(max_length=1000)] = PEOPLE,
    order: Annotated[str, Query()] = "prompt",
    like: Annotated[str, Query(max_length=1000)] = "",
) -> ImageListing:
    """The listing in an address's query.

    Raises:
        HTTPException: 422, with the reason.
    """
    if order not in grid.ORDERS:
        raise HTTPException(422, f"order must be one of {', '.join(grid.ORDERS)}.")
    read = request.query_params.getlist
    try:
        crossed, judged, marked = crossed_in(read), crossed_among(read), marked_in(read)
        filters = filters_in(read)
        lasso = lasso_in(read)
    except ValueError as error:
        raise HTTPException(422, str(error)) from error
    # here `rater` says whose values to show, and restricts no images
    selection = replace(selection_of(request), rater=())
    return ImageListing(selection, by, rater, cast("grid.Order", order), crossed, judged, marked, filters, lasso, like)


def selection_of(request: Request) -> Selection:
    """The selection in an address's query.

    Raises:
        HTTPException: 422, with the reason.
    """
    try:
        return Selection.of(request.query_params.getlist)
    except ValueError as error:
        raise HTTPException(422, str(error)) from error
