"""Changing words of a prompt's text, only where that surely changes nothing else of what it says."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from data.prompts.coco import article_by_letter
from data.prompts.geneval import COLORS
from data.prompts.spec import ObjectSpec

OPPOSITE: Final = {"left": "right", "right": "left", "above": "below", "below": "above"}
NUMBERS: Final = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
_SIDES: Final = re.compile(r"\b(left|right|above|below)\b", re.IGNORECASE)
_STATED: Final = re.compile(r"\b(left(?=\s+of\b)|right(?=\s+of\b)|above|below)\b", re.IGNORECASE)
_PLURAL: Final = r"(?:e?s)?\b"


@dataclass(frozen=True, slots=True)
class Change:
    """New letters for a stretch of the text."""

    start: int
    end: int
    new: str


Changes = list[Change] | None
"""What to change in a text; None if that is not sure."""


def sides(text: str, asked: Sequence[str]) -> Changes:
    """Sure if these very relations are stated, and none of their words stands anywhere else."""
    stated = list(_STATED.finditer(text))
    if Counter(one[0].lower() for one in stated) != Counter(asked) or len(_SIDES.findall(text)) != len(stated):
        return None
    return [Change(*one.span(), _like(one[0], OPPOSITE[one[0].lower()])) for one in stated]


def recolored(text: str, thing: ObjectSpec, color: str) -> Changes:
    """Sure if ``red cup`` stands there once, and the article before it can be told."""
    pattern = rf"(?:\b(an?)\s+)?\b({re.escape(thing.color or '')})\s+{re.escape(thing.name)}{_PLURAL}"
    found = list(re.finditer(pattern, text, re.IGNORECASE))
    if len(found) != 1:
        return None
    (match,) = found
    change = Change(*match.span(2), _like(match[2], color))
    if match[1] is None:
        return [change]
    # of the ten the letter decides as the sound does
    return [Change(*match.span(1), _like(match[1], article_by_letter(color))), change] if color in COLORS else None


def renumbered(text: str, thing: ObjectSpec, n: int) -> Changes:
    """Sure if ``two cups`` stands there once, as a word or in digits. From or to one, the noun would change as well."""
    if min(thing.count, n) < 2 or max(thing.count, n) >= len(NUMBERS):
        return None
    color = rf"(?:{re.escape(thing.color)}\s+)?" if thing.color else ""
    pattern = rf"\b({NUMBERS[thing.count]}|{thing.count})\s+{color}{re.escape(thing.name)}{_PLURAL}"
    found = list(re.finditer(pattern, text, re.IGNORECASE))
    if len(found) != 1:
        return None
    word = found[0][1]
    return [Change(*found[0].span(1), str(n) if word.isdigit() else _like(word, NUMBERS[n]))]


def renamed(text: str, thing: ObjectSpec, name: str) -> Changes:
    """Sure if one ``cup`` is asked and the word stands there once; an article just before it follows by the letter."""
    if thing.count != 1:
        return None
    found = list(re.finditer(rf"(?:\b(an?)\s+)?\b({re.escape(thing.name)})\b", text, re.IGNORECASE))
    if len(found) != 1:
        return None
    (match,) = found
    article = [] if match[1] is None else [Change(*match.span(1), _like(match[1], article_by_letter(name)))]
    return [*article, Change(*match.span(2), _like(match[2], name))]


def together(found: Iterable[Changes]) -> Changes:
    """All changes together; None if one of them is not sure, or if two meet."""
    together: list[Change] = []
    for changes in found:
        if changes is None:
            return None
        together += changes
    together.sort(key=lambda one: one.start)
    if any(after.start < before.end for before, after in pairwise(together)):
        return None
    return together


def changed(text: str, changes: Sequence[Change]) -> str:
    for one in sorted(changes, key=lambda one: one.start, reverse=True):
        text = text[: one.start] + one.new + text[one.end :]
    return text


def _like(old: str, new: str) -> str:
    """Written as the old word is: small, Capital or ALL CAPITALS."""
    if len(old) > 1 and old.isupper():
        return new.upper()
    return new.capitalize() if old[:1].isupper() else new
