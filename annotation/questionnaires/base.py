"""Questions as data: what is asked, which questions are shown, which options they offer, which answers are taken and why not.

Which question is shown depends on earlier answers by conditions that are data, so that the browser evaluates the very same
ones (``assets/js/form/rules.js``). `check` is what the server says of anything that is sent to it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from functools import lru_cache
from typing import Any, Final, Literal

from data.aspects import CANNOT_TELL, COUNT_CAP, NO, YES
from data.prompts import geneval_suite

Kind = Literal["text", "number", "count", "colors", "choice", "multi", "likert"]
Value = int | str

TEXT_LIMIT: Final = 2000
"""Characters of a free text answer; the browser's field has the same limit."""

TICKED: Final = frozenset({"colors", "multi"})
"""Kinds whose answer is a list of what is ticked."""

CANNOT_TELL_KEY: Final = "x"
BLANK_KEY: Final = "e"
FORM_KEYS: Final = frozenset(
    ("u", "s", "t", "h", "z", "?", ".", "!", CANNOT_TELL_KEY, BLANK_KEY, "Enter", "Backspace", "Escape", "Tab", " ")
)
"""Keys that act on the whole form (``assets/js/form/keys.js``): no option may have one of them."""


@dataclass(frozen=True, slots=True)
class Option:
    """One answer to choose: ``value`` is stored, ``key`` is the ``KeyboardEvent.key`` that chooses it."""

    value: Value
    label: str
    key: str


@dataclass(frozen=True, slots=True)
class Condition:
    """Holds iff ``question`` is shown itself and answered, with one of ``values`` (ticked, in a list) unless that is None."""

    question: str
    values: tuple[Value, ...] | None = None


@dataclass(frozen=True, slots=True)
class Numbers:
    """What a ``number`` may be: ``low`` to ``high``, in steps of ``step``."""

    low: float
    high: float
    step: float


@dataclass(frozen=True, slots=True)
class Question:
    """One question. It is shown iff every condition of ``shown_if`` holds; conditions refer to earlier questions.

    Attributes:
        cannot_tell: whether ``"cannot_tell"`` is an answer, of whatever ``kind`` the question is.
        caption: whether the prompt's text is shown with the question. It stays in view from the first such question on; before
            that it is not shown, so that it does not lead; where no question shows it no browser gets it.
        member: the place on the screen (from 0) of the image that it is about, where several are shown; None: all of them.
        optional: whether it may be left open.
        on_request: whether the browser asks it only of those who want to answer it; such a question is optional.
        alone: of a list kind, the values that go with no other ("none of these").
        numbers: of kind ``number``, what it may be.
    """

    id: str
    kind: Kind
    text: str
    help: str = ""
    options: tuple[Option, ...] = ()
    shown_if: tuple[Condition, ...] = ()
    cannot_tell: bool = True
    caption: bool = False
    member: int | None = None
    optional: bool = False
    on_request: bool = False
    alone: tuple[Value, ...] = ()
    numbers: Numbers | None = None


@dataclass(frozen=True, slots=True)
class Blank:
    """The answer that an image is blank, which takes the place of all answers about it: ``{id: "yes"}``, or left out.

    The questions about that image are hidden then; those about all images together, when every one of them is blank.
    ``member`` is as in ``Question``.
    """

    id: str = "blank_image"
    label: str = "The image is blank"
    key: str = BLANK_KEY
    member: int | None = None


@dataclass(frozen=True, slots=True)
class Counter:
    """Suggests a score by the person's own counting: of n elements asked for, x are missed.

    The answer suggested for the question ``scores[k]`` is ``table[n - 1][2 * x]``, where n is the answer to the question
    ``elements`` and x that to ``missed[k]``, in halves. Until both are counted, and beyond the table, nothing is suggested.
    """

    elements: str
    missed: tuple[str, ...]
    scores: tuple[str, ...]
    table: tuple[tuple[int, ...], ...]


@dataclass(frozen=True, slots=True)
class InstructionSection:
    """A heading of the instructions and its lines."""

    title: str
    lines: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Questionnaire:
    """All that one person is asked about one item; ``version`` moves with every change of wording or rule.

    Attributes:
        blanks: one for a single image; one for each where several are shown, in their order.
        translations: by language, by text (of a question, an option, an instruction) the text to show instead.
    """

    name: str
    version: str
    instructions: tuple[InstructionSection, ...]
    questions: tuple[Question, ...]
    blanks: tuple[Blank, ...] = (Blank(),)
    counter: Counter | None = None
    translations: Mapping[str, Mapping[str, str]] = field(default_factory=dict)

    @property
    def shows_prompt(self) -> bool:
        """Whether the prompt's text is for the eyes of whoever answers."""
        return any(question.caption for question in self.questions)


def visible(questionnaire: Questionnaire, answers: Mapping[str, Any]) -> list[str]:
    """Ids of the questions shown under these answers, in order."""
    kinds = {question.id: question.kind for question in questionnaire.questions}
    shown: list[str] = []
    for question in questionnaire.questions:
        if not _is_about_blanks(questionnaire, question, answers) and all(
            condition.question in shown and _holds(condition, kinds[condition.question], answers)
            for condition in question.shown_if
        ):
            shown.append(question.id)
    return shown


def says_blank(answers: Mapping[str, Any], blank: Blank = Blank()) -> bool:
    """Whether these answers say that the image is blank."""
    return same(answers.get(blank.id), YES)


def is_blank(value: Any) -> bool:
    """Whether a question counts as not answered."""
    return value is None or (isinstance(value, str) and not value.strip()) or (isinstance(value, (list, tuple)) and not value)


def to_json(questionnaire: Questionnaire) -> dict[str, Any]:
    """The questionnaire as the browser gets it: the same names, tuples as lists. What it holds is shared: for reading only."""
    made: dict[str, Any] = _plain(questionnaire)
    return made


def _plain(value: Any) -> Any:
    """As ``dataclasses.asdict``, which takes ten times as long, as it copies whatever it meets."""
    if isinstance(value, tuple):
        return _options(value) if value and isinstance(value[0], Option) else tuple(map(_plain, value))
    names = _NAMES.get(type(value))
    return value if names is None else {name: _plain(getattr(value, name)) for name in names}


@lru_cache(maxsize=1000)
def _options(options: tuple[Option, ...]) -> tuple[dict[str, Any], ...]:
    """Most questions have one of a few lists of options."""
    return tuple({name: getattr(option, name) for name in _NAMES[Option]} for option in options)


_NAMES: Final[Mapping[type, tuple[str, ...]]] = {
    kind: tuple(attribute.name for attribute in fields(kind))
    for kind in (Option, Condition, Numbers, Question, Blank, Counter, InstructionSection, Questionnaire)
}


def key_problem(question: Question) -> str | None:
    """What is wrong with a question's keys, in words; None if every answer can be chosen by a key of its own."""
    taken: dict[str, Option] = {}
    for option in question.options:
        if not option.key:
            return f"no key is left for {option.label!r}"
        if option.key in FORM_KEYS:
            return f"the key {option.key!r} of {option.label!r} belongs to the form; choose another"
        if option.key in taken:
            return f"{taken[option.key].label!r} and {option.label!r} share the key {option.key!r}; choose another for one"
        taken[option.key] = option
    return None


def same(answer: Any, value: Value) -> bool:
    """Whether an answer is this value. Python calls True equal to 1 and 1.0 equal to 1; JSON from the form has neither."""
    return type(answer) is type(value) and bool(answer == value)


def _is_about_blanks(questionnaire: Questionnaire, question: Question, answers: Mapping[str, Any]) -> bool:
    blank_members = [blank.member for blank in questionnaire.blanks if says_blank(answers, blank)]
    if not blank_members:
        return False
    return len(blank_members) == len(questionnaire.blanks) or (question.member is not None and question.member in blank_members)


def _holds(condition: Condition, kind: Kind, answers: Mapping[str, Any]) -> bool:
    answer = answers.get(condition.question)
    if condition.values is None:
        return not is_blank(answer)
    choices = answer if kind in TICKED and isinstance(answer, (list, tuple)) else [answer]
    return any(same(choice, value) for choice in choices for value in condition.values)


COUNTS: Final = (
    Option(0, "None", "0"),
    *(Option(n, str(n), str(n)) for n in range(1, COUNT_CAP)),
    Option(COUNT_CAP, f"{COUNT_CAP} or more", str(COUNT_CAP)),
)
# Letters as far as they go; where two colours share one, the next telling letter (b is blue: k black, n brown, i pink, a gray).
COLORS: Final = tuple(
    Option(name, name.capitalize(), key) for name, key in zip((*geneval_suite.COLORS, "gray"), "roygbpinkwa", strict=True)
)
PRESENT_COUNTS: Final = tuple(range(1, COUNT_CAP + 1))
"""Counts that mean the object is there, so that questions about it make sense; ``cannot_tell`` is not among them."""

YES_NO: Final = (Option(YES, "Yes", "y"), Option(NO, "No", "n"))

NO_RELATION: Final = "none"
"""None of the relations holds: stands alone."""

RELATION_KEYS: Final = {"left of": "ArrowLeft", "right of": "ArrowRight", "above": "ArrowUp", "below": "ArrowDown"}
"""By ``data.spec.Relation`` the key that points there."""


Wording = Callable[..., str]
"""Words a text, such as ``At most {limit}.``, in somebody's language, with its values by name."""


def in_english(text: str, /, **values: object) -> str:
    """The wording that leaves a text in its own language."""
    return text.format(**values)


@dataclass(frozen=True, slots=True)
class CheckedAnswers:
    """Answers to a questionnaire, checked.

    Attributes:
        errors: what is wrong, by question id; empty iff the answers can be stored.
        answers: without blanks and answers to hidden questions, left over from a changed mind; texts trimmed.
    """

    errors: dict[str, str]
    answers: dict[str, Any]


def check(questionnaire: Questionnaire, answers: Mapping[str, Any], say: Wording = in_english) -> CheckedAnswers:
    """Return answers as they are stored, and what is wrong with them; answers to hidden questions are not looked at."""
    questions = {question.id: question for question in questionnaire.questions}
    blanks = {blank.id: blank for blank in questionnaire.blanks}
    strange = [id_ for id_ in answers if id_ not in questions and id_ not in blanks]
    errors = {str(id_): say("This question is not part of the form.") for id_ in strange}
    for id_, blank in blanks.items():
        if answers.get(id_) is not None and not says_blank(answers, blank):
            errors[id_] = say("For a blank image answer “yes”; otherwise leave this out.")
    answered: dict[str, Any] = {}
    for id_ in visible(questionnaire, answers):
        answer = answers.get(id_)
        wrong = problem(questions[id_], answer, say)
        if wrong is not None:
            errors[id_] = wrong
        if not is_blank(answer):
            answered[id_] = answer.strip() if isinstance(answer, str) else answer
    answered |= {blank.id: YES for blank in blanks.values() if says_blank(answers, blank)}
    return CheckedAnswers(errors, answered)


def problem(question: Question, answer: Any, say: Wording = in_english) -> str | None:
    """Why this is no answer to the question, in words for the person; None if it is one."""
    if is_blank(answer):
        return None if question.optional else say("Please answer this question.")
    if answer == CANNOT_TELL:
        return None if question.cannot_tell else say("“Cannot tell” is not an answer to this question.")
    if (check := _CHECKS.get(question.kind)) is not None:
        return check(question, answer, say)
    listed = any(same(answer, option.value) for option in question.options)
    return None if listed else say("Please choose one of the answers shown.")


def _text_problem(question: Question, answer: Any, say: Wording) -> str | None:  # noqa: ARG001 - one signature for all kinds
    if not isinstance(answer, str):
        return say("Please answer in words.")
    if len(answer) > TEXT_LIMIT:
        return say("Please use at most {limit} characters; this answer has {length}.", limit=TEXT_LIMIT, length=len(answer))
    # A lone half of a surrogate pair is valid JSON and cannot be stored as UTF-8; NUL ends strings in some readers.
    if "\0" in answer or any("\ud800" <= character <= "\udfff" for character in answer):
        return say("This text contains a character that cannot be stored.")
    return None


def _number_problem(question: Question, answer: Any, say: Wording) -> str | None:
    numbers = question.numbers
    assert numbers is not None, question.id
    values = {name: f"{getattr(numbers, name):g}" for name in ("low", "high", "step")}
    wanted = say("Please give a number from {low} to {high}, in steps of {step}.", **values)
    if not isinstance(answer, (int, float)) or isinstance(answer, bool):
        return wanted
    # NaN is in no range
    if not numbers.low <= answer <= numbers.high:
        return wanted
    return None if ((answer - numbers.low) / numbers.step).is_integer() else wanted


def _ticked_problem(question: Question, answer: Any, say: Wording) -> str | None:
    if not isinstance(answer, list) or not all(isinstance(value, str) for value in answer):
        return say("Please choose from the answers listed.")
    known = {option.value for option in question.options}
    unknown = [value for value in answer if value not in known]
    if unknown:
        return say("Please choose from the answers listed; {answer} is not one of them.", answer=repr(unknown[0][:40]))
    if len(set(answer)) < len(answer):
        return say("An answer is ticked twice.")
    if len(answer) > 1 and any(value in question.alone for value in answer):
        return say("One of the ticked answers cannot be combined with others.")
    return None


_CHECKS: Final[dict[Kind, Callable[[Question, Any, Wording], str | None]]] = {
    "text": _text_problem,
    "number": _number_problem,
    "colors": _ticked_problem,
    "multi": _ticked_problem,
}
