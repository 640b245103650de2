"""Sixty simulated people who work in a campaign through the store, some of whom guess, or turn careless half-way.

How they answer was fixed before the rules, and the rules' cuts were chosen on other seeds (1000 and above).
"""

from __future__ import annotations

import random
import uuid
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, Final, Literal

from annotation.questionnaires.base import COLORS
from concord.form.offers import plausible_times
from data.campaigns.items import CampaignItem, sample_items
from data.campaigns.settings import Campaign, Settings
from data.people import Arrival, Terms, platform_pseudonym
from data.records import Annotation, Judgement
from data.refusals import OtherBrowser
from data.store.campaigns import management, participation
from data.store.campaigns.allocation import NextTasks, TaskRequest
from data.store.core.connections import Connection
from data.store.core.store import Store
from data.store.judgements.recording import SentAnswer
from data.store.people import invitations
from tests.data.store.small_project import fill

Kind = Literal["guessing", "turning", "sharing", "instant", "endless", "slip", "opened", "honest"]
_NUMBERS: Final[dict[Kind, int]] = {
    "guessing": 10, "turning": 5, "sharing": 3, "instant": 1, "endless": 1, "slip": 1, "opened": 1, "honest": 38,
}  # fmt: skip
PEOPLE: Final = [kind for kind, n in _NUMBERS.items() for _ in range(n)]
HONEST: Final = ("sharing", "endless", "slip", "opened", "honest")
NAME: Final = "crowd"
OVERLAP: Final = 3
CHECKS: Final = 30
TURN: Final = 12
"""Checks after which somebody turns careless."""
OPTIONS: Final[dict[str, list[Any]]] = {
    "count_0": [1, 2, 3, 4],
    "color_0": [[color.value] for color in COLORS],
    "realism_0": [1, 2, 3],
    "caption_fit": [1, 2, 3, 4],
}
SETTINGS: Final = Settings(
    check_every=5, recollect=True, completion_code="DONE", paused_code="PAUSED", item_price="0.08", base_pay="1.00",
    platform_fee=0.33, currency="GBP",
)  # fmt: skip


@dataclass
class Person:
    """Somebody at work. ``error``: how often they err; ``checks``: how many they have met; ``n``: items answered."""

    name: str
    kind: Kind
    error: float
    desk: NextTasks | None = None
    checks: int = 0
    n: int = 0

    @property
    def guesses(self) -> bool:
        return self.kind == "guessing" or (self.kind == "turning" and self.checks >= TURN)


@dataclass
class Crowd:
    """A running campaign and its people. With ``binary`` items are asked about by yes and no, else by GenEval's questions."""

    store: Store
    seed: int
    items: int
    binary: bool
    truth: dict[str, dict[str, Any]] = field(default_factory=dict)
    gold: set[str] = field(default_factory=set)
    people: list[Person] = field(default_factory=list)
    acknowledged: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        # pseudonyms, and with them everybody's order of items, follow from it
        self.store.secret = f"{self.seed:064x}"
        chance = random.Random(f"items {self.seed}")
        listed = fill(self.store, self.items + CHECKS)
        options: dict[str, list[Any]] = {"correct": ["yes", "no"]} if self.binary else OPTIONS
        self.truth = {item: {name: chance.choice(values) for name, values in options.items()} for item in listed}
        gold = [CampaignItem(item, "gold", expected=self.truth[item]) for item in listed[self.items :]]
        self.gold = {item.item_id for item in gold}
        questionnaire = "yes_no" if self.binary else "geneval"
        campaign = Campaign(NAME, "A crowd", questionnaire, overlap=OVERLAP, seed=self.seed, settings=SETTINGS)
        management.create(self.store, campaign, [*sample_items(listed[: self.items], None, 0), *gold])
        management.move(self.store, NAME, "running")
        self._arrive()

    def _arrive(self) -> None:
        """Let everybody come by the platform's link: three with one id, and a stranger by somebody else's."""
        until = datetime.now(UTC) + timedelta(days=1)
        link = invitations.create(self.store, Terms(campaign=NAME, role="annotator", expires=until), "manager").invitation_id
        chance = random.Random(f"people {self.seed}")
        for n, kind in enumerate(PEOPLE):
            name = platform_pseudonym(self.store.secret, "prolific", "shared" if kind == "sharing" else f"worker {n}")
            try:
                invitations.arrive(self.store, Arrival(link, name, "prolific", network=f"network {n}"))
            except OtherBrowser:
                continue
            self.people.append(Person(name, kind, chance.uniform(0.02, 0.05)))
        opened = next(person.name for person in self.people if person.kind == "opened")
        stranger = self.people[-1].name
        with suppress(OtherBrowser):
            invitations.arrive(self.store, Arrival(link, opened, "prolific", known_as=stranger, network="network 59"))

    def work(self, busy: Iterable[Person]) -> None:
        """Let each of these people answer what lies before them, all in one transaction, as if they sent at once."""
        sent, answering = [], []
        for person in busy:
            if person.desk is None or not (person.desk.tasks or person.desk.closed):
                person.desk = participation.next_tasks(self.store, person.name, NAME, ahead=1)
            if person.desk.tasks:
                request = TaskRequest(NAME, person.name, 1, datetime.now(UTC), self.store.memory)
                sent.append((SentAnswer(self._answer(person), self.store.memory), request))
                answering.append(person)
        if not sent:
            return
        touched = frozenset(answer.annotation.item_id for answer, _ in sent)
        results = self.store.write(_submit_together, sent, touched=touched)
        for person, result in zip(answering, results, strict=True):
            person.desk = result.next_tasks
            self.acknowledged[result.saved.annotation_id] = person.name
        if any(result.saved.paused for result in results):
            self.store.touch()

    def work_while(self, busy: Callable[[Person], bool]) -> None:
        """Let these people work until none of them has anything to do."""
        while at_work := [person for person in self.people if busy(person)]:
            before = len(self.acknowledged)
            self.work(at_work)
            if len(self.acknowledged) == before:
                return

    def _answer(self, person: Person) -> Annotation:
        assert person.desk is not None
        item = person.desk.tasks[0].item_id
        chance = random.Random(f"{self.seed} {person.name} {item}")
        answers = dict(self.truth[item])
        options: dict[str, list[Any]] = {"correct": ["yes", "no"]} if self.binary else OPTIONS
        if person.guesses:
            answers = {name: chance.choice(values) for name, values in options.items()}
        elif chance.random() < person.error:
            wrong = chance.choice([*options])
            answers[wrong] = chance.choice([value for value in options[wrong] if value != answers[wrong]])
        person.checks += item in self.gold
        person.n += 1
        seconds: float | None = chance.lognormvariate(2.0, 0.4)
        if person.kind == "instant" or (person.kind == "slip" and person.n == 9):
            seconds = 0.2
        if person.kind == "endless":
            _, seconds = plausible_times(datetime.now(UTC) - timedelta(seconds=2), None, 86_400)
        label = answers["correct"] if self.binary else "yes" if answers["count_0"] == 2 else "no"
        return Annotation(
            annotation_id=str(uuid.UUID(int=chance.getrandbits(128))),
            item_id=item,
            rater_id=person.name,
            questionnaire="yes_no" if self.binary else "geneval",
            answers=answers,
            judgements=(Judgement("correct", label, float(label == "yes")),),
            rule_version="simulated-1",
            campaign_id=NAME,
            active_seconds=seconds,
        )

    def of(self, *kinds: Kind) -> list[Person]:
        """Return the people of these kinds."""
        return [person for person in self.people if person.kind in kinds]


def _submit_together(connection: Connection, batches: Any) -> list[Any]:
    return [participation._submit_answers(connection, batch) for batch in batches]


def crowd(folder: Path, seed: int, items: int) -> Crowd:
    """Return a crowd at its start; even seeds are asked GenEval's questions, odd ones yes and no."""
    return Crowd(Store(folder / "project"), seed, items, binary=seed % 2 == 1)
