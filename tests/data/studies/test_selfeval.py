"""SelfEval's printed totals: their shape, and the paper's own lines where it is at hand."""

from __future__ import annotations

from pathlib import Path

import pytest

from data.studies.selfeval import (
    SELFEVAL_LATENT,
    SELFEVAL_PIXEL,
    SELFEVAL_TABLES,
    SELFEVAL_TASKS,
    selfeval_values,
    selfeval_votes,
)

PAPER = Path(__file__).resolve().parents[4] / "shared" / "papers" / "selfeval.txt"


def test_every_row_has_two_models_in_five_tasks() -> None:
    for table in SELFEVAL_TABLES:
        assert len(table.humans) == 2 * len(SELFEVAL_TASKS)
        assert [len(metric.values) for metric in table.metrics] == [2 * len(SELFEVAL_TASKS)] * 5
    assert selfeval_votes(SELFEVAL_PIXEL)["attribute"] == {"PDM-CLIP": 24, "PDM-T5": 117}
    assert selfeval_votes(SELFEVAL_LATENT)["spatial"] == {"LDM-CLIP": 21, "LDM-T5": 73}


def test_of_mid_more_is_better_here_and_its_name_says_so() -> None:
    mid = SELFEVAL_LATENT.metrics[1]
    assert mid.rater_id == "MID (printed, negated)"
    assert selfeval_values(SELFEVAL_LATENT, mid)["spatial"] == {"LDM-CLIP": -4.33e14, "LDM-T5": 8.0e15}
    assert selfeval_values(SELFEVAL_PIXEL, SELFEVAL_PIXEL.metrics[0])["count"] == {"PDM-CLIP": 0.81, "PDM-T5": 0.76}


@pytest.mark.skipif(not PAPER.is_file(), reason="the paper is not beside this checkout")
def test_the_numbers_are_the_papers() -> None:
    lines = PAPER.read_text(encoding="utf-8").splitlines()
    for table in SELFEVAL_TABLES:
        begin = next(n for n, line in enumerate(lines) if line.startswith(f"{table.where}: Comparison of evaluation metrics"))
        rows = {line.split()[0]: line for line in lines[begin : begin + 12] if line}
        assert rows["Humans"].split()[1:] == [str(n) for n in table.humans]
        for metric in table.metrics:
            # "-8.6EE\mathrm{E}roman_E14" is the converter's way to write -8.6E14
            parts = rows[metric.name].replace("EE\\mathrm{E}roman_E", "E").split(") ")[1].split()
            assert parts == metric.printed.split()
            assert ("\\downarrow" in rows[metric.name]) is metric.lower_is_better
