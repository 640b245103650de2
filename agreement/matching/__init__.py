"""Image-text matching (SelfEval, section 4): how often a rater picks the right caption, against chance; Winoground's scores;
votes between two raters; what fewer trials would have given."""

from agreement.matching.figures import COLUMNS, STATISTICS, figures
from agreement.matching.trials import by_trials, right_by_trials
from agreement.matching.votes import Votes, votes
from agreement.matching.winoground import SCORES, winoground

__all__ = [
    "COLUMNS",
    "SCORES",
    "STATISTICS",
    "Votes",
    "by_trials",
    "figures",
    "right_by_trials",
    "votes",
    "winoground",
]
