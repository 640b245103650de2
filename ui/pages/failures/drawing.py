"""What a picture of Failures shows."""

from __future__ import annotations

from dataclasses import dataclass

import htpy
from htpy import Element, Node

from concord.common import next_steps
from concord.open_project import OpenProject


@dataclass(frozen=True, slots=True)
class Drawing:
    """What a picture shows.

    Attributes:
        lead: its main finding, in sentences; the first one is the heading.
        figure: whose marks lead to their images; None if there is nothing to draw.
        numbers: its tables.
        notes: what the numbers are.
        listed: answers or images behind a number.
    """

    lead: str
    figure: Node = None
    numbers: Node = ""
    notes: Node = ""
    listed: Node = ""

    @classmethod
    def missing(cls, store: OpenProject, lead: str, *groups: tuple[str, ...], listed: Node = "") -> Drawing:
        """Return what is said where there is nothing to draw yet: what is missing, and the commands that bring it."""
        return cls(lead, notes=command_block(store, *groups), listed=listed)


def command_block(store: OpenProject, *groups: tuple[str, ...]) -> Element:
    """Return command lines to copy."""
    return htpy.pre(class_="cc-note")["\n".join(next_steps.command_lines(store, *groups))]
