"""GenEval's settings that can be turned over stored evidence (``Rules``), and which images each of them can change."""

from __future__ import annotations

from itertools import combinations
from typing import Final

from data.jobs.runs import Detection, Observation
from data.prompts.spec import Spec
from scorers.base import Knob
from scorers.boxes import RULES, overlap
from scorers.geneval_rules import COUNTING, Rules, same_kind


def _asked(spec: Spec, seen: Observation) -> list[Detection]:
    """What is of a kind that the spec names; nothing else is looked at."""
    names = {one.name for one in spec.objects} | {one.name for one in spec.excludes}
    return [one for one in seen.detections if any(same_kind(name, one.label) for name in names)]


def _confidences(spec: Spec, seen: Observation) -> list[float]:
    return [one.score for one in _asked(spec, seen)]


def _overlaps(spec: Spec, seen: Observation) -> list[float]:
    """Of all pairs of a kind; at 1 nothing is dropped any more."""
    pairs = combinations(_asked(spec, seen), 2)
    return [1.0, *(overlap(a.box, b.box) for a, b in pairs if same_kind(a.label, b.label))]


def _places(spec: Spec, seen: Observation) -> tuple[()] | None:
    """Without two objects there is nothing to compare."""
    labels = {one.label for one in seen.detections}
    found = [any(same_kind(asked.name, label) for label in labels) for asked in spec.objects]
    return None if any(found[one.subject] and found[one.reference] for one in spec.relations) else ()


def _is_counting(spec: Spec) -> bool:
    return spec.tag == COUNTING


def _is_not_counting(spec: Spec) -> bool:
    return not _is_counting(spec)


def _has_relations(spec: Spec) -> bool:
    return bool(spec.relations)


_USUAL: Final = Rules()

KNOBS: Final = {
    "threshold": Knob(
        "Confidence",
        "An object counts if the detector’s confidence is higher. Not for counting prompts, which have their own.",
        default=_USUAL.threshold,
        confidence=True,
        applies=_is_not_counting,
        edges=_confidences,
    ),
    "counting_threshold": Knob(
        "Confidence for counting",
        "The same for all objects of a counting prompt: too low, and one object is found twice.",
        default=_USUAL.counting_threshold,
        confidence=True,
        applies=_is_counting,
        edges=_confidences,
    ),
    "position_threshold": Knob(
        "Dead zone of positions",
        "Share of both objects’ sizes by which they must be apart before one is left of, right of, above or below the other.",
        high=0.5,
        default=_USUAL.position_threshold,
        applies=_has_relations,
        edges=_places,
    ),
    "max_overlap": Knob(
        "Largest overlap",
        "Of two objects of a kind whose boxes overlap so much or more, the less confident is dropped. 1: never.",
        step=0.05,
        default=_USUAL.max_overlap,
        edges=_overlaps,
    ),
    "rule": Knob(
        "Rule for positions",
        "That of GenEval’s published code, or the formula of its paper.",
        choices=RULES,
        default=_USUAL.rule,
        applies=_has_relations,
        edges=_places,
    ),
}
"""Those that decide ``correct``; ``max_objects`` is left as it was run."""
