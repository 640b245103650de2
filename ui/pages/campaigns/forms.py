"""The form that makes a campaign, and the pass marks of one.

Pass marks of gold and attention checks are shown and changed while a campaign runs, with a log of who changed them.
"""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import gradio as gr
import htpy
from htpy import Node

from annotation.questionnaires.registry import FORMS
from concord.campaigns import gold, planning, progress
from concord.campaigns.known_answers import EXAMPLE
from concord.campaigns.planning import CampaignSpec, campaign_spec
from concord.common import wording
from concord.judging import form_of
from data.campaigns.checks import ATTENTION_PASS_MARK, GOLD_PASS_MARK
from data.campaigns.settings import Campaign, id_of_title
from data.store.browse import contents
from data.store.campaigns import management
from data.store.core.store import Store
from ui.components.tables import bullets, folded, note
from ui.pages.campaigns.view import ActingUser, saved, tried
from ui.shell.html import html_component, rendered

LABELS: Final = {"gold_pass_mark": "Pass mark of gold", "attention_pass_mark": "Pass mark of attention checks"}
INFO: Final = "people below it are paused; 0: nobody"
_HINT: Final = (
    "Lowest share of correct checks, corrected for chance. A new mark applies from a person’s next check on, to all their"
    " checks so far. Paused people stay paused until you reinstate them."
)
_NONE: Final = "This campaign has no checks, so nobody is paused."


def mark_control(name: str, value: float | None, **more: Any) -> gr.Number:
    """The control of one mark."""
    return gr.Number(value, label=LABELS[name], info=INFO, minimum=0, maximum=1, step=0.01, **more)


def open_marks(store: Store, campaign: str | None, show: str | None, filled: str) -> list[Any]:
    """A campaign's marks and their log; nothing where the form holds them already, as somebody may be typing."""
    stored_campaign = management.get(store, campaign) if campaign and show == "people" and campaign != filled else None
    if stored_campaign is None:
        return [gr.skip()] * (len(LABELS) + 3)
    settings = stored_campaign.settings
    values = [gr.Number(value=getattr(settings, name), interactive=True) for name in LABELS]
    hint = [note(_HINT), note(_NONE) if settings.check_every is None else ""]
    name = stored_campaign.campaign_id
    return [rendered(hint), *values, rendered(marks_log(store, name)), name]


def marks_log(store: Store, campaign: str) -> Node:
    """Return who changed which mark, newest first."""
    return bullets(
        f"{change.moment:%Y-%m-%d %H:%M} UTC, {change.made_by}: {LABELS[name]} from {before:g} to {since:g}"
        for change in management.changes(store, campaign)
        for name, (before, since) in change.settings.items()
        if name in LABELS
    )


def save_marks(store: Store, campaign: str, values: tuple[float | None, ...], who: ActingUser) -> tuple[str, str]:
    """Write the marks; a sentence, and how it is meant."""
    # Gradio sends an empty number as nothing
    settings = {name: value or 0.0 for name, value in zip(LABELS, values, strict=True)}
    return saved(tried(lambda: management.change_settings(store, campaign, settings, who.signed)), "The marks are saved.")


OWN: Final = "a YAML file of your own"
ORDERS: Final = {"random": "random, each person their own", "shared": "random, the same for all", "fixed": "as listed, by id"}
DRAWS: Final = {"random": "all alike", "weighted": "likely errors first"}
_LINES: Final = ("items", "also")
_ZERO_IS_NONE: Final = ("n", "check_every", "limit", "pass_mark")
_MOST: Final = 200_000
"""Characters of a file with known answers."""


PRESETS: Final[Mapping[str, Mapping[str, Any]]] = {
    "Pilot": {"n": 30, "overlap": 3, "order": "shared", "limit": 0, "lease_minutes": 30, "recollect": False},
    "Crowd": {"n": 0, "overlap": 3, "order": "random", "limit": 60, "lease_minutes": 30, "recollect": True, "check_every": 5},
    "Lab": {"n": 0, "overlap": 2, "order": "shared", "limit": 0, "lease_minutes": 240, "recollect": False},
}
"""Usual settings of three kinds of study. Crowd also fills in a code for each way to leave."""


PRESET_HINT: Final = (
    "Pilot: 30 images, 3 people, all in one order. Crowd: 60 items each, one in 5 a check, paused people’s items asked again, a"
    " code for each way to leave. Lab: 2 people, long reservations."
)


def preset(name: str) -> dict[str, Any]:
    """A preset's values by control; codes are drawn anew each time, as a code that was used elsewhere pays twice."""
    codes = ("completion_code", *_CODES) if name == "Crowd" else ()
    return dict(PRESETS[name]) | {code: secrets.token_hex(4).upper() for code in codes}


def create_form() -> dict[str, Any]:
    """The form's controls by the names of a wish, in the order of the page."""
    made: dict[str, Any] = {}
    with gr.Row(elem_classes="cc-filters"):
        made["title"] = gr.Textbox(label="Title", info="for people", max_lines=1, elem_id="new-title")
        made["id"] = gr.Textbox(label="Id", info="empty: from the title", max_lines=1, elem_id="new-id")
        made["questionnaire"] = gr.Dropdown([*FORMS, OWN], value="geneval", label="Questionnaire", info="what is asked")
    made["definition"] = gr.Code(label="The questionnaire’s YAML", language="yaml", visible=False, lines=8)
    with gr.Row(elem_classes="cc-filters"):
        for name in ("suite", "task", "generator"):
            made[name] = gr.Dropdown([], value=[], multiselect=True, label=name.title(), info="none chosen: all")
    with gr.Row(elem_classes="cc-filters"):
        made["n"] = _number("How many", "drawn by chance; 0: all")
        draws, orders = ([(text, name) for name, text in titles.items()] for titles in (DRAWS, ORDERS))
        made["draw"] = gr.Dropdown(draws, value="random", label="Draw", info="errors first: for Estimates only")
        made["overlap"] = _number("People for each", "valid answers wanted", 3)
        made["order"] = gr.Dropdown(orders, value="random", label="Order", info="of the items")
        made["seed"] = _number("Seed", "of sampling and order", 0)
    with gr.Accordion("Items by hand", open=False):
        made["also"] = gr.Textbox(label="Items added by hand, one id per line", lines=2, info=_PICKED)
        made["items"] = gr.Textbox(label="Or only these items, one id per line", lines=2, info="Filters are ignored then.")
    made |= text_fields()
    with gr.Accordion("Gold, attention checks and training", open=False):
        html_component(note(GOLD_HINT))
        with gr.Row(elem_classes="cc-filters"):
            made["gold_from"] = gr.Dropdown([("none", "")], value="", label="Right answers from", elem_id="new-gold-from")
            made["gold_n"] = _number("Gold items", "mixed in among the others", 20)
            made["training_n"] = _number("Training items", "come first", 0)
            made["examples_n"] = _number("Examples", "pictures with right answers before the instructions", 0)
        known = (
            "A JSON list of {item, role, expected}, or a CSV table with a column for each question; role is gold, attention or"
            " training. These answers never count. For example:"
        )
        example = [note(known), htpy.pre(class_="cc-code")[EXAMPLE]]
        html_component(folded("Or from a file", example, "cc-why"))
        made["known"] = gr.File(label="Items with known answers", file_types=[".json", ".csv"], type="filepath", height=140)
        with gr.Row(elem_classes="cc-filters"):
            made |= check_fields() | {name: mark_control(name, mark) for name, mark in _MARKS.items()}
    made |= limit_fields() | code_fields() | pay_fields()
    return made


def check_fields() -> dict[str, Any]:
    """How many checks there are, and what happens to whoever does not pass."""
    share = {"minimum": 0, "maximum": 1, "step": 0.05}
    return {
        "check_every": _number("One check in", "10: one of ten is gold or attention; 0: none"),
        "pass_mark": gr.Number(label="Pass mark", info="share of training to get right; 0: none", **share),
        "recollect": gr.Checkbox(label="Give items of paused people to others; their answers stop counting"),
        "gold_feedback": gr.Checkbox(label="Show at once whether a gold answer was correct"),
        "training_feedback": gr.Checkbox(label="Show at once whether a training answer was correct", value=True),
    }


def text_fields() -> dict[str, Any]:
    """A campaign's texts."""
    with gr.Accordion("Texts for people (Markdown)", open=False):
        return {name: gr.Textbox(label=label, lines=3) for name, label in _TEXTS.items()}


def limit_fields() -> dict[str, Any]:
    """How much one person may do, and until when."""
    with gr.Accordion("Limits", open=False), gr.Row(elem_classes="cc-filters"):
        return {
            "limit": _number("Items for one person", "0: no limit"),
            "reports_needed": _number("Reports that hide an image", "people from different networks", 2),
            "withdrawal": gr.Checkbox(label="People may withdraw their own answers"),
            "lease_minutes": _number("Reservation time (minutes)", "of an item for a person", 30),
            "closes": gr.Textbox(label="Closes", info="2027-01-31 18:00 (UTC), or …+01:00; empty: never", max_lines=1),
        }


def code_fields() -> dict[str, Any]:
    """A code for each way to leave."""
    with gr.Accordion("Codes of a crowd platform", open=False), gr.Row(elem_classes="cc-filters"):
        made = {
            "completion_code": gr.Textbox(label="Completion code", info="shown only at the end", max_lines=1),
            "completion_url": gr.Textbox(label="Completion address", info="https://…, opened at the end", max_lines=1),
        }
        hint = "empty: no code, but a contact"
        return made | {name: gr.Textbox(label=label, info=hint, max_lines=1) for name, label in _CODES.items()}


def pay_fields() -> dict[str, Any]:
    """What people are paid."""
    with gr.Accordion("Pay", open=False), gr.Row(elem_classes="cc-filters"):
        made = {name: gr.Textbox(label=label, info=info, max_lines=1) for name, (label, info) in _PAY.items()}
        fee = gr.Number(0, label="Platform’s fee", info="share on top of pay, such as 0.33", minimum=0, maximum=2, step=0.01)
        nothing_left = gr.Dropdown(
            [(text, name) for name, text in _NOTHING_LEFT.items()],
            value="completion",
            label="If others hold the last images",
            info="what somebody with answers is paid who finds nothing left",
        )
        return made | {"platform_fee": fee, "nothing_left": nothing_left}


_NOTHING_LEFT: Final = {"completion": "as at the end, base pay too", "items": "what their items are worth"}
_PAY: Final = {
    "currency": ("Currency", "such as GBP"),
    "target_wage": ("Target wage", "an hour; the preview says the price for it"),
    "item_price": ("Price of an item", "checks and training too, such as 0.08"),
    "base_pay": ("Base pay", "paid by the platform on approval; the rest is a bonus"),
    "budget": ("Budget", "most for pay and fees; empty: no cap"),
}
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
GOLD_HINT: Final = (
    "Label some images yourself, among Images or in the form, and choose your name; or take items with a verdict, or those"
    " on which three people or more all agree. These answers never count."
)
_PICKED: Final = "If some items are sampled at random, statistics leave out items added by hand."


def _number(label: str, info: str, value: int | None = None) -> gr.Number:
    return gr.Number(value, label=label, info=info, precision=0, step=1)


def create_choices(store: Store) -> dict[str, Any]:
    """What there is to choose images from."""
    known = contents.filter_choices(store)
    return {"suite": gr.Dropdown(known.suite), "task": gr.Dropdown(known.task), "generator": gr.Dropdown(known.generator)}


def gold_choices(store: Store, questionnaire: str, definition: str, chosen: str) -> Any:
    """Where right answers can come from, in a questionnaire, with how many items have one."""
    try:
        form = form_of("" if questionnaire == OWN else questionnaire, definition if questionnaire == OWN else None)
        sources = gold.sources(store, form)
    except ValueError:
        sources = {}
    words = {"verdicts": "verdicts", "unanimous": "unanimous answers"}
    named = [
        (f"{words.get(name) or 'answers of ' + name.removeprefix(gold.PERSON)}: {wording.count(n, 'item')}", name)
        for name, n in sources.items()
    ]
    return gr.update(choices=[("none", ""), *named], value=chosen if chosen in sources else "")


def wish_of(values: Mapping[str, Any], store: Store) -> CampaignSpec:
    """What the form asks for; without an id it gets a free one from its title.

    Raises:
        ValueError: a value that cannot be.
    """
    # Gradio shows an empty number as 0
    entered = {
        name: value
        for name, value in values.items()
        if value not in (None, "", []) and not (name in _ZERO_IS_NONE and value == 0)
    }
    for name in _LINES:
        if name in entered:
            entered[name] = [line.strip() for line in str(entered[name]).splitlines() if line.strip()]
    if entered.get("questionnaire") == OWN:
        if not str(entered.get("definition", "")).strip():
            raise ValueError("write the questionnaire’s YAML; docs/questionnaires.md says how")
        del entered["questionnaire"]
    else:
        entered.pop("definition", None)
    if "known" in entered:
        entered["known"] = _text(str(entered["known"]))
    if "id" not in entered and (wanted := id_of_title(str(entered.get("title", "")))):
        entered["id"] = management.free_id(store, wanted)
    return campaign_spec(entered, "the form")


def _text(path: str) -> str:
    """An uploaded file's text."""
    content = Path(path).read_bytes()
    if len(content) > _MOST:
        raise ValueError(f"the file with known answers has {len(content):,} bytes; at most {_MOST:,} are read")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise ValueError("the file with known answers is not UTF-8") from None


def preview_campaign(store: Store, values: Mapping[str, Any]) -> tuple[Node, bool]:
    """Return what would be made, and whether it can be."""
    try:
        spec = wish_of(values, store)
        named = bool(spec.campaign_id)
        made = planning.plan_campaign(store, spec if named else replace(spec, campaign_id="unnamed"))
        if management.get(store, spec.campaign_id) is not None:
            raise ValueError(f"there is a campaign {spec.campaign_id!r} already; give this one another id")
    except (ValueError, OSError) as error:
        return note(wording.sentence(error), "cc-bad"), False
    lead, *rest = progress.describe_plan(store, made)
    its_id = f"Its id is {spec.campaign_id}. The draft can be previewed as a worker sees it." if named else "Give it a title."
    return [note(f"This asks for {lead}.", "cc-lead"), bullets(rest), note(its_id)], named


def make_campaign(store: Store, values: Mapping[str, Any]) -> tuple[Campaign | None, str]:
    """The campaign, or what is wrong with it in a sentence."""
    try:
        return planning.make_campaign(store, wish_of(values, store)).campaign, ""
    except (ValueError, OSError) as error:
        return None, wording.sentence(error)
