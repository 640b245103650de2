"""OWL-ViT (Minderer et al., 2022) and OWLv2 (2023): they look for what a text names. OWL-ViT is VISOR's detector.

As the published processors do: OWL-ViT sees the image squashed to a square, OWLv2 padded to one (to the right and below). Each
place of the image has one box, whose confidence is that of the likeliest text (``post_process_object_detection``).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np
import torch
from PIL import Image
from transformers import Owlv2ForObjectDetection, Owlv2ImageProcessor, OwlViTForObjectDetection, OwlViTImageProcessor

from scorers.models.compute import batch_size
from scorers.models.detectors.base import DetectedObject, confidence, corners, queried_label, rounded_box, sigmoid
from scorers.models.pretrained import config_of, load, tokenizer_of
from scorers.models.sanity_check import Soundness

TEMPLATE: Final = "a photo of a {name}"
"""VISOR's."""

_BATCH: Final = 8
_LONGEST: Final = 5
"""Times the model's side. OWLv2 pads to a square of the longer side, so a strip of 20,000 pixels would be a picture of 400
million; it is shrunk to this much first (4,800 pixels as published)."""


class Owl:
    """A ``scorers.models.detectors.base.Detector`` that looks for what it is asked; its arguments are those of ``Opening``."""

    knows: frozenset[str] | None = None

    def __init__(self, name: str, *, keep: float, device: str = "cpu") -> None:
        config = config_of(name)
        self._padded = config.model_type == "owlv2"
        kind = Owlv2ForObjectDetection if self._padded else OwlViTForObjectDetection
        self._model = load(kind, name, device)
        self._tokenizer = tokenizer_of(name)
        self._length = config.text_config.max_position_embeddings
        self._process = processor(config)
        self._longest = _LONGEST * config.vision_config.image_size
        self._keep, self._device = keep, device
        self._batch = batch_size(device, _BATCH)
        self._soundness = Soundness(name)
        self._texts: dict[str, torch.Tensor] = {}

    def detect(self, images: Sequence[Image.Image], names: Sequence[Sequence[str]]) -> list[list[DetectedObject]]:
        """See ``Detector``."""
        found: list[list[DetectedObject]] = [[] for _ in images]
        asked = [k for k in range(len(images)) if names[k]]
        for start in range(0, len(asked), self._batch):
            places = asked[start : start + self._batch]
            batch = torch.stack([self._pixels(images[k]) for k in places]).to(self._device)
            with torch.inference_mode():
                logits, boxes = self._look(batch, [names[k] for k in places])
                self._soundness.check(batch, logits.amax(-1), boxes)
            for row, k in enumerate(places):
                size = images[k].size
                found[k] = self._objects(logits[row].cpu().numpy(), boxes[row].cpu().numpy(), names[k], size)
        return found

    def _pixels(self, image: Image.Image) -> torch.Tensor:
        if self._padded and max(image.size) > self._longest:
            image = image.copy()
            image.thumbnail((self._longest, self._longest))
        pixels: torch.Tensor = self._process(images=image, return_tensors="pt")["pixel_values"][0]
        return pixels

    def _look(self, batch: torch.Tensor, names: Sequence[Sequence[str]]) -> tuple[torch.Tensor, torch.Tensor]:
        """Logits B x P x T and boxes B x P x 4; where an image has fewer than T names the rest are the lowest number."""
        most = max(map(len, names))
        self._read({name for some in names for name in some})
        blank = torch.zeros_like(self._texts[names[0][0]])
        texts = torch.stack(
            [torch.stack([self._texts[name] for name in some] + [blank] * (most - len(some))) for some in names]
        )
        there = torch.tensor([[k < len(some) for k in range(most)] for some in names], device=self._device)
        features, _ = self._model.image_embedder(batch)
        flat = features.flatten(1, 2)
        logits, _ = self._model.class_predictor(flat, texts, there)
        return logits.float(), self._model.box_predictor(flat, features).float()

    def _read(self, names: set[str]) -> None:
        """Texts are read once. Each is filled up to the model's length, as it was trained."""
        new = sorted(names - set(self._texts))
        if not new:
            return
        read = self._tokenizer(
            [TEMPLATE.format(name=name) for name in new],
            padding="max_length",
            truncation=True,
            max_length=self._length,
            return_tensors="pt",
        ).to(self._device)
        inner: Any = self._model.owlv2 if self._padded else self._model.owlvit
        vectors = inner.get_text_features(read["input_ids"], read["attention_mask"]).pooler_output
        vectors = vectors / torch.linalg.norm(vectors, dim=-1, keepdim=True)
        self._texts |= dict(zip(new, vectors, strict=True))

    def _objects(
        self, logits: np.ndarray[Any, Any], boxes: np.ndarray[Any, Any], names: Sequence[str], size: tuple[int, int]
    ) -> list[DetectedObject]:
        width, height = (max(size), max(size)) if self._padded else size
        best = logits.argmax(-1)
        scores = sigmoid(logits.max(-1))
        edges = corners(boxes, width, height)
        if self._padded:  # what lies beyond the image is padding
            edges = np.clip(edges, 0, np.array([*size, *size], np.float32))
        listed = []
        for k in np.argsort(-scores, kind="stable"):
            score = confidence(scores[k])
            if score > self._keep:
                listed.append(DetectedObject(queried_label(names[best[k]]), score, rounded_box(edges[k])))
        return listed


def processor(config: Any) -> Any:
    """How images are made into what the model reads: the published settings, at the size that the architecture has."""
    side = config.vision_config.image_size
    kind = Owlv2ImageProcessor if config.model_type == "owlv2" else OwlViTImageProcessor
    return kind(size={"height": side, "width": side})
