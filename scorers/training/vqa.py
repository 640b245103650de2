"""The playground's question answering model, trained from nothing: ``python -m scorers.training.vqa --out DIR``.

A small BLIP learns to say the true answer and to prefer it to the other choices, and, by heads that are dropped afterwards,
what each patch of the picture shows. Pictures are drawn while it runs. ``DIR`` is saved every few minutes and can be used and
gone on from; processes share the batch and add up their gradients.
"""

from __future__ import annotations

import argparse
import math
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
import torch

from scorers.training.averaging import average
from scorers.training.generator import rate_at
from scorers.training.together import add_up, furthest, meet
from scorers.training.vqa_batches import Drawn, batch, drawn
from scorers.training.vqa_forward import Heads, losses
from scorers.training.vqa_model import build_model, build_tokenizer, save

_STATE: Final = "training.pt"


@dataclass(frozen=True, slots=True)
class Recipe:
    """Pictures drawn before the first step, at each step, and in all (of each process); steps, pictures a step (over all
    processes), questions of each, highest learning rate, minutes after which the run is brought to its end, minutes between
    savings, processes; ``start`` a folder to go on from."""

    first: int = 2500
    fresh: int = 4
    scenes: int = 20_000
    steps: int = 6000
    batch: int = 64
    questions: int = 6
    rate: float = 1e-3
    minutes: float = math.inf
    saved: float = 4.0
    processes: int = 2
    seed: int = 0
    start: Path | None = None


class Pictures:
    """The pictures of one process."""

    def __init__(self, recipe: Recipe, rank: int) -> None:
        self._recipe, self._next = recipe, 10**7 * (1 + recipe.seed * recipe.processes + rank)
        self._tokenizer = build_tokenizer()
        self._pool: list[Drawn] = []
        self.vocabulary = len(self._tokenizer)
        while len(self._pool) < recipe.first:
            self._draw()

    def _draw(self) -> None:
        one = drawn(self._next, self._tokenizer)
        self._next += 1
        if len(one.answers) - int(one.of_color.sum()) > 0:
            self._pool.append(one)

    def some(self, n: int, rng: np.random.Generator) -> list[Drawn]:
        """``n`` of them; the pool grows meanwhile, until it is full."""
        if len(self._pool) < self._recipe.scenes:
            for _ in range(self._recipe.fresh):
                self._draw()
        return [self._pool[int(k)] for k in rng.integers(len(self._pool), size=n)]


def train(rank: int, recipe: Recipe, out: Path) -> None:
    """One process of the training; the first writes the results."""
    meet(rank, recipe.processes, out)
    started = time.monotonic()
    pictures = Pictures(recipe, rank)
    print(f"{recipe.first} pictures in {time.monotonic() - started:.0f} s", flush=True)
    torch.manual_seed(recipe.seed)
    model = build_model(pictures.vocabulary).train()
    heads = Heads(model.config.vision_config.hidden_size)
    if recipe.start is not None:
        state = torch.load(recipe.start / _STATE, weights_only=True)
        model.load_state_dict(state["model"])
        known = {name: value for name, value in state["heads"].items() if value.shape == heads.state_dict()[name].shape}
        heads.load_state_dict(known, strict=False)
    averaged = average(model, 0.998)
    parameters = [*model.parameters(), *heads.parameters()]
    optimizer = torch.optim.AdamW(parameters, lr=recipe.rate, betas=(0.9, 0.98), weight_decay=0.05)
    rng = np.random.default_rng([recipe.seed, rank])
    started = saved = time.monotonic()
    step, progress = 0, 0.0
    shown: dict[str, float] = {}
    while progress < 1:
        for group in optimizer.param_groups:
            group["lr"] = recipe.rate * rate_at(progress)
        chosen = batch(pictures.some(recipe.batch // recipe.processes, rng), recipe.questions, rng)
        spoken, choosing, dense, right = losses(model, heads, chosen)
        (0.3 * spoken + choosing + 0.7 * dense).backward()
        for module in (model, heads):
            add_up(module, recipe.processes)
        torch.nn.utils.clip_grad_norm_(parameters, 1.0)
        optimizer.step()
        optimizer.zero_grad()
        averaged.update_parameters(model)
        step += 1
        progress = furthest(max(step / recipe.steps, (time.monotonic() - started) / 60 / recipe.minutes), recipe.processes)
        for name, value in (("spoken", spoken), ("choosing", choosing), ("dense", dense), ("right", right.float().mean())):
            shown[name] = 0.98 * shown.get(name, float(value.detach())) + 0.02 * float(value.detach())
        if rank == 0 and step % 50 == 0:
            said = " ".join(f"{name} {value:.3f}" for name, value in shown.items())
            print(f"step {step} {progress:.1%} {time.monotonic() - started:.0f} s {said}", flush=True)
        if rank == 0 and (progress >= 1 or time.monotonic() - saved > recipe.saved * 60):
            saved = time.monotonic()
            save(averaged.module, out)
            torch.save({"model": model.state_dict(), "heads": heads.state_dict()}, out / _STATE)


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description="Train the playground's question answering model.")
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--start", type=Path, help="a folder with a run's state to go on from")
    for name in ("first", "fresh", "scenes", "steps", "batch", "questions", "processes", "seed"):
        parser.add_argument(f"--{name}", type=int, default=getattr(Recipe(), name))
    for name in ("rate", "minutes", "saved"):
        parser.add_argument(f"--{name}", type=float, default=getattr(Recipe(), name))
    arguments = parser.parse_args()
    given: dict[str, Any] = {name: value for name, value in vars(arguments).items() if name != "out"}
    arguments.out.mkdir(parents=True, exist_ok=True)
    (arguments.out / ".meeting").unlink(missing_ok=True)
    torch.multiprocessing.spawn(train, (Recipe(**given), arguments.out), nprocs=given["processes"])


if __name__ == "__main__":
    main()
