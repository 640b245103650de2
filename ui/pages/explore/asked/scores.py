"""Scores by element type, text source or number of entities (TIFA, Figures 8 and 9, Table 4)."""

from __future__ import annotations

from statistics import fmean
from typing import Any, Final

from agreement.questions.scores import ACCURACY, LESS_REFERENCE, TIFA
from concord.common import wording
from concord.questions import scores
from concord.questions.scores import Row
from data.store.core.store import Store
from ui import failure_charts
from ui.components.table import Cell, html_table, note
from ui.failure_charts import Series
from ui.pages.explore.asked.offered import BY, ENTITIES, SOURCES, TYPES
from ui.pages.explore.asked.shown import Asked, cell, mark, of_source, own_rule, reference_of, source_of
from ui.pages.explore.asked.wrong import listed
from ui.pages.explore.view import ALL, View

_STATISTIC: Final = {TYPES: ACCURACY, SOURCES: TIFA, ENTITIES: TIFA}
_CAPTION: Final = {
    TYPES: "Right answers by element type",
    SOURCES: "TIFA by text source",
    ENTITIES: "TIFA by number of entities",
}
_NAMED: Final = {TYPES: "element type", SOURCES: "text source", ENTITIES: "entities"}
_MEANS: Final = {
    TYPES: "The share of right answers among all questions of a type, as in the paper’s Figure 8.",
    SOURCES: "TIFA is the share of right answers about an image, on average over texts (the paper’s Table 4).",
    ENTITIES: "TIFA over how many objects, animals, humans and food a text’s questions ask for, as in the paper’s Figure 9.",
}
_REFERENCE: Final = (
    "Beneath a number: how far it is from {reference}’s, on the texts that both have images of, asked the same. Real images"
    " need not be perfect: texts and models err, too."
)


class _Table:
    """The rows of one picture by group and generator."""

    def __init__(self, rows: list[Row], view: View) -> None:
        by, statistic = BY[view.see], _STATISTIC[view.see]
        mine = [row for row in rows if row["rater"] == view.rater and row["by"] in (by, ALL)]
        self.view = view
        self.generators = sorted({row["generator"] for row in mine})
        self.at = {(row["by"] == ALL, row["group"], row["generator"]): row for row in mine if row["statistic"] == statistic}
        less = [row for row in mine if row["statistic"] == statistic + LESS_REFERENCE]
        self.less = {(row["by"] == ALL, row["group"], row["generator"]): row for row in less}
        self.tifa = {row["generator"]: row for row in mine if (row["by"], row["statistic"]) == (ALL, TIFA)}
        self.reference = reference_of(view)
        self.groups = self._ordered(list(dict.fromkeys(row["group"] for row in mine if row["by"] != ALL)))

    def _ordered(self, groups: list[str]) -> list[str]:
        """Where generators are worst first; numbers as they are."""
        if self.view.see == ENTITIES:
            return sorted(groups, key=int)
        return sorted(groups, key=lambda group: (self.mean(group), group))

    def mean(self, group: str) -> float:
        """Over generators, but for the reference."""
        found = [self.value(group, name) for name in self.generators if name != self.reference]
        known = [value for value in found if value is not None]
        return fmean(known) if known else 2.0

    def value(self, group: str, generator: str) -> float | None:
        row = self.at.get((False, group, generator))
        return None if row is None else row["value"]

    def href(self, group: str, generator: str) -> str:
        return self.view.address(group=group, whose=generator)

    def series(self) -> list[Series]:
        return [
            Series(
                self.named(name),
                [mark(self.at.get((False, group, name)), f"{name}, {group}", self.href(group, name)) for group in self.groups],
                reference=name == self.reference,
            )
            for name in self.generators
        ]

    def named(self, generator: str) -> str:
        return f"{generator} (reference)" if generator == self.reference else generator

    def html(self) -> str:
        headers: list[str | Cell] = [_NAMED[self.view.see], *(Cell(self.named(name)) for name in self.generators)]
        lines = [self._line(True, ALL), *(self._line(False, group) for group in self.groups)]
        return html_table(_CAPTION[self.view.see], headers, lines)

    def _line(self, whole: bool, group: str) -> list[str | Cell]:
        shown = "all" if whole else wording.task(group) if self.view.see == SOURCES else group
        return [shown, *(self._cell(whole, group, name) for name in self.generators)]

    def _cell(self, whole: bool, group: str, generator: str) -> Cell:
        key = (whole, group, generator)
        less = self.less.get(key)
        more = "" if less is None or less["value"] is None else f"{less['value']:+.3f} to {self.reference}"
        return cell(self.at.get(key), self.href(group, generator), more)


def drawn(store: Store, view: View) -> Asked:
    """One of the three pictures."""
    rows = scores.recall_scores(store, view.suite, source_of(view), reference_of(view))
    table = _Table(rows, view)
    numbers = table.html() + _notes(store, view)
    return Asked(note(_lead(table), "cc-lead"), _figure(table), numbers, listed(store, view))


def _figure(table: _Table) -> Any:
    if not table.groups:
        return None
    if table.view.see == ENTITIES:
        return failure_charts.lines(table.groups, table.series(), ("entities that the text asks for", "TIFA"))
    axis = "right answers" if table.view.see == TYPES else "TIFA"
    labels = [wording.task(group) for group in table.groups] if table.view.see == SOURCES else table.groups
    return failure_charts.dots(labels, table.series(), axis)


def _lead(table: _Table) -> str:
    view = table.view
    known = {name: row["value"] for name, row in table.tifa.items() if row["value"] is not None}
    told = [f"{name} {value:.3f}" for name, value in known.items() if name != table.reference]
    real = known.get(table.reference)
    n, questions = (sum(row[name] for row in table.tifa.values()) for name in ("n_items", "n_questions"))
    about = f"{view.rater} answered {wording.count(questions, 'question')} about {wording.count(n, 'image')} of {view.suite}"
    sentence = f"{about}{of_source(view)}. TIFA: {', '.join(told) or 'of nothing but the reference'}"
    sentence += f"; {table.reference}, the reference, {real:.3f}." if real is not None else "."
    if view.see == TYPES and len(table.groups) > 1:
        sentence += f" Hardest on average: {table.groups[0]} ({table.mean(table.groups[0]):.3f})."
    return sentence


def _notes(store: Store, view: View) -> str:
    parts = [note(f"{_MEANS[view.see]} Every number leads to the answers behind it. Intervals: 95\u00a0%, by text.")]
    if reference_of(view):
        parts.append(note(_REFERENCE.format(reference=view.reference)))
    mixed = scores.mixed_texts(store, view.suite, view.rater)
    if mixed:
        told = "was asked" if mixed == 1 else "were asked"
        parts.append(
            note(
                f"Of {wording.count(mixed, 'text')} not all images {told} the same questions: these have changed in between, so"
                " generators are not compared on the same ones there. To ask anew, remove the scorer’s runs and score again.",
                "cc-bad",
            )
        )
    return "".join([*parts, own_rule(store, view)])
