"""Revoking several people of a campaign together: who may be, with their reasons; who is preselected; and how to undo it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from annotation.flags import Flag
from concord.campaigns.annotators import annotators_of, needs_look
from concord.common import wording
from data.files import printable, quoted
from data.refusals import CampaignRefused
from data.store.campaigns import management
from data.store.core.store import Store
from data.store.judgements import revocations


@dataclass(frozen=True, slots=True)
class Candidate:
    """Somebody with a flag who is not out. ``preselected``: failed checks or a pattern, not information alone."""

    person: str
    flags: tuple[Flag, ...]
    preselected: bool

    def describe(self) -> str:
        """Return the reasons in one line."""
        return "; ".join(f"{flag.code}: {flag.sentence}" for flag in self.flags)


def candidates(store: Store, campaign_id: str) -> list[Candidate]:
    """Return everybody with a flag who is not out of the campaign, the preselected first.

    Raises:
        CampaignRefused: there is no such campaign.
    """
    campaign = management.get(store, campaign_id)
    if campaign is None:
        raise CampaignRefused(f"there is no campaign {quoted(campaign_id)}; campaigns list shows them")
    people = [work for work in annotators_of(store, campaign, None, intervals=False) if needs_look(work)]
    listed = [Candidate(work.worker.person, work.flags, work.convicted) for work in people]
    return sorted(listed, key=lambda candidate: (not candidate.preselected, candidate.person))


def revoke(store: Store, campaign_id: str, people: Sequence[str], by: str, *, uncount: bool) -> int:
    """Revoke these people together; returns how many answers stopped counting.

    Raises:
        CampaignRefused: somebody has no flag here or is out already, or nobody is named; then nobody is revoked.
    """
    known = {candidate.person for candidate in candidates(store, campaign_id)}
    if strange := [person for person in people if person not in known]:
        raise CampaignRefused(
            f"{quoted(strange[0])} has no flag in {campaign_id}, or is out already, so nobody was revoked; people revoke takes"
            " out one person"
        )
    if not people:
        raise CampaignRefused(f"nobody in {campaign_id} has failed checks or shows a pattern, so nobody was revoked")
    return revocations.revoke_together(store, [*dict.fromkeys(people)], by, campaign_id, uncount=uncount)


def undo(store: Store, campaign_id: str, by: str) -> tuple[list[str], int]:
    """Take back the latest revocation of several people; returns who is let in again, and how many answers count again.

    Raises:
        CampaignRefused: there is none that is not taken back.
    """
    people, answers = revocations.restore_together(store, by, campaign_id)
    if not people:
        raise CampaignRefused(
            f"nobody who was revoked together is out of {quoted(campaign_id)}; people reinstate lets in one person"
        )
    return people, answers


def describe_revoked(people: Sequence[str], answers: int, *, uncount: bool) -> str:
    """Return a sentence on who was revoked, and what became of their answers."""
    gone = f"{wording.count(answers, 'answer')} stopped counting" if uncount else "their answers count as before"
    return f"{wording.count(len(people), 'person')} revoked: {', '.join(map(printable, people))}; {gone}"


def describe_undone(people: Sequence[str], answers: int) -> str:
    """Return a sentence on who was let in again."""
    names = ", ".join(map(printable, people))
    return f"{wording.count(len(people), 'person')} let in again: {names}; {wording.count(answers, 'answer')} count again"


def undoable(store: Store, campaign_id: str) -> bool:
    """Return True if somebody is out of a campaign who was revoked together with others."""
    gone = revocations.current_revocations(store)
    return any(each.batch is not None and each.campaign == campaign_id for each in gone)
