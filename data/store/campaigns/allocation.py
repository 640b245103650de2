"""Allocation: which items each person is given next, held as claims until their lease ends; and drafts of answers, which
renew it.

Requests that wait together are decided together, in one transaction: a campaign's open items are read once for all who ask, and
written back as claims. A person's queue (``PersonQueue``) knows no database: positions and numbers only.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import Any, Final, Literal

import numpy as np
from numpy.typing import NDArray

from data.campaigns.checks import Training
from data.campaigns.items import CheckSchedule, seeded_number
from data.campaigns.items import PersonalOrder as Order
from data.campaigns.settings import DEFAULT
from data.store.campaign_items import AnnotationTask, cached_tasks, ensure_default
from data.store.core import rows
from data.store.core.cache import Cache
from data.store.core.connections import Connection
from data.store.core.store import Store
from data.store.judgements import answer_status
from data.store.judgements.campaign_state import CampaignState, CampaignStates, PersonProgress


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
        left = sum(check not in self.person.answered and check not in self.person.broken for check in self.checks)
        return min(self.wanted + left, self.places.ahead(self.person.done, self.wanted))

    def first(self, n: int) -> list[int]:
        """The next ``n`` positions: what the person holds, and then what follows."""
        person = self.person
        checks = person.waiting(self.checks) if self.places is not None else []
        few = list({*person.held, *person.put_off})
        # those of these few that are open ordinary items
        wanted = set(self.positions[np.isin(self.positions, few)].tolist()) if few else set()
        allocated = [position for position in person.held if position in wanted or position in checks][:n]
        ordinary = self._ordinary(n, wanted)
        n_ordinary = sum(position not in checks for position in allocated)
        mixed = sum(position in checks for position in allocated) + sum(status == "gold" for status in person.answered.values())
        # a skipped check comes back when skipped items do, or it would give itself away
        late = len(wanted) == self.positions.size
        free = iter(position for position in checks if position not in allocated and (late or position not in person.put_off))
        while len(allocated) < n and n_ordinary < self.positions.size:
            nth = person.done + len(allocated)
            check = None
            if self.places is not None and self.places.is_next(nth) and mixed < self.places.due(nth + 1):
                check = next(free, None)
            if check is not None:
                allocated.append(check)
                mixed += 1
            else:
                allocated.append(next(ordinary))
                n_ordinary += 1
        return allocated

    def _ordinary(self, n: int, wanted: set[int]) -> Iterator[int]:
        """The next ordinary items that the person does not hold: by their keys, and then the skipped ones."""
        out = {*self.person.held, *self.person.put_off}
        free = np.flatnonzero(~np.isin(self.positions, sorted(out))) if out else np.arange(self.positions.size)
        if free.size > n:
            free = free[np.argpartition(self.keys[free], n - 1)[:n]]
        yield from self.positions[free[np.lexsort((self.positions[free], self.keys[free]))]].tolist()
        held = set(self.person.held)
        yield from self.person.later(
            position for position in self.person.put_off if position in wanted and position not in held
        )


ClosedReason = Literal[
    "none", "draft", "stopped", "archived", "revoked", "suspended", "paused", "withdrawn", "training", "limit", "budget",
    "closed",
]  # fmt: skip
"""Why a person is offered nothing though something may be left: there is no such campaign, it is in this state, they were
revoked, suspended by a manager while their answers stay, or paused by its checks, they have withdrawn their answers, they
failed its training, or they have reached its limit; its budget is spent, or its time is over."""


_OUT: Final[Mapping[str | None, ClosedReason]] = {
    answer_status.BY_PERSON: "withdrawn",
    None: "revoked",
    answer_status.ANSWERS_STAY: "suspended",
}
"""How somebody is out, by `answer_status.revoked_raters`, the gravest first; all else is what they failed."""


@dataclass(frozen=True, slots=True)
class CampaignProgress:
    """Of one person in one campaign, training aside.

    Attributes:
        done: items that they have answered.
        remaining: items that still need answers and that they have not answered, whoever holds them: a claim is no answer, and
            may lapse.
        reported: items that they reported and have not answered.
    """

    done: int
    remaining: int
    reported: int = 0


@dataclass(frozen=True, slots=True)
class AllocatedPositions:
    """What a person is given: positions of items."""

    positions: list[int]
    progress: CampaignProgress
    closed: ClosedReason | None = None
    training: Training | None = None


class Allocator:
    """A campaign's open places, and what the people who ask have done. Nothing is written before ``CampaignStates`` does."""

    def __init__(self, states: CampaignStates, state: CampaignState, people: Sequence[str], now: datetime) -> None:
        self._campaign, self._state, self._now = state.campaign, state, now
        self._lease = timedelta(minutes=state.campaign.settings.lease_minutes)
        revoked = answer_status.revoked_raters(states.connection, states.memory)
        out_of = (None, state.campaign.campaign_id)
        self._out = {name: [why for of, why in revoked.get(name, {}).items() if of in out_of] for name in people}
        state.read_people(states.connection, people)
        # the lease may have been shortened since
        state.expire_claims(now, now + 2 * self._lease)
        self._open = (state.people < state.wanted) & ~state.aside
        self._room = state.wanted - state.people
        for person in state.persons.values():
            self._room[list(person.held)] -= 1
        self._training, self._checks = self._others()
        self._pay = state.campaign.settings.pay
        closing = state.campaign.settings.closing
        self._over = closing is not None and now >= closing

    def _others(self) -> tuple[list[int], list[int]]:
        """Positions of training items, and of those that are mixed in."""
        special = {item: role for item, role in self._state.listing.special.items() if not self._state.aside[item]}
        training = sorted(item for item, role in special.items() if role == "training")
        mixed = self._campaign.settings.check_every is not None
        return training, sorted(item for item, role in special.items() if role != "training" and mixed)

    def allocate(self, name: str, ahead: int) -> AllocatedPositions:
        """Give this person what they have, and more if they want it."""
        person = self._state.persons[name]
        before = list(person.held)
        self._room[before] += 1
        allocated = self._within_budget(self._given(person, name, ahead), person, name)
        reported = len(person.broken.difference(self._training, person.answered))
        allocated = replace(allocated, progress=replace(allocated.progress, reported=reported))
        self._room[allocated.positions] -= 1
        # asking again writes nothing before the lease has come half its way
        if allocated.positions != before or any(until - self._now < self._lease / 2 for until in person.held.values()):
            self._state.hold(name, dict.fromkeys(allocated.positions, self._now + self._lease))
        return allocated

    def _within_budget(self, allocated: AllocatedPositions, person: PersonProgress, name: str) -> AllocatedPositions:
        """As much of it as can be paid; what others hold may be answered, so it counts as spent."""
        if self._pay.budget is None or not allocated.positions:
            return allocated
        others = self._state.cost_of_others(name)
        n = self._pay.affordable(len(person.items), len(allocated.positions), others)
        if n:
            return replace(allocated, positions=allocated.positions[:n])
        return AllocatedPositions([], CampaignProgress(person.done, 0), "budget", allocated.training)

    def _given(self, person: PersonProgress, name: str, ahead: int) -> AllocatedPositions:
        """Return what somebody is given: nothing in a campaign that does not run, which is no end to who had come to theirs."""
        given = self._given_while_running(person, name, ahead)
        state = self._campaign.state
        if state == "running" and not self._over:
            return given
        if state != "draft" and not given.positions and person.done:
            return given
        closed: ClosedReason = "closed" if state == "running" else state
        return AllocatedPositions([], CampaignProgress(person.done, 0), closed, given.training)

    def _given_while_running(self, person: PersonProgress, name: str, ahead: int) -> AllocatedPositions:
        settings, done, training = self._campaign.settings, person.done, self._trained(person)
        closed: ClosedReason | None = None
        if self._out[name]:
            closed = next((_OUT[why] for why in _OUT if why in self._out[name]), "paused")
        elif training is not None and training.failed:
            closed = "training"
        elif training is not None and not training.passed:
            if not self._line(person, name).remaining():
                # nobody is trained for nothing
                return AllocatedPositions([], CampaignProgress(done, 0), None, training)
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
        training = [position for position in self._training if position not in person.broken or position in person.answered]
        answered = [position for position in training if position in person.answered]
        right = sum(position in person.passed for position in answered)
        return Training.of(len(training), right, len(answered), self._campaign.settings.pass_mark)

    def _line(self, person: PersonProgress, name: str) -> PersonQueue:
        """All ordinary items that this person may be given now, and the checks."""
        campaign, settings = self._campaign, self._campaign.settings
        open_ = self._open.copy()
        open_[[*person.answered, *person.broken]] = False
        wanted = int(open_.sum())
        positions = np.flatnonzero(open_ & (self._room > 0))
        shuffle = self._state.listing.shuffle
        if settings.order == "random":
            keys = Order.of(campaign.seed, campaign.campaign_id, name).keys(shuffle[positions])
        else:
            keys = shuffle[positions] if settings.order == "shared" else positions
        if settings.check_every is None or not self._checks:
            return PersonQueue(person, positions, keys, wanted)
        places = CheckSchedule(settings.check_every, campaign.seed, campaign.campaign_id, name)
        checks = sorted(
            self._checks, key=lambda check: seeded_number(campaign.seed, campaign.campaign_id, "check", name, "item", check)
        )
        return PersonQueue(person, positions, keys, wanted, checks, places)

    def item_id(self, position: int) -> str:
        """The item that stands there."""
        return self._state.listing.item_ids[position] or ""

    def drafts(self, name: str) -> dict[str, Mapping[str, Any]]:
        """What this person has written so far, by item."""
        return dict(self._state.persons[name].drafts)


@dataclass(frozen=True, slots=True)
class AnswerDraft:
    """What a person has written about an item so far."""

    campaign: str
    person: str
    item_id: str
    answers: Mapping[str, Any]


def save_draft(store: Store, draft: AnswerDraft, *, now: datetime | None = None) -> None:
    """Keep a draft in place of an earlier one; whoever writes keeps their claim for another lease.

    Raises:
        CampaignClosed: the campaign has not started yet, or is archived.
    """
    store.write(_save_drafts, (draft, now or datetime.now(UTC), store.memory), shown=False)


def _save_drafts(connection: Connection, drafts: Sequence[tuple[AnswerDraft, datetime, Cache]]) -> list[None]:
    states = CampaignStates(connection, drafts[0][2])
    latest = {(draft.campaign, draft.person, draft.item_id): (draft.answers, now) for draft, now, _ in drafts}
    states.refuse_closed({draft.campaign for draft, _, _ in drafts})
    for (campaign_id, name, item_id), (answers, now) in latest.items():
        key = {"campaign_id": campaign_id, "rater_id": name, "item_id": item_id}
        rows.delete(connection, "drafts", tuple(key), [tuple(key.values())])
        rows.insert(connection, "drafts", [key | {"answers": rows.to_json(answers), "saved": now}])
        for state in states.of([campaign_id]).values():
            state.read_people(connection, [name])
            person, position = state.persons[name], state.listing.positions.get(item_id)
            person.drafts[item_id] = answers
            if position is not None and position in person.held and person.held[position] > now:
                until = now + timedelta(minutes=state.campaign.settings.lease_minutes)
                state.hold(name, person.held | {position: until})
    states.write_claims()
    return [None] * len(drafts)


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


def allocate_all(connection: Connection, seekers: Sequence[TaskRequest]) -> list[NextTasks]:
    """Decide who gets what, and write it down as claims."""
    states = CampaignStates(connection, seekers[0].memory)
    desks = allocate_tasks(states, seekers)
    states.write_claims()
    return desks


def allocate_tasks(states: CampaignStates, seekers: Sequence[TaskRequest]) -> list[NextTasks]:
    """Decide who gets what, in the order of asking."""
    now = max(seeker.now for seeker in seekers)
    names = list(dict.fromkeys(seeker.campaign for seeker in seekers))
    if DEFAULT in names and ensure_default(states.connection, now):
        states.reload()
    boards = {
        name: Allocator(states, state, list(dict.fromkeys(s.person for s in seekers if s.campaign == name)), now)
        for name, state in states.of(names).items()
    }
    nothing = AllocatedPositions([], CampaignProgress(0, 0), "none")
    allocated = [boards[s.campaign].allocate(s.person, s.ahead) if s.campaign in boards else nothing for s in seekers]
    item_ids = [
        [boards[seeker.campaign].item_id(position) for position in own.positions]
        for seeker, own in zip(seekers, allocated, strict=True)
    ]
    tasks = cached_tasks(states.connection, sorted({item_id for ids in item_ids for item_id in ids}), states.memory)
    desks: list[NextTasks] = []
    for seeker, own, ids in zip(seekers, allocated, item_ids, strict=True):
        drafts = boards[seeker.campaign].drafts(seeker.person) if seeker.campaign in boards else {}
        offered = [tasks[item_id] for item_id in ids if item_id in tasks]
        desks.append(NextTasks(offered, own.progress, own.closed, own.training, drafts))
    return desks
