"""What makes a run fast changes nothing: whatever the size of its parts, the order of its images and the number of decoders."""

from __future__ import annotations

import gc
import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

torch = pytest.importorskip("torch")
pytest.importorskip("transformers", reason="the group scorers is not installed")
pytest.importorskip("open_clip", reason="the group scorers is not installed")

from data.jobs.runs import Observation, Run, RunFolder, WorkItem  # noqa: E402
from scorers import registry  # noqa: E402
from scorers.running import worker  # noqa: E402
from tests.scorers import published_models  # noqa: E402
from tests.scorers.tiny_models import picture, random_yolo  # noqa: E402

SIZES = [(128, 128), (96, 128), (128, 96), (200, 100), (128, 128), (30, 300), (100, 100)]
KINDS = ["mask2former", "detr", "owlvit", "grounding-dino", "yolo"]


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    pytest.importorskip("scorers.models.detectors.yolo", reason="the group yolo is not installed")
    folder = tmp_path_factory.mktemp("models")
    made = {
        "mask2former": published_models.mask2former(folder / "mask2former"),
        "detr": published_models.detr(folder / "detr"),
        "owlvit": published_models.owl(folder / "owl", 1),
        "grounding-dino": published_models.grounding_dino(folder / "dino"),
        "yolo": random_yolo(folder / "yolo"),
        "clip": published_models.clip(folder / "clip"),
    }
    return {name: str(path) for name, path in made.items()}


def work_of_several_shapes(folder: Path, n: int) -> list[WorkItem]:
    """Pictures of several shapes, one of them damaged, with prompts that ask for colours."""
    folder.mkdir(parents=True, exist_ok=True)
    made = []
    for k in range(n):
        path = folder / f"{k}.png"
        picture(k)[0].resize(SIZES[k % len(SIZES)]).save(path)
        names = ["person", "dog", "cup", "bicycle", "car", "umbrella"]
        include = [{"class": name, "count": 1, "color": "red"} for name in (names[k % 6], names[(k + 1) % 6])]
        made.append(WorkItem(f"i{k}", str(path), "", "two things", {"tag": "color_attr", "include": include}))
    Path(made[2].path).write_bytes(b"\x89PNG but not really")
    return made


def run(
    folder: Path, settings: dict[str, Any], work: Sequence[WorkItem], part_size: int, threads: int
) -> dict[str, Observation]:
    made = RunFolder(folder)
    made.create(
        Run("r", "geneval", registry.get("geneval").version, "mask2former-meta", settings, part_size=part_size, force=True),
        work,
    )
    assert worker.work_through(made, threads=threads)
    return {observation.item_id: observation for observation in made.observations()}


@pytest.mark.parametrize("kind", KINDS)
def test_parts_order_and_decoders_change_nothing(kind: str, models: dict[str, str], tmp_path: Path) -> None:
    overrides = {"detector": models[kind], "clip": models["clip"], "detector_side": "96", "keep": "0.02", "vocabulary": "coco"}
    settings = registry.settings(registry.get("geneval"), "mask2former-meta", overrides)
    work = work_of_several_shapes(tmp_path / "images", 9)
    first = run(tmp_path / "first", settings, work, 32, 1)
    assert [name for name, observation in first.items() if observation.failed] == ["i2"]
    assert sum(len(observation.detections) for observation in first.values()) > 20
    shuffled = work[:]
    random.Random(1).shuffle(shuffled)
    for part_size, threads, order in ((1, 1, work), (4, 3, shuffled), (32, 7, work[::-1])):
        assert run(tmp_path / f"{part_size}", settings, order, part_size, threads) == first


def test_colours_are_among_what_is_equal(models: dict[str, str], tmp_path: Path) -> None:
    overrides = {"detector": models["mask2former"], "clip": models["clip"], "detector_side": "96", "keep": "0.02"}
    settings = registry.settings(registry.get("geneval"), "mask2former-meta", overrides)
    seen = run(tmp_path / "run", settings, work_of_several_shapes(tmp_path / "images", 9), 4, 2)
    # the very classes that the random model sees
    labels = [detection.label for observation in seen.values() for detection in observation.detections]
    common = max(set(labels), key=labels.count)
    spec = {"tag": "colors", "include": [{"class": common, "count": 1, "color": "red"}]}
    work = [WorkItem(item.item_id, item.path, "", "", spec) for item in work_of_several_shapes(tmp_path / "images", 9)]
    records = [run(tmp_path / f"{size}", settings, work, size, 2) for size in (1, 3, 9)]
    assert records[0] == records[1] == records[2]
    assert sum(detection.colors is not None for seen_ in records[0].values() for detection in seen_.detections) > 3


def test_nothing_of_a_part_is_kept(models: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither pictures nor tensors of earlier parts stay alive, but for those of the part in work."""
    overrides = {"detector": models["mask2former"], "clip": models["clip"], "detector_side": "64"}
    settings = registry.settings(registry.get("geneval"), "mask2former-meta", overrides)
    work = [item for item in work_of_several_shapes(tmp_path / "images", 3) if item.item_id != "i2"]
    monkeypatch.setattr("scorers.running.engines.device_worker.PIXELS_AHEAD", 0)
    alive: list[tuple[int, int]] = []

    def count() -> bool:
        gc.collect()
        things = gc.get_objects()
        alive.append(
            (sum(type(thing) is torch.Tensor for thing in things), sum(type(thing) is Image.Image for thing in things))
        )
        return False

    made = RunFolder(tmp_path / "run")
    many = [WorkItem(f"{k}-{item.item_id}", item.path, "", "", item.spec) for k in range(6) for item in work]
    made.create(
        Run("r", "geneval", registry.get("geneval").version, "mask2former-meta", settings, part_size=2, force=True), many
    )
    # what was alive before is left out of the count, and of its time
    gc.freeze()
    try:
        assert worker.work_through(made, count, threads=1)
    finally:
        gc.unfreeze()
    assert len(alive) == 6
    # the first parts warm up: two pictures are kept until a model was seen to tell them apart
    tensors, pictures = zip(*alive[2:], strict=True)
    assert len(set(tensors)) == 1, alive
    # a decoder may hold the picture that it reads: never more than one part's pictures, after six parts
    assert max(pictures) <= 2, alive
