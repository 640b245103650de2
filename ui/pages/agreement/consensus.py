"""Consensuses of people as raters: beside people, and how each person stands beside the others."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from agreement import NoCrowdKitError, Options
from concord.agreement import Rows, recall_consensus
from concord.common import wording
from data.store.core.store import Store
from ui.components.estimates import explained, number, statistics_table
from ui.components.table import Cell, html_table, note
from ui.pages.agreement.first import huge
from ui.pages.agreement.view import View

Row = dict[str, Any]
CONSENSUS = "consensus:"
"""How the names of consensuses begin."""
_NOTHING: Rows = {"raters": [], "matrix": [], "quality": []}
_WHAT = (
    "A consensus is computed from people’s answers and is nobody’s: no number about people or scorers changes with it. Beside a"
    " person it is made without that person’s answers."
)
_QUALITY = {
    "percent_agreement": "with the others’ majority",
    "expected_accuracy": "accuracy, Dawid–Skene",
    "competence": "competence, MACE",
}
_MEANING = {
    "percent_agreement": "How often the person says what more than half of the others say.",
    "expected_accuracy": "How often the person recognises a label, by Dawid and Skene’s model, mean over labels.",
    "competence": "How probable it is that the person knew rather than guessed, by MACE.",
}


def consensus_of(store: Store, view: View, *, intervals: bool) -> Rows:
    """The rows of the consensuses that are asked for; none of a project that is too large for a page, or without crowd-kit."""
    if not view.methods or huge(store):
        return _NOTHING
    try:
        return recall_consensus(store, view.selection, Options(intervals=intervals, each_generator=False), view.methods)
    except NoCrowdKitError:
        return _NOTHING


def consensus_tables(store: Store, view: View, *, intervals: bool) -> str:
    """The tables as HTML; nothing if no consensus is asked for."""
    if not view.methods:
        return ""
    if huge(store):
        return note("A consensus of so many answers takes minutes: agreement --consensus has it.")
    try:
        rows = recall_consensus(store, view.selection, Options(intervals=intervals, each_generator=False), view.methods)
    except NoCrowdKitError as error:
        return note(f"{error}.", "cc-bad")
    if not rows["raters"]:
        return note("A consensus is of labels, and people have given none here.")
    beside = view.listed([row for row in rows["raters"] if row["task"] == view.task])
    body = note(_WHAT)
    for kind, who in (("real", "people"), ("simulated", "simulated people")):
        mine = [row for row in beside if row["people"] == kind]
        caption = f"Consensus beside {who}, {wording.task(view.task)}"
        body += statistics_table(caption, "consensus", mine, lambda row: str(row["rater"]))
        body += _persons([row for row in rows["quality"] if row["people"] == kind], who)
    return body + explained(beside, open_=False)


def _persons(rows: Sequence[Row], who: str) -> str:
    """A row per person, those with most answers first; over all tasks."""
    if not rows:
        return ""
    shown = [name for name in _QUALITY if any(row["statistic"] == name for row in rows)]
    found: dict[str, dict[str, Row]] = {}
    for row in rows:
        found.setdefault(row["rater"], {})[row["statistic"]] = row
    headers: list[str | Cell] = ["person", Cell("answers"), *(Cell(_QUALITY[name], note=_MEANING[name]) for name in shown)]
    persons = sorted(found, key=lambda name: (-_answers(found[name]), name))
    body: list[list[str | Cell]] = [
        [name, Cell(f"{_answers(found[name]):,}"), *(number(found[name].get(s)) for s in shown)] for name in persons
    ]
    return html_table(f"Each of the {who} beside the others, all tasks", headers, body)


def _answers(rows: dict[str, Row]) -> int:
    """How many answers of a person count."""
    return max(int(row["n_ratings"]) + int(row["excluded"].get("no_consensus", 0)) for row in rows.values())
