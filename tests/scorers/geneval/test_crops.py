"""What the colour classifier is shown."""

from __future__ import annotations

import numpy as np
import pytest
from PIL import Image

from scorers.geneval.scorer import check_background, masked_crop


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


def test_crop_and_mask_can_each_be_left_out() -> None:
    """Table 4 of the paper."""
    image = Image.new("RGB", (10, 8), "red")
    mask = np.zeros((8, 10), bool)
    mask[2:4, 3:6] = True
    box = (3.0, 2.0, 6.0, 4.0)
    masked = np.asarray(masked_crop(image, mask, box, crop=False))
    assert masked.shape == (8, 10, 3)
    assert (masked[mask] == (255, 0, 0)).all()
    assert (masked[~mask] == 153).all()
    wide = np.asarray(masked_crop(image, mask, (2.0, 1.0, 7.0, 5.0), background="original"))
    assert wide.shape == (4, 5, 3)
    assert (wide == (255, 0, 0)).all()
    assert masked_crop(image, mask, box, crop=False, background="original").tobytes() == image.tobytes()
    blue = np.asarray(masked_crop(image, mask, (2.0, 1.0, 7.0, 5.0), background="blue"))
    assert blue[0, 0].tolist() == [0, 0, 255]


@pytest.mark.parametrize("background", ["", "greyish", "#99", "999", "Original "])
def test_backgrounds_that_are_none_are_refused(background: str) -> None:
    with pytest.raises(ValueError, match="background must be a colour"):
        check_background(background)


@pytest.mark.parametrize("background", ["#999", "white", "original", "rgb(1, 2, 3)"])
def test_backgrounds_are_colours_or_the_original(background: str) -> None:
    check_background(background)
