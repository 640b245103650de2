"""TIFA's Likert study (appendix C.1): the images of one prompt together, each from 1 to 5, with the elements counted.

The person's score is the judgement, and all that is asked. The counts are a help for who wants it, and are kept. They are the
person's own: how many elements the prompt's questions or its spec have is not shown, as that would anchor the count and with it
the score.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

from annotation.questionnaires import worked_examples
from annotation.questionnaires.base import (
    Blank,
    Counter,
    InstructionSection,
    Numbers,
    Option,
    Question,
    Questionnaire,
    says_blank,
)
from annotation.questionnaires.form import Form, FormItem, level, meaning
from data.records import Judgement

NAME: Final = "tifa_likert"
VERSION: Final = "3"
MOST_ELEMENTS: Final = 20
"""As many elements as can be counted."""

SCORES: Final = (
    Option(1, "None of the major objects are correctly presented", "1"),
    Option(2, "More than half of the elements are missed or misrepresented", "2"),
    Option(3, "Several are missed or misrepresented: up to half of them", "3"),
    Option(4, "A few are missed or misrepresented: at most two, and at most a third", "4"),
    Option(5, "The image perfectly matches the prompt", "5"),
)

INSTRUCTIONS: Final = (
    InstructionSection(
        "On a scale of 1-5, score “does the image match the prompt?”",
        (
            "The ranking of the images given the same text is important. If you believe the scoring guideline cannot reflect "
            "your ranking preference, pick scores that are consistent with your ranking. Ties are allowed.",
            "There are two aspects: image quality and text-image match. Here we only care about text-image match, which is "
            "referred to as “faithfulness”.",
            "There are several kinds of elements in the text: object, attribute, relation, and context. Measure the "
            "consistency by counting how many elements are missed or misrepresented in the image.",
            "For some elements, e.g. “train conductor’s hat”, if you can see there is a hat but not a train conductor’s hat, "
            "consider half of the element missed or misrepresented.",
            "Objects are the most important elements. If an object is missing, then consider all related attributes, "
            "activities and relations missing.",
            "When you cannot tell what the object, attribute, activity or context is, consider the element missing (e.g. you "
            "can’t tell if an object is a microwave).",
        ),
    ),
    InstructionSection(
        "The text has n elements, and x of them are missed or misrepresented",
        (
            "5: The image perfectly matches the prompt.",
            "4: x ≤ 2 and x ≤ n/3. A few elements are missed or misrepresented.",
            "3: min(2, n/3) < x ≤ n/2.",
            "2: x > n/2. More than half of the elements are missed or misrepresented.",
            "1: None of the major objects are correctly presented in the image.",
            "If you like, count n and x here (“Count the elements”): a score is suggested then; yours is what counts.",
        ),
    ),
    InstructionSection(
        "An example: “two dogs and a red cup” has four elements: dogs, two of them, a cup, red",
        (
            "One dog and a red cup: only the number is wrong, 1 of 4, which is a 4.",
            "A red cup alone: the dogs are missing and their number with them, 2 of 4, which is a 3.",
        ),
    ),
)


def suggested(n: float, x: float) -> int | None:
    """The score that the paper's guideline gives an image that misses ``x`` of ``n`` elements (halves count).

    With all of them missed there is none of the major objects: 1. None where the counts cannot be: ``n`` below 1, or ``x``
    not from 0 to ``n``. (The paper leaves 1 to the eye where a lesser element is there.)
    """
    if n < 1 or not 0 <= x <= n:
        return None
    if x == 0:
        return 5
    if x == n:
        return 1
    if x <= 2 and 3 * x <= n:
        return 4
    return 3 if 2 * x <= n else 2


_TABLE: Final = tuple(
    tuple(score for x in range(2 * n + 1) if (score := suggested(n, x / 2)) is not None) for n in range(1, MOST_ELEMENTS + 1)
)


def _build(item: FormItem) -> Questionnaire:
    how_many = "How many elements does the text have?"
    counting = Numbers(1, MOST_ELEMENTS, 1)
    questions = [
        Question(
            "elements", "number", how_many, cannot_tell=False, caption=True, optional=True, on_request=True, numbers=counting
        )
    ]
    for k in range(item.n_images):
        questions += _about(k)
    places = range(item.n_images)
    counter = Counter("elements", tuple(map(_missed, places)), tuple(map(_score, places)), _TABLE)
    blanks = tuple(Blank(_blank(k), f"Image {k + 1} is blank", member=k) for k in places)
    return Questionnaire(NAME, VERSION, INSTRUCTIONS, tuple(questions), blanks, counter)


def _about(k: int) -> list[Question]:
    missed = f"How many of them are missed or misrepresented in image {k + 1}?"
    halves = "Half an element counts 0.5."
    numbers = Numbers(0, MOST_ELEMENTS, 0.5)
    return [
        Question(
            _missed(k), "number", missed, halves, cannot_tell=False, member=k, optional=True, on_request=True, numbers=numbers
        ),
        Question(_score(k), "likert", f"Does image {k + 1} match the text?", options=SCORES, member=k),
    ]


def _missed(k: int) -> str:
    return f"missed_{k}"


def _score(k: int) -> str:
    return f"faithfulness_{k}"


def _blank(k: int) -> str:
    return f"blank_image_{k}"


def _derive(item: FormItem, answers: Mapping[str, Any]) -> list[Judgement]:
    judgements: list[Judgement] = []
    for k in range(item.n_images):
        score = 1 if says_blank(answers, Blank(_blank(k))) else answers.get(_score(k))
        judgements += [replace(judgement, item_id=item.image(k)) for judgement in level("faithfulness", score, 5)]
    return judgements


FORM: Final = Form(
    name=NAME,
    version=VERSION,
    item_kind="group",
    summary="TIFA's Likert study: all images of one prompt side by side, and how faithful each is, from 1 to 5.",
    rule_version="tifa-likert-1",
    build=_build,
    derive=_derive,
    meanings=(meaning("faithfulness", "each image", "as answered; a blank image: 1"),),
    example=FormItem(
        "two dogs and a red cup", {"include": [{"class": "dog", "count": 2}, {"class": "cup", "color": "red"}]}, 2
    ),
    worked_examples=worked_examples.TIFA_LIKERT,
)
