"""The detector's recipe: its pictures and losses are true, and what it writes opens as any detector of transformers."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

torch = pytest.importorskip("torch")
pytest.importorskip("transformers", reason="the group scorers is not installed")

from PIL import Image  # noqa: E402

from scorers.models.detectors import open_detector  # noqa: E402
from tools.playground.detector import (  # noqa: E402
    SIDE,
    DetectorRecipe,
    Objects,
    PictureBatch,
    RenderedScenes,
    aligned_cells,
    box_overlaps,
    centres,
    changed,
    hungarian,
    matched_loss,
    train,
)
from tools.playground.examples import NAMES, example  # noqa: E402


@pytest.fixture(scope="module")
def batch() -> PictureBatch:
    with RenderedScenes(12, 0, 2, "cpu") as scenes:
        while scenes.rendered < 12:
            pass
        return scenes.batch(40, np.random.default_rng(0))


def _assert_boxes_hold_their_objects(batch: PictureBatch) -> None:
    for owners, kinds, boxes in zip(batch.owners, batch.kinds, batch.boxes, strict=True):
        assert int(owners.max()) == int((kinds >= 0).sum())
        for k in range(int(owners.max())):
            rows, columns = np.nonzero((owners == k + 1).numpy())
            low, high = (columns.min(), rows.min()), (columns.max() + 1, rows.max() + 1)
            meant = [(low[0] + high[0]) / 2, (low[1] + high[1]) / 2, high[0] - low[0], high[1] - low[1]]
            assert boxes[k].tolist() == pytest.approx([one / SIDE for one in meant], abs=1e-6)


def test_scenes_are_those_of_their_seeds_with_true_boxes(batch: PictureBatch) -> None:
    known = {example("train", seed, SIDE).image.tobytes(): example("train", seed, SIDE).kinds for seed in range(12)}
    for image, kinds in zip(batch.images, batch.kinds, strict=True):
        pixels = (image.permute(1, 2, 0) * 255).round().to(torch.uint8).numpy()
        assert tuple(kinds[kinds >= 0].tolist()) == known[np.ascontiguousarray(pixels).tobytes()]
    _assert_boxes_hold_their_objects(batch)


def test_changes_keep_pictures_recognisable_and_boxes_true(batch: PictureBatch) -> None:
    torch.manual_seed(1)
    shown = changed(batch)
    _assert_boxes_hold_their_objects(shown)
    assert 0 <= float(shown.images.min()) <= float(shown.images.max()) <= 1
    mirrored = (shown.owners != batch.owners).flatten(1).any(1)
    straight = torch.where(mirrored[:, None, None, None], shown.images.flip(3), shown.images)
    assert 0.3 < float(mirrored.float().mean()) < 0.7
    assert 0.01 < float((straight - batch.images).abs().mean()) < 0.2


def test_each_object_gets_the_query_that_fits_it() -> None:
    objects = Objects(torch.tensor([[3, 5], [7, -1]]), torch.tensor([[[0.2, 0.2, 0.2, 0.2], [0.7, 0.7, 0.3, 0.3]]] * 2))
    boxes = torch.full((1, 2, 4, 4), 0.5)
    logits = torch.full((1, 2, 4, len(NAMES)), -4.0)
    for picture, query, number, kind in ((0, 2, 0, 3), (0, 1, 1, 5), (1, 3, 0, 7)):
        boxes[0, picture, query] = objects.boxes[picture, number]
        logits[0, picture, query, kind] = 4.0
    found = hungarian(logits, boxes, objects)
    assert found.tolist() == [[[2, 1], [3, 0]]]
    right = matched_loss(logits, boxes, objects, found, objects.count)
    swapped = matched_loss(logits, boxes, objects, torch.tensor([[[1, 2], [3, 0]]]), objects.count)
    sure = matched_loss(logits * 2, boxes, objects, found, objects.count)
    assert sure < right < 0.2 * swapped


def test_overlaps_of_boxes_are_shares_of_their_union() -> None:
    a, b = torch.tensor([0.5, 0.5, 0.2, 0.2]), torch.tensor([[0.5, 0.5, 0.2, 0.2], [0.6, 0.5, 0.2, 0.2], [0.9, 0.5, 0.2, 0.2]])
    overlap, generalised = box_overlaps(a, b)
    assert overlap.tolist() == pytest.approx([1, 1 / 3, 0], abs=1e-5)
    assert generalised.tolist() == pytest.approx([1, 1 / 3, -1 / 3], abs=1e-5)


def test_cells_answer_for_the_object_that_they_lie_in() -> None:
    objects = Objects(torch.tensor([[3, 5]]), torch.tensor([[[0.25, 0.25, 0.4, 0.4], [0.75, 0.75, 0.4, 0.4]]]))
    cells = centres((16, 8, 4), torch.zeros(1))
    boxes = torch.cat([cells, torch.full((len(cells), 2), 0.3)], 1)[None]
    owner = aligned_cells(torch.zeros(1, len(cells), len(NAMES)), boxes, objects, cells, 5)[0]
    for number in (0, 1):
        answering = cells[owner == number]
        assert len(answering) == 5
        assert ((answering - objects.boxes[0, number, :2]).abs() < 0.2).all()


def test_a_trained_folder_opens_as_a_detector(tmp_path: Path) -> None:
    train(DetectorRecipe(scenes=16, processes=1, steps=8, batch=4, device="cpu"), tmp_path)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["config.json", "model.safetensors"]
    assert (tmp_path / "model.safetensors").stat().st_size < 8e6
    detector = open_detector(str(tmp_path), SIDE, 0.0, 0.7, "cpu")
    assert detector.knows == frozenset(NAMES)
    (found,) = detector.detect([Image.fromarray(example("train", 3).image)], [()])
    assert found
    assert {one.label for one in found} <= set(NAMES)
