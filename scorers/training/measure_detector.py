"""Held-out figures of the detector: ``python -m scorers.training.measure_detector DIR`` prints them as JSON.

Scenes use seeds, textures and object-colour pairs that the training never saw. Predictions go through ``YOLO.predict``, as in
production.
"""

from __future__ import annotations

import argparse
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
import torch
from numpy.typing import NDArray
from PIL import Image

from data.playground.drawing import HELD_OUT_LOOK, draw
from data.playground.render import render
from data.playground.sample import random_metadata
from data.playground.scene import Scene
from data.prompts.spec import parse_spec
from scorers.models.yolo import load
from scorers.training.detector import SIDE
from scorers.training.scenes import NAMES, captioned, half_erased, nothing, seeded

CONFIDENCES: Final = (0.3, 0.5, 0.7, 0.9)
_LEVELS: Final = np.arange(0.5, 1.0, 0.05)


@dataclass(frozen=True, slots=True, eq=False)
class Seen:
    """Detections of one picture: N x 4 boxes in pixels, N class numbers, N confidences, N x side x side masks."""

    boxes: NDArray[np.float64]
    kinds: NDArray[np.int64]
    confidence: NDArray[np.float64]
    masks: NDArray[np.bool_]


def detect(yolo: Any, images: list[NDArray[np.uint8]], threads: int) -> list[Seen]:
    """All detections above confidence 0.01. Ultralytics changes torch's number of threads: it is set back."""
    found = []
    for start in range(0, len(images), 32):
        some = [Image.fromarray(image) for image in images[start : start + 32]]
        results = yolo.predict(some, imgsz=SIDE, conf=0.01, device="cpu", verbose=False, save=False, retina_masks=True)
        torch.set_num_threads(threads)
        found += [_seen(result) for result in results]
    return found


def measure(folder: Path, scenes: int = 400, threads: int = 1) -> dict[str, float]:
    """The figures; shares are of pictures."""
    yolo = load(folder)
    held_out = [captioned("held-out", seed)[1] for seed in range(scenes)]
    pictures = [render(scene, SIDE) for scene in held_out]
    seen = detect(yolo, [picture.image for picture in pictures], threads)
    figures = {"scenes": float(scenes)}
    truth = [np.array([NAMES.index(placed.kind) for placed in scene.objects]) for scene in held_out]
    for name, overlaps in (
        ("box", [_box_overlaps(p.boxes, s.boxes) for p, s in zip(pictures, seen, strict=True)]),
        ("mask", [_mask_overlaps(p.masks, s.masks) for p, s in zip(pictures, seen, strict=True)]),
    ):
        precision = _average_precision(truth, seen, overlaps)
        figures[f"{name}_map50"], figures[f"{name}_map50_95"] = float(precision[:, 0].mean()), float(precision.mean())
    for confidence in CONFIDENCES:
        figures[f"exact_objects_at_{confidence}"] = _exact_share(held_out, seen, confidence)
    counting, shown = _counting(scenes // 2)
    for confidence in CONFIDENCES:
        figures[f"exact_objects_counting_at_{confidence}"] = _exact_share(counting, detect(yolo, shown, threads), confidence)
    return figures | _negatives(yolo, scenes // 4, threads)


def _counting(n: int) -> tuple[list[Scene], list[NDArray[np.uint8]]]:
    scenes = []
    for seed in range(n):
        rng = seeded("held-out", seed + 5 * 10**6)
        scenes.append(draw(parse_spec(random_metadata("counting", rng, HELD_OUT_LOOK)), seed, HELD_OUT_LOOK))
    return scenes, [render(scene, SIDE).image for scene in scenes]


def _negatives(yolo: Any, n: int, threads: int) -> dict[str, float]:
    """Share of pictures without any object, and of half-erased ones, in which something too much is found at 0.5."""
    blank = [nothing("held-out", seed, SIDE, blobs=bool(seed % 2)) for seed in range(n)]
    halves = [half_erased("held-out", seed, SIDE) for seed in range(n)]
    figures = {}
    for name, examples in (("blobs_and_noise", blank), ("half_erased", halves)):
        seen = detect(yolo, [one.image for one in examples], threads)
        too_many = [np.sum(s.confidence > 0.5) > len(one.kinds) for s, one in zip(seen, examples, strict=True)]
        figures[f"false_alarms_{name}_at_0.5"] = float(np.mean(too_many))
    return figures


def _exact_share(scenes: list[Scene], seen: list[Seen], confidence: float) -> float:
    """Share of scenes in which the kinds found, with their numbers, are exactly those that are there."""
    right = [
        sorted(NAMES.index(p.kind) for p in scene.objects) == sorted(s.kinds[s.confidence > confidence].tolist())
        for scene, s in zip(scenes, seen, strict=True)
    ]
    return float(np.mean(right))


def _average_precision(
    truth: list[NDArray[np.int64]], seen: list[Seen], overlaps: list[NDArray[np.float64]]
) -> NDArray[np.float64]:
    """kinds x 10 overlap levels, by ultralytics' own rule (101-point interpolation)."""
    from ultralytics.utils.metrics import ap_per_class

    hits = [_hits(t, s, o) for t, s, o in zip(truth, seen, overlaps, strict=True)]
    confidence = np.concatenate([s.confidence for s in seen])
    kinds = np.concatenate([s.kinds for s in seen])
    return np.asarray(ap_per_class(np.concatenate(hits), confidence, kinds, np.concatenate(truth))[5])


def _hits(truth: NDArray[np.int64], seen: Seen, overlap: NDArray[np.float64]) -> NDArray[np.bool_]:
    """detections x 10 levels: whether each detection, most confident first, finds a free object of its kind."""
    hits = np.zeros((len(seen.kinds), len(_LEVELS)), bool)
    for column, level in enumerate(_LEVELS):
        free = np.ones(len(truth), bool)
        for k in np.argsort(-seen.confidence):
            candidates = np.where(free & (truth == seen.kinds[k]), overlap[:, k], 0.0)
            if len(candidates) and candidates.max() >= level:
                free[candidates.argmax()] = False
                hits[k, column] = True
    return hits


def _box_overlaps(a: NDArray[np.float64], b: NDArray[np.float64]) -> NDArray[np.float64]:
    low, high = np.maximum(a[:, None, :2], b[None, :, :2]), np.minimum(a[:, None, 2:], b[None, :, 2:])
    shared = np.prod(np.maximum(high - low, 0), axis=2)
    return np.asarray(shared / (np.prod(a[:, 2:] - a[:, :2], axis=1)[:, None] + np.prod(b[:, 2:] - b[:, :2], axis=1) - shared))


def _mask_overlaps(a: NDArray[np.bool_], b: NDArray[np.bool_]) -> NDArray[np.float64]:
    first, second = (part.reshape(len(part), SIDE * SIDE).astype(np.float64) for part in (a, b))
    shared = first @ second.T
    return np.asarray(shared / np.maximum(first.sum(axis=1)[:, None] + second.sum(axis=1) - shared, 1.0))


def _seen(result: Any) -> Seen:
    boxes = result.boxes
    side = result.orig_shape
    masks = np.zeros((0, *side), bool) if result.masks is None else result.masks.data.numpy() > 0.5
    return Seen(boxes.xyxy.numpy().astype(float), boxes.cls.numpy().astype(int), boxes.conf.numpy().astype(float), masks)


def main() -> None:
    """Command line."""
    parser = argparse.ArgumentParser(description="Held-out figures of the playground's detector.")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--scenes", type=int, default=400)
    parser.add_argument("--threads", type=int, default=1)
    arguments = parser.parse_args()
    figures = measure(arguments.folder, arguments.scenes, arguments.threads)
    print(json.dumps({name: round(value, 4) for name, value in figures.items()}, indent=2))


if __name__ == "__main__":
    main()
