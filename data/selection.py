"""Which judgements are meant: the same set of filters on the command line and in every page's address."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, fields
from datetime import UTC, datetime

from data.validation import did_you_mean

CERTAINTIES = ("unanimous", "majority", "split")
"""How far people agree about what is judged: ``agreement.report.report``."""


@dataclass(frozen=True, slots=True)
class Selection:
    """Each field is a set of alternatives, empty for "any"; the fields restrict together.

    Attributes:
        rater: names of people or scorers; it restricts each of the two kinds of which it names one.
        certainty: of ``CERTAINTIES``. It is told from all that the other fields select, so no condition of the database knows
            it: ``agreement.report.report.select`` follows it.
        tag: of items, as people tagged them (``data.store.judgements.remarks``).
        since, until: when it was said (ISO 8601, UTC if it names no zone); the last value given counts.
    """

    suite: tuple[str, ...] = ()
    task: tuple[str, ...] = ()
    generator: tuple[str, ...] = ()
    aspect: tuple[str, ...] = ()
    target: tuple[str, ...] = ()
    rater: tuple[str, ...] = ()
    campaign: tuple[str, ...] = ()
    certainty: tuple[str, ...] = ()
    since: tuple[str, ...] = ()
    until: tuple[str, ...] = ()
    tag: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for value in self.certainty:
            if value not in CERTAINTIES:
                raise ValueError(f"--certainty {value}: there is no such class; {did_you_mean(value, CERTAINTIES)}")
        for name in ("since", "until"):
            for value in getattr(self, name):
                try:
                    moment_of(value)
                except (ValueError, OverflowError) as error:
                    raise ValueError(
                        f"--{name} must be a date such as 2026-11-20 or 2026-11-20T14:30, got {value!r}"
                    ) from error

    @classmethod
    def of(cls, read: Callable[[str], Iterable[str]]) -> Selection:
        """Fill the fields by name: from options, or from an address's query."""
        return cls(**{field.name: tuple(value for value in read(field.name) if value) for field in fields(cls)})

    def to_dict(self) -> dict[str, list[str]]:
        """The filters that are set."""
        return {field.name: list(getattr(self, field.name)) for field in fields(self) if getattr(self, field.name)}


EVERYTHING = Selection()
"""Restricts nothing."""


def moment_of(text: str) -> datetime:
    """Return the moment that a date in ISO 8601 names, in UTC; Python reads more ways to write one than the database does."""
    moment = datetime.fromisoformat(text)
    return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)


PEOPLE = "people"
SIMULATED = "simulated people"
GROUPS = (PEOPLE, SIMULATED)
"""Raters taken together, by the name that stands for them."""
