"""From a likelihood scorer's terms to how well captions fit, and to judgements. Never imports torch.

- Terms by trial, caption and step, as evidence keeps them: packed, so that they are exact and small.
- The Gaussians that they are terms of: p(x_s | x_t, c) of a diffusion of T steps, with s the step before t (Ho et al., 2020,
  equations 6 and 7).
- Judging is pure, so that every aggregation can be tried on what was evaluated once.
- Which captions need no further look: staged elimination and paired early stopping (Li et al., 2023). All captions of an
  image meet the same noise at the same steps, so their errors are compared in pairs, draw by draw.
"""

from __future__ import annotations

import base64
import hashlib
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

import numpy as np
from numpy.typing import NDArray

from data.jobs.runs import Observation
from data.spec import Spec
from scorers.base import Check, Settings, Verdict
from scorers.matching import posterior, verdict

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
    def image_coefficient(self) -> FloatArray:
        """Coefficient of x_0 in the posterior mean."""
        return np.sqrt(self.before) * self.large / (1.0 - self.left)

    @property
    def noisy_coefficient(self) -> FloatArray:
        """Coefficient of x_t in the posterior mean."""
        return np.sqrt(self.left / self.before) * (1.0 - self.before) / (1.0 - self.left)

    def variances(self, last: LastStep) -> FloatArray:
        """Return the variances with which a density can be computed; nan where its term is left out.

        Raises:
            ValueError: there is no such way.
        """
        variances = self.small.copy()
        if last == "previous":
            # a single step has none before it
            variances[-1] = variances[-2] if len(variances) > 1 else self.large[-1]
        elif last == "large":
            variances[-1] = self.large[-1]
        elif last == "drop":
            variances[-1] = np.nan
        else:
            raise ValueError(f"there is no last_step {last!r}; known: {', '.join(LAST_STEPS)}")
        return variances


Terms = NDArray[np.float32]
"""N x C x T; nan where nothing was evaluated, or the model gave no number."""

_DTYPE: Final = np.dtype("<f4")
_MOST: Final = 1 << 24


def pack(terms: Terms) -> dict[str, Any]:
    """As JSON: ``shape`` and base64 of little-endian 32-bit numbers in C order."""
    return {"shape": list(terms.shape), "data": base64.b64encode(terms.astype(_DTYPE).tobytes()).decode()}


def unpack(packed: Mapping[str, Any]) -> Terms:
    """What ``pack`` made.

    Raises:
        ValueError: these are no terms.
    """
    try:
        shape = tuple(int(size) for size in packed["shape"])
        if len(shape) != 3 or min(shape) < 1 or np.prod(shape, dtype=object) > _MOST:
            raise ValueError(f"shape {shape}")
        return np.frombuffer(base64.b64decode(packed["data"], validate=True), _DTYPE).reshape(shape)
    except (KeyError, TypeError, ValueError) as error:
        raise ValueError(f"these are not terms by trial, caption and step: {error}") from error


def seed_of(*parts: object) -> int:
    """A seed below 2**63 that depends on these and on nothing else."""
    digest = hashlib.blake2b("\n".join(map(str, parts)).encode(), digest_size=8).digest()
    return int.from_bytes(digest) >> 1


def seeds(item_id: str, trials: int, seed: int) -> Sequence[int]:
    """Of each trial with an image; more trials begin with the same ones."""
    return tuple(seed_of(seed, number, item_id) for number in range(trials))


Method = Literal["reverse", "noise", "flow"]
"""SelfEval's reverse path (Algorithm 1); the noise of the image plainly noised; a flow's velocity."""

AGGREGATES: Final = {
    "jensen": "the mean over trials of log p (SelfEval, equation 9): a lower bound, and steadier",
    "lse": "log of the mean over trials of p (equation 8): in effect the best trial",
}
WEIGHTINGS: Final = {
    "uniform": "the mean squared error of the noise, all steps alike (Li et al., 2023)",
    "bound": "as the evidence bound weighs the steps (Ho et al., 2020, equation 12), in nats",
}


def log_likelihoods(terms: Terms, schedule: Schedule, dimensions: int, last: LastStep) -> FloatArray:
    """N x C log p of the path: sums over steps of log N(x_s; mean, variance), with its constants (SelfEval, equation 9).

    p(x_T) is the same for all captions of a trial and is left out, as 1/q is by the paper. ``terms`` are
    N x C x T squared distances, ``dimensions`` the numbers in an encoded image.
    """
    variances = schedule.variances(last)
    counted = np.isfinite(variances)
    of_step = -0.5 * (terms[..., counted] / variances[counted] + dimensions * np.log(2 * math.pi * variances[counted]))
    total: FloatArray = of_step.sum(axis=-1, dtype=float)
    return total


def aggregated(trials: FloatArray, aggregate: str) -> FloatArray:
    """C numbers from N x C log p, as ``AGGREGATES`` says.

    Raises:
        ValueError: there is no such way.
    """
    if aggregate == "jensen":
        return np.asarray(trials.mean(axis=0))
    if aggregate == "lse":
        most = trials.max(axis=0)
        return np.asarray(most + np.log(np.exp(trials - most).mean(axis=0)))
    raise ValueError(f"there is no aggregate {aggregate!r}; known: {', '.join(AGGREGATES)}")


def step_weights(schedule: Schedule, weighting: str, dimensions: int, last: LastStep) -> FloatArray:
    """(T,) what a squared error of the noise counts; nan where it is left out.

    ``bound``: |mean of q - mean of p|² / (2 variance) in terms of the noise (Ho et al., equation 12), times T as the mean is
    taken over steps.

    Raises:
        ValueError: there is no such weighting.
    """
    if weighting == "uniform":
        return np.full(len(schedule), 1.0 / dimensions)
    if weighting == "bound":
        apart = schedule.image_coefficient * np.sqrt((1.0 - schedule.left) / schedule.left)
        return np.asarray(len(schedule) * apart**2 / (2.0 * schedule.variances(last)))
    raise ValueError(f"there is no weighting {weighting!r}; known: {', '.join(WEIGHTINGS)}")


def mean_losses(terms: Terms, weights: FloatArray) -> FloatArray:
    """C mean weighted errors, comparable although some captions were given up early.

    Of a caption that was, the mean difference from the one with most draws, over the draws that both have, is added to that
    one's mean: all meet the same noise, so the difference is much steadier than either. nan where two share no draw.

    Args:
        terms: N x C x T squared errors, nan where none was evaluated.
        weights: (T,), nan where a step is left out.
    """
    counted = np.isfinite(weights)
    weighted = (terms[..., counted] * weights[counted]).transpose(1, 0, 2).reshape(terms.shape[1], -1).astype(float)
    known = np.isfinite(weighted)
    draws = known.sum(axis=1)
    leader = int(np.argmax(draws))
    base = _mean(weighted[leader], known[leader])
    shared = known & known[leader]
    return np.array([base + _mean(weighted[c] - weighted[leader], shared[c]) for c in range(len(weighted))])


def _mean(values: FloatArray, known: NDArray[np.bool_]) -> float:
    return float(values[known].mean()) if known.any() else math.nan


def by_trial(payload: Mapping[str, Any], settings: Mapping[str, Any]) -> FloatArray:
    """N x C fits of each trial alone, larger is better; nan where a trial was not evaluated for a caption.

    Raises:
        ValueError: the evidence cannot be read.
    """
    terms, schedule, dimensions = unpack(payload["terms"]), _schedule(payload), int(payload["dimensions"])
    last = check_last(settings.get("last_step", "previous"))
    if payload["method"] == "reverse":
        return log_likelihoods(terms, schedule, dimensions, last)
    weights = _weights(payload, settings)
    return np.stack([-mean_losses(trial[None], weights) for trial in terms])


def fits(payload: Mapping[str, Any], settings: Mapping[str, Any]) -> FloatArray:
    """C numbers, larger is better: log p of ``reverse``, else a mean loss with its sign turned. nan: the model gave none.

    Raises:
        ValueError: the evidence cannot be read.
    """
    if payload["method"] == "reverse":
        return aggregated(by_trial(payload, settings), settings.get("aggregate", "jensen"))
    return -mean_losses(unpack(payload["terms"]), _weights(payload, settings))


def is_in_nats(payload: Mapping[str, Any], settings: Mapping[str, Any]) -> bool:
    """Return True if the fits are logarithms of likelihoods (or bounds of them), not an average loss."""
    return payload.get("method") == "reverse" or settings.get("weighting") == "bound"


def _weights(payload: Mapping[str, Any], settings: Mapping[str, Any]) -> FloatArray:
    dimensions = int(payload["dimensions"])
    if payload["method"] == "flow":
        return np.full(len(payload["steps"]), 1.0 / dimensions)
    last = check_last(settings.get("last_step", "previous"))
    return step_weights(_schedule(payload), settings.get("weighting", "uniform"), dimensions, last)


def _schedule(payload: Mapping[str, Any]) -> Schedule:
    try:
        left = np.array(payload["left"], float)
        return Schedule(np.array(payload["steps"], float).astype(np.int64), left, np.append(left[1:], 1.0))
    except (KeyError, TypeError, ValueError) as error:
        raise ValueError("the evidence does not name its steps") from error


def as_json(numbers: FloatArray) -> list[float | None]:
    """None where there is no number."""
    return [float(number) if math.isfinite(number) else None for number in numbers]


def check_last(last: str) -> LastStep:
    """Let a way of handling the last step pass.

    Raises:
        ValueError: there is none of that name.
    """
    if last not in LAST_STEPS:
        raise ValueError(f"there is no last_step {last!r}; known: {', '.join(LAST_STEPS)}")
    return last


def judge(spec: Spec, seen: Observation, settings: Settings) -> Verdict:  # noqa: ARG001  (as every scorer's)
    """See ``scorers.matching.verdict``; of what could not be looked at, nothing."""
    if seen.failed is not None:
        return Verdict((), checks=(Check(f"could not be looked at: {seen.failed}", None),))
    payload = seen.payload
    all_fits = as_json(fits(payload, settings))
    checks = [Check(f"{payload['evaluations']:,} of {payload['full']:,} evaluations (trials x captions x steps)", None)]
    known = [fit for fit in all_fits if fit is not None]
    if is_in_nats(payload, settings) and len(known) == len(all_fits):
        shares = ", ".join(f"{share:.3f}" for share in posterior(known))
        checks.append(Check(f"posterior of the captions, all equally likely before: {shares}", None))
        dimensions = int(payload["dimensions"])
        per_dimension = ", ".join(f"{fit / dimensions:.5g}" for fit in known)
        checks.append(Check(f"log p per dimension: {per_dimension}", None))
    checks += [Check(f"only the start of a caption was read: {payload['captions'][place]}", None) for place in payload["cut"]]
    return verdict(payload["captions"], int(payload["right"]), all_fits, checks)


_STAGE = re.compile(r"\s*(\d+)\s*:\s*(\d+)\s*")


@dataclass(frozen=True, slots=True)
class Elimination:
    """When captions are given up.

    Attributes:
        stages: (draws, captions): after so many draws the so many best go on.
        p: a caption is given up whose errors are larger than the best one's by a one-sided paired t-test below ``p``; 0: none
            is. The test is made again after every round, so ``p`` is no error rate of the whole.
        every: draws a round, where ``p`` is asked for.
    """

    stages: tuple[tuple[int, int], ...] = ()
    p: float = 0.0
    every: int = 8

    @classmethod
    def read(cls, stages: str, p: float, every: int) -> Elimination:
        """As settings say it: ``10:2,50:1`` and numbers.

        Raises:
            ValueError: it cannot be read, or makes no sense.
        """
        rounds = []
        for text in filter(None, (part.strip() for part in stages.split(","))):
            match = _STAGE.fullmatch(text)
            if match is None:
                raise ValueError(f"stages must be draws:captions, e.g. 10:2,50:1; got {stages!r}")
            rounds.append((int(match[1]), int(match[2])))
        draws, survivors = [stage[0] for stage in rounds], [stage[1] for stage in rounds]
        if draws != sorted(set(draws)) or survivors != sorted(survivors, reverse=True) or 0 in [*draws, *survivors]:
            raise ValueError(f"stages must ask for more draws of fewer captions each time; got {stages!r}")
        if not 0 <= p < 0.5:
            raise ValueError(f"stop must be 0 (never) or a probability below 0.5, got {p}")
        if p and every < 3:
            raise ValueError(f"every must be at least 3 draws, got {every}: fewer cannot be tested")
        return cls(tuple(rounds), p, every)

    def rounds(self, draws: int) -> Iterator[int]:
        """After how many draws one looks, up to all of them."""
        looks = {at for at, _ in self.stages if at < draws}
        if self.p:
            looks |= set(range(self.every, draws, self.every))
        yield from sorted(looks)
        yield draws

    def left(self, errors: FloatArray, captions: tuple[int, ...]) -> tuple[int, ...]:
        """Those of ``captions`` that go on, in their order.

        Args:
            errors: draws x C, smaller is better; of those that are looked at every draw is there.
            captions: places in C.
        """
        ranked = sorted(captions, key=lambda caption: (errors[:, caption].mean(), caption))
        for draws, survivors in self.stages:
            if len(errors) >= draws:
                ranked = ranked[:survivors]
        best = ranked[0]
        return tuple(
            caption for caption in captions if caption in ranked and not self._worse(errors[:, caption] - errors[:, best])
        )

    def _worse(self, apart: FloatArray) -> bool:
        if not self.p or len(apart) < 3 or not apart.any():
            return False
        from scipy import stats

        spread = apart.std(ddof=1) / np.sqrt(len(apart))
        return bool(stats.t.sf(apart.mean() / spread, len(apart) - 1) < self.p) if spread > 0 else bool(apart.mean() > 0)
