"""What is there of the objects that were asked for: how many, in which kind of prompt, and which of two."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from data.prompts.coco import plain_name
from data.prompts.spec import Spec
from scorers.base import Verdict
from scorers.failures.base import AS_ASKED, Case, Looked, Table, Unit, table
from scorers.visor_scores import Asked

TOO_FEW: Final = "too few"
TOO_MANY: Final = "too many"

ALL_FOUND: Final = "all found"
SOME_FOUND: Final = "some found"
NONE_FOUND: Final = "none found"

ONE: Final = "one object"
ONE_COLORED: Final = "one object in a colour"
TWO: Final = "two objects"
TWO_COLORED: Final = "two objects in colours"
RELATED: Final = "two objects in a relation"
KINDS: Final = (ONE, ONE_COLORED, TWO, TWO_COLORED, RELATED)
"""Kinds of prompt; VISOR's single, "and" and relation are those without colours."""

_IN_A_ROW: Final = 20

FIRST: Final = "first found"
SECOND: Final = "second found"
BOTH: Final = "both found"
ONLY_FIRST: Final = "only the first"
ONLY_SECOND: Final = "only the second"
ONLY_ONE: Final = "only one"
NEITHER: Final = "neither"


def counts(looked: Looked) -> Table:
    """Asked and found numbers of the objects of which a prompt asks an exact one (GenEval's counting task), uncapped."""
    pairs = [
        (case, asked.count, case.verdict.found[asked.name])
        for case in looked.cases
        for asked in case.spec.objects
        if asked.exact and asked.name in case.verdict.found
    ]
    units = [Unit(case, str(asked), (str(found), _compared(found, asked))) for case, asked, found in pairs]
    made = table(units, numbers({asked for _, asked, _ in pairs}), ())
    found = numbers({number for pair in pairs for number in pair[1:]}, gaps=True)
    return Table(made.asked, (*found, AS_ASKED, TOO_FEW, TOO_MANY) if pairs else (), made.units)


def numbers(occurring: Iterable[int], *, gaps: bool = False) -> tuple[str, ...]:
    """Numbers in order; with ``gaps`` also those below them that do not occur, unless there are very many."""
    some = set(occurring)
    return tuple(str(number) for number in sorted({*some, *range(min(max(some, default=0), _IN_A_ROW) if gaps else 0)}))


def kinds(looked: Looked) -> Table:
    """How often all, some or none of a prompt's objects are found, by kind of prompt (VISOR, section 6.5 and Figure 11)."""
    units = []
    for case in looked.cases:
        kind, there = kind_of(case.spec), _there(case)
        if kind and there is not None:
            units.append(Unit(case, kind, (ALL_FOUND if all(there) else SOME_FOUND if any(there) else NONE_FOUND,)))
    return table(units, KINDS, (ALL_FOUND, SOME_FOUND, NONE_FOUND))


def first_object(looked: Looked) -> Table:
    """Which of two objects is found, by kind of prompt (VISOR, section 6.5 and Figure 12)."""
    units = []
    for case in looked.cases:
        kind, there = kind_of(case.spec), _there(case)
        if kind in (TWO, TWO_COLORED, RELATED) and there is not None:
            a, b = there if mentioned_first(case.spec) == 0 else reversed(there)
            units.append(Unit(case, kind, tuple(_of_two(a, b))))
    return table(units, KINDS, (FIRST, SECOND, BOTH, ONLY_ONE, ONLY_FIRST, ONLY_SECOND, NEITHER))


def kind_of(spec: Spec) -> str | None:
    """One of KINDS; None for another number of objects, two of a kind, or prompts that ask how many."""
    if spec.excludes or any(asked.count > 1 or asked.exact for asked in spec.objects) or not distinct(spec):
        return None
    try:
        kind = Asked.of(spec).kind
    except ValueError:
        return None
    colored = any(asked.color is not None for asked in spec.objects)
    if kind == "relation":
        return None if colored else RELATED
    if kind == "and":
        return TWO_COLORED if colored else TWO
    return ONE_COLORED if colored else ONE


def mentioned_first(spec: Spec) -> int:
    """Which of a prompt's objects its text names first: GenEval lists the object that the first one is placed against first."""
    return spec.relations[0].subject if spec.relations else 0


def distinct(spec: Spec) -> bool:
    """Whether no two objects are of a kind: what is found cannot be told apart then."""
    return len({plain_name(asked.name) for asked in spec.objects}) == len(spec.objects)


def found(verdict: Verdict, spec: Spec) -> tuple[bool, ...] | None:
    """Of each object of a spec whether enough of it was found; None if the verdict does not say."""
    if any(asked.name not in verdict.found for asked in spec.objects):
        return None
    return tuple(verdict.found[asked.name] >= asked.count for asked in spec.objects)


def _there(case: Case) -> tuple[bool, ...] | None:
    return found(case.verdict, case.spec)


def _compared(found: int, asked: int) -> str:
    return AS_ASKED if found == asked else TOO_FEW if found < asked else TOO_MANY


def _of_two(a: bool, b: bool) -> Iterator[str]:
    yield {(True, True): BOTH, (True, False): ONLY_FIRST, (False, True): ONLY_SECOND}.get((a, b), NEITHER)
    if a is not b:
        yield ONLY_ONE
    if a:
        yield FIRST
    if b:
        yield SECOND
