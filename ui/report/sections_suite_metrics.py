"""The section of the metrics that the suites' own papers define."""

from __future__ import annotations

from typing import Final

from concord.reporting.material import Material
from concord.suite_metrics.overview_tables import metric_tables
from ui.report.sections import ReportSection

_TEXT: Final = (
    "What the papers of the suites print of a generator, by each scorer and by people, who enter with the strict majority of"
    " those who answered about an image. Intervals are 95 %, by prompt; the definitions say how each metric is made."
)


def suite_metrics_section(material: Material) -> ReportSection | None:
    """Return the section; None where no suite declares a metric."""
    rows = material.rows.suite_metrics
    if not rows:
        return None
    order = material.first.board.generators if material.first else ()
    return ReportSection("Metrics of the suites", (_TEXT,), tables=tuple(metric_tables(rows, order)))
