"""What the model makes of the image plainly noised: the terms of the evidence bound, and of a flow's training loss.

No step needs the one before it, so all trials, captions and steps go through the model in any order and number at once.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
import torch
from numpy.typing import NDArray

from scorers.likelihood.elimination import Elimination
from scorers.likelihood.estimators import Case, noise_of
from scorers.likelihood.terms import Terms, seed_of
from scorers.models.diffusion.denoiser import Denoiser, Read


@dataclass(frozen=True, slots=True)
class Noising:
    """x = image * image's share + noise * noise's share, at each of T steps; all of shape (T,).

    Attributes:
        steps: as the model is told them.
    """

    steps: NDArray[np.float64]
    image: NDArray[np.float64]
    noise: NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class _Draw:
    case: int
    trial: int
    step: int


@dataclass(frozen=True, slots=True)
class _Open:
    """A case under way: its draws in their order, and the captions still looked at (places among the case's own)."""

    order: NDArray[np.int64]
    captions: tuple[int, ...]


@torch.no_grad()  # type: ignore[untyped-decorator]
def loss_terms(
    denoiser: Denoiser, noising: Noising, read: Read, cases: Sequence[Case], giving_up: Elimination, batch: int
) -> list[Terms]:
    """N x C x T squared errors of each case: |noise - noise as the model sees it|², of a flow |velocity - the model's|².

    Draws (trial and step) come in a random order that the case's seeds decide, so that those of any length are fair to all
    steps; what was given up stays nan. ``batch`` is how many rows
    (draw and caption) the model sees at once.
    """
    length = len(noising.steps)
    found = [np.full((len(case.seeds), len(case.captions), length), np.nan, np.float32) for case in cases]
    under_way = {place: _opened(case, length) for place, case in enumerate(cases)}
    most = max((len(one.order) for one in under_way.values()), default=0)
    begun = 0
    for until in giving_up.rounds(most):
        rows = [
            (_Draw(place, int(draw) // length, int(draw) % length), caption)
            for place, one in under_way.items()
            for draw in one.order[begun:until]
            for caption in one.captions
        ]
        for some in _chunks(rows, batch):
            for (draw, caption), error in zip(some, _errors(denoiser, noising, read, cases, some), strict=True):
                found[draw.case][draw.trial, caption, draw.step] = error
        under_way = _going_on(under_way, found, giving_up, until)
        begun = until
    return found


def _opened(case: Case, length: int) -> _Open:
    order = np.random.default_rng(case.seeds[0]).permutation(len(case.seeds) * length)
    return _Open(order, tuple(range(len(case.captions))))


def _going_on(under_way: dict[int, _Open], found: Sequence[Terms], giving_up: Elimination, draws: int) -> dict[int, _Open]:
    """Those with more than one caption left."""
    left = {}
    for place, one in under_way.items():
        errors = found[place].transpose(0, 2, 1).reshape(-1, found[place].shape[1])[one.order[:draws]].astype(float)
        captions = giving_up.left(errors, one.captions)
        if len(captions) > 1:
            left[place] = replace(one, captions=captions)
    return left


def _chunks(rows: Sequence[tuple[_Draw, int]], batch: int) -> Iterator[Sequence[tuple[_Draw, int]]]:
    for start in range(0, len(rows), batch):
        yield rows[start : start + batch]


def _errors(
    denoiser: Denoiser, noising: Noising, read: Read, cases: Sequence[Case], rows: Sequence[tuple[_Draw, int]]
) -> list[float]:
    draws = list(dict.fromkeys(draw for draw, _ in rows))
    places = {draw: place for place, draw in enumerate(draws)}
    device = denoiser.device
    images = torch.stack([cases[draw.case].image for draw in draws])
    noise = torch.stack([_noise(cases[draw.case], draw) for draw in draws]).to(device)
    steps = [draw.step for draw in draws]
    shares = [
        torch.tensor(share[steps], dtype=torch.float32, device=device).view(-1, *[1] * (images.dim() - 1))
        for share in (noising.image, noising.noise)
    ]
    which = torch.tensor([places[draw] for draw, _ in rows], device=device)
    noisy = (shares[0] * images + shares[1] * noise)[which]
    told = denoiser.predict(
        noisy,
        torch.tensor([noising.steps[draw.step] for draw, _ in rows], device=device).to(_kind(noising)),
        read.rows(torch.tensor([cases[draw.case].captions[caption] for draw, caption in rows], device=device)),
    )
    if denoiser.prediction == "flow":
        apart = told - (noise - images)[which]
    else:
        apart = noise_of(denoiser, told, noisy, (shares[0] ** 2)[which]) - noise[which]
    errors: list[float] = apart.flatten(1).double().square().sum(1).cpu().tolist()
    return errors


def _kind(noising: Noising) -> torch.dtype:
    """Steps are whole numbers, a flow's times need not be."""
    return torch.long if (noising.steps == np.round(noising.steps)).all() else torch.float32


def _noise(case: Case, draw: _Draw) -> torch.Tensor:
    """Of one trial and step, the same for all captions; drawn on the CPU, so that a seed means the same on every device."""
    chance = torch.Generator().manual_seed(seed_of(case.seeds[draw.trial], draw.step))
    return torch.randn(tuple(case.image.shape), generator=chance)
