"""A campaign's page: what it is, what needs a look, and its tabs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

import htpy
from htpy import Element, Node

from concord.campaigns import managing
from concord.campaigns.cards import CampaignCard, campaign_card
from concord.campaigns.health import health as campaign_health
from concord.common import wording
from concord.open_project import OpenProject
from data.campaigns.settings import DEFAULT
from ui.components.tables import joined, when
from ui.pages.people import broken, disputes, links, pay, people_tab, progress_tab, settings
from ui.pages.people.acts import act_button, answer, asking_button
from ui.pages.people.cards import closing, edit_address, everyday_line, fact_line, preview_link, progress_line, state_pill
from ui.pages.people.view import TABS, PeopleView, campaign_address

Tab = Callable[[OpenProject, CampaignCard, PeopleView], Node]
_TABS: Final[Mapping[str, Tab]] = {
    "progress": progress_tab.progress_tab,
    "people": people_tab.people_tab,
    "disputes": disputes.disputes_tab,
    "broken": broken.broken_tab,
    "pay": pay.pay_tab,
    "links": links.links_tab,
    "settings": settings.settings_tab,
    "asked": settings.recruitment_tab,
}
assert set(_TABS) == set(TABS)


def campaign_page(store: OpenProject, view: PeopleView, *, intervals: bool) -> tuple[Node, str]:
    """Return a campaign's page and its title; a line where there is no such campaign."""
    campaign = managing.find(store, view.campaign)
    card = campaign_card(store, campaign, view.about, intervals=intervals) if campaign is not None else None
    back = htpy.a(class_="cc-people-back", href=PeopleView().address())["‹ People"]
    if card is None:
        return [back, htpy.h1["There is no such campaign any more"]], "People"
    # an opened case has the page to itself
    head: Node = [_head(card), _health(store, card)]
    if view.tab == "disputes" and view.case:
        head = htpy.p(class_="cc-campaign-name")[card.title, " ", state_pill(card)]
    content = [
        back,
        head,
        _tabs(card, view),
        htpy.section(class_="cc-tab", aria_label=TABS[view.tab])[_TABS[view.tab](store, card, view)],
    ]
    return content, card.title


def _head(card: CampaignCard) -> Element:
    return htpy.header(class_="cc-lead cc-campaign-lead")[
        htpy.div[
            htpy.h1[card.title, " ", state_pill(card)],
            everyday_line(card),
            not card.crowd.look and fact_line(card),
            htpy.p(class_="cc-sub")[_settings_line(card)],
            htpy.div(class_="cc-campaign-progress")[progress_line(card)],
        ],
        htpy.div(class_="cc-people-acts")[_acts(card)],
    ]


def _acts(card: CampaignCard) -> Node:
    body = {"campaign": card.name}

    def move(text: str, act: str, kind: str = "cc-button") -> Node:
        return act_button(text, "campaign/move", body | {"act": act}, kind=kind)

    first: dict[str, Node] = {
        "draft": move("Start", "start", "cc-button cc-button--primary"),
        "running": move("Pause", "pause"),
        "stopped": move("Go on", "start", "cc-button cc-button--primary"),
        "archived": move("Open again", "unarchive"),
    }
    more: list[Node] = []
    if card.name != DEFAULT:
        more.append(act_button("Duplicate", "campaign/duplicate", body, kind="cc-button", label="Duplicate this campaign"))
    explained = "A duplicate is a draft with the same images and settings."
    return [
        preview_link(card, "cc-button"),
        card.state == "draft" and htpy.a(class_="cc-button", href=edit_address(card))["Edit"],
        card.state in ("draft", "running", "stopped")
        and htpy.a(class_="cc-button", href=campaign_address(card.name, "links"))["Invite"],
        first[card.state],
        closing(card, "cc-button"),
        card.deletable and _deleting(card),
        more and asking_button("More", explained, more, "More to do with this campaign", kind="cc-button"),
    ]


def _deleting(card: CampaignCard) -> Node:
    """Return the button that deletes a campaign without answers, says what is lost, and leads back to People."""
    question = (
        f"Delete “{card.title}”? Its settings, its list of {wording.count(card.progress.coverage.items, 'image')} and its"
        f" {wording.count(card.links, 'link')} are lost, and nothing brings them back. Nobody has answered in it, so no"
        " answer is lost; the images and all answers of other campaigns stay."
    )
    delete = answer(
        "Delete", "campaign/move", {"campaign": card.name, "act": "delete"}, danger=True, then=PeopleView().address()
    )
    return asking_button("Delete", question, delete, "Delete this campaign", kind="cc-button", about=card.name)


def _settings_line(card: CampaignCard) -> str:
    """Return what is asked of whom, and by which rules."""
    campaign, settings = card.progress.campaign, card.progress.campaign.settings
    parts = [
        f"{campaign.questionnaire}{f' {campaign.version}' if campaign.version else ''}",
        f"{wording.count(card.progress.coverage.items, 'image')}",
        f"{wording.count(campaign.overlap, 'person')} an image",
        f"{settings.order} order",
        f"seed {campaign.seed}",
    ]
    parts += [f"one check in {settings.check_every}"] if settings.check_every else []
    parts += [f"pass mark {settings.pass_mark:.0%}"] if settings.pass_mark else []
    parts += [f"pauses below {settings.gold_pass_mark:.0%} of gold, {settings.attention_pass_mark:.0%} of attention checks"] * (
        settings.check_every is not None and settings.gold_pass_mark + settings.attention_pass_mark > 0
    )
    parts += [f"{wording.count(settings.limit, 'image')} a person at most"] if settings.limit else []
    parts += ["drawn by chance"] if campaign.stratum else []
    return f"{campaign.campaign_id}: {'; '.join(parts)}."


def _health(store: OpenProject, card: CampaignCard) -> Node:
    """Return what needs a look now; each part only where there is something to say."""
    if card.state == "draft" or not card.progress.coverage.people:
        return ""
    health = campaign_health(store, card.progress)
    people, money = campaign_address(card.name, "people"), campaign_address(card.name, "pay")
    parts: list[Node] = []
    if health.look:
        verb = "needs" if health.look == 1 else "need"
        parts.append(htpy.a(href=people)[f"{wording.count(health.look, 'person')} {verb} a look"])
    if health.paused:
        parts.append(htpy.a(href=people)[f"{health.paused:,} failed checks"])
    parts += [f"{n:,} {label}" for n, label in ((health.working, "at work"), (health.left, "left without a word")) if n]
    if health.spent is not None:
        cap = f" of {health.budget:,}" if health.budget is not None else ""
        parts.append(htpy.a(href=money)[f"{health.spent:,}{cap} {health.currency} spent".replace("  ", " ")])
    parts += [["done ", when(health.done), " at this pace"]] if health.done else []
    parts += [["closes ", when(health.closes)]] if health.closes else []
    return htpy.p(class_="cc-health")[joined([htpy.span[part] for part in parts], htpy.span["·"])] if parts else ""


def _tabs(card: CampaignCard, view: PeopleView) -> Element:
    counts = {
        "people": len(card.crowd.people),
        "broken": card.reported,
        "links": card.links,
    }
    links_of = [
        htpy.a(href=view.of_tab(name), aria_current="page" if name == view.tab else None)[
            title, counts.get(name, 0) > 0 and [" ", htpy.small[f"{counts[name]:,}"]]
        ]
        for name, title in TABS.items()
    ]
    return htpy.nav(class_="cc-place-tabs is-inside", aria_label="Of this campaign")[links_of]
