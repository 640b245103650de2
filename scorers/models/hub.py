"""Models of the Hugging Face hub as they lie in its cache on this machine: which commit, which files, which weights.

A model is named by its id, or by id and revision: ``facebook/detr-resnet-50@1d5f47b``. Without a revision it is the commit that
the cache calls ``main``. Nothing is fetched, and nothing heavy is imported here.
"""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Final, Literal

from data.cache import cached_by_stamp
from scorers.models.pipelines import GENERATORS

CLIP_REPOSITORIES: Final[Mapping[str, str]] = {
    "ViT-B-32-quickgelu/openai": "timm/vit_base_patch32_clip_224.openai",
    "ViT-L-14-quickgelu/openai": "timm/vit_large_patch14_clip_224.openai",
    "ViT-H-14/laion2b_s32b_b79k": "laion/CLIP-ViT-H-14-laion2B-s32B-b79K",
    "EVA02-E-14-plus/laion2b_s9b_b144k": "timm/eva02_enormous_patch14_plus_clip_224.laion2b_s9b_b144k",
}
"""Where the hub has image-text models of open_clip's list: only open_clip knows, which is too heavy to ask."""
MASK2FORMER_OPENMMLAB: Final = "models/mask2former_swin-s-p4-w7-224_lsj_8x2_50e_coco_20220504_001756-743b7d99"
"""GenEval's own detector."""
CONVERTED: Final[Mapping[str, str]] = {
    "models/HPS_v2_compressed": "uv run hf download xswu/HPSv2 HPS_v2_compressed.pt && uv run app.py models convert xswu/HPSv2",
    MASK2FORMER_OPENMMLAB: (
        f"download {MASK2FORMER_OPENMMLAB.removeprefix('models/')}.pth from OpenMMLab (docs/models.md), and"
        " uv run app.py models convert FILE"
    ),
}
"""Folders that ``models convert`` makes of one file, and how one comes to it."""
CHECKPOINTS: Final = Path(__file__).resolve().parents[2] / "models"
"""Where files with weights are looked for by their name (``yolo11x-seg``), and what ``models convert`` made."""

State = Literal["there", "missing", "half fetched", "only as a pickle"]
_ID: Final = re.compile(r"([\w.-]+/[\w.-]+)(?:@([\w./-]+))?")
_COMMIT: Final = re.compile(r"[\w.-]+")
_BLOB: Final = re.compile(r"[0-9a-f]{64}")
_READ: Final = frozenset({".safetensors", ".bin", ".json", ".txt", ".model", ".jinja"})
"""What loaders read: weights, configurations, vocabularies. A changed README makes no other model."""
_PICKLE: Final = ".bin"
DIGITS: Final = 12


def cache_folder() -> Path:
    """Where the hub's own library keeps models, as its environment variables say."""
    home = os.environ.get("HF_HOME") or Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "huggingface"
    return Path(os.environ.get("HF_HUB_CACHE") or os.environ.get("HUGGINGFACE_HUB_CACHE") or Path(home) / "hub").expanduser()


def repository(name: str) -> str | None:
    """The id on the hub (``owner/name``) that a model's name means; None if it cannot be one's."""
    if name in CONVERTED:
        return None
    known = CLIP_REPOSITORIES.get(name) or GENERATORS.get(name)
    match = _ID.fullmatch(known or name)
    return match[1] if match else None


def snapshot(name: str) -> Path | None:
    """The folder with a model's files at its revision, or what ``models convert`` made of it; None where the cache has none.

    Raises:
        ValueError: several commits in the cache begin with the revision that is asked for.
    """
    wanted = repository(name)
    if wanted is None:
        return None
    revision = name.partition("@")[2] or "main"
    folder = cache_folder() / f"models--{wanted.replace('/', '--')}"
    try:
        commit = (folder / "refs" / revision).read_text(encoding="utf-8").strip()
    except (OSError, ValueError):
        commit = revision
    if not _COMMIT.fullmatch(commit):
        return None
    paths = sorted(path for path in (folder / "snapshots").glob(f"{commit}*") if path.is_dir())
    if len(paths) > 1:
        raise ValueError(f"{name}: several commits begin so: {', '.join(path.name for path in paths)}")
    if not paths:
        return None
    converted = converted_folder(wanted, paths[0].name)
    return converted if converted.is_dir() else paths[0]


def converted_folder(model: str, commit: str) -> Path:
    """Where ``models convert`` puts what it makes of a model of the hub (``owner/name``)."""
    return CHECKPOINTS / f"{model.replace('/', '--')}@{commit[:DIGITS]}"


def state(name: str) -> State:
    """Whether a model's weights are on this machine. A pickle is refused until ``models convert`` made it safe."""
    path = snapshot(name)
    if path is None:
        return "missing"
    if any((path.parents[1] / "blobs").glob("*.incomplete")):
        return "half fetched"
    kinds = {file.suffix for file in path.rglob("*") if file.exists()}
    return "there" if ".safetensors" in kinds else "only as a pickle" if _PICKLE in kinds else "missing"


def remedy(name: str) -> str:
    """The command that brings a model's weights to this machine, or makes those that are there safe to read."""
    if name in CONVERTED:
        return CONVERTED[name]
    if state(name) == "only as a pickle":
        return f"uv run app.py models convert {name}"
    revision = name.partition("@")[2]
    return f"uv run hf download {repository(name) or name}{f' --revision {revision}' if revision else ''}"


def missing(name: str) -> str:
    """Why a model cannot be opened, and what to do; one line."""
    wanted = repository(name)
    label = name if wanted in (None, name.partition("@")[0]) else f"{name} ({wanted})"
    if state(name) == "only as a pickle":
        why = "has its weights only as a pickle, which can run its author's code; make them safe once"
    else:
        why = "is not on this machine; fetch it once"
    return f"the model {label} {why}: {remedy(name)}"


def fingerprint(path: Path) -> str:
    """The first 12 hex digits of the SHA-256 over all files of a snapshot that a loader reads, with their names.

    Equal for two commits whose files are equal. Of files that the cache names by their SHA-256 nothing is read.
    """
    files = sorted(file for file in path.rglob("*") if file.suffix in _READ and file.is_file())
    if any(file.suffix == ".safetensors" for file in files):
        files = [file for file in files if file.suffix != _PICKLE]
    digest = hashlib.sha256()
    for file in files:
        digest.update(f"{file.relative_to(path).as_posix()} {_sha256(file.resolve())}\n".encode())
    return digest.hexdigest()[:DIGITS]


def _sha256(file: Path) -> str:
    return file.name if file.parent.name == "blobs" and _BLOB.fullmatch(file.name) else _content_sha256(file)


@cached_by_stamp(maxsize=256)
def _content_sha256(file: Path) -> str:
    with file.open("rb") as content:
        return hashlib.file_digest(content, "sha256").hexdigest()
