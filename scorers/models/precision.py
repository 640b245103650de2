"""Half the digits for the part of a model that takes the most time and minds it least: its backbone."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import torch


def halve(backbone: torch.nn.Module, device: str) -> None:
    """Have a module compute in bfloat16 where torch thinks it safe; what it gives is in full precision again, and its weights
    stay as they are."""
    kind, forward = torch.device(device).type, backbone.forward

    def halved(*given: Any, **named: Any) -> Any:
        with torch.autocast(kind, torch.bfloat16):
            said = forward(*given, **named)
        return _full(said)

    backbone.forward = halved


def _full(said: Any) -> Any:
    """The same, whatever holds it, with all its floating numbers in full precision."""
    if isinstance(said, torch.Tensor):
        return said.float() if said.is_floating_point() else said
    if isinstance(said, Mapping):  # transformers' outputs are made of their parts by name
        return type(said)(**{key: _full(value) for key, value in said.items()})
    if isinstance(said, (list, tuple)):
        return type(said)(_full(one) for one in said)
    return said
