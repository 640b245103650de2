"""``--limit`` draws over tasks, ``--first`` takes the first images."""

from __future__ import annotations

from collections import Counter

import pytest

from concord.common.context import UsageError
from concord.runs.image_limit import draw, limit_of

TASKS = {f"i{n:04d}": "color" if n < 600 else "count" if n < 900 else None for n in range(1000)}


def test_a_draw_has_each_task_by_its_share_and_is_the_same_by_its_seed() -> None:
    drawn = draw(TASKS, 100, 7)
    counts = Counter(TASKS[item] for item in drawn)
    assert all(abs(counts[task] - share) <= 1 for task, share in (("color", 60), ("count", 30), (None, 10)))
    assert drawn == draw(dict(reversed(TASKS.items())), 100, 7)
    assert {*drawn} != {*draw(TASKS, 100, 8)}


@pytest.mark.parametrize("n", [1, 3, 10, 99])
def test_each_image_is_drawn_as_often_as_any_other(n: int) -> None:
    tasks = {name: TASKS[name] for name in list(TASKS)[550:650]}
    times = Counter(item for seed in range(1000) for item in draw(tasks, n, seed))
    expected = 10 * n
    assert len(times) == 100
    assert all(abs(times[item] - expected) < 6 * (expected * (1 - n / 100)) ** 0.5 + 1 for item in tasks)


@pytest.mark.parametrize(("n", "size"), [(0, 0), (1, 1), (1000, 1000), (2000, 1000)])
def test_as_many_as_there_are(n: int, size: int) -> None:
    drawn = draw(TASKS, n, 0)
    assert len(drawn) == len({*drawn}) == size


def test_only_one_of_the_two_is_given() -> None:
    with pytest.raises(UsageError, match="--limit draws images at random and --first takes the first ones"):
        limit_of(1, 1, 0)
