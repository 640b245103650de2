"""The second step of New campaign: which images, how many, and how many people each."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

import htpy
from htpy import Element, Node

from concord.common import wording
from concord.new_campaigns.drafting import FIELDS, PRESET_WORDS, PRESETS, ImageChoice, step_of
from ui.components.addresses import page_address
from ui.components.request_fields import FieldOption, field_control
from ui.components.tables import folded


def images_body(
    values: Mapping[str, Any], choices: Mapping[str, Sequence[ImageChoice]], brought: Mapping[str, Any], *, new: bool
) -> Node:
    """Return the step.

    Args:
        values: of the draft.
        choices: what images can be chosen by.
        brought: values that a plan or a selection of Images brings; those of later steps go with the form unseen.
        new: whether the draft is still to be made.
    """
    unseen = [
        htpy.input(type="hidden", data_field=name, value=str(value))
        for name, value in brought.items()
        if step_of(name) != "images"
    ]
    by_hand = len(brought.get("items", ()))
    own_id = [folded("Id in addresses and files", field_control(FIELDS["id"], values.get("id")))] if new else None
    hand = [field_control(FIELDS[name], values.get(name)) for name in ("items", "also")]
    from_images = htpy.p(class_="cc-wizard-hint")[
        "Or tick images in ", htpy.a(href=page_address("images"))["Images"], " and choose “In a campaign”."
    ]
    selected = None
    if by_hand:
        text = f"{wording.count(by_hand, 'image')} by hand: numbers about them are of these images alone, not of others."
        selected = htpy.p(class_="cc-note")[text]
    return [
        unseen,
        _presets(),
        field_control(FIELDS["title"], values.get("title")),
        own_id,
        selected,
        [_boxes(name, values, choices.get(name, ())) for name in ("suite", "task", "generator")],
        htpy.div(class_="cc-entry-row")[
            [field_control(FIELDS[name], values.get(name)) for name in ("n", "draw", "overlap", "order")]
        ],
        folded("By hand", [from_images, hand], open_=bool(values.get("items") or values.get("also"))),
        folded("Random seed", field_control(FIELDS["seed"], values.get("seed"))),
    ]


def _presets() -> Element:
    """Return buttons that fill in usual values, of later steps too."""
    buttons = [
        htpy.button(type="button", class_="cc-wizard-preset", data_preset=name, data_values=json.dumps(PRESETS[name]))[
            htpy.b[name], htpy.small[PRESET_WORDS[name]]
        ]
        for name in PRESETS
    ]
    return htpy.div(class_="cc-wizard-presets", role="group", aria_label="Usual settings")[buttons]


def _boxes(name: str, values: Mapping[str, Any], choices: Sequence[ImageChoice]) -> Node:
    if len(choices) < 2 and not values.get(name):
        return None
    # what is asked for and is gone can be unticked
    gone = [ImageChoice(value, value, 0) for value in values.get(name) or () if value not in {each.value for each in choices}]
    options = [FieldOption(each.value, each.title, f"{each.images:,}") for each in (*choices, *gone)]
    return field_control(FIELDS[name], values.get(name), options)
