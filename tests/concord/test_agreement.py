"""``agreement``: what it prints beside the three sections, on numbers that can be counted by hand."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from scipy import stats

from agreement.report.report import CLASSES
from data.selection import CERTAINTIES
from tests.concord.test_exporting import HEADER
from tests.ui import hostile_project
from tests.ui.small_project import agreement, concord, done, ratings_csv

WORDS = {"y": "yes", "n": "no"}
KEY = ("suite", "task", "generator", "aspect", "target", "people", "statistic")
WHO: dict[str, tuple[str, ...]] = {
    "among_people": (),
    "raters": ("rater", "people_as"),
    "matrix": ("a", "b"),
    "by_certainty": ("rater", "people_as", "certainty"),
    "comparisons": ("a", "b", "people_as"),
    "thresholds": ("rater", "people_as"),
}
# Three unanimous, two majority, one split, one single.
PEOPLE = {"u1": "yyy", "u2": "nn", "u3": "nnn", "m1": "yyn", "m2": "nny", "s1": "yn", "o1": "y"}
M = {"u1": "y", "u2": "n", "u3": "n", "m1": "y", "m2": "y", "s1": "y", "o1": "y"}
K = {"u1": "n", "u2": "n", "u3": "y", "m1": "n", "m2": "n", "s1": "n", "o1": "y"}


def rows(
    fields: Mapping[str, str], who: str, kind: str, aspect: str = "correct", scale: str = "nominal", task: str = "t"
) -> list[str]:
    """Lines of a file of ratings: the letters of each item by rater ``who`` (people: ``who0``, ``who1`` ...)."""
    identity = "" if kind == "scorer" else "person"
    return [
        f"s,s/{item},{task},g,{item},{who}{'' if kind == 'scorer' else n},{kind},{identity},{aspect},,{scale},{value},{n}"
        for item, text in fields.items()
        for n, value in enumerate([text] if aspect == "score" else [WORDS[letter] for letter in text])
    ]


def made(folder: Path, *parts: list[str]) -> Path:
    project = folder / "project"
    lines = [line for part in parts for line in part]
    done(project, "import", "ratings", ratings_csv(folder / "r.csv", *lines, header=HEADER))
    return project


@pytest.fixture(scope="module")
def judged(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """People, two scorers that say yes or no, and one that gives scores."""
    people, scores = rows(PEOPLE, "p", "human"), {item: f"0.{n}" for n, item in enumerate(PEOPLE)}
    scored = rows(scores, "clip", "scorer", "score", "interval")
    return made(tmp_path_factory.mktemp("judged"), people, rows(M, "m", "scorer"), rows(K, "k", "scorer"), scored)


MAIN = ("among_people", "raters", "matrix")


def pick(result: Sequence[Mapping[str, Any]], **where: Any) -> Mapping[str, Any]:
    wanted = {"task": "all", "generator": "all", "people": "real"} | where
    (row,) = [row for row in result if all(row[name] == value for name, value in wanted.items())]
    return row


def test_further_sections_stand_there_if_asked_for(judged: Path, tmp_path: Path) -> None:
    plain = agreement(judged)
    assert list(plain) == ["selection", *MAIN, "suite_metrics"]
    more = agreement(judged, "--by", "certainty", "--compare", "--thresholds")
    assert list(more) == ["selection", *WHO, "suite_metrics"]
    assert [*WHO] == [*MAIN, "by_certainty", "comparisons", "thresholds"]
    assert {name: more[name] for name in plain} == plain
    # seven items are too few for the matrix
    assert [name for name in WHO if not more[name]] == ["matrix"]
    # asked for, they stand there although there is nothing to say
    nothing = agreement(tmp_path / "empty", "--by", "certainty", "--compare", "--thresholds")
    assert nothing == {"selection": {}, **{name: [] for name in WHO}, "suite_metrics": []}


def test_one_row_per_key(tmp_path: Path) -> None:
    results = agreement(
        hostile_project.project(tmp_path / "odd"), "--by", "certainty", "--by", "target", "--compare", "--thresholds"
    )
    for section, who in WHO.items():
        keys = Counter(tuple(row[name] for name in (*KEY, *who)) for row in results[section])
        assert len(keys) > 20
        assert set(keys.values()) == {1}, section
        assert all((row["value"] is None) == (row["reason"] is not None) for row in results[section])


def test_by_certainty_by_hand(judged: Path) -> None:
    """m against each rating: unanimous yyy 3, nn 2, nnn 3 of 8; majority y with yyn 2 of 3, y with nny 1 of 3; split 1 of 2.
    k: n with yyy 0, n with nn 2, y with nnn 0 of 8; n with yyn 1, n with nny 2 of 6; n with yn 1 of 2."""
    certainty = agreement(judged, "--by", "certainty")["by_certainty"]
    expected = {
        ("m", "unanimous"): 1.0, ("m", "majority"): 3 / 6, ("m", "split"): 1 / 2,
        ("k", "unanimous"): 2 / 8, ("k", "majority"): 3 / 6, ("k", "split"): 1 / 2,
    }  # fmt: skip
    for (rater, name), value in expected.items():
        row = pick(certainty, statistic="percent_agreement", rater=rater, certainty=name)
        assert row["value"] == pytest.approx(value)
        assert row["n_ratings"] == {"unanimous": 8, "majority": 6, "split": 2}[name]


def test_a_selection_by_certainty_by_hand(judged: Path) -> None:
    """Of the majority's units: yyn and nny, on which m agrees with 3 of 6. With the unanimous ones 11 of 14."""
    for classes, value, n in ((("majority",), 3 / 6, 2), (("majority", "unanimous"), 11 / 14, 5)):
        results = agreement(judged, *(word for name in classes for word in ("--certainty", name)))
        assert results["selection"] == {"certainty": list(classes)}
        row = pick(results["raters"], statistic="percent_agreement", rater="m")
        assert (row["value"], row["n_items"]) == (pytest.approx(value), n)
        assert pick(results["among_people"], statistic="unanimous_share")["n_items"] == n


def test_certainty_is_the_engines() -> None:
    assert CERTAINTIES == CLASSES


def test_scorers_compared_by_hand(judged: Path) -> None:
    """Of 17 ratings m agrees with 3 + 2 + 3 + 2 + 1 + 1 + 1 = 13, k with 0 + 2 + 0 + 1 + 2 + 1 + 1 = 7; k stands first.

    Majorities: y n n y n, none on s1, y. m is right on all but m2, k on u2, m2 and o1: both u2 and o1, only k m2, only m
    u1, u3 and m1. McNemar: 1 of 4, twice the lower tail of a fair coin: 2 (1 + 4) / 16.
    """
    row = pick(agreement(judged, "--compare")["comparisons"], statistic="percent_agreement")
    assert (row["a"], row["b"], row["people_as"]) == ("k", "m", "each")
    assert row["value_a"] == pytest.approx(7 / 17)
    assert row["value_b"] == pytest.approx(13 / 17)
    assert row["value"] == pytest.approx(-6 / 17)
    mcnemar = row["mcnemar"]
    counts = {name: mcnemar[name] for name in ("both_right", "only_a_right", "only_b_right", "both_wrong")}
    assert counts == {"both_right": 2, "only_a_right": 1, "only_b_right": 3, "both_wrong": 0}
    assert mcnemar["p_mcnemar"] == pytest.approx(10 / 16) == pytest.approx(stats.binomtest(1, 4).pvalue)


def test_thresholds_by_hand(tmp_path: Path) -> None:
    """Scores of no are 0.0 to 0.4, of yes 10.0 to 10.4: whatever is left out, the cut is in the gap; on all halfway."""
    answers = {f"i{n}": "nn" if n < 5 else "yy" for n in range(10)}
    scores = {item: f"{n % 5 / 10 + (10 if text == 'yy' else 0)}" for n, (item, text) in enumerate(answers.items())}
    project = made(tmp_path, rows(answers, "p", "human"), rows(scores, "clip", "scorer", "score", "interval"))
    row = pick(agreement(project, "--thresholds")["thresholds"], statistic="cohen_kappa")
    assert (row["rater"], row["value"], row["in_sample"], row["n_items"], row["n_ratings"]) == ("clip", 1.0, 1.0, 10, 20)
    assert row["threshold"] == pytest.approx(5.2)
    assert len(row["fold_thresholds"]) == 5
    # what is no number cannot be cut, and hinders nobody
    words = [
        f"z,z/1,t,g,z1,{who}" for who in ("q,human,person,correct,,nominal,yes,1", "w,scorer,,score,,ordinal:low<high,low,2")
    ]
    done(project, "import", "ratings", ratings_csv(tmp_path / "z.csv", *words, header=HEADER))
    results = agreement(project, "--thresholds")
    assert {row["suite"] for row in results["thresholds"]} == {"s"} < {row["suite"] for row in results["among_people"]}


def test_people_stand_beside_each_scorer(judged: Path) -> None:
    """p0 against the others on the units with two or more: yyy 2 of 2, nn 1 of 1, nnn 2 of 2, yyn 1 of 2, nny 1 of 2, yn 0
    of 1: 7 of 10. p1 the same but yyn 1, nny 1: 7 of 10. p2: yyy 2, nnn 2, n with yy 0, y with nn 0: 4 of 8. Mean 19/30."""
    results = agreement(judged)
    ceiling = pick(results["raters"], statistic="percent_agreement", rater="m")["ceiling"]
    assert ceiling["value"] == pytest.approx(19 / 30)
    # every number that compares has one; a scorer's own mean compares nothing
    assert {row["statistic"] for row in results["raters"] if row["ceiling"] is None} == {"mean"}
    without = agreement(judged, "--no-ceiling")
    assert without["raters"] == [row | {"ceiling": None} for row in results["raters"]]


def tables(out: str) -> dict[str, list[dict[str, str]]]:
    """The printed tables by title: each line's cells by the titles of the columns."""
    parts = out.strip("\n").split("\n\n")
    results = {}
    for title, text in zip(parts[::2], parts[1::2], strict=True):
        head, *lines = text.splitlines()
        starts = [(match[0], match.start()) for match in re.finditer(r"\S+(?: \S+)*", head)]
        ends = [*(start for _, start in starts[1:]), None]
        results[title] = [{name: x[a:b].strip() for (name, a), b in zip(starts, ends, strict=True)} for x in lines]
    return results


def test_the_table_says_the_same(judged: Path) -> None:
    words = ("--statistic", "percent_agreement", "--by", "certainty", "--compare", "--thresholds")
    shown = tables(done(judged, "agreement", *words))
    payload = json.loads(done(judged, "agreement", *words, "--format", "json"))
    assert list(shown) == [
        "People among themselves", "Scorers against people", "Any two raters",
        "Scorers against people, by how far people agree",
        "Scorers compared: how much better a agrees with people than b",
        "Scores as decisions (yes above the threshold), against people, out of fold",
    ]  # fmt: skip
    people, against, pairs, by_certainty, compared, cut = shown.values()
    assert [len(table) for table in (people, against, by_certainty, compared, cut)] == [
        len(payload[name]) for name in ("among_people", "raters", "by_certainty", "comparisons", "thresholds")
    ]
    assert pairs == []
    index = {"task": "all", "generator": "all"}
    row, line = pick(payload["raters"], rater="m"), pick(against, rater="m")
    assert row["ceiling"]["verdict_reason"].startswith("too few prompts to decide: about")
    assert line == index | {
        "suite": "s", "aspect": "correct", "rater": "m", "people_as": "each", "people": "real",
        "statistic": "percent_agreement", "value": f"{13 / 17:.4f}", "95 % interval": f"{row['low']:.4f} .. {row['high']:.4f}",
        "people's own": f"{19 / 30:.4f}", "verdict": row["ceiling"]["verdict_reason"],
        "items": "7", "ratings": "17", "reason": "",
    }  # fmt: skip
    assert pick(by_certainty, rater="m", certainty="split")["value"] == "0.5000"
    duel, line = pick(payload["comparisons"]), pick(compared)
    assert (line["of a"], line["of b"]) == (f"{7 / 17:.4f}", f"{13 / 17:.4f}")
    assert (line["p (Holm)"], line["McNemar's p (Holm)"]) == (
        f"{duel['p_holm']:.4f}",
        f"{duel['mcnemar']['p_mcnemar_holm']:.4f}",
    )
    row, line = (pick(t, statistic="percent_agreement", task="t") for t in (payload["thresholds"], cut))
    assert (line["threshold"], line["in sample"]) == (f"{row['threshold']:.4f}", f"{row['in_sample']:.4f}")
    assert "people's own" not in tables(done(judged, "agreement", "--no-ceiling"))["Scorers against people"][0]


def statistics_of(out: str) -> list[set[str]]:
    """The statistics of each table of rows."""
    return [{line["statistic"] for line in table} for table in tables(out).values() if table]


def test_the_table_has_a_scales_main_statistics_and_says_how_to_see_the_rest(judged: Path) -> None:
    words = ("agreement", "--no-intervals", "--aspect", "correct")
    out = done(judged, *words)
    labels, scores = {"percent_agreement", "gwet_ac1"}, {"auc", "spearman", "pearson"}
    more = re.compile(r"\n  \d+ more statistics: --all-statistics or --format json$", re.MULTILINE)
    without, hints = more.subn("", out)
    assert hints == 2
    assert statistics_of(without) == [labels | {"fleiss_kappa"}, labels | {"cohen_kappa"} | scores]
    results = agreement(judged, "--aspect", "correct")
    every = done(judged, *words, "--all-statistics")
    assert statistics_of(every) == [{row["statistic"] for row in results[name]} for name in ("among_people", "raters")]
    assert "more statistic" not in every
    # whoever names statistics sees these
    assert statistics_of(done(judged, *words, "--statistic", "pabak")) == [{"pabak"}, {"pabak"}]


@pytest.mark.parametrize(
    ("word", "hint"), [("unanimos", "did you mean unanimous?"), ("zzz", "known: unanimous, majority, split")]
)
@pytest.mark.parametrize("command", ["agreement", "export ratings -o x.csv", "export report -o x.html"])
def test_a_class_that_there_is_not(project: Path, command: str, word: str, hint: str) -> None:
    ran = concord(project, *command.split(), "--certainty", word)
    assert (ran.status, ran.out) == (2, "")
    name = " ".join(command.split()[: 1 if command == "agreement" else 2])
    assert ran.err == f"{name}: --certainty {word}: there is no such class; {hint}\n"


def test_labels_of_other_tasks_are_on_the_scale_too(tmp_path: Path) -> None:
    """By hand: p = 2/3; of four colours, two of which are used here, chance gives (.25 + .25) / 3 = 1/6."""
    answers = {"a": "red red", "b": "red green", "c": "green green", "d": "blue blue", "e": "white white"}
    lines = [
        f"s,s/{item},{'t' if item in 'abc' else 'u'},g,{item},p{n},human,person,mood,,nominal,{value},{n}"
        for item, text in answers.items()
        for n, value in enumerate(text.split())
    ]
    project = made(tmp_path, lines)
    value = agreement(project, "--task", "t", "--statistic", "gwet_ac1")["among_people"]
    assert [row["value"] for row in value] == [pytest.approx((2 / 3 - 1 / 6) / (5 / 6))] * len(value)
    assert value
