"""Packed weights: the very products that torch makes, another way."""

from __future__ import annotations

from typing import Any

import pytest

torch = pytest.importorskip("torch")

from scorers.models.pretrained import pack_weights  # noqa: E402


def model() -> Any:
    torch.manual_seed(0)
    return torch.nn.Sequential(torch.nn.Linear(24, 40), torch.nn.ReLU(), torch.nn.Linear(40, 7, bias=False)).eval()


@pytest.mark.parametrize("shape", [(24,), (1, 24), (5, 24), (2, 3, 24), (0, 24)])
def test_equal_products_of_any_shape(shape: tuple[int, ...]) -> None:
    plain, packed = model(), model()
    x = torch.randn(shape)
    with torch.inference_mode():
        expected = plain(x)
        assert pack_weights(packed) == 2
        said = packed(x)
    assert said.shape == expected.shape == (*shape[:-1], 7)
    torch.testing.assert_close(said, expected, rtol=1e-5, atol=1e-6)


def test_what_is_no_number_stays_none() -> None:
    packed = model()
    pack_weights(packed)
    x = torch.randn(3, 24)
    x[1, 4] = float("nan")
    with torch.inference_mode():
        said = packed(x)
    assert torch.isnan(said[1]).all()
    assert torch.isfinite(said[[0, 2]]).all()


def test_other_precisions_and_kinds_stay_as_they_are() -> None:
    attention = torch.nn.MultiheadAttention(8, 2)
    assert pack_weights(torch.nn.Sequential(model().double(), model().bfloat16(), attention)) == 0
    x = torch.randn(4, 1, 8)
    assert attention(x, x, x)[0].shape == (4, 1, 8)


def test_twice_is_once() -> None:
    packed = model()
    assert (pack_weights(packed), pack_weights(packed)) == (2, 0)


def test_without_onednn_all_stays_as_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.backends.mkldnn, "is_available", lambda: False)
    assert pack_weights(model()) == 0
