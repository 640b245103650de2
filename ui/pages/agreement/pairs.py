"""Pairs of raters: the matrix of all of them, and the panel that a click on two opens.

In the matrix people stand together, then each scorer, each person; a cell is shaded by how close two are. The panel says where
their answers cross, on which images, by aspect, by generator and over time.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product

import htpy
import numpy as np
import pandas as pd
from htpy import Element, Node

from agreement import CellName, Options, PairReport, pair_report
from agreement.estimate import Estimate
from agreement.report.report import MET_BY_SCORES, SCORE
from concord.agreement import AgreementRows, recall, scales_of
from concord.common import live_updates, sentences, wording
from concord.common.confusion_table import Crossings, confusion_table
from concord.common.table import Cell, numbers
from concord.headlines import closest, is_muted
from data.browsing import ConfusionCell, RaterCount
from data.selection import PEOPLE, SIMULATED, Selection
from data.store.browse.contents import item_previews
from data.store.core import frame
from data.store.core.store import Store
from ui.components import charts
from ui.components.addresses import browse_address
from ui.components.image_strip import image_link, thumbnails
from ui.components.tables import (
    columns,
    explained,
    folded,
    heading,
    note,
    number,
    plain_table,
    scrolled,
    span,
    statistics_element,
    table_element,
)
from ui.pages.agreement.summary import CONSENSUS, consensus_of
from ui.pages.agreement.view import AgreementView, first_estimates, is_huge, pairable, passes, where
from ui.shell.changes import Drawn

_FURTHEST = 8
_HINT = "Click a number of the matrix, or choose two raters here, to see how their answers cross and on which images."


def draw_pair(store: Store, view: AgreementView) -> Iterator[Drawn]:
    """The pair of a view: quickly without intervals, then whole."""
    nothing = {"pair-scores": None, "pair-steps": None, "pair-parts": ""}
    if view.suite and not (view.a and view.b):
        view = _with_best_scorer(store, view)
    if not view.suite or not view.a or not view.b:
        yield {"pair-text": note(_HINT), **nothing}
    elif view.a == view.b:
        yield {"pair-text": note(f"{view.a} with itself agrees by definition. Choose two different raters."), **nothing}
    else:
        try:
            for intervals in passes(store):
                yield _panel(store, view, _met(store, replace(view, table=""), intervals))
        except ValueError as error:
            text = note(f"{view.a} and {view.b} cannot be compared in {where(view)}: {error}.", "cc-bad")
            yield {"pair-text": text, **nothing}


def _with_best_scorer(store: Store, view: AgreementView) -> AgreementView:
    """The view with a whole pair: the scorer that is closest to people, and people, where a rater is not chosen."""
    rows = first_estimates(store, view.selection)
    for people, name in (("real", PEOPLE), ("simulated", SIMULATED)):
        mine = [row for row in rows.raters if row.people == people]
        if best := closest(mine, view.statistic, view.task):
            a = view.a or best.rater
            return replace(view, a=a, b=view.b or (best.rater if a == name else name))
    return view


@live_updates.cached(maxsize=32)
def _met(store: Store, view: AgreementView, intervals: bool) -> PairReport:
    # a rater's other aspects say where the two part ways
    selection = replace(view.selection, aspect=())
    judgements = frame.frame(store, selection)
    # whoever only scores takes the first place, from which a score meets what others say
    swapped = _only_scores(judgements, view.aspect, view.b) or view.a in (PEOPLE, SIMULATED)
    a, b = (view.b, view.a) if swapped else (view.a, view.b)
    return pair_report(
        judgements,
        scales_of(store),
        SCORE if _only_scores(judgements, view.aspect, a) and _only_scores(judgements, view.aspect, b) else view.aspect,
        a,
        PEOPLE if b in (PEOPLE, SIMULATED) else b,
        Options(intervals=intervals, certainty=selection.certainty),
        place=CellName("all", view.task),
        simulated=b == SIMULATED,
    )


def _only_scores(judgements: pd.DataFrame, aspect: str, rater: str) -> bool:
    judged = set(judgements.loc[judgements["rater"] == rater, "aspect"])
    return SCORE in judged and aspect not in judged


def _panel(store: Store, view: AgreementView, pair: PairReport) -> Drawn:
    b = SIMULATED if pair.b == PEOPLE and pair.people == "simulated" else pair.b
    sentence = sentences.text(pair.prevalence.sentence) if pair.prevalence else ""
    text: list[Node] = [
        heading(f"{pair.a} and {b}", f"{where(view)}. {sentence}".strip()),
        _table(f"Both on {wording.aspect(pair.aspect)}", "", [("", pair.estimates)], view),
        _pass_agreement(view, pair, b),
    ]
    if pair.labels:
        counted = note(_COUNTED.format(b=b) if pair.b == PEOPLE else _COUNTED_TWO)
        text += [_crossings(store, view, pair, b), counted]
    scores = None
    if pair.values and len(pair.values.x) > 1:
        scores = charts.against(pair.values.x, pair.values.y, (pair.a, f"{b}, mean" if pair.b == PEOPLE else b))
    steps = None
    if len(pair.steps) > 1:
        columns = zip(*((step.n_so_far, step.value, step.so_far) for step in pair.steps), strict=True)
        steps = charts.over_time(*(list(column) for column in columns))
    parts = [_furthest(store, pair, view), _parts(pair, view)]
    return {"pair-text": text, "pair-scores": scores, "pair-steps": steps, "pair-parts": parts}


def _pass_agreement(view: AgreementView, pair: PairReport, b: str) -> Node:
    """Return agreement on passes and on fails: of yes and no, how often the first says what the second does."""
    if pair.prevalence is None or pair.prevalence.passes is None or pair.prevalence.fails is None:
        return ""
    no, yes = sorted(pair.labels, key=lambda label: label == pair.labels[0])
    say = "say" if pair.b == PEOPLE else "says"
    rows = [
        (f"{name}: {pair.a} says {label} where {b} {say} {label}", _share(view, pair, b, label, estimate))
        for name, label, estimate in (
            ("agreement on passes (sensitivity)", yes, pair.prevalence.passes),
            ("agreement on fails (specificity)", no, pair.prevalence.fails),
        )
    ]
    return table_element(plain_table("When yes, when no", columns("", *numbers("share")), rows))


def _share(view: AgreementView, pair: PairReport, b: str, label: str, estimate: Estimate) -> Cell:
    if estimate.value is None:
        reason = sentences.text_or_none(estimate.reason)
        return Cell("–", (reason,) if reason else ())
    bounds = span(estimate.low, estimate.high) or "no interval"
    crossed = ConfusionCell(pair.aspect, pair.a, label, b, label)
    href = browse_address(replace(_of_task(view), aspect=()), crossed)
    return Cell(
        wording.two(estimate.value),
        (f"{bounds}, n = {estimate.n_ratings:,}",),
        sentences.text(estimate.method),
        href,
        estimate.value,
    )


def _of_task(view: AgreementView) -> Selection:
    return view.selection if view.task == "all" else replace(view.selection, task=(view.task,))


_COUNTED = (
    "Images by what more than half of {b} say; a number leads to its images. Images on which no answer has a majority are"
    " left out."
)
_COUNTED_TWO = "What both have judged; a number leads to its images."


def _crossings(store: Store, view: AgreementView, pair: PairReport, b: str) -> Node:
    """Return the confusion table; of two labels with the first images of each cell."""
    items = {(cell.a, cell.b): cell.items for cell in pair.cells}
    selection = _of_task(view)

    def link(a_says: str, b_says: str) -> str:
        return browse_address(
            replace(selection, aspect=()),
            ConfusionCell(pair.aspect, pair.a, a_says, b, b_says, "majority" if pair.b == PEOPLE else "each"),
        )

    crossed = Crossings(pair.a, b, pair.labels, pair.table, {labels: len(each) for labels, each in items.items()})
    caption = f"Where their answers cross: {wording.aspect(pair.aspect)}"
    table = table_element(confusion_table(caption, crossed, link), "cc-confusion")
    if len(pair.labels) != 2:
        return table
    first = {labels: each[:_IN_CELL] for labels, each in items.items()}
    looks = item_previews(store, [item for each in first.values() for item in each])
    listing = replace(view.selection, aspect=(), rater=())
    cells = []
    for (i, a_says), (j, b_says) in product(enumerate(pair.labels), repeat=2):
        images = [image_link(item, looks.get(item), listing) for item in first.get((a_says, b_says), ())]
        images_of = htpy.small[f"in {wording.count(len(items.get((a_says, b_says), ())), 'image')}"]
        cells.append(
            htpy.div(class_=f"cc-crossing cc-crossing--{'same' if i == j else 'apart'}")[
                htpy.p[f"{pair.a}: {a_says} · {b}: {b_says}"],
                htpy.a(class_="cc-crossing-n", href=link(a_says, b_says))[f"{pair.table[i][j]:,} ", images_of],
                htpy.div[images],
            ]
        )
    return [htpy.div(class_="cc-crossings")[cells], folded("As a table", table)]


_IN_CELL = 4


def _furthest(store: Store, pair: PairReport, view: AgreementView) -> Node:
    """Return the images that the two rank most differently."""
    if not pair.values or len(pair.values.x) < 2:
        return ""
    values = pair.values
    n = len(values.x)
    apart = (np.asarray(values.rank_x) - np.asarray(values.rank_y)) / n
    order = np.argsort(-np.abs(apart), kind="stable")
    first: dict[str, str] = {}
    for index in order[: 4 * _FURTHEST].tolist():
        if apart[index]:
            caption = f"{pair.a} {values.x[index]:.3g}, {view.b if view.b != pair.a else view.a} {values.y[index]:.3g}"
            first.setdefault(values.items[index], caption)
    shown = dict(list(first.items())[:_FURTHEST])
    if not shown:
        return ""
    places = replace(view.selection, aspect=(), rater=())
    return [heading("Ranked most differently"), thumbnails(item_previews(store, [*shown]), shown, places)]


def _parts(pair: PairReport, view: AgreementView) -> Node:
    """Return what there is by aspect and by generator, and why numbers are missing."""
    parts = {"aspect": pair.aspects, "generator": pair.generators}
    lines = {name: [(part.name, part.estimates) for part in each] for name, each in parts.items()}
    body = [_table(f"By {name}", name, each, view) for name, each in lines.items() if len(each) > 1]
    every = [("", pair.estimates), *lines["aspect"], *lines["generator"]]
    return [body, explained(_rows(every, view), open_=False)]


def _table(caption: str, name: str, lines: Sequence[tuple[str, Sequence[Estimate]]], view: AgreementView) -> Node:
    return statistics_element(caption, name, _rows(lines, view), lambda row: str(row.rater))


def _rows(lines: Sequence[tuple[str, Sequence[Estimate]]], view: AgreementView) -> list[Estimate]:
    """What is shown of each line, by the line's name."""
    # a line without a name is of two raters, too: what has no rater is of people among themselves, whose statistics are others
    named = [(label, view.listed([replace(each, rater=label or "both") for each in estimates])) for label, estimates in lines]
    return [replace(row, rater=label) for label, rows in named for row in rows]


@dataclass(frozen=True, slots=True)
class MatrixCell:
    """Where two raters meet.

    Attributes:
        a, b: whose meeting it is.
        value: exact, None where it is undefined.
        cell: how it is shown; its link opens the pair.
    """

    a: str
    b: str
    value: float | None
    cell: Cell


def matrix_table(caption: str, raters: Sequence[str], met: Mapping[tuple[str, str], MatrixCell]) -> Element:
    """Return the table; ``met`` has each pair by row and column, and what is missing stays empty."""
    head = [htpy.th(scope="col")[htpy.span[name]] for name in raters]
    body = [htpy.tr[htpy.th(scope="row")[row], [_cell(met.get((row, column))) for column in raters]] for row in raters]
    return scrolled(
        htpy.table(class_="cc-table cc-matrix")[htpy.caption[caption], htpy.thead[htpy.tr[htpy.td, head]], htpy.tbody[body]]
    )


def _cell(meeting: MatrixCell | None) -> Element:
    if meeting is None:
        return htpy.td
    cell, text = meeting.cell, meeting.cell.text
    leads = htpy.a(href=cell.href, data_a=meeting.a, data_b=meeting.b, aria_label=cell.note)[text] if cell.href else text
    n = [[" ", htpy.small[line]] for line in cell.details]
    return htpy.td(_shade(meeting.value), class_=cell.kind or "cc-number", title=cell.note)[leads, n]


def _shade(value: float | None) -> dict[str, str]:
    """Return the exact value, and how dark the cell is: a coefficient of 0 or less has no shade but its sign."""
    if value is None:
        return {}
    side = "cc-below" if value < 0 else "cc-beyond"
    return {"data-value": repr(value), "style": f"--shade: {min(abs(value), 1.0):z.2f}", "data-side": side}


MOST_PERSONS = 20
Met = dict[tuple[str, str], MatrixCell]
_ALONE = (
    "A matrix needs two raters: run a scorer on these images, or import ratings with people’s names. "
    "The slots of a published study are anonymous, so they are shown as people together."
)
_GROUPS = {"real": PEOPLE, "simulated": SIMULATED}


def matrix(store: Store, view: AgreementView, rows: AgreementRows, *, intervals: bool) -> Node:
    """Return the chosen statistic of any two raters; nothing where fewer than two can be compared.

    ``rows`` is the report of the selection: people among themselves, scorers against people.
    """
    if not view.statistic:
        # of the first few answers there is none yet
        return note(_ALONE)
    known = pairable(store, view.selection)
    persons = [judge for judge in known if judge.person]
    counts = [judge for judge in known if judge.scorer] + persons[:MOST_PERSONS]
    met = _with_people(rows, view)
    if not is_huge(store):
        met = _by_scores(store, view, intervals=intervals) | met
        met |= _two_by_two(store, view, counts, len(counts) < len(known), intervals=intervals)
    met |= _unmet(counts, met, view)
    computed = _by_consensus(store, view, counts, intervals=intervals)
    met |= computed
    people, *others = _in_order(counts, met)
    names = list(dict.fromkeys(name for pair in computed for name in pair if name.startswith(CONSENSUS)))
    raters = [name for name in dict.fromkeys((people, *names, *others)) if any(name in pair for pair in met)]
    if len(raters) < 2:
        return note(_ALONE)
    title = f"Pairs of raters: {wording.title(view.statistic)}, {wording.task(view.task)}"
    hint = "Darker means closer agreement. Point at a number for its interval and n; click it to compare the two raters."
    if len(persons) > MOST_PERSONS:
        hint += f" Of {len(persons):,} persons, the {MOST_PERSONS} with most answers are here."
    if names:
        hint += " A consensus cannot be opened as a pair: point at its numbers."
    return [matrix_table(title, raters, met), note(hint)]


def _with_people(rows: AgreementRows, view: AgreementView) -> Met:
    """People among themselves, and each scorer with them."""
    met: Met = {}
    for row in _chosen(rows.among_people, view):
        group = _GROUPS[row.people]
        met |= _both_ways(group, group, row)
    for row in _chosen(rows.raters, view):
        met |= _both_ways(row.rater, _GROUPS[row.people], row, view)
    return met


def _two_by_two(store: Store, view: AgreementView, counts: Sequence[RaterCount], some_left: bool, *, intervals: bool) -> Met:
    """Persons and scorers with each other."""
    chosen = replace(view.selection, rater=tuple(judge.name for judge in counts)) if some_left else view.selection
    rows = recall(store, chosen, Options(statistics=(view.statistic,), intervals=intervals, each_generator=False))
    met: Met = {}
    for row in _chosen(rows.matrix, view):
        met |= _both_ways(row.a, row.b, row, view)
    return met


def _by_consensus(store: Store, view: AgreementView, counts: Sequence[RaterCount], *, intervals: bool) -> Met:
    """Consensuses with people, with the raters that are shown, and with each other: numbers, but no pair to open."""
    rows = consensus_of(store, view, intervals=intervals)
    shown = {judge.name for judge in counts}
    met: Met = {}
    for row in _chosen(rows.raters, view):
        met |= _both_ways(row.rater, _GROUPS[row.people], row)
    for row in _chosen(rows.matrix, view):
        if all(name in shown or name.startswith(CONSENSUS) for name in (row.a, row.b)):
            met |= _both_ways(row.a, row.b, row)
    return met


def _by_scores(store: Store, view: AgreementView, *, intervals: bool) -> Met:
    """Scorers whose scores meet people, with each other: over all that both have scored."""
    if view.aspect not in MET_BY_SCORES:
        return {}
    options = Options(statistics=(view.statistic,), intervals=intervals, each_generator=False)
    # the aspect itself stays selected: how sure people are is told from what they say of it
    rows = recall(store, replace(view.selection, aspect=(view.aspect, SCORE)), options)
    met: Met = {}
    for row in _chosen([row for row in rows.matrix if row.aspect == SCORE], view):
        met |= _both_ways(row.a, row.b, row, view)
    return met


def _unmet(counts: Sequence[RaterCount], met: Met, view: AgreementView) -> Met:
    """A person beside the others of their kind: no number of the report, but a pair that can be opened."""
    cells: Met = {}
    for judge in counts:
        group = SIMULATED if judge.simulated else PEOPLE
        if judge.person and (judge.name, judge.name) not in met and (group, group) in met:
            text = f"{judge.name} and the other {group}: open to compare"
            cell = Cell("open", note=text, href=view.address(a=judge.name, b=group))
            cells[judge.name, group] = cells[group, judge.name] = MatrixCell(judge.name, group, None, cell)
    return cells


def _both_ways(a: str, b: str, row: Estimate, view: AgreementView | None = None) -> Met:
    """A cell with a number, which opens the pair in a view; without one it leads nowhere."""
    cell, who = number(row), f"{a} among themselves" if a == b else f"{a} and {b}"
    parts = [f"{who}: {wording.title(row.statistic)} {cell.text}", *cell.details[:1], cell.note]
    text = cell.text if row.value is None else wording.two(row.value)
    href = view.address(a=a, b=b) if view else ""
    # fewer images than that are of fewer prompts
    muted = row.value is not None and is_muted(row.n_items)
    details, kind = ((f"n = {row.n_items:,}",), "cc-number cc-muted") if muted else ((), "cc-number")
    shown = Cell(text, details, "; ".join(filter(None, parts)), href, kind=kind)
    meeting = MatrixCell(a, b, row.value, shown)
    return {(a, b): meeting, (b, a): meeting}


def _chosen(rows: Sequence[Estimate], view: AgreementView) -> list[Estimate]:
    return [row for row in rows if (row.task, row.statistic) == (view.task, view.statistic)]


def _in_order(counts: Sequence[RaterCount], met: Met) -> list[str]:
    """People together first; scorers, those closest to people first; persons, those with most answers first."""

    def closeness(judge: RaterCount) -> float:
        values = [met[judge.name, group].value for group in (PEOPLE, SIMULATED) if (judge.name, group) in met]
        return max((value for value in values if value is not None), default=-2.0)

    scorers = sorted((judge for judge in counts if judge.scorer), key=closeness, reverse=True)
    return [PEOPLE, SIMULATED, *(judge.name for judge in scorers), *(judge.name for judge in counts if judge.person)]
