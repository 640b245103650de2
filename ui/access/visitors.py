"""Who comes: told from the signed cookie, and checked against what accounts and invitations are now."""

from __future__ import annotations

import hmac
from collections.abc import MutableMapping
from dataclasses import dataclass
from typing import Any

from data.people import Role, keyed_hash
from data.store.core.store import Store
from data.store.people import erasing, invitations
from ui.access.accounts import Account, Accounts

Session = MutableMapping[str, Any]

ERASED = "This person has been erased from the project, and nothing is kept of them any more."
_CHANGED = "Your account has changed since you signed in. Sign in again."


class SignedOut(Exception):
    """A session that has ended; the message is a sentence for whoever held it."""


@dataclass(frozen=True, slots=True)
class Visitor:
    """Who has come.

    Attributes:
        name: None where nobody has to have one and they have given none.
        campaign: the only one that they work in; None: the default one.
        invited: whether they came by a link.
    """

    name: str | None
    role: Role
    campaign: str | None = None
    invited: bool = False


def visitor(session: Session, store: Store, accounts: Accounts | None) -> Visitor | None:
    """Who has come, None: somebody unknown. Without accounts everybody who gets here may do everything.

    Raises:
        SignedOut: the session was good once: the invitation is over, the account has changed, the person is erased.
    """
    name = session.get("name")
    if name is not None and erasing.is_erased(store, str(name)):
        raise SignedOut(ERASED)
    if name is not None and "invitation" in session:
        found = invitations.get(store, str(session["invitation"]))
        why = "This invitation is no longer known." if found is None else found.closed()
        if found is None or why:
            raise SignedOut(str(why))
        return Visitor(name, "admin" if accounts is None else found.role, found.campaign, invited=True)
    if accounts is None:
        return Visitor(name, "admin")
    if name is None or "account" not in session:
        return None
    account = accounts.get(str(name))
    if account is None or not hmac.compare_digest(_stamp(store, account), str(session["account"])):
        raise SignedOut(_CHANGED)
    return Visitor(account.name, account.role)


def begin(session: Session, store: Store, account: Account) -> None:
    """Begin a session by password: nothing of an earlier one stays."""
    session.clear()
    session.update({"name": account.name, "account": _stamp(store, account)})


def begin_invited(session: Session, name: str, invitation: invitations.Invitation) -> None:
    """Begin a session by invitation: nothing of an earlier one stays."""
    session.clear()
    session.update({"name": name, "invitation": invitation.invitation_id})
    if invitation.campaign is not None:
        session["campaign"] = invitation.campaign


def _stamp(store: Store, account: Account) -> str:
    """Moves with password and role, and tells nothing of them: cookies can be read by whoever holds them."""
    return keyed_hash(store.secret, "account", f"{account.role} {account.password}")
