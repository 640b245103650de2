"""The careless renderer's mistakes: a sound plan is changed so that the one thing named is broken."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal, TypeVar

import numpy as np

from data.playground.kinds import KINDS
from data.playground.layout import MAX_OBJECTS, Link, Plan, Thing
from data.playground.looks import Look
from data.prompts.geneval import COLORS
from data.prompts.spec import Relation, Spec

Fault = Literal[
    "wrong count",
    "wrong colour",
    "wrong side",
    "swapped colours",
    "leaked colour",
    "missing object",
    "merged objects",
]

_T = TypeVar("_T")

_OPPOSITE: Final[dict[Relation, Relation]] = {
    "left of": "right of",
    "right of": "left of",
    "above": "below",
    "below": "above",
}


def possible(spec: Spec, plan: Plan) -> list[Fault]:
    """The faults that would break this spec, in a fixed order."""
    colored = [wanted for wanted in spec.objects if wanted.color is not None]
    many = any(wanted.count > 1 or wanted.exact for wanted in spec.objects)
    found: list[Fault] = []
    if many:
        found.append("wrong count")
    else:
        found.append("missing object")
    if len(plan.things) > 1:
        found.append("merged objects")
    if colored:
        found.append("wrong colour")
    if len({wanted.color for wanted in colored}) > 1:
        found += ["swapped colours", "leaked colour"]
    if plan.links:
        found.append("wrong side")
    return found


def spoil(spec: Spec, plan: Plan, fault: Fault, look: Look, rng: np.random.Generator) -> Plan:
    """The plan with one fault; it may still meet the spec (two apples of swapped colours are the same two apples)."""
    return _SPOIL[fault](_Job(spec, plan, look, rng))


@dataclass(frozen=True, slots=True)
class _Job:
    spec: Spec
    plan: Plan
    look: Look
    rng: np.random.Generator


def _wrong_count(job: _Job) -> Plan:
    plan = job.plan
    entry = _pick([k for k, wanted in enumerate(job.spec.objects) if wanted.count > 1 or wanted.exact], job.rng)
    mine = [n for n, thing in enumerate(plan.things) if thing.entry == entry]
    more = job.spec.objects[entry].exact and len(plan.things) < MAX_OBJECTS and job.rng.random() < 0.5
    if more or len(plan.things) == 1:
        return Plan((*plan.things, plan.things[mine[-1]]), plan.links)
    return _without(plan, mine[-1])


def _missing(job: _Job) -> Plan:
    """One object gone, or another kind in its place."""
    plan = job.plan
    lost = int(job.rng.integers(len(plan.things)))
    if len(plan.things) > 1 and job.rng.random() < 0.5:
        return _without(plan, lost)
    asked = {wanted.name for wanted in job.spec.objects}
    kind = _pick([name for name in KINDS if name not in asked and job.look.colors(name)], job.rng)
    color, colors = plan.things[lost].color, job.look.colors(kind)
    other = Thing(kind, color if color in colors else _pick(colors, job.rng))
    return replace(plan, things=tuple(other if n == lost else thing for n, thing in enumerate(plan.things)))


def _merged(job: _Job) -> Plan:
    """One object drawn over the place of two; the second is gone."""
    spoiled = _without(job.plan, len(job.plan.things) - 1)
    *others, last = spoiled.things
    return replace(spoiled, things=(*others, replace(last, wide=True)))


def _wrong_color(job: _Job) -> Plan:
    entry = _pick([k for k, wanted in enumerate(job.spec.objects) if wanted.color is not None], job.rng)
    taken = {wanted.color for wanted in job.spec.objects}
    others = [color for color in job.look.colors(job.spec.objects[entry].name) if color not in taken]
    # a look may know only the asked colours of a kind: then any other is wrong, too
    return _painted(job.plan, entry, _pick(others or [color for color in COLORS if color not in taken], job.rng))


def _swapped(job: _Job) -> Plan:
    (a, color_a), (b, color_b) = _two_colored(job.spec)
    return _painted(_painted(job.plan, a, color_b), b, color_a)


def _leaked(job: _Job) -> Plan:
    """One object takes the other's colour."""
    (a, color_a), (b, color_b) = _two_colored(job.spec)
    return _painted(job.plan, b, color_a) if job.rng.random() < 0.5 else _painted(job.plan, a, color_b)


def _wrong_side(job: _Job) -> Plan:
    """The opposite side."""
    links = list(job.plan.links)
    number = int(job.rng.integers(len(links)))
    links[number] = replace(links[number], relation=_OPPOSITE[links[number].relation])
    return replace(job.plan, links=tuple(links))


def _two_colored(spec: Spec) -> tuple[tuple[int, str], tuple[int, str]]:
    """Two entries whose colours differ, each with its colour."""
    colored = [(k, wanted.color) for k, wanted in enumerate(spec.objects) if wanted.color is not None]
    return colored[0], next(entry for entry in colored if entry[1] != colored[0][1])


def _painted(plan: Plan, entry: int, color: str) -> Plan:
    return replace(plan, things=tuple(replace(t, color=color) if t.entry == entry else t for t in plan.things))


def _without(plan: Plan, lost: int) -> Plan:
    def moved(number: int) -> int:
        return number - (number > lost)

    links = tuple(
        Link(moved(link.subject), moved(link.reference), link.relation)
        for link in plan.links
        if lost not in (link.subject, link.reference)
    )
    return Plan(tuple(thing for n, thing in enumerate(plan.things) if n != lost), links)


def _pick(options: Sequence[_T], rng: np.random.Generator) -> _T:
    return options[int(rng.integers(len(options)))]


_SPOIL: Final[dict[Fault, Callable[[_Job], Plan]]] = {
    "wrong count": _wrong_count,
    "wrong colour": _wrong_color,
    "wrong side": _wrong_side,
    "swapped colours": _swapped,
    "leaked colour": _leaked,
    "missing object": _missing,
    "merged objects": _merged,
}
