"""Votes between two images of one prompt by two generators (SelfEval, sections 4.1 and 4.2), and what follows from them.

Pure, as all of ``agreement``: votes come as records, intervals are by prompt.
"""

from agreement.preferences.implied import Way, implied
from agreement.preferences.ranks import Mean, Ranked, Winning, ranked
from agreement.preferences.strength import Standing, standings
from agreement.preferences.votes import CANNOT_TELL, Counted, Side, Vote, counted, sided
from agreement.preferences.winners import Beside, beside, winners

__all__ = [
    "CANNOT_TELL",
    "Beside",
    "Counted",
    "Mean",
    "Ranked",
    "Side",
    "Standing",
    "Vote",
    "Way",
    "Winning",
    "beside",
    "counted",
    "implied",
    "ranked",
    "sided",
    "standings",
    "winners",
]
