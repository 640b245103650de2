"""The desk: the same tasks until answered, one order for all, never more people than wanted."""

from __future__ import annotations

import threading
from collections import defaultdict
from concurrent.futures import ThreadPoolExecutor

import pytest

from data.records import Rater
from data.refusals import NameTaken
from data.store import campaign_items, imports
from data.store.campaigns import allocation, participation
from data.store.campaigns.allocation import CampaignProgress
from data.store.core.store import Store
from data.store.imports import ImportBundle
from tests.data.store.small_project import column, fill, picture, pictures, submit


def offered(store: Store, person: str) -> list[str]:
    return [task.item_id for task in participation.next_tasks(store, person).tasks]


def walk(store: Store, person: str) -> list[str]:
    """Answer until nothing is left; the order in which it came."""
    order: list[str] = []
    while tasks := participation.next_tasks(store, person).tasks:
        assert len(order) < 100
        order.append(tasks[0].item_id)
        submit(store, tasks[0].item_id, person)
    return order


def test_asking_again_gives_the_same(store: Store) -> None:
    fill(store, 5)
    first = participation.next_tasks(store, "ann")
    assert len(first.tasks) == 2
    assert participation.next_tasks(store, "ann") == first
    submit(store, first.tasks[0].item_id, "ann")
    assert participation.next_tasks(store, "ann").tasks[0] == first.tasks[1]


def test_the_default_campaign_has_the_same_shuffled_order_for_all(store: Store) -> None:
    items = fill(store, 8)
    orders = [walk(store, person) for person in ("ann", "bob")]
    assert orders[0] == orders[1]
    assert sorted(orders[0]) == sorted(items)
    assert orders[0] != items


def test_an_item_is_never_with_more_than_three(store: Store) -> None:
    fill(store, 4)
    holding: dict[str, set[str]] = defaultdict(set)
    lock = threading.Lock()
    broken: list[str] = []

    def person(n: int) -> None:
        name = f"p{n}"
        while tasks := participation.next_tasks(store, name, ahead=1).tasks:
            item = tasks[0].item_id
            with lock:
                holding[item].add(name)
                if len(holding[item]) > 3:
                    broken.append(item)
            assert submit(store, item, name).status == "valid"

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(person, range(8)))
    assert broken == []
    # whoever came late found nothing, but what was begun was finished
    assert {len(people) for people in holding.values()} == {3}
    assert len(holding) == 4


def test_claims_reserve_an_item_and_expire(store: Store) -> None:
    (item,) = fill(store, 1)
    for person in ("ann", "bob", "cid"):
        assert offered(store, person) == [item]
    assert offered(store, "dan") == []
    assert participation.next_tasks(store, "ann").tasks[0].item_id == item
    store.change(lambda c: c.execute("update claims set until = until - interval 30 minutes where rater_id = 'bob'"))
    assert offered(store, "dan") == [item]
    assert offered(store, "bob") == []
    # he had it before his eyes: what he says is kept, and so is what the others say
    assert [submit(store, item, who).status for who in ("bob", "ann", "cid", "dan")] == ["valid", "valid", "valid", "surplus"]


def test_leaving_frees_what_was_claimed(store: Store) -> None:
    (item,) = fill(store, 1)
    for person in ("ann", "bob", "cid"):
        assert offered(store, person) == [item]
    participation.leave(store, "bob")
    assert offered(store, "dan") == [item]
    assert offered(store, "bob") == []


def test_looking_does_not_move_the_version(store: Store) -> None:
    (item, *_) = fill(store)
    before = store.version
    offered(store, "ann")
    participation.skip(store, "ann", item)
    participation.leave(store, "ann")
    assert store.version == before
    submit(store, item, "ann")
    assert store.version != before


def test_skipped_comes_last_and_comes_back(store: Store) -> None:
    fill(store, 3)
    first, second = offered(store, "ann")
    participation.skip(store, "ann", first)
    (now, third) = offered(store, "ann")
    assert now == second
    assert third not in (first, second)
    assert offered(store, "bob")[0] == first
    participation.skip(store, "ann", second)
    participation.skip(store, "ann", third)
    assert offered(store, "ann") == [first, second]
    assert walk(store, "ann") == [first, second, third]


def test_a_skipped_item_is_free_for_others(store: Store) -> None:
    (item,) = fill(store, 1)
    for person in ("ann", "bob", "cid"):
        offered(store, person)
    participation.skip(store, "cid", item)
    assert offered(store, "dan") == [item]


def test_progress(store: Store) -> None:
    items = fill(store, 3)
    assert participation.next_tasks(store, "ann").progress == CampaignProgress(0, 3)
    submit(store, items[0], "ann")
    assert participation.next_tasks(store, "ann").progress == CampaignProgress(1, 2)
    for person in ("bob", "cid", "dan"):
        submit(store, items[1], person)
    assert participation.next_tasks(store, "ann").progress == CampaignProgress(1, 1)
    submit(store, items[2], "ann")
    assert participation.next_tasks(store, "ann") == allocation.NextTasks([], CampaignProgress(2, 0))


def test_places_without_a_file_are_not_offered(store: Store) -> None:
    bundle = pictures(1)
    empty = picture(7, file=False)
    imports.apply(store, [bundle, ImportBundle("study", "x", "y", images=[empty], items=[bundle.items[0]])])
    assert offered(store, "ann") == [bundle.items[0].item_id]
    assert campaign_items.get_task(store, "no such ticket") is None


def test_names_of_scorers_and_slots_are_refused(store: Store) -> None:
    fill(store)
    raters = [
        Rater("clip", "scorer"),
        Rater("geneval/slot-1", "human", "slot"),
        Rater("sim", "human", "person", simulated=True),
    ]
    imports.apply(store, [ImportBundle("x", "x", "x", raters=raters)])
    for taken in ("clip", "geneval/slot-1", "sim"):
        with pytest.raises(NameTaken, match="choose another name"):
            participation.enter(store, taken)
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda _: participation.enter(store, "Zoë"), range(16)))
    assert column(store, "select rater_id from raters where import_id is null") == ["Zoë"]


def test_nobody_has_answered_yet(store: Store) -> None:
    fill(store)
    assert participation.own_answers(store, "ann") == []
