"""Paired comparison of generators, beside loops in plain Python, scipy, and simulated studies."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from math import sqrt

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from agreement.generators import GeneratorDifference, RankSet, compare_generators, leader, mean_of_images, rank_sets
from concord.common.reason_sentences import text


def ratings(rows: list[tuple[str, str, float]]) -> pd.DataFrame:
    """A rating a row, each of an image of its own."""
    return pd.DataFrame(rows, columns=["prompt", "generator", "value"]).assign(item=[f"i{n}" for n in range(len(rows))])


UGLY = ratings(
    [
        ("p1", "a", 1.0), ("p1", "a", 1.0), ("p1", "a", 0.0), ("p1", "b", 0.0),
        ("p2", "a", 1.0), ("p2", "b", 1.0), ("p2", "b", 0.0),
        ("p3", "a", 0.0), ("p3", "b", 1.0), ("p3", "b", 0.0), ("p3", "b", 0.0),
        ("p4", "a", 1.0), ("p4", "b", 0.0), ("p4", "a", 1.0),
        ("only a", "a", 1.0), ("only b", "b", 1.0),
    ]
)  # fmt: skip
"""Images and ratings of unequal number, and prompts that one generator alone was asked."""


def by_loops(table: pd.DataFrame) -> tuple[float, list[float]]:
    """The difference a - b over shared prompts, and the same without each of them."""
    shared = sorted(set(table[table.generator == "a"].prompt) & set(table[table.generator == "b"].prompt))

    def difference(prompts: list[str]) -> float:
        means = [
            np.mean([row.value for row in table.itertuples() if row.generator == name and row.prompt in prompts])
            for name in ("a", "b")
        ]
        return float(means[0] - means[1])

    return difference(shared), [difference([p for p in shared if p != left]) for left in shared]


def test_difference_interval_and_p_are_those_of_loops_over_prompts() -> None:
    (difference,) = compare_generators(UGLY)
    value, without = by_loops(UGLY)
    n = len(without)
    center = float(np.mean(without))
    error = sqrt((n - 1) / n * sum((each - center) ** 2 for each in without))
    reach = stats.t.ppf(0.975, n - 1) * error
    assert difference.value == pytest.approx(value, abs=1e-12)
    # of shares, which differ by at most 1
    assert (difference.low, difference.high) == pytest.approx((value - reach, min(value + reach, 1.0)), abs=1e-9)
    # what each prompt adds: Tukey's pseudo-values
    adds = [(value - (n - 1) * (each - center)) / n for each in without]
    seen = abs(sum(adds)) - 1e-12
    flips = [abs(sum(s * a for s, a in zip(signs, adds, strict=True))) >= seen for signs in product((1, -1), repeat=n)]
    assert difference.p == pytest.approx(np.mean(flips), abs=1e-12)
    assert (difference.prompts, difference.wins, difference.losses, difference.ties) == (4, 3, 1, 0)


def test_generators_with_one_shared_prompt_have_no_interval_and_those_without_are_not_compared() -> None:
    differences = compare_generators(ratings([("p", "a", 1), ("p", "b", 0), ("q", "c", 1)]))
    assert [(each.first, each.second) for each in differences] == [("a", "b")]
    assert (differences[0].value, differences[0].low, differences[0].high, differences[0].p) == (1.0, None, None, None)
    assert "no interval: one prompt" in text(differences[0].method)


def test_what_has_no_prompt_or_no_generator_is_left_out() -> None:
    lost = pd.DataFrame({"prompt": [None, None, "p"], "generator": ["a", "b", None], "value": [1.0, 0.0, 1.0]})
    lost = lost.assign(item=["x", "y", "z"])
    assert compare_generators(lost) == []
    (difference,) = compare_generators(pd.concat([UGLY, lost]))
    assert difference == compare_generators(UGLY)[0]


def test_images_weigh_equally_however_many_people_answered() -> None:
    """Ten answers about one image and one about another: the difference is that of the images' means, as is the mean."""
    rows = [("p1", "a", "a1", 1.0)] * 10 + [("p2", "a", "a2", 0.0), ("p1", "b", "b1", 0.0), ("p2", "b", "b2", 0.0)]
    table = pd.DataFrame(rows, columns=["prompt", "generator", "item", "value"])
    (difference,) = compare_generators(table)
    assert (difference.value, difference.answers) == (0.5, 13)
    values = mean_of_images(np.repeat([0, 1], [10, 1]), table["value"].to_numpy()[:11], np.arange(2), np.ones((1, 2)))
    assert values.tolist() == [0.5]


def test_three_generators_are_corrected_together_and_ranked() -> None:
    rows = [(f"p{n}", name, float(n % 10 < share)) for n in range(60) for name, share in (("a", 9), ("b", 8), ("c", 1))]
    results = {(each.first, each.second): each for each in compare_generators(ratings(rows))}
    assert results["a", "c"].significant
    assert results["b", "c"].significant
    assert results["a", "b"].p is not None
    smallest = min(each.p for each in results.values() if each.p is not None)
    assert min(each.p_holm for each in results.values() if each.p_holm is not None) == pytest.approx(3 * smallest)
    expected = RankSet(1, 2) if not results["a", "b"].significant else RankSet(1, 1)
    assert rank_sets(list(results.values()))["a"] == expected
    assert rank_sets(list(results.values()))["c"] == RankSet(3, 3)
    beside_b = compare_generators(ratings(rows), reference="b")
    assert [(each.first, each.second) for each in beside_b] == [("b", "a"), ("b", "c")]
    assert beside_b[0].value == pytest.approx(-results["a", "b"].value)


def _study(rng: np.random.Generator, prompts: int, gap: float) -> GeneratorDifference:
    hard = rng.normal(0, 1, prompts)
    rows = [
        (f"p{n}", name, float(rng.random() < 1 / (1 + np.exp(-(hard[n] + shift)))))
        for n in range(prompts)
        for name, shift in (("a", gap), ("b", 0.0))
        for _ in range(4)
    ]
    return compare_generators(ratings(rows))[0]


@pytest.mark.slow
def test_intervals_cover_and_the_test_keeps_its_level() -> None:
    rng = np.random.default_rng(7)
    hard = np.random.default_rng(0).normal(0, 1, 200_000)
    for gap in (0.0, 0.8):
        truth = float(np.mean(1 / (1 + np.exp(-hard - gap)) - 1 / (1 + np.exp(-hard))))
        made = [_study(rng, 30, gap) for _ in range(400)]
        covered = sum(each.low is not None and each.high is not None and each.low <= truth <= each.high for each in made)
        # the exact 99 % range of 400 draws at .95 is 364 to 390
        assert 364 <= covered <= 392
        if gap == 0.0:
            assert sum(each.p is not None and each.p <= 0.05 for each in made) <= 32


def test_the_interval_of_a_difference_of_shares_stays_between_its_ends() -> None:
    """Of few prompts with unlike differences the jackknife reaches beyond 1: a researcher saw 1.16."""
    rows = [(f"p{n}", name, float(name == "a" or n == 0)) for n in range(4) for name in ("a", "b")]
    (shares,) = compare_generators(ratings(rows))
    assert shares.low is not None
    assert shares.high == 1.0
    # numbers of any size have no such ends
    (scores,) = compare_generators(ratings([(prompt, name, 3 * value) for prompt, name, value in rows]))
    assert scores.high is not None
    assert scores.high > 3.0


def test_a_leader_is_ahead_of_every_other_one() -> None:
    def pair(first: str, second: str, value: float, low: float, high: float) -> GeneratorDifference:
        return replace(compare_generators(UGLY)[0], first=first, second=second, value=value, low=low, high=high)

    ahead = [pair("a", "b", 0.4, 0.1, 0.7), pair("a", "c", 0.5, 0.2, 0.8), pair("b", "c", 0.1, -0.1, 0.3)]
    assert leader(ahead, 3) == "a"
    assert leader([replace(ahead[0], first="b", second="a", value=-0.4, low=-0.7, high=-0.1), *ahead[1:]], 3) == "a"
    assert leader(ahead[1:], 3) is None
    assert leader([replace(ahead[0], low=-0.1), *ahead[1:]], 3) is None
