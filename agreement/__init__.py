"""Agreement of raters: statistics on tables and vectors, intervals by prompt, and the report of a long frame.

Pure: no input or output, and nothing else of ours is imported. `statistics` holds the formulas, each once; `inference` how sure
a number is; `study` cuts judgements into cells; `report` puts them together; `engine` follows single answers.

A name is imported when it is first used: who only reads a scale does not wait a second for pandas.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from agreement.catalogue import STATISTICS, PeopleAs
    from agreement.consensus.methods import METHODS as CONSENSUSES
    from agreement.consensus.methods import Method as ConsensusMethod
    from agreement.consensus.report import consensus_rows
    from agreement.estimate import Estimate
    from agreement.pair.confusion import PairReport, pair_report
    from agreement.report.report import AgreementReport, build, scorer_means
    from agreement.report.scorer_vs_scorer import Comparison, comparisons
    from agreement.statistics.scale import Scale, ScaleError
    from agreement.study.cells import CellName, Options
    from agreement.thresholds import CutOptions, ThresholdCurve, curve

__all__ = [
    "CONSENSUSES",
    "STATISTICS",
    "AgreementReport",
    "CellName",
    "Comparison",
    "ConsensusMethod",
    "CutOptions",
    "Estimate",
    "Options",
    "PairReport",
    "PeopleAs",
    "Scale",
    "ScaleError",
    "ThresholdCurve",
    "build",
    "comparisons",
    "consensus_rows",
    "curve",
    "pair_report",
    "scorer_means",
]

_MODULES: Final = {
    "STATISTICS": "catalogue", "PeopleAs": "catalogue",
    "CONSENSUSES": "consensus.methods:METHODS", "ConsensusMethod": "consensus.methods:Method",
    "consensus_rows": "consensus.report",
    "Estimate": "estimate",
    "PairReport": "pair.confusion", "pair_report": "pair.confusion",
    "AgreementReport": "report.report", "build": "report.report", "scorer_means": "report.report",
    "Comparison": "report.scorer_vs_scorer", "comparisons": "report.scorer_vs_scorer",
    "Scale": "statistics.scale", "ScaleError": "statistics.scale",
    "CellName": "study.cells", "Options": "study.cells",
    "CutOptions": "thresholds", "ThresholdCurve": "thresholds", "curve": "thresholds",
}  # fmt: skip


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    module, _, original = _MODULES[name].partition(":")
    return getattr(import_module(f"agreement.{module}"), original or name)
