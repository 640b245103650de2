"""A chart's colour stands in one place; style sheets that repeat one have the same."""

from __future__ import annotations

import re
from pathlib import Path

from ui.components import chart_colors

ROOT = Path(__file__).resolve().parents[3]
COLOR = re.compile(r"#[0-9a-f]{6}\b|#[0-9a-f]{3}\b|rgba?\(\d+", re.IGNORECASE)


def test_pages_and_figures_name_their_colours() -> None:
    literal = {
        f"{path.relative_to(ROOT)}:{number}"
        for path in sorted((ROOT / "ui").rglob("*.py"))
        if path.name != "chart_colors.py"
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        if COLOR.search(line)
    }
    assert literal == set()


def test_style_sheets_have_the_charts_colours() -> None:
    report = (ROOT / "ui" / "report" / "templates" / "report.css").read_text(encoding="utf-8")
    pairs = (ROOT / "assets" / "css" / "votes.css").read_text(encoding="utf-8")
    sides = re.findall(r"--cc-[ab]: (#\w+);", pairs)
    assert sides == [chart_colors.FIRST_OF_PAIR, chart_colors.SECOND_OF_PAIR]
    cells = re.findall(r"td\.(?:same|apart) \{ background: rgb\((\d+) (\d+) (\d+) /", report)
    assert [f"#{int(r):02x}{int(g):02x}{int(b):02x}" for r, g, b in cells] == [chart_colors.RIGHT, chart_colors.WRONG]
    assert re.search(r"\.picture rect \{.* stroke: (#\w+);", report)[1] == chart_colors.VERMILION  # type: ignore[index]
