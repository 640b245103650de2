"""Invitation links: the address carries the invitation's id, signed with the project's secret, and nothing else.

A link for one person of a crowd platform carries their id, too, and a signature of both: nobody else's id fits it.
"""

from __future__ import annotations

import hmac
from collections.abc import Mapping
from urllib.parse import urlencode

from itsdangerous import BadData, URLSafeSerializer

from data.people import keyed_hash
from data.store.core.store import Store
from data.store.people import invitations
from data.store.people.invitations import Invitation, InvitationClosed
from ui.access.platforms import PARAMETERS, Participant

JOIN = "/join"
UNSIGNED = "This study lets in only people with a link of their own. Open the link that was sent to you."
_SIGNATURE = "signature"
_FORGED = "This link is not complete, or not one of ours. Copy it once more, or ask whoever sent it for another."


def address(store: Store, invitation: Invitation) -> str:
    """The path of an invitation's link; it begins with ``/join/`` and belongs behind the app's address."""
    return f"{JOIN}/{_signer(store).dumps(invitation.invitation_id)}"


def opened(store: Store, token: str) -> Invitation:
    """The invitation behind a token, if it still lets somebody in.

    Raises:
        Closed: the token is forged, or the invitation revoked or expired; the message is a sentence for whoever came.
    """
    try:
        invitation_id = _signer(store).loads(token)
    except BadData as error:
        raise InvitationClosed(_FORGED) from error
    invitation = invitations.get(store, str(invitation_id))
    if invitation is None:
        raise InvitationClosed(_FORGED)
    if why := invitation.closed():
        raise InvitationClosed(f"{why} Ask whoever sent the link for another.")
    return invitation


def personal(store: Store, invitation: Invitation, person: Participant) -> str:
    """The path of the link of one person of a crowd platform."""
    query = {PARAMETERS[person.platform]: person.identifier, _SIGNATURE: _signature(store, invitation, person)}
    return f"{address(store, invitation)}?{urlencode(query)}"


def check_signature(store: Store, invitation: Invitation, person: Participant, query: Mapping[str, str]) -> None:
    """Whether a person's id came with this invitation's signature, where it has to or says that it does.

    Raises:
        Closed: it did not; the message is a sentence for whoever came.
    """
    given = query.get(_SIGNATURE)
    if given is None and not invitation.signed:
        return
    if given is None:
        raise InvitationClosed(UNSIGNED)
    if not hmac.compare_digest(given.encode(), _signature(store, invitation, person).encode()):
        raise InvitationClosed(_FORGED)


def _signature(store: Store, invitation: Invitation, person: Participant) -> str:
    return keyed_hash(store.secret, "participant", f"{invitation.invitation_id} {person.platform} {person.identifier}")


def _signer(store: Store) -> URLSafeSerializer:
    return URLSafeSerializer(store.secret, salt="concord invitation")
