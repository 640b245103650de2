"""When an item was offered, as a moment that the server signs and the browser sends back: nobody can have worked longer."""

from __future__ import annotations

from datetime import UTC, datetime

from itsdangerous import BadSignature, Signer

from data.store.core.store import Store
from ui.asking import Asking


def sign(store: Store, person: str, about: Asking, now: datetime | None = None) -> str:
    """This moment, good for this person's answer to this task alone. ``now`` is for tests."""
    return _signer(store, person, about).sign((now or datetime.now(UTC)).isoformat()).decode()


def moment(store: Store, person: str, about: Asking, signed: str | None) -> datetime | None:
    """The moment that was signed; None if it was not, or for something else."""
    try:
        return datetime.fromisoformat(_signer(store, person, about).unsign(signed or "").decode())
    except (BadSignature, ValueError):
        return None


def plausible(
    offered: datetime | None, started: datetime | None, seconds: float | None
) -> tuple[datetime | None, float | None]:
    """When somebody started and how long they worked, as far as the server's own clock can bear it out."""
    if offered is None:
        return None, None
    now = max(datetime.now(UTC), offered)
    longest = (now - offered).total_seconds()
    return (
        None if started is None else min(max(started, offered), now),
        None if seconds is None else min(seconds, longest),
    )


def _signer(store: Store, person: str, about: Asking) -> Signer:
    return Signer(store.secret, salt="\n".join(("concord offer", about.campaign, about.task.public_id, person)), sep="~")
