"""Rows of a report for people's eyes: those to show at a glance, and the rest."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, TypeVar

from .catalogue import at_a_glance

Row = TypeVar("Row", bound=Mapping[str, Any])
_PLACE = ("suite", "task", "generator", "aspect", "target", "people", "rater", "a", "b", "certainty")


def glance(rows: Iterable[Row], also: str = "") -> tuple[list[Row], list[Row]]:
    """The rows to show at a glance, each place's primary statistic first, and the rest in their order.

    `also` is a statistic that is shown wherever there is one.
    """
    places: dict[tuple[Any, ...], dict[str, Row]] = {}
    for row in rows:
        places.setdefault(tuple(row.get(name) for name in _PLACE), {})[row["statistic"]] = row
    shown: list[Row] = []
    rest: list[Row] = []
    for found in places.values():
        among = not any("rater" in row or "a" in row for row in found.values())
        names = at_a_glance(found, among=among)
        if also in found and also not in names:
            names = (*names, also)
        shown += [found[name] for name in names]
        rest += [row for name, row in found.items() if name not in names]
    return shown, rest
