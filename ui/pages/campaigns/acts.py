"""What the page's buttons do; each returns what went wrong in a sentence, nothing if all is well."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import gradio as gr

from concord.common import wording
from data.campaign import State
from data.store.campaigns import management, monitoring
from data.store.core.store import Store
from data.store.judgements import revocations
from ui.components.table import note
from ui.pages.campaigns import adjudicate, drawing, invite
from ui.pages.campaigns.adjudicate import Ruling
from ui.pages.campaigns.view import View
from ui.pages.campaigns.who import Actor


def said(text: str, kind: str = "cc-bad") -> gr.HTML:
    """A message's update; empty: none."""
    return gr.HTML(note(text, kind) if text else "", visible=bool(text))


def start(store: Store, campaign: str) -> str:
    return _moved(store, campaign, "running")


def stop(store: Store, campaign: str) -> str:
    return _moved(store, campaign, "stopped")


def archive(store: Store, campaign: str) -> str:
    return _moved(store, campaign, "archived")


def delete(store: Store, campaign: str) -> str:
    return _tried(lambda: management.remove(store, campaign))


def _moved(store: Store, campaign: str, state: State) -> str:
    return _tried(lambda: management.move(store, campaign, state))


def _tried(act: Callable[[], Any]) -> str:
    try:
        act()
    except ValueError as error:
        text = str(error)
        return f"{text[:1].upper()}{text[1:].rstrip('.')}."
    return ""


def question(person: str) -> str:
    """What is asked before somebody is revoked, as HTML."""
    text = f"Revoke {person}: they get nothing more here, and what they hold goes to others. Do their answers so far count?"
    return note(text) if person else ""


def revoke(store: Store, person: str, campaign: str, who: Actor, *, uncount: bool) -> str:
    """Take somebody out of a campaign."""
    if not person:
        return "Choose somebody first."
    n = revocations.revoke(store, person, who.signed, campaign, uncount=uncount)
    gone = f" {wording.count(n, 'answer')} stopped counting; their items are offered again." if uncount else ""
    return f"{person} is revoked.{gone}"


def reinstate(store: Store, person: str, campaign: str, who: Actor) -> str:
    """Let somebody in again."""
    n = revocations.restore(store, person, who.signed, campaign)
    return f"{person} is back. {wording.count(n, 'answer')} of theirs {'counts' if n == 1 else 'count'} again."


def set_aside(store: Store, campaign: str, item: str, *, aside: bool) -> str:
    """Offer an item to nobody, or to everybody again."""
    try:
        monitoring.set_aside(store, campaign, item, aside)
    except KeyError:
        return f"This campaign has no item {item!r} any more."
    return ""


def rule(store: Store, view: View, given: tuple[str | None, str | None, str | None, str], who: Actor) -> str:
    """Write a verdict about the open case."""
    found = drawing.case_of(store, view)
    if found is None:
        return "Open a case first."
    if who.name is None:
        return "Give your name first: a verdict has somebody who gave it."
    name = who.name
    verdict, wrong, rater, remark = given
    return _tried(lambda: adjudicate.rule(store, view, found[0], Ruling(verdict, wrong, rater, remark or ""), name))


def hand_out(store: Store, campaign: str, given: invite.Given, who: Actor) -> str:
    """Make a link."""
    return invite.make(store, campaign, given, who.signed) if who.may_invite else invite.MAY_NOT


def unlink(store: Store, invitation_id: str, who: Actor) -> str:
    """Take a link back."""
    return invite.revoke(store, invitation_id) if who.may_invite else invite.MAY_NOT
