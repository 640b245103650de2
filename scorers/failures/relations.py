"""Asked and found relations, and which supercategories are hard to put together."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from data.prompts.coco import SUPERCATEGORY, plain_name
from data.prompts.spec import Relation, Spec
from scorers.base import Standing
from scorers.failures.base import AS_ASKED, Case, Looked, Table, Unit, table
from scorers.failures.objects import distinct, found
from scorers.visor_scores import RELATIONS

NOT_BOTH: Final = "not both found"
NO_RELATION: Final = "no clear relation"
OPPOSITE: Final = "the opposite"
OPPOSITES: Final[dict[Relation, Relation]] = {
    "left of": "right of",
    "right of": "left of",
    "above": "below",
    "below": "above",
}

CORRECT: Final = "correct"
BOTH_BUT: Final = "both found, not as asked"

GROUPS: Final = (*dict.fromkeys(SUPERCATEGORY.values()), "other")
"""COCO's supercategories in its order, and what is in none."""
_BESIDE: Final = " and "


def positions(looked: Looked) -> Table:
    """Each asked relation and those found, where both objects are (GenEval, section 5.2 and Figure 6; VISOR, Table VI).

    What is found is what decided the verdict: the first pair of boxes that fails or, of none, the first (GenEval); the first
    that holds or, of none, the first (VISOR). It may be two relations, such as left of and above, or none.
    """
    units = []
    for case in looked.cases:
        if not distinct(case.spec):
            continue
        for asked, standing in zip(case.spec.relations, case.verdict.relations, strict=False):
            units.append(Unit(case, asked.relation, tuple(_standing(asked.relation, standing))))
    return table(units, tuple(RELATIONS), (*RELATIONS, NO_RELATION, AS_ASKED, OPPOSITE, NOT_BOTH), NOT_BOTH)


def supercategories(looked: Looked) -> Table:
    """How prompts with two objects end, by the pair of COCO supercategories in either order (VISOR, section 6.3 and Figure 9).

    Only prompts with a relation, as in the paper, if the suite has any such; else all with two objects.
    """
    pairs = [case for case in looked.cases if len(case.spec.objects) == 2 and distinct(case.spec)]
    related = [case for case in pairs if case.spec.relations]
    units = []
    for case in related or pairs:
        name = _ended(case)
        if name is not None:
            units.append(Unit(case, pair_name(*pair_of(case.spec)), (name,)))
    pairs_in_order = [pair_name(a, b) for k, a in enumerate(GROUPS) for b in GROUPS[k:]]
    return table(units, pairs_in_order, (CORRECT, BOTH_BUT, NOT_BOTH))


def pair_of(spec: Spec) -> tuple[str, str]:
    """The supercategories of a spec's two objects.

    Raises:
        ValueError: it has not two objects.
    """
    a, b = (SUPERCATEGORY.get(plain_name(asked.name), GROUPS[-1]) for asked in spec.objects)
    return a, b


def pair_name(a: str, b: str) -> str:
    """Two supercategories as a group of ``supercategories``, in either order."""
    return _BESIDE.join(sorted((a, b), key=GROUPS.index))


def split(pair: str) -> tuple[str, str]:
    """The two supercategories of a group of ``supercategories``."""
    a, _, b = pair.partition(_BESIDE)
    return a, b


def _standing(asked: Relation, found: Standing) -> Iterator[str]:
    if found.holds is None:
        yield NOT_BOTH
        return
    yield from found.found or (NO_RELATION,)
    if found.holds:
        yield AS_ASKED
    elif OPPOSITES[asked] in found.found:
        yield OPPOSITE


def _ended(case: Case) -> str | None:
    there = found(case.verdict, case.spec)
    if case.verdict.correct is None or there is None:
        return None
    if case.verdict.correct:
        return CORRECT
    return BOTH_BUT if all(there) else NOT_BOTH
