"""Pictures that the playground's detector learns from: rendered by processes of their own while it trains, and changed anew
each time that they are shown.

Changes never move an object: pictures are mirrored, softened, noisy, in other light, and all colours are turned, paled or
strengthened, of the whole picture or of each object for itself. A kind is known by its shape, in colours never seen on it, too.
"""

from __future__ import annotations

import math
import mmap
import multiprocessing
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import torch
from numpy.typing import NDArray
from torch.nn.functional import interpolate

from data.playground.drawing import MAX_OBJECTS
from scorers.training.examples import DetectionExample, example

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
