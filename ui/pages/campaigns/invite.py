"""Invitation links of one campaign: make, copy, take back."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from html import escape

from concord.common import wording
from concord.people import link_path
from data.people import ROLES
from data.store.core.store import Store
from data.store.people import invitations
from data.store.people.invitations import Invitation, Terms
from ui.components.acting import button
from ui.components.table import WRAP, note
from ui.pages.campaigns.who import Actor

NONE = "No link has been made for this campaign yet."
HINT = (
    "Whoever opens the link joins this campaign in that role. A link for annotators shows nothing of the studio. On a crowd"
    " platform add ?PROLIFIC_PID={{%PROLIFIC_PID%}} (or what it has): that becomes a pseudonym, and belongs to the browser that"
    " comes with it first; who uses another one needs the re-entry code that they were shown."
)
MAY_NOT = "Only an administrator hands out links."
SIGNED = "only for people whose own link you make: people link INVITATION PLATFORM ID"
_LONGEST = 3650
Given = tuple[str | None, float | None, float | None, str | None, bool]
"""What the form holds: role, days, uses, note, and whether links are signed."""


def make(store: Store, campaign: str, given: Given, by: str) -> str:
    """Make a link; what is wrong in a sentence, nothing if it was made."""
    role, days, uses, remark, signed = given
    if role not in ROLES:
        return f"The role is one of {', '.join(ROLES)}."
    if days is None or not 0 < days <= _LONGEST:
        return f"A link is good for more than 0 days, and at most {_LONGEST:,}."
    terms = Terms(
        campaign=campaign,
        role=role,
        expires=datetime.now(UTC) + timedelta(days=days),
        uses=int(uses) if uses else None,
        note=(remark or "").strip()[:500],
        signed=signed,
    )
    try:
        invitations.create(store, terms, by)
    except ValueError as error:
        return f"{str(error)[:1].upper()}{str(error)[1:]}."
    return ""


def revoke(store: Store, invitation_id: str) -> str:
    """Take a link back; what is wrong in a sentence."""
    try:
        invitations.revoke(store, invitation_id)
    except ValueError as error:
        return f"{str(error)[:1].upper()}{str(error)[1:]}."
    return ""


def links(store: Store, campaign: str, who: Actor) -> str:
    """The links, for whoever may hand them out: each opens what it says to whoever has it."""
    return table(store, campaign, who.base) if who.may_invite else note(MAY_NOT)


def table(store: Store, campaign: str, base: str, now: datetime | None = None) -> str:
    """All links of a campaign, the newest first; ``base`` is the app's own address, without a slash at its end."""
    found = invitations.listed(store, campaign)
    if not found:
        return note(NONE)
    head = "".join(f'<th scope="col">{name}</th>' for name in ("link", "for", "used", "expires", "made by", ""))
    rows = "".join(_row(store, one, base, now or datetime.now(UTC)) for one in found)
    return (
        f'{WRAP}<table class="cc-table cc-links"><caption>{wording.count(len(found), "link")}</caption>'
        f"<thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table></div>"
    )


def _row(store: Store, one: Invitation, base: str, now: datetime) -> str:
    link = base + link_path(store, one)
    closed = one.closed(now)
    used_up = one.uses is not None and one.used >= one.uses
    what = f'<code class="cc-code">{escape(link)}</code>'
    acts = button("Copy", "copy", f"Copy the link for {one.role}s, made {one.moment:%Y-%m-%d %H:%M}", copied=link)
    acts += button("Revoke", "unlink", f"Revoke the link made {one.moment:%Y-%m-%d %H:%M}", invitation=one.invitation_id)
    if closed is not None:
        what, acts = f'<span class="cc-detail">{escape(closed)}</span>', ""
    used = f"{one.used:,} of {one.uses:,}" if one.uses is not None else f"{one.used:,}"
    full = '<span class="cc-badge cc-badge--warn">used up</span>' if used_up and closed is None else ""
    remark = f'<small class="cc-detail">{escape(one.note)}</small>' if one.note else ""
    if one.signed and closed is None:
        make_one = f"Signed: opens for nobody as it is. A person’s own link: people link {one.invitation_id} PLATFORM ID"
        remark += f'<small class="cc-detail">{escape(make_one)}</small>'
    return (
        f'<tr><th scope="row">{what}{remark}</th><td>{escape(one.role)}</td><td>{used} {full}</td>'
        f"<td>{one.expires:%Y-%m-%d %H:%M} UTC</td><td>{escape(one.made_by)}</td><td>{acts}</td></tr>"
    )
