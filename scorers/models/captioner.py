"""Image captioning models of transformers: BLIP, BLIP-2 and GIT, each asked for its own words about an image."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import torch
from PIL import Image
from transformers import AutoModelForImageTextToText

from scorers.models.pretrained import batch_size, config_of, load, processor_of

KINDS: Final = ("blip", "blip-2", "git")
_BATCH: Final = 8


class Captioner:
    """A model in memory, by a hub id or the name of a folder.

    Args:
        beams: of the search for the likeliest caption; longest: in tokens.

    Raises:
        OSError: its files are not on this machine.
        ValueError: it is no captioning model known here.
    """

    def __init__(self, name: str, device: str, *, beams: int, longest: int) -> None:
        kind = config_of(name).model_type
        if kind not in KINDS:
            raise ValueError(f"{name} is a {kind}, not one of the captioning models known here: {', '.join(KINDS)}")
        self._model = load(AutoModelForImageTextToText, name, device)
        self._processor = processor_of(name)
        self._device, self._batch = device, batch_size(device, _BATCH)
        self._search = {"num_beams": beams, "max_new_tokens": longest, "do_sample": False}

    def captions(self, images: Sequence[Image.Image]) -> list[str]:
        """Each image's caption, without spaces around it."""
        found: list[str] = []
        for start in range(0, len(images), self._batch):
            some = list(images[start : start + self._batch])
            pixels = self._processor(images=some, return_tensors="pt").to(self._device)
            with torch.inference_mode():
                said = self._model.generate(**pixels, **self._search)
            found += [text.strip() for text in self._processor.batch_decode(said, skip_special_tokens=True)]
        return found
