"""The text-to-image models by name, how each is asked, and the one way to ask each of them for pictures."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Protocol

from data.jobs.generation import BLACK, FILTERED
from scorers.models.files import ROOT, folder
from scorers.models.pipelines import (
    DISTILLED,
    GENERATORS,
    PIPELINE_FAMILIES,
    PLAYGROUND_STAGES,
    PRECISIONS,
    SECOND_STAGES,
    PipelineFamily,
    hub_id,
    short_of,
)

if TYPE_CHECKING:
    from PIL import Image


PLAYGROUND_FOLDER: Final = ROOT / "assets" / "playground" / "generator"
SAMPLERS: Final = ("default", "ddim")
SEEDS: Final = "blake2b(seed, index, text), drawn on the CPU"
"""Where a picture's noise comes from (``data.jobs.generation.picture_seed``): the same on every machine, whatever is painted
beside it.
"""
_MOST_STEPS: Final = 1000
_MOST_GUIDANCE: Final = 100.0


@dataclass(frozen=True, slots=True)
class GenerationSettings:
    """How a generator is asked. What is not said is as its pipeline has it.

    Attributes:
        steps: of denoising, 1 to 1,000.
        guidance: without a classifier; up to 1: none.
        sampler: the pipeline's own, or DDIM (Song et al., 2021) with no noise of its own.
        precision: of the weights.
    """

    steps: int | None = None
    guidance: float | None = None
    sampler: str = "default"
    precision: str = "float32"


PROFILES: Final[Mapping[str, GenerationSettings]] = {
    "default": GenerationSettings(),
    # SelfEval, section 4: "using DDIM sampling, with 100 denoising steps"; of guidance it says nothing
    "paper": GenerationSettings(steps=100, sampler="ddim"),
    # GenEval's generation script
    "geneval": GenerationSettings(steps=50, guidance=9.0),
}


@dataclass(frozen=True, slots=True)
class GeneratedPicture:
    """A picture, and why it is none, if it is none (``data.jobs.generation.BLANKED``)."""

    picture: Image.Image
    blanked: str | None = None


@dataclass(frozen=True, slots=True)
class _Stage:
    """A pipeline in memory, the name that it was opened by, and what its ``__call__`` is told beside prompts and noise."""

    name: str
    pipeline: Any
    options: Mapping[str, Any]

    @property
    def family(self) -> PipelineFamily:
        """Settings of the pipeline's class."""
        return PIPELINE_FAMILIES[type(self.pipeline).__name__]


class Generator(Protocol):
    """A model in memory."""

    def __call__(self, texts: Sequence[str], seeds: Sequence[int]) -> list[GeneratedPicture]:
        """One picture a text. The same text and seed give the same picture, whatever else is in the batch."""
        ...


def check(name: str) -> None:
    """Refuse a name that no generator has.

    Raises:
        UnknownGenerator: with the name that was probably meant.
    """
    if name not in PLAYGROUND_STAGES and folder(name) is None:
        hub_id(name)


def generation_settings(profile: str, **changed: Any) -> GenerationSettings:
    """A profile's way of asking with what is changed of it; None is no change.

    Raises:
        ValueError: a setting makes no sense.
    """
    if profile not in PROFILES:
        raise ValueError(f"unknown profile {profile!r}; known: {', '.join(PROFILES)}")
    made = replace(PROFILES[profile], **{key: value for key, value in changed.items() if value is not None})
    if made.steps is not None and not 1 <= made.steps <= _MOST_STEPS:
        raise ValueError(f"steps must be from 1 to {_MOST_STEPS:,}, got {made.steps}")
    if made.guidance is not None and not (math.isfinite(made.guidance) and 0 <= made.guidance <= _MOST_GUIDANCE):
        raise ValueError(f"guidance must be from 0 to {_MOST_GUIDANCE:g}, got {made.guidance}")
    for value, known, label in ((made.sampler, SAMPLERS, "sampler"), (made.precision, PRECISIONS, "precision")):
        if value not in known:
            raise ValueError(f"{label} must be {' or '.join(known)}, got {value!r}")
    return made


def model_of(name: str) -> str:
    """What a name stands for, so that two names of one model are one: a hub id, a whole path, or the playground's name."""
    path = folder(name) if name not in PLAYGROUND_STAGES else None
    if path is not None:
        return str(path.resolve())
    return name if name in PLAYGROUND_STAGES else hub_id(name)


def _repository(name: str) -> str:
    """``model_of`` without a revision."""
    return model_of(name).partition("@")[0]


def name_of(name: str, settings: GenerationSettings, seed: int) -> str:
    """What the project calls a generator that is asked like this: the model's short name, and what is not as usual."""
    path = folder(name) if name not in GENERATORS and name not in PLAYGROUND_STAGES else None
    model = short_of(name) if path is None else path.resolve().name
    parts = [re.sub(r"[^A-Za-z0-9.-]+", "-", model).strip(".-") or "generator"]
    profile = next((key for key, usual in PROFILES.items() if key != "default" and settings == usual), None)
    if profile is not None:
        parts.append(profile)
    else:
        usual = asdict(GenerationSettings())
        changed = {key: value for key, value in asdict(settings).items() if value != usual[key]}
        parts += [f"{key}={value:g}" if isinstance(value, float) else f"{key}={value}" for key, value in changed.items()]
    if seed:
        parts.append(f"seed={seed}")
    return "@".join(parts)


def load(
    name: str, settings: GenerationSettings = PROFILES["default"], device: str = "cpu", playground: Path = PLAYGROUND_FOLDER
) -> tuple[Generator, dict[str, Any]]:
    """Open a generator, and describe it for the record: see ``_describe``.

    A model that has a second stage (``SECOND_STAGES``) is opened with it; ``settings`` ask its first stage, but for the
    precision, which is that of both.

    Raises:
        UnknownGenerator: there is none of that name.
        OSError: its weights are not there.
        ValueError: it cannot be opened, or not asked like this.
    """
    check(name)
    import torch

    from scorers.models.diffusion import pipeline_class

    kind, enlarger = pipeline_class(name), SECOND_STAGES.get(_repository(name))
    if PIPELINE_FAMILIES[kind].enlarges:
        both = ", ".join(short_of(first) for first in SECOND_STAGES)
        raise ValueError(f"{name} ({kind}) only enlarges a first stage's images; generators that run both stages: {both}")
    if enlarger is not None:
        pipeline_class(enlarger)  # raises OSError if it is missing, before the first stage's weights are read
    first, second = _open_stage(name, settings, device, playground), None
    if enlarger is not None:
        second = _open_stage(enlarger, GenerationSettings(precision=settings.precision), device, playground)
    family = (second or first).family

    def paint(texts: Sequence[str], seeds: Sequence[int]) -> list[GeneratedPicture]:
        # drawn on the CPU whatever the device, so that the noise is the same everywhere
        noise = [torch.Generator().manual_seed(seed) for seed in seeds]
        output = _run(first, second, list(texts), noise)
        flags = [output.get(flag) or [False] * len(texts) for flag in family.flags]
        flagged = [any(of_image) for of_image in zip(*flags, strict=True)] or [False] * len(texts)
        return [
            GeneratedPicture(image, FILTERED if flag else None if image.getbbox() else BLACK)
            for image, flag in zip(output.images, flagged, strict=True)
        ]

    return paint, _describe(first, second)


def _open_stage(name: str, settings: GenerationSettings, device: str, playground: Path) -> _Stage:
    """Open one pipeline, with the sampler, steps and guidance that the settings ask for. Raises as ``load``."""
    from scorers.models.diffusion import open_pipeline

    pipeline = open_pipeline(name, device, settings.precision, playground)
    family = PIPELINE_FAMILIES[type(pipeline).__name__]
    if settings.sampler == "ddim":
        _use_ddim(pipeline, name)
    if getattr(pipeline, "vae", None) is not None:
        # one after the other: sixteen pictures of 1,024 pixels at once need more memory than the model itself
        pipeline.vae.enable_slicing()
    steps, guidance = DISTILLED.get(_repository(name), (family.steps, family.guidance))
    options = {
        "num_inference_steps": settings.steps or steps,
        family.guided_by: guidance if settings.guidance is None else settings.guidance,
        **family.asked,
    }
    return _Stage(name, pipeline, options)


def _run(first: _Stage, second: _Stage | None, texts: list[str], noise: list[Any]) -> Any:
    """Return the last stage's output for these prompts. Two stages share the prompts' embeddings and each picture's noise."""
    if second is None:
        return first.pipeline(texts, generator=noise, **first.options)
    positive, negative = first.pipeline.encode_prompt(texts, clean_caption=False)
    shared = {"prompt_embeds": positive, "negative_prompt_embeds": negative, "generator": noise}
    # as tensors the first stage's images are not rounded, and pass no safety filter: the second stage's filter sees the result
    small = first.pipeline(output_type="pt", **shared, **first.options).images
    return second.pipeline(image=small, **shared, **second.options)


def _describe(first: _Stage, second: _Stage | None) -> dict[str, Any]:
    """Return what is recorded of a generator beside how it was asked: the classes of its pipeline and its scheduler, the steps
    and guidance that hold, which weights, and the versions of the packages. A second stage has a record within it; ``weights``
    are those of both."""
    from scorers.models.diffusion import weights_of

    record = {
        **_describe_stage(first),
        "weights": weights_of(first.name),
        "seeds": SEEDS,
        "versions": {package: version(package) for package in ("diffusers", "transformers", "torch")},
    }
    if second is not None:
        record["weights"] += f"+{weights_of(second.name)}"
        noise_level = second.options["noise_level"]
        record["second_stage"] = {"model": second.name, **_describe_stage(second), "noise_level": noise_level}
    return record


def _describe_stage(stage: _Stage) -> dict[str, Any]:
    return {
        "pipeline": type(stage.pipeline).__name__,
        "scheduler": type(stage.pipeline.scheduler).__name__,
        "steps": stage.options["num_inference_steps"],
        "guidance": stage.options[stage.family.guided_by],
    }


def _use_ddim(pipeline: Any, name: str) -> None:
    """Put DDIM in the place of a pipeline's scheduler, on the same schedule of noise."""
    from diffusers import DDIMScheduler

    kind = type(pipeline).__name__
    if kind == "PlaygroundPipeline":  # which samples so anyway
        return
    if not PIPELINE_FAMILIES[kind].ddim:
        raise ValueError(f"{name} ({kind}) is a flow model, which DDIM cannot sample; leave the sampler unchanged")
    # clipping is for pixels; a scheduler whose configuration does not say so would be given it
    latent = getattr(pipeline, "vae", None) is not None
    pipeline.scheduler = DDIMScheduler.from_config(pipeline.scheduler.config, **({"clip_sample": False} if latent else {}))
    # the variance that IF and PixArt say is not used by DDIM, and has to be cut off
    pipeline.scheduler.register_to_config(variance_type="fixed_small")
