"""Coverage of the 95 % intervals of suites' metrics.

    uv run benchmarks/suite_metrics_coverage.py [--studies 500]

Studies are simulated: prompts of four images differ in how often both objects are there and in how often the relation holds
then; a scorer errs in nothing, three people err in a tenth of their answers and enter by majority. The truth of a metric is
its value on TRUTH prompts. Coverage must fit .93 to .97 as far as the exact 99 % interval of the simulation tells, in ordinary
cells: a truth from .1 to .9, and an interval in each study; in others at most .07 of the studies may have an interval that does
not hold the truth. Ends with 1 where a cell fails.

Each relation is a task, so that the two prompts of an equivalent pair stand in two tasks; VISOR's metrics are judged where
these are equally hard (`alike`), too, and as means over tasks.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import product
from pathlib import Path
from typing import Final

if not __package__:
    # run as a script, whose folder comes first
    sys.path[0] = str(Path(__file__).resolve().parents[1])

import numpy as np
import pandas as pd
from scipy import stats

from agreement import Estimate, Options
from agreement.numeric import BoolArray
from agreement.study.frame import COLUMNS
from agreement.suite_metrics.both_objects import Roles
from agreement.suite_metrics.formulas import EquivalentPrompts
from agreement.suite_metrics.verdicts import RelationPrompt, geneval_metrics, visor_metrics

TRUTH: Final = 16_000
IMAGES: Final = 4
SIZES: Final = (30, 60, 150)
SCALES: Final = {("s", "correct"): "nominal:yes|no", ("s", "present"): "nominal:yes|no"}
LEAST, MOST, LARGEST_ERROR = 0.93, 0.97, 0.07
ORDINARY: Final = (0.1, 0.9)
_RELATIONS: Final = ("left", "right", "above", "below")


def study(prompts: int, seed: int, *, intervals: bool, alike: bool = False) -> list[Estimate]:
    """Return all metrics of a simulated study of one generator; of two equivalent prompts, equally hard ones if `alike`."""
    rng = np.random.default_rng([seed, prompts])
    drawn = prompts // 2 if alike else prompts
    both_rate, right_rate = (np.repeat(rng.beta(1.5, 1.5, drawn), prompts // drawn) for _ in range(2))
    shown = rng.random((prompts, IMAGES)) < both_rate[:, None]
    holds = rng.random((prompts, IMAGES)) < right_rate[:, None]
    places = [EquivalentPrompts(str(n // 2), n % 2 == 0, _relation(n)) for n in range(prompts)]
    task = [place.relation for place in places]
    parts = []
    for rater, kind, error in (("m", "scorer", 0.0), *((f"r{k}", "human", 0.1) for k in range(3))):
        here, right = (truth ^ (rng.random(truth.shape) < error) for truth in (shown, holds))
        parts.append(_rows(rater, kind, "present", "a", np.ones_like(here), task))
        parts.append(_rows(rater, kind, "present", "b", here, task))
        parts.append(_rows(rater, kind, "correct", None, here & right, task))
    frame = pd.concat(parts, ignore_index=True)
    asked = {f"p{n:05}": RelationPrompt(Roles("a", "b", relation=True), place) for n, place in enumerate(places)}
    options = Options(intervals=intervals, each_generator=False)
    estimates = visor_metrics(frame, SCALES, asked, options)
    if not alike:
        estimates += geneval_metrics(frame, SCALES, options)
    return [row for row in estimates if row.task in ("all", "tasks_mean")]


def _relation(prompt: int) -> str:
    """Return the relation of a prompt: the one after it asks the same by the opposite relation."""
    return _RELATIONS[2 * (prompt // 2 % 2) + prompt % 2]


def _rows(rater: str, kind: str, aspect: str, target: str | None, labels: BoolArray, task: Sequence[str]) -> pd.DataFrame:
    prompts, images = labels.shape
    prompt = np.repeat([f"p{n:05}" for n in range(prompts)], images)
    item = [f"{name}/{k}" for name, k in zip(prompt, np.tile(np.arange(images), prompts), strict=True)]
    rows = {
        "suite": "s", "task": np.repeat(task, images), "generator": "g", "prompt": prompt, "item": item, "rater": rater,
        "kind": kind, "identity": "person" if kind == "human" else None, "simulated": False, "aspect": aspect, "target": target,
        "label": np.where(labels.ravel(), "yes", "no"), "number": np.nan, "seq": 0, "excluded": None,
    }  # fmt: skip
    return pd.DataFrame(rows)[list(COLUMNS)]


@dataclass
class CellCount:
    """The studies of a cell: how many have an interval, and in how many of these it holds the truth."""

    truth: float
    intervals: int = 0
    held: int = 0
    widths: list[float] = field(default_factory=list)

    def add(self, row: Estimate) -> None:
        """Count a study."""
        if row.low is not None and row.high is not None:
            self.intervals += 1
            self.held += row.low <= self.truth <= row.high
            self.widths.append(row.high - row.low)

    def fails(self, studies: int) -> bool:
        """Return True if the simulation tells that the cell breaks its promise."""
        if ORDINARY[0] <= self.truth <= ORDINARY[1] and self.intervals == studies:
            low, high = _exact(self.held, self.intervals)
            return low > MOST or high < LEAST
        return _exact(self.intervals - self.held, studies)[0] > LARGEST_ERROR

    def line(self) -> str:
        """Return what a terminal shows of the cell."""
        if not self.intervals:
            return f"truth {self.truth:.3f}  no interval"
        coverage, width = self.held / self.intervals, float(np.mean(self.widths))
        return f"truth {self.truth:.3f}  coverage {coverage:.3f} of {self.intervals}  width {width:.3f}"


def _exact(hits: int, n: int) -> tuple[float, float]:
    interval = stats.binomtest(hits, n).proportion_ci(0.99, "exact")
    return float(interval.low), float(interval.high)


def main(words: Sequence[str]) -> int:
    """Print a line for each size, rater, metric and mean; return 1 if one fails."""
    studies = int(words[words.index("--studies") + 1]) if "--studies" in words else 500
    failed = 0
    for alike, prompts in product((False, True), SIZES):
        truths = study(TRUTH, 1, intervals=False, alike=alike)
        cells = {(row.rater, row.statistic, row.task): CellCount(row.value) for row in truths if row.value is not None}
        for seed in range(studies):
            for row in study(prompts, seed + 2, intervals=True, alike=alike):
                cells[row.rater, row.statistic, row.task].add(row)
        for (rater, statistic, task), cell in cells.items():
            bad = cell.fails(studies)
            failed += bad
            where = f"{prompts:4} prompts{' alike' if alike else ''}  {rater or 'people':7} {statistic:23} {task:10}"
            print(f"{where} {cell.line()}{'  FAILS' if bad else ''}", flush=True)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
