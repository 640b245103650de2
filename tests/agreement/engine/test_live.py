"""Standing sums give what the report gives, before and after answers come, go and change, and compute only what is touched."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agreement import Options, build
from agreement.engine.counts import NotServedError, StaleError
from agreement.engine.live import HUMAN_HUMAN, SCORER_HUMAN, AspectScale, LiveEstimates
from agreement.statistics import correlation, many_raters, two_raters
from tests.agreement.json_rows import json_rows
from tests.agreement.judgement_counts import Judgement, counted, counted_items, marked

SCALES = {
    "nominal yes/no": ("nominal", ("yes", "no", "Yes")),
    "nominal": ("nominal", ("red", "green", "blue", "yes", "no")),
    "ordinal:1-3": ("ordinal:1-3", ("1", "2", "3", "3.0", "7")),
    "ordinal:low<mid<high": ("ordinal:low<mid<high", ("low", "mid", "high")),
}
ASPECT = "correct"
Rows = list[dict[str, Any]]


def row(item: str, rater: str, label: str | None, **other: Any) -> Judgement:
    n = int(item[1:])
    made = {
        "suite": "s", "item": item, "prompt": f"p{n // 2}", "task": (None, "t1", "t2")[n % 3],
        "generator": ("g1", "g2", None, "g1", "g2")[n % 5], "rater": rater, "kind": "human", "identity": "person",
        "simulated": rater.startswith("sim"), "aspect": ASPECT, "target": None, "label": label, "number": np.nan, "seq": 0,
        "excluded": None,
    }  # fmt: skip
    return made | other


def expected(rows: list[Judgement], scale: str) -> dict[str, Rows]:
    scales = {("s", ASPECT): scale, ("s", "score"): "interval"}
    options = Options(tuple(HUMAN_HUMAN | SCORER_HUMAN), intervals=False, matrix=False, each_generator=False)
    results = json_rows(build(pd.DataFrame(rows), scales, options)) if rows else {}
    allowed = {"among_people": HUMAN_HUMAN, "raters": SCORER_HUMAN}
    return {
        name: [each for each in results.get(name, []) if each["statistic"] in names and each["aspect"] == ASPECT]
        for name, names in allowed.items()
    }


def same(standing: LiveEstimates, rows: list[Judgement], scale: str) -> None:
    """Every row, in order: all keys equal, values to rounding."""
    results = json_rows(standing.report())
    wanted = expected(rows, scale)
    for section, made in wanted.items():
        assert [_but_value(each) for each in results[section]] == [_but_value(each) for each in made]
        for entry, other in zip(results[section], made, strict=True):
            assert entry["value"] == pytest.approx(other["value"], abs=1e-12), other
    assert results["matrix"] == []


def _but_value(each: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in each.items() if key != "value"} | {"defined": each["value"] is not None}


def make(rows: list[Judgement], scale: str) -> LiveEstimates:
    return LiveEstimates(AspectScale("s", ASPECT, scale), *counted(rows, ASPECT, PLACES))


# --- random ugly frames -----------------------------------------------------------------------------------------------
ITEMS = [f"i{n}" for n in range(10)]
PLACES = [row(item, "", None) for item in ITEMS]
PEOPLE = ("ann", "bob", "eve", "sim1", "sim2")
REASONS = (None, None, None, None, "cannot_tell", "saw_evidence")


@st.composite
def judgement_lists(
    draw: st.DrawFn, labels: tuple[str, ...], items: tuple[str, ...] = tuple(ITEMS), most: int = 40
) -> list[Judgement]:
    """What people say of items: some not at all, some twice, some in a way that does not count."""
    rows = []
    for seq in range(draw(st.integers(0, most))):
        reason, label = draw(st.sampled_from(REASONS)), draw(st.sampled_from(labels))
        target = draw(st.sampled_from((None, None, "cat", "dog")))
        who, item = draw(st.sampled_from(PEOPLE)), draw(st.sampled_from(items))
        label_or_none = None if reason == "cannot_tell" else label
        rows.append(row(item, who, label_or_none, seq=seq, excluded=reason, target=target))
    return rows


@st.composite
def judged(draw: st.DrawFn, labels: tuple[str, ...]) -> list[Judgement]:
    """What scorers say: labels, scores with ties, or both."""
    rows = []
    for name in draw(st.sets(st.sampled_from(("m1", "m2", "a m")))):
        scorer = {"kind": "scorer", "identity": None, "seq": 1000}
        if draw(st.booleans()):
            for item in draw(st.sets(st.sampled_from(ITEMS))):
                reason = draw(st.sampled_from((None, None, None, "failed")))
                target = draw(st.sampled_from((None, "cat")))
                rows.append(row(item, name, draw(st.sampled_from(labels)), target=target, excluded=reason, **scorer))
        if draw(st.booleans()):
            for item in draw(st.sets(st.sampled_from(ITEMS))):
                number = draw(st.sampled_from((0.25, 0.5, 0.5, 1e6, -3.0, np.nan, np.inf)))
                rows.append(row(item, name, None, number=number, aspect="score", **scorer))
    return rows


@pytest.mark.parametrize("name", SCALES)
@settings(max_examples=4, deadline=None)
@given(data=st.data())
def test_equal_to_the_report_before_and_after_updates(name: str, data: st.DataObject) -> None:
    scale, labels = SCALES[name]
    machines = data.draw(judged(labels))
    people = data.draw(judgement_lists(labels))
    everything = marked(people + machines)
    standing = make(everything, scale)
    same(standing, everything, scale)
    for _ in range(3):
        touched = tuple(data.draw(st.sets(st.sampled_from(ITEMS), min_size=1, max_size=3)))
        people = [each for each in people if each["item"] not in touched] + data.draw(judgement_lists(labels, touched, 8))
        everything = marked(people + machines)
        try:
            standing.update(*counted_items(everything, ASPECT, PLACES, touched))
        except StaleError:
            standing = make(everything, scale)
        same(standing, everything, scale)


@settings(max_examples=6, deadline=None)
@given(data=st.data())
def test_ordinal_scales_never_go_stale_over_labels(data: st.DataObject) -> None:
    scale, labels = SCALES["ordinal:1-3"]
    seed = [row(item, "ann", "1") for item in ITEMS]  # every task and generator is there
    standing = make(seed, scale)
    everything = marked(seed + data.draw(judgement_lists(labels)))
    standing.update(*counted_items(everything, ASPECT, PLACES, ITEMS))
    same(standing, everything, scale)


# --- only what changed ------------------------------------------------------------------------------------------------
CELLS = [("t1", "g1"), ("t1", "g2"), ("t2", "g1"), ("t2", "g2")]
STUDY_PLACES = [row(f"i{n}", "", None, task=CELLS[n % 4][0], generator=CELLS[n % 4][1]) for n in range(40)]


def study() -> list[Judgement]:
    """40 items in four cells; two persons, a scorer that labels all and one that scores all."""
    rng = np.random.default_rng(0)
    rows = []
    for index in STUDY_PLACES:
        for seq, (rater, yes) in enumerate((("ann", 0.5), ("bob", 0.6), ("m", 0.4))):
            kind = {"kind": "scorer", "identity": None} if rater == "m" else {}
            rows.append(index | {"rater": rater, "label": "yes" if rng.random() < yes else "no", "seq": seq} | kind)
        rows.append(index | {"rater": "n", "kind": "scorer", "aspect": "score", "number": rng.random(), "seq": 3})
    return rows


def answered(rows: list[Judgement], item: str, rater: str, label: str) -> list[Judgement]:
    """With one more answer."""
    index = next(each for each in STUDY_PLACES if each["item"] == item)
    return [*rows, index | {"rater": rater, "label": label, "seq": 100 + len(rows)}]


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The name of every formula that is evaluated, in order."""
    names: list[str] = []

    def counting(name: str, formula: Any) -> Any:
        def counted_formula(*arguments: Any) -> Any:
            names.append(name)
            return formula(*arguments)

        return counted_formula

    for formulas in (many_raters.FORMULAS, two_raters.FORMULAS):
        for name, formula in list(formulas.items()):
            monkeypatch.setitem(formulas, name, counting(name, formula))
    monkeypatch.setattr(correlation, "with_groups", counting("with_groups", correlation.with_groups))
    return names


def test_only_the_cells_of_the_answer_are_computed_again(made: list[str]) -> None:
    rows = study()
    standing = LiveEstimates(AspectScale("s", ASPECT, "nominal"), *counted(rows, ASPECT, STUDY_PLACES))
    assert made == []
    standing.report()
    # 3 cells: each task and all; in each fleiss_kappa of people, cohen_kappa of the scorer that labels, rho and r of the other
    assert [made.count(name) for name in ("fleiss_kappa", "cohen_kappa", "with_groups")] == [3, 3, 6]
    made.clear()
    standing.report()
    rows = answered(rows, "i5", "eve", "yes")  # i5 is of t1
    standing.update(*counted_items(rows, ASPECT, STUDY_PLACES, ["i5"]))
    assert made == []
    standing.report()
    assert [made.count(name) for name in ("fleiss_kappa", "cohen_kappa", "with_groups")] == [2, 2, 4]
    same_study(standing, rows)


def same_study(standing: LiveEstimates, rows: list[Judgement]) -> None:
    results, wanted = json_rows(standing.report()), expected(rows, "nominal")
    for section, each in wanted.items():
        assert [(r["task"], r["generator"], r["statistic"]) for r in results[section]] == [
            (r["task"], r["generator"], r["statistic"]) for r in each
        ]
        assert [r["value"] for r in results[section]] == pytest.approx([r["value"] for r in each], abs=1e-12)


def test_an_answer_that_changes_nothing_computes_nothing(made: list[str]) -> None:
    rows = study()
    standing = LiveEstimates(AspectScale("s", ASPECT, "nominal"), *counted(rows, ASPECT, STUDY_PLACES))
    before = standing.report()
    made.clear()
    standing.update(*counted_items(rows, ASPECT, STUDY_PLACES, ["i1", "i2"]))
    assert standing.report() == before
    assert made == []
    standing.update(*counted_items(answered(rows, "i5", "eve", "yes"), ASPECT, STUDY_PLACES, ["i5"]))
    standing.report()
    assert made


def test_answers_of_simulated_people_leave_the_rows_of_real_ones(made: list[str]) -> None:
    rows = study()
    standing = LiveEstimates(AspectScale("s", ASPECT, "nominal"), *counted(rows, ASPECT, STUDY_PLACES))
    before = standing.report()
    made.clear()
    rows = answered(rows, "i5", "sim1", "yes")
    rows[-1]["simulated"] = True
    standing.update(*counted_items(rows, ASPECT, STUDY_PLACES, ["i5"]))
    after = standing.report()
    assert [row for row in after.raters if row.people == "real"] == list(before.raters)
    # the task's and the whole, of simulated people
    assert made.count("cohen_kappa") == 2
    same_study(standing, rows)


# --- sums that leave nothing behind -----------------------------------------------------------------------------------
def test_what_goes_leaves_no_rounding_behind() -> None:
    """Shares of thirds and sevenths come and go; then all say yes, and chance has nothing to say: not 1 - 1e-16."""
    rows = [row(item, f"r{n}", "yes") for item in ITEMS for n in range(3)]
    rows += [row("i1", "r9", None, excluded="cannot_tell", seq=9), row("i2", "m", "no", kind="scorer", identity=None)]
    standing = make(rows, "nominal")
    percent = [row["value"] for row in json_rows(standing.report())["among_people"] if row["statistic"] == "percent_agreement"]
    assert percent[-1] == 1.0
    for n in range(40):
        some = [row(item, f"x{k}", "no", seq=50) for k, item in enumerate(ITEMS[: n % 9] * 4)]
        standing.update(*counted_items(marked(rows + some), ASPECT, PLACES, ITEMS))
    standing.update(*counted_items(rows, ASPECT, PLACES, ITEMS))
    same(standing, rows, "nominal")
    results = {each["statistic"]: each for each in json_rows(standing.report())["among_people"] if each["task"] == "all"}
    assert results["percent_agreement"]["value"] == 1.0
    assert (results["fleiss_kappa"]["value"], results["fleiss_kappa"]["reason"]) == (None, "all ratings use a single label")


def test_correlations_do_not_drift() -> None:
    """Hundreds of answers come, change and go, some about an item whose score is far off; then nobody has rated that one."""
    rng = np.random.default_rng(1)
    rows = [each | {"number": 1e9 if each["item"] == "i7" else each["number"]} for each in study()]
    standing = LiveEstimates(AspectScale("s", ASPECT, "nominal"), *counted(rows, ASPECT, STUDY_PLACES))
    standing.report()
    for n in range(200):
        item = f"i{7 if n % 4 == 0 else rng.integers(40)}"
        rows = [each for each in rows if each["kind"] == "scorer" or each["item"] != item]
        for rater in ("ann", "bob", "eve")[: rng.integers(4) if n < 196 else 0]:
            rows = answered(rows, item, rater, ("yes", "no")[rng.integers(2)])
        standing.update(*counted_items(rows, ASPECT, STUDY_PLACES, [item]))
        standing.report()
    same_study(standing, rows)
    everything = [f"i{n}" for n in range(40)]
    for item in everything:  # of too many at once the ranks are made anew
        rows = answered(rows, item, "zoe", ("yes", "no")[rng.integers(2)])
    standing.update(*counted_items(rows, ASPECT, STUDY_PLACES, everything))
    same_study(standing, rows)


# --- what it does not do ----------------------------------------------------------------------------------------------
def test_what_is_not_followed_says_so() -> None:
    rows = [row(item, "ann", "red") for item in ITEMS]
    for label, rest in (("blue", rows), ("red", [])):  # a label that is new; or nothing is left of anything
        standing = make(rows, "nominal")
        now = [*rest, row("i1", "bob", label, excluded=None if rest else "surplus")]
        with pytest.raises(StaleError):
            standing.update(*counted_items(now, ASPECT, PLACES, ITEMS))


def test_a_scale_that_becomes_yes_or_no_is_not_followed() -> None:
    rows = [row("i1", "ann", "yes"), row("i2", "ann", "maybe")]
    standing = make(rows, "nominal")
    with pytest.raises(StaleError, match="scale has changed"):
        standing.update(*counted_items([row("i1", "ann", "yes")], ASPECT, PLACES, ["i2"]))


def test_a_label_that_did_not_count_and_now_does_is_not_followed() -> None:
    rows = [row("i1", "ann", "yes"), row("i2", "ann", "maybe", excluded="saw_evidence")]
    standing = make(rows, "nominal")
    with pytest.raises(StaleError, match="did not count before"):
        standing.update(*counted_items([row("i2", "ann", "maybe")], ASPECT, PLACES, ["i2"]))


def test_a_new_task_is_not_followed() -> None:
    standing = make([row("i1", "ann", "yes")], "nominal")
    other = row("i77", "ann", "yes", task="another")
    with pytest.raises(StaleError, match="another"):
        standing.update(*counted_items([other], ASPECT, [other], ["i77"]))


def test_an_item_that_is_new_is_followed() -> None:
    rows = [row(item, "ann", ("yes", "no")[n % 2]) for n, item in enumerate(ITEMS)]
    standing = make(rows, "nominal")
    rows += [row("i10", "ann", "yes"), row("i10", "bob", "no"), row("i11", "bob", "yes")]
    standing.update(*counted_items(rows, ASPECT, [*PLACES, *rows], ["i10", "i11"]))
    same(standing, rows, "nominal")


def test_numbers_without_labels_are_not_served() -> None:
    with pytest.raises(NotServedError):
        make([row("i1", "ann", None, number=0.5)], "interval")
    many = [row("i1", f"r{n}", str(n), seq=n) for n in range(9000)]
    with pytest.raises(NotServedError):
        make(many, "nominal")


def test_nothing_gives_no_rows() -> None:
    assert json_rows(make([], "nominal").report())["among_people"] == []


@pytest.mark.parametrize("huge", [1e200, 1e-200])
def test_numbers_of_another_task_hide_none(huge: float) -> None:
    """Scores of t2 that are 1e200 times as large, or as small, leave Pearson's r of t1 what it is."""
    rows = []
    for n, item in enumerate(ITEMS):
        rows += [row(item, who, "yes" if n // (k + 2) % 2 else "no", seq=k) for k, who in enumerate(("ann", "bob"))]
        size = huge if row(item, "m1", None)["task"] == "t2" else 1.0
        number = (n * 7 % 5) * size
        rows.append(row(item, "m1", None, number=number, aspect="score", kind="scorer", identity=None, seq=1000))
    standing = make(rows, "nominal")
    results = {each["task"]: each for each in json_rows(standing.report())["raters"] if each["statistic"] == "pearson"}
    assert results["t1"]["value"] is not None
    assert results["t2"]["value"] is not None
    same(standing, rows, "nominal")
