"""What a click on two raters opens: where their answers cross, on which images, by aspect, by generator and over time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import gradio as gr
import numpy as np
import pandas as pd

from agreement import CellName, Options, PairReport, pair_report
from agreement.pair.confusion import PartEstimates
from agreement.pair.rater_pair import Estimate
from agreement.report.topic import SCORE
from concord.agreement import scales_of
from concord.common import live_updates, wording
from data.store.analysis.confusion import ConfusionCell
from data.store.browse.contents import PEOPLE, SIMULATED, item_previews
from data.store.core import frame
from data.store.core.store import Store
from ui import charts
from ui.addresses import browse_address
from ui.components.confusion import Crossings, confusion_table
from ui.components.estimates import explained, statistics_table
from ui.components.strip import thumbnails
from ui.components.table import heading, note
from ui.pages.agreement.first import passes
from ui.pages.agreement.view import View, where

_FURTHEST = 8
_HINT = "Click a number of the matrix, or choose two raters here, to see how their answers cross and on which images."


@dataclass(frozen=True, slots=True)
class Panel:
    """What is drawn of a pair.

    Attributes:
        text: before the figures, as HTML.
        scores, steps: figures, None where there is nothing to draw.
        parts: after the figures, as HTML.
    """

    text: str
    scores: Any = None
    steps: Any = None
    parts: str = ""

    def outputs(self) -> list[Any]:
        """For the page's components, in this order."""
        plots = [gr.Plot(figure, visible=True) if figure else gr.Plot(visible=False) for figure in (self.scores, self.steps)]
        return [self.text, *plots, self.parts]


def panels(store: Store, view: View) -> Iterator[Panel]:
    """The pair of a view: quickly without intervals, then whole."""
    if not view.suite or not view.a or not view.b:
        yield Panel(note(_HINT))
        return
    if view.a == view.b:
        yield Panel(note(f"{view.a} with itself agrees by definition. Choose two different raters."))
        return
    for intervals in passes(store):
        try:
            pair = _met(store, live_updates.version(store), replace(view, table=""), intervals)
        except ValueError as error:
            yield Panel(note(f"{view.a} and {view.b} cannot be compared in {where(view)}: {error}.", "cc-bad"))
            return
        yield _panel(store, view, pair)


@lru_cache(maxsize=32)
def _met(store: Store, version: str, view: View, intervals: bool) -> PairReport:  # noqa: ARG001 - part of the key
    # a rater's other aspects say where the two part ways
    selection = replace(view.selection, aspect=())
    said = frame.frame(store, selection)
    a, b = _sides(said, view)
    return pair_report(
        said,
        scales_of(store),
        SCORE if _only_scores(said, view.aspect, a) and _only_scores(said, view.aspect, b) else view.aspect,
        a,
        PEOPLE if b in (PEOPLE, SIMULATED) else b,
        Options(intervals=intervals, certainty=selection.certainty),
        place=CellName("all", view.task),
        simulated=b == SIMULATED,
    )


def _sides(said: pd.DataFrame, view: View) -> tuple[str, str]:
    """Whoever only scores takes the first place, from which a score meets what others say."""
    swapped = _only_scores(said, view.aspect, view.b) or view.a in (PEOPLE, SIMULATED)
    return (view.b, view.a) if swapped else (view.a, view.b)


def _only_scores(said: pd.DataFrame, aspect: str, rater: str) -> bool:
    judged = set(said.loc[said["rater"] == rater, "aspect"])
    return SCORE in judged and aspect not in judged


def _panel(store: Store, view: View, pair: PairReport) -> Panel:
    b = SIMULATED if pair.b == PEOPLE and pair.people == "simulated" else pair.b
    sentence = pair.prevalence.sentence if pair.prevalence else ""
    text = heading(f"{pair.a} and {b}", f"{where(view)}. {sentence}".strip())
    text += _table(f"Both on {wording.aspect(pair.aspect)}", "", [("", pair.estimates)], view)
    if pair.labels:
        text += _crossings(view, pair, b) + note(_COUNTED.format(b=b) if pair.b == PEOPLE else _COUNTED_TWO)
    scores = None
    if pair.values and len(pair.values.x) > 1:
        scores = charts.against(pair.values.x, pair.values.y, (pair.a, f"{b}, mean" if pair.b == PEOPLE else b))
    steps = None
    if len(pair.steps) > 1:
        columns = zip(*((step.n_so_far, step.value, step.so_far) for step in pair.steps), strict=True)
        steps = charts.over_time(*(list(column) for column in columns))
    return Panel(text, scores, steps, _furthest(store, pair, view) + _parts(pair, view))


_COUNTED = (
    "Each answer of {b} beside the rater’s own counts once; a number leads to its images. An image is in several cells where "
    "answers differ."
)
_COUNTED_TWO = "What both have judged; a number leads to its images."


def _crossings(view: View, pair: PairReport, b: str) -> str:
    """The confusion table."""
    images = {(cell.a, cell.b): len(cell.items) for cell in pair.cells}
    place = view.selection if view.task == "all" else replace(view.selection, task=(view.task,))

    def link(a_says: str, b_says: str) -> str:
        return browse_address(replace(place, aspect=()), ConfusionCell(pair.aspect, pair.a, a_says, b, b_says))

    crossed = Crossings(pair.a, b, pair.labels, pair.table, images)
    return confusion_table(f"Where their answers cross: {wording.aspect(pair.aspect)}", crossed, link)


def _furthest(store: Store, pair: PairReport, view: View) -> str:
    """The images that the two rank most differently."""
    if not pair.values or len(pair.values.x) < 2:
        return ""
    values = pair.values
    n = len(values.x)
    apart = (np.asarray(values.rank_x) - np.asarray(values.rank_y)) / n
    order = np.argsort(-np.abs(apart), kind="stable")
    first: dict[str, str] = {}
    for place in order[: 4 * _FURTHEST].tolist():
        if apart[place]:
            said = f"{pair.a} {values.x[place]:.3g}, {view.b if view.b != pair.a else view.a} {values.y[place]:.3g}"
            first.setdefault(values.items[place], said)
    shown = dict(list(first.items())[:_FURTHEST])
    if not shown:
        return ""
    places = replace(view.selection, aspect=(), rater=())
    return heading("Ranked most differently") + thumbnails(item_previews(store, [*shown]), shown, places)


def _parts(pair: PairReport, view: View) -> str:
    """By aspect and by generator, and why numbers are missing."""
    body = _by("aspect", pair.aspects, view) if len(pair.aspects) > 1 else ""
    body += _by("generator", pair.generators, view) if len(pair.generators) > 1 else ""
    every = [("", pair.estimates), *((part.name, part.estimates) for part in (*pair.aspects, *pair.generators))]
    return body + explained(_rows(every, view), open_=False)


def _by(name: str, parts: Sequence[PartEstimates], view: View) -> str:
    return _table(f"By {name}", name, [(part.name, part.estimates) for part in parts], view)


def _table(caption: str, name: str, lines: Sequence[tuple[str, Sequence[Estimate]]], view: View) -> str:
    return statistics_table(caption, name, _rows(lines, view), lambda row: str(row["rater"]))


def _rows(lines: Sequence[tuple[str, Sequence[Estimate]]], view: View) -> list[dict[str, Any]]:
    """What is shown of each line, by the line's name."""
    return [row for label, estimates in lines for row in view.listed([each.to_dict() | {"rater": label} for each in estimates])]
