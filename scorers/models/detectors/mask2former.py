"""Mask2Former (Cheng et al., 2022) trained on COCO instances, as GenEval uses it: through transformers, but with the
authors' pre- and post-processing.

Deformable attention, half of its time, is computed several times faster on the CPU than by ``grid_sample``.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, partial
from typing import Any, Final, cast

import numpy as np
import torch
from PIL import Image
from torch.nn.functional import embedding_bag, interpolate
from transformers import Mask2FormerForUniversalSegmentation

from scorers.models.detectors.base import FULL, HALF, DetectedObject, Vocabulary, confidence, vocabulary
from scorers.models.devices import start_in_threads
from scorers.models.pretrained import (
    Moment,
    batch_size,
    beside,
    by_shape,
    compute_in_half,
    config_of,
    load,
    moment,
    pack_weights,
    to_device,
)
from scorers.models.soundness import Soundness


def sample_values(
    values: torch.Tensor, shapes: Sequence[tuple[int, int]], places: torch.Tensor, weights: torch.Tensor
) -> torch.Tensor:
    """Weighted sums of values between the points of grids: bilinear, zero outside, as Zhu et al. (2021) define it.

    Args:
        values: B x S x H x D, the points of all grids in turn, row by row; H heads.
        shapes: height and width of each of the L grids.
        places: B x Q x H x L x P x 2, x and y as shares of the grid's width and height.
        weights: B x Q x H x L x P.

    Returns:
        B x Q x (H * D).
    """
    n_batch, n_points, n_heads, size = values.shape
    n_queries = places.shape[1]
    head = torch.arange(n_heads, device=values.device, dtype=torch.int32)[None, None, :, None]
    first = torch.arange(n_batch, device=values.device, dtype=torch.int32)[:, None, None, None] * n_points
    rows: list[torch.Tensor] = []
    shares: list[torch.Tensor] = []
    for level, (height, width) in enumerate(shapes):
        x, y = (places[:, :, :, level, :, k] * length - 0.5 for k, length in enumerate((width, height)))
        left, top = x.floor(), y.floor()
        for column, across in ((left, 1 - (x - left)), (left + 1, x - left)):
            for row, down in ((top, 1 - (y - top)), (top + 1, y - top)):
                inside = (column >= 0) & (column < width) & (row >= 0) & (row < height)
                # multiplied, not chosen: what is no number stays none
                shares.append(weights[:, :, :, level] * across * down * inside)
                point = (row.clamp(0, height - 1) * width + column.clamp(0, width - 1)).to(torch.int32)
                rows.append((first + point) * n_heads + head)
        first = first + height * width
    table = values.reshape(-1, size)
    # a place that is no number is no place in the table either
    bags = torch.cat(rows, -1).reshape(-1, 4 * weights.shape[3] * weights.shape[4]).clamp_(0, len(table) - 1)
    summed = embedding_bag(bags, table, mode="sum", per_sample_weights=torch.cat(shares, -1).reshape(bags.shape))
    return summed.view(n_batch, n_queries, n_heads * size)


def speed_up_attention(model: torch.nn.Module) -> int:
    """Have a Mask2Former attend by ``sample``; how many of its layers do so now."""
    from transformers.models.mask2former import modeling_mask2former as known

    kind = known.Mask2FormerPixelDecoderEncoderMultiscaleDeformableAttention
    layers = [module for module in model.modules() if type(module) is kind]
    for layer in layers:
        layer.forward = partial(_attend, layer)
    return len(layers)


def _attend(
    layer: Any,
    hidden_states: torch.Tensor,
    attention_mask: torch.Tensor | None = None,
    encoder_hidden_states: torch.Tensor | None = None,
    encoder_attention_mask: torch.Tensor | None = None,  # noqa: ARG001  (the names are those of transformers)
    position_embeddings: torch.Tensor | None = None,
    reference_points: torch.Tensor | None = None,
    spatial_shapes_list: Sequence[tuple[int, int]] = (),
    level_start_index: torch.Tensor | None = None,  # noqa: ARG001
    output_attentions: bool = False,  # noqa: ARG001
) -> tuple[torch.Tensor, torch.Tensor]:
    """As the layer's own ``forward`` (reference points with two coordinates, as Mask2Former's are)."""
    queries = hidden_states if position_embeddings is None else hidden_states + position_embeddings
    n_batch, n_queries, _ = queries.shape
    values = layer.value_proj(encoder_hidden_states)
    if attention_mask is not None:
        values = values.masked_fill(attention_mask[..., None], 0.0)
    values = values.view(n_batch, -1, layer.n_heads, layer.d_model // layer.n_heads)
    shape = (n_batch, n_queries, layer.n_heads, layer.n_levels, layer.n_points)
    weights = layer.attention_weights(queries).view(*shape[:3], -1).softmax(-1).view(shape)
    sizes = torch.tensor([[width, height] for height, width in spatial_shapes_list], device=queries.device)
    points = cast(torch.Tensor, reference_points)[:, :, None, :, None, :]
    places = points + layer.sampling_offsets(queries).view(*shape, 2) / sizes[None, None, None, :, None, :]
    return layer.output_proj(sample_values(values, spatial_shapes_list, places, weights)), weights


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


def pixels(image: Image.Image, fitted: Frame, *, antialias: bool = True, device: str = "cpu") -> torch.Tensor:
    """3 x H x W as the model reads them, on its device: resized (bilinear), normalised, zeros to the right and below.

    ``antialias``: smoothed where it is made smaller, as Pillow does for the authors; OpenCV, so mmdet, does not.
    """
    h, w = fitted.resized
    if antialias:
        resized = torch.from_numpy(np.array(image.resize((w, h), Image.Resampling.BILINEAR)))
    else:
        unscaled = torch.from_numpy(np.array(image)).permute(2, 0, 1)[None].float()
        # whole numbers, as eight-bit pictures stay there
        resized = (
            interpolate(unscaled, size=(h, w), mode="bilinear", align_corners=False)[0].permute(1, 2, 0).round().to(torch.uint8)
        )
    # a quarter of the numbers' bytes goes to the device
    mean, std = _normalisation(device)
    out = torch.zeros((3, *fitted.padded), device=device)
    out[:, :h, :w] = ((to_device(resized, device) - mean) / std).permute(2, 0, 1)
    return out


@cache
def _normalisation(device: str) -> tuple[torch.Tensor, torch.Tensor]:
    return torch.tensor(MEAN, device=device), torch.tensor(STD, device=device)


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
        (at // n_classes, at % n_classes, value)
        for value, at in zip(values[:MOST].tolist(), places[:MOST].tolist(), strict=True)
        if confidence(value) > keep
    ]
    queries = sorted({query for query, _, _ in pairs})
    objects: list[Instance] = []
    at_once = max(1, _PIXELS_AT_ONCE // max(math.prod(fitted.image), math.prod(fitted.padded)))
    for start in range(0, len(queries), at_once):
        some = queries[start : start + at_once]
        seen = dict(zip(some, _masks(masks[some], fitted), strict=True))
        for query, kind, probability in pairs:
            if (mask := seen.get(query)) is not None:
                score = confidence(probability * mask.certainty)
                if score > keep:
                    objects.append(Instance(query, kind, score, mask.box, mask.mask))
    return sorted(objects, key=lambda instance: (-instance.score, instance.query, instance.kind))


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
    masks: list[_Mask | None] = []
    for mask, sure in zip(fetched(positive), certainty, strict=True):
        rows, columns = np.flatnonzero(mask.any(1)), np.flatnonzero(mask.any(0))
        if not len(rows):
            masks.append(None)
            continue
        box = (float(columns[0]), float(rows[0]), float(columns[-1] + 1), float(rows[-1] + 1))
        masks.append(_Mask(mask, sure, box))
    return masks


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
    """A ``scorers.models.detectors.base.Detector``; its arguments are those of ``Opening``. ``together``: pictures at once."""

    def __init__(self, name: str, *, side: int = SHORT, keep: float, device: str = "cpu", precision: str = FULL) -> None:
        config = config_of(name)
        self._labels: Vocabulary = vocabulary(config.id2label, name)
        self._antialias = bool(getattr(config, "antialias", True))
        self._model = load(Mask2FormerForUniversalSegmentation, name, device)
        self.together = batch_size(device, _BATCH)
        self._on_cpu = torch.device(device).type == "cpu"
        if self._on_cpu:
            speed_up_attention(self._model)
        if precision == HALF:
            compute_in_half(self._model.model.pixel_level_module.encoder, device)
        else:
            pack_weights(self._model)
        self._side, self._keep, self._device = side, keep, device
        self._soundness = Soundness(name)

    @property
    def knows(self) -> frozenset[str]:
        return frozenset(label for label in self._labels if label is not None)

    def forward(self, batch: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        """Of B x 3 x H x W the logits of classes (B x Q x (K + 1)) and masks (B x Q x H/4 x W/4)."""
        out = self._model(pixel_values=batch)
        return out.class_queries_logits.float(), out.masks_queries_logits.float()

    def detect(
        self,
        images: Sequence[Image.Image],
        names: Sequence[Sequence[str]] = (),  # noqa: ARG002
    ) -> Iterator[list[DetectedObject]]:
        """See ``Detector``. A GPU never waits for what is made of its numbers: the next batch goes there first."""
        frames = [frame(image.width, image.height, self._side) for image in images]
        awaited: dict[int, Callable[[], list[DetectedObject]]] = {}
        given = 0
        for places, batch, classes, masks, reached in self._overlapped(images, frames):
            with torch.inference_mode(), beside(reached):
                self._soundness.check(batch, classes, masks)
            while given in awaited:
                yield awaited.pop(given)()
                given += 1
            rows = [(classes[row], masks[row], frames[k], reached) for row, k in enumerate(places)]
            if self._on_cpu:  # where torch has threads of its own
                awaited.update((k, partial(self._objects, row)) for k, row in zip(places, rows, strict=True))
            else:
                started = start_in_threads(self._objects, rows)
                awaited.update((k, future.result) for k, future in zip(places, started, strict=True))
        for k in range(given, len(images)):
            yield awaited.pop(k)()

    def _overlapped(
        self, images: Sequence[Image.Image], frames: Sequence[Frame]
    ) -> Iterator[tuple[list[int], torch.Tensor, torch.Tensor, torch.Tensor, Moment | None]]:
        """Places, pixels and the model's numbers of each batch, and when they are there, once the next one was begun."""
        fed = start_in_threads(self._pixels, zip(images, frames, strict=True))
        before = None
        for places in by_shape((one.padded for one in frames), self.together):
            batch = torch.stack([fed[k].result() for k in places])
            with torch.inference_mode():
                now = (places, batch, *self.forward(batch), moment(self._device))
            if before is not None:
                yield before
            before = now
        if before is not None:
            yield before

    def _pixels(self, given: tuple[Image.Image, Frame]) -> torch.Tensor:
        return pixels(*given, antialias=self._antialias, device=self._device)

    def _objects(self, seen: tuple[torch.Tensor, torch.Tensor, Frame, Moment | None]) -> list[DetectedObject]:
        classes, masks, fitted, reached = seen
        with torch.inference_mode(), beside(reached):
            found = instances(classes, masks, fitted, self._keep)
        labelled = ((self._labels[one.kind], one) for one in found)
        return [DetectedObject(label, one.score, one.box, one.mask) for label, one in labelled if label is not None]
