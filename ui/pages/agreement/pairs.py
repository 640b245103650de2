"""Pairs of raters: the matrix of all of them, and the panel that a click on two opens.

In the matrix people stand together, then each scorer, each person; a cell is shaded by how close two are. The panel says where
their answers cross, on which images, by aspect, by generator and over time.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from html import escape
from itertools import product

import numpy as np
import pandas as pd

from agreement import CellName, Options, PairReport, pair_report
from agreement.estimate import Estimate
from agreement.report.report import MET_BY_SCORES, SCORE
from concord.agreement import AgreementRows, recall, scales_of
from concord.common import live_updates, sentences, wording
from concord.headlines import closest, is_muted
from data.store.analysis.confusion import ConfusionCell
from data.store.browse.contents import RaterCount, item_previews
from data.store.core import frame
from data.store.core.selection import PEOPLE, SIMULATED, Selection
from data.store.core.store import Store
from ui.components import charts
from ui.components.addresses import browse_address
from ui.components.image_strip import image_link, thumbnails
from ui.components.page import Drawn
from ui.components.tables import (
    WRAP,
    Crossings,
    HtmlCell,
    confusion_table,
    explained,
    heading,
    html_table,
    note,
    number,
    span,
    statistics_table,
)
from ui.pages.agreement.summary import CONSENSUS, consensus_of
from ui.pages.agreement.view import AgreementView, first_estimates, is_huge, pairable, passes, where

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
    text = heading(f"{pair.a} and {b}", f"{where(view)}. {sentence}".strip())
    text += _table(f"Both on {wording.aspect(pair.aspect)}", "", [("", pair.estimates)], view)
    text += _pass_agreement(view, pair, b)
    if pair.labels:
        text += _crossings(store, view, pair, b) + note(_COUNTED.format(b=b) if pair.b == PEOPLE else _COUNTED_TWO)
    scores = None
    if pair.values and len(pair.values.x) > 1:
        scores = charts.against(pair.values.x, pair.values.y, (pair.a, f"{b}, mean" if pair.b == PEOPLE else b))
    steps = None
    if len(pair.steps) > 1:
        columns = zip(*((step.n_so_far, step.value, step.so_far) for step in pair.steps), strict=True)
        steps = charts.over_time(*(list(column) for column in columns))
    parts = _furthest(store, pair, view) + _parts(pair, view)
    return {"pair-text": text, "pair-scores": scores, "pair-steps": steps, "pair-parts": parts}


def _pass_agreement(view: AgreementView, pair: PairReport, b: str) -> str:
    """Agreement on passes and on fails: of yes and no, how often the first says what the second does."""
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
    return html_table("When yes, when no", ("", "share"), rows)


def _share(view: AgreementView, pair: PairReport, b: str, label: str, estimate: Estimate) -> HtmlCell:
    if estimate.value is None:
        return HtmlCell("–", sentences.text_or_none(estimate.reason) or "")
    bounds = span(estimate.low, estimate.high) or "no interval"
    crossed = ConfusionCell(pair.aspect, pair.a, label, b, label)
    href = browse_address(replace(_of_task(view), aspect=()), crossed)
    return HtmlCell(wording.two(estimate.value), f"{bounds}, n = {estimate.n_ratings:,}", sentences.text(estimate.method), href)


def _of_task(view: AgreementView) -> Selection:
    return view.selection if view.task == "all" else replace(view.selection, task=(view.task,))


_COUNTED = (
    "Images by what more than half of {b} say; a number leads to its images. Images on which no answer has a majority are"
    " left out."
)
_COUNTED_TWO = "What both have judged; a number leads to its images."


def _crossings(store: Store, view: AgreementView, pair: PairReport, b: str) -> str:
    """The confusion table; of two labels with the first images of each cell."""
    items = {(cell.a, cell.b): cell.items for cell in pair.cells}
    selection = _of_task(view)

    def link(a_says: str, b_says: str) -> str:
        return browse_address(
            replace(selection, aspect=()),
            ConfusionCell(pair.aspect, pair.a, a_says, b, b_says, "majority" if pair.b == PEOPLE else "each"),
        )

    crossed = Crossings(pair.a, b, pair.labels, pair.table, {labels: len(each) for labels, each in items.items()})
    table = confusion_table(f"Where their answers cross: {wording.aspect(pair.aspect)}", crossed, link)
    if len(pair.labels) != 2:
        return table
    first = {labels: each[:_IN_CELL] for labels, each in items.items()}
    looks = item_previews(store, [item for each in first.values() for item in each])
    listing = replace(view.selection, aspect=(), rater=())
    cells = ""
    for (i, a_says), (j, b_says) in product(enumerate(pair.labels), repeat=2):
        images = "".join(image_link(item, looks.get(item), listing) for item in first.get((a_says, b_says), ()))
        images_of = f"in {wording.count(len(items.get((a_says, b_says), ())), 'image')}"
        cells += (
            f'<div class="cc-crossing cc-crossing--{"same" if i == j else "apart"}"><p>{escape(pair.a)}: {escape(a_says)} ·'
            f' {escape(b)}: {escape(b_says)}</p><a class="cc-crossing-n" href="{escape(link(a_says, b_says))}">'
            f"{pair.table[i][j]:,} <small>{images_of}</small></a><div>{images}</div></div>"
        )
    return f'<div class="cc-crossings">{cells}</div><details><summary>As a table</summary>{table}</details>'


_IN_CELL = 4


def _furthest(store: Store, pair: PairReport, view: AgreementView) -> str:
    """The images that the two rank most differently."""
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
    return heading("Ranked most differently") + thumbnails(item_previews(store, [*shown]), shown, places)


def _parts(pair: PairReport, view: AgreementView) -> str:
    """By aspect and by generator, and why numbers are missing."""
    parts = {"aspect": pair.aspects, "generator": pair.generators}
    lines = {name: [(part.name, part.estimates) for part in each] for name, each in parts.items()}
    body = "".join(_table(f"By {name}", name, each, view) for name, each in lines.items() if len(each) > 1)
    every = [("", pair.estimates), *lines["aspect"], *lines["generator"]]
    return body + explained(_rows(every, view), open_=False)


def _table(caption: str, name: str, lines: Sequence[tuple[str, Sequence[Estimate]]], view: AgreementView) -> str:
    return statistics_table(caption, name, _rows(lines, view), lambda row: str(row.rater))


def _rows(lines: Sequence[tuple[str, Sequence[Estimate]]], view: AgreementView) -> list[Estimate]:
    """What is shown of each line, by the line's name."""
    return [row for label, estimates in lines for row in view.listed([replace(each, rater=label) for each in estimates])]


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
    cell: HtmlCell


def matrix_table(caption: str, raters: Sequence[str], met: Mapping[tuple[str, str], MatrixCell]) -> str:
    """The table; ``met`` has each pair by row and column, and what is missing stays empty."""
    head = "".join(f'<th scope="col"><span>{escape(name)}</span></th>' for name in raters)
    body = "".join(
        f'<tr><th scope="row">{escape(row)}</th>' + "".join(_cell(met.get((row, column))) for column in raters) + "</tr>"
        for row in raters
    )
    return (
        f'{WRAP}<table class="cc-table cc-matrix"><caption>{escape(caption)}</caption>'
        f"<thead><tr><td></td>{head}</tr></thead><tbody>{body}</tbody></table></div>"
    )


def _cell(meeting: MatrixCell | None) -> str:
    if meeting is None:
        return "<td></td>"
    cell, text = meeting.cell, escape(meeting.cell.text)
    if cell.href:
        pair = f'data-a="{escape(meeting.a)}" data-b="{escape(meeting.b)}"'
        text = f'<a href="{escape(cell.href)}" {pair} aria-label="{escape(cell.note)}">{text}</a>'
    n = f" <small>{escape(cell.detail)}</small>" if cell.detail else ""
    return f'<td class="{cell.kind or "cc-number"}"{_shade(meeting.value)} title="{escape(cell.note)}">{text}{n}</td>'


def _shade(value: float | None) -> str:
    """The exact value, and how dark the cell is: a coefficient of 0 or less has no shade but its sign."""
    if value is None:
        return ""
    side = "cc-below" if value < 0 else "cc-beyond"
    return f' data-value="{value!r}" style="--shade: {min(abs(value), 1.0):z.2f}" data-side="{side}"'


MOST_PERSONS = 20
Met = dict[tuple[str, str], MatrixCell]
_ALONE = (
    "A matrix needs two raters: run a scorer on these images, or import ratings with people’s names. "
    "The slots of a published study are anonymous, so they are shown as people together."
)
_GROUPS = {"real": PEOPLE, "simulated": SIMULATED}


def matrix(store: Store, view: AgreementView, rows: AgreementRows, *, intervals: bool) -> str:
    """The chosen statistic of any two raters, as HTML; nothing where fewer than two can be compared.

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
    return matrix_table(title, raters, met) + note(hint)


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
            cell = HtmlCell("open", note=text, href=view.address(a=judge.name, b=group))
            cells[judge.name, group] = cells[group, judge.name] = MatrixCell(judge.name, group, None, cell)
    return cells


def _both_ways(a: str, b: str, row: Estimate, view: AgreementView | None = None) -> Met:
    """A cell with a number, which opens the pair in a view; without one it leads nowhere."""
    cell, who = number(row), f"{a} among themselves" if a == b else f"{a} and {b}"
    parts = [f"{who}: {wording.title(row.statistic)} {cell.text}", cell.detail.split("\n")[0], cell.note]
    text = cell.text if row.value is None else wording.two(row.value)
    href = view.address(a=a, b=b) if view else ""
    # fewer images than that are of fewer prompts
    muted = row.value is not None and is_muted(row.n_items)
    detail, kind = (f"n = {row.n_items:,}", "cc-number cc-muted") if muted else ("", "cc-number")
    shown = HtmlCell(text, detail, "; ".join(filter(None, parts)), href, kind=kind)
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
