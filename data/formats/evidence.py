"""Lines of evidence: what a detector saw of one image and what was asked of it, for rules to judge without any model.

``{"id", "spec", "detections": [{"label", "score", "box": [x0, y0, x1, y1], "color"?}]}``, for VISOR also ``"prompt_id"`` and
``"generator"``. ``color`` is a colour's name, ten probabilities in the order of ``geneval_suite.COLORS``, or an object of
probabilities by name; ``colors`` and ``color_probs`` are read too.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final, TypeVar

from data.files import quoted
from data.jobs.runs import Detection, Observation
from data.prompts.geneval_suite import COLORS
from data.spec import Spec, parse_spec

Box = tuple[float, float, float, float]
_Value = TypeVar("_Value")

_COLOR_KEYS: Final = ("color", "colors", "color_probs")
_FARTHEST: Final = 1e7
"""Pixels. Beyond it is no picture, and squares of it are no numbers in time."""


@dataclass(frozen=True, slots=True)
class EvidenceCase:
    """One image to judge.

    Attributes:
        id: as it stood in the line.
        asked: the spec as it stood in the line.
        prompt_id, generator: as texts; None if the line has none.
    """

    id: str | int
    asked: Mapping[str, Any]
    spec: Spec
    seen: Observation
    prompt_id: str | None = None
    generator: str | None = None


def read_case(value: Mapping[str, Any]) -> EvidenceCase:
    """One line of evidence.

    Raises:
        ValueError: something is missing or of the wrong kind; the message says what.
    """
    id_ = value.get("id")
    if id_ is None or not _is_name(id_):
        raise ValueError(f"'id' is {quoted(id_)}, a text or a whole number expected")
    asked = value.get("spec")
    if not isinstance(asked, dict):
        raise ValueError(f"'spec' is {quoted(asked)}, an object expected")
    listed = value.get("detections")
    if not isinstance(listed, list):
        raise ValueError(f"'detections' is {quoted(listed)}, a list expected")
    found: list[Detection] = []
    for one in listed:
        try:
            found.append(_detection(one))
        except ValueError as error:
            raise ValueError(f"detections[{len(found)}]: {error}") from None
    names = {key: _name(value, key) for key in ("prompt_id", "generator")}
    return EvidenceCase(id_, asked, parse_spec(asked), Observation(str(id_), {}, tuple(found)), **names)


def finite_number(found: Any) -> float:
    """A finite number, as JSON has it.

    Raises:
        ValueError: it is none.
    """
    if type(found) is float or type(found) is int:
        try:
            value = float(found)
        except OverflowError:
            value = math.inf
        if math.isfinite(value):
            return value
    raise ValueError(f"{quoted(found)} where a number is expected")


def box_of(found: Any) -> Box:
    """Four finite numbers, pixels.

    Raises:
        ValueError: it is no box.
    """
    if not isinstance(found, list) or len(found) != 4:
        raise ValueError(f"{quoted(found)} where a box [x0, y0, x1, y1] is expected")
    x0, y0, x1, y1 = map(finite_number, found)
    if max(map(abs, (x0, y0, x1, y1))) > _FARTHEST:
        raise ValueError(f"box {quoted(found)} is not inside a picture")
    return x0, y0, x1, y1


def score_of(found: Any) -> float:
    """A confidence or probability.

    Raises:
        ValueError: it is no number from 0 to 1.
    """
    score = finite_number(found)
    if not 0 <= score <= 1:
        raise ValueError(f"{quoted(found)} where a confidence from 0 to 1 is expected")
    return score


def one_hot(color: str) -> tuple[float, ...]:
    """A named colour as probabilities; all are 0 for one that is not among the ten."""
    return _ONE_HOT.get(color, _NO_COLOR)


_NO_COLOR: Final = (0.0,) * len(COLORS)
_ONE_HOT: Final = {color: tuple(float(name == color) for name in COLORS) for color in COLORS}


def _detection(found: Any) -> Detection:
    if not isinstance(found, dict):
        raise ValueError(f"{quoted(found)} where an object is expected")
    label = found.get("label")
    if not isinstance(label, str) or not label:
        raise ValueError(f"'label' is {quoted(label)}, the name of a class expected")
    key = next((key for key in _COLOR_KEYS if found.get(key) is not None), None)
    colors = None if key is None else _part(found, key, _probabilities)
    return Detection(label, _part(found, "score", score_of), _part(found, "box", box_of), None, colors)


def _part(found: Mapping[str, Any], key: str, read: Callable[[Any], _Value]) -> _Value:
    try:
        return read(found.get(key))
    except ValueError as error:
        raise ValueError(f"'{key}': {error}") from None


def _probabilities(said: Any) -> tuple[float, ...]:
    if isinstance(said, str) and said.strip():
        return one_hot(said.strip().lower())
    if isinstance(said, list) and len(said) == len(COLORS):
        return tuple(map(score_of, said))
    if isinstance(said, dict) and said:
        return tuple(score_of(said.get(name, 0.0)) for name in COLORS)
    raise ValueError(f"{quoted(said)} where a colour's name or {len(COLORS)} probabilities are expected")


def _name(value: Mapping[str, Any], key: str) -> str | None:
    found = value.get(key)
    if found is not None and not _is_name(found):
        raise ValueError(f"{key!r} is {quoted(found)}, a text or a whole number expected")
    return None if found is None else str(found)


def _is_name(found: Any) -> bool:
    return (isinstance(found, str) and found != "") or (isinstance(found, int) and not isinstance(found, bool))
