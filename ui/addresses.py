"""Addresses inside the app, made in one place: what a page reads from its address is what others write into it."""

from __future__ import annotations

from urllib.parse import urlencode

from data.store.crossed import Crossed
from data.store.selection import Selection

BROWSE = "/studio/browse"
ALL = ("all", "tasks_mean", "any", "")
"""What stands in a filter that restricts nothing."""

_PLACES = ("suite", "task", "generator")
_RESTRICTING = ("target", "campaign", "since", "until")


def browse_address(selection: Selection, crossed: Crossed | None = None, **listing: str) -> str:
    """Browse's address for a selection, or for those of its images where two sides' answers cross.

    Of the selection its places count, and with ``crossed`` also what restricts the judgements that are looked at (targets,
    campaigns and times; ``crossed`` itself names aspect and raters). ``listing``: ``rater``, ``by`` and ``order``, as Browse
    has them.
    """
    names = (*_PLACES, *_RESTRICTING) if crossed else _PLACES
    query = [(name, value) for name in names for value in getattr(selection, name) if value not in ALL]
    if crossed:
        query += crossed.to_query()
    query += [(name, value) for name, value in listing.items() if value]
    return f"{BROWSE}?{urlencode(query)}" if query else BROWSE
