"""Departures: how people left a campaign, which code they were shown, and what payment has to know of each of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime

from data.store.core import rows
from data.store.core.connections import Connection
from data.store.core.store import Store


@dataclass(frozen=True, slots=True)
class Departure:
    """How somebody leaves (``OUTCOMES``), the code that they are shown, and how many items they have answered."""

    outcome: str
    code: str
    items: int


def record(store: Store, campaign: str, person: str, left: Departure) -> None:
    """Write a departure down, unless it is the latest one already: a page that waits asks every few seconds."""

    def read() -> Departure | None:
        with store.read() as cursor:
            return _latest(cursor, campaign, person)

    if store.memory.keep(("departure", campaign, person), read) == left:
        return

    def write(connection: Connection) -> None:
        if _latest(connection, campaign, person) != left:
            moment = datetime.now(UTC)
            rows.insert(
                connection, "departures", [{"campaign_id": campaign, "rater_id": person, "moment": moment} | asdict(left)]
            )

    store.change(write, touched=frozenset())


def _latest(cursor: Connection, campaign: str, person: str) -> Departure | None:
    query = "select outcome, code, items from departures where campaign_id = ? and rater_id = ? order by moment desc limit 1"
    return next(iter(rows.records(cursor, Departure, query, [campaign, person])), None)


@dataclass(frozen=True, slots=True)
class Participation:
    """One person's part in a campaign, for payment; imitations are left out.

    Attributes:
        items: first answers, checks and training too; ``seconds``: active time on all answers, None if none is known.
        last: when the last one came; ``held``: live claims; ``out``: paused or revoked.
        outcome, code, departed: of the latest departure, None if there is none.
        platform: the crowd platform that sent them.
    """

    person: str
    items: int
    seconds: float | None
    last: datetime | None
    held: int
    out: bool
    outcome: str | None
    code: str | None
    departed: datetime | None
    platform: str | None


def participations(store: Store, campaign: str, now: datetime | None = None) -> Sequence[Participation]:
    """Everybody who came, answered or left, by name."""
    return store.query_records(Participation, _PARTICIPATIONS, {"campaign": campaign, "now": now or datetime.now(UTC)})


_PARTICIPATIONS = """
with done as (
    select rater_id, count(distinct item_id) filter (revises is null) as items, sum(active_seconds) as seconds,
        max(submitted) filter (revises is null) as last
    from annotations where campaign_id = $campaign group by rater_id
),
went as (
    select rater_id, outcome, code, moment from departures where campaign_id = $campaign
    qualify row_number() over (partition by rater_id order by moment desc) = 1
),
came as (
    select a.rater_id, a.came_as from arrivals a join invitations i using (invitation_id)
    where coalesce(i.campaign_id, 'default') = $campaign and i.role = 'annotator'
    qualify row_number() over (partition by a.rater_id order by a.moment desc) = 1
),
holding as (select rater_id, count(*) as n from claims where campaign_id = $campaign and until > $now group by rater_id),
everybody as (select rater_id from done union select rater_id from went union select rater_id from came)
select e.rater_id as person, coalesce(d.items, 0) as items, d.seconds, d.last, coalesce(h.n, 0) as held,
    exists (
        select 1 from revocations v
        where v.rater_id = e.rater_id and v.lifted is null and coalesce(v.campaign_id, $campaign) = $campaign
    ) as out,
    w.outcome, w.code, w.moment as departed, nullif(c.came_as, 'name') as platform
from everybody e left join raters r using (rater_id) left join done d using (rater_id) left join went w using (rater_id)
left join came c using (rater_id) left join holding h using (rater_id)
where not coalesce(r.simulated, false)
order by e.rater_id
"""
