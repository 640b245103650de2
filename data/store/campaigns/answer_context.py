"""An answer's context: all that the project knows about an answer before it is saved, read once."""

from __future__ import annotations

from dataclasses import dataclass

from data.campaigns.settings import Campaign
from data.store.campaign_items import AnnotationTask, cached_ticket
from data.store.campaigns.management import cached_campaign, cached_consent, consent_hash
from data.store.campaigns.participation import OwnAnswer, read_own_answer, worked_in
from data.store.core.store import Store
from data.store.judgements.answer_status import resolve_revision


@dataclass(frozen=True, slots=True)
class SentReference:
    """The person who sends an answer, and the ids in it.

    Attributes:
        campaign: that of the answer.
        turned_to: that which the person works in now.
        ticket: the item's public id; empty: the request is about no item.
        revises: the person's own answer that this one takes the place of.
    """

    person: str
    campaign: str
    turned_to: str
    ticket: str = ""
    revises: str | None = None


@dataclass(frozen=True, slots=True)
class AnswerContext:
    """The campaign, task and person of a sent answer as they stood when it came; the writer decides later if it counts.

    Attributes:
        campaign: None: it is not stored (any more).
        turned_to: the campaign that the person works in now.
        consented: whether they have agreed to what that one asks of them, or it asks nothing.
        worked: whether they have begun something in the answer's campaign; not looked up for the one that they work in.
        task: None: the item is gone, or a picture of it has no file.
        revised: the answer that this one revises, as it stands; None: it is not theirs, or was revised since.
        saw_evidence, revises: whether the answer is not blind, and which one it takes the place of.
    """

    campaign: Campaign | None
    turned_to: Campaign | None
    consented: bool
    worked: bool
    task: AnnotationTask | None
    revised: OwnAnswer | None
    saw_evidence: bool
    revises: str | None


def answer_context(store: Store, sent: SentReference) -> AnswerContext:
    """Return the context of an answer; what hardly ever changes comes from memory."""
    memory, person = store.memory, sent.person
    with store.read() as cursor:
        campaign = cached_campaign(cursor, memory, sent.campaign)
        turned_to = campaign if sent.turned_to == sent.campaign else cached_campaign(cursor, memory, sent.turned_to)
        task = cached_ticket(cursor, memory, sent.ticket) if sent.ticket else None
        asks = consent_hash(turned_to.settings) if turned_to is not None else None
        saw_evidence, revises = (
            (False, sent.revises)
            if task is None
            else resolve_revision(cursor, memory, person=person, item_id=task.item_id, revises=sent.revises)
        )
        return AnswerContext(
            campaign,
            turned_to,
            asks is None or cached_consent(cursor, memory, (sent.turned_to, person, asks)),
            sent.campaign == sent.turned_to or worked_in(cursor, person, sent.campaign),
            task,
            read_own_answer(cursor, person, sent.campaign, sent.revises) if sent.revises else None,
            saw_evidence,
            revises,
        )
