"""Votes between two images of one prompt by two generators (SelfEval, sections 4.1 and 4.2), and what follows from them.

Pure, as all of ``agreement``: votes come as records, intervals are by prompt.
"""

from agreement.preferences.ranking import (
    GeneratorStrength,
    MetricMean,
    RankCorrelation,
    WinningVotes,
    generator_strengths,
    rank_correlation,
)
from agreement.preferences.votes import (
    CANNOT_TELL,
    OrderAgreement,
    OrderBias,
    SideChoice,
    ValueAspect,
    Vote,
    VoteCounts,
    VoterKey,
    count_votes,
    implied_votes,
    order_agreement,
    side_choices,
    winners,
)

__all__ = [
    "CANNOT_TELL",
    "GeneratorStrength",
    "MetricMean",
    "OrderAgreement",
    "OrderBias",
    "RankCorrelation",
    "SideChoice",
    "ValueAspect",
    "Vote",
    "VoteCounts",
    "VoterKey",
    "WinningVotes",
    "count_votes",
    "generator_strengths",
    "implied_votes",
    "order_agreement",
    "rank_correlation",
    "side_choices",
    "winners",
]
