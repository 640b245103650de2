"""Masks survive being packed."""

from __future__ import annotations

import io

import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image

from data.jobs.runs import pack_mask


def unpacked(mask: bytes) -> NDArray[np.bool_]:
    with Image.open(io.BytesIO(mask)) as image:
        return np.asarray(image, bool)


@pytest.mark.parametrize("shape", [(1, 1), (1, 9), (9, 1), (3, 8), (128, 128), (17, 33)])
def test_a_mask_of_any_shape_is_unpacked_unchanged(shape: tuple[int, int]) -> None:
    for share in (0.0, 0.3, 1.0):
        mask = np.random.default_rng(0).random(shape) < share
        back = unpacked(pack_mask(mask))
        assert back.dtype == np.bool_
        assert np.array_equal(back, mask)


def test_a_mask_is_a_small_png_of_1_bit() -> None:
    mask = np.zeros((512, 512), bool)
    mask[100:300, 50:400] = True
    packed = pack_mask(mask)
    assert len(packed) < 1000
    with Image.open(io.BytesIO(packed)) as image:
        assert (image.format, image.mode, image.size) == ("PNG", "1", (512, 512))


def test_a_non_contiguous_view_is_packed_correctly() -> None:
    mask = np.random.default_rng(1).random((20, 31)) < 0.5
    assert np.array_equal(unpacked(pack_mask(mask.T)), mask.T)
    assert np.array_equal(unpacked(pack_mask(mask[::2, ::3])), mask[::2, ::3])
