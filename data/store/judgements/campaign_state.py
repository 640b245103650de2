"""Campaign state: what the writer knows of a campaign while answers come: open places, claims, and what its people have done.

Read once, and from then on kept in step by whoever writes: only the writer's thread uses it, and whatever is written elsewhere
makes the cache forget it. A transaction that fails does so, too.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any

import numpy as np

from data.campaigns.settings import DEFAULT, UNEARNED, Campaign
from data.store.campaign_items import cached_campaigns, campaign_listing, refuse_closed
from data.store.core import rows
from data.store.core.cache import Cache
from data.store.core.connections import Connection


@dataclass(slots=True)
class PersonProgress:
    """What a person has done in a campaign, by positions of its items.

    Attributes:
        items: the ids of all that they have answered as they were asked to, which is what they are paid for; ``counted``: of
            those whose answer counts (or is a check) and is blind.
        offered: items that they were given and have neither skipped nor reported since, also after the claim has ended.
        answered: the status of the first answer.
        passed: of gold, attention and training items, those answered rightly.
        held: claims, in their order, and when they end.
        put_off: skipped items, by when, in microseconds; ``broken``: those that they reported.
        drafts: what they have written so far, by item.
    """

    items: set[str] = field(default_factory=set)
    counted: set[str] = field(default_factory=set)
    answered: dict[int, str] = field(default_factory=dict)
    passed: set[int] = field(default_factory=set)
    held: dict[int, datetime] = field(default_factory=dict)
    offered: set[int] = field(default_factory=set)
    put_off: dict[int, int] = field(default_factory=dict)
    broken: set[int] = field(default_factory=set)
    drafts: dict[str, Mapping[str, Any]] = field(default_factory=dict)

    @property
    def done(self) -> int:
        """How many items they have answered, training aside."""
        return len(self.items) - sum(status == "training" for status in self.answered.values())

    def waiting(self, positions: Sequence[int]) -> list[int]:
        """Those of these that they have not answered: held ones first, skipped ones last."""
        left = [position for position in positions if position not in self.answered and position not in self.broken]
        held = [position for position in self.held if position in left]
        fresh = [position for position in left if position not in held and position not in self.put_off]
        return held + fresh + self.later(position for position in left if position not in held and position in self.put_off)

    def later(self, positions: Iterable[int]) -> list[int]:
        """Skipped items in the order of skipping."""
        return sorted(positions, key=lambda position: (self.put_off[position], position))

    def note_answer(
        self, item_id: str, position: int | None, status: str, passed: bool | None, blind: bool, reason: str | None
    ) -> None:
        """Take down a new answer that revises none; one that nobody asked them for leaves the item to be answered."""
        if reason in UNEARNED:
            return
        self.items.add(item_id)
        if blind and status != "surplus":
            self.counted.add(item_id)
        if position is not None and position not in self.answered:
            self.answered[position] = status
            if passed:
                self.passed.add(position)


_COUNTS = "select position, people, wanted, aside from campaign_items where campaign_id = ?"
EARNED = f"coalesce(surplus_reason, '') not in {(*sorted(UNEARNED),)}"
"""SQL: answers that people were asked for, and are paid for."""
_ANSWERED = (
    "select rater_id, count(distinct item_id) from annotations where campaign_id = ? and revises is null"
    f" and {EARNED} group by rater_id"
)
_LEDGER = "select sum(base::decimal(18, 2) + bonus::decimal(18, 2) + fee::decimal(18, 2)) from ledger where campaign_id = ?"
# microseconds, as to make a time of each costs more than all the rest
_CLAIMS = "select rater_id, item_id, epoch_us(until) from claims where campaign_id = ? order by place"
_FACTS = """
with facts as (
    select 'answer' as what, rater_id, item_id, status, passed, not saw_evidence as blind, seq as moment, null as answers,
        surplus_reason as reason
    from annotations where rater_id in {people} and campaign_id = $campaign and revises is null
    union all
    select 'skip', rater_id, item_id, null, null, null, epoch_us(skipped), null, null from skips
    where campaign_id = $campaign and rater_id in {people}
    union all
    select 'report', rater_id, item_id, null, null, null, epoch_us(moment), null, null from reports
    where campaign_id = $campaign and rater_id in {people} and dismissed is null
    union all
    select 'draft', rater_id, item_id, null, null, null, epoch_us(saved), answers, null from drafts
    where campaign_id = $campaign and rater_id in {people}
    union all
    select 'offer', rater_id, item_id, null, null, null, 0, null, null from offers
    where campaign_id = $campaign and rater_id in {people}
)
from facts order by moment
"""
_STATE = "campaign state"
_EPOCH = datetime.fromtimestamp(0, UTC)


class CampaignState:
    """A campaign, how many people its items have and want, and who holds what.

    Attributes:
        people, wanted, aside: by position.
        persons: those who hold something or have been asked about, by name.
    """

    def __init__(self, connection: Connection, campaign: Campaign) -> None:
        self.campaign = campaign
        self.listing = campaign_listing(connection, campaign.campaign_id, campaign.stamp)
        self.persons: dict[str, PersonProgress] = {}
        self._complete: set[str] = set()
        self._moved: set[str] = set()
        self._answered: dict[str, int] = {}
        self.erased_cost = Decimal(0)
        size = self.listing.shuffle.size
        self.people, self.wanted = np.zeros(size, np.int64), np.zeros(size, np.int64)
        self.aside = np.zeros(size, np.bool_)
        campaign_id = self.campaign.campaign_id
        counts = connection.execute(_COUNTS, [campaign_id]).fetchnumpy()
        for column, values in (("people", self.people), ("wanted", self.wanted), ("aside", self.aside)):
            values[counts["position"]] = counts[column]
        for name, item_id, until in connection.execute(_CLAIMS, [campaign_id]).fetchall():
            if (position := self.listing.positions.get(item_id)) is not None:
                held = self.persons.setdefault(name, PersonProgress()).held
                held[position] = _EPOCH + timedelta(microseconds=until)
        if self.campaign.settings.pay.budget is not None:
            self._answered = dict(connection.execute(_ANSWERED, [campaign_id]).fetchall())
            self.erased_cost = rows.value(connection, _LEDGER, [campaign_id]) or Decimal(0)

    def read_people(self, connection: Connection, names: Collection[str]) -> None:
        """Read what these people have done, where it is not known yet."""
        new = [name for name in dict.fromkeys(names) if name not in self._complete]
        if not new:
            return
        keys = {f"p{n}": name for n, name in enumerate(new)}
        query = _FACTS.format(people=f"({', '.join(f'${key}' for key in keys)})")
        records = connection.execute(query, {"campaign": self.campaign.campaign_id, **keys}).fetchall()
        for name in new:
            self.persons.setdefault(name, PersonProgress())
        for kind, name, item_id, status, passed, blind, moment, answers, reason in records:
            person, position = self.persons[name], self.listing.positions.get(item_id)
            if kind == "answer":
                person.note_answer(item_id, position, status, passed, blind, reason)
            elif kind == "draft":
                person.drafts[item_id] = rows.from_json(answers)
            elif position is None:
                continue
            elif kind == "skip":
                person.put_off[position] = moment
            elif kind == "offer":
                person.offered.add(position)
            else:
                person.broken.add(position)
        self._complete.update(new)

    def committed(self, *, held: bool = True) -> dict[str, int]:
        """Return by name how many items everybody has answered or holds: what a budget has to pay. Empty without a budget.

        Without ``held`` only answered items are counted.
        """
        items = dict(self._answered)
        for name, person in self.persons.items():
            answered = len(person.items) if name in self._complete else items.get(name, 0)
            items[name] = answered + (len(person.held) if held else 0)
        return items

    def cost_of_others(self, name: str, *, held: bool = True) -> Decimal:
        """Pay and fees of everybody but this person, of erased people too, if all reach the end."""
        pay = self.campaign.settings.pay
        others = (pay.cost(n) for other, n in self.committed(held=held).items() if other != name)
        return sum(others, self.erased_cost)

    def hold(self, name: str, held: dict[int, datetime]) -> None:
        """Let a person hold these items and no others, from the next ``write_claims`` on."""
        self.persons[name].held = held
        self._moved.add(name)

    def expire_claims(self, now: datetime, latest: datetime) -> None:
        """Let go of claims that have ended; one beyond ``latest`` was made before the clock was set back."""
        for name, person in self.persons.items():
            if any(not now < until <= latest for until in person.held.values()):
                self.hold(name, {position: until for position, until in person.held.items() if now < until <= latest})

    def write_claims(self, connection: Connection) -> None:
        """Write the claims of all whose claims have changed."""
        names = sorted(self._moved)
        if not names:
            return
        campaign_id = self.campaign.campaign_id
        connection.execute(
            f"delete from claims where campaign_id = ? and rater_id in {rows.placeholders(names)}", [campaign_id, *names]
        )
        ids = self.listing.item_ids
        claims = (
            {"campaign_id": campaign_id, "item_id": ids[position], "rater_id": name, "until": until, "place": rank}
            for name in names
            for rank, (position, until) in enumerate(self.persons[name].held.items())
        )
        rows.insert(connection, "claims", claims)
        if campaign_id != DEFAULT:
            rows.insert(connection, "offers", self._new_offers(names))
        self._moved.clear()

    def _new_offers(self, names: Sequence[str]) -> Iterator[Mapping[str, Any]]:
        """Note what people hold that they were not given before."""
        for name in names:
            # whose facts are not read can have lost claims, and have got none
            person = self.persons[name] if name in self._complete else PersonProgress()
            for position in [position for position in person.held if position not in person.offered]:
                person.offered.add(position)
                yield {
                    "campaign_id": self.campaign.campaign_id,
                    "item_id": self.listing.item_ids[position],
                    "rater_id": name,
                }


def forget_state(memory: Cache, campaign_id: str) -> None:
    """Something was written that is not noted in the campaign's state. For the writer's thread."""
    memory.put((_STATE, campaign_id), None, memory.state)


class CampaignStates:
    """The campaigns that one transaction is about. Others may make the cache forget them meanwhile; here they stay."""

    def __init__(self, connection: Connection, memory: Cache) -> None:
        self.connection = connection
        self.memory = memory
        self._used: dict[str, CampaignState] = {}

    def of(self, campaigns: Collection[str]) -> dict[str, CampaignState]:
        """Those of these campaigns that exist."""
        since = self.memory.state
        for campaign_id in campaigns:
            if campaign_id not in self._used and (cached := self.memory.get((_STATE, campaign_id))) is not None:
                self._used[campaign_id] = cached
        missing = [campaign_id for campaign_id in campaigns if campaign_id not in self._used]
        for campaign_id, known in cached_campaigns(self.connection, missing, self.memory).items() if missing else ():
            self._used[campaign_id] = state = CampaignState(self.connection, known)
            self.memory.put((_STATE, campaign_id), state, since)
        return {campaign_id: self._used[campaign_id] for campaign_id in campaigns if campaign_id in self._used}

    def refuse_closed(self, campaign_ids: Collection[str | None]) -> None:
        """Check that those of these campaigns that exist take answers.

        Raises:
            CampaignClosed: one has not started yet, or is archived.
        """
        named = [campaign_id for campaign_id in campaign_ids if campaign_id is not None]
        refuse_closed(state.campaign for state in self.of(named).values())

    def write_claims(self) -> None:
        """Write what has changed of who holds what; the last that a transaction does."""
        for state in self._used.values():
            state.write_claims(self.connection)

    def reload(self) -> None:
        """Read everything anew from now on: something was, or is about to be, written that is not noted here."""
        self.write_claims()
        self._used.clear()
        self.memory.forget()
