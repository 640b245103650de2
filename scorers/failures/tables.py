"""What a failure picture is made of: what was asked for in each image, what is there, and tables of how often."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from data.jobs.runs import Observation
from data.spec import Spec
from scorers.base import Scorer, Verdict

ANY: Final = ""
"""In place of a generator, of what was asked or of what was found: whatever it is."""
AS_ASKED: Final = "as asked"
NOT_AS_ASKED: Final = "not as asked"


@dataclass(frozen=True, slots=True)
class JudgedImage:
    """One image that a scorer has looked at, and its verdict. ``generator`` and ``task`` are empty where nobody knows."""

    item_id: str
    prompt_id: str
    generator: str
    index: int | None
    task: str
    spec: Spec
    seen: Observation
    verdict: Verdict


@dataclass(frozen=True, slots=True)
class SuiteEvidence:
    """All that one scorer saw of a suite; what could not be looked at is not among the cases."""

    scorer: Scorer
    settings: Mapping[str, Any]
    cases: Sequence[JudgedImage]


@dataclass(frozen=True, slots=True)
class FailureUnit:
    """One thing that was asked for in one image.

    Attributes:
        asked: the group of which shares are taken (``left of``).
        found: what is there instead; several where more than one holds (``left of`` and ``below``, and ``as asked``).
    """

    case: JudgedImage
    asked: str
    found: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class PromptCount:
    """Of the units of one prompt in one task: ``hits`` of ``n``."""

    task: str
    prompt_id: str
    hits: int
    n: int


@dataclass(frozen=True, slots=True)
class FailureCell:
    """How often what was asked for is found to be this.

    Attributes:
        generator, asked, found: ANY for all of them together.
        hits: of ``n`` units of that generator and group. ``items``: the images of the hits, each once.
        counts: the same by prompt, of all prompts of the group.
    """

    generator: str
    asked: str
    found: str
    hits: int
    n: int
    items: tuple[str, ...]
    counts: tuple[PromptCount, ...]


@dataclass(frozen=True, slots=True)
class FailureTable:
    """A picture's units, and its cells by what was asked and found.

    Attributes:
        asked, found: what there is of both, in the order to show.
        apart: what is found that makes a unit count in no share (``not found``); only cells of it alone are of all units.
    """

    asked: tuple[str, ...]
    found: tuple[str, ...]
    units: tuple[FailureUnit, ...]
    apart: str = ANY
    _index: dict[tuple[str, str], list[FailureUnit]] = field(default_factory=dict, repr=False, compare=False)

    def __post_init__(self) -> None:
        for unit in self.units:
            generator = unit.case.generator
            for key in {(g, a) for g in (ANY, generator) for a in (ANY, unit.asked)}:
                self._index.setdefault(key, []).append(unit)

    @property
    def generators(self) -> tuple[str, ...]:
        """Those that have a unit, sorted."""
        return tuple(sorted({unit.case.generator for unit in self.units} - {ANY}))

    def cell(self, asked: str = ANY, found: str = ANY, generator: str = ANY) -> FailureCell:
        """One cell; of 0 units where there is none."""
        units = self._denominator(asked, found, generator)
        hits = _units_with(units, found)
        items = tuple(dict.fromkeys(unit.case.item_id for unit in hits))
        every, some = (Counter((unit.case.task, unit.case.prompt_id) for unit in of) for of in (units, hits))
        return FailureCell(
            generator,
            asked,
            found,
            len(hits),
            len(units),
            items,
            tuple(PromptCount(*key, some[key], n) for key, n in every.items()),
        )

    def having(self, asked: str = ANY, found: str = ANY, generator: str = ANY) -> list[FailureUnit]:
        """The units of a cell."""
        return _units_with(self._denominator(asked, found, generator), found)

    def _denominator(self, group: str, outcome: str, generator: str) -> list[FailureUnit]:
        """Return the units in a cell's denominator."""
        units = self._index.get((generator, group), [])
        if self.apart and outcome != self.apart:
            return [unit for unit in units if self.apart not in unit.found]
        return units

    def rows(self, generator: str = ANY) -> list[FailureCell]:
        """All cells of a generator, in order: each group with each thing found."""
        return [self.cell(group, outcome, generator) for group in self.asked for outcome in self.found]


def _units_with(units: list[FailureUnit], outcome: str) -> list[FailureUnit]:
    return [unit for unit in units if outcome in unit.found] if outcome else units


def table(units: Iterable[FailureUnit], groups: Sequence[str], outcomes: Sequence[str], apart: str = ANY) -> FailureTable:
    """A table of units; of ``groups`` and ``outcomes`` only those that occur, in the order given, others last."""
    made = tuple(units)
    present = _in_order({unit.asked for unit in made}, groups)
    return FailureTable(present, _in_order({name for unit in made for name in unit.found}, outcomes), made, apart)


def _in_order(names: Iterable[str], order: Sequence[str]) -> tuple[str, ...]:
    rank = {name: k for k, name in enumerate(order)}
    return tuple(sorted(names, key=lambda name: (rank.get(name, len(rank)), name)))
