"""TIFA's rules (Hu et al., 2023, section 3, formula 1), DSG's (Cho et al., 2024) and Soft-TIFA's (Kamath et al., 2025, GenEval
2): what follows from a model's answers, and from grades.

Soft-TIFA counts each question by the probability that the model gives its right answer: the arithmetic mean estimates single
points, the geometric mean whole prompts, of which it is 0 where one point has no probability at all.

Pure and light. The evidence of an image is self-contained: its questions stand in it beside the answers. Over many texts the
scores are those of TIFA's own code (``tifascore``).
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from statistics import fmean, stdev
from typing import Any, Final

from data.aspects import NO, YES
from data.formats.official_results import CaptionAnswers
from data.jobs.runs import Observation
from data.prompts.questions import PromptQuestion, question_from_json
from data.records import Judgement
from data.spec import Spec
from scorers.base import Check, Settings, Verdict

_VALUES: Final = {YES: 1.0, NO: 0.0}
NO_QUESTIONS: Final = "no_questions"

SHARE: Final = "share"
ARITHMETIC: Final = "arithmetic"
GEOMETRIC: Final = "geometric"
GRADED: Final = "graded"
WISE: Final = "wise"
SCORES: Final = (SHARE, ARITHMETIC, GEOMETRIC, GRADED, WISE)
"""What ``score`` is: the share of right answers; the mean probability of the right answer; the mean of grades, or WISE's."""
WISE_WEIGHTS: Final[Mapping[str, float]] = {"consistency": 0.7, "realism": 0.2, "aesthetic-quality": 0.1}
"""WiScore's (Niu et al., 2025), by question."""
NO_WISE: Final = "not_wise_questions"
UNANSWERED: Final = "unanswered"
NO_PROBABILITIES: Final = "no_probabilities"
LEFT, RIGHT, NO_DIFFERENCE = SIDES = ("left", "right", "no difference")
"""What a judge of a pair may say."""
TIE: Final = "tie"
KEPT, MIXED = "kept", "mixed"
"""Of its choice when the two images change places; ``left`` or ``right``: it chose that side both times."""
GRADES: Final = tuple(str(grade) for grade in range(11))
"""A rubric's, worst first."""


@dataclass(frozen=True, slots=True)
class AnsweredQuestion:
    """A question and a model's answer (``scorers.models.vqa.VqaAnswer``); ``matched`` is None where it is not known."""

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


def payload_of(
    version: int, answers: Sequence[AnsweredQuestion], unanswered: Sequence[tuple[PromptQuestion, str]] = ()
) -> dict[str, Any]:
    """The evidence as JSON, in the questions' order; ``version`` is that of the prompt's questions; ``unanswered``: those to
    which the reply was no answer, with why."""
    entries = []
    for answer in answers:
        reply = {
            "chosen": answer.chosen,
            "probabilities": answer.probabilities,
            "free": answer.free,
            "matched": answer.matched,
        }
        entries.append(asdict(answer.question) | reply | {"similarity": answer.similarity})
    left = [asdict(question) | {"failed": why} for question, why in unanswered]
    return {"version": version, "answers": entries} | ({"unanswered": left} if left else {})


def answers_of(payload: Mapping[str, Any]) -> tuple[AnsweredQuestion, ...]:
    """What ``payload_of`` made."""
    return tuple(
        AnsweredQuestion(
            question_from_json(entry),
            entry["chosen"],
            None if entry.get("probabilities") is None else tuple(entry["probabilities"]),
            entry.get("free"),
            entry.get("matched"),
            entry.get("similarity"),
        )
        for entry in payload.get("answers", ())
    )


def judge(spec: Spec, seen: Observation, settings: Settings) -> Verdict:  # noqa: ARG001  (as every scorer's)
    """TIFA: ``answer`` of each question, and ``score``, the share that is right (0 to 1; none of no questions)."""
    if seen.failed is not None:
        return Verdict((), checks=(Check(f"could not be looked at: {seen.failed}", None),))
    answers = answers_of(seen.payload)
    checks = tuple(Check(_answer_text(answer), answer.right, answer.question.question_id) for answer in answers)
    return Verdict((*_answer_judgements(answers), _score([answer.right for answer in answers])), checks=checks)


def judge_dependent(spec: Spec, seen: Observation, settings: Settings) -> Verdict:  # noqa: ARG001
    """DSG: as TIFA, but a right answer counts only if those of the question's parents are right, too.

    Parents are looked at as they were answered: one that does not count because of its own parents still holds, so that a
    fault is not handed down (DSG's code, ``calc_vqa_score``). A parent that was not asked is no hindrance.
    """
    if seen.failed is not None:
        return Verdict((), checks=(Check(f"could not be looked at: {seen.failed}", None),))
    answers = answers_of(seen.payload)
    right = {answer.question.question_id: answer.right for answer in answers}
    failing = [[parent for parent in answer.question.parents if not right.get(parent, True)] for answer in answers]
    counts = [answer.right and not wrong for answer, wrong in zip(answers, failing, strict=True)]
    texts = {answer.question.question_id: answer.question.text for answer in answers}
    checks = []
    for answer, wrong, holds in zip(answers, failing, counts, strict=True):
        why = f"; does not count, as this failed: {'; '.join(texts[parent] for parent in wrong)}" if wrong else ""
        checks.append(Check(_answer_text(answer) + why, holds, answer.question.question_id))
    return Verdict((*_answer_judgements(answers), _score(counts)), checks=tuple(checks))


def right_probability(answered: AnsweredQuestion) -> float | None:
    """That the judge gives the right answer; None where it says none."""
    if answered.probabilities is None or answered.question.answer not in answered.question.choices:
        return None
    return answered.probabilities[answered.question.choices.index(answered.question.answer)]


def grade_of(answered: AnsweredQuestion) -> float:
    """Of choices that are ascending whole numbers how far the answer is from the lowest to the highest, 0 to 1; of others
    whether it is right."""
    choices = answered.question.choices
    levels = [int(choice) for choice in choices] if all(re.fullmatch("[0-9]+", choice) for choice in choices) else []
    if len(levels) < 2 or levels != sorted(set(levels)):
        return float(answered.right)
    return (int(answered.chosen) - levels[0]) / (levels[-1] - levels[0])


def _graded_score(answers: Sequence[AnsweredQuestion], kind: str) -> Judgement:
    """The mean of the grades; WISE's by its weights, where exactly its three questions are answered."""
    grades = {answer.question.question_id: grade_of(answer) for answer in answers}
    if kind == GRADED:
        return Judgement("score", None, fmean(grades.values()))
    if grades.keys() != WISE_WEIGHTS.keys():
        return Judgement("score", None, None, reason=NO_WISE)
    return Judgement("score", None, math.fsum(WISE_WEIGHTS[name] * grade for name, grade in grades.items()))


def soft_tifa(probabilities: Sequence[float], mean: str) -> float:
    """Of the right answers' probabilities (0 to 1, at least one), their ``ARITHMETIC`` or ``GEOMETRIC`` mean."""
    if mean == ARITHMETIC:
        return fmean(probabilities)
    return math.exp(fmean(map(math.log, probabilities))) if min(probabilities) > 0 else 0.0


def judge_soft(spec: Spec, seen: Observation, settings: Settings) -> Verdict:
    """``answer`` of each question, and ``score`` as the setting ``score`` says (0 to 1). A question without an answer has none,
    and no score is made of the others."""
    verdict = judge(spec, seen, settings)
    if seen.failed is not None:
        return verdict
    *answers, score = verdict.judgements
    left = seen.payload.get("unanswered") or ()
    kind = settings.get("score", SHARE)
    if left:
        answers += [Judgement("answer", None, None, question["question_id"], UNANSWERED) for question in left]
        score = Judgement("score", None, None, reason=UNANSWERED)
    elif kind in (GRADED, WISE) and score.value is not None:
        score = _graded_score(answers_of(seen.payload), kind)
    elif kind != SHARE and score.value is not None:
        probabilities = [right_probability(answer) for answer in answers_of(seen.payload)]
        known = [probability for probability in probabilities if probability is not None]
        complete = len(known) == len(probabilities)
        mean = soft_tifa(known, kind) if complete else None
        score = Judgement("score", None, mean, reason=None if complete else NO_PROBABILITIES)
    more = [Check(f"{question['text']} no answer: {question['failed']}", None, question["question_id"]) for question in left]
    return Verdict((*answers, score), checks=(*verdict.checks, *more))


def judge_grade(spec: Spec, seen: Observation, settings: Settings) -> Verdict:  # noqa: ARG001  (as every scorer's)
    """``score``: the grade, 0 to 10; where the judge gives probabilities, their mean. Where the text was flipped it is
    ``flipped``, with the kind of flip as its target: no statistic takes it for a score."""
    if seen.failed is not None:
        return Verdict((), checks=(Check(f"could not be looked at: {seen.failed}", None),))
    grade, shares, why = (seen.payload.get(name) for name in ("grade", "probabilities", "reason"))
    if isinstance(shares, list) and len(shares) == len(GRADES):
        value = sum(level * share for level, share in enumerate(shares))
    else:
        value = float(GRADES.index(str(grade)))
    flip = settings.get("flip") or None
    text = (
        f"grade {value:.2f} of 10" + (f" for the prompt with its {flip} flipped" if flip else "") + (f": {why}" if why else "")
    )
    return Verdict((Judgement("flipped" if flip else "score", None, value, flip),), checks=(Check(text, None),))


def judge_pair(spec: Spec, seen: Observation, settings: Settings) -> Verdict:  # noqa: ARG001
    """``preference``: the generator whose image is chosen in both orders, else a tie; ``order``: whether the choice is kept
    when the images change places, or is the same side twice (``left``, ``right``), or a tie in one order only (``mixed``)."""
    if seen.failed is not None:
        return Verdict((), checks=(Check(f"could not be looked at: {seen.failed}", None),))
    generators, orders = seen.payload["generators"], seen.payload["orders"]
    sides = [look["chosen"] for look in orders]
    # in the second order the first image is on the right
    won = [TIE if side == NO_DIFFERENCE else generators[(side == RIGHT) ^ bool(nth)] for nth, side in enumerate(sides)]
    order_effect = KEPT if won[0] == won[1] else sides[0] if sides[0] == sides[1] else MIXED
    checks = [
        Check(f"{' | '.join(shown)}: {look['chosen']}" + (f": {look['reason']}" if look.get("reason") else ""), None)
        for shown, look in zip((generators, generators[::-1]), orders, strict=True)
    ]
    preferred = won[0] if order_effect == KEPT else TIE
    return Verdict((Judgement("preference", preferred, None), Judgement("order", order_effect, None)), checks=tuple(checks))


def _answer_judgements(answers: Sequence[AnsweredQuestion]) -> tuple[Judgement, ...]:
    """As people's answers to the same questions are judged (``annotation.questionnaires.tifa_vqa``)."""
    return tuple(
        Judgement("answer", answer.chosen, _VALUES.get(answer.chosen.casefold()), answer.question.question_id)
        for answer in answers
    )


def _score(right: Sequence[bool]) -> Judgement:
    return Judgement("score", None, fmean(right)) if right else Judgement("score", None, None, reason=NO_QUESTIONS)


def _answer_text(answered: AnsweredQuestion) -> str:
    expected = "" if answered.right else f" (asked for: {answered.question.answer})"
    return f"{answered.question.text} {answered.chosen}{expected}"


@dataclass(frozen=True, slots=True)
class CountedAnswer:
    """One answer, and whether it counts; by DSG's rule a right one may not."""

    answered: AnsweredQuestion
    counts: bool


@dataclass(frozen=True, slots=True)
class TextScore:
    """One text's image.

    Attributes:
        score: share of answers that count, 0 to 1.
    """

    id: str
    score: float
    answers: tuple[CountedAnswer, ...]

    def to_json(self) -> dict[str, Any]:
        """A line for people and programs."""
        answers = [
            {
                "question_id": answer.answered.question.question_id,
                "question": answer.answered.question.text,
                "answer": answer.answered.question.answer,
                "chosen": answer.answered.chosen,
                "counts": answer.counts,
            }
            for answer in self.answers
        ]
        return {"id": self.id, "score": self.score, "answers": answers}


def score_text(caption_answers: CaptionAnswers, *, dependent: bool = False) -> TextScore:
    """By TIFA's rule; ``dependent``: by DSG's, of its yes/no questions.

    Raises:
        ValueError: there is nothing to score.
    """
    model_answers = [answer for answer in caption_answers.answers if answer.question.is_yes_no or not dependent]
    answers = [AnsweredQuestion(answer.question, answer.chosen, free=answer.free) for answer in model_answers]
    verdict = (judge_dependent if dependent else judge)(Spec(), Observation(caption_answers.id, payload_of(0, answers)), {})
    score = verdict.judgements[-1].value
    if score is None:
        raise ValueError(f"{caption_answers.id}: none of its questions is answered yes or no")
    rights = [CountedAnswer(answered, bool(check.holds)) for answered, check in zip(answers, verdict.checks, strict=True)]
    return TextScore(caption_answers.id, score, tuple(rights))


@dataclass(slots=True)
class TifaTally:
    """The scores as they come."""

    _captions: dict[str, float] = field(default_factory=dict)
    _types: dict[str, list[int]] = field(default_factory=dict)

    def add(self, scored: TextScore) -> None:
        """Count one text's image.

        Raises:
            ValueError: there was one of this id before: TIFA has one image of each text.
        """
        if scored.id in self._captions:
            raise ValueError(f"{scored.id}: answers about it occur twice, TIFA scores one image of each text")
        self._captions[scored.id] = scored.score
        for right in scored.answers:
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
