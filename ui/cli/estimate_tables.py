"""What ``estimate`` prints: tables, or rows as JSON."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from agreement.meta.estimates import DIFFERENCE, EstimateOptions, Method
from agreement.meta.labelled_sample import Target
from concord.agreement import selected
from concord.common import text_tables
from concord.common.context import Context, UsageError
from concord.common.text_tables import Column, Row, aligned, column, interval_column, lines, number_column
from concord.meta.estimates import TITLES, estimate

_NOTHING: Final = "people and scorers have judged nothing here in common: score the images, and let people label some"


def _interval(name: str) -> Column:
    return "95 % interval", lambda row: _range(row[f"{name}_low"], row[f"{name}_high"])


def _range(low: float | None, high: float | None) -> str:
    return "" if low is None else f"{low:.2f} .. {high:.2f}"


def _rounded(value: float | None) -> str:
    return "" if value is None else f"{value:.0f}"


_CELL: Final = (column("generator"), column("task"), column("scorer"))
_COUNTS: Final = (column("labels", "n_labelled"), column("others", "n_unlabelled"))
_COLUMNS: Final[Mapping[str, tuple[Column, ...]]] = {
    "estimate": (
        *_CELL,
        number_column("estimate", digits=3),
        interval_column(2),
        number_column("labels alone", "labels_mean", 3),
        _interval("labels"),
        number_column("scorer's mean", "scorer_mean", 3),
        number_column("all labels", "full_mean", 3),
        *_COUNTS,
        ("lambda", lambda row: "" if row["lambda"] is None else f"{row['lambda']:.2f}"),
        ("labels saved", lambda row: _rounded(row["labels_saved"])),
    ),
    "corrected_rate": (
        *_CELL,
        number_column("corrected", digits=3),
        interval_column(2),
        number_column("scorer's rate", "scorer_mean", 3),
        number_column("all labels", "full_mean", 3),
        number_column("sensitivity", "sensitivity", 2),
        _interval("sensitivity"),
        number_column("specificity", "specificity", 2),
        _interval("specificity"),
        *_COUNTS,
    ),
    DIFFERENCE: (
        column("generator"),
        column("less", "against"),
        column("task"),
        column("scorer"),
        number_column("difference", digits=3),
        interval_column(2),
        number_column("labels alone", "labels_mean", 3),
        number_column("scorer's", "scorer_mean", 3),
        *_COUNTS,
    ),
}


def print_estimates(
    context: Context,
    selection: Mapping[str, Sequence[str]],
    scorer: Sequence[str],
    method: Method,
    target: Target,
    against: str | None,
    labelled_at_random: bool,
    label_sample: int | None,
    seed: int,
    output: str,
) -> None:
    """The command ``estimate``."""
    if labelled_at_random and label_sample is not None:
        raise UsageError("--label-sample draws labels itself; leave out --labelled-at-random")
    chosen = selected(context, selection)
    options = EstimateOptions(method, target, labelled_at_random, label_sample, seed, against, tuple(scorer))
    rows = [row.to_dict() for row in estimate(context.store, chosen, options)]
    if output == "json":
        context.say_json({"selection": chosen.to_dict(), "rows": rows})
        return
    if not rows:
        context.say(_NOTHING)
    topics = dict.fromkeys((row["suite"], row["aspect"], row["people"], row["statistic"]) for row in rows)
    for suite, aspect, people, statistic in topics:
        part = [row for row in rows if (suite, aspect, people, statistic) == tuple(row[key] for key in _TOPIC)]
        _say(context, f"{TITLES[statistic]}: {suite}, {aspect}, {people} people", _COLUMNS[statistic], part)


_TOPIC: Final = ("suite", "aspect", "people", "statistic")


def _say(context: Context, title: str, columns: Sequence[Column], rows: Sequence[Row]) -> None:
    context.say(title)
    reasons = {row["reason"] for row in rows}
    if len(reasons) == 1 and None not in reasons:
        context.say(f"  none: {reasons.pop()}\n")
        return
    more = (*columns, column("reason")) if reasons != {None} else columns
    for line in aligned(text_tables.without_empty_columns(lines(more, rows))):
        context.say(f"  {line}")
    context.say(f"  {rows[0]['method'].partition(';')[2].strip() or rows[0]['method']}\n")
