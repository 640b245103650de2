"""Deformable attention on the CPU: the very sums that transformers makes, another way."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("transformers", reason="the group scorers is not installed")

from scorers.models.detectors.mask2former import sample_values, speed_up_attention  # noqa: E402
from tests.scorers import published_models  # noqa: E402

SHAPES = [(3, 5), (6, 4), (1, 1)]


def drawn(n_batch: int, heads: int, size: int, queries: int, low: float, high: float) -> tuple[Any, Any, Any]:
    torch.manual_seed(queries)
    values = torch.randn(n_batch, sum(h * w for h, w in SHAPES), heads, size)
    places = torch.rand(n_batch, queries, heads, len(SHAPES), 4, 2) * (high - low) + low
    weights = torch.rand(n_batch, queries, heads, len(SHAPES), 4)
    return values, places, weights


@pytest.mark.parametrize(("low", "high"), [(0.0, 1.0), (-0.5, 1.5), (-3.0, 3.0)])
def test_equal_to_grid_sample(low: float, high: float) -> None:
    from transformers.models.mask2former.modeling_mask2former import multi_scale_deformable_attention

    values, places, weights = drawn(2, 3, 8, 17, low, high)
    theirs = multi_scale_deformable_attention(values, SHAPES, places, weights)
    assert theirs.abs().max() > 0.1
    torch.testing.assert_close(sample_values(values, SHAPES, places, weights), theirs, rtol=1e-5, atol=1e-5)


def test_accuracy_by_hand() -> None:
    values = torch.tensor([[1.0], [2.0], [3.0], [4.0]])[None, :, None]
    # one grid of 2 x 2; its points stand at 0.25 and 0.75
    for place, expected in (
        ((0.25, 0.25), 1.0),
        ((0.75, 0.25), 2.0),
        ((0.5, 0.5), 2.5),
        ((0.0, 0.25), 0.5),
        ((-1.0, 9.0), 0.0),
    ):
        places = torch.tensor(place)[None, None, None, None, None]
        assert sample_values(values, [(2, 2)], places, torch.ones(1, 1, 1, 1, 1)).item() == pytest.approx(expected)


def test_what_is_no_number_stays_none() -> None:
    values, places, weights = drawn(1, 2, 4, 3, 0, 1)
    places[0, 1] = float("nan")
    said = sample_values(values, SHAPES, places, weights)
    assert torch.isnan(said[0, 1]).all()
    assert torch.isfinite(said[0, [0, 2]]).all()
    values[0, 5] = float("nan")
    assert not torch.isfinite(sample_values(values, SHAPES, places, weights)[0, [0, 2]]).all()


def test_a_whole_model_says_the_same(tmp_path: Path) -> None:
    from transformers import Mask2FormerForUniversalSegmentation

    model = Mask2FormerForUniversalSegmentation.from_pretrained(published_models.mask2former(tmp_path)).eval()
    pixels = torch.randn(2, 3, 96, 64)
    with torch.inference_mode():
        theirs = model(pixel_values=pixels)
        assert speed_up_attention(model) == 1
        ours = model(pixel_values=pixels)
    assert not torch.equal(ours.masks_queries_logits, theirs.masks_queries_logits), "the other way was not taken"
    torch.testing.assert_close(ours.masks_queries_logits, theirs.masks_queries_logits, rtol=1e-3, atol=1e-4)
    torch.testing.assert_close(ours.class_queries_logits, theirs.class_queries_logits, rtol=1e-3, atol=1e-4)
