"""The settings of a campaign that was made: shown, changed with what that means, and duplicated."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import gradio as gr
from htpy import Node

from concord.campaigns import changing
from concord.campaigns.changing import STEERING, TEXTS
from concord.common import wording
from data.campaigns.settings import AMOUNTS, Campaign
from data.store.campaigns import management, monitoring
from data.store.core.store import Store
from ui.components.tables import bullets, note
from ui.pages.campaigns import forms
from ui.pages.campaigns.view import ActingUser, saved, tried

HINT: Final = (
    "Questions and items stay as they are: for others make a new campaign, or duplicate this one. The order of items and"
    " checks can change as long as nobody has answered. Each change is in the project’s log."
)
_ZERO_IS_NONE: Final = ("limit", "check_every", "pass_mark")


def fields() -> dict[str, Any]:
    """The form's controls by the names of settings, with ``title`` and ``overlap``."""
    made: dict[str, Any] = {}
    with gr.Row(elem_classes="cc-filters"):
        made["title"] = gr.Textbox(label="Title", info="for people", max_lines=1, elem_id="set-title")
        made["overlap"] = gr.Number(label="People for each", info="valid answers wanted", precision=0, step=1, minimum=1)
    with gr.Accordion("Order, checks and training", open=False), gr.Row(elem_classes="cc-filters"):
        orders = [(text, name) for name, text in forms.ORDERS.items()]
        made["order"] = gr.Dropdown(orders, label="Order", info="of the items")
        made |= forms.check_fields()
    return made | forms.text_fields() | forms.limit_fields() | forms.code_fields() | forms.pay_fields()


def open_settings(store: Store, names: list[str], campaign: str | None, show: str | None, filled: str) -> list[Any]:
    """A campaign's settings for the form; nothing where it holds them already, as somebody may be typing."""
    stored_campaign = management.get(store, campaign) if campaign and show == "settings" and campaign != filled else None
    if stored_campaign is None:
        return [gr.skip()] * (len(names) + 1)
    stored = stored_campaign.settings.to_json() | {"title": stored_campaign.title, "overlap": stored_campaign.overlap}
    fixed = STEERING if monitoring.coverage(store, stored_campaign.campaign_id).people else ()
    updates = [gr.update(value=0 if stored[name] is None else stored[name], interactive=name not in fixed) for name in names]
    return [*updates, stored_campaign.campaign_id]


def _given(values: Mapping[str, Any]) -> tuple[dict[str, Any], str, int]:
    """The settings of the form, its title and its overlap."""
    settings = {name: None if name in _ZERO_IS_NONE and not value else value for name, value in values.items()}
    for name in (*changing.CODES, *AMOUNTS, "closes", "currency", "completion_url"):
        settings[name] = str(settings[name] or "").strip()
    settings |= {name: str(settings[name] or "") for name in TEXTS}
    settings["reports_needed"] = int(settings["reports_needed"] or 0)
    settings |= {name: float(settings[name] or 0) for name in ("platform_fee", "lease_minutes")}
    return settings, str(settings.pop("title") or ""), int(settings.pop("overlap") or 0)


def meaning(store: Store, campaign: str, values: Mapping[str, Any]) -> Node:
    """Return what the change means; what is wrong with it instead."""
    stored_campaign = management.get(store, campaign) if campaign else None
    if stored_campaign is None:
        return ""
    settings, _, overlap = _given(values)
    try:
        sentences = changing.describe_change(store, stored_campaign, settings, overlap)
    except ValueError as error:
        return note(wording.sentence(error), "cc-bad")
    return bullets(sentences)


def save(store: Store, campaign: str, values: Mapping[str, Any], who: ActingUser) -> tuple[str, str]:
    """Write the settings; a sentence, and how it is meant."""
    stored_campaign = management.get(store, campaign) if campaign else None
    if stored_campaign is None:
        return "Choose a campaign first.", "cc-bad"
    settings, title, overlap = _given(values)
    name = stored_campaign.campaign_id
    more: dict[str, Any] = {"title": title.strip() or name, "overlap": overlap}
    wrong = tried(lambda: management.change_settings(store, name, settings, who.signed, **more))
    return saved(wrong, "The settings are saved.")


def duplicate(store: Store, campaign: str) -> tuple[Campaign | None, str]:
    """A draft with the same items and settings, or what is wrong in a sentence."""
    original = management.get(store, campaign)
    if original is None:
        return None, "Choose a campaign first."
    try:
        new_id = management.free_id(store, campaign)
        return management.duplicate(store, campaign, new_id, f"{original.title} (copy)"), ""
    except ValueError as error:
        return None, wording.sentence(error)
