"""Scorers in more detail: beside people by how sure people are, against each other, and as decisions.

Scorer against scorer: which of two agrees better with the same people, and whether that is more than chance. Scores to
decisions: where to cut a score so that it agrees best with people's yes or no, reported out of fold.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from htpy import Element, Node

from agreement import CellName, Comparison, CutOptions, Options, ThresholdCurve, curve
from agreement.report.report import CLASSES
from agreement.thresholds import ThresholdAgreement
from concord.agreement import recall, recall_comparisons, recall_thresholds
from concord.common import live_updates, wording
from concord.common.table import Cell, numbers
from data.selection import Selection
from data.store.core import frame
from data.store.core.store import Store
from ui.components import charts
from ui.components.tables import Cells, columns, explained, note, number, plain_table, statistics_element, table_element
from ui.pages.agreement.view import AgreementView

_ABOUT_CERTAINTY = (
    "Images by people’s answers: unanimous where all are equal, majority where more than half are, split where neither. Images"
    " with a single answer are in no class. Where people differ among themselves, no scorer can agree with all of them."
)
_NOBODY = "This needs images with at least two people's answers and a scorer's judgement. There are none here."


def by_certainty(store: Store, view: AgreementView, *, intervals: bool) -> tuple[Any, Node]:
    """Return a figure (None: nothing to draw) and the tables."""
    options = Options(intervals=intervals, each_generator=False, matrix=False, by_certainty=True)
    certainty_rows = [row for row in recall(store, view.selection, options).by_certainty or () if row.task == view.task]
    if not certainty_rows:
        return None, note(_NOBODY)
    kinds = {kind: [row for row in certainty_rows if row.people == kind] for kind in ("real", "simulated")}
    body: list[Node] = [note(_ABOUT_CERTAINTY)]
    for kind, rows in kinds.items():
        who = "people" if kind == "real" else "simulated people"
        for name in CLASSES:
            mine = view.listed([row for row in rows if row.certainty == name])
            caption = f"Where {who} are {_READ[name]}, {wording.task(view.task)}"
            body.append(statistics_element(caption, "scorer", mine, lambda row: str(row.rater)))
    chosen = [row for row in certainty_rows if row.statistic == view.statistic and row.value is not None]
    chosen.sort(key=lambda row: (row.rater, CLASSES.index(row.certainty or "")))
    simulated = {"real": "", "simulated": " (simulated people)"}
    lines = [charts.ForestLine.of(f"{row.rater}, {row.certainty}{simulated[row.people]}", row) for row in chosen]
    figure = charts.forest(lines, f"{wording.title(view.statistic)}, {wording.task(view.task)}") if lines else None
    return figure, [body, explained(view.listed(certainty_rows), open_=False)]


_READ = {"unanimous": "unanimous", "majority": "split, with a majority", "split": "split"}


_ABOUT_COMPARISON = (
    "Both scorers’ agreement with the same people on the same images, and the difference. p is two-sided, by swapping the"
    " scorers’ judgements of prompts, and corrected by Holm’s method over all comparisons by this statistic: below 0.05 the"
    " difference is significant."
)
_TOO_FEW = (
    "Fewer than two scorers have this statistic with people here. One that gives scores and no yes or no has correlations and"
    " AUC: choose another statistic."
)


def scorer_against_scorer(store: Store, view: AgreementView, *, intervals: bool) -> Node:
    """Return the tables."""
    options = Options(statistics=(view.statistic,), intervals=intervals, each_generator=False)
    rows = [row for row in recall_comparisons(store, view.selection, options) if row.task == view.task]
    if not rows:
        return note(_TOO_FEW)
    tables = [_comparison_table([row for row in rows if row.people == kind], kind, view) for kind in ("real", "simulated")]
    return [note(_ABOUT_COMPARISON), tables]


def _comparison_table(rows: Sequence[Comparison], kind: str, view: AgreementView) -> Node:
    if not rows:
        return ""
    who = "people" if kind == "real" else "simulated people"
    caption = f"Closer to {who} by {wording.title(view.statistic)}, {wording.task(view.task)}"
    tested = any(row.mcnemar for row in rows)
    titles = ["images", "the first", "the second", "difference", "p, Holm"]
    titles += ["right: only the first", "only the second", "p, McNemar"] if tested else []
    ordered = sorted(rows, key=lambda row: (row.value is None, -abs(row.value or 0.0)))
    lines = [_comparison_line(row, tested=tested) for row in ordered]
    return table_element(plain_table(caption, columns("scorers", *numbers(*titles)), lines))


def _comparison_line(row: Comparison, *, tested: bool) -> Cells:
    """The scorer that is closer to people stands first."""
    shown = row.turned() if row.value is not None and row.value < 0 else row
    own = ["–" if value is None else f"{value:z.3f}" for value in (shown.value_a, shown.value_b)]
    line: list[str | Cell] = [f"{shown.a} over {shown.b}", f"{row.n_items:,}", *own, number(shown)]
    line.append(_p(row.p_holm))
    if tested and (test := shown.mcnemar):
        line += [*(f"{n:,}" for n in (test.only_a_right, test.only_b_right)), _p(test.p_holm)]
    elif tested:
        line += [""] * 3
    return line


def _p(p: float | None) -> Cell:
    if p is None:
        return Cell("")
    return Cell(f"{p:z.3f}" if p >= 0.001 else "< 0.001", ("significant" if p < 0.05 else "not significant",))


_ABOUT_DECISIONS = (
    "For each task the threshold that agrees best with people, by five-fold cross-validation over prompts: the numbers are for"
    " prompts that the threshold was not chosen on. “In sample” is for the prompts it was chosen on, which is optimistic."
)
_NO_YES = "Thresholds need people's yes/no answers about the whole image: choose the aspect “correct”."
_NO_SCORES = "No scorer with scores, such as CLIPScore, has scored images that people have judged here."


def scores_to_decisions(store: Store, view: AgreementView, *, intervals: bool) -> tuple[Any, Node]:
    """Return the curve of one scorer (None: nothing to draw) and the tables."""
    if view.aspect != CutOptions().aspect:
        return None, note(_NO_YES)
    options = Options(intervals=intervals, each_generator=False, certainty=view.selection.certainty)
    rows = recall_thresholds(store, view.selection, options)
    if not rows:
        return None, note(_NO_SCORES)
    scorers = sorted({(row.people, row.rater) for row in rows})
    tables = [_cut_table([row for row in rows if (row.people, row.rater) == scorer], *scorer) for scorer in scorers]
    figure = _figure(store, view, scorers, options)
    return figure, [note(_ABOUT_DECISIONS), tables, explained(rows, open_=False)]


@live_updates.cached(maxsize=16)
def _curve(store: Store, selection: Selection, compared: tuple[str, str, str], options: Options) -> ThresholdCurve:
    rater, task, people = compared
    judgements, scales = frame.frame(store, selection), frame.scales(store)
    return curve(judgements, scales, rater, CutOptions(), options, cell=CellName("all", task), simulated=people == "simulated")


def _figure(store: Store, view: AgreementView, scorers: Sequence[tuple[str, str]], options: Options) -> Any:
    """The curve of the chosen rater if it has one, else of the first."""
    people, rater = next((each for each in scorers if each[1] == view.a), scorers[0])
    made = _curve(store, view.selection, (rater, view.task, people), options)
    if not made.cuts:
        return None
    who = "people" if people == "real" else "simulated people"
    axes = (f"{rater}: yes above this, {wording.task(view.task)}", f"agreement with {who}")
    return charts.decisions(made, axes)


def _cut_table(rows: Sequence[ThresholdAgreement], people: str, rater: str) -> Element:
    who = "people" if people == "real" else "simulated people"
    tasks = list(dict.fromkeys(row.task for row in rows))
    by_cell = {(row.task, row.statistic): row for row in rows}
    body = [_cut_line(task, by_cell) for task in tasks]
    heads = columns("task", *numbers("images", "answers", "cut", "agreement", "in sample", "Cohen’s κ"))
    return table_element(plain_table(f"{rater} cut to agree with {who}, out of fold", heads, body))


def _cut_line(task: str, by_cell: dict[tuple[str, str], ThresholdAgreement]) -> Cells:
    agreed, kappa = by_cell[task, "percent_agreement"], by_cell.get((task, "cohen_kappa"))
    chosen = agreed.chosen
    cut = "" if chosen.threshold is None else f"{chosen.threshold:.3g}"
    folds = chosen.fold_thresholds
    spread = (f"{min(folds):.3g} to {max(folds):.3g} by fold",) if folds else ()
    sample = "" if chosen.in_sample is None else f"{chosen.in_sample:z.3f}"
    counts = [f"{agreed.n_items:,}", f"{agreed.n_ratings:,}"]
    return [wording.task(task), *counts, Cell(cut, spread), number(agreed), sample, number(kappa)]
