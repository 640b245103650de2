"""What a language model is asked so that it writes questions about a caption: instructions, and examples of our own.

The format is that of TIFA's prompt (appendix F), so that one parser reads what any model writes (``question_text``); the
examples and the wording are ours. They cover all twelve element types.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

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
_CALLED: Final = "Description: "


@dataclass(frozen=True, slots=True)
class Example:
    """A caption, and what a model should write about it."""

    caption: str
    answer: str


@cache
def examples() -> tuple[Example, ...]:
    """The examples, in the order in which they are shown."""
    blocks = _EXAMPLES.read_text(encoding="utf-8").strip().split("\n\n")
    return tuple(Example(*block.removeprefix(_CALLED).split("\n", 1)) for block in blocks)


def asking(caption: str) -> str:
    """How a caption is put to a model."""
    return _CALLED + " ".join(caption.split())
