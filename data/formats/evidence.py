"""Lines of evidence: what a detector saw of one image and what was asked of it, for rules to judge without any model.

``{"id", "spec", "detections": [{"label", "score", "box": [x0, y0, x1, y1], "color"?}]}``, for VISOR also ``"prompt_id"`` and
``"generator"``. ``color`` is a colour's name, ten probabilities in the order of ``geneval_suite.COLORS``, or an object of
probabilities by name; ``colors`` and ``color_probs`` are read too.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Final

from pydantic import AfterValidator, Field

from data.jobs.runs import Detection, Observation
from data.prompts.geneval_suite import COLORS
from data.spec import Spec, parse_spec
from data.validation import Share, Text, record_of

_FARTHEST: Final = 1e7
"""Pixels. Beyond it is no picture, and squares of it are no numbers in time."""
Pixels = Annotated[float, Field(ge=-_FARTHEST, le=_FARTHEST, allow_inf_nan=False)]
Box = tuple[Pixels, Pixels, Pixels, Pixels]
_NO_COLOR: Final = (0.0,) * len(COLORS)
_ONE_HOT: Final = {color: tuple(float(name == color) for name in COLORS) for color in COLORS}


def one_hot(color: str) -> tuple[float, ...]:
    """A named colour as probabilities; all are 0 for one that is not among the ten."""
    return _ONE_HOT.get(color, _NO_COLOR)


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


def _name(value: Any) -> str | int:
    if not isinstance(value, (str, int)) or isinstance(value, bool) or value == "":
        raise ValueError("a text or a whole number")
    return value


def _probabilities(colors: Any) -> tuple[float, ...]:
    if isinstance(colors, str) and colors.strip():
        return one_hot(colors.strip().lower())
    shares = [colors.get(name, 0.0) for name in COLORS] if isinstance(colors, dict) and colors else colors
    if not isinstance(shares, list) or len(shares) != len(COLORS) or not all(map(_is_share, shares)):
        raise ValueError(f"a colour's name or {len(COLORS)} probabilities")
    return tuple(map(float, shares))


def _is_share(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and 0 <= value <= 1


_Name = Annotated[Any, AfterValidator(_name)]
_Colors = Annotated[Any, AfterValidator(_probabilities)]


@dataclass(frozen=True, slots=True, kw_only=True)
class _DetectionEntry:
    label: Text
    score: Share
    box: Box
    color: _Colors | None = None
    colors: _Colors | None = None
    color_probs: _Colors | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class _EvidenceLine:
    id: _Name
    spec: Mapping[str, Any]
    detections: tuple[_DetectionEntry, ...]
    prompt_id: _Name | None = None
    generator: _Name | None = None


def read_case(value: Mapping[str, Any]) -> EvidenceCase:
    """One line of evidence.

    Raises:
        ValueError: something is missing or of the wrong kind; the message says what.
    """
    line = record_of(_EvidenceLine, value, extra="ignore")
    detections = tuple(
        Detection(
            detection.label, detection.score, detection.box, None, detection.color or detection.colors or detection.color_probs
        )
        for detection in line.detections
    )
    prompt_id, generator = (None if name is None else str(name) for name in (line.prompt_id, line.generator))
    seen = Observation(str(line.id), {}, detections)
    return EvidenceCase(line.id, line.spec, parse_spec(line.spec), seen, prompt_id, generator)
