"""Have scorers look at images, and see how far they are."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from dataclasses import dataclass
from html import escape
from typing import Any, Final

import gradio as gr

from data.store import browse
from data.store import runs as stored
from data.store.selection import Selection
from data.store.store import Store
from scorers import registry
from ui import runs, teaching, words
from ui.commands import score
from ui.commands.context import CommandError
from ui.components.filters import Choice, dropdown
from ui.components.table import WRAP, note
from ui.pages.live import ignored, keep_current, set_address
from ui.runs import View

NAME = "Runs"
PATH = "/runs"
SECONDS: Final = 2
_ALL = "all"
_CURRENT = "any"
_CURRENT_CHOICE: Final = ("the current one", _CURRENT)
_FILTERS = ("scorer", "profile", "suite", "generator", "run")
_STATES: Final = {
    "loading": ("loading the models", ""),
    "running": ("running", ""),
    "stopping": ("stopping after the images at hand", ""),
    "stopped": ("stopped", "Resume goes on where it stopped."),
    "interrupted": ("interrupted", "The app was closed while it ran. Resume goes on; nothing is done twice."),
    "failed": ("failed", "Put that right, then Resume: what is done is not done again."),
    "lost": ("given up", "What it had judged stays; score the rest anew."),
    "done": ("done", ""),
}
_EMPTY: Final = "No scorer has looked at this project’s images yet. Choose one above."


@dataclass(frozen=True, slots=True)
class _Controls:
    """The page's components. ``asking`` is what says what would be done, ``status`` what says how runs stand."""

    notice: gr.HTML
    filters: list[gr.Dropdown]
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
    log: gr.Textbox

    @property
    def run(self) -> gr.Dropdown:
        return self.filters[-1]

    @property
    def asking(self) -> list[Any]:
        return [*self.filters, self.plan, self.begin]

    @property
    def status(self) -> list[Any]:
        return [self.table, self.below, *self.buttons, self.log]


def _laid_out() -> _Controls:
    notice = gr.HTML(elem_id="ignored")
    with gr.Row(elem_classes="cc-filters"):
        scorer = dropdown("Scorer", list(registry.known()), registry.NAMES[0])
        profile = dropdown("Profile", [score.DEFAULT_PROFILE], score.DEFAULT_PROFILE)
        suite, generator = (dropdown(label, [_ALL], _ALL) for label in ("Suite", "Generator"))
    plan = gr.HTML(elem_id="run-plan")
    begin = gr.Button("Score", variant="primary", interactive=False, elem_id="run-begin")
    message = gr.HTML(visible=False, elem_id="run-message")
    table = gr.HTML(elem_id="runs")
    with gr.Column(visible=False, elem_id="run-controls") as below:
        with gr.Row(elem_classes="cc-filters cc-run-row"):
            run = dropdown("Run", [_CURRENT_CHOICE], _CURRENT)
            buttons = [gr.Button(text, interactive=False, min_width=90) for text in ("Stop", "Resume", "Remove")]
        with gr.Row(visible=False, elem_classes="cc-filters cc-run-row", elem_id="run-confirm") as confirm:
            question = gr.HTML()
            remove, keep = gr.Button("Remove it", variant="stop", min_width=90), gr.Button("Keep it", min_width=90)
        with gr.Accordion("What the worker said", open=False):
            said = {"placeholder": "nothing so far", "show_label": False, "interactive": False}
            log = gr.Textbox(lines=4, max_lines=14, elem_id="run-log", **said)
    filters = [scorer, profile, suite, generator, run]
    return _Controls(notice, filters, plan, begin, message, table, below, buttons, confirm, question, remove, keep, log)


def build(store: Store) -> None:
    ui = _laid_out()

    def choose(*asked: str | None) -> list[Any]:
        return _asked(store, _choices(store, dict(zip(_FILTERS, asked, strict=True))))

    def opened(request: gr.Request) -> list[Any]:
        asked = request.query_params
        chosen = _choices(store, {name: asked.get(name) for name in _FILTERS})
        lost = ignored(asked, {name: choice.value for name, choice in chosen.items()})
        return [lost, *_asked(store, chosen), *_status(store, chosen["run"].value)]

    def started(*asked: str | None) -> list[Any]:
        said = runs.start(store, _parameters(*asked[:-1]))
        return [_said(said), *choose(*asked[:-1], _CURRENT), *_status(store, _CURRENT)]

    def acted(name: str) -> Any:
        def act(*asked: str | None) -> list[Any]:
            view = _chosen(runs.views(store), asked[-1])
            said = _ACTIONS[name](store, view.row.run_id) if view else ""
            return [gr.Row(visible=False), _said(said), *choose(*asked), *_status(store, asked[-1])]

        return act

    def ask(chosen: str | None) -> list[Any]:
        view = _chosen(runs.views(store), chosen)
        return [gr.Row(visible=view is not None), _question(view) if view else ""]

    def look(chosen: str | None) -> list[Any]:
        return [gr.Row(visible=False), *_status(store, chosen)]

    quiet: dict[str, Any] = {"show_progress": "hidden", "api_visibility": "private"}
    first = gr.on(None, opened, None, [ui.notice, *ui.asking, *ui.status], queue=False, **quiet)
    gr.on([f.input for f in ui.filters], choose, ui.filters, ui.asking, queue=False, **quiet)
    gr.on(ui.run.input, look, ui.run, [ui.confirm, *ui.status], **quiet)
    for control in ui.filters:
        control.change(None, ui.filters, None, js=set_address(_FILTERS))
    ui.begin.click(started, ui.filters, [ui.message, *ui.asking, *ui.status], trigger_mode="once", **quiet)
    for button, name in zip((*ui.buttons[:2], ui.remove), _ACTIONS, strict=True):
        outputs = [ui.confirm, ui.message, *ui.asking, *ui.status]
        button.click(acted(name), ui.filters, outputs, trigger_mode="once", **quiet)
    ui.buttons[2].click(ask, ui.run, [ui.confirm, ui.question], **quiet)
    ui.keep.click(lambda: gr.Row(visible=False), None, ui.confirm, **quiet)
    keep_current(store, lambda *asked: iter([choose(*asked)]), ui.filters, ui.asking, opened=first, moves=runs.occupation)
    status: dict[str, Any] = {"opened": first, "moves": runs.version, "seconds": SECONDS}
    keep_current(store, lambda chosen: iter([_status(store, chosen)]), [ui.run], ui.status, **status)


_ACTIONS = {"stop": runs.stop, "resume": runs.resume, "remove": runs.remove}


def _said(text: str) -> gr.HTML:
    return gr.HTML(note(text, "cc-bad") if text else "", visible=bool(text))


def _choices(store: Store, asked: Mapping[str, str | None]) -> dict[str, Choice]:
    """The filters, each with what this project has to choose from."""
    known = browse.choices(store)
    found = runs.views(store)
    scorer = _among(asked["scorer"], registry.known())
    options: dict[str, list[Any]] = {
        "scorer": list(registry.known()),
        "profile": list(registry.get(scorer).profiles),
        "suite": [_ALL, *known["suite"]],
        "generator": [_ALL, *known["generator"]],
        "run": [_CURRENT, *(view.row.run_id for view in found)],
    }
    titles = {"run": [_CURRENT_CHOICE, *options["run"][1:]]}
    return {name: Choice(titles.get(name, options[name]), _among(asked[name], options[name])) for name in _FILTERS}


def _among(asked: str | None, options: Any) -> str:
    return str(asked if asked in options else options[0])


def _asked(store: Store, chosen: dict[str, Choice]) -> list[Any]:
    """The filters, what the button would do, and the button."""
    scorer, profile, suite, generator = (chosen[name].value or "" for name in _FILTERS[:4])
    text, label, possible = _plan(store, scorer, profile, _selection(suite, generator))
    button = gr.Button(label, interactive=possible)
    return [*(choice.control() for choice in chosen.values()), text, button]


def _selection(suite: str | None, generator: str | None) -> Selection:
    named = {"suite": suite, "generator": generator}
    return Selection(**{name: (value,) for name, value in named.items() if value and value != _ALL})


def _parameters(scorer: str | None, profile: str | None, suite: str | None, generator: str | None) -> dict[str, Any]:
    return {
        "scorer": scorer,
        "profile": profile,
        "overrides": [],
        "device": score.DEFAULT_DEVICE,
        "batch_size": None,
        "limit": None,
        "selection": _selection(suite, generator).to_dict(),
    }


def _plan(store: Store, scorer: str, profile: str, selection: Selection) -> tuple[str, str, bool]:
    """What the button would do, in words; its label; whether it can be pressed."""
    try:
        planned = score.plan(store, scorer, profile, {})
    except CommandError as error:
        return note(f"{scorer} cannot be used: {error}", "cc-bad"), "Score", False
    rater = planned.rater.rater_id
    there = stored.count_pending(store, selection, rater, asked=planned.scorer.asks)
    if not there.images and planned.scorer.asks and stored.count_pending(store, selection, rater).images:
        return _no_questions(store, scorer), "Score", False
    if not there.images:
        return _no_images(store, selection), "Score", False
    unfinished = stored.unfinished(store, rater)
    working = next((view for view in runs.views(store) if view.is_active and view.row.rater_id == rater), None)
    label = f"Score {words.count(there.left, 'image')}"
    if working is not None:
        text = (
            f"{rater} is at work, in run {working.row.run_id}: of this selection {words.count(there.left, 'image')} are left."
        )
        return note(text), label, False
    if not there.left and unfinished is None:
        text = f"{rater} has judged all {words.count(there.images, 'image')} of this selection. Nothing is left to score."
        return note(text), "Nothing left to score", False
    parts = [
        f"{planned.scorer.summary} {rater} has judged {there.images - there.left:,} of the"
        f" {words.count(there.images, 'image')} of this selection."
    ]
    if there.failed:
        parts.append(f"{there.failed:,} failed before and {'is' if there.failed == 1 else 'are'} tried again.")
    if unfinished is not None:
        parts.append(f"It goes on with run {unfinished.run_id} first.")
        label = f"Score {words.count(max(there.left, unfinished.n_items - unfinished.n_done), 'image')}"
    return note(" ".join(parts)) + _command(store, scorer, profile, selection), label, True


def _no_questions(store: Store, scorer: str) -> str:
    lines = "".join(f"<li>{_code(line)}</li>" for line in teaching.commands(store, teaching.QUESTIONS))
    text = f"{scorer} answers questions about prompts, and the prompts of this selection have none yet. Make or bring some:"
    return note(text) + f'<ul class="cc-list">{lines}</ul>'


def _no_images(store: Store, selection: Selection) -> str:
    if selection.to_dict():
        return note("No image with a file fits this selection.")
    lines = "".join(f"<li>{_code(line)}</li>" for line in teaching.commands(store, teaching.IMAGES))
    return note("There are no images to score yet. Import some:") + f'<ul class="cc-list">{lines}</ul>'


def _command(store: Store, scorer: str, profile: str, selection: Selection) -> str:
    """The same on the command line."""
    words_ = ["score", scorer, *([] if profile == score.DEFAULT_PROFILE else ["--profile", profile])]
    words_ += [part for name, values in selection.to_dict().items() for value in values for part in (f"--{name}", value)]
    (line,) = teaching.commands(store, (shlex.join(words_),))
    return f'<p class="cc-note">On the command line: {_code(line)}</p>'


def _code(text: str) -> str:
    return f'<code class="cc-code">{escape(text)}</code>'


def _chosen(found: list[View], run_id: str | None) -> View | None:
    """The run that the controls are about: without a choice, one that is at work, else one that can go on, else the newest."""
    named = next((view for view in found if view.row.run_id == run_id), None)
    active = next((view for view in found if view.is_active), None)
    return named or active or next((view for view in found if view.can_resume), None) or next(iter(found), None)


def _status(store: Store, run_id: str | None) -> list[Any]:
    """Table, controls, the three buttons, log."""
    found = runs.views(store)
    view = _chosen(found, run_id)
    if view is None:
        dead = [gr.Button(interactive=False)] * 3
        command = _command(store, registry.NAMES[0], score.DEFAULT_PROFILE, Selection())
        return [note(_EMPTY) + command, gr.Column(visible=False), *dead, ""]
    can = (view.can_stop, view.can_resume, view.can_remove)
    buttons = [gr.Button(interactive=possible) for possible in can]
    return [_table(found, view.row.run_id), gr.Column(visible=True), *buttons, runs.log_of(store, view.row)]


def _question(view: View) -> str:
    seen = words.count(view.row.n_done, "image")
    return note(f"Remove run {view.row.run_id}, what it saw of {seen}, and what was judged by it?")


_HEADERS: Final = ("run", "state", "progress", "a second", "time", "failed")


def _table(found: list[View], chosen: str) -> str:
    head = "".join(f'<th scope="col"{" class=cc-number" if name in _HEADERS[3:5] else ""}>{name}</th>' for name in _HEADERS)
    body = "".join(_row(view, view.row.run_id == chosen) for view in found)
    return (
        f'{WRAP}<table class="cc-table cc-runs"><caption>Runs, the newest first</caption>'
        f"<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table></div>"
    )


def _row(view: View, chosen: bool) -> str:
    row = view.row
    title, hint = _STATES[view.state]
    why = ""
    if row.error and view.state in ("failed", "lost"):
        why = f"{row.error[0].upper()}{row.error[1:].rstrip('.')}. "
        # a worker refuses what it could only finish differently from how it was begun
        hint = "Score begins a new one." if "start a new run" in row.error else hint
    n = f"{view.done:,} of {words.count(row.n_items, 'image')}"
    bar = f'<progress max="{row.n_items}" value="{view.done}" aria-label="{escape(row.run_id)}"></progress>'
    rate = "" if view.per_second is None else f"{view.per_second:.1f}"
    when = f"about {words.duration(view.seconds_left)} left" if view.seconds_left else ""
    if not view.is_active and view.seconds:
        when = words.duration(view.seconds)
    failed = "".join(_small(f"{reason} ({count:,})") for reason, count in row.failures.items())
    cells = (
        f'<th scope="row">{escape(row.run_id)}{_small(f"{row.rater_id}, {row.created:%Y-%m-%d %H:%M} UTC")}</th>',
        f'<td><span class="cc-state cc-state--{view.state}">{escape(title)}</span>{_small(why + hint)}</td>',
        f"<td>{bar}{_small(n)}</td>",
        f'<td class="cc-number">{rate}</td><td class="cc-number">{when}</td>',
        f"<td>{row.n_failed or ''}{failed}</td>",
    )
    return f"<tr{' class=cc-chosen' if chosen else ''}>{''.join(cells)}</tr>"


def _small(text: str) -> str:
    return f'<small class="cc-detail">{escape(text)}</small>' if text else ""
