"""Scorers in more detail: beside people by how sure people are, against each other, as decisions, and beside consensuses.

Scorer against scorer: which of two agrees better with the same people, and whether that is more than chance. Scores to
decisions: where to cut a score so that it agrees best with people's yes or no, reported out of fold. A consensus of people is
a rater that nobody is.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

import htpy
from htpy import Element, Node

from agreement import Comparison, ConsensusMethod, Options
from agreement.estimate import Estimate
from agreement.thresholds import ThresholdAgreement
from concord.agreement import recall, recall_comparisons, recall_consensus
from concord.common import wording
from concord.common.estimate_table import glance
from concord.common.table import Cell, Column, numbers
from concord.comparison.score_cuts import can_cut, cut_curve, score_cuts
from concord.comparison.trust import Trust, is_huge
from concord.open_project import OpenProject
from ui.components.tables import (
    Cells,
    columns,
    explained,
    joined,
    note,
    number,
    plain_table,
    statistics_element,
    table_element,
)
from ui.pages.trust import figures
from ui.pages.trust.view import EVERY, TrustView


def listed(rows: Sequence[Estimate], made: Trust, view: TrustView) -> list[Estimate]:
    """Return what the tables show of rows: the chosen statistic and the scale's main ones, or every one."""
    return list(rows) if view.table == EVERY else glance(rows, made.statistic)[0]


_ABOUT_CERTAINTY = (
    "Images by people’s answers: unanimous where all are equal, majority where more than half are, split where neither. Images"
    " with a single answer are in no class. Where people differ among themselves, no scorer can agree with all of them."
)
_NOBODY = "This needs images with at least two people's answers and a scorer's judgement. There are none here."


def by_certainty(store: OpenProject, made: Trust, view: TrustView) -> Node:
    """Return the tables of scorers beside people, by how sure people are."""
    options = Options(intervals=made.intervals, each_generator=False, matrix=False, by_certainty=True)
    rows = [row for row in recall(store, made.selection, options).by_certainty or () if row.task == made.task]
    if not rows:
        return note(_NOBODY)
    body: list[Node] = [note(_ABOUT_CERTAINTY)]
    for kind, who in _WHO.items():
        for name, words in _READ.items():
            mine = listed([row for row in rows if (row.people, row.certainty) == (kind, name)], made, view)
            caption = f"Where {who} are {words}, {wording.task(made.task)}"
            body.append(statistics_element(caption, "scorer", mine, lambda row: str(row.rater)))
    return [body, explained(listed(rows, made, view), open_=False)]


_WHO: Final = {"real": "people", "simulated": "simulated people"}
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


def scorer_against_scorer(store: OpenProject, made: Trust) -> Node:
    """Return the tables of each two scorers' difference in agreement with the same people."""
    options = Options(statistics=(made.statistic,), intervals=made.intervals, each_generator=False)
    rows = [row for row in recall_comparisons(store, made.selection, options) if row.task == made.task]
    if not rows:
        return note(_TOO_FEW)
    return [note(_ABOUT_COMPARISON), [_comparison_table([row for row in rows if row.people == kind], made) for kind in _WHO]]


def _comparison_table(rows: Sequence[Comparison], made: Trust) -> Node:
    if not rows:
        return ""
    caption = f"Closer to {_WHO[rows[0].people]} by {wording.title(made.statistic)}, {wording.task(made.task)}"
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


def scores_to_decisions(store: OpenProject, made: Trust, rater: str) -> Node:
    """Return the tables of all scores that are cut, and the curve of `rater`, or of the first that has one."""
    if not can_cut(made.selection):
        return note(_NO_YES)
    rows = score_cuts(store, made.selection, intervals=made.intervals)
    if not rows:
        return note(_NO_SCORES)
    scorers = sorted({(row.people, row.rater) for row in rows})
    tables = [_cut_table([row for row in rows if (row.people, row.rater) == scorer], *scorer) for scorer in scorers]
    people, name = next((each for each in scorers if each[1] == rater), scorers[0])
    curve = cut_curve(store, made.selection, made.task, name, people, intervals=made.intervals)
    known = [each for each in zip(curve.cuts, curve.values, curve.low, curve.high, strict=True) if each[1] is not None]
    figure = figures.line(
        [(cut, value) for cut, value, _, _ in known if value is not None],
        (f"{name}: yes above this, {wording.task(made.task)}", f"agreement with {_WHO[people]}"),
        [(cut, low, high) for cut, _, low, high in known if low is not None and high is not None],
        mark=curve.threshold,
    )
    return [note(_ABOUT_DECISIONS), figure, tables, explained(rows, open_=False)]


def _cut_table(rows: Sequence[ThresholdAgreement], people: str, rater: str) -> Element:
    tasks = list(dict.fromkeys(row.task for row in rows))
    by_cell = {(row.task, row.statistic): row for row in rows}
    body = [_cut_line(task, by_cell) for task in tasks]
    heads = columns("task", *numbers("images", "answers", "cut", "agreement", "in sample", "Cohen’s κ"))
    return table_element(plain_table(f"{rater} cut to agree with {_WHO[people]}, out of fold", heads, body))


def _cut_line(task: str, by_cell: dict[tuple[str, str], ThresholdAgreement]) -> Cells:
    agreed, kappa = by_cell[task, "percent_agreement"], by_cell.get((task, "cohen_kappa"))
    chosen = agreed.chosen
    cut = "" if chosen.threshold is None else f"{chosen.threshold:.3g}"
    folds = chosen.fold_thresholds
    spread = (f"{min(folds):.3g} to {max(folds):.3g} by fold",) if folds else ()
    sample = "" if chosen.in_sample is None else f"{chosen.in_sample:z.3f}"
    counts = [f"{agreed.n_items:,}", f"{agreed.n_ratings:,}"]
    return [wording.task(task), *counts, Cell(cut, spread), number(agreed), sample, number(kappa)]


CONSENSUS: Final[Mapping[ConsensusMethod, str]] = {"majority": "Majority", "dawid_skene": "Dawid–Skene", "mace": "MACE"}
"""Consensuses of people that can be raters, too."""
_LEAD = (
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


def consensus_tables(store: OpenProject, made: Trust, view: TrustView) -> Node:
    """Return the links that choose consensuses, and the tables of those that are chosen."""
    methods = view.consensus or tuple(CONSENSUS)
    links = [
        htpy.a(
            href=view.address(
                numbers="consensus", consensus=tuple(name for name in CONSENSUS if (name in view.consensus) != (name == each))
            ),
            aria_current="true" if each in view.consensus else None,
            data_scope="",
        )[f"{title}: in the matrix" if each in view.consensus else f"{title}: add to the matrix"]
        for each, title in CONSENSUS.items()
    ]
    choice = note(joined(links))
    if is_huge(store):
        return [choice, note("A consensus of so many answers takes minutes: agreement --consensus has it.")]
    rows = recall_consensus(store, made.selection, Options(intervals=made.intervals, each_generator=False), methods)
    if not rows.raters:
        return [choice, note("A consensus needs labels, and people have given none here.")]
    beside = listed([row for row in rows.raters if row.task == made.task], made, view)
    body: list[Node] = [choice, note(_LEAD)]
    for kind, who in _WHO.items():
        mine = [row for row in beside if row.people == kind]
        caption = f"Consensus beside {who}, {wording.task(made.task)}"
        body.append(statistics_element(caption, "consensus", mine, lambda row: str(row.rater)))
        body.append(_persons([row for row in rows.quality or () if row.people == kind], who))
    return [body, explained(beside, open_=False)]


def _persons(rows: Sequence[Estimate], who: str) -> Node:
    """A row per person, those with most answers first; over all tasks."""
    if not rows:
        return ""
    shown = [name for name in _QUALITY if any(row.statistic == name for row in rows)]
    by_person: dict[str, dict[str, Estimate]] = {}
    for row in rows:
        by_person.setdefault(row.rater, {})[row.statistic] = row
    titles = [Column(_QUALITY[name], _MEANING[name], number=True) for name in shown]
    persons = sorted(by_person, key=lambda name: (-_answers(by_person[name]), name))
    body: list[Cells] = [
        [name, f"{_answers(by_person[name]):,}", *(number(by_person[name].get(s)) for s in shown)] for name in persons
    ]
    heads = columns("person", *numbers("answers"), *titles)
    return table_element(plain_table(f"Each of the {who} beside the others, all tasks", heads, body))


def _answers(rows: dict[str, Estimate]) -> int:
    """How many answers of a person count."""
    return max(int(row.n_ratings) + int(row.excluded.get("no_consensus", 0)) for row in rows.values())
