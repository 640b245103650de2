"""How often 95 % intervals of suites' metrics hold the truth.

    uv run benchmarks/suite_metrics_coverage.py [--studies 500]

Studies are simulated: prompts of four images differ in how often both objects are there and in how often the relation holds
then; a scorer errs in nothing, three people err in a tenth of their answers and enter by majority. The truth of a metric is
its value on TRUTH prompts. Coverage must fit .93 to .97 as far as the exact 99 % interval of the simulation tells, in ordinary
cells: 30 prompts or more, and a truth from .1 to .9; in others at most .07 of the studies may have an interval that does not
hold the truth. Ends with 1 where a cell fails.

Intervals are by prompt: where equivalent prompts are alike (`alike`) there are fewer independent ones than prompts. These cells
are printed, not judged.
"""

from __future__ import annotations

import sys
from itertools import product
from pathlib import Path
from typing import Final

if not __package__:
    # run as a script, whose folder comes first
    sys.path[0] = str(Path(__file__).resolve().parents[1])

import numpy as np

from agreement import Estimate

TRUTH: Final = 4_000
IMAGES: Final = 4
SIZES: Final = (30, 60, 150)
SCALES: Final = {("s", "correct"): "nominal:yes|no", ("s", "present"): "nominal:yes|no"}
LEAST, MOST, LARGEST_ERROR = 0.93, 0.97, 0.07
ORDINARY: Final = (0.1, 0.9)


def study(prompts: int, seed: int, *, intervals: bool, alike: bool = False) -> list[Estimate]:
    """Return all metrics of a simulated study of one generator; each two prompts are equivalent, and equally hard if `alike`."""
    rng = np.random.default_rng([seed, prompts])
    drawn = prompts // 2 if alike else prompts
    both_rate, right_rate = (np.repeat(rng.beta(1.5, 1.5, drawn), prompts // drawn) for _ in range(2))
    shown = rng.random((prompts, IMAGES)) < both_rate[:, None]
    right = shown & (rng.random((prompts, IMAGES)) < right_rate[:, None])
    failed = 0
    for alike, prompts in product((False, True), SIZES):
        truths = {(row.rater, row.statistic): row.value for row in study(TRUTH, 1, intervals=False, alike=alike)}
        cells = {key: CellCount(value) for key, value in truths.items() if value is not None}
        for seed in range(studies):
            for row in study(prompts, seed + 2, intervals=True, alike=alike):
                cell = cells[row.rater, row.statistic]
                if row.low is not None and row.high is not None:
                    cell.intervals += 1
                    cell.held += row.low <= cell.truth <= row.high
                    cell.widths.append(row.high - row.low)
        for (rater, statistic), cell in cells.items():
            bad = not alike and cell.fails(prompts, studies)
            failed += bad
            who, width = rater or "people", float(np.mean(cell.widths)) if cell.widths else float("nan")
            print(
                f"{prompts:4} prompts{' alike' if alike else ''}  {who:7} {statistic:23} truth {cell.truth:.3f}  coverage {cell.coverage:.3f}"
                f"  of {cell.intervals}  width {width:.3f}{'  FAILS' if bad else ''}",
                flush=True,
            )
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
