"""Image and text models of open_clip, behind numpy arrays."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np
import open_clip
import torch
from numpy.typing import NDArray
from PIL import Image

from scorers.models.files import folder

_BATCH: Final = 64

Embeddings = NDArray[np.float32]


class Clip:
    """A model in memory.

    Args:
        name: a folder as open_clip writes it (``open_clip_config.json``, weights as safetensors, tokenizer), or
            ``ARCHITECTURE/TAG`` of open_clip's own list, whose weights must be in the hub's cache.
        device: as torch names it.

    Attributes:
        scale: what cosines are multiplied by before a softmax, as trained.
        context: tokens of a text that are read, those of begin and end included.

    Raises:
        ValueError: there is no such model, or it would silently run with another activation than it was trained with.
        OSError: its files are not at hand.
    """

    def __init__(self, name: str, device: str = "cpu") -> None:
        self._device = device
        architecture, weights = _named(name)
        try:
            model, self._transform = open_clip.create_model_from_pretrained(architecture, weights, device=device)
            self._tokenizer = open_clip.get_tokenizer(architecture)
        except RuntimeError as error:
            raise ValueError(f"{name} cannot be opened by open_clip: {' '.join(str(error).split())[:200]}") from error
        self._model = model.eval()
        self.scale = float(model.logit_scale.detach().exp())
        self.context = int(self._tokenizer.context_length)

    def images(self, images: Sequence[Image.Image]) -> Embeddings:
        """n x d, each of length 1."""
        return self._embedded(images, lambda some: self._model.encode_image(self._pixels(some), normalize=True))

    def texts(self, texts: Sequence[str]) -> Embeddings:
        """n x d, each of length 1. What goes beyond ``context`` is not read."""
        return self._embedded(texts, lambda some: self._model.encode_text(self._ids(some), normalize=True))

    def tokens(self, text: str) -> int:
        """How many tokens a text has, begin and end included, if none were cut off."""
        inner = getattr(self._tokenizer, "tokenizer", None)
        if inner is not None:
            return len(inner(self._tokenizer.clean_fn(text))["input_ids"])
        return len(self._tokenizer.encode(text)) + 2

    def _pixels(self, images: Sequence[Image.Image]) -> torch.Tensor:
        return torch.stack([self._transform(image) for image in images]).to(self._device)

    def _ids(self, texts: Sequence[str]) -> Any:
        return self._tokenizer(list(texts)).to(self._device)

    def _embedded(self, things: Sequence[Any], encode: Any) -> Embeddings:
        parts = [np.zeros((0, 0), np.float32)]
        with torch.inference_mode():
            for start in range(0, len(things), _BATCH):
                parts.append(encode(things[start : start + _BATCH]).float().cpu().numpy())
        return np.concatenate(parts[1:]) if things else parts[0]


def _named(name: str) -> tuple[str, str | None]:
    """open_clip's own two names for a model."""
    path = folder(name)
    if path is not None:
        if not (path / "open_clip_config.json").is_file():
            raise ValueError(f"the folder {name} holds no open_clip_config.json")
        return f"local-dir:{path}", None
    architecture, _, tag = name.rpartition("/")
    if tag not in open_clip.list_pretrained_tags_by_model(architecture):
        raise ValueError(f"there is no image-text model {name}: a folder, or ARCHITECTURE/TAG as open_clip lists them")
    if tag == "openai" and "quickgelu" not in architecture:
        # open_clip 3 only warns, and then runs these weights with an activation that they were not trained with
        raise ValueError(f"OpenAI's weights need {architecture}-quickgelu/openai")
    return architecture, tag
