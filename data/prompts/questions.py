"""Questions about a prompt, each with choices and the answer that a faithful image gives (TIFA's format): made from specs,
or read.

Made from specs without a language model: two of each element, as TIFA asks them: one that is answered "yes", and one whose
answer is the element, among distractors that are always the same ones. Files of questions are as TIFA publishes them: a JSON
array, or one JSON object a line.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any, Final

from data.aspects import NO, YES
from data.files import Omissions, check_name, fail, quoted, read_text
from data.prompts.coco import COCO, SUPERCATEGORY, article_by_sound, plain_name, plural
from data.prompts.geneval_suite import COLORS
from data.prompts.prompt_files import file_entries, text_source
from data.records import Prompt
from data.spec import NUMBER_WORDS, RELATION_PHRASES, DetailSpec, ObjectSpec, RelationSpec, Spec
from data.validation import text_of

ELEMENT_TYPES: Final = (
    "object", "animal/human", "food", "activity", "attribute", "counting", "color", "material", "spatial", "location",
    "shape", "other",
)  # fmt: skip
"""TIFA's, as its files write them (section 4 of the paper)."""

RULE: Final = "questions-from-specs-3"
"""Moves with every change of how questions are made from specs."""

_N_CHOICES: Final = 4
_ID_LENGTH: Final = 60
_KINDS: Final = {"person": "animal/human", "animal": "animal/human", "food": "food"}


@dataclass(frozen=True, slots=True)
class PromptQuestion:
    """One question about a prompt.

    Attributes:
        question_id: names it within its prompt, whatever becomes of its words.
        choices: ``answer`` is among them; yes and no, or several.
        element: what of the prompt it asks for (``"red cup"``), of the kind ``element_type``.
        parents: ids of the questions about the same prompt that must hold for this one to make sense: whether the cup is red
            depends on whether there is a cup (DSG's dependencies).
    """

    question_id: str
    text: str
    choices: tuple[str, ...]
    answer: str
    element_type: str
    element: str
    parents: tuple[str, ...] = ()

    @property
    def is_yes_no(self) -> bool:
        return {choice.casefold() for choice in self.choices} == {YES, NO}


def question_from_json(value: Mapping[str, Any]) -> PromptQuestion:
    """A question as JSON holds it (``dataclasses.asdict``); other keys are left alone.

    Raises:
        TypeError: a key is missing.
    """
    known = {field.name: value[field.name] for field in fields(PromptQuestion) if field.name in value}
    arguments: dict[str, Any] = {name: tuple(values) if isinstance(values, list) else values for name, values in known.items()}
    return PromptQuestion(**arguments)


def are_comparable(question: PromptQuestion, other: PromptQuestion) -> bool:
    """Whether answers to both are answers to the same question: words, choices and right answer are the same. What it is
    filed under, and which others must hold, may differ."""
    return (question.text, question.choices, question.answer) == (other.text, other.choices, other.answer)


def questions_from_spec(spec: Spec) -> tuple[PromptQuestion, ...]:
    """Questions for all that a spec asks: its objects, their numbers, their colours, its relations, its details, and what must
    not be there (the answer is "no"). The same spec gives the same questions; one that asks nothing gives none.

    Parents: whether an object is there depends on nothing; its number and its colour depend on that, a relation on both of its
    objects. Both questions about an element have the same parents, so that none depends on a choice among distractors.
    """
    questions: list[PromptQuestion] = []
    there: list[str] = []
    for k, thing in enumerate(spec.objects):
        there.append(_ask(questions, _object(thing, spec, k)))
        if thing.count > 1 or thing.exact:
            _ask(questions, _counting(thing), there[k])
        if thing.color is not None:
            _ask(questions, _color(thing, thing.color), there[k])
    for relation in spec.relations:
        _ask(questions, _spatial(spec, relation), there[relation.subject], there[relation.reference])
    for detail in spec.details:
        kind = detail.kind if detail.kind in ELEMENT_TYPES else "spatial" if detail.reference is not None else "attribute"
        rests = [there[k] for k in (detail.subject, detail.reference) if k is not None]
        _ask(questions, [(detail_question(spec, detail), (YES, NO), YES, kind, f"{detail.target}: {detail.value}")], *rests)
    for excluded in spec.absent:
        text = f"are there {excluded.count} or more {plural(excluded.name)}?"
        if excluded.count == 1:
            text = f"is there {article_by_sound(excluded.name)} {excluded.name}?"
        _ask(questions, [(text, (YES, NO), NO, "object", f"no {excluded.name}")])
    return tuple(questions)


def detail_question(spec: Spec, detail: DetailSpec) -> str:
    """A detail that a spec asks, as a question that is answered yes."""
    thing = spec.objects[detail.subject]
    many = plural(thing.name) + thing.target.removeprefix(thing.name)
    head = f"is the {thing.target}" if thing.count == 1 else f"are the {many}"
    if detail.kind == "material":
        return f"{head} made of {detail.value}?"
    return f"{head} {detail.value}?" if detail.reference is None else f"{head} {detail.value} the {_reference(spec, detail)}?"


def _reference(spec: Spec, detail: DetailSpec) -> str:
    assert detail.reference is not None
    other = spec.objects[detail.reference]
    return other.target if other.count == 1 else plural(other.name) + other.target.removeprefix(other.name)


def new_question_id(text: str, taken: Sequence[str]) -> str:
    """A readable id for a question by its words; another where that is taken, or too short to tell."""
    name = re.sub(r"[\W_]+", "-", text.casefold()).strip("-")
    if name and len(name) <= _ID_LENGTH and name not in taken:
        return name
    digest = hashlib.blake2b(text.encode(), digest_size=4).hexdigest()
    return f"{name[:_ID_LENGTH].strip('-') or 'question'}-{digest}"


_Made = tuple[str, tuple[str, ...], str, str, str]
"""(text, choices, answer, element type, element) of a question."""


def _ask(questions: list[PromptQuestion], more: Iterable[_Made], *parents: str) -> str:
    """Add questions about one element; returns the first one's id."""
    first = len(questions)
    for made in more:
        questions.append(
            PromptQuestion(new_question_id(made[0], [question.question_id for question in questions]), *made, parents)
        )
    return questions[first].question_id


def _object(thing: ObjectSpec, spec: Spec, k: int) -> Iterator[_Made]:
    name = thing.target
    group = SUPERCATEGORY.get(plain_name(thing.name), "")
    kind = _KINDS.get(group, "object")
    yield f"is there {article_by_sound(name)} {name}?", (YES, NO), YES, kind, name
    plain_names = {plain_name(other.name) for other in spec.objects}
    # of the same group first: they are told apart by looking, not by guessing
    others = [other for other in COCO if other not in plain_names]
    near = [other for other in others if SUPERCATEGORY[other] == group]
    choices = _among(name, near, [other for other in others if other not in near], salt=f"object {name}")
    several = f" ({k + 1} of {len(spec.objects)})" if len(spec.objects) > 1 else ""
    yield f"which of these is in the image{several}?", choices, name, kind, name


def _counting(thing: ObjectSpec) -> Iterator[_Made]:
    many, n = plural(thing.name) + thing.target.removeprefix(thing.name), thing.count
    word = NUMBER_WORDS[n] if n < 10 else str(n)
    element = f"{word} {thing.target if n == 1 else many}"
    are = "is there exactly" if n == 1 else "are there"
    yield f"{are} {element}?", (YES, NO), YES, "counting", element
    first = max(1, n + 2 - _N_CHOICES) if n > _N_CHOICES else 1
    yield f"how many {many} are there?", tuple(str(first + k) for k in range(_N_CHOICES)), str(n), "counting", element


def _color(thing: ObjectSpec, color: str) -> Iterator[_Made]:
    element = f"{color} {thing.target}"
    yield f"is the {thing.target} {color}?", (YES, NO), YES, "color", element
    others = [other for other in COLORS if other != color]
    choices = _among(color, others, (), salt=f"color {element}")
    yield f"what color is the {thing.target}?", choices, color, "color", element


def _spatial(spec: Spec, relation: RelationSpec) -> Iterator[_Made]:
    first, other = spec.objects[relation.subject].target, spec.objects[relation.reference].target
    yield f"is the {first} {RELATION_PHRASES[relation.relation]} the {other}?", (YES, NO), YES, "spatial", relation.target
    where = f"where is the {first}, seen from the {other}?"
    yield where, tuple(RELATION_PHRASES), relation.relation, "spatial", relation.target


def _among(answer: str, near: Sequence[str], far: Sequence[str], salt: str) -> tuple[str, ...]:
    """The answer among distractors, near ones first, in an order by chance that is always the same."""

    def draw(name: str) -> bytes:
        return hashlib.blake2b(f"{salt}\0{name}".encode(), digest_size=8).digest()

    others = [*sorted(near, key=draw), *sorted(far, key=draw)][: _N_CHOICES - 1]
    return tuple(sorted((answer, *others), key=lambda name: draw(f"place {name}")))


MAX_CHOICES: Final = 8
"""So many have a digit of their own as key, beside "none of the above"."""
MAX_QUESTIONS: Final = 200
"""Of one prompt: more than a person will answer about one image."""
MAX_TEXT_LENGTH: Final = 2000


@dataclass(frozen=True, slots=True)
class QuestionedPrompt:
    """A prompt and its questions, in the file's order."""

    prompt: Prompt
    questions: tuple[PromptQuestion, ...]


@dataclass(frozen=True, slots=True)
class QuestionFile:
    """A file's prompts with their questions, and what was left out of it or read otherwise."""

    prompts: list[QuestionedPrompt]
    omissions: Omissions


def read_questions(path: Path, suite: str) -> list[QuestionedPrompt]:
    """Read a file of questions in TIFA's format whole (see ``read_question_file``).

    Raises:
        InputError: anything is wrong; nothing is read then.
        ValueError: the suite's name cannot be used.
    """
    check_name(suite, "the suite's name")
    text = read_text(path)
    if path.suffix.lower() == ".txt":
        fail(path, None, "questions are a JSON array, or one JSON object a line; this is named as plain text")
    file = read_question_file(path, suite, ((line, read) for _, line, read in file_entries(path, text)))
    file.omissions.check()
    return file.prompts


def read_question_file(path: Path, suite: str, entries: Iterable[tuple[int, Callable[[], Any]]]) -> QuestionFile:
    """Read entries of ``{"id", "caption", "question", "choices", "answer", "element_type", "element", "question_id"?,
    "parents"?}``, given as (line, how to read it). A flawed entry is left out.

    The prompt is ``suite/<id>``. ``question_id`` is ours: it keeps the name of a question whose words were edited; without
    it a question is named by its words. ``parents`` is ours, too: a list of such names, of questions about the same prompt
    anywhere in the file. Other keys are left alone. The questions of a prompt need not stand together.

    Raises:
        InputError: the entries cannot be read, or there is no question among them.
    """
    omissions = Omissions(path)
    by_prompt: dict[str, QuestionCollector] = {}
    for line, read in entries:
        with omissions.at(line):
            value = read()
            if not isinstance(value, dict):
                raise ValueError(f"found {quoted(value)}, a JSON object with a 'question' expected")
            name, caption = check_name(_text(value, "id"), "the id"), _text(value, "caption")
            prompt = Prompt(f"{suite}/{name}", suite, caption, text_source(name))
            collector = by_prompt.setdefault(name, QuestionCollector(prompt, omissions))
            if collector.prompt.text.strip() != caption.strip():
                other = quoted(collector.prompt.text)
                raise ValueError(f"'caption' is {quoted(caption)}, and {other} in another question about {quoted(name)}")
            collector.add(value, line)
    questioned = [questioned for collector in by_prompt.values() if (questioned := collector.questioned()).questions]
    if not questioned:
        omissions.check()
        fail(path, None, "holds no questions")
    return QuestionFile(questioned, omissions)


@dataclass(slots=True)
class QuestionCollector:
    """One prompt's questions as a file's entries bring them.

    A question that is asked again counts once, and a question that depends on itself does not; the ``omissions`` say so.
    """

    prompt: Prompt
    omissions: Omissions
    _questions: list[PromptQuestion] = field(default_factory=list)
    _lines: list[int | None] = field(default_factory=list)
    _ids: dict[str, str] = field(default_factory=dict)

    def add(self, value: Mapping[str, Any], line: int | None) -> None:
        """Add the question of an entry.

        Raises:
            ValueError: the entry is flawed.
        """
        if len(self._questions) == MAX_QUESTIONS:
            raise ValueError(f"more than {MAX_QUESTIONS} questions about {quoted(self._name)}")
        text = value.get("question")
        same = next((question for question in self._questions if question.text == text), None)
        if same is None:
            self._questions.append(question_of_entry(value, self._questions))
            self._lines.append(line)
            self._ids[self._questions[-1].question_id] = self._questions[-1].question_id
            return
        if (value.get("answer"), tuple(value.get("choices") or ())) != (same.answer, same.choices):
            raise ValueError(f"{quoted(text)} is asked twice about one prompt, with different answers")
        if isinstance(name := value.get("question_id"), str):
            self._ids.setdefault(name, same.question_id)
        self.omissions.note(line, f"{self._name}: {quoted(text)} is asked twice and counts once")

    def questioned(self) -> QuestionedPrompt:
        """Return the prompt with its questions, each depending only on others of them and never on itself."""
        kept: dict[str, PromptQuestion] = {}
        for question, line in zip(self._questions, self._lines, strict=True):
            parents = tuple(dict.fromkeys(self._ids.get(parent, parent) for parent in question.parents))
            for parent in parents:
                if parent == question.question_id:
                    self.omissions.note(line, f"{self._about(question)} depends on itself, which is dropped")
                elif parent not in self._ids:
                    problem = f"the dependency of {quoted(question.text)} on {quoted(parent)}, which is no other question"
                    self.omissions.left_out(line, f"{self._name}: {problem} about this prompt in this file")
            known = tuple(parent for parent in parents if parent in self._ids and parent != question.question_id)
            kept[question.question_id] = replace(question, parents=known)
        for question, line in zip(self._questions, self._lines, strict=True):
            now = kept[question.question_id]
            for parent in now.parents:
                if question.question_id in _ancestors(parent, kept):
                    problem = (
                        f"the dependency of {quoted(question.text)} on {quoted(kept[parent].text)}, which leads back to it"
                    )
                    self.omissions.left_out(line, f"{self._name}: {problem}")
                    now = replace(now, parents=tuple(other for other in now.parents if other != parent))
                    kept[question.question_id] = now
        return QuestionedPrompt(self.prompt, tuple(kept.values()))

    @property
    def _name(self) -> str:
        return self.prompt.prompt_id.partition("/")[2]

    def _about(self, question: PromptQuestion) -> str:
        return f"{self._name}: {quoted(question.text)}"


def format_questions(prompts: Iterable[QuestionedPrompt]) -> str:
    """The text of a file from which ``read_questions`` gets the same prompts and questions: one JSON object a line.

    Raises:
        ValueError: the prompts are of several suites.
    """
    prompts = list(prompts)
    suites = sorted({questioned.prompt.suite for questioned in prompts})
    if len(suites) > 1:
        raise ValueError(f"a file of questions holds one suite, got {', '.join(suites)}; choose one with --suite")
    lines = []
    for questioned in prompts:
        for question in questioned.questions:
            entry: dict[str, Any] = {
                "id": questioned.prompt.prompt_id.removeprefix(f"{questioned.prompt.suite}/"),
                "caption": questioned.prompt.text,
                "question_id": question.question_id,
                "question": question.text,
                "choices": list(question.choices),
                "answer": question.answer,
                "element_type": question.element_type,
                "element": question.element,
            }
            entry |= {"parents": list(question.parents)} if question.parents else {}
            lines.append(json.dumps(entry) + "\n")
    return "".join(lines)


def question_of_entry(value: Mapping[str, Any], before: Sequence[PromptQuestion]) -> PromptQuestion:
    """A question as a file holds it, after those of the same prompt that come before it.

    Raises:
        ValueError: a key is missing, or is not what it should be; or it is asked before.
    """
    text, taken = _text(value, "question"), [question.question_id for question in before]
    if text in [question.text for question in before]:
        raise ValueError(f"{quoted(text)} is asked twice about one prompt")
    question_id = new_question_id(text, taken)
    if value.get("question_id") is not None:
        question_id = check_name(_text(value, "question_id"), "the question's id")
    if question_id in taken:
        raise ValueError(f"'question_id' {quoted(question_id)} names two questions of one prompt")
    kind = _text(value, "element_type")
    if kind not in ELEMENT_TYPES:
        raise ValueError(f"'element_type' is {quoted(kind)}, one of {', '.join(ELEMENT_TYPES)} expected")
    choices = _choices(value)
    answer = _text(value, "answer")
    if answer not in choices:
        raise ValueError(f"'answer' is {quoted(answer)}, which is not among the choices")
    return PromptQuestion(question_id, text, choices, answer, kind, _text(value, "element"), _parents(value))


def _parents(value: Mapping[str, Any]) -> tuple[str, ...]:
    parents = value.get("parents")
    if parents is None:
        return ()
    if (
        not isinstance(parents, list)
        or not all(isinstance(parent, str) for parent in parents)
        or len(set(parents)) < len(parents)
    ):
        raise ValueError(f"'parents' is {quoted(parents)}, a list of ids of other questions, each once, expected")
    return tuple(parents)


def _ancestors(question_id: str, questions: Mapping[str, PromptQuestion]) -> set[str]:
    """Return a question's parents, their parents, and so on."""
    ancestors: set[str] = set()
    left = list(questions[question_id].parents)
    while left:
        parent = left.pop()
        if parent not in ancestors:
            ancestors.add(parent)
            left += questions[parent].parents
    return ancestors


def _choices(value: Mapping[str, Any]) -> tuple[str, ...]:
    listed = value.get("choices")
    if not isinstance(listed, list) or not 2 <= len(listed) <= MAX_CHOICES:
        raise ValueError(f"'choices' is {quoted(listed)}, a list of 2 to {MAX_CHOICES} texts expected")
    choices = tuple(_text({"choices": choice}, "choices") for choice in listed)
    if len({choice.strip().casefold() for choice in choices}) < len(choices):
        raise ValueError(f"'choices' {quoted(listed)} holds one answer twice")
    return choices


def _text(value: Mapping[str, Any], key: str) -> str:
    return text_of(value, key, MAX_TEXT_LENGTH)
