"""Mask2Former (Cheng et al., 2022) trained on COCO instances, as GenEval uses it: through transformers, but with the
pre-processing and post-processing of its authors' code, which transformers' own is not.

The processor of transformers squashes images to a square of 384 (the published file) or stretches them to multiples of 32 (its
defaults), and makes masks at 384 x 384 in which later objects paint over earlier ones. Here, as in detectron2 and mmdet:
images keep their ratio and are padded, each object has its own mask at the image's size, and boxes come from the masks.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import torch
from PIL import Image
from torch.nn.functional import interpolate
from transformers import Mask2FormerForUniversalSegmentation

from scorers.models.batches import together
from scorers.models.boxes import confidence
from scorers.models.deformable import quicken
from scorers.models.detectors import FULL, HALF, Found
from scorers.models.labels import Vocabulary, vocabulary
from scorers.models.linear import pack
from scorers.models.precision import halve
from scorers.models.soundness import Soundness
from scorers.models.transformer import by_shape, config_of, load

SHORT: Final = 800
LONG: Final = 1333
"""Of the published models: the shorter side, and at most the longer one."""
DIVISOR: Final = 32
MEAN: Final = (123.675, 116.28, 103.53)
STD: Final = (58.395, 57.12, 57.375)
"""ImageNet's, of 0-255."""
MOST: Final = 100
"""Objects an image, before the threshold."""

_BATCH: Final = 8
_PIXELS_AT_ONCE: Final = 1 << 25
_EPSILON: Final = 1e-6


@dataclass(frozen=True, slots=True)
class Frame:
    """Sizes (height, width): of the image, resized, and padded."""

    image: tuple[int, int]
    resized: tuple[int, int]
    padded: tuple[int, int]


def frame(width: int, height: int, side: int = SHORT) -> Frame:
    """How an image is fitted: its shorter side to ``side``, its longer to at most 1333/800 of that, rounded half up, then up to
    multiples of 32."""
    scale = min(side / min(width, height), side * LONG / SHORT / max(width, height))
    h, w = (max(1, int(length * scale + 0.5)) for length in (height, width))
    return Frame((height, width), (h, w), (-(-h // DIVISOR) * DIVISOR, -(-w // DIVISOR) * DIVISOR))


def pixels(image: Image.Image, fitted: Frame) -> torch.Tensor:
    """3 x H x W as the model reads them: resized (bilinear), normalised, zeros to the right and below."""
    h, w = fitted.resized
    array = np.asarray(image.resize((w, h), Image.Resampling.BILINEAR), np.float32)
    out = np.zeros((*fitted.padded, 3), np.float32)
    out[:h, :w] = (array - np.array(MEAN, np.float32)) / np.array(STD, np.float32)
    return torch.from_numpy(out).permute(2, 0, 1).contiguous()


@dataclass(frozen=True, slots=True, eq=False)
class Instance:
    """One object: which query saw it, as which class."""

    query: int
    kind: int
    score: float
    box: tuple[float, float, float, float]
    mask: np.ndarray[Any, np.dtype[np.bool_]]


def instances(classes: torch.Tensor, masks: torch.Tensor, fitted: Frame, keep: float) -> list[Instance]:
    """What the model's numbers mean, as in the authors' ``instance_inference``.

    Of all (query, class) pairs the 100 likeliest, so that a query may stand for several classes; the confidence is the
    class's probability times the mean of the mask's probabilities where the mask is, so at most that probability: pairs at
    or below ``keep`` are dropped first, and only the masks of the others are brought to the image's size.

    Args:
        classes: Q x (K + 1) logits, "no object" last.
        masks: Q x h x w logits, of the padded image.
        fitted: the image's sizes.
        keep: only objects of higher confidence are returned.

    Returns:
        Most confident first; equal ones by query, then class.
    """
    probabilities = classes.float().softmax(-1)[:, :-1]
    n_classes = probabilities.shape[1]
    values, places = probabilities.flatten().sort(descending=True, stable=True)
    pairs = [
        (place // n_classes, place % n_classes, value)
        for value, place in zip(values[:MOST].tolist(), places[:MOST].tolist(), strict=True)
        if confidence(value) > keep
    ]
    queries = sorted({query for query, _, _ in pairs})
    found: list[Instance] = []
    at_once = max(1, _PIXELS_AT_ONCE // max(math.prod(fitted.image), math.prod(fitted.padded)))
    for start in range(0, len(queries), at_once):
        some = queries[start : start + at_once]
        seen = dict(zip(some, _masks(masks[some], fitted), strict=True))
        for query, kind, probability in pairs:
            if (one := seen.get(query)) is not None:
                score = confidence(probability * one.certainty)
                if score > keep:
                    found.append(Instance(query, kind, score, one.box, one.mask))
    return sorted(found, key=lambda one: (-one.score, one.query, one.kind))


@dataclass(frozen=True, slots=True, eq=False)
class _Mask:
    mask: np.ndarray[Any, np.dtype[np.bool_]]
    certainty: float
    box: tuple[float, float, float, float]


def _masks(logits: torch.Tensor, fitted: Frame) -> list[_Mask | None]:
    """Each query's mask at the image's size; None where it is empty."""
    h, w = fitted.resized
    large = interpolate(logits.float()[None], size=fitted.padded, mode="bilinear", align_corners=False)[:, :, :h, :w]
    large = interpolate(large, size=fitted.image, mode="bilinear", align_corners=False)[0]
    positive = large > 0
    weight = positive.float()
    certainty = ((large.sigmoid() * weight).sum((1, 2)) / (weight.sum((1, 2)) + _EPSILON)).tolist()
    found: list[_Mask | None] = []
    for mask, sure in zip(fetched(positive), certainty, strict=True):
        rows, columns = np.flatnonzero(mask.any(1)), np.flatnonzero(mask.any(0))
        if not len(rows):
            found.append(None)
            continue
        box = (float(columns[0]), float(rows[0]), float(columns[-1] + 1), float(rows[-1] + 1))
        found.append(_Mask(mask, sure, box))
    return found


def fetched(masks: torch.Tensor) -> np.ndarray[Any, np.dtype[np.bool_]]:
    """Masks, n x H x W, brought to this side of a GPU in one copy, of a bit a pixel."""
    if masks.device.type == "cpu":
        return np.asarray(masks.numpy())
    packed = bits(masks).cpu().numpy()
    return np.unpackbits(packed, count=masks.numel()).reshape(masks.shape).view(np.bool_)


def bits(masks: torch.Tensor) -> torch.Tensor:
    """As ``numpy.packbits`` of all in a row, where they are: a byte for eight."""
    flat = masks.flatten().to(torch.uint8)
    filled = torch.nn.functional.pad(flat, (0, -len(flat) % 8)).view(-1, 8)
    places = torch.tensor([128, 64, 32, 16, 8, 4, 2, 1], dtype=torch.uint8, device=masks.device)
    return (filled * places).sum(1, dtype=torch.uint8)


class Mask2Former:
    """A ``scorers.models.detectors.Detector``; its arguments are those of ``Opening``. ``together``: pictures at once."""

    def __init__(self, name: str, *, side: int = SHORT, keep: float, device: str = "cpu", precision: str = FULL) -> None:
        self._labels: Vocabulary = vocabulary(config_of(name).id2label, name)
        self._model = load(Mask2FormerForUniversalSegmentation, name, device)
        self.together = together(device, _BATCH)
        if torch.device(device).type == "cpu":
            quicken(self._model)
        if precision == HALF:
            halve(self._model.model.pixel_level_module.encoder, device)
        else:
            pack(self._model)
        self._side, self._keep, self._device = side, keep, device
        self._soundness = Soundness(name)

    @property
    def knows(self) -> frozenset[str]:
        return frozenset(label for label in self._labels if label is not None)

    def forward(self, batch: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Of B x 3 x H x W the logits of classes (B x Q x (K + 1)) and masks (B x Q x H/4 x W/4)."""
        out = self._model(pixel_values=batch)
        return out.class_queries_logits.float(), out.masks_queries_logits.float()

    def detect(self, images: Sequence[Image.Image], names: Sequence[Sequence[str]] = ()) -> list[list[Found]]:  # noqa: ARG002
        """See ``Detector``."""
        frames = [frame(image.width, image.height, self._side) for image in images]
        fed = [pixels(image, fitted) for image, fitted in zip(images, frames, strict=True)]
        found: list[list[Found]] = [[] for _ in images]
        for places in by_shape(fed, self.together):
            batch = torch.stack([fed[k] for k in places]).to(self._device)
            with torch.inference_mode():
                classes, masks = self.forward(batch)
                self._soundness.check(batch, classes, masks)
                for row, k in enumerate(places):
                    seen = instances(classes[row], masks[row], frames[k], self._keep)
                    labels = [self._labels[one.kind] for one in seen]
                    found[k] = [
                        Found(label, one.score, one.box, one.mask)
                        for one, label in zip(seen, labels, strict=True)
                        if label is not None
                    ]
        return found
