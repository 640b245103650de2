"""Departures: how people left a campaign, which code they were shown, and what payment has to know of each of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from decimal import Decimal

from data.campaigns.payment import Decision, Outcome, SettledDecision
from data.store.core import rows
from data.store.core.connections import Connection
from data.store.core.store import Store, transaction
from data.store.judgements.answer_status import BY_PERSON
from data.store.judgements.campaign_state import EARNED


@dataclass(frozen=True, slots=True)
class Departure:
    """How somebody leaves (``settings.OUTCOMES``), the code that they are shown, and how many items they have answered."""

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
        items: items that they answered as they were asked to, checks and training too; ``counted``: of these, items with an
            answer that counts; ``seconds``: active time on these answers, None if none is known.
        untimed: answers without a known time.
        last: when the last one came; ``held``: live claims; ``out``: paused, revoked or withdrawn; ``uncounted``: and their
            answers stopped counting; ``withdrawn``: they took their own answers back; ``back``: when they were last let in
            again.
        paused: whether the campaign's rule has paused them for their checks; ``attention``, ``attention_right``: first answers
            to attention checks, and how many are right.
        outcome, code, departed: of the departure that stands, None if there is none. Who reached the end has, whatever became
            of the campaign before they answered more; that somebody was paused stands only as long as they are.
        platform: the crowd platform that sent them.
    """

    person: str
    items: int
    counted: int
    seconds: float | None
    untimed: int
    last: datetime | None
    held: int
    out: bool
    uncounted: bool
    withdrawn: bool
    back: datetime | None
    paused: bool
    attention: int
    attention_right: int
    outcome: str | None
    code: str | None
    departed: datetime | None
    platform: str | None


def participations(store: Store, campaign: str, now: datetime | None = None) -> Sequence[Participation]:
    """Everybody who came, answered or left, by name."""
    return store.query_records(Participation, _PARTICIPATIONS, {"campaign": campaign, "now": now or datetime.now(UTC)})


@dataclass(frozen=True, slots=True)
class Settlement:
    """A manager's decision about a person's pay, with the amounts that it came to."""

    person: str
    decision: SettledDecision
    base: Decimal
    bonus: Decimal
    fee: Decimal
    made_by: str
    moment: datetime


@transaction(touched=frozenset())
def settle(connection: Connection, campaign: str, settlement: Settlement) -> None:
    """Write a decision about somebody's pay down; the latest counts."""
    record = asdict(settlement) | {"campaign_id": campaign, "rater_id": settlement.person}
    record |= {name: str(record[name]) for name in ("base", "bonus", "fee")}
    del record["person"]
    rows.insert(connection, "settlements", [record])


def settlements(store: Store, campaign: str) -> dict[str, Settlement]:
    """Return the latest decision about each person whose pay was decided, by name."""
    query = (
        "select rater_id as person, decision, base, bonus, fee, made_by, moment from settlements where campaign_id = ?"
        " qualify row_number() over (partition by rater_id order by moment desc) = 1"
    )
    return {
        row["person"]: Settlement(**row | {name: Decimal(row[name]) for name in ("base", "bonus", "fee")})
        for row in store.query(query, [campaign])
    }


@dataclass(frozen=True, slots=True)
class LedgerLine:
    """An erased person's pay in one campaign; it does not say who they were."""

    campaign_id: str
    outcome: Outcome
    decision: Decision
    items: int
    base: Decimal
    bonus: Decimal
    fee: Decimal


def ledger(store: Store, campaign: str) -> list[LedgerLine]:
    """Return the pay of erased people in a campaign, a line each."""
    query = "select * from ledger where campaign_id = ? order by all"
    return [
        LedgerLine(**row | {name: Decimal(row[name]) for name in ("base", "bonus", "fee")})
        for row in store.query(query, [campaign])
    ]


def insert_ledger(connection: Connection, lines: Sequence[LedgerLine]) -> None:
    """Write ledger lines; a row has no time, as that would tell whose it is."""
    rows.insert(
        connection, "ledger", (asdict(line) | {n: str(getattr(line, n)) for n in ("base", "bonus", "fee")} for line in lines)
    )


_PARTICIPATIONS = f"""
with done as (
    select rater_id, count(distinct item_id) filter (revises is null) as items,
        count(distinct item_id) filter (revises is null and status = 'valid') as counted,
        sum(active_seconds) as seconds, count(*) filter (revises is null and active_seconds is null) as untimed,
        max(submitted) filter (revises is null) as last
    from annotations where campaign_id = $campaign and {EARNED} group by rater_id
),
checked as (
    select a.rater_id, count(*) as attention, count(*) filter (a.passed) as attention_right
    from annotations a join campaign_items c on c.campaign_id = a.campaign_id and c.item_id = a.item_id
    where a.campaign_id = $campaign and a.revises is null and a.status = 'gold' and c.role = 'attention'
    group by a.rater_id
),
gone as (
    select rater_id, bool_or(made_by = '{BY_PERSON}') as withdrawn, bool_or(reason is not null) as paused,
        bool_or(uncounted) as uncounted
    from revocations where lifted is null and coalesce(campaign_id, $campaign) = $campaign group by rater_id
),
let_in as (
    select rater_id, max(lifted) as back from revocations
    where coalesce(campaign_id, $campaign) = $campaign group by rater_id
),
went as (
    select rater_id, outcome, code, moment from departures
    where campaign_id = $campaign and (outcome <> 'paused' or rater_id in (select rater_id from gone))
    qualify row_number() over (partition by rater_id order by items desc, outcome = 'completion' desc, moment desc) = 1
),
came as (
    select a.rater_id, a.came_as from arrivals a join invitations i using (invitation_id)
    where coalesce(i.campaign_id, 'default') = $campaign and i.role = 'annotator'
    qualify row_number() over (partition by a.rater_id order by a.moment desc) = 1
),
holding as (select rater_id, count(*) as n from claims where campaign_id = $campaign and until > $now group by rater_id),
everybody as (select rater_id from done union select rater_id from went union select rater_id from came)
select e.rater_id as person, coalesce(d.items, 0) as items, coalesce(d.counted, 0) as counted, d.seconds,
    coalesce(d.untimed, 0) as untimed, d.last, coalesce(h.n, 0) as held, o.rater_id is not null as out,
    coalesce(o.uncounted, false) as uncounted, coalesce(o.withdrawn, false) as withdrawn, l.back,
    coalesce(o.paused, false) as paused,
    coalesce(k.attention, 0) as attention, coalesce(k.attention_right, 0) as attention_right,
    w.outcome, w.code, w.moment as departed, nullif(c.came_as, 'name') as platform
from everybody e left join raters r using (rater_id) left join done d using (rater_id) left join went w using (rater_id)
left join came c using (rater_id) left join holding h using (rater_id) left join gone o using (rater_id)
left join let_in l using (rater_id)
left join checked k using (rater_id)
where not coalesce(r.simulated, false)
order by e.rater_id
"""
