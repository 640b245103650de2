"""A flow's training loss by each caption: a classifier for rectified flows (SD3, Flux, Sana), which have no diffusion posterior.

It is neither SelfEval nor a bound of the likelihood, and is not to be compared with either by its numbers.
"""

from __future__ import annotations

from typing import Final

from data.aspects import SCALES
from scorers.base import Perceiver, Scorer, Settings
from scorers.likelihood import options
from scorers.likelihood.elimination import Elimination
from scorers.likelihood.rules import judge

ASPECTS: Final = ("caption", "correct", "score")


def _open(settings: Settings, device: str) -> Perceiver:
    return options.opened(settings, device, "flow")


def _check(settings: Settings) -> None:
    options.check(settings)
    Elimination.read(settings["stages"], settings["stop"], settings["every"])


SCORER: Final = Scorer(
    name="flowloss",
    version="1",
    summary="How well a flow tells an image's velocity by each of several captions: its training loss.",
    profiles={
        "sd3": options.settings(
            "stabilityai/stable-diffusion-3-medium-diffusers", 10, 100, precision="float16", stages="", stop=0.0, every=8
        )
    },
    judging=frozenset(),
    open=_open,
    judge=judge,
    scales={name: SCALES[name] for name in ASPECTS},
    models=frozenset({"model"}),
    check=_check,
    matches=True,
)
