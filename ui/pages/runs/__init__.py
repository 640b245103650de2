"""Have scorers look at images, and see how far they are."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import wraps
from typing import Any, Final

import gradio as gr
from htpy import Element

from concord.runs import run_manager
from concord.runs.queue import queued_runs
from concord.runs.run_manager import RunView
from data.store import runs as stored
from data.store.browse import contents
from data.store.core.store import Store
from data.store.runs import RunRow
from scorers import registry
from scorers.models import devices
from ui.components.tables import note
from ui.pages.runs import planning, table
from ui.pages.runs.planning import ALL, RunRequest, plan, run_request
from ui.shell.changes import Drawn
from ui.shell.controls import Choice
from ui.shell.events import QUIET, listen
from ui.shell.html import event_data, html_component, rendered
from ui.shell.page import Page

_POLL_SECONDS: Final = 2
"""Somebody watches a run go on: its numbers move faster than what other pages show."""
_CURRENT = "any"
_CURRENT_TITLE: Final = "the current one"
_FILTERS = ("scorer", "profile", "suite", "generator", "device", "show", "run")
_PAGE: Final = 20
_NEWEST: Final = "newest"
_EMPTY: Final = (
    "No scorer has scored this project’s images yet. Choose a scorer above: it works in a process of its own, can be paused at"
    " any time, and continues after a crash. A second run on the same device waits for the first."
)
_ACTIONS: Final = {
    "pause": ("Pause", run_manager.pause),
    "resume": ("Resume", run_manager.resume),
    "cancel": ("Cancel", run_manager.cancel),
    "again": ("Try these again", run_manager.retry),
    "sooner": ("Sooner", run_manager.move_up),
    "remove": ("Remove", run_manager.remove),
}
_STATUS: Final = ("run-headline", "runs", "run-controls", *_ACTIONS, "run-details", "run-settings", "run-log")


class RunsPage(Page[Mapping[str, Any]]):
    """The page. A view is what the controls choose: what would be done, and how runs stand."""

    title, path, ADDRESS = "Runs", "/runs", _FILTERS
    OFFERING = _FILTERS

    def lay_out(self) -> None:
        self.html("run-headline")
        with self.bar():
            self.dropdown("scorer", "Scorer", list(registry.known()), registry.NAMES[0])
            self.dropdown("profile", "Profile", [registry.PLAYGROUND], registry.PLAYGROUND)
            self.dropdown("suite", "Suite", [ALL], ALL)
            self.dropdown("generator", "Generator", [ALL], ALL)
            self.dropdown("device", "Device", [devices.CPU])
            # a number field shows 0 where nothing is said
            self.control("batch", gr.Textbox(label="Images at once", placeholder="32", elem_id="run-batch"))
            self.control("limit", gr.Textbox(label="At most", placeholder="all images", elem_id="run-limit"))
        self.html("run-plan")
        self.output("run-begin", gr.Button("Score", variant="primary", interactive=False, elem_id="run-begin"))
        self.message = gr.HTML(visible=False, elem_id="run-message")
        self.clickable("runs")
        with self.output("run-controls", gr.Column(visible=False, elem_id="run-controls")):
            with gr.Row(elem_classes="cc-filters cc-run-row"):
                self.dropdown("show", "Show", [_NEWEST], _NEWEST)
                self.dropdown("run", "Run", [(_CURRENT_TITLE, _CURRENT)], _CURRENT)
            with gr.Row(elem_classes="cc-filters cc-run-row", elem_id="run-actions"):
                for name, (text, _) in _ACTIONS.items():
                    self.output(name, gr.Button(text, interactive=False, min_width=90))
            with gr.Row(visible=False, elem_classes="cc-filters cc-run-row", elem_id="run-confirm") as self.confirm:
                self.question = gr.HTML()
                self.sure = gr.Button("Remove it", variant="stop", min_width=90)
                self.keep = gr.Button("Keep it", min_width=90)
            self.html("run-details")
            with gr.Accordion("Settings, weights and versions", open=False):
                self.html("run-settings")
            with gr.Accordion("What the worker said", open=False):
                options = {"placeholder": "nothing so far", "show_label": False, "interactive": False}
                self.output("run-log", gr.Textbox(lines=4, max_lines=14, autoscroll=True, elem_id="run-log", **options))
        moves = run_manager.progress_version
        self.part(self.draw_status, _STATUS, by=("show", "run"), moves=moves, seconds=_POLL_SECONDS)

    def moves(self) -> Callable[[Store], str]:
        return run_manager.queue_version

    def view(self, values: Mapping[str, Any]) -> Mapping[str, Any]:
        return values

    def offer(self, view: Mapping[str, Any]) -> Mapping[str, Choice]:
        return choices(self.store, view)

    def draw(self, view: Mapping[str, Any]) -> Iterator[Drawn]:
        """What the button would do, and the button."""
        chosen = {name: choice.value for name, choice in choices(self.store, view).items()}
        text, label, possible = plan(self.store, run_request(dict(view) | chosen))
        yield {
            "run-plan": text,
            "run-begin": gr.Button(label, interactive=possible, variant="primary" if possible else "secondary"),
        }

    def draw_status(self, view: Mapping[str, Any]) -> Iterator[Drawn]:
        """How runs stand."""
        yield status(self.store, view["show"], view["run"])

    def connect(self) -> None:
        super().connect()
        values = [*self.controls.values()]
        shown = [self.confirm, *(self[name] for name in _STATUS)]
        acted = [self.message, *values, self["run-plan"], self["run-begin"]]

        def look(show: str | None, run: str | None) -> list[Any]:
            return [gr.Row(visible=False), *self.named(_STATUS, status(self.store, show, run))]

        def follow(event: Any, act: Callable[..., tuple[str, dict[str, Any]]], **how: Any) -> None:
            """Draw anew after an act: of what is chosen once it is answered, not of what was chosen when it was begun."""

            @wraps(act)
            def answer(*arguments: Any) -> list[Any]:
                message, turned = act(*arguments)
                # Gradio puts the event first, where an act takes it
                chosen = arguments[-len(values) :]
                changes = self.changes(chosen, **turned)
                (drawn,) = self.draw(self.by_name(chosen) | turned)
                return [_message(message), *changes.values(), *self.named(("run-plan", "run-begin"), drawn)]

            event(answer, values, acted, **(QUIET | how)).then(look, [self["show"], self["run"]], shown, **QUIET)

        def pick(event: gr.EventData, *_: Any) -> tuple[str, dict[str, Any]]:
            return "", {"run": event_data(event).get("run")}

        def start(*chosen: Any) -> tuple[str, dict[str, Any]]:
            try:
                wanted = run_request(self.by_name(chosen))
                message = run_manager.start(self.store, wanted.request(), wanted.selection.to_dict())
            except ValueError as error:
                message = f"{error}."
            return message, {"run": _CURRENT, "show": _NEWEST}

        def act(name: str) -> Callable[..., tuple[str, dict[str, Any]]]:
            def acts(*chosen: Any) -> tuple[str, dict[str, Any]]:
                view = chosen_run(self.store, self.by_name(chosen)["run"])
                return _ACTIONS[name][1](self.store, view.row.run_id) if view else "", {}

            return acts

        def ask(run: str | None) -> list[Any]:
            view = chosen_run(self.store, run)
            return [gr.Row(visible=view is not None), rendered(table.question(view) if view else "")]

        listen([self["run"].input, self["show"].input], look, [self["show"], self["run"]], shown, **QUIET)
        follow(self["runs"].select, pick, trigger_mode="always_last")
        follow(self["run-begin"].click, start, trigger_mode="once")
        for name in _ACTIONS:
            follow(self.sure.click if name == "remove" else self[name].click, act(name), trigger_mode="once")
        self["remove"].click(ask, self["run"], [self.confirm, self.question], **QUIET)
        self.keep.click(lambda: gr.Row(visible=False), None, self.confirm, **QUIET)


def _message(text: str) -> gr.HTML:
    return html_component(note(text, "cc-bad") if text else "", visible=bool(text))


def choices(store: Store, chosen_values: Mapping[str, Any]) -> dict[str, Choice]:
    """The filters, each with what this project has to choose from."""
    known = contents.filter_choices(store)
    run_rows = run_manager.run_rows(store)
    scorer = Choice.among(list(registry.known()), chosen_values["scorer"])
    # another one than this machine seems to have may be meant
    device = str(chosen_values["device"] or devices.default_device())
    pages = {name: name for name in _pages(len(run_rows))}
    return {
        "scorer": scorer,
        "profile": Choice.among(list(registry.get(scorer.value).profiles), chosen_values["profile"]),
        "suite": Choice.among((ALL, *known.suite), chosen_values["suite"]),
        "generator": Choice.among((ALL, *known.generator), chosen_values["generator"]),
        "device": Choice([(title, name) for name, title in devices.known_devices()], device),
        "show": Choice.among({_NEWEST: f"the newest of {len(run_rows):,}"} | pages, chosen_values["show"]),
        "run": Choice.among({_CURRENT: _CURRENT_TITLE} | {row.run_id: row.run_id for row in run_rows}, chosen_values["run"]),
    }


def _pages(n: int) -> list[str]:
    return [f"{start + 1}-{min(start + _PAGE, n)}" for start in range(0, n, _PAGE)][1:]


def chosen_run(store: Store, run_id: str | None) -> RunView | None:
    """The run that the controls are about: without a choice, one that is at work, else one that can go on, else the newest."""
    run_rows = run_manager.run_rows(store)
    busy = queued_runs(store)
    named = next((row for row in run_rows if row.run_id == run_id), None)
    ordered: list[RunRow] = (
        [row for row in run_rows if row.run_id in busy]
        + [row for row in run_rows if row.state in ("running", "paused", "failed")]
        + run_rows
    )
    row = named or next(iter(ordered), None)
    return None if row is None else run_manager.run_view(store, row)


def status(store: Store, show: str | None, run_id: str | None) -> Drawn:
    """Table, controls, the buttons, details, settings, log."""
    view = chosen_run(store, run_id)
    if view is None:
        dead = dict.fromkeys(_ACTIONS, gr.Button(interactive=False))
        command = planning.command(store, RunRequest(registry.NAMES[0]))
        empty = dict.fromkeys(("run-details", "run-settings", "run-log"), "")
        return {"run-headline": "", "runs": [note(_EMPTY), command], "run-controls": False, **dead, **empty}
    failing = stored.still_failing(store, view.row.run_id) if view.row.n_failed else 0
    can = {
        "pause": view.can_pause,
        "resume": view.can_resume,
        "cancel": view.can_cancel,
        "again": bool(failing) and not view.is_active,
        "sooner": view.state == "queued",
        "remove": view.can_remove,
    }
    # what makes no sense for any run but few is there only for those
    seen = {"again": bool(failing), "sooner": can["sooner"]}
    busy = queued_runs(store)
    # of the others only the newest: nobody waits for what was stopped long ago
    rows = run_manager.run_rows(store)
    latest = [run_manager.run_view(store, row) for k, row in enumerate(rows) if k < _PAGE or row.run_id in busy]
    return {
        "run-headline": table.headline(latest),
        "runs": _table(store, show, view.row.run_id),
        "run-controls": True,
        **{name: gr.Button(interactive=can[name], visible=seen.get(name, True)) for name in _ACTIONS},
        "run-details": table.details(store, view),
        "run-settings": table.settings(store, view),
        "run-log": run_manager.log_tail_of(store, view.row),
    }


def _table(store: Store, show: str | None, chosen: str) -> Element:
    run_rows = run_manager.run_rows(store)
    start = int(show.partition("-")[0]) - 1 if show in _pages(len(run_rows)) and show else 0
    shown = [run_manager.run_view(store, row) for row in run_rows[start : start + _PAGE]]
    caption = "Runs: those at work, those that wait in their order, then the newest first"
    if len(run_rows) > _PAGE:
        caption = f"{caption} ({start + 1}-{start + len(shown)} of {len(run_rows):,})"
    return table.runs_table(shown, chosen, caption)
