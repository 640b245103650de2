"""One statistic of one cell of a study: its value, how it varies, what it used and what it left out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from agreement.inference.jackknife import Deviations, Interval, Kind
from agreement.inference.jackknife import interval as jackknife_interval
from agreement.inference.sign_flips import Swaps, mean_of
from agreement.numeric import BoolArray, FloatArray, IntArray
from agreement.study.frame import Ratings, Suite

TASKS_MEAN = "tasks_mean"


@dataclass(frozen=True)
class Used:
    """What a statistic used: items, ratings, clusters, identified persons; and how many it left out, by reason."""

    items: int
    ratings: int
    clusters: int
    excluded: Mapping[str, int] = field(default_factory=dict)
    persons: int = 0


@dataclass(frozen=True)
class Outcome:
    """A statistic in one cell. `value` None has a `reason`; `deviations` are None where no interval is wanted.

    `swaps`: of a difference of two scorers, how it changes as their judgements of prompts are swapped.
    """

    value: float | None
    reason: str | None
    deviations: Deviations | None
    used: Used
    how: str
    swaps: Swaps | None = None


def outcome(values: FloatArray, reason: str, used: Used, how: str) -> Outcome:
    """From values whose first is the estimate and the others its jackknife replicates; NaN becomes None with `reason`."""
    if np.isnan(values[0]):
        return undefined(reason, used, how)
    deviations = Deviations.of(values, used.clusters) if values.size > 1 else None
    return Outcome(float(values[0]), None, deviations, used, how)


def undefined(reason: str, used: Used, how: str) -> Outcome:
    """An outcome without a value."""
    return Outcome(None, reason, None, used, how)


def mean_over_tasks(tasks: Mapping[str, Outcome | None]) -> Outcome:
    """The unweighted mean over tasks, whose prompts are strata."""
    made = {name: found for name, found in tasks.items() if found is not None}
    parts = list(made.values())
    excluded = merged([part.used.excluded for part in parts])
    items, ratings, clusters = (sum(getattr(p.used, name) for p in parts) for name in ("items", "ratings", "clusters"))
    used = Used(items, ratings, clusters, excluded, max((part.used.persons for part in parts), default=0))
    how = f"unweighted mean over {len(tasks)} task{'s' if len(tasks) != 1 else ''}"
    values = [part.value for part in parts if part.value is not None]
    if len(values) < len(tasks):
        missing = [name for name, found in tasks.items() if found is None or found.value is None]
        reasons = sorted({part.reason for part in parts if part.reason})
        words = f"undefined in the task{'s' if len(missing) > 1 else ''} {', '.join(missing)}"
        return undefined(f"{words}: {'; '.join(reasons)}" if reasons else words, used, how)
    each = [part.deviations for part in parts if part.deviations is not None]
    strata = tuple(d / len(parts) for deviations in each for d in deviations.strata)
    adds = tuple(value / len(parts) for deviations in each for value in deviations.values)
    deviations = Deviations(strata, adds, sum(d.prompts for d in each)) if len(each) == len(parts) else None
    swaps = [part.swaps for part in parts if part.swaps is not None]
    inner = sorted({part.how for part in parts if part.how})
    method = f"{how}, in each: {inner[0]}" if len(inner) == 1 else how
    together = mean_of(swaps) if swaps and len(swaps) == len(parts) else None
    return Outcome(float(np.mean(values)), None, deviations, used, method, together)


def interval(found: Outcome, kind: Kind, *, by_prompt: bool = True, many: str | None = None) -> tuple[Interval, str]:
    """The interval of an outcome, and `method`: in words, how value and interval were made; `many`: what its clusters are."""
    bounds = Interval()
    if found.value is not None and found.deviations is not None:
        bounds = jackknife_interval(found.value, found.deviations, kind, many or ("prompts" if by_prompt else "items"))
    return bounds, "; ".join(part for part in (found.how, bounds.note) if part)


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
