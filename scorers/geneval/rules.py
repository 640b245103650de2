"""GenEval's rules: from detections and colour probabilities to verdicts, as the paper's published code decides.

Pure and light: no model, no numpy. What people answer about the same image becomes judgements of the same aspects, targets and
labels in ``annotation.questionnaires.geneval``; where that says nothing (colour of an object that is not there), so does this.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from data.aspects import CANNOT_TELL, COUNT_CAP, NO, YES
from data.jobs.runs import Detection, Observation
from data.prompts.coco import plain_name
from data.prompts.geneval_suite import COLORS
from data.prompts.questions import detail_question
from data.records import Judgement
from data.spec import ExcludeSpec, ObjectSpec, RelationSpec, Spec
from scorers.base import Check, RelationResult, Verdict
from scorers.detection import RULES, Rule, box_relations, overlap, required_offset
from scorers.geneval import COUNTING_THRESHOLD, THRESHOLD

# Yes, no, or None: evidence says nothing about it.
_Holds = bool | None

COUNTING: Final = "counting"
"""The tag of the prompts whose objects need the higher confidence."""
OTHER_COLOR: Final = "another colour"
"""What is seen where the evidence says that it is none of GenEval's ten."""


@dataclass(frozen=True, slots=True)
class GenEvalRules:
    """The numbers of the rules, with GenEval's own as defaults.

    Attributes:
        threshold: an object counts if its confidence is higher (not equal).
        counting_threshold: the same for all objects of a prompt with the tag ``counting``.
        max_objects: so many of a kind are looked at, the most confident ones.
        max_overlap: of two of a kind whose boxes overlap so much (IoU) or more, the less confident is dropped; 1: never.
        position_threshold: share of both objects' sizes by which they must be apart, and more, to stand in a relation.
        rule: which rule decides relations, see ``scorers.detection.box_relations``.
    """

    threshold: float = THRESHOLD
    counting_threshold: float = COUNTING_THRESHOLD
    max_objects: int = 16
    max_overlap: float = 1.0
    position_threshold: float = 0.1
    rule: Rule = "official"

    @classmethod
    def of(cls, settings: Mapping[str, Any]) -> GenEvalRules:
        """Those of a scorer's settings.

        Raises:
            ValueError: one is out of range.
        """
        rules = cls(**{name: settings[name] for name in cls.__slots__ if name in settings})
        for name in ("threshold", "counting_threshold", "max_overlap", "position_threshold"):
            if not 0 <= getattr(rules, name) <= 1:
                raise ValueError(f"{name} must be from 0 to 1, got {getattr(rules, name)}")
        if rules.max_objects < 1:
            raise ValueError(f"max_objects must be at least 1, got {rules.max_objects}")
        if rules.rule not in RULES:
            raise ValueError(f"rule must be {' or '.join(RULES)}, got {rules.rule!r}")
        return rules

    def needed(self, spec: Spec) -> float:
        """The confidence above which objects count."""
        return self.counting_threshold if spec.tag == COUNTING else self.threshold


@dataclass(frozen=True, slots=True)
class _ObjectMatch:
    """What was found of an asked object.

    Attributes:
        ranks: of all that count; ``top``: of those looked at (as many as asked, or fewer).
        limit: so many and more are too many; None: no number is.
    """

    asked: ObjectSpec
    ranks: tuple[int, ...]
    top: tuple[int, ...]
    colors: tuple[str | None, ...]
    limit: int | None

    @property
    def enough(self) -> bool:
        return len(self.top) == self.asked.count

    def colored(self, needed: int) -> _Holds:
        """Whether at least so many of the top ones have the asked colour."""
        right = self.colors.count(self.asked.color)
        if self.asked.color is None or right >= needed:
            return True
        return None if right + self.colors.count(None) >= needed else False


@dataclass(frozen=True, slots=True)
class _Excluded:
    """What was found of a class of which there must be fewer than ``asked.count``."""

    asked: ExcludeSpec
    ranks: tuple[int, ...]

    @property
    def holds(self) -> bool:
        return len(self.ranks) < self.asked.count


def judge(spec: Spec, seen: Observation, settings: Mapping[str, Any]) -> Verdict:
    """What GenEval's rules make of evidence.

    ``correct`` and ``reason`` are those of GenEval's ``evaluate_images.py``: each object often enough, its asked colour the
    likeliest on each of the most confident ones, each of these in the asked relation to each of the other object's; and of
    what the spec excludes, fewer than it says. ``color`` judges whether the asked colour is among those of the most confident
    ones, ``position`` whether the relation holds for all pairs, both as soon as the objects are there at all, as for people.

    Raises:
        ValueError: a setting is out of range.
    """
    rules = GenEvalRules.of(settings)
    if seen.failed is not None:
        return Verdict((), checks=(Check(f"could not be looked at: {seen.failed}", None),))
    if not spec.objects and not spec.excludes:
        return Verdict(())
    detections, needed = seen.detections, rules.needed(spec)
    excluded = [
        _Excluded(excluded_spec, tuple(counted_objects(detections, excluded_spec.name, needed, rules)))
        for excluded_spec in spec.excludes
    ]
    things = [_match_object(thing_spec, detections, needed, rules, excluded) for thing_spec in spec.objects]
    relation_results = [_match_relation(relation, things, detections, rules) for relation in spec.relations]
    judgements: list[Judgement] = []
    for thing in things:
        judgements += _object_judgements(thing)
    judgements += [_yes_no("position", result.holds, result.target) for result in relation_results if result.holds is not None]
    correct, reasons = _overall(spec, things, excluded, relation_results)
    if spec.details and correct:
        correct = None  # what boxes do not show may be otherwise
    return Verdict(
        (_yes_no("correct", correct), *judgements),
        "\n".join(reasons),
        tuple(_checks(spec, things, excluded, relation_results, needed, rules)),
        {
            **{thing.asked.name: len(thing.ranks) for thing in things},
            **{unwanted.asked.name: len(unwanted.ranks) for unwanted in excluded},
        },
        tuple(relation_results),
    )


def same_kind(a: str, b: str) -> bool:
    """Whether two names are of one class: GenEval calls three of COCO's differently (``computer mouse``)."""
    return a == b or plain_name(a) == plain_name(b)


def counted_objects(detections: Sequence[Detection], name: str, threshold: float, rules: GenEvalRules) -> list[int]:
    """Ranks (places in ``detections``) of the objects of a kind that count, most confident first.

    Of equally confident ones the last comes first, as GenEval's code reads numpy's ``argsort`` backwards.
    """
    of_kind = [k for k, detection in enumerate(detections) if detection.score > threshold and same_kind(detection.label, name)]
    ordered = sorted(of_kind, key=lambda k: (detections[k].score, k), reverse=True)[: rules.max_objects]
    if rules.max_overlap >= 1:
        return ordered
    left: list[int] = []
    for k in ordered:
        if all(overlap(detections[k].box, detections[other].box) < rules.max_overlap for other in left):
            left.append(k)
    return left


def color_of(detection: Detection) -> str | None:
    """The likeliest of GenEval's ten colours, or ``OTHER_COLOR`` if none has any probability; None if the evidence has none."""
    colors = detection.colors
    if colors is None:
        return None
    best = max(range(len(colors)), key=colors.__getitem__)
    return COLORS[best] if colors[best] > 0 else OTHER_COLOR


def _match_object(
    spec: ObjectSpec, detections: Sequence[Detection], needed: float, rules: GenEvalRules, excluded: Sequence[_Excluded]
) -> _ObjectMatch:
    ranks = tuple(counted_objects(detections, spec.name, needed, rules))
    top = ranks[: spec.count]
    limit = min((unwanted.asked.count for unwanted in excluded if same_kind(unwanted.asked.name, spec.name)), default=None)
    return _ObjectMatch(spec, ranks, top, tuple(color_of(detections[k]) for k in top), limit)


def _match_relation(
    relation: RelationSpec, things: Sequence[_ObjectMatch], detections: Sequence[Detection], rules: GenEvalRules
) -> RelationResult:
    """Over all pairs; shown for it is the first that fails, or the first."""
    shown: RelationResult | None = None
    for a in things[relation.subject].top:
        for b in things[relation.reference].top:
            stand = box_relations(detections[a].box, detections[b].box, rules.position_threshold, rules.rule)
            holds = relation.relation in stand.relations
            result = RelationResult(relation.target, holds, stand.relations, (a, b), stand.offset)
            if not holds:
                return result
            shown = shown or result
    return shown or RelationResult(relation.target, None)


def _overall(
    spec: Spec, things: Sequence[_ObjectMatch], excluded: Sequence[_Excluded], relation_results: Sequence[RelationResult]
) -> tuple[_Holds, list[str]]:
    """The verdict, and what GenEval's code says why: objects in their order, each with its relation, then what is too many."""
    matched: list[_Holds] = [thing.enough and thing.colored(thing.asked.count) for thing in things]
    reasons: list[str] = []
    for k, thing in enumerate(things):
        if matched[k] is False:
            reasons.append(_object_reason(thing))
            continue
        for relation, result in zip(spec.relations, relation_results, strict=True):
            if relation.subject == k and (why := _relation_reason(relation, thing, result, matched[relation.reference])):
                matched[k] = False
                reasons.append(why)
    reasons += [
        f"expected {unwanted.asked.name}<{unwanted.asked.count}, found {len(unwanted.ranks)}"
        for unwanted in excluded
        if not unwanted.holds
    ]
    return _all([*matched, *(unwanted.holds for unwanted in excluded)]), reasons


def _object_reason(thing: _ObjectMatch) -> str:
    spec = thing.asked
    if not thing.enough:
        return f"expected {spec.name}>={spec.count}, found {len(thing.top)}"
    right = thing.colors.count(spec.color)
    return f"expected {spec.color} {spec.name}>={spec.count}, found {right} {spec.color}; and {_color_counts(thing, COLORS)}"


def _relation_reason(relation: RelationSpec, thing: _ObjectMatch, result: RelationResult, reference: _Holds) -> str | None:
    if reference is False or result.holds is None:
        return f"no target for {thing.asked.name} to be {relation.relation}"
    if result.holds:
        return None
    # two spaces where there is no relation at all, as in the published results
    return f"expected {thing.asked.name} {relation.relation} target, found {' and '.join(result.found)} target"


def _color_counts(thing: _ObjectMatch, named: Iterable[str]) -> str:
    return ", ".join(f"{thing.colors.count(color)} {color}" for color in named if color in thing.colors)


def _object_judgements(thing: _ObjectMatch) -> Iterable[Judgement]:
    target, n = thing.asked.target, min(len(thing.ranks), COUNT_CAP)
    yield _yes_no("present", n >= 1, target)
    yield Judgement("count", str(n), float(n), target)
    if thing.asked.color is not None and n >= 1:
        yield _yes_no("color", thing.colored(1), target)


def _checks(
    spec: Spec,
    things: Sequence[_ObjectMatch],
    excluded: Sequence[_Excluded],
    relation_results: Sequence[RelationResult],
    needed: float,
    rules: GenEvalRules,
) -> Iterable[Check]:
    for thing in things:
        yield from _object_checks(thing, needed)
    for unwanted in excluded:
        # what is asked for too is said there
        if not any(same_kind(unwanted.asked.name, thing.asked.name) for thing in things):
            text = f"{unwanted.asked.name}: fewer than {unwanted.asked.count} asked for, {_count_text(unwanted.ranks, needed)}"
            yield Check(text, unwanted.holds, None, unwanted.ranks)
    for relation, result in zip(spec.relations, relation_results, strict=True):
        yield _relation_check(relation, things, result, required_offset(rules.rule))
    for detail in spec.details:
        yield Check(f"{detail_question(spec, detail)} Not looked at: detectors cannot tell", None, detail.target)


def _object_checks(thing: _ObjectMatch, needed: float) -> Iterable[Check]:
    spec, limit = thing.asked, thing.limit
    wanted = f"{spec.count} or more" if limit is None else f"{spec.count} or more but fewer than {limit}"
    if limit == spec.count + 1:
        wanted = f"exactly {spec.count}"
    holds = thing.enough and (limit is None or len(thing.ranks) < limit)
    yield Check(f"{spec.target}: {wanted} asked for, {_count_text(thing.ranks, needed)}", holds, spec.target, thing.ranks)
    if spec.color is None:
        return
    if not thing.top:
        yield Check(f"{spec.target}: {spec.color} asked for; none found to look at", None, spec.target)
        return
    named = thing.colors[0] if len(thing.colors) == 1 else _color_counts(thing, (*COLORS, OTHER_COLOR))
    yield Check(
        f"{spec.target}: {spec.color} asked for, {named or 'no colour'} seen",
        thing.colored(spec.count),
        spec.target,
        thing.top,
    )


def _count_text(ranks: Sequence[int], needed: float) -> str:
    return f"{len(ranks)} found with confidence above {needed:g}"


def _relation_check(relation: RelationSpec, things: Sequence[_ObjectMatch], result: RelationResult, needed: float) -> Check:
    if result.holds is None:
        missing = [things[k].asked.target for k in (relation.subject, relation.reference) if not things[k].top]
        return Check(f"{relation.target}: no {' and no '.join(missing)} found to look at", None, relation.target)
    seen = " and ".join(result.found) or "in no clear direction"
    return Check(f"{relation.target}: found {seen}", result.holds, relation.target, result.boxes, result.offset, needed)


def _all(parts: Iterable[_Holds]) -> _Holds:
    seen = set(parts)
    if False in seen:
        return False
    return None if None in seen else True


def _yes_no(aspect: str, holds: _Holds, target: str | None = None) -> Judgement:
    if holds is None:
        return Judgement(aspect, None, None, target, CANNOT_TELL)
    return Judgement(aspect, YES if holds else NO, 1.0 if holds else 0.0, target)
