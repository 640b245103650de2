"""Image-text matching: what follows from how well each of an image's captions fits it, and the scorer ``clipmatch``.

SelfEval (section 3.3) picks the caption with the highest likelihood; any number does that grows with the fit. ``clipmatch``
takes the cosine of an image-text model (SelfEval, Table 5: the baseline).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

import numpy as np

from data.aspects import NO, SCALES, YES
from data.jobs.runs import Observation
from data.records import Judgement
from data.spec import Spec
from scorers.base import Check, Perceiver, Scorer, Settings, Shown, Verdict

if TYPE_CHECKING:
    from scorers.models.clip import Clip


TIE = "tie"
"""Why no caption is chosen: two or more fit best, and the order in which they stand says nothing."""


def posterior(fits: Sequence[float]) -> tuple[float, ...]:
    """p(c|x) of each caption from log p(x|c) with a uniform prior (SelfEval, section 3.2): softmax. 0 to 1, sums to 1."""
    logs = np.asarray(fits, float)
    odds = np.exp(logs - logs.max())
    return tuple((odds / odds.sum()).tolist())


def margin(fits: Sequence[float], right: int) -> float:
    """How much better the right caption fits than the best other one; negative where another fits better."""
    return fits[right] - max(fit for index, fit in enumerate(fits) if index != right)


def verdict(captions: Sequence[str], right: int, fits: Sequence[float | None], checks: Sequence[Check] = ()) -> Verdict:
    """``caption``: the one that fits best; ``correct``: whether it is the right one; ``score``: ``margin``.

    Where two fit best, none is chosen and ``correct`` is left open unless both are wrong. ``fits`` with None, nan or an
    infinity: the model gave no number, and nothing is said.

    Args:
        captions: C, all different.
        right: place of the right one.
        fits: C numbers, larger is better, in the units of ``score``.
        checks: what is said before the captions, for people.
    """
    known = [fit for fit in fits if fit is not None and math.isfinite(fit)]
    if len(known) < len(captions):
        judgements = tuple(Judgement(aspect, None, None, None, "not_finite") for aspect in ("caption", "correct", "score"))
        return Verdict(judgements, checks=(*checks, Check("the model gave no number", None)))
    best = [index for index, fit in enumerate(known) if fit == max(known)]
    findings = [
        Check(f"{'right' if index == right else 'wrong'} caption, {fit:+.5g} from the best: {captions[index]}", index in best)
        for index, fit in ((index, known[index] - max(known)) for index in range(len(known)))
    ]
    score = Judgement("score", None, margin(known, right))
    if right not in best:
        chosen = Judgement("caption", captions[best[0]], None) if len(best) == 1 else _undecided("caption")
        return Verdict((chosen, Judgement("correct", NO, 0.0), score), "another caption fits better", (*checks, *findings))
    if len(best) > 1:
        return Verdict(
            (_undecided("caption"), _undecided("correct"), score), "another caption fits as well", (*checks, *findings)
        )
    chosen = Judgement("caption", captions[right], None)
    return Verdict((chosen, Judgement("correct", YES, 1.0), score), checks=(*checks, *findings))


def _undecided(aspect: str) -> Judgement:
    return Judgement(aspect, None, None, None, TIE)


class ClipMatchPerceiver:
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
        observations = []
        for shown, image in zip(batch, images, strict=True):
            cosines = [float(image @ vectors[caption]) for caption in shown.captions]
            payload = {
                "captions": list(shown.captions),
                "right": shown.right,
                "fits": [cosine if math.isfinite(cosine) else None for cosine in cosines],
                "scale": self._clip.scale,
                "unread": [k for k, text in enumerate(shown.captions) if self._clip.tokens(text) > self._clip.context],
            }
            observations.append(Observation(shown.item_id, payload))
        return observations


def judge(spec: Spec, seen: Observation, settings: Settings) -> Verdict:  # noqa: ARG001  (as every scorer's)
    """As ``scorers.matching.verdict``; ``score`` is a difference of two cosines, 2 at most."""
    if seen.failed is not None:
        return Verdict((), checks=(Check(f"could not be looked at: {seen.failed}", None),))
    captions, unread = seen.payload["captions"], seen.payload.get("unread", ())
    checks = [Check(f"the model did not read to the end of: {captions[caption]}", None) for caption in unread]
    return verdict(captions, seen.payload["right"], seen.payload["fits"], checks)


def _open(settings: Settings, device: str) -> Perceiver:
    from scorers.models.clip import open_image_text_model
    from scorers.models.sanity_check import check_clip

    clip = open_image_text_model(settings["clip"], device)
    return ClipMatchPerceiver(clip, check_clip(clip, settings["clip"]))


SCORER: Final = Scorer(
    name="clipmatch",
    version="1",
    summary="Chooses among captions the one nearest to the image in an image-text model.",
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
    input="captions",
)
