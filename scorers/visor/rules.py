"""VISOR's rules (Gokhale et al., 2022, section 4; its ``text2image_realtime_evaluate.ipynb``): two objects and how they stand.

Pure and light. Optimistic on purpose: no suppression, no dead zone, and of several of a kind any pair will do.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from math import hypot
from typing import Any, Final

from data.aspects import NO, YES
from data.jobs.runs import Detection, Observation
from data.records import Judgement
from data.spec import Relation, RelationSpec, Spec, asks_only_positions
from scorers.base import Check, RelationResult, Verdict
from scorers.detection import Box, center
from scorers.geneval.rules import same_kind

_AXIS: Final[dict[Relation, tuple[int, int]]] = {"left of": (0, -1), "right of": (0, 1), "above": (1, -1), "below": (1, 1)}
"""Of each relation the axis (0: x, 1: y) and the sign that the offset of the centres must have on it."""


@dataclass(frozen=True, slots=True)
class VisorRules:
    """The number of the rules: an object counts if its confidence is higher than ``threshold`` (not equal)."""

    threshold: float = 0.1

    @classmethod
    def of(cls, settings: Mapping[str, Any]) -> VisorRules:
        """Those of a scorer's settings.

        Raises:
            ValueError: the threshold is out of range.
        """
        rules = cls(settings.get("threshold", cls().threshold))
        if not 0 <= rules.threshold <= 1:
            raise ValueError(f"threshold must be from 0 to 1, got {rules.threshold}")
        return rules


def judge(spec: Spec, seen: Observation, settings: Mapping[str, Any]) -> Verdict:
    """What VISOR's rules make of evidence.

    ``present`` of each object; ``position`` of each relation where both its objects were found (so its share of yes is
    VISOR_cond); ``correct`` where the spec asks for nothing but one of each object and relations (its share of yes is VISOR, in
    the paper's tables "uncond"; without a relation it is OA).

    Raises:
        ValueError: a setting is out of range.
    """
    rules = VisorRules.of(settings)
    if seen.failed is not None:
        return Verdict((), checks=(Check(f"could not be looked at: {seen.failed}", None),))
    ranks = [counted_objects(thing.name, seen.detections, rules) for thing in spec.objects]
    relation_results = [_match_relation(relation, ranks, seen.detections) for relation in spec.relations]
    judgements = [_yes_no("present", bool(here), thing.target) for thing, here in zip(spec.objects, ranks, strict=True)]
    judgements += [_yes_no("position", result.holds, result.target) for result in relation_results if result.holds is not None]
    reasons = [f"{thing.target} not found" for thing, here in zip(spec.objects, ranks, strict=True) if not here]
    reasons += [
        f"no {result.target} among {_pairs(spec, k, ranks)}"
        for k, result in enumerate(relation_results)
        if result.holds is False
    ]
    count = f"found with confidence above {rules.threshold:g}"
    checks = [
        Check(f"{thing.target}: {len(here)} {count}", bool(here), thing.target, tuple(here))
        for thing, here in zip(spec.objects, ranks, strict=True)
    ]
    checks += [_relation_check(spec, k, ranks, result) for k, result in enumerate(relation_results)]
    counts = {thing.name: len(here) for thing, here in zip(spec.objects, ranks, strict=True)}
    if not asks_only_positions(spec):
        return Verdict(tuple(judgements), "", tuple(checks), counts, tuple(relation_results))
    whole = (_yes_no("correct", not reasons), *judgements)
    return Verdict(whole, "\n".join(reasons), tuple(checks), counts, tuple(relation_results))


def counted_objects(name: str, detections: Sequence[Detection], rules: VisorRules) -> list[int]:
    """Ranks of the objects of a kind that count."""
    return [
        k for k, detection in enumerate(detections) if detection.score > rules.threshold and same_kind(detection.label, name)
    ]


def is_in_relation(relation: Relation, a: Box, b: Box) -> bool:
    """Whether the centre of ``a`` lies in the relation to that of ``b``: strictly, and its other axis does not matter."""
    axis, sign = _AXIS[relation]
    return sign * (center(a, axis) - center(b, axis)) > 0


def _match_relation(relation: RelationSpec, ranks: Sequence[Sequence[int]], detections: Sequence[Detection]) -> RelationResult:
    """By any pair; shown for it is the first that stands so, or the first."""
    pairs = list(product(ranks[relation.subject], ranks[relation.reference]))
    if not pairs:
        return RelationResult(relation.target, None)
    holding = (p for p in pairs if is_in_relation(relation.relation, detections[p[0]].box, detections[p[1]].box))
    pair = next(holding, pairs[0])
    a, b = detections[pair[0]].box, detections[pair[1]].box
    relations = tuple(name for name in _AXIS if is_in_relation(name, a, b))
    dx, dy = (center(a, k) - center(b, k) for k in (0, 1))
    length = hypot(dx, dy) or 1.0
    return RelationResult(relation.target, relation.relation in relations, relations, pair, (dx / length, dy / length))


def _pairs(spec: Spec, k: int, ranks: Sequence[Sequence[int]]) -> str:
    a, b = (len(ranks[n]) for n in (spec.relations[k].subject, spec.relations[k].reference))
    return "1 pair" if a * b == 1 else f"{a * b} pairs"


def _relation_check(spec: Spec, k: int, ranks: Sequence[Sequence[int]], result: RelationResult) -> Check:
    relation = spec.relations[k]
    if result.holds is None:
        missing = [spec.objects[n].target for n in (relation.subject, relation.reference) if not ranks[n]]
        return Check(f"{relation.target}: no {' and no '.join(missing)} found to look at", None, relation.target)
    seen = f"found in one of {_pairs(spec, k, ranks)}" if result.holds else f"found in none of {_pairs(spec, k, ranks)}"
    return Check(f"{relation.target}: {seen}", result.holds, relation.target, result.boxes, result.offset, 0.0)


def _yes_no(aspect: str, holds: bool, target: str | None = None) -> Judgement:
    return Judgement(aspect, YES if holds else NO, 1.0 if holds else 0.0, target)
