"""Preferences of a project: people's votes on pairs of images, what scorers imply, and the numbers that follow.

Voters are people, simulated people, and each scorer in each way that its values imply a vote. A generator that scores images
itself (SelfEval, Figures 4 and 6) has its metric beside people's votes. Rows are of plain types.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal

from agreement import Options
from agreement.estimates import IntervalEstimate
from agreement.preferences import (
    CANNOT_TELL,
    GeneratorStrength,
    MetricMean,
    RankCorrelation,
    ValueAspect,
    Vote,
    VoteCounts,
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
from concord.common import live_updates, sentences
from data.store.analysis import study_frames
from data.store.analysis.study_frames import GeneratorValue, ImageValue, PreferenceVote
from data.store.core.selection import PEOPLE, SIMULATED, Selection
from data.store.core.store import Store
from scorers.models.pipelines import short_of

Row = dict[str, Any]
By = Literal["preference", "correct", "score"]
WAYS: Final[tuple[ValueAspect, ...]] = ("correct", "score")
NO_VALUE: Final = "no_value"


@dataclass(frozen=True, slots=True)
class Voter:
    """One who votes.

    Attributes:
        by: what the votes follow from: ``preference`` is a vote itself.
        people: ``real`` or ``simulated``; None of a scorer.
        raters: by position of each vote who gave it.
    """

    name: str
    kind: Literal["people", "scorer"]
    people: Literal["real", "simulated"] | None
    by: By
    votes: tuple[Vote, ...]
    raters: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ScorerMeans:
    """A scorer's means by generator and task."""

    name: str
    by: By
    means: tuple[MetricMean, ...]


@dataclass(frozen=True, slots=True)
class Poll:
    """One suite: who votes, people first; and the scorers' means."""

    suite: str
    voters: tuple[Voter, ...]
    metrics: tuple[ScorerMeans, ...]

    def people(self) -> list[Voter]:
        """Real and simulated ones, as far as there are any."""
        return [voter for voter in self.voters if voter.kind == "people"]


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
            raters = tuple(vote.rater_id for vote in mine)
            voters.append(Voter(name, "people", kind, "preference", tuple(map(_vote, mine)), raters))
    # scorers that look at both images and choose one themselves
    for name in sorted({vote.rater_id for vote in preference_votes if vote.kind == "scorer"}):
        mine = [vote for vote in preference_votes if vote.kind == "scorer" and vote.rater_id == name]
        voters.append(Voter(name, "scorer", None, "preference", tuple(map(_vote, mine)), (name,) * len(mine)))
    voters += _scorers({vote.item_id: vote for vote in preference_votes}, of_images)
    means: dict[tuple[str, By], list[MetricMean]] = {}
    for row in of_generators:
        if row.suite == suite:
            made = MetricMean(row.task, row.generator, row.prompt_id, row.total, row.n)
            means.setdefault((row.rater_id, _by(row.aspect)), []).append(made)
    metrics = [ScorerMeans(name, by, tuple(each)) for (name, by), each in sorted(means.items())]
    return Poll(suite, tuple(voters), tuple(metrics))


def _vote(vote: PreferenceVote) -> Vote:
    known = vote.label in (vote.first, vote.second, BOTH, NONE, TIE)
    why = vote.excluded or (None if known else NO_VALUE if vote.label else CANNOT_TELL)
    chose = vote.label if why is None else None
    return Vote(vote.item_id, vote.task, vote.prompt_id, vote.first, vote.second, chose, vote.side, why)


def _scorers(pairs: Mapping[str, PreferenceVote], of_images: Sequence[ImageValue]) -> Iterator[Voter]:
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
        yield Voter(name, "scorer", None, by, votes, (name,) * len(votes))


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


def section_rows(poll: Poll, options: Options) -> dict[str, list[Row]]:
    """By section of ``concord.comparison.preferences.SECTIONS``."""
    return {
        "votes": [_vote_rows(poll, voter, counts) for voter in poll.voters for counts in count_votes(voter.votes, options)],
        "sides": [_side_rows(poll, voter, options) for voter in poll.people()],
        "strengths": [
            _strength_rows(poll, voter, strength)
            for voter in poll.voters
            for strength in generator_strengths(voter.votes, options)
        ],
        "beside": [
            _who(poll, scorer)
            | {"people": people.people, "task": agreement.task, "a": agreement.contest.a, "b": agreement.contest.b}
            | {"same_order": agreement.same_order, "opposed": agreement.opposed, "statistic": "same_preference"}
            | measured_row(agreement.same)
            for people in poll.people()
            for scorer in poll.voters
            if scorer.kind == "scorer"
            for agreement in order_agreement(people.votes, scorer.votes, options)
        ],
        "ranks": [
            _rank_row(poll, people, metric, correlation)
            for people in poll.people()
            for metric in poll.metrics
            if (correlation := rank_correlation(people.votes, metric.means, options)).points
        ],
    }


def measured_row(estimate: IntervalEstimate) -> Row:
    """What every number comes with."""
    return {
        "value": estimate.value,
        "low": estimate.low,
        "high": estimate.high,
        "n_items": estimate.items,
        "n_ratings": estimate.ratings,
        "excluded": dict(estimate.excluded),
        "reason": sentences.text_or_none(estimate.reason),
        "method": sentences.text(estimate.method),
    }


def _who(poll: Poll, voter: Voter) -> Row:
    return {"suite": poll.suite, "rater": voter.name, "kind": voter.kind, "people": voter.people, "by": voter.by}


def _vote_rows(poll: Poll, voter: Voter, vote_counts: VoteCounts) -> Row:
    counts = {name: getattr(vote_counts, name) for name in ("a_wins", "both", "none", "tie", "b_wins", "cannot_tell")}
    totals = {"clear": vote_counts.clear, "votes": vote_counts.votes, "pairs": vote_counts.pairs}
    cell = {"task": vote_counts.task, "a": vote_counts.contest.a, "b": vote_counts.contest.b}
    number = {"statistic": "share_of_a", **measured_row(vote_counts.share), "sign_test_p": vote_counts.sign_test_p}
    return _who(poll, voter) | cell | counts | totals | number


def _side_rows(poll: Poll, voter: Voter, options: Options) -> Row:
    choices = side_choices(voter.votes, options)
    counts = {"left": choices.left, "right": choices.right, "unknown": choices.unknown}
    number = {"statistic": "share_of_left", **measured_row(choices.share), "sign_test_p": choices.sign_test_p}
    return _who(poll, voter) | counts | number


def _order_rows(preference_votes: Sequence[PreferenceVote], options: Options) -> list[Row]:
    """Position bias of judges that see each pair in both orders."""
    votes: dict[tuple[str, str], list[Vote]] = {}
    for vote in preference_votes:
        of_order = Vote(vote.item_id, vote.task, vote.prompt_id, vote.first, vote.second, vote.label, None, vote.excluded)
        votes.setdefault((vote.suite, vote.rater_id), []).append(of_order)
    order_rows = []
    for (suite, rater), mine in sorted(votes.items()):
        bias = order_bias(mine, options)
        number = {"statistic": "share_changed_by_order", **measured_row(bias.changed), "sign_test_p": bias.sign_test_p}
        who = {"suite": suite, "rater": rater, "kind": "scorer", "people": None, "by": "preference"}
        order_rows.append({**who, **bias.counts, **number})
    return order_rows


def _strength_rows(poll: Poll, voter: Voter, strength: GeneratorStrength) -> Row:
    cell = {"task": strength.task, "generator": strength.generator, "rank": strength.rank}
    counts = {"wins": strength.wins, "losses": strength.losses, "ties": strength.ties}
    return _who(poll, voter) | cell | counts | {"statistic": "bradley_terry", **measured_row(strength.strength)}


def _rank_row(poll: Poll, people: Voter, metric: ScorerMeans, correlation: RankCorrelation) -> Row:
    points = [{"task": p.task, "generator": p.generator, "votes": p.votes, "mean": p.mean} for p in correlation.points]
    who = {"suite": poll.suite, "rater": metric.name, "kind": "scorer", "people": people.people, "by": metric.by}
    orders = {"agreeing": list(correlation.agreeing), "opposed": list(correlation.opposed)}
    return who | {"statistic": "spearman", **measured_row(correlation.rho)} | orders | {"points": points}


OPPOSED: Final = "opposed"
"""In the place of what was chosen: pairs on which this scorer, or any, prefers the one and most people the other."""
LEFT_OUT: Final = "left out"
"""The same: votes that do not count."""


@dataclass(frozen=True, slots=True)
class PairQuery:
    """Which pairs: of two generators, in a task, by a voter (``key_of``) who chose this; ``all`` is any."""

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


def key_of(voter: Voter) -> str:
    """A voter's name, of a scorer with what its votes follow from."""
    return voter.name if voter.kind == "people" else f"{voter.name} ({voter.by})"


def contests(poll: Poll) -> list[Contest]:
    """All two generators that met, those with more votes first."""
    votes_by_contest = Counter(vote.contest for voter in poll.people() or poll.voters for vote in voter.votes)
    return sorted(votes_by_contest, key=lambda contest: (-votes_by_contest[contest], contest))


def list_pairs(poll: Poll, query: PairQuery) -> list[PairVotes]:
    """The pairs that are asked for; of simulated people only where no real ones have voted, people's preference is theirs."""
    votes: dict[str, dict[str, list[Vote]]] = {}
    for voter in poll.voters:
        for vote in voter.votes:
            if vote.contest == query.contest and query.task in (ALL, vote.task):
                votes.setdefault(vote.pair, {}).setdefault(key_of(voter), []).append(vote)
    crowd = next((key_of(voter) for voter in poll.people()), PEOPLE)
    scorers = [key_of(voter) for voter in poll.voters if voter.kind == "scorer"]
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


SECTIONS: Final = ("votes", "sides", "orders", "strengths", "beside", "ranks")


@dataclass(frozen=True, slots=True)
class PreferenceRows:
    """All numbers by section, plain rows, suites by name and people first; and the polls that they are made from."""

    sections: Mapping[str, Sequence[Row]]
    polls: Sequence[Poll]


def rows(store: Store, selection: Selection, options: Options | None = None) -> PreferenceRows:
    """Of all pairs in the selection on which anybody has voted."""
    wanted = options or Options()
    votes = study_frames.preference_votes(store, selection)
    of_images = study_frames.image_values(store, selection, sorted({vote.item_id for vote in votes}))
    of_generators = study_frames.generator_values(store, selection, sorted({vote.suite for vote in votes}))
    of_models = selfeval_metrics(votes, study_frames.model_values(store, selection, sorted({vote.suite for vote in votes})))
    suites: dict[str, list[PreferenceVote]] = {}
    for vote in votes:
        suites.setdefault(vote.suite, []).append(vote)
    metrics = [*of_generators, *of_models]
    all_polls = [_poll(suite, mine, of_images, metrics) for suite, mine in sorted(suites.items())]
    sections: dict[str, list[Row]] = {name: [] for name in SECTIONS}
    for poll in all_polls:
        for name, made in section_rows(poll, wanted).items():
            sections[name] += made
    sections["orders"] = _order_rows(study_frames.preference_votes(store, selection, "order"), wanted)
    return PreferenceRows(sections, all_polls)


@live_updates.cached(maxsize=16)
def recall(store: Store, selection: Selection, options: Options | None = None) -> PreferenceRows:
    """As ``rows``, but computed once for all who look while the project stays as it is. Do not change them."""
    return rows(store, selection, options)
