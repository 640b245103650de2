"""Imported ratings: the answer is the judgement, or several as they were exported (questionnaire ``direct``)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any, Final

from data.aspects import CANNOT_TELL
from data.records import Judgement

NAME: Final = "direct"
RULE_VERSION: Final = "direct-1"


JUDGEMENTS: Final = "judgements"
"""The answer's key where it holds judgements as they were exported, with the rule that made them (``rule``)."""


def is_exported(answers: Mapping[str, Any]) -> bool:
    """Whether an answer, or evidence, is judgements as they were exported."""
    return JUDGEMENTS in answers


def exported(rule: str, judgements: Sequence[Judgement]) -> dict[str, Any]:
    """Judgements that come without what they were made from, as an answer or as evidence."""
    told = [{name: value for name, value in asdict(one).items() if value is not None} for one in judgements]
    return {"rule": rule, JUDGEMENTS: told}


def as_exported(answers: Mapping[str, Any]) -> tuple[str, tuple[Judgement, ...]]:
    """The rule version, and the judgements as they were.

    Raises:
        ValueError: there is no rule or a judgement without an aspect.
    """
    try:
        found = [{"label": None, "value": None, **one} for one in answers[JUDGEMENTS]]
        return str(answers["rule"]), tuple(Judgement(**one) for one in found)
    except (KeyError, TypeError) as error:
        raise ValueError(f"these are no exported judgements: {error}") from error


def derive(answers: Mapping[str, Any]) -> Judgement:
    """The judgement that an imported rating is: aspect, target, label and value as they came.

    Raises:
        ValueError: there is no aspect.
    """
    aspect, label, value = answers.get("aspect"), answers.get("label"), answers.get("value")
    if not isinstance(aspect, str) or not aspect:
        raise ValueError(f"a direct answer needs an 'aspect', got {aspect!r}")
    target = answers.get("target")
    if label == CANNOT_TELL:
        return Judgement(aspect, None, None, target, CANNOT_TELL)
    return Judgement(aspect, None if label is None else str(label), None if value is None else float(value), target)
