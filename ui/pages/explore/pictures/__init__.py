"""How each failure picture is drawn, by its name in ``scorers.failures.PICTURES``."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from ui.pages.explore.pictures.generators import bindings, first_object, kinds
from ui.pages.explore.pictures.matrices import colors, counts, positions, supercategories
from ui.pages.explore.pictures.scores import seeds, thresholds
from ui.pages.explore.pictures.shown import Drawn, Shown
from ui.pages.explore.pictures.together import cooccurrence

DRAW: Final[dict[str, Callable[[Shown], Drawn]]] = {
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

__all__ = ["DRAW", "Drawn", "Shown"]
