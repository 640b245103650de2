"""How well captions fit, from the terms: pure, so that every aggregation can be tried on what was evaluated once."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any, Final, Literal

import numpy as np
from numpy.typing import NDArray

from scorers.likelihood.schedule import LAST_STEPS, FloatArray, LastStep, Schedule
from scorers.likelihood.terms import Terms, unpack

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
    found: FloatArray = of_step.sum(axis=-1, dtype=float)
    return found


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
        apart = schedule.of_image * np.sqrt((1.0 - schedule.left) / schedule.left)
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
        raise ValueError("the evidence does not say at which steps it was taken") from error


def as_json(numbers: FloatArray) -> list[float | None]:
    """None where there is no number."""
    return [float(one) if math.isfinite(one) else None for one in numbers]


def check_last(last: str) -> LastStep:
    """Let a way of handling the last step pass.

    Raises:
        ValueError: there is none of that name.
    """
    if last not in LAST_STEPS:
        raise ValueError(f"there is no last_step {last!r}; known: {', '.join(LAST_STEPS)}")
    return last
