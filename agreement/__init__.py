"""Agreement of raters: statistics on tables and vectors, intervals by prompt, and the report of a long frame.

Pure: no input or output, and nothing else of ours is imported. `statistics` holds the formulas, each once; `inference` how sure
a number is; `study` cuts judgements into cells; `report` puts them together; `engine` follows single answers.
"""

from agreement.catalogue import STATISTICS, PeopleAs
from agreement.consensus.methods import METHODS as CONSENSUSES
from agreement.consensus.methods import Method as ConsensusMethod
from agreement.consensus.methods import NoCrowdKitError
from agreement.consensus.report import consensus_rows
from agreement.numeric import Result
from agreement.pair.confusion import Pair, meet
from agreement.report.report import Report, build, scorer_means
from agreement.report.scorer_comparison import Comparison, comparisons
from agreement.report.topic import Row
from agreement.statistics.scale import Scale, ScaleError, Value
from agreement.study.cells import Options, Place
from agreement.thresholds.curves import Curve, curve
from agreement.thresholds.decisions import Decided, thresholds
from agreement.thresholds.matched_answers import Cutting

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
