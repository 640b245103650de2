"""Lines of evidence: all shapes that are meant, and a clear word about the others."""

from __future__ import annotations

from typing import Any

import pytest

from data.formats.evidence import read_case
from data.jobs.runs import Detection, Observation
from data.prompts.geneval_suite import COLORS
from data.spec import SpecError

CUP = {"label": "cup", "score": 0.5, "box": [0, 1, 2.5, 3]}
SPEC = {"tag": "single_object", "include": [{"class": "cup", "count": 1}]}


def line(**changed: Any) -> dict[str, Any]:
    return {"id": "x", "spec": SPEC, "detections": [CUP]} | changed


def test_a_line_becomes_a_case() -> None:
    case = read_case(line(prompt_id=12, generator="sd"))
    assert (case.id, case.prompt_id, case.generator, case.asked) == ("x", "12", "sd", SPEC)
    assert case.spec.objects[0].name == "cup"
    assert case.seen == Observation("x", {}, (Detection("cup", 0.5, (0.0, 1.0, 2.5, 3.0)),))
    bare = read_case(line(id=7, detections=[]))
    assert (bare.id, bare.seen.item_id, bare.prompt_id, bare.generator) == (7, "7", None, None)


@pytest.mark.parametrize(
    ("color", "expected"),
    [
        ({"color": "orange"}, [0, 1, 0, 0, 0, 0, 0, 0, 0, 0]),
        ({"color": " White "}, [0] * 9 + [1]),
        ({"color": "grey"}, [0] * 10),  # none of the ten
        ({"color": [0.1] * 10}, [0.1] * 10),
        ({"colors": [0.1] * 10}, [0.1] * 10),
        ({"color_probs": {"red": 0.25, "black": 0.75, "grey": 0.5}}, [0.25, 0, 0, 0, 0, 0, 0, 0, 0.75, 0]),
        ({"color": None}, None),
        ({}, None),
    ],
)
def test_a_colour_is_a_name_or_probabilities(color: dict[str, Any], expected: list[float] | None) -> None:
    (detection,) = read_case(line(detections=[CUP | color])).seen.detections
    assert detection.colors == (None if expected is None else tuple(expected))
    assert len(COLORS) == 10


@pytest.mark.parametrize(
    ("wrong", "why"),
    [
        ({"id": None}, "'id' is None, a text or a whole number expected"),
        ({"id": ""}, "'id' is ''"),
        ({"id": True}, "'id' is True"),
        ({"spec": None}, "'spec' is None, an object expected"),
        ({"spec": "cup"}, "'spec' is 'cup'"),
        ({"detections": None}, "'detections' is None, a list expected"),
        ({"detections": {"cup": 1}}, "'detections' is {'cup': 1}"),
        ({"detections": [CUP, 3]}, r"'detections\[1\]' is 3, an object expected"),
        ({"prompt_id": [1]}, r"'prompt_id' is \[1\]"),
        ({"generator": {}}, "'generator' is {}"),
    ],
)
def test_an_invalid_line_says_what_is_wrong(wrong: dict[str, Any], why: str) -> None:
    with pytest.raises(ValueError, match=why):
        read_case(line(**wrong))


@pytest.mark.parametrize(
    ("wrong", "why"),
    [
        ({"label": None}, "label' is None, a text expected"),
        ({"label": ""}, "label' is ''"),
        ({"score": "0.5"}, "score' is '0.5', a number expected"),
        ({"score": True}, "score' is True"),
        ({"score": float("nan")}, "score' is nan"),
        ({"score": float("inf")}, "score' is inf"),
        ({"score": 10**400}, "score' is 1000"),
        ({"score": 95}, "score' is 95, at most 1 expected"),
        ({"score": -0.1}, "score' is -0.1, at least 0 expected"),
        ({"box": None}, "box' is None, a list expected"),
        ({"box": [0, 1, 2]}, r"box\[3\]' is missing"),
        ({"box": [0, 1, 2, "3"]}, r"box\[3\]' is '3', a number expected"),
        ({"box": [0, 1, 2, float("nan")]}, r"box\[3\]' is nan"),
        ({"box": [0, 0, 1e8, 1]}, r"box\[2\]' is 100000000.0, at most 10,000,000 expected"),
        ({"color": 3}, "color' is 3, a colour's name or 10 probabilities expected"),
        ({"color": [0.1] * 9}, "color' is "),
        ({"color": [0.1] * 9 + [2]}, "2], a colour's name or 10 probabilities"),
        ({"color": ""}, "color' is ''"),
        ({"color": {}}, "color' is {}"),
    ],
)
def test_an_invalid_detection_says_which_and_why(wrong: dict[str, Any], why: str) -> None:
    with pytest.raises(ValueError, match=rf"'detections\[1\].*{why}"):
        read_case(line(detections=[CUP, CUP | wrong]))


@pytest.mark.parametrize(
    ("spec", "why"),
    [
        ({"include": [{"count": 1}]}, r"'include\[0\]' needs a 'class' name"),
        ({"include": [{"class": "cup", "count": 0}]}, r"'include\[0\].count' must be a whole number of at least 1, got 0"),
        ({"include": [{"class": "cup", "count": "two"}]}, r"'include\[0\].count'"),
        ({"include": {"class": "cup"}}, "'include' must be a list, got dict"),
        ({"include": [{"class": "cup", "position": ["near", 0]}]}, "unknown relation 'near'"),
        ({"include": [{"class": "cup", "position": ["above", 0]}]}, "0 is not the index of another object"),
        ({"include": [{"class": "cup"}, {"class": "dog", "position": ["above", 2]}]}, "2 is not the index of another"),
        ({"include": [{"class": "cup"}, {"class": "dog", "position": ["above", False]}]}, "False is not the index"),
        ({"include": [{"class": "cup", "color": 3}]}, "must be a colour name, got 3"),
        ({"exclude": [{"class": "cup"}]}, r"'exclude\[0\].count' must be a whole number of at least 1, got None"),
        ({"exclude": ["cup"]}, r"'exclude\[0\]' needs a 'class' name"),
        ({"include": [], "tag": 3}, "'tag' must be a task's name, got 3"),
        ({"a": "cup", "b": "dog", "relation": "near"}, "'relation' must be left, right, above or below"),
        ({"a": "cup", "b": 3}, "'a' and 'b' must be object names"),
    ],
)
def test_an_invalid_spec_says_which_part(spec: dict[str, Any], why: str) -> None:
    with pytest.raises(SpecError, match=why):
        read_case(line(spec=spec))
