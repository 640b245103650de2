"""The evidence bound as a likelihood (Li et al., 2023, "Diffusion Classifier"): the image plainly noised, its noise told.

Every step sees the forward image, never the model's own: all are evaluated at once, and captions can be given up early. This is
not SelfEval, which holds it to be no substitute (Table 1): it stands under a name of its own.
"""

from __future__ import annotations

from typing import Final

from data.aspects import SCALES
from scorers.base import Perceiver, Scorer, Settings
from scorers.likelihood import judging, options
from scorers.likelihood.elimination import Elimination
from scorers.likelihood.rules import judge

ASPECTS: Final = ("caption", "correct", "score")


def _open(settings: Settings, device: str) -> Perceiver:
    return options.opened(settings, device, "noise")


def _check(settings: Settings) -> None:
    options.check(settings)
    Elimination.read(settings["stages"], settings["stop"], settings["every"])
    if settings["weighting"] not in judging.WEIGHTINGS:
        raise ValueError(f"there is no weighting {settings['weighting']!r}; known: {', '.join(judging.WEIGHTINGS)}")


SCORER: Final = Scorer(
    name="elbo",
    version="1",
    summary="How well the generator tells the noise in an image by each of several captions: a bound of its likelihood.",
    # stages, stop and every: see scorers.likelihood.elimination; all evaluations are made by default
    profiles=options.profiles(10, 100, stages="", stop=0.0, every=8, weighting="uniform", last_step="previous"),
    judging=frozenset({"weighting", "last_step"}),
    open=_open,
    judge=judge,
    scales={name: SCALES[name] for name in ASPECTS},
    models=frozenset({"model"}),
    check=_check,
    matches=True,
)
