"""Questions out of what a language model wrote, in the format of TIFA's prompt (appendix F), however it was mangled::

    Entities: dogs, beach           (and other lines, which are passed over)
    About dogs (animal):
    Q: are there dogs?
    Choices: yes, no
    A: yes

Each "Q:" that is seen becomes a question that is kept, or one that is dropped for a reason; nothing is lost without a word.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final

from data.prompts.question_choices import meant, plain, split_choices
from data.prompts.question_files import LONGEST, MOST_CHOICES, MOST_QUESTIONS
from data.prompts.questions import ELEMENT_TYPES, PromptQuestion, new_id


class Drop(StrEnum):
    """Why a question is not kept."""

    NO_QUESTION = "no_question"
    NO_ELEMENT = "no_element"
    NO_CHOICES = "no_choices"
    FEW_CHOICES = "few_choices"
    MANY_CHOICES = "many_choices"
    NO_ANSWER = "no_answer"
    ANSWER_NOT_A_CHOICE = "answer_not_a_choice"
    DUPLICATE = "duplicate"
    OTHER_DESCRIPTION = "other_description"
    TOO_LONG = "too_long"
    TOO_MANY = "too_many"
    TRUNCATED = "truncated"


@dataclass(frozen=True, slots=True)
class Dropped:
    """A question that is not kept; ``text`` is what it asks, as far as that was there."""

    reason: Drop
    text: str


@dataclass(frozen=True, slots=True)
class Parsed:
    """What a text holds. ``len(kept) + len(dropped)`` is the number of "Q:" in it.

    Attributes:
        unknown_types: element types that are none of TIFA's, as written: one for each kept question that is of type "other"
            for want of a better.
        stray: lines with choices or an answer that belong to no question.
    """

    kept: tuple[PromptQuestion, ...] = ()
    dropped: tuple[Dropped, ...] = ()
    unknown_types: tuple[str, ...] = ()
    stray: int = 0


def parse_questions(text: str, caption: str | None = None) -> Parsed:
    """Read a language model's answer; never raises, whatever the text.

    Types are of any case; "animal" and "human" are one ("animal/human", as in TIFA's files), an unknown one is "other". An
    answer that differs from a choice only in case or punctuation is taken for it. The questions have no parents: the format
    says nothing of dependencies.

    Args:
        text: as it came. It may begin in the middle (behind "Entities:") and may end anywhere.
        caption: what the questions are about. A line "Description:" with another text begins questions about something else,
            as models that go on and on write them; those are dropped.
    """
    reader = _Reader(caption)
    for kind, content in _lines(text):
        reader.read(kind, content)
    return reader.done(cut=not text.endswith("\n"))


_MARKS: Final = (
    ("about", re.compile(r"about\s+(?=\S)", re.IGNORECASE)),
    ("question", re.compile(r"q(?:uestion)?\s*\d{0,3}\s*[:：.)]\s*", re.IGNORECASE)),
    ("choices", re.compile(r"(?:answer\s+)?(?:choices?|options?)\s*[:：]\s*", re.IGNORECASE)),
    ("answer", re.compile(r"(?:a|(?:correct\s+)?ans(?:wer)?)\s*\d{0,3}\s*[:：]\s*", re.IGNORECASE)),
    ("description", re.compile(r"description\s*[:：]\s*", re.IGNORECASE)),
)
_LINE_END: Final = re.compile(r"\r\n|[\n\r\u2028\u2029]")
# several parts in one line: "Q: is it red? Choices: yes, no A: yes"
_INLINE: Final = re.compile(
    # but "Choices: A: yes, B: no" is a list with labels
    r"(?<=\s)(?=(?:Q|Question)\d{0,3}:\s)|(?<=\s)(?<!:\s)(?=(?:Choices|Options|A|Answer)\d{0,3}:\s)"
)
_CONTROL: Final = re.compile(r"[\x00-\x1f\x7f-\x9f]")
_BULLET: Final = re.compile(r"(?:[-*•>#·]+|\(?\d{1,3}[.)])\s+")
_HEADER: Final = re.compile(r"[A-Za-z][A-Za-z ]{0,40}:")
_CHOICE_LINE: Final = re.compile(r"\(?[A-Ha-h1-8][).]\s*(?=\S)")


def _lines(text: str) -> Iterator[tuple[str, str]]:
    """(kind, what follows the mark) of each part of the text; kind is "" where there is no mark."""
    # half of a surrogate pair is no text, and control characters stand for nothing
    for line in _LINE_END.split(text.encode("utf-8", "replace").decode()):
        line = _CONTROL.sub(" ", line).replace("**", "").replace("__", "")
        for part in _INLINE.split(line):
            yield _marked(part.strip())


def _marked(line: str) -> tuple[str, str]:
    bare = line
    for _ in range(3):  # "- 1. Q: ..."
        for kind, mark in _MARKS:
            if found := mark.match(bare):
                return kind, bare[found.end() :].strip()
        if (bullet := _BULLET.match(bare)) is None:
            break
        bare = bare[bullet.end() :]
    return "", line


@dataclass(slots=True)
class _Open:
    """A question that is being read; None: that part has not come yet. ``listed``: each choice has a line of its own."""

    text: str
    element: str | None
    type: str
    foreign: bool
    choices: list[str] | None = None
    listed: bool = False
    answer: str | None = None


@dataclass(slots=True)
class _Reader:
    """Reads line by line."""

    caption: str | None
    kept: list[PromptQuestion] = field(default_factory=list)
    dropped: list[Dropped] = field(default_factory=list)
    unknown: list[str] = field(default_factory=list)
    stray: int = 0
    element: str | None = None
    type: str = ""
    foreign: bool = False
    open: _Open | None = None
    asked: set[str] = field(default_factory=set)

    def read(self, kind: str, content: str) -> None:
        if kind == "about":
            self._close()
            self.element, self.type = _element(content)
        elif kind == "question":
            self._close()
            self.open = _Open(content, self.element, self.type, self.foreign)
        elif kind == "description":
            self._close()
            self.element, self.type = None, ""
            self.foreign = self.caption is not None and plain(content) != plain(self.caption)
        elif kind and self.open is None:
            self.stray += 1
        elif self.open is not None:
            self._part(self.open, kind, content)

    def done(self, *, cut: bool) -> Parsed:
        """``cut``: the text ends within a line."""
        self._close(last=True, cut=cut)
        return Parsed(tuple(self.kept), tuple(self.dropped), tuple(self.unknown), self.stray)

    def _part(self, one: _Open, kind: str, content: str) -> None:
        """A line that belongs to the question at hand, if to any: what comes first counts."""
        if kind == "choices" and one.choices is None:
            one.choices, one.listed = ([content], False) if content else ([], True)
        elif kind == "answer" and one.answer is None:
            one.answer = content
        elif kind:
            self.stray += 1
        elif content and not _HEADER.match(content):
            _continued(one, content)

    def _close(self, *, last: bool = False, cut: bool = False) -> None:
        if (one := self.open) is None:
            return
        self.open = None
        found = self._question(one, last=last, cut=cut)
        if isinstance(found, Drop):
            self.dropped.append(Dropped(found, one.text))
            return
        if _type(one.type) is None:
            self.unknown.append(one.type)
        self.kept.append(found)
        self.asked.add(plain(one.text))

    def _question(self, one: _Open, *, last: bool, cut: bool) -> PromptQuestion | Drop:
        """The question, or why it is none. ``last``: nothing follows it; ``cut``: not even the end of its line."""
        if (reason := _lacking(one, last=last)) is not None:
            return reason
        if len(self.kept) == MOST_QUESTIONS:
            return Drop.TOO_MANY
        if plain(one.text) in self.asked:
            return Drop.DUPLICATE
        lines, said = one.choices or [], one.answer or ""
        choices = split_choices(", ".join(lines), said)
        if not 2 <= len(choices) <= MOST_CHOICES:
            return Drop.FEW_CHOICES if len(choices) < 2 else Drop.MANY_CHOICES
        answer = meant(said, choices)
        if answer is None:
            begun = any(plain(choice).startswith(plain(said)) for choice in choices)
            return Drop.TRUNCATED if last and cut and begun else Drop.ANSWER_NOT_A_CHOICE
        name = new_id(one.text, [other.question_id for other in self.kept])
        return PromptQuestion(name, one.text, tuple(choices), answer, _type(one.type) or "other", one.element or "")


def _continued(one: _Open, content: str) -> None:
    """A line without a mark may be what the mark before it lacked, or one choice of a list that has a line for each."""
    if one.answer is not None:
        one.answer = one.answer or content
    elif one.choices is not None:
        if one.listed:
            one.choices.append(_one_choice(content))
    elif not one.text:
        one.text = content


def _element(content: str) -> tuple[str | None, str]:
    """("dog", "animal") of "dog (animal):"; brackets may be in both."""
    content = content.rstrip(" :：.")
    if content.endswith(")"):
        depth = 0
        for k in range(len(content) - 1, -1, -1):
            depth += (content[k] == ")") - (content[k] == "(")
            if depth == 0:
                return content[:k].strip() or None, content[k + 1 : -1].strip()
    element, _, kind = content.rpartition("(")
    # a bracket that was not closed, or none
    return (element.strip() or None, kind.strip(" )")) if element else (content.strip() or None, "")


_TYPES: Final = {kind: kind for kind in ELEMENT_TYPES} | {
    **dict.fromkeys(("animal", "human", "person", "people", "human/animal"), "animal/human"),
    **dict.fromkeys(("colour",), "color"),
    **dict.fromkeys(("count", "number", "quantity"), "counting"),
    **dict.fromkeys(("spatial relation", "relation", "position"), "spatial"),
}


def _type(written: str) -> str | None:
    """One of ``ELEMENT_TYPES``; None: it is none."""
    name = " ".join(written.casefold().split())
    if name.endswith("s") and name not in _TYPES:
        name = name.removesuffix("s")
    return _TYPES.get(name)


def _lacking(one: _Open, *, last: bool) -> Drop | None:
    """Why there is nothing to look at more closely, if so."""
    if one.foreign:
        return Drop.OTHER_DESCRIPTION
    if last and not one.answer:
        return Drop.TRUNCATED
    parts = (
        (plain(one.text), Drop.NO_QUESTION),
        (one.element, Drop.NO_ELEMENT),
        (one.choices, Drop.NO_CHOICES),
        (one.answer, Drop.NO_ANSWER),
    )
    for part, reason in parts:
        if not part:
            return reason
    texts = (one.text, one.element or "", one.answer or "", ", ".join(one.choices or []))
    return Drop.TOO_LONG if max(map(len, texts)) > LONGEST else None


def _one_choice(line: str) -> str:
    """A line of a list without its mark; its own commas are no dividers."""
    for mark in (_BULLET, _CHOICE_LINE):
        if found := mark.match(line):
            line = line[found.end() :]
    return f'"{line.strip()}"' if "," in line else line.strip()
