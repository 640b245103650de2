"""Imported ratings: the answer is the judgement (questionnaire ``direct``)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from data.aspects import CANNOT_TELL
from data.records import Judgement

NAME: Final = "direct"
RULE_VERSION: Final = "direct-1"


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
