"""Units by people's certainty: the classes, a report restricted to some, and scorers by class."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from agreement import Options, build
from agreement.report.report import CLASSES, classify, select
from agreement.study.frame import read
from tests.agreement.frames import SCALES, Judgement, frame, judgement, people, scorer, ugly
from tests.agreement.json_rows import json_rows
from tests.agreement.oracles import metrics, stats

Rows = list[dict[str, Any]]
UNANIMOUS = Options(certainty=("unanimous",))
BY_CLASS = Options(by_certainty=True)
# Two ratings or more, all equal | more than half equal | neither | one rating.
PEOPLE = {"u1": "y y", "u2": "n n n", "m1": "y y n", "m2": "n n n y", "s1": "y n", "s2": "y y n n", "one": "y"}
OWN = {"u1": "yes", "u2": "no", "m1": "yes", "m2": "yes", "s1": "no", "s2": "yes", "one": "yes", "none": "no"}


def report(rows: list[Judgement], options: Options) -> dict[str, Rows]:
    return json_rows(build(frame(rows), SCALES, options))


def pick(rows: Rows, **where: Any) -> dict[str, Any]:
    """The one row with these values; all tasks and generators unless said otherwise."""
    wanted = {"task": "all", "generator": "all", "people": "real"} | where
    records = [row for row in rows if all(row[k] == v for k, v in wanted.items())]
    assert len(records) == 1, (wanted, len(records))
    return records[0]


def classes(rows: list[Judgement], scale: str = "nominal") -> list[int]:
    """The place in CLASSES of each unit of one aspect, by name of the item."""
    (suite,) = read(frame(rows), {("s", str(rows[0]["aspect"])): scale})
    return [int(place) for place in classify(suite.aspects[0].ratings, suite.aspects[0].measure).place]


# --- classes ----------------------------------------------------------------------------------------------------------
def test_classes_by_hand() -> None:
    assert CLASSES == ("unanimous", "majority", "split")
    assert classes(people(PEOPLE)) == [1, 1, -1, 2, 2, 0, 0]  # m1 m2 one s1 s2 u1 u2


def test_most_is_not_a_majority() -> None:
    """2 of 4 and 2 of 5 are the most there are, but not more than half."""
    assert classes(people({"a": "red red blue green", "b": "red red blue blue green", "c": "red red red blue green"})) == [
        2,
        2,
        1,
    ]


def test_only_ratings_that_count_make_a_class() -> None:
    rows = people({"a": "y y n"})
    rows[2] |= {"excluded": "cannot_tell"}
    assert classes(rows) == [0]
    rows[1] |= {"excluded": "gold"}
    assert classes(rows) == [-1]


def test_numbers_have_classes_too() -> None:
    values = {"a": (0.5, 0.5), "b": (0.5, 0.5, 0.6), "c": (0.5, 0.6)}
    rows = [judgement(item, f"r{n}", v) for item, parts in values.items() for n, v in enumerate(parts)]
    assert classes(rows, "interval") == [0, 1, 2]


def test_each_target_has_its_class() -> None:
    assert classes(people({"a": "y y"}, target="dog") + people({"a": "y n"}, target="cat")) == [2, 0]  # cat, dog


# --- a report restricted to classes -----------------------------------------------------------------------------------
def test_a_restricted_report_is_the_report_of_those_units() -> None:
    rows = ugly(3, 30)
    wanted = {"unanimous": 0, "majority": 1}
    answers: dict[str, list[str]] = {}
    for row in rows:
        if row["kind"] == "human" and row["excluded"] is None:
            answers.setdefault(row["item"], []).append(row["label"])
    remaining = {
        item for item, labels in answers.items() if len(labels) > 1 and 2 * max(map(labels.count, labels)) > len(labels)
    }
    options = Options()
    results = json_rows(build(frame(rows), SCALES, Options(certainty=tuple(wanted))))
    direct = json_rows(build(frame([row for row in rows if row["item"] in remaining]), SCALES, options))
    for section in ("among_people", "raters"):
        names = ("task", "generator", "statistic", "rater", "aspect")
        expected = {tuple(row.get(n) for n in names): row for row in direct[section]}
        made = {tuple(row.get(n) for n in names): row for row in results[section]}
        assert set(made) >= set(expected)
        assert len(expected) > 20
        for key, row in expected.items():
            assert {n: made[key][n] for n in ("value", "low", "high", "n_items", "n_ratings")} == {
                n: row[n] for n in ("value", "low", "high", "n_items", "n_ratings")
            }, key


def test_what_is_not_selected_is_not_there() -> None:
    """Unanimous are u1 and u2: 5 of 19 ratings by people, 2 of the scorer's 8 judgements. A rating there that does not count
    is counted as such; one on another unit is not of this selection."""
    rows = people(PEOPLE) + scorer("m", OWN)
    rows += [judgement(item, "shy", None, excluded="cannot_tell") for item in ("u1", "m1")]
    results = report(rows, UNANIMOUS)
    among = pick(results["among_people"], statistic="percent_agreement")
    assert (among["value"], among["n_ratings"], among["n_items"], among["excluded"]) == (1.0, 5, 2, {"cannot_tell": 1})
    row = pick(results["raters"], statistic="percent_agreement")
    assert (row["value"], row["n_items"], row["n_ratings"], row["excluded"]) == (1.0, 2, 5, {"cannot_tell": 1})


def test_the_matrix_is_restricted_too() -> None:
    texts = {f"i{k:02}": "y y" if k % 2 else "y n" for k in range(24)}
    rows = people(texts) + scorer("m", dict.fromkeys(texts, "yes") | {"alone": "no"})
    records = report(rows, UNANIMOUS)["matrix"]
    for a, b in (("r0", "r1"), ("m", "r0")):
        pair = pick(records, statistic="percent_agreement", a=a, b=b)
        assert (pair["value"], pair["n_items"], pair["n_ratings"], pair["excluded"]) == (1.0, 12, 24, {})


def test_scores_are_restricted_by_item() -> None:
    """Of the unanimous units u1 (y y) has the higher score; m1 and s2, the other way round, play no part."""
    scores = {"u1": 0.9, "u2": 0.3, "m1": 0.1, "s1": 0.2, "s2": 0.8}
    records = report(people(PEOPLE) + scorer("clip", scores, aspect="score"), UNANIMOUS)["raters"]
    row = pick(records, statistic="auc")
    assert (row["value"], row["n_items"], row["n_ratings"], row["excluded"]) == (1.0, 2, 5, {})


def test_a_task_without_such_units_is_no_task_of_the_selection() -> None:
    """The mean over tasks is that of the tasks that are left, as after `--task`."""
    rows = people({"a": "y y", "b": "n n"}, task="sure") + people({"c": "y n"}, task="unsure")
    records = report(rows, UNANIMOUS)["among_people"]
    assert {row["task"] for row in records} == {"sure", "all", "tasks_mean"}
    assert pick(records, statistic="mean", task="tasks_mean")["value"] == 0.5


def selected_rows(rows: list[Judgement], *names: str) -> set[tuple[str, str, str]]:
    """Item, rater and aspect of the rows that are selected."""
    table = select(frame(rows), SCALES | {("s", "present"): "nominal"}, names)
    return set(zip(table["item"], table["rater"], table["aspect"], strict=True))


def test_who_stays_where() -> None:
    """Real people are of one mind about i, simulated ones about j, nobody about k."""
    real = people({"i": "y y", "j": "y n", "k": "y n"})
    imitated = [
        row | {"rater": f"sim{row['rater']}", "simulated": True} for row in people({"i": "y n", "j": "n n", "k": "y n"})
    ]
    own = scorer("m", {"i": "yes", "j": "no", "k": "no", "l": "no"})
    score = scorer("m", {"i": 1.0, "j": 2.0, "k": 3.0, "l": 4.0}, aspect="score")
    # what nobody judged is about the item, too
    present = scorer("m", {"i": "yes", "k": "no"}, aspect="present", target="dog")
    of_people = {("i", "r0"), ("i", "r1"), ("j", "simr0"), ("j", "simr1")}
    expected = {(item, who, "correct") for item, who in of_people | {("i", "m"), ("j", "m")}}
    expected |= {("i", "m", "score"), ("j", "m", "score"), ("i", "m", "present")}
    assert selected_rows(real + imitated + own + score + present, "unanimous") == expected


def test_a_scorers_label_stays_with_its_own_target() -> None:
    rows = people({"i": "y y"}, aspect="present", target="dog") + people({"i": "y n"}, aspect="present", target="cat")
    rows += [row for name in ("dog", "cat") for row in scorer("m", {"i": "yes"}, aspect="present", target=name)]
    table = select(frame(rows), {("s", "present"): "nominal"}, ("unanimous",))
    assert sorted(zip(table["target"], table["rater"], strict=True)) == [("dog", "m"), ("dog", "r0"), ("dog", "r1")]


@pytest.mark.parametrize("classes_", [("unanimous",), ("majority", "split"), CLASSES])
def test_what_is_selected_needs_no_selection_any_more(classes_: tuple[str, ...]) -> None:
    """The same report, of that frame alone."""
    rows = ugly(5, 30) + [row | {"rater": f"sim{row['rater']}", "simulated": True} for row in ugly(6) if row["kind"] == "human"]
    options = Options(by_certainty=True)
    alone = select(frame(rows), SCALES, classes_)
    assert 0 < len(alone) < len(rows)
    results, again = (
        json_rows(build(table, SCALES, made))
        for table, made in ((frame(rows), replace(options, certainty=classes_)), (alone, options))
    )
    assert {name: results[name] for name in ("among_people", "raters", "matrix")} == {
        name: again[name] for name in ("among_people", "raters", "matrix")
    }
    assert select(alone, SCALES, classes_).equals(alone)


def test_nothing_to_select() -> None:
    nothing = frame([])
    assert select(nothing, SCALES, ("split",)) is nothing
    rows = frame(people({"i": "y", "j": "n"}))
    assert select(rows, SCALES, ()) is rows
    assert select(rows, SCALES, CLASSES).empty
    assert select(frame(scorer("m", {"i": "yes"})), SCALES, CLASSES).empty


def test_simulated_people_make_classes_of_their_own() -> None:
    real = people({"i": "y y", "j": "y n"})
    imitated = [row | {"rater": f"sim{row['rater']}", "simulated": True} for row in people({"i": "y n", "j": "n n"})]
    results = report(real + imitated + scorer("m", {"i": "yes", "j": "no"}), UNANIMOUS)
    for who in ("real", "simulated"):
        assert pick(results["among_people"], people=who, statistic="unanimous_share")["n_items"] == 1
        row = pick(results["raters"], people=who, statistic="percent_agreement")
        assert (row["value"], row["n_items"], row["n_ratings"]) == (1.0, 1, 2)


def test_an_unknown_class_is_refused() -> None:
    with pytest.raises(ValueError, match="unknown certainty single; known are unanimous, majority, split"):
        report(people(PEOPLE), Options(certainty=("single",)))


# --- scorers by class -------------------------------------------------------------------------------------------------
def test_scorers_by_class_by_hand() -> None:
    """Unanimous: yes on y y, no on n n n: 5 of 5. Majority: yes on y y n, yes on n n n y: 3 of 7. Split: 1 of 2 and 2 of 4."""
    records = report(people(PEOPLE) + scorer("m", OWN), BY_CLASS)["by_certainty"]
    values = {
        row["certainty"]: row["value"] for row in records if (row["statistic"], row["task"]) == ("percent_agreement", "all")
    }
    assert values == {"unanimous": 1.0, "majority": pytest.approx(3 / 7), "split": 0.5}
    row = pick(records, statistic="percent_agreement", certainty="majority")
    assert (row["rater"], row["kind"], row["people_as"], row["ceiling"]) == ("m", "scorer", "each", None)
    assert (row["n_items"], row["n_ratings"], row["excluded"]) == (2, 7, {"other_certainty": 12 + 6})


def _in_class(most: float, name: str) -> bool:
    """Whether a unit whose most frequent label has this share is of the class."""
    return {"unanimous": most == 1, "majority": 0.5 < most < 1, "split": most <= 0.5}[name]


@pytest.mark.parametrize("seed", [0])
def test_scorers_by_class_against_other_libraries(seed: int) -> None:
    rows = ugly(seed, 40)
    records = report(rows, BY_CLASS)["by_certainty"]
    assert {row["statistic"] for row in records} == {"percent_agreement", "cohen_kappa", "gwet_ac1", "spearman", "auc"}
    answers: dict[str, list[str]] = {}
    for row in rows:
        if row["kind"] == "human" and row["excluded"] is None:
            answers.setdefault(row["item"], []).append(row["label"])
    own = {row["item"]: row["label"] for row in rows if row["rater"] == "alpha" and row["aspect"] == "correct"}
    score = {row["item"]: row["number"] for row in rows if row["rater"] == "gamma"}
    for name in ("unanimous", "majority", "split"):
        most = {item: max(map(v.count, v)) / len(v) for item, v in answers.items() if len(v) > 1}
        of_class = [i for i, m in most.items() if _in_class(m, name)]
        pairs = [(own[i], label) for i in of_class if i in own for label in answers[i]]
        kappa = pick(records, certainty=name, statistic="cohen_kappa", rater="alpha")
        assert kappa["value"] == pytest.approx(metrics.cohen_kappa_score(*zip(*pairs, strict=True)))
        assert kappa["n_ratings"] == len(pairs)
        scored = [(label == "yes", score[i]) for i in of_class if i in score for label in answers[i]]
        auc = pick(records, certainty=name, statistic="auc", rater="gamma")
        assert auc["value"] == pytest.approx(metrics.roc_auc_score(*zip(*scored, strict=True)))
        shares = [(score[i], np.mean([v == "yes" for v in answers[i]])) for i in of_class if i in score]
        rho = pick(records, certainty=name, statistic="spearman", rater="gamma")
        if name == "split":
            assert (rho["value"], rho["reason"]) == (None, "people's mean is constant")  # half yes, half no everywhere
        else:
            assert rho["value"] == pytest.approx(stats.spearmanr(shares).statistic)


def test_cells_are_tasks_but_not_generators() -> None:
    records = report(ugly(1), BY_CLASS)["by_certainty"]
    assert {(row["generator"], row["task"]) for row in records} == {("all", t) for t in ("t0", "t1", "all", "tasks_mean")}


def test_a_class_without_units_says_so() -> None:
    records = report(people({"i": "y y", "j": "n n"}) + scorer("m", {"i": "yes", "j": "no"}), BY_CLASS)["by_certainty"]
    for name in ("majority", "split"):
        row = pick(records, statistic="cohen_kappa", certainty=name)
        assert (row["value"], row["n_items"], row["reason"]) == (None, 0, f"the scorer judged no unit of the class {name}")


def test_statistics_and_classes_may_be_chosen() -> None:
    rows = people(PEOPLE) + scorer("m", OWN)
    results = report(rows, Options(by_certainty=True, statistics=("mean", "pabak"), certainty=("split", "majority")))
    assert {row["statistic"] for row in results["by_certainty"]} == {"mean", "pabak"}
    assert {row["certainty"] for row in results["by_certainty"]} == {"split", "majority"}


def test_by_default_there_are_none() -> None:
    assert report(people(PEOPLE) + scorer("m", OWN), Options())["by_certainty"] == []
