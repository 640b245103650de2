"""The simulated people answering TIFA's questions about scenes whose truth is known: two each, and a third where they differ.

They err as they do in GenEval's form (``annotation.simulated``): a kind, a number, a colour, a side. A question that the scene
gives no single answer to is answered "none of the above", or "no" (TIFA, appendix C.2, on ambiguous cases).
"""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Sequence
from typing import Final

import numpy as np

from annotation.questionnaires import tifa_vqa
from annotation.questionnaires.form import Asked
from annotation.simulated import NAMESPACE, PEOPLE, SEED, Known, Person, random
from data.aspects import CANNOT_TELL, NO
from data.playground.scene import true_answers
from data.prompts.questions import PromptQuestion
from data.records import Annotation

VERSION: Final = 1
"""Of the questions, as a project has them that nobody has edited."""


def annotate(known: Iterable[Known], people: Sequence[Person] = PEOPLE, seed: int = SEED) -> list[Annotation]:
    """What they say, image by image; the same items, people and seed give the same annotations."""
    found: list[Annotation] = []
    for one in known:
        order = random(seed, one.item.item_id, "questions").permutation(len(people))
        said: list[dict[str, str]] = []
        for number in order[:3]:
            if len(said) == 2 and not tifa_vqa.undecided(said):
                break
            person = people[number]
            answers = _answers(person, one, random(seed, one.item.item_id, person.name, "questions"))
            said.append(answers)
            found.append(_annotation(person, one, answers, seed))
    return found


def _answers(person: Person, known: Known, rng: np.random.Generator) -> dict[str, str]:
    asked = true_answers(known.spec, known.scene)
    return {tifa_vqa.PREFIX + question.question_id: _said(person, question, true, rng) for question, true in asked}


def _said(person: Person, question: PromptQuestion, true: str | None, rng: np.random.Generator) -> str:
    seen = true if true is not None else NO if question.is_yes_no else tifa_vqa.NONE_OF_THEM
    if rng.random() < person.cannot_tell:
        return CANNOT_TELL
    errs = {"counting": person.counts, "color": person.colors, "spatial": person.positions}
    if rng.random() >= errs.get(question.element_type, person.objects):
        return seen
    others = [choice for choice in question.choices if choice != seen]
    return others[int(rng.integers(len(others)))]


def _annotation(person: Person, known: Known, answers: dict[str, str], seed: int) -> Annotation:
    asked = Asked("", {}, questions=tuple(question for question, _ in true_answers(known.spec, known.scene)))
    return Annotation(
        annotation_id=str(uuid.uuid5(NAMESPACE, f"{seed}/questions/{person.name}/{known.item.item_id}")),
        item_id=known.item.item_id,
        rater_id=person.rater.rater_id,
        questionnaire=tifa_vqa.NAME,
        answers=answers,
        judgements=tuple(derived.judgement for derived in tifa_vqa.FORM.derive(asked, answers)),
        rule_version=tifa_vqa.FORM.rule_version,
        raw={"questions": VERSION},
    )
