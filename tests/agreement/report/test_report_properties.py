"""The whole engine on random ugly frames: what holds for every report, and equality with reference implementations."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, example, given, settings
from hypothesis import strategies as st

from agreement import Options, build
from tests.agreement.frames import Judgement, frame, judgement, scorer
from tests.agreement.json_rows import json_rows
from tests.agreement.oracles import inter_rater, krippendorff, metrics, stats

Table = list[list[int | None]]  # for each item what each rater said, None for nothing
Values = dict[tuple[Any, ...], float | None]
SCALES = {
    ("s", "yesno"): "nominal", ("s", "letters"): "nominal", ("s", "likert"): "ordinal:1-4", ("s", "size"): "ordinal:z<m<a",
    ("s", "number"): "interval", ("s", "score"): "interval", ("s", "correct"): "nominal",
}  # fmt: skip
WORDS: dict[str, Sequence[str | float]] = {
    "yesno": ("no", "yes"), "letters": "abcd", "likert": "1234", "size": "zma", "number": (-1.5, 0.1, 0.2, 7e5),
    "correct": ("no", "yes"),
}  # fmt: skip
POINTS = Options(intervals=False, each_generator=False)
usually = settings(max_examples=8, deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow])


@st.composite
def tables(draw: st.DrawFn, *, items: tuple[int, int] = (1, 7), raters: tuple[int, int] = (1, 4), gaps: bool = True) -> Table:
    """Tables of codes 0 .. k, full of gaps or with a few or none; k may be 0, one constant value."""
    most = draw(st.integers(0, 3))
    strategy: st.SearchStrategy[int | None] = st.integers(0, most)
    if gaps:
        few = st.integers(-1, 9).map(lambda n: n % (most + 1) if n >= 0 else None)
        strategy = st.none() | strategy if draw(st.booleans()) else few
    width = draw(st.integers(*raters))
    return draw(st.lists(st.lists(strategy, min_size=width, max_size=width), min_size=items[0], max_size=items[1]))


@st.composite
def couples(draw: st.DrawFn) -> Table:
    """Two raters who share ten items at least, and have some apart."""
    return draw(tables(items=(10, 14), raters=(2, 2), gaps=False)) + draw(tables(items=(0, 4), raters=(2, 2)))


aspects = st.sampled_from(["yesno", "letters", "likert", "size", "number"])


def rows_of(table: Table, aspect: str, *, names: Sequence[str] = "pqrstu") -> list[Judgement]:
    """Two items a prompt, two tasks, two generators; `seq` in order of raters, then of items."""
    words = WORDS[aspect]
    return [
        judgement(
            f"i{i:02}", names[r], words[said % len(words)], aspect=aspect, seq=100 * r + i,
            prompt=f"p{i // 2}", task=f"t{i // 2 % 2}", generator=f"g{i % 2}",
        )
        for i, row in enumerate(table) for r, said in enumerate(row) if said is not None
    ]  # fmt: skip


def values(rows: list[Judgement], options: Options = POINTS) -> Values:
    """Every value of the report under what names it; the two raters of the matrix as a set."""
    entries: Values = {}
    for section, made in json_rows(build(frame(rows), SCALES, options)).items():
        for row in made:
            who = frozenset({row["a"], row["b"]}) if "a" in row else row.get("rater")
            entries[section, who, row["task"], row["generator"], row["aspect"], row["people"], row["statistic"]] = row["value"]
    return entries


def same(entries: Values, two: Values) -> None:
    assert entries.keys() == two.keys()
    for key, value in entries.items():
        assert value == pytest.approx(two[key], abs=1e-9), key


def one(entries: Values, statistic: str, who: Any = None, task: str = "all") -> float | None:
    (value,) = [v for k, v in entries.items() if (k[1], k[2], k[3], k[6]) == (who, task, "all", statistic)]
    return value


# --- invariance -------------------------------------------------------------------------------------------------------
@usually
@given(tables(items=(1, 11)), aspects, st.randoms(use_true_random=False))
def test_the_order_of_rows_and_the_names_of_raters_do_not_matter(table: Table, aspect: str, random: Any) -> None:
    rows = rows_of(table, aspect)
    shuffled = random.sample(rows, len(rows))
    options = Options(each_generator=False)
    assert build(frame(shuffled), SCALES, options) == build(frame(rows), SCALES, options)
    names = random.sample("pqrstu", 6)
    other = dict(zip("pqrstu", names, strict=True))
    renamed: Values = {}
    for key, value in values(rows).items():
        who = frozenset(other[name] for name in key[1]) if key[1] else key[1]
        renamed[key[0], who, *key[2:]] = value
    same(values(rows_of(table, aspect, names=names)), renamed)


@usually
@given(tables(), aspects, st.data())
def test_what_does_not_count_changes_nothing_but_what_is_excluded(table: Table, aspect: str, data: st.DataObject) -> None:
    rows = rows_of(table, aspect)
    assume(rows)
    noise: list[Judgement] = []
    for row in data.draw(st.lists(st.sampled_from(rows), max_size=6)):
        other = {"label": WORDS[aspect][0], "number": math.nan} if row["label"] else {"number": 99.0}
        noise.append(row | other | {"seq": 1000 + len(noise)})  # a repeat
        noise.append(row | {"rater": "x", "excluded": "cannot_tell"})
        noise.append(row | {"rater": "consensus", "kind": "consensus"})
    same(values(rows + noise), values(rows))
    before, after = (build(frame(part), SCALES, POINTS).among_people for part in (rows, rows + noise))
    for plain, noisy in zip(before, after, strict=True):
        if plain.task == "all":
            more = sum(noisy.excluded.values()) - sum(plain.excluded.values())
            assert (noisy.n_items, noisy.n_ratings, more) == (plain.n_items, plain.n_ratings, 2 * len(noise) // 3)


def test_a_label_that_stands_in_repeats_alone_is_none() -> None:
    """Found by the test above: AC1 of one label that is used is undefined, whatever a repeat says."""
    rows = rows_of([[1, 1]], "letters")
    repeat = rows[0] | {"label": WORDS["letters"][0], "number": math.nan, "seq": 1000}
    assert one(values([*rows, repeat]), "gwet_ac1") is None
    same(values([*rows, repeat]), values(rows))


@usually
@given(couples(), aspects)
def test_two_raters_are_alike_to_each_other(table: Table, aspect: str) -> None:
    turned: Table = [list(reversed(row)) for row in table]
    results, back = values(rows_of(table, aspect)), values(rows_of(turned, aspect))
    two = {key: value for key, value in results.items() if key[0] == "matrix"}
    assert two
    same(two, {key: value for key, value in back.items() if key[0] == "matrix"})


# --- bounds and bookkeeping -------------------------------------------------------------------------------------------
SHARES = {"percent_agreement", "percent_agreement_first_vs_rest", "unanimous_share", "majority_share", "auc"}
FROM_MINUS_ONE = {
    "cohen_kappa", "cohen_kappa_linear", "cohen_kappa_quadratic", "gwet_ac1", "pabak", "pearson", "spearman", "kendall_tau_b",
}  # fmt: skip


@usually
@given(tables(items=(1, 11)), aspects, st.integers(0, 3))
def test_every_row_is_bounded_and_accounts_for_itself(table: Table, aspect: str, scorers: int) -> None:
    rows = rows_of(table, aspect)
    words = WORDS[aspect]
    for m in range(scorers):
        machine = {row["item"]: words[(k * (m + 1)) % len(words)] for k, row in enumerate(rows) if k % (m + 2)}
        rows += [r | {"aspect": aspect} for r in scorer(f"m{m}", machine, seq=5000)]
    people = sum(row["kind"] == "human" for row in rows)
    for section, made in json_rows(build(frame(rows), SCALES, Options())).items():
        for row in made:
            name, numbers = row["statistic"], [row[k] for k in ("value", "low", "high") if row[k] is not None]
            assert (row["value"] is None) == (row["reason"] is not None)
            assert row["low"] is None or (row["value"] is not None and row["low"] <= row["high"])
            assert all(n > 0 for n in row["excluded"].values())
            assert row["n_ratings"] >= row["n_items"] >= 0
            if name != "mean":
                lowest = 0.0 if name in SHARES else -1.0 if name in FROM_MINUS_ONE else -math.inf
                assert all(lowest - 1e-12 <= x <= 1.0 for x in numbers), row
            whole = section == "among_people" and (row["task"], row["generator"]) == ("all", "all")
            if whole and name.startswith(("mean", "krippendorff", "percent_agreement", "fleiss")):
                assert row["n_ratings"] + sum(row["excluded"].values()) == people, row


@usually
@given(tables(items=(1, 12)), aspects)
@example([[0, 0], [None, None], [1, None]], "likert")
@example([[3, 3, 3, 3]], "yesno")
def test_perfect_agreement_is_one_or_undefined(table: Table, aspect: str) -> None:
    truth: Table = [[i % 3 if said is not None else None for said in row] for i, row in enumerate(table)]
    rows = rows_of(truth, aspect)
    rows += [
        row | {"rater": "m", "kind": "scorer", "identity": None, "seq": 9999} for row in {r["item"]: r for r in rows}.values()
    ]
    defined = set()
    for key, value in values(rows, Options(intervals=False)).items():
        if key[6] != "mean":
            assert value is None or value == pytest.approx(1.0, abs=1e-12), key
            defined |= {(key[0], key[6])} if value is not None else set()
    if aspect != "number" and rows:
        assert ("raters", "percent_agreement") in defined
        several = any(sum(said is not None for said in row) > 1 for row in truth)
        assert (("among_people", "percent_agreement") in defined) == several
        used = {said % len(WORDS[aspect]) for row in truth for said in row if said is not None and _several(row)}
        assert (("among_people", "krippendorff_alpha_nominal") in defined) == (len(used) > 1)


def _several(row: Iterable[int | None]) -> bool:
    return sum(said is not None for said in row) > 1


# --- reference implementations ----------------------------------------------------------------------------------------
def check(result: float | None, *, defined: bool, reference: Callable[..., Any], of: Sequence[Any], **other: Any) -> None:
    """Equal to the reference where it is defined, None elsewhere."""
    assert (result is not None) == defined
    if defined:
        value = reference(*of, **other)
        assert result == pytest.approx(float(getattr(value, "statistic", value)), abs=1e-9)


WEIGHTS = {"cohen_kappa": None, "cohen_kappa_linear": "linear", "cohen_kappa_quadratic": "quadratic"}
CORRELATIONS: Mapping[str, Callable[..., Any]] = {
    "pearson": stats.pearsonr, "spearman": stats.spearmanr, "kendall_tau_b": stats.kendalltau,
}  # fmt: skip


@usually
@given(couples())
def test_two_raters_equal_scikit_learn_and_scipy(table: Table) -> None:
    both = [(x, y) for x, y in table if x is not None and y is not None]
    answers = list(zip(*both, strict=True))
    first, second = (set(column) for column in answers)
    results = {key: value for key, value in values(rows_of(table, "likert")).items() if key[0] == "matrix"}
    for name, weights in WEIGHTS.items():
        kappa, used = one(results, name, frozenset("pq")), first | second
        check(kappa, defined=len(used) > 1, reference=metrics.cohen_kappa_score, of=answers, labels=range(4), weights=weights)
    for name, correlate in CORRELATIONS.items():
        vary = len(first) > 1 and len(second) > 1
        check(one(results, name, frozenset("pq")), defined=vary, reference=correlate, of=answers)


@usually
@given(tables(items=(1, 9)), st.sampled_from(["letters", "likert", "number"]))
def test_alpha_equals_krippendorff(table: Table, aspect: str) -> None:
    results = {key: value for key, value in values(rows_of(table, aspect)).items() if key[0] == "among_people"}
    numbers = [float(word) for word in WORDS[aspect]] if aspect != "letters" else [0.0, 1.0, 2.0, 3.0]
    data = np.array([[math.nan if said is None else numbers[said] for said in row] for row in table]).T
    pairable = data[:, (~np.isnan(data)).sum(0) > 1]
    defined = len(set(pairable[~np.isnan(pairable)].tolist())) > 1
    for level in ("nominal", "ordinal", "interval"):
        name = f"krippendorff_alpha_{level}"
        if any(key[6] == name for key in results):
            alpha = one(results, name)
            check(alpha, defined=defined, reference=krippendorff.alpha, of=[pairable], level_of_measurement=level)


@usually
@given(tables(items=(1, 9), raters=(2, 5), gaps=False))
def test_fleiss_equals_statsmodels_for_equal_numbers_of_raters(table: Table) -> None:
    results = values(rows_of(table, "likert"), Options(intervals=False, matrix=False, statistics=("fleiss_kappa",)))
    counts = np.array([[row.count(k) for k in range(4)] for row in table])
    several = len({said for row in table for said in row}) > 1
    check(one(results, "fleiss_kappa"), defined=several, reference=inter_rater.fleiss_kappa, of=[counts])


@usually
@given(tables(items=(1, 9)), st.lists(st.none() | st.integers(-2, 2), min_size=9, max_size=9))
def test_a_scorer_equals_scikit_learn_and_scipy(table: Table, scores: list[int | None]) -> None:
    """A score and a decision (score > 0) beside every rating, and beside the mean of each item."""
    rows = rows_of(table, "correct")
    known = {f"i{i:02}": score for i, score in enumerate(scores) if score is not None}
    rows += scorer("m", {item: score / 3 for item, score in known.items()}, aspect="score")
    rows += scorer("n", {item: "yes" if score > 0 else "no" for item, score in known.items()})
    results = {key: value for key, value in values(rows, Options(intervals=False, matrix=False)).items() if key[0] == "raters"}
    answers = {f"i{i:02}": [code % 2 for code in row if code is not None] for i, row in enumerate(table)}
    met = [item for item, answers in answers.items() if answers and item in known]
    if not met:
        assert all(value is None for value in results.values())
        return
    pooled = [(known[item], answer) for item in met for answer in answers[item]]
    score, answer = zip(*pooled, strict=True)
    check(one(results, "auc", "m"), defined=len(set(answer)) > 1, reference=metrics.roc_auc_score, of=[answer, score])
    decided = [int(s > 0) for s in score]
    several = len({*decided, *answer}) > 1
    check(one(results, "cohen_kappa", "n"), defined=several, reference=metrics.cohen_kappa_score, of=[decided, answer])
    by_item = [[known[item] / 3 for item in met], [sum(answers[item]) / len(answers[item]) for item in met]]
    for name, correlate in CORRELATIONS.items():
        vary = all(len(set(column)) > 1 for column in by_item)
        check(one(results, name, "m"), defined=vary, reference=correlate, of=by_item)
