"""Figures of a report: generators and scorers as dots, what each scorer is good for, and agreement along a threshold."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import Final

import htpy
from htpy import Element, Node

from agreement import ThresholdCurve
from concord.common import reason_sentences, wording
from concord.common.table import Cell, Column, Table, TableRow, cell, numbers
from concord.comparison.leaderboard import Leaderboard
from concord.comparison.trust import Trust
from concord.comparison.trust_cells import BETTER, JUDGE, ORDER, TrustCell, TrustRater, Use, title_of
from concord.headlines import ALL, number_text
from concord.reporting.first_page import FirstPage
from concord.reporting.material import ScorerCurve
from data.aspects import YES_NO_ASPECTS
from ui.components.dots import Axis, axis_scale, dot, interval_text
from ui.report.drawings import (
    DotRow,
    DotTitles,
    dot_axis,
    dot_chart,
    dot_table,
    outcomes,
    pair_pictures,
    pair_table,
    threshold_curve,
)
from ui.report.sections import ReportFigure
from ui.shell.html import rendered

MOST_ROWS: Final = 14
_POINTS: Final = 11
"""Of a curve, where it is a table."""
_USES: Final[Mapping[Use, str]] = {
    JUDGE: "Single images", BETTER: "The better image of a prompt", ORDER: "The order of generators"
}  # fmt: skip


def generators(page: FirstPage) -> ReportFigure | None:
    """Return the generators by the first rater, the best first, each beside the best one; None without numbers."""
    board, first = page.board, page.first
    if first is None:
        return None
    titles = DotTitles("Generator", f"{first.name}, mean", "Rank" if board.ranks else "")
    rows = [(name, row) for name in board.generators if (row := board.cells.get((name, first.name, ALL))) is not None]
    leads = {each.second: each for each in board.leads}
    if leads:
        titles = DotTitles(
            titles.name, titles.number, titles.before, ("Behind the best", "Prompts where the best is ahead / same / behind")
        )
    lines = []
    for name, row in rows[:MOST_ROWS]:
        lead = leads.get(name)
        after = (Cell(number_text(lead)), outcomes(lead)) if lead else (Cell("the best" if leads else ""), Cell(""))
        lines.append(DotRow(name, row, first.kind, row.n_items, _rank(board, name), after=after if leads else ()))
    caption = f"Generators by {first.name}: {basis(page)}"
    notes = [f"The first {MOST_ROWS} of {len(rows)} generators."] if len(rows) > MOST_ROWS else []
    notes.append("Bars are 95 % intervals over prompts.")
    if board.ranks:
        notes.append("Rank: the places that a generator may have, by paired differences over prompts (Holm, 5 %).")
    if board.unranked:
        notes.append(f"No ranks: {board.unranked}.")
    drawn = dot_chart(lines, titles, zero=first.aspect in YES_NO_ASPECTS)
    return ReportFigure(caption, rendered(drawn), dot_table(caption, lines, titles), " ".join(notes))


def basis(page: FirstPage) -> str:
    """Return what the generators' numbers are."""
    first = page.first
    aspect = first.aspect if first else page.scope.aspect
    return "share of yes" if aspect in YES_NO_ASPECTS else f"mean of {wording.plain_aspect(aspect)}"


def _rank(board: Leaderboard, generator: str) -> str:
    rank = board.ranks.get(generator)
    if rank is None:
        return ""
    return f"{rank.best}" if rank.best == rank.worst else f"{rank.best}–{rank.worst}"


def best_two(page: FirstPage, pictures: Mapping[str, str]) -> ReportFigure | None:
    """Return prompts on which the best generator and the next one differ most; with pictures where there are some."""
    two, first = page.best_two, page.first
    if two is None or first is None or not two.pairs:
        return None
    caption = f"{two.difference.first} beside {two.difference.second}: prompts on which they differ most"
    table = pair_table(caption, two, first.name)
    has_pictures = any(pictures.get(item) for pair in two.pairs for item in (*pair.first_items, *pair.second_items))
    drawn = rendered(pair_pictures(two, first.name, first.aspect, pictures)) if has_pictures else ""
    return ReportFigure(caption, drawn, table)


def scorers(page: FirstPage) -> ReportFigure | None:
    """Return how far each scorer agrees with people by one statistic, beside one person in its place; None without scorers."""
    made = page.trust
    cells = [(each, each.cells[JUDGE]) for each in made.scorers if JUDGE in each.cells]
    mine = [(each, found) for each, found in cells if found.statistic == made.statistic and found.number.value is not None]
    if not mine:
        return None
    statistic = wording.title(made.statistic)
    titles = DotTitles("Scorer", statistic, after=("Beside one person",))
    rows = [
        DotRow(each.name, found.number, "scorer", found.number.n_items, level=found.level, after=(Cell(found.words or "–"),))
        for each, found in mine[:MOST_ROWS]
    ]
    caption = f"Scorers beside {made.who}: {statistic} on single images"
    notes = ["Band: one person in the scorer’s place, by the same statistic, with its 95 % interval."]
    notes = notes if any(row.level is not None and row.level.value is not None for row in rows) else []
    if len(mine) > MOST_ROWS:
        notes.append(f"The first {MOST_ROWS} of {len(mine)} scorers.")
    rest = [
        f"{each.name} ({title_of(found.statistic)} {number_text(found.number)})"
        for each, found in cells
        if (each, found) not in mine
    ]
    if rest:
        notes.append(f"Not on this scale: {wording.listed(rest)}.")
    drawn = dot_chart(rows, titles, chance=mine[0][1].chance)
    return ReportFigure(caption, rendered(drawn), dot_table(caption, rows, titles), " ".join(notes))


def uses(made: Trust) -> ReportFigure | None:
    """Return every rater's number for each use, beside people's own level by the same statistic; None without scorers."""
    if not made.scorers or made.people is None:
        return None
    shown = [use for use in _USES if any(use in each.cells for each in made.raters)]
    axes = {use: _axis(made, use) for use in shown}
    head = [
        htpy.th(scope="col", class_="dots")[_USES[use], htpy.small[title_of(_statistic(made, use))], axis_scale(axes[use])]
        for use in shown
    ]
    body = [
        htpy.tr[
            htpy.th(scope="row", class_="text")[each.name],
            [htpy.td(class_="dots")[_use(made, each.cells.get(use), use, axes[use], each.kind)] for use in shown],
        ]
        for each in made.raters
    ]
    caption = "What each scorer may be used for"
    drawn = htpy.table(class_="chart uses")[
        htpy.thead[htpy.tr[htpy.th(scope="col", class_="text")["Rater"], head]], htpy.tbody[body]
    ]
    note = (
        "Band: one person in the scorer’s place, by the same statistic. Dashed: chance. Bars and brackets are 95 % intervals."
    )
    return ReportFigure(caption, rendered(drawn), _uses_table(caption, made, shown), note)


def _statistic(made: Trust, use: Use) -> str:
    if use == JUDGE:
        return made.statistic
    return next((each.cells[use].statistic for each in made.raters if use in each.cells), "")


def _axis(made: Trust, use: Use) -> Axis:
    cells = [each.cells[use] for each in made.raters if use in each.cells]
    mine = [each for each in cells if each.statistic == _statistic(made, use) and each.number.value is not None]
    return dot_axis([each.number for each in mine], [each.level for each in mine], chance=mine[0].chance if mine else None)


def _use(made: Trust, found: TrustCell | None, use: Use, axis: Axis, kind: str) -> Node:
    if found is None or found.number.value is None:
        reason = reason_sentences.text_or_none(found.number.reason) if found else None
        return ["–", htpy.small[reason] if reason else ""]
    same = found.statistic == _statistic(made, use)
    drawn: Element | str = dot(found.number, axis, kind, chance=found.chance, level=found.level) if same else ""
    other = "" if same else f"{title_of(found.statistic)} "
    return [
        drawn,
        other,
        htpy.data(value=repr(found.number.value))[wording.two(found.number.value)],
        " ",
        htpy.small[interval_text(found.number)],
        found.words and htpy.small(class_="words")[found.words],
    ]


def _uses_table(caption: str, made: Trust, shown: Sequence[Use]) -> Table:
    def use_cell(rater: TrustRater, use: Use) -> Cell:
        found = rater.cells.get(use)
        if found is None or found.number.value is None:
            return Cell("–")
        name = "" if found.statistic == _statistic(made, use) else title_of(found.statistic)
        level = found.level
        beside = f"one person {number_text(level)}" if level is not None and level.value is not None else ""
        details = (interval_text(found.number), name, beside, found.words)
        return Cell(wording.two(found.number.value), tuple(filter(None, details)), exact=found.number.value)

    rows = tuple(TableRow((Cell(each.name), *(use_cell(each, use) for use in shown))) for each in made.raters)
    titles = (f"{_USES[use]} ({title_of(_statistic(made, use))})" for use in shown)
    return Table(caption, (Column("Rater"), *numbers(*titles)), rows)


def along(drawn: Sequence[ScorerCurve]) -> list[ReportFigure]:
    """Return agreement along the thresholds of all scorers of a suite, a figure for each suite and kind of people."""
    figures = []
    for (suite, people), part in groupby(drawn, lambda each: (each.suite, each.people)):
        curves = [each.curve for each in part if sum(value is not None for value in each.curve.values) > 1]
        if not curves:
            continue
        who = wording.people(people)
        caption = f"{suite}: scores cut to agree with {who}, over all generators and tasks, in sample; the best cut dotted"
        pictures = [htpy.figure[threshold_curve(curve), htpy.figcaption[curve.rater]] for curve in curves]
        note = "Yes is what lies above the threshold; the band is the 95 % interval."
        figures.append(
            ReportFigure(caption, rendered(htpy.div(class_="curves")[pictures]), _curves_table(caption, curves), note)
        )
    return figures


def _curves_table(caption: str, curves: Sequence[ThresholdCurve]) -> Table:
    rows = []
    for made in curves:
        last = len(made.cuts) - 1
        places = sorted({round(last * step / (_POINTS - 1)) for step in range(_POINTS)})
        best = min(range(last + 1), key=lambda index: abs(made.cuts[index] - (made.threshold or 0.0)))
        for index in sorted({*places, best}):
            values = (made.values[index], made.low[index], made.high[index])
            rows.append(
                TableRow((Cell(made.rater), cell(made.cuts[index], ".4g"), *(cell(value, "z.3f", "–") for value in values)))
            )
    return Table(caption, (Column("Scorer"), *numbers("Yes above", "Agreement", "Low", "High")), tuple(rows))
