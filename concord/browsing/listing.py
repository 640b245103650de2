"""A listing: which images an address means, in which order, and whose values of which aspect it shows.

Images, Map, the drawer and the downloads read it the same way; ``ui.components.addresses`` writes it.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import cast, get_args

from concord import maps
from concord.browsing.orders import displayed_aspect
from concord.error_analysis import confusion, failures
from concord.error_analysis.failures import FailureMark
from concord.maps import Lasso, lasso_in
from data.browsing import (
    ADJUDICATED,
    AMONG_PEOPLE,
    AMONG_SCORERS,
    HIGH,
    LOW,
    MAJORITY_VALUES,
    MISSED,
    PASSED,
    VERDICTS,
    CellWay,
    ConfusionCell,
)
from data.selection import CERTAINTIES, Selection
from data.store.analysis.confusion import ConfusionQuery
from data.store.browse.filters import Between, Filters, ListingQuery
from data.store.browse.grid import ORDERS, ListingDisplay, Order
from data.store.core.conditions import Where
from data.store.core.store import Store
from data.validation import did_you_mean
from scorers.failures import PICTURES

CROSSED = {"about": "aspect", "a": "a", "a_says": "a_says", "b": "b", "b_says": "b_says", "way": "way"}
"""The fields of ``ConfusionCell`` by their names in the address of Images."""
RESTRICTING = {name: name for name in ("target", "campaign", "certainty", "since", "until")} | {"among": "rater"}
"""Further filters of the judgements that are crossed: fields of ``Selection`` (whose rater means another thing in Images)."""
MARKED = {"picture": "picture", "seen_by": "rater", "asked": "asked", "found": "found"}
"""The fields of ``FailureMark`` by their names in the address of Images."""

FILTERED = ("object", "color", "count", "relation", "says", "people", "certainty", "differs", "verdict", "q", "range", "item")
"""Further filters of images: fields of ``Filters``, each repeatable. With ``about``, certainty is the crossing's."""

_NEEDED = ("about", "a", "b")
Read = Callable[[str], Sequence[str]]
"""All values of a name in an address."""


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
    cell = ConfusionCell(values["about"], values["a"], values["a_says"], values["b"], values["b_says"], way)  # type: ignore[arg-type]
    if cell.way == "halves" and not {cell.a_says, cell.b_says} <= {HIGH, LOW}:
        raise ValueError(f"halves are {HIGH} or {LOW}: a_says and b_says name one each.")
    return cell


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
        values["item"],
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
    order: Order
    crossed: ConfusionCell | None
    judged: Selection
    marked: FailureMark | None = None
    filters: Filters = field(default_factory=Filters)
    lasso: Lasso | None = None
    like: str = ""

    def display(self, store: Store) -> ListingDisplay:
        """Return the rater, aspect and order shown; of a scorer that does not answer the question its score."""
        return ListingDisplay(displayed_aspect(store, self.rater, self.aspect), self.rater, self.order)

    def restriction(self, store: Store) -> ListingQuery:
        """All that restricts it."""
        return ListingQuery(self.selection, self.filters, self.also(store), self.alike(store), self.furthest(store))

    def alike(self, store: Store) -> tuple[str, ...]:
        """The images like the one that is named, the most alike first.

        Raises:
            NoImagesAlike: it has no embedding.
        """
        return maps.images_alike(store, self.like) if self.like else ()

    def furthest(self, store: Store) -> tuple[str, ...]:
        """The images where two raters' numbers meet by rank, those that they rank most differently first; else none."""
        crossing = self.crossing(store)
        return confusion.by_distance(store, crossing) if crossing and crossing.crossed.by_rank else ()

    def crossing(self, store: Store) -> ConfusionQuery | None:
        """Where answers cross, if only that is listed."""
        return confusion.crossing_of(store, self.crossed, self.judged) if self.crossed else None

    def also(self, store: Store) -> Where | None:
        """What else than the selection restricts the items.

        Raises:
            LassoLost: the map of the lasso is not at hand.
        """
        crossing, conditions = self.crossing(store), []
        if crossing:
            conditions.append(confusion.condition_of(store, crossing))
        if self.marked:
            conditions.append(failures.condition_of(store, self.marked, self.selection))
        if self.lasso:
            conditions.append(maps.condition_of(store, self.lasso))
        if not conditions:
            return None
        return " and ".join(text for text, _ in conditions), [value for _, values in conditions for value in values]


def listing_in(read: Read, *, by: str, rater: str, order: str, like: str = "") -> ImageListing:
    """Return what an address lists: ``by`` an aspect, with the values of a ``rater``, in this order.

    Raises:
        ValueError: a value that cannot be followed; the message says what there is instead.
    """
    if order not in ORDERS:
        raise ValueError(f"order must be one of {', '.join(ORDERS)}.")
    crossed, judged, marked = crossed_in(read), crossed_among(read), marked_in(read)
    filters = filters_in(read)
    lasso = lasso_in(read)
    # here `rater` says whose values to show, and restricts no images
    selection = replace(Selection.of(read), rater=())
    return ImageListing(selection, by, rater, cast("Order", order), crossed, judged, marked, filters, lasso, like)
