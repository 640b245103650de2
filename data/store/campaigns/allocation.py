"""Allocation: which items each person is given next, held as claims until their lease ends; and drafts of answers, which
renew it.

Requests that wait together are decided together, in one transaction: a campaign's open items are read once for all who ask, and
written back as claims. A person's queue (``PersonQueue``) knows no database: positions and numbers only.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any, Literal

import duckdb
import numpy as np
from numpy.typing import NDArray

from data.campaign import CheckSchedule, Training, seeded_number
from data.campaign import PersonalOrder as Order
from data.store.core import rows
from data.store.core.campaign_items import (
    DEFAULT,
    AnnotationTask,
    StampedCampaign,
    cached_campaigns,
    cached_tasks,
    campaign_listing,
    ensure_default,
    placeholders,
)
from data.store.core.store import Cache, Store
from data.store.judgements import answer_status


@dataclass(slots=True)
class PersonProgress:
    """What a person has done in a campaign, by positions of its items.

    Attributes:
        items: the ids of all that they have answered.
        answered: the status of the first answer.
        passed: of gold, attention and training items, those answered rightly.
        held: claims, in their order; ``until``: when they end.
        put_off: skipped items, by when, in microseconds; ``broken``: those that they reported.
        out: what they were taken out for: what they fail of the checks, None if a manager did it.
    """

    items: set[str] = field(default_factory=set)
    answered: dict[int, str] = field(default_factory=dict)
    passed: set[int] = field(default_factory=set)
    held: list[int] = field(default_factory=list)
    until: datetime | None = None
    put_off: dict[int, int] = field(default_factory=dict)
    broken: set[int] = field(default_factory=set)
    out: tuple[str | None, ...] = ()

    @property
    def done(self) -> int:
        """How many items they have answered, training aside."""
        return len(self.items) - sum(status == "training" for status in self.answered.values())

    def waiting(self, positions: Sequence[int]) -> list[int]:
        """Those of these that they have not answered: held ones first, skipped ones last."""
        left = [one for one in positions if one not in self.answered and one not in self.broken]
        held = [one for one in self.held if one in left]
        fresh = [one for one in left if one not in held and one not in self.put_off]
        return held + fresh + self.later(one for one in left if one not in held and one in self.put_off)

    def later(self, positions: Iterable[int]) -> list[int]:
        """Skipped items in the order of skipping."""
        return sorted(positions, key=lambda one: (self.put_off[one], one))


@dataclass(frozen=True, slots=True)
class PersonQueue:
    """Open ordinary items, and checks to mix in.

    Attributes:
        positions, keys: of the ordinary items that this person may be given now, and what orders them.
        wanted: how many ordinary items want an answer of theirs: these, and those that others hold at present.
        checks: positions of gold and attention items, in this person's order.
        places: where checks stand; None if there are none.
    """

    person: PersonProgress
    positions: NDArray[np.int64]
    keys: NDArray[np.int64]
    wanted: int
    checks: Sequence[int] = ()
    places: CheckSchedule | None = None

    def remaining(self) -> int:
        """How many items this person would still be given, if nobody else answered and all claims lapsed."""
        if self.places is None:
            return self.wanted
        left = sum(one not in self.person.answered and one not in self.person.broken for one in self.checks)
        return min(self.wanted + left, self.places.ahead(self.person.done, self.wanted))

    def first(self, n: int) -> list[int]:
        """The next ``n`` positions: what the person holds, and then what follows."""
        person = self.person
        checks = person.waiting(self.checks) if self.places is not None else []
        few = list({*person.held, *person.put_off})
        # those of these few that are open ordinary items
        wanted = set(self.positions[np.isin(self.positions, few)].tolist()) if few else set()
        given = [one for one in person.held if one in wanted or one in checks][:n]
        ordinary = self._ordinary(n, wanted)
        kept = sum(one not in checks for one in given)
        mixed = sum(one in checks for one in given) + sum(status == "gold" for status in person.answered.values())
        # a skipped check comes back when skipped items do, or it would give itself away
        late = len(wanted) == self.positions.size
        free = iter(one for one in checks if one not in given and (late or one not in person.put_off))
        while len(given) < n and kept < self.positions.size:
            place = person.done + len(given)
            check = None
            if self.places is not None and self.places.is_next(place) and mixed < self.places.due(place + 1):
                check = next(free, None)
            if check is not None:
                given.append(check)
                mixed += 1
            else:
                given.append(next(ordinary))
                kept += 1
        return given

    def _ordinary(self, n: int, wanted: set[int]) -> Iterator[int]:
        """The next ordinary items that the person does not hold: by their keys, and then the skipped ones."""
        out = {*self.person.held, *self.person.put_off}
        free = np.flatnonzero(~np.isin(self.positions, sorted(out))) if out else np.arange(self.positions.size)
        if free.size > n:
            free = free[np.argpartition(self.keys[free], n - 1)[:n]]
        yield from self.positions[free[np.lexsort((self.positions[free], self.keys[free]))]].tolist()
        held = set(self.person.held)
        yield from self.person.later(one for one in self.person.put_off if one in wanted and one not in held)


ClosedReason = Literal["none", "draft", "stopped", "archived", "revoked", "paused", "training", "limit"]
"""Why a person is offered nothing though something may be left: there is no such campaign, it is in this state, they were
revoked, or paused by its checks, they failed its training, or they have reached its limit."""


@dataclass(frozen=True, slots=True)
class CampaignProgress:
    """Of one person in one campaign, training aside.

    Attributes:
        done: items that they have answered.
        remaining: items that still need answers and that they have not answered, whoever holds them: a claim is no answer, and
            may lapse.
    """

    done: int
    remaining: int


@dataclass(frozen=True, slots=True)
class AllocatedPositions:
    """What a person is given: positions of items."""

    positions: list[int]
    progress: CampaignProgress
    closed: ClosedReason | None = None
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


class Allocator:
    """A campaign's open places, and what the people who ask have done. Nothing is written before ``write``."""

    def __init__(
        self, connection: duckdb.DuckDBPyConnection, known: StampedCampaign, people: Sequence[str], now: datetime, memory: Cache
    ) -> None:
        campaign = known.campaign
        self._connection, self._campaign, self._now = connection, campaign, now
        self._listing = campaign_listing(connection, campaign.campaign_id, known.stamp)
        self._lease = timedelta(minutes=campaign.settings.lease_minutes)
        # the lease may have been shortened since
        self._latest = now + 2 * self._lease
        gone = answer_status.revoked_raters(connection, memory)
        self._people = {
            name: PersonProgress(out=tuple(why for of, why in gone.get(name, {}).items() if of in (None, campaign.campaign_id)))
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

    def _open_index(self, position: int) -> int | None:
        """Where an open item stands in the arrays."""
        place = int(self._index[position])
        return place if place >= 0 else None

    def _take(self, position: int, n: int = 1) -> None:
        """Hold places of an ordinary item."""
        if (place := self._open_index(position)) is not None:
            self._room[place] -= n

    def allocate(self, name: str, ahead: int) -> AllocatedPositions:
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

    def _given(self, person: PersonProgress, name: str, ahead: int) -> AllocatedPositions:
        settings, done, training = self._campaign.settings, person.done, self._trained(person)
        closed: ClosedReason | None = None
        if self._campaign.state != "running":
            closed = self._campaign.state
        elif person.out:
            closed = "revoked" if None in person.out else "paused"
        elif training is not None and training.failed:
            closed = "training"
        elif training is not None and not training.passed:
            return AllocatedPositions(person.waiting(self._training)[:ahead], CampaignProgress(done, 0), None, training)
        elif settings.limit is not None and done >= settings.limit:
            closed = "limit"
        if closed is not None:
            return AllocatedPositions([], CampaignProgress(done, 0), closed, training)
        line = self._line(person, name)
        remaining = line.remaining()
        if settings.limit is not None:
            remaining = min(remaining, settings.limit - done)
        return AllocatedPositions(line.first(min(ahead, remaining)), CampaignProgress(done, remaining), None, training)

    def _trained(self, person: PersonProgress) -> Training | None:
        if not self._training:
            return None
        # what a person cannot see must not keep them out
        asked = [position for position in self._training if position not in person.broken or position in person.answered]
        answered = [position for position in asked if position in person.answered]
        right = sum(position in person.passed for position in answered)
        return Training.of(len(asked), right, len(answered), self._campaign.settings.pass_mark)

    def _line(self, person: PersonProgress, name: str) -> PersonQueue:
        """All ordinary items that this person may be given now, and the checks."""
        campaign, settings = self._campaign, self._campaign.settings
        open_ = np.ones(self._position.size, np.bool_)
        for position in (*person.answered, *person.broken):
            if (place := self._open_index(position)) is not None:
                open_[place] = False
        wanted = int(open_.sum())
        positions = self._position[open_ & (self._room > 0)]
        if settings.order == "random":
            keys = Order.of(campaign.seed, campaign.campaign_id, name).keys(self._listing.shuffle[positions])
        else:
            keys = self._listing.shuffle[positions] if settings.order == "shared" else positions
        if settings.check_every is None or not self._checks:
            return PersonQueue(person, positions, keys, wanted)
        places = CheckSchedule(settings.check_every, campaign.seed, campaign.campaign_id, name)
        checks = sorted(
            self._checks, key=lambda one: seeded_number(campaign.seed, campaign.campaign_id, "check", name, "item", one)
        )
        return PersonQueue(person, positions, keys, wanted, checks, places)

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
            f"delete from claims where campaign_id = ? and (until <= ? or until > ? or rater_id in {placeholders(names)})",
            [campaign_id, self._now, self._latest, *names],
        )
        claims = [
            (campaign_id, item_ids[position], name, self._people[name].until, place)
            for name in names
            for place, position in enumerate(self._people[name].held)
        ]
        rows.insert(self._connection, "claims", ("campaign_id", "item_id", "rater_id", "until", "place"), claims)


def _note(
    person: PersonProgress, what: str, item_id: str, position: int | None, status: str, passed: bool | None, moment: int
) -> None:
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


@dataclass(frozen=True, slots=True)
class AnswerDraft:
    """What a person has written about an item so far."""

    campaign: str
    person: str
    item_id: str
    answers: Mapping[str, Any]


def save_draft(store: Store, draft: AnswerDraft, *, now: datetime | None = None) -> None:
    """Keep a draft in place of an earlier one; whoever writes keeps their claim for another lease."""
    store.write(_save_drafts, _TimedDraft(draft, now or datetime.now(UTC), store.memory), shown=False)


def drafts_of(
    connection: duckdb.DuckDBPyConnection, campaign: str, people: Sequence[str]
) -> dict[str, dict[str, dict[str, Any]]]:
    """The answers of these people's drafts, by person and item."""
    found = connection.execute(
        f"select rater_id, item_id, answers from drafts where campaign_id = ? and rater_id in {placeholders(people)}",
        [campaign, *people],
    ).fetchall()
    drafts: dict[str, dict[str, dict[str, Any]]] = {}
    for person, item_id, answers in found:
        drafts.setdefault(person, {})[item_id] = rows.from_json(answers)
    return drafts


_WHERE = "campaign_id = ? and rater_id = ? and item_id = ?"


@dataclass(frozen=True, slots=True)
class _TimedDraft:
    draft: AnswerDraft
    now: datetime
    memory: Cache


def _write_drafts(connection: duckdb.DuckDBPyConnection, payloads: Sequence[_TimedDraft]) -> list[None]:
    latest = {(one.draft.campaign, one.draft.person, one.draft.item_id): one for one in payloads}
    for key, one in latest.items():
        connection.execute(f"delete from drafts where {_WHERE}", list(key))
        columns = ("campaign_id", "rater_id", "item_id", "answers", "saved")
        rows.insert(connection, "drafts", columns, [(*key, rows.to_json(one.draft.answers), one.now)])
        for known in cached_campaigns(connection, [key[0]], one.memory).values():
            until = one.now + timedelta(minutes=known.campaign.settings.lease_minutes)
            connection.execute(f"update claims set until = ? where {_WHERE} and until > ?", [until, *key, one.now])
    return [None] * len(payloads)


_save_drafts = _write_drafts


@dataclass(frozen=True, slots=True)
class NextTasks:
    """What lies before one person: the current task first, the one after it second.

    Attributes:
        closed: why nothing is offered; None with no tasks: nothing is left.
        training: how they stand in training, if the campaign has any; ``Training.passed`` ends it.
        drafts: what they have written so far, by item.
    """

    tasks: list[AnnotationTask]
    progress: CampaignProgress
    closed: ClosedReason | None = None
    training: Training | None = None
    drafts: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class TaskRequest:
    """Somebody asks what is next; ``ahead`` is how many tasks they want."""

    campaign: str
    person: str
    ahead: int
    now: datetime
    memory: Cache


def allocate_tasks(connection: duckdb.DuckDBPyConnection, seekers: Sequence[TaskRequest]) -> list[NextTasks]:
    """Decide who gets what, in the order of asking, and write it down as claims."""
    now = max(seeker.now for seeker in seekers)
    names = list(dict.fromkeys(seeker.campaign for seeker in seekers))
    memory = seekers[0].memory
    if DEFAULT in names and ensure_default(connection, now):
        memory.forget()
    people = {name: sorted({s.person for s in seekers if s.campaign == name}) for name in names}
    boards = {
        name: Allocator(connection, one, people[name], now, memory)
        for name, one in cached_campaigns(connection, names, memory).items()
    }
    written = {name: drafts_of(connection, name, people[name]) for name in boards}
    nothing = AllocatedPositions([], CampaignProgress(0, 0), "none")
    seats = [boards[s.campaign].allocate(s.person, s.ahead) if s.campaign in boards else nothing for s in seekers]
    named = {name: board.item_ids() for name, board in boards.items()}
    for name, board in boards.items():
        board.write(named[name])
    item_ids = sorted({item_id for ids in named.values() for item_id in ids.values()})
    found = cached_tasks(connection, item_ids, memory)
    desks: list[NextTasks] = []
    for seeker, given in zip(seekers, seats, strict=True):
        own_ids = [named[seeker.campaign][position] for position in given.positions]
        offered = [found[item_id] for item_id in own_ids if item_id in found]
        own = written.get(seeker.campaign, {}).get(seeker.person, {})
        desks.append(NextTasks(offered, given.progress, given.closed, given.training, own))
    return desks
