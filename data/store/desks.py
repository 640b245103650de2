"""What each person is to judge next. Requests that wait together are decided together, in one transaction."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

import duckdb

from data.campaign import Training
from data.store import drafts
from data.store.boards import Board, Closed, Progress, Seat
from data.store.memory import Memory
from data.store.places import DEFAULT, ensure_default, remembered
from data.store.tasks import Task, known_tasks


@dataclass(frozen=True, slots=True)
class Desk:
    """What lies before one person: the current task first, the one after it second.

    Attributes:
        closed: why nothing is offered; None with no tasks: nothing is left.
        training: how they stand in training, if the campaign has any; ``training.passed`` ends it.
        drafts: what they have written so far, by item.
    """

    tasks: list[Task]
    progress: Progress
    closed: Closed | None = None
    training: Training | None = None
    drafts: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Seeker:
    """Somebody asks what is next; ``ahead`` is how many tasks they want."""

    campaign: str
    person: str
    ahead: int
    now: datetime
    memory: Memory


def seat(connection: duckdb.DuckDBPyConnection, seekers: Sequence[Seeker]) -> list[Desk]:
    """Decide who gets what, in the order of asking, and write it down as claims."""
    now = max(seeker.now for seeker in seekers)
    names = list(dict.fromkeys(seeker.campaign for seeker in seekers))
    memory = seekers[0].memory
    if DEFAULT in names and ensure_default(connection, now):
        memory.forget()
    people = {name: sorted({s.person for s in seekers if s.campaign == name}) for name in names}
    boards = {
        name: Board(connection, one, people[name], now, memory) for name, one in remembered(connection, names, memory).items()
    }
    written = {name: drafts.of(connection, name, people[name]) for name in boards}
    nothing = Seat([], Progress(0, 0), "none")
    seats = [boards[s.campaign].seat(s.person, s.ahead) if s.campaign in boards else nothing for s in seekers]
    named = {name: board.item_ids() for name, board in boards.items()}
    for name, board in boards.items():
        board.write(named[name])
    item_ids = sorted({item_id for ids in named.values() for item_id in ids.values()})
    found = known_tasks(connection, item_ids, memory)
    desks: list[Desk] = []
    for seeker, given in zip(seekers, seats, strict=True):
        own_ids = [named[seeker.campaign][position] for position in given.positions]
        offered = [found[item_id] for item_id in own_ids if item_id in found]
        own = written.get(seeker.campaign, {}).get(seeker.person, {})
        desks.append(Desk(offered, given.progress, given.closed, given.training, own))
    return desks
