"""How models compute: how many pictures at once, packed weights on the CPU, half precision on a GPU, and the middle of very
long pictures.

Packed: matrix products on the CPU are a half faster where weights are brought once into the order in which oneDNN reads
them; torch
does so itself only in what ``torch.compile`` has frozen, which takes minutes and begins anew with every size of picture. The
sums
are the same but for the last digits. Half precision: for the part of a model that takes the most time and minds it least, its
backbone. Long pictures: for models that look at a square cut out of the middle.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any, Final, cast

import torch
from PIL import Image


def batch_size(device: str, most: int) -> int:
    """On the CPU one, which is as fast: there the last digits of what is seen of a picture depend on how many go with it, and a
    run is to come to the same whatever the size of its parts. On a GPU as many as are said to be good for it."""
    return 1 if torch.device(device).type == "cpu" else most


def pack_weights(model: torch.nn.Module) -> int:
    """Have a model in single precision on the CPU use packed weights from now on; how many of its layers do.

    Every plain linear layer of ``model`` must be called, not have its weight read from outside. Layers of a kind of their own
    (such as those within ``MultiheadAttention``) stay as they are, and so does every layer where this torch has no oneDNN.
    """
    known = torch.ops.mkldnn
    if not (torch.backends.mkldnn.is_available() and hasattr(known, "_reorder_linear_weight")):
        return 0
    layers = [module for module in model.modules() if type(module) is torch.nn.Linear and _can_pack(module.weight)]
    for layer in layers:
        # in the place of the weight, which would otherwise be in memory twice
        packed = known._reorder_linear_weight(layer.weight.detach())
        layer.weight = torch.nn.Parameter(packed, requires_grad=False)
        layer.forward = partial(_packed_product, layer)
    return len(layers)


def _can_pack(weight: torch.Tensor) -> bool:
    return weight.device.type == "cpu" and weight.dtype == torch.float32 and not weight.is_mkldnn


def _packed_product(layer: Any, x: torch.Tensor) -> torch.Tensor:
    return cast(torch.Tensor, torch.ops.mkldnn._linear_pointwise(x, layer.weight, layer.bias, "none", [], ""))


def compute_in_half(backbone: torch.nn.Module, device: str) -> None:
    """Have a module compute in bfloat16 where torch thinks it safe; what it gives is in full precision again, and its weights
    stay as they are."""
    kind, forward = torch.device(device).type, backbone.forward

    def halved(*given: Any, **named: Any) -> Any:
        with torch.autocast(kind, torch.bfloat16):
            said = forward(*given, **named)
        return _to_full_precision(said)

    backbone.forward = halved


def _to_full_precision(said: Any) -> Any:
    """The same, whatever holds it, with all its floating numbers in full precision."""
    if isinstance(said, torch.Tensor):
        return said.float() if said.is_floating_point() else said
    if isinstance(said, Mapping):  # transformers' outputs are made of their parts by name
        return type(said)(**{key: _to_full_precision(value) for key, value in said.items()})
    if isinstance(said, (list, tuple)):
        return type(said)(_to_full_precision(one) for one in said)
    return said


_MAX_ASPECT_RATIO: Final = 16
"""Sides of a picture: of a longer strip only the middle is looked at, as it would be cut out anyhow, but only after the whole
strip were enlarged (a crop of 1 x 2,000 pixels to 224 x 448,000)."""


def crop_long_image(image: Image.Image) -> Image.Image:
    """The middle of a strip; other pictures as they are."""
    width, height = image.size
    longest = _MAX_ASPECT_RATIO * min(width, height)
    if max(width, height) <= longest:
        return image
    x0, y0 = max(0, width - longest) // 2, max(0, height - longest) // 2
    return image.crop((x0, y0, x0 + min(width, longest), y0 + min(height, longest)))
