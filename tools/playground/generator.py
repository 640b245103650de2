"""The playground's text-to-image model, trained from nothing: ``python -m tools.playground.generator --out DIR``.

``DIR/autoencoder`` must be there (``tools.playground.autoencoder``). Scenes become latents once; the transformer and its text
encoder learn v of the DDPM schedule on them. The moving average is kept at two stages, ``early`` and ``late``. Processes share
the batch and add up their gradients.
"""

from __future__ import annotations

import math
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
import torch
from diffusers import DDPMScheduler, PixArtTransformer2DModel
from diffusers.models.attention_processor import AttnProcessor
from torch import nn
from transformers import CLIPTextConfig, CLIPTextModel

from data.playground.render import SIZE, render
from scorers.models.playground_generator import (
    GRID,
    LATENT_CHANNELS,
    LENGTH,
    PlaygroundAutoencoder,
    predict,
)
from tools.playground import (
    average_gradients,
    averaged_model,
    from_command_line,
    furthest_progress,
    join_processes,
    train_together,
)
from tools.playground.autoencoder import pixels
from tools.playground.clip import write_tokenizer
from tools.playground.examples import caption_words, captioned

WIDTH: Final = 192
"""Numbers that stand for a word."""
_UNCONDITIONAL: Final = 0.1
_ENCODED_AT_ONCE: Final = 128
_PARTS: Final = ("transformer", "text_encoder")


def build_transformer() -> Any:
    """Untrained: B x 16 x 8 x 8 latents, a time step, B x 16 x 192 words to v; 6 layers."""
    transformer = PixArtTransformer2DModel(
        num_attention_heads=6,
        attention_head_dim=32,
        in_channels=LATENT_CHANNELS,
        out_channels=LATENT_CHANNELS,
        num_layers=6,
        cross_attention_dim=WIDTH,
        caption_channels=WIDTH,
        sample_size=GRID,
        patch_size=1,
        use_additional_conditions=False,
    )
    # on a CPU half as fast again as the default
    transformer.set_attn_processor(AttnProcessor())
    return transformer


def build_text_encoder(vocabulary: int) -> Any:
    """Untrained: word numbers to 192 numbers each; 2 layers."""
    return CLIPTextModel(
        CLIPTextConfig(
            vocab_size=vocabulary,
            hidden_size=WIDTH,
            intermediate_size=4 * WIDTH,
            num_hidden_layers=2,
            num_attention_heads=6,
            max_position_embeddings=LENGTH,
            projection_dim=WIDTH,
            pad_token_id=0,
            bos_token_id=2,
            eos_token_id=vocabulary - 1,
        )
    )


def build_scheduler() -> Any:
    """1,000 steps of the cosine schedule; the model says v."""
    return DDPMScheduler(
        num_train_timesteps=1000, beta_schedule="squaredcos_cap_v2", prediction_type="v_prediction", clip_sample=False
    )


@dataclass(frozen=True, slots=True)
class GeneratorRecipe:
    """Scenes drawn once, steps, pictures a step (over all processes), highest learning rate, share of the steps at which the
    early stage is kept, minutes after which the run is brought to its end, processes; a stage's folder to go on from."""

    scenes: int = 36_000
    steps: int = 4000
    batch: int = 128
    rate: float = 1e-3
    early: float = 0.3
    minutes: float = math.inf
    processes: int = 2
    seed: int = 0
    start: Path | None = None


class TrainedGenerator(nn.Module):  # type: ignore[misc]  # torch is not read by mypy
    """What is trained: the text encoder and the transformer."""

    def __init__(self) -> None:
        super().__init__()
        self.text_encoder = build_text_encoder(len(caption_words()) + 4)
        self.transformer = build_transformer()

    def forward(self, latents: torch.Tensor, steps: torch.Tensor, tokens: torch.Tensor, mask: torch.Tensor) -> Any:
        return predict(self.transformer, latents, steps, self.text_encoder(tokens).last_hidden_state, mask)


def started_from(stage: Path | None) -> TrainedGenerator:
    """Untrained, or as a stage was saved."""
    model = TrainedGenerator()
    if stage is not None:
        for name in _PARTS:
            part = getattr(model, name)
            part.load_state_dict(type(part).from_pretrained(stage / name).float().state_dict())
    return model


@torch.no_grad()  # type: ignore[untyped-decorator]
def encoded(recipe: GeneratorRecipe, out: Path, rank: int) -> tuple[torch.Tensor, torch.Tensor]:
    """This process's share of the scenes: N x 16 x 8 x 8 latents in half precision, and N x 16 word numbers."""
    from transformers import PreTrainedTokenizerFast

    autoencoder = PlaygroundAutoencoder.from_pretrained(out / "autoencoder", torch_dtype=torch.float32)
    tokenizer = PreTrainedTokenizerFast.from_pretrained(out / "tokenizer")
    latents, captions = [], []
    for start in range(rank, recipe.scenes, recipe.processes * _ENCODED_AT_ONCE):
        chosen = range(start, min(start + recipe.processes * _ENCODED_AT_ONCE, recipe.scenes), recipe.processes)
        drawn = [captioned("train", recipe.seed * recipe.scenes + seed) for seed in chosen]
        images = np.stack([render(scene, SIZE).image for _, scene in drawn])
        latents.append(autoencoder.encode(pixels(images)).half())
        captions += [metadata["prompt"] for metadata, _ in drawn]
    tokens = tokenizer(captions, padding="max_length", max_length=LENGTH, return_tensors="pt").input_ids
    return torch.cat(latents), tokens


def rate_at(progress: float) -> float:
    """Of the highest rate: rises over the first 3 %, falls from 55 % on, to 2 %."""
    if progress < 0.03:
        return max(0.02, progress / 0.03)
    return 1.0 if progress < 0.55 else 0.02 + 0.98 * (1 + math.cos(math.pi * (progress - 0.55) / 0.45)) / 2


def some_steps(n: int) -> torch.Tensor:
    """Time steps: mostly in the middle, where a picture takes shape; one in five anywhere."""
    middle = torch.sigmoid(torch.randn(n))
    anywhere = torch.rand(n)
    return (torch.where(torch.rand(n) < 0.2, anywhere, middle) * 1000).long().clamp(0, 999)


def train(rank: int, recipe: GeneratorRecipe, out: Path) -> None:
    """One process of the training; the first writes the results."""
    join_processes(rank, recipe.processes, out)
    started = time.monotonic()
    latents, tokens = encoded(recipe, out, rank)
    print(f"{len(latents)} scenes in {time.monotonic() - started:.0f} s", flush=True)
    torch.manual_seed(recipe.seed)
    model = started_from(recipe.start).train()
    averaged = averaged_model(model, 0.9985)
    optimizer = torch.optim.AdamW(model.parameters(), lr=recipe.rate, betas=(0.9, 0.98), weight_decay=0.01)
    torch.manual_seed(1 + recipe.seed * recipe.processes + rank)
    started = time.monotonic()
    step, progress, early = 0, 0.0, False
    while progress < 1:
        for group in optimizer.param_groups:
            group["lr"] = recipe.rate * rate_at(progress)
        chosen = torch.randint(len(latents), (recipe.batch // recipe.processes,))
        loss = learn(model, latents[chosen].float(), tokens[chosen])
        average_gradients(model, recipe.processes)
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        optimizer.zero_grad()
        averaged.update_parameters(model)
        step += 1
        progress = furthest_progress(
            max(step / recipe.steps, (time.monotonic() - started) / 60 / recipe.minutes), recipe.processes
        )
        if rank == 0 and step % 50 == 0:
            print(f"step {step} {progress:.1%} {time.monotonic() - started:.0f} s loss {loss:.4f}", flush=True)
        if not early and progress >= recipe.early:
            early = True
            _save(averaged.module, out / "early", rank)
        if step % 400 == 0:
            _save(averaged.module, out / "late", rank)
    _save(averaged.module, out / "late", rank)


def learn(model: TrainedGenerator, latents: torch.Tensor, tokens: torch.Tensor) -> float:
    """Adds the gradient of a batch; returns the mean square error of v."""
    empty = torch.rand(len(tokens)) < _UNCONDITIONAL
    bare = torch.zeros_like(tokens[0])
    bare[:2] = torch.tensor([2, len(caption_words()) + 3])
    tokens = torch.where(empty[:, None], bare, tokens)
    noise, steps = torch.randn_like(latents), some_steps(len(latents))
    scheduler = build_scheduler()
    noisy = scheduler.add_noise(latents, noise, steps)
    target = scheduler.get_velocity(latents, noise, steps)
    with torch.autocast("cpu", torch.bfloat16):
        predicted = model(noisy, steps, tokens, (tokens != 0).long())
    loss = (predicted.float() - target).square().mean()
    loss.backward()
    return float(loss.detach())


def _save(model: TrainedGenerator, folder: Path, rank: int) -> None:
    """Both parts in half precision."""
    if rank:
        return
    for name, part in zip(_PARTS, (build_transformer(), build_text_encoder(len(caption_words()) + 4)), strict=True):
        part.load_state_dict(getattr(model, name).state_dict())
        part.half().save_pretrained(folder / name)


def main() -> None:
    """Command line; ``--out`` holds ``autoencoder/`` already."""
    recipe, out = from_command_line(GeneratorRecipe, "Train the playground's text-to-image model.")
    (out / "tokenizer").mkdir(parents=True, exist_ok=True)
    write_tokenizer(out / "tokenizer")
    build_scheduler().save_pretrained(out / "scheduler")
    train_together(train, recipe, out)


if __name__ == "__main__":
    main()
