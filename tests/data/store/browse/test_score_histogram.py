"""Whose scores the strip shows where nobody in particular is asked for."""

from __future__ import annotations

from pathlib import Path

from data.records import Evidence, Image, Item, Judgement, Prompt, Rater
from data.selection import Selection
from data.store import imports
from data.store.browse.facets import score_histogram
from data.store.browse.filters import ListingQuery
from data.store.core.store import Store
from data.store.imports import ImportBundle


def test_the_default_scorer_has_the_most_scores_in_the_listing(tmp_path: Path) -> None:
    prompts = [Prompt(f"{suite}/0", suite, "a cup", None, {}) for suite in ("one", "two")]
    images = [Image(prompt.prompt_id, "g", n) for prompt in prompts for n in range(3)]
    items = [Item(image.image_id, image.prompt_id.split("/")[0], image.prompt_id, None, "g") for image in images]
    # a: all three of one, none of two; b: one of one, two of two
    scored = {"a": [0, 1, 2], "b": [0, 3, 4]}
    evidence = [
        Evidence(f"{rater}{n}", items[n].item_id, rater, {}, (Judgement("score", None, 0.1 * n),), "1")
        for rater, numbers in scored.items()
        for n in numbers
    ]
    bundle = ImportBundle(
        "b", "b", "b", prompts, images, items, raters=[Rater(name, "scorer") for name in scored], evidence=evidence
    )
    with Store(tmp_path / "project") as store:
        imports.apply(store, [bundle])
        results = {suite: score_histogram(store, ListingQuery(Selection(suite=(suite,)))) for suite in ("one", "two")}
        assert {suite: histogram.of for suite, histogram in results.items()} == {"one": "a", "two": "b"}
        assert {suite: histogram.undefined for suite, histogram in results.items()} == {"one": 0, "two": 1}
        # as many of both: by name
        assert score_histogram(store, ListingQuery(Selection())).of == "a"
        assert score_histogram(store, ListingQuery(Selection()), "b").of == "b"
