"""Whether a model's numbers can be those of a working one, asked of every batch.

GenEval's own detector, on a GPU that its kernels were not built for, printed an error, found nothing, and every image got 0
(GenEval's issue 12). Hence: numbers that are none, or that do not depend on the picture, stop a run before it says anything.
"""

from __future__ import annotations

from typing import Final

import numpy as np
import torch
from numpy.typing import NDArray

from scorers.base import ModelBroken

_ADVICE: Final = "its weights, or its kernels on this device, are broken"


class Soundness:
    """Looks at the numbers of one model, batch by batch. Finite they must always be; that they depend on the picture is asked
    until two different pictures have been seen.

    Args:
        model: its name, for the message.
        noun: what it is given, in a word.
    """

    def __init__(self, model: str, noun: str = "pictures") -> None:
        self._model = model
        self._what = noun
        self._finite_once = False
        self._seen: tuple[torch.Tensor, list[NDArray[np.float32]]] | None = None
        self._varied = False

    def check(self, pixels: torch.Tensor, *outputs: torch.Tensor) -> None:
        """Look at a batch.

        Args:
            pixels: B x 3 x H x W, what the model was given (or B x L tokens of texts).
            outputs: B x ... each, what it made of them; each kind of numbers for itself must depend on the picture.

        Raises:
            ModelBroken: the first pictures' numbers are not finite, or all the same.
            ValueError: a later picture's numbers are not finite.
        """
        finite = torch.stack([torch.isfinite(output).flatten(1).all(1) for output in outputs]).all(0)
        if not bool(finite.all()):
            if not self._finite_once and not bool(finite.any()):
                raise ModelBroken(f"{self._model} gives no finite numbers: {_ADVICE}")
            raise ValueError(f"{self._model} gives no finite numbers for it")
        self._finite_once = True
        if not self._varied:
            for k in range(len(pixels)):
                self._compare(pixels[k], [output[k].detach().float().cpu().numpy() for output in outputs])

    def _compare(self, pixels: torch.Tensor, numbers: list[NDArray[np.float32]]) -> None:
        """One picture's numbers with those of the first."""
        if any(some.size > 1 and bool((some == some.flat[0]).all()) for some in numbers):
            raise ModelBroken(f"{self._model} gives the same number for everything: {_ADVICE}")
        if self._seen is None:
            self._seen = (pixels.clone(), numbers)
            return
        first, first_numbers = self._seen
        if pixels.shape == first.shape and torch.equal(pixels, first):
            return
        # to the last bit: two pictures may differ by one pixel
        if any(a.shape == b.shape and np.array_equal(a, b) for a, b in zip(first_numbers, numbers, strict=True)):
            raise ModelBroken(f"{self._model} gives the same numbers for different {self._what}: {_ADVICE}")
        self._varied, self._seen = True, None
