"""Settings of a campaign that was made, changed with what that means; and how people were asked, for reports."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import htpy
from htpy import Node

from concord.campaigns import managing
from concord.campaigns.cards import CampaignCard
from concord.open_project import OpenProject
from data.campaigns.recruitment import MAX_RECRUITMENT_LENGTH, RECRUITMENT_FIELDS
from data.campaigns.settings import Settings
from data.requests import fields_of
from ui.components.request_fields import field_control
from ui.components.tables import folded, note
from ui.pages.people.acts import act_form
from ui.pages.people.view import PeopleView

HINT: Final = (
    "Questions and images stay as they are: for others make a new campaign, or duplicate this one. The order of images and "
    "checks can change as long as nobody has answered. Each change is in the project’s log."
)
ASKED_HINT: Final = (
    "Reports say how people were asked, in the fields of Otani et al. (arXiv 2304.01816). What is left empty is printed as "
    "“not reported”. Concord adds by itself what it knows: how many answered, the questionnaire, instructions and consent of "
    "this campaign, gold and attention checks passed, and the time that it took."
)
_SECTIONS: Final[Mapping[str, tuple[str, ...]]] = {
    "Order, checks and training": ("order", "checks"),
    "Texts for people (Markdown)": ("texts",),
    "Limits": ("limits",),
    "Codes of a crowd platform": ("codes",),
    "Pay": ("pay", "pay_more"),
}


def settings_tab(store: OpenProject, card: CampaignCard, view: PeopleView) -> Node:  # noqa: ARG001
    """Return the settings as a form, what a change means, and the log of changes."""
    form = managing.settings_form(store, card.progress.campaign)

    def held(name: str) -> Node:
        return field_control(form.field(name), form.values[name], fixed=name in form.fixed)

    first = htpy.div(class_="cc-fields")[held("title"), held("overlap")]
    folds = []
    for title, sections in _SECTIONS.items():
        names = [field.name for field in fields_of(Settings) if field.setting.section in sections]
        # opened where something of it is not as usual
        used = any(form.values[name] not in ("", None, _usual(name)) for name in names)
        folds.append(
            folded(title, htpy.div(class_="cc-fields")[[held(name) for name in names]], "cc-settings-part", open_=used)
        )
    changes = managing.logged_changes(store, card.name)
    return [
        htpy.p(class_="cc-part-hint")[HINT],
        act_form(
            "campaign/settings",
            {"campaign": card.name},
            [
                first,
                folds,
                htpy.ul(class_="cc-list cc-meaning", aria_live="polite"),
                htpy.p(class_="cc-act-said", role="alert"),
                htpy.button(type="submit", class_="cc-button cc-button--primary")["Save"],
            ],
            data_values="",
            data_meaning="campaign/meaning",
        ),
        changes and folded("Changes so far", htpy.ul(class_="cc-list")[[htpy.li[line] for line in changes]], "cc-why"),
    ]


def _usual(name: str) -> object:
    return next(field.default for field in fields_of(Settings) if field.name == name)


def recruitment_tab(store: OpenProject, card: CampaignCard, view: PeopleView) -> Node:  # noqa: ARG001
    """Return what a report says of how people were asked, as a form."""
    texts = managing.recruitment(store, card.name)
    held = [
        htpy.label(class_="cc-field is-wide")[
            htpy.span[field.title, " ", htpy.small[field.asks]],
            htpy.textarea(name=name, class_="cc-input", rows="2", maxlength=str(MAX_RECRUITMENT_LENGTH))[texts.get(name, "")],
        ]
        for name, field in RECRUITMENT_FIELDS.items()
    ]
    return [
        note(ASKED_HINT),
        act_form(
            "campaign/asked",
            {"campaign": card.name},
            [
                htpy.div(class_="cc-fields")[held],
                htpy.p(class_="cc-act-said", role="alert"),
                htpy.button(type="submit", class_="cc-button cc-button--primary")["Save"],
            ],
            data_values="",
        ),
    ]
