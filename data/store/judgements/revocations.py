"""Revocations: a person taken out of a campaign or of the project, and let back in; claims go, answers stop counting if wanted.

A manager decides it, or the campaign's own rule: who fails its checks is paused, decided as answers to checks come.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final

from data.campaigns.checks import fails_checks
from data.campaigns.settings import SurplusReason
from data.records import Annotation
from data.store.core import browse_index, rows
from data.store.core.campaign_items import campaigns, count_reports, recount, refuse_closed
from data.store.core.connections import Connection
from data.store.core.store import Store, transaction
from data.store.judgements import answer_status
from data.store.judgements.answer_status import BY_PERSON, ItemContext, ItemContexts
from data.store.judgements.campaign_state import CampaignStates


@dataclass(frozen=True, slots=True)
class Revocation:
    """Who is out of what.

    Attributes:
        campaign: None: the whole project.
        by: a manager's name, ``checks`` or, of somebody who withdrew their own answers, ``person``.
        uncounted: whether their answers stopped counting.
        reason: what they fail of the campaign's checks, if its own rule has paused them; None: a manager has taken them out.
    """

    person: str
    campaign: str | None
    uncounted: bool
    by: str
    moment: datetime
    reason: str | None = None


def revoke(
    store: Store, person: str, by: str, campaign: str | None = None, *, uncount: bool = False, now: datetime | None = None
) -> int:
    """Let a person get nothing more, and give back what they hold; returns how many answers stopped counting.

    What they still send is kept as ``surplus``. With ``uncount`` their valid answers become ``surplus`` too, so that their
    items are offered again; ``restore`` takes all of it back. Doing it again with ``uncount`` adds that.
    """
    revocation = Revocation(person, campaign, uncount, by, now or datetime.now(UTC))
    touched = None if uncount else frozenset[str]()
    return store.change(lambda connection: write_revocation(connection, revocation), touched=touched)


def withdraw(store: Store, person: str, campaign: str, *, now: datetime | None = None) -> int:
    """Let a person take their own answers back; returns how many stopped counting.

    They stay in the project as ``surplus``, others are offered these items, and nobody but the person could undo it.

    Raises:
        CampaignClosed: the campaign has not started yet, or is archived.
    """
    withdrawal = Revocation(person, campaign, True, BY_PERSON, now or datetime.now(UTC))

    def take_back(connection: Connection) -> int:
        refuse_closed(campaigns(connection, [campaign]))
        return write_revocation(connection, withdrawal)

    return store.change(take_back)


def current_revocations(store: Store) -> list[Revocation]:
    """All who are revoked now, oldest first."""
    return store.query_records(
        Revocation,
        "select rater_id as person, campaign_id as campaign, uncounted, made_by as by, moment, reason from revocations"
        " where lifted is null order by moment",
    )


def is_person(store: Store, name: str) -> bool:
    """Whether somebody of this name works in the project: no scorer, and no slot of a study."""
    return store.query_first("select 1 from raters where rater_id = ? and identity = 'person'", [name]) is not None


# Imported answers are a study's, whoever goes by their name here.
_THEIRS = "rater_id = $person and coalesce($campaign, campaign_id) is not distinct from campaign_id and import_id is null"


def write_revocation(connection: Connection, revocation: Revocation) -> int:
    """As ``revoke``, for the writer's thread."""
    whose: dict[str, Any] = {"person": revocation.person, "campaign": revocation.campaign}
    # a withdrawal stands beside any other: nobody but the person can take it back
    standing = rows.first(
        connection,
        "select uncounted from revocations where rater_id = $person and campaign_id is not distinct from $campaign"
        " and lifted is null and (made_by = $self) = $withdrawn",
        whose | {"self": BY_PERSON, "withdrawn": revocation.by == BY_PERSON},
    )
    connection.execute("delete from claims where rater_id = $person and coalesce($campaign, campaign_id) = campaign_id", whose)
    if standing is None:
        whom = {"rater_id": revocation.person, "campaign_id": revocation.campaign, "made_by": revocation.by}
        why = {"uncounted": revocation.uncounted, "moment": revocation.moment, "reason": revocation.reason}
        rows.insert(connection, "revocations", [whom | why])
    elif revocation.uncounted and not standing["uncounted"]:
        connection.execute(
            "update revocations set uncounted = true where rater_id = $person"
            " and campaign_id is not distinct from $campaign and lifted is null",
            whose,
        )
    _count_reports(connection, revocation.person, revocation.campaign)
    if not revocation.uncounted:
        return 0
    return _uncount(connection, whose, "withdrawn" if revocation.by == BY_PERSON else "revoked")


def _count_reports(connection: Connection, person: str, campaign: str | None) -> None:
    """Count the reports of a person again, who was revoked or let in again."""
    reported = "select distinct campaign_id from reports where rater_id = ? and coalesce(?, campaign_id) = campaign_id"
    for campaign_id in rows.column(connection, reported, [person, campaign]):
        count_reports(connection, campaign_id)


def _uncount(connection: Connection, whose: dict[str, Any], reason: SurplusReason) -> int:
    """Make a person's valid answers surplus; returns about how many items."""
    counted = f"select distinct item_id from annotations where {_THEIRS} and status = 'valid' order by item_id"
    items = rows.column(connection, counted, whose)
    _mark_stale_with_members(connection, items)
    connection.execute(
        "update annotations set status_before = status, status = 'surplus', surplus_reason = $reason"
        f" where {_THEIRS} and status = 'valid'",
        whose | {"reason": reason},
    )
    recount(connection, items)
    return len(items)


@transaction()
def restore(connection: Connection, person: str, by: str, campaign: str | None = None, *, now: datetime | None = None) -> int:
    """Take a revocation back; returns how many answers count again. What a person has withdrawn stays withdrawn.

    An answer whose item has been filled by others meanwhile stays ``surplus``.
    """
    connection.execute(
        "update revocations set lifted = ?, lifted_by = ?"
        " where rater_id = ? and campaign_id is not distinct from ? and lifted is null and made_by <> ?",
        [now or datetime.now(UTC), by, person, campaign, BY_PERSON],
    )
    _count_reports(connection, person, campaign)
    # what another revocation still covers stays out; what others have filled, too
    waiting = rows.dicts(
        connection,
        "select a.root_id, a.item_id, a.saw_evidence, a.campaign_id from annotations a"
        " left join campaign_items c on c.campaign_id = a.campaign_id and c.item_id = a.item_id"
        " where a.rater_id = $person and coalesce($campaign, a.campaign_id) is not distinct from a.campaign_id"
        " and a.import_id is null and a.status_before = 'valid' and a.revises is null"
        " and (a.saw_evidence or c.item_id is null or c.people < c.wanted)"
        " and not exists (select 1 from revocations v where v.rater_id = a.rater_id and v.lifted is null"
        " and coalesce(v.campaign_id, a.campaign_id) is not distinct from a.campaign_id) order by a.seq",
        {"person": person, "campaign": campaign},
    )
    # of two blind answers about one item only the first counts
    roots = {(row["campaign_id"], row["item_id"], row["saw_evidence"]): row["root_id"] for row in reversed(waiting)}
    for root_id in roots.values():
        connection.execute(
            "update annotations set status = 'valid', status_before = null, surplus_reason = null"
            " where root_id = ? and status = 'surplus'",
            [root_id],
        )
    items = sorted({item_id for _, item_id, _ in roots})
    _mark_stale_with_members(connection, items)
    recount(connection, items)
    return len(roots)


def _mark_stale_with_members(connection: Connection, items: list[str]) -> None:
    """What was said of these items, and of the images that they show, counts or does not from now on."""
    browse_index.mark_stale(connection, items)
    browse_index.mark_stale_where(
        connection, "select image_id from item_members where item_id in (select unnest(?::varchar[]))", [items]
    )


BY_CHECKS: Final = "checks"


def pause_who_fail(states: CampaignStates, annotations: Sequence[Annotation], places: ItemContexts, now: datetime) -> set[str]:
    """Pause whoever is below a pass mark with these new answers, which are written; returns the answers that did it."""
    checks: dict[tuple[str, str], tuple[Annotation, ItemContext]] = {}
    for annotation in annotations:
        context = places.get((annotation.campaign_id or "", annotation.item_id))
        if context is not None and context.role in ("gold", "attention"):
            checks[context.campaign.campaign_id, annotation.rater_id] = annotation, context
    paused: set[str] = set()
    for (campaign_id, person), (annotation, context) in checks.items():
        settings = context.campaign.settings
        connection = states.connection
        if not {None, campaign_id}.isdisjoint(answer_status.revoked_raters(connection, states.memory).get(person, ())):
            continue
        if why := _failure(connection, campaign_id, person, settings.gold_pass_mark, settings.attention_pass_mark):
            states.reload()
            write_revocation(connection, Revocation(person, campaign_id, settings.recollect, BY_CHECKS, now, why))
            paused.add(annotation.annotation_id)
    return paused


def _failure(connection: Connection, campaign_id: str, person: str, gold: float, attention: float) -> str | None:
    """What somebody fails, in words, by the first answers since they were last let in again; None: nothing."""
    for role, n, right in connection.execute(_TALLY, {"person": person, "campaign": campaign_id}).fetchall():
        if fails_checks(right, n, gold if role == "gold" else attention):
            return f"{right} of {n} {role} items right"
    return None


_TALLY = """
select c.role, count(*), count(*) filter (a.passed)
from annotations a join campaign_items c on c.campaign_id = a.campaign_id and c.item_id = a.item_id
where a.rater_id = $person and a.campaign_id = $campaign and a.status = 'gold' and a.revises is null
  and a.submitted > coalesce((
      select max(lifted) from revocations where rater_id = $person and campaign_id = $campaign and reason is not null
  ), timestamptz 'epoch')
group by c.role order by c.role desc
"""
