"""Captions written from what a spec asks for, each in its suite's own words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from data.prompts import geneval, sr2d
from data.prompts.spec import Spec

_MOST: Final = 4
"""GenEval writes no larger number."""


def sentence(raw: Mapping[str, Any], spec: Spec) -> str | None:
    """What the suite in whose form ``raw`` is would say of ``spec``; None where it has no sentence for it.

    SR2D: one object, or two with a relation or ``and``. GenEval: its six tasks (Ghosh et al., 2023, appendix C.1).
    """
    if not spec.objects or len(spec.relations) > 1:
        return None
    return _geneval(spec) if "include" in raw else _sr2d(spec)


def _sr2d(spec: Spec) -> str:
    if spec.relations:
        (asked,) = spec.relations
        names = (spec.objects[asked.subject].name, spec.objects[asked.reference].name)
        return sr2d.text_of(*names, asked.relation.split()[0])
    return sr2d.text_of(*(thing.name for thing in spec.objects))


def _geneval(spec: Spec) -> str | None:
    names = [thing.name for thing in spec.objects]
    colors = [thing.color for thing in spec.objects if thing.color is not None]
    if any(excluded.name not in names for excluded in spec.excludes):
        return None
    if len(names) == 1:
        return _one(names[0], spec.objects[0].count, colors)
    if len(names) > 2 or any(thing.count > 1 for thing in spec.objects):
        return None
    if spec.relations:
        (asked,) = spec.relations
        made = geneval.position(names[asked.subject], names[asked.reference], asked.relation) if not colors else None
    elif colors:
        made = geneval.color_attr(names, colors) if len(colors) == 2 else None
    else:
        made = geneval.two_object(*names)
    return None if made is None else str(made["prompt"])


def _one(name: str, count: int, colors: list[str]) -> str | None:
    if count > 1:
        return None if colors or count > _MOST else str(geneval.counting(name, count)["prompt"])
    return str((geneval.colors(name, colors[0]) if colors else geneval.single_object(name))["prompt"])
