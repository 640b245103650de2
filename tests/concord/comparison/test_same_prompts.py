"""The same prompts by every generator: which are shown, in which order, and what was said of each image."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from concord.comparison.same_prompts import ROWS, same_prompts
from concord.scope import scope_of
from data.store.core.store import Store
from tests.concord import generators_project
from tests.concord.generators_project import is_right


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    with Store(Path(tmp_path_factory.mktemp("same")) / "project") as opened:
        generators_project.fill(opened)
        yield opened


def number(prompt: str) -> int:
    return int(prompt.rpartition("/")[2])


def test_prompts_on_which_generators_differ_most_stand_first(store: Store) -> None:
    drawn = same_prompts(store, scope_of(store, "s"), "people", "correct", "spread")
    assert (len(drawn.rows), drawn.total, drawn.binary) == (ROWS, generators_project.PROMPTS, True)
    assert all(is_right("good", number(row.prompt)) != is_right("bad", number(row.prompt)) for row in drawn.rows)
    row = drawn.rows[0]
    assert set(row.images) == {"good", "bad"}
    right = is_right("good", number(row.prompt))
    assert (row.images["good"].yes, row.images["good"].n, row.images["good"].mean) == (2 * right, 2, float(right))
    assert row.text == f"prompt {number(row.prompt)}"


def test_prompts_on_which_all_are_wrong_stand_first_where_asked_for(store: Store) -> None:
    drawn = same_prompts(store, scope_of(store, "s"), "people", "correct", "wrong")
    means = [sum(image.mean or 0.0 for image in row.images.values()) for row in drawn.rows]
    assert means == sorted(means)
    assert means[0] == min(is_right("good", n) + is_right("bad", n) for n in range(generators_project.PROMPTS))


def test_pages_hold_other_prompts_and_chance_is_the_same_for_all(store: Store) -> None:
    scope = scope_of(store, "s")
    pages = [same_prompts(store, scope, "people", "correct", "random", ROWS * n) for n in range(3)]
    seen = [row.prompt for page in pages for row in page.rows]
    assert len(seen) == len(set(seen)) == generators_project.PROMPTS
    assert seen != sorted(seen, key=number)
    # behind the last page stands the first one
    assert same_prompts(store, scope, "people", "correct", "random", 999).rows == pages[0].rows


def test_a_scope_of_one_task_or_generator_has_its_own_prompts(store: Store) -> None:
    scope = scope_of(store, "s")
    task = same_prompts(store, replace(scope, task="t1"), "people", "correct", "spread")
    assert task.total == generators_project.PROMPTS // 2
    assert all(number(row.prompt) % 2 == 0 for row in task.rows)
    alone = same_prompts(store, replace(scope, generator=("bad",)), "people", "correct", "spread")
    assert alone.total == generators_project.PROMPTS
    assert {name for row in alone.rows for name in row.images} == {"bad"}


def test_a_scorer_s_numbers_have_a_range_of_their_own_and_nobody_s_have_none(store: Store) -> None:
    scores = same_prompts(store, scope_of(store, "s"), "scores", "score", "spread")
    assert not scores.binary
    assert [scores.low, scores.high] == pytest.approx([0.0, 11.1])
    assert same_prompts(store, scope_of(store, "s"), "nobody", "correct", "spread").rows == ()
