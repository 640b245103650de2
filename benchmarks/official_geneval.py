"""GenEval's published loop, restated (``evaluate_images.py`` and what mmdet does beneath it): one image at a time, all 100
masks brought to the image's size and copied one by one, and a ``DataLoader`` of four processes for every question of a colour.

What gives other numbers by other packages is ours on both sides: how pictures are read and resized, and the rules.
"""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any, Final, cast

import numpy as np
import open_clip
import torch
from numpy.typing import NDArray
from PIL import Image
from torch.nn.functional import interpolate
from torch.utils.data import DataLoader, Dataset
from transformers import Mask2FormerForUniversalSegmentation

from data.images.files import open_image
from data.jobs.runs import Detection, Observation
from data.prompts.coco import COCO
from data.prompts.geneval import COLORS
from data.prompts.spec import Spec
from scorers.crops import masked_crop
from scorers.geneval import TEMPLATES
from scorers.geneval_rules import Rules, same_kind
from scorers.models.mask2former import MOST, Frame, frame, pixels

_WORKERS: Final = 4
_CROPS: Final = 16
Object = tuple[NDArray[np.float64], NDArray[np.bool_]]
"""x0, y0, x1, y1, confidence; and its mask."""


class ImageCrops(Dataset[Any]):  # type: ignore[misc]  # torch is not read by mypy
    """GenEval's: each object alone on grey, cropped."""

    def __init__(self, image: Image.Image, objects: list[Object], transform: Any) -> None:
        self._image, self._objects, self._transform = image, objects, transform

    def __len__(self) -> int:
        return len(self._objects)

    def __getitem__(self, k: int) -> torch.Tensor:
        box, mask = self._objects[k]
        x0, y0, x1, y1 = box[:4].tolist()
        return cast(torch.Tensor, self._transform(masked_crop(self._image, mask, (x0, y0, x1, y1))))


class Official:
    """Both models in memory; ``side``: as ``Opening.side``."""

    def __init__(self, detector: Path, clip: Path, side: int, device: str) -> None:
        self._device, self._side = device, side
        loaded = Mask2FormerForUniversalSegmentation.from_pretrained(detector, dtype=torch.float32)
        self.detector = loaded.to(device).eval()
        model, self._transform = open_clip.create_model_from_pretrained(f"local-dir:{clip}", device=device)
        self._clip = model.eval()
        self._tokenizer = open_clip.get_tokenizer(f"local-dir:{clip}")
        self._classifiers: dict[str, torch.Tensor] = {}

    def evaluate(self, item_id: str, path: Path, spec: Spec, rules: Rules) -> Observation:
        """``evaluate_image``, without the verdict."""
        image = open_image(path)
        boxes, masks = self._inference(image)
        detected: dict[str, list[Object]] = {}
        for index, name in enumerate(COCO):
            order = np.argsort(boxes[index][:, 4], kind="stable")[::-1]
            order = order[boxes[index][order, 4] > rules.needed(spec)][: rules.max_objects]
            if len(order):
                detected[name] = [(boxes[index][k], masks[index][k]) for k in order]
        colors: dict[str, list[tuple[float, ...]]] = {}
        for asked in spec.objects:
            found = next((some for name, some in detected.items() if same_kind(name, asked.name)), [])[: asked.count]
            if asked.color is not None and len(found) == asked.count:
                colors[asked.name] = self._color_classification(image, found, asked.name)
        return Observation(item_id, {}, tuple(_evidence(detected, colors)))

    def _inference(self, image: Image.Image) -> tuple[list[NDArray[np.float64]], list[list[NDArray[np.bool_]]]]:
        """mmdet's ``inference_detector``: of each class its boxes with confidences (n x 5), and masks."""
        fitted = frame(image.width, image.height, self._side)
        with torch.no_grad():
            out = self.detector(pixel_values=pixels(image, fitted)[None].to(self._device))
            labels, boxes, masks = _postprocess(out.class_queries_logits[0], out.masks_queries_logits[0], fitted)
        per_class: list[list[NDArray[np.bool_]]] = [[] for _ in COCO]
        for mask, label in zip(masks, labels, strict=True):
            per_class[int(label)].append(mask.detach().cpu().numpy())
        kinds, rows = labels.cpu().numpy(), boxes.double().cpu().numpy()
        return [rows[kinds == index] for index in range(len(COCO))], per_class

    def _color_classification(self, image: Image.Image, objects: list[Object], name: str) -> list[tuple[float, ...]]:
        if name not in self._classifiers:
            self._classifiers[name] = self._zero_shot_classifier(name)
        # as GenEval's, whose processes are forks: with another way of starting them each would import torch anew
        loader = DataLoader(
            ImageCrops(image, objects, self._transform),
            batch_size=_CROPS,
            num_workers=_WORKERS,
            multiprocessing_context="fork",
        )
        listed: list[tuple[float, ...]] = []
        with torch.no_grad():
            for batch in loader:
                vectors = self._clip.encode_image(batch.to(self._device), normalize=True)
                logits = self._clip.logit_scale.exp() * vectors @ self._classifiers[name]
                listed += [tuple(row) for row in logits.double().softmax(-1).cpu().tolist()]
        return listed

    def _zero_shot_classifier(self, name: str) -> torch.Tensor:
        means = []
        with torch.no_grad():
            for color in COLORS:
                texts = self._tokenizer([template.format(color=color, name=name) for template in TEMPLATES])
                mean = self._clip.encode_text(texts.to(self._device), normalize=True).mean(0)
                means.append(mean / mean.norm())
        return torch.stack(means, 1)


def _postprocess(classes: torch.Tensor, logits: torch.Tensor, fitted: Frame) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """``MaskFormerFusionHead.instance_postprocess``: 100 labels, boxes with confidences, and masks of the image's size."""
    large = interpolate(logits[None], size=fitted.padded, mode="bilinear", align_corners=False)
    large = large[:, :, : fitted.resized[0], : fitted.resized[1]]
    large = interpolate(large, size=fitted.image, mode="bilinear", align_corners=False)[0]
    probabilities = classes.softmax(-1)[:, :-1]
    scores, places = probabilities.flatten(0, 1).topk(min(MOST, probabilities.numel()), sorted=False)
    labels, queries = places % len(COCO), places // len(COCO)
    chosen = large[queries]
    positive = (chosen > 0).float()
    certain = (chosen.sigmoid() * positive).flatten(1).sum(1) / (positive.flatten(1).sum(1) + 1e-6)
    boxes = torch.cat([_boxes(positive.bool()), (scores * certain)[:, None]], -1)
    return labels, boxes, positive.bool()


def _boxes(masks: torch.Tensor) -> torch.Tensor:
    """``mask2bbox``."""
    boxes = masks.new_zeros((len(masks), 4), dtype=torch.float32)
    across, down = masks.any(1), masks.any(2)
    for k in range(len(masks)):
        x, y = torch.where(across[k])[0], torch.where(down[k])[0]
        if len(x) and len(y):
            boxes[k] = boxes.new_tensor([int(x[0]), int(y[0]), int(x[-1]) + 1, int(y[-1]) + 1])
    return boxes


def _evidence(detected: dict[str, list[Object]], colors: dict[str, list[tuple[float, ...]]]) -> list[Detection]:
    listed = []
    for name, objects in detected.items():
        known = next((some for asked, some in colors.items() if same_kind(name, asked)), [])
        for k, (row, _) in enumerate(objects):
            x0, y0, x1, y1, score = row.tolist()
            assert math.isfinite(score)
            listed.append(Detection(name, score, (x0, y0, x1, y1), None, known[k] if k < len(known) else None))
    # the most confident first; of equally confident ones of a kind the rules take the last first
    return listed[::-1]
