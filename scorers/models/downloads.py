"""How large published models are, to be said before somebody fetches them; and under which licence, where that binds.

Megabytes are of the weights that are read, by the published numbers of parameters and bytes for each: about, not to the byte.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Final

from scorers.models import files, hub

MEGABYTES: Final[Mapping[str, int]] = {
    "yolo11n-seg.pt": 6,
    "yolo11s-seg.pt": 20,
    "yolo11m-seg.pt": 45,
    "yolo11l-seg.pt": 56,
    "yolo11x-seg.pt": 125,
    "facebook/mask2former-swin-small-coco-instance": 276,
    hub.MASK2FORMER_OPENMMLAB: 276,
    "google/owlvit-base-patch32": 613,
    "ViT-B-32-quickgelu/openai": 605,
    "ViT-L-14-quickgelu/openai": 1711,
    "ViT-H-14/laion2b_s32b_b79k": 3945,
    "yuvalkirstain/PickScore_v1": 3945,
    "models/HPS_v2_compressed": 1973,
    "dandelin/vilt-b32-finetuned-vqa": 470,
    "Salesforce/blip-vqa-base": 1540,
    "Salesforce/blip-image-captioning-large": 1880,
    "microsoft/git-large-vqav2": 1580,
    "Qwen/Qwen3-VL-2B-Instruct": 4260,
    "Salesforce/blip2-flan-t5-xl": 15770,
    "Salesforce/instructblip-flan-t5-xl": 16090,
    "zhiqiulin/clip-flant5-xxl": 22800,
    "sd15": 5480,
    "sd21": 5160,
    "sdxl": 13880,
    "pixart": 21800,
    "stabilityai/stable-diffusion-3-medium-diffusers": 15390,
}
"""The downloads of the models that profiles name."""

ULTRALYTICS: Final = "AGPL-3.0: Ultralytics' package and weights"


def megabytes(model: str) -> int | None:
    """Return about how many megabytes a model's weights have; None where nothing is known."""
    return MEGABYTES.get(model.partition("@")[0])


def in_words(models: Iterable[str]) -> str:
    """Return about how much models' weights have together, such as "605 MB"; "models of unknown size" where it is unknown."""
    sizes = [megabytes(model) for model in models]
    return "models of unknown size" if None in sizes else f"{sum(size or 0 for size in sizes):,} MB"


def licence(model: str) -> str:
    """Return the licence that binds whoever uses a model's results in a service, with whose it is; "" for permissive ones."""
    return ULTRALYTICS if files.checkpoint(model) is not None and files.folder(model) is None else ""
