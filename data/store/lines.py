"""One person's line: which items come next for them, and how many are left. No database: positions and numbers only."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime

import numpy as np
from numpy.typing import NDArray

from data.campaign import CheckSchedule


@dataclass(slots=True)
class Person:
    """What a person has done in a campaign, by positions of its items.

    Attributes:
        items: the ids of all that they have answered.
        answered: the status of the first answer.
        passed: of gold, attention and training items, those answered rightly.
        held: claims, in their order; ``until``: when they end.
        put_off: skipped items, by when, in microseconds; ``broken``: those that they reported.
        out: what they were taken out for: what they fail of the checks, None if a manager did it.
    """

    items: set[str] = field(default_factory=set)
    answered: dict[int, str] = field(default_factory=dict)
    passed: set[int] = field(default_factory=set)
    held: list[int] = field(default_factory=list)
    until: datetime | None = None
    put_off: dict[int, int] = field(default_factory=dict)
    broken: set[int] = field(default_factory=set)
    out: tuple[str | None, ...] = ()

    @property
    def done(self) -> int:
        """How many items they have answered, training aside."""
        return len(self.items) - sum(status == "training" for status in self.answered.values())

    def waiting(self, positions: Sequence[int]) -> list[int]:
        """Those of these that they have not answered: held ones first, skipped ones last."""
        left = [one for one in positions if one not in self.answered and one not in self.broken]
        held = [one for one in self.held if one in left]
        fresh = [one for one in left if one not in held and one not in self.put_off]
        return held + fresh + self.later(one for one in left if one not in held and one in self.put_off)

    def later(self, positions: Iterable[int]) -> list[int]:
        """Skipped items in the order of skipping."""
        return sorted(positions, key=lambda one: (self.put_off[one], one))


@dataclass(frozen=True, slots=True)
class Line:
    """Open ordinary items, and checks to mix in.

    Attributes:
        positions, keys: of the ordinary items that this person may be given now, and what orders them.
        wanted: how many ordinary items want an answer of theirs: these, and those that others hold at present.
        checks: positions of gold and attention items, in this person's order.
        places: where checks stand; None if there are none.
    """

    person: Person
    positions: NDArray[np.int64]
    keys: NDArray[np.int64]
    wanted: int
    checks: Sequence[int] = ()
    places: CheckSchedule | None = None

    def remaining(self) -> int:
        """How many items this person would still be given, if nobody else answered and all claims lapsed."""
        if self.places is None:
            return self.wanted
        left = sum(one not in self.person.answered and one not in self.person.broken for one in self.checks)
        return min(self.wanted + left, self.places.ahead(self.person.done, self.wanted))

    def first(self, n: int) -> list[int]:
        """The next ``n`` positions: what the person holds, and then what follows."""
        person = self.person
        checks = person.waiting(self.checks) if self.places is not None else []
        wanted = self._open({*person.held, *person.put_off})
        given = [one for one in person.held if one in wanted or one in checks][:n]
        ordinary = self._ordinary(n, wanted)
        kept = sum(one not in checks for one in given)
        mixed = sum(one in checks for one in given) + sum(status == "gold" for status in person.answered.values())
        # a skipped check comes back when skipped items do, or it would give itself away
        late = len(wanted) == self.positions.size
        free = iter(one for one in checks if one not in given and (late or one not in person.put_off))
        while len(given) < n and kept < self.positions.size:
            place = person.done + len(given)
            check = None
            if self.places is not None and self.places.is_next(place) and mixed < self.places.due(place + 1):
                check = next(free, None)
            if check is not None:
                given.append(check)
                mixed += 1
            else:
                given.append(next(ordinary))
                kept += 1
        return given

    def _open(self, positions: Collection[int]) -> set[int]:
        """Those of these few that are open ordinary items."""
        return set(self.positions[np.isin(self.positions, list(positions))].tolist()) if positions else set()

    def _ordinary(self, n: int, wanted: set[int]) -> Iterator[int]:
        """The next ordinary items that the person does not hold: by their keys, and then the skipped ones."""
        out = {*self.person.held, *self.person.put_off}
        free = np.flatnonzero(~np.isin(self.positions, sorted(out))) if out else np.arange(self.positions.size)
        if free.size > n:
            free = free[np.argpartition(self.keys[free], n - 1)[:n]]
        yield from self.positions[free[np.lexsort((self.positions[free], self.keys[free]))]].tolist()
        held = set(self.person.held)
        yield from self.person.later(one for one in self.person.put_off if one in wanted and one not in held)
