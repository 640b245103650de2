"""Known photographs: what a model says of them is compared with what they show."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib.util import find_spec
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image

from scorers.models import sanity_check, vqa
from scorers.models.detectors.base import DetectedObject
from scorers.models.sanity_check import DetectorCheck
from scorers.models.vqa import VqaAnswer, VqaQuestion

INSTALLED = sanity_check.photographs
PHOTOS = {"bus.jpg": Image.new("RGB", (81, 108)), "zidane.jpg": Image.new("RGB", (128, 72))}


class Detector:
    """Finds one thing of each name, as sure as told."""

    def __init__(self, score: float, *names: str, knows: frozenset[str] | None = None) -> None:
        self.score, self.names, self.knows = score, names, knows
        self.asked: list[list[str]] = []

    def detect(self, images: Sequence[Image.Image], names: Sequence[Sequence[str]]) -> list[list[DetectedObject]]:
        assert [image.size for image in images] == [photo.size for photo in PHOTOS.values()]
        self.asked += map(list, names)
        return [[DetectedObject(name, self.score, (0, 0, 1, 1)) for name in self.names] for _ in images]


@pytest.fixture(autouse=True)
def photos(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sanity_check, "photographs", lambda: dict(PHOTOS))


def test_what_is_found_is_not_spoken_of() -> None:
    detector = Detector(0.31, "person", "bus")
    assert sanity_check.check_detector(detector, 0.3) == DetectorCheck()
    assert detector.asked == [["bus", "person"], ["person"]]


def test_what_is_not_found_is_told_of_each_photograph() -> None:
    said = "with confidence above 0.3: its weights may be wrong, or broken on this device"
    assert sanity_check.check_detector(Detector(0.9, "person"), 0.3).failures == (
        f"on a known photograph (bus.jpg) the detector finds no bus {said}",
    )
    assert sanity_check.check_detector(Detector(0.3, "person", "bus"), 0.3).failures == (
        f"on a known photograph (bus.jpg) the detector finds no bus and no person {said}",
        f"on a known photograph (zidane.jpg) the detector finds no person {said}",
    )


def test_a_detector_that_does_not_know_these_things_is_not_asked() -> None:
    small = Detector(0.9, knows=frozenset({"bus", "cup"}))
    assert sanity_check.check_detector(small, 0.3) == DetectorCheck()
    assert small.asked == []


def test_without_the_photographs_it_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sanity_check, "photographs", dict)
    assert sanity_check.check_detector(Detector(0.9), 0.3).warnings == (
        "the detector was not checked on known photographs: they come with ultralytics, which is not installed",
    )


class Clip:
    """The first photograph is (1, 0, ...), the second (0, 1, 0, ...); texts lie as told."""

    def __init__(self, *order: int) -> None:
        self.order = order

    def images(self, images: Sequence[Image.Image]) -> NDArray[np.float32]:
        return np.eye(4, dtype=np.float32)[: len(images)]

    def texts(self, texts: Sequence[str]) -> NDArray[np.float32]:
        assert len(texts) == len(self.order)
        return np.eye(4, dtype=np.float32)[list(self.order)]


def test_captions_are_nearest_to_their_own_photograph() -> None:
    right: Any = Clip(0, 1, 2, 3)
    assert sanity_check.check_clip(right, "ViT-L-14-quickgelu/openai") == ()
    wrong: Any = Clip(2, 1, 0, 3)
    (said,) = sanity_check.check_clip(wrong, "ViT-L-14-quickgelu/openai")
    assert said.startswith(
        "a known photograph (bus.jpg) is nearer to 'a photo of a pizza on a table' than to 'a photo of a bus in a street'"
    )
    assert sanity_check.check_clip(wrong, "assets/playground/clip") == ()


class Vqa:
    """Says the same to every question."""

    def __init__(self, text: str) -> None:
        self.said = text

    def answer(self, images: Sequence[Image.Image], queries: Sequence[Sequence[VqaQuestion]]) -> list[list[VqaAnswer]]:
        assert len(images) == len(queries) == 2
        return [[VqaAnswer(self.said, None, None, "likelihood") for _ in some] for some in queries]


def test_wrong_answers_about_the_photographs_are_told() -> None:
    model: Any = Vqa("yes")
    parts = vqa.check_vqa(model, "Salesforce/blip-vqa-base")
    assert [line.split(":")[0] for line in parts] == [
        f"on a known photograph ({name}) the model answers 'yes' to 'Is there a pizza in the picture?'"
        for name in ("bus.jpg", "zidane.jpg")
    ]
    model.said = "no"
    assert all("'Are there people in the picture?'" in line for line in vqa.check_vqa(model, "x/y"))
    assert vqa.check_vqa(model, "assets/playground/vqa") == ()


@pytest.mark.skipif(find_spec("ultralytics") is None, reason="the group yolo is not installed")
def test_the_photographs_are_found_without_importing_ultralytics() -> None:
    before = "ultralytics" in sys.modules
    installed = INSTALLED()
    assert set(installed) == set(sanity_check.PHOTOGRAPHS)
    assert {name: image.size for name, image in installed.items()} == {"bus.jpg": (810, 1080), "zidane.jpg": (1280, 720)}
    assert all(image.mode == "RGB" for image in installed.values())
    assert ("ultralytics" in sys.modules) == before
