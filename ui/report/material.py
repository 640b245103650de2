"""What a report is made from: everything is read and computed here, once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any

import pandas as pd

from agreement import Options
from agreement.certainty import select
from data.store import export, frame
from data.store.export import Scorer
from data.store.frame import Scales
from data.store.selection import Selection
from data.store.store import Store
from ui import counted
from ui.commands import agreement
from ui.commands.agreement import Rows


@dataclass(frozen=True)
class Material:
    """A selection with all that follows from it.

    Attributes:
        said: every judgement (``export.judgements``); ``left_out`` is why each does not count, None for those that do.
        ratings: those that count (``counted.counted``).
        rows: of ``agreement --format json``, and further sections by name; of any two raters only those over all
            generators and tasks, as every pair in every place would be most of the report.
        scorers: who they are, those that the project knows more of than numbers.
        command: remakes the report.
    """

    selection: Selection
    options: Options
    said: pd.DataFrame
    left_out: pd.Series
    ratings: pd.DataFrame
    rows: Mapping[str, list[dict[str, Any]]]
    scorers: list[Scorer]
    command: str
    made: datetime
    sha256: str


def gather(store: Store, selection: Selection, options: Options, command: str) -> Material:
    """Read the judgements once and make everything from these."""
    scales = frame.scales(store)
    said = select(export.judgements(store, selection), scales, selection.certainty)
    values = counted.values(said, scales)
    ratings = counted.counted(said, scales)
    return Material(
        selection,
        options,
        said,
        said["excluded"].astype(object).where(said["excluded"].notna() | values.notna(), "no_value"),
        ratings,
        _rows(said, scales, selection, options) if len(ratings) else {},
        export.scorers(store, ratings.loc[ratings["kind"] == "scorer", "rater"].unique().tolist()),
        command,
        datetime.now(UTC),
        counted.data_hash(ratings),
    )


def _rows(said: pd.DataFrame, scales: Scales, selection: Selection, options: Options) -> Rows:
    rows = agreement.rows_of(said, scales, selection, options)
    whole = replace(options, each_generator=False)
    further = agreement.further_of(said, scales, selection, whole, agreement.FURTHER)
    decided = {_whose(row) for row in rows["raters"] if row["statistic"] == "percent_agreement"}
    return rows | {
        "matrix": [row for row in rows["matrix"] if (row["generator"], row["task"]) == ("all", "all")],
        "comparisons": further["comparisons"],
        # a scorer that says yes or no itself needs no cut
        "thresholds": [row for row in further["thresholds"] if _whose(row) not in decided],
    }


def _whose(row: Mapping[str, Any]) -> tuple[Any, ...]:
    return tuple(row[name] for name in ("suite", "aspect", "target", "people", "rater"))
