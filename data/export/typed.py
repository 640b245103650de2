"""Cells of a file of ours as what they hold."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TypeVar

from data.export.reading import Cells
from data.export.tables import Columns
from data.prompts.reading import InputError, Problems, quoted

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Row:
    """One row; what is not as it should be is a ``ValueError`` that names the column."""

    cells: Mapping[str, str]

    def text(self, name: str) -> str:
        """A text that must be there."""
        if not self.cells[name]:
            raise ValueError(f"column {quoted(name)} is empty; every row has one")
        return self.cells[name]

    def maybe(self, name: str) -> str | None:
        """A text, None for an empty cell."""
        return self.cells[name] or None

    def one_of(self, name: str, known: tuple[str, ...]) -> str:
        """One of these texts."""
        if self.cells[name] not in known:
            raise ValueError(f"{name} is {quoted(self.cells[name])}; it is one of {', '.join(known)}")
        return self.cells[name]

    def truth(self, name: str) -> bool | None:
        """``true``, ``false``, or nothing."""
        cell = self.cells[name].lower()
        return None if not cell else self.one_of(name, ("true", "false", "True", "False")).lower() == "true"

    def real(self, name: str) -> float | None:
        """A finite number."""
        found: float | None = self._read(name, _finite, "a number")
        return found

    def whole(self, name: str) -> int:
        """A whole number that must be there."""
        self.text(name)
        found: int = self._read(name, int, "a whole number")
        return found

    def moment(self, name: str) -> datetime | None:
        """A moment, in UTC if it names no zone."""
        found = self._read(name, datetime.fromisoformat, "a time such as 2026-11-20T14:30:00+00:00")
        return None if found is None else found.replace(tzinfo=found.tzinfo or UTC)

    def json(self, name: str, kind: type[T]) -> T | None:
        """A JSON object (``dict``) or array (``list``)."""
        found = self._read(name, json.loads, "JSON")
        if found is not None and not isinstance(found, kind):
            raise ValueError(f"{name} is {quoted(self.cells[name])}; it is a JSON {'object' if kind is dict else 'array'}")
        return found

    def _read(self, name: str, convert: Callable[[str], Any], wanted: str) -> Any:
        if not self.cells[name]:
            return None
        try:
            return convert(self.cells[name])
        except (ValueError, OverflowError, RecursionError):
            raise ValueError(f"{name} is {quoted(self.cells[name])}; it is {wanted}") from None


def _finite(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise ValueError(text)
    return number


def is_of(cells: Cells, columns: Columns) -> bool:
    """Whether a file has these very columns, in any order."""
    return sorted(cells.header) == sorted(columns)


def typed(path: Path, cells: Cells, convert: Callable[[Row], T]) -> list[T]:
    """Every row, converted.

    Raises:
        InputError: what cannot be converted, with its lines.
    """
    problems = Problems(path)
    found: list[T] = []
    for line, row in cells.rows():
        try:
            found.append(convert(Row(row)))
        except InputError:
            raise
        except (ValueError, TypeError, KeyError) as error:
            problems.add(line, f"lacks {error}" if isinstance(error, KeyError) else str(error))
    problems.check()
    return found
