"""Agreement of raters: statistics on tables and vectors, intervals by prompt, and the report of a long frame.

Pure: no input or output, and nothing of ours is imported. Formulas stand in `counts` (many raters), `pairs` (two raters),
`alpha` (Krippendorff) and `correlation`, each once, on additive sums with any leading shape.
"""

from .catalogue import STATISTICS, PeopleAs
from .cells import Options, Place
from .compare import Comparison, comparisons
from .confusion import Pair, meet
from .consensus import METHODS as CONSENSUSES
from .consensus import Method as ConsensusMethod
from .consensus import NoCrowdKitError
from .consensus_report import consensus_rows
from .curves import Curve, curve
from .cutting import Cutting
from .numeric import Result
from .report import Report, build, scorer_means
from .scale import Scale, ScaleError, Value
from .threshold import Decided, thresholds
from .topic import Row

__all__ = [
    "CONSENSUSES",
    "STATISTICS",
    "Comparison",
    "ConsensusMethod",
    "Curve",
    "Cutting",
    "Decided",
    "NoCrowdKitError",
    "Options",
    "Pair",
    "PeopleAs",
    "Place",
    "Report",
    "Result",
    "Row",
    "Scale",
    "ScaleError",
    "Value",
    "build",
    "comparisons",
    "consensus_rows",
    "curve",
    "meet",
    "scorer_means",
    "thresholds",
]
