"""A scorer's own means: over all that it judged, with people or without."""

from __future__ import annotations

import pandas as pd
import pytest

from agreement import Options, build, scorer_means
from agreement.study.frame import COLUMNS
from concord.common.reason_sentences import text


def frame(rows: list[dict[str, object]]) -> pd.DataFrame:
    """Rows with everything that a judgement has, given what differs."""
    common = {
        "suite": "s", "task": None, "generator": "g", "prompt": None, "rater": "clip", "kind": "scorer", "identity": None,
        "simulated": False, "aspect": "score", "target": None, "label": None, "excluded": None,
    }  # fmt: skip
    return pd.DataFrame([common | {"seq": n} | row for n, row in enumerate(rows)], columns=list(COLUMNS))


SCALES = {("s", "score"): "interval", ("s", "correct"): "nominal"}
ITEMS: list[dict[str, object]] = [
    {"item": "i1", "task": "t1", "number": 1.0},
    {"item": "i2", "task": "t1", "number": 2.0},
    {"item": "i3", "task": "t2", "number": 6.0},
]
PERSON: dict[str, object] = {
    "item": "i1", "rater": "ann", "kind": "human", "identity": "person", "aspect": "correct", "label": "yes", "number": 1.0,
}  # fmt: skip


def test_means__cover_what_no_person_judged() -> None:
    rows = scorer_means(frame([*ITEMS, PERSON]), SCALES, Options())
    values = {(row.generator, row.task): row.value for row in rows}
    # t1: (1 + 2) / 2; t2: 6; all: 9 / 3; mean of the tasks: (1.5 + 6) / 2
    expected = {"t1": 1.5, "t2": 6.0, "all": 3.0, "tasks_mean": 3.75}
    assert values == {(generator, task): value for generator in ("g", "all") for task, value in expected.items()}
    assert {(row.rater, row.aspect, row.statistic, row.people) for row in rows} == {("clip", "score", "mean", "")}


def test_means__have_intervals_and_n() -> None:
    row = next(row for row in scorer_means(frame(ITEMS), SCALES) if row.task == "all")
    assert row.n_items == 3
    assert row.low is not None
    assert row.high is not None
    assert row.value is not None
    assert row.low < row.value < row.high
    assert "95% jackknife over" in text(row.method)


def test_means__are_those_of_the_report_where_people_judged_the_same_items() -> None:
    verdicts: list[dict[str, object]] = [
        {"item": item, "aspect": "correct", "label": label, "number": number}
        for item, label, number in (("i1", "yes", 1.0), ("i2", "no", 0.0), ("i3", "yes", 1.0))
    ]
    people = [PERSON | {"item": item} for item in ("i1", "i2", "i3")]
    judgements = frame([*verdicts, *people])
    report = build(judgements, SCALES).raters
    shared = next(row for row in report if row.statistic == "mean" and row.generator == "all" and row.task == "all")
    own = next(row for row in scorer_means(judgements, SCALES) if row.generator == "all" and row.task == "all")
    assert own.value == shared.value == pytest.approx(2 / 3)
    assert (own.low, own.high) == (shared.low, shared.high)


def test_means__of_nominal_labels_do_not_exist() -> None:
    labels: list[dict[str, object]] = [{"item": f"i{n}", "aspect": "correct", "label": text} for n, text in enumerate("abc")]
    assert scorer_means(frame(labels), SCALES) == []
