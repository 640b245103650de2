"""The CLIP baseline of image-text matching: cosines by hand, what follows from them, and the playground's model."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image

from data.jobs.runs import Observation
from data.records import Judgement
from data.spec import Spec
from scorers import registry
from scorers.base import Shown
from scorers.matching import SCORER, ClipMatchPerceiver, judge


class Clip:
    """Images are (1, 0), texts at the angle that they say in degrees; it reads four words."""

    context = 4
    scale = 100.0

    def images(self, images: Sequence[Image.Image]) -> NDArray[np.float32]:
        return np.array([(1, 0)] * len(images), np.float32)

    def texts(self, texts: Sequence[str]) -> NDArray[np.float32]:
        angles = np.deg2rad([float(text.split()[0]) for text in texts])
        return np.stack([np.cos(angles), np.sin(angles)], axis=1).astype(np.float32)

    def tokens(self, text: str) -> int:
        return len(text.split())


def perceived_evidence(*offered: tuple[tuple[str, ...], int]) -> list[Observation]:
    image = Image.new("RGB", (2, 2))
    shown = [
        Shown(str(k), image, captions[right], Spec(), (), 0, captions, right) for k, (captions, right) in enumerate(offered)
    ]
    return ClipMatchPerceiver(Clip()).perceive(shown)  # type: ignore[arg-type]


def test_each_image_meets_its_own_captions() -> None:
    first, second = perceived_evidence((("60", "0", "180"), 1), (("90", "60"), 0))
    assert first.payload["fits"] == pytest.approx([0.5, 1.0, -1.0], abs=1e-6)
    assert (first.payload["captions"], first.payload["right"], first.payload["scale"]) == (["60", "0", "180"], 1, 100.0)
    assert second.payload["fits"] == pytest.approx([0.0, 0.5], abs=1e-6)
    caption, correct, score = judge(Spec(), first, {}).judgements
    assert (caption, correct) == (Judgement("caption", "0", None), Judgement("correct", "yes", 1.0))
    assert score.value == pytest.approx(0.5, abs=1e-6)
    caption, correct, score = judge(Spec(), second, {}).judgements
    assert (caption.label, correct.label) == ("60", "no")
    assert score.value == pytest.approx(-0.5, abs=1e-6)


def test_what_is_odd_is_said() -> None:
    broken, long = perceived_evidence((("nan", "0"), 0), (("0", "60 x y z far"), 0))
    assert broken.payload["fits"][0] is None
    assert {judgement.reason for judgement in judge(Spec(), broken, {}).judgements} == {"not_finite"}
    assert long.payload["unread"] == [1]
    assert judge(Spec(), long, {}).checks[0].text == "the model did not read to the end of: 60 x y z far"
    assert judge(Spec(), Observation("a", failed="no such file"), {}).judgements == ()


def test_it_is_a_scorer_that_matches() -> None:
    assert registry.get("clipmatch") is SCORER
    assert SCORER.input == "captions"
    assert registry.settings(SCORER, "paper") == {"clip": "ViT-L-14-quickgelu/openai", "weights": {}}
