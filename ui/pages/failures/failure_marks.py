"""A failure picture's numbers as marks of a figure and as cells of a table, each a link to its images."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

from agreement.inference.intervals import PromptTrials, Share, mean_share, share
from concord.common import wording
from concord.common.table import Cell
from concord.error_analysis.failures import FailureMark, describe_mark
from data.formats.cooccurrence import Cooccurrence
from data.selection import Selection
from scorers.failures import ANY, FailureCell, FailureTable
from ui.components.addresses import browse_address
from ui.components.linked_figures import Mark, Series

_NOUNS: Final = {"colors": "object"}
"""What a picture counts, where that is not images."""


@dataclass(frozen=True, slots=True)
class FailurePicture:
    """A picture of a suite as a scorer saw it.

    Attributes:
        table: of the images that are looked at.
        where: whose images these are.
        settings: those of the scorer.
        cooccurrence: how often classes are together in photographs, for the picture of that name.
    """

    table: FailureTable
    where: Selection
    rater: str
    picture: str
    settings: Mapping[str, Any] = field(default_factory=dict)
    cooccurrence: Cooccurrence | None = None

    @property
    def generators(self) -> tuple[str, ...]:
        """Those that are shown."""
        return self.table.generators

    @property
    def noun(self) -> str:
        return _NOUNS.get(self.picture, "image")

    def cell(self, requested: str = ANY, detected: str = ANY, generator: str = ANY) -> FailureCell:
        """Return a cell of the table; of all generators, unless one is named."""
        return self.table.cell(requested, detected, generator)

    def href(self, cell: FailureCell) -> str:
        """Where a cell's images are; empty where there are none."""
        if not cell.hits:
            return ""
        where = replace(self.where, generator=(cell.generator,)) if cell.generator else self.where
        return browse_address(where, marked=FailureMark(self.picture, self.rater, cell.asked, cell.found))

    def mark(self, cell: FailureCell, *, right: bool | None = None, by_task: bool = False) -> Mark:
        """A cell's share on a figure."""
        known = score(cell) if by_task else shared(cell)
        who = f"{cell.generator}: " if cell.generator else ""
        description = describe_mark(self.picture, cell.asked, cell.found)
        note = f"{who}{description}\n{self._in_full(cell, known)}"
        text = "" if known.value is None else percent(known.value)
        return Mark(known.value, known.low, known.high, note, self.href(cell), text, right)

    def _in_full(self, cell: FailureCell, known: Share) -> str:
        """``41 % (95 %: 28 to 55), 23 of 56 images``."""
        if known.value is None:
            return f"no {self.noun}"
        span = f" (95\u00a0%: {span_of(known)})" if known.low is not None else ""
        return f"{percent(known.value)}{span}, {cell.hits:,} of {wording.count(cell.n, self.noun)}"

    def briefly(self, cell: FailureCell) -> str:
        """``41 % of 56 images``."""
        known = shared(cell)
        return f"no {self.noun}" if known.value is None else f"{percent(known.value)} of {wording.count(cell.n, self.noun)}"

    def number(self, cell: FailureCell, *, by_task: bool = False) -> Cell:
        """Return a cell's share in a table."""
        known = score(cell) if by_task else shared(cell)
        if known.value is None:
            return Cell("–", (f"no {self.noun}",))
        span = span_of(known) if known.low is not None else "no interval: one prompt"
        details = (f"{cell.hits:,} of {cell.n:,}", span)
        note = describe_mark(self.picture, cell.asked, cell.found)
        return Cell(percent(known.value), details, note, self.href(cell), known.value)

    def count(self, cell: FailureCell) -> Cell:
        """Return how many there are in a cell, in a table."""
        note = describe_mark(self.picture, cell.asked, cell.found)
        return Cell(f"{cell.hits:,}", note=note, href=self.href(cell), exact=cell.hits)

    def series(self, name: str, cells: Sequence[FailureCell], *, by_task: bool = False) -> Series:
        """Cells as marks of one name."""
        return Series(name, [self.mark(cell, by_task=by_task) for cell in cells])


def shared(cell: FailureCell) -> Share:
    """A cell's hits of its units, with its interval by prompt."""
    return share([PromptTrials(count.hits, count.n) for count in cell.counts])


def score(cell: FailureCell) -> Share:
    """The unweighted mean of the tasks' shares, as GenEval's overall score is made."""
    tasks: dict[str, list[PromptTrials]] = {}
    for count in cell.counts:
        tasks.setdefault(count.task, []).append(PromptTrials(count.hits, count.n))
    return mean_share([*tasks.values()])


def among(part: FailureCell, whole: FailureCell) -> Share:
    """How many of the hits of ``whole`` are hits of ``part``, too."""
    hits = {(count.task, count.prompt_id): count.hits for count in part.counts}
    return share([PromptTrials(hits[count.task, count.prompt_id], count.hits) for count in whole.counts])


def percent(value: float) -> str:
    return f"{100 * value:z.0f}\u00a0%"


def span_of(known: Share) -> str:
    """An interval in percent; only of one that has any."""
    assert known.low is not None
    assert known.high is not None
    return f"{100 * known.low:z.0f} to {100 * known.high:z.0f}"


def listed(names: Sequence[str]) -> str:
    """``a``, ``a and b``, ``a, b and c``."""
    *some, last = names
    return f"{', '.join(some)} and {last}" if some else last
