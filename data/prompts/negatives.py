"""Captions that are false of an image that shows a prompt: the spec with one thing changed (SelfEval, section 4.1; GenEval's
and SR2D's specs).

A relation becomes its opposite, as the other two may hold beside the one that is asked. Two colours are swapped, one becomes
another of GenEval's ten; an exact number becomes another of 2 to 4; an object becomes another of COCO's. Nothing is drawn by
chance: the same prompt has the same captions everywhere.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain, islice, zip_longest
from typing import Final

from data.playground.kinds import KINDS
from data.prompts.coco import COCO, GENEVAL, SUPERCATEGORY, plain_name
from data.prompts.flips import Raw, alike, is_number, other_number
from data.prompts.geneval import COLORS
from data.prompts.sentences import sentence
from data.prompts.spec import ObjectSpec, RelationSpec, Spec, parse_spec
from data.prompts.wording import OPPOSITE, Changes, changed, recolored, renamed, renumbered, sides, together

MOST: Final = 3
"""Wrong captions of one prompt, at most: C = 4."""

_STEPS: Final = (5, 2, 8)
"""How far another colour is from the asked one in GenEval's ten; the first is the flip test's."""
_NUMBERS: Final = (2, 3, 4)


@dataclass(frozen=True, slots=True)
class _Altered:
    """A changed spec. ``changes`` make the prompt's text follow; None where that is not sure."""

    spec: Spec
    changes: Changes


def wrong_captions(text: str, raw: Raw, most: int = MOST) -> list[str]:
    """Up to ``most`` captions that are false of an image that shows the prompt, all different; none where nothing can be
    changed. First what the spec asks of relation, colour and number, in turn, then other objects.

    The text's own words are changed where that is sure (``data.prompts.wording``); else, and where the text is the suite's own,
    the suite's sentence is written anew.

    Raises:
        SpecError: the spec cannot be read.
    """
    spec = parse_spec(raw)
    own = sentence(raw, spec) == text
    asked = zip_longest(_relations(text, spec), _colors(text, spec), _counts(text, spec))
    altered = chain((one for row in asked for one in row if one is not None), _objects(text, raw, spec))
    captions = (_caption(text, raw, one, own) for one in altered)
    return list(islice(_distinct(text, captions), most))


def _caption(text: str, raw: Raw, altered: _Altered, own: bool) -> str | None:
    if altered.changes is None or own:
        return sentence(raw, altered.spec)
    return changed(text, altered.changes)


def _distinct(text: str, captions: Iterator[str | None]) -> Iterator[str]:
    seen = {_plain(text)}
    for caption in captions:
        if caption is not None and _plain(caption) not in seen:
            seen.add(_plain(caption))
            yield caption


def _plain(caption: str) -> str:
    return " ".join(caption.casefold().split())


def _relations(text: str, spec: Spec) -> Iterator[_Altered]:
    if not spec.relations or any(alike(spec.objects[one.subject], spec.objects[one.reference]) for one in spec.relations):
        return  # a cup left of a cup is a cup right of a cup
    turned = tuple(_turned(one) for one in spec.relations)
    yield _Altered(replace(spec, relations=turned), sides(text, [one.relation.split()[0] for one in spec.relations]))


def _turned(one: RelationSpec) -> RelationSpec:
    first, *rest = one.relation.split()
    relation = " ".join([OPPOSITE[first], *rest])
    return replace(one, relation=relation)  # type: ignore[arg-type]


def _colors(text: str, spec: Spec) -> Iterator[_Altered]:
    painted = {k: thing.color for k, thing in enumerate(spec.objects) if thing.color is not None}
    if len(painted) == 2:
        (a, first), (b, second) = painted.items()
        if first != second and not alike(spec.objects[a], spec.objects[b]):
            yield _repainted(text, spec, {a: second, b: first})
    for step in _STEPS:
        for k, color in painted.items():
            if color in COLORS:
                other = COLORS[(COLORS.index(color) + step) % len(COLORS)]
                if other not in painted.values():
                    yield _repainted(text, spec, {k: other})


def _repainted(text: str, spec: Spec, colors: dict[int, str]) -> _Altered:
    changes = together(recolored(text, spec.objects[k], color) for k, color in colors.items())
    return _Altered(_with(spec, {k: replace(spec.objects[k], color=color) for k, color in colors.items()}), changes)


def _counts(text: str, spec: Spec) -> Iterator[_Altered]:
    names = [thing.name for thing in spec.objects]
    for k, thing in enumerate(spec.objects):
        if not thing.exact or not is_number(thing, spec) or names.count(thing.name) > 1:
            continue
        near = other_number(thing.count)
        for number in (near, *(n for n in _NUMBERS if n not in (near, thing.count))):
            yield _Altered(_with(spec, {k: replace(thing, count=number)}), renumbered(text, thing, number))


def _objects(text: str, raw: Raw, spec: Spec) -> Iterator[_Altered]:
    """The first other kind of each object, then the second of each, and so on."""
    ways = [
        [_renamed(text, spec, k, name) for name in _others(thing, spec, "include" in raw)]
        for k, thing in enumerate(spec.objects)
    ]
    yield from (one for row in zip_longest(*ways) for one in row if one is not None)


def _renamed(text: str, spec: Spec, k: int, name: str) -> _Altered:
    thing = spec.objects[k]
    changes = renamed(text, thing, name)
    others = tuple(replace(one, name=name) if one.name == thing.name else one for one in spec.excludes)
    return _Altered(replace(_with(spec, {k: replace(thing, name=name)}), excludes=others), changes)


def _others(thing: ObjectSpec, spec: Spec, geneval: bool) -> Sequence[str]:
    """Names to put in its place, those of its supercategory first. Of a name that is not COCO's nothing is said, as it may be
    a kind of one that is; people are in too many pictures; what the small world has stays in it, whose models know no more."""
    asked = {plain_name(one.name) for one in spec.objects}
    mine = plain_name(thing.name)
    if mine not in SUPERCATEGORY:
        return []
    pool = [*KINDS] if asked <= KINDS.keys() else [*COCO]
    place = pool.index(mine) + len(pool) // 2
    turned = [name for name in (*pool[place % len(pool) :], *pool[: place % len(pool)]) if name not in {*asked, "person"}]
    near = sorted(turned, key=lambda name: SUPERCATEGORY[name] != SUPERCATEGORY[mine])
    return [GENEVAL[COCO.index(name)] if geneval else name for name in near[:MOST]]


def _with(spec: Spec, things: dict[int, ObjectSpec]) -> Spec:
    return replace(spec, objects=tuple(things.get(k, one) for k, one in enumerate(spec.objects)))
