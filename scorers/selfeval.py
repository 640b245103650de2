"""SelfEval (Rambhatla and Misra, 2023), Algorithm 1: how likely the generator itself thinks an image is by each caption.

N trials of T steps along the model's own reverse path, without guidance, in log space; the caption with the highest likelihood
is its choice. What the paper leaves open is a setting: the variance of the last step, and how trials are put together.
"""

from __future__ import annotations

from typing import Final

from data.aspects import SCALES
from scorers.base import Perceiver, Scorer, Settings
from scorers.likelihood import judging, options
from scorers.likelihood.rules import judge

ASPECTS: Final = ("caption", "correct", "score")


def _open(settings: Settings, device: str) -> Perceiver:
    return options.opened(settings, device, "reverse")


def _check(settings: Settings) -> None:
    options.check(settings)
    if settings["aggregate"] not in judging.AGGREGATES:
        raise ValueError(f"there is no aggregate {settings['aggregate']!r}; known: {', '.join(judging.AGGREGATES)}")


SCORER: Final = Scorer(
    name="selfeval",
    version="1",
    summary="The generator's own likelihood of an image by each of several captions, along its reverse path.",
    # 10 trials of 100 steps: section 4.1; Winoground by 50
    profiles=options.profiles(10, 100, aggregate="jensen", last_step="previous"),
    judging=frozenset({"aggregate", "last_step"}),
    open=_open,
    judge=judge,
    scales={name: SCALES[name] for name in ASPECTS},
    models=frozenset({"model"}),
    check=_check,
    matches=True,
)
