"""What a report is made from: everything is read and computed here, once."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pandas as pd

from agreement import Options, scorer_means
from agreement.report.report import select
from concord import agreement, exporting
from concord.agreement import Rows
from data.store.analysis import exports
from data.store.core.frame import Scales
from data.store.core.selection import Selection
from data.store.core.store import Store
from ui.report import figures, sample_failures, sections_methods, sections_results
from ui.report.sections import Material
from ui.report.sections_results import alone

Tell = Callable[[str, float], None]
"""Told what is being done, and what share of the whole is done (0 to 1)."""


def options_of(selection: Selection, seed: int) -> Options:
    """What a report of a selection computes."""
    # of a single class there is nothing to set beside it
    return Options(seed=seed, ceiling=True, by_certainty=len(set(selection.certainty)) != 1)


def gather(store: Store, selection: Selection, options: Options, command: str, tell: Tell = lambda *_: None) -> Material:
    """Read the judgements once and make everything from these."""
    tell("reading the judgements", 0.0)
    scales = agreement.scales_of(store)
    said = select(exports.judgements(store, selection), scales, selection.certainty)
    values = exporting.rating_texts(said, scales)
    ratings = exporting.counted_ratings(said, scales)
    rows = _rows(said, scales, selection, options, tell) if len(ratings) else {}
    made = Material(
        selection,
        options,
        said,
        said["excluded"].astype(object).where(said["excluded"].notna() | values.notna(), "no_value"),
        ratings,
        rows,
        exports.describe_scorers(store, ratings.loc[ratings["kind"] == "scorer", "rater"].unique().tolist()),
        command,
        datetime.now(UTC),
        exporting.data_hash(ratings),
        sections_methods.recruited(store, said),
    )
    if not rows:
        return made
    return replace(
        made,
        confusions=sections_results.confusions(said, scales, dict(rows), options, _part(tell, "crossing answers", 0.7, 0.8)),
        curves=figures.curves(said, scales, dict(rows), options, _part(tell, "drawing thresholds", 0.8, 0.9)),
        samples=sample_failures.samples(store, ratings, options.seed, _part(tell, "collecting failures", 0.9, 1.0)),
    )


def _part(tell: Tell, what: str, low: float, high: float) -> Callable[[int, int], None]:
    """Progress of a part that goes from one share of the whole to another."""
    return lambda done, total: tell(what, low + (high - low) * done / max(total, 1))


def _rows(said: pd.DataFrame, scales: Scales, selection: Selection, options: Options, tell: Tell) -> Rows:
    tell("comparing raters", 0.1)
    rows = agreement.rows_of(said, scales, selection, options)
    whole = replace(options, each_generator=False)
    tell("comparing scorers", 0.5)
    further = agreement.further_of(said, scales, selection, whole, agreement.FURTHER)
    decided = {_whose(row) for row in rows["raters"] if row["statistic"] == "percent_agreement"}
    means = scorer_means(said, scales, replace(options, certainty=selection.certainty))
    wanted = selection.aspect
    return rows | {
        "matrix": [row for row in rows["matrix"] if (row["generator"], row["task"]) == ("all", "all")],
        "comparisons": further["comparisons"],
        # a scorer that says yes or no itself needs no cut
        "thresholds": [row for row in further["thresholds"] if _whose(row) not in decided],
        "scorer_means": [dict(row) for row in alone(means, rows["raters"]) if not wanted or row["aspect"] in wanted],
    }


def _whose(row: Mapping[str, Any]) -> tuple[Any, ...]:
    return tuple(row[name] for name in ("suite", "aspect", "target", "people", "rater"))
