"""Estimates: how good each generator is by people's standard, from few labels and a scorer's verdicts of all images."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar, Final, cast

import htpy
from htpy import Fragment, Node

from agreement.meta.estimates import EstimateFinding, EstimateOptions, Method
from agreement.meta.labelled_sample import Target
from agreement.study.cells import ALL
from concord.common import next_steps, sentences, wording
from concord.common.table import Cell
from concord.common.table import numbers as number_columns
from concord.comparison.leaderboard import leaderboard
from concord.comparison.model_comparison import people_headline
from concord.meta.estimates import estimate, estimated
from concord.scope import MAIN_ASPECTS, main_suite, scope_of
from data.aspects import YES_NO_ASPECTS
from data.selection import Selection
from data.store.core.store import Store
from ui.components import chart_colors
from ui.components.addresses import browse_address
from ui.components.charts import Ends, error_bars, legend, name_rows, plain
from ui.components.plotly_text import ALONE, BREAK, bold, escaped
from ui.components.tables import (
    Cells,
    bullets,
    first_sentence,
    folded,
    heading,
    note,
    plain_table,
    span,
    table_element,
    with_rest,
)
from ui.shell.changes import Drawn
from ui.shell.controls import Choice
from ui.shell.page import Page
from ui.shell.view import View

if TYPE_CHECKING:
    import plotly.graph_objects as go

TARGETS: Final = {"prompts": "new prompts", "these": "these images"}
METHODS: Final = {"ppi": "estimate", "corrected": "corrected rate"}
TRIAL: Final = 40
LABELS: Final = {
    "drawn": "drawn by a campaign",
    "random": "all: chance chose them",
    "trial": f"trial with {TRIAL} of them",
}


@dataclass(frozen=True)
class EstimatesView(View):
    """A suite's aspect, estimated with one scorer's verdicts."""

    PATH: ClassVar = "/results/estimates"
    suite: str = ""
    aspect: str = ""
    scorer: str = ""
    target: str = "prompts"
    labels: str = "drawn"
    method: str = "ppi"

    @property
    def options(self) -> EstimateOptions:
        return EstimateOptions(
            cast(Method, self.method),
            cast(Target, self.target),
            at_random=self.labels == "random",
            scorers=(self.scorer,),
            label_sample=TRIAL if self.labels == "trial" else None,
        )


class EstimatesPage(Page[EstimatesView]):
    """The page."""

    title, VIEW = "Estimates", EstimatesView

    def lay_out(self) -> None:
        self.dropdowns(suite="Suite", aspect="Aspect", scorer="Scorer", target="About", labels="Labels", method="Method")
        self.html("lead")
        self.plot("forest")
        self.html("numbers")

    def teaching(self) -> str:
        commands = next_steps.commands_block(self.store, next_steps.IMAGES)
        return (
            "To estimate how people would rate all images, score them, and let people label some that a campaign draws by"
            f" chance.\n\n{commands}"
        )

    def choices(self, values: Mapping[str, Any]) -> Mapping[str, Choice]:
        """What each control offers, and the nearest to what is asked for."""
        pairs = estimated(self.store)
        suite = Choice.among([suite for suite, _, _ in pairs], values.get("suite"), main_suite(self.store))
        order = {name: n for n, name in enumerate(MAIN_ASPECTS)}
        named = sorted({aspect for s, aspect, _ in pairs if s == suite.value}, key=lambda each: (order.get(each, 9), each))
        aspect = Choice.among({each: wording.plain_aspect(each) for each in named}, values.get("aspect"))
        scorers = [scorer for s, a, scorer in pairs if (s, a) == (suite.value, aspect.value)]
        methods = METHODS if aspect.value in YES_NO_ASPECTS else {"ppi": METHODS["ppi"]}
        return {
            "suite": suite,
            "aspect": aspect,
            "scorer": Choice.among(scorers, values.get("scorer"), _closest(self.store, suite.value) if scorers else None),
            "target": Choice.among(TARGETS, values.get("target")),
            "labels": Choice.among(LABELS, values.get("labels")),
            "method": Choice.among(methods, values.get("method")),
        }

    def draw(self, view: EstimatesView) -> Iterator[Drawn | None]:
        if not view.scorer:
            yield None
            return
        rows = rows_of(self.store, view)
        known = [row for row in rows if row.task == ALL and row.value is not None]
        yield {"lead": lead(self.store, rows, view), "forest": forest(known, view), "numbers": numbers(rows, view)}


def _closest(store: Store, suite: str) -> str | None:
    """The scorer that is closest to people."""
    best = leaderboard(store, scope_of(store, suite), intervals=False).closest_scorer
    return None if best is None else best.name


def rows_of(store: Store, view: EstimatesView) -> list[EstimateFinding]:
    """Those of the view; real people's where there are any."""
    findings = estimate(store, Selection(suite=(view.suite,), aspect=(view.aspect,)), view.options)
    rows = [row for row in findings if row.scorer == view.scorer]
    return [row for row in rows if row.people == "real"] or rows


def lead(store: Store, rows: Sequence[EstimateFinding], view: EstimatesView) -> Fragment:
    """Return what may be said of the best generator by people, then what the verdicts add, or why there is no estimate."""
    whole = next(row for row in rows if row.generator == ALL and row.task == ALL)
    known = [row for row in rows if row.generator != ALL and row.task == ALL and row.value is not None]
    said = people_headline(store, view.suite, view.aspect)
    title = first_sentence(with_rest(said.main, said.rest)) if said else None
    if whole.value is None and not known:
        hint = " Or try it with labels that are there: “Labels”." if view.labels == "drawn" else ""
        why = note(f"No estimate: {wording.sentence(sentences.text_or_none(whole.reason) or '')}{hint}")
        return htpy.fragment[title or first_sentence("No estimate"), why]
    best = max(known or [whole], key=lambda row: row.value or 0.0)
    # what all generators together have no estimate of, one may have
    about = best if whole.value is None else whole
    people = "" if whole.people == "real" else " by simulated people"
    labels = f"{wording.count(about.n_labelled, 'image')} labelled{people}"
    basis = f"Estimated from {labels} and {view.scorer}’s verdicts of {about.n_items:,} images in all"
    ends = "" if best.low is None or best.high is None else f" [{wording.two(best.low)}, {wording.two(best.high)}]"
    name = "all generators" if best is whole else best.generator
    value = f"{METHODS[view.method]} of {name}: {wording.two(best.value or 0.0)}{ends}"
    return htpy.fragment[title, note(f"{basis} ({value}). {_gain(about)}")]


def _gain(whole: EstimateFinding) -> str:
    if whole.n_unlabelled == 0:
        return "People have labelled every image, so nothing is left to estimate."
    if whole.labels_saved is None:
        return ""
    saved = round(whole.labels_saved)
    if saved < 1:
        return "Over all, this scorer saves no labels: its verdicts tell too little about people’s."
    alone = f"labels alone would have to be {whole.n_labelled + saved:,}"
    return f"Over all, the verdicts save {wording.count(saved, 'label')}: {alone}."


def forest(rows: Sequence[EstimateFinding], view: EstimatesView) -> go.Figure | None:
    """Each generator's estimate, beside the labels alone and the scorer's own mean."""
    if not rows:
        return None
    import plotly.graph_objects as go

    figure = go.Figure()
    series = (
        (METHODS[view.method], chart_colors.PEOPLE, "circle", -0.2, ("value", "low", "high")),
        ("labels alone", chart_colors.LABELS_ALONE, "circle-open", 0.05, ("labels_mean", "labels_low", "labels_high")),
        ("scorer’s own mean", chart_colors.SCORER, "x", 0.28, ("scorer_mean", "", "")),
        ("all labels (hidden in the trial)", chart_colors.ALL_LABELS, "line-ns", -0.2, ("full_mean", "", "")),
    )
    for name, color, symbol, shift, ends in series:
        made = [
            (n, Ends(*(getattr(row, end, None) for end in ends)))
            for n, row in enumerate(rows)
            if getattr(row, ends[0]) is not None and (ends[0] != "scorer_mean" or row.on_scale)
        ]
        if made:
            known = [row for _, row in made]
            figure.add_trace(
                go.Scatter(
                    name=name,
                    x=[row.value for row in known],
                    y=[n + shift for n, _ in made],
                    mode="markers",
                    marker={"size": 11, "color": color, "symbol": symbol, "line": {"width": 2, "color": color}},
                    error_x=error_bars(known, color, 0) | {"thickness": 3},
                    hovertext=[escaped(rows[n].generator) for n, _ in made],
                    hovertemplate=f"%{{hovertext}}{BREAK}{name} %{{x:.3f}}{ALONE}",
                )
            )
    plain(figure, height=110 + 58 * len(rows))
    labels = ["all generators" if row.generator == ALL else row.generator for row in rows]
    figure.update_xaxes(title=f"{wording.plain_aspect(view.aspect)}, people’s mean")
    name_rows(figure, [bold(escaped(label)) for label in labels], above=0.6)
    return legend(figure, several=True)


def numbers(rows: Sequence[EstimateFinding], view: EstimatesView) -> Fragment:
    """Return all numbers, each a link to its images: by generator, and by task."""
    whole = [row for row in rows if row.task == ALL]
    by_task = [row for row in rows if row.task != ALL]
    parts: list[Node] = [heading("Numbers", _HOW[view.method]), _table("Each generator", whole, view)]
    if len({row.task for row in by_task}) > 1:
        table = _table("Each task", by_task, view, tasks=True)
        parts.append(folded("By task", table))
    return htpy.fragment[parts]


_HOW: Final = {
    "ppi": "Labels are people’s; verdicts are the scorer’s, of every image. The estimate leans on verdicts as far as they go"
    " with labels (λ: 0 not at all, 1 fully), so a useless scorer does no harm.",
    "corrected": "From how often the scorer says yes, how often it does where people say yes (sensitivity), and how often it"
    " says no where they say no (specificity).",
}


def _table(caption: str, rows: Sequence[EstimateFinding], view: EstimatesView, *, tasks: bool = False) -> Fragment:
    reasons: dict[str, None] = {}
    lines: list[Cells] = []
    titles: Sequence[str] = ()
    for row in rows:
        where = Selection(suite=(row.suite,), generator=(row.generator,), task=(row.task,))
        href, cells = browse_address(where, rater=view.scorer, by=view.aspect), _numbers(row, view)
        name = "all generators" if row.generator == ALL else row.generator
        title = f"{name}, {wording.task(row.task)}" if tasks else name
        if row.reason is not None:
            reasons[f"{title}: {sentences.text(row.reason)}."] = None
        lines.append([title, *(replace(cell, href=href) for cell in cells.values())])
        titles = [*cells]
    table = plain_table(caption, ["generator", *number_columns(*titles)], lines)
    return htpy.fragment[table_element(table), bullets(reasons)]


def _numbers(row: EstimateFinding, view: EstimatesView) -> dict[str, Cell]:
    """A row's cells by their titles."""
    powered = view.method == "ppi"
    cells = {METHODS[view.method]: _number(row.value, span(row.low, row.high), sentences.text(row.reason or row.method))}
    cells |= {"labels alone": _number(row.labels_mean, span(row.labels_low, row.labels_high))} if powered else {}
    cells |= {"scorer’s mean": _number(row.scorer_mean, "" if row.on_scale else "on its own scale")}
    cells |= {"all labels": _number(row.full_mean)} if view.labels == "trial" else {}
    cells |= {"labels": Cell(f"{row.n_labelled:,}"), "others": Cell(f"{row.n_unlabelled:,}")}
    if powered:
        saved = "–" if row.labels_saved is None else f"{row.labels_saved:z,.0f}"
        return cells | {"λ": _number(row.power), "labels saved": Cell(saved)}
    cells["sensitivity"] = _number(row.sensitivity, span(row.sensitivity_low, row.sensitivity_high))
    return cells | {"specificity": _number(row.specificity, span(row.specificity_low, row.specificity_high))}


def _number(value: float | None, detail: str = "", method: str = "") -> Cell:
    return Cell("–" if value is None else wording.two(value), (detail,) if detail else (), method, exact=value)
