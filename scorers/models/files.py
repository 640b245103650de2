"""Models that are folders or files on this machine: where they are, and which weights they hold. Nothing heavy is imported
here.
"""

from __future__ import annotations

import hashlib
import os
import re
from pathlib import Path
from typing import Final

from data.cache import cached_by_stamp
from scorers.models import hub
from scorers.models.pipelines import PLAYGROUND_STAGES

ROOT: Final = Path(__file__).resolve().parents[2]
"""What relative names of folders start from."""

_NAMED: Final = {name: f"assets/playground/generator/{stage}" for name, stage in PLAYGROUND_STAGES.items()}
"""Folders that have a name of their own."""

_YOLO: Final = re.compile(r"yolo[\w-]*(\.pt)?", re.IGNORECASE)
_BLOCK: Final = 1 << 22
TRUST: Final = "CONCORD_TRUST_PICKLE"
"""The environment variable that lets weights be read from pickles."""
_PICKLES: Final = (".pt", ".pth", ".bin", ".ckpt", ".pkl", ".pickle")


def single_line(error: object) -> str:
    """What an error or a file says, as one line, not too long."""
    return " ".join(str(error).split())[:200]


def folder(name: str) -> Path | None:
    """The folder that a model's name means (``assets/playground/clip``); None if it means a model of a hub."""
    path = ROOT / Path(_NAMED.get(name, name)).expanduser()
    return path if path.is_dir() else None


def checkpoint(name: str) -> Path | None:
    """The file that the name of a YOLO checkpoint means, whether or not it is there: a path that ends in ``.pt``, or a name
    such as ``yolo11x-seg``, looked for in ``hub.CHECKPOINTS``. None if the name is none of these."""
    if _YOLO.fullmatch(name) and folder(name) is None:
        return hub.CHECKPOINTS / (name if name.endswith(".pt") else f"{name}.pt")
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


def fetching(name: str) -> str:
    """Return how the file of a YOLO checkpoint comes to this machine, and what else it asks for."""
    file = checkpoint(name)
    assert file is not None, name
    return (
        f"download {file.name} from Ultralytics' releases (AGPL-3.0) into {file.parent.name}/, and start Concord with"
        f" {TRUST}=1, as it is a pickle"
    )


def fingerprint(name: str) -> str | None:
    """The first 12 hex digits of the SHA-256 of a folder's or file's weights, or of what the hub's cache has of a model; None
    where it has nothing.

    Raises:
        ValueError: the name is that of a folder or file, but there is none, or it holds no weights, or they are a pickle.
    """
    file = checkpoint(name)
    if file is not None and not file.is_file():
        raise ValueError(f"there is no file {file.name} in {file.parent.name}/: {fetching(name)}")
    refuse_pickle(name if file is None else file.name)
    if file is not None:
        return _digest((file,))
    path = folder(name)
    if path is None:
        if name.startswith(("/", ".", "~", "assets/")):
            raise ValueError(f"there is no folder {name} with a model's weights")
        here = hub.snapshot(name)
        return None if here is None else hub.fingerprint(here)
    # a pipeline has a folder for each of its models
    files = sorted(path.glob("*.safetensors")) or sorted(path.glob("*/*.safetensors"))
    if not files:
        raise ValueError(f"the folder {name} holds no weights (*.safetensors)")
    return _digest(tuple(files))


@cached_by_stamp(maxsize=64)
def _digest(files: tuple[Path, ...]) -> str:
    """Read once, as a page asks for it every few seconds."""
    digest = hashlib.sha256()
    for path in files:
        with path.open("rb") as file:
            while block := file.read(_BLOCK):
                digest.update(block)
    return digest.hexdigest()[: hub.DIGITS]
