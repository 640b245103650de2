"""TIFA's questions, asked of people (appendix C.2): each of the prompt's own questions, with "None of the above"."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from annotation.questionnaires import worked_examples
from annotation.questionnaires.base import YES_NO, InstructionSection, Option, Question, Questionnaire, is_blank, says_blank
from annotation.questionnaires.form import Form, FormItem, meaning, unsure
from data.aspects import CANNOT_TELL, NO, YES
from data.prompts.questions import PromptQuestion, questions_from_spec
from data.records import Judgement
from data.spec import parse_spec

NAME: Final = "tifa_vqa"
VERSION: Final = "1"
NONE_OF_THEM: Final = "none of the above"

PREFIX: Final = "answer:"
INSTRUCTIONS: Final = (
    InstructionSection(
        "Given an image, a question, and a set of choices, choose the correct choice according to the image content",
        (
            "There are two types of questions: some are answered yes or no, others have several choices. If you believe none "
            "of these choices is correct, choose “None of the above”.",
            "Some images are of low quality. Just select the choice according to your instinct.",
            "For ambiguous cases, for example, the question is “is there a man?”, and the image contains a human but it is "
            "unclear whether the human is a man, answer “no”.",
        ),
    ),
    InstructionSection(
        "An example: “what color is the cat?” with the choices gray, red, black and white",
        ("The cat is brown: “None of the above”. There is no cat: “None of the above”, too.",),
    ),
)


def undecided(answers: Sequence[Mapping[str, Any]]) -> bool:
    """Whether a third person must answer: two have, and differ in a question. The majority of the three decides then.

    ``answers`` are each person's, by question, "cannot tell" like any other answer.
    """
    if len(answers) != 2:
        return False
    first, other = answers
    return any(first.get(question) != other.get(question) for question in {*first, *other})


def _build(item: FormItem) -> Questionnaire:
    questions = (
        Question(
            PREFIX + question.question_id, "choice", question.text[:1].upper() + question.text[1:], options=_options(question)
        )
        for question in item.questions
    )
    return Questionnaire(NAME, VERSION, INSTRUCTIONS, tuple(questions))


def _options(question: PromptQuestion) -> tuple[Option, ...]:
    if question.is_yes_no:
        # as the file writes them
        keys = {choice.casefold(): choice for choice in question.choices}
        return tuple(Option(keys[str(option.value)], option.label, option.key) for option in YES_NO)
    choices = [*question.choices]
    if NONE_OF_THEM not in (choice.strip().casefold() for choice in choices):
        choices.append(NONE_OF_THEM)
    return tuple(Option(choice, choice[:1].upper() + choice[1:], str(k)) for k, choice in enumerate(choices, 1))


def _derive(item: FormItem, answers: Mapping[str, Any]) -> list[Judgement]:
    if says_blank(answers):
        return [_answered(question.question_id, str(_options(question)[-1].value)) for question in item.questions]
    by_question = ((key.removeprefix(PREFIX), value) for key, value in answers.items() if key.startswith(PREFIX))
    # by the answers: the prompt's questions may have another version by now
    return [_answered(name, value) for name, value in by_question if isinstance(value, str) and not is_blank(value)]


def _answered(question_id: str, choice: str) -> Judgement:
    if choice == CANNOT_TELL:
        return unsure("answer", question_id)
    value = {YES: 1.0, NO: 0.0}.get(choice.casefold())
    return Judgement("answer", choice, value, question_id)


_NO_QUESTIONS: Final = (
    "this prompt has no questions; import questions FILE brings some, import questions --from-specs makes them"
)
_SPEC: Final = {"include": [{"class": "cup", "count": 1, "color": "red"}]}

FORM: Final = Form(
    name=NAME,
    version=VERSION,
    item_kind="image",
    summary="TIFA's questions about the prompt's elements, asked of people: choices, and “None of the above”.",
    rule_version="tifa-vqa-1",
    build=_build,
    derive=_derive,
    meanings=(
        meaning(
            "answer",
            "each question",
            "the choice; a blank image: no, or none of the above. Whether it is right is not said: the question's own answer"
            " stands beside it. Two people answer, and a third where they differ",
        ),
    ),
    example=FormItem("a photo of a red cup", _SPEC, questions=questions_from_spec(parse_spec(_SPEC))),
    unfit=lambda item: None if item.questions else _NO_QUESTIONS,
    prompted=True,
    undecided=undecided,
    overlap=2,
    worked_examples=worked_examples.TIFA_VQA,
)
