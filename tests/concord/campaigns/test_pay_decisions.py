"""Pay decisions: approve, look first, return, reject; and everybody's pay, computed once more from the rows."""

from __future__ import annotations

import csv
import io
import random
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from concord.campaigns import payment
from concord.campaigns.payment import PaidPerson
from concord.form import ending
from data.campaigns.payment import Decision, PaidWork, decide
from data.campaigns.settings import OUTCOMES, Campaign, Settings
from data.store.campaigns import management, participation
from data.store.core.store import Store
from data.store.judgements import revocations
from tests.concord.campaigns.pay_from_rows import pay_by_person
from tests.data.store.small_campaign import NAME, Running, start
from tests.ui.small_project import concord, done

PAID: dict[str, Any] = {"order": "fixed", "item_price": "0.10", "base_pay": "0.25", "currency": "GBP", "platform_fee": 0.33}


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store(tmp_path / "project") as opened:
        yield opened


def found(store: Store) -> Campaign:
    campaign = management.get(store, NAME)
    assert campaign
    return campaign


def paid(campaign: Running, who: str) -> PaidPerson:
    roll = payment.payroll(campaign.store, found(campaign.store), now=campaign.now)
    return next(person for person in roll.people if person.work.person == who)


def leave(campaign: Running, who: str) -> None:
    desk = campaign.desk(who)
    settings = found(campaign.store).settings
    code = ending.completion_json(settings, ending.leaving_outcome(desk, settings), worked=True).get("code", "")
    ending.record_departure(campaign.store, found(campaign.store), who, desk, code)


def work(campaign: Running, who: str, n: int, *, seconds: float | None = 20.0, label: str = "yes") -> None:
    for _ in range(n):
        if not (offered := campaign.offered(who, 1)):
            break
        campaign.say(offered[0], who, label, given=False, active_seconds=seconds)
    leave(campaign, who)


FAST = {"hourly": Decimal("600"), "usual": Decimal("12")}


@pytest.mark.parametrize(
    ("about", "decision", "n_reasons"),
    [
        ({"outcome": "completion"}, "approve", 0),
        ({"outcome": "completion", "convicting": ()}, "approve", 0),
        ({"outcome": "completion", "convicting": ("straight-liner",)}, "look first", 1),
        ({"outcome": "completion", "convicting": ("3 of 9", "straight-liner"), **FAST}, "look first", 3),
        ({"outcome": "completion", "hourly": Decimal("60"), "usual": Decimal("12")}, "approve", 0),
        ({"outcome": "completion", "untimed": 4}, "look first", 1),
        ({"outcome": "completion", "untimed": 3}, "approve", 0),
        ({"outcome": "stopped"}, "return", 0),
        ({"outcome": "left", "convicting": ("straight-liner",)}, "look first", 1),
        ({"outcome": "quota", "items": 0, "counted": 0, "convicting": ("straight-liner",)}, "return", 0),
        ({"outcome": "working", "convicting": ("straight-liner",)}, "wait", 0),
        ({"outcome": "paused", "convicting": ("3 of 9",)}, "return", 0),
        ({"outcome": "paused", "failed_attention": True}, "return", 0),
        ({"outcome": "paused", "failed_attention": True, "counted": 0}, "reject", 0),
        ({"outcome": "paused", "counted": 0}, "return", 0),
        ({"outcome": "withdrawn", "counted": 0, "failed_attention": True}, "return", 0),
    ],
)
def test_what_each_decision_needs(about: Mapping[str, Any], decision: Decision, n_reasons: int) -> None:
    made, reasons = decide(PaidWork(**{"items": 4, "counted": 4, **about}))
    assert (made, len(reasons)) == (decision, n_reasons)


def test_one_answer_under_a_second_is_approved_and_an_obvious_cheat_is_looked_at(store: Store) -> None:
    c = start(store, 12, overlap=5, settings=Settings(limit=10, completion_code="FULL", **PAID))
    for who in ("ann", "bob", "cyd"):
        work(c, who, 10)
    work(c, "one", 1, seconds=0.4)
    work(c, "one", 9)
    work(c, "eve", 9, seconds=0.3)
    assert {who: paid(c, who).payout.decision for who in ("ann", "one", "eve")} == {
        "ann": "approve", "one": "approve", "eve": "look first",
    }  # fmt: skip
    assert any("an hour" in reason for reason in paid(c, "eve").reasons)
    assert any("9 of 9 answers" in reason for reason in paid(c, "eve").reasons)
    # until somebody has looked nothing is paid, and then it is what was decided
    file = "Participant id\n"
    assert payment.bonus_lines(payment.payroll(store, found(store), file, c.now)) == ""
    store.close()
    project = store.project
    ran = concord(project, "campaigns", "pay", NAME)
    assert "look first at eve: " in ran.err
    rows = {row["person"]: row for row in csv.DictReader(io.StringIO(ran.out))}
    assert (rows["eve"]["decision"], rows["ann"]["reasons"]) == ("look first", "")
    assert "9 of 9 answers" in rows["eve"]["reasons"]
    assert done(project, "campaigns", "settle", NAME, "eve", "return") == "eve: return, 0.90 GBP\n"
    refused = concord(project, "campaigns", "settle", NAME, "eve", "reject")
    assert (refused.status, "cannot be rejected" in refused.err) == (1, True)
    assert concord(project, "campaigns", "settle", NAME, "nobody", "approve").status == 1
    rows = {row["person"]: row for row in csv.DictReader(io.StringIO(done(project, "campaigns", "pay", NAME)))}
    assert (rows["eve"]["decision"], rows["eve"]["reasons"], rows["eve"]["pay"]) == ("return", "", "0.90")


@pytest.mark.parametrize(
    ("role", "recollect", "decision", "pay"),
    [("attention", True, "reject", "0.00"), ("attention", False, "return", None), ("gold", True, "return", "0.00")],
)
def test_only_failed_attention_checks_reject_and_nobody_whose_answers_count(
    store: Store, role: str, recollect: bool, decision: str, pay: str | None
) -> None:
    settings = Settings(check_every=2, recollect=recollect, **PAID)
    c = start(store, 40, overlap=2, special=(role,) * 12, settings=settings)
    work(c, "eve", 40, label="no")
    person = paid(c, "eve")
    assert (person.outcome, person.payout.decision) == ("paused", decision)
    # what stays is paid by the item, checks too, without the base pay
    expected = Decimal(pay) if pay is not None else Decimal("0.10") * person.work.items
    assert (person.payout.pay, person.payout.pay > 0) == (expected, pay is None)


def test_a_settlement_is_not_taken_back_when_answers_stop_counting(store: Store) -> None:
    c = start(store, 4, overlap=2, settings=Settings(withdrawal=True, **PAID))
    c.now = datetime.now(UTC)
    work(c, "ann", 4)
    payment.settle(store, found(store), "ann", "approve", "rita")
    revocations.withdraw(store, "ann", NAME)
    person = paid(c, "ann")
    assert (person.outcome, person.payout.pay, person.payout.decision) == ("withdrawn", Decimal("0.40"), "approve")


def standing(person: PaidPerson) -> tuple[str, str, Decimal]:
    return person.outcome, person.payout.decision, person.payout.pay


@pytest.mark.parametrize("end", ["stopped", "archived", "closed"])
def test_what_somebody_earned_does_not_depend_on_what_becomes_of_the_campaign(store: Store, end: str) -> None:
    c = start(store, 4, overlap=3, settings=Settings(completion_code="FULL", stopped_code="PART", **PAID))
    work(c, "ann", 4)
    work(c, "bob", 1)
    late = c.offered("cyd")
    for item in (*late, *(item for item in c.items[:4] if item not in late)):
        c.say(item, "cyd", active_seconds=20)
    earned = standing(paid(c, "ann"))
    assert earned == ("completion", "approve", Decimal("0.40"))
    if end == "closed":
        management.change_settings(store, NAME, {"closes": "2020-01-01"}, "rita")
    else:
        management.move(store, NAME, end)  # type: ignore[arg-type]
    for who in ("ann", "bob", "cyd"):
        leave(c, who)
    assert standing(paid(c, "ann")) == earned
    # whoever has answered all is at the end, also if their page asks only after it
    assert standing(paid(c, "cyd")) == earned
    assert ending.leaving_outcome(c.desk("ann"), found(store).settings) == "completion"
    assert standing(paid(c, "bob")) == ("stopped", "return", Decimal("0.10"))


def test_a_pause_takes_no_pay_of_answers_that_stay_and_reinstating_gives_back_what_was_lost(store: Store) -> None:
    c = start(store, 8, overlap=2, special=("gold",) * 3, settings=Settings(check_every=2, limit=6, **PAID))
    c.now = datetime.now(UTC)
    work(c, "ann", 6)
    for _ in range(4):
        c.say(c.offered("bob", 1)[0], "bob", given=False, active_seconds=20)
    before = {who: standing(paid(c, who)) for who in ("ann", "bob")}
    assert before == {"ann": ("completion", "approve", Decimal("0.60")), "bob": ("working", "wait", Decimal("0.40"))}
    gold = store.query_first("select count(*) as n from annotations where status = 'gold' and rater_id = 'bob'")
    assert gold is not None
    assert gold["n"] > 0
    for who in before:
        revocations.revoke(store, who, "rita", NAME)
        leave(c, who)
    assert standing(paid(c, "ann")) == before["ann"]
    assert standing(paid(c, "bob")) == ("paused", "return", Decimal("0.40"))
    # whose answers stop counting is paid for none
    revocations.revoke(store, "bob", "rita", NAME, uncount=True)
    assert standing(paid(c, "bob")) == ("paused", "return", Decimal("0.00"))
    for who in before:
        revocations.restore(store, who, "rita", NAME)
    assert {who: standing(paid(c, who)) for who in before} == before


@pytest.mark.parametrize("seed", range(4))
def test_pay_equals_an_independent_computation_and_stays_within_the_budget(store: Store, seed: int) -> None:
    draw = random.Random(seed)
    codes = {f"{outcome}_code": outcome.upper() for outcome in OUTCOMES}
    settings = Settings(
        check_every=4, recollect=bool(seed % 2), limit=7, item_price="0.0333", base_pay="0.11", platform_fee=0.33,
        budget="1.60", nothing_left="items" if seed > 1 else "completion", withdrawal=True, **codes,  # type: ignore[arg-type]
    )  # fmt: skip
    c = start(store, 24, overlap=3, settings=settings, special=("gold",) * 3 + ("attention",) * 3)
    c.now = datetime.now(UTC)
    people = [f"p{n:02}" for n in range(16)]
    pocket: dict[str, dict[str, None]] = {who: {} for who in people}
    for _ in range(260):
        who = draw.choice(people)
        tickets = pocket[who]
        act = draw.random()
        offered = c.offered(who)
        tickets |= dict.fromkeys(offered)
        if act < 0.6 and tickets:
            # whatever they ever saw, again and again, and in no order
            c.say(draw.choice([*tickets]), who, draw.choice(("yes", "yes", "yes", "no")), given=False, active_seconds=9)
        elif act < 0.75 and offered:
            participation.skip(store, who, offered[0], NAME, now=c.now)
        elif act < 0.8 and offered:
            participation.report(store, who, offered[0], "odd", NAME, now=c.now)
        elif act < 0.84:
            leave(c, who)
        elif act < 0.86:
            c.say(draw.choice(c.items), who, given=False)
        elif act < 0.87:
            revocations.revoke(store, who, "rita", NAME, uncount=draw.random() < 0.5)
        elif act < 0.88:
            revocations.withdraw(store, who, NAME)
        elif act < 0.93:
            c.later(31)
    now = datetime.now(UTC)
    roll = payment.payroll(store, found(store), now=now)
    expected = pay_by_person(store, NAME, now, settings)
    assert {person.work.person: person.payout.pay for person in roll.people if person.payout.decision != "reject"} == {
        who: pay for who, pay in expected.items() if who not in rejected(roll)
    }
    assert roll.cost <= Decimal("1.60")
    with store.read() as cursor:
        query = "select rater_id, item_id, status, surplus_reason from annotations where status <> 'training'"
        answers = cursor.execute(query).fetchall()
    counting = {who for who, _, status, _ in answers if status == "valid"}
    most = max(len({item for who, item, status, _ in answers if who == name and status != "surplus"}) for name in people)
    reasons = {reason for *_, reason in answers}
    # the crowd tried what it could
    assert reasons >= {"skipped", "not given", "again", "budget"}
    assert all(person.payout.pay > 0 for person in roll.people if person.work.person in counting)
    assert most <= 7
    rows = list(csv.DictReader(io.StringIO(payment.payment_file(roll))))
    assert sum(Decimal(row["cost"]) for row in rows) == roll.cost


def rejected(roll: payment.Payroll) -> set[str]:
    return {person.work.person for person in roll.people if person.payout.decision == "reject"}
