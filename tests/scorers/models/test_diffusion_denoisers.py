"""Every kind of pipeline as a denoiser, against what its own sampling without guidance asks of the same network."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from PIL import Image

from data.spec import Spec
from scorers import registry
from scorers.base import Shown
from scorers.likelihood.rules import unpack
from scorers.models.diffusion import Denoiser, open_denoiser, squared

CAPTIONS = ("a red cup.", "two blue buses beside a kite, all of them small", "a dog")
SAYS = {"sd21-v": "v_prediction", "sd3": "flow"}


@pytest.fixture(scope="module", params=["sd15", "sd21-v", "sdxl", "pixart", "if", "sd3"])
def opened(request: pytest.FixtureRequest, saved: dict[str, Path]) -> tuple[str, Path, Denoiser]:
    return request.param, saved[request.param], open_denoiser(str(saved[request.param]), "cpu", "float32")


def _sampled(denoiser: Any, captions: tuple[str, ...]) -> list[tuple[torch.Tensor, torch.Tensor, torch.Tensor]]:
    """Noisy images, steps and what the network said, while the pipeline makes pictures without guidance."""
    heard = []

    def hear(net: Any, values: tuple[Any, ...], named: dict[str, Any], said: Any) -> None:  # noqa: ARG001
        noisy = values[0] if values else named["hidden_states"]
        step = values[1] if len(values) > 1 else named["timestep"]
        heard.append((noisy.clone(), torch.as_tensor(step).expand(len(noisy)), said[0].clone()))

    hook = denoiser._net.register_forward_hook(hear, with_kwargs=True)
    further = {"use_resolution_binning": False} if "PixArt" in type(denoiser._pipeline).__name__ else {}
    denoiser._pipeline(list(captions), num_inference_steps=2, guidance_scale=1.0, output_type="np", **further)
    hook.remove()
    return heard


def test_it_says_what_the_pipelines_own_sampling_hears(opened: tuple[str, Path, Denoiser]) -> None:
    _, _, denoiser = opened
    heard = _sampled(denoiser, CAPTIONS)
    assert len(heard) >= 2
    read = denoiser.read(CAPTIONS)
    for noisy, steps, said in heard:
        ours = denoiser.predict(noisy, steps, read)
        assert ours.shape == noisy.shape
        assert torch.allclose(ours, said[:, : noisy.shape[1]], rtol=1e-3, atol=1e-5)
    alone = denoiser.predict(heard[0][0][1:2], heard[0][1][1:2], read.rows(torch.tensor([1])))
    assert torch.allclose(alone, heard[0][2][1:2, : alone.shape[1]], rtol=1e-3, atol=1e-5)


def test_captions_matter_and_steps_descend(opened: tuple[str, Path, Denoiser]) -> None:
    name, _, denoiser = opened
    assert denoiser.prediction == SAYS.get(name, "epsilon")
    steps = list(denoiser.steps(5))
    assert steps == sorted(steps, reverse=True)
    assert len(set(steps)) == 5
    noisy = torch.randn(1, *denoiser.encode([Image.new("RGB", (16, 16))]).shape[1:], generator=torch.Generator().manual_seed(0))
    read = denoiser.read(CAPTIONS[::2])
    answers = [denoiser.predict(noisy, torch.tensor([int(steps[2])]), read.rows(torch.tensor([k]))) for k in range(2)]
    assert not torch.equal(*answers)
    assert denoiser.tokens(CAPTIONS[1]) > denoiser.tokens(CAPTIONS[2]) > 0


def test_an_image_is_encoded_without_chance_and_decoded_again(opened: tuple[str, Path, Denoiser]) -> None:
    name, _, denoiser = opened
    noise = np.random.default_rng(0).integers(0, 256, (16, 16, 3), dtype=np.uint8)
    images = [Image.fromarray(noise), Image.new("RGB", (40, 16), "red")]
    value = denoiser.encode(images)
    assert torch.equal(value, denoiser.encode(images))
    pipeline: Any = denoiser._pipeline  # type: ignore[attr-defined]
    if name == "if":
        assert torch.allclose(value[0].permute(1, 2, 0), torch.from_numpy(noise) / 127.5 - 1)
    else:
        # as each pipeline undoes it before decoding
        config = pipeline.vae.config
        undone = value / config.scaling_factor + (config.get("shift_factor") or 0.0)
        assert torch.allclose(undone, pipeline.vae.encode(squared(images, 16)).latent_dist.mean, atol=1e-5)


def test_a_scorer_opens_it_by_its_folder_and_judges(opened: tuple[str, Path, Denoiser]) -> None:
    name, folder, _ = opened
    shown = Shown("a", Image.new("RGB", (20, 16), "red"), CAPTIONS[0], Spec(), captions=CAPTIONS)
    for scorer in ("flowloss",) if name == "sd3" else ("selfeval", "elbo"):
        found = registry.get(scorer)
        profile = "sd3" if scorer == "flowloss" else "sd15"
        values = {"model": str(folder), "trials": "2", "steps": "3", "precision": "float32"}
        settings = registry.settings(found, profile, values)
        (seen,) = found.open(settings, "cpu").perceive([shown])
        assert unpack(seen.payload["terms"]).shape == (2, 3, 3)
        assert found.judge(Spec(), seen, settings).correct is not None


def test_the_middle_of_an_image_is_what_is_seen() -> None:
    wide = Image.new("RGB", (30, 10), "black")
    wide.paste((255, 255, 255), (10, 0, 20, 10))
    assert torch.equal(squared([wide], 10), torch.ones(1, 3, 10, 10))
    tall = squared([Image.new("RGB", (8, 31), "white")], 16)
    assert tall.shape == (1, 3, 16, 16)
    assert torch.equal(tall, torch.ones(1, 3, 16, 16))
