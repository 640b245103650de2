"""A campaign's places while they are given out: read once for all who ask together, and written back as claims."""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Literal

import duckdb
import numpy as np

from data.campaign import CheckSchedule, Training, seeded_number
from data.campaign import PersonalOrder as Order
from data.store import grounds, rows
from data.store.lines import Line, Person
from data.store.listings import listing
from data.store.memory import Memory
from data.store.places import Known, marks

Closed = Literal["none", "draft", "stopped", "archived", "revoked", "paused", "training", "limit"]
"""Why a person is offered nothing though something may be left: there is no such campaign, it is in this state, they were
revoked, or paused by its checks, they failed its training, or they have reached its limit."""


@dataclass(frozen=True, slots=True)
class Progress:
    """Of one person in one campaign, training aside.

    Attributes:
        done: items that they have answered.
        remaining: items that still need answers and that they have not answered, whoever holds them: a claim is no answer, and
            may lapse.
    """

    done: int
    remaining: int


@dataclass(frozen=True, slots=True)
class Seat:
    """What a person is given: positions of items."""

    positions: list[int]
    progress: Progress
    closed: Closed | None = None
    training: Training | None = None


_FACTS = """
with said as (
    -- microseconds, as to make a time of each costs more than all the rest
    select 'answer' as what, rater_id, item_id, status, passed, null::bigint as moment, seq as place
    from annotations where rater_id in {people} and campaign_id = $campaign and revises is null
    union all
    select 'claim', rater_id, item_id, null, null, epoch_us(until), place from claims
    -- one that ends later than any claim can was made before the clock was set back
    where campaign_id = $campaign and until > $now and until <= $latest
    union all
    select 'skip', rater_id, item_id, null, null, epoch_us(skipped), 0 from skips
    where campaign_id = $campaign and rater_id in {people}
    union all
    select 'report', rater_id, item_id, null, null, epoch_us(moment), 0 from reports
    where campaign_id = $campaign and rater_id in {people} and dismissed is null
)
select what, rater_id, item_id, status, passed, moment from said order by place
"""
_OPEN = """
select position, wanted - people as room, aside from campaign_items where campaign_id = ? and (people < wanted or aside)
"""


_EPOCH = datetime.fromtimestamp(0, UTC)


class Board:
    """A campaign's open places, and what the people who ask have done. Nothing is written before ``write``."""

    def __init__(
        self, connection: duckdb.DuckDBPyConnection, known: Known, people: Sequence[str], now: datetime, memory: Memory
    ) -> None:
        campaign = known.campaign
        self._connection, self._campaign, self._now = connection, campaign, now
        self._listing = listing(connection, campaign.campaign_id, known.stamp)
        self._lease = timedelta(minutes=campaign.settings.lease_minutes)
        # the lease may have been shortened since
        self._latest = now + 2 * self._lease
        gone = grounds.revoked(connection, memory)
        self._people = {
            name: Person(out=tuple(why for of, why in gone.get(name, {}).items() if of in (None, campaign.campaign_id)))
            for name in people
        }
        self._changed: set[str] = set()
        self._used: set[int] = set()
        found = connection.execute(_OPEN, [campaign.campaign_id]).fetchnumpy()
        aside = np.asarray(found["aside"], np.bool_)
        self._position, self._room = (np.asarray(found[name], np.int64)[~aside] for name in ("position", "room"))
        self._index = np.full(self._listing.shuffle.size, -1, np.int64)
        self._index[self._position] = np.arange(self._position.size)
        self._training, self._checks = self._others(set(np.asarray(found["position"])[aside].tolist()))
        self._read_facts()

    def _others(self, aside: Container[int]) -> tuple[list[int], list[int]]:
        """Positions of training items, and of those that are mixed in."""
        special = self._listing.special
        training = sorted(one for one, role in special.items() if role == "training" and one not in aside)
        mixed = self._campaign.settings.check_every is not None
        return training, sorted(one for one, role in special.items() if role != "training" and mixed and one not in aside)

    def _read_facts(self) -> None:
        names = {f"p{n}": name for n, name in enumerate(self._people)}
        query = _FACTS.format(people=f"({', '.join(f'${key}' for key in names)})")
        parameters = {"campaign": self._campaign.campaign_id, "now": self._now, "latest": self._latest, **names}
        for what, name, item_id, status, passed, moment in self._connection.execute(query, parameters).fetchall():
            position = self._listing.positions.get(item_id)
            if what == "claim" and position is not None:
                self._take(position)
            if name in self._people:
                _note(self._people[name], what, item_id, position, status, passed, moment)

    def _place(self, position: int) -> int | None:
        """Where an open item stands in the arrays."""
        place = int(self._index[position])
        return place if place >= 0 else None

    def _take(self, position: int, n: int = 1) -> None:
        """Hold places of an ordinary item."""
        if (place := self._place(position)) is not None:
            self._room[place] -= n

    def seat(self, name: str, ahead: int) -> Seat:
        """Give this person what they have, and more if they want it."""
        person = self._people[name]
        before = list(person.held)
        for position in before:
            self._take(position, -1)
        given = self._given(person, name, ahead)
        person.held = given.positions
        for position in person.held:
            self._take(position)
        self._used.update(person.held)
        # asking again writes nothing before the lease has come half its way
        if person.held != before or (person.until is not None and person.until - self._now < self._lease / 2):
            self._changed.add(name)
            person.until = self._now + self._lease
        return given

    def _given(self, person: Person, name: str, ahead: int) -> Seat:
        settings, done, training = self._campaign.settings, person.done, self._trained(person)
        closed: Closed | None = None
        if self._campaign.state != "running":
            closed = self._campaign.state
        elif person.out:
            closed = "revoked" if None in person.out else "paused"
        elif training is not None and training.failed:
            closed = "training"
        elif training is not None and not training.passed:
            return Seat(person.waiting(self._training)[:ahead], Progress(done, 0), None, training)
        elif settings.limit is not None and done >= settings.limit:
            closed = "limit"
        if closed is not None:
            return Seat([], Progress(done, 0), closed, training)
        line = self._line(person, name)
        remaining = line.remaining()
        if settings.limit is not None:
            remaining = min(remaining, settings.limit - done)
        return Seat(line.first(min(ahead, remaining)), Progress(done, remaining), None, training)

    def _trained(self, person: Person) -> Training | None:
        if not self._training:
            return None
        # what a person cannot see must not keep them out
        asked = [position for position in self._training if position not in person.broken or position in person.answered]
        answered = [position for position in asked if position in person.answered]
        right = sum(position in person.passed for position in answered)
        return Training.of(len(asked), right, len(answered), self._campaign.settings.pass_mark)

    def _line(self, person: Person, name: str) -> Line:
        """All ordinary items that this person may be given now, and the checks."""
        campaign, settings = self._campaign, self._campaign.settings
        open_ = np.ones(self._position.size, np.bool_)
        for position in (*person.answered, *person.broken):
            if (place := self._place(position)) is not None:
                open_[place] = False
        wanted = int(open_.sum())
        positions = self._position[open_ & (self._room > 0)]
        if settings.order == "random":
            keys = Order.of(campaign.seed, campaign.campaign_id, name).keys(self._listing.shuffle[positions])
        else:
            keys = self._listing.shuffle[positions] if settings.order == "shared" else positions
        if settings.check_every is None or not self._checks:
            return Line(person, positions, keys, wanted)
        places = CheckSchedule(settings.check_every, campaign.seed, campaign.campaign_id, name)
        checks = sorted(
            self._checks, key=lambda one: seeded_number(campaign.seed, campaign.campaign_id, "check", name, "item", one)
        )
        return Line(person, positions, keys, wanted, checks, places)

    def item_ids(self) -> dict[int, str]:
        """The items that were given, by position."""
        found = ((position, self._listing.item_ids[position]) for position in self._used)
        return {position: item_id for position, item_id in found if item_id is not None}

    def write(self, item_ids: Mapping[int, str]) -> None:
        """Write the claims of those whose claims changed; those that have ended go."""
        if not self._changed:
            return
        names = sorted(self._changed)
        campaign_id = self._campaign.campaign_id
        self._connection.execute(
            f"delete from claims where campaign_id = ? and (until <= ? or until > ? or rater_id in {marks(names)})",
            [campaign_id, self._now, self._latest, *names],
        )
        claims = [
            (campaign_id, item_ids[position], name, self._people[name].until, place)
            for name in names
            for place, position in enumerate(self._people[name].held)
        ]
        rows.insert(self._connection, "claims", ("campaign_id", "item_id", "rater_id", "until", "place"), claims)


def _note(person: Person, what: str, item_id: str, position: int | None, status: str, passed: bool | None, moment: int) -> None:
    """Take down one fact about a person."""
    if what == "answer":
        person.items.add(item_id)
    if position is None:
        return
    if what == "answer" and position not in person.answered:
        person.answered[position] = status
        if passed:
            person.passed.add(position)
    elif what == "claim":
        person.held.append(position)
        until = _EPOCH + timedelta(microseconds=moment)
        person.until = min(until, person.until or until)
    elif what == "skip":
        person.put_off[position] = max(moment, person.put_off.get(position, moment))
    elif what == "report":
        person.broken.add(position)
