"""A report's drawings have the numbers of their tables, and need no script."""

from __future__ import annotations

from agreement.estimate import Estimate
from agreement.generators import GeneratorDifference
from agreement.reasons import NO_METHOD
from concord.common.table import Cell
from ui.report.drawings import DotRow, DotTitles, dot_chart, dot_table, outcomes
from ui.shell.html import rendered

TITLES = DotTitles("Generator", "mean", "Rank", ("Behind",))


def test_a_chart_and_its_table_have_the_same_numbers() -> None:
    level = Estimate(value=0.6, low=0.55, high=0.65)
    rows = [
        DotRow("<b>", Estimate(value=0.5, low=0.4, high=0.6), "people", 40, "=1 (1–2)", level, (Cell("0.10"),)),
        DotRow("none", Estimate(), "scorer", 0, "", None, (Cell("not judged"),)),
    ]
    drawn, table = rendered(dot_chart(rows, TITLES, zero=True)), dot_table("Means", rows, TITLES)
    assert "&lt;b&gt;" in drawn
    assert "<script" not in drawn
    assert (drawn.count("cc-dot-point"), drawn.count("cc-dot-level")) == (1, 1)
    assert 'value="0.5"' in drawn
    assert [[cell.text for cell in row.cells] for row in table.rows] == [
        ["=1 (1–2)", "<b>", "0.50", "[0.40, 0.60]", "40", "0.60 [0.55, 0.65]", "0.10"],
        ["", "none", "–", "–", "0", "", "not judged"],
    ]


def test_prompts_better_the_same_and_worse_are_a_bar_and_a_text() -> None:
    difference = GeneratorDifference("a", "b", 0.2, 0.1, 0.3, 0.01, 0.01, 10, 7, 0, 3, NO_METHOD)
    cell = outcomes(difference)
    assert cell.text == "7 / 3 / 0"
    assert rendered(cell.content).count("<span") == 3  # type: ignore[arg-type]
