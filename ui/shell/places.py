"""The places of Studio: a question each, with the pages that answer it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from ui.shell.page import Page


@dataclass(frozen=True, slots=True)
class Place:
    """A place in Studio's bar.

    Attributes:
        name: in the bar.
        key: the letter that opens it after ``g``.
        question: that it answers, shown where somebody points at it.
        icon: paths of its picture on a phone, in a square of 20.
        pages: in the order of its tabs; the first one opens.
        hidden: pages below it that no tab leads to.
    """

    name: str
    key: str
    question: str
    icon: str
    pages: tuple[type[Page], ...]
    hidden: tuple[type[Page], ...] = ()

    @property
    def every(self) -> tuple[type[Page], ...]:
        """All pages of the place."""
        return (*self.pages, *self.hidden)


def place_of(places: Iterable[Place], page: type[Page]) -> Place:
    """Return the place that a page belongs to."""
    return next(place for place in places if page in place.every)
