"""A small campaign, and a clock to move."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any

from data.campaigns.items import CampaignItem
from data.campaigns.settings import Campaign, Settings
from data.store.campaigns import management, participation
from data.store.campaigns.allocation import NextTasks
from data.store.core.connections import Connection
from data.store.core.store import Store
from data.store.judgements import recording
from data.store.judgements.campaign_state import forget_state
from data.store.judgements.recording import SavedAnswer
from tests.data.store.small_project import answer, fill

NAME = "c"
RIGHT, WRONG = {"label": "yes"}, {"label": "no"}


def give(store: Store, campaign: str, item: str, who: str) -> None:
    """Write down that somebody was given an item, unless they were."""
    offer = [campaign, item, who]

    def write(connection: Connection) -> None:
        connection.execute("insert into offers values (?, ?, ?)", offer)
        forget_state(store.memory, campaign)

    if store.query_first("select 1 from offers where campaign_id = ? and item_id = ? and rater_id = ?", offer) is None:
        store.change(write, shown=False)


@dataclass
class Running:
    """A running campaign of n images; the last ones have the roles given."""

    store: Store
    items: list[str]
    overlap: int = 2
    settings: Settings = field(default_factory=lambda: Settings(order="fixed"))
    special: Sequence[str] = ()
    sampling: Any = "random"
    now: datetime = datetime(2026, 1, 1, tzinfo=UTC)

    def __post_init__(self) -> None:
        ordinary = self.items[: len(self.items) - len(self.special)]
        made = [CampaignItem(item, sampling=self.sampling) for item in ordinary]
        for item, role in zip(self.items[len(ordinary) :], self.special, strict=True):
            made.append(CampaignItem(item, role, expected=RIGHT))  # type: ignore[arg-type]
        management.create(self.store, Campaign(NAME, "C", overlap=self.overlap, settings=self.settings), made)
        management.move(self.store, NAME, "running")

    def later(self, minutes: float) -> None:
        self.now += timedelta(minutes=minutes)

    def desk(self, who: str, ahead: int = participation.TASKS_AHEAD) -> NextTasks:
        return participation.next_tasks(self.store, who, NAME, ahead=ahead, now=self.now)

    def offered(self, who: str, ahead: int = participation.TASKS_AHEAD) -> list[str]:
        return [task.item_id for task in self.desk(who, ahead).tasks]

    def say(self, item: str, who: str, label: str = "yes", **other: Any) -> SavedAnswer:
        """Answer an item, which the person was given at some time; not with ``given=False``."""
        more = other.pop("more", None)
        if other.pop("given", True):
            give(self.store, NAME, item, who)
        return recording.submit(self.store, answer(item, who, label, campaign_id=NAME, **other), more)

    def walk(self, who: str, label: str = "yes") -> list[str]:
        """Answer until nothing is left; the items in the order of coming."""
        order: list[str] = []
        while tasks := self.offered(who, 1):
            assert len(order) < 100
            order.append(tasks[0])
            self.say(tasks[0], who, label)
        return order


def start(store: Store, n: int = 4, **other: Any) -> Running:
    """A campaign of n ordinary images, and one for each special role."""
    return Running(store, fill(store, n + len(other.get("special", ()))), **other)
