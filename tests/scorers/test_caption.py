"""Captions against prompts: the three measures by hand, and what is judged by them."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from data.jobs.runs import Observation, Run, RunFolder, WorkItem
from data.spec import Spec
from scorers.base import Shown
from scorers.caption import SCORER, CaptionPerceiver, judge, words_of
from scorers.cider import DocumentFrequencies, cider
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
    with pytest.raises(
        ValueError, match="there is no metric 'spice'; known: bleu1, bleu2, bleu3, bleu4, rouge_l, meteor, cider"
    ):
        settings(SCORER, "paper", {"metric": "spice"})
    with pytest.raises(ValueError, match="beams must be at least 1, got 0"):
        settings(SCORER, "paper", {"beams": "0"})


def test_lower_orders_of_bleu_by_hand() -> None:
    nearness = caption_nearness("a big red cup stands", "a red cup on a table")
    brevity = math.exp(1 - 6 / 5)
    assert nearness.bleu1 == pytest.approx(brevity * 3 / 5)
    assert nearness.bleu2 == pytest.approx(brevity * (3 / 5 * 1 / 4) ** 0.5)
    assert nearness.bleu3 == pytest.approx(brevity * (3 / 5 * 1 / 4 * 1e-15 / 3) ** (1 / 3), rel=1e-6)


def reference_cider(caption: str, reference: str, documents: Sequence[str]) -> float:
    """CIDEr-D from the paper's equations (section 4 and appendix), on dense vectors over all n-grams."""
    total = 0.0
    for n in (1, 2, 3, 4):

        def grams(text: str, n: int = n) -> Counter[str]:
            words = text.split()
            return Counter(" ".join(words[k : k + n]) for k in range(len(words) - n + 1))

        every = sorted({*grams(caption), *grams(reference)})
        rarity = np.log(len(documents) / np.array([max(sum(g in grams(d) for d in documents), 1) for g in every], float))
        hypothesis, target = (np.array([grams(text)[g] for g in every], float) * rarity for text in (caption, reference))
        norms = np.linalg.norm(hypothesis) * np.linalg.norm(target)
        total += 0.0 if norms == 0 else float(np.minimum(hypothesis, target) @ target / norms)
    apart = len(caption.split()) - len(reference.split())
    return 10 * total / 4 * math.exp(-(apart**2) / 72)


def test_cider_is_that_of_an_independent_computation() -> None:
    rng = np.random.default_rng(0)
    words = ["a", "red", "cup", "dog", "on", "the", "table", "two"]
    documents = [" ".join(rng.choice(words, rng.integers(3, 9))) for _ in range(40)]
    frequencies = DocumentFrequencies.of([words_of(text) for text in documents])
    for document in documents:
        for caption in (document, " ".join(rng.choice(words, rng.integers(2, 9))), document + " cup cup cup"):
            expected = reference_cider(caption, document, documents)
            assert cider(words_of(caption), words_of(document), frequencies) == pytest.approx(expected, abs=1e-9)
    # the same words are as near as can be
    assert cider(words_of(documents[0]), words_of(documents[0]), frequencies) == pytest.approx(10)
    assert cider(["a"], ["a"], DocumentFrequencies.of([["a"]])) is None


def test_a_flipped_run_gives_no_score_and_cider_knows_the_run_s_prompts(tmp_path: Path) -> None:
    run = RunFolder(tmp_path / "run")
    texts = ("a red cup", "a blue dog", "a red cup")
    work = [WorkItem(str(k), "x.png", "", text, {}) for k, text in enumerate(texts)]
    run.create(Run("r", "caption", SCORER.version, "paper", dict(SCORER.profiles["paper"])), work)
    perceiver = CaptionPerceiver(Fake())  # type: ignore[arg-type]
    perceiver.remember(run.path)
    (seen,) = perceiver.perceive([Shown("a", Image.new("RGB", (3, 5)), "a picture 3 wide", Spec())])
    assert (seen.payload["documents"], seen.payload["cider"]) == (2, pytest.approx(10))
    chosen = settings(SCORER, "paper", {"flip": "color", "metric": "cider"})
    (judgement,) = judge(Spec(), seen, chosen).judgements
    assert (judgement.aspect, judgement.target) == ("flipped", "color")
    assert judgement.value == pytest.approx(10)
    with pytest.raises(ValueError, match="flip"):
        settings(SCORER, "paper", {"flip": "taste"})
    # what was seen before there was CIDEr
    (older,) = judge(
        Spec(), Observation("a", {"caption": "x", "bleu4": 0.5}), settings(SCORER, "paper", {"metric": "cider"})
    ).judgements
    assert (older.value, older.reason) == (None, "no_value")
