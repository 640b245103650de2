"""Captions against prompts: the three measures by hand, and what is judged by them."""

from __future__ import annotations

import math
from collections.abc import Sequence

import pytest
from PIL import Image

from data.jobs.runs import Observation
from data.spec import Spec
from scorers.base import Shown
from scorers.caption import SCORER, CaptionPerceiver, judge
from scorers.registry import settings

pytest.importorskip("nltk", reason="the group scorers is not installed")

from scorers.caption import caption_nearness


def test_the_same_words_are_as_near_as_can_be() -> None:
    nearness = caption_nearness("A red cup on a table.", "a red cup on a table")
    assert nearness.bleu4 == pytest.approx(1)
    assert nearness.rouge_l == pytest.approx(1)
    # METEOR takes a half of the cube of chunks to matches away: 1 - .5 (1/6)^3
    assert nearness.meteor == pytest.approx(1 - 0.5 / 6**3)


@pytest.mark.parametrize(("caption", "prompt"), [("", "a cup"), ("a cup", ""), ("...", "a cup"), ("über 猫", "猫")])
def test_without_words_or_common_ones_it_is_nothing(caption: str, prompt: str) -> None:
    nearness = caption_nearness(caption, prompt)
    assert (nearness.rouge_l, nearness.meteor) == (0, 0)
    assert nearness.bleu4 < 1e-6


def test_accuracy_by_hand() -> None:
    # the five words of the caption: "a", "red", "cup" in order, of the prompt's six
    nearness = caption_nearness("a big red cup stands", "a red cup on a table")
    # unigrams 3/5, bigrams 1/4 ("red cup"), none of 3 trigrams and 2 of four; shorter by one word
    bleu = math.exp(1 - 6 / 5) * (3 / 5 * 1 / 4 * 1e-15 / 3 * 1e-15 / 2) ** 0.25
    assert nearness.bleu4 == pytest.approx(bleu, rel=1e-6)
    precision, recall = 3 / 5, 3 / 6
    assert nearness.rouge_l == pytest.approx((1 + 1.2**2) * precision * recall / (recall + 1.2**2 * precision))
    mean = precision * recall / (0.9 * precision + 0.1 * recall)
    # two chunks: "a", and "red cup"
    assert nearness.meteor == pytest.approx(mean * (1 - 0.5 * (2 / 3) ** 3))


def test_meteor_knows_stems_but_no_synonyms() -> None:
    assert caption_nearness("cups", "cup").meteor > 0
    assert caption_nearness("a mug", "cup").meteor == 0


class Fake:
    def captions(self, images: Sequence[Image.Image]) -> list[str]:
        return [f"a picture {image.width} wide" for image in images]


def test_what_is_kept_is_judged_by_the_metric_that_is_asked_for() -> None:
    batch_shown = [Shown(name, Image.new("RGB", (n, 5)), "a picture", Spec()) for name, n in (("a", 3), ("b", 4))]
    first, second = CaptionPerceiver(Fake()).perceive(batch_shown)  # type: ignore[arg-type]
    assert (first.payload["caption"], second.item_id) == ("a picture 3 wide", "b")
    near = caption_nearness("a picture 3 wide", "a picture")
    for metric, value in (("bleu4", near.bleu4), ("rouge_l", near.rouge_l), ("meteor", near.meteor)):
        (judgement,) = judge(Spec(), first, settings(SCORER, "paper", {"metric": metric})).judgements
        assert (judgement.aspect, judgement.value) == ("score", value)
    assert judge(Spec(), Observation("a", failed="broken"), SCORER.profiles["paper"]).judgements == ()
    with pytest.raises(ValueError, match="there is no metric 'spice'; known: bleu4, rouge_l, meteor"):
        settings(SCORER, "paper", {"metric": "spice"})
    with pytest.raises(ValueError, match="beams must be at least 1, got 0"):
        settings(SCORER, "paper", {"beams": "0"})
