"""The Gaussians of a diffusion of T steps: p(x_s | x_t, c) with s the step before t (Ho et al., 2020, equations 6 and 7).

With a_t the share of the image left at t (``alphas_cumprod``), a = a_t / a_s and b = 1 - a:

    mean     = sqrt(a_s) b / (1 - a_t) x0  +  sqrt(a) (1 - a_s) / (1 - a_t) x_t
    variance = b (1 - a_s) / (1 - a_t)                                             ("fixed small")

At the last step s is the image itself, a_s = 1, and that variance is 0: ``LAST_STEPS`` says what is done about it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]
LastStep = Literal["previous", "large", "drop"]

LAST_STEPS: Final[dict[LastStep, str]] = {
    "previous": "the variance of the step before it, as Ho et al.'s and OpenAI's code clip it",
    "large": "b, the forward step's variance (fixed large)",
    "drop": "its term is left out",
}


@dataclass(frozen=True, slots=True)
class Schedule:
    """T steps, from the noisiest on. All arrays have shape (T,).

    Attributes:
        steps: t, as the model is told.
        left: a_t; ``before``: a_s of the step that follows it in the array, 1 at the last.
    """

    steps: NDArray[np.int64]
    left: FloatArray
    before: FloatArray

    @classmethod
    def of(cls, alphas_cumprod: Sequence[float] | FloatArray, steps: Sequence[int]) -> Schedule:
        """Of a model's own noise schedule, some of its steps (descending).

        Raises:
            ValueError: no steps, or they do not descend within the schedule.
        """
        alphas, chosen = np.asarray(alphas_cumprod, float), np.asarray(steps, np.int64)
        if not chosen.size or (np.diff(chosen) >= 0).any() or chosen[-1] < 0 or chosen[0] >= alphas.size:
            raise ValueError(f"steps must descend within 0 to {alphas.size - 1}, got {list(steps)[:5]}...")
        left = alphas[chosen]
        return cls(chosen, left, np.append(left[1:], 1.0))

    def __len__(self) -> int:
        return len(self.steps)

    @property
    def large(self) -> FloatArray:
        """b: the variance of the forward step from s to t."""
        return 1.0 - self.left / self.before

    @property
    def small(self) -> FloatArray:
        """The variance of q(x_s | x_t, x_0); 0 at the last step."""
        return self.large * (1.0 - self.before) / (1.0 - self.left)

    @property
    def of_image(self) -> FloatArray:
        """What x_0 counts in the mean."""
        return np.sqrt(self.before) * self.large / (1.0 - self.left)

    @property
    def of_noisy(self) -> FloatArray:
        """What x_t counts in the mean."""
        return np.sqrt(self.left / self.before) * (1.0 - self.before) / (1.0 - self.left)

    def variances(self, last: LastStep) -> FloatArray:
        """Those that a density can be computed with; nan where its term is left out.

        Raises:
            ValueError: there is no such way.
        """
        found = self.small.copy()
        if last == "previous":
            # a single step has none before it
            found[-1] = found[-2] if len(found) > 1 else self.large[-1]
        elif last == "large":
            found[-1] = self.large[-1]
        elif last == "drop":
            found[-1] = np.nan
        else:
            raise ValueError(f"there is no last_step {last!r}; known: {', '.join(LAST_STEPS)}")
        return found
