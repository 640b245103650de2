"""Commands that would do something else than their words say, say so."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.ui.small_project import concord, done, query

PEOPLE = [(f"i{n}", rater, 1 + (n + add) % 5) for n in range(10) for rater, add in (("a", 0), ("b", 1))]
SCORES = [(f"i{n}", "m", (n * 21 % 80) / 100) for n in range(10)]


def ratings(folder: Path, rows: Sequence[tuple[str, str, object]], name: str) -> Path:
    path = folder / f"{name}.csv"
    path.write_text("item,rater,value\n" + "".join(f"{item},{rater},{value}\n" for item, rater, value in rows))
    return path


def importing(project: Path, path: Path, aspect: str, scale: str = "ordinal:1-5", kind: str = "human") -> None:
    words = ("--item", "item", "--rater", "rater", "--value", "value")
    done(project, "import", "ratings", path, *words, "--aspect", aspect, "--scale", scale, "--kind", kind)


@pytest.fixture
def scored(project: Path, tmp_path: Path) -> Path:
    importing(project, ratings(tmp_path, PEOPLE, "people"), "appeal")
    importing(project, ratings(tmp_path, SCORES, "scores"), "score", "interval", "scorer")
    return project


def test_scores_beside_an_aspect_of_ones_own_say_how_to_compare_them(scored: Path) -> None:
    said = done(scored, "agreement", "--no-intervals")
    assert "ratings: the scores of m are compared with people's answers of correct, faithfulness" in said
    assert "to compare them with appeal by rank: agreement --compare-with appeal" in said
    ran = concord(scored, "agreement", "--no-intervals", "--format", "json")
    assert "agreement --compare-with appeal" in ran.err
    assert json.loads(ran.out)["raters"] == []


@pytest.mark.parametrize("aspect", ["appeal", "quality", "真实感"])
def test_scores_are_compared_with_an_aspect_of_ones_own_by_rank(project: Path, tmp_path: Path, aspect: str) -> None:
    importing(project, ratings(tmp_path, PEOPLE, "people"), aspect)
    importing(project, ratings(tmp_path, SCORES, "scores"), "score", "interval", "scorer")
    words = ("agreement", "--no-intervals", "--format", "json")
    ran = concord(project, *words, "--compare-with", aspect)
    assert (ran.status, ran.err) == (0, "")
    rows = {row["statistic"]: row["value"] for row in json.loads(ran.out)["raters"]}
    # the same numbers under a name that scores always meet
    other = tmp_path / "other"
    importing(other, ratings(tmp_path, PEOPLE, "people"), "faithfulness")
    importing(other, ratings(tmp_path, SCORES, "scores"), "score", "interval", "scorer")
    others = json.loads(done(other, *words))["raters"]
    assert rows == {row["statistic"]: row["value"] for row in others}
    assert rows["spearman"] is not None


def test_an_aspect_without_order_is_not_compared(scored: Path, tmp_path: Path) -> None:
    rows = [(item, rater, "red" if value > 2 else "blue") for item, rater, value in PEOPLE]
    importing(scored, ratings(tmp_path, rows, "colors"), "hue", "nominal")
    for aspect, why in (("hue", "its labels have no order"), ("appeel", "did you mean appeal?")):
        ran = concord(scored, "agreement", "--compare-with", aspect)
        assert (ran.status, ran.out) == (1, "")
        assert why in ran.err


@pytest.mark.parametrize(
    "words",
    [
        ["agreement"], ["preferences"], ["vqa"], ["itm"], ["flips"], ["rank"], ["alt-test"],
        ["export", "ratings", "-o", "x.csv"], ["export", "judgements", "-o", "x.csv"], ["export", "report", "-o", "x.html"],
    ],
)  # fmt: skip
def test_an_unknown_suite_ends_with_status_1(
    scored: Path, words: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    ran = concord(scored, *words, "--suite", "ratngs")
    assert (ran.status, ran.out) == (1, "")
    assert "there is no suite of that name in this project; did you mean ratings?" in ran.err
    assert not [*tmp_path.glob("x.*")]


def test_a_suite_of_prompts_alone_is_known(project: Path, tmp_path: Path) -> None:
    (tmp_path / "p.txt").write_text("a hen\n")
    done(project, "import", "prompts", tmp_path / "p.txt", "--suite", "mine")
    assert concord(project, "agreement", "--suite", "mine").status == 0


@pytest.mark.parametrize(
    ("words", "hint"),
    [
        (["import", "ratings", "r.csv", "--item", "item", "--item", "rater"], "--item is given twice, and only the last one"),
        (["import", "ratings", "r.csv", "--item", "item", "--item", "rater"], "would count: separate several by commas"),
        (["import", "ratings", "r.csv", "--suite", "a", "--suite", "b"], "--suite is given twice"),
        (["import", "images", "d", "--generator", "a", "--generator", "b"], "--generator is given twice"),
        (["import", "prompts", "p.txt", "--suite", "a", "--suite", "b"], "--suite is given twice"),
        (["agreement", "--seed", "1", "--seed", "2"], "--seed is given twice"),
        (["score", "geneval", "--limit", "1", "--limit", "2"], "--limit is given twice"),
    ],
)
def test_an_option_of_one_value_is_refused_twice(project: Path, words: list[str], hint: str) -> None:
    ran = concord(project, *words)
    assert ran.status == 2
    assert hint in " ".join(ran.err.split())
    assert not project.exists()


def test_an_option_of_several_values_may_be_given_twice(scored: Path) -> None:
    done(scored, "agreement", "--aspect", "appeal", "--aspect", "score", "--suite", "ratings", "--suite", "ratings")
    assert query(scored, "select count(*) from judgements") == [30]
