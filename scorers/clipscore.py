"""CLIPScore: the cosine between an image and its prompt, as it is (-1 to 1), or in one of the forms that papers report.

The cosine is what is stored; a form (``variant``) is a judgement made of it. They differ in more than a factor: Hessel et al.
(2021) put "A photo depicts" before each text, and cut negative cosines off.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Final

import numpy as np

from data.aspects import SCALES
from data.jobs import runs
from data.jobs.runs import Observation
from data.prompts import flips
from data.records import Judgement
from data.spec import Spec
from scorers.base import Check, Flips, Perceiver, Scorer, Settings, Shown, Verdict

if TYPE_CHECKING:
    from scorers.models.clip import Clip


COSINE: Final = "cos"
SCALED: Final = "scale*cos"
VARIANTS: Final[dict[str, Callable[[float, float], float]]] = {
    COSINE: lambda cosine, scale: cosine,  # noqa: ARG005
    "100*cos": lambda cosine, scale: 100 * cosine,  # noqa: ARG005
    "100*max(cos,0)": lambda cosine, scale: 100 * max(cosine, 0.0),  # noqa: ARG005
    "2.5*max(cos,0)": lambda cosine, scale: 2.5 * max(cosine, 0.0),  # noqa: ARG005
    SCALED: lambda cosine, scale: scale * cosine,
}
"""What is made of a cosine. ``100*max(cos,0)``: GenEval, C.3; ``2.5*max(cos,0)``: Hessel et al., with their ``PREFIX``;
``scale*cos``: PickScore (Kirstain et al., 2023), with the scale that the model learned."""
PREFIX: Final = "A photo depicts"
_OPTIONS: Final[Settings] = {"prefix": "", "variant": COSINE, "flip": ""}
"""``flip``: the texts that this rater is given are flipped so (``data.prompts.flips``): its numbers are no scores."""


def model_of(settings: Settings) -> str:
    """The image model that a run's embeddings are by: a name without colon that no two models share. A folder's weights are
    told by their fingerprint, those of open_clip's own list by their name, too."""
    name = str(settings.get("clip", "")).replace(":", "_")
    fingerprint = str((settings.get("weights") or {}).get("clip", "")).replace(":", "_")
    if fingerprint and "clip" not in (settings.get("revisions") or {}):
        name = name.replace(chr(92), "/").rstrip("/").rsplit("/", 1)[-1]
    return f"{name}@{fingerprint}" if fingerprint else name


class ClipPerceiver:
    """The model in memory. ``prefix`` comes before each text, with a space."""

    def __init__(self, clip: Clip, prefix: str = "", warnings: tuple[str, ...] = ()) -> None:
        self._clip = clip
        self._prefix = f"{prefix.strip()} " if prefix.strip() else ""
        self.warnings = warnings

    def perceive(self, batch: Sequence[Shown]) -> list[Observation]:
        """See ``Perceiver``. ``cosine`` is None where the model gives no number; ``scale``: what it learned to multiply cosines
        by; ``read`` of ``tokens`` reached it."""
        prompts = [self._prefix + shown.text for shown in batch]
        images = self._clip.images([shown.image for shown in batch]).astype(np.float64)
        embeddings = runs.pack_embeddings(images)
        texts = self._clip.texts(prompts).astype(np.float64)
        observations = []
        cosines = (images * texts).sum(axis=1).tolist()
        for shown, text, cosine, embedding in zip(batch, prompts, cosines, embeddings, strict=True):
            tokens = self._clip.tokens(text)
            payload = {
                "cosine": cosine if math.isfinite(cosine) else None,
                "scale": self._clip.scale,
                "tokens": tokens,
                "read": min(tokens, self._clip.context),
            }
            observations.append(Observation(shown.item_id, payload, embedding=embedding))
        return observations


def judge(spec: Spec, seen: Observation, settings: Settings) -> Verdict:  # noqa: ARG001  (as every scorer's)
    """``score`` is the cosine in the form that ``variant`` names; undefined if the model gave no number. Where the text was
    flipped it is ``flipped``, with the kind of flip as its target: no statistic takes it for a score."""
    if seen.failed is not None:
        return Verdict((), checks=(Check(f"could not be looked at: {seen.failed}", None),))
    cosine, tokens, read = (seen.payload.get(key) for key in ("cosine", "tokens", "read"))
    flip = settings.get("flip") or None
    aspect = "flipped" if flip else "score"
    if cosine is None:
        return Verdict((Judgement(aspect, None, None, flip, "not_finite"),), checks=(Check("the model gave no number", None),))
    variant = settings.get("variant", COSINE)
    scale = seen.payload.get("scale")
    if variant == SCALED and scale is None:
        why = "the model's scale was not noted when this was seen"
        return Verdict((Judgement(aspect, None, None, flip, "no_scale"),), checks=(Check(why, None),))
    score = VARIANTS[variant](float(cosine), float(scale or 1.0))
    text = f"prompt with its {flip} flipped" if flip else "prompt"
    checks = [Check(f"cosine of image and {text}: {cosine:.4f}", None)]
    if variant != COSINE:
        checks.append(Check(f"{variant} = {score:.4f}", None))
    if tokens is not None and read is not None and read < tokens:
        checks.append(Check(f"only the first {read} of the prompt's {tokens} tokens were read", None))
    return Verdict((Judgement(aspect, None, score, flip),), checks=tuple(checks))


def _open(settings: Settings, device: str) -> Perceiver:
    from scorers.models.clip import open_image_text_model
    from scorers.models.sanity_check import check_clip

    clip = open_image_text_model(settings["clip"], device)
    return ClipPerceiver(clip, settings.get("prefix", ""), check_clip(clip, settings["clip"]))


def _check(settings: Settings) -> None:
    variant = settings.get("variant", COSINE)
    if variant not in VARIANTS:
        raise ValueError(f"there is no variant {variant!r}; known: {', '.join(VARIANTS)}")
    if flip := settings.get("flip"):
        flips.check_kind(flip)


SCORER: Final = Scorer(
    name="clipscore",
    version="1",
    summary="How near image and prompt are in an image-text model: a raw cosine.",
    profiles={
        "playground": {"clip": "assets/playground/clip"},
        # Hessel et al., 2021
        "paper": {"clip": "ViT-B-32-quickgelu/openai", "prefix": PREFIX, "variant": "2.5*max(cos,0)"},
        # the baseline of GenEval's human study (C.3, Table 5)
        "geneval": {"clip": "ViT-H-14/laion2b_s32b_b79k", "prefix": "", "variant": "100*max(cos,0)"},
        # what people prefer, as their authors' code reckons it (Kirstain et al., 2023; Wu et al., 2023)
        "pickscore": {"clip": "yuvalkirstain/PickScore_v1", "prefix": "", "variant": SCALED},
        "hpsv2": {"clip": "models/HPS_v2_compressed", "prefix": "", "variant": COSINE},
    },
    judging=frozenset({"variant"}),
    open=_open,
    judge=judge,
    scales={name: SCALES[name] for name in ("score", "flipped")},
    models=frozenset({"clip"}),
    check=_check,
    options=_OPTIONS,
    flips=Flips(rejudges=False),
)
