"""What is there of the objects, colours and relations that were asked for.

How many objects, in which kind of prompt, and which of two; requested and detected colours, and how they are bound to two
objects: swapped and leaked told apart (GenEval, Figure 6); requested and detected relations; which supercategories are hard to
put together, and whether what is seldom together in photographs is hard to draw (VISOR's figures).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from data.formats.cooccurrence import ordered_pair
from data.prompts.coco import SUPERCATEGORY, plain_name
from data.prompts.geneval_suite import COLORS
from data.spec import ObjectSpec, Relation, Spec
from scorers.base import RelationResult, Verdict
from scorers.failures.tables import (
    ANY,
    AS_ASKED,
    NOT_AS_ASKED,
    FailureCell,
    FailureTable,
    FailureUnit,
    JudgedImage,
    PromptCount,
    SuiteEvidence,
    table,
)
from scorers.geneval.rules import OTHER_COLOR, GenEvalRules, color_of, counted_objects
from scorers.visor.results import RELATIONS, VisorRequest

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


def counts(looked: SuiteEvidence) -> FailureTable:
    """Requested and detected counts of the objects of which a prompt asks an exact one (GenEval's counting task), uncapped."""
    pairs = [
        (case, thing.count, case.verdict.found[thing.name])
        for case in looked.cases
        for thing in case.spec.objects
        if thing.exact and thing.name in case.verdict.found
    ]
    units = [
        FailureUnit(
            case,
            str(requested),
            (str(detected), AS_ASKED if detected == requested else TOO_FEW if detected < requested else TOO_MANY),
        )
        for case, requested, detected in pairs
    ]
    made = table(units, numbers({count for _, count, _ in pairs}), ())
    all_numbers = numbers({number for pair in pairs for number in pair[1:]}, gaps=True)
    return FailureTable(made.asked, (*all_numbers, AS_ASKED, TOO_FEW, TOO_MANY) if pairs else (), made.units)


def numbers(occurring: Iterable[int], *, gaps: bool = False) -> tuple[str, ...]:
    """Numbers in order; with ``gaps`` also those below them that do not occur, unless there are very many."""
    some = set(occurring)
    return tuple(str(number) for number in sorted({*some, *range(min(max(some, default=0), _IN_A_ROW) if gaps else 0)}))


def kinds(looked: SuiteEvidence) -> FailureTable:
    """How often all, some or none of a prompt's objects are found, by kind of prompt (VISOR, section 6.5 and Figure 11)."""
    units = []
    for case in looked.cases:
        kind, there = kind_of(case.spec), objects_present(case.verdict, case.spec)
        if kind and there is not None:
            units.append(FailureUnit(case, kind, (ALL_FOUND if all(there) else SOME_FOUND if any(there) else NONE_FOUND,)))
    return table(units, KINDS, (ALL_FOUND, SOME_FOUND, NONE_FOUND))


def first_object(looked: SuiteEvidence) -> FailureTable:
    """Which of two objects is found, by kind of prompt (VISOR, section 6.5 and Figure 12)."""
    units = []
    for case in looked.cases:
        kind, there = kind_of(case.spec), objects_present(case.verdict, case.spec)
        if kind in (TWO, TWO_COLORED, RELATED) and there is not None:
            # a relation's subject is named first, though GenEval lists the object that it is placed against first
            a, b = reversed(there) if case.spec.relations and case.spec.relations[0].subject else there
            units.append(FailureUnit(case, kind, tuple(_outcomes_of_two(a, b))))
    return table(units, KINDS, (FIRST, SECOND, BOTH, ONLY_ONE, ONLY_FIRST, ONLY_SECOND, NEITHER))


def kind_of(spec: Spec) -> str | None:
    """One of KINDS; None for another number of objects, two of a kind, or prompts that ask how many."""
    if spec.excludes or any(thing.count > 1 or thing.exact for thing in spec.objects) or not distinct(spec):
        return None
    try:
        kind = VisorRequest.of(spec).kind
    except ValueError:
        return None
    colored = any(thing.color is not None for thing in spec.objects)
    if kind == "relation":
        return None if colored else RELATED
    if kind == "and":
        return TWO_COLORED if colored else TWO
    return ONE_COLORED if colored else ONE


def distinct(spec: Spec) -> bool:
    """Whether no two objects are of a kind: what is found cannot be told apart then."""
    return len({plain_name(thing.name) for thing in spec.objects}) == len(spec.objects)


def objects_present(verdict: Verdict, spec: Spec) -> tuple[bool, ...] | None:
    """Of each object of a spec whether enough of it was found; None if the verdict does not say."""
    if any(thing.name not in verdict.found for thing in spec.objects):
        return None
    return tuple(verdict.found[thing.name] >= thing.count for thing in spec.objects)


def _outcomes_of_two(a: bool, b: bool) -> Iterator[str]:
    yield {(True, True): BOTH, (True, False): ONLY_FIRST, (False, True): ONLY_SECOND}.get((a, b), NEITHER)
    if a is not b:
        yield ONLY_ONE
    if a:
        yield FIRST
    if b:
        yield SECOND


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


def positions(looked: SuiteEvidence) -> FailureTable:
    """Each asked relation and those found, where both objects are (GenEval, section 5.2 and Figure 6; VISOR, Table VI).

    What is found is what decided the verdict: the first pair of boxes that fails or, of none, the first (GenEval); the first
    that holds or, of none, the first (VISOR). It may be two relations, such as left of and above, or none.
    """
    units = []
    for case in looked.cases:
        if not distinct(case.spec):
            continue
        for relation, standing in zip(case.spec.relations, case.verdict.relations, strict=False):
            units.append(FailureUnit(case, relation.relation, tuple(_relation_outcomes(relation.relation, standing))))
    return table(units, tuple(RELATIONS), (*RELATIONS, NO_RELATION, AS_ASKED, OPPOSITE, NOT_BOTH), NOT_BOTH)


def supercategories(looked: SuiteEvidence) -> FailureTable:
    """How prompts with two objects end, by the pair of COCO supercategories in either order (VISOR, section 6.3 and Figure 9).

    Only prompts with a relation, as in the paper, if the suite has any such; else all with two objects.
    """
    pairs = [case for case in looked.cases if len(case.spec.objects) == 2 and distinct(case.spec)]
    related = [case for case in pairs if case.spec.relations]
    units = []
    for case in related or pairs:
        there = objects_present(case.verdict, case.spec)
        if case.verdict.correct is None or there is None:
            continue
        a, b = (SUPERCATEGORY.get(plain_name(thing.name), GROUPS[-1]) for thing in case.spec.objects)
        ended = CORRECT if case.verdict.correct else BOTH_BUT if all(there) else NOT_BOTH
        units.append(FailureUnit(case, pair_name(a, b), (ended,)))
    pairs_in_order = [pair_name(a, b) for k, a in enumerate(GROUPS) for b in GROUPS[k:]]
    return table(units, pairs_in_order, (CORRECT, BOTH_BUT, NOT_BOTH))


def pair_name(a: str, b: str) -> str:
    """Two supercategories as a group of ``supercategories``, in either order."""
    return _BESIDE.join(sorted((a, b), key=GROUPS.index))


def split_pair(pair: str) -> tuple[str, str]:
    """The two supercategories of a group of ``supercategories``."""
    a, _, b = pair.partition(_BESIDE)
    return a, b


def _relation_outcomes(relation: Relation, result: RelationResult) -> Iterator[str]:
    if result.holds is None:
        yield NOT_BOTH
        return
    yield from result.found or (NO_RELATION,)
    if result.holds:
        yield AS_ASKED
    elif OPPOSITES[relation] in result.found:
        yield OPPOSITE


HELD: Final = "both found, as asked"
NOT_HELD: Final = "both found, but not as asked"


def cooccurrence(looked: SuiteEvidence) -> FailureTable:
    """Whether both objects of a prompt are found, and then as asked, by their classes in either order (VISOR, section 6.4).

    All prompts that ask for one object each of two classes. "As asked" is said only where more is asked than that both are
    there: a relation, or colours, and where the scorer judges that.
    """
    units = []
    for case in looked.cases:
        there = objects_present(case.verdict, case.spec) if asks_two(case.spec) else None
        if there is None:
            continue
        ended = [BOTH if all(there) else NOT_BOTH]
        if (
            all(there)
            and (bool(case.spec.relations) or any(thing.color is not None for thing in case.spec.objects))
            and case.verdict.correct is not None
        ):
            ended.append(HELD if case.verdict.correct else NOT_HELD)
        units.append(FailureUnit(case, " and ".join(class_pair(case.spec)), tuple(ended)))
    return table(units, (), (BOTH, HELD, NOT_HELD, NOT_BOTH))


def asks_two(spec: Spec) -> bool:
    """Whether a prompt asks for one object each of two classes, and for no number of them."""
    plain = all(thing.count == 1 and not thing.exact for thing in spec.objects)
    return len(spec.objects) == 2 and distinct(spec) and plain and not spec.excludes


def class_pair(spec: Spec) -> tuple[str, str]:
    """The two classes that a prompt asks for, in the alphabet's order."""
    a, b = (plain_name(thing.name) for thing in spec.objects)
    return ordered_pair(a, b)


def class_pairs(of: FailureTable) -> dict[str, tuple[str, str]]:
    """The two classes of each group of ``cooccurrence``."""
    return {unit.asked: class_pair(unit.case.spec) for unit in of.units}


def as_required(of: FailureTable, asked: str = ANY, generator: str = ANY) -> FailureCell:
    """The images that are as asked, of those with both objects (VISOR_cond, where a relation is asked)."""
    yes, no = (of.cell(asked, name, generator) for name in (HELD, NOT_HELD))
    counts = tuple(
        PromptCount(held.task, held.prompt_id, held.hits, held.hits + not_held.hits)
        for held, not_held in zip(yes.counts, no.counts, strict=True)
    )
    return replace(yes, n=yes.hits + no.hits, counts=counts)


NOT_FOUND: Final = "object not found"

OWN: Final = "own colours"
SWAPPED: Final = "swapped"
LEAKED: Final = "leaked"
MOVED: Final = "moved"
OTHER: Final = "another colour"
MISSING: Final = "object missing"
ON_WRONG: Final = "on the wrong object"
"""Swapped, leaked or moved: what GenEval's paper calls swapping, one of the asked colours on the wrong object."""
BINDINGS: Final = (OWN, SWAPPED, LEAKED, MOVED, OTHER)

TWO_COLORS: Final = "colours of their own"
"""What is asked of all units of ``bindings``."""


@dataclass(frozen=True, slots=True)
class _ColoredObject:
    """An asked object and the colours of the boxes that GenEval's rules look at: as many as asked, or fewer."""

    asked: ObjectSpec
    colors: tuple[str | None, ...]

    @property
    def right(self) -> bool:
        return self.colors.count(self.asked.color) >= self.asked.count

    def has(self, color: str | None) -> bool:
        return color in self.colors


def colors(looked: SuiteEvidence) -> FailureTable:
    """Each coloured object's asked colour and the likeliest one that is seen on it.

    A unit is an object that is looked at (the most confident ones of its class, as many as asked), or one that is not there.
    Classes that a prompt asks for twice are left out, as nobody can tell which of them is which.
    """
    units = []
    for case in looked.cases:
        for painted in _colored_objects(case, looked):
            color = painted.asked.color or ""
            units += [
                FailureUnit(case, color, (seen, AS_ASKED if seen == color else NOT_AS_ASKED))
                for seen in painted.colors
                if seen is not None
            ]
            if not painted.colors:
                units.append(FailureUnit(case, color, (NOT_FOUND,)))
    return table(units, COLORS, (*COLORS, OTHER_COLOR, AS_ASKED, NOT_AS_ASKED, NOT_FOUND), NOT_FOUND)


def bindings(looked: SuiteEvidence) -> FailureTable:
    """Whose colour is on which object, in prompts that ask two objects or more, of different classes, in different colours.

    - ``own colours``: each object has its own.
    - ``swapped``: two objects have each other's colours.
    - ``leaked``: an object has the colour of another one, which has it too.
    - ``moved``: an object has the colour of another one, which has a third.
    - ``another colour``: an object has a colour that was asked of none.
    - ``object missing``: there are fewer than asked of an object, so no colour is looked at.

    Of the wrong ones the first that holds names the image. Without a colour in the evidence it is not counted. A colour that
    leaked into the background cannot be seen, as only objects' colours are evidence.
    """
    units = []
    for case in looked.cases:
        painted = _colored_objects(case, looked)
        if len({thing.asked.color for thing in painted}) < max(len(painted), 2):
            continue
        name = _binding(painted)
        if name is not None:
            units.append(FailureUnit(case, TWO_COLORS, (name, ON_WRONG) if name in (SWAPPED, LEAKED, MOVED) else (name,)))
    return table(units, (TWO_COLORS,), (*BINDINGS, ON_WRONG, MISSING), MISSING)


def _colored_objects(case: JudgedImage, looked: SuiteEvidence) -> list[_ColoredObject]:
    if not distinct(case.spec) or all(thing.color is None for thing in case.spec.objects):
        return []
    rules = GenEvalRules.of(looked.settings)
    needed, detections = rules.needed(case.spec), case.seen.detections
    return [
        _ColoredObject(
            thing, tuple(color_of(detections[k]) for k in counted_objects(detections, thing.name, needed, rules)[: thing.count])
        )
        for thing in case.spec.objects
        # a scorer that looks for no objects has not found that they are missing
        if thing.color is not None and thing.name in case.verdict.found
    ]


def _binding(painted: Sequence[_ColoredObject]) -> str | None:
    if any(len(thing.colors) < thing.asked.count for thing in painted):
        return MISSING
    if any(None in thing.colors for thing in painted):
        return None
    if all(thing.right for thing in painted):
        return OWN
    # each object that has not its own colour but another's, with that other one
    stray = [(a, b) for a in painted for b in painted if a is not b and not a.right and a.has(b.asked.color)]
    if any(b.has(a.asked.color) for a, b in stray):
        return SWAPPED
    if any(b.has(b.asked.color) for _, b in stray):
        return LEAKED
    return MOVED if stray else OTHER
