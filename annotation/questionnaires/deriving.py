"""From answers to judgements: what the rules of all questionnaires share. Yes, no, or None: that cannot be told."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

from annotation.questionnaires.base import is_blank
from data.aspects import CANNOT_TELL, NO, YES
from data.records import Judgement

Verdict = bool | None

BLANK: Final = "blank_image"
"""Why nothing can be said of an aspect: the image is blank."""


def yes_no(aspect: str, verdict: Verdict, target: str | None = None) -> Judgement:
    if verdict is None:
        return unsure(aspect, target)
    return Judgement(aspect, YES if verdict else NO, 1.0 if verdict else 0.0, target)


def unsure(aspect: str, target: str | None = None, reason: str = CANNOT_TELL) -> Judgement:
    """That somebody was asked and nothing can be said."""
    return Judgement(aspect, None, None, target, reason)


def level(aspect: str, answer: Any, highest: int, target: str | None = None) -> Iterable[Judgement]:
    """The judgement of a level from 1 to ``highest``; none of a blank, and of what is not on the scale."""
    if is_blank(answer):
        return ()
    if answer == CANNOT_TELL:
        return (unsure(aspect, target),)
    if isinstance(answer, int) and not isinstance(answer, bool) and 1 <= answer <= highest:
        return (Judgement(aspect, str(answer), float(answer), target),)
    return ()


def all_of(verdicts: Iterable[Verdict]) -> Verdict:
    """No if one is no; else open if one is open."""
    seen = set(verdicts)
    if False in seen:
        return False
    return None if None in seen else True
