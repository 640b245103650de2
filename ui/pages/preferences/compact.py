"""People's votes beside each scorer's ordering, task by task: what Overview shows of preferences."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from agreement import Options
from agreement.preferences.votes import Contest
from agreement.study.cells import ALL
from concord import preferences
from concord.common import wording
from concord.preferences import OPPOSED, PreferenceRows, Row, contests
from data.store.core.selection import Selection
from data.store.core.store import Store
from ui.components.table import Cell, html_table
from ui.pages.preferences.bars import who_of
from ui.pages.preferences.view import View, named

_MARKS: Final = {True: "✓ same order", False: "✗ other order", None: ""}


def compact(store: Store) -> str:
    """A table for each two generators that people have compared, as HTML; nothing where there are none."""
    found = preferences.recall(store, Selection(), Options(intervals=False))
    return "".join(_table(found, poll.suite, contest) for poll in found.polls if poll.people() for contest in contests(poll))


def _table(found: PreferenceRows, suite: str, contest: Contest) -> str:
    votes, beside = (
        [row for row in found.sections[name] if (row["suite"], row["a"], row["b"]) == (suite, contest.a, contest.b)]
        for name in ("votes", "beside")
    )
    # where the images' totals alone are known, a metric's order of them stands for its votes
    ranks = [row for row in found.sections["ranks"] if row["suite"] == suite]
    tasks = list(dict.fromkeys(row["task"] for row in votes))
    order = [ALL, *(task for task in tasks if task != ALL)] if len(tasks) > 2 else tasks[:1]
    by = {(who_of(row), row["task"]): row for row in votes}
    orders = {(who_of(row), row["task"]): row for row in beside if row["people"] == "real"}
    who = list(dict.fromkeys(who_of(row) for row in votes))
    totals = [row for row in ranks if who_of(row) not in who and row["people"] == "real"]
    view = View(suite, named(contest))
    body: list[list[str | Cell]] = [
        [
            "all tasks" if task == ALL else wording.task(task),
            *(_cell(name, by.get((name, task)), orders.get((name, task)), contest, view) for name in who),
            *(_total(row, task, contest) for row in totals),
        ]
        for task in order
    ]
    headers: list[str | Cell] = ["task", *map(Cell, (*who, *(who_of(row) for row in totals)))]
    return html_table(f"{suite}: votes for {contest.a} : {contest.b}", headers, body)


def _cell(who: str, row: Row | None, order: Row | None, contest: Contest, view: View) -> Cell:
    if row is None:
        return Cell("")
    ties = row["both"] + row["none"] + row["tie"]
    told = f"{row['a_wins']:,} for {contest.a}, {row['b_wins']:,} for {contest.b}, {ties:,} for neither alone"
    opposed = order is not None and bool(order["opposed"])
    href = view.address(task=row["task"], who=who, chose=OPPOSED if opposed else ALL)
    details = [_MARKS[order["same_order"]]] if order else [wording.count(ties, "tie")]
    if order and opposed:
        details.append(f"{order['opposed']:,} opposed")
    return Cell(f"{row['a_wins']:,} : {row['b_wins']:,}", "\n".join(filter(None, details)), told, href)


def _total(row: Row, task: str, contest: Contest) -> Cell:
    means: Mapping[str, float] = {point["generator"]: point["mean"] for point in row["points"] if point["task"] == task}
    if not {contest.a, contest.b} <= means.keys():
        return Cell("")
    same = True if task in row["agreeing"] else False if task in row["opposed"] else None
    return Cell(_two(means[contest.a], means[contest.b]), _MARKS[same], "means of the metric")


def _two(a: float, b: float) -> str:
    return " : ".join(f"{value:.3g}" for value in (a, b))
