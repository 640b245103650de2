"""What ``rank`` and ``alt-test`` print: tables, or rows as JSON."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from agreement import Options
from agreement.meta.alternative_annotator import WINNING_RATE
from agreement.meta.ranking import GENERATORS, KENDALL, PAIRWISE, RANK, SOFT
from agreement.study.cells import ALL
from concord.agreement import selected
from concord.common import text_tables, wording
from concord.common.context import Context
from concord.common.text_tables import Column, Row, aligned, column, interval_column, lines, number_column, of_statistic
from concord.meta import findings
from concord.meta.findings import of_scorers

_NOTHING = "people have rated nothing here that can be ranked"
_INTERVAL = interval_column(2)


def _verdict(row: Row) -> str:
    ceiling = row["ceiling"]
    return "" if ceiling is None else wording.verdict(ceiling["verdict"] or "")


def _beside(row: Row) -> str:
    ceiling = row["ceiling"]
    return "" if ceiling is None else text_tables.number(ceiling["value"], 3)


_PEOPLE: Column = ("people's own", _beside)
_VERDICT: Column = ("verdict", _verdict)
_SCORER: Column = ("scorer", lambda row: row["scorer"] or "(people)")
_IMAGES = (
    *of_statistic(
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
    ),
)
_GENERATORS = (
    *of_statistic(SOFT, column("task"), _SCORER, number_column("soft accuracy", digits=3), _INTERVAL, _PEOPLE),
    *of_statistic(GENERATORS, number_column("accuracy", digits=3), _INTERVAL),
    *of_statistic(KENDALL, number_column("tau-b", digits=3)),
    *of_statistic(GENERATORS, ("verdict", lambda row: row["verdict"] or row["verdict_reason"] or "")),
    *of_statistic(GENERATORS, column("reason")),
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
    if output == "json":
        context.say_json({"selection": chosen.to_dict(), "rows": rows})
        return
    if not rows:
        context.say(_NOTHING)
    for title, part in _by_topic(rows):
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
    context.say(f"{title}\n")
    for line in aligned(text_tables.without_empty_columns(lines(columns, rows))):
        context.say(f"  {line}")
    context.say("")


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


_ALT_TEST = (
    column("task"),
    column("generator"),
    _SCORER,
    ("passes", lambda row: text_tables.cell(row["passes"])),
    ("persons won", _persons_won),
    ("winning rate", lambda row: text_tables.number(row["winning_rate"], 3)),
    ("advantage", lambda row: text_tables.number(row["advantage"], 3)),
    ("p", lambda row: text_tables.number(row["p"])),
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
    if output == "json":
        context.say_json({"selection": chosen.to_dict(), "rows": rows})
        return
    if not rows:
        context.say("no scorer has judged what people have rated here")
    for title, part in _by_topic([row for row in rows if row["statistic"] == WINNING_RATE]):
        shown = [row for row in part if row["value"] is not None or (row["generator"], row["task"]) == (ALL, ALL)]
        _say(context, f"{title}: the alternative annotator test, epsilon {epsilon:g}", _ALT_TEST, shown)
