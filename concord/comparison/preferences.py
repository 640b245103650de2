"""Preferences of a project: people's votes on pairs of images, what scorers imply, and the numbers that follow.

Voters are people, simulated people, and each scorer in each way that its values imply a vote. A generator that scores images
itself (SelfEval, Figures 4 and 6) has its metric beside people's votes. `PreferenceRows.to_json` gives plain types.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

from agreement import Options
from agreement.preferences import (
    CANNOT_TELL,
    GeneratorStrength,
    MetricMean,
    OrderAgreement,
    OrderBias,
    RankCorrelation,
    SideChoice,
    ValueAspect,
    Vote,
    VoteCounts,
    VoterKey,
    count_votes,
    generator_strengths,
    implied_votes,
    order_agreement,
    rank_correlation,
    side_choices,
    winners,
)
from agreement.preferences.votes import BOTH, NONE, TIE, Contest, PairValues, order_bias
from agreement.study.cells import ALL
from concord.common import live_updates
from concord.common.estimate_json import number_json
from concord.common.people_kinds import leading_kind
from data.selection import PEOPLE, SIMULATED, Selection
from data.store.analysis import study_frames
from data.store.analysis.study_frames import GeneratorValue, ImageValue, PreferenceVote
from data.store.core.store import Store
from scorers.models.pipelines import short_of

Json = dict[str, Any]
By = Literal["preference", "correct", "score"]
WAYS: Final[tuple[ValueAspect, ...]] = ("correct", "score")
NO_VALUE: Final = "no_value"


@dataclass(frozen=True, slots=True)
class Voter(VoterKey):
    """People, or a scorer in one of the ways that its values imply a vote, with all their votes."""

    votes: tuple[Vote, ...]


@dataclass(frozen=True, slots=True)
class ScorerMeans(VoterKey):
    """A scorer's means by generator and task."""

    means: tuple[MetricMean, ...]


@dataclass(frozen=True, slots=True)
class Poll:
    """One suite: who votes, people first; and the scorers' means."""

    suite: str
    voters: tuple[Voter, ...]
    metrics: tuple[ScorerMeans, ...]

    def people(self) -> list[Voter]:
        """Real and simulated ones, as far as there are any; those first whose votes lead."""
        crowds = {voter.people: voter for voter in self.voters if voter.kind == "people"}
        pairs = {kind: len({vote.pair for vote in voter.votes}) for kind, voter in crowds.items()}
        leading = leading_kind(pairs.get("real", 0), pairs.get("simulated", 0))
        return sorted(crowds.values(), key=lambda voter: voter.people != leading)


def _poll(
    suite: str,
    preference_votes: Sequence[PreferenceVote],
    of_images: Sequence[ImageValue],
    of_generators: Sequence[GeneratorValue],
) -> Poll:
    voters = []
    kinds: tuple[tuple[str, Literal["real", "simulated"]], ...] = ((PEOPLE, "real"), (SIMULATED, "simulated"))
    for name, kind in kinds:
        mine = [vote for vote in preference_votes if vote.kind == "human" and vote.simulated == (kind == "simulated")]
        if mine:
            voters.append(Voter(tuple(map(_vote, mine)), suite=suite, rater=name, people=kind))
    # scorers that look at both images and choose one themselves
    for name in sorted({vote.rater_id for vote in preference_votes if vote.kind == "scorer"}):
        mine = [vote for vote in preference_votes if vote.kind == "scorer" and vote.rater_id == name]
        voters.append(Voter(tuple(map(_vote, mine)), suite=suite, rater=name, kind="scorer"))
    voters += _scorers(suite, {vote.item_id: vote for vote in preference_votes}, of_images)
    means: dict[tuple[str, By], list[MetricMean]] = {}
    for row in of_generators:
        if row.suite == suite:
            made = MetricMean(row.task, row.generator, row.prompt_id, row.total, row.n)
            means.setdefault((row.rater_id, _by(row.aspect)), []).append(made)
    metrics = [
        ScorerMeans(tuple(each), suite=suite, rater=name, kind="scorer", by=by) for (name, by), each in sorted(means.items())
    ]
    return Poll(suite, tuple(voters), tuple(metrics))


def _vote(vote: PreferenceVote) -> Vote:
    known = vote.label in (vote.first, vote.second, BOTH, NONE, TIE)
    why = vote.excluded or (None if known else NO_VALUE if vote.label else CANNOT_TELL)
    chose = vote.label if why is None else None
    return Vote(vote.item_id, vote.task, vote.prompt_id, vote.first, vote.second, chose, vote.side, why)


def _scorers(suite: str, pairs: Mapping[str, PreferenceVote], of_images: Sequence[ImageValue]) -> Iterator[Voter]:
    values: dict[tuple[str, By], dict[tuple[str, int], float]] = {}
    for each in of_images:
        if each.item_id in pairs:
            values.setdefault((each.rater_id, _by(each.aspect)), {})[each.item_id, each.position] = each.value
    for name, by in sorted(values):
        mine = values[name, by]
        twos = [
            PairValues(
                pair.item_id, pair.task, pair.prompt_id, pair.first, pair.second,
                mine.get((pair.item_id, 0)), mine.get((pair.item_id, 1)),
            )
            for pair in pairs.values()
        ]  # fmt: skip
        votes = tuple(implied_votes(twos, "correct" if by == "correct" else "score"))
        yield Voter(votes, suite=suite, rater=name, kind="scorer", by=by)


def _by(aspect: str) -> By:
    return "correct" if aspect == "correct" else "score"


_NOT_THE_METHOD: Final = frozenset({"model", "weights", "revisions", "batch", "precision"})
"""Settings in which raters may differ and still measure the same of their models."""


def selfeval_metrics(votes: Sequence[PreferenceVote], of_models: Sequence[GeneratorValue]) -> list[GeneratorValue]:
    """Accuracies of the models that people voted on, as one metric for each way of measuring.

    The images are by others: what people voted on would be the generator's own pictures, and of the paper's it is the real ones
    that count. A generator that is asked in another way (``sdxl@paper``) is the same model.
    """
    voted: dict[str, set[str]] = {}
    for vote in votes:
        voted.setdefault(vote.suite, set()).update((vote.first, vote.second))
    metrics = []
    for row in of_models:
        known = voted.get(row.suite, set())
        if row.generator not in known and row.settings is not None:
            # the scorer with its settings, whatever its model: the same for all models
            metric = f"{row.rater_id.partition('-')[0]} of its own model ({_settings_text(row.settings)})"
            metrics += [
                GeneratorValue(row.suite, row.task, name, row.prompt_id, metric, "correct", row.total, row.n)
                for name in sorted(known)
                if name.partition("@")[0] == short_of(str(row.settings["model"]))
            ]
    return metrics


def _settings_text(settings: Mapping[str, Any]) -> str:
    shown = {key: value for key, value in sorted(settings.items()) if key not in _NOT_THE_METHOD and value != ""}
    return ", ".join(f"{key}={value if isinstance(value, str) else json.dumps(value)}" for key, value in shown.items())


OPPOSED: Final = "opposed"
"""In the place of what was chosen: pairs on which this scorer, or any, prefers the one and most people the other."""
LEFT_OUT: Final = "left out"
"""The same: votes that do not count."""


@dataclass(frozen=True, slots=True)
class PairQuery:
    """Which pairs: of two generators, in a task, by a voter (``VoterKey.voter``) who chose this; ``all`` is any."""

    contest: Contest
    task: str = ALL
    who: str = ALL
    chose: str = ALL


@dataclass(frozen=True, slots=True)
class PairVotes:
    """One pair.

    Attributes:
        chosen: by voter how often what was chosen; of what does not count how often it is left out.
        preferred: what most people chose, None where two are chosen as often or nobody's vote counts.
        opposed: scorers that prefer the other one than people.
    """

    item_id: str
    task: str
    chosen: Mapping[str, Mapping[str, int]]
    preferred: str | None
    opposed: frozenset[str]


def contests(poll: Poll) -> list[Contest]:
    """All two generators that met, those with more votes first."""
    votes_by_contest = Counter(vote.contest for voter in poll.people() or poll.voters for vote in voter.votes)
    return sorted(votes_by_contest, key=lambda contest: (-votes_by_contest[contest], contest))


def list_pairs(poll: Poll, query: PairQuery) -> list[PairVotes]:
    """The pairs that are asked for; people's preference is simulated people's until real ones have voted on enough pairs."""
    votes: dict[str, dict[str, list[Vote]]] = {}
    for voter in poll.voters:
        for vote in voter.votes:
            if vote.contest == query.contest and query.task in (ALL, vote.task):
                votes.setdefault(vote.pair, {}).setdefault(voter.voter, []).append(vote)
    crowd = next((voter.voter for voter in poll.people()), PEOPLE)
    scorers = [voter.voter for voter in poll.voters if voter.kind == "scorer"]
    all_pairs = [_pair_votes(pair, by, crowd, scorers) for pair, by in votes.items()]
    pairs = [pair for pair in all_pairs if _matches_query(pair, query)]

    def order(pair: PairVotes) -> tuple[int, int, str]:
        """First where most scorers are opposed to people, then where most choose something else than most people."""
        differing = pair.preferred is not None and sum(
            pair.preferred not in pair.chosen.get(who, {pair.preferred: 1}) for who in scorers
        )
        return -len(pair.opposed), -differing, pair.item_id

    return sorted(pairs, key=order)


def _pair_votes(pair: str, by: Mapping[str, list[Vote]], crowd: str, scorers: list[str]) -> PairVotes:
    chosen = {who: dict(Counter(vote.chose or LEFT_OUT for vote in votes)) for who, votes in by.items()}
    preferred = winners(by.get(crowd, ())).get(pair)
    any_vote = next(iter(next(iter(by.values()))))
    two = (any_vote.first, any_vote.second)
    its = {who: next(iter(chosen[who])) for who in scorers if who in chosen}
    opposed = frozenset(who for who, name in its.items() if preferred in two and name in two and name != preferred)
    return PairVotes(pair, any_vote.task, chosen, preferred, opposed)


def _matches_query(pair: PairVotes, query: PairQuery) -> bool:
    if query.chose == OPPOSED:
        return query.who in pair.opposed or (query.who == ALL and bool(pair.opposed))
    voters = pair.chosen.values() if query.who == ALL else [pair.chosen.get(query.who, {})]
    return any(query.chose in chosen or (query.chose == ALL and chosen) for chosen in voters)


@dataclass(frozen=True, slots=True)
class PreferenceRows:
    """The numbers of all polls, suites by name and people first, and the polls themselves.

    Attributes:
        votes: each voter's votes on two generators, by task.
        sides: how often people choose the left image.
        orders: the position bias of judges that see each pair in both orders.
        strengths: generators by each voter's votes.
        beside: scorers beside people, on two generators, by task.
        ranks: metrics beside people's votes.
    """

    votes: tuple[VoteCounts, ...]
    sides: tuple[SideChoice, ...]
    orders: tuple[OrderBias, ...]
    strengths: tuple[GeneratorStrength, ...]
    beside: tuple[OrderAgreement, ...]
    ranks: tuple[RankCorrelation, ...]
    polls: tuple[Poll, ...]

    def of_suite(self, suite: str) -> PreferenceRows:
        """Return the numbers of one suite."""
        return PreferenceRows(
            votes=tuple(row for row in self.votes if row.suite == suite),
            sides=tuple(row for row in self.sides if row.suite == suite),
            orders=tuple(row for row in self.orders if row.suite == suite),
            strengths=tuple(row for row in self.strengths if row.suite == suite),
            beside=tuple(row for row in self.beside if row.suite == suite),
            ranks=tuple(row for row in self.ranks if row.suite == suite),
            polls=tuple(poll for poll in self.polls if poll.suite == suite),
        )

    def to_json(self) -> dict[str, list[Json]]:
        """Return the numbers as plain types, by section."""
        return {
            "votes": [_votes_json(row) for row in self.votes],
            "sides": [_sides_json(row) for row in self.sides],
            "orders": [_order_json(row) for row in self.orders],
            "strengths": [_strength_json(row) for row in self.strengths],
            "beside": [_beside_json(row) for row in self.beside],
            "ranks": [rank_json(row) for row in self.ranks],
        }


def _voter_json(row: VoterKey) -> Json:
    return {"suite": row.suite, "rater": row.rater, "kind": row.kind, "people": row.people, "by": row.by}


def _votes_json(row: VoteCounts) -> Json:
    cell = {"task": row.task, "a": row.contest.a, "b": row.contest.b}
    counts = {
        "a_wins": row.a_wins,
        "both": row.both,
        "none": row.none,
        "tie": row.tie,
        "b_wins": row.b_wins,
        "cannot_tell": row.cannot_tell,
        "clear": row.clear,
        "votes": row.votes,
        "pairs": row.pairs,
    }
    return _voter_json(row) | cell | counts | number_json(row.share, "share_of_a") | {"sign_test_p": row.sign_test_p}


def _sides_json(row: SideChoice) -> Json:
    counts = {"left": row.left, "right": row.right, "unknown": row.unknown}
    return _voter_json(row) | counts | number_json(row.share, "share_of_left") | {"sign_test_p": row.sign_test_p}


def _order_json(row: OrderBias) -> Json:
    counts = {"kept": row.kept, "left": row.left, "right": row.right, "mixed": row.mixed}
    number = number_json(row.changed, "share_changed_by_order")
    return _voter_json(row) | counts | number | {"sign_test_p": row.sign_test_p}


def _strength_json(row: GeneratorStrength) -> Json:
    cell = {"task": row.task, "generator": row.generator, "rank": row.rank}
    counts = {"wins": row.wins, "losses": row.losses, "ties": row.ties}
    return _voter_json(row) | cell | counts | number_json(row.strength, "bradley_terry")


def _beside_json(row: OrderAgreement) -> Json:
    cell = {"task": row.task, "a": row.contest.a, "b": row.contest.b}
    order = {"same_order": row.same_order, "opposed": row.opposed}
    return _voter_json(row) | cell | order | number_json(row.same, "same_preference")


def rank_json(row: RankCorrelation) -> Json:
    """Return a metric beside people's votes as plain types."""
    points = [
        {"task": point.task, "generator": point.generator, "votes": point.votes, "mean": point.mean} for point in row.points
    ]
    orders = {"agreeing": list(row.agreeing), "opposed": list(row.opposed)}
    return _voter_json(row) | number_json(row.rho, "spearman") | orders | {"points": points}


def rows(store: Store, selection: Selection, options: Options | None = None) -> PreferenceRows:
    """Return the numbers of all pairs in the selection on which anybody has voted."""
    wanted = options or Options()
    all_polls = polls(store, selection)
    voters = [voter for poll in all_polls for voter in poll.voters]
    strengths = (voter.name_voter(strength) for voter in voters for strength in generator_strengths(voter.votes, wanted))
    return PreferenceRows(
        votes=tuple(voter.name_voter(counts) for voter in voters for counts in count_votes(voter.votes, wanted)),
        sides=tuple(voter.name_voter(side_choices(voter.votes, wanted)) for poll in all_polls for voter in poll.people()),
        orders=_order_biases(study_frames.preference_votes(store, selection, "order"), wanted),
        strengths=tuple(strengths),
        beside=tuple(
            scorer.name_voter(agreement, people.people)
            for poll in all_polls
            for people in poll.people()
            for scorer in poll.voters
            if scorer.kind == "scorer"
            for agreement in order_agreement(people.votes, scorer.votes, wanted)
        ),
        ranks=tuple(
            metric.name_voter(correlation, people.people)
            for poll in all_polls
            for people in poll.people()
            for metric in poll.metrics
            if (correlation := rank_correlation(people.votes, metric.means, wanted)).points
        ),
        polls=all_polls,
    )


def polls(store: Store, selection: Selection) -> tuple[Poll, ...]:
    """Return the votes on all pairs in the selection, a poll for each suite, by name."""
    votes = study_frames.preference_votes(store, selection)
    asked = sorted({vote.suite for vote in votes})
    of_images = study_frames.image_values(store, selection, sorted({vote.item_id for vote in votes}))
    of_generators = study_frames.generator_values(store, selection, asked)
    metrics = [*of_generators, *selfeval_metrics(votes, study_frames.model_values(store, selection, asked))]
    by_suite = {suite: [vote for vote in votes if vote.suite == suite] for suite in asked}
    return tuple(_poll(suite, mine, of_images, metrics) for suite, mine in by_suite.items())


def _order_biases(preference_votes: Sequence[PreferenceVote], options: Options) -> tuple[OrderBias, ...]:
    """Return the position bias of judges that see each pair in both orders."""
    votes: dict[tuple[str, str], list[Vote]] = {}
    for vote in preference_votes:
        of_order = Vote(vote.item_id, vote.task, vote.prompt_id, vote.first, vote.second, vote.label, None, vote.excluded)
        votes.setdefault((vote.suite, vote.rater_id), []).append(of_order)
    return tuple(
        VoterKey(suite=suite, rater=rater, kind="scorer").name_voter(order_bias(mine, options))
        for (suite, rater), mine in sorted(votes.items())
    )


@live_updates.cached(maxsize=16)
def recall(store: Store, selection: Selection, options: Options | None = None) -> PreferenceRows:
    """As ``rows``, but computed once for all who look while the project stays as it is. Do not change them."""
    return rows(store, selection, options)
