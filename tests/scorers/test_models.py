"""Detector and image-text model behind their interfaces, with random weights."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

torch = pytest.importorskip("torch")
pytest.importorskip("open_clip", reason="the group scorers is not installed")
pytest.importorskip("ultralytics", reason="the group yolo is not installed")

from scorers.models.clip import Clip  # noqa: E402
from scorers.models.detectors import Found, open_detector  # noqa: E402
from scorers.models.yolo import Yolo, load  # noqa: E402
from tests.scorers.making import ROOT, SIDE, picture, random_clip, random_yolo  # noqa: E402


@pytest.fixture(scope="module")
def yolo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return random_yolo(tmp_path_factory.mktemp("models") / "yolo")


@pytest.fixture(scope="module")
def clip(tmp_path_factory: pytest.TempPathFactory) -> Clip:
    return Clip(str(random_clip(tmp_path_factory.mktemp("models") / "clip")))


@pytest.fixture(scope="module")
def pictures() -> list[Image.Image]:
    return [picture(seed)[0] for seed in range(5)]


def told(found: Sequence[Found]) -> list[tuple[str, float, tuple[float, ...], int]]:
    return [(one.label, round(one.score, 3), one.box, 0 if one.mask is None else int(one.mask.sum())) for one in found]


def test_detections_are_ordered_and_have_masks_of_the_images_size(yolo: Path, pictures: list[Image.Image]) -> None:
    detector = open_detector(str(yolo), SIDE, 0.3, 0.7, "cpu")
    odd = pictures[1].resize((200, 90))
    found = detector.detect([*pictures, odd])
    assert len(found) == 6
    assert sum(map(len, found)) > 20
    for image, objects in zip([*pictures, odd], found, strict=True):
        assert [one.score for one in objects] == sorted((one.score for one in objects), reverse=True)
        for one in objects:
            assert 0.3 < one.score <= 1
            assert one.mask is not None
            assert one.mask.dtype == np.bool_
            assert one.mask.shape == (image.height, image.width)
            x0, y0, x1, y1 = one.box
            assert 0 <= x0 <= x1 <= image.width
            assert 0 <= y0 <= y1 <= image.height
            rows, columns = np.nonzero(one.mask)
            if len(rows):  # no mask reaches beyond its box
                assert columns.min() >= int(x0)
                assert columns.max() <= np.ceil(x1)


def test_the_others_in_a_batch_change_nothing(yolo: Path, pictures: list[Image.Image]) -> None:
    detector = Yolo(yolo, side=SIDE, keep=0.3)
    wide = pictures[1].resize((200, 90))
    together = detector.detect([wide, *pictures])[0]
    alone = detector.detect([wide])[0]
    also = detector.detect([wide, wide.copy()])[1]
    assert len(alone) > 0
    assert len(together) == len(alone) == len(also)
    for a, b in zip(together, alone, strict=True):
        assert a.score == pytest.approx(b.score, abs=1e-3)
        assert a.box == pytest.approx(b.box, abs=0.1)


def test_colours_are_not_swapped(yolo: Path, pictures: list[Image.Image]) -> None:
    array = np.array(pictures[3])
    both = np.stack([array, array[..., ::-1]])
    with torch.no_grad():
        right, swapped = load(yolo).model(torch.from_numpy(both).permute(0, 3, 1, 2) / 255)[0][0][:, 4:16].amax((1, 2))
    assert abs(float(right - swapped)) > 0.05
    assert Yolo(yolo, side=SIDE, keep=0.3).detect(pictures[3:4])[0][0].score == pytest.approx(float(right), abs=0.01)


def test_threads_are_left_as_they_were(yolo: Path, pictures: list[Image.Image]) -> None:
    before = torch.get_num_threads()
    try:
        for threads in (1, 2, 3):
            torch.set_num_threads(threads)
            Yolo(yolo, side=SIDE, keep=0.3).detect(pictures[:1])
            assert torch.get_num_threads() == threads
    finally:
        torch.set_num_threads(before)


def test_nothing_to_look_at_is_no_trouble(yolo: Path) -> None:
    assert Yolo(yolo, side=SIDE, keep=0.3).detect([]) == []


def test_folders_that_are_no_detector_are_refused(yolo: Path, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="there is no detector yolo11x"):
        open_detector("yolo11x", SIDE, 0.3, 0.7, "cpu")
    with pytest.raises(ValueError, match=r"must hold one file \*\.yaml, found 0"):
        open_detector(str(tmp_path), SIDE, 0.3, 0.7, "cpu")
    broken = tmp_path / "broken"
    shutil.copytree(yolo, broken)
    weights = next(broken.glob("*.safetensors"))
    weights.write_bytes(weights.read_bytes()[:1000])
    with pytest.raises(ValueError, match="does not fit") as caught:
        load(broken)
    assert "\n" not in str(caught.value)


def test_embeddings_have_length_one_and_do_not_depend_on_the_batch(clip: Clip, pictures: list[Image.Image]) -> None:
    many = clip.images(pictures * 30)  # more than one batch
    assert many.shape[0] == 150
    assert np.allclose(np.linalg.norm(many, axis=1), 1, atol=1e-5)
    assert np.allclose(many[:5], clip.images(pictures), atol=1e-4)
    assert not np.allclose(many[0], many[1], atol=1e-4)
    texts = clip.texts(["a photo of a red cup", "a photo of a blue cup"])
    assert texts.shape == (2, many.shape[1])
    assert np.allclose(np.linalg.norm(texts, axis=1), 1, atol=1e-5)
    assert clip.images([]).shape[0] == clip.texts([]).shape[0] == 0
    assert clip.scale > 1


def test_tokens_are_counted_beyond_what_is_read(clip: Clip) -> None:
    assert clip.context == 16
    assert clip.tokens("a photo of a red cup") == 8
    assert clip.tokens("a photo of a red cup " * 10) == 62
    cut, longer = clip.texts(["cup " * 20, "cup " * 15 + "banana " * 5])
    assert np.allclose(cut, longer, atol=1e-5)


def test_models_that_are_none_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="open_clip_config"):
        Clip(str(tmp_path))
    with pytest.raises(ValueError, match="there is no image-text model ViT-X/none"):
        Clip("ViT-X/none")
    # open_clip would run them with another activation, and only warn
    with pytest.raises(ValueError, match="need ViT-L-14-quickgelu/openai"):
        Clip("ViT-L-14/openai")


def test_the_temporary_folder_of_ultralytics_goes_with_the_process(tmp_path: Path) -> None:
    kept = {key: value for key, value in os.environ.items() if not key.startswith("YOLO")}
    found = subprocess.run(
        [sys.executable, "-c", "import os, scorers.models.quiet; print(os.environ['YOLO_CONFIG_DIR'])"],
        env={**kept, "TMPDIR": str(tmp_path), "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    made = Path(found.stdout.strip())
    assert made.parent == tmp_path, found.stderr
    assert not made.exists()
