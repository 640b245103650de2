"""Pass marks of gold and attention checks: shown and changed while a campaign runs, with a log of who changed them."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from typing import Any, Final

import gradio as gr

from data.store.campaigns import management
from data.store.campaigns.management import SettingsChange
from data.store.core.store import Store
from ui.components.table import note
from ui.pages.campaigns.who import Actor

LABELS: Final = {"gold_pass_mark": "Pass mark of gold", "attention_pass_mark": "Pass mark of attention checks"}
INFO: Final = "below it, beyond chance: paused; 0: nobody"
_HINT: Final = (
    "The share of checks that somebody honest gets right, at least. A new mark is applied with a person’s next check, to all"
    " their checks so far. Who is paused stays paused until you reinstate them."
)
_NONE: Final = "No checks are mixed in here, so nobody is paused."


@dataclass(frozen=True, slots=True)
class Marking:
    """The form; ``filled`` is the campaign whose marks it holds."""

    hint: gr.HTML
    marks: list[gr.Number]
    save: gr.Button
    log: gr.HTML
    filled: gr.State

    @property
    def opened(self) -> list[Any]:
        """What an opened campaign is drawn in."""
        return [self.hint, *self.marks, self.log, self.filled]


def control(name: str, value: float | None, **more: Any) -> gr.Number:
    """The control of one mark."""
    return gr.Number(value, label=LABELS[name], info=INFO, minimum=0, maximum=1, step=0.01, **more)


def laid_out() -> Marking:
    with gr.Accordion("Pass marks of checks", open=False, elem_id="marks"):
        hint = gr.HTML()
        with gr.Row(elem_classes="cc-filters"):
            marks = [control(name, None, interactive=False, elem_id=name.replace("_", "-")) for name in LABELS]
        with gr.Row(elem_classes="cc-filters cc-run-row"):
            save = gr.Button("Save the marks", variant="primary", elem_id="marks-save")
        log = gr.HTML(elem_id="marks-log")
    return Marking(hint, marks, save, log, gr.State(""))


def opened(store: Store, campaign: str | None, show: str | None, filled: str) -> list[Any]:
    """A campaign's marks and their log; nothing where the form holds them already, as somebody may be typing."""
    found = management.get(store, campaign) if campaign and show == "people" and campaign != filled else None
    if found is None:
        return [gr.skip()] * (len(LABELS) + 3)
    settings = found.settings
    values = [gr.Number(value=getattr(settings, name), interactive=True) for name in LABELS]
    hint = note(_HINT) + (note(_NONE) if settings.check_every is None else "")
    return [hint, *values, log(store, found.campaign_id), found.campaign_id]


def log(store: Store, campaign: str) -> str:
    """Who changed which mark, newest first."""
    lines = [line for change in management.changes(store, campaign) for line in _lines(change)]
    return f'<ul class="cc-list">{"".join(f"<li>{escape(line)}</li>" for line in lines)}</ul>' if lines else ""


def _lines(change: SettingsChange) -> list[str]:
    return [
        f"{change.moment:%Y-%m-%d %H:%M} UTC, {change.made_by}: {LABELS[name]} from {before:g} to {since:g}"
        for name, (before, since) in change.settings.items()
        if name in LABELS
    ]


def save(store: Store, campaign: str, values: tuple[float | None, ...], who: Actor) -> tuple[str, str]:
    """Write the marks; a sentence, and how it is meant."""
    # Gradio sends an empty number as nothing
    given = {name: value or 0.0 for name, value in zip(LABELS, values, strict=True)}
    try:
        management.change_settings(store, campaign, given, who.signed)
    except ValueError as error:
        text = str(error)
        return f"{text[:1].upper()}{text[1:].rstrip('.')}.", "cc-bad"
    return "The marks are saved.", ""
