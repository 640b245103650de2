"""The flip test: by hand, and against pandas on random scores."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from agreement.flips import (
    ALL_TIED,
    NOTHING_PAIRED,
    SHARED,
    STATISTICS,
    FlipPairs,
    FlipStatistic,
    flip_statistics,
    flip_test,
    shared_pairs,
)
from agreement.study.cells import Options
from concord.common.reason_sentences import text
from tests.agreement import reference_implementations

QUICK = Options()
NAN = float("nan")


def pairs(rows: list[tuple[str, int, int, float, float, str]], *, people: bool = False) -> FlipPairs:
    """From (generator, prompt, item, true, flipped, why): an empty why counts."""
    generators = tuple(sorted({row[0] for row in rows}))
    reasons = tuple(sorted({row[5] for row in rows if row[5]}))
    return FlipPairs(
        true=np.array([row[3] for row in rows], float),
        flipped=np.array([row[4] for row in rows], float),
        item=np.array([row[2] for row in rows], np.int64),
        cluster=np.array([row[1] for row in rows], np.int64),
        generator=np.array([generators.index(row[0]) for row in rows], np.int64),
        why=np.array([reasons.index(row[5]) if row[5] else -1 for row in rows], np.int64),
        generators=generators,
        reasons=reasons,
        people=people,
    )


def pick(statistics: list[FlipStatistic], statistic: str, generator: str = "all") -> FlipStatistic:
    (flip_statistic,) = (each for each in statistics if (each.statistic, each.generator) == (statistic, generator))
    return flip_statistic


def test_a_small_test_by_hand() -> None:
    rows = [
        ("early", 7, 0, 1.0, 0.0, ""),
        ("early", 7, 1, 0.0, 0.0, ""),
        ("early", 9, 2, 0.0, 1.0, ""),
        ("late", 9, 3, 1.0, 0.0, ""),
        ("late", 9, 4, NAN, 1.0, "no_verdict"),
        ("late", 4, 5, NAN, NAN, "no_relation"),
    ]
    statistics = flip_test(pairs(rows), QUICK)
    assert [(statistic.generator, statistic.statistic) for statistic in statistics] == [
        (g, s) for g in ("early", "late", "all") for s in STATISTICS
    ]
    values = {(statistic.generator, statistic.statistic): statistic.outcome.value for statistic in statistics}
    assert [values["all", name] for name in STATISTICS] == pytest.approx([2 / 4, 1 / 4, 1 / 4, 2 / 3])
    assert [values["early", name] for name in STATISTICS] == pytest.approx([1 / 3, 1 / 3, 0, 1 / 2])
    assert [values["late", name] for name in STATISTICS] == [1, 0, 1, 1]
    delta, preferred = pick(statistics, "delta_s").outcome.used, pick(statistics, "preferred").outcome.used
    assert (delta.items, delta.ratings, delta.clusters) == (4, 4, 2)
    assert delta.excluded == {"no_relation": 1, "no_verdict": 1}
    assert (preferred.items, preferred.excluded) == (3, {"no_relation": 1, "no_verdict": 1, "tied": 1})
    # one prompt: no interval, and it is said
    late = pick(statistics, "delta_s", "late")
    assert late.bounds.low is None
    assert text(late.method).endswith("no interval: one prompt")


def test_several_people_count_by_their_ratings_and_prefer_by_image() -> None:
    rows = [
        ("g", 0, 0, 1.0, 0.0, ""),
        ("g", 0, 0, 1.0, 0.0, ""),
        ("g", 0, 0, 0.0, 1.0, ""),  # the mean of the three: 2/3 against 1/3
        ("g", 1, 1, 1.0, 0.0, ""),
        ("g", 1, 1, 0.0, 1.0, ""),  # tied
        ("g", 1, 2, 0.0, 1.0, ""),
        ("g", 1, 2, 0.0, 0.0, "cannot_tell"),
    ]
    statistics = flip_test(pairs(rows, people=True), QUICK)
    assert pick(statistics, "s").outcome.value == pytest.approx(3 / 6)
    assert pick(statistics, "delta_s").outcome.value == pytest.approx(0)
    preferred = pick(statistics, "preferred").outcome
    assert (preferred.value, preferred.used.items, preferred.used.ratings) == (1 / 2, 2, 6)
    assert preferred.used.excluded == {"cannot_tell": 1, "tied": 1}
    assert "mean of each one's ratings" in text(preferred.how)
    assert pick(statistics, "s").outcome.used.items == 3


def test_what_is_undefined_says_why() -> None:
    none = flip_test(pairs([("g", 0, 0, NAN, 1.0, "no_verdict")]), QUICK)
    assert {(statistic.outcome.value, statistic.outcome.reason, statistic.bounds.low) for statistic in none} == {
        (None, NOTHING_PAIRED, None)
    }
    ties = flip_test(pairs([("g", 0, 0, 0.25, 0.25, ""), ("g", 1, 1, 1.0, 1.0, "")]), QUICK)
    assert pick(ties, "preferred").outcome.reason == ALL_TIED
    assert pick(ties, "preferred").outcome.used.excluded == {"tied": 2}
    assert pick(ties, "delta_s").outcome.value == 0
    empty = flip_test(pairs([]), QUICK)
    assert [statistic.outcome.reason for statistic in empty] == [NOTHING_PAIRED] * 4


def test_values_and_intervals_equal_pandas() -> None:
    rng = np.random.default_rng(0)
    n = 60
    table = pd.DataFrame({
        "generator": rng.choice(["a", "b"], n), "prompt": rng.integers(0, 15, n), "item": np.arange(n),
        "true": rng.integers(0, 4, n) / 3, "flipped": rng.integers(0, 4, n) / 3, "why": rng.choice(["", "", "failed"], n),
    })  # fmt: skip
    statistics = flip_test(pairs(list(table.itertuples(index=False, name=None))), QUICK)
    for name, rows in [("all", table), *table.groupby("generator")]:
        used = rows[rows.why == ""]
        by_hand = _statistics(used)
        prompts = sorted(used.prompt.unique())
        again = [_statistics(used[used.prompt != p]) for p in prompts]
        for statistic in STATISTICS:
            flip_statistic = pick(statistics, statistic, str(name))
            assert flip_statistic.outcome.value == pytest.approx(by_hand[statistic])
            without, scale = [each[statistic] for each in again], "logit" if statistic == "preferred" else ""
            expected = reference_implementations.jackknife(by_hand[statistic], without, scale)
            assert (flip_statistic.bounds.low, flip_statistic.bounds.high) == pytest.approx(expected)
            assert f"95% jackknife over {len(prompts)} prompts" in text(flip_statistic.method)


def _statistics(rows: pd.DataFrame) -> dict[str, float]:
    higher, lower = (rows.true > rows.flipped).sum(), (rows.true < rows.flipped).sum()
    both = {"s": rows.true.mean(), "s_flipped": rows.flipped.mean(), "delta_s": (rows.true - rows.flipped).mean()}
    return both | {"preferred": higher / (higher + lower)}


def test_what_all_raters_share() -> None:
    flip_pairs = pairs([("g", 0, 0, 1.0, 0.0, ""), ("g", 0, 1, 1.0, 0.0, ""), ("h", 0, 2, 0.0, 0.0, "failed")])
    two = pairs([("g", 0, 1, 0.0, 0.0, ""), ("g", 0, 1, 1.0, 0.0, ""), ("h", 0, 2, 1.0, 0.0, "")], people=True)
    nothing = pairs([("g", 0, 1, NAN, NAN, "no_verdict")])
    mine, theirs, none = shared_pairs([flip_pairs, two, nothing])
    assert none is None
    assert mine is not None
    assert theirs is not None
    assert (mine.item.tolist(), theirs.item.tolist()) == ([1], [1, 1])
    assert pick(flip_statistics(theirs, SHARED, QUICK), "s", SHARED).outcome.value == 0.5
    # where everybody has scored the same, or nothing is shared, there is nothing to add
    assert shared_pairs([flip_pairs, flip_pairs]) == [None, None]
    assert shared_pairs([flip_pairs.take(flip_pairs.item == 0), two]) == [None, None]
    assert shared_pairs([]) == []


def test_no_intervals_unless_requested() -> None:
    statistics = flip_test(pairs([("g", 0, 0, 1.0, 0.0, ""), ("g", 1, 1, 1.0, 0.0, "")]), Options(intervals=False))
    assert {statistic.bounds.low for statistic in statistics} == {None}
