"""Models that are folders on this machine: where they are, and which weights they hold."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).resolve().parents[2]
"""What relative names of folders start from."""

_DIGITS: Final = 12


def folder(name: str) -> Path | None:
    """The folder that a model's name means (``assets/playground/clip``); None if it means a model of a hub."""
    path = ROOT / Path(name).expanduser()
    return path if path.is_dir() else None


def fingerprint(name: str) -> str | None:
    """The first 12 hex digits of the SHA-256 of a folder's weights; None for a model of a hub.

    Raises:
        ValueError: the name is that of a folder, but there is none, or it holds no weights.
    """
    path = folder(name)
    if path is None:
        if name.startswith(("/", ".", "~", "assets/")):
            raise ValueError(f"there is no folder {name} with a model's weights")
        return None
    files = sorted(path.glob("*.safetensors"))
    if not files:
        raise ValueError(f"the folder {name} holds no weights (*.safetensors)")
    digest = hashlib.sha256()
    for file in files:
        digest.update(file.read_bytes())
    return digest.hexdigest()[:_DIGITS]
