"""Links of a campaign: invitations and who came by them, a person's own link, and how people come back without their code."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Final

import htpy
from htpy import Element, Node

from concord import people
from concord.campaigns import managing
from concord.campaigns.cards import CampaignCard
from concord.common import wording
from concord.common.base_path import at
from concord.common.table import Cell
from concord.open_project import OpenProject
from data.people import LINK_DAYS, PLATFORMS, ROLES, Invitation
from ui.components.tables import Cells, code, plain_table, small, table_element, when
from ui.pages.people.acts import act_button, act_form
from ui.pages.people.crowd_table import pill
from ui.pages.people.view import PeopleView
from ui.shell.html import rendered

NONE: Final = "This campaign has no link yet."
INVITE_HINT: Final = (
    "Whoever opens the link joins this campaign in that role. A link for answering shows nothing of Studio. On a crowd "
    "platform add ?PROLIFIC_PID={{%PROLIFIC_PID%}} (or what it has): that becomes a pseudonym, and belongs to the browser that "
    "comes with it first; who uses another one needs the re-entry code that they were shown."
)
OWN_HINT: Final = (
    "A link that lets in one participant of a crowd platform, signed: nobody else’s id fits it. A link that was made “signed” "
    "opens only so."
)
CODE_HINT: Final = "Somebody from a crowd platform who lost their re-entry code gets a new one; the one before ends."


def links_tab(store: OpenProject, card: CampaignCard, view: PeopleView) -> Node:  # noqa: ARG001
    """Return the forms; the links themselves come from a route of administrators, as each opens what it says."""
    body = {"campaign": card.name}
    make = act_form(
        "people/links",
        body,
        [
            htpy.div(class_="cc-fields")[
                _field(
                    "Role", "what they may", htpy.select(name="role", class_="cc-input")[[htpy.option[role] for role in ROLES]]
                ),
                _field("Days", "until it expires", _number("days", LINK_DAYS)),
                _field("Uses", "people; empty: no limit", _number("uses", None)),
                _field("Note", "for yourself", htpy.input(type="text", name="note", class_="cc-input", maxlength="500")),
                htpy.label(class_="cc-field is-box")[
                    htpy.input(type="checkbox", name="signed", data_kind="bool"),
                    htpy.span["Signed", " ", htpy.small["only for people whose own link you make"]],
                ],
            ],
            htpy.p(class_="cc-act-said", role="alert"),
            htpy.button(type="submit", class_="cc-button cc-button--primary")["Make a link"],
        ],
    )
    return [
        htpy.p(class_="cc-tab-lead")[INVITE_HINT],
        make,
        htpy.div(class_="cc-links-place", data_fetch=at(f"/api/studio/people/links?campaign={card.name}"))[
            htpy.p(class_="cc-part-hint")["Links …"]
        ],
        _own_link(card.name),
        _code(),
    ]


def _field(label: str, hint: str, control: Node) -> Element:
    return htpy.label(class_="cc-field")[htpy.span[label, " ", htpy.small[hint]], control]


def _number(name: str, value: int | None) -> Node:
    return htpy.input(
        type="number",
        name=name,
        class_="cc-input",
        data_kind="number",
        min="0",
        step="any",
        value="" if value is None else str(value),
    )


def _own_link(campaign: str) -> Element:
    return htpy.section(class_="cc-part")[
        htpy.div(class_="cc-part-head")[htpy.h2["A person’s own link"]],
        htpy.p(class_="cc-part-hint")[OWN_HINT],
        act_form(
            "people/link",
            {},
            [
                htpy.div(class_="cc-fields")[
                    _field(
                        "Link",
                        "of which of the links above",
                        htpy.select(name="invitation", class_="cc-input", data_invitations=""),
                    ),
                    _field(
                        "Platform",
                        "that sends them",
                        htpy.select(name="platform", class_="cc-input")[[htpy.option[each] for each in PLATFORMS]],
                    ),
                    _field(
                        "Id",
                        "the person’s on the platform",
                        htpy.input(type="text", name="identifier", class_="cc-input", maxlength="200"),
                    ),
                ],
                htpy.p(class_="cc-act-said", role="alert"),
                htpy.button(type="submit", class_="cc-button")["Make their link"],
            ],
            data_says="{path}",
            data_link="path",
            aria_label=f"A person’s own link to {campaign}",
        ),
    ]


def _code() -> Element:
    name = htpy.input(type="text", name="name", class_="cc-input", maxlength="1000", required=True)
    return htpy.section(class_="cc-part")[
        htpy.div(class_="cc-part-head")[htpy.h2["A new re-entry code"]],
        htpy.p(class_="cc-part-hint")[CODE_HINT],
        act_form(
            "people/code",
            {},
            [
                htpy.div(class_="cc-fields")[_field("Person", "their pseudonym, such as prolific-1a2b3c4d5e", name)],
                htpy.p(class_="cc-act-said", role="alert"),
                htpy.button(type="submit", class_="cc-button")["New re-entry code"],
            ],
            data_says="The new re-entry code: {code}. It is shown only now.",
        ),
    ]


def links_table(store: OpenProject, campaign: str) -> str:
    """Return all links of a campaign as HTML, the newest first: each opens what it says."""
    listed = managing.links(store, campaign)
    if not listed:
        return rendered(htpy.p(class_="cc-part-hint")[NONE])
    now = datetime.now(UTC)
    rows = [_link_row(store, invitation, now) for invitation in listed]
    heads = ("link", "for", "used", "expires", "made by", "")
    return rendered(table_element(plain_table(wording.count(len(listed), "link"), heads, rows), "cc-links"))


def _link_row(store: OpenProject, invitation: Invitation, now: datetime) -> Cells:
    path = at(people.link_path(store, invitation))
    closed = invitation.closed(now)
    used_up = invitation.uses is not None and invitation.used >= invitation.uses
    moment = f"{invitation.moment:%Y-%m-%d %H:%M}"
    shown: Node = htpy.span(data_absolute=path)[code(path)]
    acts: Node = [
        htpy.button(
            type="button", class_="cc-button", data_copy=path, aria_label=f"Copy the link for {invitation.role}s, made {moment}"
        )["Copy"],
        act_button(
            "Revoke",
            "people/links/revoke",
            {"invitation": invitation.invitation_id},
            f"Revoke the link made {moment}",
            "cc-button",
        ),
    ]
    if closed is not None:
        shown, acts = htpy.span(class_="cc-detail")[closed], ""
    used = f"{invitation.used:,} of {invitation.uses:,}" if invitation.uses is not None else f"{invitation.used:,}"
    remarks = [small(invitation.note)]
    if invitation.signed and closed is None:
        remarks.append(small("Signed: opens for nobody as it is; make each person’s own link below."))
    option = (
        closed is None
        and htpy.span(hidden=True, data_invitation=invitation.invitation_id)[
            f"{invitation.role}, made {moment}{f', {invitation.note}' if invitation.note else ''}"
        ]
    )
    return [
        Cell(path, content=[shown, remarks, option]),
        invitation.role,
        Cell(used, content=[f"{used} ", pill("used up", "warn") if used_up and closed is None else ""]),
        Cell("", content=when(invitation.expires)),
        invitation.made_by,
        Cell("", content=htpy.div(class_="cc-people-acts")[acts]),
    ]
