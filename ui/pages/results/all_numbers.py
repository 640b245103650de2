"""All numbers of Results: means by generator, rater and task, and people's votes between two generators, as tables."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from htpy import Element, Node

from agreement import Options
from agreement.estimate import Estimate
from agreement.preferences import OrderAgreement, RankCorrelation, VoteCounts
from agreement.preferences.votes import Contest
from concord import suite_metrics
from concord.agreement import means, recall
from concord.common import next_steps, wording
from concord.common.table import Cell, numbers
from concord.comparison import preferences
from concord.comparison.preferences import OPPOSED, PreferenceRows, contests
from concord.open_project import OpenProject
from concord.scope import ALL, OpenScope, Scope
from concord.suite_metrics.overview_tables import metric_tables
from data.aspects import YES_NO_ASPECTS
from data.selection import PEOPLE, SIMULATED, Selection
from ui.components.addresses import browse_address
from ui.components.tables import Cells, columns, number, plain_table, table_element, with_details
from ui.pages.results.vote_view import VotesView, named

_MARKS: Final = {True: "✓ same order", False: "✗ other order", None: ""}


def all_numbers(store: OpenProject, opened: OpenScope, *, intervals: bool) -> Node:
    """Return tables of a scope: means, the metrics of the suite's own paper, and votes for each two generators."""
    of_suite = Selection(suite=(opened.scope.suite,))
    metrics = metric_tables(suite_metrics.recall(store, of_suite, Options(intervals=intervals)))
    return [
        _means_table(store, opened, intervals=intervals),
        [table_element(table) for table in metrics],
        preference_summary(store, of_suite),
    ]


def preference_summary(store: OpenProject, selection: Selection) -> Node:
    """Return a table for each two generators that people have compared; nothing where there are none."""
    preference_rows = preferences.recall(store, selection, Options(intervals=False))
    return [
        _preference_table(preference_rows, poll.suite, contest)
        for poll in preference_rows.polls
        if poll.people()
        for contest in contests(poll)
    ]


def _preference_table(preference_rows: PreferenceRows, suite: str, contest: Contest) -> Element:
    rows = preference_rows.of_suite(suite)
    votes = [row for row in rows.votes if row.contest == contest]
    tasks = list(dict.fromkeys(row.task for row in votes))
    order = [ALL, *(task for task in tasks if task != ALL)] if len(tasks) > 2 else tasks[:1]
    by = {(row.voter, row.task): row for row in votes}
    orders = {(row.voter, row.task): row for row in rows.beside if row.contest == contest and row.people == "real"}
    who = list(dict.fromkeys(row.voter for row in votes))
    # where the images' totals alone are known, a metric's order of them stands for its votes
    totals = [row for row in rows.ranks if row.voter not in who and row.people == "real"]
    view = VotesView(suite, named(contest))
    body: list[Cells] = [
        [
            "all tasks" if task == ALL else wording.task(task),
            *(_cell(name, by.get((name, task)), orders.get((name, task)), contest, view) for name in who),
            *(_total(row, task, contest) for row in totals),
        ]
        for task in order
    ]
    heads = columns("task", *numbers(*who, *(row.voter for row in totals)))
    return table_element(plain_table(f"{suite}: votes for {contest.a} : {contest.b}", heads, body))


def _cell(who: str, row: VoteCounts | None, order: OrderAgreement | None, contest: Contest, view: VotesView) -> Cell:
    if row is None:
        return Cell("")
    ties = row.both + row.none + row.tie
    note_text = f"{row.a_wins:,} for {contest.a}, {row.b_wins:,} for {contest.b}, {ties:,} for neither alone"
    opposed = 0 if order is None else order.opposed
    href = view.address(task=row.task, who=who, chose=OPPOSED if opposed else ALL)
    details = [wording.count(ties, "tie") if order is None else _MARKS[order.same_order]]
    if opposed:
        details.append(f"{opposed:,} opposed")
    return Cell(f"{row.a_wins:,} : {row.b_wins:,}", tuple(filter(None, details)), note_text, href)


def _total(row: RankCorrelation, task: str, contest: Contest) -> Cell:
    means = {point.generator: point.mean for point in row.points if point.task == task}
    if not {contest.a, contest.b} <= means.keys():
        return Cell("")
    same = True if task in row.agreeing else False if task in row.opposed else None
    text = f"{means[contest.a]:.3g} : {means[contest.b]:.3g}"
    return with_details(Cell(text, note="means of the metric"), _MARKS[same])


def _means_table(store: OpenProject, opened: OpenScope, *, intervals: bool) -> Element:
    """Return means per generator and task: people (with intervals), and each scorer."""
    suite, aspect = opened.scope.suite, opened.scope.aspect
    tasks = [ALL, *(choice.value for choice in opened.choices["task"])]
    generators = opened.scope.generator or tuple(choice.value for choice in opened.choices["generator"])
    options = Options(statistics=("mean",), intervals=intervals)
    rows = recall(store, opened.scope.selection, options)
    people: dict[tuple[str, str], dict[str, Cell]] = {}
    for row in rows.among_people:
        name = PEOPLE if row.people == "real" else SIMULATED
        people.setdefault((row.generator, name), {})[row.task] = _mean(row, name)
    scorers = _scorers(store, opened.scope, options)
    body: list[Cells] = []
    # with a single generator, "all generators" would only repeat it
    for generator in generators if len(generators) == 1 else [*generators, ALL]:
        lines = {rater: cells for (of, rater), cells in [*people.items(), *scorers.items()] if of == generator}
        for n, (rater, cells) in enumerate(lines.items()):
            name = "all generators" if generator == ALL else generator
            who = Cell(rater, ("by the playground’s models",)) if next_steps.is_unfit(rater, suite) else rater
            body.append([name if n == 0 else "", who, *(cells.get(task, "") for task in tasks)])
    kind = "share of yes to" if aspect in YES_NO_ASPECTS else "mean of"
    caption = f"{suite}: {kind} {wording.aspect(aspect)}" if aspect else suite
    heads = columns("generator", "rater", *numbers(*map(wording.task, tasks)))
    return table_element(plain_table(caption, heads, body))


def _mean(row: Estimate, rater: str) -> Cell:
    """Return the number with its interval and n, leading to the images behind it."""
    cell = number(row)
    where = Selection(suite=(row.suite,), generator=(row.generator,), task=(row.task,))
    href = browse_address(where, rater=rater, by=row.aspect, order="lowest")
    return replace(with_details(cell, f"n = {row.n_items:,}"), href=href)


def _scorers(store: OpenProject, scope: Scope, options: Options) -> dict[tuple[str, str], dict[str, Cell]]:
    """Return scorers' means by generator and scorer, then task."""
    cells: dict[tuple[str, str], dict[str, Cell]] = {}
    for row in means(store, replace(scope.selection, aspect=()), options):
        if row.aspect in (scope.aspect, "score"):
            name = row.rater + ("" if row.aspect == scope.aspect else f" ({row.aspect})")
            cells.setdefault((row.generator, name), {})[row.task] = _mean(row, row.rater)
    return cells
