"""Consensus of people: by hand, against independent implementations, against a published example, and on ugly data."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from agreement.consensus import methods
from agreement.consensus.methods import (
    CHANCE,
    METHODS,
    CrowdAnswers,
    Method,
    ModelName,
    fit_consensus,
)
from agreement.reasons import Reason, ReasonCode
from concord.common.reason_sentences import text
from tests.agreement.crowd_consensus import NO_MAJORITY, TIED, ConsensusResult, consensus
from tests.agreement.crowd_samples import Answer, DawidSkene, Mace, answers_frame, ugly_answers

ROOT = Path(__file__).resolve().parents[3]
MODELS: tuple[ModelName, ...] = ("dawid_skene", "mace")
RESTARTS = methods.RESTARTS


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """MACE's start matters little here, and each takes most of a second; no test is given another's fit."""
    monkeypatch.setattr(methods, "RESTARTS", 2)
    methods._fitted.cache_clear()


@pytest.fixture
def hasty(monkeypatch: pytest.MonkeyPatch) -> None:
    """A model far from its end serves what is not about its numbers."""
    monkeypatch.setattr(methods, "RESTARTS", 1)
    monkeypatch.setattr(methods, "STEPS", 8)


# Dawid and Skene 1979, Table 1: 45 patients; observer 1 three times, then observers 2 to 5
PATIENTS = [
    "1111111", "3334334", "1122122", "2223121", "2223222", "2223322", "1222111", "3333433", "2222223",
    "2322223", "4444444", "2223343", "1111111", "2223212", "1211111", "1112111", "1111111", "1111111",
    "2222221", "2221322", "2222222", "2222221", "2223222", "2212222", "1111111", "1111111", "2322222",
    "1111111", "1111111", "1121121", "1111111", "3333233", "1111111", "2222222", "2223232", "4334343",
    "2212232", "2323233", "3333432", "1111111", "1111111", "1212111", "2322222", "1211111", "2222222",
]  # fmt: skip
# their Table 2: how common each class is; and how observer 1 answers where it is one of the three common ones, in rows
MARGINS = [0.40, 0.42, 0.11, 0.07]
OBSERVER_1 = [[0.89, 0.11, 0.00, 0.00], [0.07, 0.88, 0.05, 0.00], [0.00, 0.34, 0.66, 0.00]]


def answer_frame(text: str) -> pd.DataFrame:
    """`"i1: y y n; i2: y ."`: the answers to each item, the k-th by rater r<k>, . is none."""
    lines = [line.split(":") for line in text.split(";")]
    rows = [
        (item.strip(), f"r{n}", label)
        for item, labels in lines
        for n, label in enumerate(labels.split())
        if label != "."
    ]  # fmt: skip
    return answers_frame(rows)


def labels(result: ConsensusResult) -> dict[str, str | None]:
    return {each.item: each.label for each in result.items}


def coded(frame: pd.DataFrame) -> CrowdAnswers:
    columns = (pd.factorize(frame[name], sort=True)[0].astype(np.int64) for name in ("item", "rater", "label"))
    return CrowdAnswers(*columns)


def test_majority_by_hand() -> None:
    result = consensus(answer_frame("i1: y y n; i2: y n; i3: y n u; i4: y y n u; i5: u; i6: y y n n u"), "majority")
    assert [(each.label, each.confidence, each.n) for each in result.items] == [
        ("y", 2 / 3, 3), (None, 1 / 2, 2), (None, 1 / 3, 3), (None, 1 / 2, 4), ("u", 1.0, 1), (None, 2 / 5, 5),
    ]  # fmt: skip
    reasons = [each.reason for each in result.items]
    assert reasons == [
        None,
        TIED,
        TIED,
        NO_MAJORITY,
        None,
        TIED,
    ]
    assert result.reason is None


@pytest.mark.parametrize("names", [("a", "b"), ("b", "a"), ("Z", "a"), ("10", "9")])
@pytest.mark.parametrize("method", ["majority", "dawid_skene"])
def test_no_coin_is_flipped(method: Method, names: tuple[str, str]) -> None:
    """Two who disagree on everything: neither name comes first."""
    frame = answers_frame([(f"i{n}", rater, names[(n + k) % 2]) for n in range(6) for k, rater in enumerate(("r0", "r1"))])
    result = consensus(frame, method)
    assert set(labels(result).values()) == {None}
    assert {each.reason for each in result.items} == {TIED}


def test_held_out_majority_by_hand() -> None:
    #                   y,y,n: without each: y n -> tie, tie, yy -> y;  alone;  yyyn: yyn, yyn, yyn -> y, yyy -> y
    frame = answer_frame("i1: y y n; i2: y; i3: y y y n; i4: n n")
    answers = coded(frame)
    names = np.array(["n", "y", None], dtype=object)
    assert names[fit_consensus(answers, "majority").held_out].tolist() == [None, None, "y", None, "y", "y", "y", "y", "n", "n"]


@pytest.mark.parametrize("seed", [3])
def test_held_out_majority_is_the_majority_without_the_answer(seed: int) -> None:
    frame = answers_frame(ugly_answers(seed, items=10)).sort_values(["item", "rater"], ignore_index=True)
    result = fit_consensus(coded(frame), "majority").held_out
    names = sorted(frame["label"].unique())
    for n, row in frame.iterrows():
        rest = frame[(frame["item"] == row["item"]) & (frame["rater"] != row["rater"])]
        expected = labels(consensus(rest, "majority")).get(str(row["item"])) if len(rest) else None
        code = int(result[int(str(n))])
        assert (names[code] if code >= 0 else None) == expected


@pytest.mark.parametrize(
    ("seed", "names", "items"),
    [(0, "zay", 10), (1, "ab", 10), *(pytest.param(seed, "zay", 30, marks=pytest.mark.slow) for seed in (2, 3))],
)
def test_dawid_skene_equals_a_second_implementation(seed: int, names: str, items: int) -> None:
    answers = ugly_answers(seed, names, items)
    result, expected = consensus(answers_frame(answers), "dawid_skene"), DawidSkene(answers)
    for each in result.items:
        belief = expected.posterior[each.item]
        assert each.confidence == pytest.approx(max(belief.values()), abs=1e-6)
        if each.label is not None:
            assert belief[each.label] == pytest.approx(max(belief.values()), abs=1e-6)
    for person in result.raters:
        assert person.value == pytest.approx(expected.accuracy(person.rater), abs=1e-6)
        assert person.n == sum(rater == person.rater for _, rater, _ in answers)


def test_dawid_skene_held_out_is_what_the_others_say() -> None:
    rows = sorted(ugly_answers(0, items=10))
    model = methods.fit("dawid_skene", coded(answers_frame(rows)), 0)
    result = fit_consensus(coded(answers_frame(rows)), "dawid_skene").held_out
    again = DawidSkene(rows)
    for n, (item, rater, _) in enumerate(rows):
        others = [row for row in rows if row[0] == item and row[1] != rater]
        if not others:
            assert result[n] == -1
            continue
        belief = again.belief(others)
        code = int(result[n])
        assert belief[again.labels[code]] == pytest.approx(max(belief.values()), abs=1e-6)
    assert model.posterior.sum(1) == pytest.approx(1)


def test_dawid_skene_as_published() -> None:
    observers = ("1", "1", "1", "2", "3", "4", "5")
    rows = [(f"{n:02}", who, label) for n, line in enumerate(PATIENTS) for who, label in zip(observers, line, strict=True)]
    answers = coded(answers_frame(rows))
    model = methods.fit("dawid_skene", answers, 0)
    assert np.exp(model.prior) == pytest.approx(MARGINS, abs=0.006)
    mine = answers.person == 0
    by_answer = np.exp(model.terms[mine])
    errors = [by_answer[answers.label[mine] == k][0] for k in range(4)]
    assert (np.abs(np.array(errors).T[:3] - np.array(OBSERVER_1)) < 0.01).all()


@pytest.mark.parametrize(
    ("seed", "names", "items"),
    [(0, "zay", 10), *(pytest.param(1, names, 30, marks=pytest.mark.slow) for names in ("ab", "zay"))],
)
def test_mace_equals_a_second_implementation(seed: int, names: str, items: int) -> None:
    answers = ugly_answers(seed, names, items)
    result, expected = consensus(answers_frame(answers), "mace", seed=seed), Mace(answers, seed)
    for each in result.items:
        belief = expected.posterior[each.item]
        assert each.confidence == pytest.approx(max(belief.values()), abs=1e-6)
        assert each.label is None or belief[each.label] == pytest.approx(max(belief.values()), abs=1e-6)
    for person in result.raters:
        # ours is one step further
        assert person.value == pytest.approx(expected.competence(person.rater), abs=0.01)


@pytest.mark.parametrize("method", MODELS)
def test_two_people_who_always_differ_have_no_consensus(method: ModelName) -> None:
    rows = [
        (f"i{n}", who, label) for n, said in enumerate(("yx", "yx", "yx", "xy")) for who, label in zip("ab", said, strict=True)
    ]
    result = consensus(answers_frame(rows), method)
    assert {(each.label, each.reason) for each in result.items} == {(None, CHANCE if method == "mace" else TIED)}
    assert all(each.confidence == pytest.approx(0.5, abs=0.02) for each in result.items)


@pytest.mark.parametrize("people", [2, 4])
@pytest.mark.parametrize("units", [6, 10, pytest.param(20, marks=pytest.mark.slow), pytest.param(50, marks=pytest.mark.slow)])
def test_no_seed_decides_between_people_who_always_differ(people: int, units: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """MACE's likelihood has an optimum for each side; which one a seed's starts reach first is chance, and no label."""
    monkeypatch.setattr(methods, "RESTARTS", RESTARTS)
    unit, person = np.divmod(np.arange(units * people), people)
    answers = CrowdAnswers(unit, person, (unit + person) % 2)
    for seed in range(20):
        result = fit_consensus(answers, "mace", seed=seed)
        assert (result.label == -1).all()
        assert (result.held_out == -1).all()
        assert result.reason == result.no_quality == CHANCE


def test_mace_held_out_is_what_the_others_say() -> None:
    rows = sorted(ugly_answers(1, "zay", items=10))
    result = fit_consensus(coded(answers_frame(rows)), "mace").held_out
    again = Mace(rows)
    names = sorted(again.labels)
    for n, (item, rater, _) in enumerate(rows):
        others = [one for one in again.said if again.items[one[0]] == item and again.raters[one[1]] != rater]
        belief = np.prod([again._answer(r, label) for _, r, label in others], axis=0) if others else None
        if belief is None:
            assert result[n] == -1
        else:
            label = names[int(result[n])]
            assert result[n] >= 0
            assert belief[again.labels.index(label)] == pytest.approx(belief.max(), rel=1e-4)


@pytest.mark.parametrize("method", MODELS)
def test_guessing_is_distinguished_from_knowing(method: Method) -> None:
    rng = np.random.default_rng(5)
    rows = []
    for n in range(60):
        truth = int(rng.integers(3))
        rows += [(f"i{n:03}", f"knows{k}", "abc"[truth if rng.random() < 0.9 else int(rng.integers(3))]) for k in range(3)]
        rows.append((f"i{n:03}", "guesses", "abc"[int(rng.integers(3))]))
    results = {each.rater: each.value for each in consensus(answers_frame(rows), method).raters}
    assert results["guesses"] is not None
    for k in range(3):
        value = results[f"knows{k}"]
        assert value is not None
        assert value > 0.75 > 0.5 > results["guesses"]


@pytest.mark.usefixtures("hasty")
@pytest.mark.parametrize("method", METHODS)
def test_two_runs_and_any_order_of_rows_agree_bit_for_bit(method: Method) -> None:
    frame = answers_frame(ugly_answers(7, items=12))
    first = consensus(frame, method, seed=3)
    methods._fitted.cache_clear()
    assert consensus(frame, method, seed=3) == first
    methods._fitted.cache_clear()
    assert consensus(frame.sample(frac=1, random_state=1), method, seed=3) == first
    assert consensus(frame, method, levels=["a", "b", "c"], seed=3) == first


@pytest.mark.usefixtures("hasty")
@pytest.mark.parametrize("method", METHODS)
def test_the_state_of_numpy_plays_no_part(method: Method) -> None:
    frame = answers_frame(ugly_answers(2, items=12))
    results = []
    for state in (1, 2):
        methods._fitted.cache_clear()
        np.random.seed(state)
        results.append(consensus(frame, method))
    assert results[0] == results[1]


@pytest.mark.parametrize("method", METHODS)
def test_no_answers(method: Method) -> None:
    result = consensus(answers_frame([]), method)
    assert (result.items, result.raters, result.reason) == ((), (), methods.NO_ANSWERS)


@pytest.mark.parametrize("method", MODELS)
def test_what_determines_no_model(method: Method) -> None:
    one_person = consensus(answer_frame("i1: y; i2: n; i3: y"), method)
    assert one_person.reason == methods.UNPAIRED
    assert {each.reason for each in one_person.items} == {methods.UNPAIRED}
    assert {each.reason for each in one_person.raters} == {methods.UNPAIRED}
    apart = answers_frame([("i1", "r0", "y"), ("i2", "r1", "n")])
    assert consensus(apart, method).reason == methods.UNPAIRED
    slots = consensus(answer_frame("i1: y y n; i2: n n n"), method, persons=False)
    assert slots.reason == Reason(ReasonCode.SLOTS_HAVE_NO_MODEL, model=method)
    assert labels(slots) == {"i1": None, "i2": None}
    many = answers_frame([(f"i{n}", f"r{k}", f"{n}") for n in range(methods.MOST_LABELS + 1) for k in range(2)])
    assert text(consensus(many, method).reason) == f"101 different labels; {method} takes 100"


def test_slots_have_a_majority() -> None:
    assert labels(consensus(answer_frame("i1: y y n; i2: n n n"), "majority", persons=False)) == {"i1": "y", "i2": "n"}


@pytest.mark.parametrize("method", MODELS)
def test_one_label_throughout(method: Method) -> None:
    frame = answer_frame("i1: y y; i2: y . y; i3: y")
    result = consensus(frame, method)
    assert labels(result) == {"i1": "y", "i2": "y", "i3": "y"}
    assert {each.confidence for each in result.items} == {1.0}
    assert {(each.value, each.reason) for each in result.raters} == {(None, methods.ONE_LABEL)}
    assert fit_consensus(coded(frame), method).held_out.tolist() == [0, 0, 0, 0, -1]


@pytest.mark.usefixtures("hasty")
@pytest.mark.parametrize("method", METHODS)
def test_one_item(method: Method) -> None:
    result = consensus(answer_frame("i1: y y n"), method)
    assert result.items[0].label == "y"
    assert result.reason is None


@pytest.mark.usefixtures("hasty")
def test_labels_keep_the_order_of_their_scale() -> None:
    frame = answers_frame(ugly_answers(3, items=12))
    renamed = frame.assign(label=frame["label"].map({"a": "low", "b": "mid", "c": "high"}))
    levels = ["low", "mid", "high"]  # by the alphabet high would come first
    for method in METHODS:
        first, second = consensus(frame, method), consensus(renamed, method, levels=levels)
        assert [each.confidence for each in first.items] == [each.confidence for each in second.items]
        assert first.raters == second.raters


@pytest.mark.usefixtures("hasty")
def test_hostile_names_are_names() -> None:
    names = {"a": "<b>'; drop table", "b": "label", "c": "True"}
    frame = answers_frame(ugly_answers(4, items=12))
    hostile = frame.assign(label=frame["label"].map(names), rater=frame["rater"].map(lambda name: f"worker\n{name},\"'"))
    for method in METHODS:
        plain, odd = consensus(frame, method), consensus(hostile, method, levels=list(names.values()))
        assert [names.get(each.label or "") for each in plain.items] == [each.label for each in odd.items]


def test_thousands_of_answers_about_a_unit(monkeypatch: pytest.MonkeyPatch) -> None:
    """Products of thousands of probabilities are 0 in floating point; two halves of a crowd that always differ are a tie."""

    def crowd(of: int) -> list[tuple[str, str, str]]:
        return [(f"i{k}", f"r{n:04}", "y" if (n % of + k) % 2 else "n") for k in range(2) for n in range(4000)]

    monkeypatch.setattr(methods, "RESTARTS", 10)
    halves, two_thirds = (consensus(answers_frame(crowd(of)), "mace") for of in (2, 3))
    assert labels(halves) == {"i0": None, "i1": None}
    assert {unit_consensus.reason for unit_consensus in halves.items} == {CHANCE}
    assert labels(two_thirds) == {"i0": "n", "i1": "y"}


def _crowd_kit_frame(answers: list[Answer]) -> pd.DataFrame:
    """As crowd-kit takes answers: in order of persons and items, labels as numbers in the order in which they appear."""
    frame = answers_frame(answers).sort_values(["rater", "item"], ignore_index=True)
    label, names = pd.factorize(frame["label"])
    frame.attrs["labels"] = list(names)
    return frame.assign(task=frame["item"], worker=pd.factorize(frame["rater"])[0], label=label + 2)


@pytest.mark.parametrize("seed", [0, *(pytest.param(seed, marks=pytest.mark.slow) for seed in (1, 2))])
def test_dawid_skene_and_mace_equal_crowd_kit(seed: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """crowd-kit 1.4.2 with its defaults, but for fewer starts of MACE: the same probabilities of every label."""
    classification = pytest.importorskip("crowdkit.aggregation.classification")
    answers = ugly_answers(seed, "zay")
    data = _crowd_kit_frame(answers)
    starts = 3
    assert (classification.MACE().n_restarts, classification.MACE().n_iter) == (RESTARTS, methods.STEPS)
    monkeypatch.setattr(methods, "RESTARTS", starts)
    models: dict[Method, Any] = {
        "dawid_skene": classification.DawidSkene(100),
        "mace": classification.MACE(n_restarts=starts, random_state=np.random.RandomState(seed)),
    }
    for method, model in models.items():
        theirs = model.fit(data[["task", "worker", "label"]]).probas_.sort_index()
        result = consensus(answers_frame(answers), method, seed=seed)
        assert [unit_consensus.item for unit_consensus in result.items] == list(theirs.index)
        assert [unit_consensus.confidence for unit_consensus in result.items] == pytest.approx(
            theirs.max(axis=1).tolist(), abs=1e-9
        )
        leading = [data.attrs["labels"][int(code) - 2] for code in theirs.idxmax(axis=1)]
        assert [unit_consensus.label or lead for unit_consensus, lead in zip(result.items, leading, strict=True)] == leading


@pytest.mark.slow
def test_a_fit_brings_no_deep_learning_along() -> None:
    code = """
import sys
import numpy as np
from agreement.consensus import methods
answers = methods.CrowdAnswers(*(np.array(codes) for codes in ([0, 0, 1, 1], [0, 1, 0, 1], [0, 1, 0, 0])))
methods.fit("dawid_skene", answers, 0)
print([name for name in ("crowdkit", "torch", "transformers", "gradio", "duckdb") if name in sys.modules])
"""
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, timeout=100, check=False)
    assert done.stdout == "[]\n", done.stderr
    assert done.stderr == ""
