"""Prompts turned into what their images should not show: the flip test of VISOR (Gokhale et al., 2022, section 5.1).

The spec is flipped first. The text follows only where it says what the spec says in the spec's own words, so that changing
these words surely changes nothing else; every published prompt of GenEval and SR2D does.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Final, Literal

from data.prompts.coco import article_by_letter, plain_name
from data.prompts.geneval_suite import COLORS
from data.spec import NUMBER_WORDS, OPPOSITE, HasSpec, ObjectSpec, Spec, SpecError, opposite, parse_spec

_SIDES: Final = re.compile(r"\b(left|right|above|below)\b", re.IGNORECASE)
_RELATION_WORDS: Final = re.compile(r"\b(left(?=\s+of\b)|right(?=\s+of\b)|above|below)\b", re.IGNORECASE)
_PLURAL: Final = r"(?:e?s)?\b"


@dataclass(frozen=True, slots=True)
class TextChange:
    """New letters for a stretch of the text."""

    start: int
    end: int
    new: str


TextChanges = list[TextChange] | None
"""What to change in a text; None if that is not sure."""


def opposite_sides(text: str, parsed: Spec) -> TextChanges:
    """Sure if the very relations that are asked are stated, and none of their words stands anywhere else."""
    stated, words = list(_RELATION_WORDS.finditer(text)), Counter(each.relation.split()[0] for each in parsed.relations)
    if Counter(match[0].lower() for match in stated) != words or len(_SIDES.findall(text)) != len(stated):
        return None
    return [TextChange(*match.span(), _in_case_of(match[0], OPPOSITE[match[0].lower()])) for match in stated]


def recolor(text: str, thing: ObjectSpec, color: str) -> TextChanges:
    """Sure if ``red cup`` stands there once, and the article before it can be told."""
    pattern = rf"(?:\b(an?)\s+)?\b({re.escape(thing.color or '')})\s+{re.escape(thing.name)}{_PLURAL}"
    matches = list(re.finditer(pattern, text, re.IGNORECASE))
    if len(matches) != 1:
        return None
    (match,) = matches
    change = TextChange(*match.span(2), _in_case_of(match[2], color))
    if match[1] is None:
        return [change]
    # of the ten the letter decides as the sound does
    return [TextChange(*match.span(1), _in_case_of(match[1], article_by_letter(color))), change] if color in COLORS else None


def renumber(text: str, thing: ObjectSpec, n: int) -> TextChanges:
    """Sure if ``two cups`` stands there once, as a word or in digits. From or to one, the noun would change as well."""
    if min(thing.count, n) < 2 or max(thing.count, n) >= len(NUMBER_WORDS):
        return None
    color = rf"(?:{re.escape(thing.color)}\s+)?" if thing.color else ""
    pattern = rf"\b({NUMBER_WORDS[thing.count]}|{thing.count})\s+{color}{re.escape(thing.name)}{_PLURAL}"
    matches = list(re.finditer(pattern, text, re.IGNORECASE))
    if len(matches) != 1:
        return None
    word = matches[0][1]
    return [TextChange(*matches[0].span(1), str(n) if word.isdigit() else _in_case_of(word, NUMBER_WORDS[n]))]


def rename_object(text: str, thing: ObjectSpec, name: str) -> TextChanges:
    """Sure if one ``cup`` is asked and the word stands there once; an article just before it follows by the letter."""
    if thing.count != 1:
        return None
    matches = list(re.finditer(rf"(?:\b(an?)\s+)?\b({re.escape(thing.name)})\b", text, re.IGNORECASE))
    if len(matches) != 1:
        return None
    (match,) = matches
    article = [] if match[1] is None else [TextChange(*match.span(1), _in_case_of(match[1], article_by_letter(name)))]
    return [*article, TextChange(*match.span(2), _in_case_of(match[2], name))]


def joined_changes(of_parts: Iterable[TextChanges]) -> TextChanges:
    """All changes together; None if one of them is not sure, or if two meet."""
    together: list[TextChange] = []
    for changes in of_parts:
        if changes is None:
            return None
        together += changes
    together.sort(key=lambda change: change.start)
    if any(after.start < before.end for before, after in pairwise(together)):
        return None
    return together


def apply_changes(text: str, changes: Sequence[TextChange]) -> str:
    for change in sorted(changes, key=lambda part: part.start, reverse=True):
        text = text[: change.start] + change.new + text[change.end :]
    return text


def _in_case_of(old: str, new: str) -> str:
    """Written as the old word is: small, Capital or ALL CAPITALS."""
    if len(old) > 1 and old.isupper():
        return new.upper()
    return new.capitalize() if old[:1].isupper() else new


FlipKind = Literal["relation", "color", "count"]
RawSpec = Mapping[str, Any]

FLIP_KINDS: Final[tuple[FlipKind, ...]] = ("relation", "color", "count")
"""``relation``: left and right, above and below change places. ``color``: two coloured objects change colours; a single one
gets the colour that is half of GenEval's ten further. Flipped twice, both are what they were. ``count``: an exact number
becomes ``other_number``."""

FLIP_REASONS: Final = frozenset({
    "unreadable_spec", "no_relation", "no_color", "no_exact_number",
    "same_kind", "same_color", "too_many_colors", "unknown_color",
})  # fmt: skip
"""Why a prompt cannot be flipped."""

_MOST: Final = 4
"""GenEval's largest number; people can tell 4 from "5 or more" as well."""


@dataclass(frozen=True, slots=True)
class Flipped(HasSpec):
    """A flipped prompt. ``spec`` is written as the original is; ``text`` is None where it cannot be changed surely."""

    spec: RawSpec
    text: str | None


@dataclass(frozen=True, slots=True)
class Unflipped:
    """A prompt that asks for nothing that could be flipped so; ``reason`` is a short name (``no_relation``)."""

    reason: str


def flip(text: str, spec: RawSpec, kind: FlipKind) -> Flipped | Unflipped:
    """Flip what a prompt asks for; of a spec that cannot be read, too, it is only said that it cannot be.

    Raises:
        ValueError: there is no such kind.
    """
    check_kind(kind)
    try:
        parsed = parse_spec(spec)
    except SpecError:
        return Unflipped("unreadable_spec")
    return _FLIPS[kind](text, spec, parsed)


def check_kind(kind: str) -> None:
    """Let a kind of flip pass.

    Raises:
        ValueError: there is none of that name; the message says which there are.
    """
    if kind not in FLIP_KINDS:
        raise ValueError(f"there is no flip {kind!r}; known: {', '.join(FLIP_KINDS)}")


def other_number(n: int) -> int:
    """One more; from 4 on, GenEval's largest, one fewer, but never more than 4."""
    return n + 1 if n < _MOST else min(n - 1, _MOST)


def _relation(text: str, spec: RawSpec, parsed: Spec) -> Flipped | Unflipped:
    if not parsed.relations:
        return Unflipped("no_relation")
    if relates_same_kind(parsed):
        return Unflipped("same_kind")
    if "include" in spec:
        new: RawSpec = {**spec, "include": [_opposite_position(entry) for entry in spec["include"]]}
    else:
        new = {**spec, "relation": opposite(spec["relation"])}
    return _flipped(text, new, opposite_sides(text, parsed))


def _opposite_position(entry: RawSpec) -> RawSpec:
    if entry.get("position") is None:
        return entry
    relation, reference = entry["position"]
    return {**entry, "position": [opposite(relation), reference]}


def _color(text: str, spec: RawSpec, parsed: Spec) -> Flipped | Unflipped:
    colored = {k: thing.color for k, thing in enumerate(parsed.objects) if thing.color is not None}
    if not colored or len(colored) > 2:
        return Unflipped("too_many_colors" if colored else "no_color")
    if len(colored) == 1:
        ((k, color),) = colored.items()
        if color not in COLORS:
            return Unflipped("unknown_color")
        new = {k: COLORS[(COLORS.index(color) + len(COLORS) // 2) % len(COLORS)]}
    else:
        (a, first), (b, second) = colored.items()
        if first == second:
            return Unflipped("same_color")
        if are_same_kind(parsed.objects[a], parsed.objects[b]):
            return Unflipped("same_kind")
        new = {a: second, b: first}
    include = [{**entry, "color": new[k]} if k in new else entry for k, entry in enumerate(spec["include"])]
    changes = joined_changes(recolor(text, parsed.objects[k], color) for k, color in new.items())
    return _flipped(text, {**spec, "include": include}, changes)


def _count(text: str, spec: RawSpec, parsed: Spec) -> Flipped | Unflipped:
    exact = {k: thing for k, thing in enumerate(parsed.objects) if thing.exact and is_exact_number(thing, parsed)}
    if not exact:
        return Unflipped("no_exact_number")
    names = [thing.name for thing in parsed.objects]
    if any(names.count(thing.name) > 1 for thing in exact.values()):
        return Unflipped("same_kind")
    new = {thing.name: other_number(thing.count) for thing in exact.values()}
    include = [{**entry, "count": new[entry["class"]]} if k in exact else entry for k, entry in enumerate(spec["include"])]
    flipped: dict[str, Any] = {**spec, "include": include}
    if spec.get("exclude") is not None:
        flipped["exclude"] = [
            {**entry, "count": new[entry["class"]] + 1} if entry["class"] in new else entry for entry in spec["exclude"]
        ]
    changes = joined_changes(renumber(text, thing, new[thing.name]) for thing in exact.values())
    return _flipped(text, flipped, changes)


def is_exact_number(thing: ObjectSpec, parsed: Spec) -> bool:
    """Whether one number alone of an exact thing will do: what is excluded may leave room for several."""
    return all(excluded.count == thing.count + 1 for excluded in parsed.excludes if excluded.name == thing.name)


_FLIPS: Final[dict[FlipKind, Callable[[str, RawSpec, Spec], Flipped | Unflipped]]] = {
    "relation": _relation,
    "color": _color,
    "count": _count,
}


def relates_same_kind(parsed: Spec) -> bool:
    """Whether a relation is of two of one kind: a cup left of a cup is a cup right of a cup."""
    return any(are_same_kind(parsed.objects[each.subject], parsed.objects[each.reference]) for each in parsed.relations)


def are_same_kind(a: ObjectSpec, b: ObjectSpec) -> bool:
    """Whether both are of one kind."""
    return plain_name(a.name) == plain_name(b.name)


def _flipped(text: str, spec: RawSpec, changes: TextChanges) -> Flipped:
    new = None if changes is None else apply_changes(text, changes)
    # GenEval's metadata repeat the text
    prompt = {"prompt": new} if new is not None and spec.get("prompt") == text else {}
    return Flipped({key: value for key, value in spec.items() if key != "prompt" or prompt} | prompt, new)
