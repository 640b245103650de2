"""Monitoring: how a campaign goes: what is covered, how fast, who does what. Counts and raw material; statistics are made
elsewhere.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from data.campaigns.settings import Role
from data.store.core import rows
from data.store.core.connections import Connection
from data.store.core.store import Store, transaction


@dataclass(frozen=True, slots=True)
class Coverage:
    """How far a campaign is. Items are ordinary ones; what is set aside is counted by itself.

    Attributes:
        full: items that have as many people as they are to have; ``started``: with at least one.
        answers: valid answers, counted once per person and item; ``wanted``: how many it takes.
        surplus, checks, training: answers that do not count, by why.
        people: who has answered anything; ``held``: live claims.
    """

    items: int
    full: int
    started: int
    aside: int
    answers: int
    wanted: int
    surplus: int
    checks: int
    training: int
    people: int
    held: int


def coverage(store: Store, campaign_id: str, now: datetime | None = None) -> Coverage:
    """How far this campaign is. The default campaign knows its items once somebody has asked for one."""
    (counts,) = store.query_records(Coverage, _COVERAGE, {"campaign": campaign_id, "now": now or datetime.now(UTC)})
    return counts


_COVERAGE = """
select * from (
    select count(*) filter (not aside) as items, count(*) filter (not aside and people >= wanted) as full,
        count(*) filter (not aside and people > 0) as started, count(*) filter (aside) as aside,
        coalesce(sum(people) filter (not aside), 0)::bigint as answers,
        coalesce(sum(wanted) filter (not aside), 0)::bigint as wanted
    from campaign_items where campaign_id = $campaign and role = 'ordinary'
), (
    select count(*) filter (status = 'surplus') as surplus, count(*) filter (status = 'gold') as checks,
        count(*) filter (status = 'training') as training, count(distinct rater_id) as people
    from annotations where campaign_id = $campaign and revises is null
), (select count(*) as held from claims where campaign_id = $campaign and until > $now)
"""


@dataclass(frozen=True, slots=True)
class Hour:
    """Answers that came in an hour (UTC): all, and those that count."""

    start: datetime
    answers: int
    valid: int


def answers_by_hour(store: Store, campaign_id: str) -> list[Hour]:
    """Answers by hour, oldest first; hours without any are left out, and revisions are no answers."""
    return store.query_records(
        Hour,
        "select date_trunc('hour', submitted) as start, count(*) as answers, count(*) filter (status = 'valid') as valid"
        " from annotations where campaign_id = ? and revises is null group by 1 order by 1",
        [campaign_id],
    )


@dataclass(frozen=True, slots=True)
class WorkerStats:
    """One person in a campaign.

    Attributes:
        valid, surplus: answers to ordinary items; ``seconds``: active time on all answers, ``median_seconds``: of one.
        gold, gold_right, attention, attention_right, training, training_right: first answers, and how many are right.
        skipped, reported: items that they put off and have not answered, and items that they called broken; ``answered``:
            items that they answered.
        held: live claims; ``first``, ``last``: when answers came.
        paused: what they fail, if the campaign's rule has paused them (then ``revoked``, too); ``paused_since``; ``paused_by``:
            which rule (``revocations.BY_CHECKS`` or ``BY_PACE``).
        same_network: how many people a crowd platform sent here from the network that they came from, themselves among them.
        other_browsers: how often another browser came with their id and without their re-entry code; ``own_browsers``: of
            these, from a network that they came from themselves.
        other_ids: with how many other people's ids they came without being let in: in their session, or without any from a
            network that nobody else came from.
    """

    person: str
    simulated: bool
    revoked: bool
    paused: str | None
    paused_since: datetime | None
    paused_by: str | None
    same_network: int
    other_browsers: int
    own_browsers: int
    other_ids: int
    valid: int
    surplus: int
    gold: int
    gold_right: int
    attention: int
    attention_right: int
    training: int
    training_right: int
    seconds: float | None
    median_seconds: float | None
    first: datetime | None
    last: datetime | None
    answered: int
    skipped: int
    reported: int
    held: int

    @property
    def reported_share(self) -> float | None:
        """The share of reports among the items that they reported or answered; None for somebody who did neither."""
        n = self.reported + self.answered
        return self.reported / n if n else None


def workers(store: Store, campaign_id: str, now: datetime | None = None) -> list[WorkerStats]:
    """Everybody who has done something in this campaign, by name."""
    return store.query_records(WorkerStats, _WORKERS, {"campaign": campaign_id, "now": now or datetime.now(UTC)})


_WORKERS = """
with said as (
    select a.rater_id, a.item_id, a.status, a.passed, a.submitted, c.role,
           -- a revision takes time, too
           (select sum(s.active_seconds) from annotations s where s.root_id = a.annotation_id) as seconds
    from annotations a left join campaign_items c on c.campaign_id = a.campaign_id and c.item_id = a.item_id
    where a.campaign_id = $campaign and a.revises is null
),
done as (
    select rater_id, count(*) filter (status = 'valid') as valid, count(*) filter (status = 'surplus') as surplus,
        count(distinct item_id) as answered,
        count(*) filter (role = 'gold' and passed is not null) as gold,
        count(*) filter (role = 'gold' and passed) as gold_right,
        count(*) filter (role = 'attention' and passed is not null) as attention,
        count(*) filter (role = 'attention' and passed) as attention_right,
        count(*) filter (role = 'training' and passed is not null) as training,
        count(*) filter (role = 'training' and passed) as training_right,
        sum(seconds) as seconds, median(seconds) as median_seconds, min(submitted) as first, max(submitted) as last
    from said group by rater_id
),
put_off as (
    select rater_id, count(distinct item_id) as n from skips s
    where campaign_id = $campaign and not exists (select 1 from said a where a.rater_id = s.rater_id and a.item_id = s.item_id)
    group by rater_id
),
broken as (
    select rater_id, count(distinct item_id) as n from reports b where campaign_id = $campaign
    and not exists (select 1 from said a where a.rater_id = b.rater_id and a.item_id = b.item_id)
    group by rater_id
),
holding as (select rater_id, count(*) as n from claims where campaign_id = $campaign and until > $now group by rater_id),
came as (
    select distinct a.rater_id, a.network from arrivals a join invitations i using (invitation_id)
    where coalesce(i.campaign_id, 'default') = $campaign and a.came_as <> 'name' and a.network is not null
),
networks as (select network, count(*) as n from came group by network),
neighbours as (select rater_id, max(n) as n from came join networks using (network) group by rater_id),
pauses as (
    select rater_id, arg_max(reason, moment) as reason, max(moment) as since, arg_max(made_by, moment) as made_by
    from revocations
    where campaign_id = $campaign and reason is not null and lifted is null group by rater_id
),
own_browsers as (
    select rater_id, count(*) as n from refused_arrivals x
    where exists (select 1 from arrivals a where a.rater_id = x.rater_id and a.network = x.network)
    group by rater_id
),
-- who came with the id of another: whose session it was, or the only person of that network
strangers as (
    select rater_id, count(distinct whose) as n from (
        select known_as as rater_id, rater_id as whose from refused_arrivals where known_as is not null
        union all
        select min(a.rater_id), x.rater_id from refused_arrivals x join arrivals a using (network)
        where x.known_as is null group by x.rater_id, x.network having count(distinct a.rater_id) = 1
    ) where rater_id <> whose group by rater_id
),
everybody as (
    select rater_id from done union select rater_id from put_off union select rater_id from broken
    union select rater_id from holding
)
select e.rater_id as person, coalesce(r.simulated, false) as simulated,
    exists (
        select 1 from revocations v
        where v.rater_id = e.rater_id and v.lifted is null and coalesce(v.campaign_id, $campaign) = $campaign
    ) as revoked,
    v.reason as paused, v.since as paused_since, v.made_by as paused_by, coalesce(n.n, 0) as same_network,
    coalesce(i.refused, 0) as other_browsers, coalesce(o.n, 0) as own_browsers, coalesce(s.n, 0) as other_ids,
    coalesce(d.valid, 0) as valid, coalesce(d.surplus, 0) as surplus, coalesce(d.gold, 0) as gold,
    coalesce(d.gold_right, 0) as gold_right, coalesce(d.attention, 0) as attention,
    coalesce(d.attention_right, 0) as attention_right, coalesce(d.training, 0) as training,
    coalesce(d.training_right, 0) as training_right, d.seconds, d.median_seconds, d.first, d.last,
    coalesce(d.answered, 0) as answered, coalesce(p.n, 0) as skipped, coalesce(b.n, 0) as reported, coalesce(h.n, 0) as held
from everybody e left join raters r using (rater_id) left join done d using (rater_id) left join put_off p using (rater_id)
left join broken b using (rater_id) left join holding h using (rater_id)
left join pauses v using (rater_id) left join neighbours n using (rater_id) left join identities i using (rater_id)
left join own_browsers o using (rater_id) left join strangers s using (rater_id)
order by e.rater_id
"""


@dataclass(frozen=True, slots=True)
class CurrentAnswer:
    """A person's answer as it stands: its latest revision.

    Attributes:
        seconds: active time on the first answer; ``passed``: whether that was right, where it is known.
        submitted: when the first answer came.
        counts: whether it is blind and valid.
    """

    person: str
    item_id: str
    role: Role
    status: str
    passed: bool | None
    questionnaire: str
    answers: Mapping[str, Any]
    seconds: float | None
    submitted: datetime
    counts: bool


def current_answers(store: Store, campaign_id: str) -> list[CurrentAnswer]:
    """All answers of a campaign as they stand, in the order of the first ones; for telling straight-liners and speeders."""
    return store.query_records(CurrentAnswer, _ANSWERS.format(where="a.campaign_id = ?"), [campaign_id], "answers")


def answers_to(store: Store, questionnaire: str) -> list[CurrentAnswer]:
    """All answers of people to a questionnaire as they stand, in whatever campaign, oldest first; imitations are left out."""
    where = "a.questionnaire = ? and not r.simulated and r.identity = 'person'"
    return store.query_records(CurrentAnswer, _ANSWERS.format(where=where), [questionnaire], "answers")


def answered_images(store: Store) -> int:
    """Return how many images people have answered by whatever questions; imitations are left out."""
    query = (
        "select count(distinct j.item_id) as n from judgements j join raters r using (rater_id)"
        " where r.kind = 'human' and not r.simulated"
    )
    record = store.query_first(query)
    return int(record["n"]) if record is not None else 0


_ANSWERS = """
select a.rater_id as person, a.item_id, coalesce(c.role, 'ordinary') as role, a.status, f.passed, a.questionnaire, a.answers,
    f.active_seconds as seconds, f.submitted, a.status = 'valid' and not a.saw_evidence as counts
from annotations a join annotations f on f.annotation_id = a.root_id join raters r on r.rater_id = a.rater_id
left join campaign_items c on c.campaign_id = a.campaign_id and c.item_id = a.item_id
where {where} and a.annotation_id not in (select revises from annotations where revises is not null)
order by a.seq, a.submitted
"""


@dataclass(frozen=True, slots=True)
class ItemReport:
    """Somebody could not judge an item; ``counted``: the report can set the item aside."""

    person: str
    reason: str
    moment: datetime
    counted: bool


@dataclass(frozen=True, slots=True)
class BrokenItem:
    """An item that somebody reported; ``aside``: it is offered to nobody any more."""

    item_id: str
    aside: bool
    reports: tuple[ItemReport, ...]


def broken_items(store: Store, campaign_id: str) -> list[BrokenItem]:
    """Items that were reported or set aside, those set aside first."""
    records = store.query(
        "select c.item_id, c.aside, list({person: r.rater_id, reason: r.reason, moment: r.moment,"
        " counted: r.counted} order by r.moment)"
        " filter (r.rater_id is not null) as reports from campaign_items c"
        " left join reports r on r.campaign_id = c.campaign_id and r.item_id = c.item_id and r.dismissed is null"
        " where c.campaign_id = ? and (c.aside or r.rater_id is not null) group by all order by c.aside desc, c.item_id",
        [campaign_id],
    )
    return [BrokenItem(**row | {"reports": tuple(ItemReport(**report) for report in row["reports"] or ())}) for row in records]


@transaction(touched=frozenset())
def set_aside(connection: Connection, campaign_id: str, item_id: str, aside: bool, *, now: datetime | None = None) -> None:
    """Offer an item to nobody any more, or to everybody again: that dismisses the reports about it.

    Raises:
        KeyError: the campaign has no such item.
    """
    where = [campaign_id, item_id]
    if rows.first(connection, "select 1 from campaign_items where campaign_id = ? and item_id = ?", where) is None:
        raise KeyError(item_id)
    connection.execute(
        "update campaign_items set aside = ?, aside_by_reports = false where campaign_id = ? and item_id = ?", [aside, *where]
    )
    if not aside:
        dismissed = "update reports set dismissed = ? where campaign_id = ? and item_id = ? and dismissed is null"
        connection.execute(dismissed, [now or datetime.now(UTC), *where])


@dataclass(frozen=True, slots=True)
class Effort:
    """Active seconds of one answer to a questionnaire: the median over ``n`` answers by people, None for none."""

    seconds: float | None
    n: int


def effort(store: Store, questionnaire: str) -> Effort:
    """How long people of this project have taken for one answer; imitations, imports and revisions are left out."""
    (record,) = store.query_records(
        Effort,
        "select median(a.active_seconds) as seconds, count(a.active_seconds) as n"
        " from annotations a join raters r using (rater_id)"
        " where a.questionnaire = ? and a.revises is null and a.import_id is null and not r.simulated",
        [questionnaire],
    )
    return record


def items_by_answer_count(store: Store, campaign_id: str) -> dict[int, int]:
    """How many ordinary items have so many valid answers (one per person); what is set aside is left out."""
    return store.query_dict(
        "select people, count(*) from campaign_items where campaign_id = ? and role = 'ordinary' and not aside"
        " group by people order by people",
        [campaign_id],
    )


def prompts_by_suite(store: Store, campaign_id: str) -> dict[str, int]:
    """How many prompts a campaign's ordinary items have, by suite."""
    return store.query_dict(
        "select t.suite, count(distinct t.prompt_id) from campaign_items c join items t using (item_id)"
        " where c.campaign_id = ? and c.role = 'ordinary' group by 1 order by 1",
        [campaign_id],
    )
