"""Which judgements are meant: the same set of filters on the command line and in every page's address."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, fields
from datetime import UTC, datetime
from typing import Any

from data.validation import did_you_mean

Where = tuple[str, list[Any]]
"""A SQL condition and its parameters; data only ever travels as a parameter."""
CERTAINTIES = ("unanimous", "majority", "split")
"""How far people agree about what is judged: ``agreement.report.report``."""


@dataclass(frozen=True, slots=True)
class Selection:
    """Each field is a set of alternatives, empty for "any"; the fields restrict together.

    Attributes:
        rater: names of people or scorers; it restricts each of the two kinds of which it names one.
        certainty: of ``CERTAINTIES``. It is told from all that the other fields select, so no condition here knows it:
            ``agreement.report.report.select`` follows it.
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
                    _moment(value)
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

    def items(self) -> Where:
        """The condition on ``items t``."""
        tagged = _among("tag", self.tag)
        return _all(
            _among("t.suite", self.suite),
            _among("t.task", self.task),
            _among("t.generator", self.generator),
            (f"t.item_id in (select item_id from tagged where {tagged[0]})", tagged[1]) if self.tag else tagged,
        )

    def judgements(self) -> Where:
        """The condition on ``judgements j``, ``items t``, ``raters r`` and (null for scorers) ``annotations a``.

        A scorer's ``score`` passes whatever the aspect, as it is compared with people's aspects.
        """
        clauses = [
            _among("j.aspect", (*self.aspect, "score") if self.aspect else ()),
            _among("j.target", self.target),
            _raters(self.rater),
            _among("a.campaign_id", self.campaign, or_scorer=True),
        ]
        if self.since:
            clauses.append(("(a.submitted is null or a.submitted >= ?::timestamptz)", [_moment(self.since[-1])]))
        if self.until:
            clauses.append(("(a.submitted is null or a.submitted < ?::timestamptz)", [_moment(self.until[-1])]))
        return _all(self.items(), *clauses)


def _moment(text: str) -> datetime:
    """Python reads more ways to write a date than the database does."""
    moment = datetime.fromisoformat(text)
    return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)


def _among(column: str, values: tuple[str, ...], *, or_scorer: bool = False) -> Where:
    if not values:
        return "true", []
    condition = f"{column} in (select unnest(?::varchar[]))"
    return (f"(r.kind = 'scorer' or {condition})" if or_scorer else condition), [list(values)]


def _raters(names: tuple[str, ...]) -> Where:
    if not names:
        return "true", []
    named = "(select unnest(?::varchar[]))"
    kinds = f"(select list(kind) from raters where rater_id in {named})"
    # a name that nobody has restricts too: nothing is selected then
    untouched = f"not list_contains(coalesce({kinds}, [r.kind]), r.kind)"
    return f"(r.rater_id in {named} or {untouched})", [list(names), list(names)]


def _all(*conditions: Where) -> Where:
    return (
        " and ".join(condition for condition, _ in conditions),
        [parameter for _, parameters in conditions for parameter in parameters],
    )


PEOPLE = "people"
SIMULATED = "simulated people"
GROUPS = (PEOPLE, SIMULATED)
"""Raters taken together, by the name that stands for them."""
