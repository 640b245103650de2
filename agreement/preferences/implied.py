"""What a scorer's two values on a pair would have it vote (SelfEval, section 4.2 and Figure 5)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from math import isfinite
from typing import Final, Literal

from agreement.preferences.votes import BOTH, NONE, TIE, Vote

Way = Literal["correct", "score"]
"""``correct``: "only one model is right" (Figure 5), else both or none; ``score``: the larger one, equal ones are a tie."""
NO_VALUE: Final = "no_scorer_value"


@dataclass(frozen=True, slots=True)
class Two:
    """A scorer's values of a pair's images, in the order of ``first`` and ``second``; None: it has none.

    Of ``correct`` they are 1 (yes) and 0 (no).
    """

    pair: str
    task: str
    prompt: str | None
    first: str
    second: str
    of_first: float | None
    of_second: float | None


def implied(pairs: Sequence[Two], way: Way) -> list[Vote]:
    """The votes that follow; a pair one of whose images has no value does not count (``no_scorer_value``)."""
    return [_vote(two, way) for two in pairs]


def _vote(two: Two, way: Way) -> Vote:
    vote = Vote(two.pair, two.task, two.prompt, two.first, two.second, None, None, NO_VALUE)
    x, y = two.of_first, two.of_second
    if x is None or y is None or not (isfinite(x) and isfinite(y)):
        return vote
    if x == y:
        same = TIE if way == "score" else BOTH if x else NONE
        return replace(vote, chose=same, excluded=None)
    return replace(vote, chose=two.first if x > y else two.second, excluded=None)
