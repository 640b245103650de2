"""The published detectors' architectures behind one interface: small, random weights, saved and loaded as the real ones."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest
from PIL import Image

torch = pytest.importorskip("torch")
pytest.importorskip("transformers", reason="the group scorers is not installed")

from data.prompts.coco import COCO  # noqa: E402
from scorers.base import ModelBroken  # noqa: E402
from scorers.models.detectors import (  # noqa: E402
    open_detector,
    transformers_detectors,
)
from scorers.models.detectors.base import DetectedObject, Detector, confidence  # noqa: E402
from scorers.models.detectors.transformers_detectors import Detr, edges, objects  # noqa: E402
from scorers.models.pretrained import by_shape, load, tokenizer_of  # noqa: E402
from tests.scorers import published_models  # noqa: E402
from tests.scorers.tiny_models import picture  # noqa: E402

Tensor = Any  # a torch.Tensor, which mypy does not follow
MAKE: dict[str, Callable[[Path], Path]] = {
    "mask2former": published_models.mask2former,
    "owlvit": lambda folder: published_models.owl(folder, 1),
    "owlv2": lambda folder: published_models.owl(folder, 2),
    "detr": published_models.detr,
    "detr-timm": lambda folder: published_models.detr(folder, timm=True),
    "rt-detr": lambda folder: published_models.rt_detr(folder, 1),
    "rt-detr-v2": lambda folder: published_models.rt_detr(folder, 2),
    "d-fine": published_models.d_fine,
    "grounding-dino": published_models.grounding_dino,
}
CLOSED = ("mask2former", "detr", "detr-timm", "rt-detr", "rt-detr-v2", "d-fine")
ASKED = ("bus", "teddy bear", "computer mouse")


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    root = tmp_path_factory.mktemp("models")
    return {name: make(root / name) for name, make in MAKE.items()}


@pytest.fixture(scope="module")
def pictures() -> list[Image.Image]:
    """Two of one size, and one each that is wider, higher and smaller."""
    sizes = [(90, 90), (90, 90), (120, 50), (41, 100), (20, 20)]
    return [picture(seed)[0].resize(size) for seed, size in enumerate(sizes)]


def opened(folder: Path, keep: float = 0.1) -> Detector:
    return open_detector(str(folder), 96, keep, 0.7, "cpu")


def comparable(found: Sequence[DetectedObject]) -> list[tuple[str, float, tuple[float, ...], int]]:
    return [
        (
            detected_object.label,
            detected_object.score,
            detected_object.box,
            -1 if detected_object.mask is None else int(detected_object.mask.sum()),
        )
        for detected_object in found
    ]


@pytest.mark.parametrize("name", MAKE)
def test_every_family_says_what_it_found_in_the_same_way(
    name: str, folders: dict[str, Path], pictures: list[Image.Image]
) -> None:
    detector = opened(folders[name])
    found = detector.detect(pictures, [ASKED] * 5)
    assert all(found)
    assert detector.knows == (frozenset(COCO) if name in CLOSED else None)
    names = set(COCO) if name in CLOSED else {"bus", "teddy bear", "mouse"}
    for image, listed in zip(pictures, found, strict=True):
        assert [detected_object.score for detected_object in listed] == sorted(
            (detected_object.score for detected_object in listed), reverse=True
        )
        for detected_object in listed:
            assert detected_object.label in names
            assert 0.1 < detected_object.score <= 1
            assert detected_object.score == confidence(detected_object.score)
            assert all(isinstance(edge, float) for edge in detected_object.box)
            if name == "mask2former":
                assert detected_object.mask is not None
                assert detected_object.mask.shape == (image.height, image.width)
                rows, columns = np.nonzero(detected_object.mask)
                assert detected_object.box == (columns.min(), rows.min(), columns.max() + 1, rows.max() + 1)
            else:
                assert detected_object.mask is None
    assert detector.detect([], []) == []


@pytest.mark.parametrize("name", MAKE)
def test_the_others_in_a_batch_change_nothing(name: str, folders: dict[str, Path], pictures: list[Image.Image]) -> None:
    detector = opened(folders[name])
    # each is asked for another thing, and other numbers of things
    names = [ASKED[: 1 + k % 3] for k in range(5)]
    together = detector.detect(pictures, names)
    for image, asked, listed in zip(pictures, names, together, strict=True):
        (alone,) = detector.detect([image], [asked])
        assert len(alone) == len(listed)
        for a, b in zip(sorted(comparable(alone)), sorted(comparable(listed)), strict=True):
            assert a[0] == b[0]
            assert a[1] == pytest.approx(b[1], abs=1e-3)
            assert a[2] == pytest.approx(b[2], abs=1.0)


@pytest.mark.parametrize("name", ["owlvit", "owlv2", "grounding-dino"])
def test_what_is_not_asked_is_not_found(name: str, folders: dict[str, Path], pictures: list[Image.Image]) -> None:
    found = opened(folders[name]).detect(pictures[:3], [("tv remote",), (), ("dog", "A red panda")])
    assert {detected_object.label for detected_object in found[0]} == {"remote"}
    assert found[1] == []
    assert {detected_object.label for detected_object in found[2]} <= {"dog", "A red panda"}
    assert found[2]


# ---- each family's numbers, against the published code or a restatement


def pixels_of(detector: Any, image: Image.Image) -> Tensor:
    return detector._process(images=image, return_tensors="pt")["pixel_values"]


@pytest.mark.parametrize("version", [1, 2])
def test_owls_are_the_models_own_forward_and_post_processing(
    version: int, folders: dict[str, Path], pictures: list[Image.Image]
) -> None:
    folder = folders["owlvit" if version == 1 else "owlv2"]
    detector: Any = opened(folder)
    image = pictures[2]  # wider than high
    texts = [f"a photo of a {name}" for name in ASKED]
    read = tokenizer_of(str(folder))(texts, padding="max_length", max_length=32, truncation=True, return_tensors="pt")
    with torch.no_grad():
        out = detector._model(**read, pixel_values=pixels_of(detector, image))
    theirs = detector._process.post_process_object_detection(out, threshold=0.1, target_sizes=[image.size[::-1]])[0]
    (ours,) = detector.detect([image], [ASKED])
    assert len(ours) == len(theirs["scores"]) > 3
    order = torch.sort(theirs["scores"], descending=True, stable=True).indices
    for our, k in zip(ours, order.tolist(), strict=True):
        assert our.score == pytest.approx(float(theirs["scores"][k]), abs=1e-5)
        assert our.label == ("bus", "teddy bear", "mouse")[int(theirs["labels"][k])]
        box = theirs["boxes"][k].numpy()
        if version == 2:
            box = np.clip(box, 0, [120, 50, 120, 50])
        assert our.box == pytest.approx(tuple(box), abs=0.01)


@pytest.mark.parametrize("name", MAKE)
@pytest.mark.parametrize("size", [(30, 2000), (2000, 30), (1, 1), (1, 3000), (3000, 1)])
def test_odd_sizes_are_seen(name: str, size: tuple[int, int], folders: dict[str, Path]) -> None:
    image = picture(3)[0].resize(size)
    (found,) = opened(folders[name], keep=0.0).detect([image], [ASKED])
    assert found or name == "mask2former"  # whose masks may all be empty
    for detected_object in found:
        assert all(np.isfinite(detected_object.box))
        assert detected_object.mask is None or detected_object.mask.shape == size[::-1]


def test_owlv2_sees_strips_of_any_length(folders: dict[str, Path]) -> None:
    strip = Image.new("RGB", (20_000, 3), "red")
    (found,) = opened(folders["owlv2"], keep=0.0).detect([strip], [("bus",)])
    assert found
    assert all(
        0 <= detected_object.box[0] <= detected_object.box[2] <= 20_000
        and 0 <= detected_object.box[1] <= detected_object.box[3] <= 3
        for detected_object in found
    )


def test_detr_is_the_published_post_processing(folders: dict[str, Path], pictures: list[Image.Image]) -> None:
    detector: Any = opened(folders["detr"], keep=0.3)
    image = pictures[3]
    with torch.no_grad():
        out = detector._model(pixel_values=pixels_of(detector, image))
    theirs = detector._process.post_process_object_detection(out, threshold=0.3, target_sizes=[image.size[::-1]])[0]
    named = [
        (published_models.NAMES_91[int(label)], float(score), box.tolist())
        for label, score, box in zip(theirs["labels"], theirs["scores"], theirs["boxes"], strict=True)
        if published_models.NAMES_91[int(label)] != "N/A"
    ]
    (ours,) = detector.detect([image], [()])
    assert len(ours) == len(named) > 3
    for our, (label, score, box) in zip(ours, sorted(named, key=lambda one: -one[1]), strict=True):
        assert (our.label, our.score) == (label, pytest.approx(score, abs=1e-6))
        assert our.box == pytest.approx(box, abs=0.01)


@pytest.mark.parametrize("name", ["rt-detr", "rt-detr-v2", "d-fine"])
def test_rt_detr_is_the_published_post_processing(name: str, folders: dict[str, Path], pictures: list[Image.Image]) -> None:
    detector: Any = opened(folders[name], keep=0.3)
    image = pictures[3]
    with torch.no_grad():
        out = detector._model(**detector._process(images=image, return_tensors="pt"))
    theirs = detector._process.post_process_object_detection(out, threshold=0.3, target_sizes=[image.size[::-1]])[0]
    (ours,) = detector.detect([image], [()])
    assert len(ours) == len(theirs["scores"]) > 3
    for our, label, score, box in zip(ours, theirs["labels"], theirs["scores"], theirs["boxes"], strict=True):
        assert (our.label, our.score) == (COCO[int(label)], pytest.approx(float(score), abs=1e-6))
        assert our.box == pytest.approx(box.tolist(), abs=0.01)


def test_detrs_numbers_by_hand() -> None:
    labels = ("cat", None, "dog")
    logits = torch.log(torch.tensor([[0.3, 0.1, 0.5, 0.1], [0.1, 0.7, 0.1, 0.1], [0.5, 0.2, 0.2, 0.1], [0.1, 0.1, 0.1, 0.7]]))
    boxes = torch.tensor([[0.5, 0.5, 0.2, 0.4], [0.5, 0.5, 1, 1], [0.25, 0.5, 0.5, 1.0], [0.5, 0.5, 1, 1]])
    found = objects(logits, boxes, labels, (200, 100), 0.1)
    # equal ones in the order of queries; the third class of nothing, and the strictly lower ones, are left out
    assert [(detected_object.label, detected_object.box, detected_object.mask) for detected_object in found] == [
        ("dog", (80.0, 30.0, 120.0, 70.0), None),
        ("cat", (0.0, 0.0, 100.0, 100.0), None),
    ]
    assert [detected_object.score for detected_object in found] == pytest.approx([0.5, 0.5])
    assert objects(logits, boxes, labels, (200, 100), 0.5) == []


def test_grounding_dino_gives_each_box_the_name_of_its_likeliest_token(
    folders: dict[str, Path], pictures: list[Image.Image]
) -> None:
    folder = folders["grounding-dino"]
    detector: Any = opened(folder, keep=0.0)
    tokenizer = tokenizer_of(str(folder))
    ids = tokenizer("bus. teddy bear. computer mouse.", return_tensors="pt")
    assert tokenizer.convert_ids_to_tokens(ids["input_ids"][0]) == [
        "[CLS]", "bus", ".", "teddy", "bear", ".", "computer", "mouse", ".", "[SEP]"
    ]  # fmt: skip
    with torch.no_grad():
        out = detector._model(pixel_values=pixels_of(detector, pictures[2]), **ids)
    probabilities = out.logits[0].sigmoid().numpy()
    expected = []
    for query, box in zip(probabilities, out.pred_boxes[0].numpy(), strict=True):
        best = {"bus": query[1], "teddy bear": max(query[3], query[4]), "mouse": max(query[6], query[7])}
        label = max(best, key=lambda name: best[name])
        x, y, w, h = box * [120, 50, 120, 50]
        expected.append((label, float(best[label]), (x - w / 2, y - h / 2, x + w / 2, y + h / 2)))
    expected.sort(key=lambda one: -round(one[1], 7))
    (ours,) = detector.detect([pictures[2]], [ASKED])
    assert len(ours) == len(expected) == 20
    for our, (label, score, box) in zip(ours, expected, strict=True):
        assert (our.label, our.score) == (label, pytest.approx(score, abs=1e-5))
        assert our.box == pytest.approx(box, abs=0.01)


def test_more_names_than_one_text_holds_make_several(folders: dict[str, Path], pictures: list[Image.Image]) -> None:
    tokenizer = tokenizer_of(str(folders["grounding-dino"]))
    queries = list(transformers_detectors.text_queries(tokenizer, [*COCO, "Cat.", "cat", "?.", ""], 32))
    assert sum((query.names for query in queries), ()) == (*COCO, "Cat.")
    for query in queries:
        assert len(query.ids) <= 32
        assert (query.ids[0], query.ids[-1]) == (101, 102)
        for name, (first, end) in zip(query.names, query.spans, strict=True):
            assert tokenizer.decode(list(query.ids[first:end])) == name.lower().rstrip(".")
            assert query.ids[end] == 1012
    assert len(queries) > 5
    (found,) = opened(folders["grounding-dino"], keep=0.0).detect(pictures[:1], [COCO])
    assert len(found) == 20 * len(list(transformers_detectors.text_queries(tokenizer, COCO, 32)))
    assert [detected_object.score for detected_object in found] == sorted(
        (detected_object.score for detected_object in found), reverse=True
    )
    long = "cat " * 100
    assert max(len(query.ids) for query in transformers_detectors.text_queries(tokenizer, [long], 32)) == 32


def test_processors_have_the_published_settings() -> None:
    from transformers import DetrImageProcessor, GroundingDinoImageProcessor, Owlv2Config, OwlViTConfig
    from transformers.image_utils import IMAGENET_DEFAULT_MEAN, IMAGENET_DEFAULT_STD, OPENAI_CLIP_MEAN, OPENAI_CLIP_STD

    assert edges(800) == {"shortest_edge": 800, "longest_edge": 1333}
    for kind in (DetrImageProcessor, GroundingDinoImageProcessor):
        made = kind(size=edges(800))
        assert dict(made.size) == dict(kind().size) == edges(800)
        assert list(made.image_mean) == IMAGENET_DEFAULT_MEAN == [0.485, 0.456, 0.406]
        assert list(made.image_std) == IMAGENET_DEFAULT_STD == [0.229, 0.224, 0.225]
        assert made.resample == Image.Resampling.BILINEAR
    first = transformers_detectors.processor(OwlViTConfig())
    second = transformers_detectors.processor(Owlv2Config(vision_config={"image_size": 960}))
    for made, side, resample in ((first, 768, Image.Resampling.BICUBIC), (second, 960, Image.Resampling.BILINEAR)):
        assert dict(made.size) == {"height": side, "width": side}
        assert (list(made.image_mean), list(made.image_std)) == (OPENAI_CLIP_MEAN, OPENAI_CLIP_STD)
        assert made.resample == resample
        assert made.do_resize
        assert made.do_rescale
        assert made.do_normalize
        assert made.rescale_factor == 1 / 255
        assert not made.do_center_crop
    # OWLv2: bottom and right of the image are black before the normalisation (transformers pull request 41938)
    padded = second(images=Image.new("RGB", (8, 4), "white"), return_tensors="pt")["pixel_values"][0]
    assert padded[0, -1, 0] == pytest.approx(-OPENAI_CLIP_MEAN[0] / OPENAI_CLIP_STD[0], abs=1e-5)
    assert padded[0, 0, 0] == pytest.approx((1 - OPENAI_CLIP_MEAN[0]) / OPENAI_CLIP_STD[0], abs=1e-5)
    assert transformers_detectors.TEMPLATE.format(name="airplane") == "a photo of a airplane"


# ---- what is refused


def changed(folder: Path, to: Path, change: Callable[[dict[str, Tensor]], None]) -> Path:
    from safetensors.torch import load_file, save_file

    shutil.copytree(folder, to)
    tensors = load_file(to / "model.safetensors")
    change(tensors)
    save_file(tensors, to / "model.safetensors", {"format": "pt"})
    return to


@pytest.mark.parametrize("name", MAKE)
def test_weights_that_are_missing_too_many_or_of_another_shape_are_refused(
    name: str, folders: dict[str, Path], tmp_path: Path
) -> None:
    def less(tensors: dict[str, Tensor]) -> None:
        tensors.pop(learned(tensors))

    def learned(tensors: dict[str, Tensor]) -> str:
        return next(key for key in sorted(tensors) if key.endswith("weight") and "layernorm" in key.lower().replace("_", ""))

    def check(folder: Path, message: str) -> None:
        with pytest.raises(ValueError, match=message) as caught:
            opened(folder)
        assert "\n" not in str(caught.value)
        assert len(str(caught.value)) < 500

    check(changed(folders[name], tmp_path / "less", less), r"are not those of a .*: 1 missing \(")
    more = changed(folders[name], tmp_path / "more", lambda t: t.update({"head.extra.weight": torch.ones(2)}))
    check(more, r"1 unexpected \(head\.extra\.weight\)")
    check(changed(folders[name], tmp_path / "other", lambda t: t.update({learned(t): torch.ones(3)})), r"1 of another shape \(")
    harmless = {"some.bn.num_batches_tracked": torch.ones(1), "text_model.embeddings.position_ids": torch.ones(1)}
    assert opened(changed(folders[name], tmp_path / "old", lambda t: t.update(harmless)))


def test_files_that_are_damaged_or_not_there_are_told_in_one_line(folders: dict[str, Path], tmp_path: Path) -> None:
    def told(name: str | Path, kind: type[Exception]) -> str:
        with pytest.raises(kind) as caught:
            opened(Path(name)) if isinstance(name, Path) else open_detector(name, 64, 0.1, 0.7, "cpu")
        assert "\n" not in str(caught.value)
        return str(caught.value)

    cut = tmp_path / "cut"
    shutil.copytree(folders["detr"], cut)
    (cut / "model.safetensors").write_bytes((cut / "model.safetensors").read_bytes()[:1000])
    assert "cannot be opened by transformers" in told(cut, ValueError)
    (cut / "model.safetensors").unlink()
    assert "cannot be opened by transformers" in told(cut, ValueError)
    (cut / "config.json").write_text("{")
    assert "cannot be opened by transformers" in told(cut, ValueError)
    (cut / "config.json").write_text(json.dumps({"model_type": "bert"}))
    assert (
        "is a model of type bert; known: d_fine, detr, grounding-dino, mask2former, owlv2, owlvit, rt_detr, rt_detr_v2 and YOLO"
        in told(cut, ValueError)
    )
    hub = told("facebook/detr-resnet-50-not-here", OSError)
    assert hub == (
        "the model facebook/detr-resnet-50-not-here is not on this machine;"
        " fetch it once: uv run hf download facebook/detr-resnet-50-not-here"
    )
    assert "there is no detector detr" in told("detr", ValueError)


@pytest.mark.parametrize(
    ("make", "names"),
    [
        (published_models.mask2former, dict(enumerate(COCO[:79]))),
        (published_models.detr, {0: "N/A", **dict(enumerate(COCO[:-1], 1))}),
    ],
)
def test_a_wrong_number_of_labels_is_refused(make: Any, names: dict[int, str], tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=r"classes, and 1 of COCO's 80 are not there just once: toothbrush"):
        opened(make(tmp_path / "model", names))


@pytest.mark.parametrize("name", MAKE)
def test_models_that_see_nothing_are_found_out(name: str, folders: dict[str, Path], pictures: list[Image.Image]) -> None:
    def broken(change: Callable[[Tensor], Any]) -> Detector:
        detector: Any = opened(folders[name])
        with torch.no_grad():
            for parameter in detector._model.parameters():
                # packed weights (``scorers.models.pretrained``) cannot be written to
                if not parameter.is_mkldnn:
                    change(parameter)
        return cast(Detector, detector)

    with pytest.raises(ModelBroken, match="gives no finite numbers"):
        broken(lambda parameter: parameter.fill_(float("nan"))).detect(pictures[:2], [ASKED] * 2)
    with pytest.raises(ModelBroken, match=r"gives the same number|gives no finite numbers"):
        broken(lambda parameter: parameter.zero_()).detect(pictures[:2], [ASKED] * 2)


def test_eyes_that_are_closed_are_found_out(folders: dict[str, Path], pictures: list[Image.Image]) -> None:
    """As on a GPU that the kernels were not built for: features that are none of the picture's, and plausible numbers."""
    detector: Any = Detr(str(folders["detr"]), side=64, keep=0.1)
    noise = torch.randn(100_000)
    detector._model.model.input_projection.register_forward_hook(
        lambda *told: noise[: told[2][0].numel()].reshape(told[2][0].shape).expand_as(told[2])
    )
    with pytest.raises(ModelBroken, match="the same numbers for different pictures"):
        detector.detect(pictures[:2], [(), ()])


def test_full_precision_whatever_the_file_has(folders: dict[str, Path], tmp_path: Path) -> None:
    from transformers import DetrForObjectDetection

    def halve(tensors: dict[str, Tensor]) -> None:
        tensors.update({key: value.half() for key, value in tensors.items() if value.is_floating_point()})

    half = changed(folders["detr"], tmp_path / "half", halve)
    model = load(DetrForObjectDetection, str(half), "cpu")
    assert {parameter.dtype for parameter in model.parameters()} == {torch.float32}
    assert not model.training


def test_shapes_go_together_in_order() -> None:
    shapes = [(1, 2), (3, 3), (1, 2), (1, 2), (3, 3)]
    assert list(by_shape([torch.zeros(shape) for shape in shapes], 2)) == [[0, 2], [3], [1, 4]]
