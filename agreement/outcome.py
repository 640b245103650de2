"""One statistic of one cell of a study: its value, its replicates, what it used and what it left out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from .bootstrap import LEVEL, Interval, percentile_interval
from .frame import Ratings, Suite
from .numeric import BoolArray, FloatArray, IntArray

TASKS_MEAN = "tasks_mean"


@dataclass(frozen=True)
class Used:
    """What a statistic used: items, ratings, clusters; and how many it left out, by reason."""

    items: int
    ratings: int
    clusters: int
    excluded: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True)
class Outcome:
    """A statistic in one cell. `value` None has a `reason`; `replicates` may hold NaN and is None where none were made."""

    value: float | None
    reason: str | None
    replicates: FloatArray | None
    used: Used
    how: str


def outcome(values: FloatArray, reason: str, used: Used, how: str) -> Outcome:
    """From values whose first is the estimate and the others its replicates; NaN becomes None with `reason`."""
    if np.isnan(values[0]):
        return undefined(reason, used, how)
    return Outcome(float(values[0]), None, values[1:] if values.size > 1 else None, used, how)


def undefined(reason: str, used: Used, how: str) -> Outcome:
    """An outcome without a value."""
    return Outcome(None, reason, None, used, how)


def mean_over_tasks(tasks: Mapping[str, Outcome | None]) -> Outcome:
    """The unweighted mean over tasks; its replicates are the means of the tasks' independent ones."""
    made = {name: found for name, found in tasks.items() if found is not None}
    parts = list(made.values())
    excluded = merged([part.used.excluded for part in parts])
    items, ratings, clusters = (sum(getattr(p.used, name) for p in parts) for name in ("items", "ratings", "clusters"))
    used = Used(items, ratings, clusters, excluded)
    how = f"unweighted mean over {len(tasks)} task{'s' if len(tasks) != 1 else ''}"
    values = [part.value for part in parts if part.value is not None]
    if len(values) < len(tasks):
        missing = [name for name, found in tasks.items() if found is None or found.value is None]
        reasons = sorted({part.reason for part in parts if part.reason})
        words = f"undefined in the task{'s' if len(missing) > 1 else ''} {', '.join(missing)}"
        return undefined(f"{words}: {'; '.join(reasons)}" if reasons else words, used, how)
    draws = [part.replicates for part in parts if part.replicates is not None and part.used.clusters > 1]
    replicates = np.mean(draws, axis=0) if len(draws) == len(parts) else None
    inner = sorted({part.how for part in parts if part.how})
    method = f"{how}, in each: {inner[0]}" if len(inner) == 1 else how
    return Outcome(float(np.mean(values)), None, replicates, used, method)


def interval(found: Outcome, *, by_prompt: bool, resamples: int, seed: int) -> tuple[Interval, str]:
    """The interval of an outcome, and `method`: in words, how value and interval were made."""
    one, many = ("prompt", "prompts") if by_prompt else ("item", "items")
    parts = [found.how] if found.how else []
    bounds = Interval(None, None)
    if found.value is not None and resamples:
        clusters = found.used.clusters
        if clusters < 2:
            parts.append(f"no interval: one {one}")
        elif found.replicates is None:
            parts.append(f"no interval: a task has one {one}")
        else:
            bounds = percentile_interval(found.replicates)
            if bounds.low is not None:
                parts.append(f"{LEVEL}% percentile bootstrap over {clusters} {many}, {resamples} resamples, seed {seed}")
            if bounds.note:
                parts.append(bounds.note)
    return bounds, "; ".join(parts)


def merged(counts: Sequence[Mapping[str, int]]) -> dict[str, int]:
    """Counts added up by reason; those of 0 left out."""
    total: dict[str, int] = {}
    for count in counts:
        for reason, n in count.items():
            if n:
                total[reason] = total.get(reason, 0) + int(n)
    return dict(sorted(total.items()))


def refused(rows: Ratings, suite: Suite) -> dict[str, int]:
    """Rows that do not count, by reason."""
    counts = np.bincount(rows.why[rows.why >= 0], minlength=len(suite.reasons))
    return {reason: int(n) for reason, n in zip(suite.reasons, counts, strict=True) if n}


@dataclass(frozen=True)
class Compact:
    """Codes renumbered 0, 1, ... without gaps, and how many there are."""

    codes: IntArray
    size: int


def compact(codes: IntArray) -> Compact:
    """Renumber codes without gaps, keeping their order."""
    found, codes = np.unique(codes, return_inverse=True)
    return Compact(codes.astype(np.int64), int(found.size))


def first_of(codes: Compact, values: IntArray) -> IntArray:
    """For each code one of its values (for a value that all rows of a code share)."""
    out = np.zeros(codes.size, np.int64)
    out[codes.codes] = values
    return out


def used_rows(rows: Ratings, mask: BoolArray, clusters: int, excluded: Mapping[str, int]) -> Used:
    """Used items and ratings of a mask of rows."""
    return Used(int(np.unique(rows.item[mask]).size), int(mask.sum()), clusters, merged([excluded]))
