"""A project's questions: the scores of TIFA, VQA models beside each other and beside people. The command ``vqa`` and the page
Explore show the same rows."""

from ui.vqa.kept import (
    Apart,
    Places,
    apart,
    beside_one,
    groups,
    mixed,
    places,
    raters,
    recall_models,
    recall_people,
    recall_scores,
)
from ui.vqa.rows import KINDS, REAL, SIMULATED, Row, Rows, rows

__all__ = [
    "KINDS",
    "REAL",
    "SIMULATED",
    "Apart",
    "Places",
    "Row",
    "Rows",
    "apart",
    "beside_one",
    "groups",
    "mixed",
    "places",
    "raters",
    "recall_models",
    "recall_people",
    "recall_scores",
    "rows",
]
