"""Making things ahead: in order, within the room there is, and without anything left behind."""

from __future__ import annotations

import gc
import threading
import weakref

import pytest

from scorers.running.perceive import Prefetcher, decoders


def ones(_: object) -> float:
    return 1.0


@pytest.mark.parametrize("threads", [1, 2, 7])
def test_in_order_whatever_the_number_of_threads(threads: int) -> None:
    first_waits = threading.Event()

    def squared(k: int) -> int:
        if k == 0 and threads > 1:  # the others are ready before it
            assert first_waits.wait(30)
        if k == threads:
            first_waits.set()
        return k * k

    with Prefetcher(range(50), squared, ones, 8, threads) as ahead:
        assert ahead.take(20) == [k * k for k in range(20)]
        assert ahead.take(0) == []
        assert ahead.take(40) == [k * k for k in range(20, 50)]
        assert ahead.take(1) == []


def test_no_more_is_made_ahead_than_there_is_room_for() -> None:
    made: list[int] = []
    enough = threading.Event()

    def note(k: int) -> int:
        made.append(k)
        if len(made) == 8:
            enough.set()
        return k

    with Prefetcher(range(100), note, lambda _: 2.0, 10.0, 1) as ahead:
        # three wanted, and five of weight 2 fill the room
        assert ahead.take(3) == [0, 1, 2]
        assert enough.wait(30)
        assert not threading.Event().wait(0.05)
        assert made == list(range(8))
        assert ahead.take(9) == list(range(3, 12))


def test_what_is_wanted_is_made_even_where_there_is_no_room() -> None:
    with Prefetcher(range(5), lambda k: k, lambda _: 100.0, 1.0, 2) as ahead:
        assert ahead.take(5) == list(range(5))


def test_what_goes_wrong_is_raised_where_it_would_be_taken_and_the_threads_end() -> None:
    def make(k: int) -> int:
        if k == 3:
            raise ValueError("three")
        return k

    before = threading.active_count()
    with Prefetcher(range(9), make, ones, 9, 2) as ahead:
        assert ahead.take(3) == [0, 1, 2]
        with pytest.raises(ValueError, match="three"):
            ahead.take(3)
    assert threading.active_count() == before


def test_left_early_nothing_more_is_made() -> None:
    made: list[int] = []
    before = threading.active_count()
    with Prefetcher(range(1000), made.append, ones, 4, 3) as ahead:
        ahead.take(2)
    count = len(made)
    assert count < 20
    assert threading.active_count() == before


class Thing:
    pass


def test_what_was_taken_is_not_held() -> None:
    with Prefetcher(range(6), lambda _: Thing(), ones, 2, 2) as ahead:
        held = [weakref.ref(one) for one in ahead.take(4)]
        ahead.take(2)
        gc.collect()
        assert [one() for one in held] == [None] * 4


def test_there_is_always_a_decoder() -> None:
    assert 1 <= decoders() <= 12
