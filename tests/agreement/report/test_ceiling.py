"""The human ceiling: people in the scorer's place, by hand and against other libraries, and the verdict."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np
import pytest

from agreement import Options, build
from agreement.inference.hypothesis_tests import equivalence
from agreement.inference.intervals import COEFFICIENT, SHARE, Deletions, Spread, ValueRange
from agreement.inference.sample_size import more_prompts
from agreement.report.ceiling import SAW_LABELS, opposite, position
from agreement.report.leave_one_out import DIFFERENCE, PEOPLE, SCORER, remaining_ratings, with_leave_one_out
from agreement.report.scorer_human import ComparisonScale, ScorerAgreement
from agreement.study.cells import Cell, Key
from agreement.study.frame import read
from concord.common.reason_sentences import text
from tests.agreement import frames, reference_implementations
from tests.agreement.frames import Judgement, frame, judgement, people, scorer
from tests.agreement.json_rows import json_rows
from tests.agreement.oracles import metrics, multitest, stats

Rows = list[dict[str, Any]]
Said = Mapping[str, Mapping[str, float]]  # unit -> person -> number
SCALES = frames.SCALES | {("s", "slider"): "interval"}
QUICK = Options(ceiling=True)


def report(rows: list[Judgement], options: Options = QUICK) -> dict[str, Rows]:
    return json_rows(build(frame(rows), SCALES, options))


def ceiling(rows: list[Judgement], statistic: str, options: Options = QUICK, **where: Any) -> dict[str, Any]:
    """What stands beside the one row of a statistic; all tasks and generators unless said otherwise."""
    wanted = {"task": "all", "generator": "all", "people": "real", "statistic": statistic} | where
    results = [row["ceiling"] for row in report(rows, options)["raters"] if all(row[k] == v for k, v in wanted.items())]
    assert len(results) == 1, (wanted, len(results))
    assert isinstance(results[0], dict)
    return results[0]


# --- by hand ----------------------------------------------------------------------------------------------------------
PEOPLE_SAID = {"i1": "y y n", "i2": "n n n", "i3": "y n", "i4": "y"}
OWN = {"i1": "yes", "i2": "no", "i3": "yes", "i4": "no", "i5": "no"}


def test_one_person_out_by_hand() -> None:
    """r0: i1 y with y n, i2 n with n n, i3 y with n: 3 of 5 agree. r1: 1 + 2 of 2 + 2, and i3 n with y: 3 of 5. r2: n with
    y y, n with n n: 2 of 4. Mean 17/30. The scorer in their places: 1 + 2 + 0 of 5; 1 + 2 + 1 of 5; 2 + 2 of 4. Mean 4/5."""
    results = ceiling(people(PEOPLE_SAID) + scorer("m", OWN), "percent_agreement")
    assert results["value"] == pytest.approx(17 / 30)
    assert results["scorer"] == pytest.approx(4 / 5)
    assert results["difference"] == pytest.approx(7 / 30)
    assert (results["n_items"], results["n_ratings"], results["reason"]) == (3, 8, None)  # i4 has one rating, i5 none
    assert "one person out" in results["method"]
    assert "mean over 3 persons; 95% interval by Clopper and Pearson, as of 3 prompts" in results["method"]


def test_one_rating_out_by_hand() -> None:
    """The same places pooled: 3 + 3 + 2 of 14, and for the scorer 3 + 4 + 4."""
    results = ceiling(people(PEOPLE_SAID, identity="slot") + scorer("m", OWN), "percent_agreement")
    assert (results["value"], results["scorer"]) == (pytest.approx(8 / 14), pytest.approx(11 / 14))
    assert "one rating out" in results["method"]
    one_slot = people(PEOPLE_SAID)
    one_slot[0] |= {"identity": "slot", "rater": "z"}
    mixed = ceiling(one_slot + scorer("m", OWN), "percent_agreement")
    assert mixed["value"] == pytest.approx(8 / 14)


def test_against_the_majority_of_the_others_by_hand() -> None:
    """r0: i1 tied; i2 n with n; i3 y with n: 1 of 2. r1: i1 tied; 1; n with y: 1 of 2. r2: n with y; n with n: 1 of 2.
    The scorer: 1 + 0 of 2, 1 + 1 of 2, 1 + 1 of 2: mean 5/6."""
    options = Options(ceiling=True, people_as="majority")
    results = ceiling(people(PEOPLE_SAID) + scorer("m", OWN), "percent_agreement", options)
    assert (results["value"], results["scorer"]) == (0.5, pytest.approx(5 / 6))


def test_persons_without_a_value_are_counted() -> None:
    """r0 and r1 say yes alone, with r2's no on j: r2's kappa is 0. On k r3 and r4 say yes alone: undefined."""
    rows = people({"i": "y y y", "j": "y y n", "k": ". . . y y"}) + scorer("m", {"i": "yes", "j": "no", "k": "yes"})
    results = ceiling(rows, "cohen_kappa")
    # r0: pairs y-y y-y | y-y y-n: one side constant, the other not: 0. So r1. r2: y-y y-y | n-y n-y: 0.
    assert results["value"] == 0.0
    assert "mean over 3 of 5 persons, undefined for the others" in results["method"]
    assert results["n_items"] == 2
    # the scorer against r1 r2 (yes yes, yes no) says yes, no: table yy 2, ny 1, nn 1: p_o 3/4, p_e 1/2 * 3/4 + 1/2 * 1/4: 1/2;
    # against r0 r2 the same; against r0 r1 (constant): 0. Mean 1/3.
    assert results["scorer"] == pytest.approx(1 / 3)


def test_others_of_a_rating() -> None:
    """a b a on one unit, c on another: the first a has b and a, b has a twice, the last a has a and b, c has nobody."""
    result = remaining_ratings(np.array([0, 0, 0, 1]), np.array([0, 1, 0, 2]))
    value = np.array([0, 1, 0, 2])
    rows = zip(result.place.tolist(), value[result.of].tolist(), result.times.tolist(), strict=True)
    assert sorted(rows) == [(0, 0, 1.0), (0, 1, 1.0), (1, 0, 2.0), (2, 0, 1.0), (2, 1, 1.0)]


# --- against other libraries ------------------------------------------------------------------------------------------
Pair = tuple[float, float]  # who is in the place, who is compared with


def _each(mine: float, rest: list[float]) -> list[Pair]:
    return [(mine, other) for other in rest]


def _majority(mine: float, rest: list[float]) -> list[Pair]:
    most = max(set(rest), key=rest.count)
    return [(mine, most)] if 2 * rest.count(most) > len(rest) else []


def _mean(mine: float, rest: list[float]) -> list[Pair]:
    return [(mine, sum(rest) / len(rest))]


WAYS: dict[str, Callable[[float, list[float]], list[Pair]]] = {"each": _each, "majority": _majority, "mean": _mean}


def _ac1(pairs: list[Pair], labels: list[float]) -> float:
    coded = [[labels.index(a), labels.index(b)] for a, b in pairs]
    return reference_implementations.gwet(coded, len(labels))


LIKERT = [1.0, 2.0, 3.0, 4.0, 5.0]
FORMULAS: dict[str, Callable[[list[Pair]], float]] = {
    "percent_agreement": lambda pairs: float(np.mean([a == b for a, b in pairs])),
    "cohen_kappa": lambda pairs: float(metrics.cohen_kappa_score(*zip(*pairs, strict=True))),
    "cohen_kappa_quadratic": lambda pairs: float(
        metrics.cohen_kappa_score(*zip(*pairs, strict=True), weights="quadratic", labels=LIKERT)
    ),
    "krippendorff_alpha_interval": lambda pairs: reference_implementations.alpha(pairs, lambda a, b: (a - b) ** 2),
    "pearson": lambda pairs: float(stats.pearsonr(*zip(*pairs, strict=True)).statistic),
    "spearman": lambda pairs: float(stats.spearmanr(*zip(*pairs, strict=True)).statistic),
    "kendall_tau_b": lambda pairs: float(stats.kendalltau(*zip(*pairs, strict=True)).statistic),
    "auc": lambda pairs: float(metrics.roc_auc_score([b for _, b in pairs], [a for a, _ in pairs])),
}


def one_out(
    statistic: str, way: str, units: Iterable[Mapping[str, float]], taken: Iterable[float | None], *, slots: bool
) -> float:
    """Each person in turn against the others, literally; `taken` is a scorer's value that sits in every place of a unit."""
    pairs: dict[str, list[Pair]] = defaultdict(list)
    for unit, value in zip(units, taken, strict=True):
        for person, own in unit.items() if len(unit) > 1 else ():
            rest = [v for other, v in unit.items() if other != person]
            pairs["all" if slots else person] += WAYS[way](own if value is None else value, rest)
    return float(np.mean([FORMULAS[statistic](results) for _, results in sorted(pairs.items())]))


def crowd(seed: int, *, yes_no: bool) -> tuple[Said, dict[str, float]]:
    """Thirty items, each rated by two to four of four people whose answers follow a truth; a scorer that does so too."""
    rng = np.random.default_rng(seed)
    answers: dict[str, dict[str, float]] = {}
    own: dict[str, float] = {}
    for k in range(30):
        truth = int(rng.integers(0, 2) if yes_no else rng.integers(1, 6))
        chosen = sorted(rng.choice(4, int(rng.integers(1, 5)), replace=False))

        def answer(truth: int = truth) -> float:
            noisy = (1 - truth) if yes_no else int(rng.integers(1, 6))
            return float(truth if rng.random() < 0.7 else noisy)

        answers[f"i{k:02}"] = {f"r{person}": answer() for person in chosen}
        own[f"i{k:02}"] = answer()
    return answers, own


def rows_of(
    fields: Said, own: Mapping[str, float], *, yes_no: bool, slots: bool = False, score: bool = False
) -> list[Judgement]:
    """The crowd as judgements; prompts hold three items each."""
    aspect = "correct" if yes_no else "faithfulness"

    def judged(item: str, value: float, **other: Any) -> Judgement:
        label = ("no", "yes")[int(value)] if yes_no else str(int(value))
        row = scorer("m", {item: label}, aspect=aspect)[0]
        return row | {"number": value, "prompt": f"p{int(item[1:]) // 3}"} | other

    identity = "slot" if slots else "person"
    made = [
        judged(item, value, rater=person, kind="human", identity=identity)
        for item, answers in fields.items()
        for person, value in answers.items()
    ]
    for item, value in own.items():
        made.append(judged(item, value, **{"aspect": "score", "label": None} if score else {}))
    return made


NUMBERS = [
    ("percent_agreement", "each"),
    ("cohen_kappa", "each"),
    ("cohen_kappa", "majority"),
    ("cohen_kappa_quadratic", "each"),
    ("krippendorff_alpha_interval", "each"),
    ("krippendorff_alpha_interval", "mean"),
    ("pearson", "mean"),
    ("spearman", "mean"),
    ("kendall_tau_b", "mean"),
]


@pytest.mark.parametrize("slots", [False, True])
@pytest.mark.parametrize(("statistic", "way"), NUMBERS)
def test_likert_as_other_libraries_have_it(statistic: str, way: Any, slots: bool) -> None:
    fields, own = crowd(7, yes_no=False)
    options = Options(intervals=False, ceiling=True, people_as=way)
    results = ceiling(rows_of(fields, own, yes_no=False, slots=slots), statistic, options)
    nobody = [None] * len(fields)
    assert results["value"] == pytest.approx(one_out(statistic, way, fields.values(), nobody, slots=slots))
    assert results["scorer"] == pytest.approx(one_out(statistic, way, fields.values(), own.values(), slots=slots))


@pytest.mark.parametrize("slots", [False, True])
@pytest.mark.parametrize("way", ["each", "majority"])
def test_auc_takes_a_persons_yes_or_no_as_the_score(way: Any, slots: bool) -> None:
    fields, own = crowd(3, yes_no=True)
    score = {item: value + np.random.default_rng(0).normal() for item, value in own.items()}
    options = Options(intervals=False, ceiling=True, people_as=way)
    results = ceiling(rows_of(fields, score, yes_no=True, slots=slots, score=True), "auc", options)
    nobody = [None] * len(fields)
    assert results["value"] == pytest.approx(one_out("auc", way, fields.values(), nobody, slots=slots))
    assert results["scorer"] == pytest.approx(one_out("auc", way, fields.values(), score.values(), slots=slots))
    assert "two values" in results["method"]


def test_gwet_counts_the_labels_of_the_scale() -> None:
    fields, own = crowd(5, yes_no=True)
    results = ceiling(rows_of(fields, own, yes_no=True, slots=True), "gwet_ac1", Options(intervals=False, ceiling=True))
    pairs = [p for v in fields.values() if len(v) > 1 for k in v for p in _each(v[k], [v[o] for o in v if o != k])]
    assert results["value"] == pytest.approx(_ac1(pairs, [0.0, 1.0]))


def test_equal_means_of_others_stay_tied() -> None:
    """Means of 0.1 and 0.7 in any order must not differ in the last bit, or Kendall's tau would see no tie."""
    answers = {"a": "0.1 0.7 0.3", "b": "0.7 0.1 0.3", "c": "0.3 0.1 0.7", "d": "0.7 0.3 0.7", "e": "0.1 0.1 0.3"}
    replies = {item: {f"r{n}": float(w) for n, w in enumerate(text.split())} for item, text in answers.items()}
    own = {"a": 1.0, "b": 2.0, "c": 3.0, "d": 5.0, "e": 0.0}
    rows = [judgement(item, p, v, aspect="slider") for item, values in replies.items() for p, v in values.items()]
    rows += scorer("m", own, aspect="slider")
    results = ceiling(rows, "kendall_tau_b", Options(intervals=False, ceiling=True))
    tenths = [{p: float(round(10 * v)) for p, v in values.items()} for values in replies.values()]
    assert results["value"] == pytest.approx(one_out("kendall_tau_b", "mean", tenths, [None] * 5, slots=False))
    assert results["scorer"] == pytest.approx(one_out("kendall_tau_b", "mean", tenths, own.values(), slots=False))


@pytest.mark.parametrize("slots", [False, True])
@pytest.mark.parametrize(("statistic", "way"), [("cohen_kappa", "each"), ("cohen_kappa", "majority"), ("spearman", "mean")])
def test_deviations_are_those_without_each_prompt(statistic: str, way: Any, slots: bool) -> None:
    """Of all three numbers, over the prompts of the scorer's own."""
    fields, own = crowd(2, yes_no=False)
    (suite,) = read(frame(rows_of(fields, own, yes_no=False, slots=slots)), SCALES)
    (aspect,) = suite.aspects
    rows, cell = aspect.ratings, Cell(None, None, Deletions(wanted=True))
    mine, theirs = (rows.take(suite.raters_where(scorer=who)[rows.rater]) for who in (True, False))
    against = ScorerAgreement(mine, theirs, suite, ComparisonScale(aspect.measure, False), cell)
    key = Key(statistic, rater="m", people_as=way)
    outcomes = with_leave_one_out({key: against.outcome(statistic, way)}, {"m": against.met}, suite, {statistic: way})
    assert [k.side for k in outcomes] == [None, PEOPLE, SCORER, DIFFERENCE]
    without: list[tuple[float, float]] = []
    for prompt in range(10):  # of three items each
        left = [item for item in fields if int(item[1:]) // 3 != prompt]
        units, taken = [fields[item] for item in left], [own[item] for item in left]
        others_, scorer_ = (one_out(statistic, way, units, by, slots=slots) for by in ([None] * len(units), taken))
        without.append((others_, scorer_))
    people_, scorers = np.array(without).T
    for index, replicates in enumerate((people_, scorers, scorers - people_), 1):
        deviations = list(outcomes.values())[index].deviations
        assert deviations is not None
        assert deviations.strata[0] == pytest.approx(replicates - replicates.mean(), abs=1e-9)


# --- the verdict ------------------------------------------------------------------------------------------------------
def test_the_verdict_from_how_the_difference_varies() -> None:
    """t(9) is 2.262 for 95 %."""
    assert position(Spread(-0.3, 0.1, 9), 0.01, 0.9) == "below"
    assert position(Spread(0.3, 0.1, 9), 0.01, 0.9) == "above"
    assert position(Spread(0.01, 0.02, 9), 0.6, 0.04) == "equivalent"
    assert position(Spread(0.02, 0.02, 9), 0.3, 0.06) is None
    # more than nothing and less than the margin: equivalent
    assert position(Spread(0.03, 0.005, 9), 0.001, 0.01) == "equivalent"
    # the interval leaves 0 out, but five prompts cannot have a p below 0.0625
    assert position(Spread(0.3, 0.1, 9), 0.0625, 0.9) is None
    # significant, but for an interval that is wider than the flips know
    assert position(Spread(0.2, 0.1, 9), 0.01, 0.9) is None


@pytest.mark.parametrize("mean", [-0.02, 0.0, 0.03])
def test_equivalence_is_two_one_sided_t_tests(mean: float) -> None:
    """Without a contrary prompt: scipy's one-sample t tests against both margins."""
    values = np.random.default_rng(3).normal(0.0, 0.05, 20)
    values += mean - values.mean()
    test = Spread(mean, float(values.std(ddof=1)) / np.sqrt(20), 19)
    one, other = (stats.ttest_1samp(values, end, alternative=side).pvalue for end, side in ((-0.05, "greater"), (0.05, "less")))
    assert equivalence(test, 0.05) == pytest.approx(max(one, other))


def test_equivalence_holds_also_with_one_contrary_prompt_towards_each_end() -> None:
    """Fifty prompts that are all alike are not within .05, sixty are: of these 5 % would differ in one (the rule of three)."""
    for prompts, within in ((20, False), (50, False), (60, True)):
        alike = Spread(0.0, 1e-9, prompts - 1.0)
        p = equivalence(alike, 0.05, 1.0 / prompts)
        both = [float(stats.t.cdf((0.05 - 1 / prompts) / (1 / prompts), prompts - 1))] * 2
        assert p == pytest.approx(1 - min(both))
        assert (p < 0.05) == within
    assert equivalence(Spread(0.02, 0.01, 29), 0.05, 0.01) > equivalence(Spread(0.02, 0.01, 29), 0.05)


def told(test: Spread, margin: float, prompts: int, contrary: float, n: int, factors: tuple[int, int]) -> float:
    """Share of 2,000 studies of n prompts in which flips or two one-sided tests tell; normal contributions."""
    rng = np.random.default_rng(1)
    values = rng.normal(test.value, test.error * np.sqrt(prompts), (2000, n))
    mean, error = values.mean(1), values.std(1, ddof=1) / np.sqrt(n)
    root = np.sqrt((values**2).sum(1) + contrary**2)
    different = np.abs(values.sum(1)) - contrary > stats.norm.ppf(1 - 0.025 / factors[0]) * root
    different &= (np.abs(mean) > stats.t.ppf(0.975, n - 1) * error) & (test.value != 0)
    room = margin - np.abs(mean) - contrary / n
    within = room > stats.t.ppf(1 - 0.05 / factors[1], n - 1) * np.hypot(error, contrary / n)
    return float((different | within).mean())


@pytest.mark.parametrize(
    ("value", "error", "margin", "contrary", "factors"),
    [
        (0.2, 0.1, 0.05, 0.0, (1, 1)),
        (0.2, 0.1, 0.05, 0.6, (1, 1)),
        (0.2, 0.1, 0.05, 0.6, (12, 12)),
        (0.0, 0.03, 0.05, 0.0, (1, 1)),
        (0.0, 0.03, 0.05, 0.9, (5, 8)),
        (0.02, 0.03, 0.05, 0.6, (1, 1)),
    ],
)
def test_so_many_more_prompts_tell_in_four_of_five_studies(
    value: float, error: float, margin: float, contrary: float, factors: tuple[int, int]
) -> None:
    test = Spread(value, error, 19)
    more = more_prompts(test, margin, 20, contrary, factors)
    assert more is not None
    assert told(test, margin, 20, contrary, 20 + more, factors) == pytest.approx(0.8, abs=0.04)


def test_what_never_can_be_told_needs_no_number_of_prompts() -> None:
    assert more_prompts(Spread(0.0, 0.1, 9), 0.0, 10) is None
    assert more_prompts(Spread(1e-7, 0.1, 9), 0.0, 10) is None


def judged(people_right: float, scorer_right: float, items: int, **other: Any) -> list[Judgement]:
    """Three people and a scorer who see the truth so often."""
    rng = np.random.default_rng(1)
    said, own = {}, {}
    for k in range(items):
        truth = bool(rng.random() < 0.5)
        said[f"i{k:03}"] = " ".join("ny"[truth == bool(rng.random() < people_right)] for _ in range(3))
        own[f"i{k:03}"] = "yes" if truth == bool(rng.random() < scorer_right) else "no"
    return people(said, **other) + scorer("m", own, **other)


@pytest.mark.parametrize(("people", "kind", "apart"), [(0.8, SHARE, 0.6), (0.8, COEFFICIENT, 1.6), (0.5, SHARE, 0.0)])
def test_who_says_the_opposite_of_people(people: float, kind: ValueRange, apart: float) -> None:
    assert opposite(people, kind) == pytest.approx(apart)


@pytest.mark.parametrize(
    ("people_right", "scorer_right", "items", "verdict"),
    [(0.9, 0.6, 150, "below"), (0.6, 0.99, 300, "above"), (0.9, 0.9, 700, "equivalent"), (0.8, 0.8, 20, None)],
)
def test_verdicts(people_right: float, scorer_right: float, items: int, verdict: str | None) -> None:
    results = ceiling(judged(people_right, scorer_right, items), "percent_agreement")
    assert results["verdict"] == verdict
    assert (results["margin"], results["difference"]) == (0.05, pytest.approx(results["scorer"] - results["value"]))
    assert results["difference_low"] < results["difference"] < results["difference_high"]
    assert results["low"] < results["value"] < results["high"]
    assert 0 < results["p"] <= results["p_holm"] <= 1
    if verdict is None:
        enough = f"about {results['prompts_needed']:,} more are enough in four of five studies like this one"
        reason = f"too few prompts to decide: {enough}"
        assert results["verdict_reason"] == reason
        assert results["words"].startswith(f"{reason} (these 3 people): ")
    else:
        assert (results["prompts_needed"], results["verdict_reason"]) == (None, None)
        within = " (within 0.05)" if verdict == "equivalent" else ""
        to = "equivalent to" if verdict == "equivalent" else verdict
        assert results["words"].startswith(f"{to} these 3 people{within}, on other prompts: ")
    place = f"in one person's place it reaches {results['scorer']:.3f}, they reach {results['value']:.3f}"
    sentence = f"{place}; difference {results['difference']:.3f} ("
    assert sentence in results["words"]
    assert (results["others_verdict"], results["others_low"]) == (None, None)
    assert "five or more identified persons" in results["others_reason"]


def test_verdicts_go_by_p_corrected_over_all_scorers_and_tasks() -> None:
    """One scorer alone is below people; beside nine others, as good as people, the same numbers no longer tell it."""
    rows = judged(0.9, 0.65, 60)
    alone = ceiling(rows, "percent_agreement")
    assert alone["p"] == alone["p_holm"] < 0.05
    assert alone["verdict"] == "below"
    rng = np.random.default_rng(2)
    first = [row for row in rows if row["rater"] == "r0"]
    others = {
        f"n{k}": {row["item"]: ("no", "yes")[(row["label"] == "yes") ^ (rng.random() < 0.05)] for row in first}
        for k in range(9)
    }
    together = rows + [row for name, own in others.items() for row in scorer(name, own)]
    family = [
        row["ceiling"]
        for row in report(together)["raters"]
        if (row["statistic"], row["generator"], row["task"]) == ("percent_agreement", "all", "all")
    ]
    assert len(family) == 10
    beside = ceiling(together, "percent_agreement", rater="m")
    assert (beside["p"], beside["difference_high"]) == (alone["p"], alone["difference_high"])
    expected = multitest.multipletests([each["p"] for each in family], method="holm")[1]
    assert [each["p_holm"] for each in family] == pytest.approx(expected.tolist())
    assert beside["p_holm"] > 0.05
    assert beside["verdict"] is None
    assert beside["prompts_needed"] > 0


def test_one_task_counts_once_and_two_tasks_count_with_all_and_their_mean() -> None:
    one, two = judged(0.9, 0.6, 40, task="t1"), judged(0.7, 0.9, 30, task="t2")
    assert ceiling(one, "percent_agreement", task="t1")["words"].count("over 1 verdict of") == 1
    other = [row | {"item": "x" + row["item"], "prompt": "x" + row["item"]} for row in two]
    made = [ceiling(one + other, "percent_agreement", task=task) for task in ("t1", "t2", "all", "tasks_mean")]
    assert all("over 4 verdicts of" in each["words"] for each in made)
    for name in ("p", "p_equivalent"):
        assert [each[f"{name}_holm"] for each in made] == pytest.approx(
            multitest.multipletests([each[name] for each in made], method="holm")[1].tolist()
        )


def test_where_people_agree_nearly_always_few_prompts_do_not_show_equivalence() -> None:
    """Twenty prompts of four images: a person errs in one image, and the scorer in another; before, that was equivalent."""
    answers = {f"i{k:02}": "y y y" if k % 2 else "n n n" for k in range(80)}
    answers["i05"] = "y n y"
    own = {item: "yes" if words[0] == "y" else "no" for item, words in answers.items()} | {"i20": "yes"}
    rows = [row | {"prompt": f"p{int(row['item'][1:]) // 4}"} for row in people(answers) + scorer("m", own)]
    results = ceiling(rows, "percent_agreement")
    spread = (results["difference_high"] - results["difference_low"]) / 2 * stats.t.ppf(0.95, 19) / stats.t.ppf(0.975, 19)
    assert abs(results["difference"]) + spread < 0.05  # without a contrary prompt it lies inside
    assert results["p_equivalent"] > 0.05
    assert results["verdict"] is None


def test_a_scorer_that_saw_the_labels_is_marked_and_has_no_verdict() -> None:
    rows = judged(0.6, 0.99, 300)
    tuned = frame(rows).assign(saw_labels=lambda judgements: judgements["kind"] == "scorer")
    for marked, made in ((False, frame(rows)), (True, tuned)):
        records = json_rows(build(made, SCALES, QUICK))["raters"]
        assert {row["saw_labels"] for row in records} == {marked}
        (row,) = [
            each["ceiling"]
            for each in records
            if (each["statistic"], each["task"], each["generator"]) == ("percent_agreement", "all", "all")
        ]
        names = ("verdict", "p", "p_holm", "words", "prompts_needed", "difference_low")
        assert all((row[name] is None) == marked for name in names if name != "prompts_needed")
        assert row["difference"] is not None
        assert (row["verdict_reason"] == text(SAW_LABELS)) == marked


def test_two_images_say_nothing_of_others() -> None:
    """Three people and a scorer who agree on all: two of two, whose lower limit is far from 1; and no verdict."""
    rows = people({"i": "y y y", "j": "n n n"}) + scorer("m", {"i": "yes", "j": "no"})
    (row,) = [
        r for r in report(rows)["raters"] if r["statistic"] == "percent_agreement" and r["task"] == r["generator"] == "all"
    ]
    assert (row["value"], row["low"], row["high"]) == (1.0, pytest.approx(0.158, abs=1e-3), 1.0)
    same = "no interval: the same whichever of the 2 prompts is left out"
    assert (row["ceiling"]["verdict"], row["ceiling"]["verdict_reason"], row["ceiling"]["p"]) == (None, same, None)
    (kappa,) = [r for r in report(rows)["raters"] if r["statistic"] == "cohen_kappa" and r["task"] == r["generator"] == "all"]
    assert (kappa["value"], kappa["low"], kappa["high"]) == (1.0, None, None)
    assert "no interval: undefined without one of the 2 prompts" in kappa["method"]


def test_four_prompts_all_wrong_are_no_verdict() -> None:
    answers = {f"i{k}": "y y y" if k % 2 else "n n n" for k in range(4)}
    own = {item: "no" if words[0] == "y" else "yes" for item, words in answers.items()}
    for row in report(people(answers) + scorer("m", own))["raters"]:
        assert row["low"] is None or row["low"] < row["high"]
        beside_people = row["ceiling"] or {"verdict": None, "difference_low": None}
        assert (beside_people["verdict"], beside_people["difference_low"]) == (None, None)


def crowd_of(persons: int, prompts: int) -> list[Judgement]:
    """People who are right four times of five, and a scorer that is right three times of four; a prompt has two items."""
    rng = np.random.default_rng(5)
    said, own = {}, {}
    for k in range(2 * prompts):
        truth = bool(rng.random() < 0.5)
        said[f"i{k:03}"] = " ".join("ny"[truth == bool(rng.random() < 0.8)] for _ in range(persons))
        own[f"i{k:03}"] = "yes" if truth == bool(rng.random() < 0.75) else "no"
    return [row | {"prompt": f"p{int(row['item'][1:]) // 2}"} for row in people(said) + scorer("m", own)]


def test_other_people_are_random_as_well() -> None:
    """Prompts and persons are left out one by one, their variances are added, and the residual that both hold is taken off."""
    rows = crowd_of(6, 20)
    results = ceiling(rows, "percent_agreement")

    def without(prompts: set[str], persons: set[str]) -> float:
        rest = [row for row in rows if row["prompt"] not in prompts and row["rater"] not in persons]
        return float(ceiling(rest, "percent_agreement", Options(intervals=False, ceiling=True))["difference"])

    def difference(left: str, name: str) -> float:
        return without({left}, set()) if name == "prompt" else without(set(), {left})

    prompts, persons = [f"p{k}" for k in range(20)], [f"r{k}" for k in range(6)]
    variances = []
    for name, values in (("prompt", prompts), ("rater", persons)):
        low, high = reference_implementations.jackknife(0.0, [difference(value, name) for value in values])
        variances.append(((high - low) / 2 / stats.t.ppf(0.975, len(values) - 1)) ** 2)
    # what both hold: pseudo-values of ten groups of prompts and each person, centred by rows and columns
    columns = [set(sorted(prompts)[group::10]) for group in range(10)]
    table = np.array([[without(group, {person}) for person in persons] for group in columns])
    table = table - table.mean(0) - table.mean(1, keepdims=True) + table.mean()
    residual = float((9 * 5 * table**2).sum()) / (10 * 6)
    total = sum(variances) - residual
    assert total > max(variances)
    # no more degrees of freedom than persons less one
    reach = stats.t.ppf(0.975, 5) * np.sqrt(total)
    assert (results["others_low"], results["others_high"]) == pytest.approx(
        (results["difference"] - reach, results["difference"] + reach), abs=1e-9
    )
    assert results["others_low"] < results["difference_low"]
    around = f"({results['others_low']:.3f} to {results['others_high']:.3f})"
    assert f"; beside other people, on other prompts: {results['others_reason']} {around}; " in results["words"]
    holm = (
        f"beside these people p {results['p']:.3f}, of equivalence {results['p_equivalent']:.3f}; by Holm, which decides,"
        f" {results['p_holm']:.3f} and {results['p_equivalent_holm']:.3f} over "
    )
    family = " of this statistic and generator: all scorers and tasks"
    assert holm in results["words"]
    assert results["words"].endswith(family)
    assert ceiling(crowd_of(4, 20), "percent_agreement")["others_low"] is None
    by_slots = [row | {"identity": "slot"} if row["kind"] == "human" else row for row in rows]
    assert ceiling(by_slots, "percent_agreement")["others_low"] is None


def test_what_five_prompts_cannot_tell_of_these_people_they_do_not_tell_of_others() -> None:
    """Each of ten people errs on one or two of five items, and the scorer never: all prompts speak for it. With one more that
    does not, p is 14 of 64."""
    answers = {f"i{k}": " ".join("yn"[j % 5 == k or (j == 9 and k == 0)] for j in range(10)) for k in range(5)}
    results = ceiling(people(answers) + scorer("m", dict.fromkeys(answers, "yes")), "percent_agreement")
    assert results["others_low"] > 0
    assert (results["p"], results["others_p"]) == (0.21875, 0.21875)
    assert (results["verdict"], results["others_verdict"]) == (None, None)


def scored(people_right: float, noise: float, items: int) -> list[Judgement]:
    """Three people who see the truth so often, as labels and as grades, and a scorer whose score is the truth, blurred."""
    rows = judged(people_right, 1.0, items)
    rng = np.random.default_rng(2)
    truth = {row["item"]: float(row["label"] == "yes") for row in rows if row["rater"] == "m"}
    rows = [row for row in rows if row["rater"] != "m"]
    grades = [row | {"aspect": "faithfulness", "label": "5" if row["label"] == "yes" else "1"} for row in rows]
    return rows + grades + scorer("clip", {i: t + noise * rng.normal() for i, t in truth.items()}, aspect="score")


@pytest.mark.parametrize("statistic", ["auc", "spearman", "pearson"])
def test_a_score_is_never_said_to_be_at_or_above_peoples_yes_and_no(statistic: str) -> None:
    """They answer in two values; the same score beside people's grades has a verdict, and so has a label."""
    above = ceiling(scored(0.75, 0.3, 150), statistic, aspect="correct")
    assert above["difference_low"] > 0
    reason = "not below people, but a person's yes or no is a score of only two values, so no more can be told"
    assert (above["verdict"], above["verdict_reason"], above["words"]) == (None, reason, None)
    assert above["method"].endswith("scale; a person's yes or no is a score of only two values")
    below = ceiling(scored(0.95, 3.0, 150), statistic, aspect="correct")
    assert (below["verdict"], below["verdict_reason"]) == ("below", None)
    assert ceiling(scored(0.75, 0.8, 12), statistic, aspect="correct")["prompts_needed"] > 0
    if statistic != "auc":
        assert ceiling(scored(0.75, 0.3, 150), statistic, aspect="faithfulness")["verdict"] == "above"
        assert ceiling(judged(0.6, 0.99, 300), statistic)["verdict"] == "above"


def test_the_margin_is_an_option() -> None:
    wide = ceiling(judged(0.8, 0.8, 20), "percent_agreement", Options(ceiling=True, margin=0.5))
    assert (wide["verdict"], wide["margin"], wide["prompts_needed"]) == ("equivalent", 0.5, None)
    assert wide["words"].startswith("equivalent to these 3 people (within 0.5), on other prompts: ")


def test_the_difference_is_paired() -> None:
    """A scorer that copies r0 against r1 and r2: people's interval is wide, that of the difference is not as wide as both."""
    rows = judged(0.8, 0.8, 60)
    copied = [row | {"rater": "copy", "kind": "scorer", "identity": None} for row in rows if row["rater"] == "r0"]
    results = ceiling(rows + copied, "cohen_kappa", rater="copy")
    assert results["difference_high"] - results["difference_low"] < results["high"] - results["low"]


def test_the_mean_over_tasks_has_a_ceiling() -> None:
    one, two = judged(0.9, 0.6, 40, task="t1"), judged(0.7, 0.9, 30, task="t2")
    other = [row | {"item": "x" + row["item"], "prompt": "x" + row["item"]} for row in two]
    tasks = [ceiling(one + other, "percent_agreement", task=task) for task in ("t1", "t2")]
    mean = ceiling(one + other, "percent_agreement", task="tasks_mean")
    for name in ("value", "scorer", "difference"):
        assert mean[name] == pytest.approx(np.mean([task[name] for task in tasks]))
    assert mean["n_items"] == 70
    assert mean["difference_low"] < mean["difference"] < mean["difference_high"]
    assert mean["method"].startswith("unweighted mean over 2 tasks, in each: one person out")


# --- undefined parts, and what must not change ------------------------------------------------------------------------
def test_people_once_only() -> None:
    results = ceiling(people({"i": "y", "j": "n", "k": "y"}) + scorer("m", {"i": "yes", "j": "no", "k": "no"}), "cohen_kappa")
    assert (results["value"], results["n_items"], results["reason"]) == (
        None,
        0,
        "people judged no unit of the scorer's twice or more",
    )
    assert (results["verdict"], results["words"], results["scorer"]) == (None, None, None)
    assert results["verdict_reason"] == f"among people: {results['reason']}"


def test_people_with_one_label() -> None:
    for identity, words in (("person", "every person"), ("slot", "people")):
        rows = people({"i": "y y", "j": "y y"}, identity=identity) + scorer("m", {"i": "yes", "j": "no"})
        results = ceiling(rows, "cohen_kappa")
        assert (results["value"], results["reason"]) == (None, f"undefined for {words}: one side used a single label or value")


def test_no_majority_among_the_others() -> None:
    options = Options(ceiling=True, people_as="majority")
    results = ceiling(people({"i": "a b c", "j": "b c a"}) + scorer("m", {"i": "a", "j": "b"}), "cohen_kappa", options)
    assert (results["value"], results["reason"]) == (None, "on no unit do the others have a strict majority")


def test_a_constant_scorer_has_a_ceiling_but_no_verdict() -> None:
    rows = people({"i": "1 2", "j": "3 3", "k": "5 4"}, aspect="faithfulness")
    rows = [row | {"number": float(row["label"])} for row in rows] + scorer("m", dict.fromkeys("ijk", 1.0), aspect="score")
    results = ceiling(rows, "spearman")
    assert results["value"] == 1.0
    assert (results["verdict"], results["verdict_reason"]) == (None, "the scorer's own number is undefined on these units")


def test_without_intervals_there_is_no_verdict() -> None:
    results = ceiling(judged(0.9, 0.6, 40), "cohen_kappa", Options(intervals=False, ceiling=True))
    assert results["value"] is not None
    assert results["difference"] is not None
    assert (results["low"], results["verdict"], results["verdict_reason"], results["words"]) == (
        None,
        None,
        "no intervals",
        None,
    )


def test_one_prompt_has_no_verdict() -> None:
    results = ceiling(judged(0.9, 0.6, 40, prompt="p"), "percent_agreement")
    assert results["value"] is not None
    assert (results["low"], results["verdict"], results["verdict_reason"]) == (None, None, "no interval: one prompt")


def test_ceilings_change_nothing_else() -> None:
    fields, own = crowd(4, yes_no=True)
    rows = rows_of(fields, own, yes_no=True) + rows_of({}, own, yes_no=True, score=True)
    on, off = report(rows), report(rows, Options())
    assert all(row["ceiling"] is None for row in off["raters"])
    assert {row["statistic"] for row in on["raters"] if row["ceiling"] is None} == {"mean"}
    stripped = {name: [row | {"ceiling": None} if name == "raters" else row for row in part] for name, part in on.items()}
    assert stripped == off
    shuffled = [rows[k] for k in np.random.default_rng(1).permutation(len(rows))]
    assert report(shuffled) == on


def test_scorers_are_judged_on_their_own_units() -> None:
    fields, own = crowd(6, yes_no=True)
    part = {item: value for item, value in own.items() if item < "i15"}
    rows = rows_of(fields, own, yes_no=True) + [row | {"rater": "half"} for row in rows_of({}, part, yes_no=True)]
    for rater, items in (("m", fields), ("half", part)):
        results = ceiling(rows, "percent_agreement", Options(intervals=False, ceiling=True), rater=rater)
        units = [fields[item] for item in items]
        assert results["value"] == pytest.approx(one_out("percent_agreement", "each", units, [None] * len(units), slots=False))
        assert results["n_items"] == sum(len(unit) > 1 for unit in units)
