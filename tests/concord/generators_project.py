"""A project of two generators, two people, a scorer of verdicts and one of scores, by hand: who is right is known."""

from __future__ import annotations

from data.records import Annotation, Evidence, Image, Item, Judgement, Prompt, Rater
from data.store import imports
from data.store.core.store import Store
from data.store.imports import ImportBundle

PROMPTS = 12


def is_right(generator: str, prompt: int) -> bool:
    """`good` fails at every sixth prompt, `bad` at all but every third."""
    return prompt % 6 != 0 if generator == "good" else prompt % 3 == 0


def judgement(item: str, says: bool) -> Judgement:
    return Judgement("correct", "yes" if says else "no", float(says), item_id=item)


def fill(store: Store, *, people: bool = True) -> None:
    """Both people see what is there; the scorer is wrong about `bad` at prompt 3, and `scores` gives numbers alone."""
    prompts = [Prompt(f"s/{n}", "s", f"prompt {n}", ("t1", "t2")[n % 2]) for n in range(PROMPTS)]
    images = [Image(prompt.prompt_id, generator, 0) for prompt in prompts for generator in ("good", "bad")]
    items = [Item(each.image_id, "s", each.prompt_id, f"t{int(each.prompt_id[2:]) % 2 + 1}", each.generator) for each in images]
    evidence, annotations = [], []
    for image in images:
        item, n = image.image_id, int(image.prompt_id.split("/")[1])
        right = is_right(image.generator, n)
        says = right != (image.generator == "bad" and n == 3)
        evidence.append(Evidence(f"v{item}", item, "verdicts", {}, (judgement(item, says),), "1"))
        evidence.append(Evidence(f"c{item}", item, "scores", {}, (Judgement("score", None, 10.0 * right + n / 10),), "1"))
        annotations += [
            Annotation(f"{who}-{item}", item, who, "quick", {}, (judgement(item, right),), "1")
            for who in ("ann", "bob")
            if people
        ]
    raters = [Rater("verdicts", "scorer"), Rater("scores", "scorer")]
    raters += [Rater(who, "human", "person") for who in ("ann", "bob") if people]
    scales = [("s", "correct", "nominal"), ("s", "score", "interval")]
    bundle = ImportBundle(
        "ratings", "all", "0", prompts=prompts, images=images, items=items, raters=raters, scales=scales,
        annotations=annotations, evidence=evidence,
    )  # fmt: skip
    imports.apply(store, [bundle])
