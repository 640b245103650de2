"""Image and text models of open_clip, behind numpy arrays."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np
import open_clip
import torch
from numpy.typing import NDArray
from open_clip.transformer import ResidualAttentionBlock
from PIL import Image

from scorers.models.files import folder
from scorers.models.pretrained import batch_size, crop_long_image, pack_weights
from scorers.models.sanity_check import Soundness

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
        together: pictures, or texts, that go through at once.
        looks_at: shape of a picture as the model reads it.

    Raises:
        ValueError: there is no such model, or it would silently run with another activation than it was trained with.
        OSError: its files are not at hand.
    """

    def __init__(self, name: str, device: str = "cpu") -> None:
        self._device = device
        architecture, weights = _named(name)
        try:
            # all its weights, and no others: open_clip is strict by itself
            model, self._transform = open_clip.create_model_from_pretrained(
                architecture, weights, device=device, weights_only=True
            )
            self._tokenizer = open_clip.get_tokenizer(architecture)
        except RuntimeError as error:
            if weights is not None and "Failed to download" in str(error):
                source = open_clip.get_pretrained_cfg(architecture, weights).get("hf_hub", name).rstrip("/")
                raise OSError(f"the model {name} is not on this machine; fetch it once: uv run hf download {source}") from error
            raise ValueError(f"{name} cannot be opened by open_clip: {' '.join(str(error).split())[:200]}") from error
        self._soundness = Soundness(name)
        self._text_soundness = Soundness(name, "texts")
        self._model = model.eval()
        for module in self._model.modules():
            if isinstance(module, ResidualAttentionBlock):
                pack_weights(module.mlp)
        self.scale = float(model.logit_scale.detach().exp())
        self.context = int(self._tokenizer.context_length)
        self.together = batch_size(device, _BATCH)
        size = model.visual.image_size
        height, width = size if isinstance(size, Sequence) else (size, size)
        self.looks_at = (3, int(height), int(width))

    def images(self, images: Sequence[Image.Image]) -> Embeddings:
        """n x d, each of length 1.

        Raises:
            ModelBroken: the first images' numbers are not those of a working model.
            ValueError: an image's numbers are not finite.
        """
        return self._embedded(images, self._look, self.together)

    def texts(self, texts: Sequence[str], at_once: int | None = None) -> Embeddings:
        """n x d, each of length 1. What goes beyond ``context`` is not read. Raises as ``images``.

        ``at_once``: how many; texts that always go together may do so on the CPU, too (see ``together``).
        """
        return self._embedded(texts, self._read, at_once or self.together)

    def tokens(self, text: str) -> int:
        """How many tokens a text has, begin and end included, if none were cut off."""
        inner = getattr(self._tokenizer, "tokenizer", None)
        if inner is not None:
            return len(inner(self._tokenizer.clean_fn(text))["input_ids"])
        return len(self._tokenizer.encode(text)) + 2

    def forward(self, pixels: torch.Tensor) -> torch.Tensor:
        """Of B x 3 x S x S the embeddings, B x d, each of length 1."""
        vectors: torch.Tensor = self._model.encode_image(pixels, normalize=True)
        return vectors

    def _look(self, images: Sequence[Image.Image]) -> torch.Tensor:
        pixels = torch.stack([self._transform(crop_long_image(image)) for image in images]).to(self._device)
        vectors = self.forward(pixels)
        self._soundness.check(pixels, vectors)
        return vectors

    def _read(self, texts: Sequence[str]) -> torch.Tensor:
        ids = self._tokenizer(list(texts)).to(self._device)
        vectors: torch.Tensor = self._model.encode_text(ids, normalize=True)
        self._text_soundness.check(ids, vectors)
        return vectors

    def _embedded(self, things: Sequence[Any], encode: Any, at_once: int) -> Embeddings:
        parts = [np.zeros((0, 0), np.float32)]
        with torch.inference_mode():
            for start in range(0, len(things), at_once):
                parts.append(encode(things[start : start + at_once]).float().cpu().numpy())
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
    trained = bool(open_clip.get_pretrained_cfg(architecture, tag).get("quick_gelu", False))
    if trained != bool((open_clip.get_model_config(architecture) or {}).get("quick_gelu", False)):
        # open_clip 3 only warns, and then runs these weights with an activation that they were not trained with
        plain = architecture.removesuffix("-quickgelu")
        raise ValueError(
            f"the weights {tag} need {plain}-quickgelu/{tag}" if trained else f"the weights {tag} need {plain}/{tag}"
        )
    return architecture, tag
