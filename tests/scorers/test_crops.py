"""What the colour classifier is shown."""

from __future__ import annotations

import numpy as np
import pytest
from PIL import Image

from scorers.crops import masked_crop


def test_the_mask_comes_before_the_crop() -> None:
    image = Image.new("RGB", (10, 8), "red")
    mask = np.zeros((8, 10), bool)
    mask[2:4, 3:6] = True
    crop = np.asarray(masked_crop(image, mask, (2.0, 1.0, 7.0, 5.0)))
    assert crop.shape == (4, 5, 3)
    assert (crop[1:3, 1:4] == (255, 0, 0)).all()
    assert crop[0, 0].tolist() == [153, 153, 153]
    assert (crop == 153).all(axis=2).sum() == 20 - 6


def test_without_a_mask_the_surroundings_stay() -> None:
    assert (np.asarray(masked_crop(Image.new("RGB", (4, 4), "red"), None, (0, 0, 2, 2))) == (255, 0, 0)).all()


@pytest.mark.parametrize(
    ("box", "size"),
    [
        ((0.5, 0.5, 2.5, 3.5), (2, 4)),  # half to even: 0, 0, 2, 4
        ((1.2, 1.2, 1.3, 1.3), (1, 1)),
        ((3.0, 3.0, 1.0, 1.0), (1, 1)),
        ((float("nan"), 0, 2, 2), (2, 2)),
    ],
)
def test_boxes_are_rounded_and_never_empty(box: tuple[float, float, float, float], size: tuple[int, int]) -> None:
    assert masked_crop(Image.new("RGB", (6, 6)), None, box).size == size
