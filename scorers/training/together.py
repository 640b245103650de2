"""Several processes that train one model: each takes a share of the batch, and they add up their gradients.

One thread each: threads that wait for each other at every operation are many times slower where other work wants the cores.
"""

from __future__ import annotations

from pathlib import Path

import torch
from torch import distributed, nn


def meet(rank: int, processes: int, folder: Path) -> None:
    """Join the others; ``folder`` is known to all."""
    torch.set_num_threads(1)
    if processes > 1:
        store = distributed.FileStore(str(folder / ".meeting"), processes)
        distributed.init_process_group("gloo", store=store, rank=rank, world_size=processes)


def add_up(model: nn.Module, processes: int) -> None:
    """The mean of all processes' gradients, in each."""
    if processes == 1:
        return
    gradients = [p.grad for p in model.parameters() if p.grad is not None]
    flat = torch.cat([gradient.flatten() for gradient in gradients])
    distributed.all_reduce(flat)
    flat /= processes
    for gradient, part in zip(gradients, flat.split([g.numel() for g in gradients]), strict=True):
        gradient.copy_(part.view_as(gradient))


def furthest(progress: float, processes: int) -> float:
    """The furthest process's progress, in each: they must end at the same step."""
    if processes == 1:
        return progress
    shared = torch.tensor([progress], dtype=torch.float64)
    distributed.all_reduce(shared, distributed.ReduceOp.MAX)
    return float(shared)
