"""Broken images of a campaign: what somebody could not judge, set aside or offered again."""

from __future__ import annotations

from urllib.parse import urlencode

import htpy
from htpy import Element, Node

from concord.campaigns import managing
from concord.campaigns.cards import CampaignCard
from concord.campaigns.managing import BrokenImage
from concord.common import wording
from concord.common.base_path import at
from concord.open_project import OpenProject
from data.images.widths import IN_STRIPS
from ui.components.image_strip import picture_html
from ui.components.tables import when
from ui.pages.people.acts import act_button
from ui.pages.people.crowd_table import pill
from ui.pages.people.view import PeopleView

NOTHING = "No image has been reported as broken. One that enough people report (a setting) is set aside by itself."


def broken_tab(store: OpenProject, card: CampaignCard, view: PeopleView) -> Node:  # noqa: ARG001
    """Return every image that was reported or set aside, with its reports."""
    found = managing.broken(store, card.name)
    if not found:
        return htpy.p(class_="cc-part-hint")[NOTHING]
    aside = sum(item.aside for item in found)
    lead = (
        f"{wording.count(len(found), 'image')} reported or set aside; {aside:,} of them "
        f"{'is' if aside == 1 else 'are'} offered to nobody. One that enough people report (a setting) is set aside by itself; "
        "reports of people who were revoked do not count."
    )
    return [htpy.p(class_="cc-tab-lead")[lead], htpy.div(class_="cc-broken-list")[[_broken(card, each) for each in found]]]


def _broken(card: CampaignCard, item: BrokenImage) -> Element:
    text = item.text
    body = {"campaign": card.name, "item": item.item_id}
    pictures = [picture_html(picture, text, IN_STRIPS) for picture in item.pictures]
    href = at("/studio/images?" + urlencode({"image": item.item_id}))
    acts = [act_button("Put back", "campaign/aside", body | {"aside": False}, f"Put back {item.item_id}", "cc-button")]
    if not item.aside:
        acts.append(act_button("Set aside", "campaign/aside", body | {"aside": True}, f"Set aside {item.item_id}", "cc-button"))
    return htpy.article(class_="cc-panel cc-broken-item")[
        htpy.a(class_="cc-thumbs", href=href)[pictures or text],
        htpy.div[
            htpy.p[htpy.b[text], " ", pill("set aside", "warn") if item.aside else pill("still offered")],
            htpy.ul(class_="cc-list")[
                [
                    htpy.li[f"{report.person}: {report.reason or 'no reason given'} ", htpy.small[when(report.moment)]]
                    for report in item.reports
                ]
            ],
            htpy.div(class_="cc-people-acts")[acts],
        ],
    ]
