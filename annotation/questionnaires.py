"""What people are asked about an image: one definition drives the form, the server's checks and the derived judgements.

The questions and their wording are GenEval's (appendix D.1). Which question is shown depends on earlier answers by
conditions that are data, so that the browser evaluates the very same ones (``assets/js/rules.js``).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass
from functools import lru_cache
from typing import Any, Final, Literal

import inflect

from data.aspects import CANNOT_TELL, COUNT_CAP
from data.prompts.spec import RelationSpec, Spec

Kind = Literal["text", "count", "colors", "choice", "likert"]
Value = int | str

TEXT_LIMIT: Final = 2000
"""Characters of a free text answer; the browser's field has the same limit."""

PRESENT_COUNTS: Final = tuple(range(1, COUNT_CAP + 1))
"""Counts that mean the object is there, so that questions about it make sense; ``cannot_tell`` is not among them."""


@dataclass(frozen=True, slots=True)
class Option:
    """One answer to choose: ``value`` is stored, ``key`` is the ``KeyboardEvent.key`` that chooses it."""

    value: Value
    label: str
    key: str


@dataclass(frozen=True, slots=True)
class Condition:
    """Holds iff ``question`` is shown itself and answered, with one of ``values`` unless that is None."""

    question: str
    values: tuple[Value, ...] | None = None


@dataclass(frozen=True, slots=True)
class Question:
    """One question. It is shown iff every condition of ``shown_if`` holds; conditions refer to earlier questions.

    Attributes:
        cannot_tell: whether ``"cannot_tell"`` is an answer, of whatever ``kind`` the question is.
        caption: whether the prompt's text is shown with the question; nowhere else is it, so that it does not lead.
    """

    id: str
    kind: Kind
    text: str
    help: str = ""
    options: tuple[Option, ...] = ()
    shown_if: tuple[Condition, ...] = ()
    cannot_tell: bool = True
    caption: bool = False


@dataclass(frozen=True, slots=True)
class Section:
    """A heading of the instructions and its lines."""

    title: str
    lines: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Questionnaire:
    """All that one person is asked about one item; ``version`` moves with every change of wording or rule."""

    name: str
    version: str
    instructions: tuple[Section, ...]
    questions: tuple[Question, ...]


INSTRUCTIONS: Final = (
    Section(
        "You see one picture at a time, possibly made by an AI image generator. You may be asked about",
        (
            "List of objects: What objects are you able to discern in the image?",
            "Number of objects: How many objects of a particular type are visible, either fully or partially?",
            "Color of objects: What color(s) would you consider the object(s) to be?",
            "Realism: How realistic or structurally correct are the objects?",
            "Relative position: What is the relative position in the image of one object to another?",
            "Caption fit: How well does the image correspond to a provided caption?",
        ),
    ),
    Section(
        "A few notes",
        (
            "Complete question 1 before moving on to other questions. If you are unable to recognize a particular object, "
            "guess what it is or use a brief description.",
            "Additional questions may appear based on your previous answers. Make sure to answer all questions shown.",
            "When asked about color, select at least one color that best matches the true color of the object(s).",
            "Do not consider color when deciding how realistic an object is; focus on the shape and form compared to "
            "real life.",
            "When asked about position, an object can be both above/below and to the left/right of another object. Mark "
            "position from your perspective looking at the 2D image, not from the camera perspective.",
            "The image may be just a black square, in which case, you should say there are no objects.",
            "If you really cannot say, choose “Cannot tell”: that is an answer too, and better than a guess.",
        ),
    ),
)

COUNTS: Final = (
    Option(0, "None", "0"),
    *(Option(n, str(n), str(n)) for n in range(1, COUNT_CAP)),
    Option(COUNT_CAP, f"{COUNT_CAP} or more", str(COUNT_CAP)),
)
# Letters as far as they go; where two colours share one, the next telling letter (b is blue: k black, n brown, i pink, a gray).
COLORS: Final = tuple(
    Option(name, name.capitalize(), key)
    for name, key in zip(
        ("red", "orange", "yellow", "green", "blue", "purple", "pink", "brown", "black", "white", "gray"),
        "roygbpinkwa",
        strict=True,
    )
)
REALISM: Final = (Option(1, "Severe defects", "1"), Option(2, "Some defects", "2"), Option(3, "Realistic", "3"))
CAPTION_FIT: Final = (
    Option(1, "Unrelated", "1"),
    Option(2, "Misses several or most elements", "2"),
    Option(3, "Misses one of many", "3"),
    Option(4, "Fully captures it", "4"),
)
POSITION_X: Final = (
    Option("left", "Left", "ArrowLeft"),
    Option("right", "Right", "ArrowRight"),
    Option("neither", "Neither", "n"),
)
POSITION_Y: Final = (
    Option("above", "Above", "ArrowUp"),
    Option("below", "Below", "ArrowDown"),
    Option("neither", "Neither", "n"),
)

_FIRST_ANSWERED: Final = (Condition("objects"),)
# Where English and inflect part ways; the paper's own form says "pairs of scissors".
_PLURALS: Final = {"skis": "skis", "scissors": "pairs of scissors"}


def geneval_questionnaire(spec: Spec) -> Questionnaire:
    """GenEval's questions for what ``spec`` asks; without objects only the first and the last remain."""
    questions = [_objects_question()]
    for k in range(len(spec.objects)):
        questions += _object_questions(spec, k)
    for suffix, subject, reference in position_pairs(spec):
        questions += _position_questions(spec, suffix, subject, reference)
    questions.append(_caption_question())
    return Questionnaire("geneval", "1", INSTRUCTIONS, tuple(questions))


def position_pairs(spec: Spec) -> Iterator[tuple[str, int, int]]:
    """(suffix of the question ids, subject, reference) of every position asked.

    Two objects without a relation are asked about all the same, the second relative to the first, as GenEval does.
    """
    relations: tuple[RelationSpec, ...] = spec.relations
    if relations:
        for k, relation in enumerate(relations):
            yield position_suffix(k), relation.subject, relation.reference
    elif len(spec.objects) == 2:
        yield position_suffix(0), 1, 0


def position_suffix(relation: int) -> str:
    """Of the ids of a relation's questions: ``position_x``, then ``position_x_2`` and so on."""
    return "" if relation == 0 else f"_{relation + 1}"


def visible(questionnaire: Questionnaire, answers: Mapping[str, Any]) -> list[str]:
    """Ids of the questions shown under these answers, in order."""
    shown: list[str] = []
    for question in questionnaire.questions:
        if all(condition.question in shown and _holds(condition, answers) for condition in question.shown_if):
            shown.append(question.id)
    return shown


def clean(questionnaire: Questionnaire, answers: Mapping[str, Any]) -> dict[str, Any]:
    """The answers without those of hidden questions, which may be left over from a changed mind; texts trimmed."""
    kept = ((id_, answers[id_]) for id_ in visible(questionnaire, answers) if id_ in answers)
    return {id_: value.strip() if isinstance(value, str) else value for id_, value in kept}


def validate(questionnaire: Questionnaire, answers: Mapping[str, Any]) -> dict[str, str]:
    """What is wrong, by question id; empty iff the answers can be stored. Hidden questions' answers are not looked at."""
    questions = {question.id: question for question in questionnaire.questions}
    errors = {str(id_): "This question is not part of the form." for id_ in answers if id_ not in questions}
    for id_ in visible(questionnaire, answers):
        problem = _problem(questions[id_], answers.get(id_))
        if problem is not None:
            errors[id_] = problem
    return errors


def to_json(questionnaire: Questionnaire) -> dict[str, Any]:
    """The questionnaire as the browser gets it: the same names, tuples as lists."""
    return asdict(questionnaire)


def is_blank(value: Any) -> bool:
    """Whether a question counts as not answered."""
    return value is None or (isinstance(value, str) and not value.strip()) or (isinstance(value, (list, tuple)) and not value)


def _objects_question() -> Question:
    text = "Briefly list all the objects visible in the image, separated by commas."
    return Question("objects", "text", text, "If there are no objects in the image, write “none”.")


def _object_questions(spec: Spec, k: int) -> list[Question]:
    thing = spec.objects[k]
    # Two entries of one class cannot be told apart by name; the number at least shows that it is not the same question again.
    many = _plural(thing.name) + thing.target.removeprefix(thing.name)
    there = (Condition(f"count_{k}", PRESENT_COUNTS),)
    realism_help = "Ignore the color of the object, and focus on any visible defects in the shape or structure."
    return [
        Question(f"count_{k}", "count", f"How many {many} are in the image?", options=COUNTS, shown_if=_FIRST_ANSWERED),
        Question(f"color_{k}", "colors", f"What color of {many} are in the image?", "Choose all that apply.", COLORS, there),
        Question(f"realism_{k}", "likert", f"How realistic are the {many} in the image?", realism_help, REALISM, there),
    ]


def _position_questions(spec: Spec, suffix: str, subject: int, reference: int) -> list[Question]:
    one, other = spec.objects[subject].target, spec.objects[reference].target
    both = tuple(Condition(f"count_{k}", PRESENT_COUNTS) for k in sorted((subject, reference)))
    as_viewer = "Provide your answer as a viewer of the image, not from the “camera’s perspective”."
    horizontal = f"Is the {one} to the left or right of the {other}?"
    vertical = f"Is the {one} above or below the {other}?"
    return [
        Question(f"position_x{suffix}", "choice", horizontal, as_viewer, POSITION_X, both),
        Question(f"position_y{suffix}", "choice", vertical, as_viewer, POSITION_Y, both),
    ]


def _caption_question() -> Question:
    text = "How well does the image fit this caption?"
    return Question("caption_fit", "likert", text, options=CAPTION_FIT, shown_if=_FIRST_ANSWERED, caption=True)


@lru_cache(maxsize=1)
def _english() -> inflect.engine:
    return inflect.engine()


@lru_cache(maxsize=4096)
def _plural(name: str) -> str:
    if name in _PLURALS:
        return _PLURALS[name]
    try:
        return str(_english().plural_noun(name)) or name
    except Exception:  # inflect refuses odd words in several ways, and a user's own object may be one: the form must still open
        return name


def _holds(condition: Condition, answers: Mapping[str, Any]) -> bool:
    answer = answers.get(condition.question)
    if condition.values is None:
        return not is_blank(answer)
    return any(_same(answer, value) for value in condition.values)


def _same(answer: Any, value: Value) -> bool:
    # Python calls True equal to 1 and 1.0 equal to 1; JSON from the form has neither.
    return type(answer) is type(value) and answer == value


def _problem(question: Question, answer: Any) -> str | None:
    if is_blank(answer):
        return "Please answer this question."
    if answer == CANNOT_TELL:
        return None if question.cannot_tell else "“Cannot tell” is not an answer to this question."
    return _CHECKS.get(question.kind, _choice_problem)(question, answer)


def _text_problem(question: Question, answer: Any) -> str | None:  # noqa: ARG001 - one signature for all kinds
    if not isinstance(answer, str):
        return "Please answer in words."
    if len(answer) > TEXT_LIMIT:
        return f"Please use at most {TEXT_LIMIT} characters; this answer has {len(answer)}."
    # A lone half of a surrogate pair is valid JSON and cannot be stored as UTF-8; NUL ends strings in some readers.
    if "\0" in answer or any("\ud800" <= character <= "\udfff" for character in answer):
        return "This text contains a character that cannot be stored."
    return None


def _colors_problem(question: Question, answer: Any) -> str | None:
    if not isinstance(answer, list) or not all(isinstance(color, str) for color in answer):
        return "Please choose from the colors listed."
    known = {option.value for option in question.options}
    unknown = [color for color in answer if color not in known]
    if unknown:
        return f"Please choose from the colors listed; {unknown[0][:40]!r} is not one of them."
    return "A color is ticked twice." if len(set(answer)) < len(answer) else None


def _choice_problem(question: Question, answer: Any) -> str | None:
    if any(_same(answer, option.value) for option in question.options):
        return None
    return "Please choose one of the answers shown."


_CHECKS: Final[dict[Kind, Callable[[Question, Any], str | None]]] = {"text": _text_problem, "colors": _colors_problem}
