"""The view of a page, as its address says it, and what of it can be chosen."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, ClassVar, Final, Self
from urllib.parse import urlencode

from concord.common.base_path import at
from ui.components.tables import note
from ui.shell.html import rendered

ALL: Final = "all"


@dataclass(frozen=True, slots=True)
class Choice:
    """The values that a part of a view may have, and which of them it has."""

    choices: Sequence[str | tuple[str, str]]
    value: Any

    @classmethod
    def among(cls, titles: Mapping[str, str] | Iterable[str], requested: object, otherwise: str | None = None) -> Choice:
        """Return values by their titles, or without any: what is asked for if it is one of them, else ``otherwise`` if that is,
        else the first."""
        named = titles if isinstance(titles, Mapping) else {name: name for name in titles}
        chosen = next((value for value in (requested, otherwise) if value in named), next(iter(named), None))
        return cls([(title, value) for value, title in named.items()], chosen)


@dataclass(frozen=True)
class View:
    """The view of a page; its fields have the names of the address's parameters."""

    PATH: ClassVar[str]

    @classmethod
    def chosen(cls, choices: Mapping[str, Choice], values: Mapping[str, Any]) -> Self:
        """What controls offer as the nearest to what is asked for; the ``page`` of a list is asked for as it is."""
        made: dict[str, Any] = {name: choice.value or "" for name, choice in choices.items()}
        if "page" in cls.__dataclass_fields__:
            page = str(values.get("page") or "")
            made["page"] = max(int(page), 1) if page.isdecimal() and len(page) < 7 else 1
        return cls(**made)

    def address(self, **changes: Any) -> str:
        """Its address, with some of it changed; what is empty or stands for all is left out."""
        query = urlencode(replace(self, **changes).query())
        return at(f"/studio{self.PATH}") + (f"?{query}" if query else "")

    def query(self) -> list[tuple[str, str]]:
        """The names and values of its address; a list begins with its first page."""
        every = [(name, str(value)) for name, value in asdict(self).items() if value not in ("", ALL)]
        return [pair for pair in every if pair != ("page", "1")]


def ignored(parameters: Mapping[str, str], chosen: Mapping[str, str | None]) -> str:
    """A line that says which parts of an address this page could not follow; nothing if it followed all."""
    lost = [
        f"{name}={value}"
        for name, value in parameters.items()
        if value and chosen.get(name) != value and not name.startswith("__")
    ]
    if not lost:
        return ""
    text = f"This address asks for {', '.join(lost)}, which this page does not have; here is what it has instead."
    return rendered(note(text, "cc-bad"))
