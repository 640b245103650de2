"""The colours of charts, each by what it stands for: those of Okabe and Ito, which colour-blind readers tell apart.

Style sheets that repeat one of them (``tests/ui/components/test_chart_colors.py``) must have the same. What pages look like
beside charts, in light and dark, is in ``assets/css/concord.css``.
"""

from __future__ import annotations

from typing import Final

BLUE, VERMILION, GREEN, PINK, ORANGE, SKY, GREY = (
    "#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#6b6b6b"
)  # fmt: skip

RIGHT, WRONG = BLUE, VERMILION
FIRST_OF_PAIR, SECOND_OF_PAIR = SKY, ORANGE

SERIES: Final = (BLUE, VERMILION, GREEN, PINK, ORANGE, SKY, GREY)
"""Several things in one chart, in their order."""
REFERENCE: Final = "#7a8194"
"""Axes' texts, intervals, and lines that values are compared with: legible on light and on dark pages."""
GRID, ZERO_LINE = "rgba(128,136,160,.22)", "rgba(128,136,160,.6)"
CLEAR: Final = "rgba(0,0,0,0)"

BLACK, PAPER, FAINT = "#000000", "#ffffff", "#5f6776"
"""Within coloured cells: dark and light text, and what is of less weight."""
