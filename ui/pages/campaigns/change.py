"""The settings of a campaign that was made: shown, changed with what that means, and duplicated."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

import gradio as gr
from htpy import Node

from concord.campaigns import changing
from concord.campaigns.changing import STEERING
from concord.common import wording
from data.campaigns.settings import Campaign, Settings
from data.requests import fields_of
from data.store.campaigns import management, monitoring
from data.store.core.store import Store
from ui.components.request_controls import controls, entered
from ui.components.tables import bullets, note
from ui.pages.campaigns import forms
from ui.pages.campaigns.view import ActingUser, saved, tried

HINT: Final = (
    "Questions and items stay as they are: for others make a new campaign, or duplicate this one. The order of items and"
    " checks can change as long as nobody has answered. Each change is in the project’s log."
)
_FIELDS: Final = {field.name: field for kind in (Campaign, Settings) for field in fields_of(kind)}


def fields() -> dict[str, Any]:
    """The form's controls by the names of settings, with ``title`` and ``overlap``."""
    made: dict[str, Any] = {}
    with gr.Row(elem_classes="cc-filters"):
        made["title"] = forms.field_control("title", elem_id="set-title")
        made["overlap"] = forms.field_control("overlap")
    with gr.Accordion("Order, checks and training", open=False), gr.Row(elem_classes="cc-filters"):
        made |= controls(Settings, "order") | controls(Settings, "checks")
    for name in ("texts", "limits", "codes", "pay"):
        made |= forms.section(name)
    return made


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
    settings: dict[str, Any] = {}
    for name, value in values.items():
        field = _FIELDS[name]
        given = entered(field, value)
        settings[name] = field.kind(0) if given is None and not field.optional else given
    return settings, str(settings.pop("title")), int(settings.pop("overlap"))


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
