"""Invitations: a link opens one campaign in one role, until it expires, is used up or is revoked; and who came by it.

A crowd platform's id is the browser's that came with it first, and of whoever has the person's re-entry code. Secrets, codes
and sessions that were ended are known to the project by keyed hashes alone.
"""

from __future__ import annotations

import secrets
from dataclasses import asdict
from datetime import UTC, datetime
from typing import Final

from data.campaigns.settings import DEFAULT
from data.people import Arrival, Arrived, Invitation, Terms, keyed_hash
from data.records import Rater
from data.refusals import InvitationClosed, InvitationRefused, NameTaken, OtherBrowser
from data.store.campaign_items import campaigns
from data.store.core import rows
from data.store.core.connections import Connection
from data.store.core.store import Store, transaction
from data.store.erased import Erased
from data.store.imports import ImportRefused, insert_raters

_LETTERS: Final = "ABCDEFGHJKMNPQRSTUVWXYZ23456789"
_GROUPS, _GROUP = 3, 4


def new_code() -> str:
    """A re-entry code, such as ``K7QF-9M2X-TB4H``: 59 bits, without letters that look like others."""
    return "-".join("".join(secrets.choice(_LETTERS) for _ in range(_GROUP)) for _ in range(_GROUPS))


def code_hash(key: str, person: str, code: str) -> str:
    """Of a code as it is typed: case and what stands between the letters do not matter. ``key``: the project's."""
    plain = "".join(letter for letter in code.upper() if letter.isalnum())
    return keyed_hash(key, "re-entry", f"{person} {plain}")


@transaction(touched=frozenset(), forget=False)
def record_refusal(connection: Connection, arrival: Arrival) -> None:
    """Record that another browser came with somebody's id, and whose session and network it had: what tells a stranger."""
    connection.execute("update identities set refused = refused + 1 where rater_id = ?", [arrival.name])
    record = {"rater_id": arrival.name, "known_as": arrival.known_as, "network": arrival.network}
    rows.insert(connection, "refused_arrivals", [record | {"moment": datetime.now(UTC)}])


def renew_code(store: Store, person: str) -> str:
    """A new re-entry code for somebody who has lost theirs, which is good no more.

    Raises:
        KeyError: nobody of this name came from a crowd platform.
    """
    code = new_code()
    _renew_code(store, person, code_hash(store.secret, person, code))
    return code


@transaction(shown=False)
def _renew_code(connection: Connection, person: str, code: str) -> None:
    if rows.first(connection, "select 1 from arrivals where rater_id = ? and came_as <> 'name' limit 1", [person]) is None:
        raise KeyError(person)
    connection.execute("delete from identities where rater_id = ?", [person])
    rows.add(connection, "identities", rater_id=person, code=code, refused=0)


_SELECT = (
    "select invitation_id, campaign_id as campaign, role, expires, uses, note, made_by, moment, revoked, signed,"
    " (select count(distinct rater_id) from arrivals a where a.invitation_id = i.invitation_id) as used from invitations i"
)


def create(store: Store, terms: Terms, made_by: str) -> Invitation:
    """Make an invitation; ``concord.people`` makes its link.

    Raises:
        InvitationRefused: there is no such campaign, or it would let nobody in.
    """
    now = datetime.now(UTC)
    if terms.expires <= now:
        raise InvitationRefused(f"an invitation must expire in the future, not on {terms.expires:%Y-%m-%d %H:%M}")
    if terms.uses is not None and terms.uses < 1:
        raise InvitationRefused(f"an invitation is for 1 person or more, not for {terms.uses}")
    made = Invitation(**asdict(terms), invitation_id=secrets.token_hex(6), made_by=made_by, moment=now)
    _create(store, made)
    return made


@transaction(shown=False)
def _create(connection: Connection, made: Invitation) -> None:
    if made.campaign not in (None, DEFAULT) and not campaigns(connection, [str(made.campaign)]):
        raise InvitationRefused(f"there is no campaign {made.campaign!r}")
    record = asdict(made)
    record["campaign_id"] = record.pop("campaign")
    del record["used"]
    rows.insert(connection, "invitations", [record])


def listed(store: Store, campaign: str | None = None) -> list[Invitation]:
    """All invitations, or those to one campaign; newest first."""
    among = {None: "", DEFAULT: " where coalesce(campaign_id, 'default') = ?"}.get(campaign, " where campaign_id = ?")
    parameters = [] if campaign is None else [campaign]
    return store.query_records(Invitation, f"{_SELECT}{among} order by moment desc", parameters)


def arrived(store: Store, campaign: str) -> frozenset[str]:
    """Return the names of those who came to a campaign by an invitation as annotators."""
    query = (
        "select distinct a.rater_id as name from arrivals a join invitations i using (invitation_id)"
        " where coalesce(i.campaign_id, ?) = ? and i.role = 'annotator'"
    )
    return frozenset(str(row["name"]) for row in store.query(query, [DEFAULT, campaign]))


def get(store: Store, invitation_id: str) -> Invitation | None:
    """One invitation, None if there is none; remembered, as every request asks."""

    def read() -> Invitation | None:
        # what is not there is not remembered: anybody may ask for anything
        return next(iter(store.query_records(Invitation, f"{_SELECT} where invitation_id = ?", [invitation_id])), None)

    return store.memory.keep(("invitation", invitation_id), read)


def revoke(store: Store, invitation_id: str, *, now: datetime | None = None) -> None:
    """Take an invitation back: its link and the sessions that began with it end. What was said stays.

    Raises:
        InvitationRefused: there is none of this id.
    """
    _revoke(store, invitation_id, now or datetime.now(UTC))
    store.memory.forget(("invitation", invitation_id))


@transaction(shown=False)
def _revoke(connection: Connection, invitation_id: str, moment: datetime) -> None:
    if rows.first(connection, "select 1 from invitations where invitation_id = ?", [invitation_id]) is None:
        raise InvitationRefused(f"there is no invitation {invitation_id!r}; `people invitations` lists them")
    ended = "update invitations set revoked = ? where invitation_id = ? and revoked is null"
    connection.execute(ended, [moment, invitation_id])


def arrive(store: Store, arrival: Arrival) -> Arrived:
    """Let somebody in by an invitation; returns once they and their coming are on disk.

    Raises:
        InvitationClosed: the invitation is unknown, revoked, expired or used up.
        NameTaken: they typed the name of somebody else, or of somebody who was erased.
        OtherBrowser: a crowd platform's id belongs to another browser, and the re-entry code is none or wrong.
    """
    try:
        arrived = _arrive(store, arrival, store.secret)
    except OtherBrowser:
        record_refusal(store, arrival)
        raise
    # it has been used once more
    store.memory.forget(("invitation", arrival.invitation_id))
    return arrived


@transaction(touched=frozenset(), forget=False)
def _arrive(connection: Connection, arrival: Arrival, key: str) -> Arrived:
    now = datetime.now(UTC)
    record = rows.first(connection, f"{_SELECT} where invitation_id = ?", [arrival.invitation_id])
    if record is None:
        raise InvitationClosed("There is no such invitation.")
    invitation = Invitation(**record)
    if why := invitation.closed(now):
        raise InvitationClosed(why)
    came_by = "select 1 from arrivals where invitation_id = ? and rater_id = ?"
    before = rows.first(connection, came_by, [arrival.invitation_id, arrival.name])
    if before is None and invitation.uses is not None and invitation.used >= invitation.uses:
        raise InvitationClosed("This invitation is used up: the maximum number of people have joined.")
    if arrival.came_as == "name" and arrival.known_as != arrival.name:
        # whoever typed a name must not be taken for another: letters' case and width make no other name
        alike = "select 1 from raters where lower(nfc_normalize(rater_id)) = lower(nfc_normalize(?)) limit 1"
        if rows.first(connection, alike, [arrival.name]) is not None:
            raise NameTaken(f"somebody has the name {arrival.name!r} already")
    try:
        insert_raters(connection, [Rater(arrival.name, "human", "person")], None)
    except (ImportRefused, Erased) as error:
        raise NameTaken(str(error)) from error
    secret, code = (None, None) if arrival.came_as == "name" else _admit_browser(connection, arrival, key, now)
    if before is None:
        came = {"invitation_id": arrival.invitation_id, "rater_id": arrival.name, "came_as": arrival.came_as}
        rows.insert(connection, "arrivals", [came | {"moment": now, "network": arrival.network}])
    return Arrived(invitation, secret, code)


def _admit_browser(connection: Connection, arrival: Arrival, key: str, now: datetime) -> tuple[str | None, str | None]:
    """Let a browser in that may come in; before the arrival is written down. Returns the secret for its cookie and the re-entry
    code; None: it has one, or is not told it again."""
    person, proven = arrival.name, arrival.known_as == arrival.name

    def browser(secret: str) -> dict[str, str]:
        return {"rater_id": person, "secret": keyed_hash(key, "browser", f"{person} {secret}")}

    known = rows.first(connection, "select code from identities where rater_id = ?", [person])
    held = "select 1 from browsers where rater_id = $rater_id and secret = $secret"
    if known is not None and rows.first(connection, held, browser(arrival.secret)) is not None:
        return None, None
    secret, code = secrets.token_urlsafe(24), new_code()
    if known is None:
        # who came before ids belonged to browsers is known by their session alone
        came = rows.first(connection, "select 1 from arrivals where rater_id = ? limit 1", [person])
        if came is not None and not proven:
            raise OtherBrowser
        rows.add(connection, "identities", rater_id=person, code=code_hash(key, person, code), refused=0)
    elif not proven and known["code"] != code_hash(key, person, arrival.code):
        raise OtherBrowser
    rows.insert(connection, "browsers", [browser(secret) | {"moment": now}])
    return secret, code if known is None else None


_ENDED = "ended sessions"
"""The key of ended sessions in the project's memory, as every request asks for them; only this process changes it."""


def is_session_ended(store: Store, session: str) -> bool:
    """Whether a session of this id was ended."""
    ended = store.memory.keep(_ENDED, lambda: frozenset(store.query_column("select session from ended_sessions")))
    return _session_hash(store, session) in ended if ended else False


def end_session(store: Store, session: str, until: datetime, *, now: datetime | None = None) -> None:
    """End a session for all who hold its cookie, now and after a restart; returns once that is on disk.

    ``until`` is when no cookie of it would be good any more; what is older than ``now`` is forgotten.
    """
    mark, moment = _session_hash(store, session), now or datetime.now(UTC)

    def end(connection: Connection) -> None:
        connection.execute("delete from ended_sessions where until < ?", [moment])
        connection.execute("insert or replace into ended_sessions values (?, ?)", [mark, until])

    store.change(end, shown=False)
    store.memory.forget(_ENDED)


def _session_hash(store: Store, session: str) -> str:
    return keyed_hash(store.secret, "session", session)
