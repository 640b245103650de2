"""What the playground's detector is taught by: the losses of RT-DETR (Lv et al., 2024), with more than one answer for each
object where candidates are chosen.

Each layer of the decoder answers once for each object (Hungarian matching), and so do the denoising queries, which are told
roughly where one is. The encoder's cells, of which the likeliest become queries, answer several times for each object
(task-aligned assignment, Feng et al., 2021): a small model that starts from nothing learns slowly from one cell in hundreds.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import torch
from scipy.optimize import linear_sum_assignment
from torch.nn.functional import binary_cross_entropy_with_logits
from torchvision.ops import box_convert

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
