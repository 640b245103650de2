"""Diffusion models by name, as denoisers."""

from __future__ import annotations

from scorers.models.diffusion.denoiser import Denoiser
from scorers.models.files import NAMED, folder


def open_denoiser(name: str, device: str, precision: str) -> Denoiser:
    """A model in memory.

    Args:
        name: of ``scorers.generators``, a hub id, or a folder as ``save_pretrained`` writes it.
        device: as torch names it.
        precision: of its weights: ``float32``, ``bfloat16`` or ``float16``. The playground's are always in full.

    Raises:
        ValueError: it is of no kind that is known here.
        OSError: it is not on this machine.
    """
    if name in NAMED:
        from scorers.models.diffusion.playground import PlaygroundDenoiser
        from scorers.models.generator import PlaygroundPipeline

        path = folder(name)
        if path is None:
            raise OSError(f"there is no folder {NAMED[name]}")
        return PlaygroundDenoiser(PlaygroundPipeline.open(path.parent, path.name), device)
    raise ValueError(name)
