"""Scores to decisions: the best cut, its agreement out of fold, and the curve, against scikit-learn by brute force."""

from __future__ import annotations

import json
import zlib
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from agreement.best_value import Objective, folds_of, middle
from agreement.study.cells import ALL, CellName, Options
from agreement.thresholds import (
    POINTS,
    CutOptions,
    ScoreCounts,
    ScoredAnswers,
    ThresholdCurve,
    best_cut,
    cross_validate,
    curve,
    thinned,
    thresholds,
)
from concord.common.estimate_json import estimate_json
from concord.common.reason_sentences import text, worded
from tests.agreement import reference_implementations
from tests.agreement.frames import SCALES, Judgement, frame, judgement, people, scorer, ugly
from tests.agreement.oracles import metrics, model_selection

SCALE = {"percent_agreement": "logit", "cohen_kappa": "z"}

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]
QUICK = Options(each_generator=False)
KAPPA = CutOptions(objective="cohen_kappa")


def decided(rows: list[Judgement], cutting: CutOptions | None = None, options: Options = QUICK) -> list[dict[str, Any]]:
    records = [estimate_json("thresholds", each) for each in thresholds(frame(rows), SCALES, cutting, options)]
    json.dumps(records, allow_nan=False)
    for row in records:
        assert (row["value"] is None) == (row["reason"] is not None)
        assert row["value"] is None or row["task"] == "tasks_mean" or len(row["fold_thresholds"]) == 5
    return records


def pick(records: list[dict[str, Any]], statistic: str, **where: Any) -> dict[str, Any]:
    wanted = {"task": "all", "generator": "all", "people": "real", "statistic": statistic} | where
    rows = [row for row in records if all(row[k] == v for k, v in wanted.items())]
    assert len(rows) == 1, (wanted, len(rows))
    return rows[0]


def best(score: list[float], yes: list[int], objective: Objective = "percent_agreement") -> float | None:
    return best_cut(ScoreCounts.of(np.array(score, float), np.array(yes, bool)), objective).threshold


# --- the best cut, by hand --------------------------------------------------------------------------------------------
def test_the_widest_of_equally_good_cuts() -> None:
    # n y n y at 1 2 3 5. Above 1.5: 3 of 4 right; above 2.5: 2; above 4: 3. The gap 3..5 is wider than 1..2.
    assert best([1, 2, 3, 5], [0, 1, 0, 1]) == 4.0
    # With the gaps equal, the lower one.
    assert best([1, 2, 3, 4], [0, 1, 0, 1]) == 1.5


def test_the_middle_of_a_run_of_equally_good_cuts() -> None:
    # n at 0, a yes and a no at each of 1, 2, 3, y at 8: cuts 0.5, 1.5, 2.5, 5.5 are all 5 of 8. The run goes from 0 to 8, its
    # middle 4 is in the gap 3..8.
    assert best([0, 1, 1, 2, 2, 3, 3, 8], [0, 1, 0, 1, 0, 1, 0, 1]) == 5.5


def test_all_yes_or_all_no_may_be_best() -> None:
    # Yes falls as the score rises: all yes is right 2 of 3 times, all no 1, above 1.5 none, above 2.5 one. Mean gap 1.
    assert best([1, 2, 3], [1, 1, 0]) == 0.5
    assert best([1, 2, 3], [1, 0, 0]) == 3.5
    # Kappa of both is 0, and what is between is worse: two ends of equal width, the lower one.
    assert best([1, 2, 3], [1, 1, 0], "cohen_kappa") == 0.5


def test_no_cut_of_one_score_or_of_one_answer() -> None:
    assert best([2, 2], [0, 1]) is None
    assert best([1, 2], [1, 1], "cohen_kappa") is None
    assert best([1, 2], [1, 1]) == 0.5


def test_a_cut_separates_neighbouring_doubles() -> None:
    for low in (0.1, 1e300, 5e-324, -2.0, -1.7e308):
        high = np.nextafter(low, np.inf)
        t = float(middle(np.array(low), np.array(high)))
        assert high > t
        assert not low > t
        assert best([low, high], [0, 1]) == t


def test_extreme_scores_have_finite_cuts() -> None:
    assert np.isfinite(best([-1.7e308, 1.7e308], [1, 0]) or 0.0)


# --- against scikit-learn ---------------------------------------------------------------------------------------------
MEASURES = {"percent_agreement": metrics.accuracy_score, "cohen_kappa": metrics.cohen_kappa_score}


def measure(name: str, yes: Bools, flags: Bools) -> float:
    if name == "cohen_kappa" and len({*yes.tolist(), *flags.tolist()}) < 2:
        return float("nan")
    return float(MEASURES[name](yes, flags))


def brute_force(score: Floats, yes: Bools, objective: str) -> float:
    """Every cut tried; of the runs of best ones the widest; of this the cut in the gap that holds its middle."""
    distinct = sorted(set(score.tolist()))
    gap = (distinct[-1] - distinct[0]) / (len(distinct) - 1)
    edges = [distinct[0] - gap, *distinct, distinct[-1] + gap]
    cuts = [(low + high) / 2 for low, high in pairwise(edges)]
    values = [measure(objective, yes, score > t) for t in cuts]
    good = [value > max(values) - 1e-9 for value in values]
    widest, index = -1.0, -1
    for first in range(len(cuts)):
        if good[first] and (first == 0 or not good[first - 1]):
            last = first
            while last + 1 < len(cuts) and good[last + 1]:
                last += 1
            if edges[last + 1] - edges[first] > widest + 1e-9:
                widest = edges[last + 1] - edges[first]
                centre = (edges[last + 1] + edges[first]) / 2
                index = next(k for k in range(len(cuts)) if edges[k] <= centre < edges[k + 1])
    return float(cuts[index])


@pytest.mark.parametrize("objective", ["percent_agreement", "cohen_kappa"])
@pytest.mark.parametrize("seed", range(6))
def test_best_cut_equals_brute_force(seed: int, objective: Objective) -> None:
    rng = np.random.default_rng(seed)
    n = int(rng.integers(2, 40))
    yes = rng.random(n) < (0.15, 0.6, 0.85)[seed % 3]
    yes[:2] = True, False
    score = np.round(rng.normal(yes * rng.random(), 1.0) * 4) / 4  # ties
    if len(set(score.tolist())) > 1:
        assert best(score.tolist(), yes.tolist(), objective) == pytest.approx(brute_force(score, yes, objective))


def rows_of(rows: list[Judgement], name: str, *, majority: bool = False) -> tuple[Floats, Bools, list[str]]:
    """Score, answer and prompt of each valid rating by people beside a score, or of each unit with a strict majority."""
    score = {r["item"]: r["number"] for r in rows if r["rater"] == name and r["aspect"] == "score"}
    valid = [r for r in rows if r["kind"] == "human" and r["excluded"] is None and r["item"] in score]
    if majority:
        answers: dict[str, list[bool]] = {}
        for r in valid:
            answers.setdefault(r["item"], []).append(r["label"] == "yes")
        first = {r["item"]: r for r in reversed(valid)}
        voted = {item: sum(a) / len(a) for item, a in answers.items() if 2 * sum(a) != len(a)}
        valid = [first[item] | {"label": "yes" if share > 0.5 else "no"} for item, share in sorted(voted.items())]
    return (
        np.array([score[r["item"]] for r in valid]),
        np.array([r["label"] == "yes" for r in valid]),
        [r["prompt"] for r in valid],
    )


@pytest.mark.parametrize("objective", ["percent_agreement", "cohen_kappa"])
@pytest.mark.parametrize("people_as", ["each", "majority"])
@pytest.mark.parametrize("seed", [11])
def test_out_of_fold_equals_scikit_learn(seed: int, people_as: Any, objective: Objective) -> None:
    rows = ugly(seed, prompts=23)
    options = Options(seed=seed, each_generator=False, people_as=people_as)
    records = decided(rows, CutOptions(objective=objective), options)
    score, yes, prompts = rows_of(rows, "gamma", majority=people_as == "majority")
    known, cluster = np.unique(prompts, return_inverse=True)
    fold = folds_of(known.size, 5, np.random.default_rng([seed, zlib.crc32(b"folds all")]))[cluster]
    said, chosen = np.zeros(yes.size, bool), []
    for train, test in model_selection.LeaveOneGroupOut().split(score, yes, fold):
        chosen.append(brute_force(score[train], yes[train], objective))
        said[test] = score[test] > chosen[-1]
    threshold = brute_force(score, yes, objective)
    for statistic in ("percent_agreement", "cohen_kappa"):
        row = pick(records, statistic, rater="gamma")
        assert row["fold_thresholds"] == pytest.approx(chosen)
        assert row["threshold"] == pytest.approx(threshold)
        assert row["value"] == pytest.approx(measure(statistic, yes, said), abs=1e-9)
        without = [measure(statistic, yes[cluster != k], said[cluster != k]) for k in range(known.size)]
        assert (row["low"], row["high"]) == pytest.approx(
            reference_implementations.jackknife(row["value"], without, SCALE[statistic]), abs=1e-9
        )
        assert row["in_sample"] == pytest.approx(measure(statistic, yes, score > threshold), abs=1e-9)
        by_fold = [measure(statistic, yes[fold == k], said[fold == k]) for k in range(5)]
        assert [np.nan if v is None else v for v in row["fold_values"]] == pytest.approx(by_fold, abs=1e-9, nan_ok=True)
        assert row["n_items"] == len({r["item"] for r in rows if r["prompt"] in known} & _items(rows, "gamma", people_as))


def _items(rows: list[Judgement], name: str, people_as: str) -> set[str]:
    scored = {r["item"] for r in rows if r["rater"] == name}
    answers: dict[str, list[bool]] = {}
    for r in rows:
        if r["kind"] == "human" and r["excluded"] is None and r["item"] in scored:
            answers.setdefault(r["item"], []).append(r["label"] == "yes")
    return {item for item, a in answers.items() if people_as == "each" or 2 * sum(a) != len(a)}


@pytest.mark.parametrize("objective", ["percent_agreement", "cohen_kappa"])
def test_curve_equals_scikit_learn(objective: Objective) -> None:
    rows = ugly(21)
    options = Options()
    threshold_curve = curve(frame(rows), SCALES, "gamma", CutOptions(objective=objective), options, cell=CellName(ALL, "t1"))
    score, yes, prompts = rows_of([row for row in rows if row["task"] == "t1"], "gamma")
    known, cluster = np.unique(prompts, return_inverse=True)
    assert len(threshold_curve.cuts) == len(set(score.tolist())) + 1
    for k, t in enumerate(threshold_curve.cuts):
        value = measure(objective, yes, score > t)
        assert threshold_curve.values[k] == pytest.approx(value, abs=1e-9)
        without = [measure(objective, yes[cluster != c], score[cluster != c] > t) for c in range(known.size)]
        if threshold_curve.low[k] is not None:
            assert (threshold_curve.low[k], threshold_curve.high[k]) == pytest.approx(
                reference_implementations.jackknife(value, without, SCALE[objective]), abs=1e-9
            )
    # plain numbers, as exports want them
    assert {type(low) for low in threshold_curve.low} <= {float, type(None)}
    # of so few prompts kappa has one only where all of them tell something
    bounded = sum(low is not None for low in threshold_curve.low)
    assert bounded == len(threshold_curve.cuts) if objective == "percent_agreement" else 0 < bounded < len(threshold_curve.cuts)
    assert threshold_curve.threshold == pytest.approx(brute_force(score, yes, objective))
    assert threshold_curve.best == pytest.approx(max(value for value in threshold_curve.values if value is not None))


# --- folds, cells, edges ----------------------------------------------------------------------------------------------
def test_a_score_on_the_cut_is_no() -> None:
    # The middle prompt's score is just where the other two part: without it the cut is (0 + 1) / 2.
    answers = ScoredAnswers(np.array([0.0, 0.5, 1.0]), np.array([False, True, True]), np.arange(3), 3)
    validated = cross_validate(answers, "percent_agreement", np.arange(3))
    assert validated.thresholds[1] == 0.5
    assert not validated.said[1]


def test_the_seed_moves_the_folds_and_the_order_of_rows_moves_nothing() -> None:
    rows = ugly(13, prompts=20)
    shuffled = [rows[k] for k in np.random.default_rng(0).permutation(len(rows))]
    assert decided(rows) == decided(shuffled)
    other = decided(rows, None, Options(seed=5, each_generator=False))
    assert [row["fold_thresholds"] for row in other] != [row["fold_thresholds"] for row in decided(rows)]
    assert [row["threshold"] for row in other] == [row["threshold"] for row in decided(rows)]


def test_each_task_has_a_cut_and_the_mean_over_them_none() -> None:
    records = decided(ugly(14, prompts=30))
    parts = [pick(records, "percent_agreement", task=task, rater="gamma") for task in ("t0", "t1")]
    mean = pick(records, "percent_agreement", task="tasks_mean", rater="gamma")
    assert mean["value"] == pytest.approx(sum(part["value"] for part in parts) / 2)
    assert (mean["threshold"], mean["fold_thresholds"]) == (None, [])
    assert {row["rater"] for row in records} == {"alpha", "gamma"}  # beta has no score


def test_excluded_is_counted() -> None:
    answers = people({f"i{k}": "y n" if k % 2 else "n n y" for k in range(10)})
    scores: dict[str, Any] = {f"i{k}": k / 10 for k in range(1, 10)} | {"i99": 0.5}
    row = pick(decided(answers + scorer("m", scores, aspect="score")), "cohen_kappa")
    assert (row["n_items"], row["n_ratings"]) == (9, 22)
    assert row["excluded"] == {"no_people": 1, "no_scorer_value": 3}
    by_majority = pick(
        decided(answers + scorer("m", scores, aspect="score"), None, Options(people_as="majority")), "cohen_kappa"
    )
    assert by_majority["reason"] == "people's answers are not both yes and no"
    assert by_majority["excluded"] == {"no_people": 1, "no_scorer_value": 3, "tied_majority": 5}


@pytest.mark.parametrize(
    ("answers", "scores", "reason"),
    [
        ("yynnyn", [1, 2, 3, 4, 5, 5], None),
        ("ynyn", [1, 2, 3, 4], "4 prompts cannot be dealt into 5 folds"),
        ("yyyyyy", [1, 2, 3, 4, 5, 5], "people's answers are not both yes and no"),
        ("ynynyn", [1, 1, 1, 1, 1, 1], "the scorer's scores are all the same"),
    ],
)
def test_what_cannot_be_cut_says_why(answers: str, scores: list[float], reason: str | None) -> None:
    rows = people({f"i{k}": word for k, word in enumerate(answers)})
    rows += scorer("m", {f"i{k}": float(v) for k, v in enumerate(scores)}, aspect="score")
    row = pick(decided(rows), "percent_agreement")
    assert row["reason"] == reason
    assert (row["threshold"] is None) == (reason is not None)


def test_a_fold_that_leaves_one_answer_stops_kappa_but_not_percent_agreement() -> None:
    rows = people({f"i{k}": "n" if k == 0 else "y" for k in range(6)})
    rows += scorer("m", {f"i{k}": float(k) for k in range(6)}, aspect="score")
    stopped = pick(decided(rows, KAPPA), "cohen_kappa")
    assert stopped["reason"].startswith("without fold ")
    assert stopped["reason"].endswith("people's answers are not both yes and no")
    # Without i0 all are yes, so that -0 is above the cut chosen elsewhere: right for every item but i0 or for all six.
    assert pick(decided(rows), "percent_agreement")["value"] in (5 / 6, 1.0)


def test_scorers_that_met_nobody_and_frames_without_either() -> None:
    lonely = people({"i1": "y"}) + scorer("m", {"i9": 1.0}, aspect="score")
    assert pick(decided(lonely), "percent_agreement")["reason"] == "the scorer and people share no unit"
    assert decided(people({"i1": "y"})) == []
    assert decided([]) == []


def test_what_is_cut_is_checked() -> None:
    rows = ugly(1)
    with pytest.raises(ValueError, match="two folds at least"):
        thresholds(frame(rows), SCALES, CutOptions(folds=1))
    with pytest.raises(ValueError, match="'score' of the suite 's' is not yes or no"):
        thresholds(frame(rows), SCALES, CutOptions(aspect="score"))
    with pytest.raises(ValueError, match="'correct' of the suite 's' is not a number"):
        thresholds(frame(rows), SCALES, CutOptions(aspect="other", number="correct"))
    with pytest.raises(ValueError, match="not a scorer with a 'score'"):
        curve(frame(rows), SCALES, "beta")
    with pytest.raises(ValueError, match="no task 'nowhere'"):
        curve(frame(rows), SCALES, "gamma", cell=CellName(ALL, "nowhere"))
    with pytest.raises(ValueError, match="one suite, not of 2"):
        curve(
            frame(rows + [row | {"suite": "z"} for row in rows]),
            SCALES | {("z", k): v for (_, k), v in SCALES.items()},
            "gamma",
        )


def test_by_default_suites_where_nothing_can_be_cut_are_passed_over() -> None:
    """`maybe` makes the other suite's `correct` more than yes or no."""
    rows = ugly(1)
    other = [row | {"suite": "z"} for row in [*rows, judgement("i", "r0", "maybe")]]
    scales = SCALES | {("z", name): scale for (_, name), scale in SCALES.items()}
    agreements = thresholds(frame(rows + other), scales, options=QUICK)
    assert [estimate_json("thresholds", each) for each in agreements] == decided(rows)
    with pytest.raises(ValueError, match="'correct' of the suite 'z' is not yes or no"):
        thresholds(frame(rows + other), scales, CutOptions(), QUICK)


def _many(n: int) -> ThresholdCurve:
    rng = np.random.default_rng(0)
    rows = []
    for k in range(n):
        yes = bool(rng.random() < 0.5)
        rows.append(judgement(f"i{k}", "r", "yes" if yes else "no"))
        rows += scorer("m", {f"i{k}": float(rng.normal(yes))}, aspect="score")
    return curve(frame(rows), SCALES, "m", KAPPA, Options())


def test_a_curve_is_thinned_and_keeps_its_best_point_and_both_ends() -> None:
    threshold_curve = _many(450)
    assert len(threshold_curve.cuts) <= POINTS < 450
    assert threshold_curve.threshold in threshold_curve.cuts
    assert threshold_curve.values[threshold_curve.cuts.index(threshold_curve.threshold)] == pytest.approx(threshold_curve.best)
    assert (threshold_curve.values[0], threshold_curve.values[-1]) == (0.0, 0.0)
    assert list(threshold_curve.cuts) == sorted(threshold_curve.cuts)
    json.dumps(worded(threshold_curve.to_dict()), allow_nan=False)
    assert thinned(7, 3, POINTS).tolist() == list(range(7))


def test_a_curve_without_people_says_why() -> None:
    threshold_curve = curve(frame(people({"i1": "y"}) + scorer("m", {"i9": 1.0}, aspect="score")), SCALES, "m")
    assert (threshold_curve.cuts, threshold_curve.threshold, text(threshold_curve.reason)) == (
        (),
        None,
        "the scorer and people share no unit",
    )
