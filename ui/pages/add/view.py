"""The view of Add, as its address says it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from concord.common.base_path import at
from ui.shell.scope_bar import with_query

PATH: Final = "/add"
KINDS: Final[Mapping[str, tuple[str, str]]] = {
    "images": ("Images", "a folder by generator: GenEval, VISOR, or a table of paths and prompts"),
    "prompts": ("Prompts", "write or make them, then generate images here"),
    "ratings": ("Ratings", "people’s or a metric’s, CSV, JSON, Label Studio, MTurk"),
    "study": ("A published study", "TIFA, GenEval and 6 more"),
    "playground": ("Playground", "504 drawings, 6 scorers, simulated people"),
}
"""Kinds of things that can be added: their name, and what they are."""
PARAMETERS: Final = ("kind", "read", "imports")


@dataclass(frozen=True, slots=True)
class AddView:
    """What of Add is asked for.

    Attributes:
        kind: whose fields are open; empty for none.
        read: the reading that is shown; empty for none.
        every: whether all imports are listed.
    """

    kind: str = ""
    read: str = ""
    every: bool = False

    @classmethod
    def read_address(cls, values: Callable[[str], Sequence[str]]) -> AddView:
        """Return the view that an address asks for; what it cannot ask for is left out."""

        def last(name: str) -> str:
            given = values(name)
            return given[-1][:100] if given else ""

        kind = last("kind")
        return cls(kind if kind in KINDS else "", last("read"), last("imports") == "all")

    def address(self, *, kind: str = "", every: bool = False) -> str:
        """Return the address of another kind, or of all imports, beside the same reading."""
        query = [("read", self.read), ("kind", kind), ("imports", "all" if every else "")]
        return with_query(at(f"/studio{PATH}"), query)
