"""Who gets what in a campaign, and what becomes of what they say."""

from __future__ import annotations

import pytest

from data.campaigns.settings import Campaign, Settings
from data.refusals import CampaignClosed, CampaignRefused
from data.store.campaigns import allocation, management, monitoring, participation
from data.store.campaigns.allocation import TaskRequest, allocate_all
from data.store.core.cache import Cache
from data.store.core.store import Store
from data.store.judgements import recording, revocations
from data.store.judgements.answer_status import Feedback
from tests.data.store.small_campaign import NAME, RIGHT, WRONG, Running, give, start
from tests.data.store.small_project import answer, column


def test_a_claim_ends_and_its_item_returns(store: Store) -> None:
    c = start(store, 1, overlap=1)
    (item,) = c.items
    assert c.offered("ann") == c.offered("ann") == [item]
    c.later(29)
    assert c.offered("bob") == []
    c.later(1)
    assert c.offered("bob") == [item]
    assert c.offered("ann") == []


def test_who_only_looks_takes_nothing_from_what_remains_for_others(store: Store) -> None:
    c = start(store, 3, overlap=1)
    first, second, third = c.items
    c.say(first, "ann")
    before = c.desk("ann", ahead=1).progress
    for n in range(3):
        c.offered(f"visitor {n}")
    assert c.offered("ann") == [second]
    assert c.desk("ann").progress == before == allocation.CampaignProgress(1, 2)
    participation.pause(store, "ann", NAME)
    c.offered("another visitor")
    # all is held by others: nothing can be offered, and yet it wants answers
    desk = c.desk("ann")
    assert (desk.tasks, desk.closed, desk.progress) == ([], None, before)
    c.say(second, "bob")
    c.say(third, "bob")
    assert c.desk("ann").progress.remaining == 0


def test_a_refresh_in_the_second_half_of_the_lease_renews_it(store: Store) -> None:
    c = start(store, 1, overlap=1)
    c.offered("ann")
    c.later(16)
    assert c.offered("ann") == c.items
    c.later(29)
    assert c.offered("bob") == []
    c.later(1)
    assert c.offered("bob") == c.items


def test_late_work_counts_if_it_is_still_wanted(store: Store) -> None:
    c = start(store, 1, overlap=1)
    (item,) = c.items
    c.offered("ann")
    c.later(31)
    assert c.offered("bob") == [item]
    # ann was the first to answer after all; bob, who has it before him, comes too late
    assert (c.say(item, "ann").status, c.say(item, "bob").status) == ("valid", "surplus")
    assert c.offered("cid") == []
    assert monitoring.coverage(store, NAME).surplus == 1


def test_nobody_counts_twice_about_one_item(store: Store) -> None:
    c = start(store, 1, overlap=2)
    (item,) = c.items
    first = c.say(item, "ann")
    assert (first.status, c.say(item, "ann", "no").status) == ("valid", "surplus")
    assert c.say(item, "ann", "no", revises=first.annotation_id).status == "valid"
    assert c.offered("ann") == []
    assert c.offered("bob") == [item]
    assert column(store, "select people from campaign_items where campaign_id = 'c'") == [1]


def test_what_is_not_of_the_campaign_is_refused(store: Store) -> None:
    c = start(store, 2)
    management.create(store, Campaign("d", "D"), management.items(store, NAME)[:1])
    with pytest.raises(KeyError):
        recording.submit(store, answer(c.items[1], campaign_id="d"))
    assert column(store, "select count(*) from annotations") == [0]


def test_a_list_s_order_one_order_for_all_and_one_for_each(store: Store) -> None:
    c = start(store, 12, overlap=5)
    assert c.walk("ann") == c.walk("bob") == c.items
    orders = {}
    for order in ("shared", "random"):
        name = f"in-{order}"
        settings = Settings(order=order)
        management.create(store, Campaign(name, "C", overlap=5, settings=settings), management.items(store, NAME))
        management.move(store, name, "running")
        for who in ("ann", "bob"):
            tasks = participation.next_tasks(store, who, name, ahead=12).tasks
            orders[order, who] = [task.item_id for task in tasks]
    assert all(sorted(order) == sorted(c.items) for order in orders.values())
    assert orders["shared", "ann"] == orders["shared", "bob"] != c.items
    assert orders["random", "ann"] != orders["random", "bob"]


def test_all_who_ask_together_get_what_they_would_get_one_after_the_other(store: Store) -> None:
    c = start(store, 6, overlap=2, settings=Settings())
    memory = Cache()
    seekers = [TaskRequest(NAME, f"p{n % 9}", 1 + n % 2, c.now, memory) for n in range(12)]
    with store.read() as cursor:
        cursor.begin()
        together = allocate_all(cursor, seekers)
        cursor.rollback()
    one_by_one = [participation.next_tasks(store, seeker.person, NAME, ahead=seeker.ahead, now=c.now) for seeker in seekers]
    assert one_by_one == together
    held = column(store, "select item_id from claims")
    assert max(held.count(item) for item in held) == 2


def test_a_skip_goes_to_the_end_and_can_be_taken_back(store: Store) -> None:
    c = start(store, 3)
    first, second, third = c.items
    participation.skip(store, "ann", first, NAME, now=c.now)
    assert c.offered("ann") == [second, third]
    assert participation.unskip(store, "ann", NAME, now=c.now) == first
    assert c.offered("ann") == [first, second]
    assert participation.unskip(store, "ann", NAME, now=c.now) is None
    participation.skip(store, "ann", first, NAME, now=c.now)
    assert c.walk("ann") == [second, third, first]
    # what was skipped and then answered is no skip any more
    assert participation.unskip(store, "ann", NAME, now=c.now) is None


def test_what_others_have_filled_meanwhile_does_not_come_back(store: Store) -> None:
    c = start(store, 2, overlap=1)
    first, second = c.items
    participation.skip(store, "ann", first, NAME, now=c.now)
    assert c.offered("ann", 1) == [second]
    assert c.offered("bob", 1) == [first]
    assert participation.unskip(store, "ann", NAME, now=c.now) == first
    assert c.offered("ann", 1) == [second]


def test_a_pause_frees_what_was_claimed_in_one_campaign(store: Store) -> None:
    c = start(store, 1, overlap=1)
    participation.next_tasks(store, "ann", now=c.now)
    c.offered("ann")
    participation.pause(store, "ann", NAME)
    assert c.offered("bob") == c.items
    assert column(store, "select distinct campaign_id from claims where rater_id = 'ann'") == ["default"]


def test_an_item_that_two_call_broken_is_set_aside(store: Store) -> None:
    c = start(store, 2, overlap=3)
    first, second = c.items
    assert c.offered("ann") == [first, second]
    assert not participation.report(store, "ann", first, "black", NAME, now=c.now)
    assert not participation.report(store, "ann", first, "black", NAME, now=c.now)
    assert c.offered("ann") == [second]
    assert c.offered("bob") == [first, second]
    assert participation.report(store, "bob", first, "<b>", NAME, now=c.now)
    assert c.offered("bob") == c.offered("cid") == [second]
    (item,) = monitoring.broken_items(store, NAME)
    assert (item.item_id, item.aside) == (first, True)
    assert [(report.person, report.reason) for report in item.reports] == [("ann", "black"), ("bob", "<b>")]
    coverage = monitoring.coverage(store, NAME, c.now)
    assert (coverage.items, coverage.aside, coverage.wanted) == (1, 1, 3)
    monitoring.set_aside(store, NAME, first, False, now=c.now)
    assert c.offered("ann") == [second, first]  # what she holds comes first
    assert monitoring.broken_items(store, NAME) == []
    with pytest.raises(KeyError):
        participation.report(store, "ann", "no such item", "", NAME)


def test_the_limit_of_a_person(store: Store) -> None:
    c = start(store, 5, settings=Settings(order="fixed", limit=2))
    assert c.desk("ann").progress.remaining == 2
    assert c.walk("ann") == c.items[:2]
    desk = c.desk("ann")
    assert (desk.closed, desk.progress.done, desk.progress.remaining) == ("limit", 2, 0)
    assert c.offered("bob") == c.items[:2]


def test_states(store: Store) -> None:
    c = start(store, 2)
    assert participation.next_tasks(store, "ann", "no such campaign").closed == "none"
    (first, _) = c.offered("ann")
    for state in ("stopped", "running", "archived", "stopped"):
        management.move(store, NAME, state)
        assert c.desk("ann").closed == (None if state == "running" else state)
    # what somebody had before them when it was stopped is not lost
    assert c.say(first, "ann").status == "valid"
    with pytest.raises(CampaignRefused, match="cannot become draft"):
        management.move(store, NAME, "draft")


def test_the_writer_refuses_answers_to_an_archived_campaign(store: Store) -> None:
    c = start(store, 3)
    (first, second) = c.offered("ann")
    said = c.say(first, "ann").annotation_id
    management.move(store, NAME, "archived")
    before = column(store, "select annotations::varchar from annotations")
    late = answer(second, "ann", campaign_id=NAME)
    for write in (
        lambda: recording.submit(store, late),
        lambda: participation.submit_answer(store, late, campaign=NAME),
        lambda: c.say(first, "ann", "no", revises=said),
        lambda: participation.skip(store, "ann", second, NAME),
        lambda: participation.unskip(store, "ann", NAME),
        lambda: participation.report(store, "ann", second, "black", NAME),
        lambda: allocation.save_draft(store, allocation.AnswerDraft(NAME, "ann", second, {})),
    ):
        with pytest.raises(CampaignClosed, match="has been archived"):
            write()
    assert column(store, "select annotations::varchar from annotations") == before


def test_checks_are_mixed_in_count_for_nobody_and_cannot_be_told(store: Store) -> None:
    c = start(store, 9, special=("gold", "attention", "gold"), settings=Settings(order="fixed", check_every=4))
    gold = set(c.items[9:])
    seen, remaining = [], []
    while tasks := (desk := c.desk("ann")).tasks:
        seen.append(tasks[0].item_id)
        remaining.append(desk.progress.remaining)
        saved = c.say(tasks[0].item_id, "ann", "yes" if len(seen) % 2 else "no")
        assert saved.feedback is None
    checks = [item in gold for item in seen]
    assert [item for item in seen if item not in gold] == c.items[:9]
    # the first six come twice as often
    assert sum(checks[:2]) == sum(checks[2:4]) == sum(checks[4:6]) == 1
    # what is left goes down by one with each answer, whatever it was
    assert remaining == list(range(len(seen), 0, -1))
    results = {one.item_id: one for one in monitoring.current_answers(store, NAME)}
    assert all((results[item].status == "gold") == (item in gold) for item in seen)
    assert all(results[item].passed is (n % 2 == 0) for n, item in enumerate(seen) if item in gold)
    coverage = monitoring.coverage(store, NAME)
    assert (coverage.answers, coverage.checks) == (9, sum(checks))
    (worker,) = monitoring.workers(store, NAME)
    assert worker.gold + worker.attention == sum(checks)
    assert worker.gold_right + worker.attention_right == sum(n % 2 == 0 for n, check in enumerate(checks) if check)
    # nobody fills a check: the next person gets checks, too
    assert set(c.walk("bob")) & gold


def test_feedback_on_gold_if_the_campaign_gives_it(store: Store) -> None:
    c = start(store, 4, special=("gold", "attention"), settings=Settings(order="fixed", check_every=2, gold_feedback=True))
    gold, attention = c.items[4:]
    give(store, NAME, gold, "ann")
    annotation = answer(gold, "ann", "no", campaign_id=NAME)
    first = recording.submit(store, annotation)
    assert first.feedback == Feedback(False, RIGHT)
    # the answer to the first post was lost: the second says the same
    assert recording.submit(store, annotation) == recording.SavedAnswer(annotation.annotation_id, False, "gold", first.feedback)
    assert c.say(gold, "bob", "yes").feedback == Feedback(True, {})
    assert c.say(attention, "ann", "no").feedback is None
    assert c.say(c.items[0], "ann", "no").feedback is None
    # a second try proves nothing
    c.say(gold, "ann", "yes", revises=annotation.annotation_id)
    stands = next(one for one in monitoring.current_answers(store, NAME) if (one.person, one.item_id) == ("ann", gold))
    assert (stands.passed, stands.answers["label"]) == (False, "yes")


def test_a_check_that_is_answered_again_is_counted_once(store: Store) -> None:
    c = start(store, 4, special=("gold", "training"), settings=Settings(order="fixed", gold_feedback=True))
    gold, training = c.items[4:]
    for item in (gold, training):
        first = c.say(item, "ann", "no")
        again = c.say(item, "ann", "yes")
        assert (again.status, again.earlier) == ("surplus", first.annotation_id)
    (worker,) = monitoring.workers(store, NAME)
    assert (worker.gold, worker.gold_right, worker.training, worker.training_right) == (1, 0, 1, 0)


def test_training_comes_first_and_lets_through_who_passes(store: Store) -> None:
    c = start(store, 2, special=("training",) * 3, settings=Settings(order="fixed", pass_mark=0.6))
    training = c.items[2:]
    desk = c.desk("ann")
    assert [task.item_id for task in desk.tasks] == training[:2]
    assert desk.training is not None
    assert (desk.training.right, desk.training.needed, desk.training.left, desk.progress.remaining) == (0, 2, 3, 0)
    assert c.say(training[0], "ann", "no").feedback == Feedback(False, RIGHT)
    assert c.say(training[1], "ann").status == "training"
    assert c.offered("ann") == training[2:]
    c.say(training[2], "ann")
    assert c.walk("ann") == c.items[:2]
    assert c.desk("ann").progress == allocation.CampaignProgress(2, 0)
    # two are enough, the third is spared
    assert c.walk("bob") == [*training[:2], *c.items[:2]]
    for item in training[:2]:
        c.say(item, "cid", "no")
    desk = c.desk("cid")
    assert (desk.tasks, desk.closed) == ([], "training")
    assert desk.training is not None
    assert desk.training.failed
    coverage = monitoring.coverage(store, NAME)
    assert (coverage.answers, coverage.training) == (4, 7)


def test_a_skipped_check_does_not_come_back_before_other_skipped_ones(store: Store) -> None:
    c = start(store, 6, special=("gold",), settings=Settings(order="fixed", check_every=2))
    gold, put_off = c.items[6], c.items[0]
    order: list[str] = []
    while tasks := c.offered("ann", 1):
        if tasks[0] in (gold, put_off) and tasks[0] not in order:
            participation.skip(store, "ann", tasks[0], NAME, now=c.now)
        else:
            c.say(tasks[0], "ann")
        order.append(tasks[0])
    # every second place is a check's, and yet the skipped one waits for the end; then it may come or not
    assert order.count(gold) in (1, 2)
    assert [item for item in order if item != gold] == [put_off, *c.items[1:6], put_off]
    assert gold not in order[order.index(gold) + 1 : order.index(c.items[5])]


def test_a_revoked_person_gets_and_gives_nothing_more(store: Store) -> None:
    c = start(store, 3, overlap=1)
    first, second, third = c.items
    c.say(first, "ann")
    assert c.offered("ann") == [second, third]
    assert revocations.revoke(store, "ann", "manager", NAME, now=c.now) == 0
    assert c.desk("ann").closed == "suspended"
    assert c.offered("bob") == [second, third]
    assert c.say(second, "ann").status == "surplus"
    assert monitoring.coverage(store, NAME, c.now).answers == 1
    assert participation.next_tasks(store, "ann", now=c.now).closed is None
    assert revocations.restore(store, "ann", "manager", NAME, now=c.now) == 1
    assert monitoring.coverage(store, NAME, c.now).answers == 2
    assert c.offered("ann") == []  # bob has the third before him
    assert revocations.current_revocations(store) == []


def test_answers_of_the_revoked_stop_counting_and_count_again(store: Store) -> None:
    c = start(store, 2, overlap=1)
    first, second = c.items
    saved_answer = c.say(first, "ann")
    c.say(first, "ann", "no", revises=saved_answer.annotation_id)
    c.say(second, "ann")
    assert c.offered("bob") == []
    assert revocations.revoke(store, "ann", "manager", uncount=True, now=c.now) == 2
    assert revocations.revoke(store, "ann", "manager", uncount=True, now=c.now) == 0
    assert participation.next_tasks(store, "ann", now=c.now).closed == "revoked"
    assert column(store, "select distinct status from annotations") == ["surplus"]
    assert c.offered("bob", 1) == [first]
    c.say(first, "bob")
    # the first item has been filled by another: only the second counts again
    assert revocations.restore(store, "ann", "manager", now=c.now) == 1
    values = {(one.person, one.item_id): one.status for one in monitoring.current_answers(store, NAME)}
    assert values == {("ann", first): "surplus", ("ann", second): "valid", ("bob", first): "valid"}
    assert column(store, "select people from campaign_items where campaign_id = 'c'") == [1, 1]


def gold_until_paused(c: Running, who: str) -> int:
    """Answer all but checks rightly; how many checks it takes."""
    for n in range(1, 30):
        check = next(
            item for item in c.items[2:] if item not in {one.item_id for one in monitoring.current_answers(c.store, NAME)}
        )
        if c.say(check, who, "no").paused:
            return n
    raise AssertionError("never paused")


def test_whoever_fails_gold_is_paused_and_what_they_hold_returns(store: Store) -> None:
    c = start(store, 2, overlap=1, special=("gold",) * 12, settings=Settings(order="fixed", check_every=2))
    first, second = c.items[:2]
    c.say(first, "ann")
    assert second in c.offered("ann")
    assert second not in c.offered("bob")
    version = store.version
    assert gold_until_paused(c, "ann") == 5
    assert store.changes_since(version).items is None
    assert (c.desk("ann").closed, c.say(second, "ann").status) == ("paused", "surplus")
    assert second in c.offered("bob")
    (worker,) = (worker for worker in monitoring.workers(store, NAME) if worker.person == "ann")
    assert (worker.revoked, worker.paused, worker.valid) == (True, "0 of 5 gold items right", 1)
    (log,) = revocations.current_revocations(store)
    assert (log.person, log.campaign, log.by, log.uncounted) == ("ann", NAME, "checks", False)
    # a manager lets her in again: what she had sent counts, and the checks begin anew
    assert revocations.restore(store, "ann", "manager") == 0
    assert revocations.restore(store, "ann", "manager", NAME) == 1
    assert c.desk("ann").closed is None
    assert gold_until_paused(c, "ann") == 5


def test_answers_of_paused_people_are_collected_again_if_the_campaign_wants_it(store: Store) -> None:
    settings = Settings(order="fixed", check_every=2, recollect=True)
    c = start(store, 2, overlap=1, special=("attention",) * 4, settings=settings)
    first = c.items[0]
    c.say(first, "ann")
    assert first not in c.offered("bob")
    assert gold_until_paused(c, "ann") == 3
    assert first in c.offered("cid")
    assert monitoring.coverage(store, NAME, c.now).answers == 0
    assert revocations.restore(store, "ann", "manager", NAME) == 1
    assert monitoring.coverage(store, NAME, c.now).answers == 1


NO_MARKS = Settings(order="fixed", check_every=2, gold_pass_mark=0.0, attention_pass_mark=0.0)


@pytest.mark.parametrize("settings", [NO_MARKS, Settings.of({"check_every": 2})])
def test_nobody_is_paused_without_a_mark(store: Store, settings: Settings) -> None:
    c = start(store, 2, special=("gold",) * 8, settings=settings)
    assert not any(c.say(check, "ann", "no").paused for check in c.items[2:])


def test_one_of_two_revocations_still_holds(store: Store) -> None:
    c = start(store, 1, overlap=1)
    c.say(c.items[0], "ann")
    revocations.revoke(store, "ann", "manager", NAME, uncount=True)
    revocations.revoke(store, "ann", "manager", uncount=True)
    assert revocations.restore(store, "ann", "manager") == 0
    assert c.desk("ann").closed == "revoked"
    assert revocations.restore(store, "ann", "manager", NAME) == 1


def test_whoever_differs_asks_a_third(store: Store) -> None:
    c = start(store, 2, overlap=2)
    first, second = c.items

    def differ(said: object) -> bool:
        return len({entry["label"] for entry in said}) > 1  # type: ignore[attr-defined]

    for item, label in ((first, "yes"), (second, "no")):
        c.say(item, "ann", "yes", more=differ)
        assert c.say(item, "bob", label, more=differ).status == "valid"
    assert c.offered("cid") == [second]
    assert c.say(second, "cid", "yes", more=differ).status == "valid"
    assert c.say(second, "dan", "yes", more=differ).status == "surplus"
    assert c.say(first, "dan", "yes", more=differ).status == "surplus"
    assert monitoring.coverage(store, NAME).full == 2


def test_a_revision_that_makes_two_agree_ends_the_wait_for_a_third(store: Store) -> None:
    c = start(store, 1, overlap=2)
    (item,) = c.items

    def differ(said: object) -> bool:
        return len({entry["label"] for entry in said}) > 1  # type: ignore[attr-defined]

    c.say(item, "ann", "yes", more=differ)
    second = c.say(item, "bob", "no", more=differ)
    assert c.offered("cid") == [item]
    c.say(item, "bob", "yes", revises=second.annotation_id, more=differ)
    assert c.offered("cid") == []


def test_a_draft_is_kept_and_keeps_the_claim_and_ends_with_the_answer(store: Store) -> None:
    c = start(store, 1, overlap=1)
    (item,) = c.items
    c.offered("ann")
    for n in range(4):
        c.later(20)
        allocation.save_draft(store, allocation.AnswerDraft(NAME, "ann", item, {"count_0": n}), now=c.now)
    assert c.desk("ann").drafts == {item: {"count_0": 3}}
    assert c.desk("bob").drafts == {}
    assert c.offered("bob") == []
    c.say(item, "ann")
    assert c.desk("ann").drafts == {}
    assert column(store, "select count(*) from claims") == [0]


def test_everybody_s_work(store: Store) -> None:
    c = start(store, 3, special=("gold",), settings=Settings(order="fixed", check_every=2))
    first, second, third, gold = c.items
    saved_answer = c.say(first, "ann", active_seconds=10.0)
    c.say(first, "ann", revises=saved_answer.annotation_id, active_seconds=5.0)
    c.say(second, "ann", active_seconds=3.0)
    c.say(gold, "ann", WRONG["label"], active_seconds=2.0)
    participation.skip(store, "ann", third, NAME, now=c.now)
    participation.report(store, "bob", third, "broken", NAME, now=c.now)
    ann, bob = monitoring.workers(store, NAME, c.now)
    assert (ann.person, ann.valid, ann.gold, ann.gold_right, ann.skipped, ann.reported) == ("ann", 2, 1, 0, 1, 0)
    assert (ann.seconds, ann.median_seconds) == (20.0, 3.0)  # 15, 3 and 2
    assert (bob.person, bob.valid, bob.seconds, bob.reported) == ("bob", 0, None, 1)
    assert sum(hour.answers for hour in monitoring.answers_by_hour(store, NAME)) == 3
    assert sum(hour.valid for hour in monitoring.answers_by_hour(store, NAME)) == 2
