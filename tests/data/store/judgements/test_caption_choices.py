"""Evidence of image-text matching as it is read back: sound rows alone, the first of several runs."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from data.records import Evidence, Image, Item, Prompt, Rater
from data.selection import Selection
from data.store import imports
from data.store.core.store import Store
from data.store.imports import ImportBundle
from data.store.judgements.scorer_evidence import caption_choices

GOOD: dict[str, Any] = {"captions": ["x", "y"], "right": 1, "fits": [0.5, None]}


def filled(folder: Path, *payloads: Mapping[str, Any]) -> Store:
    """An image for each payload, seen by the rater ``r``."""
    store = Store(folder)
    prompts = [
        Prompt(f"s/{k}", "s", "y", "color" if k else None, {"captions": ["x", "y"], "right": 1, "group": "g"})
        for k in range(len(payloads))
    ]
    images = [Image(prompt.prompt_id, "real", 0) for prompt in prompts]
    pairs = list(zip(images, prompts, strict=True))
    seen = enumerate(zip(images, payloads, strict=True))
    bundle = ImportBundle(
        "made",
        "s",
        "0",
        prompts=prompts,
        images=images,
        items=[Item(image.image_id, "s", image.prompt_id, prompt.task, "real") for image, prompt in pairs],
        raters=[Rater("r", "scorer", None, "1", {"steps": 5})],
        evidence=[Evidence(f"e{k}", image.image_id, "r", payload, (), "1") for k, (image, payload) in seen],
    )
    imports.apply(store, [bundle])
    return store


def test_caption_choices_come_with_their_image(tmp_path: Path) -> None:
    with filled(tmp_path / "p", GOOD, GOOD | {"fits": [1, 2]}) as store:
        first, second = caption_choices(store, Selection())
        assert (first.item_id, first.group, first.task, first.generator) == ("s/0/real/0", "g", "", "real")
        assert (first.payload["fits"], first.payload["right"], first.settings) == ([0.5, None], 1, {"steps": 5})
        assert second.task == "color"
        assert [choice.item_id for choice in caption_choices(store, Selection(task=("color",)))] == ["s/1/real/0"]
        assert caption_choices(store, Selection(rater=("nobody",))) == []
        # what restricts other judgements does not restrict these
        assert len(caption_choices(store, Selection(aspect=("count",), target=("cup",)))) == 2


@pytest.mark.parametrize(
    "wrong",
    [
        {"right": 2}, {"right": -1}, {"right": True}, {"right": "1"}, {"right": None}, {"fits": [1]}, {"fits": [1, "2"]},
        {"fits": [1, True]}, {"captions": ["x", 5]}, {"captions": ["x"], "fits": [1], "right": 0}, {"fits": "12"},
        {"captions": {"a": 1}},
    ],
)  # fmt: skip
def test_hostile_evidence_is_left_out(tmp_path: Path, wrong: Mapping[str, Any]) -> None:
    with filled(tmp_path / "p", {**GOOD, **wrong}, GOOD) as store:
        assert [choice.item_id for choice in caption_choices(store, Selection())] == ["s/1/real/0"]
