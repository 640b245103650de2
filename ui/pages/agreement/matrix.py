"""The matrix of all raters: people together, each scorer, each person."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from agreement import Options
from agreement.report.topic import MET_BY_SCORES, SCORE
from concord.agreement import Rows, recall
from concord.common import wording
from data.store.browse.contents import PEOPLE, SIMULATED, RaterCount
from data.store.core.store import Store
from ui.components.estimates import number
from ui.components.matrix import Meeting, matrix_table
from ui.components.table import Cell, note
from ui.pages.agreement.choices import pairable
from ui.pages.agreement.consensus import CONSENSUS, consensus_of
from ui.pages.agreement.first import huge
from ui.pages.agreement.view import View

MOST_PERSONS = 20
Met = dict[tuple[str, str], Meeting]
_ALONE = (
    "A matrix of raters needs two that can be told apart: run a scorer on these images, or import ratings with people’s names. "
    "The slots of a published study are nobody in particular, so they stand here as people together."
)
_GROUPS = {"real": PEOPLE, "simulated": SIMULATED}


def matrix(store: Store, view: View, rows: Rows, *, intervals: bool) -> str:
    """The chosen statistic of any two raters, as HTML; nothing where fewer than two can be compared.

    ``rows`` is the report of the selection: people among themselves, scorers against people.
    """
    if not view.statistic:
        # of the first few answers there is none yet
        return note(_ALONE)
    known = pairable(store, view.selection)
    persons = [judge for judge in known if judge.person]
    kept = [judge for judge in known if judge.scorer] + persons[:MOST_PERSONS]
    met = _with_people(rows, view)
    if not huge(store):
        met = _by_scores(store, view, intervals=intervals) | met
        met |= _two_by_two(store, view, kept, len(kept) < len(known), intervals=intervals)
    met |= _unmet(kept, met, view)
    computed = _by_consensus(store, view, kept, intervals=intervals)
    met |= computed
    people, *others = _in_order(kept, met)
    names = list(dict.fromkeys(name for pair in computed for name in pair if name.startswith(CONSENSUS)))
    raters = [name for name in dict.fromkeys((people, *names, *others)) if any(name in pair for pair in met)]
    if len(raters) < 2:
        return note(_ALONE)
    title = f"Any two raters: {wording.title(view.statistic)}, {wording.task(view.task)}"
    hint = "The darker, the closer. Point at a number for its interval and n; click it to see how the two meet."
    if len(persons) > MOST_PERSONS:
        hint += f" Of {len(persons):,} persons, the {MOST_PERSONS} with most answers are here."
    if names:
        hint += " A consensus opens no pair: point at its numbers."
    return matrix_table(title, raters, met) + note(hint)


def _with_people(rows: Rows, view: View) -> Met:
    """People among themselves, and each scorer with them."""
    met: Met = {}
    for row in _chosen(rows["among_people"], view):
        group = _GROUPS[row["people"]]
        met[group, group] = Meeting(group, group, row["value"], replace(_shown(row, f"{group} among themselves"), href=""))
    for row in _chosen(rows["raters"], view):
        met |= _both_ways(row["rater"], _GROUPS[row["people"]], row, view)
    return met


def _two_by_two(store: Store, view: View, kept: Sequence[RaterCount], some_left: bool, *, intervals: bool) -> Met:
    """Persons and scorers with each other."""
    chosen = replace(view.selection, rater=tuple(judge.name for judge in kept)) if some_left else view.selection
    rows = recall(store, chosen, Options(statistics=(view.statistic,), intervals=intervals, each_generator=False))
    met: Met = {}
    for row in _chosen(rows["matrix"], view):
        met |= _both_ways(row["a"], row["b"], row, view)
    return met


def _by_consensus(store: Store, view: View, kept: Sequence[RaterCount], *, intervals: bool) -> Met:
    """Consensuses with people, with the raters that are shown, and with each other: numbers, but no pair to open."""
    rows = consensus_of(store, view, intervals=intervals)
    shown = {judge.name for judge in kept}
    met: Met = {}
    for row in _chosen(rows["raters"], view):
        met |= _closed(row["rater"], _GROUPS[row["people"]], row)
    for row in _chosen(rows["matrix"], view):
        if all(name in shown or name.startswith(CONSENSUS) for name in (row["a"], row["b"])):
            met |= _closed(row["a"], row["b"], row)
    return met


def _closed(a: str, b: str, row: dict[str, Any]) -> Met:
    """A cell that shows a number and leads nowhere."""
    meeting = Meeting(a, b, row["value"], _shown(row, f"{a} and {b}"))
    return {(a, b): meeting, (b, a): meeting}


def _by_scores(store: Store, view: View, *, intervals: bool) -> Met:
    """Scorers whose scores meet people, with each other: over all that both have scored."""
    if view.aspect not in MET_BY_SCORES:
        return {}
    options = Options(statistics=(view.statistic,), intervals=intervals, each_generator=False)
    # the aspect itself stays selected: how sure people are is told from what they say of it
    rows = recall(store, replace(view.selection, aspect=(view.aspect, SCORE)), options)
    met: Met = {}
    for row in _chosen([row for row in rows["matrix"] if row["aspect"] == SCORE], view):
        met |= _both_ways(row["a"], row["b"], row, view)
    return met


def _unmet(kept: Sequence[RaterCount], met: Met, view: View) -> Met:
    """A person beside the others of their kind: no number of the report, but a pair that can be opened."""
    found: Met = {}
    for judge in kept:
        group = SIMULATED if judge.simulated else PEOPLE
        if judge.person and (judge.name, judge.name) not in met and (group, group) in met:
            text = f"{judge.name} and the other {group}: open to compare"
            cell = Cell("…", note=text, href=view.address(a=judge.name, b=group))
            found[judge.name, group] = found[group, judge.name] = Meeting(judge.name, group, None, cell)
    return found


def _both_ways(a: str, b: str, row: dict[str, Any], view: View) -> Met:
    meeting = Meeting(a, b, row["value"], replace(_shown(row, f"{a} and {b}"), href=view.address(a=a, b=b)))
    return {(a, b): meeting, (b, a): meeting}


def _shown(row: dict[str, Any], who: str) -> Cell:
    cell = number(row)
    parts = [f"{who}: {wording.title(row['statistic'])} {cell.text}", cell.detail.split("\n")[0], cell.note]
    return Cell(
        cell.text if row["value"] is None else wording.two(row["value"]), note="; ".join(part for part in parts if part)
    )


def _chosen(rows: Sequence[dict[str, Any]], view: View) -> list[dict[str, Any]]:
    return [row for row in rows if (row["task"], row["statistic"]) == (view.task, view.statistic)]


def _in_order(kept: Sequence[RaterCount], met: Met) -> list[str]:
    """People together first; scorers, those closest to people first; persons, those with most answers first."""

    def closeness(judge: RaterCount) -> float:
        found = [met[judge.name, group].value for group in (PEOPLE, SIMULATED) if (judge.name, group) in met]
        return max((value for value in found if value is not None), default=-2.0)

    scorers = sorted((judge for judge in kept if judge.scorer), key=closeness, reverse=True)
    return [PEOPLE, SIMULATED, *(judge.name for judge in scorers), *(judge.name for judge in kept if judge.person)]
