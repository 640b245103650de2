"""The form that makes a campaign: stock controls, and what it will be while it is filled in."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from html import escape
from pathlib import Path
from typing import Any, Final

import gradio as gr

from annotation.questionnaires.registry import FORMS
from concord.campaigns import planning, progress
from concord.campaigns.campaign_spec import CampaignSpec, campaign_spec
from concord.campaigns.known_answers import EXAMPLE
from data.campaign import ATTENTION_PASS_MARK, GOLD_PASS_MARK, Campaign
from data.store.browse import contents
from data.store.campaigns import management
from data.store.core.store import Store
from ui.components.table import note
from ui.pages.campaigns import marks

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


def laid_out() -> Fields:
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
        made["n"] = _number("How many", "drawn by chance; 0: all")
        made["overlap"] = _number("People for each", "valid answers wanted", 3)
        made["order"] = gr.Dropdown(
            [(text, name) for name, text in ORDERS.items()], value="random", label="Order", info="of the items"
        )
        made["seed"] = _number("Seed", "of all that is left to chance", 0)
    with gr.Accordion("Items by hand", open=False):
        made["also"] = gr.Textbox(label="Items picked by hand besides, an id a line", lines=2, info=_PICKED)
        made["items"] = gr.Textbox(label="Or these items alone, an id a line", lines=2, info="Filters are not looked at then.")
    with gr.Accordion("What people read (Markdown)", open=False):
        for name, label in _TEXTS.items():
            made[name] = gr.Textbox(label=label, lines=3)
    with gr.Accordion("Gold, attention checks and training", open=False):
        gr.HTML(_known_help())
        made["known"] = gr.File(label="Items with known answers", file_types=[".json", ".csv"], type="filepath", height=110)
        with gr.Row(elem_classes="cc-filters"):
            made["check_every"] = _number("One check in", "10: one of ten is gold or attention; 0: none")
            made["pass_mark"] = gr.Number(
                label="Pass mark", info="share of training to get right; 0: none", minimum=0, maximum=1, step=0.05
            )
            for name, mark in _MARKS.items():
                made[name] = marks.control(name, mark)
            made["recollect"] = gr.Checkbox(label="Ask the items of who is paused of others; their answers stop counting")
            made["gold_feedback"] = gr.Checkbox(label="Say at once if a gold answer was right")
            made["training_feedback"] = gr.Checkbox(label="Say at once if a training answer was right", value=True)
    with gr.Accordion("Limits and crowd platforms", open=False), gr.Row(elem_classes="cc-filters"):
        made["limit"] = _number("Items for one person", "0: no limit")
        made["lease_minutes"] = _number("Minutes that an item is kept", "for whoever has it", 30)
        made["completion_code"] = gr.Textbox(label="Completion code", info="shown at the end, and only there", max_lines=1)
        made["completion_url"] = gr.Textbox(label="Completion address", info="https://…, where people go then", max_lines=1)
        for name, label in _CODES.items():
            made[name] = gr.Textbox(label=label, info="empty: no code, and whom to write to", max_lines=1)
    return Fields(made)


_MARKS: Final = {"gold_pass_mark": GOLD_PASS_MARK, "attention_pass_mark": ATTENTION_PASS_MARK}
_CODES: Final = {
    "stopped_code": "Code for who stops",
    "training_code": "Code for failed training",
    "paused_code": "Code for who is paused",
    "quota_code": "Code for who comes too late",
    "declined_code": "Code for who does not agree",
}
_TEXTS: Final = {
    "instructions": "Instructions",
    "consent": "Consent, asked before the first image",
    "content_warning": "Content warning",
}
_PICKED: Final = "Where some items are drawn by chance, statistics leave out those picked by hand."


def _number(label: str, info: str, value: int | None = None) -> gr.Number:
    return gr.Number(value, label=label, info=info, precision=0, step=1)


def _known_help() -> str:
    return (
        note(
            "A JSON list of {item, role, expected}, or a CSV table with a column for each question; role is gold, attention or"
            " training. These answers never count. For example:"
        )
        + f'<pre class="cc-code">{escape(EXAMPLE)}</pre>'
    )


def choices(store: Store) -> list[gr.Dropdown]:
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


def preview(store: Store, values: Mapping[str, Any]) -> tuple[str, bool]:
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


def make(store: Store, values: Mapping[str, Any]) -> tuple[Campaign | None, str]:
    """The campaign, or what is wrong with it in a sentence."""
    try:
        return planning.make_campaign(store, wish_of(values)).campaign, ""
    except (ValueError, OSError) as error:
        return None, _sentence(error)


def _sentence(error: Exception) -> str:
    text = " ".join(str(error).split())
    return f"{text[:1].upper()}{text[1:].rstrip('.')}."
