"""The settings that all likelihood scorers share: which model, how many trials and steps, which seed."""

from __future__ import annotations

from typing import Any, Final

from scorers.base import Perceiver, Settings
from scorers.likelihood import judging

MODELS: Final[dict[str, str]] = {
    "playground": "playground-late",
    "playground-early": "playground-early",
    # of the paper's four models the one whose weights are public: latent diffusion with OpenCLIP ViT-H/14 at 512 pixels (4.1.1)
    "paper": "sd21",
    "sd15": "sd15",
    "sd21": "sd21",
    "sdxl": "sdxl",
    "pixart": "pixart",
    "if": "if",
}
"""Profile to model: names of ``scorers.generators``, or hub ids."""


def settings(model: str, trials: int, steps: int, **more: Any) -> dict[str, Any]:
    """``batch``: rows (noise and caption) that the model sees at once; ``precision``: of its weights."""
    return {"model": model, "trials": trials, "steps": steps, "seed": 0, "batch": 64, "precision": "float32", **more}


def profiles(trials: int, steps: int, **more: Any) -> dict[str, Settings]:
    """The playground's with fewer ``trials`` and ``steps``, as it runs on any machine; of the others these."""
    found: dict[str, Settings] = {}
    for profile, model in MODELS.items():
        small = profile.startswith("playground")
        found[profile] = settings(model, 2 if small else trials, 50 if small else steps, **more)
        if not small:
            found[profile] = {**found[profile], "precision": "float16"}
    return found


def check(chosen: Settings) -> None:
    """Let settings pass.

    Raises:
        ValueError: one makes no sense; the message says which.
    """
    for key in ("trials", "steps", "batch"):
        if int(chosen[key]) < 1:
            raise ValueError(f"{key} must be at least 1, got {chosen[key]}")
    if chosen["precision"] not in ("float32", "bfloat16", "float16"):
        raise ValueError(f"precision must be float32, bfloat16 or float16, got {chosen['precision']!r}")
    judging.check_last(chosen.get("last_step", "previous"))


def opened(chosen: Settings, device: str, method: judging.Method) -> Perceiver:
    """The model in memory; raises as ``Scorer.open``."""
    from scorers.likelihood.perceiver import LikelihoodPerceiver
    from scorers.models.diffusion.denoisers import open_denoiser

    return LikelihoodPerceiver(open_denoiser(chosen["model"], device, chosen["precision"]), method, chosen)
