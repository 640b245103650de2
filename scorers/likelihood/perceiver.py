"""What a likelihood scorer does with images: encodes them, reads the captions once, and keeps every term as evidence.

Terms are squared errors by trial, caption and step, in batches over all three: along SelfEval's reverse path
(``reverse_terms``), or of the image plainly noised (``loss_terms``: the evidence bound, and a flow's training loss). Captions
of one image are compared under the very same noise, so that what differs is the caption alone; the noise depends on the
image's and the trial's seed and on nothing else, so that neither batches nor the other captions change a number.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from data.jobs.runs import Observation
from scorers.base import ModelBroken, Settings, Shown
from scorers.likelihood import rules
from scorers.likelihood.rules import Elimination, Schedule, Terms, pack, seed_of, seeds
from scorers.models.diffusion import FLOW_TIMES, Denoiser, EncodedCaptions
from scorers.models.pretrained import batch_size


@dataclass(frozen=True, slots=True)
class CaptionedImage:
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
class _CaptionTrial:
    case: int
    number: int


@torch.no_grad()  # type: ignore[untyped-decorator]
def reverse_terms(
    denoiser: Denoiser, schedule: Schedule, read: EncodedCaptions, cases: Sequence[CaptionedImage], batch: int
) -> list[Terms]:
    """SelfEval's Algorithm 1: N x C x T squared distances |x_s - mean(x̄_t, t, c)|² of each case.

    The model sees x̄_t, denoised by itself from x_T on, and is held against the forward x_s; both start from one noise a trial,
    and what is added after each step is the same for all captions (appendix A; equation 7).

    ``batch`` is how many rows (trial and caption) the model sees at once; a trial's captions stay together.
    """
    terms_of = [np.full((len(case.seeds), len(case.captions), len(schedule)), np.nan, np.float32) for case in cases]
    trials = [_CaptionTrial(index, number) for index, case in enumerate(cases) for number in range(len(case.seeds))]
    for packed in _packs(trials, cases, batch):
        for trial, terms in zip(packed, _reverse(denoiser, schedule, read, cases, packed), strict=True):
            terms_of[trial.case][trial.number] = terms
    return terms_of


def _packs(trials: Sequence[_CaptionTrial], cases: Sequence[CaptionedImage], batch: int) -> Iterator[list[_CaptionTrial]]:
    packed: list[_CaptionTrial] = []
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
    denoiser: Denoiser,
    schedule: Schedule,
    read: EncodedCaptions,
    cases: Sequence[CaptionedImage],
    packed: Sequence[_CaptionTrial],
) -> list[Terms]:
    """C x T of each trial, all at once."""
    device = denoiser.device
    images = torch.stack([cases[trial.case].image for trial in packed])
    chance = [torch.Generator().manual_seed(cases[trial.case].seeds[trial.number]) for trial in packed]
    sizes = [len(cases[trial.case].captions) for trial in packed]
    trial_of_row = torch.repeat_interleave(torch.arange(len(packed)), torch.tensor(sizes)).to(device)
    captions = read.rows(torch.tensor([caption for trial in packed for caption in cases[trial.case].captions], device=device))
    noise = _draw_noise(images.shape[1:], chance, device)

    def forward(left: float) -> Any:
        return left**0.5 * images + (1.0 - left) ** 0.5 * noise

    noisy = forward(float(schedule.left[0]))[trial_of_row]
    distances = []
    for k, step in enumerate(schedule.steps.tolist()):
        left = float(schedule.left[k])
        prediction = denoiser.predict(noisy, torch.full((len(trial_of_row),), step, device=device), captions)
        mean = (
            schedule.image_coefficient[k] * denoised(denoiser, prediction, noisy, left) + schedule.noisy_coefficient[k] * noisy
        )
        target = forward(float(schedule.before[k]))[trial_of_row]
        distances.append((target - mean).flatten(1).double().square().sum(1).float().cpu())
        if k + 1 < len(schedule):
            noisy = mean + float(schedule.small[k]) ** 0.5 * _draw_noise(images.shape[1:], chance, device)[trial_of_row]
    together = torch.stack(distances, dim=1).numpy()
    return np.split(together, np.cumsum(sizes)[:-1])


def _draw_noise(shape: Sequence[int], chance: Sequence[torch.Generator], device: str) -> torch.Tensor:
    """The next noise of each trial; drawn on the CPU, so that a seed means the same on every device."""
    return torch.stack([torch.randn(tuple(shape), generator=generator) for generator in chance]).to(device)


def denoised(denoiser: Denoiser, prediction: torch.Tensor, noisy: torch.Tensor, left: Any) -> torch.Tensor:
    """x_0 as the model sees it in x_t; ``left`` is a_t, a number or one that fits ``noisy``."""
    if denoiser.prediction == "epsilon":
        return (noisy - (1.0 - left) ** 0.5 * prediction) / left**0.5
    if denoiser.prediction == "v_prediction":
        return left**0.5 * noisy - (1.0 - left) ** 0.5 * prediction
    if denoiser.prediction == "sample":
        return prediction
    raise ValueError(f"a model that says {denoiser.prediction} has no diffusion posterior: use flowloss")


def noise_of(denoiser: Denoiser, prediction: torch.Tensor, noisy: torch.Tensor, left: Any) -> torch.Tensor:
    """The noise as the model sees it in x_t."""
    if denoiser.prediction == "epsilon":
        return prediction
    return (noisy - left**0.5 * denoised(denoiser, prediction, noisy, left)) / (1.0 - left) ** 0.5


@dataclass(frozen=True, slots=True)
class Noising:
    """x = image * image's share + noise * noise's share, at each of T steps; all of shape (T,).

    Attributes:
        steps: as the model is told them.
    """

    steps: NDArray[np.float64]
    image: NDArray[np.float64]
    noise: NDArray[np.float64]

    @classmethod
    def of(cls, denoiser: Denoiser, n: int) -> Noising:
        """At ``n`` of a model's steps."""
        steps = np.array(denoiser.steps(n), float)
        if denoiser.prediction == "flow":
            return cls(steps, 1.0 - steps / FLOW_TIMES, steps / FLOW_TIMES)
        left = denoiser.alphas[steps.astype(int)]
        return cls(steps, np.sqrt(left), np.sqrt(1.0 - left))


@dataclass(frozen=True, slots=True)
class _Draw:
    case: int
    trial: int
    step: int


@dataclass(frozen=True, slots=True)
class _PendingImage:
    """A case under way: its draws in their order, and the captions still looked at (places among the case's own)."""

    order: NDArray[np.int64]
    captions: tuple[int, ...]


@torch.no_grad()  # type: ignore[untyped-decorator]
def loss_terms(
    denoiser: Denoiser,
    noising: Noising,
    read: EncodedCaptions,
    cases: Sequence[CaptionedImage],
    giving_up: Elimination,
    batch: int,
) -> list[Terms]:
    """N x C x T squared errors of each case: |noise - noise as the model sees it|², of a flow |velocity - the model's|².

    Draws (trial and step) come in a random order that the case's seeds decide, so that those of any length are fair to all
    steps; what was given up stays nan. ``batch`` is how many rows (draw and caption) the model sees at once.
    """
    length = len(noising.steps)
    terms_of = [np.full((len(case.seeds), len(case.captions), length), np.nan, np.float32) for case in cases]
    under_way = {
        index: _PendingImage(
            np.random.default_rng(case.seeds[0]).permutation(len(case.seeds) * length), tuple(range(len(case.captions)))
        )
        for index, case in enumerate(cases)
    }
    most = max((len(image.order) for image in under_way.values()), default=0)
    begun = 0
    for until in giving_up.rounds(most):
        rows = [
            (_Draw(index, int(draw) // length, int(draw) % length), caption)
            for index, image in under_way.items()
            for draw in image.order[begun:until]
            for caption in image.captions
        ]
        for start in range(0, len(rows), batch):
            some = rows[start : start + batch]
            for (draw, caption), error in zip(some, _errors(denoiser, noising, read, cases, some), strict=True):
                terms_of[draw.case][draw.trial, caption, draw.step] = error
        under_way = _still_pending(under_way, terms_of, giving_up, until)
        begun = until
    return terms_of


def _still_pending(
    under_way: dict[int, _PendingImage], terms: Sequence[Terms], giving_up: Elimination, draws: int
) -> dict[int, _PendingImage]:
    """Those with more than one caption left."""
    left = {}
    for index, image in under_way.items():
        errors = terms[index].transpose(0, 2, 1).reshape(-1, terms[index].shape[1])[image.order[:draws]].astype(float)
        captions = giving_up.left(errors, image.captions)
        if len(captions) > 1:
            left[index] = replace(image, captions=captions)
    return left


def _errors(
    denoiser: Denoiser,
    noising: Noising,
    read: EncodedCaptions,
    cases: Sequence[CaptionedImage],
    rows: Sequence[tuple[_Draw, int]],
) -> list[float]:
    draws = list(dict.fromkeys(draw for draw, _ in rows))
    places = {draw: index for index, draw in enumerate(draws)}
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
    # steps are whole numbers, a flow's times need not be
    kind = torch.long if (noising.steps == np.round(noising.steps)).all() else torch.float32
    prediction = denoiser.predict(
        noisy,
        torch.tensor([noising.steps[draw.step] for draw, _ in rows], device=device).to(kind),
        read.rows(torch.tensor([cases[draw.case].captions[caption] for draw, caption in rows], device=device)),
    )
    if denoiser.prediction == "flow":
        apart = prediction - (noise - images)[which]
    else:
        apart = noise_of(denoiser, prediction, noisy, (shares[0] ** 2)[which]) - noise[which]
    errors: list[float] = apart.flatten(1).double().square().sum(1).cpu().tolist()
    return errors


def _noise(case: CaptionedImage, draw: _Draw) -> torch.Tensor:
    """Of one trial and step, the same for all captions; drawn on the CPU, so that a seed means the same on every device."""
    chance = torch.Generator().manual_seed(seed_of(case.seeds[draw.trial], draw.step))
    return torch.randn(tuple(case.image.shape), generator=chance)


class LikelihoodPerceiver:
    """A diffusion model in memory, and how it is asked (``scorers.likelihood.rules.Method``).

    Raises:
        ValueError: the model cannot be asked so.
    """

    def __init__(self, denoiser: Denoiser, method: rules.Method, settings: Settings) -> None:
        flows = denoiser.prediction == "flow"
        if flows != (method == "flow"):
            other = "flowloss" if flows else "selfeval or elbo"
            raise ValueError(f"{settings['model']} {'is a flow' if flows else 'is no flow'}: score it with {other}")
        self._denoiser, self._method, self._settings = denoiser, method, settings
        self._path = Noising.of(denoiser, int(settings["steps"]))
        self._broken = True

    def perceive(self, batch: Sequence[Shown]) -> list[Observation]:
        """See ``Perceiver``."""
        most = batch_size(self._denoiser.device, len(batch))
        return [seen for start in range(0, len(batch), most or 1) for seen in self._perceived(batch[start : start + most])]

    def _perceived(self, batch: Sequence[Shown]) -> list[Observation]:
        captions = list(dict.fromkeys(caption for shown in batch for caption in shown.captions))
        places = {caption: index for index, caption in enumerate(captions)}
        images = self._denoiser.encode([shown.image for shown in batch])
        cases = [
            CaptionedImage(
                image,
                tuple(places[caption] for caption in shown.captions),
                tuple(seeds(shown.item_id, int(self._settings["trials"]), int(self._settings["seed"]))),
            )
            for shown, image in zip(batch, images, strict=True)
        ]
        results = self._terms(self._denoiser.read(captions), cases)
        if self._broken and not any(np.isfinite(terms).any() for terms in results):
            raise ModelBroken(
                f"{self._settings['model']} gives no numbers in {self._settings['precision']}; try --set precision=float32"
            )
        self._broken = False
        size = images[0].numel()
        return [
            Observation(shown.item_id, self._payload(shown, terms, size)) for shown, terms in zip(batch, results, strict=True)
        ]

    def _terms(self, read: EncodedCaptions, cases: Sequence[CaptionedImage]) -> list[Terms]:
        rows = int(self._settings["batch"])
        if self._method == "reverse":
            schedule = Schedule.of(self._denoiser.alphas, self._path.steps.astype(int).tolist())
            return list(reverse_terms(self._denoiser, schedule, read, cases, rows))
        giving_up = Elimination.read(self._settings["stages"], self._settings["stop"], int(self._settings["every"]))
        return list(loss_terms(self._denoiser, self._path, read, cases, giving_up, rows))

    def _payload(self, shown: Shown, terms: Terms, dimensions: int) -> dict[str, Any]:
        cut = [index for index, text in enumerate(shown.captions) if self._denoiser.tokens(text) > self._denoiser.limit]
        payload: dict[str, Any] = {
            "captions": list(shown.captions),
            "right": shown.right,
            "method": self._method,
            "dimensions": dimensions,
            "steps": self._path.steps.tolist(),
            "left": (self._path.image**2).tolist(),
            "terms": pack(terms),
            "evaluations": int(np.isfinite(terms).sum()),
            "full": int(terms.size),
            "cut": cut,
        }
        trials = rules.by_trial(payload, self._settings)
        payload["fits"] = rules.as_json(rules.fits(payload, self._settings))
        # of a caption that was given up there is not every trial
        payload["trial_fits"] = [rules.as_json(row) for row in trials]
        return payload
