"""Have scorers look at images, and see how far they are."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

import gradio as gr

from concord.common import machine
from concord.runs import run_manager
from concord.runs.queue import queued_runs
from concord.runs.run_manager import RunView
from data.store import runs as stored
from data.store.browse import contents
from data.store.core.store import Store
from data.store.runs import RunRow
from scorers import registry
from ui.components.controls import Choice, clickable_html, dropdown, event_data
from ui.components.live_updates import ignored, keep_current, listen, moved, set_address
from ui.components.tables import note
from ui.pages.runs import planning, table
from ui.pages.runs.planning import ALL, RunRequest, plan, run_request

NAME = "Runs"
PATH = "/runs"
SECONDS: Final = 2
_CURRENT = "any"
_CURRENT_CHOICE: Final = ("the current one", _CURRENT)
_FILTERS = ("scorer", "profile", "suite", "generator", "device", "show", "run")
_ASKED = (*_FILTERS, "batch", "limit")
_PAGE: Final = 20
_NEWEST: Final = "newest"
_EMPTY: Final = (
    "No scorer has looked at this project’s images yet. Choose one above: it works in a process of its own, can be paused at"
    " any time, and goes on after a crash. What is begun while another run is at work on the same device waits for it."
)
_ACTIONS: Final = {
    "pause": ("Pause", run_manager.pause),
    "resume": ("Resume", run_manager.resume),
    "cancel": ("Cancel", run_manager.cancel),
    "again": ("Try these again", run_manager.retry),
    "sooner": ("Sooner", run_manager.move_up),
    "remove": ("Remove", run_manager.remove),
}


@dataclass(frozen=True, slots=True)
class _Controls:
    """The page's components. ``asking`` is what says what would be done, ``status`` what says how runs stand."""

    notice: gr.HTML
    filters: list[gr.Dropdown]
    numbers: list[gr.Textbox]
    plan: gr.HTML
    begin: gr.Button
    message: gr.HTML
    table: gr.HTML
    below: gr.Column
    buttons: list[gr.Button]
    confirm: gr.Row
    question: gr.HTML
    remove: gr.Button
    keep: gr.Button
    details: gr.HTML
    settings: gr.HTML
    log: gr.Textbox

    @property
    def run(self) -> gr.Dropdown:
        return self.filters[-1]

    @property
    def show(self) -> gr.Dropdown:
        return self.filters[-2]

    @property
    def asking(self) -> list[Any]:
        return [*self.filters, self.plan, self.begin]

    @property
    def status(self) -> list[Any]:
        return [self.table, self.below, *self.buttons, self.details, self.settings, self.log]


def _laid_out() -> _Controls:
    notice = gr.HTML(elem_id="ignored")
    with gr.Row(elem_classes="cc-filters"):
        scorer = dropdown("Scorer", list(registry.known()), registry.NAMES[0])
        profile = dropdown("Profile", [registry.PLAYGROUND], registry.PLAYGROUND)
        suite, generator = (dropdown(label, [ALL], ALL) for label in ("Suite", "Generator"))
    with gr.Row(elem_classes="cc-filters"):
        device = dropdown("Device", [machine.CPU], machine.CPU)
        # a number field shows 0 where nothing is said
        batch = gr.Textbox(label="Images at once", placeholder="32", elem_id="run-batch")
        limit = gr.Textbox(label="At most", placeholder="all images", elem_id="run-limit")
    plan_ = gr.HTML(elem_id="run-plan")
    begin = gr.Button("Score", variant="primary", interactive=False, elem_id="run-begin")
    message = gr.HTML(visible=False, elem_id="run-message")
    table = clickable_html("runs")
    with gr.Column(visible=False, elem_id="run-controls") as below:
        with gr.Row(elem_classes="cc-filters cc-run-row"):
            show = dropdown("Show", [_NEWEST], _NEWEST)
            run = dropdown("Run", [_CURRENT_CHOICE], _CURRENT)
        with gr.Row(elem_classes="cc-filters cc-run-row", elem_id="run-actions"):
            buttons = [gr.Button(text, interactive=False, min_width=90) for text, _ in _ACTIONS.values()]
        with gr.Row(visible=False, elem_classes="cc-filters cc-run-row", elem_id="run-confirm") as confirm:
            question = gr.HTML()
            remove, keep = gr.Button("Remove it", variant="stop", min_width=90), gr.Button("Keep it", min_width=90)
        details = gr.HTML(elem_id="run-details")
        with gr.Accordion("Settings, weights and versions", open=False):
            settings = gr.HTML(elem_id="run-settings")
        with gr.Accordion("What the worker said", open=False):
            said = {"placeholder": "nothing so far", "show_label": False, "interactive": False}
            log = gr.Textbox(lines=4, max_lines=14, autoscroll=True, elem_id="run-log", **said)
    filters = [scorer, profile, suite, generator, device, show, run]
    foot = (confirm, question, remove, keep, details, settings, log)
    return _Controls(notice, filters, [batch, limit], plan_, begin, message, table, below, buttons, *foot)


def build(store: Store) -> None:
    ui = _laid_out()
    _Handlers(store, ui).bind()


@dataclass(frozen=True, slots=True)
class _Handlers:
    """What happens when somebody does something on the page."""

    store: Store
    ui: _Controls

    def bind(self) -> None:
        ui, store = self.ui, self.store
        chosen_values = self.chosen_values
        quiet: dict[str, Any] = {"show_progress": "hidden", "api_visibility": "private"}
        # How a run stands is drawn of what is chosen once an act is answered, not of what was chosen when it was begun. The
        # calls of one function are answered in their order.
        look, looked = self.look, ([ui.show, ui.run], [ui.confirm, *ui.status])
        first = gr.on(None, self.opened, None, [ui.notice, *ui.asking, *ui.status], queue=False, **quiet)
        turned = [f.input for f in ui.filters] + [f.change for f in ui.numbers]
        listen(turned, self.follow, chosen_values, ui.asking, queue=False, **quiet)
        listen([ui.run.input, ui.show.input], look, *looked, **quiet)
        ui.table.select(self.picked, chosen_values, ui.asking, trigger_mode="always_last", **quiet).then(look, *looked, **quiet)
        for control in ui.filters:
            control.change(None, ui.filters, None, js=set_address(_FILTERS))
        drawn = [ui.message, *ui.asking]
        ui.begin.click(self.started, chosen_values, drawn, trigger_mode="once", **quiet).then(look, *looked, **quiet)
        *acts, ask = ui.buttons
        for button, name in zip((*acts, ui.remove), _ACTIONS, strict=True):
            done = button.click(self.acted(name), chosen_values, drawn, trigger_mode="once", **quiet)
            done.then(look, *looked, **quiet)
        ask.click(self.ask, ui.run, [ui.confirm, ui.question], **quiet)
        ui.keep.click(lambda: gr.Row(visible=False), None, ui.confirm, **quiet)
        keep_current(
            store,
            lambda *now: iter([self.choose(*now)]),
            chosen_values,
            ui.asking,
            opened=first,
            moves=run_manager.queue_version,
        )
        status: dict[str, Any] = {"opened": first, "moves": run_manager.progress_version, "seconds": SECONDS}
        keep_current(store, lambda *now: iter([_status(store, *now)]), [ui.show, ui.run], ui.status, **status)

    def choose(self, *chosen_values: Any) -> list[Any]:
        named = dict(zip(_ASKED, chosen_values, strict=True))
        return _control_updates(self.store, _choices(self.store, named), named)

    @property
    def chosen_values(self) -> list[Any]:
        return [*self.ui.filters, *self.ui.numbers]

    def follow(self, *chosen_values: Any) -> list[Any]:
        return moved(self.chosen_values, chosen_values, self.ui.asking, self.choose(*chosen_values))

    def opened(self, request: gr.Request) -> list[Any]:
        chosen_values = request.query_params
        chosen = _choices(self.store, {name: chosen_values.get(name) for name in _FILTERS})
        lost = ignored(chosen_values, {name: choice.value for name, choice in chosen.items()})
        status = _status(self.store, chosen["show"].value, chosen["run"].value)
        return [lost, *_control_updates(self.store, chosen, {}), *status]

    def started(self, *chosen_values: Any) -> list[Any]:
        named = dict(zip(_ASKED, chosen_values, strict=True))
        try:
            said = run_manager.start(self.store, run_request(named).parameters())
        except ValueError as error:
            said = f"{error}."
        shown = {**named, "run": _CURRENT, "show": _NEWEST}
        return [_message(said), *moved(self.chosen_values, chosen_values, self.ui.asking, self.choose(*shown.values()))]

    def acted(self, name: str) -> Any:
        def act(*chosen_values: Any) -> list[Any]:
            named = dict(zip(_ASKED, chosen_values, strict=True))
            view = _chosen(self.store, named["run"])
            said = _ACTIONS[name][1](self.store, view.row.run_id) if view else ""
            return [_message(said), *self.follow(*chosen_values)]

        return act

    def picked(self, event: gr.EventData, *chosen_values: Any) -> list[Any]:
        named = dict(zip(_ASKED, chosen_values, strict=True)) | {"run": event_data(event).get("run")}
        return moved(self.chosen_values, chosen_values, self.ui.asking, self.choose(*named.values()))

    def ask(self, chosen: str | None) -> list[Any]:
        view = _chosen(self.store, chosen)
        return [gr.Row(visible=view is not None), table.question(view) if view else ""]

    def look(self, show: str | None, chosen: str | None) -> list[Any]:
        return [gr.Row(visible=False), *_status(self.store, show, chosen)]


def _message(text: str) -> gr.HTML:
    return gr.HTML(note(text, "cc-bad") if text else "", visible=bool(text))


def _choices(store: Store, chosen_values: Mapping[str, Any]) -> dict[str, Choice]:
    """The filters, each with what this project has to choose from."""
    known = contents.filter_choices(store)
    found = run_manager.run_rows(store)
    scorer = _among(chosen_values["scorer"], registry.known())
    options: dict[str, list[Any]] = {
        "scorer": list(registry.known()),
        "profile": list(registry.get(scorer).profiles),
        "suite": [ALL, *known["suite"]],
        "generator": [ALL, *known["generator"]],
        "device": [name for name, _ in machine.known_devices()],
        "show": [_NEWEST, *(_pages(len(found)))],
        "run": [_CURRENT, *(row.run_id for row in found)],
    }
    named: dict[str, list[Any]] = {
        "run": [_CURRENT_CHOICE, *options["run"][1:]],
        "device": [(title, name) for name, title in machine.known_devices()],
        "show": [(f"the newest of {len(found):,}", _NEWEST), *_pages(len(found))],
    }
    values = {name: _among(chosen_values[name], options[name]) for name in _FILTERS}
    # another one than this machine seems to have may be meant
    values["device"] = str(chosen_values["device"] or machine.CPU)
    return {name: Choice(named.get(name, options[name]), values[name]) for name in _FILTERS}


def _pages(n: int) -> list[str]:
    return [f"{start + 1}-{min(start + _PAGE, n)}" for start in range(0, n, _PAGE)][1:]


def _among(chosen_values: Any, options: Any) -> str:
    return str(chosen_values if chosen_values in options else options[0])


def _control_updates(store: Store, chosen: dict[str, Choice], named: Mapping[str, Any]) -> list[Any]:
    """The filters, what the button would do, and the button."""
    wanted = run_request(
        {name: choice.value for name, choice in chosen.items()} | {k: named.get(k) for k in ("batch", "limit")}
    )
    text, label, possible = plan(store, wanted)
    button = gr.Button(label, interactive=possible)
    return [*(choice.control() for choice in chosen.values()), text, button]


def _chosen(store: Store, run_id: str | None) -> RunView | None:
    """The run that the controls are about: without a choice, one that is at work, else one that can go on, else the newest."""
    found = run_manager.run_rows(store)
    busy = queued_runs(store)
    named = next((row for row in found if row.run_id == run_id), None)
    ordered: list[RunRow] = (
        [row for row in found if row.run_id in busy]
        + [row for row in found if row.state in ("running", "paused", "failed")]
        + found
    )
    row = named or next(iter(ordered), None)
    return None if row is None else run_manager.run_view(store, row)


def _status(store: Store, show: str | None, run_id: str | None) -> list[Any]:
    """Table, controls, the buttons, details, settings, log."""
    view = _chosen(store, run_id)
    if view is None:
        dead = [gr.Button(interactive=False)] * len(_ACTIONS)
        command = planning.command(store, RunRequest(registry.NAMES[0]))
        return [note(_EMPTY) + command, gr.Column(visible=False), *dead, "", "", ""]
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
    buttons = [gr.Button(interactive=can[name], visible=seen.get(name, True)) for name in _ACTIONS]
    said = [table.details(store, view), table.settings(store, view), run_manager.log_tail_of(store, view.row)]
    return [_table(store, show, view.row.run_id), gr.Column(visible=True), *buttons, *said]


def _table(store: Store, show: str | None, chosen: str) -> str:
    found = run_manager.run_rows(store)
    start = int(show.partition("-")[0]) - 1 if show in _pages(len(found)) and show else 0
    shown = [run_manager.run_view(store, row) for row in found[start : start + _PAGE]]
    caption = "Runs: those at work, those that wait in their order, then the newest first"
    if len(found) > _PAGE:
        caption = f"{caption} ({start + 1}-{start + len(shown)} of {len(found):,})"
    return table.runs_table(shown, chosen, caption)
