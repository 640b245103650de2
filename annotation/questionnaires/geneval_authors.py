"""GenEval's form as its authors asked it: their texts, levels and worked examples, which a user's copy of their file brings.

Nothing of their form stands here. A campaign keeps what was read of the file (``geneval_template``) as its definition, in JSON.
Which questions there are and when they are shown is as in ``geneval``; nobody can answer "cannot tell" or "blank", as in the
authors' form. Its answers are on the scale of the released annotations, which are answers to this form, too.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from functools import partial
from typing import Annotated, Final

from pydantic import Field

from annotation.questionnaires import geneval
from annotation.questionnaires.base import COLORS, COUNTS, InstructionSection, Option, Question, Questionnaire, Value
from annotation.questionnaires.form import Form, FormItem, WorkedExample
from data.files import InputError
from data.prompts.coco import plural
from data.spec import Spec
from data.validation import Text, record_of

NAME: Final = "geneval_authors"
RULE_VERSION: Final = "geneval-answers-2"
"""Moves with every change of what its answers mean."""
MOST_TEXT: Final = 2000
MOST_LINES: Final = 200
MOST_EXAMPLES: Final = 20
_MOST_PICTURE: Final = 400_000
"""Characters of a picture in base64."""

Line = Annotated[Text, Field(max_length=MOST_TEXT)]
Picture = Annotated[str, Field(pattern=r"^data:image/webp;base64,[A-Za-z0-9+/]+={0,2}$", max_length=_MOST_PICTURE)]


@dataclass(frozen=True, slots=True)
class TemplateOption:
    """An answer to choose, in the authors' words."""

    value: int | str
    label: Line


@dataclass(frozen=True, slots=True)
class TemplateQuestion:
    """A question's words; ``${object_0_name}`` and its like stand for the prompt's objects."""

    text: Line
    help: Annotated[str, Field(max_length=MOST_TEXT)] = ""
    options: tuple[TemplateOption, ...] = ()


@dataclass(frozen=True, slots=True)
class TemplateSection:
    """A heading of the instructions and its lines."""

    title: Line
    lines: Annotated[tuple[Line, ...], Field(max_length=MOST_LINES)] = ()


@dataclass(frozen=True, slots=True)
class TemplateExample:
    """A worked example: its picture as a WebP in a data address, and what was answered and why, line by line."""

    title: Line
    picture: Picture
    lines: Annotated[tuple[Line, ...], Field(max_length=MOST_LINES)] = ()


@dataclass(frozen=True, slots=True)
class Template:
    """A copy of the authors' form; ``questions`` by the ids of ``geneval``'s questions."""

    sha256: Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]
    questions: Mapping[str, TemplateQuestion]
    instructions: Annotated[tuple[TemplateSection, ...], Field(max_length=MOST_LINES)] = ()
    examples: Annotated[tuple[TemplateExample, ...], Field(max_length=MOST_EXAMPLES)] = ()

    def to_definition(self) -> str:
        """The text that a campaign keeps."""
        return json.dumps(asdict(self), ensure_ascii=False)


_POSITIONS_X: Final = (("left", "ArrowLeft"), ("right", "ArrowRight"), ("neither", "n"))
_POSITIONS_Y: Final = (("above", "ArrowUp"), ("below", "ArrowDown"), ("neither", "n"))
KEYS: Final[Mapping[str, Mapping[Value, str]]] = {
    "count": {option.value: option.key for option in COUNTS},
    "color": {option.value: option.key for option in COLORS},
    "realism": {level: str(level) for level in (1, 2, 3)},
    "position_x": dict(_POSITIONS_X),
    "position_y": dict(_POSITIONS_Y),
    "caption_fit": {level: str(level) for level in (1, 2, 3, 4)},
}
"""The answers of each kind of question, with the key that chooses each."""
OBJECT_KINDS: Final = ("count", "color", "realism")
QUESTIONS: Final = (
    "objects",
    *(f"{kind}_{k}" for k in (0, 1) for kind in OBJECT_KINDS),
    "position_x",
    "position_y",
    "caption_fit",
)
"""Ids of the form's questions: of one object or two, and of their relation."""


def kind_of(question_id: str) -> str:
    """Return the kind of a question: its id without the object's number."""
    stem, _, number = question_id.rpartition("_")
    return stem if number.isdigit() else question_id


def read_definition(definition: str) -> Template:
    """Return the template that a campaign keeps.

    Raises:
        InputError: the text is none.
    """
    try:
        template = record_of(Template, json.loads(definition))
    except ValueError as error:
        raise InputError(f"the template of {NAME!r} cannot be read: {error}") from None
    for id_ in QUESTIONS:
        question = template.questions.get(id_)
        values = {option.value for option in question.options} if question else set()
        if question is None or values != set(KEYS.get(kind_of(id_), {})):
            raise InputError(f"the template of {NAME!r} cannot be read: question {id_!r} is missing or has other answers")
    return template


def form(definition: str | None = None) -> Form:
    """Return the form; without a ``definition`` its questions have our texts and bare levels, as released answers are read.

    Raises:
        InputError: the definition is no template.
    """
    template = None if definition is None else read_definition(definition)
    examples = () if template is None else tuple(WorkedExample(e.title, e.picture, e.lines) for e in template.examples)
    return Form(
        name=NAME,
        version="1" if template is None else template.sha256[:12],
        item_kind="image",
        summary="GenEval's form in its authors' words, read from their file.",
        rule_version=RULE_VERSION,
        build=partial(_build, template),
        derive=lambda item, answers: geneval.derive(item.demands, answers, geneval.RELEASED_LEVELS),
        meanings=geneval.meanings(geneval.RELEASED_LEVELS),
        example=geneval.EXAMPLE,
        unfit=_unfit,
        worked_examples=examples,
    )


def _unfit(item: FormItem) -> str | None:
    spec = item.demands
    pairs = [{relation.subject, relation.reference} for relation in spec.relations]
    if not 1 <= len(spec.objects) <= 2 or len(pairs) > 1 or spec.details or spec.absent:
        return "GenEval's authors ask about one object or two and one relation between them"
    return None


def _build(template: Template | None, item: FormItem) -> Questionnaire:
    own = geneval.geneval_questionnaire(item.demands)
    questions = tuple(_reworded(template, item.demands, question) for question in own.questions)
    if template is None:
        return Questionnaire(NAME, "1", (), questions, blanks=())
    sections = tuple(InstructionSection(section.title, section.lines) for section in template.instructions)
    return Questionnaire(NAME, template.sha256[:12], sections, questions, blanks=())


def _reworded(template: Template | None, spec: Spec, question: Question) -> Question:
    """Return a question in the authors' words, or with bare levels."""
    keys = KEYS.get(kind_of(question.id), {})
    if template is None:
        bare = question.kind == "likert"
        options = tuple(Option(value, str(value), key) for value, key in keys.items()) if bare else question.options
        return replace(question, options=options, cannot_tell=False)
    worded = template.questions[question.id]
    names = _names(spec, question.id)
    return replace(
        question,
        text=_filled(worded.text, names),
        help=_filled(worded.help, names),
        options=tuple(Option(option.value, option.label, keys[option.value]) for option in worded.options),
        cannot_tell=False,
    )


def _names(spec: Spec, question_id: str) -> Mapping[str, str]:
    """Return the objects' names by placeholder: of a relation the second one is the one whose place is asked."""
    order = list(range(len(spec.objects)))
    if kind_of(question_id).startswith("position") and spec.relations:
        order = [spec.relations[0].reference, spec.relations[0].subject]
    names = {}
    for k, index in enumerate(order):
        thing = spec.objects[index]
        names[f"${{object_{k}_name}}"] = thing.target
        names[f"${{object_{k}_name_plural}}"] = plural(thing.name) + thing.target.removeprefix(thing.name)
    return names


def _filled(text: str, names: Mapping[str, str]) -> str:
    for placeholder, name in names.items():
        text = text.replace(placeholder, name)
    return text
