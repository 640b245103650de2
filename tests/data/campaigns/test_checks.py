"""The rule by which people are paused: an honest person never is by chance, a careless one soon."""

from __future__ import annotations

import math
from itertools import product

import numpy as np
import pytest

from data.campaigns.checks import (
    ATTENTION_PASS_MARK,
    GOLD_PASS_MARK,
    PAUSE_RISK,
    fails_checks,
    pause_chance,
)


def fewest_wrong(n: int, mark: float) -> int | None:
    return next((wrong for wrong in range(n + 1) if fails_checks(n - wrong, n, mark)), None)


@pytest.mark.parametrize("mark", [GOLD_PASS_MARK, ATTENTION_PASS_MARK, 0.5])
def test_an_honest_person_is_never_paused_by_chance_however_often_checked(mark: float) -> None:
    # the chance of each number of wrong ones among people who are not paused yet, check after check: exact
    alive, paused = np.ones(1), 0.0
    for n in range(1, 120):
        alive = np.append(alive, 0.0) * mark + np.insert(alive, 0, 0.0) * (1 - mark)
        most = fewest_wrong(n, mark)
        if most is not None:
            paused += float(alive[most:].sum())
            alive[most:] = 0.0
    assert 0 < paused < PAUSE_RISK / 2


def test_the_numbers_in_the_docs() -> None:
    assert [fewest_wrong(n, GOLD_PASS_MARK) for n in (4, 5, 10, 20, 40)] == [None, 5, 8, 11, 17]
    assert [fewest_wrong(n, ATTENTION_PASS_MARK) for n in (2, 3, 5, 10, 20)] == [None, 3, 4, 5, 7]


def test_the_bound_is_the_exact_binomial_tail() -> None:
    tail = sum(math.comb(10, k) * 0.1**k * 0.9 ** (10 - k) for k in range(8, 11))
    assert tail < PAUSE_RISK / 2 / 110 < tail + math.comb(10, 7) * 0.1**7 * 0.9**3
    assert (fails_checks(2, 10, 0.9), fails_checks(3, 10, 0.9)) == (True, False)


def test_the_chance_of_a_pause_is_that_of_all_courses() -> None:
    for n, error in ((6, 0.5), (7, 0.8)):
        paused = 0.0
        for course in product((False, True), repeat=n):
            if any(fails_checks(course[:met].count(True), met, 0.9) for met in range(1, n + 1)):
                paused += math.prod(1 - error if right else error for right in course)
        assert pause_chance(n, error, 0.9) == pytest.approx(paused)
    # in the docs
    assert [round(pause_chance(12, error, GOLD_PASS_MARK), 2) for error in (0.5, 0.7, 0.95)] == [0.15, 0.61, 1.0]
    assert pause_chance(100, 0.1, GOLD_PASS_MARK) < PAUSE_RISK / 2


def test_pass_marks_of_0_and_1() -> None:
    assert not fails_checks(0, 1000, 0.0)
    assert not fails_checks(0, 0, 1.0)
    assert fails_checks(9, 10, 1.0)
    assert not fails_checks(10, 10, 1.0)
