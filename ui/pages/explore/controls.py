"""The Explore page's components, laid out, what they offer, and the scorers' settings as sliders.

There is a slider for each name that any scorer has, shown where the chosen scorer has it. What the components do is the page's.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Final

import gradio as gr
from gradio.components import Component

from concord import rejudging
from concord.common import base_path, live_updates, next_steps, wording
from concord.questions import scores
from concord.rejudging import RaterEvidence
from data.store.browse import contents
from data.store.core.selection import PEOPLE, Selection
from data.store.core.store import Store
from scorers import registry
from scorers.base import Knob
from ui.components.controls import Choice, dropdown
from ui.pages.explore import thresholds
from ui.pages.explore.failures import PICTURE_TITLES, generators
from ui.pages.explore.flips import FLIPS
from ui.pages.explore.question_controls import SEEN, suite_with_questions
from ui.pages.explore.question_controls import question_choices as asked_of
from ui.pages.explore.view import ADDRESS, ALL, ASKED, CHANGED, KINDS, OBJECTIVES, QUESTIONS, SHOWN, THRESHOLDS, ExploreView

# What is not shown is on the page all the same: a slider that is not there tells nobody when its value is set, and Gradio's own
# "hidden" does nothing to sliders.
_OFF: Final = "cc-off"


def every_knob() -> dict[str, Knob]:
    """The knobs of all scorers by name; of one that several have, the first."""
    found: dict[str, Knob] = {}
    for name in registry.known():
        found = dict(registry.get(name).knobs) | found
    ordered = sorted(found, key=lambda name: bool(found[name].choices))
    return {name: found[name] for name in ordered}


def sliders(known: Mapping[str, Knob]) -> list[Component]:
    """A component for each, in this order."""
    return [_component(name, knob) for name, knob in known.items()]


def _component(name: str, knob: Knob) -> Component:
    shown: dict[str, Any] = {"label": knob.title, "info": knob.help, "elem_classes": [_OFF], "elem_id": f"knob-{name}"}
    if knob.choices:
        return gr.Radio(list(knob.choices), value=str(knob.default), **shown)
    return gr.Slider(knob.low, knob.high, float(knob.default), step=knob.step, buttons=[], **shown)


def slider_updates(known: Sequence[str], of: RaterEvidence | None, turned: Mapping[str, Any]) -> list[Any]:
    """The changes that show this scorer's knobs, standing so."""
    return [_update(name, of, turned) for name in known]


def _update(name: str, of: RaterEvidence | None, turned: Mapping[str, Any]) -> Any:
    knob = of.scorer.knobs.get(name) if of else None
    if of is None or knob is None:
        return gr.update(elem_classes=[_OFF])
    said: dict[str, Any] = {"value": turned[name], "label": knob.title, "info": knob.help, "elem_classes": []}
    if knob.choices:
        return gr.Radio(list(knob.choices), **said)
    return gr.Slider(rejudging.lowest(of, name), rejudging.highest(of, name), step=knob.step, **said)


def read_sliders(of: RaterEvidence, asked: Mapping[str, Any]) -> dict[str, Any]:
    """Where this scorer's knobs stand: as asked where that is possible, else as in the run."""
    return {name: _value(of, name, asked.get(name)) for name in of.scorer.knobs}


def _value(of: RaterEvidence, name: str, asked: Any) -> Any:
    own, knob = of.again.settings[name], of.scorer.knobs[name]
    if knob.choices:
        return asked if asked in knob.choices else own
    try:
        value = float(asked)
    except (TypeError, ValueError, OverflowError):
        return own
    inside = math.isfinite(value) and rejudging.lowest(of, name) <= value <= rejudging.highest(of, name)
    rounded = rejudging.rounded(value) if inside else own
    # as it is written in the run, 1 and not 1.0
    return own if rounded == own else rounded


def followed_sliders(turned: Mapping[str, Any], asked: Mapping[str, str]) -> dict[str, str]:
    """Those of an address's values that the knobs stand at, as they are written there."""
    same = {}
    for name, text in asked.items():
        with suppress(ValueError, OverflowError):
            if name in turned and (turned[name] == text or rejudging.rounded(float(text)) == turned[name]):
                same[name] = text
    return same


_EMPTY: Final = (
    "No scorer has looked at this project’s images yet. What one has seen can be judged again here, by other thresholds, as"
    " often as you move a slider."
)


def empty_text(store: Store) -> str:
    """What the page says before a scorer has looked at anything."""
    return f"{_EMPTY} {next_steps.how_to_score(store, 'geneval')}"


# A click on a number lists the answers behind it on this page; on one of another rater it follows the link.
_LIST: Final = """
element.addEventListener('click', (event) => {
  const link = event.target.closest('a[href]');
  if (!link || event.button || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey) return;
  const to = new URL(link.href), here = new URL(location.href);
  if (to.pathname !== here.pathname || to.searchParams.get('rater') !== here.searchParams.get('rater')) return;
  event.preventDefault();
  const chosen = ['against', 'group', 'whose', 'answers'].map((name) => [name, to.searchParams.get(name) ?? '']);
  trigger('select', Object.fromEntries(chosen));
});
"""
# For figures with too many marks for links. Plotly makes a figure whenever it likes, so it is asked when pointed at.
_FOLLOW: Final = """
document.addEventListener('pointerover', (event) => {
  const figure = event.target.closest?.('#failure-plot .js-plotly-plot');
  if (!figure || !figure.on || figure.dataset.followed) return;
  figure.dataset.followed = 'yes';
  figure.on('plotly_click', (click) => {
    const address = click.points[0]?.customdata;
    if (typeof address === 'string' && address.startsWith('STUDIO')) location.assign(address);
  });
});
"""


@dataclass(frozen=True, slots=True)
class ThresholdsPanel:
    """The components of the thresholds part: texts and figure, in the order of ``ThresholdsDrawing``."""

    part: gr.Column
    turned: list[Component]
    reset: gr.Button
    keep: gr.Button
    message: gr.HTML
    drawn: list[Component]
    changes: gr.HTML


@dataclass(frozen=True, slots=True)
class PartPanel:
    """Those of another part; ``drawn``: what is above, a figure, what is beneath."""

    part: gr.Column
    drawn: list[Component]


@dataclass(frozen=True, slots=True)
class ExploreLayout:
    """All of them.

    Attributes:
        address: what is put into it becomes the page's address.
        standing: whose knobs the sliders are, as ``ExploreView.of`` has it. On the page and not in a state of the server, so
            that what the browser sends says whether the sliders stood so then.
        controls: in the order of ``ADDRESS``.
    """

    address: gr.Textbox
    standing: gr.Textbox
    empty: gr.Markdown
    notice: gr.HTML
    content: gr.Column
    controls: list[Component]
    thresholds: ThresholdsPanel
    failing: PartPanel
    flips: PartPanel
    asked: PartPanel

    def control(self, name: str) -> Any:
        return self.controls[ADDRESS.index(name)]

    @property
    def everything(self) -> list[Component]:
        """The controls, then the knobs."""
        return [*self.controls, *self.thresholds.turned]

    @property
    def outputs(self) -> list[Any]:
        """What is drawn, in order."""
        first = self.thresholds
        others = (self.failing, self.flips, self.asked)
        shown = [self.address, self.empty, self.content, first.part, *(other.part for other in others)]
        return [*shown, *first.drawn, first.reset, first.keep, *(place for other in others for place in other.drawn)]


def lay_out(store: Store, known: Mapping[str, Knob]) -> ExploreLayout:
    address = gr.Textbox("", visible="hidden", elem_id="explore-address")
    standing = gr.Textbox("", visible="hidden", elem_id="explore-standing")
    empty = gr.Markdown(empty_text(store), visible=False)
    notice = gr.HTML(elem_id="ignored")
    at: dict[str, Component] = {}
    with gr.Column() as content:
        with gr.Row(elem_classes="cc-filters"):
            at["suite"], at["rater"] = dropdown("Suite"), dropdown("Rater")
        at["show"] = gr.Radio([(title, name) for name, title in SHOWN.items()], value=THRESHOLDS, label="Show", elem_id="show")
        thresholds = _thresholds(known, at)
        with gr.Column(visible=False) as part:
            with gr.Row(elem_classes="cc-filters"):
                at["picture"], at["generator"] = dropdown("Picture"), dropdown("Generator", [ALL], ALL)
            lead = gr.HTML(elem_id="failure-lead")
            plot = gr.Plot(show_label=False, elem_id="failure-plot")
            numbers = gr.HTML(elem_id="failure-numbers", js_on_load=_FOLLOW.replace("STUDIO", base_path.at("/studio/")))
        with gr.Column(visible=False) as flips_part:
            kinds = [(flips_title, flips_name) for flips_name, flips_title in FLIPS.items()]
            at["flip"] = gr.Radio(kinds, value=kinds[0][1], label="Flip the prompts’", elem_id="flip")
            flips_lead = gr.HTML(elem_id="flip-lead")
            flips_plot = gr.Plot(show_label=False, elem_id="flip-plot")
            flips_numbers = gr.HTML(elem_id="flip-numbers")
        failing, flips, asked = (
            PartPanel(part, [lead, plot, numbers]),
            PartPanel(flips_part, [flips_lead, flips_plot, flips_numbers]),
            _questions(at),
        )
    controls = [at[name] for name in ADDRESS]
    return ExploreLayout(address, standing, empty, notice, content, controls, thresholds, failing, flips, asked)


def _thresholds(known: Mapping[str, Knob], at: dict[str, Component]) -> ThresholdsPanel:
    with gr.Column() as part:
        lead = gr.HTML(elem_id="explore-lead")
        with gr.Row(elem_classes="cc-explore"):
            with gr.Column(scale=2, min_width=280, elem_id="explore-knobs"):
                turned = sliders(known)
                with gr.Row():
                    reset = gr.Button("Reset", size="sm", min_width=80, elem_id="explore-reset")
                    keep = gr.Button("Keep these settings", size="sm", min_width=120, elem_id="explore-keep")
                message = gr.HTML(visible=False, elem_id="explore-message")
            with gr.Column(scale=5, min_width=420):
                with gr.Row(elem_classes="cc-filters"):
                    at["task"], at["along"] = dropdown("Task", [ALL], ALL), dropdown("Curve along")
                    at["statistic"], at["people"] = dropdown("Statistic"), dropdown("Compare with")
                plot = gr.Plot(show_label=False, elem_id="explore-plot")
                told = gr.HTML(elem_id="explore-told")
        numbers = gr.HTML(elem_id="explore-numbers")
        changes = thresholds.clickable_changes()
        at["changed"] = dropdown("Changed verdicts")
        pictures = gr.HTML(elem_id="explore-pictures")
    return ThresholdsPanel(part, turned, reset, keep, message, [lead, plot, told, numbers, changes, pictures], changes)


def _questions(at: dict[str, Component]) -> PartPanel:
    with gr.Column(visible=False) as part:
        kinds = [(title, name) for name, title in SEEN.items()]
        at["see"] = gr.Radio(kinds, value=kinds[0][1], label="View", elem_id="see")
        with gr.Row(elem_classes="cc-filters"):
            at["source"], at["reference"] = dropdown("Text source", [ALL], ALL), dropdown("Real images (reference)")
        lead = gr.HTML(elem_id="asked-lead")
        plot = gr.Plot(show_label=False, elem_id="asked-plot")
        numbers = gr.HTML(elem_id="asked-numbers", js_on_load=_LIST)
        with gr.Row(elem_classes="cc-filters", elem_id="asked-list-of"):
            at["group"], at["whose"] = (
                dropdown("Questions of the list", [ALL], ALL),
                dropdown("Images of the list", [ALL], ALL),
            )
            at["answers"], at["against"] = dropdown("Answers of the list"), dropdown("Compared with")
        listed = gr.HTML(elem_id="asked-list")
    return PartPanel(part, [lead, plot, numbers, listed])


def choices(store: Store, asked: ExploreView) -> dict[str, Choice]:
    """The controls by the names of ``ADDRESS``, with what this project has to choose from."""
    found = raters(store)
    questions = asked.show == QUESTIONS
    suite = _of(asked.suite or (suite_with_questions(store) if questions else ""), found)
    # of questions only those tell anything that answer some
    answering = scores.answering_raters(store).get(suite, []) if questions else []
    names = dict.fromkeys(answering, False) or found.get(suite, {})
    rater = _of(asked.rater, names)
    evidence = rejudging.evidence(store, suite, rater)
    known_suite = contents.judged_suites(store).get(suite)
    tasks = [ALL, *(evidence.places.tasks if evidence else known_suite.tasks if known_suite else ())]
    task = _of(asked.task, tasks)
    along = _along(evidence, task)
    heard = rejudging.people_verdicts(store, evidence) if evidence else {}
    people = [name for name, kind in KINDS.items() if kind in heard] or [PEOPLE]
    judged = evidence is not None
    offered: dict[str, Mapping[str, str]] = {
        "suite": {name: name for name in found},
        "rater": {name: name for name in names},
        "show": SHOWN,
        "task": {name: wording.task(name) for name in tasks},
        "along": along,
        "statistic": {name: wording.title(name) for name in OBJECTIVES if judged},
        "people": {name: name for name in people if judged},
        "changed": CHANGED if judged else {},
        "picture": PICTURE_TITLES,
        "generator": {ALL: "all generators"} | {name: name for name in generators(store, suite, rater)},
        "flip": dict(FLIPS),
        **(asked_of(store, suite, rater, asked) if questions else {name: {} for name in ASKED}),
    }
    return {
        name: Choice([(title, each) for each, title in offered[name].items()], _of(getattr(asked, name), offered[name]) or None)
        for name in ADDRESS
    }


def view_of(store: Store, asked: Mapping[str, Any]) -> ExploreView:
    """What is asked for by the names of the address, as far as there is such a thing; knobs that are not asked for stand as in
    the run."""
    wanted = ExploreView(**{name: str(asked.get(name) or "") for name in ADDRESS})  # type: ignore[arg-type]
    chosen = {name: choice.value or "" for name, choice in choices(store, wanted).items()}
    evidence = rejudging.evidence(store, chosen["suite"], chosen["rater"])
    if evidence is None:
        return ExploreView(**chosen)  # type: ignore[arg-type]
    return ExploreView(**chosen, turned=read_sliders(evidence, asked), own=evidence.own())  # type: ignore[arg-type]


@live_updates.cached(maxsize=8, key=live_updates.stored_version)
def raters(store: Store) -> dict[str, dict[str, bool]]:
    """By suite the scorers that can be looked at, each with whether it has knobs: those first. Do not change them."""
    found: dict[str, dict[str, bool]] = {}
    for source in rejudging.sources(store):
        found.setdefault(source.suite, {})[source.rater_id] = bool(rejudging.knobs(source.scorer))
    for suite in [*found]:
        for judge in contents.raters_of_selection(store, Selection(suite=(suite,), aspect=("score",))):
            if judge.scorer:
                found[suite].setdefault(judge.name, False)
    return {suite: dict(sorted(found[suite].items(), key=lambda each: (not each[1], each[0]))) for suite in sorted(found)}


def _along(evidence: RaterEvidence | None, task: str) -> dict[str, str]:
    """The knobs that a curve can run along: numbers that decide something in this task."""
    if evidence is None:
        return {}
    inside = [k for k, code in enumerate(evidence.places.task) if task == ALL or evidence.places.tasks[code] == task]
    cases = evidence.again.cases
    return {
        name: knob.title
        for name, knob in evidence.scorer.knobs.items()
        if not knob.choices and any(knob.applies(cases[k].spec) for k in inside)
    }


def _of(asked: str, known: Mapping[str, object] | Sequence[str]) -> str:
    return asked if asked in known else next(iter(known), "")
