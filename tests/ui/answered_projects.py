"""Three small projects with people's answers and scorers: simulated people, the slots of a study, and five persons.

Images have unlike numbers of answers, and generators unlike numbers of images, so that weighing answers or images, or pairing
prompts or not, gives other numbers.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import numpy as np

from data.records import Annotation, Evidence, Image, Item, Judgement, Prompt, Rater
from data.store import imports
from data.store.core.store import Store
from data.store.imports import ImportBundle

PROMPTS: Final = 16
QUALITY: Final = {"good": 1.0, "fair": 0.6, "poor": -1.2}
KINDS: Final = ("simulated people", "slots", "five persons")


def _people(kind: str) -> list[Rater]:
    if kind == "slots":
        return [Rater(f"slot {n}", "human", "slot") for n in range(3)]
    return [Rater(f"person {n}", "human", "person", simulated=kind == "simulated people") for n in range(5)]


def fill(store: Store, kind: str, *, prompts: int = PROMPTS, quality: Mapping[str, float] = QUALITY) -> None:
    """Fill a project of a kind of KINDS; aspect `correct` (yes or no), of slots `faithfulness` (1 to 5)."""
    rng = np.random.default_rng(KINDS.index(kind) + 1)
    ordinal = kind == "slots"
    aspect = "faithfulness" if ordinal else "correct"
    people = _people(kind)
    asked = [Prompt(f"s/{n}", "s", f"prompt {n}", ("t1", "t2")[n % 2]) for n in range(prompts)]
    hard = rng.normal(size=prompts)
    images: list[Image] = []
    evidence: list[Evidence] = []
    annotations: list[Annotation] = []

    def says(value: float) -> Judgement:
        if ordinal:
            level = int(np.clip(np.round(3 + value), 1, 5))
            return Judgement(aspect, str(level), float(level))
        return Judgement(aspect, "yes" if value > 0 else "no", float(value > 0))

    for n, prompt in enumerate(asked):
        for generator, better in quality.items():
            for index in range(1 + int(rng.integers(0, 2))):
                image = Image(prompt.prompt_id, generator, index)
                images.append(image)
                true = better + hard[n] + 0.7 * rng.normal()
                heard = rng.permutation(len(people))[: int(rng.integers(1, len(people) + 1))]
                annotations += [
                    Annotation(
                        f"{who}-{image.image_id}",
                        image.image_id,
                        people[who].rater_id,
                        "quick",
                        {},
                        (says(true + 0.6 * rng.normal()),),
                        "1",
                    )
                    for who in heard
                ]
                for name, judged in (
                    ("metric", Judgement("score", None, float(true + rng.normal()))),
                    ("verdicts", says(true + 0.8 * rng.normal())),
                    ("noise", Judgement("score", None, float(rng.normal()))),
                ):
                    evidence.append(Evidence(f"{name}{image.image_id}", image.image_id, name, {}, (judged,), "1"))
    tasks = {prompt.prompt_id: prompt.task for prompt in asked}
    items = [Item(each.image_id, "s", each.prompt_id, tasks[each.prompt_id], each.generator) for each in images]
    scorers = [Rater(name, "scorer") for name in ("metric", "verdicts", "noise")]
    scales = [("s", aspect, "ordinal:1-5" if ordinal else "nominal"), ("s", "score", "interval")]
    bundle = ImportBundle(
        "ratings", kind, "0", prompts=asked, images=images, items=items, raters=[*scorers, *people], scales=scales,
        annotations=annotations, evidence=evidence,
    )  # fmt: skip
    imports.apply(store, [bundle])
