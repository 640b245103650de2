"""DETR (Carion et al., 2020): 100 boxes an image, each of one class. Its 91 class numbers are COCO's own, with gaps."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, Final

import numpy as np
import torch
from PIL import Image
from transformers import DetrForObjectDetection, DetrImageProcessor

from scorers.models.compute import batch_size
from scorers.models.detectors.base import DetectedObject, Vocabulary, confidence, corners, rounded_box, vocabulary
from scorers.models.pretrained import by_shape, config_of, load
from scorers.models.sanity_check import Soundness

_BATCH: Final = 8


def edges(side: int) -> dict[str, int]:
    """The size that images are brought to: the shorter side, and at most the longer (800 and 1333 as published)."""
    return {"shortest_edge": side, "longest_edge": round(side * 1333 / 800)}


def read(process: Any, image: Image.Image) -> torch.Tensor:
    """3 x H x W as a model reads it.

    Args:
        process: a processor of transformers with ``edges`` as its size.
        image: RGB. A strip so thin that nothing would be left of it is widened first: boxes are shares, so they stay.
    """
    thinnest = math.ceil(max(image.size) / process.size["longest_edge"])
    if min(image.size) < thinnest:
        image = image.resize((max(image.width, thinnest), max(image.height, thinnest)))
    pixels: torch.Tensor = process(images=image, return_tensors="pt")["pixel_values"][0]
    return pixels


class Detr:
    """A ``scorers.models.detectors.base.Detector``; its arguments are those of ``Opening``."""

    def __init__(self, name: str, *, side: int = 800, keep: float, device: str = "cpu") -> None:
        self._labels: Vocabulary = vocabulary(config_of(name).id2label, name)
        self._model = load(DetrForObjectDetection, name, device)
        self._process = DetrImageProcessor(size=edges(side))
        self._keep, self._device = keep, device
        self._batch = batch_size(device, _BATCH)
        self._soundness = Soundness(name)

    @property
    def knows(self) -> frozenset[str]:
        return frozenset(label for label in self._labels if label is not None)

    def detect(self, images: Sequence[Image.Image], names: Sequence[Sequence[str]] = ()) -> list[list[DetectedObject]]:  # noqa: ARG002
        """See ``Detector``."""
        fed = [read(self._process, image) for image in images]
        found: list[list[DetectedObject]] = [[] for _ in images]
        for places in by_shape(fed, self._batch):
            batch = torch.stack([fed[k] for k in places]).to(self._device)
            with torch.inference_mode():
                out = self._model(pixel_values=batch)
            logits, boxes = out.logits.float(), out.pred_boxes.float()
            self._soundness.check(batch, logits, boxes)
            for row, k in enumerate(places):
                found[k] = objects(logits[row], boxes[row], self._labels, images[k].size, self._keep)
        return found


def objects(
    logits: torch.Tensor, boxes: torch.Tensor, labels: Vocabulary, size: tuple[int, int], keep: float
) -> list[DetectedObject]:
    """What the model's numbers mean, as in ``post_process_object_detection``: each query's likeliest class.

    Args:
        logits: Q x (K + 1), "no object" last.
        boxes: Q x 4, centre and size as shares of the image.
        labels: of the K classes; a class that means nothing is left out.
        size: width and height of the image.
        keep: only objects of higher confidence are returned.
    """
    best = logits.softmax(-1)[:, :-1].max(-1)
    scores, kinds = best.values.cpu().numpy(), best.indices.cpu().numpy()
    pixels = corners(boxes.cpu().numpy(), *size)
    listed = []
    for k in np.argsort(-scores, kind="stable"):
        score, label = confidence(scores[k]), labels[kinds[k]]
        if label is not None and score > keep:
            listed.append(DetectedObject(label, score, rounded_box(pixels[k])))
    return listed
