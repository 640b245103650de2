"""Simulated crowds: who guesses and who turns careless is seen, nobody honest is convicted, and every item gets its answers.

How often the rules err by design stands in ``annotation.flags`` and is tested in ``tests/annotation/test_flags.py``.
"""

from __future__ import annotations

import csv
import io
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from datetime import UTC, datetime
from decimal import Decimal
from multiprocessing import get_context
from pathlib import Path

import pytest

from concord.campaigns import payment, revoking
from concord.campaigns.annotators import AnnotatorWork, annotators_of
from data.campaigns.settings import Campaign
from data.store.campaigns import management, monitoring, participation
from tests.concord.campaigns.pay_from_rows import cents, pay_by_person
from tests.concord.campaigns.simulated_crowd import HONEST, NAME, OVERLAP, TURN, Crowd, crowd

ITEMS = 880
SEEDS = 20


@dataclass(frozen=True)
class Seen:
    """What became of one crowd: numbers of people, flagged and in all; and what is wrong with it."""

    guessing: tuple[int, int]
    turned: tuple[int, int]
    honest_soft: tuple[int, int]
    wrong: tuple[str, ...]


def campaign_of(study: Crowd) -> Campaign:
    campaign = management.get(study.store, NAME)
    assert campaign is not None
    return campaign


def people_of(study: Crowd) -> dict[str, AnnotatorWork]:
    return {work.worker.person: work for work in annotators_of(study.store, campaign_of(study), None, intervals=False)}


def flagged(study: Crowd, *kinds: str) -> tuple[int, int]:
    """Return how many people of these kinds are flagged, by checks, a pattern or a soft test, and how many there are."""
    works = people_of(study)
    own = [works[person.name] for person in study.people if person.kind in kinds and person.name in works]
    return sum(work.convicted or any(flag.soft for flag in work.flags) for work in own), len(own)


def run(folder: Path, seed: int) -> Seen:
    study = crowd(folder, seed, ITEMS)
    wrong: list[str] = []

    def check(promise: str, held: bool) -> None:
        wrong.extend([] if held else [f"seed {seed}: {promise}"])

    with study.store:
        study.work_while(lambda person: person.checks < 12)
        guessing = flagged(study, "guessing")
        honest = flagged(study, *HONEST)
        study.work_while(lambda person: person.kind == "turning" and person.checks < TURN + 12)
        turned = flagged(study, "turning")
        for person in study.people:
            if person.kind not in HONEST:
                participation.pause(study.store, person.name, NAME)
        study.work_while(lambda person: person.kind in HONEST)
        late = flagged(study, *HONEST)

        works = people_of(study)
        by_kind = {kind: works[person.name] for person in study.people for kind in [person.kind]}
        preselected = {each.person for each in revoking.candidates(study.store, NAME) if each.preselected}
        convicted = {person.name for person in study.people if works[person.name].convicted}
        check(
            "nobody honest is preselected", not {p.name for p in study.people if p.kind in HONEST} & (preselected | convicted)
        )
        check("most answers under a second pause", by_kind["instant"].worker.paused_by == "pace")
        check("one quick answer is information", [f.code for f in by_kind["slip"].flags] == ["some quick answers"])
        check("whose link a stranger opened has no flag", by_kind["opened"].flags == ())
        stranger = works[study.people[-1].name]
        check("the stranger has it", "somebody else’s id" in {flag.code for flag in stranger.flags})
        longest = max(
            a.seconds or 0
            for a in monitoring.current_answers(study.store, NAME)
            if a.person == by_kind["endless"].worker.person
        )
        check("absurd times are cut", longest < 60)
        wrong += [f"seed {seed}: {promise}" for promise in (*answers(study), *pay(study))]
    return Seen(guessing, turned, (honest[0] + late[0], honest[1] + late[1]), tuple(wrong))


def answers(study: Crowd) -> list[str]:
    """Return what is wrong with the answers that count, and with those that were acknowledged."""
    valid: dict[str, list[str]] = {}
    current = monitoring.current_answers(study.store, NAME)
    for answer in current:
        if answer.status == "valid":
            valid.setdefault(answer.item_id, []).append(answer.person)
    twice = [item for item, people in valid.items() if len(set(people)) < len(people)]
    counts = Counter(map(len, valid.values()))
    wrong = [] if counts == {OVERLAP: ITEMS} and not twice else [f"items by valid answers: {dict(counts)}, twice {twice[:3]}"]
    stored = study.store.query_dict("select annotation_id, rater_id from annotations")
    return wrong + ([] if stored == study.acknowledged else ["stored answers are not those that were acknowledged"])


def pay(study: Crowd) -> list[str]:
    """Return where the pay file differs from a computation of its own, and who is unpaid though answers of theirs count."""
    campaign, now, wrong = campaign_of(study), datetime.now(UTC), []
    settings = campaign.settings
    expected = pay_by_person(study.store, NAME, now, settings)
    counting = {answer.person for answer in monitoring.current_answers(study.store, NAME) if answer.status == "valid"}
    file = payment.payment_file(payment.payroll(study.store, campaign, now=now))
    rows = {row["person"]: row for row in csv.DictReader(io.StringIO(file))}
    for person in counting | set(expected):
        row = rows[person]
        due = Decimal(0) if row["decision"] == "reject" else expected[person]
        fee = cents(due * Decimal(str(settings.platform_fee)))
        if (Decimal(row["pay"]), Decimal(row["fee"])) != (due, fee):
            wrong.append(f"pay of {person}: {row}, computed {due} and {fee}")
        if person in counting and not Decimal(row["pay"]):
            wrong.append(f"{person} is not paid, and answers of theirs count")
    return wrong


def check_crowds(crowds: list[Seen]) -> None:
    assert [problem for each in crowds for problem in each.wrong] == []
    guessing, turned, soft = (
        [sum(column) for column in zip(*values, strict=True)]
        for values in (
            [each.guessing for each in crowds],
            [each.turned for each in crowds],
            [each.honest_soft for each in crowds],
        )
    )
    assert guessing[1] == 10 * len(crowds)
    assert guessing[0] >= 0.95 * guessing[1], guessing
    assert turned[1] == 5 * len(crowds)
    assert turned[0] >= (0.95 if len(crowds) > 10 else 0.8) * turned[1], turned
    assert soft[0] <= 0.05 * soft[1], soft


def test_who_guesses_is_seen_and_nobody_honest_is_convicted(tmp_path: Path) -> None:
    check_crowds([run(tmp_path / str(seed), seed) for seed in (0, 1)])


@pytest.mark.slow
def test_twenty_crowds(tmp_path: Path) -> None:
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as pool:
        crowds = [*pool.map(run, [tmp_path / str(seed) for seed in range(SEEDS)], range(SEEDS))]
    check_crowds(crowds)
