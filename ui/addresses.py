"""Addresses inside the app, made in one place: what a page reads from its address is what others write into it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import get_args
from urllib.parse import urlencode

from data.store.crossed import Crossed, Way
from data.store.selection import Selection
from scorers.failures import PICTURES
from ui.marked import Marked
from ui.root import at

BROWSE = "/studio/browse"
ALL = ("all", "tasks_mean", "any", "")
"""What stands in a filter that restricts nothing."""
CROSSED = {"about": "aspect", "a": "a", "a_says": "a_says", "b": "b", "b_says": "b_says", "way": "way"}
"""The fields of ``Crossed`` by their names in Browse's address."""
RESTRICTING = {name: name for name in ("target", "campaign", "certainty", "since", "until")} | {"among": "rater"}
"""What else restricts the judgements that are crossed: fields of ``Selection`` (whose rater means another thing in Browse)."""
MARKED = {"picture": "picture", "seen_by": "rater", "asked": "asked", "found": "found"}
"""The fields of ``Marked`` by their names in Browse's address."""

_PLACES = {name: name for name in ("suite", "task", "generator")}
_NEEDED = ("about", "a", "b")
Read = Callable[[str], Sequence[str]]
"""All values of a name in an address."""


def browse_address(selection: Selection, crossed: Crossed | None = None, marked: Marked | None = None, **listing: str) -> str:
    """Browse's address for a selection, for those of its images where two sides' answers cross, or for a failure's.

    Of the selection its places count, and with ``crossed`` also what restricts the judgements that are looked at (targets,
    campaigns, certainty, raters and times; ``crossed`` itself names the aspect). ``marked``: a mark of a failure picture.
    ``listing``: ``rater``, ``by`` and ``order``, as Browse has them.
    """
    names = _PLACES | (RESTRICTING if crossed else {})
    query = [(name, value) for name, field in names.items() for value in getattr(selection, field) if value not in ALL]
    if crossed:
        query += [(name, value) for name, field in CROSSED.items() if (value := getattr(crossed, field)) not in ("", "each")]
    if marked:
        query += [(name, value) for name, field in MARKED.items() if (value := getattr(marked, field))]
    query += [(name, value) for name, value in listing.items() if value]
    return at(f"{BROWSE}?{urlencode(query)}" if query else BROWSE)


def crossed_in(read: Read) -> Crossed | None:
    """What an address asks to cross; None if it asks for nothing of the kind.

    Raises:
        ValueError: it asks for half of it, or for a way that there is not.
    """
    given = {name: next((value for value in reversed(read(name)) if value), "") for name in CROSSED}
    if not any(given.values()):
        return None
    missing = [name for name in _NEEDED if not given[name]]
    if missing:
        raise ValueError(f"answers cross where about, a and b are given; there is no {' and no '.join(missing)}.")
    ways = get_args(Way)
    way = given["way"] or "each"
    if way not in ways:
        raise ValueError(f"way must be one of {', '.join(ways)}.")
    return Crossed(given["about"], given["a"], given["a_says"], given["b"], given["b_says"], way)  # type: ignore[arg-type]


def crossed_among(read: Read) -> Selection:
    """The judgements among which an address's answers cross.

    Raises:
        ValueError: a value that cannot be followed, such as a date that is none.
    """
    found = Selection.of(lambda name: () if name in ("aspect", "rater") else read(name))
    return replace(found, rater=tuple(name for name in read("among") if name))


def marked_in(read: Read) -> Marked | None:
    """The mark of a failure picture that an address asks for; None if it asks for none.

    Raises:
        ValueError: it asks for half of it, or for a picture that there is not.
    """
    given = {field: next((value for value in reversed(read(name)) if value), "") for name, field in MARKED.items()}
    if not any(given.values()):
        return None
    if not given["picture"] or not given["rater"]:
        raise ValueError("a failure picture's mark needs picture and seen_by.")
    if given["picture"] not in PICTURES:
        raise ValueError(f"picture must be one of {', '.join(PICTURES)}.")
    return Marked(**given)
