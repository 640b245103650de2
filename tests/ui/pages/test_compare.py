"""The Compare page: which two generators it shows first."""

from __future__ import annotations

from pathlib import Path

from data.records import Evidence, Image, Item, Judgement, Prompt, Rater
from data.store.core.store import Store
from data.store.imports import ImportBundle, apply
from ui.pages.compare import ComparePage


def test_the_first_pair_is_of_generators_that_the_rater_judged(tmp_path: Path) -> None:
    # by the first scorer a is best and b next; the second one has not seen a
    good = {"a": 0.9, "b": 0.7, "c": 0.5}
    prompts = [Prompt(f"s/{n}", "s", f"prompt {n}") for n in range(3)]
    images = [Image(prompt.prompt_id, generator, 0) for prompt in prompts for generator in good]
    items = [Item(each.image_id, "s", each.prompt_id, None, each.generator) for each in images]
    evidence = [
        Evidence(f"{rater}{image.image_id}", image.image_id, rater, {}, (Judgement("score", None, good[image.generator]),), "1")
        for image in images
        for rater in ("m1", "m2")
        if (rater, image.generator) != ("m2", "a")
    ]
    scorers = [Rater("m1", "scorer"), Rater("m2", "scorer")]
    bundle = ImportBundle(
        "ratings", "all", "0", prompts=prompts, images=images, items=items, raters=scorers, evidence=evidence,
        scales=[("s", "score", "interval")],
    )  # fmt: skip
    with Store(tmp_path / "project") as store:
        apply(store, [bundle])
        pairs = {by: ComparePage(store).choices({"by": by}) for by in ("m1·score", "m2·score")}
        first, second = ({pair["first"].value, pair["second"].value} for pair in pairs.values())
    assert "a" in first
    assert second == {"b", "c"}
