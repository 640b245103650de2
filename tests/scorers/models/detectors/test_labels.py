"""One vocabulary: COCO's 80 names, however a model numbers or spells them."""

from __future__ import annotations

import pytest

from data.prompts.coco import COCO, GENEVAL
from scorers.geneval.rules import same_kind
from scorers.models.detectors.base import coco_name, queried_label, vocabulary
from tests.scorers.published_models import NAMES_80, NAMES_91

DARKNET = {"airplane": "aeroplane", "motorcycle": "motorbike", "couch": "sofa", "potted plant": "pottedplant",
           "dining table": "diningtable", "tv": "tvmonitor"}  # fmt: skip


def test_names_in_cocos_order_keep_their_numbers() -> None:
    assert vocabulary(NAMES_80, "some") == COCO
    assert vocabulary({k: DARKNET.get(name, name) for k, name in enumerate(COCO)}, "some") == COCO
    assert vocabulary({k: name.upper() for k, name in enumerate(GENEVAL)}, "some") == COCO


def test_detrs_91_numbers_have_gaps() -> None:
    result = vocabulary(NAMES_91, "some")
    # of COCO's own list of categories
    assert [result[k] for k in (0, 1, 12, 13, 44, 45, 46, 74, 77, 83, 90)] == [
        None, "person", None, "stop sign", "bottle", None, "wine glass", "mouse", "cell phone", None, "toothbrush"
    ]  # fmt: skip
    assert tuple(name for name in result if name is not None) == COCO
    assert len(result) == 91


def test_eighty_without_names_are_in_cocos_order() -> None:
    assert vocabulary({k: f"LABEL_{k}" for k in range(80)}, "some") == COCO


@pytest.mark.parametrize(
    ("names", "message"),
    [
        ({k: f"LABEL_{k}" for k in range(91)}, "some has 91 classes without names; a COCO detector has 80"),
        (dict(enumerate(COCO[:-1])), "some has 79 classes, and 1 of COCO's 80 are not there just once: toothbrush"),
        ({**NAMES_80, 5: "car"}, "some has 80 classes, and 2 .* just once: car, bus"),
        ({0: "cat", 1: "dog"}, r"and 78 of COCO's 80 .*: person, bicycle, car \.\.\."),
        ({}, "some has 0 classes"),
        ({k + 1: name for k, name in enumerate(COCO)}, "just once: toothbrush"),
    ],
)
def test_other_classes_than_cocos_are_refused(names: dict[int, str], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        vocabulary(names, "some")


def test_what_coco_has_no_name_for_keeps_its_own() -> None:
    assert [coco_name(name) for name in ("TV", "computer  mouse", "Hair Dryer", "red panda", "dining_table")] == [
        "tv", "mouse", "hair drier", "red panda", "dining table"
    ]  # fmt: skip


def test_what_was_asked_for_by_name_is_known_again() -> None:
    for name in (*GENEVAL, *COCO, "Red Panda", "sofa"):
        assert same_kind(queried_label(name), name)
    assert [queried_label(name) for name in ("tv remote", "Red Panda", "sofa")] == ["remote", "Red Panda", "sofa"]
