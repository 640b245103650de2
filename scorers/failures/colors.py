"""Requested and detected colours, and how they are bound to two objects: swapped and leaked told apart (GenEval, Figure 6)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from data.prompts.geneval_suite import COLORS
from data.prompts.spec import ObjectSpec
from scorers.failures.objects import distinct
from scorers.failures.tables import AS_ASKED, NOT_AS_ASKED, FailureTable, FailureUnit, JudgedImage, SuiteEvidence, table
from scorers.geneval.rules import OTHER_COLOR, GenEvalRules, color_of, counted_objects

NOT_FOUND: Final = "object not found"

OWN: Final = "own colours"
SWAPPED: Final = "swapped"
LEAKED: Final = "leaked"
MOVED: Final = "moved"
OTHER: Final = "another colour"
MISSING: Final = "object missing"
ON_WRONG: Final = "on the wrong object"
"""Swapped, leaked or moved: what GenEval's paper calls swapping, one of the asked colours on the wrong object."""
BINDINGS: Final = (OWN, SWAPPED, LEAKED, MOVED, OTHER)

TWO_COLORS: Final = "colours of their own"
"""What is asked of all units of ``bindings``."""


@dataclass(frozen=True, slots=True)
class _ColoredObject:
    """An asked object and the colours of the boxes that GenEval's rules look at: as many as asked, or fewer."""

    asked: ObjectSpec
    colors: tuple[str | None, ...]

    @property
    def right(self) -> bool:
        return self.colors.count(self.asked.color) >= self.asked.count

    def has(self, color: str | None) -> bool:
        return color in self.colors


def colors(looked: SuiteEvidence) -> FailureTable:
    """Each coloured object's asked colour and the likeliest one that is seen on it.

    A unit is an object that is looked at (the most confident ones of its class, as many as asked), or one that is not there.
    Classes that a prompt asks for twice are left out, as nobody can tell which of them is which.
    """
    units = []
    for case in looked.cases:
        for painted in _colored_objects(case, looked):
            color = painted.asked.color or ""
            units += [
                FailureUnit(case, color, (seen, AS_ASKED if seen == color else NOT_AS_ASKED))
                for seen in painted.colors
                if seen is not None
            ]
            if not painted.colors:
                units.append(FailureUnit(case, color, (NOT_FOUND,)))
    return table(units, COLORS, (*COLORS, OTHER_COLOR, AS_ASKED, NOT_AS_ASKED, NOT_FOUND), NOT_FOUND)


def bindings(looked: SuiteEvidence) -> FailureTable:
    """Whose colour is on which object, in prompts that ask two objects or more, of different classes, in different colours.

    - ``own colours``: each object has its own.
    - ``swapped``: two objects have each other's colours.
    - ``leaked``: an object has the colour of another one, which has it too.
    - ``moved``: an object has the colour of another one, which has a third.
    - ``another colour``: an object has a colour that was asked of none.
    - ``object missing``: there are fewer than asked of an object, so no colour is looked at.

    Of the wrong ones the first that holds names the image. Without a colour in the evidence it is not counted. A colour that
    leaked into the background cannot be seen, as only objects' colours are evidence.
    """
    units = []
    for case in looked.cases:
        painted = _colored_objects(case, looked)
        if len({one.asked.color for one in painted}) < max(len(painted), 2):
            continue
        name = _binding(painted)
        if name is not None:
            units.append(FailureUnit(case, TWO_COLORS, (name, ON_WRONG) if name in (SWAPPED, LEAKED, MOVED) else (name,)))
    return table(units, (TWO_COLORS,), (*BINDINGS, ON_WRONG, MISSING), MISSING)


def _colored_objects(case: JudgedImage, looked: SuiteEvidence) -> list[_ColoredObject]:
    if not distinct(case.spec) or all(asked.color is None for asked in case.spec.objects):
        return []
    rules = GenEvalRules.of(looked.settings)
    needed, detections = rules.needed(case.spec), case.seen.detections
    return [
        _ColoredObject(
            asked, tuple(color_of(detections[k]) for k in counted_objects(detections, asked.name, needed, rules)[: asked.count])
        )
        for asked in case.spec.objects
        # a scorer that looks for no objects has not found that they are missing
        if asked.color is not None and asked.name in case.verdict.found
    ]


def _binding(painted: Sequence[_ColoredObject]) -> str | None:
    if any(len(one.colors) < one.asked.count for one in painted):
        return MISSING
    if any(None in one.colors for one in painted):
        return None
    if all(one.right for one in painted):
        return OWN
    # each object that has not its own colour but another's, with that other one
    stray = [(a, b) for a in painted for b in painted if a is not b and not a.right and a.has(b.asked.color)]
    if any(b.has(a.asked.color) for a, b in stray):
        return SWAPPED
    if any(b.has(b.asked.color) for _, b in stray):
        return LEAKED
    return MOVED if stray else OTHER
