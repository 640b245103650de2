"""CLIPScore keeps the images' embeddings, and says whose they are."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image

from data.jobs.runs import unpack_embeddings
from data.spec import Spec
from scorers.base import Shown
from scorers.clipscore import ClipPerceiver, model_of


class Clip:
    """An image's vector points where its first pixel says; text is (1, 0)."""

    context = 4
    scale = 100.0

    def images(self, images: Sequence[Image.Image]) -> NDArray[np.float32]:
        angles = np.deg2rad([float(image.getpixel((0, 0))) for image in images])  # type: ignore[arg-type]
        return np.stack([np.cos(angles), np.sin(angles)], axis=1).astype(np.float32)

    def texts(self, texts: Sequence[str]) -> NDArray[np.float32]:
        return np.array([(np.nan, 0) if text == "nan" else (1, 0) for text in texts], np.float32)

    def tokens(self, text: str) -> int:  # noqa: ARG002
        return 3


def test_each_image_keeps_its_own_whatever_its_text() -> None:
    shown = [
        Shown(str(angle), Image.new("L", (2, 2), angle), text, Spec()) for angle, text in ((0, "x"), (60, "nan"), (90, "x"))
    ]
    seen = ClipPerceiver(Clip()).perceive(shown)  # type: ignore[arg-type]
    result = unpack_embeddings([observation.embedding or b"" for observation in seen]).astype(float)
    assert result == pytest.approx(np.array([[1, 0], [0.5, 0.8660254], [0, 1]]), abs=1e-3)
    assert seen[1].payload["cosine"] is None


@pytest.mark.parametrize(
    ("settings", "model"),
    [
        ({"clip": "ViT-B-32-quickgelu/openai", "weights": {}}, "ViT-B-32-quickgelu/openai"),
        (
            {"clip": "ViT-H-14/laion2b_s32b_b79k", "weights": {"clip": "0123"}, "revisions": {"clip": "abc"}},
            "ViT-H-14/laion2b_s32b_b79k@0123",
        ),
        ({"clip": "assets/playground/clip", "weights": {"clip": "9467c2309c9d"}}, "clip@9467c2309c9d"),
        ({"clip": "C:\\models\\clip\\", "weights": {"clip": "0123"}}, "clip@0123"),
        ({"clip": "/a/b/clip", "weights": {"clip": "4567"}}, "clip@4567"),
    ],
)
def test_models_are_told_apart_by_their_weights(settings: dict[str, Any], model: str) -> None:
    assert model_of(settings) == model
    assert ":" not in model


def test_what_the_judging_changes_leaves_the_model_the_same() -> None:
    settings: dict[str, Any] = {"clip": "m", "weights": {"clip": "1"}}
    assert model_of(settings | {"variant": "100*cos", "prefix": "A photo depicts"}) == model_of(settings)
