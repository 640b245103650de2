"""The page's components in the order in which they stand: the form that makes a campaign, pass marks, and the panels of one
campaign.

Pass marks of gold and attention checks are shown and changed while a campaign runs, with a log of who changed them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from html import escape
from pathlib import Path
from typing import Any, Final

import gradio as gr

from annotation.questionnaires.registry import FORMS
from concord.campaigns import planning, progress
from concord.campaigns.known_answers import EXAMPLE
from concord.campaigns.planning import CampaignSpec, campaign_spec
from data.campaign import ATTENTION_PASS_MARK, GOLD_PASS_MARK, Campaign
from data.people import ROLES
from data.store.browse import contents
from data.store.campaigns import management
from data.store.core.store import Store
from ui.components.controls import clickable_html, dropdown
from ui.components.tables import note
from ui.pages.campaigns import adjudicate, people
from ui.pages.campaigns.view import ANY, SHOWN, ActingUser

LABELS: Final = {"gold_pass_mark": "Pass mark of gold", "attention_pass_mark": "Pass mark of attention checks"}
INFO: Final = "people below it are paused; 0: nobody"
_HINT: Final = (
    "Lowest share of correct checks, corrected for chance. A new mark applies from a person’s next check on, to all their"
    " checks so far. Paused people stay paused until you reinstate them."
)
_NONE: Final = "This campaign has no checks, so nobody is paused."


@dataclass(frozen=True, slots=True)
class MarksForm:
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


def mark_control(name: str, value: float | None, **more: Any) -> gr.Number:
    """The control of one mark."""
    return gr.Number(value, label=LABELS[name], info=INFO, minimum=0, maximum=1, step=0.01, **more)


def marks_form() -> MarksForm:
    with gr.Accordion("Pass marks of checks", open=False, elem_id="marks"):
        hint = gr.HTML()
        with gr.Row(elem_classes="cc-filters"):
            marks = [mark_control(name, None, interactive=False, elem_id=name.replace("_", "-")) for name in LABELS]
        with gr.Row(elem_classes="cc-filters cc-run-row"):
            save = gr.Button("Save the marks", variant="primary", elem_id="marks-save")
        log = gr.HTML(elem_id="marks-log")
    return MarksForm(hint, marks, save, log, gr.State(""))


def open_marks(store: Store, campaign: str | None, show: str | None, filled: str) -> list[Any]:
    """A campaign's marks and their log; nothing where the form holds them already, as somebody may be typing."""
    found = management.get(store, campaign) if campaign and show == "people" and campaign != filled else None
    if found is None:
        return [gr.skip()] * (len(LABELS) + 3)
    settings = found.settings
    values = [gr.Number(value=getattr(settings, name), interactive=True) for name in LABELS]
    hint = note(_HINT) + (note(_NONE) if settings.check_every is None else "")
    return [hint, *values, marks_log(store, found.campaign_id), found.campaign_id]


def marks_log(store: Store, campaign: str) -> str:
    """Who changed which mark, newest first."""
    lines = [
        f"{change.moment:%Y-%m-%d %H:%M} UTC, {change.made_by}: {LABELS[name]} from {before:g} to {since:g}"
        for change in management.changes(store, campaign)
        for name, (before, since) in change.settings.items()
        if name in LABELS
    ]
    return f'<ul class="cc-list">{"".join(f"<li>{escape(line)}</li>" for line in lines)}</ul>' if lines else ""


def save_marks(store: Store, campaign: str, values: tuple[float | None, ...], who: ActingUser) -> tuple[str, str]:
    """Write the marks; a sentence, and how it is meant."""
    # Gradio sends an empty number as nothing
    given = {name: value or 0.0 for name, value in zip(LABELS, values, strict=True)}
    try:
        management.change_settings(store, campaign, given, who.signed)
    except ValueError as error:
        text = str(error)
        return f"{text[:1].upper()}{text[1:].rstrip('.')}.", "cc-bad"
    return "The marks are saved.", ""


OWN: Final = "a YAML file of your own"
ORDERS: Final = {"random": "random, each person their own", "shared": "random, the same for all", "fixed": "as listed, by id"}
_ORDERS: Final = [(text, name) for name, text in ORDERS.items()]
_LINES: Final = ("items", "also")
_ZERO_IS_NONE: Final = ("n", "check_every", "limit", "pass_mark")
_MOST: Final = 200_000
"""Characters of a file with known answers."""


@dataclass(frozen=True, slots=True)
class Fields:
    """The form's controls by the names of a wish, in the order of the page."""

    controls: Mapping[str, Any]

    @property
    def inputs(self) -> list[Any]:
        return list(self.controls.values())

    def named(self, values: Sequence[Any]) -> dict[str, Any]:
        """Their values by name."""
        return dict(zip(self.controls, values, strict=True))


def create_form() -> Fields:
    """All controls."""
    made: dict[str, Any] = {}
    with gr.Row(elem_classes="cc-filters"):
        made["id"] = gr.Textbox(label="Id", info="small letters, digits, - and _", max_lines=1, elem_id="new-id")
        made["title"] = gr.Textbox(label="Title", info="for people", max_lines=1, elem_id="new-title")
        made["questionnaire"] = gr.Dropdown(
            [*FORMS, OWN],
            value="geneval",
            label="Questionnaire",
            info="what is asked",
        )
    made["definition"] = gr.Code(label="The questionnaire’s YAML", language="yaml", visible=False, lines=8)
    with gr.Row(elem_classes="cc-filters"):
        for name in ("suite", "task", "generator"):
            made[name] = gr.Dropdown([], value=[], multiselect=True, label=name.title(), info="none chosen: all")
    with gr.Row(elem_classes="cc-filters"):
        made["n"] = _number("How many", "sampled at random; 0: all")
        made["overlap"] = _number("People for each", "valid answers wanted", 3)
        made["order"] = gr.Dropdown(
            [(text, name) for name, text in ORDERS.items()], value="random", label="Order", info="of the items"
        )
        made["seed"] = _number("Seed", "of sampling and order", 0)
    with gr.Accordion("Items by hand", open=False):
        made["also"] = gr.Textbox(label="Items added by hand, one id per line", lines=2, info=_PICKED)
        made["items"] = gr.Textbox(label="Or only these items, one id per line", lines=2, info="Filters are ignored then.")
    with gr.Accordion("Texts for people (Markdown)", open=False):
        for name, label in _TEXTS.items():
            made[name] = gr.Textbox(label=label, lines=3)
    with gr.Accordion("Gold, attention checks and training", open=False):
        known = (
            "A JSON list of {item, role, expected}, or a CSV table with a column for each question; role is gold, attention or"
            " training. These answers never count. For example:"
        )
        gr.HTML(f'{note(known)}<pre class="cc-code">{escape(EXAMPLE)}</pre>')
        made["known"] = gr.File(label="Items with known answers", file_types=[".json", ".csv"], type="filepath", height=110)
        with gr.Row(elem_classes="cc-filters"):
            made["check_every"] = _number("One check in", "10: one of ten is gold or attention; 0: none")
            made["pass_mark"] = gr.Number(
                label="Pass mark", info="share of training to get right; 0: none", minimum=0, maximum=1, step=0.05
            )
            for name, mark in _MARKS.items():
                made[name] = mark_control(name, mark)
            made["recollect"] = gr.Checkbox(label="Give items of paused people to others; their answers stop counting")
            made["gold_feedback"] = gr.Checkbox(label="Show at once whether a gold answer was correct")
            made["training_feedback"] = gr.Checkbox(label="Show at once whether a training answer was correct", value=True)
    with gr.Accordion("Limits and crowd platforms", open=False), gr.Row(elem_classes="cc-filters"):
        made["limit"] = _number("Items for one person", "0: no limit")
        made["lease_minutes"] = _number("Reservation time (minutes)", "of an item for a person", 30)
        made["completion_code"] = gr.Textbox(label="Completion code", info="shown only at the end", max_lines=1)
        made["completion_url"] = gr.Textbox(label="Completion address", info="https://…, opened at the end", max_lines=1)
        for name, label in _CODES.items():
            made[name] = gr.Textbox(label=label, info="empty: no code, but a contact", max_lines=1)
    return Fields(made)


_MARKS: Final = {"gold_pass_mark": GOLD_PASS_MARK, "attention_pass_mark": ATTENTION_PASS_MARK}
_CODES: Final = {
    "stopped_code": "Code: stopped early",
    "training_code": "Code: failed training",
    "paused_code": "Code: paused",
    "quota_code": "Code: no item left",
    "declined_code": "Code: no consent",
}
_TEXTS: Final = {
    "instructions": "Instructions",
    "consent": "Consent text, shown before the first image",
    "content_warning": "Content warning",
}
_PICKED: Final = "If some items are sampled at random, statistics leave out items added by hand."


def _number(label: str, info: str, value: int | None = None) -> gr.Number:
    return gr.Number(value, label=label, info=info, precision=0, step=1)


def create_choices(store: Store) -> list[gr.Dropdown]:
    """What there is to choose images from."""
    known = contents.filter_choices(store)
    return [gr.Dropdown(known[name]) for name in ("suite", "task", "generator")]


def wish_of(values: Mapping[str, Any]) -> CampaignSpec:
    """What the form asks for.

    Raises:
        ValueError: a value that cannot be.
    """
    # Gradio shows an empty number as 0
    said = {
        name: value
        for name, value in values.items()
        if value not in (None, "", []) and not (name in _ZERO_IS_NONE and value == 0)
    }
    for name in _LINES:
        if name in said:
            said[name] = [line.strip() for line in str(said[name]).splitlines() if line.strip()]
    if said.get("questionnaire") == OWN:
        if not str(said.get("definition", "")).strip():
            raise ValueError("write the questionnaire’s YAML; docs/questionnaires.md says how")
        del said["questionnaire"]
    else:
        said.pop("definition", None)
    if "known" in said:
        said["known"] = _text(str(said["known"]))
    return campaign_spec(said, "the form")


def _text(path: str) -> str:
    """An uploaded file's text."""
    content = Path(path).read_bytes()
    if len(content) > _MOST:
        raise ValueError(f"the file with known answers has {len(content):,} bytes; at most {_MOST:,} are read")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise ValueError("the file with known answers is not UTF-8") from None


def preview_campaign(store: Store, values: Mapping[str, Any]) -> tuple[str, bool]:
    """What would be made, as HTML, and whether it can be."""
    named = bool(values.get("id"))
    try:
        asked = wish_of(values)
        made = planning.plan_campaign(store, asked if named else replace(asked, campaign_id="unnamed"))
        if management.get(store, asked.campaign_id) is not None:
            raise ValueError(f"there is a campaign {asked.campaign_id!r} already; give this one another id")
    except (ValueError, OSError) as error:
        return note(_sentence(error), "cc-bad"), False
    lead, *rest = progress.describe_plan(made)
    lines = "".join(f"<li>{escape(line)}</li>" for line in rest)
    body = f'{note(f"This asks for {lead}.", "cc-lead")}<ul class="cc-list">{lines}</ul>'
    return body + ("" if named else note("Give it an id.")), named


def make_campaign(store: Store, values: Mapping[str, Any]) -> tuple[Campaign | None, str]:
    """The campaign, or what is wrong with it in a sentence."""
    try:
        return planning.make_campaign(store, wish_of(values)).campaign, ""
    except (ValueError, OSError) as error:
        return None, _sentence(error)


def _sentence(error: Exception) -> str:
    text = " ".join(str(error).split())
    return f"{text[:1].upper()}{text[1:].rstrip('.')}."


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
class CreatePanel:
    """The form that makes a campaign."""

    begin: gr.Button
    panel: gr.Column
    fields: Fields
    preview: gr.HTML
    make: gr.Button
    cancel: gr.Button


@dataclass(frozen=True, slots=True)
class CampaignPanel:
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
class RevokePanel:
    """A question before something is done to a person."""

    row: gr.Row
    question: gr.HTML
    keep: gr.Button
    uncount: gr.Button
    cancel: gr.Button
    whom: gr.State


@dataclass(frozen=True, slots=True)
class CasePanel:
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
class InvitePanel:
    """The links of a campaign."""

    role: gr.Dropdown
    days: gr.Number
    uses: gr.Number
    remark: gr.Textbox
    signed: gr.Checkbox
    make: gr.Button
    links: gr.HTML


def create_panel(begin: gr.Button) -> CreatePanel:
    with gr.Column(visible=False, elem_id="campaign-form", elem_classes="cc-pair") as panel:
        gr.HTML('<h2 class="cc-section">New campaign</h2>')
        fields = create_form()
        preview = gr.HTML(elem_id="campaign-preview")
        with gr.Row(elem_classes="cc-filters cc-run-row"):
            make = gr.Button("Create draft", variant="primary", interactive=False, elem_id="campaign-make")
            cancel = gr.Button("Close", elem_id="campaign-cancel")
    return CreatePanel(begin, panel, fields, preview, make, cancel)


def campaign_choice() -> tuple[gr.Dropdown, gr.Button]:
    """Which campaign is looked at, and a new one."""
    with gr.Row(elem_classes="cc-filters cc-run-row"):
        campaign = dropdown("Campaign", [("none", "")], "")
        begin = gr.Button("New campaign", variant="primary", elem_id="campaign-new", min_width=160)
    return campaign, begin


def campaign_panel() -> CampaignPanel:
    with gr.Column(visible=False, elem_id="campaign") as panel:
        title = gr.HTML(elem_id="campaign-title")
        with gr.Row(elem_classes="cc-filters cc-run-row"):
            words = ("Start", "Stop", "Archive", "Delete")
            buttons = [gr.Button(text, min_width=90, elem_id=f"campaign-{text.lower()}") for text in words]
        show = gr.Radio([(text, name) for name, text in SHOWN.items()], value="coverage", label="Show", elem_id="show")
        about = dropdown("About")
    start, stop, archive, delete = buttons
    return CampaignPanel(panel, title, start, stop, archive, delete, show, about, {})


def revoke_panel() -> RevokePanel:
    with gr.Row(visible=False, elem_classes="cc-filters cc-run-row", elem_id="revoke-confirm") as row:
        question = gr.HTML()
        keep = gr.Button("Revoke, answers stay", variant="stop", min_width=90, elem_id="revoke-keep")
        uncount = gr.Button("Revoke, answers stop counting", variant="stop", min_width=90, elem_id="revoke-uncount")
        cancel = gr.Button("Cancel", min_width=90, elem_id="revoke-cancel")
    return RevokePanel(row, question, keep, uncount, cancel, gr.State(""))


def case_panel() -> CasePanel:
    gr.HTML(note(adjudicate.SPOILS))
    counts = clickable_html("verdicts")
    with gr.Row(elem_classes="cc-filters"):
        against = dropdown("Between")
        only = dropdown("Cases", [("all that differ", ANY)], ANY)
    cases = clickable_html("cases")
    with gr.Row(elem_classes="cc-filters cc-run-row"):
        chosen = dropdown("Open", [("none", "")], "")
        before = gr.Button("Previous", min_width=90, elem_id="case-before")
        after = gr.Button("Next", min_width=90, elem_id="case-next")
    with gr.Row(visible=False, elem_classes="cc-filters cc-run-row", elem_id="case-naming") as naming:
        name = gr.Textbox(label="Your name", info="Uncovering answers is recorded.", max_lines=1, elem_id="case-name")
        named = gr.Button("Go on", min_width=90, elem_id="case-named")
    shown = gr.HTML("", js_on_load=_KEYS, elem_id="case")
    with gr.Column(visible=False, elem_id="ruling", elem_classes="cc-pair") as ruling:
        verdict = gr.Radio([], label="What is right", elem_id="case-verdict")
        wrong = gr.Radio(_WRONG, label="Who was wrong", elem_id="case-wrong")
        with gr.Row(elem_classes="cc-filters"):
            rater = gr.Dropdown([], label="Which one", allow_custom_value=True, visible=False, elem_id="case-rater")
            remark = gr.Textbox(label="Note", max_lines=3, elem_id="case-note")
        with gr.Row(elem_classes="cc-filters cc-run-row"):
            save = gr.Button("Save and open next", variant="primary", elem_id="case-save")
        gr.HTML(note(adjudicate.KEYS))
    parts = (counts, cases, chosen, before, after, naming, name, named, shown, ruling, verdict, wrong, rater, remark, save)
    return CasePanel(against, only, *parts, deciding=gr.State(None))


def invite_panel() -> InvitePanel:
    gr.HTML(note(people.INVITE_HINT))
    with gr.Row(elem_classes="cc-filters"):
        role = gr.Dropdown(list(ROLES), value=ROLES[0], label="Role", info="their role")
        days = gr.Number(14, label="Days", info="days until it expires", minimum=0, step=1)
        uses = gr.Number(None, label="Uses", info="people; 0: no limit", precision=0, step=1)
        remark = gr.Textbox(label="Note", info="for yourself", max_lines=1)
        signed = gr.Checkbox(label="Signed links", info=people.SIGNED, elem_id="link-signed")
    with gr.Row(elem_classes="cc-filters cc-run-row"):
        make = gr.Button("Make a link", variant="primary", elem_id="link-make")
    links = clickable_html("links")
    return InvitePanel(role, days, uses, remark, signed, make, links)
