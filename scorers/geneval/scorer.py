"""GenEval (Ghosh et al., 2023): an object detector, the colour of each masked crop, and rules.

Perceiving keeps every detection above ``keep`` with its mask, and ten colour probabilities for those of a kind that the prompt
asks a colour of: the colour classifier gets one object on grey, cropped to its box. All thresholds belong to judging
(``scorers.geneval.scorer.rules``); ``KNOBS`` are those that can be turned over stored evidence. The profile ``paper`` has
GenEval's published settings; its detector is the same architecture with its authors' weights, as OpenMMLab's need packages
that no longer install.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from itertools import combinations
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageColor

from data.jobs.runs import Detection, Observation, pack_mask
from data.prompts.coco import GENEVAL
from data.prompts.geneval_suite import COLORS
from data.spec import Spec
from scorers.base import Flips, Knob, Perceiver, Scorer, Settings, Shown
from scorers.detection import RULES, check_detector_settings, overlap, portions, too_large
from scorers.geneval.rules import COUNTING, GenEvalRules, judge, same_kind
from scorers.models.detectors.base import FULL, HALF, DetectedObject, Detector
from scorers.models.devices import start_in_threads
from scorers.models.hub import MASK2FORMER_OPENMMLAB

if TYPE_CHECKING:
    from scorers.models.clip import Clip

GREY: Final = "#999"
ORIGINAL: Final = "original"
"""As background: the image's own."""


def check_background(background: str) -> None:
    """Refuse what is no background.

    Raises:
        ValueError: it is neither ``original`` nor a colour as Pillow names them.
    """
    if background != ORIGINAL:
        try:
            ImageColor.getrgb(background)
        except ValueError:
            raise ValueError(f"background must be a colour ({GREY}) or {ORIGINAL}, got {background!r}") from None


def masked_crop(
    image: Image.Image,
    mask: NDArray[np.bool_] | None,
    box: tuple[float, float, float, float],
    crop: bool = True,
    background: str = GREY,
) -> Image.Image:
    """The object alone, as GenEval's ``ImageCrops``; without crop or background as in the paper's Table 4.

    Args:
        image: RGB, W x H.
        mask: H x W; what it leaves out becomes the background. Without one the crop shows all that is in the box.
        box: x0, y0, x1, y1 in pixels; rounded half to even as Pillow does, and never less than one pixel wide or high.
        crop: whether to cut the box out; else the whole image is shown.
        background: a colour, or ``original``.
    """
    if mask is not None and background != ORIGINAL:
        image = Image.composite(image, Image.new("RGB", image.size, background), Image.fromarray(mask))
    if not crop:
        return image
    x0, y0, x1, y1 = (round(edge) if math.isfinite(edge) else 0 for edge in box)
    return image.crop((x0, y0, max(x1, x0 + 1), max(y1, y0 + 1)))


def _spec_names(spec: Spec) -> list[str]:
    return [*(thing.name for thing in spec.objects), *(excluded.name for excluded in spec.excludes)]


def _named_detections(spec: Spec, seen: Observation) -> list[Detection]:
    """What is of a kind that the spec names; nothing else is looked at."""
    names = set(_spec_names(spec))
    return [detection for detection in seen.detections if any(same_kind(name, detection.label) for name in names)]


def _confidence_edges(spec: Spec, seen: Observation) -> list[float]:
    return [detection.score for detection in _named_detections(spec, seen)]


def _position_edges(spec: Spec, seen: Observation) -> tuple[()] | None:
    """Without two objects there is nothing to compare."""
    labels = {detection.label for detection in seen.detections}
    present = [any(same_kind(thing.name, label) for label in labels) for thing in spec.objects]
    return None if any(present[relation.subject] and present[relation.reference] for relation in spec.relations) else ()


def _is_counting(spec: Spec) -> bool:
    return spec.tag == COUNTING


def _has_relations(spec: Spec) -> bool:
    return bool(spec.relations)


_USUAL: Final = GenEvalRules()

KNOBS: Final = {
    "threshold": Knob(
        "Confidence",
        "An object counts if the detector’s confidence is higher. Not for counting prompts, which have their own.",
        default=_USUAL.threshold,
        confidence=True,
        applies=lambda spec: not _is_counting(spec),
        edges=_confidence_edges,
    ),
    "counting_threshold": Knob(
        "Confidence for counting",
        "The same for all objects of a counting prompt: too low, and one object is found twice.",
        default=_USUAL.counting_threshold,
        confidence=True,
        applies=_is_counting,
        edges=_confidence_edges,
    ),
    "position_threshold": Knob(
        "Dead zone of positions",
        "Share of both objects’ sizes by which they must be apart before one is left of, right of, above or below the other.",
        high=0.5,
        default=_USUAL.position_threshold,
        applies=_has_relations,
        edges=_position_edges,
    ),
    "max_overlap": Knob(
        "Largest overlap",
        "Of two objects of a kind whose boxes overlap so much or more, the less confident is dropped. 1: never.",
        step=0.05,
        default=_USUAL.max_overlap,
        # of all pairs of a kind; at 1 nothing is dropped any more
        edges=lambda spec, seen: [
            1.0,
            *(overlap(a.box, b.box) for a, b in combinations(_named_detections(spec, seen), 2) if same_kind(a.label, b.label)),
        ],
    ),
    "rule": Knob(
        "Rule for positions",
        "That of GenEval’s published code, or the formula of its paper.",
        choices=RULES,
        default=_USUAL.rule,
        applies=_has_relations,
        edges=_position_edges,
    ),
}
"""Those that decide ``correct``; ``max_objects`` is left as it was run."""


_Crops = dict[str, list[tuple[tuple[int, int], Image.Image]]]
"""By the prompt's name of the thing: (image, rank) and what the colour classifier is shown of it."""
_Packed = tuple[list[Detection], list[tuple[int, str, Image.Image]]]
"""An image's detections, their masks packed; and of those whose colour is asked rank, the prompt's name, and crop."""

TEMPLATES: Final = ("a photo of a {color} {name}", "a photo of a {color}-colored {name}", "a photo of a {color} object")
"""GenEval's prompts for a colour; their embeddings are averaged."""

_PLAYGROUND: Final[Settings] = {
    "detector": "assets/playground/detector",
    "detector_side": 128,
    "detector_overlap": 0.7,
    "clip": "assets/playground/clip",
    "keep": 0.1,
    "threshold": 0.3,
    # the small detector is less sure of what it finds than GenEval's: 0.9 loses one right count in ten
    "counting_threshold": 0.7,
    "max_objects": 16,
    # and now and then it finds an object twice
    "max_overlap": 0.8,
    "position_threshold": 0.1,
    "rule": "official",
}

# the rules' defaults are the authors' thresholds, which they chose on OpenMMLab's weights
_META: Final[Settings] = {
    "detector": "facebook/mask2former-swin-small-coco-instance",
    "detector_side": 800,
    "detector_overlap": 0.7,
    "clip": "ViT-L-14-quickgelu/openai",
    "keep": 0.1,
    **asdict(_USUAL),
}

# For people without a GPU. Confidences of these models are lower than those of Mask2Former, and nobody has chosen thresholds by
# people's answers: .3 stays, and .9, which keeps next to nothing, becomes .5
_FAST: Final[Settings] = {
    **_META,
    "detector": "yolo11m-seg.pt",
    "detector_side": 640,
    "clip": "ViT-B-32-quickgelu/openai",
    "counting_threshold": 0.5,
}

_OPTIONS: Final[Settings] = {"crop": 1, "background": GREY, "vocabulary": "asked", "precision": FULL}
"""Table 4 of the paper: whether to crop, and what stands behind the object. ``vocabulary``: what a detector that looks for
names is given, those that the prompt asks for (as VISOR) or all of COCO's. ``precision``: ``bf16`` has Mask2Former's backbone
compute in half precision, on a GPU alone."""
VOCABULARIES: Final = ("asked", "coco")
PRECISIONS: Final = (FULL, HALF)


def color_classifier(clip: Clip, name: str) -> NDArray[np.float32]:
    """10 x d: each colour's mean embedding over the templates, of length 1."""
    texts = [template.format(color=color, name=name) for color in COLORS for template in TEMPLATES]
    means = clip.texts(texts, len(texts)).reshape(len(COLORS), len(TEMPLATES), -1).mean(axis=1)
    return np.asarray(means / np.linalg.norm(means, axis=1, keepdims=True))


class GenEvalPerceiver:
    """Both models in memory.

    Args:
        detector: finds the objects.
        clip: tells their colours.
        settings: ``crop``, ``background`` and ``vocabulary`` are read, where they are set.
        warnings, failures: what looked odd when the models were opened; see ``Perceiver``.
    """

    def __init__(
        self,
        detector: Detector,
        clip: Clip,
        settings: Settings | None = None,
        warnings: tuple[str, ...] = (),
        failures: tuple[str, ...] = (),
    ) -> None:
        chosen = {**_OPTIONS, **(settings or {})}
        self._detector = detector
        self._clip = clip
        self._crop, self._background = bool(chosen["crop"]), str(chosen["background"])
        self._vocabulary = GENEVAL if chosen["vocabulary"] == "coco" else None
        self._classifiers: dict[str, NDArray[np.float32]] = {}
        self.warnings, self.failures = warnings, failures

    def perceive(self, batch: Sequence[Shown]) -> list[Observation]:
        """See ``Perceiver``. The crops of all images go through the image-text model together."""
        seen: dict[int, list[Detection]] = {}
        crops: _Crops = defaultdict(list)
        for numbers in portions(batch):
            shown = [batch[number] for number in numbers]
            names = [self._vocabulary or _spec_names(one.spec) for one in shown]
            found = self._detector.detect([one.image for one in shown], names)
            # at once, while later images are looked at: thirty masks of a large image are half a gigabyte
            packed = start_in_threads(self._pack, zip(shown, found, strict=True), awaited=False)
            for number, future in zip(numbers, packed, strict=True):
                seen[number], cut = future.result()
                for rank, name, crop in cut:
                    crops[name].append(((number, rank), crop))
        for (number, rank), colors in self._colors(crops).items():
            seen[number][rank] = replace(seen[number][rank], colors=colors)
        how = {"crop": self._crop, "background": self._background}
        return [
            Observation(shown.item_id, {"width": shown.image.width, "height": shown.image.height, **how}, tuple(seen[number]))
            if number in seen
            else Observation(shown.item_id, failed=too_large(shown.image))
            for number, shown in enumerate(batch)
        ]

    def _pack(self, given: tuple[Shown, Sequence[DetectedObject]]) -> _Packed:
        shown, objects = given
        colored = [spec.name for spec in shown.spec.objects if spec.color is not None]
        crops = []
        for rank, detected in enumerate(objects):
            name = next((name for name in colored if same_kind(name, detected.label)), None)
            if name is not None:
                crops.append((rank, name, masked_crop(shown.image, detected.mask, detected.box, self._crop, self._background)))
        detections = [
            Detection(detected.label, detected.score, detected.box, None if detected.mask is None else pack_mask(detected.mask))
            for detected in objects
        ]
        return detections, crops

    def _colors(self, crops: _Crops) -> dict[tuple[int, int], tuple[float, ...]]:
        """Ten probabilities for each crop: a softmax of its cosines with the colours, times the model's scale."""
        listed = [(key, name, crop) for name, some in crops.items() for key, crop in some]
        embedded = self._clip.images([crop for _, _, crop in listed])
        colors = {}
        for (key, name, _), vector in zip(listed, embedded, strict=True):
            if name not in self._classifiers:
                self._classifiers[name] = color_classifier(self._clip, name)
            logits = self._clip.scale * (self._classifiers[name] @ vector).astype(np.float64)
            powers = np.exp(logits - logits.max())
            if np.isfinite(powers).all():
                colors[key] = tuple(float(part) for part in powers / powers.sum())
        return colors


def _open(settings: Settings, device: str) -> Perceiver:
    from scorers.models.clip import Clip
    from scorers.models.detectors import open_detector
    from scorers.models.sanity_check import check_clip, check_detector

    side, overlap = settings["detector_side"], settings["detector_overlap"]
    precision = settings.get("precision", FULL)
    if precision != FULL and device.startswith("cpu"):
        raise ValueError(f"precision {precision} needs a GPU: on the CPU it is slower; leave it out, or name a --device")
    detector = open_detector(settings["detector"], side, settings["keep"], overlap, device, precision)
    clip = Clip(settings["clip"], device)
    checked = check_detector(detector, settings["threshold"])
    odd = checked.warnings + check_clip(clip, settings["clip"])
    return GenEvalPerceiver(detector, clip, settings, odd, checked.failures)


def _check(settings: Mapping[str, Any]) -> None:
    rules = GenEvalRules.of(settings)
    check_detector_settings(settings, min(rules.threshold, rules.counting_threshold))
    chosen = {**_OPTIONS, **settings}
    if chosen["crop"] not in (0, 1):
        raise ValueError(f"crop must be 0 or 1, got {chosen['crop']}")
    check_background(chosen["background"])
    if chosen["vocabulary"] not in VOCABULARIES:
        raise ValueError(f"vocabulary must be {' or '.join(VOCABULARIES)}, got {chosen['vocabulary']!r}")
    if chosen["precision"] not in PRECISIONS:
        raise ValueError(f"precision must be {' or '.join(PRECISIONS)}, got {chosen['precision']!r}")


SCORER: Final = Scorer(
    name="geneval",
    version="2",
    summary="Detects the objects, then checks presence, number, colour and position by GenEval's rules: yes or no.",
    profiles={
        "playground": _PLAYGROUND,
        "paper": {**_META, "detector": MASK2FORMER_OPENMMLAB},
        "mask2former-meta": _META,
        "fast": _FAST,
    },
    judging=frozenset(GenEvalRules.__slots__),
    open=_open,
    judge=judge,
    scales={"correct": "nominal", "present": "nominal", "count": "ordinal:0-5", "color": "nominal", "position": "nominal"},
    models=frozenset({"detector", "clip"}),
    check=_check,
    options=_OPTIONS,
    knobs=KNOBS,
    # ten colours were asked of every object whose colour a prompt asks, and a flipped prompt asks it of the same ones
    flips=Flips(rejudges=True),
)
