"""How scores move that are no failure of one image: with the detector's threshold, and with the seed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from scorers import again
from scorers.failures.base import Case, Looked, Table, Unit, table
from scorers.failures.relations import CORRECT

WRONG: Final = "wrong"
_THRESHOLD: Final = "threshold"
_GRID: Final = tuple(k / 10 for k in range(1, 10))


def thresholds(looked: Looked) -> Table:
    """Correct or not at each confidence from 0.1 to 0.9 that the evidence reaches, and at the scorer's own.

    VISOR, appendix D.3 and Figure 14. All other settings stay as they are, GenEval's threshold for counting too. Empty for a
    scorer without a threshold or whose evidence was cut at an unknown one.

    Raises:
        ValueError: the scorer's settings make no sense.
    """
    own, keep = looked.settings.get(_THRESHOLD), looked.settings.get("keep")
    if _THRESHOLD not in looked.scorer.knobs or not isinstance(own, (int, float)) or not isinstance(keep, (int, float)):
        return table((), (), ())
    grid = sorted({float(own), *(value for value in _GRID if value >= keep)})
    cases = scored(looked)
    units = [
        Unit(case, name_of(value), (CORRECT if correct else WRONG,))
        for case, said in zip(cases, _judged(looked, cases, grid), strict=True)
        for value, correct in zip(grid, said, strict=True)
        if correct is not None
    ]
    return table(units, [name_of(value) for value in grid], (CORRECT, WRONG))


def seeds(looked: Looked) -> Table:
    """Correct or not by the image's number among its prompt's (GenEval, appendix: scores vary by 0.01 to 0.02 over seeds)."""
    units = [
        Unit(case, str(case.index), (CORRECT if case.verdict.correct else WRONG,))
        for case in scored(looked)
        if case.index is not None and case.verdict.correct is not None
    ]
    numbers = sorted({int(unit.asked) for unit in units})
    return table(units, [str(number) for number in numbers], (CORRECT, WRONG))


def scored(looked: Looked) -> list[Case]:
    """What enters a score: all that is judged, but for VISOR only what asks for a relation, as its paper has it."""
    related = looked.scorer.name == "visor" and any(case.spec.relations for case in looked.cases)
    return [case for case in looked.cases if case.spec.relations] if related else list(looked.cases)


def name_of(threshold: float) -> str:
    """A threshold as a group of ``thresholds`` is called."""
    return f"{threshold:g}"


def _judged(looked: Looked, cases: Sequence[Case], grid: Sequence[float]) -> list[list[bool | None]]:
    """Of each image whether it is correct at each threshold; None where that is left open."""
    evidence = [again.Case(case.item_id, case.spec, case.seen) for case in cases]
    try:
        sweep = again.Again(looked.scorer, evidence, looked.settings).sweep(_THRESHOLD, grid, {})
    except KeyError as error:
        raise ValueError(f"its settings lack {error}") from error
    said: list[list[bool | None]] = [[case.verdict.correct] * len(grid) for case in cases]
    for column, row in enumerate(sweep.rows):
        said[row] = [None if one < 0 else bool(one) for one in sweep.said[:, column]]
    return said
