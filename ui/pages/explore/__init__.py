"""Explore: what would follow from the same evidence by other thresholds, and where generators fail."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any
from urllib.parse import urlencode

import gradio as gr

from concord.common import next_steps
from concord.common.base_path import at
from concord.common.context import CommandError
from concord.error_analysis import rejudging
from concord.error_analysis.rejudging import save_as_rater
from data.store.core.store import Store
from ui.components.tables import linked_note, note
from ui.pages.explore import controls
from ui.pages.explore.controls import choices, empty_text, view_of
from ui.pages.explore.failures import failures_part
from ui.pages.explore.flips import FLIPS, flip_test
from ui.pages.explore.questions import SEEN, questions_part
from ui.pages.explore.thresholds import draw_thresholds
from ui.pages.explore.view import ADDRESS, ALL, FAILURES, FLIPPED, PATH, QUESTIONS, SHOWN, THRESHOLDS, ExploreView
from ui.shell.changes import Drawn
from ui.shell.events import QUIET, listen
from ui.shell.html import html_component
from ui.shell.page import Page


class ExplorePage(Page[ExploreView]):
    """The page; its controls are those of the address and a slider for each knob."""

    title, path, ADDRESS = "Explore", PATH, ADDRESS
    OFFERING = ("task", "show", "see", "source")

    def __init__(self, store: Store) -> None:
        super().__init__(store)
        self.knobs = controls.every_knob()

    def build(self) -> None:
        # Written by what is drawn: that is at most a few times a second, as browsers want it. Not in the page's content: what
        # is hidden in a column comes into view when the column is shown.
        self.output("explore-address", gr.Textbox("", visible="hidden", elem_id="explore-address"))
        super().build()

    def lay_out(self) -> None:
        with self.bar():
            self.dropdown("suite", "Suite")
            self.dropdown("rater", "Rater")
        self.radio("show", "Show", SHOWN)
        with self.output(f"part-{THRESHOLDS}", gr.Column()):
            self._lay_out_thresholds()
        with self.output(f"part-{FAILURES}", gr.Column(visible=False)):
            with self.bar():
                self.dropdown("picture", "Picture")
                self.dropdown("generator", "Generator", [ALL], ALL)
            self.html("failure-lead")
            self.plot("failure-plot")
            follow = f"import('{at('/assets/js/figure_links.js')}').then((m) => m.follow('failure-plot', '{at('/studio/')}'));"
            self.html("failure-numbers", js_on_load=follow)
        with self.output(f"part-{FLIPPED}", gr.Column(visible=False)):
            self.radio("flip", "Flip the prompts’", FLIPS)
            self.html("flip-lead")
            self.plot("flip-plot")
            self.html("flip-numbers")
        with self.output(f"part-{QUESTIONS}", gr.Column(visible=False)):
            self.radio("see", "View", SEEN)
            with self.bar():
                self.dropdown("source", "Text source", [ALL], ALL)
                self.dropdown("reference", "Real images (reference)")
            self.html("asked-lead")
            self.plot("asked-plot")
            self.links("asked-numbers", "asked-list")
            with self.bar(elem_id="asked-list-of"):
                self.dropdown("group", "Questions of the list", [ALL], ALL)
                self.dropdown("whose", "Images of the list", [ALL], ALL)
                self.dropdown("answers", "Answers of the list")
                self.dropdown("against", "Compared with")
            self.html("asked-list")

    def _lay_out_thresholds(self) -> None:
        self.html("explore-lead")
        with gr.Row(elem_classes="cc-explore"):
            with gr.Column(scale=2, min_width=280, elem_id="explore-knobs"):
                for name, knob in self.knobs.items():
                    self.control(name, controls.slider(name, knob))
                with gr.Row():
                    self.output("explore-reset", gr.Button("Reset", size="sm", min_width=80, elem_id="explore-reset"))
                    keep = gr.Button("Keep these settings", size="sm", min_width=120, elem_id="explore-keep")
                    self.output("explore-keep", keep)
                self.message = gr.HTML(visible=False, elem_id="explore-message")
            with gr.Column(scale=5, min_width=320):
                # beside the sliders: what a move changes is seen where it is made
                with self.bar():
                    self.dropdown("task", "Task", [ALL], ALL)
                    self.dropdown("changed", "Changed verdicts")
                self.html("explore-pictures")
                with self.bar():
                    self.dropdown("along", "Curve along")
                    self.dropdown("statistic", "Statistic")
                    self.dropdown("people", "Compare with")
                self.plot("explore-plot")
                self.html("explore-told")
        with gr.Accordion("All numbers", open=False, elem_id="all-numbers"):
            self.html("explore-numbers")
            self.links("explore-changes", "explore-pictures")

    def teaching(self) -> str:
        return empty_text(self.store)

    def view(self, values: Mapping[str, Any]) -> ExploreView:
        return view_of(self.store, values)

    def state(self, view: ExploreView) -> str:
        """Whose knobs they are: on the page, so that what the browser sends says whether the sliders stood so then."""
        return view.of

    def followed(self, view: ExploreView, wanted: Mapping[str, str]) -> dict[str, str]:
        return super().followed(view, wanted) | controls.followed_sliders(view.turned, wanted)

    def offer(self, view: ExploreView) -> Mapping[str, Any]:
        """Of all controls but the knobs; what has nothing to choose from is not shown."""
        return {
            name: gr.update(value=choice.value)
            if isinstance(self[name], gr.Radio)
            else choice.control() | {"visible": bool(choice.choices)}
            for name, choice in choices(self.store, view).items()
        }

    def sliders(self, view: ExploreView) -> dict[str, Any]:
        """The knobs of this rater, where the view has them."""
        evidence = rejudging.evidence(self.store, view.suite, view.rater)
        return {name: controls.slider_change(name, evidence, view.turned) for name in self.knobs}

    def open(self, view: ExploreView) -> list[Any]:
        return self.named([*self.controls], {**self.offer(view), **self.sliders(view)})

    def draw(self, view: ExploreView) -> Iterator[Drawn | None]:
        """The part that is shown; the others stay as they are."""
        if not view.rater:
            yield None
            return
        parts = {f"part-{name}": view.show == name for name in SHOWN}
        yield {"explore-address": view.address(), **parts, **self._draw_part(view)}

    def _draw_part(self, view: ExploreView) -> Drawn:
        more: dict[str, Any] = {}
        if view.show == FAILURES:
            name, made = "failure", failures_part(self.store, view.suite, view.rater, view.picture, view.generator)
        elif view.show == FLIPPED:
            name, made = "flip", flip_test(self.store, view.suite, view.flip)
        elif view.show == QUESTIONS:
            name, made = "asked", questions_part(self.store, view)
            more = {"list": made.listed}
        else:
            made, button = draw_thresholds(self.store, view), gr.Button(interactive=bool(view.moved), visible=bool(view.turned))
            name, more = "explore", {"reset": button, "keep": button}
            more |= {"told": made.told, "changes": made.changes, "pictures": made.pictures}
        drawn = {"lead": made.lead, "plot": made.figure, "numbers": made.numbers, **more}
        return {f"{name}-{part}": value for part, value in drawn.items()}

    def change_rater(self, opened: str, *values: Any) -> list[Any]:
        """Another rater has other knobs, which stand as in its run; until they do, nothing is drawn of them."""
        by_name = self.by_name(values)
        view = self.view({name: by_name[name] for name in ADDRESS})
        if opened in ("", view.of):
            return [gr.skip()] * (len(self.controls) + 2)
        changes = self.unless_set(values, {**self.offer(view), **self.sliders(view)})
        return [*changes.values(), gr.HTML(visible=False), view.of]

    def connect(self) -> None:
        super().connect()
        every = [*self.controls.values()]
        changing = [*every, self.message, self.opened]
        listen(
            [self[name].change for name in ("suite", "rater")],
            self.change_rater, [self.opened, *every], changing, queue=False, **QUIET,
        )  # fmt: skip

        def reset(*values: Any) -> list[Any]:
            return [*self.sliders(self.view(dict(zip(ADDRESS, values, strict=True)))).values()]

        def keep(*values: Any) -> gr.HTML:
            return keep_settings(self.store, self.view(self.by_name(values)))

        turned = [self[name] for name in self.knobs]
        self["explore-reset"].click(reset, [self[name] for name in ADDRESS], turned, queue=False, **QUIET)
        self["explore-keep"].click(keep, every, self.message, trigger_mode="once", **QUIET)

    def write_address(self) -> None:
        address = self["explore-address"]
        here = f"location.pathname.endsWith('{self.path}')"
        js = f"(value) => {{ if (value && {here}) history.replaceState(history.state, '', value); return []; }}"
        address.change(None, address, None, js=js)


def keep_settings(store: Store, view: ExploreView) -> gr.HTML:
    """Keep what the knobs stand at, and say what became of it."""
    try:
        done = save_as_rater(store, view.rater, view.turned)
    except (CommandError, ValueError) as error:
        return html_component(note(f"Not kept: {error}.", "cc-bad"), visible=True)
    where = at("/studio/agreement?") + urlencode({"suite": view.suite, "aspect": rejudging.ASPECT})
    if done.import_id is None:
        where_to_look = linked_note(f"{done.rater_id} judges by these settings already; see it on", where, "Agreement", "")
        return html_component(where_to_look, visible=True)
    (undo,) = next_steps.command_lines(store, (f"import undo {done.import_id}",))
    first = f"Kept as {done.rater_id}: {done.images:,} images judged by these settings, now on"
    text = linked_note(first, where, "Agreement", f"and Browse. To take it back: {undo}")
    return html_component(text, visible=True)
