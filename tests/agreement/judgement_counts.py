"""Counting judgements of a frame by hand, as the database does, for standing sums."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

import numpy as np
import pandas as pd

from data.store.analysis.aggregates import Aggregates, ItemAnswers

Judgement = dict[str, Any]


def marked(rows: Sequence[Judgement]) -> list[Judgement]:
    """With a rater's later judgements of a unit marked as repeats, as the frame of a project has them."""
    said: set[tuple[str, ...]] = set()
    results = []
    for row in sorted(rows, key=lambda row: int(row["seq"])):
        unit = (row["rater"], row["item"], row["aspect"], row["target"])
        again = row["excluded"] is None and unit in said
        if row["excluded"] is None:
            said.add(unit)
        results.append(row | {"excluded": "repeat"} if again else row)
    return results


def _entries(rows: Sequence[Judgement], items: Sequence[str], *, scores: bool) -> pd.DataFrame:
    """One entry for each judgement."""
    made = []
    for row in rows:
        scorer = row["rater"] if row["kind"] == "scorer" else None
        label, number = (None, row["number"]) if scores else (row["label"], np.nan)
        made.append((items.index(row["item"]), row["target"], scorer, bool(row["simulated"]), label, row["excluded"], number))
    names = ["item", "target", "scorer", "simulated", "label", "reason", "number"]
    # the database names reasons that nothing has, too
    reasons = pd.CategoricalDtype(
        sorted({"repeat", "cannot_tell", "saw_evidence", *(r["excluded"] for r in rows if r["excluded"])})
    )
    types = dict.fromkeys(("target", "scorer", "label"), object) | {"item": int, "simulated": bool, "number": float}
    return pd.DataFrame(made, columns=names).astype(types | {"reason": reasons})


def counted(rows: Sequence[Judgement], aspect: str, places: Sequence[Judgement]) -> Aggregates:
    """Judgements of one suite. ``places`` has a row for each item that there is."""
    of = {row["item"]: row["task"] for row in places}
    known = list(of)
    return Aggregates(
        pd.DataFrame({"item": pd.Series(known, dtype=object), "task": pd.Series(list(of.values()), dtype=object)}),
        _entries([row for row in rows if row["aspect"] == aspect], known, scores=False),
        _entries([row for row in rows if row["aspect"] == "score" and row["kind"] == "scorer"], known, scores=True),
    )


def counted_items(
    rows: Sequence[Judgement], aspect: str, places: Sequence[Judgement], items: Collection[str]
) -> tuple[dict[str, str | None], ItemAnswers]:
    """What people say of some items."""
    tasks = {row["item"]: row["task"] for row in places if row["item"] in items}
    mine = [row for row in rows if row["item"] in tasks and row["kind"] != "scorer" and row["aspect"] == aspect]
    return tasks, [(r["item"], r["target"], bool(r["simulated"]), r["label"], r["excluded"]) for r in mine]
