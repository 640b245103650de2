"""Thresholds: a selection's evidence judged by the settings that the sliders stand at.

How agreement with people and the generators' scores go as one setting moves (GenEval's Figure 8, for any setting), as a figure;
before and now as tables: scores, agreement with people, and how many verdicts changed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

import numpy as np
from htpy import Element, Node

from agreement.best_value import FOLDS
from agreement.estimate import Estimate
from agreement.study.cells import TASKS_MEAN, CellOutcome, Outcome
from agreement.tuning import (
    NO,
    STATISTICS,
    YES,
    ItemCells,
    Tuned,
    YesNoCounts,
    agreements,
    share_of_yes,
    shares,
    tune,
)
from concord.common import sentences, wording
from concord.common.estimate_table import statistic_column
from concord.common.table import Cell, numbers
from concord.error_analysis import rejudging
from concord.error_analysis.rejudging import RaterEvidence
from data.selection import Selection
from data.store.browse import contents
from data.store.core.store import Store
from scorers.running.rejudge import Verdicts
from ui.components import chart_colors, charts
from ui.components.addresses import browse_address, page_address
from ui.components.image_strip import thumbnails
from ui.components.plotly_text import escaped
from ui.components.tables import Cells, columns, explained, heading, linked_note, note, plain_table, table_element
from ui.pages.explore.view import ALL, CHANGED, KINDS, WHO, Drawing, ExploreView

if TYPE_CHECKING:
    import plotly.graph_objects as go


MOST_GENERATORS = 10


@dataclass(frozen=True)
class SettingCurve:
    """What is drawn.

    Attributes:
        at: values of the setting, ascending.
        scores: by generator its share of correct images at each of them; None where it has no verdict.
        tuned: agreement with people; None if nobody has said anything.
        images: of how many; ``left_out``: generators of which there is no line.
    """

    at: list[float]
    scores: dict[str, list[float | None]]
    tuned: Tuned | None
    images: int
    left_out: int

    @property
    def best(self) -> float | None:
        """The value that agrees best on all images."""
        return None if self.tuned is None or self.tuned.best is None else self.at[self.tuned.best]

    @property
    def chosen(self) -> list[float]:
        """The values that the folds chose."""
        return [] if self.tuned is None else [self.at[index] for index in self.tuned.fold_best]


def setting_curve(store: Store, evidence: RaterEvidence, view: ExploreView) -> SettingCurve | None:
    """Along ``view.along``, the other knobs standing as they do; None where there is nothing to run along."""
    if view.along not in evidence.scorer.knobs:
        return None
    swept = evidence.again.sweep(view.along, rejudging.steps(evidence, view.along), view.turned)
    # which of the swept images are of the task
    inside = (
        np.ones(swept.rows.size, bool)
        if view.task == ALL
        else np.asarray(evidence.places.task[swept.rows] == evidence.places.tasks.index(view.task), dtype=bool)
    )
    rows, verdicts = swept.rows[inside], swept.said[:, inside]
    places = evidence.places.take(rows)
    by_people = rejudging.people_verdicts(store, evidence).get(KINDS[view.people])
    tuned = None
    if by_people is not None:
        tuned = tune(swept.at, verdicts, by_people.take(rows), places, view.statistic, task=view.task)
    present = np.unique(places.generator[places.generator >= 0])
    shares = share_of_yes(verdicts, places.generator, len(places.generators))
    scores = {
        places.generators[code]: [None if np.isnan(value) else value for value in shares[:, code].tolist()]
        for code in present[:MOST_GENERATORS].tolist()
    }
    return SettingCurve(swept.at.tolist(), scores, tuned, rows.size, max(0, present.size - MOST_GENERATORS))


def curve_text(curve: SettingCurve, evidence: RaterEvidence, view: ExploreView) -> Element:
    """Return what the curve says."""
    knob = evidence.scorer.knobs[view.along]
    task = "" if view.task == ALL else f" of the task {wording.task(view.task)}"
    first = f"{knob.title} decides something in {wording.count(curve.images, 'image')}{task}; on the others it has no effect."
    parts = [first, _agreement(curve, view)]
    if curve.left_out:
        parts.append(f"The scores of the first {MOST_GENERATORS} generators are drawn, those of {curve.left_out} more are not.")
    return note(" ".join(part for part in parts if part))


def _agreement(curve: SettingCurve, view: ExploreView) -> str:
    tuned = curve.tuned
    if tuned is None:
        return "No person has judged these images yet, so there is nothing to agree with."
    title = wording.title(view.statistic)
    about = f"{wording.count(tuned.n_ratings, 'answer')} by {WHO[view.people]} about {wording.count(tuned.n_items, 'image')}"
    if tuned.best is None:
        return f"{title} ({about}): no best value, as {sentences.text_or_none(tuned.reason)}."
    low, high = (curve.at[index] for index in tuned.run or (tuned.best, tuned.best))
    where = f"{curve.best:g}" if low == high else f"{curve.best:g} (and as good from {low:g} to {high:g})"
    best = f"Best at {where}: {title} {_two_digits(tuned.values[tuned.best])} on all of {about}, which is optimistic."
    if tuned.reason is not None:
        return f"{best} It was not cross-validated: {sentences.text(tuned.reason)}."
    low, high = min(curve.chosen), max(curve.chosen)
    values = f"{low:g}" if low == high else f"{low:g} to {high:g}"
    return (
        f"{best} Cross-validated (chosen on {FOLDS - 1} of {FOLDS} folds of prompts, judged on the fifth): {title}"
        f" {_two_digits(tuned.out_of_fold)} out of fold; the folds chose {values}."
    )


def _two_digits(value: float | None) -> str:
    return "undefined" if value is None else wording.two(value)


_GAP = 0.1


def curve_figure(curve: SettingCurve, view: ExploreView, title: str, own: float) -> go.Figure:
    """Return the curve of people's agreement above those of the generators' scores; ``own``: the setting as it was run."""
    import plotly.graph_objects as go

    people = curve.tuned is not None and any(value is not None for value in curve.tuned.values)
    lines: list[go.Scatter] = []
    if people and curve.tuned is not None:
        name = f"{wording.title(view.statistic)} with {WHO[view.people]}"
        lines.append(_line(curve.at, curve.tuned.values, name, {"color": chart_colors.PEOPLE, "width": 2.5}, "y"))
    for color, (generator, values) in zip(chart_colors.BESIDE_RATERS, curve.scores.items(), strict=False):
        lines.append(_line(curve.at, values, escaped(generator), {"color": color, "width": 1.75}, "y2"))
    # over both
    shape = {"type": "line", "showlegend": True, "xref": "x", "yref": "paper", "y0": 0, "y1": 1}
    figure = go.Figure(lines)
    charts.plain(figure, height=460 if people else 320)
    split = 0.5 if people else 1.0
    figure.update_layout(
        showlegend=True,
        legend={"orientation": "h", "y": 1.02, "yanchor": "bottom", "x": 0},
        margin={"t": 60},
        shapes=[
            shape | {"name": name, "line": line, "x0": value, "x1": value} for name, value, line in _marks(curve, view, own)
        ],
        xaxis={"title": escaped(title), "anchor": "y2", "range": [curve.at[0], curve.at[-1]]},
        yaxis={"title": escaped(wording.title(view.statistic)), "domain": [min(split + _GAP / 2, 1), 1], "visible": people},
        yaxis2={"title": "score", "domain": [0, split - _GAP / 2 if people else 1], "range": [-0.03, 1.03]},
    )
    return figure


def _line(at: list[float], values: Any, name: str, line: dict[str, Any], axis: str) -> go.Scatter:
    import plotly.graph_objects as go

    hover = "%{y:.3f} at %{x}"
    return go.Scatter(x=at, y=list(values), mode="lines", name=name, line=line, yaxis=axis, hovertemplate=hover)


def _marks(curve: SettingCurve, view: ExploreView, own: float) -> list[tuple[str, float, dict[str, Any]]]:
    """Where the setting stands, where it stood, and where it is best."""
    marks: list[tuple[str, float, dict[str, Any]]] = []
    now = float(view.turned[view.along])
    if own != now:
        marks.append((f"as it was run: {own:g}", own, {"color": chart_colors.EARLIER, "width": 1.5, "dash": "dash"}))
    if curve.best is not None:
        marks.append((f"best: {curve.best:g}", curve.best, {"color": chart_colors.PEOPLE, "width": 2, "dash": "dot"}))
    return [*marks, (f"now: {now:g}", now, {"color": chart_colors.SCORER, "width": 2})]


_SAYS: Final = {"yes": YES, "no": NO, "open": -1}


@dataclass(frozen=True)
class Compared:
    """Verdicts before and now, in the order of ``places``."""

    before: Verdicts
    now: Verdicts
    places: ItemCells

    def changed(self, task: str = ALL, says: str = ALL) -> list[int]:
        """Positions of the images of a task whose verdict is another one now, and says so."""
        rows = self.before != self.now
        if task != ALL:
            rows = rows & (self.places.task == self.places.tasks.index(task))
        if says != ALL:
            rows = rows & (self.now == _SAYS[says])
        indices: list[int] = np.flatnonzero(rows).tolist()
        return indices


def scores_table(compared: Compared, view: ExploreView) -> Element:
    """Return the share of correct images by generator and task."""
    places = compared.places
    before, now = (
        {(share.place.generator, share.place.task): share.outcome for share in shares(verdicts, places)}
        for verdicts in (compared.before, compared.now)
    )
    generators = [*places.generators, ALL] if len(places.generators) > 1 else [*places.generators]
    tasks = [*places.tasks, ALL, TASKS_MEAN] if len(places.tasks) > 1 else [ALL]
    lines: list[Cells] = []
    for generator in generators:
        cells = []
        for task in tasks:
            where = Selection(suite=(view.suite,), generator=(generator,), task=(task,))
            href = browse_address(where, rater=view.rater, by="correct", order="lowest")
            cells.append(replace(_number(before.get((generator, task)), now.get((generator, task))), href=href))
        lines.append(["all generators" if generator == ALL else generator, *cells])
    heads = columns("generator", *numbers(*map(wording.task, tasks)))
    return table_element(plain_table("Score: share of correct images", heads, lines))


def agreement_table(compared: Compared, by_people: Mapping[str, YesNoCounts]) -> Node:
    """Return agreement by task, a table for each kind of people."""
    return [_agreement_rows(compared, kind, people) for kind, people in by_people.items()]


def _agreement_rows(compared: Compared, kind: str, by_people: YesNoCounts) -> Node:
    before, now = (
        {
            (agreement.place.task, agreement.key.statistic): agreement.outcome
            for agreement in agreements(verdicts, by_people, compared.places)
        }
        for verdicts in (compared.before, compared.now)
    )
    tasks = list(dict.fromkeys(task for task, _ in now))
    if len(tasks) < 4:  # one task, all, and their mean say the same
        tasks = [ALL]
    lines: list[Cells] = []
    for task in tasks:
        used = now[task, STATISTICS[0]].used
        cells = [_number(before.get((task, name)), now[task, name]) for name in STATISTICS]
        lines.append([wording.task(task), f"{used.items:,}", f"{used.ratings:,}", *cells])
    heads = columns("task", *numbers("images", "answers"), *map(statistic_column, STATISTICS))
    who = "people" if kind == "real" else "simulated people"
    table = table_element(plain_table(f"Agreement with {who}", heads, lines))
    undefined = [
        Estimate(value=outcome.value, reason=outcome.reason, statistic=name, task=task) for (task, name), outcome in now.items()
    ]
    return [table, explained(undefined, open_=False)]


def _number(before: Outcome | None, now: Outcome | None) -> Cell:
    """Return a number as it is now, with what it was where that is another."""
    if now is None:
        return Cell("")
    text, was = ("–" if outcome is None or outcome.value is None else f"{outcome.value:z.3f}" for outcome in (now, before))
    how = sentences.text(now.how) if now.how is not None else ""
    note = sentences.text_or_none(now.reason) or f"{how}; n = {now.used.items:,} images"
    return Cell(text, (f"was {was}",) if was != text else (), note)


def changes_table(compared: Compared, view: ExploreView) -> Element:
    """Return how many verdicts changed, each number leading to its images."""
    tasks = [*compared.places.tasks, ALL] if len(compared.places.tasks) > 1 else [ALL]
    says = [name for name in _SAYS if name != "open" or compared.changed(says="open")]
    heads = columns("task", *numbers("images", *(CHANGED[name] for name in says)))
    rows = [_changed(compared, view, task, says) for task in tasks]
    return table_element(plain_table("Verdicts that changed", heads, rows))


def _changed(compared: Compared, view: ExploreView, task: str, says: Sequence[str]) -> Cells:
    places = compared.places
    images = places.task.size if task == ALL else int((places.task == places.tasks.index(task)).sum())
    counts = {name: len(compared.changed(task, name)) for name in says}
    links = [Cell(f"{n:,}", href=view.address(task=task, changed=name) if n else "") for name, n in counts.items()]
    return [wording.task(task), f"{images:,}", *links]


MOST_PICTURES: Final = 48
_NOW: Final = {1: "correct now", 0: "wrong now", -1: "left open now"}
_NO_KNOBS: Final = "{rater} has no adjustable thresholds. Choose another rater."


def draw_thresholds(store: Store, view: ExploreView) -> Drawing:
    """The thresholds part; ``view`` names what there is."""
    evidence = rejudging.evidence(store, view.suite, view.rater)
    if evidence is None:
        return _by_scores(store, view)
    compared = Compared(evidence.again.correct({}), evidence.again.correct(view.turned), evidence.places)
    by_people = rejudging.people_verdicts(store, evidence)
    curve = setting_curve(store, evidence, view)
    plot = None
    if curve is not None:
        plot = curve_figure(curve, view, evidence.scorer.knobs[view.along].title, float(view.own[view.along]))
    return Drawing(
        lead=_lead(compared, evidence, view, by_people.get(KINDS[view.people])),
        figure=plot,
        told=curve_text(curve, evidence, view) if curve is not None else note("No setting decides anything in this task."),
        numbers=[scores_table(compared, view), agreement_table(compared, by_people)],
        changes=changes_table(compared, view),
        pictures=_pictures(store, evidence, compared, view),
    )


def _lead(compared: Compared, evidence: RaterEvidence, view: ExploreView, by_people: YesNoCounts | None) -> Element:
    """Return the page's first sentence: what follows from these settings."""
    both = (compared.before, compared.now)
    score = [_of_all(shares(verdicts, compared.places), "mean") for verdicts in both]
    parts = [f"{view.rater} on {wording.count(compared.now.size, 'image')} of {view.suite}: score {_step(*score)}"]
    if by_people is not None:
        agreed = [_of_all(agreements(verdicts, by_people, compared.places), view.statistic) for verdicts in both]
        parts.append(f"{wording.title(view.statistic)} with {WHO[view.people]} {_step(*agreed)}")
    parts.append(f"{wording.count(len(compared.changed()), 'verdict')} changed.")
    sentence = ", ".join(parts)
    if evidence.total > compared.now.size:
        sentence += f" These are images taken by chance of the {evidence.total:,} that it has seen."
    return note(sentence, "cc-lead")


def _of_all(outcomes: Sequence[CellOutcome], statistic: str) -> float | None:
    """The value of all images of all generators."""
    return next(
        cell.outcome.value
        for cell in outcomes
        if (cell.place.generator, cell.place.task, cell.key.statistic) == (ALL, ALL, statistic)
    )


def _step(before: float | None, now: float | None) -> str:
    was, text = ("undefined" if value is None else f"{value:z.3f}" for value in (before, now))
    return text if was == text else f"{was} → {text}"


def _pictures(store: Store, evidence: RaterEvidence, compared: Compared, view: ExploreView) -> Node:
    """Return the images whose verdicts changed, as they are asked for."""
    changed = compared.changed(view.task, view.changed)
    task = "" if view.task == ALL else f", {wording.task(view.task)}"
    title = f"Verdicts that changed: {CHANGED[view.changed]}{task}"
    if not changed:
        moved = "No verdict changes." if view.moved else "Move a slider: the images whose verdict changes are shown here."
        return heading(title, moved)
    shown = {evidence.again.cases[k].item_id: _verdict_change(evidence, compared, view, k) for k in changed[:MOST_PICTURES]}
    more = f"The first {MOST_PICTURES} of {wording.count(len(changed), 'image')}." if len(changed) > MOST_PICTURES else ""
    selection = Selection(suite=(view.suite,)) if view.task == ALL else Selection(suite=(view.suite,), task=(view.task,))
    return [heading(title, more), thumbnails(contents.item_previews(store, [*shown]), shown, selection)]


def _verdict_change(evidence: RaterEvidence, compared: Compared, view: ExploreView, k: int) -> str:
    """Whose image it is, and what is said of it now; its drawer says what the run said."""
    case, places = evidence.again.cases[k], evidence.places
    reason = evidence.scorer.judge(case.spec, case.seen, {**evidence.again.settings, **view.turned}).reason
    first = f": {reason.splitlines()[0]}" if reason else ""
    return f"{places.generators[int(places.generator[k])]}, {_NOW[int(compared.now[k])]}{first}"


def _by_scores(store: Store, view: ExploreView) -> Drawing:
    """Return the way to where numbers are cut, of a rater that gives numbers instead of verdicts."""
    scored = {judge.name for judge in contents.raters_of_selection(store, Selection(suite=(view.suite,), aspect=("score",)))}
    if view.rater not in scored:
        return Drawing(note(_NO_KNOBS.format(rater=view.rater)))
    about = {"suite": view.suite, "aspect": rejudging.ASPECT, "task": view.task, "rater": view.rater, "numbers": "thresholds"}
    lead = f"{view.rater} gives a number for each image of {view.suite}: “yes” is what lies above a cut."
    return Drawing(linked_note(lead, page_address("agreement", **about), "Where to cut it"))
