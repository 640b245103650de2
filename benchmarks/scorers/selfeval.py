"""SelfEval's terms: ours against Algorithm 1 as three plain loops, with the same model, in one run.

    uv run benchmarks/scorers/selfeval.py [--model playground-late] [--images 2] [--trials 4] [--steps 25]
        [--batch 64] [--device cpu]

The other side is what one writes first: for each trial, caption and step one call of the network with one row, diffusers' own
scheduler making each step. Images are encoded and captions read once on both sides, so that the loops alone are compared. Both
give the same terms (asserted), from the same noise.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import diffusers
import numpy as np
import torch
from PIL import Image

if not __package__:
    # run as a script, whose folder comes first: there this very file would be taken for a package
    sys.path[0] = str(Path(__file__).resolve().parents[2])

from benchmarks.measuring import Parts, command_line, machine, tell, timed, wait_for
from data.matching.playground import sample_scenes
from data.playground.render import render
from scorers.likelihood.perceiver import CaptionedImage, reverse_terms
from scorers.likelihood.rules import Schedule, Terms, seeds
from scorers.models.diffusion import Denoiser, EncodedCaptions, open_denoiser

TOLERANCE: Final = 1e-3
"""Of terms, as a share of their size."""
CAPTIONS: Final = 4


@torch.no_grad()  # type: ignore[untyped-decorator]
def plain(denoiser: Denoiser, steps: Sequence[int], read: EncodedCaptions, cases: Sequence[CaptionedImage]) -> list[Terms]:
    """Three loops around one call of the network."""
    scheduler = _Stepping(denoiser, steps)
    errors = []
    for case in cases:
        terms = np.zeros((len(case.seeds), len(case.captions), len(steps)), np.float32)
        for n, seed in enumerate(case.seeds):
            for c, caption in enumerate(case.captions):
                chance = torch.Generator().manual_seed(seed)
                noise = _drawn(case.image, chance)
                noisy = scheduler.forward(0, case.image, noise)
                for k, step in enumerate(steps):
                    row = read.rows(torch.tensor([caption], device=denoiser.device))
                    prediction = denoiser.predict(noisy[None], torch.tensor([step], device=denoiser.device), row)[0]
                    mean = scheduler.mean(prediction, step, noisy)
                    target = scheduler.forward(k + 1, case.image, noise)
                    terms[n, c, k] = float((target - mean).double().square().sum())
                    if k + 1 < len(steps):
                        noisy = mean + scheduler.spread(step) * _drawn(case.image, chance)
        errors.append(terms)
    return errors


class _Stepping:
    """diffusers' DDPM with a model's own schedule and these steps."""

    def __init__(self, denoiser: Denoiser, steps: Sequence[int]) -> None:
        self._left = [*denoiser.alphas[list(steps)].tolist(), 1.0]
        self._scheduler: Any = diffusers.DDPMScheduler(
            trained_betas=1 - np.append(denoiser.alphas[0], denoiser.alphas[1:] / denoiser.alphas[:-1]),
            prediction_type=denoiser.prediction,
            clip_sample=False,
        )
        self._scheduler.set_timesteps(timesteps=list(steps))

    def forward(self, k: int, image: torch.Tensor, noise: torch.Tensor) -> Any:
        return self._left[k] ** 0.5 * image + (1 - self._left[k]) ** 0.5 * noise

    def mean(self, prediction: torch.Tensor, step: int, noisy: torch.Tensor) -> torch.Tensor:
        """Its step, less the noise that it adds itself."""
        at = torch.Generator(prediction.device).manual_seed(0)
        stepped: torch.Tensor = self._scheduler.step(prediction[None], step, noisy[None], generator=at).prev_sample[0]
        if step == 0:
            return stepped
        at = torch.Generator(prediction.device).manual_seed(0)
        added = torch.randn((1, *prediction.shape), generator=at, device=prediction.device)[0]
        return stepped - self.spread(step) * added

    def spread(self, step: int) -> float:
        variance = float(self._scheduler._get_variance(step))
        return math.sqrt(variance)


def _drawn(image: torch.Tensor, chance: torch.Generator) -> torch.Tensor:
    return torch.randn(tuple(image.shape), generator=chance).to(image.device)


def compared(mine: Sequence[Terms], other: Sequence[Terms]) -> float:
    """The largest difference of terms, as a share of their size.

    Raises:
        AssertionError: one is further off than ``TOLERANCE``.
    """
    most = max(float((np.abs(a - b) / np.maximum(np.abs(b), 1e-3)).max()) for a, b in zip(mine, other, strict=True))
    assert most <= TOLERANCE, most
    return most


def main(arguments: Sequence[str] | None = None) -> list[str]:
    """Draw pictures, measure, print; the printed lines."""
    parser = command_line(__doc__)
    parser.add_argument("--model", default="playground-late", help="a name, a hub id or a folder (default playground-late)")
    parser.add_argument("--images", type=int, default=2)
    parser.add_argument("--trials", type=int, default=4)
    parser.add_argument("--steps", type=int, default=25)
    parser.add_argument("--batch", type=int, default=64, help="rows that our side's network sees at once (default 64)")
    parser.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu", help="as torch names it")
    options = parser.parse_args(arguments)
    denoiser = open_denoiser(options.model, options.device, "float32")
    drawn = [scene for scene in sample_scenes(n=max(1, options.images)) if len(scene.prompt.spec["captions"]) == CAPTIONS][
        : options.images
    ]
    captions = [caption for scene in drawn for caption in scene.prompt.spec["captions"]]
    images = denoiser.encode([Image.fromarray(render(scene.scene).image) for scene in drawn])
    cases = [
        CaptionedImage(
            image, tuple(range(CAPTIONS * k, CAPTIONS * (k + 1))), tuple(seeds(scene.prompt.prompt_id, options.trials, 0))
        )
        for k, (scene, image) in enumerate(zip(drawn, images, strict=True))
    ]
    steps = [int(step) for step in denoiser.steps(options.steps)]
    read, schedule = denoiser.read(captions), Schedule.of(denoiser.alphas, steps)
    # neither side pays for the first call
    reverse_terms(denoiser, schedule, read, [CaptionedImage(images[0], (0,), (0,))], 1)
    other, loops = timed(lambda: plain(denoiser, steps, read, cases))
    with Parts({"network": (type(denoiser), "predict")}, wait_for(options.device)) as parts:
        mine, ours = timed(lambda: reverse_terms(denoiser, schedule, read, cases, options.batch))
    apart = compared(mine, other)
    n = len(drawn) * options.trials * CAPTIONS * options.steps
    lines = [
        f"{options.model} on {options.device}: images {len(drawn)}, "
        f"trials {options.trials}, captions {CAPTIONS}, steps {len(steps)}",
        f"{machine('torch', 'diffusers')}, {torch.get_num_threads()} threads",
        f"{'an evaluation':28}{'clock':>14}{'processors':>16}",
        *(
            f"{label:28}{1e3 * timing.wall / n:>11.3f} ms{1e3 * timing.cpu / n:>13.3f} ms"
            for label, timing in (("three loops", loops), (f"ours, {options.batch} at once", ours))
        ),
        f"ratio: {loops.wall / ours.wall:.2f} by the clock, {loops.cpu / ours.cpu:.2f} by processors",
        f"images a second: {len(drawn) / ours.wall:.3f}, three loops {len(drawn) / loops.wall:.3f}",
        f"where ours spends it, the network's forward pass: {parts.shares(ours.wall)}",
        f"equal terms: {sum(term.size for term in mine):,}, the furthest {apart:.1e} of its size apart",
    ]
    return tell(lines)


if __name__ == "__main__":
    main()
