"""Cells by the names of their generator and task, and back."""

from __future__ import annotations

from .cells import ALL, Cell, Options, Place
from .frame import Suite
from .jackknife import Deletions

EVERYWHERE = Place(ALL, ALL)


def place_of(cell: Cell, suite: Suite) -> Place:
    """A cell by its names."""
    generator = ALL if cell.generator is None else suite.generators[cell.generator]
    return Place(generator, ALL if cell.task is None else suite.tasks[cell.task])


def cell_of(suite: Suite, place: Place, options: Options) -> Cell:
    """The cell of a place, as the report has it; ValueError for a name that the suite has not."""

    def code(names: tuple[str, ...], name: str, what: str) -> int | None:
        if name == ALL:
            return None
        if name not in names:
            raise ValueError(f"the suite {suite.name!r} has no {what} {name!r}")
        return names.index(name)

    generator, task = code(suite.generators, place.generator, "generator"), code(suite.tasks, place.task, "task")
    stream = ALL if task is None else f"task {place.task}"
    return Cell(generator, task, Deletions(options.intervals, options.seed, stream))
