"""The form that makes a campaign."""

from __future__ import annotations

import secrets
from collections.abc import Mapping
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

import gradio as gr
import htpy
from htpy import Node

from annotation.questionnaires.registry import FORMS
from concord.campaigns import gold, planning, progress
from concord.campaigns.changing import CODES
from concord.campaigns.known_answers import EXAMPLE
from concord.campaigns.spec import CampaignSpec, campaign_spec
from concord.common import wording
from concord.judging import form_of
from data.campaigns.settings import Campaign, id_of_title
from data.requests import fields_of
from data.store.browse import contents
from data.store.campaigns import management
from data.store.core.store import Store
from ui.components.request_controls import control, controls, entered
from ui.components.tables import bullets, folded, note
from ui.shell.html import html_component

_FIELDS: Final = {field.key: field for field in fields_of(CampaignSpec)}


def field_control(name: str, **more: Any) -> Any:
    """Return the control of one field of a campaign, by its name in files."""
    return control(_FIELDS[name], **more)


OWN: Final = "a YAML file of your own"
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
    codes = CODES if name == "Crowd" else ()
    return dict(PRESETS[name]) | {code: secrets.token_hex(4).upper() for code in codes}


def create_form() -> dict[str, Any]:
    """Return the form's controls by the names of fields in files, in the order of the page."""
    made: dict[str, Any] = {}

    def row(*names: str) -> None:
        with gr.Row(elem_classes="cc-filters"):
            for name in names:
                made[name] = field_control(name)

    with gr.Row(elem_classes="cc-filters"):
        made["title"] = field_control("title", elem_id="new-title")
        made["id"] = field_control("id", elem_id="new-id")
        offered = gr.Dropdown([*FORMS, OWN], value="geneval", label="Questionnaire", info=_FIELDS["questionnaire"].setting.hint)
        made["questionnaire"] = offered
    made["definition"] = gr.Code(label=_FIELDS["definition"].setting.label, language="yaml", visible=False, lines=8)
    row("suite", "task", "generator")
    row("n", "draw", "overlap", "order", "seed")
    with gr.Accordion("Items by hand", open=False):
        made |= {name: field_control(name) for name in ("also", "items")}
    made |= section("texts")
    with gr.Accordion("Gold, attention checks and training", open=False):
        html_component(note(GOLD_HINT))
        with gr.Row(elem_classes="cc-filters"):
            label = _FIELDS["gold_from"].setting.label
            made["gold_from"] = gr.Dropdown([("none", "")], value="", label=label, elem_id="new-gold-from")
            made |= {name: field_control(name) for name in ("gold_n", "training_n", "examples_n")}
        known = (
            "A JSON list of {item, role, expected}, or a CSV table with a column for each question; role is gold, attention or"
            " training. These answers never count. For example:"
        )
        example = [note(known), htpy.pre(class_="cc-code")[EXAMPLE]]
        html_component(folded("Or from a file", example, "cc-why"))
        label = _FIELDS["known"].setting.label
        made["known"] = gr.File(label=label, file_types=[".json", ".csv"], type="filepath", height=140)
        with gr.Row(elem_classes="cc-filters"):
            made |= controls(CampaignSpec, "checks") | controls(CampaignSpec, "marks")
    for name in ("limits", "codes", "pay"):
        made |= section(name)
    return made


def section(name: str) -> dict[str, Any]:
    """Return the controls of a section of a campaign's settings, folded below its title."""
    with gr.Accordion(_SECTIONS[name], open=False), gr.Row(elem_classes="cc-filters") if name != "texts" else nullcontext():
        return controls(CampaignSpec, name)


_SECTIONS: Final = {
    "texts": "Texts for people (Markdown)",
    "limits": "Limits",
    "codes": "Codes of a crowd platform",
    "pay": "Pay",
}
GOLD_HINT: Final = (
    "Label some images yourself, among Images or in the form, and choose your name; or take items with a verdict, or those"
    " on which three people or more all agree. These answers never count."
)


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
    given = {name: entered(_FIELDS[name], value) for name, value in values.items() if name != "known"}
    wanted: dict[str, Any] = {name: value for name, value in given.items() if value not in (None, "", ())}
    if wanted.get("questionnaire") == OWN:
        if not str(wanted.get("definition", "")).strip():
            raise ValueError("write the questionnaire’s YAML; docs/questionnaires.md says how")
        del wanted["questionnaire"]
    else:
        wanted.pop("definition", None)
    if values.get("known"):
        wanted["known"] = _text(str(values["known"]))
    if "id" not in wanted and (own_id := id_of_title(str(wanted.get("title", "")))):
        wanted["id"] = management.free_id(store, own_id)
    return campaign_spec(wanted, "the form")


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
