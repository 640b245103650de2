"""Image-text matching by an image-text model: the caption with the largest cosine (SelfEval, Table 5: the baseline)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

import numpy as np

from data.aspects import SCALES
from data.jobs.runs import Observation
from data.prompts.spec import Spec
from scorers.base import Check, Perceiver, Scorer, Settings, Shown, Verdict
from scorers.matching import verdict

if TYPE_CHECKING:
    from scorers.models.clip import Clip


class MatchPerceiver:
    """The model in memory."""

    def __init__(self, clip: Clip, warnings: tuple[str, ...] = ()) -> None:
        self._clip = clip
        self.warnings = warnings

    def perceive(self, batch: Sequence[Shown]) -> list[Observation]:
        """See ``Perceiver``. ``fits``: the cosine with each caption, -1 to 1, None where the model gives no number; ``scale``:
        what it multiplies cosines by before a softmax, as trained; ``unread``: captions that it did not read whole."""
        images = self._clip.images([shown.image for shown in batch]).astype(np.float64)
        texts = list(dict.fromkeys(caption for shown in batch for caption in shown.captions))
        vectors = dict(zip(texts, self._clip.texts(texts).astype(np.float64), strict=True))
        found = []
        for shown, image in zip(batch, images, strict=True):
            cosines = [float(image @ vectors[caption]) for caption in shown.captions]
            payload = {
                "captions": list(shown.captions),
                "right": shown.right,
                "fits": [cosine if math.isfinite(cosine) else None for cosine in cosines],
                "scale": self._clip.scale,
                "unread": [k for k, text in enumerate(shown.captions) if self._clip.tokens(text) > self._clip.context],
            }
            found.append(Observation(shown.item_id, payload))
        return found


def judge(spec: Spec, seen: Observation, settings: Settings) -> Verdict:  # noqa: ARG001  (as every scorer's)
    """As ``scorers.matching.verdict``; ``score`` is a difference of two cosines, 2 at most."""
    if seen.failed is not None:
        return Verdict((), checks=(Check(f"could not be looked at: {seen.failed}", None),))
    captions, unread = seen.payload["captions"], seen.payload.get("unread", ())
    told = [Check(f"the model did not read to the end of: {captions[place]}", None) for place in unread]
    return verdict(captions, seen.payload["right"], seen.payload["fits"], told)


def _open(settings: Settings, device: str) -> Perceiver:
    from scorers.models.clip import Clip
    from scorers.models.sentinel import check_clip

    clip = Clip(settings["clip"], device)
    return MatchPerceiver(clip, check_clip(clip, settings["clip"]))


SCORER: Final = Scorer(
    name="clipmatch",
    version="1",
    summary="Which caption is nearest to the image in an image-text model.",
    profiles={
        "playground": {"clip": "assets/playground/clip"},
        # these weights were trained with the quick form of GELU (see scorers.models.clip)
        "paper": {"clip": "ViT-L-14-quickgelu/openai"},
    },
    judging=frozenset(),
    open=_open,
    judge=judge,
    scales={name: SCALES[name] for name in ("caption", "correct", "score")},
    models=frozenset({"clip"}),
    matches=True,
)
