"""What a prompt asks for, in one shape whatever the suite wrote it in."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final, Literal

from data.files import quoted

Relation = Literal["left of", "right of", "above", "below"]

_RELATIONS: dict[str, Relation] = {
    "left of": "left of",
    "right of": "right of",
    "above": "above",
    "below": "below",
    "left": "left of",
    "right": "right of",
}


OPPOSITE: Final = {"left": "right", "right": "left", "above": "below", "below": "above"}
"""By its word, the relation of b to a where that of a to b is given."""


def opposite(relation: str) -> str:
    """The same by its phrase or its word: ``right of`` of ``left of``."""
    word, *rest = relation.split()
    return " ".join([OPPOSITE[word], *rest])


RELATION_PHRASES: Final[Mapping[Relation, str]] = {
    "left of": "to the left of", "right of": "to the right of", "above": "above", "below": "below"
}  # fmt: skip
"""A relation as a sentence says it."""

DetailKind = Literal["material", "size", "depth", "distance"]
DEPTHS: Final = ("in front of", "behind")
DISTANCES: Final = {"near": "near", "far": "far from"}

NUMBER_WORDS: Final = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")


class SpecError(ValueError):
    """A spec that cannot be read; the message says which part and what was expected."""


@dataclass(frozen=True, slots=True)
class ObjectSpec:
    """One kind of object that must be in the image.

    Attributes:
        name: class name as the suite writes it (``"sports ball"``).
        target: the name, made unique within the spec (``"cup"``, ``"cup #2"``).
        count: how many; at least so many unless ``exact``.
        exact: neither more nor fewer (GenEval's counting task).
        color: the colour asked for, if any.
    """

    name: str
    target: str
    count: int = 1
    exact: bool = False
    color: str | None = None


@dataclass(frozen=True, slots=True)
class RelationSpec:
    """``objects[subject]`` stands in ``relation`` to ``objects[reference]``."""

    subject: int
    reference: int
    relation: Relation
    target: str


@dataclass(frozen=True, slots=True)
class DetailSpec:
    """What is asked of ``objects[subject]`` that boxes do not show: people and judges look at it, detectors do not.

    Attributes:
        kind: the aspect that it is judged by.
        value: the material (``"wood"``), the size (``"large"``), or how it stands to ``objects[reference]`` (``"behind"``,
            ``"near"``, ``"far from"``).
    """

    kind: DetailKind
    subject: int
    value: str
    target: str
    reference: int | None = None


@dataclass(frozen=True, slots=True)
class ExcludeSpec:
    """Fewer than ``count`` of the class ``name`` may be in the image (GenEval's ``exclude``); 1: none at all.

    ``unexpected``: it is a clause of its own that says so, and people are asked about it.
    """

    name: str
    count: int
    unexpected: bool = False


@dataclass(frozen=True, slots=True)
class Spec:
    """A prompt's demands. ``relations`` is empty where none is asked.

    Attributes:
        excludes: what must not be there so often; GenEval's counting task says by it that a number is exact.
        tag: GenEval's name of the task, on which the confidence that its code asks for depends.
    """

    objects: tuple[ObjectSpec, ...] = ()
    relations: tuple[RelationSpec, ...] = ()
    excludes: tuple[ExcludeSpec, ...] = ()
    tag: str | None = None
    details: tuple[DetailSpec, ...] = ()

    @property
    def absent(self) -> tuple[ExcludeSpec, ...]:
        """What must not be there by clauses of their own: other excludes say that a number is exact."""
        return tuple(excluded for excluded in self.excludes if excluded.unexpected)


class HasSpec:
    """A record with a prompt's ``spec``, JSON as it is stored; what it demands is parsed once, when it is first needed."""

    __slots__ = ("__dict__",)

    spec: Mapping[str, Any] | None

    @cached_property
    def demands(self) -> Spec:
        """The parsed spec; nothing where there is none.

        Raises:
            SpecError: it cannot be read.
        """
        return parse_spec(self.spec or {})


def parse_spec(spec: Mapping[str, Any]) -> Spec:
    """Read a GenEval metadata object, an SR2D spec, or ``{}`` (nothing known).

    GenEval: ``{"tag", "include": [{"class", "count", "color"?, "position"?: ["left of", 0]}], "exclude"?: [{"class",
    "count"}]}``; an ``exclude`` of the same class, or the tag ``counting``, makes the count exact (GenEval, appendix C.1).
    Ours, in a clause of ``include``: ``"expected": false`` (as an ``exclude``), ``"material": "wood"``, ``"size": "large"``,
    ``"depth": ["in front of" or "behind", 0]``, ``"distance": ["near" or "far", 0]``.
    SR2D (VISOR): ``{"a", "b"?, "relation"?}``, the relation being that of ``a`` to ``b``.

    Raises:
        SpecError: a part is missing or of the wrong kind.
    """
    if "include" in spec or "exclude" in spec:
        return _geneval(spec)
    if "a" in spec:
        return _sr2d(spec)
    return Spec()


def asks_only_positions(spec: Spec) -> bool:
    """Whether VISOR can say if all that is asked is there: it looks at neither numbers nor colours."""
    plain = all(thing.count == 1 and not thing.exact and thing.color is None for thing in spec.objects)
    return bool(spec.objects) and plain and not spec.excludes and not spec.details


def _geneval(spec: Mapping[str, Any]) -> Spec:
    listed, tag = _entries(spec, "include"), spec.get("tag")
    if tag is not None and not isinstance(tag, str):
        raise SpecError(f"'tag' must be a task's name, got {quoted(tag)}")
    excludes = tuple(
        ExcludeSpec(entry["class"], _count(entry, f"exclude[{k}]")) for k, entry in enumerate(_entries(spec, "exclude"))
    )
    unexpected = {k for k, entry in enumerate(listed) if _unexpected(entry, k)}
    # positions and the like name clauses by their places in the file
    places = {k: n for n, k in enumerate(k for k in range(len(listed)) if k not in unexpected)}
    include = [listed[k] for k in places]
    for k in sorted(unexpected):
        if any(entry["class"] == listed[k]["class"] for entry in include):
            raise SpecError(f"'include[{k}]' is not expected, and another clause expects {quoted(listed[k]['class'])}")
        excludes += (ExcludeSpec(listed[k]["class"], _count(listed[k], f"include[{k}]", 1), True),)
    excluded = {exclude.name for exclude in excludes}
    targets = _unique([entry["class"] for entry in include])
    objects: list[ObjectSpec] = []
    relations: list[RelationSpec] = []
    details: list[DetailSpec] = []
    for (index, k), entry in zip(places.items(), include, strict=True):
        count = _count(entry, f"include[{index}]", 1)
        exact = tag == "counting" or entry["class"] in excluded
        color = entry.get("color")
        if color is not None and not isinstance(color, str):
            raise SpecError(f"'include[{index}].color' must be a colour name, got {quoted(color)}")
        objects.append(ObjectSpec(entry["class"], targets[k], count, exact, color))
        if entry.get("position") is not None:
            relation, reference = _pair(entry["position"], f"'include[{index}].position'", index, places, _RELATIONS)
            relations.append(_relation(k, reference, relation, targets))
        details += _details(entry, index, places, targets)
    return Spec(tuple(objects), tuple(relations), excludes, tag, tuple(details))


def _unexpected(entry: Mapping[str, Any], k: int) -> bool:
    """Whether a clause says what must not be there."""
    expected = entry.get("expected", True)
    if not isinstance(expected, bool):
        raise SpecError(f"'include[{k}].expected' must be true or false, got {quoted(expected)}")
    more = [key for key in ("color", "position", *_DETAILS) if entry.get(key) is not None]
    if not expected and more:
        raise SpecError(f"'include[{k}]' is not expected, so it can have no '{more[0]}'")
    return not expected


_DETAILS: Final[tuple[DetailKind, ...]] = ("material", "size", "depth", "distance")


def _details(entry: Mapping[str, Any], index: int, places: Mapping[int, int], targets: list[str]) -> Iterator[DetailSpec]:
    subject = places[index]
    for kind in ("material", "size"):
        value = entry.get(kind)
        if value is not None:
            if not isinstance(value, str) or not value.strip():
                raise SpecError(f"'include[{index}].{kind}' must be a {kind}, got {quoted(value)}")
            yield DetailSpec(kind, subject, value.strip(), targets[subject])
    for key, words in (("depth", dict(zip(DEPTHS, DEPTHS, strict=True))), ("distance", DISTANCES)):
        if entry.get(key) is not None:
            word, reference = _pair(entry[key], f"'include[{index}].{key}'", index, places, words)
            target = f"{targets[subject]} {words[word]} {targets[reference]}"
            yield DetailSpec(key, subject, words[word], target, reference)  # type: ignore[arg-type]


def _entries(spec: Mapping[str, Any], key: str) -> list[Mapping[str, Any]]:
    """The clauses of one kind, each with the name of a class."""
    entries = spec.get(key)
    if entries is None:
        entries = []
    if not isinstance(entries, list):
        raise SpecError(f"'{key}' must be a list, got {type(entries).__name__}")
    for k, entry in enumerate(entries):
        if not isinstance(entry, Mapping) or not isinstance(entry.get("class"), str) or not entry["class"].strip():
            raise SpecError(f"'{key}[{k}]' needs a 'class' name")
    return entries


def _count(entry: Mapping[str, Any], where: str, usual: int | None = None) -> int:
    count = entry.get("count", usual)
    if not isinstance(count, int) or isinstance(count, bool) or count < 1:
        raise SpecError(f"'{where}.count' must be a whole number of at least 1, got {quoted(count)}")
    return count


def _pair(value: Any, where: str, index: int, places: Mapping[int, int], words: Mapping[str, Any]) -> tuple[str, int]:
    """How a clause stands to which other object."""
    if not isinstance(value, (list, tuple)) or len(value) != 2:
        raise SpecError(f"{where} must be [relation, index], got {quoted(value)}")
    relation, reference = value
    if not isinstance(relation, str) or relation not in words:
        known = dict.fromkeys(words.values()) if words is _RELATIONS else words
        raise SpecError(f"{where}: unknown relation {quoted(relation)}; known: {', '.join(known)}")
    if not isinstance(reference, int) or isinstance(reference, bool) or reference not in places or reference == index:
        raise SpecError(f"{where}: {quoted(reference)} is not the index of another object")
    return relation, places[reference]


def _sr2d(spec: Mapping[str, Any]) -> Spec:
    names = [spec[key] for key in ("a", "b") if spec.get(key) is not None]
    if not names or not all(isinstance(name, str) and name.strip() for name in names):
        raise SpecError("'a' and 'b' must be object names")
    targets = _unique(names)
    objects = tuple(ObjectSpec(name, target) for name, target in zip(names, targets, strict=True))
    relation = spec.get("relation")
    if relation is None:
        return Spec(objects)
    if not isinstance(relation, str) or relation not in _RELATIONS or len(names) != 2:
        raise SpecError(f"'relation' must be left, right, above or below between two objects, got {quoted(relation)}")
    return Spec(objects, (_relation(0, 1, relation, targets),))


def _relation(subject: int, reference: int, relation: str, targets: list[str]) -> RelationSpec:
    name = _RELATIONS[relation]
    return RelationSpec(subject, reference, name, f"{targets[subject]} {name} {targets[reference]}")


def _unique(names: list[str]) -> list[str]:
    seen: dict[str, int] = {}
    targets = []
    for name in names:
        seen[name] = seen.get(name, 0) + 1
        targets.append(name if seen[name] == 1 else f"{name} #{seen[name]}")
    return targets
