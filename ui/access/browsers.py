"""What a browser keeps for whoever a crowd platform sent: a secret of its own for each person, in a cookie beside the session.

The session ends and is exchanged; this cookie says, for a year, that the person came with this browser before.
"""

from __future__ import annotations

import hashlib
from ipaddress import ip_address

from starlette.requests import Request
from starlette.responses import Response

from data.people import keyed_hash
from data.store.core.store import Store
from ui.access.limits import network
from ui.access.sessions import YEAR_SECONDS
from ui.root import root


def secret(request: Request, store: Store, person: str) -> str:
    """What this browser keeps for a person; empty: nothing."""
    return request.cookies.get(_name(request, store, person), "")


def keep(request: Request, response: Response, store: Store, person: str, value: str) -> None:
    """Let this browser keep a secret; the guard adds ``secure`` over https."""
    response.set_cookie(
        _name(request, store, person), value, max_age=YEAR_SECONDS, path=root() or "/", httponly=True, samesite="lax"
    )


def network_hash(request: Request, store: Store) -> str | None:
    """Names the network that somebody comes from, and tells nothing of it; None for this machine itself."""
    address = request.client.host if request.client else ""
    try:
        told = not ip_address(address).is_loopback
    except ValueError:
        told = False
    return keyed_hash(store.secret, "network", network(address)) if told else None


def _name(request: Request, store: Store, person: str) -> str:
    """Another one for each project and person; no neighbour's host sets one of the ``__Host-`` kind."""
    name = f"concord-{hashlib.sha256(store.secret.encode()).hexdigest()[:8]}-{person}"
    return f"__Host-{name}" if request.url.scheme == "https" and not root() else name
