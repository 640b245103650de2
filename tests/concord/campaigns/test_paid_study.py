"""A paid study from start to end: 24 people who leave in every way; each item ends with its answers, and the pay adds up."""

from __future__ import annotations

import csv
import io
import random
from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path

import pytest

from concord.campaigns import payment
from concord.form import ending
from data.campaigns.settings import OUTCOMES, Settings
from data.store.campaigns import management, monitoring
from data.store.core.store import Store
from tests.data.store.small_campaign import NAME, Running, start

ITEMS = 200
CODES = {f"{outcome}_code": outcome.upper() for outcome in OUTCOMES}


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store(tmp_path / "project") as opened:
        yield opened


def leave(campaign: Running, who: str) -> str:
    """Somebody asks what is next, or stops; returns the code that they are shown."""
    found = management.get(campaign.store, NAME)
    assert found
    desk = campaign.desk(who)
    code = ending.completion_json(found.settings, ending.leaving_outcome(desk, found.settings), worked=True).get("code", "")
    ending.record_departure(campaign.store, found, who, desk, code)
    return code


@pytest.mark.slow
def test_a_study_ends_full_and_paid_to_the_cent(store: Store) -> None:
    draw = random.Random(29)
    settings = Settings(
        check_every=5, pass_mark=0.6, recollect=True, limit=40, lease_minutes=30, currency="GBP", item_price="0.0333",
        base_pay="1.00", platform_fee=0.33, budget="400", **CODES,  # type: ignore[arg-type]
    )  # fmt: skip
    campaign = start(store, ITEMS, overlap=3, settings=settings, special=("gold",) * 10 + ("training",) * 3)
    campaign.now = datetime.now(UTC)
    kinds = dict.fromkeys((f"p{n:03}" for n in range(24)), "good")
    for kind, few in (("careless", 2), ("stopping", 3), ("vanishing", 3), ("failing", 2)):
        for name in draw.sample([name for name, kind in kinds.items() if kind == "good"], few):
            kinds[name] = kind
    patience = {name: draw.randrange(8, 30) for name in kinds}
    training = {item.item_id for item in management.items(store, NAME) if item.role == "training"}
    shown: dict[str, str] = {}
    # more come as long as something is left, as on a platform
    names, n = list(kinds), 0
    while names:
        name = names.pop(draw.randrange(len(names)))
        kind = kinds.get(name, "good")
        for step in range(20):
            offered = campaign.offered(name)
            if not offered or (kind in ("stopping", "vanishing") and patience[name] <= 0):
                if kind != "vanishing" or not offered:
                    shown[name] = leave(campaign, name)
                break
            wrong = kind == "failing" or (kind == "careless" and offered[0] not in training)
            campaign.say(offered[0], name, "no" if wrong else "yes", active_seconds=draw.uniform(4, 20))
            patience[name] = patience.get(name, 0) - 1
            if step == 19:
                names.append(name)
        if not names and monitoring.coverage(store, NAME).answers < 3 * ITEMS:
            # what the others left is offered again once it is theirs no more
            campaign.later(31)
            n += 1
            names.append(f"q{n:03}")
            assert n < 40
    late = "late"
    shown[late] = leave(campaign, late)
    assert monitoring.items_by_answer_count(store, NAME) == {3: ITEMS}
    found = management.get(store, NAME)
    assert found
    roll = payment.payroll(store, found, now=campaign.now)
    outcomes = Counter(person.outcome for person in roll.people)
    assert {"completion", "stopped", "training", "paused", "quota", "left"} <= {*outcomes}
    assert (outcomes["paused"], outcomes["training"], outcomes["working"]) == (2, 2, 0)
    # whoever did not vanish was shown the code of how they left
    for person in roll.people:
        assert person.work.code == shown.get(person.work.person), person
        assert person.outcome == "left" or person.work.code == person.outcome.upper(), person
    rows = list(csv.DictReader(io.StringIO(payment.payment_file(roll))))
    for column, total in (("pay", roll.pay), ("fee", roll.fees), ("cost", roll.cost)):
        assert sum(Decimal(row[column]) for row in rows) == total
    assert roll.cost <= Decimal(400)
    assert all(Decimal(row["base_pay"]) + Decimal(row["bonus"]) == Decimal(row["pay"]) for row in rows)
