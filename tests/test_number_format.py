"""What rounds to 0 has no sign: one formatter, Python's with the z flag, prints every number with decimals."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from concord.common import text_tables, wording
from concord.common.table import cell
from ui.components.tables import span

ROOT = Path(__file__).resolve().parents[1]
UNSIGNED = re.compile(r":[+]?,?\.(?:\d|\{\w+\})f\}|[\"'][+]?,?\.\df[\"']")
"""A fixed-point format without the flag; templates of Plotly, which has its own, start with %{."""


def test_what_rounds_to_nothing_has_no_minus() -> None:
    assert cell(-0.00001).text == "0.0000"
    assert text_tables.interval(-0.00001, 0.1) == "0.0000 .. 0.1000"
    assert (wording.two(-0.001), span(-0.001, -0.0, "+z.3f")) == ("0.00", "-0.001 to +0.000")


@pytest.mark.parametrize("folder", ["agreement", "concord", "ui"])
def test_every_number_with_decimals_is_printed_by_the_one_formatter(folder: str) -> None:
    lines = [
        f"{path.relative_to(ROOT)}:{n}: {line.strip()}"
        for path in sorted((ROOT / folder).rglob("*.py"))
        for n, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        if "%{" not in line and UNSIGNED.search(line)
    ]
    assert lines == []
