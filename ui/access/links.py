"""Invitation links: the address carries the invitation's id, signed with the project's secret, and nothing else."""

from __future__ import annotations

from itsdangerous import BadData, URLSafeSerializer

from data.store import invitations
from data.store.invitations import Closed, Invitation
from data.store.store import Store

JOIN = "/join"
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
        raise Closed(_FORGED) from error
    invitation = invitations.get(store, str(invitation_id))
    if invitation is None:
        raise Closed(_FORGED)
    if why := invitation.closed():
        raise Closed(f"{why} Ask whoever sent the link for another.")
    return invitation


def _signer(store: Store) -> URLSafeSerializer:
    return URLSafeSerializer(store.secret, salt="concord invitation")
