"""Agreement of raters: statistics on tables and vectors, intervals by prompt, and the report of a long frame.

Pure: no input or output, and nothing else of ours is imported. `statistics` holds the formulas, each once; `inference` how sure
a number is; `study` cuts judgements into cells; `report` puts them together; `engine` follows single answers.
"""

from agreement.catalogue import STATISTICS, PeopleAs
from agreement.consensus.methods import METHODS as CONSENSUSES
from agreement.consensus.methods import Method as ConsensusMethod
from agreement.consensus.report import consensus_rows
from agreement.numeric import Result
from agreement.pair.confusion import PairReport, pair_report
from agreement.report.report import AgreementReport, ReportRow, build, scorer_means
from agreement.report.scorer_vs_scorer import Comparison, comparisons
from agreement.statistics.scale import Scale, ScaleError, ScaleValue
from agreement.study.cells import CellName, Options
from agreement.thresholds import CutOptions, ThresholdAgreement, ThresholdCurve, curve, thresholds

__all__ = [
    "CONSENSUSES",
    "STATISTICS",
    "AgreementReport",
    "CellName",
    "Comparison",
    "ConsensusMethod",
    "CutOptions",
    "Options",
    "PairReport",
    "PeopleAs",
    "ReportRow",
    "Result",
    "Scale",
    "ScaleError",
    "ScaleValue",
    "ThresholdAgreement",
    "ThresholdCurve",
    "build",
    "comparisons",
    "consensus_rows",
    "curve",
    "pair_report",
    "scorer_means",
    "thresholds",
]
