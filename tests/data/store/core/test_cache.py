"""What is kept in memory is what would be read."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from data.people import Arrival, Terms
from data.store import campaign_items, imports
from data.store.campaigns import management, participation
from data.store.core.cache import Cache
from data.store.core.store import Store
from data.store.judgements import answer_status
from data.store.people import invitations
from tests.data.store.small_campaign import NAME, start


def revision(store: Store, person: str, item_id: str) -> tuple[bool, str | None]:
    """Whether an answer that comes now is not blind, and which one it takes the place of."""
    with store.read() as cursor:
        return answer_status.resolve_revision(cursor, store.memory, person=person, item_id=item_id, revises=None)


def test_values_are_cached_until_the_cache_is_cleared() -> None:
    memory, reads = Cache(), list[int]()

    def read() -> int:
        reads.append(len(reads))
        return 7 + len(reads)

    assert [memory.keep("a", read) for _ in range(3)] == [8, 8, 8]
    memory.forget()
    assert memory.keep("a", read) == 9
    assert reads == [0, 1]


def test_missing_values_are_not_cached() -> None:
    memory = Cache()
    assert memory.keep("a", lambda: None) is None
    assert memory.keep("a", lambda: 1) == 1


def test_what_was_read_before_something_was_written_is_not_kept() -> None:
    memory = Cache()

    def overtaken() -> str:
        memory.forget()
        return "old"

    assert memory.keep("a", overtaken) == "old"
    assert memory.get("a") is None


def test_one_thing_is_forgotten_and_the_rest_kept() -> None:
    memory = Cache()

    def overtaken() -> str:
        memory.forget("a")
        return "old"

    assert [memory.keep("a", lambda: 1), memory.keep("b", lambda: 2)] == [1, 2]
    memory.forget("a")
    assert memory.keep("b", lambda: 3) == 2
    assert memory.keep("a", overtaken) == "old"
    assert memory.keep("a", lambda: "new") == "new", "what was read before it was forgotten is not kept"


def test_what_is_computed_outlasts_what_answers_keep() -> None:
    memory = Cache()
    assert memory.once("f", "call", "1", lambda: "first", 4) == "first"
    memory.forget()
    assert memory.once("f", "call", "1", lambda: "second", 4) == "first"
    assert memory.once("g", "call", "1", lambda: "another's", 4) == "another's"
    assert memory.once("f", "call", "2", lambda: "second", 4) == "second"


def test_an_answer_leaves_what_is_kept_and_a_manager_changes_it(store: Store) -> None:
    c = start(store, 2)
    (first, second) = c.desk("ann").tasks
    before = management.get(store, NAME)
    state = store.memory.state
    c.say(first.item_id, "ann")
    assert store.memory.state == state
    assert management.get(store, NAME) is before
    assert campaign_items.get_task(store, second.public_id) is second
    assert before is not None
    management.change_settings(store, NAME, {"instructions": "Look twice."}, "rosa")
    changed = management.get(store, NAME)
    assert changed is not None
    assert changed.settings.instructions == "Look twice."
    management.move(store, NAME, "stopped")
    stopped = management.get(store, NAME)
    assert stopped is not None
    assert stopped.state == "stopped"


def test_an_image_that_is_gone_is_no_task_any_more(store: Store) -> None:
    c = start(store, 1)
    (task,) = c.desk("ann").tasks
    assert campaign_items.get_task(store, task.public_id) == task
    management.remove(store, NAME)
    for entry in imports.listed(store):
        imports.undo(store, entry.import_id)
    assert campaign_items.get_task(store, task.public_id) is None


def test_whoever_is_shown_evidence_is_known_at_once(store: Store) -> None:
    c = start(store, 1)
    (item,) = c.items
    assert revision(store, "ann", item) == (False, None)
    answer_status.record_unblinding(store, "ann", item, answer_status.ON_REQUEST)
    assert revision(store, "ann", item) == (True, None)
    assert revision(store, "bob", item) == (False, None)


def test_whoever_joins_makes_nothing_forgotten(store: Store) -> None:
    c = start(store, 2)
    c.desk("ann")
    campaign, state = management.get(store, NAME), store.memory.state
    participation.enter(store, "bob")
    until = datetime.now(UTC) + timedelta(hours=1)
    made = invitations.create(store, Terms(campaign=NAME, role="annotator", expires=until), "rosa")
    invitations.arrive(store, Arrival(made.invitation_id, "cyd", "name"))
    assert store.memory.state == state
    assert management.get(store, NAME) is campaign
