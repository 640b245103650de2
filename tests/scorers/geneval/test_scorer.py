"""GenEval's perceiving, with models that see what a test tells them to, and with those of the playground."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image

from data.jobs.runs import Detection
from data.prompts.coco import GENEVAL
from data.prompts.geneval_suite import COLORS
from data.spec import parse_spec
from scorers import detection, registry
from scorers.base import Shown
from scorers.geneval.scorer import SCORER, TEMPLATES, GenEvalPerceiver
from scorers.models.detectors.base import DetectedObject
from tests.data.jobs.test_masks import unpacked
from tests.scorers.tiny_models import ROOT, picture

PAINT = {"red": (220, 30, 30), "blue": (30, 30, 220), "green": (30, 160, 30)}


class Detector:
    """Finds the given things in every image."""

    knows: frozenset[str] | None = None

    def __init__(self, *found: DetectedObject) -> None:
        self.found = list(found)
        self.asked: list[list[str]] = []
        self.calls = 0

    def detect(self, images: Sequence[Image.Image], names: Sequence[Sequence[str]]) -> list[list[DetectedObject]]:
        self.asked += map(list, names)
        self.calls += 1
        return [self.found for _ in images]


class Clip:
    """Knows the colour of a crop by its middle, and that of a text by its word; 10 dimensions."""

    scale = 5.0
    context = 16

    def __init__(self) -> None:
        self.batches: list[int] = []
        self.read: list[str] = []

    def images(self, images: Sequence[Image.Image]) -> NDArray[np.float32]:
        self.batches.append(len(images))
        out = np.zeros((len(images), 10), np.float32)
        for row, image in zip(out, images, strict=True):
            middle = image.getpixel((image.width // 2, image.height // 2))
            row[[COLORS.index(name) for name in PAINT if PAINT[name] == middle] or [9]] = 1
        return out

    def texts(self, texts: Sequence[str], at_once: int | None = None) -> NDArray[np.float32]:  # noqa: ARG002
        self.read += texts
        out = np.zeros((len(texts), 10), np.float32)
        for row, text in zip(out, texts, strict=True):
            row[[k for k, color in enumerate(COLORS) if f"a {color}" in text]] = 1
        return out


def perceiver(detector: Detector, clip: Clip) -> GenEvalPerceiver:
    return GenEvalPerceiver(detector, clip)  # type: ignore[arg-type]


def detected_object(label: str, score: float, box: tuple[float, float, float, float], side: int = 32) -> DetectedObject:
    mask = np.zeros((side, side), bool)
    mask[int(box[1]) : int(box[3]), int(box[0]) : int(box[2])] = True
    return DetectedObject(label, score, box, mask)


def scorer_input(metadata: dict[str, Any], item: str = "item") -> Shown:
    image = Image.new("RGB", (32, 32), PAINT["green"])
    image.paste(PAINT["red"], (0, 0, 16, 16))
    image.paste(PAINT["blue"], (16, 16, 32, 32))
    return Shown(item, image, "", parse_spec(metadata))


RED, BLUE = detected_object("cup", 0.9, (0, 0, 16, 16)), detected_object("cup", 0.2, (16, 16, 32, 32))
DOG = detected_object("dog", 0.8, (4, 4, 12, 12))
RED_CUP = {"tag": "colors", "include": [{"class": "cup", "count": 1, "color": "red"}]}


def test_all_that_was_found_stays_with_colours_where_they_are_asked() -> None:
    clip = Clip()
    (seen,) = perceiver(Detector(RED, DOG, BLUE), clip).perceive([scorer_input(RED_CUP)])
    assert seen.payload == {"width": 32, "height": 32, "crop": True, "background": "#999"}
    assert [(one.label, one.score, one.box) for one in seen.detections] == [
        ("cup", 0.9, (0, 0, 16, 16)), ("dog", 0.8, (4, 4, 12, 12)), ("cup", 0.2, (16, 16, 32, 32))
    ]  # fmt: skip
    assert [one.colors is None for one in seen.detections] == [False, True, False]
    assert [likeliest(one) for one in seen.detections if one.colors] == ["red", "blue"]
    for one, was in zip(seen.detections, (RED, DOG, BLUE), strict=True):
        assert one.mask is not None
        assert was.mask is not None
        assert np.array_equal(unpacked(one.mask), was.mask)


def likeliest(one: Detection) -> str:
    assert one.colors is not None
    assert sum(one.colors) == pytest.approx(1)
    return COLORS[int(np.argmax(one.colors))]


def test_probabilities_are_a_softmax_at_the_models_scale() -> None:
    # the shared template "a photo of a {color} object" and two others all hold the colour's word
    (seen,) = perceiver(Detector(RED), Clip()).perceive([scorer_input(RED_CUP)])
    colors = seen.detections[0].colors
    assert colors is not None
    assert colors[0] == pytest.approx(np.exp(5.0) / (np.exp(5.0) + 9))


def test_all_crops_of_a_batch_go_together_and_texts_are_read_once() -> None:
    clip = Clip()
    it = perceiver(Detector(RED, BLUE, DOG), clip)
    assert [observation.item_id for observation in it.perceive([scorer_input(RED_CUP, str(k)) for k in range(5)])] == list(
        "01234"
    )
    it.perceive([scorer_input(RED_CUP)])
    assert clip.batches == [10, 2]
    assert clip.read == [template.format(color=color, name="cup") for color in COLORS for template in TEMPLATES]
    assert TEMPLATES == ("a photo of a {color} {name}", "a photo of a {color}-colored {name}", "a photo of a {color} object")


def test_nothing_found_or_nothing_asked_is_no_trouble() -> None:
    clip = Clip()
    (seen,) = perceiver(Detector(), clip).perceive([scorer_input(RED_CUP)])
    assert seen.detections == ()
    (seen,) = perceiver(Detector(DOG), clip).perceive([scorer_input({"tag": "single_object", "include": [{"class": "dog"}]})])
    assert seen.detections[0].colors is None


def test_a_model_without_masks_or_numbers_is_no_trouble() -> None:
    bare = DetectedObject("cup", 0.9, (0.4, 0.4, 15.6, 15.6))
    (seen,) = perceiver(Detector(bare), Clip()).perceive([scorer_input(RED_CUP)])
    assert seen.detections[0].mask is None
    assert likeliest(seen.detections[0]) == "red"

    class Broken(Clip):
        def images(self, images: Sequence[Image.Image]) -> NDArray[np.float32]:
            return super().images(images) * np.float32("nan")

    (seen,) = perceiver(Detector(RED), Broken()).perceive([scorer_input(RED_CUP)])
    assert seen.detections[0].colors is None


def test_the_crop_is_asked_by_the_prompts_own_name() -> None:
    clip = Clip()
    requested = {"tag": "colors", "include": [{"class": "computer mouse", "count": 1, "color": "red"}]}
    perceiver(Detector(detected_object("mouse", 0.9, (0, 0, 16, 16))), clip).perceive([scorer_input(requested)])
    assert clip.read[0] == "a photo of a red computer mouse"


def test_detectors_are_told_what_is_asked() -> None:
    both = {"tag": "two_object", "include": [{"class": "cup", "count": 1}, {"class": "computer mouse", "count": 1}]}
    asking = Detector()
    perceiver(asking, Clip()).perceive([scorer_input(both), scorer_input({"tag": "", "include": []})])
    assert asking.asked == [["cup", "computer mouse"], []]
    every = Detector()
    GenEvalPerceiver(every, Clip(), {"vocabulary": "coco"}).perceive([scorer_input(both)])  # type: ignore[arg-type]
    assert every.asked == [list(GENEVAL)]


@pytest.mark.parametrize(
    ("settings", "size", "corner"),
    [
        ({}, (16, 16), PAINT["red"]),
        ({"crop": 0}, (32, 32), PAINT["red"]),
        ({"background": "original", "crop": 0}, (32, 32), PAINT["red"]),
    ],
)
def test_what_the_classifier_was_shown_is_said(
    settings: dict[str, Any], size: tuple[int, int], corner: tuple[int, int, int]
) -> None:
    class Looking(Clip):
        def images(self, images: Sequence[Image.Image]) -> NDArray[np.float32]:
            self.shown = list(images)
            return super().images(images)

    clip = Looking()
    (seen,) = GenEvalPerceiver(Detector(RED), clip, settings).perceive([scorer_input(RED_CUP)])  # type: ignore[arg-type]
    assert (seen.payload["crop"], seen.payload["background"]) == (
        settings.get("crop", 1) == 1,
        settings.get("background", "#999"),
    )
    (crop,) = clip.shown
    assert (crop.size, crop.getpixel((0, 0))) == (size, corner)
    if not settings.get("crop", 1):
        assert crop.getpixel((20, 20)) == (PAINT["blue"] if settings.get("background") else (153, 153, 153))


def test_images_that_are_too_large_fail_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(detection, "MAX_PIXELS", 32 * 32)
    monkeypatch.setattr(detection, "_PIXELS_AT_ONCE", 2 * 32 * 32)
    large = replace(scorer_input(RED_CUP, "large"), image=Image.new("RGB", (33, 32)))
    clip = Clip()
    asking = Detector(RED)
    batch = [scorer_input(RED_CUP, "a"), large, *(scorer_input(RED_CUP, name) for name in "bcd")]
    seen = GenEvalPerceiver(asking, clip).perceive(batch)  # type: ignore[arg-type]
    assert [observation.item_id for observation in seen] == ["a", "large", "b", "c", "d"]
    assert seen[1].failed == "33 x 32 pixels: a detector is given at most 0 megapixels; shrink it"
    assert [observation.detections[0].colors is not None for observation in seen if observation.failed is None] == [True] * 4
    # the detector's portions are as memory allows, the crops still go together
    assert (len(asking.asked), asking.calls, clip.batches) == (4, 2, [4])


def test_the_papers_profile_is_genevals() -> None:
    results = registry.settings(SCORER, "mask2former-meta")
    assert results.pop("weights") == {}
    assert results == {
        "detector": "facebook/mask2former-swin-small-coco-instance", "detector_side": 800, "detector_overlap": 0.7,
        "clip": "ViT-L-14-quickgelu/openai", "keep": 0.1, "threshold": 0.3, "counting_threshold": 0.9, "max_objects": 16,
        "max_overlap": 1.0, "position_threshold": 0.1, "rule": "official",
    }  # fmt: skip
    chosen = {"detector": "google/owlvit-base-patch32", "crop": "0", "background": "original", "vocabulary": "coco"}
    assert registry.settings(SCORER, "mask2former-meta", chosen) == {
        **results, "detector": "google/owlvit-base-patch32", "crop": 0, "background": "original", "vocabulary": "coco",
        "weights": {},
    }  # fmt: skip


@pytest.mark.parametrize(
    ("setting", "value", "message"),
    [
        ("crop", "2", "crop must be 0 or 1, got 2"),
        ("crop", "yes", "crop must be a whole number, got 'yes'"),
        ("background", "greyish", "background must be a colour"),
        ("vocabulary", "all", "vocabulary must be asked or coco, got 'all'"),
    ],
)
def test_senseless_options_are_refused(setting: str, value: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        registry.settings(SCORER, "mask2former-meta", {setting: value})


@pytest.mark.slow
@pytest.mark.skipif(not (ROOT / "assets/playground/yolo").is_dir(), reason="the playground's detector is not there")
def test_the_playgrounds_models_really_see() -> None:
    for package in ("torch", "open_clip", "ultralytics"):
        pytest.importorskip(package)
    settings = registry.settings(SCORER, "playground")
    it = SCORER.open(settings, "cpu")
    batch = []
    for seed in range(60):
        image, metadata = picture(seed + 50_000)
        batch.append(Shown(str(seed), image, metadata["prompt"], parse_spec(metadata)))
    verdicts = [SCORER.judge(one.spec, seen, settings) for one, seen in zip(batch, it.perceive(batch), strict=True)]
    right = [verdict.judgements[0].label == "yes" for verdict in verdicts]
    assert np.mean(right) > 0.75, [verdict.reason for verdict in verdicts]
    # the pictures of others do not show what is asked for here
    wrong = [SCORER.judge(one.spec, seen, settings) for one, seen in zip(batch, it.perceive(batch[::-1]), strict=True)]
    assert np.mean([verdict.judgements[0].label == "yes" for verdict in wrong]) < 0.25
