"""Captions to choose among: image-text matching (SelfEval, section 4.1).

A prompt of a matching suite brings them in its spec: ``{"captions": [...], "right": 0, "group"?: "..."}``; its text is the
right one. Of any other prompt they are its text and what is false of an image that shows it: the spec with one thing changed
(GenEval's and SR2D's specs), written in its suite's own words. A relation becomes its opposite, as the other two may hold
beside the one that is asked. Two colours are swapped, one becomes another of GenEval's ten; an exact number becomes another of
2 to 4; an object becomes another of COCO's. Nothing is drawn by chance: the same prompt has the same captions everywhere.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain, zip_longest
from typing import Any, Final

from data.files import quoted
from data.playground.objects import KINDS
from data.prompts import geneval_suite, sr2d_suite
from data.prompts.coco import COCO, GENEVAL, SUPERCATEGORY, plain_name
from data.prompts.flips import (
    RawSpec,
    TextChanges,
    apply_changes,
    are_same_kind,
    is_exact_number,
    joined_changes,
    opposite_sides,
    other_number,
    recolor,
    relates_same_kind,
    rename_object,
    renumber,
)
from data.prompts.geneval_suite import COLORS
from data.spec import ObjectSpec, Spec, SpecError, opposite, parse_spec

_MAX_COUNT: Final = 4
"""GenEval writes no larger number."""


def suite_sentence(raw: Mapping[str, Any], spec: Spec) -> str | None:
    """What the suite in whose form ``raw`` is would say of ``spec``; None where it has no sentence for it.

    SR2D: one object, or two with a relation or ``and``. GenEval: its six tasks (Ghosh et al., 2023, appendix C.1).
    """
    if not spec.objects or len(spec.relations) > 1:
        return None
    return _geneval_sentence(spec) if "include" in raw else _sr2d_sentence(spec)


def _sr2d_sentence(spec: Spec) -> str:
    if spec.relations:
        (relation,) = spec.relations
        names = (spec.objects[relation.subject].name, spec.objects[relation.reference].name)
        return sr2d_suite.prompt_text(*names, relation.relation.split()[0])
    return sr2d_suite.prompt_text(*(thing.name for thing in spec.objects))


def _geneval_sentence(spec: Spec) -> str | None:
    names = [thing.name for thing in spec.objects]
    colors = [thing.color for thing in spec.objects if thing.color is not None]
    if any(excluded.name not in names for excluded in spec.excludes):
        return None
    if len(names) == 1:
        return _single_object_sentence(names[0], spec.objects[0].count, colors)
    if len(names) > 2 or any(thing.count > 1 for thing in spec.objects):
        return None
    if spec.relations:
        (relation,) = spec.relations
        made = (
            geneval_suite.position(names[relation.subject], names[relation.reference], relation.relation)
            if not colors
            else None
        )
    elif colors:
        made = geneval_suite.color_attr(names, colors) if len(colors) == 2 else None
    else:
        made = geneval_suite.two_object(*names)
    return None if made is None else str(made["prompt"])


def _single_object_sentence(name: str, count: int, colors: list[str]) -> str | None:
    if count > 1:
        return None if colors or count > _MAX_COUNT else str(geneval_suite.counting(name, count)["prompt"])
    return str((geneval_suite.colors(name, colors[0]) if colors else geneval_suite.single_object(name))["prompt"])


MAX_WRONG_CAPTIONS: Final = 3
"""Wrong captions of one prompt, at most: C = 4."""

_STEPS: Final = (5, 2, 8)
"""How far another colour is from the asked one in GenEval's ten; the first is the flip test's."""
_COUNTS: Final = (2, 3, 4)


@dataclass(frozen=True, slots=True)
class _Altered:
    """A changed spec. ``changes`` make the prompt's text follow; None where that is not sure."""

    spec: Spec
    changes: TextChanges


def wrong_captions(text: str, raw: RawSpec, most: int = MAX_WRONG_CAPTIONS) -> list[str]:
    """Up to ``most`` captions that are false of an image that shows the prompt, all different; none where nothing can be
    changed. First what the spec asks of relation, colour and number, in turn, then other objects.

    The text's own words are changed where that is sure (``data.prompts.flips``); else, and where the text is the suite's own,
    the suite's sentence is written anew.

    Raises:
        SpecError: the spec cannot be read.
    """
    spec = parse_spec(raw)
    own = suite_sentence(raw, spec) == text
    of_demands = zip_longest(_relations(text, spec), _colors(text, spec), _counts(text, spec))
    # the first other kind of each object, then the second of each, and so on
    of_objects = zip_longest(
        *(
            map(partial(_renamed, text, spec, k), _other_names(thing, spec, "include" in raw))
            for k, thing in enumerate(spec.objects)
        )
    )
    altered = (alteration for row in chain(of_demands, of_objects) for alteration in row if alteration is not None)
    captions = (
        (suite_sentence(raw, alteration.spec) if alteration.changes is None or own else apply_changes(text, alteration.changes))
        for alteration in altered
    )
    distinct = {_normalized(text): text}
    for caption in captions:
        if caption is not None:
            distinct.setdefault(_normalized(caption), caption)
        if len(distinct) > most:
            break
    return list(distinct.values())[1:]


def _normalized(caption: str) -> str:
    return " ".join(caption.casefold().split())


def _relations(text: str, spec: Spec) -> Iterator[_Altered]:
    if spec.relations and not relates_same_kind(spec):
        turned = tuple(replace(each, relation=opposite(each.relation)) for each in spec.relations)  # type: ignore[arg-type]
        yield _Altered(replace(spec, relations=turned), opposite_sides(text, spec))


def _colors(text: str, spec: Spec) -> Iterator[_Altered]:
    painted = {k: thing.color for k, thing in enumerate(spec.objects) if thing.color is not None}
    if len(painted) == 2:
        (a, first), (b, second) = painted.items()
        if first != second and not are_same_kind(spec.objects[a], spec.objects[b]):
            yield _repainted(text, spec, {a: second, b: first})
    for step in _STEPS:
        for k, color in painted.items():
            if color in COLORS:
                other = COLORS[(COLORS.index(color) + step) % len(COLORS)]
                if other not in painted.values():
                    yield _repainted(text, spec, {k: other})


def _repainted(text: str, spec: Spec, colors: dict[int, str]) -> _Altered:
    changes = joined_changes(recolor(text, spec.objects[k], color) for k, color in colors.items())
    return _Altered(_with_objects(spec, {k: replace(spec.objects[k], color=color) for k, color in colors.items()}), changes)


def _counts(text: str, spec: Spec) -> Iterator[_Altered]:
    names = [thing.name for thing in spec.objects]
    for k, thing in enumerate(spec.objects):
        if not thing.exact or not is_exact_number(thing, spec) or names.count(thing.name) > 1:
            continue
        near = other_number(thing.count)
        for number in (near, *(n for n in _COUNTS if n not in (near, thing.count))):
            yield _Altered(_with_objects(spec, {k: replace(thing, count=number)}), renumber(text, thing, number))


def _renamed(text: str, spec: Spec, k: int, name: str) -> _Altered:
    thing = spec.objects[k]
    changes = rename_object(text, thing, name)
    others = tuple(replace(excluded, name=name) if excluded.name == thing.name else excluded for excluded in spec.excludes)
    return _Altered(replace(_with_objects(spec, {k: replace(thing, name=name)}), excludes=others), changes)


def _other_names(thing: ObjectSpec, spec: Spec, geneval: bool) -> Sequence[str]:
    """Names to put in its place, those of its supercategory first. Of a name that is not COCO's nothing is said, as it may be
    a kind of one that is; people are in too many pictures; what the small world has stays in it, whose models know no more."""
    plain_names = {plain_name(other.name) for other in spec.objects}
    mine = plain_name(thing.name)
    if mine not in SUPERCATEGORY:
        return []
    pool = [*KINDS] if plain_names <= KINDS.keys() else [*COCO]
    index = pool.index(mine) + len(pool) // 2
    turned = [name for name in (*pool[index % len(pool) :], *pool[: index % len(pool)]) if name not in {*plain_names, "person"}]
    near = sorted(turned, key=lambda name: SUPERCATEGORY[name] != SUPERCATEGORY[mine])
    return [GENEVAL[COCO.index(name)] if geneval else name for name in near[:MAX_WRONG_CAPTIONS]]


def _with_objects(spec: Spec, things: dict[int, ObjectSpec]) -> Spec:
    return replace(spec, objects=tuple(things.get(k, thing) for k, thing in enumerate(spec.objects)))


@dataclass(frozen=True, slots=True)
class Candidates:
    """Two captions or more, all different; ``right`` is the place of the one that fits."""

    captions: tuple[str, ...]
    right: int = 0


def caption_candidates(text: str, spec: Mapping[str, Any]) -> Candidates | None:
    """What to choose among: the spec's captions, or the text and what ``negatives`` make of it. None if there is nothing but
    the text, or the spec cannot be read."""
    try:
        if "captions" in spec:
            return candidates_of_spec(spec)
        wrong = wrong_captions(text, spec)
    except SpecError:
        return None
    return Candidates((text, *wrong)) if wrong and text.strip() else None


def candidates_of_spec(spec: Mapping[str, Any]) -> Candidates:
    """What a matching suite's spec says.

    Raises:
        SpecError: there are fewer than two different captions, one is empty or no text, or ``right`` is none of them.
    """
    captions, right = spec.get("captions"), spec.get("right", 0)
    if not isinstance(captions, list | tuple) or not all(isinstance(caption, str) and caption.strip() for caption in captions):
        raise SpecError("'captions' must be a list of texts, none of them empty")
    if len(captions) < 2 or len(set(captions)) < len(captions):
        raise SpecError("'captions' must be two or more, all different")
    if not isinstance(right, int) or isinstance(right, bool) or not 0 <= right < len(captions):
        raise SpecError(f"'right' must be the place of a caption, 0 to {len(captions) - 1}, got {quoted(right)}")
    return Candidates(tuple(captions), right)
