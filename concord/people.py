"""People: who did how much, invitations and their links, revoking and erasing; the commands ``people``.

An invitation link carries the invitation's id, signed with the project's secret, and nothing else. A crowd platform adds who
comes to a link's address; a pseudonym is kept instead. A link for one person of a platform carries their id, too, and a
signature of both: nobody else's id fits it.
"""

from __future__ import annotations

import hmac
import re
from collections.abc import Iterable, Sequence
from dataclasses import asdict, astuple, dataclass, fields
from datetime import UTC, datetime, timedelta
from typing import Final
from urllib.parse import urlencode

from itsdangerous import BadData, URLSafeSerializer

from concord.common.context import CommandError, Context, UsageError
from concord.common.table import texts
from concord.common.text_tables import aligned, csv_text
from concord.people_requests import InviteRequest
from data.campaigns.settings import DEFAULT
from data.people import Invitation, Terms, keyed_hash, platform_pseudonym
from data.refusals import InvitationClosed
from data.store.campaigns import management, monitoring
from data.store.core.store import Store
from data.store.judgements import answer_status, revocations
from data.store.people import invitations

PARAMETERS: Final = {"prolific": "PROLIFIC_PID", "mturk": "workerId", "participant": "participant"}
"""What each platform calls the id in an address."""
_PLATFORMS: Final = {name.lower(): platform for platform, name in PARAMETERS.items()}
_MAX_LENGTH: Final = 200
_PREVIEW: Final = "ASSIGNMENT_ID_NOT_AVAILABLE"


class UnclearParticipant(ValueError):
    """The address says that a platform sent somebody, and not whom; the message is a sentence for them."""


@dataclass(frozen=True, slots=True)
class Participant:
    """Somebody whom a platform sent, by its own id: never stored."""

    platform: str
    identifier: str


def participant_in(query: Iterable[tuple[str, str]]) -> Participant | None:
    """Whom a link's address says that a platform sent: by ``PROLIFIC_PID``, MTurk's ``workerId`` or ``participant``.

    Raises:
        Unclear: it does so without a usable id.
    """
    parameters = [(name.lower(), value.strip()) for name, value in query]
    if ("assignmentid", _PREVIEW) in parameters:
        raise UnclearParticipant("This is a preview. Accept the task first, then open it again.")
    sent = [(platform, value) for name, value in parameters if (platform := _PLATFORMS.get(name))]
    if not sent:
        return None
    if len(set(sent)) > 1:
        raise UnclearParticipant("This address names more than one participant. Open the study once more from its page.")
    platform, identifier = sent[0]
    # a placeholder that the platform has not filled in would make one person of all
    if not identifier or len(identifier) > _MAX_LENGTH or any(mark in identifier for mark in "{}%$<>"):
        raise UnclearParticipant("This address does not say who you are. Open the study once more from its page.")
    return Participant(platform, identifier)


JOIN = "/join"
UNSIGNED = "This study lets in only people with a link of their own. Open the link that was sent to you."
_SIGNATURE = "signature"
_FORGED = "This link is not complete, or not one of ours. Copy it once more, or ask whoever sent it for another."


def link_path(store: Store, invitation: Invitation) -> str:
    """The path of an invitation's link; it begins with ``/join/`` and belongs behind the app's address."""
    return f"{JOIN}/{_link_signer(store).dumps(invitation.invitation_id)}"


def invitation_behind(store: Store, token: str) -> Invitation:
    """The invitation behind a token, if it still lets somebody in.

    Raises:
        Closed: the token is forged, or the invitation revoked or expired; the message is a sentence for whoever came.
    """
    try:
        invitation_id = _link_signer(store).loads(token)
    except BadData as error:
        raise InvitationClosed(_FORGED) from error
    invitation = invitations.get(store, str(invitation_id))
    if invitation is None:
        raise InvitationClosed(_FORGED)
    if why := invitation.closed():
        raise InvitationClosed(why, "Ask whoever sent the link for another.")
    return invitation


def personal_link_path(store: Store, invitation: Invitation, person: Participant) -> str:
    """The path of the link of one person of a crowd platform."""
    query = {PARAMETERS[person.platform]: person.identifier, _SIGNATURE: _signature(store, invitation, person)}
    return f"{link_path(store, invitation)}?{urlencode(query)}"


def invited_participant(store: Store, invitation: Invitation, query: Sequence[tuple[str, str]]) -> Participant | None:
    """Whom a platform sent by this invitation: with its signature, where their id has to have one or says that it does.

    Raises:
        UnclearParticipant: the address does not say whom.
        InvitationClosed: there is no such signature; the message is a sentence for whoever came.
    """
    person, signature = participant_in(query), dict(query).get(_SIGNATURE)
    if invitation.signed and (person is None or signature is None):
        raise InvitationClosed(UNSIGNED)
    if (
        person
        and signature is not None
        and not hmac.compare_digest(signature.encode(), _signature(store, invitation, person).encode())
    ):
        raise InvitationClosed(_FORGED)
    return person


def _signature(store: Store, invitation: Invitation, person: Participant) -> str:
    return keyed_hash(store.secret, "participant", f"{invitation.invitation_id} {person.platform} {person.identifier}")


def _link_signer(store: Store) -> URLSafeSerializer:
    return URLSafeSerializer(store.secret, salt="concord invitation")


BY = "command line"
_UNITS = {"m": "minutes", "h": "hours", "d": "days", "w": "weeks"}


@dataclass(frozen=True, slots=True)
class PersonRow:
    """One person's work in a campaign, as `people list` prints it: the fields are the columns and the keys of JSON."""

    campaign: str
    person: str
    valid: int
    surplus: int
    gold: int
    gold_right: int
    attention: int
    attention_right: int
    training: int
    training_right: int
    reported: int
    reported_share: float | None
    active_minutes: float | None
    first: str | None
    last: str | None
    revoked: bool
    paused: str | None
    same_network: int
    other_browsers: int
    simulated: bool


@dataclass(frozen=True, slots=True)
class InvitationRow:
    """An invitation, as `people invitations` prints it: the fields are the columns and the keys of JSON."""

    id: str
    campaign: str
    role: str
    state: str
    used: int
    uses: int | None
    expires: str
    note: str
    link: str


def list_people(context: Context, campaign: str | None, form: str) -> None:
    """``people list``."""
    store = context.store
    rows = [_person_row(name, worker) for name in _campaigns(store, campaign) for worker in monitoring.workers(store, name)]
    if not rows and form == "table":
        raise CommandError("nobody has answered anything yet")
    _write(context, PersonRow, rows, form)


def invite(context: Context, request: InviteRequest) -> None:
    """``people invite``."""
    terms = Terms(
        campaign=None if request.campaign == DEFAULT else request.campaign,
        role=request.role,
        expires=_parse_time(request.expires),
        uses=request.uses,
        note=request.note,
        signed=request.signed,
    )
    made = invitations.create(context.store, terms, BY)
    context.say(request.address.rstrip("/") + link_path(context.store, made))
    how_many = "" if request.uses is None else f" for {request.uses} {'person' if request.uses == 1 else 'people'}"
    context.warn(
        f"invitation {made.invitation_id} as {request.role} to {request.campaign}{how_many},"
        f" until {made.expires:%Y-%m-%d %H:%M} UTC"
    )
    if not request.address:
        context.warn("put the address before it under which people reach the app")


def list_invitations(context: Context, campaign: str | None, form: str) -> None:
    """``people invitations``."""
    listed = invitations.listed(context.store, campaign)
    if not listed and form == "table":
        raise CommandError("there are no invitations; `people invite` creates one")
    now = datetime.now(UTC)
    rows = [
        InvitationRow(
            id=invitation.invitation_id,
            campaign=invitation.campaign or DEFAULT,
            role=invitation.role,
            state="revoked" if invitation.revoked else "expired" if invitation.closed(now) else "open",
            used=invitation.used,
            uses=invitation.uses,
            expires=invitation.expires.isoformat(timespec="minutes"),
            note=invitation.note,
            link=link_path(context.store, invitation),
        )
        for invitation in listed
    ]
    _write(context, InvitationRow, rows, form)


def uninvite(context: Context, invitation: str) -> None:
    """``people uninvite``."""
    invitations.revoke(context.store, invitation)
    context.say("the invitation is taken back: its link and the sessions that began with it end; what was said stays")


def revoke(context: Context, name: str, campaign: str | None, uncounted: bool) -> None:
    """``people revoke``."""
    if campaign is not None:
        _campaigns(context.store, campaign)
    if not revocations.is_person(context.store, name):
        raise CommandError(f"there is nobody called {name!r} in this project; `people list` has the names")
    n = revocations.revoke(context.store, name, BY, campaign, uncount=uncounted)
    counted = f"; {n} answers count no more" if uncounted else "; what they answered counts as before (--uncounted)"
    context.say(f"{name} gets nothing more in {campaign or 'any campaign'}, and others get what they held{counted}")


def reinstate(context: Context, name: str, campaign: str | None) -> None:
    """``people reinstate``."""
    revoked = [
        gone for gone in revocations.current_revocations(context.store) if (gone.person, gone.campaign) == (name, campaign)
    ]
    if revoked and all(gone.by == answer_status.BY_PERSON for gone in revoked):
        raise CommandError(f"{name!r} has withdrawn these answers; they stay withdrawn")
    if not revoked:
        where = f" from {campaign}" if campaign else " from the whole project (from one campaign: --campaign)"
        raise CommandError(f"{name!r} is not revoked{where}")
    n = revocations.restore(context.store, name, BY, campaign)
    context.say(f"{name} may go on in {campaign or 'all campaigns'}; {n} answers count again")


def print_pseudonym(context: Context, platform: str, identifier: str) -> None:
    """``people pseudonym``."""
    context.say(platform_pseudonym(context.store.secret, platform, identifier.strip()))


def print_link(context: Context, invitation: str, platform: str, identifier: str, address: str) -> None:
    """``people link``."""
    context.say(address.rstrip("/") + personal_link(context.store, invitation, platform, identifier))


def personal_link(store: Store, invitation: str, platform: str, identifier: str) -> str:
    """Return the path of a link that lets in one participant of a crowd platform.

    Raises:
        CommandError: there is no such invitation, or the id is none.
    """
    stored = invitations.get(store, invitation)
    if stored is None:
        raise CommandError(f"there is no invitation {invitation!r}; `people invitations` lists them")
    if platform not in PARAMETERS:
        raise CommandError(f"there is no platform {platform!r}; there are {', '.join(PARAMETERS)}")
    if not identifier.strip():
        raise CommandError("give the participant's id on the platform")
    return personal_link_path(store, stored, Participant(platform, identifier.strip()))


def new_reentry_code(store: Store, name: str) -> str:
    """Return a new re-entry code for somebody who lost theirs, which ends.

    Raises:
        CommandError: nobody of this name came from a crowd platform.
    """
    try:
        return invitations.renew_code(store, name)
    except KeyError:
        raise CommandError(f"nobody called {name!r} came from a crowd platform; `people list` has the names") from None


def print_reentry_code(context: Context, name: str) -> None:
    """``people code``."""
    context.say(new_reentry_code(context.store, name))
    context.warn(f"the re-entry code of {name}: shown only now")


def _person_row(campaign: str, stats: monitoring.WorkerStats) -> PersonRow:
    return PersonRow(
        campaign=campaign,
        person=stats.person,
        valid=stats.valid,
        surplus=stats.surplus,
        gold=stats.gold,
        gold_right=stats.gold_right,
        attention=stats.attention,
        attention_right=stats.attention_right,
        training=stats.training,
        training_right=stats.training_right,
        reported=stats.reported,
        reported_share=None if stats.reported_share is None else round(stats.reported_share, 3),
        active_minutes=None if stats.seconds is None else round(stats.seconds / 60, 1),
        first=None if stats.first is None else stats.first.isoformat(timespec="minutes"),
        last=None if stats.last is None else stats.last.isoformat(timespec="minutes"),
        revoked=stats.revoked,
        paused=stats.paused,
        same_network=stats.same_network,
        other_browsers=stats.other_browsers,
        simulated=stats.simulated,
    )


def _campaigns(store: Store, campaign: str | None) -> list[str]:
    names = [row.campaign_id for row in management.listed(store)]
    if campaign is None:
        return names
    if campaign not in (*names, DEFAULT):
        raise CommandError(f"there is no campaign {campaign!r}; there are {', '.join(names) or 'none'}")
    return [campaign]


def _parse_time(text: str) -> datetime:
    """So long from now, or the end of a date."""
    if match := re.fullmatch(r"(\d{1,4})([mhdw])", text.strip()):
        return datetime.now(UTC) + timedelta(**{_UNITS[match[2]]: int(match[1])})
    try:
        moment = datetime.fromisoformat(text)
    except ValueError as error:
        raise UsageError(f"--expires {text!r}: write 30m, 12h, 7d or 4w, or a date such as 2027-01-31") from error
    moment = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return moment + timedelta(days=1) if len(text) == len("2027-01-31") else moment


def _write(
    context: Context, kind: type[PersonRow | InvitationRow], rows: Sequence[PersonRow | InvitationRow], form: str
) -> None:
    """Say rows as a table, CSV or JSON; the fields of `kind` are its columns."""
    if form == "json":
        context.say_json([asdict(row) for row in rows])
        return
    write = _csv if form == "csv" else _words
    table = texts("", [each.name for each in fields(kind)], [[*map(write, astuple(row))] for row in rows])
    context.say(*([csv_text(table).rstrip("\n")] if form == "csv" else aligned(table)))


def _csv(value: str | float | None) -> str:
    return "" if value is None else str(value)


def _words(value: str | float | None) -> str:
    text = "-" if value is None or value is False else "yes" if value is True else str(value)
    # a name may hold what moves a terminal's cursor
    return "".join(each if each.isprintable() else "?" for each in text)
