"""Failure pictures: what generators show instead of what was asked for, as tables whose every cell knows its images.

Pure: from specs, evidence and verdicts. GenEval's Figure 6, VISOR's Figures 9, 10, 11, 12 and 14; each picture is one table.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from scorers.failures.objects import bindings, colors, cooccurrence, counts, first_object, kinds, positions, supercategories
from scorers.failures.tables import ANY, FailureCell, FailureTable, FailureUnit, JudgedImage, PromptCount, SuiteEvidence
from scorers.failures.thresholds_and_seeds import seeds, thresholds

PICTURES: Final[dict[str, Callable[[SuiteEvidence], FailureTable]]] = {
    "counts": counts,
    "colors": colors,
    "bindings": bindings,
    "positions": positions,
    "kinds": kinds,
    "first": first_object,
    "supercategories": supercategories,
    "cooccurrence": cooccurrence,
    "thresholds": thresholds,
    "seeds": seeds,
}
"""The pictures by name."""

__all__ = ["ANY", "PICTURES", "FailureCell", "FailureTable", "FailureUnit", "JudgedImage", "PromptCount", "SuiteEvidence"]
