"""Selections: each filter, the same on the command line and in an address; and what `agreement` prints."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from starlette.datastructures import QueryParams

from data.records import Item, Judgement
from data.selection import Selection
from data.store import imports
from data.store.core import frame
from data.store.core.store import Store
from data.store.imports import ImportBundle
from data.store.judgements.recording import submit
from tests.data.store.small_project import answer
from tests.ui.small_project import RATINGS, agreement, concord, done, ratings_csv

KEYS = {
    "suite", "task", "generator", "aspect", "target", "people", "statistic", "value", "low", "high", "n_items", "n_ratings",
    "excluded", "reason", "method",
}  # fmt: skip
EXTRA: dict[str, set[str]] = {"among_people": set(), "raters": {"rater", "kind", "people_as"}, "matrix": {"a", "b"}}


@pytest.fixture(scope="module")
def rated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Twelve items by three people, two tasks, two generators; one metric; one item of another suite."""
    tmp_path = tmp_path_factory.mktemp("rated")
    project = tmp_path / "project"
    head = "image,who,value,t,g"
    rows = [f"i{n:02d},{who},{(n + k) % 5 + 1},t{n % 2},g{n % 3 // 2}" for n in range(12) for k, who in enumerate("xyz")]
    more = ["--task", "t", "--generator", "g"]
    done(project, "import", "ratings", ratings_csv(tmp_path / "r.csv", *rows, header=head), *RATINGS, *more)
    scores = [f"i{n:02d},{who},{n * k}.5,t{n % 2},g{n % 3 // 2}" for n in range(12) for k, who in enumerate(("clip", "vqa"), 1)]
    score = [
        "--item",
        "image",
        "--rater",
        "who",
        "--value",
        "value",
        "--aspect",
        "score",
        "--scale",
        "interval",
        "--kind",
        "scorer",
    ]
    done(project, "import", "ratings", ratings_csv(tmp_path / "s.csv", *scores, header=head), *score, *more)
    correct = [f"i{n:02d},{who},{'yes' if n > 3 + k else 'no'}" for n in range(12) for k, who in enumerate("xyz")]
    yes = [*RATINGS[:6], "--aspect", "correct", "--scale", "nominal"]
    done(project, "import", "ratings", ratings_csv(tmp_path / "c.csv", *correct), *yes)
    done(project, "import", "ratings", ratings_csv(tmp_path / "o.csv", "o1,x,5", "o1,y,4"), *RATINGS, "--suite", "other")
    return project


@pytest.mark.parametrize(
    ("query", "column", "expected"),
    [
        ("suite=other", "item", {"o1": 2}),
        ("suite=other&suite=ratings", "suite", {"other": 2, "ratings": 96}),
        ("task=t1&suite=ratings", "task", {"t1": 48}),
        ("generator=g1", "item", {f"i{n:02d}": 8 for n in (2, 5, 8, 11)}),
        ("aspect=correct", "aspect", {"correct": 36, "score": 24}),
        ("aspect=correct&aspect=quality", "aspect", {"correct": 36, "quality": 38, "score": 24}),
        ("rater=x", "rater", {"x": 25, "clip": 12, "vqa": 12}),
        ("rater=clip", "rater", {"x": 25, "y": 25, "z": 24, "clip": 12}),
        ("rater=x&rater=clip", "rater", {"x": 25, "clip": 12}),
        ("rater=nobody", "rater", {}),
        ("target=cow", "target", {}),
        ("campaign=none", "rater", {"clip": 12, "vqa": 12}),
        ("since=2000-01-01", "rater", {"x": 25, "y": 25, "z": 24, "clip": 12, "vqa": 12}),
        ("since=2999-01-01T00:00", "rater", {"clip": 12, "vqa": 12}),
        ("until=20000101", "rater", {"clip": 12, "vqa": 12}),
        ("until=2000-W01-1&until=2999-12-31T23:59:59%2B05:00", "rater", {"x": 25, "y": 25, "z": 24, "clip": 12, "vqa": 12}),
        ("suite=&task=", "suite", {"ratings": 96, "other": 2}),
        ("task=' or 1=1 --", "suite", {}),
    ],
)
def test_each_filter(rated: Path, query: str, column: str, expected: dict[str, int]) -> None:
    chosen = Selection.of(QueryParams(query).getlist)
    with Store(rated) as store:
        assert dict(Counter(frame.frame(store, chosen)[column])) == expected
    words = [word for key, value in QueryParams(query).multi_items() for word in (f"--{key}", value)]
    assert agreement(rated, *words)["selection"] == chosen.to_dict()


def test_targets(project: Path) -> None:
    cow, car = (Judgement("present", "yes", 1.0, target) for target in ("cow", "car"))
    with Store(project) as store:
        imports.apply(store, [ImportBundle("x", "x", "x", items=[Item("i", "s")])])
        submit(store, replace(answer("i"), judgements=(*answer("i").judgements, cow, car)))
        table = frame.frame(store, Selection(target=("cow",)))
    assert list(zip(table["aspect"], table["target"], strict=True)) == [("present", "cow")]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--since", "soon"], "--since must be a date such as 2026-11-20 or 2026-11-20T14:30, got 'soon'"),
        (["--until", "2026-13-01"], "--until must be a date"),
        (["--since", "0001-01-01T00:00+14:00"], "--since must be a date"),
        (["--statistic", "cohens_kappa"], "--statistic cohens_kappa: there is no such statistic; did you mean cohen_kappa?"),
        (["--statistic", "zzz"], "known: mean"),
    ],
)
def test_wrong_options_are_one_line(project: Path, words: list[str], message: str) -> None:
    ran = concord(project, "agreement", *words, "--format", "json")
    assert (ran.status, ran.out) == (2, "")
    assert ran.err.startswith("agreement: ")
    assert message in ran.err
    assert ran.err.count("\n") == 1


@pytest.mark.parametrize(
    "words",
    [
        ["agreement", "--by", "moon"], ["agreement", "--format", "xml"], ["agreement", "--seed", "-1"], ["agreement", "extra"],
        ["import", "nothing"], ["import", "undo", "x"], ["import", "images", "d", "--layout", "x"], ["fly"],
        ["import", "prompts", "f"],
    ],
)  # fmt: skip
def test_bad_usage_is_two(project: Path, words: list[str]) -> None:
    ran = concord(project, *words)
    assert (ran.status, ran.out) == (2, "")


def test_the_rows_of_agreement(rated: Path) -> None:
    ran = concord(rated, "agreement", "--format", "json", "--suite", "ratings", "--aspect", "correct", "--seed", "1")
    assert (ran.status, ran.err) == (0, "")
    payload: dict[str, Any] = json.loads(ran.out)
    assert payload.pop("selection") == {"suite": ["ratings"], "aspect": ["correct"]}
    assert set(payload) >= set(EXTRA)
    for section, extra in EXTRA.items():
        assert payload[section], section
        assert all(set(row) >= KEYS | extra for row in payload[section])
        identity = ("suite", "task", "generator", "aspect", "target", "people", "statistic", *sorted(extra))
        names = Counter(tuple(row[name] for name in identity) for row in payload[section])
        assert set(names.values()) == {1}
        assert {row["aspect"] for row in payload[section]} == {"correct"}
        assert all((row["value"] is None) == (row["reason"] is not None) for row in payload[section])


def test_chosen_statistics_and_people_as(rated: Path) -> None:
    words = ["--suite", "ratings", "--aspect", "correct"]
    results = agreement(rated, *words, "--statistic", "mean", "--statistic", "auc", "--people-as", "majority")
    assert {row["statistic"] for section in EXTRA for row in results[section]} == {"mean", "auc"}
    assert {row["people_as"] for row in results["raters"]} == {"majority"}


def test_a_table_for_people(rated: Path) -> None:
    out = done(rated, "agreement", "--suite", "other")
    assert out.startswith("People among themselves\n")
    assert "nothing to compare in this selection" in out
    assert "0.0000" in out


def test_an_empty_project(project: Path) -> None:
    results = agreement(project)
    assert all(results[section] == [] for section in EXTRA)
    assert done(project, "rebuild") == "0 judgements remade from their sources\n"
    assert concord(project, "import", "undo").err == "import undo: nothing has been imported into this project yet\n"


def test_a_name_that_nothing_has_is_named_and_what_it_may_have_meant(project: Path, tmp_path: Path) -> None:
    done(project, "import", "ratings", ratings_csv(tmp_path / "r.csv", "a,x,3", "a,y,4"), *RATINGS)
    ran = concord(project, "agreement", "--aspect", "qualiti", "--format", "json")
    assert (ran.status, json.loads(ran.out)["among_people"]) == (0, [])
    assert ran.err == "--aspect qualiti: there is nothing by that name in this project; did you mean quality?\n"
    ran = concord(project, "agreement", "--suite", "' or 1=1 --")
    assert (ran.status, ran.out) == (1, "")
    assert concord(project, "agreement", "--suite", "ratings", "--rater", "x", "--format", "json").err == ""


def test_people_as_that_fits_nothing_is_said(project: Path, tmp_path: Path) -> None:
    done(project, "import", "ratings", ratings_csv(tmp_path / "r.csv", "a,x,3", "b,x,4"), *RATINGS)
    ran = concord(project, "agreement", "--people-as", "majority", "--no-intervals", "--format", "json")
    assert (ran.status, json.loads(ran.out)["raters"]) == (0, [])
    assert ran.err.startswith("--people-as majority: no statistic of this selection compares scorers with people")
