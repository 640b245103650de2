"""How scores move that are no failure of one image: with the detector's threshold, and with the seed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from scorers.failures.objects import CORRECT
from scorers.failures.tables import FailureTable, FailureUnit, JudgedImage, SuiteEvidence, table
from scorers.running import rejudge

WRONG: Final = "wrong"
_THRESHOLD: Final = "threshold"
_GRID: Final = tuple(k / 10 for k in range(1, 10))


def thresholds(looked: SuiteEvidence) -> FailureTable:
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
    cases = scored_images(looked)
    units = [
        FailureUnit(case, threshold_group(value), (CORRECT if correct else WRONG,))
        for case, verdicts in zip(cases, _correct_at_thresholds(looked, cases, grid), strict=True)
        for value, correct in zip(grid, verdicts, strict=True)
        if correct is not None
    ]
    return table(units, [threshold_group(value) for value in grid], (CORRECT, WRONG))


def seeds(looked: SuiteEvidence) -> FailureTable:
    """Correct or not by the image's number among its prompt's (GenEval, appendix: scores vary by 0.01 to 0.02 over seeds)."""
    units = [
        FailureUnit(case, str(case.index), (CORRECT if case.verdict.correct else WRONG,))
        for case in scored_images(looked)
        if case.index is not None and case.verdict.correct is not None
    ]
    numbers = sorted({int(unit.asked) for unit in units})
    return table(units, [str(number) for number in numbers], (CORRECT, WRONG))


def scored_images(looked: SuiteEvidence) -> list[JudgedImage]:
    """What enters a score: all that is judged, but for VISOR only what asks for a relation, as its paper has it."""
    related = looked.scorer.name == "visor" and any(case.spec.relations for case in looked.cases)
    return [case for case in looked.cases if case.spec.relations] if related else list(looked.cases)


def threshold_group(threshold: float) -> str:
    """A threshold as a group of ``thresholds`` is called."""
    return f"{threshold:g}"


def _correct_at_thresholds(
    looked: SuiteEvidence, cases: Sequence[JudgedImage], grid: Sequence[float]
) -> list[list[bool | None]]:
    """Of each image whether it is correct at each threshold; None where that is left open."""
    evidence = [rejudge.ImageEvidence(case.item_id, case.spec, case.seen) for case in cases]
    try:
        sweep = rejudge.Rejudger(looked.scorer, evidence, looked.settings).sweep(_THRESHOLD, grid, {})
    except KeyError as error:
        raise ValueError(f"its settings lack {error}") from error
    correct: list[list[bool | None]] = [[case.verdict.correct] * len(grid) for case in cases]
    for column, row in enumerate(sweep.rows):
        correct[row] = [None if verdict < 0 else bool(verdict) for verdict in sweep.said[:, column]]
    return correct
