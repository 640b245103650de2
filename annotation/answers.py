"""From one person's answers about one item to judgements: GenEval's rules (section 5 and the published evaluation).

Answers from the form and imported ones have one shape: ``objects`` str, ``count_k`` int 0..5, ``color_k`` list of str,
``realism_k`` int 1..3, ``position_x``/``position_y`` str, ``caption_fit`` int 1..4, and ``"cannot_tell"`` anywhere.
A missing key is a blank.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Final

from annotation.questionnaires import is_blank, position_suffix
from data.aspects import CANNOT_TELL, COUNT_CAP, NO, YES
from data.prompts.spec import Relation, RelationSpec, Spec
from data.records import Judgement

RULE_VERSION: Final = "geneval-answers-1"
"""Moves with every change of these rules, so that judgements made by older ones are remade."""

_AXIS: Final[dict[Relation, tuple[str, str]]] = {
    "left of": ("position_x", "left"),
    "right of": ("position_x", "right"),
    "above": ("position_y", "above"),
    "below": ("position_y", "below"),
}

# Yes, no, or None: the person said that they cannot tell.
_Verdict = bool | None


def derive(spec: Spec, answers: Mapping[str, Any]) -> list[Judgement]:
    """The judgements that one annotation makes, by the questions that ``spec`` asks.

    ``correct`` is yes iff every object is there in the asked number (no fewer, or exactly so many where the spec is exact;
    both capped at 5), with the asked colour among those ticked, and every asked relation is the answer on its own axis.
    Quality, realism, free text and what the spec does not ask play no part. A blank where something is needed is a no;
    ``cannot_tell`` leaves the question open unless something else fails for certain. Follow-ups of an object that is
    not there are ignored, whatever a changed mind left in them.
    """
    judgements: list[Judgement] = []
    needed: list[_Verdict] = []
    for k, thing in enumerate(spec.objects):
        counted = _count(answers, k)
        needed.append(_enough(counted, thing.count, thing.exact))
        judgements += _counted(thing.target, counted)
        if not _is_there(counted):
            continue
        if thing.color is not None:
            has_color = _has_color(answers.get(f"color_{k}"), thing.color)
            needed.append(has_color)
            judgements.append(_yes_no("color", has_color, thing.target))
        judgements += _level("realism", answers.get(f"realism_{k}"), 3, thing.target)
    for r, relation in enumerate(spec.relations):
        if all(_is_there(_count(answers, k)) for k in (relation.subject, relation.reference)):
            holds = _relation_holds(answers, r, relation)
            needed.append(holds)
            judgements.append(_yes_no("position", holds, relation.target))
    judgements += _level("caption_fit", answers.get("caption_fit"), 4)
    # A spec without objects asks nothing that could be met or missed.
    return [_yes_no("correct", _all(needed)), *judgements] if needed else judgements


def derive_direct(answers: Mapping[str, Any]) -> Judgement:
    """The judgement that an imported rating is (questionnaire ``direct``): aspect, target, label and value as they came."""
    aspect, label, value = answers.get("aspect"), answers.get("label"), answers.get("value")
    if not isinstance(aspect, str) or not aspect:
        raise ValueError(f"a direct answer needs an 'aspect', got {aspect!r}")
    target = answers.get("target")
    if label == CANNOT_TELL:
        return Judgement(aspect, None, None, target, CANNOT_TELL)
    return Judgement(aspect, None if label is None else str(label), None if value is None else float(value), target)


def _count(answers: Mapping[str, Any], k: int) -> int | str | None:
    answer = answers.get(f"count_{k}")
    if answer == CANNOT_TELL:
        return CANNOT_TELL
    if isinstance(answer, int) and not isinstance(answer, bool) and answer >= 0:
        return min(answer, COUNT_CAP)
    return None


def _is_there(counted: int | str | None) -> bool:
    return isinstance(counted, int) and counted >= 1


def _enough(counted: int | str | None, asked: int, exact: bool) -> _Verdict:
    if isinstance(counted, int):
        asked = min(asked, COUNT_CAP)
        return counted == asked if exact else counted >= asked
    return None if counted == CANNOT_TELL else False


def _counted(target: str, counted: int | str | None) -> Iterable[Judgement]:
    if counted is None:  # blank: "nobody said" is not "it is not there", except for `correct`
        return ()
    if not isinstance(counted, int):
        return (_open("present", target), _open("count", target))
    return (_yes_no("present", counted >= 1, target), Judgement("count", str(counted), float(counted), target))


def _has_color(ticked: Any, asked: str) -> _Verdict:
    if ticked == CANNOT_TELL:
        return None
    return isinstance(ticked, (list, tuple)) and asked in ticked


def _relation_holds(answers: Mapping[str, Any], index: int, relation: RelationSpec) -> _Verdict:
    axis, asked = _AXIS[relation.relation]
    answer = answers.get(axis + position_suffix(index))
    return None if answer == CANNOT_TELL else answer == asked


def _all(verdicts: Iterable[_Verdict]) -> _Verdict:
    seen = set(verdicts)
    if False in seen:
        return False
    return None if None in seen else True


def _level(aspect: str, answer: Any, highest: int, target: str | None = None) -> Iterable[Judgement]:
    if is_blank(answer):
        return ()
    if answer == CANNOT_TELL:
        return (_open(aspect, target),)
    if isinstance(answer, int) and not isinstance(answer, bool) and 1 <= answer <= highest:
        return (Judgement(aspect, str(answer), float(answer), target),)
    return ()


def _yes_no(aspect: str, verdict: _Verdict, target: str | None = None) -> Judgement:
    if verdict is None:
        return _open(aspect, target)
    return Judgement(aspect, YES if verdict else NO, 1.0 if verdict else 0.0, target)


def _open(aspect: str, target: str | None = None) -> Judgement:
    return Judgement(aspect, None, None, target, CANNOT_TELL)
