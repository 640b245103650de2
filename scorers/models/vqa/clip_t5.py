"""CLIP-FlanT5 (Lin et al., 2024), the model of VQAScore: Flan-T5 that reads CLIP's patches in the place of a word.

No library has it; this is what the authors' code computes (t2v_metrics, ``clip_t5_model.py`` and ``clip_t5.py``):

- The image is padded to a square with CLIP's mean colour, and resized to 336 pixels. The states of its patches before CLIP's
  last layer, without the class token, go through two linear layers with a GELU between (``mm_projector``).
- The encoder reads ``SYSTEM USER: </s>``, the 576 patches, and a line break, the question and ``ASSISTANT: </s>``: the two
  parts are made into tokens one by one, so that each has its own end.
- Of Flan-T5's 32,128 places for words only those that its tokenizer knows take part in a probability.

Weights are published as one pickle; ``models convert`` makes the folder that this opens.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

import torch
from PIL import Image
from torch import nn
from transformers import (
    AutoConfig,
    CLIPImageProcessorPil,
    CLIPVisionConfig,
    CLIPVisionModel,
    T5Config,
    T5ForConditionalGeneration,
)

from scorers.models.files import folder
from scorers.models.pretrained import crop_long_image, load, pack_weights, tokenizer_of
from scorers.models.soundness import Soundness
from scorers.models.vqa.blip2 import Blip2
from scorers.models.vqa.model import large_model_dtype, pad_tokens

Tensors = dict[str, torch.Tensor]

BEFORE: Final = (
    "A chat between a curious user and an artificial intelligence assistant. The assistant gives helpful, detailed, and polite"
    " answers to the user's questions. USER: "
)
AFTER: Final = "\n{question} ASSISTANT: "
"""The authors' ``t5_chat``."""
_READ: Final = 2048
"""Tokens at most."""
_LAYER: Final = -2
_HEAD: Final = 64
"""Channels of a head in every CLIP."""
_TOKENIZERS: Final = {2048: "google/flan-t5-xl", 4096: "google/flan-t5-xxl"}
"""By the width of the language model; the published folders have none of their own."""
_TOWER: Final = "vision_tower.vision_tower.vision_model."
_MARKS: Final = ("mm_projector.0.weight", "mm_projector.2.weight", "shared.weight")


class ClipT5Config(T5Config):  # type: ignore[misc]
    """Flan-T5's, with ``vision_config``, that of CLIP's image encoder."""

    model_type = "clip_t5"


AutoConfig.register(ClipT5Config.model_type, ClipT5Config)


class ClipT5Model(T5ForConditionalGeneration):  # type: ignore[misc]
    """Flan-T5 with CLIP's image encoder and what lies between."""

    config_class = ClipT5Config

    def __init__(self, config: Any) -> None:
        super().__init__(config)
        vision = CLIPVisionConfig(**config.vision_config)
        self.vision_tower = CLIPVisionModel(vision)
        width = config.d_model
        self.mm_projector = nn.Sequential(nn.Linear(vision.hidden_size, width), nn.GELU(), nn.Linear(width, width))
        self.post_init()

    def patches(self, pixels: torch.Tensor) -> torch.Tensor:
        """Of B x 3 x S x S, as Flan-T5 reads them: B x places x d."""
        states = self.vision_tower(pixels, output_hidden_states=True).hidden_states[_LAYER]
        projected: torch.Tensor = self.mm_projector(states[:, 1:])
        return projected


class ClipT5(Blip2):
    """Answers are weighed and said as BLIP-2's Flan-T5 does it; only what it reads is another."""

    def _open(self) -> None:
        """Raises as ``load``."""
        self._model = load(ClipT5Model, self.name, self.device, large_model_dtype(self.device))
        self._tokenizer = self._flan_t5_tokenizer()
        head = self._model.lm_head
        head.weight = nn.Parameter(head.weight[: len(self._tokenizer)].detach().clone(), requires_grad=False)
        pack_weights(self._model)
        side = self._model.vision_tower.config.image_size
        size = {"height": side, "width": side}
        self._process = CLIPImageProcessorPil(size={"shortest_edge": side}, crop_size=size)
        self._text = self._model
        self._soundness = Soundness(self.name)
        self._before: list[int] = self._tokenizer(BEFORE)["input_ids"]

    def _flan_t5_tokenizer(self) -> Any:
        path = folder(self.name)
        if path is not None and ((path / "tokenizer.json").is_file() or (path / "spiece.model").is_file()):
            return tokenizer_of(self.name)
        source = _TOKENIZERS.get(self._model.config.d_model, _TOKENIZERS[2048])
        try:
            return tokenizer_of(source)
        except OSError as error:
            files = "tokenizer.json tokenizer_config.json special_tokens_map.json spiece.model"
            raise OSError(
                f"{self.name} has no tokenizer, and that of {source} is not on this machine; fetch it once: uv run hf download"
                f" {source} {files}"
            ) from error

    def _pixels(self, images: Sequence[Image.Image]) -> torch.Tensor:
        color = tuple(int(part * 255) for part in self._process.image_mean)
        squares = [_padded(crop_long_image(image), color) for image in images]
        made: torch.Tensor = self._process(images=squares, return_tensors="pt")["pixel_values"]
        return made.to(self.device, self._model.dtype)

    def _look(self, images: Sequence[Image.Image]) -> torch.Tensor:
        """n x places x d, as the language model reads them."""
        pixels = self._pixels(images)
        features: torch.Tensor = self._model.patches(pixels)
        self._soundness.check(pixels, features)
        return features

    def _read(self, seen: torch.Tensor, rows: Sequence[int], prompts: Sequence[str]) -> tuple[torch.Tensor, torch.Tensor]:
        listed = [self._tokenizer(AFTER.format(question=prompt))["input_ids"] for prompt in prompts]
        self._fits(listed, prompts, _READ - len(self._before) - 1)
        ids, there = pad_tokens(listed, self._text.config.pad_token_id, self.device)
        before = torch.tensor([self._before], device=self.device).expand(len(rows), -1)
        words = self._text.get_input_embeddings()
        inputs = torch.cat([words(before), seen[list(rows)], words(ids)], dim=1)
        there = torch.cat([there.new_ones(len(rows), inputs.shape[1] - ids.shape[1]), there], dim=1)
        return self._text.get_encoder()(inputs_embeds=inputs, attention_mask=there).last_hidden_state, there


def _padded(image: Image.Image, color: tuple[int, ...]) -> Image.Image:
    """In the middle of a square of this colour."""
    width, height = image.size
    side = max(width, height)
    if width == height:
        return image
    square = Image.new("RGB", (side, side), color)
    square.paste(image, ((side - width) // 2, (side - height) // 2))
    return square


def is_clip_t5(tensors: Mapping[str, torch.Tensor]) -> bool:
    """Whether these are the weights of a CLIP-FlanT5 as its authors publish them."""
    return all(mark in tensors for mark in _MARKS)


def import_clip_t5(
    tensors: Mapping[str, torch.Tensor], config: Mapping[str, Any], read: Callable[[str], Tensors]
) -> tuple[Tensors, dict[str, Any]]:
    """Weights and configuration as ``ClipT5Model`` has them.

    Args:
        tensors: as published.
        config: as published beside them.
        read: gives a model's weights by its name; those of CLIP, where they are not among these.

    Raises:
        ValueError: it looks at another layer of CLIP, or has another projector, than the published ones.
    """
    known = {"mm_vision_select_layer": _LAYER, "mm_vision_select_feature": "patch", "mm_projector_type": "mlp2x_gelu"}
    if other := [f"{key} {config[key]}" for key, value in known.items() if config.get(key, value) != value]:
        raise ValueError(f"it is no CLIP-FlanT5 as published: {', '.join(other)}")
    own = {key: tensor for key, tensor in tensors.items() if not key.startswith(("vision_tower.", "embed_tokens."))}
    tower = {key.removeprefix(_TOWER): tensor for key, tensor in tensors.items() if key.startswith(_TOWER)}
    if not tower:
        every = read(str(config.get("mm_vision_tower")))
        tower = {key.removeprefix("vision_model."): some for key, some in every.items() if key.startswith("vision_model.")}
    tower.pop("embeddings.position_ids", None)
    own |= {f"vision_tower.{key}": tensor for key, tensor in tower.items()}
    return own, {**config, "model_type": ClipT5Config.model_type, "vision_config": _vision_config(tower)}


def _vision_config(tower: Mapping[str, torch.Tensor]) -> dict[str, Any]:
    """Told from the shapes of OpenAI's weights, with OpenAI's activation."""
    width, _, _, patch = tower["embeddings.patch_embedding.weight"].shape
    places = len(tower["embeddings.position_embedding.weight"]) - 1
    layers = {match[1] for key in tower if (match := re.match(r"encoder\.layers\.(\d+)\.", key))}
    return {
        "hidden_size": width,
        "intermediate_size": len(tower["encoder.layers.0.mlp.fc1.weight"]),
        "num_hidden_layers": len(layers),
        "num_attention_heads": width // _HEAD,
        "image_size": round(places**0.5) * patch,
        "patch_size": patch,
        "hidden_act": "quick_gelu",
    }
