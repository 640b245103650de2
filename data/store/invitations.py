"""Invitations: a link opens one campaign in one role, until it expires, is used up or is revoked; and who came by it."""

from __future__ import annotations

import secrets
import threading
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from weakref import WeakKeyDictionary

import duckdb

from data.people import Role
from data.records import Rater
from data.store import identities, rows
from data.store.campaigns import NameTaken
from data.store.erased import Erased
from data.store.identities import Admission, Claim, Elsewhere
from data.store.imports import ImportRefused, insert_raters
from data.store.places import DEFAULT, campaigns
from data.store.store import Store, run

_COLUMNS = ("invitation_id", "campaign_id", "role", "expires", "uses", "note", "made_by", "moment", "revoked", "signed")
_SELECT = (
    "select invitation_id, campaign_id as campaign, role, expires, uses, note, made_by, moment, revoked, signed,"
    " (select count(distinct rater_id) from arrivals a where a.invitation_id = i.invitation_id) as used from invitations i"
)


class InvitationRefused(ValueError):
    """Nothing was changed; the message says why."""


class Closed(ValueError):
    """The invitation lets nobody in (any more); the message is a sentence for whoever came."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Terms:
    """Whom a link lets in, to what, and until when.

    Attributes:
        campaign: None: the default campaign.
        uses: how many people may come by it; None: any number.
        signed: whether it lets in only those whose id a crowd platform sent is signed with it.
    """

    campaign: str | None
    role: Role
    expires: datetime
    uses: int | None = None
    note: str = ""
    signed: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Invitation(Terms):
    """A link that was handed out.

    Attributes:
        revoked: when it was taken back.
        used: how many people have come by it.
    """

    invitation_id: str
    made_by: str
    moment: datetime
    revoked: datetime | None = None
    used: int = 0

    def closed(self, now: datetime | None = None) -> str | None:
        """Why sessions that began with it are over, as a sentence; None: they go on."""
        if self.revoked is not None:
            return "This invitation has been taken back."
        if self.expires <= (now or datetime.now(UTC)):
            return f"This invitation expired on {self.expires:%Y-%m-%d}."
        return None


_cached: WeakKeyDictionary[Store, dict[str, Invitation | None]] = WeakKeyDictionary()
# asked at every request; only this process changes it
_lock = threading.Lock()


def create(store: Store, terms: Terms, made_by: str) -> Invitation:
    """Make an invitation; ``ui.access.links`` makes its link.

    Raises:
        InvitationRefused: there is no such campaign, or it would let nobody in.
    """
    now = datetime.now(UTC)
    if terms.expires <= now:
        raise InvitationRefused(f"an invitation must expire in the future, not on {terms.expires:%Y-%m-%d %H:%M}")
    if terms.uses is not None and terms.uses < 1:
        raise InvitationRefused(f"an invitation is for 1 person or more, not for {terms.uses}")
    made = Invitation(**asdict(terms), invitation_id=secrets.token_urlsafe(9), made_by=made_by, moment=now)
    store.write(_create, made, shown=False)
    refresh(store)
    return made


def listed(store: Store, campaign: str | None = None) -> list[Invitation]:
    """All invitations, or those to one campaign; newest first."""
    among = {None: "", DEFAULT: " where coalesce(campaign_id, 'default') = ?"}.get(campaign, " where campaign_id = ?")
    with store.read() as cursor:
        found = rows.dicts(cursor, f"{_SELECT}{among} order by moment desc", [] if campaign is None else [campaign])
    return [Invitation(**row) for row in found]


def get(store: Store, invitation_id: str) -> Invitation | None:
    """One invitation, None if there is none; remembered, as every request asks."""
    with _lock:
        known = _cached.setdefault(store, {})
        if invitation_id in known:
            return known[invitation_id]
        with store.read() as cursor:
            found = rows.one(cursor, f"{_SELECT} where invitation_id = ?", [invitation_id])
        # what is not there is not remembered: anybody may ask for anything
        if found is None:
            return None
        known[invitation_id] = Invitation(**found)
        return known[invitation_id]


def revoke(store: Store, invitation_id: str, *, now: datetime | None = None) -> None:
    """Take an invitation back: its link and the sessions that began with it end. What was said stays.

    Raises:
        InvitationRefused: there is none of this id.
    """
    store.write(_revoke, (invitation_id, now or datetime.now(UTC)), shown=False)
    refresh(store)


@dataclass(frozen=True, slots=True)
class Arrival:
    """Somebody comes by a link.

    Attributes:
        came_as: a crowd platform, whose pseudonym ``name`` then is, or ``name``: they typed it.
        known_as: the name that their browser's session is of; None: it has none.
        network: a keyed hash of where they come from; None: that tells nothing.
        secret, code: what their browser's cookie holds for this person, and the re-entry code that they typed.
    """

    invitation_id: str
    name: str
    came_as: str
    known_as: str | None = None
    network: str | None = None
    secret: str = ""
    code: str = ""


@dataclass(frozen=True, slots=True)
class Arrived:
    """Somebody was let in.

    Attributes:
        secret: what their browser is to keep for this person; None: it has it, or needs none.
        code: their re-entry code, told this once; None: it was told before, or they need none.
    """

    invitation: Invitation
    secret: str | None = None
    code: str | None = None


def arrive(store: Store, arrival: Arrival, *, now: datetime | None = None) -> Arrived:
    """Let somebody in by an invitation; returns once they and their coming are on disk.

    Raises:
        Closed: the invitation is unknown, revoked, expired or used up.
        NameTaken: they typed the name of somebody else, or of somebody who was erased.
        Elsewhere: a crowd platform's id belongs to another browser, and the re-entry code is none or wrong.
    """
    person, secret, code = arrival.name, identities.new_secret(), identities.new_code()
    claim = Claim(
        person,
        arrival.known_as == person,
        held=identities.secret_hash(store, person, arrival.secret),
        typed=identities.code_hash(store, person, arrival.code),
        secret=identities.secret_hash(store, person, secret),
        code=identities.code_hash(store, person, code),
    )
    try:
        found: tuple[Invitation, Admission] = store.write(
            _arrive, (arrival, claim, now or datetime.now(UTC)), touched=frozenset(), forget=False
        )
    except Elsewhere:
        identities.note_refused(store, person)
        raise
    refresh(store)
    invitation, gets = found
    return Arrived(invitation, secret if gets.secret else None, code if gets.code else None)


def refresh(store: Store) -> None:
    """Read invitations again when they are asked for next."""
    with _lock:
        _cached.pop(store, None)


def _create_one(connection: duckdb.DuckDBPyConnection, made: Invitation) -> None:
    if made.campaign not in (None, DEFAULT) and not campaigns(connection, [str(made.campaign)]):
        raise InvitationRefused(f"there is no campaign {made.campaign!r}")
    last = (made.note, made.made_by, made.moment, None, made.signed)
    rows.insert(
        connection,
        "invitations",
        _COLUMNS,
        [(made.invitation_id, made.campaign, made.role, made.expires, made.uses, *last)],
    )


def _revoke_one(connection: duckdb.DuckDBPyConnection, payload: tuple[str, datetime]) -> None:
    invitation_id, now = payload
    if rows.one(connection, "select 1 from invitations where invitation_id = ?", [invitation_id]) is None:
        raise InvitationRefused(f"there is no invitation {invitation_id!r}; `people invitations` lists them")
    connection.execute("update invitations set revoked = ? where invitation_id = ? and revoked is null", [now, invitation_id])


def _arrive_one(
    connection: duckdb.DuckDBPyConnection, payload: tuple[Arrival, Claim, datetime]
) -> tuple[Invitation, Admission]:
    arrival, claim, now = payload
    found = rows.one(connection, f"{_SELECT} where invitation_id = ?", [arrival.invitation_id])
    if found is None:
        raise Closed("There is no such invitation.")
    invitation = Invitation(**found)
    if why := invitation.closed(now):
        raise Closed(why)
    before = connection.execute(
        "select 1 from arrivals where invitation_id = ? and rater_id = ?", [arrival.invitation_id, arrival.name]
    ).fetchone()
    if before is None and invitation.uses is not None and invitation.used >= invitation.uses:
        raise Closed("This invitation has been used up: as many people as it was for have come.")
    if arrival.came_as == "name" and arrival.known_as != arrival.name:
        _check_free(connection, arrival.name)
    try:
        insert_raters(connection, [Rater(arrival.name, "human", "person")], None)
    except (ImportRefused, Erased) as error:
        raise NameTaken(str(error)) from error
    gets = Admission() if arrival.came_as == "name" else identities.admit(connection, claim, now)
    if before is None:
        came = (arrival.invitation_id, arrival.name, arrival.came_as, now, arrival.network)
        rows.insert(connection, "arrivals", ("invitation_id", "rater_id", "came_as", "moment", "network"), [came])
    return invitation, gets


def _check_free(connection: duckdb.DuckDBPyConnection, name: str) -> None:
    """Whoever typed a name must not be taken for another: letters' case and width make no other name."""
    known = connection.execute(
        "select 1 from raters where lower(nfc_normalize(rater_id)) = lower(nfc_normalize(?)) limit 1", [name]
    ).fetchone()
    if known is not None:
        raise NameTaken(
            f"the name {name!r} is taken. If it is yours, open the link in the browser that you used first;"
            " else choose another name"
        )


_create = run(_create_one)
_revoke = run(_revoke_one)
_arrive = run(_arrive_one)
