"""A study with people who cannot be trusted: they are found and paused, nobody honest is, and every item gets its answers.

How they answer was fixed before the rules: the careless choose every answer by chance, whatever the picture shows; the honest
say what it shows in 97 of 100 cases; two say that an answer took them a fifth of a second, and two that it took a day, though
they have had the picture for two seconds; three come with one id.
"""

from __future__ import annotations

import random
import uuid
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from annotation.questionnaires.base import COLORS
from concord import form
from concord.campaigns.annotators import annotators_of
from data.campaigns.items import CampaignItem, sample_items
from data.campaigns.settings import Campaign, Settings
from data.people import platform_pseudonym
from data.records import Annotation, Judgement
from data.store.campaigns import management, monitoring, participation
from data.store.campaigns.allocation import NextTasks
from data.store.core.store import Store
from data.store.people import invitations
from data.store.people.invitations import Arrival, OtherBrowser, Terms
from tests.data.store.small_project import fill

NAME, ITEMS, OVERLAP, GOLD = "study", 110, 3, 14
OPTIONS: dict[str, list[Any]] = {
    "count_0": [1, 2, 3, 4],
    "color_0": [[color.value] for color in COLORS],
    "realism_0": [1, 2, 3],
    "caption_fit": [1, 2, 3, 4],
}
KINDS = ["careless"] * 10 + ["fast"] * 2 + ["slow"] * 2 + ["sharing"] * 3 + ["honest"] * 33


@dataclass
class Study:
    """A running campaign, and what its pictures show."""

    store: Store
    seed: int
    truth: dict[str, dict[str, Any]] = field(default_factory=dict)
    acknowledged: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        items = fill(self.store, ITEMS + GOLD)
        chance = random.Random(self.seed)
        self.truth = {item: {name: chance.choice(values) for name, values in OPTIONS.items()} for item in items}
        gold = [CampaignItem(item, "gold", expected=self.truth[item]) for item in items[ITEMS:]]
        settings = Settings(check_every=2, recollect=True, completion_code="DONE", paused_code="PAUSED")
        campaign = Campaign(NAME, "A study", overlap=OVERLAP, settings=settings)
        management.create(self.store, campaign, [*sample_items(items[:ITEMS], None, 0), *gold])
        management.move(self.store, NAME, "running")

    def arrive(self) -> dict[str, str]:
        """Everybody comes by the platform's link, three with one id; those let in, by name."""
        until = datetime.now(UTC) + timedelta(days=1)
        made = invitations.create(self.store, Terms(campaign=NAME, role="annotator", expires=until), "manager")
        there: dict[str, str] = {}
        for n, kind in enumerate(KINDS):
            identifier = "shared" if kind == "sharing" else f"worker {n}"
            name = platform_pseudonym(self.store.secret, "prolific", identifier)
            try:
                invitations.arrive(self.store, Arrival(made.invitation_id, name, "prolific", network=f"network {n}"))
                there[name] = kind
            except OtherBrowser:
                assert kind == "sharing"
        return there

    def answer(self, person: str, kind: str, desk: NextTasks) -> NextTasks:
        """One answer to what lies before somebody."""
        item = desk.tasks[0].item_id
        chance = random.Random(f"{self.seed} {person} {item}")
        answers = {"objects": "cats"} | self.truth[item]
        for name, values in OPTIONS.items():
            if kind == "careless" or chance.random() > 0.97 ** (1 / len(OPTIONS)):
                answers[name] = chance.choice(values)
        right = answers["count_0"] == 2
        seconds: float | None = 0.2 if kind == "fast" else chance.lognormvariate(2.5, 0.4)
        if kind == "slow":
            _, seconds = form.plausible_times(datetime.now(UTC) - timedelta(seconds=2), None, 86_400)
        annotation = Annotation(
            annotation_id=str(uuid.UUID(int=chance.getrandbits(128))),
            item_id=item,
            rater_id=person,
            questionnaire="geneval",
            answers=answers,
            judgements=(Judgement("correct", "yes" if right else "no", float(right)),),
            rule_version="simulated-1",
            campaign_id=NAME,
            active_seconds=seconds,
        )
        answered = participation.submit_answer(self.store, annotation, campaign=NAME, ahead=1)
        self.acknowledged[answered.saved.annotation_id] = person
        return answered.desk


@pytest.mark.parametrize("seed", [0, pytest.param(1, marks=pytest.mark.slow), pytest.param(2, marks=pytest.mark.slow)])
def test_who_cannot_be_trusted_is_found_and_every_item_gets_its_answers(tmp_path: Path, seed: int) -> None:
    with Store(tmp_path / "project") as store:
        # pseudonyms, and with them everybody's order of items, follow from it
        store.secret = f"{seed:064x}"
        study = Study(store, seed)
        there = study.arrive()
        assert Counter(there.values()) == {"careless": 10, "fast": 2, "slow": 2, "sharing": 1, "honest": 33}
        desks: dict[str, NextTasks] = {}

        def turn(person: str) -> bool:
            """One answer, if anything is left; who found nothing looks again, as pauses bring items back."""
            desk = desks.get(person)
            if desk is None or not (desk.tasks or desk.closed):
                desk = participation.next_tasks(store, person, NAME, ahead=1)
            desks[person] = study.answer(person, there[person], desk) if desk.tasks else desk
            return bool(desk.tasks)

        with ThreadPoolExecutor(8) as pool:
            while any(list(pool.map(turn, there))):
                pass
        paused = {person: desk for person, desk in desks.items() if desk.closed == "paused"}
        assert {there[person] for person in paused} == {"careless"}
        assert len(paused) == 10

        campaign = management.get(store, NAME)
        assert campaign is not None
        for desk in paused.values():
            assert form.no_item_json(store, campaign, desk)["code"] == "PAUSED"
        flags = {annotator.worker.person: annotator.flags for annotator in annotators_of(store, campaign, None)}
        wanted = {"careless": "failed checks", "fast": "speeder", "slow": "speeder", "sharing": "id used in another browser"}
        assert [kind for person, kind in there.items() if kind in wanted and wanted[kind] not in flags[person]] == []
        assert sum(bool(flags[person]) for person, kind in there.items() if kind == "honest") <= 1

        answers = monitoring.current_answers(store, NAME)
        valid: dict[str, set[str]] = {}
        for answer in answers:
            if answer.status == "valid":
                assert answer.person not in valid.setdefault(answer.item_id, set())
                valid[answer.item_id].add(answer.person)
        assert Counter(map(len, valid.values())) == {OVERLAP: ITEMS}
        assert not paused.keys() & set().union(*valid.values())
        # nothing that was acknowledged is lost, whether it counts or not
        with store.read() as cursor:
            stored = dict(cursor.execute("select annotation_id, rater_id from annotations").fetchall())
            longest = dict(cursor.execute("select rater_id, max(active_seconds) from annotations group by 1").fetchall())
        assert stored == study.acknowledged
        assert all(longest[person] < 60 for person, kind in there.items() if kind == "slow")
