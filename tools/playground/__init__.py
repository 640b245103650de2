"""Recipes that train the playground's small models from nothing: ``python -m tools.playground.detector --out DIR`` and others.

Here is what recipes share: weights averaged over a training,
and gradients added up over several processes.

The average forgets the untrained start: it keeps little at first, and more later. Of several processes that train one model
each takes a share of the batch, with one thread each: threads that wait for each other at every operation are many times
slower where other work wants the cores.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import fields
from pathlib import Path
from typing import Any, TypeVar

import torch
from torch import distributed, nn


def averaged_model(model: Any, decay: float) -> Any:
    """An ``AveragedModel`` over weights and buffers; of the old value it keeps ``min(decay, (1 + n) / (10 + n))`` at update n.

    With a fixed share a run of some hundred steps would still consist in good part of its random first weights.
    """

    def mix(old: list[Any], new: list[Any], count: Any) -> None:
        n = int(count)
        share = 1.0 - min(decay, (1 + n) / (10 + n))
        for parameter, other in zip(old, new, strict=True):
            if parameter.is_floating_point():
                parameter.lerp_(other.to(parameter.dtype), share)
            else:
                parameter.copy_(other)

    return torch.optim.swa_utils.AveragedModel(model, multi_avg_fn=mix, use_buffers=True)


Recipe = TypeVar("Recipe")


def from_command_line(recipe: type[Recipe], about: str) -> tuple[Recipe, Path]:
    """The recipe that the command line asks for, an option for each of its fields, and the folder for the results."""
    parser = argparse.ArgumentParser(description=about)
    parser.add_argument("--out", type=Path, required=True)
    for field in fields(recipe):  # type: ignore[arg-type]  # recipes are dataclasses
        kind = Path if field.default is None else type(field.default)
        parser.add_argument(f"--{field.name}", type=kind, default=field.default)
    options = vars(parser.parse_args())
    out: Path = options.pop("out")
    out.mkdir(parents=True, exist_ok=True)
    return recipe(**options), out


def train_together(train: Callable[..., None], recipe: Any, out: Path) -> None:
    """Have as many processes as the recipe says train: ``train(rank, recipe, out)``."""
    (out / ".meeting").unlink(missing_ok=True)
    torch.multiprocessing.spawn(train, (recipe, out), nprocs=recipe.processes)


def half_precision(model: nn.Module) -> dict[str, torch.Tensor]:
    """A model's weights in half precision, batch norm's running statistics in full."""
    return {
        name: (value.half() if value.is_floating_point() and "running_" not in name else value).contiguous()
        for name, value in model.state_dict().items()
    }


def join_processes(rank: int, processes: int, folder: Path) -> None:
    """Join the others; ``folder`` is known to all."""
    torch.set_num_threads(1)
    if processes > 1:
        store = distributed.FileStore(str(folder / ".meeting"), processes)
        distributed.init_process_group("gloo", store=store, rank=rank, world_size=processes)


def average_gradients(model: nn.Module, processes: int) -> None:
    """The mean of all processes' gradients, in each."""
    if processes == 1:
        return
    gradients = [p.grad for p in model.parameters() if p.grad is not None]
    flat = torch.cat([gradient.flatten() for gradient in gradients])
    distributed.all_reduce(flat)
    flat /= processes
    for gradient, part in zip(gradients, flat.split([g.numel() for g in gradients]), strict=True):
        gradient.copy_(part.view_as(gradient))


def furthest_progress(progress: float, processes: int) -> float:
    """The furthest process's progress, in each: they must end at the same step."""
    if processes == 1:
        return progress
    shared = torch.tensor([progress], dtype=torch.float64)
    distributed.all_reduce(shared, distributed.ReduceOp.MAX)
    return float(shared)
