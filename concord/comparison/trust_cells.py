"""A cell of Trust: a rater's number for one use, and where it stands beside people's own level."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal

from agreement.catalogue import CORRELATIONS, ICCS, NUMBER_ALPHAS, TWO_RATERS
from agreement.estimate import Ceiling, CeilingVerdict, Estimate
from agreement.meta.ranking import SOFT, Ranking
from agreement.reasons import MethodCode, Reason, ReasonCode
from agreement.report.ceiling import FINER, NO_INTERVALS, SAW_LABELS
from concord.common import wording
from concord.comparison.leaderboard import SCORE
from concord.comparison.places import GeneratorPlace
from concord.headlines import FEWEST_ANSWERS, FEWEST_PROMPTS
from concord.meta.findings import TITLES
from concord.meta.replacement import Replacement
from data.aspects import YES_NO_ASPECTS

Use = Literal["judge", "better", "order"]
JUDGE: Final = "judge"
BETTER: Final = "better"
ORDER: Final = "order"
Standing = Literal["equal", "below", "undecided", "chance", "few", "unknown"]
USES: Final[Mapping[Use, str]] = {
    JUDGE: "to judge single images", BETTER: "to choose the better image of a prompt", ORDER: "to order generators",
}  # fmt: skip
"""The uses of a scorer, in the order of the columns."""


@dataclass(frozen=True, slots=True)
class TrustCell:
    """A rater's number for one use.

    Attributes:
        use: what it is for.
        statistic: by which; another one than the column's where the rater cannot have that.
        number: the value with its interval, and how it was made.
        level: people's own level in the rater's place by the same statistic; None for people, and where nobody was put there.
        standing: where it stands beside people.
        words: the same in a few words; empty where nothing may be said.
        more: with about how many more prompts four of five studies would decide; None where that is not the question.
        pairs: of an order of generators how many pairs stand in people's order, beside a random order.
    """

    use: Use
    statistic: str
    number: Estimate
    level: Ceiling | None
    standing: Standing
    words: str
    more: int | None = None
    pairs: Ranking | None = None

    @property
    def in_place(self) -> float | None:
        """The scorer's number in people's places, where that differs from its number by two digits."""
        own = self.level.verdict.scorer if self.level else None
        if own is None or self.number.value is None or wording.two(own) == wording.two(self.number.value):
            return None
        return own

    @property
    def chance(self) -> float | None:
        """Return the number of a rater that knows nothing; None where that is not known."""
        return chance_of(self.statistic)


@dataclass(frozen=True, slots=True)
class TrustRater:
    """A row: people, or a scorer.

    Attributes:
        kind: whose colour it has.
        aspect: what it gives: people's question, or a score of its own.
        images: how many of its images its first number rests on.
        cells: by use; without a number it has none.
        places: by generator its place by the mean and those within chance, as Results sorted by the rater has them.
        replacement: whether it may replace people, by the alternative annotator test and people's level.
    """

    name: str
    kind: Literal["people", "simulated", "scorer"]
    aspect: str
    images: int
    cells: Mapping[Use, TrustCell]
    places: Mapping[str, GeneratorPlace]
    replacement: Replacement | None = None

    @property
    def gives(self) -> str:
        """What it gives, in a word."""
        if self.kind != "scorer":
            return "one by one"
        return "scores" if self.aspect == SCORE else "verdicts" if self.aspect in YES_NO_ASPECTS else "ratings"


def title_of(statistic: str) -> str:
    """Return a statistic of agreement, or of an order of images or generators, as it is written."""
    return TITLES[statistic].lower() if statistic in TITLES else wording.title(statistic)


_HALF: Final = frozenset({"auc", SOFT})
_ZERO: Final = CORRELATIONS | TWO_RATERS | NUMBER_ALPHAS | ICCS | {
    "gwet_ac1", "gwet_ac2", "fleiss_kappa", "krippendorff_alpha_nominal", "krippendorff_alpha_ordinal",
}  # fmt: skip


def chance_of(statistic: str) -> float | None:
    """Return what a rater that knows nothing has; None where that is not known, as of a share of equal answers."""
    return 0.5 if statistic in _HALF else 0.0 if statistic in _ZERO else None


def too_few(row: Estimate) -> str:
    """Return why a number rests on too little for a verdict; "" where it does not."""
    if 0 < row.n_prompts < FEWEST_PROMPTS:
        return f"too few prompts ({row.n_prompts} of {FEWEST_PROMPTS})"
    return f"too few answers ({row.n_ratings} of {FEWEST_ANSWERS})" if row.n_ratings < FEWEST_ANSWERS else ""


_STANDINGS: Final[Mapping[str, tuple[Standing, str]]] = {
    "equivalent": ("equal", "as people"),
    "above": ("equal", "above people"),
    "below": ("below", "below people"),
}


def beside_people(use: Use, row: Estimate, level: Ceiling | None) -> TrustCell:
    """Return a number with where it stands beside people's level."""
    standing, words, more = _verdict(row, level.verdict if level else CeilingVerdict())
    return TrustCell(use, row.statistic, row, level, standing, words, more)


def _verdict(row: Estimate, verdict: CeilingVerdict) -> tuple[Standing, str, int | None]:
    chance = chance_of(row.statistic)
    if row.value is None:
        return "unknown", "", None
    if few := too_few(row):
        return "few", few, None
    if row.low is not None and chance is not None and row.low <= chance:
        return "chance", "not clearly better than chance", None
    if verdict.verdict:
        return *_STANDINGS[verdict.verdict], None
    if verdict.prompts_needed is not None:
        return "undecided", f"undecided, ~{wording.count(verdict.prompts_needed, 'more prompt')}", verdict.prompts_needed
    if verdict.verdict_reason == FINER:
        return "equal", "not below people", None
    if verdict.verdict_reason == SAW_LABELS:
        return "unknown", "its settings saw these answers", None
    known = verdict.scorer is not None and verdict.difference is not None and verdict.verdict_reason != NO_INTERVALS
    return ("undecided", "undecided", None) if known else ("unknown", "", None)


def ordering(soft: Ranking, pairs: Ranking | None) -> TrustCell:
    """Return how a scorer orders generators: of few generators no difference from people can be tested, but a random order can.

    As people do only where a random order would hardly do as well, and no part of its interval is below people's interval; of
    few generators the interval is wide, and mostly it is undecided.
    """
    level, words = soft.ceiling, ""
    standing: Standing = "unknown"
    if soft.value is not None and pairs is not None and pairs.value is not None and pairs.pairs:
        words = in_order(pairs)
        if few := too_few(soft):
            return TrustCell(ORDER, SOFT, soft, level, "few", f"{words}; {few}")
        low, high = (soft.value, soft.value) if _is_settled(soft) else (soft.low, soft.high)
        bottom = None if level is None else level.low if level.low is not None else level.value
        if pairs.verdict is None:
            standing = "chance"
            words += "; a random order may do as well"
        elif bottom is not None and high is not None and high < bottom:
            standing = "below"
            words += ", below people"
        elif bottom is not None and low is not None and low >= bottom:
            standing = "equal"
        elif bottom is not None:
            standing = "undecided"
            words += f", undecided with {wording.count(generators_of(pairs), 'generator')}"
    return TrustCell(ORDER, SOFT, soft, level, standing, words, pairs=pairs)


def _is_settled(soft: Ranking) -> bool:
    """Return True if a number has no interval because no study like this one would have another number."""
    parts = dict(soft.method.values).get("parts", ()) if soft.method.code is MethodCode.PARTS else ()
    settled = (ReasonCode.SETTLED, ReasonCode.SAME_IN_DRAWS)
    return any(isinstance(part, Reason) and part.code in settled for part in (parts if isinstance(parts, tuple) else (parts,)))


def generators_of(pairs: Ranking) -> int:
    """Return how many generators so many pairs are of."""
    return round((1 + math.sqrt(1 + 8 * (pairs.pairs or 0))) / 2)


def in_order(pairs: Ranking) -> str:
    """Return how many pairs of generators stand in people's order."""
    return f"{(pairs.value or 0.0) * (pairs.pairs or 0):z.0f} of {wording.count(pairs.pairs or 0, 'pair')}"
