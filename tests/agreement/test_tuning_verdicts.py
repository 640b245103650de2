"""Verdicts that come and go: the numbers of the report for the same judgements, and shares by generator and task."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from numpy.typing import NDArray

from agreement import Options, build
from agreement.study.cells import ALL, TASKS_MEAN, CellName, CellOutcome
from agreement.tuning import (
    STATISTICS,
    ItemCells,
    YesNoCounts,
    agreements,
    confusion_tables,
    count_answers,
    share_of_yes,
    shares,
)
from concord.common.reason_sentences import text_or_none
from tests.agreement.frames import SCALES, frame, judgement, people, scorer, ugly
from tests.agreement.json_rows import json_rows
from tests.agreement.judgement_counts import Judgement, counted, marked

Ints = NDArray[np.int64]


def item_cells(items: list[str], rows: list[Judgement]) -> ItemCells:
    """Of items as the rows have them."""
    of = {row["item"]: row for row in rows}
    tasks, generators, prompts = (sorted({row[name] for row in rows if row[name]}) for name in ("task", "generator", "prompt"))

    def codes(names: list[str], name: str) -> Ints:
        return np.array([names.index(of[item][name]) if of[item][name] else -1 for item in items], np.int64)

    return ItemCells(
        tuple(tasks), tuple(generators), codes(tasks, "task"), codes(generators, "generator"), codes(prompts, "prompt")
    )


def vote_counts(rows: list[Judgement], items: list[str]) -> dict[str, YesNoCounts]:
    return count_answers("nominal", *counted(marked(rows), "correct", rows), items)


def verdicts(rows: list[Judgement], items: list[str], name: str) -> Ints:
    answers = {row["item"]: row["label"] for row in rows if (row["rater"], row["aspect"]) == (name, "correct")}
    return np.array([{"yes": 1, "no": 0}.get(answers.get(item, ""), -1) for item in items], np.int64)


def reported(rows: list[Judgement], name: str, people_are: str) -> dict[tuple[str, str], dict[str, Any]]:
    """The report's rows of one scorer over all generators."""
    options = Options(STATISTICS, intervals=False, matrix=False, each_generator=False)
    records = json_rows(build(frame(marked(rows)), SCALES, options))["raters"]
    mine = [row for row in records if (row["rater"], row["people"], row["aspect"]) == (name, people_are, "correct")]
    return {(row["task"], row["statistic"]): row for row in mine}


def same(outcomes: list[CellOutcome], wanted: dict[tuple[str, str], dict[str, Any]]) -> None:
    assert {(outcome.place.task, outcome.key.statistic) for outcome in outcomes} == set(wanted)
    for outcome in outcomes:
        row, made = wanted[outcome.place.task, outcome.key.statistic], outcome.outcome
        assert made.value == pytest.approx(row["value"], abs=1e-12)
        assert (text_or_none(made.reason), made.used.items, made.used.ratings) == (
            row["reason"],
            row["n_items"],
            row["n_ratings"],
        )


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("name", ["alpha", "beta"])
def test_the_numbers_are_those_of_the_report(seed: int, name: str) -> None:
    rows = ugly(seed)
    # some of them are imitations, and some say the same thing twice
    for n, row in enumerate(rows):
        row["simulated"] = row["rater"] == "r0"
        if n % 7 == 0 and row["kind"] == "human":
            rows.append(row | {"seq": 10_000 + n, "label": "no"})
    items = sorted({row["item"] for row in rows})
    heard = vote_counts(rows, items)
    assert set(heard) == {"real", "simulated"}
    for kind, each in heard.items():
        same(agreements(verdicts(rows, items, name), each, item_cells(items, rows)), reported(rows, name, kind))


def test_accuracy_by_hand() -> None:
    rows = people({"i1": "y y", "i2": "n y", "i3": "n n", "i4": "y"})
    items = ["i1", "i2", "i3", "i4"]
    heard = vote_counts(rows, items)["real"]
    assert heard.yes.tolist() == [2, 1, 0, 1]
    assert heard.no.tolist() == [0, 1, 2, 0]
    # yes, no, no, and nothing of the fourth: 2 + 1 + 2 of 6 ratings agree
    array = np.array([1, 0, 0, -1])
    assert confusion_tables(array, heard, np.zeros(4, np.int64), 1).tolist() == [[[3, 1], [0, 2]]]
    outcomes = {
        (agreement.place.task, agreement.key.statistic): agreement.outcome
        for agreement in agreements(array, heard, item_cells(items, rows))
    }
    agreed = outcomes[ALL, "percent_agreement"]
    assert agreed.value == pytest.approx(5 / 6)
    assert (agreed.used.items, agreed.used.ratings) == (3, 6)
    # both say yes half of the time less a third: p_e = 4/6 * 3/6 + 2/6 * 3/6
    assert outcomes[ALL, "cohen_kappa"].value == pytest.approx((5 / 6 - 1 / 2) / (1 / 2))
    assert outcomes["t", "cohen_kappa"].value == outcomes[TASKS_MEAN, "cohen_kappa"].value == outcomes[ALL, "cohen_kappa"].value


def test_where_nobody_says_anything_there_is_nothing_to_hear() -> None:
    rows = people({"i1": "y", "i2": "n"})
    assert vote_counts([], ["i1"]) == {}
    assert list(vote_counts(rows, ["i1"])) == ["real"]
    # of others only
    assert vote_counts(rows, ["i9"]) == {}
    alone = vote_counts(rows, ["i9", "i2"])["real"]
    assert (alone.no.tolist(), alone.yes.tolist(), alone.asked.tolist()) == ([0, 1], [0, 0], [False, True])


def test_answers_that_do_not_count_give_no_vote() -> None:
    rows = [judgement("i1", "ann", None, excluded="cannot_tell"), judgement("i2", "ann", "yes")]
    heard = vote_counts(rows, ["i1", "i2"])["real"]
    assert (heard.no.tolist(), heard.yes.tolist(), heard.asked.tolist()) == ([0, 0], [0, 1], [True, True])
    outcomes = agreements(np.array([1, -1]), heard, item_cells(["i1", "i2"], rows))
    assert {text_or_none(outcome.outcome.reason) for outcome in outcomes if outcome.place.task == ALL} == {
        "the scorer and people share no unit"
    }


def test_answers_about_a_part_are_not_about_the_whole() -> None:
    rows = [
        judgement("i1", "ann", "yes"),
        judgement("i1", "ann", "no", target="cup"),
        judgement("i2", "ann", "no", target="cup"),
    ]
    heard = vote_counts(rows, ["i1", "i2"])["real"]
    assert (heard.no.tolist(), heard.yes.tolist()) == ([0, 0], [1, 0])


def test_other_words_than_yes_and_no_are_refused() -> None:
    rows = [judgement("i1", "ann", "good"), judgement("i2", "ann", "bad")]
    with pytest.raises(ValueError, match="not yes or no"):
        vote_counts(rows, ["i1"])


def test_shares_by_generator_and_task() -> None:
    where = ItemCells(
        ("colors", "counting"), ("a", "b"), np.array([0, 0, 1, 1, 0, -1]), np.array([0, 0, 0, 0, 1, 1]), np.arange(6)
    )
    outcomes = {
        (share.place.generator, share.place.task): share.outcome for share in shares(np.array([1, 0, 1, -1, 0, 1]), where)
    }
    values = {place: outcome.value for place, outcome in outcomes.items()}
    assert values == {
        ("a", "colors"): 0.5, ("a", "counting"): 1.0, ("a", ALL): pytest.approx(2 / 3), ("a", TASKS_MEAN): 0.75,
        ("b", "colors"): 0.0, ("b", ALL): 0.5, ("b", TASKS_MEAN): 0.0,
        (ALL, "colors"): pytest.approx(1 / 3), (ALL, "counting"): 1.0, (ALL, ALL): 0.6, (ALL, TASKS_MEAN): pytest.approx(2 / 3),
    }  # fmt: skip
    assert outcomes["a", ALL].used.items == 3
    nothing = {(share.place.task): share.outcome for share in shares(np.full(6, -1), where) if share.place.generator == "b"}
    assert text_or_none(nothing["colors"].reason) == "the scorer has no verdict"
    assert nothing[TASKS_MEAN].value is None


def test_shares_of_many_verdicts_at_once_are_those_of_each() -> None:
    rng = np.random.default_rng(0)
    said, group = rng.integers(-1, 2, (5, 40)), rng.integers(-1, 3, 40)
    together = share_of_yes(said, group, 4)
    for row, entry in zip(said, together, strict=True):
        for code in range(4):
            known = row[(group == code) & (row >= 0)]
            assert entry[code] == pytest.approx(known.mean() if known.size else np.nan, nan_ok=True)


def test_a_scorer_of_the_frame_plays_no_part() -> None:
    rows = people({"i1": "y", "i2": "n"})
    with_scorer = rows + scorer("s", {"i1": "no", "i2": "no"})
    for vote_count, other in zip(
        vote_counts(rows, ["i1", "i2"]).values(), vote_counts(with_scorer, ["i1", "i2"]).values(), strict=True
    ):
        pd.testing.assert_frame_equal(
            pd.DataFrame({"no": vote_count.no, "yes": vote_count.yes}), pd.DataFrame({"no": other.no, "yes": other.yes})
        )


def test_item_cells_by_name() -> None:
    outcomes = shares(np.array([1]), ItemCells((), (), np.array([-1]), np.array([-1]), np.array([0])))
    assert [outcome.place for outcome in outcomes] == [CellName(ALL, ALL)]
