"""How many pictures go through a model at once."""

from __future__ import annotations

import torch


def together(device: str, most: int) -> int:
    """On the CPU one, which is as fast: there the last digits of what is seen of a picture depend on how many go with it, and a
    run is to come to the same whatever the size of its parts. On a GPU as many as are said to be good for it."""
    return 1 if torch.device(device).type == "cpu" else most
