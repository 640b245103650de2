"""Image-text models behind numpy arrays: those of open_clip, and CLIP of transformers.

PickScore (Kirstain et al., 2023) and HPSv2 (Wu et al., 2023) are CLIP ViT-H-14, trained on which of two pictures people prefer.
PickScore is published for transformers; HPSv2 as weights of open_clip without a configuration, which ``models convert`` adds.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np
import open_clip
import torch
from numpy.typing import NDArray
from open_clip.transformer import ResidualAttentionBlock
from PIL import Image
from torch.nn.functional import normalize
from torchvision.transforms import functional
from transformers import CLIPImageProcessorPil, CLIPModel

from scorers.models import hub
from scorers.models.devices import in_threads
from scorers.models.files import folder, single_line
from scorers.models.pretrained import (
    batch_size,
    config_of,
    crop_long_image,
    load,
    pack_weights,
    processor_of,
    to_device,
)
from scorers.models.soundness import Soundness

_BATCH: Final = 64
PROCESSOR: Final = "laion/CLIP-ViT-H-14-laion2B-s32B-b79K"
"""Whose processor PickScore's authors take."""
_PROCESSING: Final = ("preprocessor_config.json", "processor_config.json")
HPSV2: Final = "ViT-H-14"
FLOAT_RESIZE: Final = "float_resize"
"""Concord's own key of ``open_clip_config.json``: pictures are resized as HPSv2's authors do it."""

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
                raise OSError(hub.missing(source)) from error
            raise ValueError(f"{name} cannot be opened by open_clip: {single_line(error)}") from error
        self._soundness = Soundness(name)
        self._text_soundness = Soundness(name, "texts")
        if _float_resize(name):
            self._transform = _whole_picture(self._transform, model.visual.image_size)
        self._model = model.eval()
        for module in self._model.modules():
            if isinstance(module, ResidualAttentionBlock):
                pack_weights(module.mlp)
        self._end: int | None = None
        if type(model) is open_clip.CLIP and model.attn_mask is not None and model.text_pool_type == "argmax":
            model.transformer.register_forward_pre_hook(self._until_the_end, with_kwargs=True)
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

    def _pixels(self, images: Sequence[Image.Image]) -> torch.Tensor:
        """As the model reads them."""
        return torch.stack(in_threads(self._transform, images))

    def _look(self, images: Sequence[Image.Image]) -> torch.Tensor:
        pixels = to_device(self._pixels([crop_long_image(image) for image in images]), self._device)
        vectors = self.forward(pixels)
        self._soundness.check(pixels, vectors)
        return vectors

    def _read(self, texts: Sequence[str]) -> torch.Tensor:
        ids = self._tokenizer(list(texts))
        # the end of a text is the highest of its numbers
        self._end = int(ids.argmax(-1).max()) + 1
        ids = ids.to(self._device)
        vectors: torch.Tensor = self._model.encode_text(ids, normalize=True)
        self._text_soundness.check(ids, vectors)
        return vectors

    def _until_the_end(self, _: Any, given: tuple[torch.Tensor, ...], named: dict[str, Any]) -> Any:
        """Tokens up to the end of the longest text: no token looks at a later one, and what stands at a text's end is all that
        is taken of it. Most prompts are a tenth of what the model can read."""
        mask = named["attn_mask"][: self._end, : self._end]
        return (given[0][:, : self._end], *given[1:]), {**named, "attn_mask": mask}

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


def _float_resize(name: str) -> bool:
    path = folder(name)
    return path is not None and bool(json.loads((path / "open_clip_config.json").read_text("utf-8")).get(FLOAT_RESIZE))


def _whole_picture(transform: Any, size: Sequence[int]) -> Any:
    """As HPSv2's ``ResizeMaxSize``: numbers of 0 to 1 are resized, which may go beyond, and zeros fill the square.

    Args:
        transform: open_clip's own, of which the last step normalises.
        size: of the model's pictures, a square.
    """
    side = int(size[0] if isinstance(size, Sequence) else size)

    def fit(image: Image.Image) -> torch.Tensor:
        pixels = functional.to_tensor(image)
        longest = max(pixels.shape[1:])
        if longest != side:
            height, width = (round(length * (side / float(longest))) for length in pixels.shape[1:])
            pixels = functional.resize(pixels, [height, width], functional.InterpolationMode.BICUBIC)
            left, top = (side - width) // 2, (side - height) // 2
            pixels = functional.pad(pixels, [left, top, side - width - left, side - height - top])
        normalised: torch.Tensor = transform.transforms[-1](pixels)
        return normalised

    return fit


def open_image_text_model(name: str, device: str = "cpu") -> Clip:
    """A model in memory.

    Args:
        name: as ``Clip`` takes it; or of a CLIP of transformers, a folder with ``config.json`` or a hub id.
        device: as torch names it.

    Raises:
        ValueError: there is no such model, or its weights do not fit.
        OSError: its files are not on this machine.
    """
    path = folder(name)
    if path is not None:
        transformers = (path / "config.json").is_file() and not (path / "open_clip_config.json").is_file()
    else:
        transformers = "/" in name and name.rpartition("/")[0] not in open_clip.list_models()
    return TransformersClip(name, device) if transformers else Clip(name, device)


class TransformersClip(Clip):
    """A ``CLIPModel`` of transformers; texts and pictures are made ready as Kirstain et al. do it (77 tokens, Pillow)."""

    def __init__(self, name: str, device: str = "cpu") -> None:
        if (kind := config_of(name).model_type) != "clip":
            raise ValueError(f"{name} is a model of type {kind}, no CLIP")
        self._device = device
        self._model = load(CLIPModel, name, device)
        pack_weights(self._model)
        path = folder(name) or hub.snapshot(name)
        own = path is not None and any((path / file).is_file() for file in _PROCESSING)
        processor = processor_of(name if own else PROCESSOR)
        self._tokenizer = processor.tokenizer
        self._process = CLIPImageProcessorPil.from_dict(processor.image_processor.to_dict())
        self._soundness, self._text_soundness = Soundness(name), Soundness(name, "texts")
        self.scale = float(self._model.logit_scale.detach().exp())
        self.context = int(self._model.config.text_config.max_position_embeddings)
        self.together = batch_size(device, _BATCH)
        side = int(self._model.config.vision_config.image_size)
        self.looks_at = (3, side, side)

    def tokens(self, text: str) -> int:
        """See ``Clip``."""
        return len(self._tokenizer(text)["input_ids"])

    def forward(self, pixels: torch.Tensor) -> torch.Tensor:
        """See ``Clip``."""
        vectors: torch.Tensor = normalize(self._model.get_image_features(pixel_values=pixels).pooler_output, dim=-1)
        return vectors

    def _pixels(self, images: Sequence[Image.Image]) -> torch.Tensor:
        pixels: torch.Tensor = self._process(images=images, return_tensors="pt")["pixel_values"]
        return pixels

    def _read(self, texts: Sequence[str]) -> torch.Tensor:
        # to one length, so that what is seen of one text does not depend on the others
        read = self._tokenizer(
            list(texts), padding="max_length", truncation=True, max_length=self.context, return_tensors="pt"
        ).to(self._device)
        features = self._model.get_text_features(input_ids=read["input_ids"], attention_mask=read["attention_mask"])
        vectors: torch.Tensor = normalize(features.pooler_output, dim=-1)
        self._text_soundness.check(read["input_ids"], vectors)
        return vectors


def is_hpsv2(tensors: Mapping[str, torch.Tensor]) -> bool:
    """Whether these have the names and the size of HPSv2's weights, which come without a configuration."""
    config = open_clip.get_model_config(HPSV2)["vision_cfg"]
    first = tensors.get("visual.conv1.weight")
    blocks = {key.split(".")[3] for key in tensors if key.startswith("visual.transformer.resblocks.")}
    return first is not None and first.shape[::3] == (config["width"], config["patch_size"]) and len(blocks) == config["layers"]


def hpsv2_config() -> dict[str, Any]:
    """What open_clip reads of it: the whole picture is looked at, resized as its authors do it."""
    return {
        "model_cfg": open_clip.get_model_config(HPSV2),
        "preprocess_cfg": {"resize_mode": "longest"},
        FLOAT_RESIZE: True,
    }
