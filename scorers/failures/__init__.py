"""Failure pictures: what generators show instead of what was asked for, as tables whose every cell knows its images.

Pure: from specs, evidence and verdicts. GenEval's Figure 6, VISOR's Figures 9, 10, 11, 12 and 14; each picture is one table.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from scorers.failures.base import ANY, Case, Cell, Count, Looked, Table, Unit
from scorers.failures.colors import bindings, colors
from scorers.failures.objects import counts, first_object, kinds
from scorers.failures.relations import positions, supercategories
from scorers.failures.scores import seeds, thresholds
from scorers.failures.together import cooccurrence

PICTURES: Final[dict[str, Callable[[Looked], Table]]] = {
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

__all__ = ["ANY", "PICTURES", "Case", "Cell", "Count", "Looked", "Table", "Unit"]
