"""A clock that is set back: nobody is locked out, nothing is negative, and what was said last is still what was said last."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from data.store.campaigns import allocation, participation
from data.store.core.store import Store
from data.store.judgements import recording
from tests.data.store.small_campaign import NAME, start
from tests.data.store.small_project import column
from ui.web.auth.rate_limit import SignInLimiter


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store(tmp_path) as made:
        yield made


class Clock(datetime):
    """What ``datetime.now`` says, as the test sets it."""

    moment = datetime(2026, 6, 1, 12, tzinfo=UTC)

    @classmethod
    def now(cls, tz: object = None) -> datetime:  # type: ignore[override]
        assert tz is UTC
        return cls.moment


def test_items_that_were_held_before_are_offered_again(store: Store) -> None:
    running = start(store, 2, overlap=1)
    assert len(running.offered("ann")) == 2
    assert running.offered("ben") == [], "ann holds both"
    running.later(minutes=-2 * 24 * 60)
    running.later(minutes=31)
    assert len(running.offered("ben")) == 2, "held for two days, as the clock was set back by two"


def test_a_reserved_item_and_its_draft_survive_the_clock(store: Store) -> None:
    running = start(store, 2, overlap=2)
    (item, *_) = running.offered("ann")
    allocation.save_draft(store, allocation.AnswerDraft(NAME, "ann", item, {"objects": "half"}), now=running.now)
    running.later(minutes=-600)
    desk = running.desk("ann")
    assert item in [task.item_id for task in desk.tasks]
    assert desk.drafts[item] == {"objects": "half"}
    assert running.say(item, "ann").status == "valid"


def test_the_last_answer_is_that_given_last_despite_the_clock(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    running = start(store, 3, overlap=2)
    monkeypatch.setattr(recording, "datetime", Clock)
    monkeypatch.setattr(recording, "_last", Clock.moment - timedelta(days=1))
    first, second, third = running.items
    running.say(first, "ann")
    Clock.moment -= timedelta(days=3)
    running.say(second, "ann")
    running.say(third, "ben")
    assert participation.own_answers(store, "ann", NAME)[0].item_id == second
    submitted = column(store, "select submitted from annotations order by seq")
    assert submitted == sorted(submitted)
    assert column(store, "select item_id from annotations order by seq") == [first, second, third]


def test_a_limit_counts_by_a_clock_that_never_goes_back() -> None:
    """The wall clock has no part in who may try again when."""
    import time

    assert SignInLimiter.__init__.__defaults__ is not None
    assert time.monotonic in SignInLimiter.__init__.__defaults__
