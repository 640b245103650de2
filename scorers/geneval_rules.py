"""GenEval's rules: from detections and colour probabilities to verdicts, as the paper's published code decides.

Pure and light: no model, no numpy. What people answer about the same image becomes judgements of the same aspects, targets and
labels in ``annotation.answers``; where that says nothing (colour of an object that is not there), so does this.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from data.aspects import CANNOT_TELL, COUNT_CAP, NO, YES
from data.prompts.coco import COCO, GENEVAL
from data.prompts.geneval import COLORS
from data.prompts.spec import ObjectSpec, Relation, RelationSpec, Spec
from data.records import Judgement
from data.runs import Detection, Seen
from scorers.base import Check, Verdict

Box = tuple[float, float, float, float]
# Yes, no, or None: evidence says nothing about it.
_Holds = bool | None

_COCO_NAMES: Final = dict(zip(GENEVAL, COCO, strict=True))
_CLEAR: Final = 0.5
_NOTHING: Final = 1e-3
_OPPOSITE: Final[tuple[tuple[int, Relation, Relation], ...]] = ((0, "left of", "right of"), (1, "above", "below"))


@dataclass(frozen=True, slots=True)
class Rules:
    """The numbers of the rules, with GenEval's own as defaults.

    Attributes:
        threshold: an object counts if its confidence is higher (not equal).
        counting_threshold: the same where an exact number is asked for.
        max_objects: so many of a kind are looked at, the most confident ones.
        max_overlap: of two of a kind whose boxes overlap so much (IoU) or more, the less confident is dropped; 1: never.
        position_threshold: share of both objects' sizes by which they must be apart, and more, to stand in a relation.
    """

    threshold: float = 0.3
    counting_threshold: float = 0.9
    max_objects: int = 16
    max_overlap: float = 1.0
    position_threshold: float = 0.1

    @classmethod
    def of(cls, settings: Mapping[str, Any]) -> Rules:
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
        return rules


@dataclass(frozen=True, slots=True)
class _Thing:
    """What was found of an asked object: ``ranks`` of all that count, ``top`` those looked at (as many as asked, or fewer)."""

    asked: ObjectSpec
    ranks: tuple[int, ...]
    top: tuple[int, ...]
    colors: tuple[str | None, ...]
    threshold: float

    @property
    def enough(self) -> bool:
        return len(self.top) == self.asked.count

    @property
    def exact(self) -> bool:
        """Not more than asked, where that matters."""
        return not self.asked.exact or len(self.ranks) <= self.asked.count

    def colored(self, needed: int) -> _Holds:
        """Whether at least so many of the top ones have the asked colour."""
        right = self.colors.count(self.asked.color)
        if self.asked.color is None or right >= needed:
            return True
        return None if right + self.colors.count(None) >= needed else False


@dataclass(frozen=True, slots=True)
class _Place:
    """Whether a relation holds for all pairs, and the pair that is shown for it: the first that fails, or the first."""

    holds: bool
    ranks: tuple[int, int]
    found: tuple[Relation, ...]
    offset: tuple[float, float]


def judge(spec: Spec, seen: Seen, settings: Mapping[str, Any]) -> Verdict:
    """What GenEval's rules make of evidence.

    ``correct`` and ``reason`` are those of GenEval's ``evaluate_images.py``: each object often enough (exactly so where the
    spec is exact), its asked colour the likeliest on each of the most confident ones, each of these in the asked relation to
    each of the other object's. ``color`` judges whether the asked colour is among those of the most confident ones,
    ``position`` whether the relation holds for all pairs, both as soon as the objects are there at all, as for people.

    Raises:
        ValueError: a setting is out of range.
    """
    rules = Rules.of(settings)
    if seen.failed is not None:
        return Verdict((), checks=(Check(f"could not be looked at: {seen.failed}", None),))
    things = [_look(asked, seen.detections, rules) for asked in spec.objects]
    places = [_place(relation, things, seen.detections, rules) for relation in spec.relations]
    judgements: list[Judgement] = []
    for thing in things:
        judgements += _judged(thing)
    for relation, place in zip(spec.relations, places, strict=True):
        if place is not None:
            judgements.append(_yes_no("position", place.holds, relation.target))
    checks = [check for thing in things for check in _object_checks(thing)]
    checks += [_relation_check(relation, things, place) for relation, place in zip(spec.relations, places, strict=True)]
    if not things:
        return Verdict(())
    correct, reasons = _overall(spec, things, places)
    return Verdict((_yes_no("correct", correct), *judgements), "\n".join(reasons), tuple(checks))


def same_kind(a: str, b: str) -> bool:
    """Whether two names are of one class: GenEval calls three of COCO's differently (``computer mouse``)."""
    return _COCO_NAMES.get(a, a) == _COCO_NAMES.get(b, b)


def kept(detections: Sequence[Detection], name: str, threshold: float, rules: Rules) -> list[int]:
    """Ranks (places in ``detections``) of the objects of a kind that count, most confident first."""
    of_kind = [k for k, one in enumerate(detections) if one.score > threshold and same_kind(one.label, name)]
    ordered = sorted(of_kind, key=lambda k: -detections[k].score)[: rules.max_objects]
    if rules.max_overlap >= 1:
        return ordered
    left: list[int] = []
    for k in ordered:
        if all(overlap(detections[k].box, detections[other].box) < rules.max_overlap for other in left):
            left.append(k)
    return left


def overlap(a: Box, b: Box) -> float:
    """Share of the union that two boxes have in common, sides counted in whole pixels (one more than their difference)."""
    shared = _area((max(a[0], b[0]), max(a[1], b[1]), min(a[2], b[2]), min(a[3], b[3])))
    union = _area(a) + _area(b) - shared
    return shared / union if union else 0.0


def where(a: Box, b: Box, threshold: float) -> tuple[tuple[Relation, ...], tuple[float, float]]:
    """In which relations ``a`` stands to ``b``, and by how much.

    The offset of the centres is shortened on each axis by ``threshold`` times both sizes, and divided by the length that it
    had before: (dx, dy), each -1 to 1, right and down positive. A relation needs more than 0.5 on its axis, so one offset
    may have two relations or none.
    """
    offset = [(a[k] + a[k + 2]) / 2 - (b[k] + b[k + 2]) / 2 for k in (0, 1)]
    room = [threshold * (abs(a[k + 2] - a[k]) + abs(b[k + 2] - b[k])) for k in (0, 1)]
    shortened = [max(abs(o) - r, 0.0) * ((o > 0) - (o < 0)) for o, r in zip(offset, room, strict=True)]
    if all(abs(part) < _NOTHING for part in shortened):
        return (), (0.0, 0.0)
    length = (offset[0] ** 2 + offset[1] ** 2) ** 0.5
    d = (shortened[0] / length, shortened[1] / length)
    found: list[Relation] = []
    for axis, negative, positive in _OPPOSITE:
        if abs(d[axis]) > _CLEAR:
            found.append(positive if d[axis] > 0 else negative)
    return tuple(found), d


def color_of(detection: Detection) -> str | None:
    """The likeliest of GenEval's ten colours; None if the evidence holds none."""
    colors = detection.colors
    return None if colors is None else COLORS[max(range(len(colors)), key=colors.__getitem__)]


def _area(box: Box) -> float:
    return max(box[2] - box[0] + 1, 0.0) * max(box[3] - box[1] + 1, 0.0)


def _look(asked: ObjectSpec, detections: Sequence[Detection], rules: Rules) -> _Thing:
    threshold = rules.counting_threshold if asked.exact else rules.threshold
    ranks = tuple(kept(detections, asked.name, threshold, rules))
    top = ranks[: asked.count]
    return _Thing(asked, ranks, top, tuple(color_of(detections[k]) for k in top), threshold)


def _place(relation: RelationSpec, things: Sequence[_Thing], detections: Sequence[Detection], rules: Rules) -> _Place | None:
    """None if one of the two is not there."""
    shown: _Place | None = None
    for a in things[relation.subject].top:
        for b in things[relation.reference].top:
            found, offset = where(detections[a].box, detections[b].box, rules.position_threshold)
            one = _Place(relation.relation in found, (a, b), found, offset)
            if not one.holds:
                return one
            shown = shown or one
    return shown


def _overall(spec: Spec, things: Sequence[_Thing], places: Sequence[_Place | None]) -> tuple[_Holds, list[str]]:
    """The verdict, and what GenEval's code says why: objects in their order, each with its relation, then what is too many."""
    matched: list[_Holds] = [thing.enough and thing.colored(thing.asked.count) for thing in things]
    reasons: list[str] = []
    for k, thing in enumerate(things):
        if matched[k] is False:
            reasons.append(_object_reason(thing))
            continue
        for relation, found in zip(spec.relations, places, strict=True):
            if relation.subject == k and (why := _relation_reason(relation, thing, found, matched[relation.reference])):
                matched[k] = False
                reasons.append(why)
    for thing in things:
        if not thing.exact:
            reasons.append(f"expected {thing.asked.name}<{thing.asked.count + 1}, found {len(thing.ranks)}")
    return _all([*matched, *(thing.exact for thing in things)]), reasons


def _object_reason(thing: _Thing) -> str:
    asked = thing.asked
    if not thing.enough:
        return f"expected {asked.name}>={asked.count}, found {len(thing.top)}"
    right = thing.colors.count(asked.color)
    return f"expected {asked.color} {asked.name}>={asked.count}, found {right} {asked.color}; and {_color_counts(thing)}"


def _relation_reason(relation: RelationSpec, thing: _Thing, found: _Place | None, reference: _Holds) -> str | None:
    if reference is False or found is None:
        return f"no target for {thing.asked.name} to be {relation.relation}"
    if found.holds:
        return None
    # two spaces where there is no relation at all, as in the published results
    return f"expected {thing.asked.name} {relation.relation} target, found {' and '.join(found.found)} target"


def _color_counts(thing: _Thing) -> str:
    return ", ".join(f"{thing.colors.count(color)} {color}" for color in COLORS if color in thing.colors)


def _judged(thing: _Thing) -> Iterable[Judgement]:
    target, n = thing.asked.target, min(len(thing.ranks), COUNT_CAP)
    yield _yes_no("present", n >= 1, target)
    yield Judgement("count", str(n), float(n), target)
    if thing.asked.color is not None and n >= 1:
        yield _yes_no("color", thing.colored(1), target)


def _object_checks(thing: _Thing) -> Iterable[Check]:
    asked = thing.asked
    wanted = f"exactly {asked.count}" if asked.exact else f"{asked.count} or more"
    text = f"{asked.target}: {wanted} asked for, {len(thing.ranks)} found with confidence above {thing.threshold:g}"
    yield Check(text, thing.enough and thing.exact, asked.target, thing.ranks)
    if asked.color is None:
        return
    if not thing.top:
        yield Check(f"{asked.target}: {asked.color} asked for; none found to look at", None, asked.target)
        return
    named = thing.colors[0] if len(thing.colors) == 1 else _color_counts(thing)
    yield Check(
        f"{asked.target}: {asked.color} asked for, {named or 'no colour'} seen",
        thing.colored(asked.count),
        asked.target,
        thing.top,
    )


def _relation_check(relation: RelationSpec, things: Sequence[_Thing], found: _Place | None) -> Check:
    if found is None:
        missing = [things[k].asked.target for k in (relation.subject, relation.reference) if not things[k].top]
        return Check(f"{relation.target}: no {' and no '.join(missing)} found to look at", None, relation.target)
    seen = " and ".join(found.found) or "in no clear direction"
    return Check(f"{relation.target}: found {seen}", found.holds, relation.target, found.ranks, found.offset)


def _all(parts: Iterable[_Holds]) -> _Holds:
    seen = set(parts)
    if False in seen:
        return False
    return None if None in seen else True


def _yes_no(aspect: str, holds: _Holds, target: str | None = None) -> Judgement:
    if holds is None:
        return Judgement(aspect, None, None, target, CANNOT_TELL)
    return Judgement(aspect, YES if holds else NO, 1.0 if holds else 0.0, target)
