"""Questions written by a language model: what it is asked, and the questions parsed out of its answer, however it was mangled::

    Entities: dogs, beach           (and other lines, which are passed over)
    About dogs (animal):
    Q: are there dogs?
    Choices: yes, no
    A: yes

The format is that of TIFA's prompt (appendix F), so that one parser reads what any model writes; the instructions and the
examples, which cover all twelve element types, are ours. Each "Q:" that is read becomes a question, or one that is dropped
for a reason; nothing is lost without a word.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cache
from pathlib import Path
from typing import Final

from data.prompts.questions import ELEMENT_TYPES, MAX_CHOICES, MAX_QUESTIONS, MAX_TEXT_LENGTH, PromptQuestion, new_question_id

INSTRUCTIONS: Final = """\
You are given the description of an image. Write multiple-choice questions that check whether an image shows what it says.

First list the elements of the description: nouns, activities, colors, numbers and other attributes. Then write about each
element, in the form of the examples:
- a line "About ELEMENT (TYPE):", where TYPE is one of
object, human, animal, food, activity, attribute, counting, color, material, spatial, location, shape, other;
- a question that is answered "yes" if the image is faithful, with "Choices: yes, no";
- where it makes sense, a second question with four choices, of which the element is the right one and the others are clearly
wrong.

Each question must be answerable by looking at the image, and its answer must follow from the description. Write nothing else.\
"""
"""Ours; the paper's own are in its appendix F."""

_EXAMPLES: Final = Path(__file__).parent / "question_examples.txt"
_DESCRIPTION: Final = "Description: "


@dataclass(frozen=True, slots=True)
class PromptExample:
    """A caption, and what a model should write about it."""

    caption: str
    answer: str


@cache
def prompt_examples() -> tuple[PromptExample, ...]:
    """The examples, in the order in which they are shown."""
    blocks = _EXAMPLES.read_text(encoding="utf-8").strip().split("\n\n")
    return tuple(PromptExample(*block.removeprefix(_DESCRIPTION).split("\n", 1)) for block in blocks)


def format_caption(caption: str) -> str:
    """How a caption is put to a model."""
    return _DESCRIPTION + " ".join(caption.split())


def conversation(caption: str) -> list[dict[str, str]]:
    """The whole chat that asks for questions about a caption: the examples are turns of it."""
    turns = [{"role": "system", "content": INSTRUCTIONS}]
    for example in prompt_examples():
        turns.append({"role": "user", "content": format_caption(example.caption)})
        turns.append({"role": "assistant", "content": example.answer})
    return [*turns, {"role": "user", "content": format_caption(caption)}]


_LABEL: Final = re.compile(r"\(?([A-Ha-h1-8])[).:]\s+(?=\S)")
_INLINE_LABEL: Final = re.compile(r"(?:^|\s)\(([A-Ha-h1-8])\)\s*")
# one bracket at least: "b" alone may be the beginning of a word that was cut off
_ANSWERED_LABEL: Final = re.compile(r"\(?([A-Ha-h])[).]\s*(.*)")
_THOUSAND: Final = re.compile(r"\d{3}(?!\d)")
_OR: Final = re.compile(r"^or\s+", re.IGNORECASE)
_MOST_COMMAS: Final = 20
_PAIRS: Final = {"(": ")", "[": "]", "{": "}", '"': '"', "“": "”"}
_QUOTES: Final = "\"'“”‘’`"


def split_choices(text: str, answer: str = "") -> list[str]:
    """The choices of a line such as ``red, green, blue``, each once (whatever its case), in their order.

    Labels (``(A) yes (B) no``, ``a) yes, b) no``), quotes and brackets around them go; a comma within brackets or quotes, or
    between digits, divides nothing. Other dividers (``;``, ``|``, ``/``, "or") count only where there is no comma.

    Args:
        text: what follows "Choices:".
        answer: what follows "A:"; where it is made of several pieces with commas between, they are one choice, and the others
            are put together alike if that comes out even.
    """
    text = _bare(text)
    if len(labels := _INLINE_LABEL.split(text)) > 3 and not labels[0].strip():
        pieces = labels[2::2]
    else:
        pieces = [piece.strip() for piece in _split_pieces(text)]
        # "red, blue, or green"
        pieces[-1] = _OR.sub("", pieces[-1])
        pieces = _unlabelled(_rejoined(pieces, answer))
    cleaned = [_clean(piece, last=k == len(pieces) - 1) for k, piece in enumerate(pieces)]
    return list({piece.strip().casefold(): piece for piece in reversed(cleaned) if piece}.values())[::-1]


def matching_choice(answer: str, choices: Sequence[str]) -> str | None:
    """The choice that an answer means: the same text, else the only one that differs from it in nothing but case, else in
    nothing but case, punctuation and white space; a label (``(B)``, ``B) no``) means the choice at its place. None: none does,
    or several do."""
    answer = answer.strip()
    for alike in (str, str.casefold, normalize_text):
        alike_choices = [choice for choice in choices if alike(choice) == alike(answer) != ""]
        if alike_choices:
            return alike_choices[0] if len(alike_choices) == 1 else None
    labelled = _ANSWERED_LABEL.fullmatch(answer)
    index = "abcdefgh".index(labelled[1].lower()) if labelled else len(choices)
    if labelled is None or index >= len(choices):
        return None
    return choices[index] if normalize_text(labelled[2]) in ("", normalize_text(choices[index])) else None


def normalize_text(text: str) -> str:
    """Letters and digits of a text, in small letters, with single spaces for all that is between."""
    return " ".join(re.sub(r"[\W_]+", " ", text.casefold()).split())


def _bare(text: str) -> str:
    """Without brackets around the whole, as of a Python list."""
    text = text.strip()
    if len(text) > 1 and text[0] in "[{" and text.rstrip(".").endswith(_PAIRS[text[0]]):
        return text.rstrip(".")[1:-1]
    return text


def _split_pieces(text: str) -> list[str]:
    if len(cut := _cut(text)) > 1:
        return cut
    # by any comma, if that is all there is: a bracket that is never closed holds nothing
    for divider in (r",\s+", r",", r"[;|\n]", r"\s/\s", r"/", r"\s+or\s+"):
        if len(cut := re.split(divider, text)) > 1:
            return cut
    return [text]


def _cut(text: str) -> list[str]:
    """Cut at commas outside brackets and quotes, but for those of thousands (``1,000``)."""
    parts: list[str] = []
    start = 0
    within: list[str] = []
    for k, character in enumerate(text):
        if within and character == within[-1]:
            within.pop()
        elif character in _PAIRS:
            within.append(_PAIRS[character])
        elif character == "," and not within and not (text[k - 1 : k].isdigit() and _THOUSAND.match(text, k + 1)):
            parts.append(text[start:k])
            start = k + 1
    return [*parts, text[start:]]


def _rejoined(pieces: list[str], answer: str) -> list[str]:
    """Pieces that are one choice by the answer's word, put together; "Rome, Italy" is two pieces."""
    wanted = normalize_text(answer)
    size = len([piece for piece in answer.split(",") if piece.strip()])
    if not 2 <= size <= _MOST_COMMAS or wanted in map(normalize_text, pieces):
        return pieces
    for k in range(len(pieces) - size + 1):
        if normalize_text(" ".join(pieces[k : k + size])) == wanted:
            if len(pieces) % size == 0 and k % size == 0:
                return [", ".join(pieces[n : n + size]) for n in range(0, len(pieces), size)]
            return [*pieces[:k], ", ".join(pieces[k : k + size]), *pieces[k + size :]]
    return pieces


def _unlabelled(pieces: list[str]) -> list[str]:
    """Without labels, if every piece has the one of its place."""
    labels = [_LABEL.match(piece) for piece in pieces]
    places = [label[1].lower() if label else "" for label in labels]
    if len(pieces) > 1 and any("".join(places) == row[: len(places)] for row in ("abcdefgh", "12345678")):
        return [piece[label.end() :] for piece, label in zip(pieces, labels, strict=True) if label]
    return pieces


def _clean(piece: str, *, last: bool) -> str:
    """Without outer quotes, and without the full stop after the last."""
    piece = piece.strip(" \t,;|")
    if last:
        piece = piece.rstrip(".").rstrip() or piece
    if len(piece) > 1 and piece[0] in _QUOTES and piece[-1] in _QUOTES:
        piece = piece[1:-1].strip()
    return piece


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
    # half of a surrogate pair is no text, and control characters stand for nothing
    for line in _LINE_END.split(text.encode("utf-8", "replace").decode()):
        for part in _INLINE.split(_CONTROL.sub(" ", line).replace("**", "").replace("__", "")):
            reader.read(*_marked(part.strip()))
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


def _marked(line: str) -> tuple[str, str]:
    bare = line
    for _ in range(3):  # "- 1. Q: ..."
        for kind, mark in _MARKS:
            if match := mark.match(bare):
                return kind, bare[match.end() :].strip()
        if (bullet := _BULLET.match(bare)) is None:
            break
        bare = bare[bullet.end() :]
    return "", line


@dataclass(slots=True)
class _OpenQuestion:
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
    open: _OpenQuestion | None = None
    asked: set[str] = field(default_factory=set)

    def read(self, kind: str, content: str) -> None:
        if kind == "about":
            self._close()
            self.element, self.type = _element(content)
        elif kind == "question":
            self._close()
            self.open = _OpenQuestion(content, self.element, self.type, self.foreign)
        elif kind == "description":
            self._close()
            self.element, self.type = None, ""
            self.foreign = self.caption is not None and normalize_text(content) != normalize_text(self.caption)
        elif kind and self.open is None:
            self.stray += 1
        elif self.open is not None:
            # a line that belongs to the question at hand, if to any: what comes first counts
            if kind == "choices" and self.open.choices is None:
                self.open.choices, self.open.listed = ([content], False) if content else ([], True)
            elif kind == "answer" and self.open.answer is None:
                self.open.answer = content
            elif kind:
                self.stray += 1
            elif content and not _HEADER.match(content):
                # a line without a mark may be what the mark before it lacked, or one choice of a list that has a line for each
                if self.open.answer is not None:
                    self.open.answer = self.open.answer or content
                elif self.open.choices is not None:
                    if self.open.listed:
                        self.open.choices.append(_listed_choice(content))
                elif not self.open.text:
                    self.open.text = content

    def done(self, *, cut: bool) -> Parsed:
        """``cut``: the text ends within a line."""
        self._close(last=True, cut=cut)
        return Parsed(tuple(self.kept), tuple(self.dropped), tuple(self.unknown), self.stray)

    def _close(self, *, last: bool = False, cut: bool = False) -> None:
        if (question := self.open) is None:
            return
        self.open = None
        result = self._question(question, last=last, cut=cut)
        if isinstance(result, Drop):
            self.dropped.append(Dropped(result, question.text))
            return
        if _element_type(question.type) is None:
            self.unknown.append(question.type)
        self.kept.append(result)
        self.asked.add(normalize_text(question.text))

    def _question(self, question: _OpenQuestion, *, last: bool, cut: bool) -> PromptQuestion | Drop:
        """The question, or why it is none. ``last``: nothing follows it; ``cut``: not even the end of its line."""
        if (reason := _missing_part(question, last=last)) is not None:
            return reason
        if len(self.kept) == MAX_QUESTIONS:
            return Drop.TOO_MANY
        if normalize_text(question.text) in self.asked:
            return Drop.DUPLICATE
        lines, reply = question.choices or [], question.answer or ""
        choices = split_choices(", ".join(lines), reply)
        if not 2 <= len(choices) <= MAX_CHOICES:
            return Drop.FEW_CHOICES if len(choices) < 2 else Drop.MANY_CHOICES
        answer = matching_choice(reply, choices)
        if answer is None:
            begun = any(normalize_text(choice).startswith(normalize_text(reply)) for choice in choices)
            return Drop.TRUNCATED if last and cut and begun else Drop.ANSWER_NOT_A_CHOICE
        name = new_question_id(question.text, [other.question_id for other in self.kept])
        return PromptQuestion(
            name, question.text, tuple(choices), answer, _element_type(question.type) or "other", question.element or ""
        )


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


def _element_type(written: str) -> str | None:
    """One of ``ELEMENT_TYPES``; None: it is none."""
    name = " ".join(written.casefold().split())
    if name.endswith("s") and name not in _TYPES:
        name = name.removesuffix("s")
    return _TYPES.get(name)


def _missing_part(question: _OpenQuestion, *, last: bool) -> Drop | None:
    """Why there is nothing to look at more closely, if so."""
    if question.foreign:
        return Drop.OTHER_DESCRIPTION
    if last and not question.answer:
        return Drop.TRUNCATED
    parts = (
        (normalize_text(question.text), Drop.NO_QUESTION),
        (question.element, Drop.NO_ELEMENT),
        (question.choices, Drop.NO_CHOICES),
        (question.answer, Drop.NO_ANSWER),
    )
    for part, reason in parts:
        if not part:
            return reason
    texts = (question.text, question.element or "", question.answer or "", ", ".join(question.choices or []))
    return Drop.TOO_LONG if max(map(len, texts)) > MAX_TEXT_LENGTH else None


def _listed_choice(line: str) -> str:
    """A line of a list without its mark; its own commas are no dividers."""
    for mark in (_BULLET, _CHOICE_LINE):
        if match := mark.match(line):
            line = line[match.end() :]
    return f'"{line.strip()}"' if "," in line else line.strip()
