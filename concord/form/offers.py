"""Offers: a moment that the server signs and the browser sends back with an answer. Nobody can have worked longer."""

from __future__ import annotations

from datetime import UTC, datetime
from hmac import compare_digest
from typing import Any

from concord.form.item_form import ItemForm
from data.people import keyed_hash
from data.store.core.store import Store


def offer_json(store: Store, person: str, about: ItemForm) -> dict[str, Any]:
    """Return a form as a browser gets it, with the offer to send back."""
    return about.to_json() | {"offer": sign_offer(store, person, about)}


def sign_offer(store: Store, person: str, about: ItemForm, now: datetime | None = None) -> str:
    """This moment, good for this person's answer to this task alone. ``now`` is for tests."""
    moment = (now or datetime.now(UTC)).isoformat()
    return f"{moment}~{_offer_mark(store, person, about, moment)}"


def offered_at(store: Store, person: str, about: ItemForm, signed: str | None) -> datetime | None:
    """The moment that was signed; None if it was not, or for something else."""
    moment, _, mark = (signed or "").partition("~")
    try:
        genuine = compare_digest(mark.encode(), _offer_mark(store, person, about, moment).encode())
        return datetime.fromisoformat(moment) if genuine else None
    except ValueError:  # half a character, say
        return None


def _offer_mark(store: Store, person: str, about: ItemForm, moment: str) -> str:
    return keyed_hash(store.secret, "offer", "\n".join((about.campaign, about.task.public_id, moment, person)))


def plausible_times(
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
