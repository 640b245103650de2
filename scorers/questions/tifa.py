"""TIFA (Hu et al., 2023): the prompt's questions, answered by a visual question answering model that sees the image alone; and
DSG (Cho et al., 2024): yes/no questions, of which one counts only if those that it rests on hold.

Perceiving keeps each answer with its probabilities and words; what follows from them is ``scorers.questions.rules``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Final

from data.aspects import SCALES
from data.jobs.runs import Observation
from scorers.base import Scorer, Settings, Shown
from scorers.questions.rules import AnsweredQuestion, judge, judge_dependent, payload_of

if TYPE_CHECKING:
    from scorers.models.vqa import Vqa


CHOICES: Final = "choices"
FREE: Final = "free"
NO_QUESTIONS: Final = "the prompt has no questions; import questions FILE, or import questions --from-specs"

OPTIONS: Final[Settings] = {"sentences": "sentence-transformers/all-mpnet-base-v2", "rotations": 0}
"""``sentences``: the model by whose embeddings a free answer is matched to a choice. ``rotations``: in how many orders at
most a model that chats is given the choices (0: as many as there are choices)."""


class TifaPerceiver:
    """The model in memory. ``only_yes_no``: other questions are not asked."""

    def __init__(self, vqa: Vqa, warnings: tuple[str, ...] = (), *, only_yes_no: bool = False) -> None:
        self._vqa = vqa
        self._only_yes_no = only_yes_no
        self.warnings = warnings

    def perceive(self, batch: Sequence[Shown]) -> list[Observation]:
        """See ``Perceiver``. Images of prompts without questions fail."""
        from scorers.models.vqa import VqaQuestion

        per_image = [
            [question for question in shown.questions if question.is_yes_no or not self._only_yes_no] for shown in batch
        ]
        with_any = [k for k, questions in enumerate(per_image) if questions]
        queries = [[VqaQuestion(question.text, question.choices) for question in per_image[k]] for k in with_any]
        answers = dict(zip(with_any, self._vqa.answer([batch[k].image for k in with_any], queries), strict=True))
        observations = []
        for k, (shown, questions) in enumerate(zip(batch, per_image, strict=True)):
            if k not in answers:
                observations.append(Observation(shown.item_id, failed=NO_QUESTIONS))
                continue
            answered_questions = [
                AnsweredQuestion(question, answer.chosen, answer.probabilities, answer.free, answer.matched, answer.similarity)
                for question, answer in zip(questions, answers[k], strict=True)
            ]
            observations.append(Observation(shown.item_id, payload_of(shown.version, answered_questions)))
        return observations


def open_perceiver(settings: Settings, device: str, *, only_yes_no: bool = False) -> TifaPerceiver:
    """With the model that the settings name, which has been asked about known photographs.

    Raises:
        OSError: its files are not at hand.
        ValueError: there is no such kind of model here.
    """
    from scorers.models.vqa import check_vqa, open_vqa

    vqa = open_vqa(settings["vqa"], device, {**OPTIONS, **settings})
    return TifaPerceiver(vqa, check_vqa(vqa, settings["vqa"]), only_yes_no=only_yes_no)


def check(settings: Settings) -> None:
    """Raises ``ValueError`` where ``answering`` is neither."""
    if settings["answering"] not in (CHOICES, FREE):
        raise ValueError(f"answering must be {CHOICES} or {FREE}, got {settings['answering']!r}")


PROFILES: Final[dict[str, Settings]] = {
    "playground": {"vqa": "assets/playground/vqa", "answering": CHOICES},
    # the paper's only model that is asked with the choices (section 3.3); its default, mPLUG-large, is in no library here
    "blip2": {"vqa": "Salesforce/blip2-flan-t5-xl", "answering": FREE},
    "git": {"vqa": "microsoft/git-large-vqav2", "answering": FREE},
    "vilt": {"vqa": "dandelin/vilt-b32-finetuned-vqa", "answering": FREE},
    "blip": {"vqa": "Salesforce/blip-vqa-base", "answering": CHOICES},
    "qwen": {"vqa": "Qwen/Qwen3-VL-2B-Instruct", "answering": CHOICES},
    "smolvlm": {"vqa": "HuggingFaceTB/SmolVLM2-2.2B-Instruct", "answering": CHOICES},
}

TIFA: Final = Scorer(
    name="tifa",
    version="1",
    summary="Has a model answer the prompt's questions about the image: the share that is right.",
    profiles=PROFILES,
    judging=frozenset(),
    open=open_perceiver,
    judge=judge,
    scales={name: SCALES[name] for name in ("answer", "score")},
    models=frozenset({"vqa"}),
    check=check,
    options=OPTIONS,
    input="questions",
    renamed={"paper": "blip2"},
)


DSG: Final = replace(
    TIFA,
    name="dsg",
    summary="As TIFA with yes/no questions alone; one counts only if those that it rests on hold.",
    open=partial(open_perceiver, only_yes_no=True),
    judge=judge_dependent,
)
