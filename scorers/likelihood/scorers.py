"""SelfEval, the evidence bound and a flow's loss: how likely the generator itself thinks an image is by each of several
captions.

- ``selfeval`` (Rambhatla and Misra, 2023), Algorithm 1: N trials of T steps along the model's own reverse path, without
  guidance, in log space; the caption with the highest likelihood is its choice. What the paper leaves open is a setting: the
  variance of the last step, and how trials are put together.
- ``elbo`` (Li et al., 2023, "Diffusion Classifier"): the image plainly noised, its noise predicted. Every step sees the forward
  image, never the model's own: all are evaluated at once, and captions can be given up early. SelfEval's paper holds it to
  be no substitute (Table 1).
- ``flowloss``: a flow's training loss, for rectified flows (SD3, Flux, Sana), which have no posterior. It is neither
  SelfEval nor a bound of the likelihood, and is not to be compared with either by its numbers.

All share the settings: which model, how many trials and steps, which seed.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Any, Final

from data.aspects import SCALES
from scorers.base import Perceiver, Scorer, Settings
from scorers.likelihood import rules
from scorers.likelihood.rules import Elimination, judge
from scorers.models.pipelines import check_likelihood

_PAPER: Final = "paper"
MODELS: Final[dict[str, str]] = {
    "playground": "playground-late",
    "playground-early": "playground-early",
    # of the paper's four models the one whose weights are public: latent diffusion with OpenCLIP ViT-H/14 at 512 pixels (4.1.1)
    _PAPER: "sd21",
    "sd15": "sd15",
    "sd21": "sd21",
    "sdxl": "sdxl",
    "pixart": "pixart",
    "if": "if",
}
"""Profile to model: names of ``scorers.generation.generators``, or hub ids."""


def settings(model: str, trials: int, steps: int, **more: Any) -> dict[str, Any]:
    """``batch``: rows (noise and caption) that the model sees at once; ``precision``: of its weights."""
    return {"model": model, "trials": trials, "steps": steps, "seed": 0, "batch": 64, "precision": "float32", **more}


def profiles(trials: int, steps: int, **more: Any) -> dict[str, Settings]:
    """The playground's with fewer ``trials`` and ``steps``, as it runs on any machine; of the others these."""
    by_name: dict[str, Settings] = {}
    for profile, model in MODELS.items():
        small = profile.startswith("playground")
        by_name[profile] = settings(model, 2 if small else trials, 50 if small else steps, **more)
        if not small:
            by_name[profile] = {**by_name[profile], "precision": "float16"}
    return by_name


def _named_after_models(of: Mapping[str, Settings]) -> dict[str, Settings]:
    """Without the one that is only SelfEval's paper's."""
    return {profile: chosen for profile, chosen in of.items() if profile != _PAPER}


def check_settings(chosen: Settings, *, flow: bool = False) -> None:
    """Let settings pass; ``flow``: for a scorer of flows.

    Raises:
        ValueError: one makes no sense; the message says which.
    """
    check_likelihood(str(chosen["model"]), flow=flow)
    for key in ("trials", "steps", "batch"):
        if int(chosen[key]) < 1:
            raise ValueError(f"{key} must be at least 1, got {chosen[key]}")
    if chosen["precision"] not in ("float32", "bfloat16", "float16"):
        raise ValueError(f"precision must be float32, bfloat16 or float16, got {chosen['precision']!r}")
    rules.check_last(chosen.get("last_step", "previous"))
    if "stages" in chosen:
        Elimination.read(chosen["stages"], chosen["stop"], chosen["every"])
    for key, known in (("aggregate", rules.AGGREGATES), ("weighting", rules.WEIGHTINGS)):
        if key in chosen and chosen[key] not in known:
            raise ValueError(f"there is no {key} {chosen[key]!r}; known: {', '.join(known)}")


def open_perceiver(chosen: Settings, device: str, method: rules.Method) -> Perceiver:
    """The model in memory; raises as ``Scorer.open``."""
    from scorers.likelihood.perceiver import LikelihoodPerceiver
    from scorers.models.diffusion import open_denoiser

    return LikelihoodPerceiver(open_denoiser(chosen["model"], device, chosen["precision"]), method, chosen)


SELFEVAL: Final = Scorer(
    name="selfeval",
    version="1",
    summary="The generator's own likelihood of an image by each of several captions, along its reverse path.",
    # 10 trials of 100 steps: section 4.1; Winoground by 50
    profiles=profiles(10, 100, aggregate="jensen", last_step="previous"),
    judging=frozenset({"aggregate", "last_step"}),
    open=partial(open_perceiver, method="reverse"),
    judge=judge,
    scales={name: SCALES[name] for name in ("caption", "correct", "score")},
    models=frozenset({"model"}),
    check=check_settings,
    input="captions",
)


ELBO: Final = replace(
    SELFEVAL,
    name="elbo",
    summary="How well the generator tells the noise in an image by each of several captions: a bound of its likelihood.",
    # stages, stop and every: see scorers.likelihood.rules; all evaluations are made by default
    profiles=_named_after_models(profiles(10, 100, stages="", stop=0.0, every=8, weighting="uniform", last_step="previous")),
    renamed={_PAPER: MODELS[_PAPER]},
    judging=frozenset({"weighting", "last_step"}),
    open=partial(open_perceiver, method="noise"),
)


FLOWLOSS: Final = replace(
    SELFEVAL,
    name="flowloss",
    summary="How well a flow tells an image's velocity by each of several captions: its training loss.",
    profiles={
        "sd3": settings(
            "stabilityai/stable-diffusion-3-medium-diffusers", 10, 100, precision="float16", stages="", stop=0.0, every=8
        )
    },
    judging=frozenset(),
    open=partial(open_perceiver, method="flow"),
    check=partial(check_settings, flow=True),
)
