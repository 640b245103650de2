"""The text-to-image models by name, and the one way to ask each of them for pictures."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Protocol

from scorers.models.files import ROOT

if TYPE_CHECKING:
    from PIL import Image

PLAYGROUND: Final = ROOT / "assets" / "playground" / "generator"


class Painter(Protocol):
    """A model in memory."""

    def __call__(self, texts: Sequence[str], seeds: Sequence[int]) -> list[Image.Image]:
        """One picture a text. The same text and seed give the same picture, whatever else is in the batch."""
        ...


class UnknownGenerator(ValueError):
    """There is no generator of that name; the message says which there are."""


def _playground(folder: Path, stage: str, settings: dict[str, Any]) -> Painter:
    import torch

    from scorers.models.generator import PlaygroundPipeline

    pipeline = PlaygroundPipeline.open(folder, stage)
    pipeline.set_progress_bar_config(disable=True)

    def paint(texts: Sequence[str], seeds: Sequence[int]) -> list[Image.Image]:
        noise = [torch.Generator().manual_seed(seed) for seed in seeds]
        made: list[Image.Image] = pipeline(texts, generator=noise, **settings).images
        return made

    return paint


_OPEN: Final[dict[str, Callable[[Path, dict[str, Any]], Painter]]] = {
    "playground-early": lambda folder, settings: _playground(folder, "early", settings),
    "playground-late": lambda folder, settings: _playground(folder, "late", settings),
}
NAMES: Final = tuple(_OPEN)
SETTINGS: Final[dict[str, dict[str, Any]]] = {name: {"num_inference_steps": 80, "guidance_scale": 4.0} for name in NAMES}
"""How each generator is asked, in the words of its pipeline."""


def check(name: str) -> None:
    """Refuse a name that no generator has.

    Raises:
        UnknownGenerator: with the name that was probably meant.
    """
    if name not in _OPEN:
        near = difflib.get_close_matches(name, NAMES, n=1, cutoff=0.5)
        hint = f"; did you mean {near[0]}?" if near else f"; known: {', '.join(NAMES)}"
        raise UnknownGenerator(f"there is no generator {name!r}{hint}")


def load(name: str, folder: Path = PLAYGROUND) -> Painter:
    """A generator, in memory.

    Raises:
        UnknownGenerator: there is none of that name.
        OSError: its weights are not there.
    """
    check(name)
    return _OPEN[name](folder, SETTINGS[name])
