"""Counting judgements of a frame by hand, as the database does, for standing sums."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Sequence
from typing import Any

import numpy as np

from data.store.analysis.aggregates import AggregateEntries, Aggregates

Judgement = dict[str, Any]


def _names(values: Collection[str | None]) -> tuple[str, ...]:
    return tuple(sorted({value for value in values if value}))


def _code(names: Sequence[str], value: str | None) -> int:
    return names.index(value) if value else -1


def marked(rows: Sequence[Judgement]) -> list[Judgement]:
    """With a rater's later judgements of a unit marked as repeats, as the frame of a project has them."""
    said: set[tuple[str, ...]] = set()
    found = []
    for row in sorted(rows, key=lambda row: int(row["seq"])):
        unit = (row["rater"], row["item"], row["aspect"], row["target"])
        again = row["excluded"] is None and unit in said
        if row["excluded"] is None:
            said.add(unit)
        found.append(row | {"excluded": "repeat"} if again else row)
    return found


def _entries(rows: Sequence[Judgement], items: Sequence[str], *, scores: bool) -> AggregateEntries:
    """One entry for each key, in any order."""
    counts: Counter[tuple[Any, ...]] = Counter()
    for row in rows:
        reason = row["excluded"]
        who = row["rater"] if row["kind"] == "scorer" else bool(row["simulated"])
        value = row["number"] if scores else row["label"]
        counts[row["item"], row["target"], who, value, reason] += 1
    keys = list(counts)
    targets, scorers, reasons = (_names([k[n] for k in keys if isinstance(k[n], str)]) for n in (1, 2, 4))
    labels = () if scores else _names([k[3] for k in keys])
    return AggregateEntries(
        targets, labels, reasons, scorers,
        np.array([items.index(k[0]) for k in keys], np.int64),
        np.array([_code(targets, k[1]) for k in keys], np.int64),
        np.array([2 + scorers.index(k[2]) if isinstance(k[2], str) else int(k[2]) for k in keys], np.int64),
        np.array([-1 if scores else _code(labels, k[3]) for k in keys], np.int64),
        np.array([_code(reasons, k[4]) for k in keys], np.int64),
        np.array(list(counts.values()), np.int64),
        np.array([k[3] if scores and k[3] is not None else np.nan for k in keys], float),
    )  # fmt: skip


def counted(
    rows: Sequence[Judgement], aspect: str, places: Sequence[Judgement], items: Collection[str] | None = None
) -> Aggregates:
    """Judgements of one suite; of some items only, then without scorers. ``places`` has a row for each item that there is."""
    mine = [row for row in rows if items is None or (row["item"] in items and row["kind"] != "scorer")]
    of = {row["item"]: row for row in places if items is None or row["item"] in items}
    known = list(of)
    tasks, generators = (_names([of[item][name] for item in known]) for name in ("task", "generator"))
    return Aggregates(
        known, tasks, generators,
        np.array([_code(tasks, of[item]["task"]) for item in known], np.int64),
        np.array([_code(generators, of[item]["generator"]) for item in known], np.int64),
        _entries([row for row in mine if row["aspect"] == aspect], known, scores=False),
        _entries([row for row in mine if row["aspect"] == "score" and row["kind"] == "scorer"], known, scores=True),
    )  # fmt: skip
