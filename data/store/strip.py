"""How a scorer's scores are distributed in a listing, beside all its scores."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from data.store import refreshing, rows
from data.store.filters import Asked, conditions, where
from data.store.grid import numbers_of
from data.store.store import Store

BINS: Final = 40


@dataclass(frozen=True, slots=True)
class Bin:
    """Scores from ``low`` up to ``high`` (of the last bin included): ``n`` in the listing, ``of_all`` in the project."""

    low: float
    high: float
    n: int
    of_all: int


@dataclass(frozen=True, slots=True)
class Strip:
    """The distribution of one scorer's ``score``.

    Attributes:
        of: the scorer; None: nobody has scored anything.
        choices: all scorers with scores.
        low, high: of all scores; None without any.
        undefined: items of the listing without a score.
    """

    of: str | None
    choices: list[str]
    low: float | None = None
    high: float | None = None
    bins: tuple[Bin, ...] = ()
    undefined: int = 0


def strip(store: Store, asked: Asked, of: str | None = None) -> Strip:
    """The distribution in a listing, whatever range of this scorer it asks for; of no scorer in
    particular: of the one with the most scores there.

    Raises:
        ValueError: this scorer has no scores; the message names those that do.
    """
    refreshing.catch_up(store)
    with store.read() as cursor:
        numbers = numbers_of(cursor)
        ends = _ends(cursor, list(numbers.values()))
        choices = sorted(rater for rater, no in numbers.items() if no in ends)
        if of is None:
            named = [one.rater for one in asked.filters.range if one.rater in choices]
            of = named[0] if named else _most(cursor, asked, {name: numbers[name] for name in choices}, numbers)
        if of is None:
            return Strip(None, [])
        if of not in choices:
            raise ValueError(f"{of!r} has no scores here; those that have: {', '.join(choices) or 'none'}.")
        low, high = ends[numbers[of]]
        score = f"t.scores[{numbers[of]}]"
        condition, parameters = where(conditions(asked, numbers), f"range:{of}")
        width = (high - low) / BINS
        # all in one bin where all scores are equal
        place = f"least(floor(({score} - ?) / ?)::integer, {BINS - 1})" if width > 0 else "0"
        found = cursor.execute(
            f"select {place} as place, count(*) filter ({condition}), count(*) from browse t"
            f" where {score} is not null group by 1",
            [*([low, width] if width > 0 else []), *parameters],
        ).fetchall()
        total = rows.value(cursor, f"select count(*) from browse t where {condition}", parameters)
    counts = {place: (n, of_all) for place, n, of_all in found}
    size = BINS if width > 0 else 1
    bins = tuple(
        Bin(low + place * width, high if place == size - 1 else low + (place + 1) * width, *counts.get(place, (0, 0)))
        for place in range(size)
    )
    return Strip(of, choices, low, high, bins, int(total) - sum(one.n for one in bins))


def _most(cursor: Any, asked: Asked, places: Mapping[str, int], numbers: Mapping[str, int]) -> str | None:
    """The scorer with the most scores in a listing, by name where several have as many; None if there are no scorers."""
    if len(places) < 2:
        return next(iter(places), None)
    condition, parameters = where(conditions(asked, numbers))
    columns = ", ".join(f"count(t.scores[{no}])" for no in places.values())
    counts = cursor.execute(f"select {columns} from browse t where {condition}", parameters).fetchone()
    return max(zip(places, counts, strict=True), key=lambda one: one[1])[0]


def _ends(cursor: Any, places: list[int]) -> dict[int, tuple[float, float]]:
    """By scorer's place its least and its largest score, of those that have any."""
    if not places:
        return {}
    columns = ", ".join(f"{end}(scores[{no}]) filter (scores[{no}] is not null)" for no in places for end in ("min", "max"))
    found = cursor.execute(f"select {columns} from browse").fetchone()
    return {no: (found[2 * k], found[2 * k + 1]) for k, no in enumerate(places) if found[2 * k] is not None}
