"""Simulated people: seeded imitations who answer GenEval's and TIFA's questions about scenes whose truth is known.

They show agreement at work before anybody has labelled anything. They are nobody: their raters are marked ``simulated``,
and no statistic pools them with people. They judge the careless renderer's pictures alone, as only of those the truth is
known. TIFA's questions are answered by two of them each, and by a third where they differ, with the errors they make in
GenEval's form: a kind, a number, a colour, a side. A question that the scene gives no single answer to is answered "none of
the above", or "no" (TIFA, appendix C.2, on ambiguous cases). Of two pictures of one prompt three of them each say which shows
what the text says (SelfEval's A/B test), also of pictures whose truth is known by looking at them.
"""

from __future__ import annotations

import hashlib
import uuid
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeVar

import numpy as np

from annotation.questionnaires import ab, tifa_vqa
from annotation.questionnaires.base import COLORS, check
from annotation.questionnaires.form import FormItem
from annotation.questionnaires.geneval import NAME, RULE_VERSION, derive, geneval_questionnaire, position_pairs
from data.aspects import CANNOT_TELL, COUNT_CAP, NO, YES
from data.playground.scene import Placed, Scene, true_answers
from data.prompts.questions import PromptQuestion
from data.records import Annotation, Item, Rater
from data.spec import OPPOSITE, ObjectSpec, Spec

T = TypeVar("T")

SEED: Final = 43
MARK: Final = "simulated"

NAMESPACE: Final = uuid.UUID("0b1f5c0e-3a52-4d0e-9d43-7c1a6a3f9e55")
_SIDE_BY_SIDE: Final = 0.06
"""Centres nearer than this share of the picture's side are neither left nor right, neither above nor below."""
_STRETCHED: Final = 1.4
# what people mix up; the form's other colours are mistaken for gray
_MISTAKEN: Final = {
    "red": "orange",
    "orange": "red",
    "yellow": "orange",
    "green": "blue",
    "blue": "purple",
    "purple": "blue",
    "pink": "purple",
    "brown": "red",
    "black": "brown",
    "white": "gray",
}


@dataclass(frozen=True, slots=True)
class SimulatedPerson:
    """One imitation. All numbers are probabilities.

    Attributes:
        objects: of overlooking a kind that is there, or of seeing one that is not.
        counts: of saying one more or one fewer, where there are two or more.
        colors: of naming another colour; ``positions``: another side.
        cannot_tell: of saying so, for each question.
        answers: of having been given an image at all, as real people are unequal.
    """

    name: str
    objects: float
    counts: float
    colors: float
    positions: float
    cannot_tell: float
    answers: float

    @property
    def rater(self) -> Rater:
        rates = {name: getattr(self, name) for name in ("objects", "counts", "colors", "positions", "cannot_tell", "answers")}
        return Rater(f"{MARK} {self.name}", "human", "person", settings={"seed": SEED, **rates}, simulated=True)


PEOPLE: Final = (
    SimulatedPerson("Ada", objects=0.01, counts=0.02, colors=0.01, positions=0.01, cannot_tell=0.00, answers=0.90),
    SimulatedPerson("Ben", objects=0.03, counts=0.06, colors=0.04, positions=0.03, cannot_tell=0.01, answers=0.85),
    SimulatedPerson("Cleo", objects=0.02, counts=0.05, colors=0.18, positions=0.02, cannot_tell=0.02, answers=0.80),
    SimulatedPerson("Dan", objects=0.05, counts=0.20, colors=0.05, positions=0.12, cannot_tell=0.01, answers=0.80),
    SimulatedPerson("Eve", objects=0.10, counts=0.15, colors=0.10, positions=0.10, cannot_tell=0.05, answers=0.70),
)
"""A careful one, an ordinary one, one who is weak in colours, a hasty one and a sloppy one."""


@dataclass(frozen=True, slots=True)
class DepictedItem:
    """An item whose truth is known."""

    item: Item
    spec: Spec
    scene: Scene


def annotate(known: Iterable[DepictedItem], people: Sequence[SimulatedPerson] = PEOPLE, seed: int = SEED) -> list[Annotation]:
    """What the simulated people say, image by image, in an order of people that differs from image to image.

    The same items, people and seed give the same annotations; leaving some items out changes nothing about the others.
    """
    annotated: list[Annotation] = []
    for depicted in known:
        for number in random(seed, depicted.item.item_id, "order").permutation(len(people)):
            person = people[number]
            rng = random(seed, depicted.item.item_id, person.name)
            if rng.random() < person.answers:
                answers = answer(person, depicted.spec, depicted.scene, rng)
                annotated.append(
                    Annotation(
                        annotation_id=str(uuid.uuid5(NAMESPACE, f"{seed}/{person.name}/{depicted.item.item_id}")),
                        item_id=depicted.item.item_id,
                        rater_id=person.rater.rater_id,
                        questionnaire=NAME,
                        answers=answers,
                        judgements=tuple(derive(depicted.spec, answers)),
                        rule_version=RULE_VERSION,
                    )
                )
    return annotated


def answer(person: SimulatedPerson, spec: Spec, scene: Scene, rng: np.random.Generator) -> dict[str, Any]:
    """One person's answers to all questions about one scene, in the shape of ``annotation.questionnaires.geneval``."""
    answers: dict[str, Any] = {"objects": ", ".join(f"a {placed.color} {placed.kind}" for placed in scene.objects) or "none"}
    for k, wanted in enumerate(spec.objects):
        answers |= _about(person, k, wanted, scene, rng)
    for suffix, subject, reference in position_pairs(spec):
        first, other = (_center(scene, spec.objects[k].name) for k in (subject, reference))
        for axis, low, high in ((0, "left", "right"), (1, "above", "below")):
            apart = first[axis] - other[axis] if first and other else 0.0
            side = "neither" if abs(apart) < _SIDE_BY_SIDE else low if apart < 0 else high
            if rng.random() < person.positions:
                side = "neither" if rng.random() < 0.5 else OPPOSITE.get(side, side)
            answers[("position_x", "position_y")[axis] + suffix] = _unless_unsure(person, rng, side)
    answers["caption_fit"] = _fit(spec, answers, rng, person)
    return check(geneval_questionnaire(spec), answers).answers


def _about(person: SimulatedPerson, k: int, wanted: ObjectSpec, scene: Scene, rng: np.random.Generator) -> dict[str, Any]:
    """Number, colours and realism of one of the objects asked for."""
    here = [placed for placed in scene.objects if placed.kind == wanted.name]
    seen = min(_counted(person, len(here), rng), COUNT_CAP)
    # something else was taken for it
    shown = here or list(scene.objects)
    colors = [
        (_MISTAKEN.get(color, "gray") if rng.random() < person.colors else color)
        for color in dict.fromkeys(placed.color for placed in shown)
    ]
    sound = 2 if any(placed.stretch > _STRETCHED for placed in here) else 3
    realism = sound - int(rng.random() < 0.1 + person.objects)
    return {
        f"count_{k}": _unless_unsure(person, rng, seen),
        f"color_{k}": _unless_unsure(person, rng, list(dict.fromkeys(colors)) or [COLORS[0].value]),
        f"realism_{k}": _unless_unsure(person, rng, realism),
    }


def _counted(person: SimulatedPerson, true: int, rng: np.random.Generator) -> int:
    if rng.random() < person.objects:
        return 0 if true else 1
    if true >= 2 and rng.random() < person.counts:
        return true + (1 if rng.random() < 0.5 else -1)
    return true


def _center(scene: Scene, kind: str) -> tuple[float, float] | None:
    """The middle of all objects of a kind; None if there is none."""
    here: list[Placed] = [placed for placed in scene.objects if placed.kind == kind]
    if not here:
        return None
    return float(np.mean([placed.x for placed in here])), float(np.mean([placed.y for placed in here]))


def _fit(spec: Spec, answers: Mapping[str, Any], rng: np.random.Generator, person: SimulatedPerson) -> int | str:
    """How well the caption fits by what this person saw: 4 all of it, 3 most, 2 some, 1 nothing; now and then one off."""
    derived = derive(spec, answers)
    whole = next((judgement.label for judgement in derived if judgement.aspect == "correct"), None)
    parts = [judgement.label for judgement in derived if judgement.aspect in ("present", "color", "position")]
    missed = len(parts) - parts.count(YES)
    if whole == YES:
        fit = 4
    elif parts and missed == len(parts):
        fit = 1
    else:
        # one part of several, or only the number
        fit = 3 if missed == 0 or (missed == 1 and len(parts) > 2) else 2
    if rng.random() < 0.05 + person.objects:
        fit = min(4, max(1, fit + (1 if rng.random() < 0.5 else -1)))
    return _unless_unsure(person, rng, fit)


def _unless_unsure(person: SimulatedPerson, rng: np.random.Generator, value: T) -> T | str:
    return CANNOT_TELL if rng.random() < person.cannot_tell else value


def random(seed: int, *names: str) -> np.random.Generator:
    """Of its own for each image and person, and the same on every machine."""
    digest = hashlib.blake2b("\0".join((str(seed), *names)).encode(), digest_size=16).digest()
    return np.random.default_rng(int.from_bytes(digest))


VERSION: Final = 1
"""Of the questions, as a project has them that nobody has edited."""


def annotate_vqa(
    known: Iterable[DepictedItem], people: Sequence[SimulatedPerson] = PEOPLE, seed: int = SEED
) -> list[Annotation]:
    """What they say, image by image; the same items, people and seed give the same annotations."""
    annotated: list[Annotation] = []
    for depicted in known:
        order = random(seed, depicted.item.item_id, "questions").permutation(len(people))
        earlier: list[dict[str, str]] = []
        for number in order[:3]:
            if len(earlier) == 2 and not tifa_vqa.undecided(earlier):
                break
            person = people[number]
            rng = random(seed, depicted.item.item_id, person.name, "questions")
            truth = true_answers(depicted.spec, depicted.scene)
            answers = {
                tifa_vqa.PREFIX + question.question_id: _answer_to(person, question, true, rng) for question, true in truth
            }
            earlier.append(answers)
            asking = FormItem("", {}, questions=tuple(question for question, _ in truth))
            annotated.append(
                Annotation(
                    annotation_id=str(uuid.uuid5(NAMESPACE, f"{seed}/questions/{person.name}/{depicted.item.item_id}")),
                    item_id=depicted.item.item_id,
                    rater_id=person.rater.rater_id,
                    questionnaire=tifa_vqa.NAME,
                    answers=answers,
                    judgements=tuple(tifa_vqa.FORM.derive(asking, answers)),
                    rule_version=tifa_vqa.FORM.rule_version,
                    raw={"questions": VERSION},
                )
            )
    return annotated


def _answer_to(person: SimulatedPerson, question: PromptQuestion, true: str | None, rng: np.random.Generator) -> str:
    seen = true if true is not None else NO if question.is_yes_no else tifa_vqa.NONE_OF_THEM
    if rng.random() < person.cannot_tell:
        return CANNOT_TELL
    errs = {"counting": person.counts, "color": person.colors, "spatial": person.positions}
    if rng.random() >= errs.get(question.element_type, person.objects):
        return seen
    others = [choice for choice in question.choices if choice != seen]
    return others[int(rng.integers(len(others)))]


@dataclass(frozen=True, slots=True)
class DepictedPair:
    """Two generators' images of one prompt, and of each whether it shows what the prompt says; in the item's order."""

    item: Item
    generators: tuple[str, str]
    faithful: tuple[bool, bool]


VOTES: Final = 3
"""On each pair."""


def vote(pairs: Iterable[DepictedPair], people: Sequence[SimulatedPerson] = PEOPLE, seed: int = SEED) -> list[Annotation]:
    """Whom they choose, pair by pair; the same pairs, people and seed give the same votes.

    Each image is taken for what it is not as often as the person miscounts. Who mistakes sides also takes the left image that
    often without looking, so that a side bias can be seen.
    """
    votes: list[Annotation] = []
    for pair in pairs:
        for number in random(seed, pair.item.item_id, "votes").permutation(len(people))[:VOTES]:
            person = people[number]
            rng = random(seed, pair.item.item_id, person.name, "vote")
            order = tuple(int(image) for image in rng.permutation(2))
            left, right = (pair.faithful[image] != (rng.random() < person.counts) for image in order)
            if rng.random() < person.positions:
                left, right = True, False
            choice = ab.BOTH if left and right else ab.NONE if not (left or right) else ab.SIDES[int(right)]
            answers = {"preference": _unless_unsure(person, rng, choice)}
            form_item = FormItem("", n_images=2, generators=pair.generators, order=order)
            votes.append(
                Annotation(
                    annotation_id=str(uuid.uuid5(NAMESPACE, f"{seed}/votes/{person.name}/{pair.item.item_id}")),
                    item_id=pair.item.item_id,
                    rater_id=person.rater.rater_id,
                    questionnaire=ab.NAME,
                    answers=answers,
                    judgements=tuple(ab.FORM.derive(form_item, answers)),
                    rule_version=ab.FORM.rule_version,
                    raw={"order": list(order)},
                )
            )
    return votes
