"""VISOR's human study (Gokhale et al. 2022, Tables IV and V): its printed numbers.

The answers behind these numbers were not released (its study folder holds images alone), so they are listed beside ours and are
not compared. Generators are called as in the released images.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

_VISOR_GENERATORS: Final = ("cogview2", "dallev2", "stable-diffusion", "sd_cdm")

_VISOR_QUESTIONS: Final[Mapping[str, str]] = {
    "Image Quality": "65.47/52.93 75.02/62.33 69.86/55.31 72.59/57.99",
    "Scene Likelihood": "64.40/50.78 72.13/59.62 69.47/52.35 67.19/53.99",
    "Num. Objects": "79.63/50.03 87.09/46.39 81.41/46.06 80.28/45.74",
    "Object A": "100.0/33.00 99.64/8.02 100.0/18.56 100.0/20.04",
    "Object B": "100.0/32.75 100.0/13.39 100.0/22.44 100.0/25.51",
    "Spatial Relation": "100.0/23.33 100.0/47.90 100.0/30.79 100.0/25.00",
    "Merged/Distinct": "100.0/43.02 99.64/58.85 100.0/39.95 100.0/38.60",
}

_VISOR_METRICS: Final[Mapping[str, str]] = {
    "OA": "73.07 73.87 79.25 80.21",
    "VISOR_uncond": "88.48 77.41 88.43 88.80",
    "VISOR_cond": "75.02 75.62 76.95 74.69",
}


def _visor_cells() -> dict[tuple[str, str, str], str]:
    cells = {}
    for question, line in _VISOR_QUESTIONS.items():
        for generator, cell in zip(_VISOR_GENERATORS, line.split(), strict=True):
            majority, unanimous = cell.split("/")
            cells[question, generator, "majority_share"] = majority
            cells[question, generator, "unanimous_share"] = unanimous
    for metric, line in _VISOR_METRICS.items():
        for generator, cell in zip(_VISOR_GENERATORS, line.split(), strict=True):
            cells[metric, generator, "percent_agreement"] = cell
    return cells


VISOR_PRINTED: Final[Mapping[tuple[str, str, str], str]] = _visor_cells()
"""In per cent, as printed, by (row of the table, generator, statistic)."""
