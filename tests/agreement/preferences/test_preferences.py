"""Votes on pairs of images: counts by hand, Bradley-Terry and rank correlations against other implementations."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import numpy as np
import pytest

from agreement import Options
from agreement.numeric import FloatArray
from agreement.preferences import (
    MetricMean,
    Vote,
    VoterKey,
    count_votes,
    generator_strengths,
    implied_votes,
    order_agreement,
    rank_correlation,
    side_choices,
    winners,
)
from agreement.preferences.ranking import NO_MAXIMUM, NOT_CONNECTED, RESAMPLES, log_strengths
from agreement.preferences.votes import PairValues
from concord.common import reason_sentences
from tests.agreement.oracles import optimize, sm, stats

QUICK = Options()
PLAIN = Options(intervals=False)


def make_votes(text: str, task: str = "t", two: str = "xy", **other: object) -> list[Vote]:
    """A vote for each letter, each on a pair and prompt of its own: a generator, b(oth), n(one), = (a tie), ? (cannot tell)."""
    fields = {"b": "both", "n": "none", "=": "tie", "?": None}
    made = []
    for k, letter in enumerate(text):
        name = f"{task}{two}{k}"
        excluded = "cannot_tell" if letter == "?" else None
        values = {"pair": name, "prompt": f"p{name}", "excluded": excluded} | other
        made.append(Vote(task=task, first=two[0], second=two[1], chose=fields.get(letter, letter), **values))  # type: ignore[arg-type]
    return made


def test_votes_are_counted_by_task_with_their_ties() -> None:
    first, second, whole = count_votes([*make_votes("xxxybn?", "t"), *make_votes("yy", "u")], QUICK)
    assert (first.task, second.task, whole.task) == ("t", "u", "all")
    assert (first.a_wins, first.both, first.none, first.tie, first.b_wins, first.cannot_tell) == (3, 1, 1, 0, 1, 1)
    assert (first.votes, first.clear, first.pairs) == (6, 4, 6)
    assert (first.share.value, first.share.n_items, first.share.excluded) == (3 / 4, 4, {"cannot_tell": 1})
    assert first.share.low is not None
    assert 0 <= first.share.low < 3 / 4 < (first.share.high or 0) <= 1
    assert first.sign_test_p == pytest.approx(stats.binomtest(3, 4).pvalue) == pytest.approx(10 / 16)
    assert (second.a_wins, second.b_wins, second.share.value, second.sign_test_p) == (0, 2, 0.0, 0.5)
    assert (whole.a_wins, whole.b_wins, whole.share.value) == (3, 3, 0.5)


def test_a_result_names_its_voter_and_the_people_it_stands_beside() -> None:
    (by_people, _) = count_votes(make_votes("xxy"), PLAIN)
    people = VoterKey(suite="s", rater="people", people="real").name_voter(by_people)
    assert (people.suite, people.voter, people.people) == ("s", "people", "real")
    assert (people.a_wins, people.share) == (by_people.a_wins, by_people.share)
    scorer = VoterKey(suite="s", rater="m", kind="scorer", by="score")
    assert [scorer.name_voter(by_people, beside).people for beside in (None, "simulated")] == [None, "simulated"]
    # one scorer may vote in two ways, which are two voters
    assert (scorer.voter, replace(scorer, by="correct").voter) == ("m (score)", "m (correct)")


def test_the_order_of_the_two_names_means_nothing() -> None:
    turned = [Vote(v.pair, v.task, v.prompt, v.second, v.first, v.chose) for v in make_votes("xxybn")]
    assert count_votes(turned, QUICK) == count_votes(make_votes("xxybn"), QUICK)


@pytest.mark.parametrize(("text", "reason"), [("bbn", "no vote has a clear preference"), ("??", "no vote counts")])
def test_no_clear_preference_is_undefined_with_a_reason(text: str, reason: str) -> None:
    vote_counts = count_votes(make_votes(text), QUICK)[0]
    assert (
        vote_counts.share.value,
        vote_counts.share.low,
        reason_sentences.text(vote_counts.share.reason),
        vote_counts.sign_test_p,
    ) == (
        None,
        None,
        reason,
        None,
    )


def test_the_interval_leaves_prompts_out_with_all_their_votes() -> None:
    # four votes for x of one prompt, four for y of another: two prompts tell nothing
    crowd = [*make_votes("xxxx", prompt="p"), *make_votes("yyyy", "t", prompt="q")]
    share = count_votes(crowd, QUICK)[0].share
    assert (share.value, share.low, share.high) == pytest.approx((0.5, 0.0, 1.0), abs=1e-9)
    alone = count_votes(make_votes("xxyy", prompt="p"), QUICK)[0].share
    assert (alone.value, alone.low) == (0.5, None)
    assert "one prompt" in reason_sentences.text(alone.method)


def test_sides_count_clear_votes_whose_side_is_known() -> None:
    known = [
        *make_votes("xxx", side="left"),
        *make_votes("y", "u", side="right"),
        *make_votes("bn", "v", side=None),
        *make_votes("x", "w"),
    ]
    choice = side_choices(known, QUICK)
    assert (choice.left, choice.right, choice.unknown, choice.share.value) == (3, 1, 1, 3 / 4)
    assert choice.sign_test_p == pytest.approx(stats.binomtest(3, 4).pvalue)
    assert (
        reason_sentences.text(side_choices(make_votes("xy"), QUICK).share.reason)
        == "of no vote with a clear preference the chosen side is known"
    )


def test_a_scorer_votes_by_only_one_is_right_and_by_the_larger_score() -> None:
    values = [(1.0, 0.0), (0.0, 1.0), (1.0, 1.0), (0.0, 0.0), (None, 1.0), (float("nan"), 0.0)]
    pairs = [PairValues(str(k), "t", None, "x", "y", *both) for k, both in enumerate(values)]
    right = implied_votes(pairs, "correct")
    assert [vote.chose for vote in right] == ["x", "y", "both", "none", None, None]
    assert [vote.excluded for vote in right] == [None] * 4 + ["no_scorer_value"] * 2
    assert [vote.chose for vote in implied_votes(pairs, "score")] == ["x", "y", "tie", "tie", None, None]
    assert [vote.chose for vote in implied_votes([PairValues("p", "t", None, "x", "y", 0.2, 0.3)], "score")] == ["y"]


def test_people_and_a_scorer_pair_by_pair() -> None:
    # pair 0: two of three for x; pair 1: one each; pair 2: y; pair 3: both
    people = [Vote(f"{k}", "t", f"p{k}", "x", "y", who) for k, who in ((0, "x"), (0, "x"), (0, "y"), (1, "x"), (1, "y"))]
    people += [Vote("2", "t", "p2", "x", "y", "y"), Vote("3", "t", "p3", "x", "y", "both")]
    assert winners(people) == {"0": "x", "1": None, "2": "y", "3": "both"}
    scorer = [Vote(f"{k}", "t", f"p{k}", "x", "y", who) for k, who in ((0, "x"), (1, "x"), (2, "x"), (3, "x"))]
    task, whole = order_agreement(people, scorer, QUICK)
    # both are clear on pairs 0 and 2, and opposed on the latter; people's clear votes are 3 to 3
    assert (task.same.value, task.same.n_items, task.opposed, task.same_order) == (0.5, 2, 1, None)
    assert (whole.task, whole.same.value) == ("all", 0.5)
    more = [*people, Vote("9", "t", "p9", "x", "y", "y")]
    assert order_agreement(more, scorer, PLAIN)[0].same_order is False
    assert order_agreement(more, scorer[:0], PLAIN) == []


def test_two_generators_have_the_logit_of_their_share() -> None:
    x, y = generator_strengths(make_votes("xxxyb"), QUICK)[:2]
    assert (x.generator, x.rank, x.wins, x.losses, x.ties) == ("x", 1, 3, 1, 1)
    # 3 wins to 1: the difference of log strengths is log(3), whatever the ties
    assert x.strength.value == pytest.approx(np.log(3) / 2)
    assert y.strength.value == pytest.approx(-np.log(3) / 2)
    assert (y.rank, y.wins, y.losses, y.ties) == (2, 1, 3, 1)


def by_likelihood(wins: FloatArray, ties: FloatArray) -> FloatArray:
    """Davidson's model written out, its likelihood climbed by a general optimiser."""
    n = len(wins)

    def minus_log_likelihood(at: FloatArray) -> float:
        s, v, total = np.exp(np.r_[0.0, at[:-1]]), np.exp(at[-1]), 0.0
        for i in range(n):
            for j in range(n):
                whole = s[i] + s[j] + v * np.sqrt(s[i] * s[j])
                # each tie stands twice
                total += wins[i, j] * np.log(s[i] / whole) + ties[i, j] / 2 * np.log(v * np.sqrt(s[i] * s[j]) / whole)
        return -total

    fitted = optimize.minimize(minus_log_likelihood, np.zeros(n), method="BFGS", options={"gtol": 1e-9})
    strength = np.r_[0.0, fitted.x[:-1]]
    return np.asarray(strength - strength.mean(), np.float64)


@pytest.mark.parametrize("seed", range(4))
def test_strengths_climb_the_likelihood(seed: int) -> None:
    draw = np.random.default_rng(seed)
    n = 3 + seed
    wins, ties = draw.integers(1, 30, (n, n)).astype(float), draw.integers(0, 9, (n, n)).astype(float)
    ties = ties + ties.T
    for table in (wins, ties):
        np.fill_diagonal(table, 0)
        table[0, n - 1] = table[n - 1, 0] = 0  # these never met
    assert log_strengths(wins, ties) == pytest.approx(by_likelihood(wins, ties), abs=1e-6)


@pytest.mark.parametrize("seed", range(2))
def test_strengths_without_ties_are_those_of_a_logistic_regression(seed: int) -> None:
    n = 4
    wins = np.random.default_rng(seed).integers(1, 30, (n, n)).astype(float)
    np.fill_diagonal(wins, 0)
    pairs = [(i, j) for i in range(n) for j in range(i)]
    design = np.zeros((len(pairs), n))
    for row, (i, j) in zip(design, pairs, strict=True):
        row[i], row[j] = 1, -1
    met = np.array([[wins[i, j], wins[j, i]] for i, j in pairs])
    strength = np.r_[0.0, sm.GLM(met, design[:, 1:], family=sm.families.Binomial()).fit(tol=1e-12, maxiter=200).params]
    assert log_strengths(wins, 0 * wins) == pytest.approx(strength - strength.mean(), abs=1e-6)


def test_strengths_that_ties_alone_hold_up_have_no_estimate() -> None:
    # y never won: the more ties are thought common, the weaker it may be, without end
    estimate = generator_strengths(make_votes("xxbb", two="xy"), PLAIN)[0].strength
    assert (estimate.value, estimate.reason) == (None, NO_MAXIMUM)


def names(rows: Iterable[str]) -> str:
    return "".join(rows)


def test_strengths_are_undefined_where_one_won_or_lost_all() -> None:
    lost = [*make_votes("xxyy", two="xy"), *make_votes("xx", two="xz"), *make_votes("y", two="yz")]
    strengths = [strength for strength in generator_strengths(lost, QUICK) if strength.task == "all"]
    assert [strength.strength.value for strength in strengths] == [None] * 3
    assert {reason_sentences.text(strength.strength.reason) for strength in strengths if strength.strength.reason} == {
        "z lost every vote, without a tie: no finite strength explains that"
    }
    assert [strength.rank for strength in strengths] == [None] * 3
    # a single tie makes an estimate
    tied = [
        strength
        for strength in generator_strengths([*lost, *make_votes("n", "t", two="yz", prompt="q")], PLAIN)
        if strength.task == "all"
    ]
    assert names(strength.generator for strength in tied)[-1] == "z"
    assert all(strength.strength.value is not None for strength in tied)
    # two groups: each has won and lost, but w and z never won against x and y
    apart = [*make_votes("xy", two="xy"), *make_votes("wz", two="wz"), *make_votes("x", two="xw")]
    assert {strength.strength.reason for strength in generator_strengths(apart, PLAIN)} == {NOT_CONNECTED}


def test_no_interval_where_one_vote_makes_the_estimate() -> None:
    estimate = generator_strengths(make_votes("xxxxxxxy"))[0].strength
    assert estimate.value is not None
    assert estimate.low is None
    assert "no interval: undefined without one of the 8" in reason_sentences.text(estimate.method)


def points(**of: float) -> list[MetricMean]:
    return [MetricMean(name[0], name[1], None, value, 1) for name, value in of.items()]


def test_spearman_over_generators_and_tasks() -> None:
    votes = [*make_votes("xxxxy", "t"), *make_votes("xyyb", "u"), *make_votes("yyyyyyy", "v")]
    means = points(tx=0.9, ty=0.2, ux=0.1, uy=0.5, vx=0.3, vy=0.8, wx=9.0)
    correlation = rank_correlation(votes, means, QUICK)
    assert [(p.task, p.generator, p.votes) for p in correlation.points] == [
        ("t", "x", 4), ("t", "y", 1), ("u", "x", 1), ("u", "y", 2), ("v", "x", 0), ("v", "y", 7),
    ]  # fmt: skip
    assert correlation.rho.value == pytest.approx(stats.spearmanr([4, 1, 1, 2, 0, 7], [0.9, 0.2, 0.1, 0.5, 0.3, 0.8])[0])
    assert (correlation.rho.n_items, correlation.rho.n_ratings) == (6, 15)
    assert "3 tasks" in reason_sentences.text(correlation.rho.method)
    assert (correlation.agreeing, correlation.opposed) == (("t", "u", "v"), ())
    assert rank_correlation(votes, points(tx=0.1, ty=0.2, vx=1, vy=1), QUICK).opposed == ("t",)


def test_spearman_is_undefined_with_a_reason() -> None:
    assert (
        reason_sentences.text(rank_correlation(make_votes("x"), points(tx=1.0), QUICK).rho.reason)
        == "fewer than two generators and tasks have both votes and a mean"
    )
    assert (
        reason_sentences.text(rank_correlation(make_votes("xxy"), points(tx=1.0, ty=1.0), QUICK).rho.reason)
        == "the metric is constant"
    )
    assert (
        reason_sentences.text(rank_correlation(make_votes("xy"), points(tx=1.0, ty=2.0), QUICK).rho.reason)
        == "the number of votes is constant"
    )
    assert rank_correlation([], [], QUICK).rho.value is None


def test_spearman_resamples_prompts_with_votes_and_values_together() -> None:
    draw = np.random.default_rng(1)
    parts, means = [], []
    for task in "tu":
        for k in range(12):
            chose = "x" if draw.random() < 0.6 else "y"
            parts.append(Vote(f"{task}{k}", task, f"{task}{k}", "x", "y", chose))
            means += [MetricMean(task, name, f"{task}{k}", float(draw.random() + (name == chose)), 1) for name in "xy"]
    correlation = rank_correlation(parts, means, QUICK)
    assert "24 prompts" in reason_sentences.text(correlation.rho.method)
    assert correlation.rho.low is not None
    # the same by copying rows
    weights = np.concatenate([np.ones((1, 24)), _weights(24)])
    prompts = sorted({vote.prompt for vote in parts if vote.prompt})
    rhos = []
    for row in weights[1:]:
        times = dict(zip(prompts, row, strict=True))
        x = [sum(times[str(v.prompt)] for v in parts if (v.task, v.chose) == (p.task, p.generator)) for p in correlation.points]
        y = [
            _mean([(times[str(m.prompt)], m.total) for m in means if (m.task, m.generator) == (p.task, p.generator)])
            for p in correlation.points
        ]
        rhos.append(stats.spearmanr(x, y)[0])
    assert (correlation.rho.low, correlation.rho.high) == pytest.approx(tuple(np.nanpercentile(rhos, [2.5, 97.5])))


def _weights(clusters: int) -> np.ndarray[tuple[int, int], np.dtype[np.float64]]:
    return np.random.default_rng(0).multinomial(clusters, np.full(clusters, 1 / clusters), RESAMPLES).astype(float)


def _mean(values: list[tuple[float, float]]) -> float:
    total = sum(n for n, _ in values)
    return sum(n * value for n, value in values) / total if total else float("nan")


def test_strengths_that_differ_by_rounding_share_a_rank() -> None:
    """y and z have the same votes: twice as many wins as losses against x, and two each against each other."""
    votes = [*make_votes("xyy", "t", "xy"), *make_votes("xzz", "t", "xz"), *make_votes("yyzz", "t", "yz")]
    strengths = {each.generator: each for each in generator_strengths(votes, PLAIN) if each.task == "all"}
    apart = (strengths["y"].strength.value or 0) - (strengths["z"].strength.value or 0)
    assert 0 < abs(apart) < 1e-12
    assert {name: each.rank for name, each in strengths.items()} == {"y": 1, "z": 1, "x": 3}
