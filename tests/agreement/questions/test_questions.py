"""Questions about images: by hand, and against the same stated once more in plain Python on ugly random answers."""

from __future__ import annotations

from collections import Counter
from statistics import mean
from typing import Any

import numpy as np
import pandas as pd
import pytest

from agreement.questions import (
    ALL,
    MODEL_COLUMNS,
    PEOPLE_COLUMNS,
    GroupStatistic,
    Split,
    beside_people,
    between_models,
    people_answers,
    scores,
    splits,
    with_people,
)
from agreement.report.report import build
from agreement.study.cells import Options
from concord.common import reason_sentences
from tests.agreement import reference_implementations
from tests.agreement.json_rows import json_rows
from tests.agreement.oracles import stats

QUICK = Options()
NONE = Options(intervals=False)
Row = tuple[Any, ...]


def model_answers(rows: list[Row]) -> pd.DataFrame:
    """From (rater, prompt, generator, question, wording, element type, answer, chosen); one image of each text."""
    return pd.DataFrame(
        [(r, f"{p}/{g}", p, g, p[0], q, w, t, f"thing {q}", a, c) for r, p, g, q, w, t, a, c in rows],
        columns=list(MODEL_COLUMNS),
    )


def people_rows(rows: list[Row]) -> pd.DataFrame:
    """From (item, question, wording, person, label, excluded)."""
    made = [(i, i.split("/")[0], q, w, who, label, why, k) for k, (i, q, w, who, label, why) in enumerate(rows)]
    return pd.DataFrame(made, columns=list(PEOPLE_COLUMNS)).astype({"label": object, "excluded": object, "wording": "UInt64"})


def each_row(rows: pd.DataFrame) -> list[Any]:
    return [*rows.itertuples()]


def pick(figures: list[GroupStatistic], statistic: str, group: str = ALL, **where: Any) -> GroupStatistic:
    (figure,) = [
        each
        for each in figures
        if (each.statistic, each.group) == (statistic, group) and all(getattr(each, k) == v for k, v in where.items())
    ]
    return figure


SMALL = model_answers(
    [
        ("vqa", "c1", "sd", "q1", 1, "object", "yes", "yes"),
        ("vqa", "c1", "sd", "q2", 2, "color", "red", "blue"),
        ("vqa", "c1", "real", "q1", 1, "object", "yes", "yes"),
        ("vqa", "c1", "real", "q2", 2, "color", "red", "red"),
        ("vqa", "d2", "sd", "q1", 3, "food", "yes", "no"),
        ("vqa", "d2", "sd", "q2", 4, "food", "pie", "pie"),
        ("vqa", "d2", "sd", "q3", 5, "color", "red", "red"),
        ("vqa", "d2", "sd", "q4", 6, "color", "2", "2"),
        ("vqa", "d3", "real", "q1", 3, "food", "yes", "yes"),
    ]
)


def test_scores_by_hand() -> None:
    figures = scores(SMALL, QUICK, "real")
    tifa = pick(figures, "tifa", generator="sd")
    assert tifa.outcome.value == (1 / 2 + 3 / 4) / 2
    assert (tifa.n, tifa.unit, tifa.outcome.used.ratings, tifa.outcome.used.clusters) == (2, "images", 6, 2)
    assert reason_sentences.text(tifa.method).startswith(
        "mean over texts of the mean over their images; 95% jackknife over 2 prompts"
    )
    accuracy = pick(figures, "accuracy", generator="sd")
    assert (accuracy.outcome.value, accuracy.n, accuracy.unit) == (4 / 6, 6, "questions")
    # all questions of a type, whatever their image
    assert pick(figures, "accuracy", "color", generator="sd").outcome.value == 2 / 3
    assert pick(figures, "accuracy", "food", generator="sd").outcome.value == 1 / 2
    assert reason_sentences.text(pick(figures, "accuracy", "food", generator="sd").method).endswith("no interval: one prompt")
    assert pick(figures, "tifa", "d", generator="sd").outcome.value == 3 / 4
    # "thing q1" of c1; "thing q1" and "thing q2" of d2: a colour is no entity
    assert pick(figures, "tifa", "1", generator="sd").outcome.value == 1 / 2
    assert pick(figures, "tifa", "2", generator="sd").outcome.value == 3 / 4
    assert not [figure for figure in figures if (figure.by, figure.group, figure.generator) == ("entities", "2", "real")]


def test_beside_a_reference_only_shared_texts_count() -> None:
    figures = scores(SMALL, QUICK, "real")
    less = pick(figures, "tifa_less_reference", generator="sd")
    assert (less.outcome.value, less.n) == (1 / 2 - 1, 1)
    assert less.outcome.used.excluded == {"not_shared": 1}
    color = pick(figures, "accuracy_less_reference", "color", generator="sd")
    assert (color.outcome.value, color.n, color.outcome.used.excluded) == (-1, 1, {"not_shared": 1})
    food = pick(figures, "accuracy_less_reference", "food", generator="sd")
    assert (food.outcome.value, reason_sentences.text(food.outcome.reason)) == (
        None,
        "no text has images of both with the same questions",
    )
    assert not [figure for figure in figures if figure.statistic.endswith("reference") and figure.generator == "real"]
    # asked in other words, a text is not the same
    other = SMALL.assign(wording=SMALL["wording"].where(SMALL["item"] != "c1/real", 9))
    left = pick(scores(other, NONE, "real"), "tifa_less_reference", generator="sd")
    assert (left.outcome.value, left.outcome.used.excluded) == (None, {"not_shared": 1, "other_version": 1})
    # a reference that made nothing is none
    assert [score.statistic for score in scores(SMALL, NONE, "nobody")] == [score.statistic for score in scores(SMALL, NONE)]


def test_several_images_of_a_text_are_one_text() -> None:
    rows = [("x", f"c1/sd/{k}", "c1", "sd", "c", "q", 1, "object", "cat", "yes", c) for k, c in enumerate(("yes", "no", "no"))]
    rows.append(("x", "c2/sd/0", "c2", "sd", "c", "q", 1, "object", "Cat ", "yes", "yes"))
    figures = scores(pd.DataFrame(rows, columns=list(MODEL_COLUMNS)), NONE)
    assert pick(figures, "tifa").outcome.value == (1 / 3 + 1) / 2
    assert pick(figures, "accuracy").outcome.value == 2 / 4
    assert pick(figures, "tifa").n == 4


def test_peoples_answer_is_what_more_than_half_say() -> None:
    made = people_rows(
        [
            ("c/1", "two agree", 1, "a", "cat", None), ("c/1", "two agree", 1, "b", "cat", None),
            ("c/1", "two differ", 1, "a", "cat", None), ("c/1", "two differ", 1, "b", "dog", None),
            ("c/1", "third", 1, "a", "cat", None), ("c/1", "third", 1, "b", "dog", None), ("c/1", "third", 1, "c", "dog", None),
            ("c/1", "all differ", 1, "a", "1", None), ("c/1", "all differ", 1, "b", "2", None),
            ("c/1", "all differ", 1, "c", "3", None),
            ("c/1", "alone", 1, "a", "cat", None),
            ("c/1", "unsure", 1, "a", None, "cannot_tell"), ("c/1", "unsure", 1, "b", None, "cannot_tell"),
            ("c/1", "unsure", 1, "c", "cat", None),
            ("c/1", "one unsure", 1, "a", "cat", None), ("c/1", "one unsure", 1, "b", None, "cannot_tell"),
            ("c/1", "seen", 1, "a", "cat", None), ("c/1", "seen", 1, "b", "dog", "saw_evidence"),
            ("c/1", "again", 1, "a", None, "cannot_tell"), ("c/1", "again", 1, "a", "cat", None),
            ("c/1", "again", 1, "a", "dog", "repeat"),
        ]
    )  # fmt: skip
    results = {row.question: (row.state, row.label, row.votes) for row in each_row(people_answers(made))}
    assert results == {
        "two agree": ("decided", "cat", 2), "two differ": ("undecided", None, 2), "third": ("decided", "dog", 3),
        "all differ": ("undecided", None, 3), "alone": ("decided", "cat", 1), "unsure": ("cannot_tell", None, 3),
        "one unsure": ("undecided", None, 2), "seen": ("decided", "cat", 1), "again": ("decided", "cat", 1),
    }  # fmt: skip
    shuffled = people_answers(made.sample(frac=1, random_state=3))
    pd.testing.assert_frame_equal(people_answers(made), shuffled)
    assert people_answers(made[:0]).empty


def test_other_words_do_not_meet() -> None:
    people = people_rows(
        [
            ("c1/sd", "q1", 1, "a", "yes", None),
            ("c1/sd", "q2", 7, "a", "red", None),
            ("c1/real", "q1", None, "a", "yes", None),
            ("d2/sd", "q1", 3, "a", "yes", None),
            ("d2/sd", "q4", 6, "a", "3", None),
        ]
    )
    beside = with_people(SMALL, people)
    assert {f"{row.item} {row.question}": (row.state, row.people) for row in each_row(beside)} == {
        "c1/real q1": ("other_version", None), "c1/real q2": ("not_asked", None),
        "c1/sd q1": ("decided", "yes"), "c1/sd q2": ("other_version", None),
        "d2/sd q1": ("decided", "yes"), "d2/sd q2": ("not_asked", None), "d2/sd q3": ("not_asked", None),
        "d2/sd q4": ("decided", "3"), "d3/real q1": ("not_asked", None),
    }  # fmt: skip
    assert splits(beside)[0] == Split(ALL, ALL, 2, 0, 1, {"undecided": 0, "cannot_tell": 0, "other_version": 1, "not_asked": 0})
    figures = beside_people(SMALL, people, QUICK)
    # right about c1 q1, wrong about d2 q1 (people say yes) and d2 q4 (people say 3, and it says 2)
    accuracy = pick(figures, "vqa_accuracy")
    assert (accuracy.outcome.value, accuracy.n) == (1 / 3, 3)
    assert accuracy.outcome.used.excluded == {"not_asked": 4, "other_version": 2}
    # c1: both 1; d2: 1 of 2 by the model, 1 of 2 by people
    assert pick(figures, "spearman_with_people").outcome.value == pytest.approx(1)
    assert (pick(figures, "vqa_wrong").outcome.value, pick(figures, "image_wrong").outcome.value) == (1, 0)
    assert pick(figures, "vqa_wrong", "food").n == 1
    assert (
        reason_sentences.text(pick(figures, "vqa_wrong", "color").outcome.reason)
        == "people have answered none of the questions that it answers wrong"
    )


def test_whose_fault_a_wrong_answer_is() -> None:
    rows = [("vqa", "c1", "sd", f"q{k}", 1, t, "yes", c) for k, (t, c) in enumerate(
        [("color", "no"), ("color", "no"), ("color", "yes"), ("food", "no"), ("food", "no"), ("food", "no")])]  # fmt: skip
    people = people_rows([
        ("c1/sd", "q0", 1, "a", "no", None),  # the image has it wrong
        ("c1/sd", "q1", 1, "a", "yes", None),  # the model has
        ("c1/sd", "q2", 1, "a", "no", None),  # nothing is wrong with its answer
        ("c1/sd", "q3", 1, "a", "none of the above", None),
        ("c1/sd", "q4", 1, "a", None, "cannot_tell"),
    ])  # fmt: skip
    apart = {"undecided": 0, "cannot_tell": 0, "other_version": 0, "not_asked": 0}
    assert splits(with_people(model_answers(rows), people)) == [
        Split(ALL, ALL, 5, 2, 1, apart | {"cannot_tell": 1, "not_asked": 1}),
        Split("element_type", "color", 2, 1, 1, apart),
        Split("element_type", "food", 3, 1, 0, apart | {"cannot_tell": 1, "not_asked": 1}),
    ]


def test_what_is_undefined_says_why() -> None:
    nobody = beside_people(SMALL, people_rows([]), QUICK)
    assert {(figure.statistic, reason_sentences.text(figure.outcome.reason)) for figure in nobody} == {
        ("krippendorff_alpha_nominal", "no question has two answers by people"),
        *(
            (name, "people have answered none of these questions")
            for name in (
                "vqa_accuracy",
                "accuracy_passes",
                "accuracy_fails",
                "constant_accuracy",
                "yes_less_people",
                "constant_yes_less_people",
                "people_undecided",
            )
        ),
        ("spearman_with_people", "people have answered questions about fewer than two of these images"),
        ("image_wrong", "people have answered none of the questions that it answers wrong"),
        ("vqa_wrong", "people have answered none of the questions that it answers wrong"),
    }
    assert {figure.bounds.low for figure in nobody} == {None}
    one_image = [("c1/sd", "q1", 1, who, "yes", None) for who in "ab"]
    figures = beside_people(SMALL, people_rows(one_image), QUICK)
    assert pick(figures, "vqa_accuracy").outcome.value == 1
    assert "fewer than two" in reason_sentences.text(pick(figures, "spearman_with_people").outcome.reason)
    assert pick(figures, "krippendorff_alpha_nominal").outcome.reason is not None
    constant = beside_people(SMALL, people_rows([*one_image, ("d2/sd", "q2", 4, "a", "pie", None)]), QUICK)
    assert "constant" in reason_sentences.text(pick(constant, "spearman_with_people").outcome.reason)
    assert scores(SMALL[:0], QUICK) == []
    assert between_models(SMALL, QUICK) == []
    with pytest.raises(ValueError, match="lacks the columns chosen"):
        scores(SMALL.drop(columns="chosen"))
    with pytest.raises(ValueError, match="two answers to one question"):
        with_people(pd.concat([SMALL, SMALL]), people_rows([]))


def test_models_are_compared_where_they_were_asked_the_same() -> None:
    other = SMALL.assign(rater="other", chosen=SMALL["answer"])
    other["wording"] = other["wording"].where(other["item"] != "d3/real", 77)
    figure, same = between_models(pd.concat([SMALL, other[other["item"] != "c1/real"]]), QUICK)
    assert (figure.rater, figure.other, figure.n) == ("other", "vqa", 2)
    assert figure.outcome.used.excluded == {"not_shared": 1, "other_version": 1}
    # one of the two is right about everything
    assert reason_sentences.text(figure.outcome.reason) == "other's score is constant"
    # of the six questions that both were asked in the same words it is right about three
    assert (same.statistic, same.n, same.outcome.used.excluded) == ("same_answers", 6, {"not_shared": 2, "other_version": 1})
    both = SMALL[~SMALL["item"].isin(["c1/real", "d3/real"])]
    assert same.outcome.value == pytest.approx((both["chosen"] == both["answer"]).mean())


# ---- stated once more
def ugly(seed: int) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Answers with gaps, ties, one image of some texts, prompts of several versions, people who differ in number."""
    rng = np.random.default_rng(seed)
    rows: list[Row] = []
    people: list[Row] = []
    types = ["object", "color", "food", "animal/human", "counting"]
    for p in range(12):
        n = int(rng.integers(1, 6))
        for g in ("a", "b", "real"):
            if rng.random() < 0.25:
                continue
            for k in range(int(rng.integers(1, 3))):
                item, moved = f"p{p}/{g}/{k}", int(rng.random() < 0.15)
                for q in range(n):
                    element = rng.choice(["Cat", "cat", " dog", "pie"])
                    for rater in ("vqa", "weak"):
                        if rater == "vqa" or rng.random() < 0.9:
                            choice = str(rng.choice(["yes", "no", "no"]))
                            rows.append((rater, item, f"p{p}", g, "coco" if p % 3 else "draw", f"q{q}", 10 * q + moved,
                                         types[(p + q) % 5], element, "yes", choice))  # fmt: skip
                    for who in rng.choice(["a", "b", "c", "d"], int(rng.integers(0, 4)), replace=False):
                        label = [None, "yes", "no", "none of the above"][rng.choice(4, p=[0.1, 0.5, 0.3, 0.1])]
                        why = "cannot_tell" if label is None else str(rng.choice(["", "", "", "saw_evidence"])) or None
                        people.append(
                            (item, f"p{p}", f"q{q}", 10 * q + int(rng.random() < 0.1), str(who), label, why, len(people))
                        )
    heard = pd.DataFrame(people, columns=list(PEOPLE_COLUMNS)).astype(
        {"label": object, "excluded": object, "wording": "UInt64"}
    )
    return pd.DataFrame(rows, columns=list(MODEL_COLUMNS)).sample(frac=1, random_state=seed), heard.sample(
        frac=1, random_state=seed
    )


def per_image(rows: pd.DataFrame) -> dict[str, tuple[str, float]]:
    """Item: (text, formula 1)."""
    results: dict[str, list[float]] = {}
    text = {}
    for row in each_row(rows):
        results.setdefault(row.item, []).append(float(row.answer == row.chosen))
        text[row.item] = row.prompt
    return {item: (text[item], mean(right)) for item, right in results.items()}


def tifa_of(rows: pd.DataFrame) -> float:
    texts: dict[str, list[float]] = {}
    for text, score in per_image(rows).values():
        texts.setdefault(text, []).append(score)
    return mean(mean(each) for each in texts.values()) if texts else float("nan")


def accuracy_of(rows: pd.DataFrame) -> float:
    return float((rows["answer"] == rows["chosen"]).mean())


def things(rows: pd.DataFrame) -> dict[str, int]:
    named: dict[str, set[str]] = {item: set() for item in rows["item"]}
    for row in each_row(rows):
        if row.element_type in ("object", "food", "animal/human"):
            named[row.item].add(row.element.strip().lower())
    return {item: len(results) for item, results in named.items()}


@pytest.mark.parametrize("seed", [0, pytest.param(1, marks=pytest.mark.slow)])
def test_scores_equal_a_restatement(seed: int) -> None:
    rows, _ = ugly(seed)
    mine = rows[rows["rater"] == "vqa"].reset_index(drop=True)
    figures = scores(rows, QUICK, "real")
    mine = mine.assign(entities=mine["item"].map(things(mine)).astype(str), whole=ALL)
    columns = {"element_type": accuracy_of, "source": tifa_of, "entities": tifa_of}
    for generator, of in mine.groupby("generator"):
        checks = [("whole", ALL, tifa_of), ("whole", ALL, accuracy_of)]
        checks += [(column, group, formula) for column, formula in columns.items() for group in of[column].unique()]
        for column, group, formula in checks:
            inside = of[of[column] == group]
            figure = pick(figures, formula.__name__.removesuffix("_of"), group, rater="vqa", generator=generator)
            assert figure.outcome.value == pytest.approx(formula(inside))
            assert figure.n == (inside["item"].nunique() if formula is tifa_of else len(inside))
            # where all texts are alike, the exact interval stands in
            if figure.bounds.low is not None and "Clopper" not in reason_sentences.text(figure.method):
                without = [formula(inside[inside["prompt"] != text]) for text in inside["prompt"].unique()]
                assert figure.outcome.value is not None
                expected = reference_implementations.jackknife(figure.outcome.value, without, "logit")
                assert (figure.bounds.low, figure.bounds.high) == pytest.approx(expected), (column, group)


@pytest.mark.parametrize("seed", [1])
def test_the_reference_equals_a_restatement(seed: int) -> None:
    rows, _ = ugly(seed)
    mine = rows[rows["rater"] == "vqa"]
    sets: dict[tuple[str, str], set[frozenset[tuple[str, int]]]] = {}
    for (generator, text, _), of in mine.groupby(["generator", "prompt", "item"]):
        sets.setdefault((str(generator), str(text)), set()).add(frozenset(zip(of["question"], of["wording"], strict=True)))
    figures = scores(rows, NONE, "real")
    for generator in ("a", "b"):
        figure = pick(figures, "tifa_less_reference", rater="vqa", generator=generator)
        texts = {text for g, text in sets if g == generator}
        both = {text for text in texts if ("real", text) in sets}
        same = {text for text in both if sets[generator, text] == sets["real", text] and len(sets["real", text]) == 1}
        shared = mine[mine["prompt"].isin(same)]
        expected = tifa_of(shared[shared["generator"] == generator]) - tifa_of(shared[shared["generator"] == "real"])
        assert figure.outcome.value == pytest.approx(expected)
        excluded = {"not_shared": len(texts - both), "other_version": len(both - same)}
        assert figure.outcome.used.excluded == {name: n for name, n in excluded.items() if n}
        assert 1 < len(same) < len(texts)


@pytest.mark.parametrize("seed", [1])
def test_people_equal_a_restatement(seed: int) -> None:
    rows, people = ugly(seed)
    heard: dict[tuple[str, str, int], list[str | None]] = {}
    for row in each_row(people):
        if pd.isna(row.excluded) or row.excluded == "cannot_tell":
            label = None if pd.isna(row.label) else row.label
            heard.setdefault((row.item, row.question, row.wording), []).append(label)
    decided = {}
    for key, labels in heard.items():
        (label, times), *_ = Counter(labels).most_common(1)
        decided[key] = (label or "?") if 2 * times > len(labels) else "-"
    anywhere = {key[:2] for key in heard}
    figures = beside_people(rows, people, QUICK)
    for rater in ("vqa", "weak"):
        mine = rows[rows["rater"] == rater]
        states: Counter[str] = Counter()
        pairs, wrong = [], []
        for row in each_row(mine):
            answer = decided.get((row.item, row.question, row.wording))
            state = {"?": "cannot_tell", "-": "undecided"}.get(answer or "", "decided")
            if answer is None:
                state = "other_version" if (row.item, row.question) in anywhere else "not_asked"
            states[state] += 1
            if state == "decided":
                pairs.append((row.item, row.chosen, answer, row.answer))
                if row.chosen != row.answer:
                    wrong.append(answer != row.answer)
        figure = pick(figures, "vqa_accuracy", rater=rater)
        assert figure.outcome.value == pytest.approx(np.mean([chosen == answer for _, chosen, answer, _ in pairs]))
        assert (figure.n, dict(figure.outcome.used.excluded)) == (states.pop("decided"), dict(states))
        assert min(states.values()) > 0
        assert set(states) == {"cannot_tell", "undecided", "other_version", "not_asked"}
        assert pick(figures, "image_wrong", rater=rater).outcome.value == pytest.approx(np.mean(wrong))
        assert pick(figures, "vqa_wrong", rater=rater).n == len(wrong)
        for name, wanted in (("accuracy_passes", True), ("accuracy_fails", False)):
            apart = [chosen == answer for _, chosen, answer, gold in pairs if (answer == gold) == wanted]
            share = pick(figures, name, rater=rater)
            assert share.n == len(apart)
            assert share.outcome.value == pytest.approx(np.mean(apart))
        assert pick(figures, "constant_accuracy", rater=rater).outcome.value == pytest.approx(
            np.mean([answer == gold for _, _, answer, gold in pairs])
        )
        polar = [((chosen == "yes") - (answer == "yes")) for _, chosen, answer, gold in pairs if gold in ("yes", "no")]
        assert pick(figures, "yes_less_people", rater=rater).outcome.value == pytest.approx(np.mean(polar))
        failed = [answer != "yes" for _, _, answer, gold in pairs if gold in ("yes", "no")]
        assert pick(figures, "constant_yes_less_people", rater=rater).outcome.value == pytest.approx(np.mean(failed))
        unsure = states["cannot_tell"] + states["undecided"]
        assert pick(figures, "people_undecided", rater=rater).outcome.value == pytest.approx(unsure / (unsure + len(pairs)))
        each: dict[str, list[tuple[float, float]]] = {}
        for item, chosen, answer, gold in pairs:
            each.setdefault(item, []).append((float(chosen == gold), float(answer == gold)))
        x, y = ([mean(pair[k] for pair in of) for of in each.values()] for k in (0, 1))
        rho = pick(figures, "spearman_with_people", rater=rater)
        assert rho.outcome.value == pytest.approx(stats.spearmanr(x, y).statistic)
        assert rho.n == len(each)
        assert rho.bounds.low is not None
        assert rho.bounds.low < rho.outcome.value < rho.bounds.high  # type: ignore[operator]


@pytest.mark.parametrize("seed", [1])
def test_length_bias_equals_scipy(seed: int) -> None:
    rows, people = ugly(seed)
    drawn = np.random.default_rng(seed)
    lengths = {f"{name}_length": drawn.integers(5, 60, len(rows)).astype(float) for name in ("prompt", "question", "reason")}
    lengths["reason_length"][drawn.random(len(rows)) < 0.3] = np.nan
    rows = rows.assign(**lengths)
    figures = beside_people(rows, people, QUICK)
    beside = with_people(rows, people)
    for rater in ("vqa", "weak"):
        mine = beside[(beside["rater"] == rater) & (beside["state"] == "decided")]
        people_pass = (mine["people"] == mine["answer"]).astype(float)
        for name in ("prompt", "question", "reason"):
            known = mine[f"{name}_length"].notna()
            length, more = (
                mine[f"{name}_length"][known],
                ((mine["chosen"] == mine["answer"]).astype(float) - people_pass)[known],
            )
            figure = pick(figures, f"length_bias_{name}", rater=rater)
            assert figure.outcome.value == pytest.approx(stats.spearmanr(length, more).statistic)
            assert (figure.n, figure.outcome.used.excluded.get("no_length", 0)) == (known.sum(), (~known).sum())
            if name != "reason":
                constant = pick(figures, f"constant_length_bias_{name}", rater=rater)
                assert constant.outcome.value == pytest.approx(stats.spearmanr(length, 1 - people_pass[known]).statistic)
        bounds = pick(figures, "length_bias_question", rater=rater).bounds
        assert -1 <= (bounds.low or 0) < (bounds.high or 0) <= 1
    # without lengths there is none
    assert not [
        person for person in beside_people(rows.drop(columns=[*lengths]), people, QUICK) if "length" in person.statistic
    ]


@pytest.mark.parametrize("seed", [1])
def test_models_equal_a_restatement(seed: int) -> None:
    rows, _ = ugly(seed)
    figure, alike = between_models(rows, NONE)
    a, b = (rows[rows["rater"] == rater] for rater in ("vqa", "weak"))
    same = [
        item
        for item in set(a["item"]) & set(b["item"])
        if {*a.loc[a["item"] == item, "question"]} == {*b.loc[b["item"] == item, "question"]}
    ]
    x, y = ([per_image(part)[item][1] for item in same] for part in (a, b))
    assert figure.outcome.value == pytest.approx(stats.spearmanr(x, y).statistic)
    assert figure.n == len(same)
    assert figure.outcome.used.excluded["other_version"] == len(set(a["item"]) & set(b["item"])) - len(same) > 0
    answers = [{(row.item, row.question): (row.wording, row.chosen) for row in each_row(part)} for part in (a, b)]
    words = [key for key in answers[0].keys() & answers[1].keys() if answers[0][key][0] == answers[1][key][0]]
    assert alike.n == len(words)
    assert alike.outcome.value == pytest.approx(np.mean([answers[0][key][1] == answers[1][key][1] for key in words]))


@pytest.mark.parametrize("seed", [1])
def test_peoples_own_agreement_is_that_of_the_report(seed: int) -> None:
    rows, people = ugly(seed)
    figure = pick(beside_people(rows, people, QUICK), "krippendorff_alpha_nominal")
    frame = people.assign(
        suite="s", task=None, generator=None, rater=people["person"], kind="human", identity="person", simulated=False,
        aspect="answer", target=people["question"] + " " + people["wording"].astype(str), number=np.nan,
    )  # fmt: skip
    options = Options(statistics=("krippendorff_alpha_nominal",), matrix=False)
    (row,) = json_rows(build(frame, {("s", "answer"): "nominal"}, options))["among_people"][:1]
    expected = [row[name] for name in ("value", "low", "high")]
    assert [figure.outcome.value, figure.bounds.low, figure.bounds.high] == pytest.approx(expected)
    assert dict(figure.outcome.used.excluded) == row["excluded"]
