"""The colours of charts, each by what it stands for: those of Okabe and Ito, which colour-blind readers tell apart.

Style sheets that repeat one of them (``tests/ui/components/test_chart_colors.py``) must have the same. What pages look like
beside charts, in light and dark, is in ``assets/css/concord.css``.
"""

from __future__ import annotations

from typing import Final

BLUE, VERMILION, GREEN, PINK, ORANGE, SKY, GREY = (
    "#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#6b6b6b"
)  # fmt: skip

PEOPLE, SCORER = VERMILION, BLUE
RATERS: Final = {"people": PEOPLE, "scorer": SCORER}
SCORER_BAND: Final = "rgba(0,114,178,.18)"
"""A scorer's interval along a line."""
RIGHT, WRONG = BLUE, VERMILION
FIRST_OF_PAIR, SECOND_OF_PAIR = SKY, ORANGE
LABELS_ALONE, ALL_LABELS = GREY, GREEN

SERIES: Final = (BLUE, VERMILION, GREEN, PINK, ORANGE, SKY, GREY)
"""Several things in one chart, in their order."""
BESIDE_RATERS: Final = (
    GREEN, PINK, SKY, ORANGE, "#7f7f7f", "#8c6bb1", "#a6761d", "#1b7837", "#c51b7d", "#4575b4"
)  # fmt: skip
"""Several things in a chart in which people and scorers have their own colours."""
REFERENCE: Final = "#7a8194"
"""Axes' texts, intervals, and lines that values are compared with: legible on light and on dark pages."""
EARLIER: Final = "#8a8f9c"
"""Where a setting stood before it was turned."""
OTHER: Final = "rgba(128,136,160,.55)"
"""What is not counted, or not enough."""
GRID, ZERO_LINE = "rgba(128,136,160,.22)", "rgba(128,136,160,.6)"
CLEAR: Final = "rgba(0,0,0,0)"

BLACK: Final = "#000000"
INK, PAPER, EMPTY, FAINT = "#1b1f27", "#ffffff", "#eceff4", "#5f6776"
"""Within coloured cells: dark and light text, a cell without a value, and what is of less weight."""
REPORT_INK: Final = "#3a4152"
"""Texts of a report's figures, which are always on white."""
