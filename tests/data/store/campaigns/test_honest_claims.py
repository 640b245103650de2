"""Limits and budgets hold at submission: an answer counts and is paid only where the person was given the item.

Each attack here once brought in answers or pay beyond what the campaign had set.
"""

from __future__ import annotations

import uuid
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal
from typing import Any

from concord.campaigns import payment
from data.campaigns.settings import DEFAULT, Settings
from data.store.campaigns import management, monitoring, participation
from data.store.core.store import Store
from data.store.judgements import recording, revocations
from tests.data.store.small_campaign import NAME, Running, start
from tests.data.store.small_project import answer, column

PAID: dict[str, Any] = {"order": "fixed", "item_price": "0.10", "currency": "GBP"}


def fates(campaign: Running, who: str, items: list[str]) -> Counter[tuple[str, str | None]]:
    """Submit an answer to each item, as a browser does that kept their tickets."""
    saved = [campaign.say(item, who, given=False) for item in items]
    return Counter((each.status, each.reason) for each in saved)


def cost(campaign: Running) -> Decimal:
    found = management.get(campaign.store, NAME)
    assert found
    return payment.payroll(campaign.store, found, now=campaign.now).cost


def test_who_skips_through_everything_and_submits_it_gets_nothing_of_it(store: Store) -> None:
    c = start(store, 30, overlap=3, settings=Settings(limit=3, budget="1.00", **PAID))
    tickets: list[str] = []
    while (item := c.offered("eve", 1)[0]) not in tickets:
        tickets.append(item)
        participation.skip(store, "eve", item, NAME, now=c.now)
        c.later(0.1)
    assert len(tickets) == 30
    # the one that came back after all others were skipped was given again
    assert fates(c, "eve", tickets) == {("valid", None): 1, ("surplus", "skipped"): 29}
    assert cost(c) == Decimal("0.10")
    assert monitoring.coverage(store, NAME).answers == 1


def test_skipped_and_answered_when_it_comes_back_it_counts(store: Store) -> None:
    c = start(store, 2, overlap=1, settings=Settings(**PAID))
    first, second = c.offered("ann")
    participation.skip(store, "ann", first, NAME, now=c.now)
    assert c.say(first, "ann", given=False).reason == "skipped"
    assert c.offered("ann") == [second, first]
    assert c.say(first, "ann", given=False).status == "valid"
    assert c.say(second, "ann", given=False).status == "valid"
    assert cost(c) == Decimal("0.20")


def test_a_skip_that_is_taken_back_gives_the_item_again(store: Store) -> None:
    c = start(store, 2, overlap=1)
    item = c.offered("bob", 1)[0]
    participation.skip(store, "bob", item, NAME, now=c.now)
    assert participation.unskip(store, "bob", NAME, now=c.now) == item
    assert c.say(item, "bob", given=False).status == "valid"


def test_what_was_given_counts_however_late_it_comes(store: Store) -> None:
    c = start(store, 2, overlap=1, settings=Settings(lease_minutes=30, **PAID))
    first, second = c.offered("ann")
    c.later(60)
    # the item is offered to others since, and still needs its answer
    assert c.offered("bob") == [first, second]
    assert c.say(first, "ann", given=False).status == "valid"
    # bob held it meanwhile: his answer is too many, and paid
    assert c.say(first, "bob", given=False).reason == "full"
    found = management.get(store, NAME)
    assert found
    paid = {person.work.person: person.payout.pay for person in payment.payroll(store, found, now=c.now).people}
    assert paid == {"ann": Decimal("0.10"), "bob": Decimal("0.10")}
    # also after a pause, and after the campaign has stopped
    participation.pause(store, "bob", NAME)
    management.move(store, NAME, "stopped")
    assert c.say(second, "bob", given=False).status == "valid"


def test_what_was_never_given_is_stored_and_neither_counts_nor_is_paid(store: Store) -> None:
    c = start(store, 4, overlap=2, settings=Settings(**PAID), special=("gold",))
    assert c.offered("ann") == c.items[:2]
    assert fates(c, "ann", c.items[2:]) == {("surplus", "not given"): 3}
    assert cost(c) == 0
    assert column(store, "select passed from annotations") == [None] * 3
    # later it is given, and answered as it should be
    for item in c.items[:2]:
        c.say(item, "ann", given=False)
    assert c.offered("ann", 1) == [c.items[2]]
    assert c.say(c.items[2], "ann", given=False).status == "valid"


def test_the_default_campaign_takes_an_answer_about_any_image(store: Store) -> None:
    c = start(store, 2)
    participation.next_tasks(store, "ann", now=c.now)
    assert recording.submit(store, answer(c.items[1], "bob", campaign_id=DEFAULT)).status == "valid"


def test_reservations_that_ended_do_not_add_up_beyond_the_limit(store: Store) -> None:
    c = start(store, 10, overlap=1, settings=Settings(limit=3, **PAID))
    held = c.offered("bob", 2)
    # many tabs, opened one after the other: others take what lapsed, so new items come
    tickets = c.offered("eve", 3)
    for n in range(3):
        c.later(31)
        for other in range(2):
            c.offered(f"other {n} {other}", 3)
        tickets += [item for item in c.offered("eve", 3) if item not in tickets]
    assert len(tickets) > 3
    assert held
    with ThreadPoolExecutor(8) as pool:
        saved = list(pool.map(lambda item: c.say(item, "eve", given=False), tickets))
    assert Counter((each.status, each.reason) for each in saved) == {("valid", None): 3, ("surplus", "limit"): len(tickets) - 3}
    assert cost(c) == Decimal("0.30")


def test_reservations_that_ended_do_not_add_up_beyond_the_budget(store: Store) -> None:
    c = start(store, 12, overlap=3, settings=Settings(budget="1.00", platform_fee=0.25, **PAID))
    # everybody looks until their reservation has ended, and then all send at once: 0.125 an answer, so 8 fit
    people = [f"p{n}" for n in range(6)]
    tickets: dict[str, list[str]] = {}
    for who in people:
        c.later(31)
        tickets[who] = c.offered(who, 4)
    assert sum(map(len, tickets.values())) > 8
    sent = [(who, item) for who, items in tickets.items() for item in items]
    with ThreadPoolExecutor(8) as pool:
        saved = list(pool.map(lambda each: c.say(each[1], each[0], given=False), sent))
    assert {each.reason for each in saved} >= {"budget"}
    assert cost(c) <= Decimal("1.00")
    found = management.get(store, NAME)
    assert found
    # nobody is unpaid whose answer counts
    roll = payment.payroll(store, found, now=c.now)
    assert all(person.payout.pay == Decimal("0.10") * person.work.items for person in roll.people)
    assert sum(person.work.items for person in roll.people) == sum(each.reason != "budget" for each in saved)


def test_a_late_answer_leaves_the_budget_to_who_holds_an_item(store: Store) -> None:
    c = start(store, 4, overlap=2, settings=Settings(budget="0.20", **PAID))
    late = c.offered("eve", 2)
    c.later(31)
    held = c.offered("ann", 2)
    assert len(held) == 2
    assert c.say(late[0], "eve", given=False).reason == "budget"
    assert [c.say(item, "ann", given=False).status for item in held] == ["valid", "valid"]
    assert cost(c) == Decimal("0.20")


def test_two_tabs_are_paid_once(store: Store) -> None:
    c = start(store, 2, overlap=1, settings=Settings(**PAID))
    item = c.offered("ann", 1)[0]
    with ThreadPoolExecutor(4) as pool:
        saved = list(pool.map(lambda _: c.say(item, "ann", given=False), range(4)))
    assert Counter((each.status, each.reason) for each in saved) == {("valid", None): 1, ("surplus", "again"): 3}
    assert cost(c) == Decimal("0.10")


def test_a_revision_is_no_second_answer_and_rescues_none(store: Store) -> None:
    c = start(store, 2, overlap=1, settings=Settings(**PAID))
    first, second = c.offered("ann")
    said = c.say(first, "ann", given=False)
    participation.skip(store, "ann", second, NAME, now=c.now)
    stray = c.say(second, "ann", given=False)
    for earlier, item in ((said, first), (stray, second)):
        revised = answer(item, "ann", "no", campaign_id=NAME, revises=earlier.annotation_id)
        assert recording.submit(store, revised).reason == earlier.reason
    assert cost(c) == Decimal("0.10")


def test_whoever_comes_back_by_another_id_was_given_nothing(store: Store) -> None:
    c = start(store, 6, overlap=3, settings=Settings(limit=2, **PAID))
    tickets = c.offered("id 1")
    assert fates(c, "id 1", tickets) == {("valid", None): 2}
    assert fates(c, "id 2", tickets) == {("surplus", "not given"): 2}
    assert cost(c) == Decimal("0.20")


def test_a_skipped_check_tells_nothing_and_is_judged_by_the_answer_that_was_asked_for(store: Store) -> None:
    c = start(store, 4, overlap=1, special=("gold",), settings=Settings(order="fixed", check_every=2, gold_feedback=True))
    gold = c.items[-1]
    while gold not in (tasks := c.offered("eve", 1)):
        c.say(tasks[0], "eve", given=False)
    participation.skip(store, "eve", gold, NAME, now=c.now)
    probe = c.say(gold, "eve", "no", given=False)
    assert (probe.status, probe.reason, probe.feedback) == ("surplus", "skipped", None)
    # the same sent again tells nothing either
    annotation = answer(gold, "eve", "no", campaign_id=NAME, annotation_id=str(uuid.uuid4()))
    assert [recording.submit(store, annotation).feedback for _ in range(2)] == [None, None]
    participation.unskip(store, "eve", NAME, now=c.now)
    assert c.say(gold, "eve", "no", given=False).feedback is not None
    # a right answer after that proves nothing
    assert c.say(gold, "eve", given=False).reason == "again"
    (eve,) = monitoring.workers(store, NAME)
    assert (eve.gold, eve.gold_right) == (1, 0)


def test_what_a_revoked_person_was_never_given_does_not_come_to_count(store: Store) -> None:
    c = start(store, 3, overlap=1)
    given = c.offered("eve", 1)[0]
    revocations.revoke(store, "eve", "rita", NAME)
    assert [c.say(item, "eve", given=False).reason for item in c.items] == ["revoked", "not given", "not given"]
    assert revocations.restore(store, "eve", "rita", NAME) == 1
    assert column(store, "select item_id from annotations where status = 'valid'") == [given]


def test_reports_hide_an_item_for_all_only_after_enough_independent_people(store: Store) -> None:
    c = start(store, 3, overlap=9, settings=Settings(order="fixed", reports_needed=3))
    first = c.items[0]

    def report(who: str) -> bool:
        c.offered(who)
        return participation.report(store, who, first, "black", NAME, now=c.now)

    assert not report("ann")
    assert first not in c.offered("ann")
    assert first in c.offered("bob")
    assert not report("bob")
    assert not participation.report(store, "nobody was given it", first, "black", NAME, now=c.now)
    assert first in c.offered("cyd")
    assert report("cyd")
    assert first not in c.offered("dot", 3)
    # one of them is revoked, and let in again
    revocations.revoke(store, "bob", "rita", NAME)
    assert first in c.offered("dot", 3)
    revocations.restore(store, "bob", "rita", NAME)
    assert first not in c.offered("dot", 3)
    # what the manager has set aside stays, whoever is revoked
    monitoring.set_aside(store, NAME, first, True, now=c.now)
    revocations.revoke(store, "bob", "rita")
    assert first not in c.offered("eve")


def test_reports_while_a_campaign_is_stopped_do_not_count(store: Store) -> None:
    c = start(store, 2, overlap=9)
    for who in ("ann", "bob", "cyd"):
        c.offered(who)
    store.change(lambda connection: connection.execute("update campaigns set state = 'stopped'"))
    assert not any(participation.report(store, who, c.items[0], "black", NAME) for who in ("ann", "bob", "cyd"))
    (item,) = monitoring.broken_items(store, NAME)
    assert [report.counted for report in item.reports] == [False] * 3
    store.change(lambda connection: connection.execute("update campaigns set state = 'running'"))
    assert c.items[0] in c.offered("dot")


def test_people_from_one_network_report_as_one(store: Store) -> None:
    c = start(store, 2, overlap=9)

    def came(who: str, network: str) -> None:
        values = ["i", who, "prolific", c.now, network]
        insert = "insert into arrivals (invitation_id, rater_id, came_as, moment, network) values (?, ?, ?, ?, ?)"
        store.change(lambda connection: connection.execute(insert, values))

    for who, network in (("ann", "n1"), ("bob", "n1"), ("cyd", "n2")):
        came(who, network)
        c.offered(who)
    assert [participation.report(store, who, c.items[0], "black", NAME, now=c.now) for who in ("ann", "bob", "cyd")] == [
        False, False, True,
    ]  # fmt: skip


def test_reports_are_shown_with_their_share(store: Store) -> None:
    c = start(store, 8, overlap=2)
    item, *_ = c.offered("eve", 1)
    c.say(item, "eve", given=False)
    for _ in range(3):
        participation.report(store, "eve", c.offered("eve", 1)[0], "odd", NAME, now=c.now)
    (eve,) = monitoring.workers(store, NAME, c.now)
    assert (eve.reported, eve.answered, eve.reported_share) == (3, 1, 0.75)
