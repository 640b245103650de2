"""Like meets like: whoever sees the same, person or detector, makes the same judgements."""

from __future__ import annotations

import itertools
from typing import Any

import pytest

from annotation.questionnaires.geneval import derive
from data.jobs.runs import Detection, Observation
from data.prompts import geneval_suite
from data.prompts.geneval_suite import COLORS
from data.spec import Spec, parse_spec
from scorers.geneval.rules import judge

ASKED = [
    geneval_suite.single_object("bear"),
    geneval_suite.two_object("dog", "cup"),
    geneval_suite.counting("cup", 3),
    geneval_suite.colors("cup", "red"),
    geneval_suite.position("dog", "cup", "left of"),
    geneval_suite.color_attr(["cup", "book"], ["red", "blue"]),
]


def detection_of(label: str, x: float, color: str) -> Detection:
    return Detection(label, 0.95, (x - 10, -10, x + 10, 10), None, tuple(0.91 if name == color else 0.01 for name in COLORS))


def answers(spec: Spec, counts: tuple[int, ...], colors: tuple[str, ...], left: bool) -> dict[str, Any]:
    """What a person says who sees just what the detector sees."""
    replies: dict[str, Any] = {"position_x": "left" if left else "right", "position_y": "neither"}
    for k, (count, color) in enumerate(zip(counts, colors, strict=True)):
        replies |= {f"count_{k}": count} | ({f"color_{k}": [color]} if spec.objects[k].color else {})
    return replies


@pytest.mark.parametrize("metadata", ASKED, ids=lambda m: m["tag"])
def test_people_who_see_the_same_make_the_same_judgements(metadata: dict[str, Any]) -> None:
    spec = parse_spec(metadata)
    n = len(spec.objects)
    for counts in itertools.product((0, 1, 2, 3, 4, 7), repeat=n):
        for colors in itertools.product(("red", "blue"), repeat=n):
            for left in (True, False):
                detections = [
                    # the second asked object is the one that is placed; all of a kind stand together
                    detection_of(spec.name, k * (-100 if left else 100), color)
                    for k, (spec, count, color) in enumerate(zip(spec.objects, counts, colors, strict=True))
                    for _ in range(count)
                ]
                by_people = derive(spec, answers(spec, counts, colors, left))
                assert list(judge(spec, Observation("item", {}, tuple(detections)), {}).judgements) == by_people, (
                    counts,
                    colors,
                    left,
                )
