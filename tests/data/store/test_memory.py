"""What is kept in memory is what would be read."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from data.store import campaigns, imports, invitations, managing, uncovered
from data.store.invitations import Arrival, Terms
from data.store.memory import Memory
from data.store.store import Store
from tests.data.store.running import NAME, start


def test_what_was_read_is_kept_until_all_is_forgotten() -> None:
    memory, reads = Memory(), list[int]()

    def read() -> int:
        reads.append(len(reads))
        return 7 + len(reads)

    assert [memory.keep("a", read) for _ in range(3)] == [8, 8, 8]
    memory.forget()
    assert memory.keep("a", read) == 9
    assert reads == [0, 1]


def test_nothing_is_not_kept() -> None:
    memory = Memory()
    assert memory.keep("a", lambda: None) is None
    assert memory.keep("a", lambda: 1) == 1


def test_what_was_read_before_something_was_written_is_not_kept() -> None:
    memory = Memory()

    def overtaken() -> str:
        memory.forget()
        return "old"

    assert memory.keep("a", overtaken) == "old"
    assert memory.get("a") is None


def test_an_answer_leaves_what_is_kept_and_a_manager_changes_it(store: Store) -> None:
    c = start(store, 2)
    (first, second) = c.desk("ann").tasks
    before = managing.get(store, NAME)
    state = store.memory.state
    c.say(first.item_id, "ann")
    assert store.memory.state == state
    assert managing.get(store, NAME) is before
    assert campaigns.task(store, second.public_id) is second
    assert before is not None
    managing.change_settings(store, NAME, {"instructions": "Look twice."}, "rosa")
    changed = managing.get(store, NAME)
    assert changed is not None
    assert changed.settings.instructions == "Look twice."
    managing.move(store, NAME, "stopped")
    stopped = managing.get(store, NAME)
    assert stopped is not None
    assert stopped.state == "stopped"


def test_an_image_that_is_gone_is_no_task_any_more(store: Store) -> None:
    c = start(store, 1)
    (task,) = c.desk("ann").tasks
    assert campaigns.task(store, task.public_id) == task
    managing.remove(store, NAME)
    for one in imports.listed(store):
        imports.undo(store, one["import_id"])
    assert campaigns.task(store, task.public_id) is None


def test_whoever_is_shown_evidence_is_known_at_once(store: Store) -> None:
    c = start(store, 1)
    (item,) = c.items
    assert uncovered.place_of(store, "ann", item, None) == (False, None)
    uncovered.record(store, "ann", item, uncovered.ASKED)
    assert uncovered.place_of(store, "ann", item, None) == (True, None)
    assert uncovered.place_of(store, "bob", item, None) == (False, None)


def test_whoever_joins_makes_nothing_forgotten(store: Store) -> None:
    c = start(store, 2)
    c.desk("ann")
    campaign, state = managing.get(store, NAME), store.memory.state
    campaigns.enter(store, "bob")
    until = datetime.now(UTC) + timedelta(hours=1)
    made = invitations.create(store, Terms(campaign=NAME, role="annotator", expires=until), "rosa")
    invitations.arrive(store, Arrival(made.invitation_id, "cyd", "name"))
    assert store.memory.state == state
    assert managing.get(store, NAME) is campaign
