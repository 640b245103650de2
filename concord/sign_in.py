"""Sign-in: under which names people work here, who comes by a link, and whether their sessions go on."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any, Final

from concord import people
from data.people import Arrival, Arrived, Invitation, platform_pseudonym
from data.store.campaigns import management, participation
from data.store.core.store import Store
from data.store.people import erasing, invitations

MAX_NAME: Final = 60
ERASED: Final = "This person has been erased from the project; nothing is stored about them."


class NameRefused(ValueError):
    """A text that is no name; the message is a sentence for the person who typed it."""


class SignedOut(Exception):
    """A session that has ended; the message is a sentence for whoever held it."""


def checked_name(text: str) -> str:
    """Return a person's name as they typed it, without blanks around it.

    Raises:
        NameRefused: it is empty, too long, or has characters that cannot be shown.
    """
    name = unicodedata.normalize("NFC", text).strip()
    if not name:
        raise NameRefused("Please type a name.")
    if len(name) > MAX_NAME:
        raise NameRefused("That name is too long. Choose a shorter one.")
    if any(unicodedata.category(character).startswith("C") for character in name):
        raise NameRefused("That name has characters that cannot be shown.")
    return name


def enter(store: Store, typed: str) -> str:
    """Return the name under which somebody works from now on, which the project knows then.

    Raises:
        NameRefused: it is no name.
        NameTaken: it belongs to a scorer or to a study's slot, or to somebody who was erased.
    """
    name = checked_name(typed)
    participation.enter(store, name)
    return name


def leave(store: Store, name: str | None) -> None:
    """Let go of what somebody holds who signs out; a session without a name holds nothing."""
    if name is not None:
        participation.leave(store, name)


def session_invitation(store: Store, name: str | None, invitation_id: str | None) -> Invitation | None:
    """Return the invitation by which a session began; None: by none.

    Raises:
        SignedOut: the person was erased, or the invitation is over.
    """
    if name is not None and erasing.is_erased(store, name):
        raise SignedOut(ERASED)
    if name is None or invitation_id is None:
        return None
    invitation = invitations.get(store, invitation_id)
    why = "This invitation is no longer known." if invitation is None else invitation.closed()
    if invitation is None or why:
        raise SignedOut(str(why))
    return invitation


def has_ended(store: Store, session: Mapping[str, Any]) -> bool:
    """Return True if a cookie's session was ended by signing out, in whatever browser its copies are."""
    return "id" in session and invitations.is_session_ended(store, str(session["id"]))


def end_session(store: Store, session: Mapping[str, Any], seconds: float, lifetime: float) -> None:
    """End a session for all who hold its cookie; returns once that is on disk.

    Args:
        store: the open project.
        session: what the cookie held.
        seconds: now, since 1970.
        lifetime: for so many seconds a cookie is good at most.
    """
    if "id" in session and not has_ended(store, session):
        moment = datetime.fromtimestamp(seconds, UTC)
        invitations.end_session(store, str(session["id"]), moment + timedelta(seconds=lifetime), now=moment)


def arrival_by_link(store: Store, token: str, query: Sequence[tuple[str, str]]) -> tuple[Invitation, Arrival | None]:
    """Return the invitation behind a link, and who came by it from a crowd platform; None: nobody that a platform names.

    Raises:
        InvitationClosed: the link is forged, or the invitation is over.
        UnclearParticipant: a platform sent somebody, and the address does not say whom.
    """
    invitation = people.invitation_behind(store, token)
    sent = people.invited_participant(store, invitation, query)
    if sent is None:
        return invitation, None
    name = platform_pseudonym(store.secret, sent.platform, sent.identifier)
    return invitation, Arrival(invitation.invitation_id, name, sent.platform)


def named_arrival(invitation: Invitation, name: str) -> Arrival:
    """Return the arrival of somebody who typed their name."""
    return Arrival(invitation.invitation_id, name, "name")


def let_in(store: Store, arrival: Arrival, *, known_as: str | None, secret: str, network: str | None) -> Arrived:
    """Let somebody in who came by a link; returns once they and their coming are on disk.

    Args:
        store: the open project.
        arrival: who came.
        known_as: the name that their browser's session is of.
        secret: what their browser keeps for this person.
        network: a keyed hash of where they come from; None: that tells nothing.

    Raises:
        InvitationClosed: the invitation is over or used up.
        NameTaken: they typed the name of somebody else, or of somebody who was erased.
        OtherBrowser: a crowd platform's id belongs to another browser, and the re-entry code is none or wrong.
    """
    return invitations.arrive(store, replace(arrival, known_as=known_as, secret=secret, network=network))


def invitation_title(store: Store, invitation: Invitation) -> str | None:
    """Return the title of the campaign that an invitation is to; None: it is to the default one."""
    campaign = management.get(store, invitation.campaign) if invitation.campaign else None
    return None if campaign is None else campaign.title
