"""The page's components, in the order in which they stand."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import gradio as gr

from data.people import ROLES
from ui.components.acting import acting
from ui.components.filters import dropdown
from ui.components.table import note
from ui.pages.campaigns import adjudicate, create, invite
from ui.pages.campaigns.create import Fields
from ui.pages.campaigns.view import ANY, SHOWN

# letters, digits and arrows reach the controls of the opened case while nobody types
_KEYS: Final = """
document.addEventListener('keydown', (event) => {
  if (!element.isConnected || !element.offsetParent || !element.querySelector('.cc-case')) return;
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const at = event.target;
  if (at.closest('textarea, [contenteditable], [role=dialog], [role=listbox], select')) return;
  const radio = at.matches('input[type=radio]');
  if (at.matches('input') && !radio) return;
  const press = (where, n) => document.querySelectorAll(`#${where} input[type=radio]`)[n]?.click();
  const key = event.key.toLowerCase();
  if (/^[1-4]$/.test(key)) press('case-wrong', Number(key) - 1);
  else if (/^[a-z]$/.test(key)) press('case-verdict', key.charCodeAt(0) - 97);
  else if (key === 'enter' && !at.closest('button, a')) document.getElementById('case-save')?.click();
  else if (key === 'arrowright' && !radio) document.getElementById('case-next')?.click();
  else if (key === 'arrowleft' && !radio) document.getElementById('case-before')?.click();
  else return;
  event.preventDefault();
});
"""

_WRONG: Final = [(text, name) for name, text in adjudicate.WRONG.items()]


@dataclass(frozen=True, slots=True)
class Making:
    """The form that makes a campaign."""

    begin: gr.Button
    panel: gr.Column
    fields: Fields
    preview: gr.HTML
    make: gr.Button
    cancel: gr.Button


@dataclass(frozen=True, slots=True)
class Watching:
    """One campaign: what it is, its buttons, and its parts."""

    panel: gr.Column
    title: gr.HTML
    start: gr.Button
    stop: gr.Button
    archive: gr.Button
    delete: gr.Button
    show: gr.Radio
    about: gr.Dropdown
    parts: dict[str, gr.Column]

    @property
    def moves(self) -> list[gr.Button]:
        return [self.start, self.stop, self.archive, self.delete]


@dataclass(frozen=True, slots=True)
class Asking:
    """A question before something is done to a person."""

    row: gr.Row
    question: gr.HTML
    keep: gr.Button
    uncount: gr.Button
    cancel: gr.Button
    whom: gr.State


@dataclass(frozen=True, slots=True)
class Case:
    """The opened case and its verdict."""

    against: gr.Dropdown
    only: gr.Dropdown
    counts: gr.HTML
    cases: gr.HTML
    case: gr.Dropdown
    before: gr.Button
    next: gr.Button
    naming: gr.Row
    name: gr.Textbox
    named: gr.Button
    shown: gr.HTML
    ruling: gr.Column
    verdict: gr.Radio
    wrong: gr.Radio
    rater: gr.Dropdown
    remark: gr.Textbox
    save: gr.Button
    deciding: gr.State

    @property
    def opened(self) -> list[Any]:
        """What an opened case is drawn in."""
        return [self.naming, self.shown, self.ruling, self.verdict, self.wrong, self.rater, self.remark, self.deciding]


@dataclass(frozen=True, slots=True)
class Inviting:
    """The links of a campaign."""

    role: gr.Dropdown
    days: gr.Number
    uses: gr.Number
    remark: gr.Textbox
    signed: gr.Checkbox
    make: gr.Button
    links: gr.HTML


def making(begin: gr.Button) -> Making:
    with gr.Column(visible=False, elem_id="campaign-form", elem_classes="cc-pair") as panel:
        gr.HTML('<h2 class="cc-section">New campaign</h2>')
        fields = create.laid_out()
        preview = gr.HTML(elem_id="campaign-preview")
        with gr.Row(elem_classes="cc-filters cc-run-row"):
            make = gr.Button("Make it, as a draft", variant="primary", interactive=False, elem_id="campaign-make")
            cancel = gr.Button("Close", elem_id="campaign-cancel")
    return Making(begin, panel, fields, preview, make, cancel)


def choosing() -> tuple[gr.Dropdown, gr.Button]:
    """Which campaign is looked at, and a new one."""
    with gr.Row(elem_classes="cc-filters cc-run-row"):
        campaign = dropdown("Campaign", [("none", "")], "")
        begin = gr.Button("New campaign", variant="primary", elem_id="campaign-new", min_width=160)
    return campaign, begin


def watching() -> Watching:
    with gr.Column(visible=False, elem_id="campaign") as panel:
        title = gr.HTML(elem_id="campaign-title")
        with gr.Row(elem_classes="cc-filters cc-run-row"):
            words = ("Start", "Stop", "Archive", "Delete")
            buttons = [gr.Button(text, min_width=90, elem_id=f"campaign-{text.lower()}") for text in words]
        show = gr.Radio([(text, name) for name, text in SHOWN.items()], value="coverage", label="Show", elem_id="show")
        about = dropdown("About")
    start, stop, archive, delete = buttons
    return Watching(panel, title, start, stop, archive, delete, show, about, {})


def asking() -> Asking:
    with gr.Row(visible=False, elem_classes="cc-filters cc-run-row", elem_id="revoke-confirm") as row:
        question = gr.HTML()
        keep = gr.Button("Revoke, answers stay", variant="stop", min_width=90, elem_id="revoke-keep")
        uncount = gr.Button("Revoke, answers stop counting", variant="stop", min_width=90, elem_id="revoke-uncount")
        cancel = gr.Button("Cancel", min_width=90, elem_id="revoke-cancel")
    return Asking(row, question, keep, uncount, cancel, gr.State(""))


def case() -> Case:
    gr.HTML(note(adjudicate.SPOILS))
    counts = acting("verdicts")
    with gr.Row(elem_classes="cc-filters"):
        against = dropdown("Between")
        only = dropdown("Cases", [("all that differ", ANY)], ANY)
    cases = acting("cases")
    with gr.Row(elem_classes="cc-filters cc-run-row"):
        chosen = dropdown("Open", [("none", "")], "")
        before = gr.Button("Previous", min_width=90, elem_id="case-before")
        after = gr.Button("Next", min_width=90, elem_id="case-next")
    with gr.Row(visible=False, elem_classes="cc-filters cc-run-row", elem_id="case-naming") as naming:
        name = gr.Textbox(label="Your name", info="Who uncovers answers is recorded.", max_lines=1, elem_id="case-name")
        named = gr.Button("Go on", min_width=90, elem_id="case-named")
    shown = gr.HTML("", js_on_load=_KEYS, elem_id="case")
    with gr.Column(visible=False, elem_id="ruling", elem_classes="cc-pair") as ruling:
        verdict = gr.Radio([], label="What is right", elem_id="case-verdict")
        wrong = gr.Radio(_WRONG, label="Who was wrong", elem_id="case-wrong")
        with gr.Row(elem_classes="cc-filters"):
            rater = gr.Dropdown([], label="Which one", allow_custom_value=True, visible=False, elem_id="case-rater")
            remark = gr.Textbox(label="Note", max_lines=3, elem_id="case-note")
        with gr.Row(elem_classes="cc-filters cc-run-row"):
            save = gr.Button("Save, and open the next", variant="primary", elem_id="case-save")
        gr.HTML(note(adjudicate.KEYS))
    parts = (counts, cases, chosen, before, after, naming, name, named, shown, ruling, verdict, wrong, rater, remark, save)
    return Case(against, only, *parts, deciding=gr.State(None))


def inviting() -> Inviting:
    gr.HTML(note(invite.HINT))
    with gr.Row(elem_classes="cc-filters"):
        role = gr.Dropdown(list(ROLES), value=ROLES[0], label="Role", info="what they may do")
        days = gr.Number(14, label="Days", info="how long it is good for", minimum=0, step=1)
        uses = gr.Number(None, label="Uses", info="people; 0: any number", precision=0, step=1)
        remark = gr.Textbox(label="Note", info="for yourself", max_lines=1)
        signed = gr.Checkbox(label="Signed links", info=invite.SIGNED, elem_id="link-signed")
    with gr.Row(elem_classes="cc-filters cc-run-row"):
        make = gr.Button("Make a link", variant="primary", elem_id="link-make")
    links = acting("links")
    return Inviting(role, days, uses, remark, signed, make, links)
