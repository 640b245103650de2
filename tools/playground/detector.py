"""The playground's detector: a small RT-DETRv2 through transformers, trained from nothing.

``python -m tools.playground.detector --out DIR`` writes ``config.json`` and ``model.safetensors``, as transformers opens them.
It is made for a GPU; a CPU takes hours. The scenes never touch the disk.

*Pictures* are rendered by processes of their own while it trains, and changed anew each time that they are shown. Changes
never move an object: pictures are mirrored, softened, noisy, in other light, and all colours are turned, paled or strengthened,
of the whole picture or of each object for itself. A kind is known by its shape, in colours never seen on it, too.

*Losses* are those of RT-DETR (Lv et al., 2024), with more than one answer for each object where candidates are chosen. Each
layer of the decoder answers once for each object (Hungarian matching), and so do the denoising queries, which start roughly
where one is. The encoder's cells, of which the likeliest become queries, answer several times for each object (task-aligned
assignment, Feng et al., 2021): a small model that starts from nothing learns slowly from one cell in hundreds.
"""

from __future__ import annotations

import math
import mmap
import multiprocessing
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
import torch
from numpy.typing import NDArray
from scipy.optimize import linear_sum_assignment
from torch.nn.functional import binary_cross_entropy_with_logits, interpolate
from torchvision.ops import box_convert
from transformers import RTDetrResNetConfig, RTDetrV2Config, RTDetrV2ForObjectDetection

from data.playground.drawing import MAX_OBJECTS
from scorers.models.detectors.base import PART_OF_COCO
from tools.playground import averaged_model, from_command_line, half_precision
from tools.playground.examples import NAMES, DetectionExample, example

SIDE: Final = 128
"""Side of the pictures, pixels."""
_SOFTENED: Final = (48, 58, 68, 78, 90, 102)
"""Sides that some pictures are made smaller to, and enlarged again: as a decoder's."""
_GREY: Final = (0.299, 0.587, 0.114)


@dataclass(frozen=True, slots=True, eq=False)
class PictureBatch:
    """Pictures with what is on them, of one device.

    Attributes:
        images: B x 3 x 128 x 128, 0 to 1.
        owners: B x 128 x 128: 0 ground, k the k-th object.
        kinds: B x 6, class numbers; -1 where there is no further object.
        boxes: B x 6 x 4, centre and size as shares of the side.
    """

    images: torch.Tensor
    owners: torch.Tensor
    kinds: torch.Tensor
    boxes: torch.Tensor


def object_boxes(one: DetectionExample) -> NDArray[np.float32]:
    """n x 4: centre and size as shares of the side, of what is seen of each object."""
    found = np.zeros((len(one.kinds), 4), np.float32)
    for k in range(len(one.kinds)):
        rows, columns = np.nonzero(one.owners == k + 1)
        low, high = np.array([columns.min(), rows.min()]), np.array([columns.max() + 1, rows.max() + 1])
        found[k] = [*((low + high) / 2), *(high - low)]
    return np.asarray(found / len(one.owners), np.float32)


class RenderedScenes:
    """So many scenes of the training, which processes render while others are learned from. Entered before CUDA is used, as the
    processes are forks.

    Args:
        count: how many.
        first: the first one's seed.
        processes: that render.
        device: of torch, where batches are.
    """

    def __init__(self, count: int, first: int, processes: int, device: str) -> None:
        self._count, self._first, self._processes, self._device = count, first, processes, device
        self._arrays = {
            name: np.ndarray((count, *shape), kind, mmap.mmap(-1, count * math.prod(shape) * np.dtype(kind).itemsize))
            for name, kind, shape in (
                ("images", np.uint8, (SIDE, SIDE, 3)),
                ("owners", np.uint8, (SIDE, SIDE)),
                ("kinds", np.int8, (MAX_OBJECTS,)),
                ("boxes", np.float32, (MAX_OBJECTS, 4)),
                ("done", np.uint8, (1,)),
            )
        }
        self._rendering: list[Any] = []

    def __enter__(self) -> RenderedScenes:
        context = multiprocessing.get_context("fork")
        self._rendering = [context.Process(target=self._render, args=(rank,), daemon=True) for rank in range(self._processes)]
        for process in self._rendering:
            process.start()
        return self

    def __exit__(self, *_: object) -> None:
        for process in self._rendering:
            process.terminate()
            process.join()

    @property
    def rendered(self) -> int:
        """How many there are so far."""
        return int(self._arrays["done"].sum())

    def batch(self, size: int, rng: np.random.Generator) -> PictureBatch:
        """Any of those that there are, the same one more than once if there are few."""
        while not len(there := np.flatnonzero(self._arrays["done"].copy())):
            if not any(process.is_alive() for process in self._rendering):
                raise RuntimeError("no scene was rendered: the processes that should have are gone")
        return self._of(np.sort(there[rng.integers(len(there), size=size)]))

    def _of(self, chosen: NDArray[np.int64]) -> PictureBatch:
        some = {name: torch.from_numpy(self._arrays[name][chosen]) for name in ("images", "owners", "kinds", "boxes")}
        if self._device != "cpu":
            some = {name: value.pin_memory().to(self._device, non_blocking=True) for name, value in some.items()}
        images = some["images"].permute(0, 3, 1, 2).float() / 255
        return PictureBatch(images, some["owners"].long(), some["kinds"].long(), some["boxes"])

    def _render(self, rank: int) -> None:
        arrays = self._arrays
        for number in range(rank, self._count, self._processes):
            one = example("train", self._first + number, SIDE)
            arrays["images"][number], arrays["owners"][number] = one.image, one.owners
            arrays["kinds"][number] = -1
            arrays["kinds"][number, : len(one.kinds)] = one.kinds
            arrays["boxes"][number, : len(one.kinds)] = object_boxes(one)
            arrays["done"][number] = 1


def changed(batch: PictureBatch) -> PictureBatch:
    """The same pictures, each changed by chance (torch's own)."""
    batch = _mirrored(batch)
    images = _recolored(batch.images, batch.owners)
    images = _softened(images)
    size, device = (len(images), 1, 1, 1), images.device
    noisy = torch.rand(size, device=device) < 0.35
    images = images + torch.randn_like(images) * noisy * _between(0.01, 0.07, size, device)
    images = (images - 0.5) * _between(0.85, 1.15, size, device) + 0.5 + _between(-0.06, 0.06, size, device)
    return PictureBatch(images.clamp(0, 1), batch.owners, batch.kinds, batch.boxes)


def _between(low: float, high: float, size: tuple[int, ...], device: torch.device) -> torch.Tensor:
    return low + (high - low) * torch.rand(size, device=device)


def _mirrored(batch: PictureBatch) -> PictureBatch:
    flip = torch.rand(len(batch.images), device=batch.images.device) < 0.5
    images = torch.where(flip[:, None, None, None], batch.images.flip(3), batch.images)
    owners = torch.where(flip[:, None, None], batch.owners.flip(2), batch.owners)
    boxes = batch.boxes.clone()
    boxes[..., 0] = torch.where(flip[:, None], 1 - boxes[..., 0], boxes[..., 0])
    return PictureBatch(images, owners, batch.kinds, boxes)


def _recolored(images: torch.Tensor, owners: torch.Tensor) -> torch.Tensor:
    """In three of five pictures hues are turned, colours paled or strengthened and the light changed; in half of these each
    object and the ground for itself."""
    n, device, parts = len(images), images.device, MAX_OBJECTS + 1
    size = (n, parts)
    angle = _between(-math.pi, math.pi, size, device) * (torch.rand(size, device=device) < 0.6)
    strength, contrast = _between(0.0, 1.2, size, device), _between(0.6, 1.15, size, device)
    light = _between(-0.15, 0.25, size, device)
    together = torch.rand((n, 1), device=device) < 0.5
    angle, strength, contrast, light = (
        torch.where(together, value[:, :1], value) for value in (angle, strength, contrast, light)
    )
    touched = (torch.rand((n, 1), device=device) < 0.6).float()
    # turned about the axis of the greys (Rodrigues), then towards grey
    one = torch.eye(3, device=device)
    third = torch.full((3, 3), 1 / 3, device=device)
    cross = torch.tensor([[0.0, -1, 1], [1, 0, -1], [-1, 1, 0]], device=device) / math.sqrt(3)
    cos, sin = angle.cos()[..., None, None], angle.sin()[..., None, None]
    turned = cos * one + (1 - cos) * third + sin * cross
    grey = torch.tensor([_GREY] * 3, device=device)
    matrix = (grey + strength[..., None, None] * (one - grey)) @ turned * contrast[..., None, None]
    offset = 0.5 - 0.5 * contrast + light
    matrix = touched[..., None, None] * matrix + (1 - touched[..., None, None]) * one
    offset = offset * touched
    chosen = owners.flatten(1)
    pixels = images.flatten(2).transpose(1, 2)
    each = torch.take_along_dim(matrix.flatten(2), chosen[..., None], 1).view(n, -1, 3, 3)
    # multiplied out: millions of products of 3 x 3 take a GPU's matrix routines longer than all the rest
    said = (each * pixels[:, :, None]).sum(-1) + torch.take_along_dim(offset, chosen, 1)[..., None]
    return said.transpose(1, 2).reshape(images.shape).clamp(0, 1)


def _softened(images: torch.Tensor) -> torch.Tensor:
    """Nearly half of the pictures."""
    out = images.clone()
    which = torch.randint(0, 2 * len(_SOFTENED) + 1, (len(images),))
    for k, side in enumerate(_SOFTENED):
        chosen = torch.nonzero(which == k)[:, 0].to(images.device)
        if len(chosen):
            small = interpolate(images[chosen], (side, side), mode="bilinear", antialias=True)
            out[chosen] = interpolate(small, images.shape[-2:], mode="bicubic")
    return out


CLASS_WEIGHT: Final = 1.0
L1_WEIGHT: Final = 5.0
GIOU_WEIGHT: Final = 2.0
_COST_OF_CLASS: Final = 2.0
_ALPHA: Final = 0.75
_FOCAL_ALPHA: Final = 0.25
_GAMMA: Final = 2.0
_ALIGNED: Final = (0.5, 4.0)
"""Powers of confidence and overlap by which they are chosen."""
_TINY: Final = 1e-9


@dataclass(frozen=True, slots=True, eq=False)
class Objects:
    """What is on B pictures, n objects at most: kinds B x n (-1: none), boxes B x n x 4 (centre and size, shares)."""

    kinds: torch.Tensor
    boxes: torch.Tensor

    @classmethod
    def of(cls, kinds: torch.Tensor, boxes: torch.Tensor) -> Objects:
        """Without columns that no picture needs; one stays."""
        most = max(1, int((kinds >= 0).sum(1).max()))
        return cls(kinds[:, :most], boxes[:, :most])

    @property
    def there(self) -> torch.Tensor:
        return self.kinds >= 0

    @property
    def count(self) -> torch.Tensor:
        """Of all, at least 1."""
        return self.there.sum().clamp(min=1)

    def labels(self) -> list[dict[str, torch.Tensor]]:
        """As transformers takes them."""
        counts = self.there.sum(1).tolist()
        return [
            {"class_labels": kinds[:n], "boxes": boxes[:n]}
            for kinds, boxes, n in zip(self.kinds, self.boxes, counts, strict=True)
        ]


def detection_loss(model: Any, images: torch.Tensor, objects: Objects, cells: int) -> dict[str, torch.Tensor]:
    """The parts of the loss, whose sum is what is learned by.

    Args:
        model: an ``RTDetrV2ForObjectDetection`` in training.
        images: B x 3 x S x S.
        objects: what is on them.
        cells: how many cells of the encoder answer for each object.
    """
    out = model.model(images, labels=objects.labels())
    logits, boxes = out.intermediate_logits.transpose(0, 1), out.intermediate_reference_points.transpose(0, 1)
    told = out.denoising_meta_values
    parts = {}
    if told is not None:
        noisy = told["dn_num_split"][0]
        parts["denoising"] = _denoising_loss(logits[:, :, :noisy], boxes[:, :, :noisy], objects, told["dn_num_group"])
        logits, boxes = logits[:, :, noisy:], boxes[:, :, noisy:]
    parts["decoder"] = matched_loss(logits, boxes, objects, hungarian(logits, boxes, objects), objects.count)
    sides = tuple(images.shape[-1] // stride for stride in model.config.feat_strides)
    grid, candidates = centres(sides, images), out.enc_outputs_coord_logits.sigmoid()
    owner = aligned_cells(out.enc_outputs_class, candidates, objects, grid, cells)
    parts["cells"] = cells_loss(out.enc_outputs_class, candidates, objects, owner)
    return parts


def _denoising_loss(logits: torch.Tensor, boxes: torch.Tensor, objects: Objects, groups: int) -> torch.Tensor:
    """Of L x B x (groups * 2 * n): in each group first a query for each object, then one that is told a wrong place."""
    n = objects.kinds.shape[1]

    def grouped(values: torch.Tensor) -> torch.Tensor:
        layers, batch = values.shape[:2]
        return values.view(layers, batch, groups, 2 * n, -1).transpose(1, 2).flatten(0, 1)

    own = torch.arange(n, device=logits.device).expand(len(logits) * groups, len(objects.kinds), n)
    return matched_loss(grouped(logits), grouped(boxes), objects, own, objects.count * groups)


def matched_loss(
    logits: torch.Tensor, boxes: torch.Tensor, objects: Objects, queries: torch.Tensor, count: torch.Tensor
) -> torch.Tensor:
    """Where each object has one query.

    Args:
        logits: L x B x Q x K.
        boxes: L x B x Q x 4.
        objects: of the B pictures.
        queries: L x B x n, each object's query.
        count: what the sum is divided by.
    """
    there = objects.there.expand(queries.shape)
    said = torch.take_along_dim(boxes, queries[..., None], 2)[there]
    meant = objects.boxes.expand(*queries.shape, 4)[there]
    overlaps, generalised = box_overlaps(said, meant)
    target = torch.zeros_like(logits)
    layer, picture, number = torch.nonzero(there, as_tuple=True)
    kinds = objects.kinds[picture, number]
    target[layer, picture, queries[there], kinds] = overlaps.detach().clamp(min=0)
    boxes_loss = L1_WEIGHT * (said - meant).abs().sum() + GIOU_WEIGHT * (1 - generalised).sum()
    return (CLASS_WEIGHT * varifocal(logits, target) + boxes_loss) / count


def varifocal(logits: torch.Tensor, target: torch.Tensor) -> torch.Tensor:
    """Zhang et al. (2021), summed; ``target``: each right class's overlap with its object, else 0."""
    weight = torch.where(target > 0, target, _ALPHA * logits.detach().sigmoid() ** _GAMMA)
    return binary_cross_entropy_with_logits(logits, target, weight, reduction="sum")


def box_overlaps(a: torch.Tensor, b: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """Share of the union that boxes (... x 4, centre and size) have in common, and the same in its generalised form."""
    first, second = (box_convert(boxes, "cxcywh", "xyxy") for boxes in torch.broadcast_tensors(a, b))
    shared = _area(torch.maximum(first[..., :2], second[..., :2]), torch.minimum(first[..., 2:], second[..., 2:]))
    union = _area(first[..., :2], first[..., 2:]) + _area(second[..., :2], second[..., 2:]) - shared
    around = _area(torch.minimum(first[..., :2], second[..., :2]), torch.maximum(first[..., 2:], second[..., 2:]))
    overlap = shared / union.clamp(min=_TINY)
    return overlap, overlap - (around - union) / around.clamp(min=_TINY)


def _area(low: torch.Tensor, high: torch.Tensor) -> torch.Tensor:
    return (high - low).clamp(min=0).prod(-1)


@torch.no_grad()  # type: ignore[untyped-decorator]
def hungarian(logits: torch.Tensor, boxes: torch.Tensor, objects: Objects) -> torch.Tensor:
    """L x B x n: the query of each object, by the costs of RT-DETR; 0 where there is no object."""
    kinds = objects.kinds.clamp(min=0)
    confidence = torch.take_along_dim(logits.sigmoid(), kinds[None, :, None], 3)
    wrong = (1 - _FOCAL_ALPHA) * confidence**_GAMMA * -(1 - confidence + 1e-8).log()
    right = _FOCAL_ALPHA * (1 - confidence) ** _GAMMA * -(confidence + 1e-8).log()
    said, meant = boxes[:, :, :, None], objects.boxes[None, :, None]
    _, generalised = box_overlaps(said, meant)
    cost = _COST_OF_CLASS * (right - wrong) + L1_WEIGHT * (said - meant).abs().sum(-1) - GIOU_WEIGHT * generalised
    table, counts = cost.float().cpu().numpy(), objects.there.sum(1).tolist()
    found = torch.zeros((len(logits), *objects.kinds.shape), dtype=torch.long)
    for layer in range(len(table)):
        for picture, n in enumerate(counts):
            queries, numbers = linear_sum_assignment(table[layer, picture, :, :n])
            found[layer, picture, torch.from_numpy(numbers)] = torch.from_numpy(queries)
    return found.to(logits.device)


def centres(sides: tuple[int, ...], like: torch.Tensor) -> torch.Tensor:
    """T x 2: where the cells of grids of these sides have their centres, row by row, as shares."""
    grids = []
    for side in sides:
        at = (torch.arange(side, device=like.device) + 0.5) / side
        y, x = torch.meshgrid(at, at, indexing="ij")
        grids.append(torch.stack([x, y], -1).flatten(0, 1))
    return torch.cat(grids)


def cells_loss(logits: torch.Tensor, boxes: torch.Tensor, objects: Objects, owner: torch.Tensor) -> torch.Tensor:
    """Of all cells of the encoder (B x T x K, B x T x 4), by the object that each answers for (B x T)."""
    picture, cell = torch.nonzero(owner >= 0, as_tuple=True)
    number = owner[picture, cell]
    said, meant = boxes[picture, cell], objects.boxes[picture, number]
    overlaps, generalised = box_overlaps(said, meant)
    target = torch.zeros_like(logits)
    target[picture, cell, objects.kinds[picture, number]] = overlaps.detach().clamp(min=0)
    boxes_loss = L1_WEIGHT * (said - meant).abs().sum() + GIOU_WEIGHT * (1 - generalised).sum()
    return (CLASS_WEIGHT * varifocal(logits, target) + boxes_loss) / max(1, len(picture))


@torch.no_grad()  # type: ignore[untyped-decorator]
def aligned_cells(logits: torch.Tensor, boxes: torch.Tensor, objects: Objects, cells: torch.Tensor, most: int) -> torch.Tensor:
    """B x T: the number of the object that each cell answers for, -1: none. For an object at most so many of those within it,
    that are both sure of its kind and near to its box; a cell that would answer for two does so for the nearer."""
    kinds = objects.kinds.clamp(min=0)
    confidence = torch.take_along_dim(logits.sigmoid(), kinds[:, None], 2)
    overlaps, _ = box_overlaps(boxes[:, :, None], objects.boxes[:, None])
    away = (cells[None, :, None] - objects.boxes[:, None, :, :2]).abs() * 2
    inside = (away < objects.boxes[:, None, :, 2:]).all(-1) & objects.there[:, None]
    fit = (confidence ** _ALIGNED[0] * overlaps ** _ALIGNED[1] + _TINY) * inside
    best = fit.topk(min(most, fit.shape[1]), dim=1)
    chosen = torch.zeros_like(inside).scatter_(1, best.indices, best.values > 0)
    nearest = torch.where(chosen, overlaps, -torch.ones_like(overlaps)).max(-1)
    return torch.where(chosen.any(-1), nearest.indices, -torch.ones_like(nearest.indices))


_WIDTH: Final = 96
_AVERAGED_EVERY: Final = 4


@dataclass(frozen=True, slots=True)
class DetectorRecipe:
    """Scenes drawn once (seeds from ``seed`` times so many on), processes that draw them, minutes of training, steps at most,
    pictures a step, highest learning rate, cells of the encoder that answer for an object, device of torch; ``start`` is a
    folder with weights to go on from."""

    scenes: int = 300_000
    processes: int = 14
    minutes: float = 6.0
    steps: int = 1_000_000
    batch: int = 256
    rate: float = 1e-3
    cells: int = 5
    device: str = "cuda"
    seed: int = 0
    start: Path | None = None


def build() -> Any:
    """An untrained ``RTDetrV2ForObjectDetection`` with one class per kind."""
    stages = RTDetrResNetConfig(
        embedding_size=40, hidden_sizes=[40, 96, 128, 160], depths=[2, 2, 2, 1], layer_type="basic",
        out_features=["stage2", "stage3", "stage4"],
    )  # fmt: skip
    config = RTDetrV2Config(
        backbone_config=stages, freeze_backbone_batch_norms=False, encoder_in_channels=[96, 128, 160],
        encoder_hidden_dim=_WIDTH, encoder_ffn_dim=2 * _WIDTH, encoder_attention_heads=4, hidden_expansion=0.5,
        d_model=_WIDTH, decoder_in_channels=[_WIDTH] * 3, decoder_ffn_dim=2 * _WIDTH, decoder_attention_heads=6,
        decoder_layers=3, num_queries=40, num_denoising=24,
        id2label=dict(enumerate(NAMES)), **{PART_OF_COCO: True},
    )  # fmt: skip
    return RTDetrV2ForObjectDetection(config)


def rate_at(progress: float) -> float:
    """Of the highest rate: rises over the first 4 %, falls from 30 % on, to 1 %."""
    if progress < 0.04:
        return max(0.02, progress / 0.04)
    return 1.0 if progress < 0.3 else 0.01 + 0.99 * (1 + math.cos(math.pi * (progress - 0.3) / 0.7)) / 2


def train(recipe: DetectorRecipe, out: Path) -> None:
    """Train and write the weights of the moving average."""
    torch.manual_seed(recipe.seed)
    torch.set_float32_matmul_precision("high")
    with (
        RenderedScenes(recipe.scenes, recipe.seed * recipe.scenes, recipe.processes, recipe.device) as scenes,
        ThreadPoolExecutor(1) as ahead,
    ):
        model = build() if recipe.start is None else RTDetrV2ForObjectDetection.from_pretrained(recipe.start)
        model = model.float().to(recipe.device).train()
        averaged = averaged_model(model, 0.992)
        optimizer = torch.optim.AdamW(model.parameters(), lr=recipe.rate, weight_decay=1e-3)
        rng = np.random.default_rng(recipe.seed)
        following = ahead.submit(scenes.batch, recipe.batch, rng)
        started = time.monotonic()
        step, progress = 0, 0.0
        while progress < 1:
            for group in optimizer.param_groups:
                group["lr"] = recipe.rate * rate_at(progress)
            batch = changed(following.result())
            following = ahead.submit(scenes.batch, recipe.batch, rng)
            parts = detection_loss(model, batch.images, Objects.of(batch.kinds, batch.boxes), recipe.cells)
            optimizer.zero_grad()
            torch.stack(list(parts.values())).sum().backward()
            torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            step += 1
            if step % _AVERAGED_EVERY == 0:
                averaged.update_parameters(model)
            took = time.monotonic() - started
            progress = max(step / recipe.steps, took / 60 / recipe.minutes)
            if step % 100 == 0:
                shown = " ".join(f"{name} {part.item():.3f}" for name, part in parts.items())
                print(f"step {step} {took:.0f} s, {scenes.rendered} scenes: {shown}", flush=True)
    save(averaged.module, out)


def save(model: Any, out: Path) -> None:
    """Weights in half precision (batch norm's running statistics in full), and the configuration that rebuilds the model."""
    model.save_pretrained(out, state_dict=half_precision(model))


def main() -> None:
    """Command line."""
    train(*from_command_line(DetectorRecipe, "Train the playground's detector."))


if __name__ == "__main__":
    main()
