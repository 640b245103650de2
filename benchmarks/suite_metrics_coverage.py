"""How often 95 % intervals of suites' metrics hold the truth.

    uv run benchmarks/suite_metrics_coverage.py [--studies 500]

Studies are simulated: prompts of four images differ in how often both objects are there and in how often the relation holds
then; a scorer errs in nothing, three people err in a tenth of their answers and enter by majority. The truth of a metric is
its value on TRUTH prompts. Coverage must fit .93 to .97 as far as the exact 99 % interval of the simulation tells, in ordinary
cells: 30 prompts or more, and a truth from .1 to .9; in others at most .07 of the studies may have an interval that does not
hold the truth. Ends with 1 where a cell fails.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

if not __package__:
    # run as a script, whose folder comes first
    sys.path[0] = str(Path(__file__).resolve().parents[1])

import numpy as np
import pandas as pd
from scipy import stats

from agreement import Estimate, Options
from agreement.study.frame import COLUMNS
from agreement.suite_metrics.both_objects import Roles
from agreement.suite_metrics.formulas import EquivalentPrompts
from agreement.suite_metrics.verdicts import RelationPrompt, geneval_metrics, visor_metrics

TRUTH: Final = 4_000
IMAGES: Final = 4
SIZES: Final = (30, 60, 150)
SCALES: Final = {("s", "correct"): "nominal:yes|no", ("s", "present"): "nominal:yes|no"}
LEAST, MOST, LARGEST_ERROR = 0.93, 0.97, 0.07
ORDINARY: Final = (0.1, 0.9)


def study(prompts: int, seed: int, intervals: bool) -> list[Estimate]:
    """Return all metrics of a simulated study of one generator; each two prompts are equivalent."""
    rng = np.random.default_rng([seed, prompts])
    both_rate, right_rate = (np.repeat(rng.beta(1.5, 1.5, prompts // 2), 2) for _ in range(2))
    shown = rng.random((prompts, IMAGES)) < both_rate[:, None]
    right = shown & (rng.random((prompts, IMAGES)) < right_rate[:, None])
    truths = np.stack([shown, right], axis=-1)
    columns: dict[str, list[pd.DataFrame]] = {"rows": []}
    for rater, kind, error in (("m", "scorer", 0.0), *((f"r{k}", "human", 0.1) for k in range(3))):
        flips = rng.random(truths.shape) < error
        said = truths ^ flips
        here, correct = said[..., 0], said[..., 0] & said[..., 1]
        for aspect, target, labels in (
            ("present", "b", here),
            ("present", "a", np.ones_like(here)),
            ("correct", None, correct),
        ):
            columns["rows"].append(_rows(rater, kind, aspect, target, labels))
    frame = pd.concat(columns["rows"], ignore_index=True)
    relations = ("left", "right", "above", "below")
    asked = {
        f"p{n:05}": RelationPrompt(
            Roles("a", "b", relation=True), EquivalentPrompts(str(n // 2), n % 2 == 0, relations[n // 2 % len(relations)])
        )
        for n in range(prompts)
    }
    options = Options(intervals=intervals, each_generator=False)
    made = [*visor_metrics(frame, SCALES, asked, options), *geneval_metrics(frame, SCALES, options)]
    return [row for row in made if row.task == "all"]


def _rows(
    rater: str, kind: str, aspect: str, target: str | None, labels: np.ndarray[tuple[int, ...], np.dtype[np.bool_]]
) -> pd.DataFrame:
    prompts, images = labels.shape
    prompt = np.repeat([f"p{n:05}" for n in range(prompts)], images)
    item = [f"{name}/{k}" for name, k in zip(prompt, np.tile(np.arange(images), prompts), strict=True)]
    rows = {
        "suite": "s", "task": "t", "generator": "g", "prompt": prompt, "item": item, "rater": rater, "kind": kind,
        "identity": "person" if kind == "human" else None, "simulated": False, "aspect": aspect, "target": target,
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

    @property
    def coverage(self) -> float:
        """Return the share of intervals that hold the truth."""
        return self.held / self.intervals if self.intervals else float("nan")

    def fails(self, prompts: int, studies: int) -> bool:
        """Return True if the simulation tells that the cell breaks its promise."""
        if prompts >= min(SIZES) and ORDINARY[0] <= self.truth <= ORDINARY[1] and self.intervals == studies:
            low, high = _exact(self.held, self.intervals)
            return low > MOST or high < LEAST
        return _exact(self.intervals - self.held, studies)[0] > LARGEST_ERROR


def _exact(hits: int, n: int) -> tuple[float, float]:
    interval = stats.binomtest(hits, n).proportion_ci(0.99, "exact")
    return float(interval.low), float(interval.high)


def main(words: Sequence[str]) -> int:
    """Print a line for each size, rater and metric; return 1 if one fails."""
    studies = int(words[words.index("--studies") + 1]) if "--studies" in words else 500
    truths = {(row.rater, row.statistic): row.value for row in study(TRUTH, 1, intervals=False)}
    failed = 0
    for prompts in SIZES:
        cells = {key: CellCount(value) for key, value in truths.items() if value is not None}
        for seed in range(studies):
            for row in study(prompts, seed + 2, intervals=True):
                cell = cells[row.rater, row.statistic]
                if row.low is not None and row.high is not None:
                    cell.intervals += 1
                    cell.held += row.low <= cell.truth <= row.high
                    cell.widths.append(row.high - row.low)
        for (rater, statistic), cell in cells.items():
            bad = cell.fails(prompts, studies)
            failed += bad
            who, width = rater or "people", float(np.mean(cell.widths)) if cell.widths else float("nan")
            print(
                f"{prompts:4} prompts  {who:7} {statistic:23} truth {cell.truth:.3f}  coverage {cell.coverage:.3f}"
                f"  of {cell.intervals}  width {width:.3f}{'  FAILS' if bad else ''}",
                flush=True,
            )
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
