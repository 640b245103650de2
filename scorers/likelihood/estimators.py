"""What SelfEval and its relatives measure: squared errors by trial, caption and step, in batches over all three.

Captions of one image are compared under the very same noise, so that what differs is the caption alone; the noise depends on
the image's and the trial's seed and on nothing else, so that neither batches nor the other captions change a number.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch

from scorers.likelihood.schedule import Schedule
from scorers.likelihood.terms import Terms
from scorers.models.diffusion.denoiser import Denoiser, Read


@dataclass(frozen=True, slots=True)
class Case:
    """One image with its captions.

    Attributes:
        image: as the model encodes it, without the batch's axis.
        captions: C places in what was read.
        seeds: N, one a trial.
    """

    image: torch.Tensor
    captions: tuple[int, ...]
    seeds: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class _Trial:
    case: int
    number: int


@torch.no_grad()  # type: ignore[untyped-decorator]
def reverse_terms(denoiser: Denoiser, schedule: Schedule, read: Read, cases: Sequence[Case], batch: int) -> list[Terms]:
    """SelfEval's Algorithm 1: N x C x T squared distances |x_s - mean(x̄_t, t, c)|² of each case.

    The model sees x̄_t, denoised by itself from x_T on, and is held against the forward x_s; both start from one noise a trial,
    and what is added after each step is the same for all captions (appendix A; equation 7).

    ``batch`` is how many rows (trial and caption) the model sees at once; a trial's captions stay together.
    """
    found = [np.full((len(case.seeds), len(case.captions), len(schedule)), np.nan, np.float32) for case in cases]
    trials = [_Trial(place, number) for place, case in enumerate(cases) for number in range(len(case.seeds))]
    for packed in _packs(trials, cases, batch):
        for one, terms in zip(packed, _reverse(denoiser, schedule, read, cases, packed), strict=True):
            found[one.case][one.number] = terms
    return found


def _packs(trials: Sequence[_Trial], cases: Sequence[Case], batch: int) -> Iterator[list[_Trial]]:
    packed: list[_Trial] = []
    rows = 0
    for trial in trials:
        size = len(cases[trial.case].captions)
        if packed and rows + size > batch:
            yield packed
            packed, rows = [], 0
        packed.append(trial)
        rows += size
    if packed:
        yield packed


def _reverse(
    denoiser: Denoiser, schedule: Schedule, read: Read, cases: Sequence[Case], packed: Sequence[_Trial]
) -> list[Terms]:
    """C x T of each trial, all at once."""
    device = denoiser.device
    images = torch.stack([cases[one.case].image for one in packed])
    chance = [torch.Generator().manual_seed(cases[one.case].seeds[one.number]) for one in packed]
    sizes = [len(cases[one.case].captions) for one in packed]
    trial = torch.repeat_interleave(torch.arange(len(packed)), torch.tensor(sizes)).to(device)
    said = read.rows(torch.tensor([place for one in packed for place in cases[one.case].captions], device=device))
    noise = _drawn(images.shape[1:], chance, device)

    def forward(left: float) -> Any:
        return left**0.5 * images + (1.0 - left) ** 0.5 * noise

    noisy = forward(float(schedule.left[0]))[trial]
    distances = []
    for k, step in enumerate(schedule.steps.tolist()):
        left = float(schedule.left[k])
        told = denoiser.predict(noisy, torch.full((len(trial),), step, device=device), said)
        mean = schedule.of_image[k] * denoised(denoiser, told, noisy, left) + schedule.of_noisy[k] * noisy
        target = forward(float(schedule.before[k]))[trial]
        distances.append((target - mean).flatten(1).double().square().sum(1).float().cpu())
        if k + 1 < len(schedule):
            noisy = mean + float(schedule.small[k]) ** 0.5 * _drawn(images.shape[1:], chance, device)[trial]
    together = torch.stack(distances, dim=1).numpy()
    return np.split(together, np.cumsum(sizes)[:-1])


def _drawn(shape: Sequence[int], chance: Sequence[torch.Generator], device: str) -> torch.Tensor:
    """The next noise of each trial; drawn on the CPU, so that a seed means the same on every device."""
    return torch.stack([torch.randn(tuple(shape), generator=one) for one in chance]).to(device)


def denoised(denoiser: Denoiser, told: torch.Tensor, noisy: torch.Tensor, left: Any) -> torch.Tensor:
    """x_0 as the model sees it in x_t; ``left`` is a_t, a number or one that fits ``noisy``."""
    if denoiser.prediction == "epsilon":
        return (noisy - (1.0 - left) ** 0.5 * told) / left**0.5
    if denoiser.prediction == "v_prediction":
        return left**0.5 * noisy - (1.0 - left) ** 0.5 * told
    if denoiser.prediction == "sample":
        return told
    raise ValueError(f"a model that says {denoiser.prediction} has no posterior of a diffusion: use flowloss")


def noise_of(denoiser: Denoiser, told: torch.Tensor, noisy: torch.Tensor, left: Any) -> torch.Tensor:
    """The noise as the model sees it in x_t."""
    if denoiser.prediction == "epsilon":
        return told
    return (noisy - left**0.5 * denoised(denoiser, told, noisy, left)) / (1.0 - left) ** 0.5
