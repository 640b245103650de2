"""Who gets what, as far as it is arithmetic: orders, places of checks, training, right answers."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import settings as how
from hypothesis import strategies as st

from data.campaigns.checks import Training, wrong_answers
from data.campaigns.items import (
    FIRST_CHECKS,
    CampaignItem,
    CheckSchedule,
    PersonalOrder,
    expected_checks,
    pair_order,
    sample_items,
    shuffle_key,
)
from data.campaigns.settings import Campaign, Settings


def test_a_person_s_order_is_a_permutation_of_their_own() -> None:
    shuffles = np.array([shuffle_key(7, "c", f"item {n}") for n in range(500)], np.int64)
    assert len(set(shuffles.tolist())) == 500
    orders = {name: np.argsort(PersonalOrder.of(7, "c", name).keys(shuffles)).tolist() for name in ("ann", "bob", "cid")}
    assert all(sorted(order) == list(range(500)) for order in orders.values())
    assert orders["ann"] == np.argsort(PersonalOrder.of(7, "c", "ann").keys(shuffles)).tolist()
    # two orders by chance agree about as many neighbours as chance has it: about 1 of 500 places
    for one, other in (("ann", "bob"), ("ann", "cid"), ("bob", "cid")):
        assert sum(a == b for a, b in zip(orders[one], orders[other], strict=True)) < 10
    assert PersonalOrder.of(8, "c", "ann") != PersonalOrder.of(7, "c", "ann") != PersonalOrder.of(7, "d", "ann")


def test_keys_need_no_more_than_63_bits() -> None:
    line, largest = PersonalOrder(2**31 - 2, 2**31 - 2), 2**31 - 2
    assert line.keys(np.array([largest], np.int64)).tolist() == [(largest * line.a + line.b) % (2**31 - 1)]


@how(deadline=None)
@given(every=st.integers(2, 6), seed=st.integers(0, 9), done=st.integers(0, 40), left=st.integers(0, 40))
def test_checks_stand_once_in_each_block_twice_as_often_at_first_and_what_is_ahead_counts_them(
    every: int, seed: int, done: int, left: int
) -> None:
    checks = CheckSchedule(every, seed, "c", "ann")
    marks = [checks.is_next(n) for n in range(400)]
    # the first blocks are half as long
    size = max(2, math.ceil(every / 2))
    starts = [*range(0, FIRST_CHECKS * size, size), *range(FIRST_CHECKS * size, 401 - every, every)]
    assert all(sum(marks[start:end]) == 1 for start, end in pairwise(starts))
    assert [checks.due(start) for start in starts] == [round(expected_checks(every, start)) for start in starts]
    assert [checks.due(n) for n in range(0, 60)] == [sum(marks[:n]) for n in range(0, 60)]
    # counted one by one: up to the last ordinary one
    n, ordinary = done, 0
    while ordinary < left:
        ordinary += not marks[n]
        n += 1
    assert checks.ahead(done, left) == n - done


@pytest.mark.parametrize(
    ("total", "right", "answered", "mark", "state"),
    [
        (5, 0, 0, 0.8, "open"),
        (5, 3, 4, 0.8, "open"),
        (5, 4, 4, 0.8, "passed"),  # 4 of 5 are enough: the fifth is spared
        (5, 2, 4, 0.8, "failed"),  # not even the fifth would help
        (20, 10, 20, 0.55, "failed"),  # 11 are needed, though 0.55 * 20 is a little more than 11
        (20, 11, 19, 0.55, "passed"),
        (3, 0, 2, None, "open"),
        (3, 0, 3, None, "passed"),
    ],
)
def test_training_ends_as_soon_as_it_can(total: int, right: int, answered: int, mark: float | None, state: str) -> None:
    training = Training.of(total, right, answered, mark)
    assert (training.passed, training.failed) == (state == "passed", state == "failed")


def test_wrong_answers() -> None:
    expected = {"count_0": 2, "color_0": ["red", "blue"], "position_x": {"any": ["left", "neither_x"]}}
    right = {"count_0": 2, "color_0": ["blue", "red"], "position_x": "neither_x", "objects": "more"}
    assert wrong_answers(expected, right) == {}
    assert wrong_answers(expected, right | {"count_0": 3}) == {"count_0": 2}
    assert wrong_answers(expected, right | {"color_0": ["red"], "position_x": "right"}) == {
        "color_0": ["red", "blue"],
        "position_x": {"any": ["left", "neither_x"]},
    }
    assert wrong_answers({"count_0": 1}, {"count_0": True}) == {"count_0": 1}
    assert wrong_answers({"count_0": 1}, {}) == {"count_0": 1}


def test_a_sample_does_not_depend_on_the_order_of_items() -> None:
    ids = [f"i{n}" for n in range(50)]
    drawn = [item.item_id for item in sample_items(ids, 10, 3)]
    assert drawn == [item.item_id for item in sample_items([*reversed(ids), *ids], 10, 3)]
    assert drawn == [item.item_id for item in sample_items(ids, None, 3)][:10]
    assert drawn != [item.item_id for item in sample_items(ids, 10, 4)]
    assert {item.sampling for item in sample_items(ids, None, 3)} == {"random"}


def test_both_pair_orders_occur_and_stay_the_same() -> None:
    sides = [pair_order(1, "c", "ann", f"pair {n}") for n in range(200)]
    assert 60 < sides.count((1, 0)) < 140
    assert sides == [pair_order(1, "c", "ann", f"pair {n}") for n in range(200)]


def test_settings_are_checked_and_survive_storing() -> None:
    settings = Settings(order="fixed", check_every=10, pass_mark=0.8, limit=50, instructions="# Look\n<b>")
    assert Settings.of(settings.to_json() | {"of a later Concord": 1}) == settings
    for bad in ({"check_every": 1}, {"pass_mark": 0}, {"pass_mark": float("nan")}, {"limit": 0}, {"lease_minutes": 0}):
        with pytest.raises(ValueError, match=next(iter(bad))):
            Settings(**bad)
    with pytest.raises(ValueError, match="random, shared or fixed"):
        Settings(order="alphabetical")  # type: ignore[arg-type]
    for name in ("", "A", "../x", "x" * 65):
        with pytest.raises(ValueError, match="a campaign's id"):
            Campaign(name, "title")
    with pytest.raises(ValueError, match="overlap"):
        Campaign("c", "title", overlap=0)
    with pytest.raises(ValueError, match="expected"):
        CampaignItem("i", "gold")
    with pytest.raises(ValueError, match="only gold"):
        CampaignItem("i", expected={"a": 1})
