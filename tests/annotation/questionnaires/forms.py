"""All questionnaires, and answers to them as hypothesis draws them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from hypothesis import strategies as st

from annotation.questionnaires.base import TICKED, Question, Questionnaire, visible
from annotation.questionnaires.custom import read
from annotation.questionnaires.form import Form, FormItem
from annotation.questionnaires.registry import EXAMPLE, FORMS
from data.aspects import CANNOT_TELL

PAIR = """
name: pairwise
item: pair
questions:
  - {id: better, kind: choice, text: Which one, options: [left, right, both, none], aspect: preference, if_blank: none}
  - {id: sharp, kind: likert, text: How sharp, options: [blurred, soft, sharp], aspect: sharpness, each_image: true}
  - {id: why, kind: multi, text: Why, options: [light, color], each_image: true, aspect: good_light, asked: light,
     shown_if: {sharp: [soft, sharp], better: answered}}
"""

ALL: dict[str, Form] = {**FORMS, "kitchen": read(EXAMPLE.read_text(encoding="utf-8")), "pairwise": read(PAIR)}

SWAPPED: dict[str, FormItem] = {
    name: replace(
        form.example,
        images=tuple(f"image {n}" for n in range(form.example.n_images)),
        generators=("g-one", "g-two") if form.item_kind == "pair" else form.example.generators,
        order=(1, 0) if form.item_kind == "pair" else (),
    )
    for name, form in ALL.items()
}
"""What each is asked about: its example, a pair the other way round."""


def item_of(name: str) -> tuple[Form, FormItem, Questionnaire]:
    form, item = ALL[name], SWAPPED[name]
    return form, item, form.build(item)


def an_answer(question: Question) -> st.SearchStrategy[Any]:
    """Answers that the form takes."""
    values = [option.value for option in question.options]
    kinds: list[st.SearchStrategy[Any]] = []
    if question.kind == "text":
        kinds.append(st.text("abc <&é", min_size=1, max_size=5).filter(str.strip))
    elif question.numbers is not None:
        n = question.numbers
        kinds.append(st.integers(0, int((n.high - n.low) / n.step)).map(lambda k: n.low + k * n.step))
    elif question.kind in TICKED:
        free = [value for value in values if value not in question.alone]
        kinds.append(st.lists(st.sampled_from(free), min_size=1, unique=True))
        kinds += [st.just([value]) for value in question.alone]
    else:
        kinds.append(st.sampled_from(values))
    if question.cannot_tell:
        kinds.append(st.just(CANNOT_TELL))
    return st.one_of(*kinds)


@st.composite
def good_answers(draw: st.DrawFn, questionnaire: Questionnaire) -> dict[str, Any]:
    """Answers to all that is shown, question by question as a person gives them; some images may be blank."""
    answers: dict[str, Any] = {blank.id: "yes" for blank in questionnaire.blanks if draw(st.integers(0, 4)) == 0}
    for question in questionnaire.questions:
        if question.id in visible(questionnaire, answers) and not (question.optional and draw(st.booleans())):
            answers[question.id] = draw(an_answer(question))
    return answers


JUNK: st.SearchStrategy[Any] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.sampled_from([CANNOT_TELL, "yes", 1, 0, 10**400]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=6,
)


def any_answers(questionnaire: Questionnaire) -> st.SearchStrategy[Mapping[str, Any]]:
    """Whatever a stranger may send: good values, junk, other questions' ids."""
    ids = [question.id for question in questionnaire.questions] + [blank.id for blank in questionnaire.blanks]
    some = st.one_of(JUNK, *(an_answer(question) for question in questionnaire.questions))
    return st.dictionaries(st.sampled_from(ids) | st.text(max_size=5), some, max_size=len(ids))
