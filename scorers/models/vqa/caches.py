"""What attention has computed already, handed to models of transformers as if they had done so themselves."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from transformers.cache_utils import DynamicCache, DynamicLayer, EncoderDecoderCache

Crossed = list[tuple[torch.Tensor, torch.Tensor]]
"""Keys and values of each layer, n x heads x places x d."""


def of_rows(known: Crossed, rows: Sequence[int]) -> DynamicCache:
    """The keys and values of these rows, one of which may be asked for many times."""
    cache = DynamicCache()
    alike = len(set(rows)) == 1
    for keys, values in known:
        layer = DynamicLayer()
        layer.lazy_initialization(keys, values)
        # of one row no copies are made
        layer.keys, layer.values = (
            some[rows[0]][None].expand(len(rows), -1, -1, -1) if alike else some[list(rows)] for some in (keys, values)
        )
        cache.layers.append(layer)
    return cache


def remembered(known: Crossed, rows: Sequence[int]) -> EncoderDecoderCache:
    """For a text model with cross attention, what it looks at; of its own tokens nothing is computed yet."""
    return EncoderDecoderCache(DynamicCache(), of_rows(known, rows))


def nothing(known: Crossed, n: int) -> torch.Tensor:
    """Stands for what is looked at, n times, of which only the number of places is read: keys and values are there already."""
    keys, _ = known[0]
    return keys.new_empty(n, keys.shape[2], 0)


def layers_of(cache: DynamicCache) -> Crossed:
    """What a cache holds."""
    return [(layer.keys, layer.values) for layer in cache.layers]
