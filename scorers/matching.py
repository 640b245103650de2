"""What follows from how well each of an image's captions fits it, by whatever model: the rules of image-text matching.

SelfEval (section 3.3) picks the caption with the highest likelihood; any number does that grows with the fit.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from data.aspects import NO, YES
from data.records import Judgement
from scorers.base import Check, Verdict

TIE = "tie"
"""Why no caption is chosen: two or more fit best, and the order in which they stand says nothing."""


def posterior(fits: Sequence[float]) -> tuple[float, ...]:
    """p(c|x) of each caption from log p(x|c) with a uniform prior (SelfEval, section 3.2): softmax. 0 to 1, sums to 1."""
    logs = np.asarray(fits, float)
    odds = np.exp(logs - logs.max())
    return tuple((odds / odds.sum()).tolist())


def margin(fits: Sequence[float], right: int) -> float:
    """How much better the right caption fits than the best other one; negative where another fits better."""
    return fits[right] - max(fit for place, fit in enumerate(fits) if place != right)


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
    best = [place for place, fit in enumerate(known) if fit == max(known)]
    told = [
        Check(f"{'right' if place == right else 'wrong'} caption, {fit:+.5g} from the best: {captions[place]}", place in best)
        for place, fit in ((place, known[place] - max(known)) for place in range(len(known)))
    ]
    score = Judgement("score", None, margin(known, right))
    if right not in best:
        chosen = Judgement("caption", captions[best[0]], None) if len(best) == 1 else _open("caption")
        return Verdict((chosen, Judgement("correct", NO, 0.0), score), "another caption fits better", (*checks, *told))
    if len(best) > 1:
        return Verdict((_open("caption"), _open("correct"), score), "another caption fits as well", (*checks, *told))
    chosen = Judgement("caption", captions[right], None)
    return Verdict((chosen, Judgement("correct", YES, 1.0), score), checks=(*checks, *told))


def _open(aspect: str) -> Judgement:
    return Judgement(aspect, None, None, None, TIE)
