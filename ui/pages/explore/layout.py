"""The Explore page's components, laid out; what they do is the page's."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

import gradio as gr
from gradio.components import Component

from concord.common import next_steps
from data.store.core.store import Store
from scorers.base import Knob
from ui import root
from ui.components.filters import dropdown
from ui.pages.explore import knobs, tables
from ui.pages.explore.asked.offered import SEEN
from ui.pages.explore.flips import FLIPS
from ui.pages.explore.view import ADDRESS, ALL, SHOWN, THRESHOLDS

_EMPTY: Final = (
    "No scorer has looked at this project’s images yet. What one has seen can be judged again here, by other thresholds, as"
    " often as you move a slider."
)


def nothing(store: Store) -> str:
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
class Thresholds:
    """The components of the thresholds part: texts and figure, in the order of ``redraw.Drawn``."""

    part: gr.Column
    turned: list[Component]
    reset: gr.Button
    keep: gr.Button
    message: gr.HTML
    drawn: list[Component]
    changes: gr.HTML


@dataclass(frozen=True, slots=True)
class Shown:
    """Those of another part; ``drawn``: what is above, a figure, what is beneath."""

    part: gr.Column
    drawn: list[Component]


@dataclass(frozen=True, slots=True)
class Layout:
    """All of them.

    Attributes:
        address: what is put into it becomes the page's address.
        standing: whose knobs the sliders are, as ``View.of`` has it. On the page and not in a state of the server, so that
            what the browser sends says whether the sliders stood so then.
        controls: in the order of ``ADDRESS``.
    """

    address: gr.Textbox
    standing: gr.Textbox
    empty: gr.Markdown
    notice: gr.HTML
    content: gr.Column
    controls: list[Component]
    thresholds: Thresholds
    failing: Shown
    flips: Shown
    asked: Shown

    def control(self, name: str) -> Any:
        return self.controls[ADDRESS.index(name)]

    @property
    def everything(self) -> list[Component]:
        """The controls, then the knobs."""
        return [*self.controls, *self.thresholds.turned]

    @property
    def places(self) -> list[Any]:
        """What is drawn, in order."""
        first = self.thresholds
        others = (self.failing, self.flips, self.asked)
        shown = [self.address, self.empty, self.content, first.part, *(other.part for other in others)]
        return [*shown, *first.drawn, first.reset, first.keep, *(place for other in others for place in other.drawn)]


def laid_out(store: Store, known: Mapping[str, Knob]) -> Layout:
    address = gr.Textbox("", visible="hidden", elem_id="explore-address")
    standing = gr.Textbox("", visible="hidden", elem_id="explore-standing")
    empty = gr.Markdown(nothing(store), visible=False)
    notice = gr.HTML(elem_id="ignored")
    at: dict[str, Component] = {}
    with gr.Column() as content:
        with gr.Row(elem_classes="cc-filters"):
            at["suite"], at["rater"] = dropdown("Suite"), dropdown("Rater")
        at["show"] = gr.Radio([(title, name) for name, title in SHOWN.items()], value=THRESHOLDS, label="Show", elem_id="show")
        thresholds = _thresholds(known, at)
        failing, flips, asked = _failing(at), _flips(at), _asked(at)
    controls = [at[name] for name in ADDRESS]
    return Layout(address, standing, empty, notice, content, controls, thresholds, failing, flips, asked)


def _thresholds(known: Mapping[str, Knob], at: dict[str, Component]) -> Thresholds:
    with gr.Column() as part:
        lead = gr.HTML(elem_id="explore-lead")
        with gr.Row(elem_classes="cc-explore"):
            with gr.Column(scale=2, min_width=280, elem_id="explore-knobs"):
                turned = knobs.controls(known)
                with gr.Row():
                    reset = gr.Button("Reset", size="sm", min_width=80, elem_id="explore-reset")
                    keep = gr.Button("Keep these settings", size="sm", min_width=120, elem_id="explore-keep")
                message = gr.HTML(visible=False, elem_id="explore-message")
            with gr.Column(scale=5, min_width=420):
                with gr.Row(elem_classes="cc-filters"):
                    at["task"], at["along"] = dropdown("Task", [ALL], ALL), dropdown("Curve along")
                    at["statistic"], at["people"] = dropdown("Statistic"), dropdown("Beside")
                plot = gr.Plot(show_label=False, elem_id="explore-plot")
                told = gr.HTML(elem_id="explore-told")
        numbers = gr.HTML(elem_id="explore-numbers")
        changes = tables.clickable()
        at["changed"] = dropdown("Changed verdicts")
        pictures = gr.HTML(elem_id="explore-pictures")
    return Thresholds(part, turned, reset, keep, message, [lead, plot, told, numbers, changes, pictures], changes)


def _failing(at: dict[str, Component]) -> Shown:
    with gr.Column(visible=False) as part:
        with gr.Row(elem_classes="cc-filters"):
            at["picture"], at["generator"] = dropdown("Picture"), dropdown("Generator", [ALL], ALL)
        lead = gr.HTML(elem_id="failure-lead")
        plot = gr.Plot(show_label=False, elem_id="failure-plot")
        numbers = gr.HTML(elem_id="failure-numbers", js_on_load=_FOLLOW.replace("STUDIO", root.at("/studio/")))
    return Shown(part, [lead, plot, numbers])


def _flips(at: dict[str, Component]) -> Shown:
    with gr.Column(visible=False) as part:
        kinds = [(title, name) for name, title in FLIPS.items()]
        at["flip"] = gr.Radio(kinds, value=kinds[0][1], label="Flip the prompts’", elem_id="flip")
        lead = gr.HTML(elem_id="flip-lead")
        plot = gr.Plot(show_label=False, elem_id="flip-plot")
        numbers = gr.HTML(elem_id="flip-numbers")
    return Shown(part, [lead, plot, numbers])


def _asked(at: dict[str, Component]) -> Shown:
    with gr.Column(visible=False) as part:
        kinds = [(title, name) for name, title in SEEN.items()]
        at["see"] = gr.Radio(kinds, value=kinds[0][1], label="See", elem_id="see")
        with gr.Row(elem_classes="cc-filters"):
            at["source"], at["reference"] = dropdown("Text source", [ALL], ALL), dropdown("Real images (reference)")
        lead = gr.HTML(elem_id="asked-lead")
        plot = gr.Plot(show_label=False, elem_id="asked-plot")
        numbers = gr.HTML(elem_id="asked-numbers", js_on_load=_LIST)
        with gr.Row(elem_classes="cc-filters", elem_id="asked-list-of"):
            at["group"], at["whose"] = (
                dropdown("Listed: questions about", [ALL], ALL),
                dropdown("Listed: images by", [ALL], ALL),
            )
            at["answers"], at["against"] = dropdown("Listed: answers"), dropdown("Compared with")
        listed = gr.HTML(elem_id="asked-list")
    return Shown(part, [lead, plot, numbers, listed])
