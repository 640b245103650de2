"""Detector and image-text model behind their interfaces, with random weights."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

torch = pytest.importorskip("torch")
pytest.importorskip("open_clip", reason="the group scorers is not installed")
pytest.importorskip("scorers.models.detectors.yolo", reason="the group yolo is not installed")

from data.prompts.coco import COCO  # noqa: E402
from scorers.base import ModelBroken  # noqa: E402
from scorers.models import files, hub  # noqa: E402
from scorers.models.clip import Clip, _named  # noqa: E402
from scorers.models.detectors import open_detector  # noqa: E402
from scorers.models.detectors.base import DetectedObject  # noqa: E402
from scorers.models.detectors.yolo import Yolo, load  # noqa: E402
from scorers.models.pretrained import crop_long_image  # noqa: E402
from tests.scorers import published_models  # noqa: E402
from tests.scorers.tiny_models import ROOT, SIDE, picture, random_clip, random_yolo  # noqa: E402


@pytest.fixture(scope="module")
def yolo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return random_yolo(tmp_path_factory.mktemp("models") / "yolo")


@pytest.fixture(scope="module")
def clip(tmp_path_factory: pytest.TempPathFactory) -> Clip:
    return Clip(str(random_clip(tmp_path_factory.mktemp("models") / "clip")))


@pytest.fixture(scope="module")
def pictures() -> list[Image.Image]:
    return [picture(seed)[0] for seed in range(5)]


def comparable(objects: Sequence[DetectedObject]) -> list[tuple[str, float, tuple[float, ...], int]]:
    return [
        (
            detected_object.label,
            round(detected_object.score, 3),
            detected_object.box,
            0 if detected_object.mask is None else int(detected_object.mask.sum()),
        )
        for detected_object in objects
    ]


def test_detections_are_ordered_and_have_masks_of_the_images_size(yolo: Path, pictures: list[Image.Image]) -> None:
    detector = open_detector(str(yolo), SIDE, 0.3, 0.7, "cpu")
    odd = pictures[1].resize((200, 90))
    found = detector.detect([*pictures, odd], [()] * 6)
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
    with pytest.raises(ValueError, match="there is no detector ultra"):
        open_detector("ultra", SIDE, 0.3, 0.7, "cpu")
    with pytest.raises(OSError, match=r"there is no file yolo11x-none\.pt; fetch it from Ultralytics' releases into models/"):
        open_detector("yolo11x-none", SIDE, 0.3, 0.7, "cpu")
    with pytest.raises(ValueError, match=r"must hold one file \*\.yaml, found 0"):
        open_detector(str(tmp_path), SIDE, 0.3, 0.7, "cpu")
    broken = tmp_path / "broken"
    shutil.copytree(yolo, broken)
    weights = next(broken.glob("*.safetensors"))
    weights.write_bytes(weights.read_bytes()[:1000])
    with pytest.raises(ValueError, match="does not fit") as caught:
        load(broken)
    assert "\n" not in str(caught.value)


@pytest.fixture(autouse=True)
def trusting(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pickles are read here; that they are not unless somebody says so is tested in test_pickles.py."""
    monkeypatch.setenv(files.TRUST, "1")


@pytest.fixture(scope="module")
def checkpoint(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """As Ultralytics hands its models out: pickled whole, in half precision."""
    from ultralytics import YOLO

    path = tmp_path_factory.mktemp("models") / "yolo11n-seg.pt"
    torch.manual_seed(0)
    yolo = YOLO("yolo11n-seg.yaml", verbose=False)
    yolo.model.names = dict(enumerate(COCO))
    for branch in yolo.model.model[-1].cv3:
        torch.nn.init.constant_(branch[-1].bias, -1.0)
    yolo.ckpt = {}
    yolo.save(path)
    return path


def test_checkpoints_of_ultralytics_are_opened_by_path_or_name(
    checkpoint: Path, pictures: list[Image.Image], monkeypatch: pytest.MonkeyPatch
) -> None:
    detector = open_detector(str(checkpoint), 64, 0.1, 0.7, "cpu")
    assert detector.knows == frozenset(COCO)
    (objects,) = detector.detect(pictures[:1], [()])
    assert objects
    assert {detected_object.label for detected_object in objects} <= set(COCO)
    monkeypatch.setattr(hub, "CHECKPOINTS", checkpoint.parent)
    for name in ("yolo11n-seg", "yolo11n-seg.pt"):
        assert open_detector(name, 64, 0.1, 0.7, "cpu").knows == frozenset(COCO)
        assert files.fingerprint(name) == files.fingerprint(str(checkpoint)) != None  # noqa: E711
    with pytest.raises(ValueError, match=r"there is no file yolo12x-seg\.pt in \w+/"):
        files.fingerprint("yolo12x-seg")


def test_checkpoints_that_are_none_are_refused_and_run_nothing(checkpoint: Path, tmp_path: Path) -> None:
    import pickle

    class Harm:
        def __reduce__(self) -> tuple[Any, ...]:
            return Path.write_text, (tmp_path / "harm", "done")

    bad = tmp_path / "bad.pt"
    bad.write_bytes(pickle.dumps(Harm(), protocol=2))
    cut = tmp_path / "cut.pt"
    cut.write_bytes(checkpoint.read_bytes()[:5000])
    zipped = tmp_path / "zipped.pt"
    torch.save({"model": Harm()}, zipped)
    for path in (bad, cut, zipped):
        with pytest.raises(ValueError, match=f"{path.name} is not an Ultralytics checkpoint") as caught:
            load(path)
        assert "\n" not in str(caught.value)
    assert not (tmp_path / "harm").exists()


def test_a_checkpoint_with_other_labels_is_refused(tmp_path: Path) -> None:
    from ultralytics import YOLO

    for number, names in ((80, dict(enumerate((*COCO[:-1], "red panda")))), (79, dict(enumerate(COCO[:-1])))):
        yolo = YOLO("yolo11n-seg.yaml", verbose=False)
        yolo.model.names = names
        yolo.ckpt = {}
        yolo.save(tmp_path / f"{number}.pt")
    with pytest.raises(ValueError, match=r"80 classes, and 1 of COCO's 80 are not there just once: toothbrush"):
        load(tmp_path / "80.pt")
    with pytest.raises(ValueError, match=r"79\.pt names 79 classes, but its model has 80"):
        load(tmp_path / "79.pt")


def test_a_yolo_that_sees_nothing_is_found_out(yolo: Path, pictures: list[Image.Image]) -> None:
    for value, message in ((float("nan"), "gives no finite numbers"), (0.0, "gives the same numbers for different")):
        detector: Any = Yolo(yolo, side=SIDE, keep=0.3)
        with torch.no_grad():
            for parameter in detector._model.model.parameters():
                parameter.fill_(value)
        with pytest.raises(ModelBroken, match=message):
            detector.detect(pictures[:2])


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


@pytest.mark.parametrize(
    ("name", "needed"),
    [
        ("ViT-L-14/openai", "ViT-L-14-quickgelu/openai"),
        ("ViT-B-32/openai", "ViT-B-32-quickgelu/openai"),
        ("ViT-H-14/dfn5b", "ViT-H-14-quickgelu/dfn5b"),
        ("ViT-B-32/metaclip_400m", "ViT-B-32-quickgelu/metaclip_400m"),
    ],
)
def test_another_activation_than_the_weights_were_trained_with_is_refused(name: str, needed: str) -> None:
    """open_clip would run them, and only warn."""
    with pytest.raises(ValueError, match=f"need {needed}$"):
        Clip(name)


def test_the_papers_models_are_known_and_have_the_published_settings() -> None:
    """B/32, L/14 and EVA-02 of GenEval's Table 5, and the names that are refused if their activation is not the weights'."""
    import open_clip

    for name in ("ViT-B-32-quickgelu/openai", "ViT-L-14-quickgelu/openai", "ViT-H-14/laion2b_s32b_b79k",
                 "EVA02-E-14-plus/laion2b_s9b_b144k"):  # fmt: skip
        assert _named(name) == tuple(name.split("/"))
        settings = open_clip.get_pretrained_cfg(*name.split("/"))
        assert (settings["mean"], settings["std"]) == (open_clip.OPENAI_DATASET_MEAN, open_clip.OPENAI_DATASET_STD)
        assert (settings["interpolation"], settings["resize_mode"]) == ("bicubic", "shortest")
    for name in ("ViT-B-32-quickgelu", "ViT-L-14-quickgelu"):
        assert open_clip.get_model_config(name)["quick_gelu"]


def test_an_image_text_model_that_is_not_here_says_how_to_fetch_it(monkeypatch: pytest.MonkeyPatch) -> None:
    import open_clip.pretrained

    def missing(*_: object, **__: object) -> str:
        raise FileNotFoundError("Failed to download file")

    monkeypatch.setattr(open_clip.pretrained, "download_pretrained_from_hf", missing)
    with pytest.raises(OSError, match=r"fetch it once: uv run hf download timm/vit_base_patch32_clip_224\.openai$"):
        Clip("ViT-B-32-quickgelu/openai")


@pytest.fixture(scope="module")
def real(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """OpenAI's architecture and tokenizer, small."""
    return published_models.clip(tmp_path_factory.mktemp("models") / "real")


def test_crops_are_made_as_official(real: Path) -> None:
    """The short side to 32 (224 in the published models), bicubic, then the middle: long objects lose both ends."""
    from torchvision import transforms

    clip: Any = Clip(str(real))
    resize, crop = clip._transform.transforms[:2]
    assert isinstance(resize, transforms.Resize)
    assert isinstance(crop, transforms.CenterCrop)
    assert resize.interpolation == transforms.InterpolationMode.BICUBIC
    ends = Image.new("RGB", (96, 32), "blue")
    ends.paste("red", (32, 0, 64, 32))
    middle = clip._transform(ends)
    assert float((middle - clip._transform(Image.new("RGB", (32, 32), "red"))).abs().max()) < 1e-5
    assert clip.context == 77


def test_the_configuration_says_which_activation(real: Path, tmp_path: Path, pictures: list[Image.Image]) -> None:
    plain = Clip(str(published_models.clip(tmp_path / "plain", quick=False)))
    quick: Any = Clip(str(real))
    assert {type(module).__name__ for module in quick._model.modules()} & {"QuickGELU", "GELU"} == {"QuickGELU"}
    assert not np.allclose(plain.images(pictures), quick.images(pictures), atol=1e-4)


@pytest.mark.parametrize("change", ["less", "more"])
def test_an_image_text_model_has_all_its_weights_and_no_others(real: Path, tmp_path: Path, change: str) -> None:
    from safetensors.torch import load_file, save_file

    folder = tmp_path / "changed"
    shutil.copytree(real, folder)
    tensors = load_file(folder / "open_clip_model.safetensors")
    if change == "less":
        tensors.pop("visual.ln_post.weight")
    else:
        tensors["extra"] = torch.ones(1)
    save_file(tensors, folder / "open_clip_model.safetensors")
    with pytest.raises(ValueError, match="cannot be opened by open_clip") as caught:
        Clip(str(folder))
    assert "\n" not in str(caught.value)


def test_an_image_text_model_that_sees_nothing_is_found_out(real: Path, pictures: list[Image.Image]) -> None:
    for value, message in ((float("nan"), "gives no finite numbers"), (0.0, "gives the same number")):
        clip: Any = Clip(str(real))
        with torch.no_grad():
            for parameter in clip._model.visual.parameters():
                if not parameter.is_mkldnn:
                    parameter.fill_(value)
        with pytest.raises(ModelBroken, match=message):
            clip.images(pictures[:2])
        clip = Clip(str(real))
        with torch.no_grad():
            for parameter in (clip._model.token_embedding.weight, clip._model.text_projection):
                parameter.fill_(value)
        with pytest.raises(ModelBroken, match=message):
            clip.texts(["a photo of a red cup", "a photo of a blue cup"])


def test_strips_are_looked_at_in_their_middle(real: Path) -> None:
    clip = Clip(str(real))
    rng = np.random.default_rng(0)
    coarse = Image.fromarray(rng.integers(0, 256, (2, 100, 3), np.uint8))
    strip = coarse.resize((2000, 30), Image.Resampling.BICUBIC)
    whole: Any = clip._transform(strip)
    short: Any = clip._transform(crop_long_image(strip))
    assert crop_long_image(strip).size == (480, 30)
    # what torchvision makes of the whole strip, but for the rounding of where its middle lies
    assert float((whole - short).abs().mean()) < 0.15 * float(whole.std())
    assert clip.images([Image.new("RGB", (1, 20_000)), Image.new("RGB", (20_000, 1), "red")]).shape == (2, 16)
    assert crop_long_image(Image.new("RGB", (480, 30))).size == (480, 30)


def test_the_temporary_folder_of_ultralytics_goes_with_the_process(tmp_path: Path) -> None:
    remaining = {key: value for key, value in os.environ.items() if not key.startswith("YOLO")}
    process = subprocess.run(
        [sys.executable, "-c", "import os, scorers.models.detectors.yolo; print(os.environ['YOLO_CONFIG_DIR'])"],
        env={**remaining, "TMPDIR": str(tmp_path), "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        check=False,
    )
    made = Path(process.stdout.strip())
    assert made.parent == tmp_path, process.stderr
    assert not made.exists()
