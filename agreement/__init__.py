"""Agreement of raters: statistics on tables and vectors, bootstrap by cluster, and the report of a long frame.

Pure: no input or output, and nothing of ours is imported. Formulas stand in `counts` (many raters), `pairs` (two raters),
`alpha` (Krippendorff) and `correlation`, each once, on additive sums with any leading shape.
"""

from .catalogue import STATISTICS, PeopleAs
from .cells import Options
from .numeric import Result
from .report import Report, build, scorer_means
from .scale import Scale, ScaleError, Value
from .topic import Row

__all__ = [
    "STATISTICS",
    "Options",
    "PeopleAs",
    "Report",
    "Result",
    "Row",
    "Scale",
    "ScaleError",
    "Value",
    "build",
    "scorer_means",
]
