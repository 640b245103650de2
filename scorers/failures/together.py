"""How prompts with two objects end, by the pair of classes: what a pair's co-occurrence is compared with."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from data.formats.cooccurrence import ordered_pair
from data.prompts.coco import plain_name
from data.prompts.spec import Spec
from scorers.failures.base import ANY, Cell, Count, Looked, Table, Unit, table
from scorers.failures.objects import distinct, found

BOTH: Final = "both found"
ONE_MISSING: Final = "not both found"
HELD: Final = "both found, as asked"
NOT_HELD: Final = "both found, but not as asked"


def cooccurrence(looked: Looked) -> Table:
    """Whether both objects of a prompt are found, and then as asked, by their classes in either order (VISOR, section 6.4).

    All prompts that ask for one object each of two classes. "As asked" is said only where more is asked than that both are
    there: a relation, or colours, and where the scorer judges that.
    """
    units = []
    for case in looked.cases:
        there = found(case.verdict, case.spec) if asks_two(case.spec) else None
        if there is None:
            continue
        ended = [BOTH if all(there) else ONE_MISSING]
        if all(there) and _asks_more(case.spec) and case.verdict.correct is not None:
            ended.append(HELD if case.verdict.correct else NOT_HELD)
        units.append(Unit(case, " and ".join(classes(case.spec)), tuple(ended)))
    return table(units, (), (BOTH, HELD, NOT_HELD, ONE_MISSING))


def asks_two(spec: Spec) -> bool:
    """Whether a prompt asks for one object each of two classes, and for no number of them."""
    plain = all(asked.count == 1 and not asked.exact for asked in spec.objects)
    return len(spec.objects) == 2 and distinct(spec) and plain and not spec.excludes


def classes(spec: Spec) -> tuple[str, str]:
    """The two classes that a prompt asks for, in the alphabet's order."""
    a, b = (plain_name(asked.name) for asked in spec.objects)
    return ordered_pair(a, b)


def pairs(of: Table) -> dict[str, tuple[str, str]]:
    """The two classes of each group of ``cooccurrence``."""
    return {unit.asked: classes(unit.case.spec) for unit in of.units}


def held(of: Table, asked: str = ANY, generator: str = ANY) -> Cell:
    """The images that are as asked, of those with both objects (VISOR_cond, where a relation is asked)."""
    yes, no = (of.cell(asked, name, generator) for name in (HELD, NOT_HELD))
    counts = tuple(
        Count(one.task, one.prompt_id, one.hits, one.hits + other.hits)
        for one, other in zip(yes.counts, no.counts, strict=True)
    )
    return replace(yes, n=yes.hits + no.hits, counts=counts)


def _asks_more(spec: Spec) -> bool:
    return bool(spec.relations) or any(asked.color is not None for asked in spec.objects)
