"""Campaigns as cards: state, the one problem or fact, progress, three facts, and what to do next."""

from __future__ import annotations

from collections.abc import Sequence

import htpy
from htpy import Element, Node

from concord.campaigns import progress
from concord.campaigns.cards import CampaignCard
from concord.common import reason_sentences, wording
from concord.common.base_path import at
from data.campaigns.settings import DEFAULT
from ui.components.addresses import page_address
from ui.components.dots import interval_text
from ui.pages.people.acts import act_button, answer, asking_button
from ui.pages.people.view import campaign_address

Fact = tuple[str, str, Node]
"""What a fact is called, the fact, and what stands small behind it."""


def cards_section(cards: Sequence[CampaignCard], head: Node) -> Element:
    """Return the cards with their heading."""
    return htpy.section(class_="cc-part")[
        htpy.div(class_="cc-part-head")[htpy.h2["Campaigns"], htpy.div(class_="cc-part-tools")[head]],
        htpy.div(class_="cc-campaign-cards")[[_card(card) for card in cards]]
        if cards
        else htpy.p(class_="cc-part-hint")["No campaign is under way."],
    ]


def state_pill(card: CampaignCard) -> Element:
    """Return the state as a pill."""
    words = {"stopped": "paused", "archived": "closed"}.get(card.state, card.state)
    tone = {"running": "ok", "draft": "accent", "stopped": "warn"}.get(card.state, "")
    return htpy.span(class_=["cc-tone", tone and f"cc-tone--{tone}"])[words]


def progress_line(card: CampaignCard) -> Node:
    """Return how far a campaign is as a bar, pale where somebody answers now, and in words."""
    coverage = card.progress.coverage
    whole = max(coverage.wanted, 1)
    done = 100 * min(coverage.answers, coverage.wanted) / whole
    # nobody answers in a closed campaign, whatever they had before them
    n_held = 0 if card.state == "archived" else coverage.held
    held = min(100 * n_held / whole, 100 - done)
    text = f"{coverage.answers:,} of {wording.count(coverage.wanted, 'answer')}"
    if n_held:
        text += f", {n_held:,} being answered now"
    return [
        htpy.div(class_="cc-campaign-bar", role="img", aria_label=text)[
            htpy.i(style=f"width:{done:z.2f}%"), htpy.i(style=f"width:{held:z.2f}%")
        ],
        htpy.span(class_="cc-campaign-count")[text],
    ]


def fact_line(card: CampaignCard) -> Element:
    """Return the one problem or fact."""
    text, tone = card.fact
    tab = "people" if tone and card.crowd.people else "progress"
    said = htpy.a(href=campaign_address(card.name, tab))[text] if tone else text
    return htpy.p(class_=["cc-campaign-fact", tone and f"is-{tone}"])[said]


def everyday_line(card: CampaignCard) -> Node:
    """Return where everyday labelling comes from, which nobody made; nothing for any other campaign."""
    text = "Made by “Label images”: all images, whoever opens it. No study of yours."
    return card.everyday and htpy.p(class_="cc-part-hint")[text]


def _card(card: CampaignCard) -> Element:
    here = campaign_address(card.name)
    facts = [htpy.div[htpy.dt[name], htpy.dd[value, rest and [" ", htpy.small[rest]]]] for name, value, rest in _facts(card)]
    return htpy.article(class_=["cc-panel cc-campaign-card", card.state == "archived" and "is-over"])[
        htpy.div(class_="cc-campaign-top")[htpy.h3[htpy.a(href=here)[card.title]], state_pill(card)],
        everyday_line(card),
        fact_line(card),
        progress_line(card),
        htpy.dl[facts],
        htpy.div(class_="cc-campaign-foot")[_acts(card)],
    ]


def _facts(card: CampaignCard) -> list[Fact]:
    campaign, coverage = card.progress.campaign, card.progress.coverage
    if card.state == "draft":
        takes = (wording.duration(card.seconds), "in all") if card.seconds else ("–", "nobody has answered this form yet")
        return [("images", f"{coverage.items:,}", ""), ("people an image", f"{campaign.overlap:,}", ""), ("takes", *takes)]
    return [agreement_fact(card), _checks_or_people(card), _end(card)]


def agreement_fact(card: CampaignCard) -> Fact:
    """Return how far its people agree, or why that is not known."""
    together = card.crowd.together
    if len(card.crowd.people) < 2:
        return "agreement", "–", "from two people on" if card.crowd.people else "nobody yet"
    if together is None or together.value is None:
        reason = reason_sentences.text(together.reason) if together is not None and together.reason is not None else "not yet"
        return "agreement", "–", reason
    return "agreement", f"α {wording.two(together.value)}", interval_text(together)


def _checks_or_people(card: CampaignCard) -> Fact:
    right, n = card.crowd.checks
    if n:
        return "known answers", f"{right / n:z.0%}", f"right of {n:,}"
    return "people", f"{card.progress.coverage.people:,}", ""


def _end(card: CampaignCard) -> Fact:
    pace = card.progress.pace
    if card.reported:
        return "reported", f"{card.reported:,}", "broken images" if card.reported > 1 else "broken image"
    if not card.short:
        return "images", f"{card.progress.coverage.items:,}", "all answered"
    if card.state == "running" and pace.per_hour is not None and pace.hours_left is not None:
        return "done in", progress.describe_time_left(pace.hours_left), f"{pace.per_hour:z,.0f} an hour"
    return "images", f"{card.progress.coverage.full:,} of {card.progress.coverage.items:,}", "have enough"


def _acts(card: CampaignCard) -> list[Node]:
    campaign = {"campaign": card.name}
    first = htpy.a(href=campaign_address(card.name))["Open"]
    if card.state == "draft":
        return [
            act_button("Start", "campaign/move", campaign | {"act": "start"}, f"Start {card.title}", "cc-first-act"),
            preview_link(card),
            htpy.a(href=edit_address(card))["Edit"],
        ]
    if card.state == "archived":
        return [first, act_button("Open again", "campaign/move", campaign | {"act": "unarchive"}, f"Open {card.title} again")]
    again = (
        act_button("Pause", "campaign/move", campaign | {"act": "pause"}, f"Pause {card.title}")
        if card.state == "running"
        else act_button("Go on", "campaign/move", campaign | {"act": "start"}, f"Go on with {card.title}")
    )
    return [first, htpy.a(href=campaign_address(card.name, "links"))["Invite"], again, closing(card)]


def edit_address(card: CampaignCard) -> str:
    """Return the address at which a draft is edited: the steps that it was made in."""
    return page_address("people/new", campaign=card.name, step="images")


def closing(card: CampaignCard, kind: str = "cc-quiet-act") -> Node:
    """Return the button that finishes a campaign, and asks first; nothing for a draft, or everyday labelling."""
    if card.everyday or card.state not in ("running", "stopped"):
        return ""
    coverage = card.progress.coverage
    question = [
        f"Close “{card.title}”? Nobody is offered an image any more, and no answer comes in or changes. "
        f"{wording.count(coverage.answers, 'answer')} and what people are paid stay; it can be opened again."
    ]
    if coverage.held:
        verb = "is" if coverage.held == 1 else "are"
        now = f" {wording.count(coverage.held, 'image')} {verb} before somebody now:"
        question.append(f"{now} {'Pause' if card.state == 'running' else 'wait'} first, and these answers come in.")
    close = answer("Close", "campaign/move", {"campaign": card.name, "act": "archive"})
    return asking_button("Close", question, close, f"Close {card.title}", kind=kind, about=card.name)


def preview_link(card: CampaignCard, kind: str = "") -> Node:
    """Return the link to the form as a worker sees it, which stores nothing; everyday labelling has no preview."""
    if card.name == DEFAULT:
        return ""
    href = htpy.a(
        class_=kind or None,
        href=at(f"/annotate/?preview={card.name}"),
        target="_blank",
        title="As the people asked see it; nothing is stored",
    )
    return href["Preview"]
