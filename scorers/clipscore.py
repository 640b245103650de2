"""CLIPScore without its rescaling: the cosine between an image and its prompt, as it is (-1 to 1)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

import numpy as np

from data.aspects import SCALES
from data.prompts.spec import Spec
from data.records import Judgement
from data.runs import Seen
from scorers.base import Check, Perceiver, Scorer, Settings, Shown, Verdict

if TYPE_CHECKING:
    from scorers.models.clip import Clip


class ClipPerceiver:
    """The model in memory."""

    def __init__(self, clip: Clip) -> None:
        self._clip = clip

    def perceive(self, batch: Sequence[Shown]) -> list[Seen]:
        """See ``Perceiver``. ``cosine`` is None where the model gives no number; ``read`` of ``tokens`` reached it."""
        images = self._clip.images([shown.image for shown in batch]).astype(np.float64)
        texts = self._clip.texts([shown.text for shown in batch]).astype(np.float64)
        found = []
        for shown, cosine in zip(batch, (images * texts).sum(axis=1).tolist(), strict=True):
            tokens = self._clip.tokens(shown.text)
            payload = {
                "cosine": cosine if math.isfinite(cosine) else None,
                "tokens": tokens,
                "read": min(tokens, self._clip.context),
            }
            found.append(Seen(shown.item_id, payload))
        return found


def judge(spec: Spec, seen: Seen, settings: Settings) -> Verdict:  # noqa: ARG001  (as every scorer's)
    """``score`` is the cosine; undefined if the model gave no number."""
    if seen.failed is not None:
        return Verdict((), checks=(Check(f"could not be looked at: {seen.failed}", None),))
    cosine, tokens, read = (seen.payload.get(key) for key in ("cosine", "tokens", "read"))
    if cosine is None:
        return Verdict((Judgement("score", None, None, None, "not_finite"),), checks=(Check("the model gave no number", None),))
    checks = [Check(f"cosine of image and prompt: {cosine:.4f}", None)]
    if tokens is not None and read is not None and read < tokens:
        checks.append(Check(f"only the first {read} of the prompt's {tokens} tokens were read", None))
    return Verdict((Judgement("score", None, float(cosine)),), checks=tuple(checks))


def _open(settings: Settings, device: str) -> Perceiver:
    from scorers.models.clip import Clip

    return ClipPerceiver(Clip(settings["clip"], device))


SCORER: Final = Scorer(
    name="clipscore",
    version="1",
    summary="How near image and prompt are in an image-text model: a raw cosine.",
    profiles={"playground": {"clip": "assets/playground/clip"}},
    judging=frozenset(),
    open=_open,
    judge=judge,
    scales={"score": SCALES["score"]},
    models=frozenset({"clip"}),
)
