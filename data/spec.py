"""What a prompt asks for, in one shape whatever the suite wrote it in."""

from __future__ import annotations

from collections.abc import Mapping
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

RELATION_PHRASES: Final[Mapping[Relation, str]] = {
    "left of": "to the left of", "right of": "to the right of", "above": "above", "below": "below"
}  # fmt: skip
"""A relation as a sentence says it."""

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
class ExcludeSpec:
    """Fewer than ``count`` of the class ``name`` may be in the image (GenEval's ``exclude``)."""

    name: str
    count: int


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
    plain = all(asked.count == 1 and not asked.exact and asked.color is None for asked in spec.objects)
    return bool(spec.objects) and plain and not spec.excludes


def _geneval(spec: Mapping[str, Any]) -> Spec:
    include, tag = _entries(spec, "include"), spec.get("tag")
    if tag is not None and not isinstance(tag, str):
        raise SpecError(f"'tag' must be a task's name, got {quoted(tag)}")
    excludes = tuple(
        ExcludeSpec(entry["class"], _count(entry, f"exclude[{k}]")) for k, entry in enumerate(_entries(spec, "exclude"))
    )
    excluded = {exclude.name for exclude in excludes}
    targets = _unique([entry["class"] for entry in include])
    objects: list[ObjectSpec] = []
    relations: list[RelationSpec] = []
    for k, entry in enumerate(include):
        count = _count(entry, f"include[{k}]", 1)
        exact = tag == "counting" or entry["class"] in excluded
        color = entry.get("color")
        if color is not None and not isinstance(color, str):
            raise SpecError(f"'include[{k}].color' must be a colour name, got {quoted(color)}")
        objects.append(ObjectSpec(entry["class"], targets[k], count, exact, color))
        if entry.get("position") is not None:
            relations.append(_geneval_relation(entry["position"], k, targets))
    return Spec(tuple(objects), tuple(relations), excludes, tag)


def _entries(spec: Mapping[str, Any], key: str) -> list[Mapping[str, Any]]:
    """The clauses of one kind, each with the name of a class."""
    found = spec.get(key)
    if found is None:
        found = []
    if not isinstance(found, list):
        raise SpecError(f"'{key}' must be a list, got {type(found).__name__}")
    for k, entry in enumerate(found):
        if not isinstance(entry, Mapping) or not isinstance(entry.get("class"), str) or not entry["class"].strip():
            raise SpecError(f"'{key}[{k}]' needs a 'class' name")
    return found


def _count(entry: Mapping[str, Any], where: str, usual: int | None = None) -> int:
    count = entry.get("count", usual)
    if not isinstance(count, int) or isinstance(count, bool) or count < 1:
        raise SpecError(f"'{where}.count' must be a whole number of at least 1, got {quoted(count)}")
    return count


def _geneval_relation(position: Any, subject: int, targets: list[str]) -> RelationSpec:
    where = f"'include[{subject}].position'"
    if not isinstance(position, (list, tuple)) or len(position) != 2:
        raise SpecError(f"{where} must be [relation, index], got {quoted(position)}")
    relation, reference = position
    if not isinstance(relation, str) or relation not in _RELATIONS:
        raise SpecError(f"{where}: unknown relation {quoted(relation)}; known: left of, right of, above, below")
    if (
        not isinstance(reference, int)
        or isinstance(reference, bool)
        or not 0 <= reference < len(targets)
        or reference == subject
    ):
        raise SpecError(f"{where}: {quoted(reference)} is not the index of another object")
    return _relation(subject, reference, relation, targets)


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
