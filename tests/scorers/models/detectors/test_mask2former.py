"""Mask2Former: how images are fitted, and what its numbers mean, against a plain restatement in numpy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image

torch = pytest.importorskip("torch")
pytest.importorskip("transformers", reason="the group scorers is not installed")

from scorers.models.detectors import mask2former  # noqa: E402
from scorers.models.detectors.mask2former import Frame, Instance, frame, instances, pixels  # noqa: E402

Tensor = Any  # a torch.Tensor, which mypy does not follow
Array = NDArray[np.float64]


@pytest.mark.parametrize(
    ("size", "resized", "padded"),
    [
        ((512, 512), (800, 800), (800, 800)),
        ((1024, 1024), (800, 800), (800, 800)),
        ((640, 480), (800, 1067), (800, 1088)),  # 1066.67
        ((480, 640), (1067, 800), (1088, 800)),
        ((2000, 1000), (667, 1333), (672, 1344)),  # 666.5 is rounded up
        ((30, 2000), (1333, 20), (1344, 32)),
        ((1, 5000), (1333, 1), (1344, 32)),
    ],
)
def test_images_keep_their_ratio(size: tuple[int, int], resized: tuple[int, int], padded: tuple[int, int]) -> None:
    assert frame(*size) == Frame(size[::-1], resized, padded)


def test_settings_are_the_published_ones() -> None:
    """Those of transformers' class, which are the authors' (the file on the hub says 384 x 384)."""
    from transformers import Mask2FormerImageProcessor

    theirs = Mask2FormerImageProcessor()
    assert dict(theirs.size) == {"shortest_edge": mask2former.SHORT, "longest_edge": mask2former.LONG} == {
        "shortest_edge": 800, "longest_edge": 1333
    }  # fmt: skip
    assert theirs.size_divisor == mask2former.DIVISOR == 32
    assert np.allclose(np.array(theirs.image_mean) * 255, mask2former.MEAN, atol=1e-3)
    assert np.allclose(np.array(theirs.image_std) * 255, mask2former.STD, atol=1e-3)
    assert theirs.resample == Image.Resampling.BILINEAR
    assert mask2former.MOST == 100


def test_pixels_are_resized_normalised_and_padded_with_zeros() -> None:
    from transformers import Mask2FormerImageProcessor

    rng = np.random.default_rng(0)
    image = Image.fromarray(rng.integers(0, 256, (30, 50, 3), np.uint8)).resize((144, 96), Image.Resampling.BICUBIC)
    theirs = Mask2FormerImageProcessor(size={"height": 64, "width": 96})(images=image, return_tensors="pt")["pixel_values"][0]
    # they differ by the rounding of eight-bit values
    assert float((pixels(image, frame(144, 96, side=64)) - theirs).abs().max()) < 2.5 / 57
    odd = frame(150, 90, side=60)
    assert odd == Frame((90, 150), (60, 100), (64, 128))
    padded = pixels(image.resize((150, 90)), odd)
    assert padded.shape == (3, 64, 128)
    assert padded[:, 59, 99].all()
    assert not padded[:, 60:].any()
    assert not padded[:, :, 100:].any()
    red = pixels(Image.new("RGB", (32, 32), (255, 0, 0)), frame(32, 32, side=32))
    assert red[:, 5, 5].tolist() == pytest.approx([(255 - 123.675) / 58.395, -116.28 / 57.12, -103.53 / 57.375])


def bilinear(array: Array, height: int, width: int) -> Array:
    """H x W to height x width, half-pixel centres, edges repeated."""
    places = []
    for length, wanted in zip(array.shape, (height, width), strict=True):
        at = np.clip((np.arange(wanted) + 0.5) * length / wanted - 0.5, 0, None)
        low = np.minimum(np.floor(at).astype(int), length - 1)
        places.append((low, np.minimum(low + 1, length - 1), at - low))
    (y0, y1, dy), (x0, x1, dx) = places
    rows = array[y0] * (1 - dy)[:, None] + array[y1] * dy[:, None]
    large: Array = rows[:, x0] * (1 - dx) + rows[:, x1] * dx
    return large


def restated(classes: Array, masks: Array, fitted: Frame, keep: float) -> list[tuple[int, int, float, tuple[float, ...], int]]:
    """All masks at full size, one pair after the other."""
    powers = np.exp(classes - classes.max(1, keepdims=True))
    probabilities = (powers / powers.sum(1, keepdims=True))[:, :-1]
    pairs = sorted(np.ndindex(*probabilities.shape), key=lambda pair: -probabilities[pair])[:100]
    results = []
    for query, kind in pairs:
        large = bilinear(masks[query], *fitted.padded)[: fitted.resized[0], : fitted.resized[1]]
        large = bilinear(large, *fitted.image)
        mask = large > 0
        if not mask.any():
            continue
        sigmoid = 1 / (1 + np.exp(-large))
        score = probabilities[query, kind] * (sigmoid * mask).sum() / (mask.sum() + 1e-6)
        if score > keep:
            y, x = np.nonzero(mask)
            box = (float(x.min()), float(y.min()), float(x.max() + 1), float(y.max() + 1))
            results.append((query, kind, float(score), box, int(mask.sum())))
    return sorted(results, key=lambda one: -round(one[2], 7))


def comparable(found: list[Instance]) -> list[tuple[int, int, float, tuple[float, ...], int]]:
    return [(instance.query, instance.kind, instance.score, instance.box, int(instance.mask.sum())) for instance in found]


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("size", [(40, 40), (97, 31), (13, 60)])
def test_random_numbers_mean_what_numpy_says(seed: int, size: tuple[int, int]) -> None:
    rng = np.random.default_rng(seed)
    fitted = frame(*size, side=64)
    classes = rng.normal(0, 3, (30, 81))
    small = (fitted.padded[0] // 4, fitted.padded[1] // 4)
    masks = np.stack([bilinear(rng.normal(-1, 3, (4, 4)), *small) for _ in range(30)])
    ours = instances(torch.tensor(classes).float(), torch.tensor(masks).float(), fitted, 0.1)
    theirs = restated(classes, masks, fitted, 0.1)
    assert len(ours) == len(theirs) > 10
    for a, b in zip(comparable(ours), theirs, strict=True):
        assert a[:2] == b[:2]
        assert a[2] == pytest.approx(b[2], abs=2e-5)
        assert a[3] == b[3]
        assert abs(a[4] - b[4]) <= 2
    assert all(our.mask.shape == (size[1], size[0]) and our.mask.dtype == np.bool_ for our in ours)


FRAME = Frame((16, 16), (16, 16), (16, 16))
INSIDE, NOWHERE = np.full((4, 4), -9.0), np.full((4, 4), -9.0)
INSIDE[1:3, 1:3] = 9.0


def crafted(rows: list[dict[int, float]], masks: list[Array]) -> tuple[Tensor, Tensor]:
    """Queries with some classes' probabilities (of 80; the rest is nothing's)."""
    classes = np.full((len(rows), 81), -60.0)
    for query, row in enumerate(rows):
        for kind, probability in row.items():
            classes[query, kind] = np.log(probability)
        classes[query, 80] = np.log(max(1 - sum(row.values()), 1e-9))
    return torch.tensor(classes).float(), torch.tensor(np.stack(masks)).float()


def test_one_query_may_stand_for_several_classes() -> None:
    found = instances(*crafted([{3: 0.5, 7: 0.45}], [INSIDE]), FRAME, 0.3)
    assert [(instance.query, instance.kind) for instance in found] == [(0, 3), (0, 7)]
    assert found[0].box == found[1].box
    assert found[0].score / found[1].score == pytest.approx(0.5 / 0.45, rel=1e-5)


def test_ties_keep_the_order_of_queries_and_classes() -> None:
    rows: list[dict[int, float]] = [{5: 0.4, 2: 0.4}, {9: 0.4}, {9: 0.8}, {9: 0.4, 1: 0.4}]
    found = instances(*crafted(rows, [INSIDE] * 4), FRAME, 0.1)
    assert [(instance.query, instance.kind) for instance in found] == [(2, 9), (0, 2), (0, 5), (1, 9), (3, 1), (3, 9)]


def test_of_more_than_a_hundred_equals_the_first_remain() -> None:
    rows: list[dict[int, float]] = [dict.fromkeys(range(3), 0.3) for _ in range(40)]
    found = instances(*crafted(rows, [INSIDE] * 40), FRAME, 0.1)
    assert [(instance.query, instance.kind) for instance in found] == [(k // 3, k % 3) for k in range(100)]


def test_empty_masks_are_dropped_and_boxes_end_behind_the_last_pixel() -> None:
    corner, everywhere = np.full((4, 4), -9.0), np.full((4, 4), 2.0)
    corner[3, 3] = 9.0
    rows: list[dict[int, float]] = [{0: 0.9}, {1: 0.8}, {2: 0.7}]
    found = instances(*crafted(rows, [NOWHERE, corner, everywhere]), FRAME, 0.1)
    assert {instance.kind: instance.box for instance in found} == {1: (12.0, 12.0, 16.0, 16.0), 2: (0.0, 0.0, 16.0, 16.0)}
    # 0.7 times the mean of sigmoid(2)
    assert found[1].score == pytest.approx(0.7 / (1 + np.exp(-2)), abs=1e-5)
    assert instances(*crafted([{0: 0.9}], [NOWHERE]), FRAME, 0.0) == []


def test_the_threshold_is_strict_and_pruning_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    rng = np.random.default_rng(7)
    classes, masks = torch.tensor(rng.normal(0, 3, (30, 81))).float(), torch.tensor(rng.normal(0, 3, (30, 8, 8))).float()
    fitted = Frame((32, 32), (32, 32), (32, 32))
    every = instances(classes, masks, fitted, 0.0)
    assert len(every) == 100
    for keep in (0.05, 0.3, every[10].score):
        # equal but for the last bits: other masks went together
        expected = [(instance.query, instance.kind) for instance in every if instance.score > keep + 1e-6]
        assert [(instance.query, instance.kind) for instance in instances(classes, masks, fitted, keep + 1e-6)] == expected
    monkeypatch.setattr(mask2former, "_PIXELS_AT_ONCE", 1)
    assert [one[:2] for one in comparable(instances(classes, masks, fitted, 0.05))] == [
        one[:2] for one in comparable(every) if one[2] > 0.05
    ]
    exactly = instances(*crafted([{0: 0.5}], [np.full((4, 4), 60.0)]), FRAME, 0.0)[0].score
    assert instances(*crafted([{0: 0.5}], [np.full((4, 4), 60.0)]), FRAME, exactly) == []


@pytest.mark.parametrize("shape", [(1, 1, 1), (3, 5, 7), (2, 8, 8), (0, 4, 4)])
def test_bits_are_those_of_numpy(shape: tuple[int, int, int]) -> None:
    masks = np.random.default_rng(0).random(shape) < 0.5
    assert mask2former.bits(torch.from_numpy(masks)).numpy().tolist() == np.packbits(masks).tolist()
    assert (mask2former.fetched(torch.from_numpy(masks)) == masks).all()
