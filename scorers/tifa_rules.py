"""TIFA's rules (Hu et al., 2023, section 3, formula 1), and DSG's (Cho et al., 2024): what follows from a model's answers.

Pure and light. The evidence of an image is self-contained: its questions stand in it beside the answers.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from statistics import fmean
from typing import Any, Final

from data.aspects import NO, YES
from data.jobs.runs import Observation
from data.prompts.questions import PromptQuestion, question_from_json
from data.prompts.spec import Spec
from data.records import Judgement
from scorers.base import Check, Settings, Verdict

_VALUES: Final = {YES: 1.0, NO: 0.0}
NO_QUESTIONS: Final = "no_questions"


@dataclass(frozen=True, slots=True)
class Answered:
    """A question and what a model answered (``scorers.models.vqa.base.Answer``); ``matched`` is None where it is not known."""

    question: PromptQuestion
    chosen: str
    probabilities: tuple[float, ...] | None = None
    free: str | None = None
    matched: str | None = None
    similarity: float | None = None

    @property
    def right(self) -> bool:
        """Whether it is the answer that a faithful image gives."""
        return self.chosen == self.question.answer


def payload_of(version: int, answers: Sequence[Answered]) -> dict[str, Any]:
    """The evidence as JSON, in the questions' order; ``version`` is that of the prompt's questions."""
    return {"version": version, "answers": [_entry(one) for one in answers]}


def answers_of(payload: Mapping[str, Any]) -> tuple[Answered, ...]:
    """What ``payload_of`` made."""
    return tuple(_answered(entry) for entry in payload.get("answers", ()))


def judge(spec: Spec, seen: Observation, settings: Settings) -> Verdict:  # noqa: ARG001  (as every scorer's)
    """TIFA: ``answer`` of each question, and ``score``, the share that is right (0 to 1; none of no questions)."""
    if seen.failed is not None:
        return Verdict((), checks=(Check(f"could not be looked at: {seen.failed}", None),))
    answers = answers_of(seen.payload)
    checks = tuple(Check(_told(one), one.right, one.question.question_id) for one in answers)
    return Verdict((*_said(answers), _score([one.right for one in answers])), checks=checks)


def judge_dependent(spec: Spec, seen: Observation, settings: Settings) -> Verdict:  # noqa: ARG001
    """DSG: as TIFA, but a right answer counts only if those of the question's parents are right, too.

    Parents are looked at as they were answered: one that does not count because of its own parents still holds, so that a
    fault is not handed down (DSG's code, ``calc_vqa_score``). A parent that was not asked is no hindrance.
    """
    if seen.failed is not None:
        return Verdict((), checks=(Check(f"could not be looked at: {seen.failed}", None),))
    answers = answers_of(seen.payload)
    right = {one.question.question_id: one.right for one in answers}
    failing = [[parent for parent in one.question.parents if not right.get(parent, True)] for one in answers]
    counts = [one.right and not wrong for one, wrong in zip(answers, failing, strict=True)]
    texts = {one.question.question_id: one.question.text for one in answers}
    checks = tuple(
        Check(_told(one) + _hindered([texts[parent] for parent in wrong]), holds, one.question.question_id)
        for one, wrong, holds in zip(answers, failing, counts, strict=True)
    )
    return Verdict((*_said(answers), _score(counts)), checks=checks)


def _said(answers: Sequence[Answered]) -> tuple[Judgement, ...]:
    """As people's answers to the same questions are judged (``annotation.questionnaires.tifa_vqa``)."""
    return tuple(
        Judgement("answer", one.chosen, _VALUES.get(one.chosen.casefold()), one.question.question_id) for one in answers
    )


def _score(right: Sequence[bool]) -> Judgement:
    return Judgement("score", None, fmean(right)) if right else Judgement("score", None, None, reason=NO_QUESTIONS)


def _told(one: Answered) -> str:
    asked = "" if one.right else f" (asked for: {one.question.answer})"
    return f"{one.question.text} {one.chosen}{asked}"


def _hindered(parents: Sequence[str]) -> str:
    return f"; does not count, as this failed: {'; '.join(parents)}" if parents else ""


def _entry(one: Answered) -> dict[str, Any]:
    said = {"chosen": one.chosen, "probabilities": one.probabilities, "free": one.free, "matched": one.matched}
    return asdict(one.question) | said | {"similarity": one.similarity}


def _answered(entry: Mapping[str, Any]) -> Answered:
    probabilities = entry.get("probabilities")
    return Answered(
        question_from_json(entry),
        entry["chosen"],
        None if probabilities is None else tuple(probabilities),
        entry.get("free"),
        entry.get("matched"),
        entry.get("similarity"),
    )
