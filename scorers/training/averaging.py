"""A moving average of weights that forgets the untrained start: it keeps little at first, and up to ``kept`` later."""

from __future__ import annotations

from typing import Any

import torch


def average(model: Any, kept: float) -> Any:
    """An ``AveragedModel`` over weights and buffers; of the old value it keeps ``min(kept, (1 + n) / (10 + n))`` at update n.

    With a fixed share a run of some hundred steps would still consist in good part of its random first weights.
    """

    def mix(old: list[Any], new: list[Any], count: Any) -> None:
        n = int(count)
        share = 1.0 - min(kept, (1 + n) / (10 + n))
        for one, other in zip(old, new, strict=True):
            if one.is_floating_point():
                one.lerp_(other.to(one.dtype), share)
            else:
                one.copy_(other)

    return torch.optim.swa_utils.AveragedModel(model, multi_avg_fn=mix, use_buffers=True)
