"""What a likelihood scorer does with images: encodes them, reads the captions once, and keeps every term as evidence."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from data.jobs.runs import Observation
from scorers.base import ModelBroken, Settings, Shown
from scorers.likelihood import judging
from scorers.likelihood.elimination import Elimination
from scorers.likelihood.estimators import Case, reverse_terms
from scorers.likelihood.losses import Noising, loss_terms
from scorers.likelihood.schedule import Schedule
from scorers.likelihood.terms import Terms, pack, seeds
from scorers.models.batches import together
from scorers.models.diffusion.denoiser import FLOW_TIMES, Denoiser, Read


class LikelihoodPerceiver:
    """A diffusion model in memory, and how it is asked (``scorers.likelihood.judging.Method``).

    Raises:
        ValueError: the model cannot be asked so.
    """

    def __init__(self, denoiser: Denoiser, method: judging.Method, settings: Settings) -> None:
        flows = denoiser.prediction == "flow"
        if flows != (method == "flow"):
            other = "flowloss" if flows else "selfeval or elbo"
            raise ValueError(f"{settings['model']} {'is a flow' if flows else 'is no flow'}: score it with {other}")
        self._denoiser, self._method, self._settings = denoiser, method, settings
        self._steps, self._image, self._noise = _path(denoiser, int(settings["steps"]))
        self._broken = True

    def perceive(self, batch: Sequence[Shown]) -> list[Observation]:
        """See ``Perceiver``."""
        most = together(self._denoiser.device, len(batch))
        return [seen for start in range(0, len(batch), most or 1) for seen in self._perceived(batch[start : start + most])]

    def _perceived(self, batch: Sequence[Shown]) -> list[Observation]:
        captions = list(dict.fromkeys(caption for shown in batch for caption in shown.captions))
        places = {caption: place for place, caption in enumerate(captions)}
        images = self._denoiser.encode([shown.image for shown in batch])
        cases = [
            Case(
                image,
                tuple(places[caption] for caption in shown.captions),
                tuple(seeds(shown.item_id, int(self._settings["trials"]), int(self._settings["seed"]))),
            )
            for shown, image in zip(batch, images, strict=True)
        ]
        found = self._terms(self._denoiser.read(captions), cases)
        if self._broken and not any(np.isfinite(terms).any() for terms in found):
            raise ModelBroken(
                f"{self._settings['model']} gives no numbers in {self._settings['precision']}; try --set precision=float32"
            )
        self._broken = False
        size = images[0].numel()
        return [
            Observation(shown.item_id, self._payload(shown, terms, size)) for shown, terms in zip(batch, found, strict=True)
        ]

    def _terms(self, read: Read, cases: Sequence[Case]) -> list[Terms]:
        rows = int(self._settings["batch"])
        if self._method == "reverse":
            schedule = Schedule.of(self._denoiser.alphas, self._steps.astype(int).tolist())
            reversed_terms: list[Terms] = reverse_terms(self._denoiser, schedule, read, cases, rows)
            return reversed_terms
        giving_up = Elimination.read(self._settings["stages"], self._settings["stop"], int(self._settings["every"]))
        path = Noising(self._steps, self._image, self._noise)
        plain: list[Terms] = loss_terms(self._denoiser, path, read, cases, giving_up, rows)
        return plain

    def _payload(self, shown: Shown, terms: Terms, dimensions: int) -> dict[str, Any]:
        cut = [place for place, text in enumerate(shown.captions) if self._denoiser.tokens(text) > self._denoiser.limit]
        payload: dict[str, Any] = {
            "captions": list(shown.captions),
            "right": shown.right,
            "method": self._method,
            "dimensions": dimensions,
            "steps": self._steps.tolist(),
            "left": (self._image**2).tolist(),
            "terms": pack(terms),
            "evaluations": int(np.isfinite(terms).sum()),
            "full": int(terms.size),
            "cut": cut,
        }
        trials = judging.by_trial(payload, self._settings)
        payload["fits"] = judging.as_json(judging.fits(payload, self._settings))
        # of a caption that was given up there is not every trial
        payload["trial_fits"] = [judging.as_json(row) for row in trials]
        return payload


def _path(denoiser: Denoiser, n: int) -> tuple[Any, Any, Any]:
    """(T,) steps, and the image's and the noise's share at each."""
    steps = np.array(denoiser.steps(n), float)
    if denoiser.prediction == "flow":
        return steps, 1.0 - steps / FLOW_TIMES, steps / FLOW_TIMES
    left = denoiser.alphas[steps.astype(int)]
    return steps, np.sqrt(left), np.sqrt(1.0 - left)
