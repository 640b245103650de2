"""Evidence of image-text matching as the frames that ``agreement.matching`` takes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from agreement.matching import COLUMNS, is_known
from agreement.numeric import FloatArray, IntArray
from data.store.judgements.scorer_evidence import CaptionChoice
from scorers.likelihood import rules
from scorers.matching import posterior


@dataclass(frozen=True, slots=True)
class Trials:
    """One rater's trials on some images: (items, N, C), -inf where there is no caption; right places; clusters."""

    fits: FloatArray
    right: IntArray
    clusters: tuple[str, ...]


def answers(found: Iterable[CaptionChoice]) -> pd.DataFrame:
    """A row per image and rater: ``COLUMNS`` and ``captions``."""
    made = [_row(one) for one in found]
    return pd.DataFrame(made, columns=[*COLUMNS, "captions"]).astype({"group": object, "posterior": object})


def _row(one: CaptionChoice) -> dict[str, Any]:
    fits, captions = fits_of(one), one.payload["captions"]
    shares = posterior_of(one, fits)
    right = int(one.payload["right"])
    return {
        "rater": one.rater_id,
        "item": one.item_id,
        "prompt": one.prompt_id,
        "group": one.group,
        "task": one.task,
        "generator": one.generator,
        "fits": fits,
        "right": right,
        "posterior": None if shares is None else shares[right],
        "captions": captions,
    }


def fits_of(one: CaptionChoice) -> list[float | None]:
    """How well each caption fits. Of terms they are made anew, as the rater's settings may be other than the run's."""
    if "terms" not in one.payload:
        return list(one.payload["fits"])
    try:
        return rules.as_json(rules.fits(one.payload, one.settings))
    except (ValueError, LookupError, TypeError):
        return list(one.payload["fits"])


def posterior_of(one: CaptionChoice, fits: Sequence[float | None]) -> tuple[float, ...] | None:
    """The captions' shares by a softmax; None where the fits are no logarithms of likelihoods: an average loss, or one missing.

    Cosines are multiplied by what their model was trained with (``scale``).
    """
    scale = one.payload.get("scale")
    in_nats = one.payload.get("method") == "reverse" or one.settings.get("weighting") == "bound"
    factor = scale if isinstance(scale, int | float) else 1.0 if in_nats else None
    if factor is None or not is_known(fits):
        return None
    return posterior([factor * fit for fit in fits if fit is not None])


def trials_of(found: Iterable[CaptionChoice]) -> Trials | None:
    """The trials of one rater; None where there are none. Images without all numbers, or with fewer trials, are left out."""
    made: list[tuple[CaptionChoice, FloatArray]] = []
    for one in found:
        if "terms" in one.payload:
            try:
                trials = rules.by_trial(one.payload, one.settings)
            except (ValueError, LookupError, TypeError):
                continue
            if np.isfinite(trials).all():
                made.append((one, trials))
    if not made:
        return None
    n = max(trials.shape[0] for _, trials in made)
    made = [(one, trials) for one, trials in made if trials.shape[0] == n]
    size = max(trials.shape[1] for _, trials in made)
    fits = np.full((len(made), n, size), -np.inf)
    for place, (_, trials) in enumerate(made):
        fits[place, :, : trials.shape[1]] = trials
    right = np.array([int(one.payload["right"]) for one, _ in made], np.int64)
    return Trials(fits, right, tuple(one.group or one.prompt_id for one, _ in made))
