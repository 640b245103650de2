"""An answer and what comes next, decided together, are what they are one after the other."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import duckdb
import pytest

from data.campaigns.settings import Settings
from data.store import imports
from data.store.campaigns import allocation, management, participation
from data.store.campaigns.allocation import AnswerDraft, TaskRequest
from data.store.core.cache import Cache
from data.store.core.store import Store
from data.store.erased import Erased
from data.store.judgements import recording, revocations
from data.store.judgements.campaign_state import CampaignStates
from data.store.judgements.recording import SentAnswer
from data.store.people import erasing
from tests.data.store.small_campaign import NAME, Running, start
from tests.data.store.small_project import answer, column, fill, pictures, table


def _now(c: Running) -> Running:
    """Claims of the past would have ended."""
    c.now = datetime.now(UTC)
    return c


def test_answer_and_next_task_in_one_transaction_equal_two_calls(tmp_path: Path) -> None:
    desks = []
    for name in ("together", "apart"):
        with Store(tmp_path / name) as store:
            c = _now(start(store, 6, overlap=2, settings=Settings(order="fixed")))
            parts = []
            for who in ("ann", "bob", "cid", "ann", "bob", "ann"):
                item = c.offered(who, 1)[0]
                annotation = answer(item, who, campaign_id=NAME)
                if name == "together":
                    result = participation.submit_answer(store, annotation, campaign=NAME)
                    saved, desk = result.saved, result.next_tasks
                else:
                    saved, desk = recording.submit(store, annotation), participation.next_tasks(store, who, NAME)
                parts.append((saved.new, saved.status, [task.item_id for task in desk.tasks], desk.progress, desk.closed))
            held = sorted(
                zip(column(store, "select rater_id from claims"), column(store, "select item_id from claims"), strict=True)
            )
            desks.append((parts, held, sorted(column(store, "select item_id from annotations"))))
    assert desks[0] == desks[1]


def test_several_at_once_are_saved_and_seated_in_one_group(store: Store) -> None:
    c = _now(start(store, 6, overlap=1))
    people = ["ann", "bob", "cid"]
    said = [answer(c.offered(who, 1)[0], who, campaign_id=NAME) for who in people]
    memory = Cache()
    payloads = [
        (SentAnswer(annotation, memory), TaskRequest(NAME, annotation.rater_id, 1, c.now, memory)) for annotation in said
    ]
    with store.read() as cursor:
        cursor.begin()
        answered = participation._submit_answers(cursor, payloads)
        cursor.rollback()
    assert [result.saved.new for result in answered] == [True] * 3
    values = [result.next_tasks.tasks[0].item_id for result in answered]
    assert len({*values, *(annotation.item_id for annotation in said)}) == 6, "nobody is given what another has"


def test_sent_again_it_is_there_once_and_what_is_next_is_the_same(store: Store) -> None:
    c = _now(start(store, 3))
    annotation = answer(c.offered("ann", 1)[0], "ann", campaign_id=NAME)
    first, again = (participation.submit_answer(store, annotation, campaign=NAME) for _ in range(2))
    assert (first.saved.new, again.saved.new) == (True, False)
    assert first.next_tasks == again.next_tasks
    assert len(table(store, "annotations")) == len(table(store, "judgements")) == 1


def test_an_extra_person_is_decided_before_the_next_task(store: Store) -> None:
    c = _now(start(store, 1, overlap=1))
    (item,) = c.items
    assert participation.next_tasks(store, "bob", NAME).progress.remaining == 1
    participation.submit_answer(store, answer(item, "ann", campaign_id=NAME), lambda _: True, NAME)
    assert [task.item_id for task in participation.next_tasks(store, "bob", NAME).tasks] == [item]


def test_an_answer_about_nothing_saves_nothing_and_seats_nobody(store: Store) -> None:
    start(store, 2)
    with pytest.raises(KeyError):
        participation.submit_answer(store, answer("nothing", "ann", campaign_id=NAME), campaign=NAME)
    assert table(store, "annotations") == table(store, "claims") == []


def test_who_was_revoked_since_is_seated_no_more(store: Store) -> None:
    c = _now(start(store, 4, overlap=1))
    first, second = c.offered("ann")
    assert participation.submit_answer(store, answer(first, "ann", campaign_id=NAME), campaign=NAME).next_tasks.closed is None
    revocations.revoke(store, "ann", "rosa")
    result = participation.submit_answer(store, answer(second, "ann", campaign_id=NAME), campaign=NAME)
    assert (result.saved.status, result.next_tasks.closed) == ("surplus", "suspended")
    revocations.restore(store, "ann", "rosa")
    assert participation.next_tasks(store, "ann", NAME).closed is None


def test_a_campaign_that_is_stopped_offers_nothing_from_the_next_answer_on(store: Store) -> None:
    c = _now(start(store, 4))
    first, second = c.offered("ann")
    participation.submit_answer(store, answer(first, "ann", campaign_id=NAME), campaign=NAME)
    management.move(store, NAME, "stopped")
    result = participation.submit_answer(store, answer(second, "ann", campaign_id=NAME), campaign=NAME)
    assert (result.saved.status, result.next_tasks.closed) == ("valid", "stopped")


def test_a_person_who_was_erased_is_refused_though_they_were_known(store: Store) -> None:
    c = _now(start(store, 4))
    first, second = c.offered("ann")
    participation.submit_answer(store, answer(first, "ann", campaign_id=NAME), campaign=NAME)
    erasing.erase(store, "ann")
    with pytest.raises(Erased):
        participation.submit_answer(store, answer(second, "ann", campaign_id=NAME), campaign=NAME)


def test_images_that_come_later_are_offered_though_the_default_campaign_is_known(store: Store) -> None:
    items = fill(store)
    for item in items:
        recording.submit(store, answer(item, "ann"))
    assert participation.next_tasks(store, "ann").tasks == []
    imports.apply(store, [pictures(2, "g2")])
    known = {task.item_id for task in participation.next_tasks(store, "ann").tasks}
    assert known
    assert not known & set(items)


def test_what_was_tried_and_rolled_back_is_not_remembered(store: Store) -> None:
    (item, *_) = fill(store)
    both = [answer(item, "new person"), answer(item, "new person", campaign_id=None)]

    def tried(cursor: duckdb.DuckDBPyConnection, payloads: Sequence[None]) -> Sequence[None]:
        # one after the other, as where each may ask for more: the second finds the rater of the first
        for annotation in both:
            recording.save_all(cursor, [SentAnswer(annotation, store.memory, lambda _: False)])
        raise LookupError(payloads)

    with pytest.raises(LookupError):
        store.write(tried, None, touched=frozenset({item}))
    recording.submit(store, both[0])
    assert column(store, "select rater_id from raters where rater_id = 'new person'") == ["new person"]


_HELD = "select rater_id || ' ' || item_id as held from {} order by rater_id, item_id"


def test_an_answer_ends_its_own_claim_and_draft(store: Store) -> None:
    c = _now(start(store, 6, overlap=9))
    for who in ("ann", "bob"):
        first, second = c.offered(who)
        for item in (first, second):
            allocation.save_draft(store, AnswerDraft(NAME, who, item, {"a": 1}))
    recording.submit(store, answer(first, "ann", campaign_id=NAME))
    assert column(store, _HELD.format("claims")) == [f"ann {second}", f"bob {first}", f"bob {second}"]
    assert column(store, _HELD.format("drafts")) == [f"ann {second}", f"bob {first}", f"bob {second}"]


def test_what_the_writer_keeps_in_memory_is_what_it_would_read(store: Store) -> None:
    settings = Settings(order="fixed", check_every=3, gold_pass_mark=0.6, gold_feedback=True)
    _now(start(store, 8, overlap=2, settings=settings, special=("gold", "gold", "gold")))
    people = ["ann", "bob", "cid"]
    for n in range(24):
        who = people[n % 3]
        desk = participation.next_tasks(store, who, NAME)
        if not desk.tasks:
            continue
        item = desk.tasks[0].item_id
        if n % 7 == 5:
            participation.skip(store, who, item, NAME)
        elif n % 7 == 3:
            allocation.save_draft(store, AnswerDraft(NAME, who, item, {"n": n}))
        else:
            annotation = answer(item, who, "no" if who == "cid" else "yes", campaign_id=NAME)
            participation.submit_answer(store, annotation, (lambda _: True) if n % 5 == 0 else None, NAME)
        assert _kept(store) == _read(store)


def _kept(store: Store) -> Any:
    return store.change(lambda connection: _facts(CampaignStates(connection, store.memory)), shown=False)


def _read(store: Store) -> Any:
    return store.change(lambda connection: _facts(CampaignStates(connection, Cache())), shown=False)


def _facts(states: CampaignStates) -> Any:
    state = states.of([NAME])[NAME]
    state.read_people(states.connection, ["ann", "bob", "cid"])
    people = {name: (person, list(person.held)) for name, person in sorted(state.persons.items())}
    return [list(values) for values in (state.people, state.wanted, state.aside)], people


def test_memory_of_its_own_reads_the_same(store: Store) -> None:
    c = _now(start(store, 3))
    annotation = answer(c.offered("ann", 1)[0], "ann", campaign_id=NAME)
    with store.read() as cursor:
        results = []
        for memory in (Cache(), store.memory):
            cursor.begin()
            results.append(recording.save_all(cursor, [SentAnswer(annotation, memory)]))
            cursor.rollback()
            memory.forget()
    assert results[0] == results[1]
