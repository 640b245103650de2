"""A small project with pairs of images, and votes on them."""

from __future__ import annotations

import uuid
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from concord.judging import direct, rate
from data.records import Annotation, Evidence, Image, Item, Judgement, Prompt, Rater
from data.selection import Selection
from data.store import imports
from data.store.campaigns import management
from data.store.core.store import Store
from data.store.imports import ImportBundle
from data.store.judgements import recording

SUITE = "s"


@dataclass(frozen=True)
class Said:
    """One vote on the pair of a prompt: a generator, both, none or None (cannot tell), and the side of the chosen image."""

    prompt: int
    who: str
    label: str | None
    side: str = "left"


def filled(store: Store, generators: Iterable[str], prompts: int = 4, text: str = "a <b>cow</b>") -> None:
    """So many prompts of two tasks, an image of each by each generator."""
    asked = [Prompt(f"{SUITE}/{n:05d}", SUITE, text, "even" if n % 2 == 0 else "odd") for n in range(prompts)]
    names = list(generators)
    images = [
        Image(prompt.prompt_id, name, 0, Path(f"/nowhere/{g}-{n}.png"), f"{g:032x}{n:032x}", 8, 8)
        for n, prompt in enumerate(asked)
        for g, name in enumerate(names)
    ]
    tasks = {prompt.prompt_id: prompt.task for prompt in asked}
    items = [Item(image.image_id, SUITE, image.prompt_id, tasks[image.prompt_id], image.generator) for image in images]
    imports.apply(store, [ImportBundle("images", "all", "all", asked, images, items)])


def scored(
    store: Store, rater: str, aspect: str, values: dict[str, list[float | None]], settings: dict[str, Any] | None = None
) -> None:
    """A scorer's values of each generator's images, by prompt."""
    evidence = [
        Evidence(f"{rater}/{name}/{n}", f"{SUITE}/{n:05d}/{name}/0", rater, direct(aspect, None, value), *_rated(aspect, value))
        for name, each in values.items()
        for n, value in enumerate(each)
        if value is not None
    ]
    bundle = ImportBundle("ratings", rater, rater, raters=[Rater(rater, "scorer", settings=settings or {})], evidence=evidence)
    imports.apply(store, [bundle])


def _rated(aspect: str, value: float) -> tuple[tuple[Judgement, ...], str]:
    version, judged = rate(direct(aspect, None, value))
    return judged, version


def voted(store: Store, first: str, second: str, votes: Iterable[Said]) -> list[str]:
    """Cast votes on the pairs of two generators; returns the pairs by prompt."""
    pairs = sorted(management.pairs(store, Selection(suite=(SUITE,)), first, second))
    for vote in votes:
        judged = Judgement("preference", vote.label, None, None, None if vote.label else "cannot_tell")
        answers = {"preference": vote.side if vote.label in (first, second) else vote.label or "cannot_tell"}
        # the first one stands left, unless what was chosen stands elsewhere then
        order = [0, 1] if (vote.label == first) == (vote.side == "left") else [1, 0]
        annotation = Annotation(
            str(uuid.uuid4()),
            pairs[vote.prompt],
            vote.who,
            "ab",
            answers,
            (judged,),
            "ab-1",
            campaign_id="default",
            raw={"order": order},
        )
        recording.submit(store, annotation)
    return pairs
