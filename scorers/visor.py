"""VISOR (Gokhale et al., 2022): a detector asked for the objects of the prompt, and where their centres are.

Perceiving keeps what the detector finds of the asked classes above ``keep``; the threshold belongs to judging
(``scorers.visor_rules``). Scores over many images are ``scorers.visor_scores``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields
from typing import TYPE_CHECKING, Any, Final

from data.prompts.spec import Spec
from data.runs import Detection, Seen
from scorers.base import Knob, Perceiver, Scorer, Settings, Shown
from scorers.geneval_rules import same_kind
from scorers.visor_rules import Rules, judge

if TYPE_CHECKING:
    from scorers.models.detectors import Detector, Found

_PLAYGROUND: Final[Settings] = {
    "detector": "assets/playground/yolo",
    "detector_side": 128,
    "detector_overlap": 0.7,
    "keep": 0.05,
    # the paper's, and of 0.1 to 0.7 the one that is right most often about the playground's known pictures
    "threshold": 0.1,
}


class VisorPerceiver:
    """The detector in memory."""

    def __init__(self, detector: Detector) -> None:
        self._detector = detector

    def perceive(self, batch: Sequence[Shown]) -> list[Seen]:
        """See ``Perceiver``. Of other classes than the prompt's nothing is kept, as VISOR's detector is not asked for them."""
        found = self._detector.detect([shown.image for shown in batch])
        return [
            Seen(
                shown.item_id,
                {"width": shown.image.width, "height": shown.image.height},
                tuple(_detection(one) for one in objects if _is_asked(shown.spec, one.label)),
            )
            for shown, objects in zip(batch, found, strict=True)
        ]


def _is_asked(spec: Spec, label: str) -> bool:
    return any(same_kind(asked.name, label) for asked in spec.objects)


def _detection(found: Found) -> Detection:
    # only centres are looked at
    return Detection(found.label, found.score, found.box)


def _open(settings: Settings, device: str) -> Perceiver:
    from scorers.models.detectors import open_detector

    side, overlap = settings["detector_side"], settings["detector_overlap"]
    return VisorPerceiver(open_detector(settings["detector"], side, settings["keep"], overlap, device))


def _check(settings: Mapping[str, Any]) -> None:
    rules = Rules.of(settings)
    if not 0 <= settings["keep"] <= rules.threshold:
        raise ValueError(f"keep must be from 0 to the threshold ({rules.threshold:g}), got {settings['keep']:g}")
    if settings["detector_side"] < 32 or settings["detector_side"] % 32:
        raise ValueError(f"detector_side must be a multiple of 32, got {settings['detector_side']}")
    if not 0 < settings["detector_overlap"] <= 1:
        raise ValueError(f"detector_overlap must be above 0 and at most 1, got {settings['detector_overlap']:g}")


def _confidences(spec: Spec, seen: Seen) -> list[float]:
    return [one.score for one in seen.detections if _is_asked(spec, one.label)]


_KNOBS: Final = {
    "threshold": Knob(
        "Confidence",
        "An object counts if the detector’s confidence is higher.",
        default=Rules().threshold,
        confidence=True,
        edges=_confidences,
    )
}

SCORER: Final = Scorer(
    name="visor",
    version="1",
    summary="Detects the prompt's two objects and compares where their centres are.",
    profiles={"playground": _PLAYGROUND},
    judging=frozenset(field.name for field in fields(Rules)),
    open=_open,
    judge=judge,
    scales={"correct": "nominal", "present": "nominal", "position": "nominal"},
    models=frozenset({"detector"}),
    check=_check,
    knobs=_KNOBS,
)
