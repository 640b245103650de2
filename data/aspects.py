"""What can be judged: the one vocabulary of aspects that people and scorers share.

A scale is written as on the command line (``import ratings --scale``): ``nominal``, ``ordinal:1-5``,
``ordinal:low<mid<high`` or ``interval``. What the words mean for statistics is known to ``agreement.statistics.scale`` alone.
"""

from __future__ import annotations

from typing import Final

YES: Final = "yes"
NO: Final = "no"
CANNOT_TELL: Final = "cannot_tell"
"""An answer, not a gap: stored as such, and counted under this name wherever it keeps a judgement out of a statistic."""

YES_NO_ASPECTS: Final = frozenset({
    "correct", "present", "color", "position", "material", "size", "depth", "distance", "merged",
})  # fmt: skip

SCALES: Final[dict[str, str]] = {
    "correct": "nominal",
    "present": "nominal",
    "color": "nominal",
    "position": "nominal",
    "material": "nominal",
    "size": "nominal",
    "depth": "nominal",
    "distance": "nominal",
    "merged": "nominal",
    "answer": "nominal",
    "preference": "nominal",
    "caption": "nominal",
    "count": "ordinal:0-5",
    "faithfulness": "ordinal:1-5",
    # GenEval's released answers and its authors' form; our own wording of their levels has aspects of its own below
    "caption_fit": "ordinal:1-4",
    "realism": "ordinal:1-3",
    "caption_match": "ordinal:1-4",
    "shape_realism": "ordinal:1-3",
    "quality": "ordinal:1-5",
    "scene": "ordinal:1-5",
    "semantic_consistency": "ordinal:0-1:0.5",
    "perceptual_quality": "ordinal:0-1:0.5",
    "score": "interval",
    # a scorer's number by a flipped prompt (target: the kind of flip); apart from `score`, so that no statistic mixes them
    "flipped": "interval",
    # what a judge of pairs did when the two images changed places: apart from `preference`, for the same reason
    "order": "nominal",
}
"""Scale of each aspect of the design (section 1); a user's own aspect brings its scale with its first import."""

MOVED_ASPECTS: Final = {"caption_fit": "caption_match", "realism": "shape_realism"}
"""Aspects that answers in our words had while they shared them with answers in the words of GenEval's authors."""


COUNT_CAP: Final = 5
"""Counts are judged 0..5, where 5 means "5 or more"; raw counts stay in evidence."""


Scales = dict[tuple[str, str], str]
"""The scale of each (suite, aspect)."""
