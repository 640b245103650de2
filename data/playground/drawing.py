"""From a spec and a seed to a scene: a sound one, or one by the careless renderer with a known fault."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from data.playground.faults import Fault, possible, spoil
from data.playground.kinds import KINDS
from data.playground.layout import MAX_OBJECTS, Link, Plan, Thing, arrange
from data.playground.looks import ANY, Look
from data.playground.scene import Background, Scene
from data.playground.truth import Fact, correct, facts
from data.prompts.spec import ObjectSpec, Spec, SpecError

CARELESS: Final = "renderer-careless"
"""The generator's name."""

FAULT_RATE: Final = 0.45

_SAME_COLOR: Final = 0.75
"""How often several objects of one kind share a colour where none is asked."""


@dataclass(frozen=True, slots=True)
class Drawing:
    """A scene with its truth. ``fault`` is None for a sound scene; ``facts`` hold every demand against the scene."""

    scene: Scene
    fault: Fault | None
    facts: tuple[Fact, ...]

    @property
    def correct(self) -> bool:
        """All that the spec asks is there; equivalent to having no fault."""
        return bool(self.facts[-1].value)


def draw(spec: Spec, seed: int, look: Look = ANY) -> Scene:
    """A scene in which all that the spec asks is there, and nothing else. The same seed gives the same scene.

    Raises:
        SpecError: the spec asks for an unknown kind or colour, for more than six objects or for nothing.
        NoRoom: its relations contradict one another.
    """
    rng = np.random.default_rng(seed)
    return _scene(_plan(spec, look, rng), look, rng)


def draw_carelessly(spec: Spec, seed: int, rate: float = FAULT_RATE, look: Look = ANY) -> Drawing:
    """A scene that is sound, or with probability ``rate`` has one fault that breaks what is asked.

    Raises:
        SpecError: as ``draw``.
        NoRoom: as ``draw``.
    """
    rng = np.random.default_rng(seed)
    plan = _plan(spec, look, rng)
    if rng.random() >= rate:
        return _known(spec, _scene(plan, look, rng), None)
    candidates = possible(spec, plan)
    for number in rng.permutation(len(candidates)):
        fault = candidates[number]
        scene = _scene(spoil(spec, plan, fault, look, rng), look, rng)
        # A fault may leave the demand met all the same: two apples of swapped colours are the same two apples.
        if not correct(spec, scene):
            return _known(spec, scene, fault)
    raise SpecError(f"no fault breaks this spec: {spec}")


def _known(spec: Spec, scene: Scene, fault: Fault | None) -> Drawing:
    return Drawing(scene, fault, facts(spec, scene))


def _plan(spec: Spec, look: Look, rng: np.random.Generator) -> Plan:
    if not 1 <= sum(wanted.count for wanted in spec.objects) <= MAX_OBJECTS:
        raise SpecError(f"the playground draws 1 to {MAX_OBJECTS} objects, asked were {[w.count for w in spec.objects]}")
    things = []
    for entry, wanted in enumerate(spec.objects):
        things += [Thing(wanted.name, color, entry) for color in _colors(wanted, look, rng)]
    first = {thing.entry: number for number, thing in reversed(list(enumerate(things)))}
    links = tuple(Link(first[r.subject], first[r.reference], r.relation) for r in spec.relations)
    return Plan(tuple(things), links)


def _colors(wanted: ObjectSpec, look: Look, rng: np.random.Generator) -> list[str]:
    """One colour for each of the objects wanted."""
    if wanted.name not in KINDS:
        raise SpecError(f"the playground has no {wanted.name!r}; it has {', '.join(KINDS)}")
    if wanted.color is not None:
        if (wanted.name, wanted.color) not in ANY.pairs:
            raise SpecError(f"{wanted.color!r} is none of GenEval's ten colours")
        return [wanted.color] * wanted.count
    options = look.colors(wanted.name)
    if rng.random() < _SAME_COLOR:
        return [options[int(rng.integers(len(options)))]] * wanted.count
    return [options[int(number)] for number in rng.integers(len(options), size=wanted.count)]


def _scene(plan: Plan, look: Look, rng: np.random.Generator) -> Scene:
    objects = arrange(plan, rng)
    texture = look.textures[int(rng.integers(len(look.textures)))]
    hue, saturation, value = rng.uniform(0, 1), rng.uniform(0.03, 0.20), rng.uniform(0.66, 0.88)
    return Scene(objects, Background(texture, float(hue), float(saturation), float(value), int(rng.integers(2**31))))
