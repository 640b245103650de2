"""GenEval (Ghosh et al., 2023): an object detector, the colour of each masked crop, and rules.

Perceiving keeps every detection above ``keep`` with its mask, and ten colour probabilities for those of a kind that the prompt
asks a colour of; all thresholds belong to judging (``scorers.geneval_rules``).
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from data.masks import pack
from data.prompts.geneval import COLORS
from data.prompts.spec import Spec
from data.runs import Detection, Seen
from scorers.base import Perceiver, Scorer, Settings, Shown
from scorers.crops import masked_crop
from scorers.geneval_knobs import KNOBS
from scorers.geneval_rules import Rules, judge, same_kind

if TYPE_CHECKING:
    from scorers.models.clip import Clip
    from scorers.models.detectors import Detector, Found

TEMPLATES: Final = ("a photo of a {color} {name}", "a photo of a {color}-colored {name}", "a photo of a {color} object")
"""GenEval's prompts for a colour; their embeddings are averaged."""

_PLAYGROUND: Final[Settings] = {
    "detector": "assets/playground/yolo",
    "detector_side": 128,
    "detector_overlap": 0.7,
    "clip": "assets/playground/clip",
    "keep": 0.1,
    "threshold": 0.3,
    # the small detector is less sure of what it finds than GenEval's: 0.9 loses one right count in ten
    "counting_threshold": 0.7,
    "max_objects": 16,
    "max_overlap": 1.0,
    "position_threshold": 0.1,
    "rule": "official",
}


class GenEvalPerceiver:
    """Both models in memory."""

    def __init__(self, detector: Detector, clip: Clip) -> None:
        self._detector = detector
        self._clip = clip
        self._classifiers: dict[str, NDArray[np.float32]] = {}

    def perceive(self, batch: Sequence[Shown]) -> list[Seen]:
        """See ``Perceiver``. The crops of all images go through the image-text model together."""
        found = self._detector.detect([shown.image for shown in batch])
        crops: dict[str, list[tuple[tuple[int, int], Image.Image]]] = defaultdict(list)
        for number, (shown, objects) in enumerate(zip(batch, found, strict=True)):
            for rank, one in enumerate(objects):
                name = _asked_color_of(shown.spec, one.label)
                if name is not None:
                    crops[name].append(((number, rank), masked_crop(shown.image, one.mask, one.box)))
        colors = self._colors(crops)
        return [
            Seen(
                shown.item_id,
                {"width": shown.image.width, "height": shown.image.height},
                tuple(_detection(one, colors.get((number, rank))) for rank, one in enumerate(objects)),
            )
            for number, (shown, objects) in enumerate(zip(batch, found, strict=True))
        ]

    def _colors(
        self, crops: Mapping[str, list[tuple[tuple[int, int], Image.Image]]]
    ) -> dict[tuple[int, int], tuple[float, ...]]:
        """Ten probabilities for each crop: a softmax of its cosines with the colours, times the model's scale."""
        listed = [(key, name, crop) for name, some in crops.items() for key, crop in some]
        embedded = self._clip.images([crop for _, _, crop in listed])
        found = {}
        for (key, name, _), vector in zip(listed, embedded, strict=True):
            logits = self._clip.scale * (self._classifier(name) @ vector).astype(np.float64)
            powers = np.exp(logits - logits.max())
            if np.isfinite(powers).all():
                found[key] = tuple(float(part) for part in powers / powers.sum())
        return found

    def _classifier(self, name: str) -> NDArray[np.float32]:
        """10 x d: each colour's mean embedding over the templates, of length 1."""
        if name not in self._classifiers:
            texts = [template.format(color=color, name=name) for color in COLORS for template in TEMPLATES]
            means = self._clip.texts(texts).reshape(len(COLORS), len(TEMPLATES), -1).mean(axis=1)
            self._classifiers[name] = means / np.linalg.norm(means, axis=1, keepdims=True)
        return self._classifiers[name]


def _asked_color_of(spec: Spec, label: str) -> str | None:
    """The prompt's name of this class, if it asks a colour of it."""
    return next((asked.name for asked in spec.objects if asked.color is not None and same_kind(asked.name, label)), None)


def _detection(found: Found, colors: tuple[float, ...] | None) -> Detection:
    return Detection(found.label, found.score, found.box, None if found.mask is None else pack(found.mask), colors)


def _open(settings: Settings, device: str) -> Perceiver:
    from scorers.models.clip import Clip
    from scorers.models.detectors import open_detector

    side, overlap = settings["detector_side"], settings["detector_overlap"]
    detector = open_detector(settings["detector"], side, settings["keep"], overlap, device)
    return GenEvalPerceiver(detector, Clip(settings["clip"], device))


def _check(settings: Mapping[str, Any]) -> None:
    rules = Rules.of(settings)
    lowest = min(rules.threshold, rules.counting_threshold)
    if not 0 <= settings["keep"] <= lowest:
        raise ValueError(f"keep must be from 0 to the lower threshold ({lowest:g}), got {settings['keep']:g}")
    if settings["detector_side"] < 32 or settings["detector_side"] % 32:
        raise ValueError(f"detector_side must be a multiple of 32, got {settings['detector_side']}")
    if not 0 < settings["detector_overlap"] <= 1:
        raise ValueError(f"detector_overlap must be above 0 and at most 1, got {settings['detector_overlap']:g}")


SCORER: Final = Scorer(
    name="geneval",
    version="2",
    summary="Detects the objects, then checks presence, number, colour and position by GenEval's rules.",
    profiles={"playground": _PLAYGROUND},
    judging=frozenset(Rules.__slots__),
    open=_open,
    judge=judge,
    scales={"correct": "nominal", "present": "nominal", "count": "ordinal:0-5", "color": "nominal", "position": "nominal"},
    models=frozenset({"detector", "clip"}),
    check=_check,
    knobs=KNOBS,
)
