"""Held-out figures of the model that answers questions: ``python -m scorers.training.measure_vqa DIR`` prints them as JSON.

Careless drawings of GenEval's prompts, about half of them with a fault, with seeds that the training never used: in the
held-out looks (grounds and object-colour pairs never trained on), and in all looks, as the sample has them. Each is asked its
own prompt's questions, as TIFA asks them, and those of two other specs. An answer is right that is true of the scene. The model
is opened as in production.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import torch
from PIL import Image

from data.playground.drawing import ANY_LOOK, HELD_OUT_LOOK, SceneLook, draw_carelessly
from data.playground.render import render
from data.playground.sample import TASKS, random_metadata
from data.playground.scene import answered_questions
from data.prompts.questions import PromptQuestion
from data.prompts.spec import parse_spec
from scorers.models.vqa import open_vqa
from scorers.models.vqa.base import Query
from scorers.training.asked import some_spec
from scorers.training.scenes import seeded

_LOOKS: Final[dict[str, SceneLook]] = {"held-out": HELD_OUT_LOOK, "any": ANY_LOOK}
_OTHERS: Final = 2
_BATCH: Final = 32


@dataclass(frozen=True, slots=True)
class Case:
    """A question with the scene's answer and the model's; ``own``: of the prompt that the picture was drawn for."""

    question: PromptQuestion
    own: bool
    said: str


@dataclass(frozen=True, slots=True)
class Asked:
    """A picture and its questions: first those of its own prompt, ``own`` of them."""

    image: Image.Image
    questions: tuple[PromptQuestion, ...]
    own: int


def asked(look: SceneLook, number: int, seed: int = 0) -> Asked:
    """The picture of a number; the tasks take turns."""
    rng = seeded("held-out", 10**8 * (seed + 1) + number)
    spec = parse_spec(random_metadata(TASKS[number % len(TASKS)], rng, look))
    scene = draw_carelessly(spec, int(rng.integers(2**62)), look=look).scene
    own = answered_questions(spec, scene)
    others = [question for _ in range(_OTHERS) for question in answered_questions(some_spec(scene, rng), scene)]
    return Asked(Image.fromarray(render(scene).image), (*own, *others), len(own))


def cases(model: Any, pictures: Sequence[Asked]) -> list[Case]:
    """What the model (a ``Vqa``) answers."""
    found: list[Case] = []
    for start in range(0, len(pictures), _BATCH):
        some = pictures[start : start + _BATCH]
        queries = [[Query(question.text, question.choices) for question in one.questions] for one in some]
        for one, answers in zip(some, model.answer([one.image for one in some], queries), strict=True):
            for k, (question, answer) in enumerate(zip(one.questions, answers, strict=True)):
                found.append(Case(question, k < one.own, answer.chosen))
    return found


def figures(found: Sequence[Case]) -> dict[str, dict[str, float]]:
    """By element type and form: share of right answers, how many, the share that always giving the commonest true answer gets
    right, and the share that guessing does."""
    groups: dict[str, list[Case]] = {}
    for case in found:
        kind, form = case.question.element_type, "yes/no" if case.question.is_yes_no else "choices"
        for name in (f"{kind}, {form}", f"all, {form}", "all"):
            groups.setdefault(name, []).append(case)
    return {name: _figures(groups[name]) for name in sorted(groups)}


def _figures(some: Sequence[Case]) -> dict[str, float]:
    commonest = Counter(case.question.answer for case in some).most_common(1)[0][1]
    return {
        "right": round(sum(case.said == case.question.answer for case in some) / len(some), 4),
        "n": len(some),
        "commonest": round(commonest / len(some), 4),
        "chance": round(sum(1 / len(case.question.choices) for case in some) / len(some), 4),
    }


def measure(folder: str, pictures: int, seed: int = 0) -> dict[str, Any]:
    """The figures of both looks, of prompts' own questions and of others."""
    model = open_vqa(folder, "cpu", {"answering": "choices"})
    found: dict[str, Any] = {}
    for name, look in _LOOKS.items():
        seen = cases(model, [asked(look, number, seed) for number in range(pictures)])
        found[name] = {
            "own questions": figures([case for case in seen if case.own]),
            "other questions": figures([case for case in seen if not case.own]),
        }
    return found


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description="Held-out figures of the playground's question answering model.")
    parser.add_argument("folder")
    parser.add_argument("--pictures", type=int, default=600, help="of each look")
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    torch.set_num_threads(1)
    print(json.dumps(measure(given.folder, given.pictures, given.seed), indent=2))


if __name__ == "__main__":
    main()
