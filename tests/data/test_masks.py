"""Masks survive being packed."""

from __future__ import annotations

import io

import numpy as np
import pytest
from PIL import Image

from data.masks import pack, unpack


@pytest.mark.parametrize("shape", [(1, 1), (1, 9), (9, 1), (3, 8), (128, 128), (17, 33)])
def test_any_shape_comes_back(shape: tuple[int, int]) -> None:
    for share in (0.0, 0.3, 1.0):
        mask = np.random.default_rng(0).random(shape) < share
        back = unpack(pack(mask))
        assert back.dtype == np.bool_
        assert np.array_equal(back, mask)


def test_a_mask_is_a_small_one_bit_picture() -> None:
    mask = np.zeros((512, 512), bool)
    mask[100:300, 50:400] = True
    packed = pack(mask)
    assert len(packed) < 1000
    with Image.open(io.BytesIO(packed)) as image:
        assert (image.format, image.mode, image.size) == ("PNG", "1", (512, 512))


def test_a_view_that_is_not_contiguous_is_packed_as_seen() -> None:
    mask = np.random.default_rng(1).random((20, 31)) < 0.5
    assert np.array_equal(unpack(pack(mask.T)), mask.T)
    assert np.array_equal(unpack(pack(mask[::2, ::3])), mask[::2, ::3])
