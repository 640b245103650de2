"""The cosine, as it is."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image

from data.prompts.spec import Spec
from data.records import Judgement
from data.runs import Seen
from scorers.base import Shown
from scorers.clipscore import ClipPerceiver, judge


class Clip:
    """Images are (1, 0), texts at the angle that they say in degrees."""

    context = 4

    def images(self, images: Sequence[Image.Image]) -> NDArray[np.float32]:
        return np.array([(1, 0)] * len(images), np.float32)

    def texts(self, texts: Sequence[str]) -> NDArray[np.float32]:
        angles = np.deg2rad([float(text.split()[0]) for text in texts])
        return np.stack([np.cos(angles), np.sin(angles)], axis=1).astype(np.float32)

    def tokens(self, text: str) -> int:
        return len(text.split()) + 2


def seen(*texts: str) -> list[Seen]:
    image = Image.new("RGB", (2, 2))
    return ClipPerceiver(Clip()).perceive([Shown(text, image, text, Spec()) for text in texts])  # type: ignore[arg-type]


def test_each_image_meets_its_own_prompt() -> None:
    found = seen("0", "60", "180")
    assert [one.item_id for one in found] == ["0", "60", "180"]
    assert [one.payload["cosine"] for one in found] == pytest.approx([1.0, 0.5, -1.0], abs=1e-6)
    # neither cut at zero nor stretched
    assert judge(Spec(), found[2], {}).judgements == (Judgement("score", None, found[2].payload["cosine"]),)


def test_what_was_not_read_is_said() -> None:
    short, long = seen("60 x", "60 x y z")
    assert (short.payload["tokens"], short.payload["read"]) == (4, 4)
    assert len(judge(Spec(), short, {}).checks) == 1
    assert (long.payload["tokens"], long.payload["read"]) == (6, 4)
    assert judge(Spec(), long, {}).checks[1].text == "only the first 4 of the prompt's 6 tokens were read"


def test_no_number_is_no_score() -> None:
    (broken,) = seen("nan")
    assert broken.payload["cosine"] is None
    (judgement,) = judge(Spec(), broken, {}).judgements
    assert (judgement.label, judgement.value, judgement.reason) == (None, None, "not_finite")


def test_what_could_not_be_seen_is_not_judged() -> None:
    assert judge(Spec(), Seen("a", failed="no such file"), {}).judgements == ()
