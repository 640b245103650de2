"""Detectors of the package transformers: DETR, RT-DETR and D-FINE, OWL-ViT, Grounding DINO.

Each batch goes to the device in one copy, and comes back in one of each kind of numbers.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Final

import numpy as np
import torch
from PIL import Image
from transformers import (
    AutoModelForObjectDetection,
    DetrForObjectDetection,
    DetrImageProcessor,
    GroundingDinoForObjectDetection,
    GroundingDinoImageProcessor,
    Owlv2ForObjectDetection,
    Owlv2ImageProcessor,
    OwlViTForObjectDetection,
    OwlViTImageProcessor,
    RTDetrImageProcessor,
)

from scorers.models.detectors.base import (
    PART_OF_COCO,
    DetectedObject,
    Vocabulary,
    confidence,
    corners,
    queried_label,
    rounded_box,
    sigmoid,
    vocabulary,
)
from scorers.models.devices import in_threads
from scorers.models.pretrained import batch_size, by_shape, config_of, load, to_device, tokenizer_of
from scorers.models.soundness import Soundness

_BATCH: Final = 8
Array = np.ndarray[Any, Any]


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

    _kind: ClassVar[Any] = DetrForObjectDetection

    def __init__(self, name: str, *, side: int = 800, keep: float, device: str = "cpu") -> None:
        config = config_of(name)
        self._labels: Vocabulary = vocabulary(config.id2label, name, part=getattr(config, PART_OF_COCO, False))
        self._model = load(self._kind, name, device)
        self._process = self._processor(side)
        self._keep, self._device = keep, device
        self._batch = batch_size(device, _BATCH)
        self._soundness = Soundness(name)

    @property
    def knows(self) -> frozenset[str]:
        return frozenset(label for label in self._labels if label is not None)

    def detect(self, images: Sequence[Image.Image], names: Sequence[Sequence[str]] = ()) -> list[list[DetectedObject]]:  # noqa: ARG002
        """See ``Detector``."""
        fed = in_threads(self._read, images)
        detected: list[list[DetectedObject]] = [[] for _ in images]
        for places in by_shape((one.shape for one in fed), self._batch):
            batch = to_device(torch.stack([fed[k] for k in places]), self._device)
            with torch.inference_mode():
                out = self._model(pixel_values=batch)
            logits, boxes = out.logits.float(), out.pred_boxes.float()
            self._soundness.check(batch, logits, boxes)
            for k, own_logits, own_boxes in zip(places, logits.cpu(), boxes.cpu(), strict=True):
                detected[k] = self._objects(own_logits, own_boxes, images[k].size)
        return detected

    def _processor(self, side: int) -> Any:
        return DetrImageProcessor(size=edges(side))

    def _read(self, image: Image.Image) -> torch.Tensor:
        return read(self._process, image)

    def _objects(self, logits: torch.Tensor, boxes: torch.Tensor, size: tuple[int, int]) -> list[DetectedObject]:
        return objects(logits, boxes, self._labels, size, self._keep)


class RtDetr(Detr):
    """RT-DETR, RT-DETRv2 and D-FINE, which look at a square whatever an image's shape; arguments as ``Detr``."""

    _kind = AutoModelForObjectDetection

    def _processor(self, side: int) -> Any:
        return RTDetrImageProcessor(size={"height": side, "width": side})

    def _read(self, image: Image.Image) -> torch.Tensor:
        pixels: torch.Tensor = self._process(images=image, return_tensors="pt")["pixel_values"][0]
        return pixels

    def _objects(self, logits: torch.Tensor, boxes: torch.Tensor, size: tuple[int, int]) -> list[DetectedObject]:
        return likeliest_pairs(logits, boxes, self._labels, size, self._keep)


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
    kinds = [labels[kind] for kind in best.indices.tolist()]
    return listed(best.values.numpy(), kinds, corners(boxes.numpy(), *size), keep)


def likeliest_pairs(
    logits: torch.Tensor, boxes: torch.Tensor, labels: Vocabulary, size: tuple[int, int], keep: float
) -> list[DetectedObject]:
    """The same of a model with a yes or no for each class, as RT-DETR's ``post_process_object_detection``: of all pairs of a
    query and a class the likeliest, as many as there are queries, so that a query may stand for several classes.

    ``logits`` are Q x K, each class for itself; the others as ``objects`` takes them.
    """
    best = logits.sigmoid().flatten().topk(len(logits))
    queries, kinds = best.indices // len(labels), best.indices % len(labels)
    return listed(best.values.numpy(), [labels[kind] for kind in kinds.tolist()], corners(boxes[queries].numpy(), *size), keep)


def listed(scores: Array, labels: Sequence[str | None], boxes: Array, keep: float) -> list[DetectedObject]:
    """The objects of higher confidence than ``keep`` that have a label, most confident first."""
    detections = []
    for k in np.argsort(-scores, kind="stable"):
        score, label = confidence(scores[k]), labels[k]
        if label is not None and score > keep:
            detections.append(DetectedObject(label, score, rounded_box(boxes[k])))
    return detections


def listed_as_queried(logits: Array, names: Sequence[str], boxes: Array, keep: float) -> list[DetectedObject]:
    """The same, by Q x N logits of the names that were looked for: each query is what it is likeliest."""
    labels = [queried_label(name) for name in names]
    return listed(sigmoid(logits.max(-1)), [labels[k] for k in logits.argmax(-1)], boxes, keep)


TEMPLATE: Final = "a photo of a {name}"
"""VISOR's."""

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
        detected: list[list[DetectedObject]] = [[] for _ in images]
        with_names = [k for k in range(len(images)) if names[k]]
        for start in range(0, len(with_names), self._batch):
            places = with_names[start : start + self._batch]
            batch = to_device(torch.stack(in_threads(lambda k: self._pixels(images[k]), places)), self._device)
            with torch.inference_mode():
                logits, boxes = self._look(batch, [names[k] for k in places])
                self._soundness.check(batch, logits.amax(-1), boxes)
            for k, own_logits, own_boxes in zip(places, logits.cpu().numpy(), boxes.cpu().numpy(), strict=True):
                detected[k] = self._objects(own_logits, own_boxes, names[k], images[k].size)
        return detected

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

    def _objects(self, logits: Array, boxes: Array, names: Sequence[str], size: tuple[int, int]) -> list[DetectedObject]:
        width, height = (max(size), max(size)) if self._padded else size
        edges = corners(boxes, width, height)
        if self._padded:  # what lies beyond the image is padding
            edges = np.clip(edges, 0, np.array([*size, *size], np.float32))
        return listed_as_queried(logits, names, edges, self._keep)


def processor(config: Any) -> Any:
    """How images are made into what the model reads: the published settings, at the size that the architecture has."""
    side = config.vision_config.image_size
    kind = Owlv2ImageProcessor if config.model_type == "owlv2" else OwlViTImageProcessor
    return kind(size={"height": side, "width": side})


_GROUNDING_DINO_BATCH: Final = 4
_ENDS_A_NAME: Final = re.compile(r"[.?]")
"""They part one name from the next, so no name can hold one."""


@dataclass(frozen=True, slots=True)
class TextQuery:
    """A text of some names: its tokens, and which of them (first, end) are each name's."""

    names: tuple[str, ...]
    ids: tuple[int, ...]
    spans: tuple[tuple[int, int], ...]


class GroundingDino:
    """A ``scorers.models.detectors.base.Detector`` that looks for what it is asked; its arguments are those of ``Opening``."""

    knows: frozenset[str] | None = None

    def __init__(self, name: str, *, side: int = 800, keep: float, device: str = "cpu") -> None:
        self._model = load(GroundingDinoForObjectDetection, name, device)
        self._tokenizer = tokenizer_of(name)
        self._length = config_of(name).max_text_len
        self._process = GroundingDinoImageProcessor(size=edges(side))
        self._keep, self._device = keep, device
        self._batch = batch_size(device, _GROUNDING_DINO_BATCH)
        self._soundness = Soundness(name)

    def detect(self, images: Sequence[Image.Image], names: Sequence[Sequence[str]]) -> list[list[DetectedObject]]:
        """See ``Detector``. Images of one shape that ask for the same go together."""
        fed = in_threads(lambda image: read(self._process, image), images)
        alike: dict[tuple[str, ...], list[int]] = {}
        for k, some in enumerate(names):
            alike.setdefault(tuple(some), []).append(k)
        detected: list[list[DetectedObject]] = [[] for _ in images]
        for names_asked, places in alike.items():
            for question in text_queries(self._tokenizer, names_asked, self._length):
                for rows in by_shape((fed[k].shape for k in places), self._batch):
                    same = [places[row] for row in rows]
                    answers = self._answers([fed[k] for k in same], question)
                    for k, (logits, boxes) in zip(same, answers, strict=True):
                        detected[k] += listed_as_queried(logits, question.names, corners(boxes, *images[k].size), self._keep)
        return [sorted(some, key=lambda detected: -detected.score) for some in detected]

    def _answers(self, fed: Sequence[torch.Tensor], question: TextQuery) -> Iterable[tuple[Any, Any]]:
        """Of each image: Q x N logits, those of each name's likeliest token, and Q x 4 boxes."""
        batch = to_device(torch.stack(list(fed)), self._device)
        ids = torch.tensor([question.ids], device=self._device).expand(len(fed), -1)
        with torch.inference_mode():
            out = self._model(pixel_values=batch, input_ids=ids, token_type_ids=torch.zeros_like(ids))
            logits = torch.stack([out.logits[..., first:end].float().amax(-1) for first, end in question.spans], -1)
            boxes = out.pred_boxes.float()
            self._soundness.check(batch, logits, boxes)
        return zip(logits.cpu().numpy(), boxes.cpu().numpy(), strict=True)


def text_queries(tokenizer: Any, names: Sequence[str], longest: int) -> Iterable[TextQuery]:
    """The names as texts that the model can read, as few as possible: lower case, each followed by a full stop.

    Args:
        tokenizer: the model's.
        names: what to look for; one without a single letter or digit is passed over.
        longest: tokens a text may have.
    """
    begin, end, stop = (tokenizer.convert_tokens_to_ids(token) for token in (tokenizer.cls_token, tokenizer.sep_token, "."))
    some: list[str] = []
    ids: list[int] = [begin]
    spans: list[tuple[int, int]] = []
    for name in dict.fromkeys(names):
        read = tokenizer(_ENDS_A_NAME.sub(" ", name.lower()), add_special_tokens=False)["input_ids"][: longest - 3]
        if not read:
            continue
        if len(ids) + len(read) + 2 > longest:
            yield TextQuery(tuple(some), (*ids, end), tuple(spans))
            some, ids, spans = [], [begin], []
        spans.append((len(ids), len(ids) + len(read)))
        ids += [*read, stop]
        some.append(name)
    if some:
        yield TextQuery(tuple(some), (*ids, end), tuple(spans))
