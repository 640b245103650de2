"""Revocations: a person taken out of a campaign or of the project, and let back in; claims go, answers stop counting if wanted.

A manager decides it, or the campaign's own rule: who fails its checks, or answers most items faster than anybody can look, is
paused, decided as answers come.
"""

from __future__ import annotations

import uuid
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final

from data.campaigns.checks import fails_checks
from data.campaigns.pace import QUICK_SECONDS, mostly_quick, quick_answers_text
from data.campaigns.settings import Settings, SurplusReason
from data.records import Annotation
from data.store import browse_index
from data.store.campaign_items import campaigns, count_reports, recount, refuse_closed
from data.store.core import rows
from data.store.core.connections import Connection
from data.store.core.store import Store, transaction
from data.store.judgements import answer_status
from data.store.judgements.answer_status import BY_PERSON, ItemContexts
from data.store.judgements.campaign_state import CampaignStates


@dataclass(frozen=True, slots=True)
class Revocation:
    """Who is out of what.

    Attributes:
        campaign: None: the whole project.
        by: a manager's name, ``checks`` or, of somebody who withdrew their own answers, ``person``.
        uncounted: whether their answers stopped counting.
        reason: what they fail, if the campaign's own rule has paused them; None: a manager has taken them out.
        batch: common to people who were revoked together.
    """

    person: str
    campaign: str | None
    uncounted: bool
    by: str
    moment: datetime
    reason: str | None = None
    batch: str | None = None


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


def revoke_together(
    store: Store, people: Sequence[str], by: str, campaign: str, *, uncount: bool, now: datetime | None = None
) -> int:
    """Revoke several people in one transaction; returns how many answers stopped counting. ``restore_together`` undoes it."""
    batch, moment = uuid.uuid4().hex, now or datetime.now(UTC)
    written = [Revocation(person, campaign, uncount, by, moment, batch=batch) for person in people]
    return store.change(lambda connection: sum(write_revocation(connection, revocation) for revocation in written))


def restore_together(store: Store, by: str, campaign: str, *, now: datetime | None = None) -> tuple[list[str], int]:
    """Take the latest revocation of several people back; returns those that are let in again, and how many answers count again.

    Who has been reinstated since stays as they are. Returns nobody if nobody is left of any batch.
    """

    def take_back(connection: Connection) -> tuple[list[str], int]:
        people = rows.column(connection, _LATEST_BATCH, {"campaign": campaign})
        return people, sum(_restore(connection, person, by, campaign, now) for person in people)

    return store.change(take_back)


_LATEST_BATCH = """
select rater_id from revocations
where campaign_id = $campaign and lifted is null and batch is not null and batch = (
    select arg_max(batch, moment) from revocations where campaign_id = $campaign and lifted is null and batch is not null
) order by rater_id
"""


def current_revocations(store: Store) -> list[Revocation]:
    """All who are revoked now, oldest first."""
    return store.query_records(
        Revocation,
        "select rater_id as person, campaign_id as campaign, uncounted, made_by as by, moment, reason, batch from revocations"
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
        why["batch"] = revocation.batch
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
    return _restore(connection, person, by, campaign, now)


def _restore(connection: Connection, person: str, by: str, campaign: str | None, now: datetime | None) -> int:
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
BY_PACE: Final = "pace"
"""Rules of a campaign that revoke, in the place of a manager's name."""


def pause_who_fail(states: CampaignStates, annotations: Sequence[Annotation], places: ItemContexts, now: datetime) -> set[str]:
    """Pause whoever is below a pass mark, or answers mostly too fast, with these new answers, which are written.

    Returns the answers that did it.
    """
    telling: dict[str, dict[str, Annotation]] = {}
    quick: set[str] = set()
    for annotation in annotations:
        context = places.get((annotation.campaign_id or "", annotation.item_id))
        if context is not None and (context.role in ("gold", "attention") or _is_quick(annotation)):
            telling.setdefault(context.campaign.campaign_id, {})[annotation.rater_id] = annotation
            quick |= {annotation.rater_id} if _is_quick(annotation) else set()
    paused: set[str] = set()
    connection = states.connection
    for campaign_id, latest in telling.items():
        settings = states.of([campaign_id])[campaign_id].campaign.settings
        revoked = answer_status.revoked_raters(connection, states.memory)
        people = [person for person in latest if {None, campaign_id}.isdisjoint(revoked.get(person, ()))]
        for person, (by, why) in _failures(connection, campaign_id, people, quick, settings).items():
            states.reload()
            write_revocation(connection, Revocation(person, campaign_id, settings.recollect, by, now, why))
            paused.add(latest[person].annotation_id)
    return paused


def _is_quick(annotation: Annotation) -> bool:
    return annotation.active_seconds is not None and annotation.active_seconds < QUICK_SECONDS


def _failures(
    connection: Connection, campaign_id: str, people: Sequence[str], quick: Collection[str], settings: Settings
) -> dict[str, tuple[str, str]]:
    """Return who of these people fails a rule: which one, and how in words, by first answers since they were last let in.

    Of those who have just been ``quick`` the pace is looked at, too.
    """
    gold, attention = settings.gold_pass_mark, settings.attention_pass_mark
    failures: dict[str, tuple[str, str]] = {}
    for person, role, n, right in _tally(connection, _CHECKS, campaign_id, people):
        if fails_checks(right, n, gold if role == "gold" else attention):
            failures.setdefault(person, (BY_CHECKS, f"{right} of {n} {role} items right"))
    # a campaign whose marks are 0 pauses nobody
    hurried = [person for person in people if person in quick and person not in failures] if gold or attention else []
    for person, timed, n in _tally(connection, _PACE, campaign_id, hurried):
        if mostly_quick(n, timed):
            failures[person] = (BY_PACE, quick_answers_text(n, timed))
    return failures


def _tally(connection: Connection, query: str, campaign_id: str, people: Sequence[str]) -> list[tuple[Any, ...]]:
    if not people:
        return []
    whose = f"a.campaign_id = ? and a.revises is null and a.rater_id in {rows.placeholders(people)} and {_SINCE_LET_IN}"
    return connection.execute(query.format(whose=whose), [campaign_id, *people]).fetchall()


_SINCE_LET_IN = """
not exists (
    select 1 from revocations v
    where v.rater_id = a.rater_id and v.campaign_id = a.campaign_id and v.reason is not null and v.lifted >= a.submitted
)
"""
_CHECKS = """
select a.rater_id, c.role, count(*), count(*) filter (a.passed)
from annotations a join campaign_items c on c.campaign_id = a.campaign_id and c.item_id = a.item_id
where a.status = 'gold' and {whose} group by all order by a.rater_id, c.role desc
"""
_PACE = f"""
select a.rater_id, count(*), count(*) filter (a.active_seconds < {QUICK_SECONDS}) from annotations a
where a.active_seconds is not null and {{whose}} group by a.rater_id order by a.rater_id
"""
