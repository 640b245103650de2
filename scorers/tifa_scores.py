"""TIFA over many texts, as its own code says it of a result file (``tifascore``, Hu et al., 2023, section 3)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from statistics import fmean, stdev
from typing import Any

from data.formats.tifa_results import CaptionAnswers
from data.jobs.runs import Observation
from data.prompts.spec import Spec
from scorers.tifa_rules import Answered, judge, judge_dependent, payload_of


@dataclass(frozen=True, slots=True)
class Right:
    """One answer, and whether it counts; by DSG's rule a right one may not."""

    answered: Answered
    counts: bool


@dataclass(frozen=True, slots=True)
class Scored:
    """One text's image.

    Attributes:
        score: share of answers that count, 0 to 1.
    """

    id: str
    score: float
    answers: tuple[Right, ...]

    def to_json(self) -> dict[str, Any]:
        """A line for people and programs."""
        answers = [
            {
                "question_id": one.answered.question.question_id,
                "question": one.answered.question.text,
                "answer": one.answered.question.answer,
                "chosen": one.answered.chosen,
                "counts": one.counts,
            }
            for one in self.answers
        ]
        return {"id": self.id, "score": self.score, "answers": answers}


def scored(one: CaptionAnswers, *, dependent: bool = False) -> Scored:
    """By TIFA's rule; ``dependent``: by DSG's, of its yes/no questions.

    Raises:
        ValueError: there is nothing to score.
    """
    said = [one_said for one_said in one.answers if one_said.question.is_yes_no or not dependent]
    answers = [Answered(one_said.question, one_said.chosen, free=one_said.free) for one_said in said]
    verdict = (judge_dependent if dependent else judge)(Spec(), Observation(one.id, payload_of(0, answers)), {})
    score = verdict.judgements[-1].value
    if score is None:
        raise ValueError(f"{one.id}: none of its questions is answered yes or no")
    rights = [Right(answered, bool(check.holds)) for answered, check in zip(answers, verdict.checks, strict=True)]
    return Scored(one.id, score, tuple(rights))


@dataclass(slots=True)
class Tally:
    """The scores as they come."""

    _captions: dict[str, float] = field(default_factory=dict)
    _types: dict[str, list[int]] = field(default_factory=dict)

    def add(self, one: Scored) -> None:
        """Count one text's image.

        Raises:
            ValueError: there was one of this id before: TIFA has one image of each text.
        """
        if one.id in self._captions:
            raise ValueError(f"{one.id}: answers about it stand here twice, TIFA scores one image of each text")
        self._captions[one.id] = one.score
        for right in one.answers:
            counted = self._types.setdefault(right.answered.question.element_type, [0, 0])
            counted[0] += right.counts
            counted[1] += 1

    def summary(self) -> Mapping[str, Any]:
        """``tifa_average`` and ``tifa_stdev`` (of the sample; None of fewer than two) over ``caption_scores``, each caption
        counting once; ``accuracy_by_type`` over questions."""
        scores = list(self._captions.values())
        return {
            "tifa_average": fmean(scores),
            "tifa_stdev": stdev(scores) if len(scores) > 1 else None,
            "caption_scores": self._captions,
            "accuracy_by_type": {name: right / n for name, (right, n) in self._types.items()},
        }
