"""Grounding DINO (Liu et al., 2023): it looks for what a text names, all names in one text ("a cat. a dog.").

The published post-processing makes phrases of all tokens above a threshold, which may join two names or hold half of one. Here
each box has the name one of whose tokens is the likeliest, and that token's probability: the same confidence, one name.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import torch
from PIL import Image
from transformers import GroundingDinoForObjectDetection, GroundingDinoImageProcessor

from scorers.models.compute import batch_size
from scorers.models.detectors.base import DetectedObject, confidence, corners, queried_label, rounded_box, sigmoid
from scorers.models.detectors.detr import edges, read
from scorers.models.pretrained import by_shape, config_of, load, tokenizer_of
from scorers.models.sanity_check import Soundness

_BATCH: Final = 4
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
        self._batch = batch_size(device, _BATCH)
        self._soundness = Soundness(name)

    def detect(self, images: Sequence[Image.Image], names: Sequence[Sequence[str]]) -> list[list[DetectedObject]]:
        """See ``Detector``. Images of one shape that ask for the same go together."""
        fed = [read(self._process, image) for image in images]
        alike: dict[tuple[str, ...], list[int]] = {}
        for k, some in enumerate(names):
            alike.setdefault(tuple(some), []).append(k)
        found: list[list[DetectedObject]] = [[] for _ in images]
        for asked, places in alike.items():
            for question in text_queries(self._tokenizer, asked, self._length):
                for rows in by_shape([fed[k] for k in places], self._batch):
                    same = [places[row] for row in rows]
                    for k, seen in zip(same, self._answers([fed[k] for k in same], question), strict=True):
                        found[k] += self._objects(*seen, question, images[k].size)
        return [sorted(listed, key=lambda one: -one.score) for listed in found]

    def _answers(self, fed: Sequence[torch.Tensor], question: TextQuery) -> Iterable[tuple[Any, Any]]:
        """Of each image: Q x N logits, those of each name's likeliest token, and Q x 4 boxes."""
        batch = torch.stack(list(fed)).to(self._device)
        ids = torch.tensor([question.ids], device=self._device).expand(len(fed), -1)
        with torch.inference_mode():
            out = self._model(pixel_values=batch, input_ids=ids, token_type_ids=torch.zeros_like(ids))
            logits = torch.stack([out.logits[..., first:end].float().amax(-1) for first, end in question.spans], -1)
            boxes = out.pred_boxes.float()
            self._soundness.check(batch, logits, boxes)
        return zip(logits.cpu().numpy(), boxes.cpu().numpy(), strict=True)

    def _objects(
        self, logits: np.ndarray[Any, Any], boxes: np.ndarray[Any, Any], question: TextQuery, size: tuple[int, int]
    ) -> list[DetectedObject]:
        best = logits.argmax(-1)
        scores = sigmoid(logits.max(-1))
        pixels = corners(boxes, *size)
        listed = []
        for k in np.argsort(-scores, kind="stable"):
            score = confidence(scores[k])
            if score > self._keep:
                listed.append(DetectedObject(queried_label(question.names[best[k]]), score, rounded_box(pixels[k])))
        return listed


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
