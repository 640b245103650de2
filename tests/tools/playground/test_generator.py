"""The generator's recipe: a step lowers the loss on what it learns from, alone and in two processes alike."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("diffusers", reason="the group scorers is not installed")

from scorers.models.playground_generator import PlaygroundAutoencoder  # noqa: E402
from tools.playground import autoencoder  # noqa: E402
from tools.playground.generator import TrainedGenerator, learn, rate_at, some_steps  # noqa: E402


def test_it_learns_one_batch_by_heart() -> None:
    torch.manual_seed(0)
    model = TrainedGenerator()
    latents, tokens = torch.randn(4, 16, 8, 8), torch.randint(3, 40, (4, 16))
    optimizer = torch.optim.AdamW(model.parameters(), lr=2e-3)
    losses = []
    for _ in range(30):
        losses.append(learn(model, latents, tokens))
        optimizer.step()
        optimizer.zero_grad()
    assert sum(losses[-5:]) < 0.8 * sum(losses[:5])


def test_the_autoencoder_learns_and_its_latents_are_normalised(tmp_path: Path) -> None:
    images = autoencoder.pixels(np.stack([autoencoder.picture("train", seed) for seed in range(16)]))
    assert images.shape == (16, 3, 128, 128)
    assert images.abs().max() <= 1
    torch.manual_seed(0)
    model = PlaygroundAutoencoder()
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    losses = []
    for _ in range(12):
        loss = autoencoder.loss_of(model, images)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(float(loss.detach()))
    assert losses[-1] < 0.85 * losses[0]
    autoencoder.write(model, ((images.permute(0, 2, 3, 1) + 1) * 127.5).byte().numpy(), tmp_path)
    remaining = PlaygroundAutoencoder.from_pretrained(tmp_path, torch_dtype=torch.float32)
    with torch.no_grad():
        latents = remaining.encode(images)
    assert latents.shape == (16, 16, 8, 8)
    assert float(latents.mean(dim=(0, 2, 3)).abs().max()) < 0.05
    assert float((latents.std(dim=(0, 2, 3)) - 1).abs().max()) < 0.05


def test_rates_rise_stay_and_fall() -> None:
    assert rate_at(0) < rate_at(0.02) < rate_at(0.03) == rate_at(0.5) > rate_at(0.8) > rate_at(1) > 0


def test_steps_are_of_the_schedule_and_mostly_in_its_middle() -> None:
    torch.manual_seed(0)
    steps = some_steps(20_000)
    assert int(steps.min()) >= 0
    assert int(steps.max()) <= 999
    middle = ((steps > 250) & (steps < 750)).float().mean()
    assert 0.6 < float(middle) < 0.85
