"""From one suite's votes to rows of plain types: what the command prints and the pages show."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from agreement import Options
from agreement.estimates import IntervalEstimate
from agreement.preferences import (
    GeneratorStrength,
    OrderAgreement,
    RankCorrelation,
    VoteCounts,
    count_votes,
    generator_strengths,
    order_agreement,
    rank_correlation,
    side_choices,
)
from ui.preferring.voters import Metric, Poll, Voter

Row = dict[str, Any]


def sections(poll: Poll, options: Options) -> dict[str, list[Row]]:
    """By section of ``ui.preferring.SECTIONS``."""
    return {
        "votes": [_votes(poll, voter, one) for voter in poll.voters for one in count_votes(voter.votes, options)],
        "sides": [_side(poll, voter, options) for voter in poll.people()],
        "strengths": [
            _strength(poll, voter, one) for voter in poll.voters for one in generator_strengths(voter.votes, options)
        ],
        "beside": list(_beside(poll, options)),
        "ranks": list(_ranks(poll, options)),
    }


def measured(one: IntervalEstimate) -> Row:
    """What every number comes with."""
    return {
        "value": one.value,
        "low": one.low,
        "high": one.high,
        "n_items": one.items,
        "n_ratings": one.ratings,
        "excluded": dict(one.excluded),
        "reason": one.reason,
        "method": one.method,
    }


def _who(poll: Poll, voter: Voter) -> Row:
    return {"suite": poll.suite, "rater": voter.name, "kind": voter.kind, "people": voter.people, "by": voter.by}


def _votes(poll: Poll, voter: Voter, one: VoteCounts) -> Row:
    counts = {name: getattr(one, name) for name in ("a_wins", "both", "none", "tie", "b_wins", "cannot_tell")}
    totals = {"clear": one.clear, "votes": one.votes, "pairs": one.pairs}
    place = {"task": one.task, "a": one.contest.a, "b": one.contest.b}
    number = {"statistic": "share_of_a", **measured(one.share), "sign_test_p": one.sign_test_p}
    return _who(poll, voter) | place | counts | totals | number


def _side(poll: Poll, voter: Voter, options: Options) -> Row:
    one = side_choices(voter.votes, options)
    counts = {"left": one.left, "right": one.right, "unknown": one.unknown}
    return _who(poll, voter) | counts | {"statistic": "share_of_left", **measured(one.share), "sign_test_p": one.sign_test_p}


def _strength(poll: Poll, voter: Voter, one: GeneratorStrength) -> Row:
    place = {"task": one.task, "generator": one.generator, "rank": one.rank}
    counts = {"wins": one.wins, "losses": one.losses, "ties": one.ties}
    return _who(poll, voter) | place | counts | {"statistic": "bradley_terry", **measured(one.strength)}


def _beside(poll: Poll, options: Options) -> Iterator[Row]:
    for people in poll.people():
        for scorer in poll.voters:
            if scorer.kind == "scorer":
                for one in order_agreement(people.votes, scorer.votes, options):
                    yield _who(poll, scorer) | {"people": people.people} | _place(one)


def _place(one: OrderAgreement) -> Row:
    place = {"task": one.task, "a": one.contest.a, "b": one.contest.b, "same_order": one.same_order, "opposed": one.opposed}
    return place | {"statistic": "same_preference", **measured(one.same)}


def _ranks(poll: Poll, options: Options) -> Iterator[Row]:
    for people in poll.people():
        for metric in poll.metrics:
            found = rank_correlation(people.votes, metric.means, options)
            if found.points:
                yield _rank(poll, people, metric, found)


def _rank(poll: Poll, people: Voter, metric: Metric, found: RankCorrelation) -> Row:
    points = [{"task": p.task, "generator": p.generator, "votes": p.votes, "mean": p.mean} for p in found.points]
    who = {"suite": poll.suite, "rater": metric.name, "kind": "scorer", "people": people.people, "by": metric.by}
    orders = {"agreeing": list(found.agreeing), "opposed": list(found.opposed)}
    return who | {"statistic": "spearman", **measured(found.rho)} | orders | {"points": points}
