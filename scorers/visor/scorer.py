"""VISOR (Gokhale et al., 2022): a detector asked for the objects of the prompt, and where their centres are.

Perceiving keeps what the detector finds of the asked classes above ``keep``; the threshold belongs to judging
(``scorers.visor.rules``). Scores over many images are ``scorers.visor.results``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields
from typing import TYPE_CHECKING, Final

from data.jobs.runs import Detection, Observation, pack_mask
from data.spec import Spec
from scorers.base import Flips, Knob, Perceiver, Scorer, Settings, Shown
from scorers.detection import check_detector_settings, portions, too_large
from scorers.geneval.rules import same_kind
from scorers.visor.rules import VisorRules, judge

if TYPE_CHECKING:
    from scorers.models.detectors.base import Detector

_PLAYGROUND: Final[Settings] = {
    "detector": "assets/playground/detector",
    "detector_side": 128,
    "detector_overlap": 0.7,
    "keep": 0.05,
    # of 0.1 to 0.7 the lowest of those that are right most often about the playground's known pictures
    "threshold": 0.3,
}

# OWL-ViT has a size of its own, and suppresses no boxes
_PAPER: Final[Settings] = {
    **_PLAYGROUND,
    "detector": "google/owlvit-base-patch32",
    "detector_side": 768,
    "keep": 0.1,
    "threshold": 0.1,
}


# for people without a GPU: Ultralytics' smaller models, with the confidence of `geneval`'s profile of this name
_FAST: Final[Settings] = {
    **_PLAYGROUND,
    "detector": "yolo11m-seg.pt",
    "detector_side": 640,
    "keep": 0.1,
    "threshold": 0.3,
}


class VisorPerceiver:
    """The detector in memory."""

    def __init__(self, detector: Detector, warnings: tuple[str, ...] = (), failures: tuple[str, ...] = ()) -> None:
        self._detector = detector
        self.warnings, self.failures = warnings, failures

    def perceive(self, batch: Sequence[Shown]) -> list[Observation]:
        """See ``Perceiver``. Of other classes than the prompt's nothing is kept, as VISOR's detector is not asked for them."""
        seen: dict[int, tuple[Detection, ...]] = {}
        for numbers in portions(batch):
            names = [[thing.name for thing in batch[number].spec.objects] for number in numbers]
            detected = self._detector.detect([batch[number].image for number in numbers], names)
            for number, objects in zip(numbers, detected, strict=True):
                seen[number] = tuple(
                    Detection(
                        detection.label,
                        detection.score,
                        detection.box,
                        None if detection.mask is None else pack_mask(detection.mask),
                    )
                    for detection in objects
                    if _is_requested(batch[number].spec, detection.label)
                )
        return [
            Observation(shown.item_id, {"width": shown.image.width, "height": shown.image.height}, seen[number])
            if number in seen
            else Observation(shown.item_id, failed=too_large(shown.image))
            for number, shown in enumerate(batch)
        ]


def _is_requested(spec: Spec, label: str) -> bool:
    return any(same_kind(thing.name, label) for thing in spec.objects)


def _open(settings: Settings, device: str) -> Perceiver:
    from scorers.models.detectors import open_detector
    from scorers.models.sanity_check import check_detector

    side, overlap = settings["detector_side"], settings["detector_overlap"]
    detector = open_detector(settings["detector"], side, settings["keep"], overlap, device)
    checked = check_detector(detector, settings["threshold"])
    return VisorPerceiver(detector, checked.warnings, checked.failures)


_KNOBS: Final = {
    "threshold": Knob(
        "Confidence",
        "An object counts if the detector’s confidence is higher.",
        default=VisorRules().threshold,
        confidence=True,
        edges=lambda spec, seen: [detection.score for detection in seen.detections if _is_requested(spec, detection.label)],
    )
}

SCORER: Final = Scorer(
    name="visor",
    version="1",
    summary="Detects the prompt's objects and compares where their centres are: yes or no.",
    profiles={"playground": _PLAYGROUND, "paper": _PAPER, "fast": _FAST},
    judging=frozenset(field.name for field in fields(VisorRules)),
    open=_open,
    judge=judge,
    scales={"correct": "nominal", "present": "nominal", "position": "nominal"},
    models=frozenset({"detector"}),
    check=lambda settings: check_detector_settings(settings, VisorRules.of(settings).threshold),
    knobs=_KNOBS,
    flips=Flips(rejudges=True),
)
