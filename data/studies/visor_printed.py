"""What VISOR's paper prints about its human study (Gokhale et al. 2022, Tables IV and V). Data only.

The answers behind these numbers were not released, so they stand beside ours and are not compared. Generators are called as
in the released images.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

_GENERATORS: Final = ("cogview2", "dallev2", "stable-diffusion", "sd_cdm")
_QUESTIONS: Final[Mapping[str, str]] = {
    "Image Quality": "65.47/52.93 75.02/62.33 69.86/55.31 72.59/57.99",
    "Scene Likelihood": "64.40/50.78 72.13/59.62 69.47/52.35 67.19/53.99",
    "Num. Objects": "79.63/50.03 87.09/46.39 81.41/46.06 80.28/45.74",
    "Object A": "100.0/33.00 99.64/8.02 100.0/18.56 100.0/20.04",
    "Object B": "100.0/32.75 100.0/13.39 100.0/22.44 100.0/25.51",
    "Spatial Relation": "100.0/23.33 100.0/47.90 100.0/30.79 100.0/25.00",
    "Merged/Distinct": "100.0/43.02 99.64/58.85 100.0/39.95 100.0/38.60",
}
_METRICS: Final[Mapping[str, str]] = {
    "OA": "73.07 73.87 79.25 80.21",
    "VISOR_uncond": "88.48 77.41 88.43 88.80",
    "VISOR_cond": "75.02 75.62 76.95 74.69",
}


def _by_place() -> dict[tuple[str, str, str], str]:
    found = {}
    for question, line in _QUESTIONS.items():
        for generator, cell in zip(_GENERATORS, line.split(), strict=True):
            majority, unanimous = cell.split("/")
            found[question, generator, "majority_share"] = majority
            found[question, generator, "unanimous_share"] = unanimous
    for metric, line in _METRICS.items():
        for generator, cell in zip(_GENERATORS, line.split(), strict=True):
            found[metric, generator, "percent_agreement"] = cell
    return found


PRINTED: Final[Mapping[tuple[str, str, str], str]] = _by_place()
"""In per cent, as printed, by (row of the table, generator, statistic)."""
