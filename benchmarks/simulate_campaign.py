"""A campaign worked through by many impatient people at once, who refresh, send twice, lose connections and walk away.

    uv run benchmarks/simulate_campaign.py [--people 200 --items 500 --overlap 5 --threads 48 --seed 0]

At the end every item must have exactly as many valid answers, by different people, as was asked for, and nothing that was
acknowledged may be missing. Time is made up, so that leases end without waiting; threads and their order are real.
"""

from __future__ import annotations

import random
import sys
import tempfile
import threading
import time
import uuid
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

if not __package__:
    # run as a script, whose folder comes first
    sys.path[0] = str(Path(__file__).resolve().parents[1])

from benchmarks.measuring import add_options, command_line, tell
from data.campaigns.items import CampaignItem, sample_items
from data.campaigns.settings import Campaign, Settings
from data.records import Annotation, Image, Item, Judgement, Prompt
from data.selection import Selection
from data.store import imports
from data.store.campaigns import allocation, management, monitoring, participation
from data.store.core.store import Store
from data.store.imports import ImportBundle
from data.store.judgements import recording, revocations

NAME = "simulated"
LEASE = timedelta(minutes=Settings().lease_minutes)
GOLD = {"count_0": 1}


@dataclass(frozen=True)
class SimulationPlan:
    """How many people answer how many items, each by ``overlap``; some items more are gold."""

    people: int = 200
    items: int = 500
    overlap: int = 5
    gold: int = 10
    threads: int = 48
    seed: int = 0


@dataclass
class SimulatedWorker:
    """Somebody at work; only one thread has them in hand."""

    name: str
    chance: random.Random
    back: datetime
    unsent: list[Annotation] = field(default_factory=list)
    sent: list[str] = field(default_factory=list)


class SimulatedClock:
    """Made-up time that only goes forward."""

    def __init__(self) -> None:
        self._now = datetime(2026, 1, 1, tzinfo=UTC)
        self._lock = threading.Lock()

    def now(self) -> datetime:
        with self._lock:
            return self._now

    def pass_(self, seconds: float) -> datetime:
        with self._lock:
            self._now += timedelta(seconds=seconds)
            return self._now


class Simulation:
    """One run of a plan on an empty project."""

    def __init__(self, store: Store, plan: SimulationPlan) -> None:
        self._store, self._plan, self._clock = store, plan, SimulatedClock()
        self.acknowledged: dict[str, str] = {}
        self.seen: Counter[str] = Counter()
        self.waits: list[float] = []
        self._lock = threading.Lock()
        start = self._clock.now()
        self._idle = [SimulatedWorker(f"person {n:03}", random.Random(f"{plan.seed} {n}"), start) for n in range(plan.people)]
        self._order = random.Random(plan.seed)
        self.revoked: set[str] = set()
        self.left: set[str] = set()
        self._finished = threading.Event()
        make(store, plan)

    def run(self) -> None:
        """Let everybody work until each item has all its people; then what is still on its way arrives."""
        with ThreadPoolExecutor(self._plan.threads + 1) as pool:
            busy = [pool.submit(self._manage), *(pool.submit(self._work) for _ in range(self._plan.threads))]
            for future in busy:
                future.result()
        for person in self._idle:
            for annotation in person.unsent:
                self._send(annotation)

    def _work(self) -> None:
        try:
            while not self._finished.is_set():
                person = self._next()
                if person is None:
                    time.sleep(0.02)
                    continue
                self._visit(person)
                with self._lock:
                    self._idle.append(person)
        except BaseException:
            self._finished.set()
            raise

    def _next(self) -> SimulatedWorker | None:
        """Somebody who is back; if nobody is, time passes until one is."""
        with self._lock:
            if not self._idle:
                return None
            now = self._clock.now()
            ready = [index for index, person in enumerate(self._idle) if person.back <= now]
            if ready:
                return self._idle.pop(self._order.choice(ready))
            self._clock.pass_((min(person.back for person in self._idle) - now).total_seconds())
            return None

    def _manage(self) -> None:
        """Now and then somebody is revoked, and some are let back in."""
        chance = random.Random(f"{self._plan.seed} manager")
        names = [f"person {n:03}" for n in range(self._plan.people)]
        leaving = chance.sample(names, max(1, self._plan.people // 20))
        try:
            for n, name in enumerate(leaving):
                if self._wait_for((n + 1) / (len(leaving) + 2)):
                    return
                self.left.add(name)
                revocations.revoke(self._store, name, "manager", NAME, uncount=True, now=self._clock.now())
                self.revoked.add(name)
                if n % 3 == 0:
                    revocations.restore(self._store, name, "manager", NAME, now=self._clock.now())
                    self.revoked.discard(name)
            self._wait_for(1)
        finally:
            self._finished.set()

    def _wait_for(self, share: float) -> bool:
        """Wait until this share of the answers is there; whether all has come to an end before."""
        while not self._finished.is_set():
            coverage = monitoring.coverage(self._store, NAME, self._clock.now())
            if coverage.answers >= share * coverage.wanted:
                return False
            time.sleep(0.1)
        return True

    def _visit(self, person: SimulatedWorker) -> None:
        now = self._clock.pass_(person.chance.expovariate(1 / 5))
        if person.unsent and person.chance.random() < 0.7:
            self._send(person.unsent.pop(0))
        begun = time.perf_counter()
        next_tasks = participation.next_tasks(self._store, person.name, NAME, ahead=person.chance.choice((1, 2)), now=now)
        with self._lock:
            self.waits.append(time.perf_counter() - begun)
        if not next_tasks.tasks:
            person.back = now + LEASE / 2
            return
        task = next_tasks.tasks[0]

        def answer_lost(person: SimulatedWorker, annotation: Annotation) -> None:
            recording.submit(self._store, annotation)  # nobody hears of it
            person.unsent.append(annotation)

        def away(person: SimulatedWorker, low: float, high: float) -> None:
            person.back = self._clock.now() + LEASE * person.chance.uniform(low, high)

        def coming_late(person: SimulatedWorker, annotation: Annotation) -> None:
            person.unsent.append(annotation)
            away(person, 1, 2)

        def pausing(person: SimulatedWorker, _: Annotation) -> None:
            participation.pause(self._store, person.name, NAME)
            away(person, 0.25, 0.25)

        def two_tabs(person: SimulatedWorker, annotation: Annotation) -> None:
            self._send(annotation)
            self._send(self._answer(person, annotation.item_id))

        def skipping(person: SimulatedWorker, annotation: Annotation) -> None:
            participation.skip(self._store, person.name, annotation.item_id, NAME, now=self._clock.now())
            if person.chance.random() < 0.3:
                participation.unskip(self._store, person.name, NAME, now=self._clock.now())

        ways: dict[Callable[[SimulatedWorker, Annotation], None], int] = {
            self._plainly: 50, self._twice: 8, self._twice_at_once: 4, answer_lost: 8,
            lambda person, annotation: person.unsent.append(annotation): 4,  # it never arrived
            self._refreshing: 8, lambda person, _: away(person, 0.5, 3): 5, coming_late: 5, two_tabs: 3,
            skipping: 6, self._revising: 4, pausing: 2,
        }  # fmt: skip
        doing = person.chance.choices(list(ways), list(ways.values()))[0]
        with self._lock:
            self.seen[doing.__name__.strip("_")] += 1
        doing(person, self._answer(person, task.item_id))

    def _answer(self, person: SimulatedWorker, item_id: str) -> Annotation:
        choice = person.chance.choice((1, 2))
        judgement = Judgement("correct", "yes" if choice == 1 else "no", float(choice == 1))
        return Annotation(
            annotation_id=str(uuid.UUID(int=person.chance.getrandbits(128))),
            item_id=item_id,
            rater_id=person.name,
            questionnaire="geneval",
            answers={"count_0": choice},
            judgements=(judgement,),
            rule_version="simulated-1",
            campaign_id=NAME,
            active_seconds=person.chance.expovariate(1 / 20),
        )

    def _send(self, annotation: Annotation) -> str:
        saved = recording.submit(self._store, annotation)
        with self._lock:
            self.acknowledged[saved.annotation_id] = saved.status
        return saved.status

    def _plainly(self, person: SimulatedWorker, annotation: Annotation) -> None:
        if person.chance.random() < 0.2:
            allocation.save_draft(
                self._store, allocation.AnswerDraft(NAME, person.name, annotation.item_id, {}), now=self._clock.now()
            )
        self._send(annotation)
        person.sent.append(annotation.annotation_id)

    def _twice(self, person: SimulatedWorker, annotation: Annotation) -> None:
        same = self._send(annotation) == self._send(annotation)
        assert same or person.name in self.left, "an answer sent twice has become another one"
        person.sent.append(annotation.annotation_id)

    def _twice_at_once(self, _: SimulatedWorker, annotation: Annotation) -> None:
        other = threading.Thread(target=self._send, args=(annotation,))
        other.start()
        self._send(annotation)
        other.join()

    def _refreshing(self, person: SimulatedWorker, _: Annotation) -> None:
        now = self._clock.now()
        first, again = (participation.next_tasks(self._store, person.name, NAME, now=now) for _ in range(2))
        # what others send late, or a manager does, may take an item away between the two
        in_both = {task.item_id for task in first.tasks} & {task.item_id for task in again.tasks}
        with self._lock:
            self.seen["refreshed and the same"] += len(in_both) == len(first.tasks)

    def _revising(self, person: SimulatedWorker, annotation: Annotation) -> None:
        self._send(annotation)
        other = self._answer(person, annotation.item_id)
        self._send(replace(other, revises=annotation.annotation_id))


def make(store: Store, plan: SimulationPlan) -> None:
    """A running campaign about invented images."""
    prompt = Prompt("simulated/00000", "simulated", "a cat", "counting", {"include": [{"class": "cat", "count": 1}]})
    total = plan.items + plan.gold
    pictures = [Image(prompt.prompt_id, "generator", n, Path(f"nowhere/{n}.png"), f"{n:064x}", 8, 8) for n in range(total)]
    items = [Item(picture.image_id, "simulated", prompt.prompt_id, "counting", "generator") for picture in pictures]
    imports.apply(store, [ImportBundle("images", "generator", "simulated", [prompt], pictures, items)])
    drawn = sample_items(management.images(store, Selection()), None, plan.seed)
    gold = [CampaignItem(item.item_id, "gold", expected=GOLD) for item in drawn[plan.items :]]
    settings = Settings(check_every=10 if plan.gold else None)
    campaign = Campaign(NAME, "A simulation", overlap=plan.overlap, seed=plan.seed, settings=settings)
    management.create(store, campaign, [*drawn[: plan.items], *gold])
    management.move(store, NAME, "running")


def check(store: Store, plan: SimulationPlan, done: Simulation) -> Counter[str]:
    """Every promise, told from the tables alone; returns how many answers there are of each status."""
    answers = monitoring.current_answers(store, NAME)
    with store.read() as cursor:
        rows = cursor.execute("select annotation_id, rater_id, status from annotations").fetchall()
    stored = {row[0]: Stored(*row) for row in rows}
    missing = set(done.acknowledged) - set(stored)
    assert not missing, f"{len(missing)} acknowledged answers are missing"
    who = {row.annotation_id: row.person for row in stored.values()}
    changed = {id_ for id_, status in done.acknowledged.items() if stored[id_].status != status and who[id_] not in done.left}
    assert not changed, f"{len(changed)} answers became something else than their people were told"
    valid: dict[str, list[str]] = {}
    for answer in answers:
        if answer.status == "valid":
            valid.setdefault(answer.item_id, []).append(answer.person)
    ordinary = [item.item_id for item in management.items(store, NAME) if item.role == "ordinary"]
    assert len(ordinary) == plan.items
    wrong = {item: valid.get(item, []) for item in ordinary if len(valid.get(item, [])) != plan.overlap}
    assert not wrong, f"{len(wrong)} items have another number of valid answers: {next(iter(wrong.items()))}"
    assert set(valid) == set(ordinary), "checks count as answers"
    twice = [item for item, people in valid.items() if len(set(people)) != plan.overlap]
    assert not twice, f"{len(twice)} items have two valid answers of one person"
    uncounted = {answer.person for answer in answers if answer.status == "valid"} & done.revoked
    assert not uncounted, f"answers of the revoked count: {uncounted}"
    coverage = monitoring.coverage(store, NAME)
    assert (coverage.full, coverage.answers) == (plan.items, plan.items * plan.overlap), coverage
    return Counter(answer.status for answer in answers)


@dataclass(frozen=True)
class Stored:
    """An answer as it stands in the table, a revised one too."""

    annotation_id: str
    person: str
    status: str


def main(arguments: Sequence[str] | None = None) -> list[str]:
    """Run a simulation and say how it ended; prints and returns lines."""
    parser = command_line(__doc__)
    names = ("people", "items", "overlap", "gold", "threads", "seed")
    add_options(parser, SimulationPlan(), dict.fromkeys(names, "as in the plan"))
    plan = SimulationPlan(**vars(parser.parse_args(arguments)))
    with tempfile.TemporaryDirectory() as folder, Store(Path(folder)) as store:
        begun = time.perf_counter()
        simulation = Simulation(store, plan)
        simulation.run()
        seconds = time.perf_counter() - begun
        statuses = check(store, plan, simulation)
    waits = sorted(simulation.waits)
    lines = [
        f"{plan.people} people, {plan.items} items, {plan.overlap} each, {plan.threads} threads: {seconds:.1f} s",
        f"every item has exactly {plan.overlap} valid answers by {plan.overlap} people; "
        f"{len(simulation.acknowledged):,} acknowledged answers, none missing",
        "answers: " + ", ".join(f"{n:,} {status}" for status, n in sorted(statuses.items())),
        "events: " + ", ".join(f"{n:,} {event.replace('_', ' ')}" for event, n in sorted(simulation.seen.items())),
        f"what is next: median {waits[len(waits) // 2] * 1e3:.1f} ms, 95 % under {waits[int(len(waits) * 0.95)] * 1e3:.1f} ms",
    ]
    return tell(lines)


if __name__ == "__main__":
    main()
