"""From a spec and a seed to a scene: a sound one, or one by the careless renderer with a known fault.

A ``SceneLook`` says which textures and object-colour pairs a scene may use. The layout finds a free position for each object,
now and then with a light overlap, and the asked relations with a clear margin. A fault changes a sound plan so that the one
thing named is broken.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal, TypeVar

import numpy as np

from data.playground.objects import KINDS
from data.playground.render import TEXTURES
from data.playground.scene import Background, Fact, Placed, Scene, is_correct, scene_facts
from data.prompts.geneval_suite import COLORS
from data.spec import ObjectSpec, Relation, RelationSpec, Spec, SpecError, opposite

KindColor = tuple[str, str]

ALL_PAIRS: Final[frozenset[KindColor]] = frozenset((kind, color) for kind in KINDS for color in COLORS)


@dataclass(frozen=True, slots=True)
class SceneLook:
    """The textures and the (kind, colour) pairs allowed in a scene."""

    name: str
    textures: tuple[str, ...]
    pairs: frozenset[KindColor]

    def colors(self, kind: str) -> list[str]:
        """The colours that this kind may have, in GenEval's order."""
        return [color for color in COLORS if (kind, color) in self.pairs]


ANY_LOOK: Final = SceneLook("any", tuple(TEXTURES), ALL_PAIRS)

MAX_OBJECTS: Final = 6

_SPANS: Final = {1: (0.44, 0.74), 2: (0.32, 0.44), 3: (0.26, 0.36), 4: (0.24, 0.32), 5: (0.21, 0.27), 6: (0.20, 0.25)}
"""Side of a square as large as the object's box, by the number of objects; shares of the picture's side."""
_MARGIN: Final = 0.02
_GAP: Final = 0.015
_LIGHT_OVERLAP: Final = 0.10
_SHARE_WITH_OVERLAP: Final = 0.15
_TRIES: Final = 80
_MAX_TILT: Final = 0.20
_SLANT: Final = 0.45
_WIDE: Final = 1.7


class NoRoom(RuntimeError):
    """The objects could not be placed; the relations asked contradict one another."""


@dataclass(frozen=True, slots=True)
class PlannedObject:
    """One object to place. ``entry``: which of the spec's objects it is (-1: none); ``wide``: stretched over two places."""

    kind: str
    color: str
    entry: int = -1
    wide: bool = False


@dataclass(frozen=True, slots=True)
class ScenePlan:
    """What to place, from back to front. ``links``: as of a spec, but that they refer to ``things`` by number."""

    things: tuple[PlannedObject, ...]
    links: tuple[RelationSpec, ...] = ()


def arrange_objects(plan: ScenePlan, rng: np.random.Generator) -> tuple[Placed, ...]:
    """Give every thing a place.

    Linked objects lie beside one another along the relation's axis, boxes apart, and stray from it by less than half as much:
    so the asked relation holds by the paper's rule and by GenEval's code, and no other does.

    Raises:
        ValueError: more than six objects.
        NoRoom: the links contradict one another.
    """
    things, links = plan.things, plan.links
    if len(things) > MAX_OBJECTS:
        raise ValueError(f"at most {MAX_OBJECTS} objects can be placed, got {len(things)}")
    overlap = _LIGHT_OVERLAP if not links and rng.random() < _SHARE_WITH_OVERLAP else 0.0
    for attempt in range(40):
        placed = _try_layout(plan, overlap, 0.96**attempt, rng)
        if placed is not None:
            return placed
    raise NoRoom(f"no room for {len(things)} objects with {len(links)} relations")


def are_related(subject: Placed, reference: Placed, relation: Relation) -> bool:
    """Whether two placed objects stand clearly in a relation (see ``arrange``)."""
    along, across = subject.x - reference.x, subject.y - reference.y
    a, b = subject.half_extent, reference.half_extent
    apart = a[0] + b[0]
    if relation in ("above", "below"):
        along, across, apart = across, along, a[1] + b[1]
    if relation in ("left of", "above"):
        along = -along
    return along >= apart and abs(across) <= _SLANT * along


def size_object(thing: PlannedObject, span: float, rng: np.random.Generator) -> Placed:
    """An object at the middle whose box has the area of a square of side ``span``, of random tilt and shade."""
    shape = KINDS[thing.kind]
    size = span / (2 * float(np.sqrt(shape.half_width * shape.half_height)))
    return Placed(
        thing.kind,
        thing.color,
        0.5,
        0.5,
        size,
        tilt=float(rng.uniform(-_MAX_TILT, _MAX_TILT)),
        mirrored=bool(rng.random() < 0.5),
        stretch=float(rng.uniform(0.93, 1.07)) * (_WIDE if thing.wide else 1.0),
        variant=int(rng.integers(2**31)),
    )


def fit_object(placed: Placed) -> Placed:
    """The object, shrunk if it is too large for the picture, and moved so that it lies within."""
    room = 0.5 - _MARGIN
    scale = min(1.0, room / max(placed.half_extent))
    smaller = replace(placed, size=placed.size * scale)
    w, h = smaller.half_extent
    x = float(np.clip(smaller.x, _MARGIN + w, 1 - _MARGIN - w))
    return replace(smaller, x=x, y=float(np.clip(smaller.y, _MARGIN + h, 1 - _MARGIN - h)))


def _try_layout(plan: ScenePlan, overlap: float, scale: float, rng: np.random.Generator) -> tuple[Placed, ...] | None:
    low, high = _SPANS[max(1, len(plan.things))]
    common = float(rng.uniform(low, high)) * scale
    placed: list[Placed] = []
    for thing in plan.things:
        fitted = fit_object(size_object(thing, common * float(rng.uniform(0.9, 1.1)), rng))
        bound = [link for link in plan.links if max(link.subject, link.reference) == len(placed)]
        free = _free_position(fitted, placed, bound, overlap, rng)
        if free is None:
            return None
        placed.append(free)
    return tuple(placed)


def _free_position(
    placed: Placed, others: Sequence[Placed], bound: Sequence[RelationSpec], overlap: float, rng: np.random.Generator
) -> Placed | None:
    w, h = (max(0.0, 0.5 - _MARGIN - half) for half in placed.half_extent)
    for _ in range(_TRIES):
        here = replace(placed, x=0.5 + float(rng.uniform(-w, w)), y=0.5 + float(rng.uniform(-h, h)))
        everyone = [*others, here]
        if all(_overlap(here, other) <= overlap for other in others) and all(
            are_related(everyone[link.subject], everyone[link.reference], link.relation) for link in bound
        ):
            return here
    return None


def _overlap(a: Placed, b: Placed) -> float:
    """Intersection of two boxes as a share of the smaller; a gap too narrow counts as a touch."""
    (aw, ah), (bw, bh) = a.half_extent, b.half_extent
    across = min(aw + bw + _GAP - abs(a.x - b.x), 2 * aw, 2 * bw)
    down = min(ah + bh + _GAP - abs(a.y - b.y), 2 * ah, 2 * bh)
    if across <= 0 or down <= 0:
        return 0.0
    return across * down / (4 * min(aw * ah, bw * bh))


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


def possible_faults(spec: Spec, plan: ScenePlan) -> list[Fault]:
    """The faults that would break this spec, in a fixed order."""
    colored = [wanted for wanted in spec.objects if wanted.color is not None]
    many = any(wanted.count > 1 or wanted.exact for wanted in spec.objects)
    faults: list[Fault] = []
    faults.append("wrong count" if many else "missing object")
    if len(plan.things) > 1:
        faults.append("merged objects")
    if colored:
        faults.append("wrong colour")
    if len({wanted.color for wanted in colored}) > 1:
        faults += ["swapped colours", "leaked colour"]
    if plan.links:
        faults.append("wrong side")
    return faults


def apply_fault(spec: Spec, plan: ScenePlan, fault: Fault, look: SceneLook, rng: np.random.Generator) -> ScenePlan:
    """The plan with one fault; it may still meet the spec (two apples of swapped colours are the same two apples)."""
    return _APPLY[fault](_FaultJob(spec, plan, look, rng))


@dataclass(frozen=True, slots=True)
class _FaultJob:
    spec: Spec
    plan: ScenePlan
    look: SceneLook
    rng: np.random.Generator


def _wrong_count(job: _FaultJob) -> ScenePlan:
    plan = job.plan
    entry = _pick([k for k, wanted in enumerate(job.spec.objects) if wanted.count > 1 or wanted.exact], job.rng)
    mine = [n for n, thing in enumerate(plan.things) if thing.entry == entry]
    more = job.spec.objects[entry].exact and len(plan.things) < MAX_OBJECTS and job.rng.random() < 0.5
    if more or len(plan.things) == 1:
        return ScenePlan((*plan.things, plan.things[mine[-1]]), plan.links)
    return _without_object(plan, mine[-1])


def _missing_object(job: _FaultJob) -> ScenePlan:
    """One object gone, or another kind in its place."""
    plan = job.plan
    lost = int(job.rng.integers(len(plan.things)))
    if len(plan.things) > 1 and job.rng.random() < 0.5:
        return _without_object(plan, lost)
    names = {wanted.name for wanted in job.spec.objects}
    kind = _pick([name for name in KINDS if name not in names and job.look.colors(name)], job.rng)
    color, colors = plan.things[lost].color, job.look.colors(kind)
    other = PlannedObject(kind, color if color in colors else _pick(colors, job.rng))
    return replace(plan, things=tuple(other if n == lost else thing for n, thing in enumerate(plan.things)))


def _merged_objects(job: _FaultJob) -> ScenePlan:
    """One object drawn over the place of two; the second is gone."""
    spoiled = _without_object(job.plan, len(job.plan.things) - 1)
    *others, last = spoiled.things
    return replace(spoiled, things=(*others, replace(last, wide=True)))


def _wrong_color(job: _FaultJob) -> ScenePlan:
    entry = _pick([k for k, wanted in enumerate(job.spec.objects) if wanted.color is not None], job.rng)
    taken = {wanted.color for wanted in job.spec.objects}
    others = [color for color in job.look.colors(job.spec.objects[entry].name) if color not in taken]
    # a look may know only the asked colours of a kind: then any other is wrong, too
    return _with_color(job.plan, entry, _pick(others or [color for color in COLORS if color not in taken], job.rng))


def _swapped_colors(job: _FaultJob) -> ScenePlan:
    (a, color_a), (b, color_b) = _two_colored(job.spec)
    return _with_color(_with_color(job.plan, a, color_b), b, color_a)


def _leaked_color(job: _FaultJob) -> ScenePlan:
    """One object takes the other's colour."""
    (a, color_a), (b, color_b) = _two_colored(job.spec)
    return _with_color(job.plan, b, color_a) if job.rng.random() < 0.5 else _with_color(job.plan, a, color_b)


def _wrong_side(job: _FaultJob) -> ScenePlan:
    """The opposite side."""
    links = list(job.plan.links)
    number = int(job.rng.integers(len(links)))
    links[number] = replace(links[number], relation=opposite(links[number].relation))  # type: ignore[arg-type]
    return replace(job.plan, links=tuple(links))


def _two_colored(spec: Spec) -> tuple[tuple[int, str], tuple[int, str]]:
    """Two entries whose colours differ, each with its colour."""
    colored = [(k, wanted.color) for k, wanted in enumerate(spec.objects) if wanted.color is not None]
    return colored[0], next(entry for entry in colored if entry[1] != colored[0][1])


def _with_color(plan: ScenePlan, entry: int, color: str) -> ScenePlan:
    return replace(plan, things=tuple(replace(t, color=color) if t.entry == entry else t for t in plan.things))


def _without_object(plan: ScenePlan, lost: int) -> ScenePlan:
    def moved(number: int) -> int:
        return number - (number > lost)

    links = tuple(
        replace(link, subject=moved(link.subject), reference=moved(link.reference))
        for link in plan.links
        if lost not in (link.subject, link.reference)
    )
    return ScenePlan(tuple(thing for n, thing in enumerate(plan.things) if n != lost), links)


def _pick(options: Sequence[_T], rng: np.random.Generator) -> _T:
    return options[int(rng.integers(len(options)))]


_APPLY: Final[dict[Fault, Callable[[_FaultJob], ScenePlan]]] = {
    "wrong count": _wrong_count,
    "wrong colour": _wrong_color,
    "wrong side": _wrong_side,
    "swapped colours": _swapped_colors,
    "leaked colour": _leaked_color,
    "missing object": _missing_object,
    "merged objects": _merged_objects,
}


CARELESS: Final = "renderer-careless"
"""The generator's name."""

FAULT_RATE: Final = 0.45

_SAME_COLOR: Final = 0.75
"""How often several objects of one kind share a colour where none is asked."""


@dataclass(frozen=True, slots=True)
class DrawnScene:
    """A scene with its truth. ``fault`` is None for a sound scene; ``facts`` hold every demand against the scene."""

    scene: Scene
    fault: Fault | None
    facts: tuple[Fact, ...]

    @property
    def correct(self) -> bool:
        """All that the spec asks is there; equivalent to having no fault."""
        return bool(self.facts[-1].value)


def draw(spec: Spec, seed: int, look: SceneLook = ANY_LOOK) -> Scene:
    """A scene in which all that the spec asks is there, and nothing else. The same seed gives the same scene.

    Raises:
        SpecError: the spec asks for an unknown kind or colour, for more than six objects or for nothing.
        NoRoom: its relations contradict one another.
    """
    rng = np.random.default_rng(seed)
    return _make_scene(_scene_plan(spec, look, rng), look, rng)


def draw_carelessly(spec: Spec, seed: int, rate: float = FAULT_RATE, look: SceneLook = ANY_LOOK) -> DrawnScene:
    """A scene that is sound, or with probability ``rate`` has one fault that breaks what is asked.

    Raises:
        SpecError: as ``draw``.
        NoRoom: as ``draw``.
    """
    rng = np.random.default_rng(seed)
    plan = _scene_plan(spec, look, rng)
    if rng.random() >= rate:
        scene = _make_scene(plan, look, rng)
        return DrawnScene(scene, None, scene_facts(spec, scene))
    candidates = possible_faults(spec, plan)
    for number in rng.permutation(len(candidates)):
        fault = candidates[number]
        scene = _make_scene(apply_fault(spec, plan, fault, look, rng), look, rng)
        # A fault may leave the demand met all the same: two apples of swapped colours are the same two apples.
        if not is_correct(spec, scene):
            return DrawnScene(scene, fault, scene_facts(spec, scene))
    raise SpecError(f"no fault breaks this spec: {spec}")


def _scene_plan(spec: Spec, look: SceneLook, rng: np.random.Generator) -> ScenePlan:
    if not 1 <= sum(wanted.count for wanted in spec.objects) <= MAX_OBJECTS:
        raise SpecError(f"the playground draws 1 to {MAX_OBJECTS} objects, asked were {[w.count for w in spec.objects]}")
    things = []
    for entry, wanted in enumerate(spec.objects):
        things += [PlannedObject(wanted.name, color, entry) for color in _object_colors(wanted, look, rng)]
    first = {thing.entry: number for number, thing in reversed(list(enumerate(things)))}
    links = tuple(replace(r, subject=first[r.subject], reference=first[r.reference]) for r in spec.relations)
    return ScenePlan(tuple(things), links)


def _object_colors(wanted: ObjectSpec, look: SceneLook, rng: np.random.Generator) -> list[str]:
    """One colour for each of the objects wanted."""
    if wanted.name not in KINDS:
        raise SpecError(f"the playground has no {wanted.name!r}; it has {', '.join(KINDS)}")
    if wanted.color is not None:
        if (wanted.name, wanted.color) not in ANY_LOOK.pairs:
            raise SpecError(f"{wanted.color!r} is none of GenEval's ten colours")
        return [wanted.color] * wanted.count
    options = look.colors(wanted.name)
    if rng.random() < _SAME_COLOR:
        return [options[int(rng.integers(len(options)))]] * wanted.count
    return [options[int(number)] for number in rng.integers(len(options), size=wanted.count)]


def _make_scene(plan: ScenePlan, look: SceneLook, rng: np.random.Generator) -> Scene:
    objects = arrange_objects(plan, rng)
    texture = look.textures[int(rng.integers(len(look.textures)))]
    hue, saturation, value = rng.uniform(0, 1), rng.uniform(0.03, 0.20), rng.uniform(0.66, 0.88)
    return Scene(objects, Background(texture, float(hue), float(saturation), float(value), int(rng.integers(2**31))))
