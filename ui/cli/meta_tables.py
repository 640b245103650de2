"""What the commands of `meta` print: tables, or rows as JSON."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from agreement import Options
from agreement.meta.alternative_annotator import WINNING_RATE
from agreement.meta.estimates import DIFFERENCE, EstimateOptions, Method
from agreement.meta.labelled_sample import Target
from agreement.meta.ranking import GENERATORS, KENDALL, PAIRWISE, RANK, SOFT
from agreement.study.cells import ALL
from concord.agreement import known_statistics, selected
from concord.common import sentences, text_tables, wording
from concord.common.context import Context, UsageError
from concord.common.text_tables import (
    Column,
    Row,
    aligned,
    column,
    counts,
    interval_column,
    lines,
    number_column,
    of_statistic,
    without_empty_columns,
)
from concord.meta import estimates, findings, planning
from concord.meta.findings import of_scorers
from concord.meta.planning import PlanRequest
from data.store.core.selection import Selection

_NOT_ESTIMATED: Final = "people and scorers have judged nothing here in common: score the images, and let people label some"
_NOT_RATED: Final = "no ratings by people in this selection: label images (uv run app.py serve), or import ratings"
_NOT_RANKED: Final = "people have rated nothing here that can be ranked"
_NOT_TESTED: Final = "no scorer has judged what people have rated here"


def _to_print(context: Context, selection: Selection, rows: list[Row], output: str, nothing: str) -> list[Row]:
    """The rows that are to be printed as tables: JSON has all of them at once, and of none it is said why."""
    if output == "json":
        context.say_json({"selection": selection.to_dict(), "rows": rows})
        return []
    if not rows:
        context.say(nothing)
    return rows


def _indented(columns: Sequence[Column], rows: Sequence[Row]) -> list[str]:
    return [f"  {line}" for line in aligned(without_empty_columns(lines(columns, rows)))]


def _interval(name: str) -> Column:
    return "95 % interval", lambda row: _range(row[f"{name}_low"], row[f"{name}_high"])


def _range(low: float | None, high: float | None) -> str:
    return "" if low is None else f"{low:z.2f} .. {high:z.2f}"


def _rounded(value: float | None) -> str:
    return "" if value is None else f"{value:z.0f}"


_INTERVAL: Final = interval_column(2)
_CELL: Final = (column("generator"), column("task"), column("scorer"))
_COUNTS: Final = (column("labels", "n_labelled"), column("others", "n_unlabelled"))
_ESTIMATES: Final[Mapping[str, tuple[Column, ...]]] = {
    "estimate": (
        *_CELL,
        number_column("estimate", digits=3),
        _INTERVAL,
        number_column("labels alone", "labels_mean", 3),
        _interval("labels"),
        number_column("scorer's mean", "scorer_mean", 3),
        number_column("all labels", "full_mean", 3),
        *_COUNTS,
        ("lambda", lambda row: "" if row["lambda"] is None else f"{row['lambda']:z.2f}"),
        ("labels saved", lambda row: _rounded(row["labels_saved"])),
    ),
    "corrected_rate": (
        *_CELL,
        number_column("corrected", digits=3),
        _INTERVAL,
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
        _INTERVAL,
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
    rows = [sentences.worded(row.to_dict()) for row in estimates.estimate(context.store, chosen, options)]
    parts: dict[tuple[str, ...], list[Row]] = {}
    for row in _to_print(context, chosen, rows, output, _NOT_ESTIMATED):
        parts.setdefault((row["statistic"], row["suite"], row["aspect"], row["people"]), []).append(row)
    for (statistic, suite, aspect, people), part in parts.items():
        context.say(f"{estimates.TITLES[statistic]}: {suite}, {aspect}, {people} people")
        reasons = {row["reason"] for row in part}
        if len(reasons) == 1 and None not in reasons:
            context.say(f"  none: {reasons.pop()}\n")
            continue
        columns = _ESTIMATES[statistic]
        method_text = part[0]["method"]
        context.say(*_indented((*columns, column("reason")) if reasons != {None} else columns, part))
        context.say(f"  {method_text.partition(';')[2].strip() or method_text}\n")


_REASON: Final[Column] = ("reason", lambda row: "" if row.get("half_width") is not None else row["reason"] or "")
_TOPIC: Final = (column("suite"), column("aspect"), column("people"))
_PLAN: Final[Sequence[Column]] = (
    *_TOPIC,
    column("statistic"),
    column("scorer"),
    number_column("value"),
    ("images", lambda row: f"{row['images']:g}"),
    ("ratings", lambda row: f"{row['ratings']:g}"),
    *counts("prompts"),
    number_column("half width", "half_width"),
    number_column("beside other people", "half_width_others"),
    ("power", lambda row: "" if row["power"] is None else f"{row['power']:z.2f}"),
    number_column("aim", "aim"),
    ("prompts needed", lambda row: "-" if row["prompts_needed"] is None else f"{row['prompts_needed']:,}"),
    _REASON,
)
_EFFECTS: Final[Sequence[Column]] = (
    *_TOPIC,
    column("statistic"),
    column("rater"),
    ("ratings", lambda row: "" if row["ratings"] is None else str(row["ratings"])),
    number_column("value"),
    interval_column(),
    *counts("n_items", "n_ratings"),
    _REASON,
)


def print_plan(
    context: Context,
    selection: Mapping[str, Sequence[str]],
    half_width: float | None,
    difference: float | None,
    statistic: Sequence[str],
    images: Sequence[int],
    ratings: Sequence[int],
    persons: int | None,
    seed: int,
    output: str,
) -> None:
    """The command ``plan``."""
    known_statistics(statistic)
    chosen = selected(context, selection)
    request = PlanRequest(tuple(statistic) or ("mean",), half_width, difference, tuple(images), tuple(ratings), persons, seed)
    rows = [sentences.worded(row.to_dict()) for row in planning.plan(context.store, chosen, request)]
    if _to_print(context, chosen, rows, output, _NOT_RATED):
        context.say(*aligned(without_empty_columns(lines(_PLAN, rows))))


def print_rater_effects(context: Context, selection: Mapping[str, Sequence[str]], ratings: Sequence[int], output: str) -> None:
    """The command ``rater-effects``."""
    chosen = selected(context, selection)
    rows = [sentences.worded(row.to_dict()) for row in findings.effects(context.store, chosen, tuple(ratings) or (1, 3, 5))]
    if _to_print(context, chosen, rows, output, _NOT_RATED):
        context.say(*aligned(without_empty_columns(lines(_EFFECTS, rows))))


_PEOPLE: Final[Column] = (
    "people's own",
    lambda row: text_tables.number(row["ceiling"]["value"], 3) if row["ceiling"] is not None else "",
)
_VERDICT: Final[Column] = (
    "verdict",
    lambda row: wording.verdict(row["ceiling"]["verdict"] or "") if row["ceiling"] is not None else "",
)
_SCORER: Final[Column] = ("scorer", lambda row: row["scorer"] or "(people)")
_IMAGES: Final = of_statistic(
    PAIRWISE,
    column("task"),
    _SCORER,
    number_column("accuracy", digits=3),
    _INTERVAL,
    ("epsilon", lambda row: "" if row["epsilon"] is None else f"{row['epsilon']:.3g}"),
    _PEOPLE,
    _VERDICT,
    column("images", "n_items"),
    column("reason"),
)
_GENERATORS: Final = (
    *of_statistic(SOFT, column("task"), _SCORER, number_column("soft accuracy", digits=3), _INTERVAL, _PEOPLE),
    *of_statistic(GENERATORS, number_column("accuracy", digits=3), _INTERVAL),
    *of_statistic(KENDALL, number_column("tau-b", digits=3)),
    *of_statistic(GENERATORS, ("verdict", lambda row: row["verdict"] or row["verdict_reason"] or ""), column("reason")),
)


def print_ranking(
    context: Context,
    selection: Mapping[str, Sequence[str]],
    scorer: Sequence[str],
    epsilon: float | None,
    intervals: bool,
    seed: int,
    output: str,
) -> None:
    """The command ``rank``."""
    chosen = selected(context, selection)
    rows = of_scorers(findings.rank(context.store, chosen, Options(intervals=intervals, seed=seed), epsilon), scorer)
    for title, part in _by_topic(_to_print(context, chosen, rows, output, _NOT_RANKED)):
        whole = [row for row in part if row["generator"] == ALL]
        _say(context, f"{title}: the better image of a prompt", _IMAGES, _wide(whole, PAIRWISE))
        if any(row["statistic"] == SOFT for row in whole):
            _say(context, f"{title}: the order of generators", _GENERATORS, _wide(whole, SOFT, GENERATORS, KENDALL))
            _say_rank_sets(context, title, [row for row in part if row["statistic"] == RANK and row["task"] == ALL])


def _by_topic(rows: Sequence[Row]) -> list[tuple[str, list[Row]]]:
    """The rows of each suite, aspect and kind of people, with a title."""
    by_topic: dict[str, list[Row]] = {}
    for row in rows:
        who = " (simulated people)" if row["people"] == "simulated" else ""
        by_topic.setdefault(f"{row['suite']}, {row['aspect']}{who}", []).append(row)
    return list(by_topic.items())


def _wide(rows: Sequence[Row], *statistics: str) -> list[dict[str, Any]]:
    """By task and scorer, its rows by statistic: all tasks together first."""
    by_task_and_scorer: dict[tuple[str, str | None], dict[str, Any]] = {}
    for row in sorted(rows, key=lambda row: row["task"] != ALL):
        if row["statistic"] in statistics:
            by_task_and_scorer.setdefault((row["task"], row["scorer"]), {})[row["statistic"]] = row
    return list(by_task_and_scorer.values())


def _say(context: Context, title: str, columns: Sequence[Column], rows: Sequence[Row]) -> None:
    context.say(f"{title}\n", *_indented(columns, rows), "")


def _say_rank_sets(context: Context, title: str, rows: Sequence[Row]) -> None:
    """A row for each who ranks, a column for each generator, the best by people first."""
    by_people = {row["generator"]: row["value"] for row in rows if row["scorer"] is None}
    names = sorted(by_people, key=lambda name: (by_people[name], name))
    by_scorer: dict[str | None, dict[str, Any]] = {}
    for row in rows:
        by_scorer.setdefault(row["scorer"], {"scorer": row["scorer"]})[row["generator"]] = rank_set(row)
    columns = [_SCORER, *((name, lambda row, name=name: row.get(name, "")) for name in names)]
    _say(context, f"{title}: rank sets, 1 is best", columns, list(by_scorer.values()))


def rank_set(row: Row) -> str:
    """``2`` or ``2-4``."""
    return f"{row['rank_low']}" if row["rank_low"] == row["rank_high"] else f"{row['rank_low']}-{row['rank_high']}"


def _persons_won(row: Row) -> str:
    persons = row["persons"]
    return f"{sum(each['won'] for each in persons)} of {len(persons)}" if persons else ""


_ALT_TEST: Final[Sequence[Column]] = (
    column("task"),
    column("generator"),
    _SCORER,
    ("passes", lambda row: text_tables.cell(row["passes"])),
    ("persons won", _persons_won),
    number_column("winning rate", "winning_rate", 3),
    number_column("advantage", "advantage", 3),
    number_column("p", "p"),
    column("images", "n_items"),
    column("reason"),
)


def print_alt_test(
    context: Context,
    selection: Mapping[str, Sequence[str]],
    scorer: Sequence[str],
    epsilon: float,
    graded: Sequence[str],
    intervals: bool,
    output: str,
) -> None:
    """The command ``alt-test``."""
    chosen, options = selected(context, selection), Options(intervals=intervals)
    rows = of_scorers(findings.alt_test(context.store, chosen, options, epsilon, tuple(graded)), scorer)
    tests = [row for row in _to_print(context, chosen, rows, output, _NOT_TESTED) if row["statistic"] == WINNING_RATE]
    for title, part in _by_topic(tests):
        shown = [row for row in part if row["value"] is not None or (row["generator"], row["task"]) == (ALL, ALL)]
        _say(context, f"{title}: the alternative annotator test, epsilon {epsilon:g}", _ALT_TEST, shown)
