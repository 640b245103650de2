"""Prompts turned into what their images should not show: the flip test of VISOR (Gokhale et al., 2022, section 5.1).

The spec is flipped first. The text follows only where it says what the spec says in the spec's own words, so that changing
these words surely changes nothing else; every published prompt of GenEval and SR2D does.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal

from data.prompts.coco import plain_name
from data.prompts.geneval import COLORS
from data.prompts.spec import ObjectSpec, Spec, SpecError, parse_spec
from data.prompts.wording import OPPOSITE, Changes, changed, recolored, renumbered, sides, together

Kind = Literal["relation", "color", "count"]
Raw = Mapping[str, Any]

KINDS: Final[tuple[Kind, ...]] = ("relation", "color", "count")
"""``relation``: left and right, above and below change places. ``color``: two coloured objects change colours; a single one
gets the colour that is half of GenEval's ten further. Flipped twice, both are what they were. ``count``: an exact number
becomes ``other_number``."""

REASONS: Final = frozenset({
    "unreadable_spec", "no_relation", "no_color", "no_exact_number",
    "same_kind", "same_color", "too_many_colors", "unknown_color",
})  # fmt: skip
"""Why a prompt cannot be flipped."""

_MOST: Final = 4
"""GenEval's largest number; people can tell 4 from "5 or more" as well."""


@dataclass(frozen=True, slots=True)
class Flipped:
    """A flipped prompt. ``spec`` is written as the original is; ``text`` is None where it cannot be changed surely."""

    spec: Raw
    text: str | None


@dataclass(frozen=True, slots=True)
class Unflipped:
    """A prompt that asks for nothing that could be flipped so; ``reason`` is a short name (``no_relation``)."""

    reason: str


def flip(text: str, spec: Raw, kind: Kind) -> Flipped | Unflipped:
    """Flip what a prompt asks for; of a spec that cannot be read, too, it is only said that it cannot be.

    Raises:
        ValueError: there is no such kind.
    """
    check(kind)
    try:
        parsed = parse_spec(spec)
    except SpecError:
        return Unflipped("unreadable_spec")
    return _FLIPS[kind](text, spec, parsed)


def check(kind: str) -> None:
    """Let a kind of flip pass.

    Raises:
        ValueError: there is none of that name; the message says which there are.
    """
    if kind not in KINDS:
        raise ValueError(f"there is no flip {kind!r}; known: {', '.join(KINDS)}")


def other_number(n: int) -> int:
    """One more; from 4 on, GenEval's largest, one fewer, but never more than 4."""
    return n + 1 if n < _MOST else min(n - 1, _MOST)


def _relation(text: str, spec: Raw, parsed: Spec) -> Flipped | Unflipped:
    if not parsed.relations:
        return Unflipped("no_relation")
    if any(alike(parsed.objects[one.subject], parsed.objects[one.reference]) for one in parsed.relations):
        return Unflipped("same_kind")  # a cup left of a cup: the flipped prompt asks for the same
    if "include" in spec:
        new: Raw = {**spec, "include": [_turned(entry) for entry in spec["include"]]}
    else:
        new = {**spec, "relation": _opposite(spec["relation"])}
    return _flipped(text, new, sides(text, [one.relation.split()[0] for one in parsed.relations]))


def _turned(entry: Raw) -> Raw:
    if entry.get("position") is None:
        return entry
    relation, reference = entry["position"]
    return {**entry, "position": [_opposite(relation), reference]}


def _opposite(relation: str) -> str:
    first, *rest = relation.split()
    return " ".join([OPPOSITE[first], *rest])


def _color(text: str, spec: Raw, parsed: Spec) -> Flipped | Unflipped:
    colored = {k: one.color for k, one in enumerate(parsed.objects) if one.color is not None}
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
        if alike(parsed.objects[a], parsed.objects[b]):
            return Unflipped("same_kind")
        new = {a: second, b: first}
    include = [{**entry, "color": new[k]} if k in new else entry for k, entry in enumerate(spec["include"])]
    changes = together(recolored(text, parsed.objects[k], color) for k, color in new.items())
    return _flipped(text, {**spec, "include": include}, changes)


def _count(text: str, spec: Raw, parsed: Spec) -> Flipped | Unflipped:
    exact = {k: one for k, one in enumerate(parsed.objects) if one.exact and is_number(one, parsed)}
    if not exact:
        return Unflipped("no_exact_number")
    names = [one.name for one in parsed.objects]
    if any(names.count(one.name) > 1 for one in exact.values()):
        return Unflipped("same_kind")
    new = {one.name: other_number(one.count) for one in exact.values()}
    include = [{**entry, "count": new[entry["class"]]} if k in exact else entry for k, entry in enumerate(spec["include"])]
    flipped: dict[str, Any] = {**spec, "include": include}
    if spec.get("exclude") is not None:
        flipped["exclude"] = [
            {**entry, "count": new[entry["class"]] + 1} if entry["class"] in new else entry for entry in spec["exclude"]
        ]
    changes = together(renumbered(text, one, new[one.name]) for one in exact.values())
    return _flipped(text, flipped, changes)


def is_number(thing: ObjectSpec, parsed: Spec) -> bool:
    """Whether one number alone of an exact thing will do: what is excluded may leave room for several."""
    return all(one.count == thing.count + 1 for one in parsed.excludes if one.name == thing.name)


_FLIPS: Final[dict[Kind, Callable[[str, Raw, Spec], Flipped | Unflipped]]] = {
    "relation": _relation,
    "color": _color,
    "count": _count,
}


def alike(a: ObjectSpec, b: ObjectSpec) -> bool:
    """Whether both are of one kind."""
    return plain_name(a.name) == plain_name(b.name)


def _flipped(text: str, spec: Raw, changes: Changes) -> Flipped:
    new = None if changes is None else changed(text, changes)
    # GenEval's metadata repeat the text
    told = {"prompt": new} if new is not None and spec.get("prompt") == text else {}
    return Flipped({key: value for key, value in spec.items() if key != "prompt" or told} | told, new)
